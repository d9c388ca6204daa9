"""Whole files of predictions through the commands: predictors whose figures are known."""

import json
import random
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import mean, stdev

import pytest

from decidendi.reasonbench import (
    CONTROLS,
    Target,
    read_gold,
    score_files,
    write_target,
)

sys.path.insert(0, str(Path(__file__).parent))
from small_gold import jsonl

RECEIPT = Target.DIRECT_RECEIPT
FAMILIES = ["grounds", "norms", "authority", "grounds|norms", "grounds+norms+authority"]


@pytest.fixture(scope="module")
def gold(small):
    return read_gold(small)


@pytest.fixture(scope="module")
def scored_cases(gold):
    return [case for case in gold.cases.values() if case.split != "train"]


def write(path, gold, cases, say, seeds=(None,), target=RECEIPT):
    """Write what ``say(case, seed)`` returns: an output, or one with its confidence."""
    rows = []
    for seed, case in product(seeds, cases):
        said = say(case, seed)
        output, confidence = said if isinstance(said, tuple) else (said, None)
        row = {"id": case.id, "output": output, "target": target, "benchmark": gold.digest}
        more = {"seed": seed, "confidence": confidence}
        rows.append(row | {name: value for name, value in more.items() if value is not None})
    return jsonl(path, rows)


def numbers(document):
    """Index the cells of a scored document by table, row and column."""
    return {
        (table["table"], row["label"], column): cell
        for table in document["tables"]
        for row in table["rows"]
        for column, cell in zip(table["columns"][1:], row["cells"], strict=True)
    }


def through(bench, small, *files, code=0, also=()):
    found, out, err = bench("score", small, *files, "--json", *also)
    assert (found, err) == (code, err if code else "")
    document = json.loads(out)
    return document, numbers(document)


def locked(cases, control=None):
    return [c for c in cases if c.split == "locked" and c.control == control]


def test_a_perfect_predictor_is_perfect_everywhere(small, gold, scored_cases, tmp_path, bench):
    def say(case, _):
        return write_target(RECEIPT, case), 0.9

    file = write(tmp_path / "perfect.jsonl", gold, scored_cases, say)
    document, cell = through(bench, small, file)
    assert document["benchmark"] == gold.digest
    (method,) = document["methods"]
    assert (method["answers"], method["malformed"]) == (len(scored_cases), 0)
    wrong = {"drift", "inertia", "misattribution"}
    for (table, row, column), found in cell.items():
        if table in {"1", "8"} or "mean" not in found or found["mean"] is None:
            continue
        bad = any(word in row.lower() for word in wrong) or row.startswith("Wrong receipt")
        assert found["mean"] == (0.0 if bad else 1.0), (table, row, column)
        # Never a whole certainty from a handful of units.
        assert found["low"] < found["high"]
    assert cell["3", "Revised-verdict minus receipt accuracy", "perfect"]["difference"] == 0
    for control in CONTROLS:
        assert cell["6", control.capitalize(), "perfect"]["floor"] == 0
    aimed = cell["8", "perfect, 20% aimed at", "Reason debt"]
    assert (aimed["mean"], aimed["n"]) == (0.0, sum(c.changed for c in locked(scored_cases)))


