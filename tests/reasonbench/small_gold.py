"""A benchmark small enough to score by hand, and predictions for it."""

import json

from hypothesis import strategies as st

from decidendi.reasonbench import (
    LABELS,
    Answer,
    GoldCase,
    GoldSet,
    Predicted,
    Predictions,
    Target,
    read_output,
    write_target,
)
from decidendi.receipts import receipt_of_cube

SHORT = {"a": "approve", "d": "deny", "r": "refer", "y": "approve", "n": "deny"}
DIGEST = "sha256:" + "0" * 64


def case(identity, unit, cells, mask, receipt, *, split="locked", **more):
    stratum = "logic" if cells[0] in "yn" else "policy"
    cube = tuple(SHORT[c] for c in cells)
    return GoldCase(identity, stratum, unit, split, mask, cube, receipt, **more)


def control_of(parent, kind):
    cube = parent.cube[::-1] if kind == "inverse" else parent.cube
    # The inverse's cell for mask m is the parent's for everything but m, unchanged kinds aside.
    exact = receipt_of_cube(dict(enumerate(cube)), ("grounds", "norms", "authority"))
    return GoldCase(
        f"{parent.id}/{kind}",
        parent.stratum,
        parent.unit,
        parent.split,
        parent.mask,
        cube,
        exact.masks if exact else (),
        control_of=parent.id,
        control=kind,
    )


L1 = case("L1", "u1", "dadadaaa", 7, (1, 6))  # grounds alone, or norms and authority together
L2 = case("L2", "u1", "dddddddd", 2, ())  # a no-op revision
L3 = case("L3", "u2", "ddddddda", 7, (7,))  # only all three together
L4 = case("L4", "w1", "yynnyynn", 3, (2,))  # the norms alone
LOCKED = [L1, L2, L3, L4]
CALIBRATION = [
    case("C1", "u3", "dadadada", 1, (1,), split="calibration"),
    case("C2", "u3", "ddaaddaa", 2, (2,), split="calibration"),
]
TRAIN = [
    case("T1", "u4", "dadadada", 1, (1,), split="train"),
    case("T2", "u4", "ddaaddaa", 2, (2,), split="train"),
    case("T3", "u5", "aaaaaaaa", 0, (), split="train"),
    case("T4", "u5", "dddddddd", 4, (), split="train"),
]
DEPTH = [case("D1", "w2", "nynynyny", 1, (1,), split="shift-depth", depth=5)]
CONTROLS = [control_of(c, kind) for c in LOCKED for kind in ("inverse", "order", "distractor")]
GOLD = GoldSet.of(DIGEST, [*LOCKED, *CALIBRATION, *TRAIN, *DEPTH, *CONTROLS])


def predictions(by_seed, *, method="m", target=Target.DIRECT_RECEIPT, gold=GOLD):
    """Read each output as the file reader would; an output may come with its confidence."""
    read = {}
    for seed, outputs in by_seed.items():
        read[seed] = {}
        for identity, output in outputs.items():
            text, confidence = output if isinstance(output, tuple) else (output, None)
            labels = LABELS[gold.cases[identity].stratum]
            read[seed][identity] = Predicted(read_output(target, text, labels), confidence)
    return Predictions(method, target, read)


def exact(cases, target=Target.DIRECT_RECEIPT):
    return {c.id: write_target(target, c) for c in cases}


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@st.composite
def gold_cases(draw, identity="x", split="locked"):
    stratum = draw(st.sampled_from(["policy", "logic"]))
    mask = draw(st.integers(0, 7))
    free = draw(st.lists(st.sampled_from(LABELS[stratum]), min_size=8, max_size=8))
    cube = tuple(free[cell & mask] for cell in range(8))
    found = receipt_of_cube(dict(enumerate(cube)), ("grounds", "norms", "authority"))
    unit = draw(st.sampled_from(["p", "q", "s"])) + stratum
    return GoldCase(identity, stratum, unit, split, mask, cube, found.masks if found else ())


@st.composite
def gold_sets(draw):
    size = draw(st.integers(1, 8))
    main = [draw(gold_cases(identity=f"x{i}")) for i in range(size)]
    kinds = ("inverse", "order", "distractor")
    return GoldSet.of(DIGEST, [*main, *(control_of(c, kind) for c in main for kind in kinds)])


@st.composite
def answers(draw, gold, target):
    """A file of predictions for every case: exact, of another case, or malformed."""
    cases = list(gold.cases.values())
    out = {}
    for c in cases:
        like = [o for o in cases if o.stratum == c.stratum]
        source = draw(st.sampled_from([c, *like]))
        out[c.id] = draw(st.sampled_from([write_target(target, source)] * 4 + ["?"]))
    return out


def is_answer(value):
    return isinstance(value, Answer)