def test_always_no_change(small, gold, scored_cases, tmp_path, bench):
    def say(case, _):
        return f"old={case.old} new={case.old} receipt=none"

    file = write(tmp_path / "lazy.jsonl", gold, scored_cases, say)
    _, cell = through(bench, small, file)
    cases = locked(scored_cases)
    changed = mean(case.changed for case in cases)
    assert 0 < changed < 1
    expected = {
        ("2", "lazy", "Revised-verdict accuracy"): 1 - changed,
        ("2", "lazy", "Exact receipt accuracy"): 1 - changed,
        ("2", "lazy", "Valid format"): 1,
        ("failures", "Drift, of all cases", "lazy"): 0,
        ("failures", "Inertia, of all cases", "lazy"): changed,
        ("failures", "Misattribution, of gold changes", "lazy"): 1,
        ("3", "Exact receipt accuracy", "lazy"): 0,
        ("4", "Several minimal receipts", "lazy"): 0,
        # What an old state says is the same before and after another order or an idle memo;
        # exchanged endpoints only swap where both verdicts are one.
        ("6", "Order", "lazy"): 1,
        ("6", "Distractor", "lazy"): 1,
        ("6", "Inverse", "lazy"): 1 - changed,
    }
    for place, share in expected.items():
        assert cell[place]["mean"] == pytest.approx(share), place
    given = cell["failures", "Misattribution given both endpoints right", "lazy"]
    assert (given["mean"], given["n"], given["text"]) == (None, 0, "undefined (n = 0)")
    assert cell["8", "lazy", "Reason debt"]["not measured"].startswith("no confidences")
    # It is always right where the floor says it may be, and never where it must be wrong.
    inverse = cell["6", "Inverse", "lazy"]
    assert inverse["pair error"] >= inverse["floor"] == pytest.approx(changed / 2)


def test_right_verdicts_for_wrong_reasons(small, gold, scored_cases, tmp_path, bench):
    def say(case, _):
        exact = write_target(RECEIPT, case)
        if not case.changed:
            return exact, 0.5
        head, _, family = exact.rpartition("=")
        return f"{head}={next(f for f in FAMILIES if f != family)}", 0.5

    file = write(tmp_path / "wrong.jsonl", gold, scored_cases, say)
    _, cell = through(bench, small, file)
    stable = mean(not case.changed for case in locked(scored_cases))
    assert cell["2", "wrong", "Revised-verdict accuracy"]["mean"] == 1
    assert cell["2", "wrong", "Both endpoints"]["mean"] == 1
    assert cell["2", "wrong", "Exact receipt accuracy"]["mean"] == pytest.approx(stable)
    assert cell["3", "Revised-verdict minus receipt accuracy", "wrong"]["difference"] == 1
    assert cell["3", "Wrong receipt given both endpoints right", "wrong"]["mean"] == 1
    assert cell["failures", "Drift, of all cases", "wrong"]["mean"] == 0
    assert cell["failures", "Inertia, of all cases", "wrong"]["mean"] == 0
    # Consistently wrong is still consistent: the inverse asks only for the endpoints.
    assert cell["6", "Inverse", "wrong"]["mean"] == 1
    debt = cell["8", "wrong, 100% aimed at", "Reason debt"]
    recall = cell["8", "wrong, 100% aimed at", "Correct gold-change recall"]
    assert (debt["mean"], recall["mean"]) == (1, 0)


def counted_by_hand(outputs, cases, seeds):
    """Return what each case is worth, by metric and seed, from the text that was written."""
    hits = defaultdict(list)
    for seed, case in product(seeds, cases):
        said, right = outputs[seed, case.id], write_target(RECEIPT, case)
        fields = dict(part.split("=") for part in said.split()) if said != "?" else {}
        moved = bool(fields) and fields["old"] != fields["new"]
        hits["Revised-verdict accuracy", seed].append(fields.get("new") == case.revised)
        hits["Exact receipt accuracy", seed].append(
            bool(fields) and fields["receipt"] == right.rpartition("=")[2]
        )
        hits["Both endpoints", seed].append(said.split()[:2] == right.split()[:2])
        hits["Valid format", seed].append(said != "?")
        hits["Drift, of all cases", seed].append(moved and not case.changed)
        hits["Inertia, of all cases", seed].append(case.changed and not moved)
    return hits


def test_five_seeds_with_noise_counted_another_way(small, gold, scored_cases, tmp_path, bench):
    """Means, spreads and counts are those of plain loops over what was written."""
    seeds = (11, 23, 37, 53, 71)
    outputs = {}
    for seed, case in product(seeds, scored_cases):
        draw = random.Random(f"{seed} {case.id}")
        outputs[seed, case.id] = write_target(RECEIPT, case)
        if draw.random() < 0.03 * (1 + seeds.index(seed)):
            outputs[seed, case.id] = draw.choice(
                ["?", "old=deny new=refer receipt=grounds", "old=refer new=refer receipt=none"]
            )
    noisy = write(
        tmp_path / "noisy.jsonl", gold, scored_cases, lambda c, seed: outputs[seed, c.id], seeds
    )
    exact = write(
        tmp_path / "exact.jsonl", gold, scored_cases, lambda c, _: write_target(RECEIPT, c), seeds
    )
    document, cell = through(bench, small, exact, noisy, code=3, also=["--seeds", "5"])
    assert document["methods"][1]["seeds"] == [str(seed) for seed in seeds]
    malformed = sum(output == "?" for output in outputs.values())
    assert document["methods"][1]["malformed"] == malformed > 0
    assert [f["fault"] for f in document["methods"][1]["faults"]] == ["malformed answers"]
    cases = locked(scored_cases)
    hits = counted_by_hand(outputs, cases, seeds)
    for name in {name for name, _ in hits}:
        shares = [mean(hits[name, seed]) for seed in seeds]
        failed = name.endswith("of all cases")
        found = cell[("failures", name, "noisy") if failed else ("2", "noisy", name)]
        assert found["mean"] == pytest.approx(mean(shares)), name
        assert found["spread"] == pytest.approx(stdev(shares)), name
        assert found["n"] == 5 * len(cases)
        assert [s["hits"] for s in found["seeds"]] == [sum(hits[name, seed]) for seed in seeds]
        assert found["low"] <= found["mean"] <= found["high"]
    gap = cell["2", "noisy minus exact", "Exact receipt accuracy"]
    assert gap["difference"] == pytest.approx(
        cell["2", "noisy", "Exact receipt accuracy"]["mean"] - 1
    )
    assert gap["low"] < gap["difference"] < gap["high"] <= 0
    assert gap["p"] <= gap["adjusted p"] <= 1


def test_every_target_is_scored(small, gold, scored_cases, tmp_path, bench):
    files = [
        write(
            tmp_path / f"{target}.jsonl",
            gold,
            scored_cases,
            lambda c, _, target=target: write_target(target, c),
            target=target,
        )
        for target in Target
    ]
    document, cell = through(bench, small, *files)
    assert [m["target"] for m in document["methods"]] == [*Target]
    for target in Target:
        assert cell["2", target, "Revised-verdict accuracy"]["mean"] == 1
        receipt = cell["2", target, "Exact receipt accuracy"]
        assert receipt.get("mean") == (1 if target.has_receipt else None)
    assert cell["2", "judgment-cube", "Exact cube"]["mean"] == 1
    assert "no receipt" in cell["2", "direct-verdict", "Exact receipt accuracy"]["not measured"]


def test_whatever_is_wrong_is_named_and_ends_with_3(small, gold, scored_cases, tmp_path, bench):
    cases = locked(scored_cases)
    path = write(
        tmp_path / "mine.jsonl", gold, cases, lambda c, _: write_target(RECEIPT, c), (1, 2)
    )
    lines = path.read_text().splitlines()
    other = json.loads(lines[0]) | {"benchmark": "sha256:" + "7" * 64}
    strange = [
        json.dumps(json.loads(lines[0]) | {"id": "nobody/01"}),
        lines[1],
        json.dumps(json.loads(lines[2]) | {"output": "approve"}),
        json.dumps(other),
        json.dumps(json.loads(lines[-1]) | {"seed": 3, "output": "It stays."}),
    ]
    path.write_text("\n".join([*lines[:-1], *strange, lines[-1][:30]]))
    code, out, err = bench("score", small, path, "--seeds", "2")
    assert (code, "Table 2. " in out) == (3, True)
    for said in (
        "mine: unreadable lines (1)",
        "the file may be cut off",
        "unknown ids (1): line",
        "'nobody/01'",
        "repeated lines, identical (1)",
        "cases answered twice, differently (1)",
        "lines of another benchmark (1)",
        "sha256:777777777777…",
        f"missing predictions ({len(cases)})",
        "wrong seed counts (1): 3 instead of 2",
        "malformed answers (1)",
        "is not old=… new=… receipt=…",
    ):
        assert said in err, said


def test_a_file_of_another_benchmark_does_not_keep_the_others(
    small, gold, scored_cases, tmp_path, bench
):
    def exact(case, _):
        return write_target(RECEIPT, case)

    mine = write(tmp_path / "mine.jsonl", gold, scored_cases, exact)
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "mine.jsonl"
    other.write_text(mine.read_text().replace(gold.digest, "sha256:" + "5" * 64))
    document, _ = through(bench, small, mine, other, code=3)
    assert len(document["methods"]) == 1
    assert document["non-comparable"] == {str(other): "sha256:" + "5" * 64}
    code, out, err = bench("score", small, other)
    assert (code, out) == (3, "")
    assert "non-comparable" in err and "5" * 64 in err and gold.digest in err
    code, out, _ = bench("report", small, "--predictions", other, "--out", tmp_path / "x.html")
    assert (code, out, (tmp_path / "x.html").exists()) == (3, "", False)
    # Two files of one name are told apart by their folders, and one file by its number.
    other.write_text(mine.read_text())
    scoring = score_files(small, [mine, other, mine], replicates=10)
    names = [scorer.method for scorer in scoring.scorers]
    assert names == [f"{tmp_path.name}/mine", "elsewhere/mine", f"{tmp_path.name}/mine (2)"]


def test_answers_to_other_words_are_labelled_everywhere(small, gold, scored_cases, tmp_path, bench):
    mine = write(tmp_path / "mine.jsonl", gold, scored_cases, lambda c, _: write_target(RECEIPT, c))
    other = tmp_path / "other.jsonl"
    rows = [json.loads(line) | {"rendering": "table"} for line in mine.read_text().splitlines()]
    jsonl(other, rows)
    code, out, err = bench("score", small, mine, other)
    assert (code, "other [table]" in out, "not paired: prompts in different words" in out) == (
        0,
        True,
        True,
    )
    assert err.startswith("note: other [table]: prompts in other words than the benchmark's")
    code, out, err = bench("report", small, mine, other, "--out", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (code, "other [table]" in html, "not paired" in html) == (0, True, True)


def test_the_page(small, gold, scored_cases, tmp_path, bench):
    def some(case, seed):
        draw = random.Random(f"{seed} {case.id}")
        wrong = draw.random() < 0.2
        return ("old=deny new=deny receipt=none" if wrong else write_target(RECEIPT, case)), 0.7

    one = write(tmp_path / "one.jsonl", gold, scored_cases, some, (1, 2))
    two = write(tmp_path / "two <b>.jsonl", gold, scored_cases, some, (2, 3))
    page = tmp_path / "page.html"
    code, out, err = bench("report", small, "--predictions", one, two, "--out", page)
    assert (code, out.strip(), err) == (0, str(page), "")
    html = page.read_text(encoding="utf-8")
    assert [path for path in tmp_path.iterdir() if path.suffix == ".part"] == []
    scoring = score_files(small, [one, two])
    for table in scoring.tables:
        assert table.title in html
    receipt = scoring.tables[1].rows[0].cells[1]
    assert f"{100 * receipt.mean:.2f}%" in html
    assert "two &lt;b&gt;" in html and "two <b>" not in html
    assert "not the frozen ReasonBench" in html
    assert gold.digest in html
    for words in ("of other texts", "do not compare", "10,000", "endpoints swap"):
        assert words in html, words
    code, _, err = bench("report", small, one, "--out", tmp_path / "nowhere" / "page.html")
    assert (code, "no such folder" in err) == (2, True)
    code, _, err = bench("report", small)
    assert (code, "no predictions" in err) == (2, True)
