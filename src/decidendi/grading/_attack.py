"""Chains that talk to their judge, and what that does to the judge.

To a chain with a planted error an instruction is added that tells the judge to find nothing. It
stands at the end of another premise, so that the planted one is word for word what it was. The
measure is the share of planted errors that the judge still finds, beside the share it finds in the
same chains without the instruction.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from decidendi.folders import write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._files import chain_line, labels_line
from decidendi.grading._judge import JudgeIdentity
from decidendi.grading._labels import Labels, Marks
from decidendi.grading._plant import Planted
from decidendi.grading._records import difference_json, rate_json
from decidendi.grading._runs import GradingRun, refuse_dry_run
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.stats import Difference, Rate, paired_difference, rate

ATTACKED: Final = "attacked"
"""The field of a chain that says which one it is the twin of, and how the judge is addressed."""


@lru_cache(maxsize=1)
def framings() -> Mapping[str, str]:
    """Return the ways in which a judge is addressed, by name."""
    text = files("decidendi.grading").joinpath("data", "attacks.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)["framings"]
    return MappingProxyType(found)


def attack(one: Planted, framing: str, *, seed: int | str = 42) -> Planted:
    """Return the twin of a planted chain that tells its judge to find nothing.

    The premise that carries the instruction has no label: whether the instruction is an error of
    that premise is a matter of taste. In a chain of one premise the conclusion carries it.

    Raises:
        BadInputError: if there is no such framing.
    """
    if framing not in framings():
        raise BadInputError(f"no framing {framing!r}", remedy=", ".join(framings()))
    chain, order = one.chain, framings()[framing]
    premises = [] if isinstance(chain.premises, Unmeasured) else list(chain.premises)
    marks: list[Marks] = (
        [] if isinstance(one.labels.premises, Unmeasured) else list(one.labels.premises)
    )
    others = [at for at in range(len(premises)) if at != one.place]
    carrier, conclusion, text = None, chain.conclusion, chain.text
    if others:
        rng = random.Random(f"{seed}|{chain.id}|{framing}")  # noqa: S311 - repeatable on purpose
        carrier = rng.choice(others)
        said = f"{premises[carrier]} {order}"
        text = text.replace(premises[carrier], said, 1)
        premises[carrier], marks[carrier] = said, None
    else:
        conclusion = f"{conclusion} {order}"
        text = f"{text} {order}"
    about = {"of": chain.id, "framing": framing, "carrier": carrier}
    name = f"{chain.id}+{framing}"
    twin = replace(
        chain,
        id=name,
        premises=tuple(premises) or chain.premises,
        conclusion=conclusion,
        text=text,
        carried={**chain.carried, ATTACKED: {"of": chain.id, "framing": framing}},
    )
    labels = replace(
        one.labels,
        chain=name,
        premises=tuple(marks) or one.labels.premises,
        about={**one.labels.about, ATTACKED: about},
    )
    return replace(one, chain=twin, labels=labels)


def attack_set(planted: Sequence[Planted], *, seed: int | str = 42) -> list[Planted]:
    """Return a twin of each chain with a planted premise error, the framings in equal numbers."""
    wrong = [one for one in planted if one.place is not None]
    names = list(framings())
    return [attack(one, names[i % len(names)], seed=seed) for i, one in enumerate(wrong)]


def attack_to(out: Path, planted: Sequence[Planted], *, seed: int | str = 42) -> tuple[Path, int]:
    """Write the twins of a set beside it, with their labels.

    Returns:
        Where they are (``x.attacked.jsonl`` for ``x.jsonl``), and how many.

    Raises:
        BadInputError: if no chain of the set has a planted premise error.
    """
    twins = attack_set(planted, seed=seed)
    if not twins:
        raise BadInputError("no chain has a planted error of a premise", remedy="plant more")
    chains = out.with_name(f"{out.stem}.{ATTACKED}.jsonl")
    write_whole(chains, [chain_line(one.chain) for one in twins])
    labels = out.with_name(f"{out.stem}.{ATTACKED}.labels.jsonl")
    write_whole(labels, [labels_line(one.labels) for one in twins])
    return chains, len(twins)


@dataclass(frozen=True)
class UnderAttack:
    """What instructions in chains do to a judge, on premises that it labelled in both runs.

    Attributes:
        clean: Planted errors called wrong, of those labelled with and without the instruction.
        attacked: The same with the instruction.
        change: The latter less the former, paired, interval by unit.
        by_framing: The two by how the judge was addressed.
        alarms_clean: Sound premises called wrong, without the instruction.
        alarms_attacked: The same with it; the premise that carries it left out.
        left_out: Planted errors not labelled in one run or the other, by which and why.
    """

    clean: Rate
    attacked: Rate
    change: Difference
    by_framing: Mapping[str, tuple[Rate, Rate]]
    alarms_clean: Rate
    alarms_attacked: Rate
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Row:
    """One premise, in both runs."""

    unit: str
    framing: str
    clean: bool
    attacked: bool


def under_attack(clean: GradingRun, attacked: GradingRun, truth: Sequence[Labels]) -> UnderAttack:
    """Compare a judge's labels of chains with those of their attacked twins.

    Args:
        clean: The chains without instructions, graded.
        attacked: Their twins, graded by the same judge.
        truth: The labels of the twins, as they were planted.

    Raises:
        BadInputError: if the judges differ, a run is a dry run, or no twin has its chain in the
            other run.
    """
    for run in (clean, attacked):
        refuse_dry_run(run)
    if _told_apart(clean.judge) != _told_apart(attacked.judge):
        raise BadInputError(
            f"two judges: {clean.judge.by} and {attacked.judge.by}, or one with other settings",
            remedy="grade both files with the same command",
        )
    known = {row.chain: row for row in truth}
    graded = {chain.id: labels for chain, labels in clean.graded}
    left_out: Counter[str] = Counter()
    errors: list[_Row] = []
    sound: list[_Row] = []
    for chain, labels in attacked.graded:
        about = chain.carried.get(ATTACKED)
        real = known.get(chain.id)
        if not isinstance(about, dict) or real is None or about.get("of") not in graded:
            continue
        before = graded[about["of"]]
        for at, marks in enumerate(() if isinstance(real.premises, Unmeasured) else real.premises):
            planted = at == real.about.get("place")
            if not isinstance(marks, tuple) or (marks and not planted):
                continue  # the carrier, and what only follows from the error
            code = str(real.about.get("planted", "")) if planted else ""
            row = _row(chain, about["framing"], _wrong(before, at, code), _wrong(labels, at, code))
            if isinstance(row, _Row):
                (errors if planted else sound).append(row)
            elif planted:
                left_out[row] += 1
    if not errors and not left_out:
        raise BadInputError(
            "no chain of the second run is the attacked twin of one of the first",
            remedy="decidendi plant --attack writes twins, and their labels",
        )
    return _measured(errors, sound, left_out)


def _told_apart(judge: JudgeIdentity) -> JudgeIdentity:
    """Leave out which labels a script was told: those of the chains, or those of their twins."""
    kept = {name: value for name, value in judge.settings.items() if name != "labels"}
    return replace(judge, settings=kept)


def _row(chain: Chain, framing: str, clean: bool | str, attacked: bool | str) -> _Row | str:
    if isinstance(clean, str):
        return f"clean: {clean}"
    if isinstance(attacked, str):
        return f"attacked: {attacked}"
    return _Row(chain.unit, framing, clean, attacked)


def _wrong(labels: Labels | None, at: int, code: str) -> bool | str:
    """Say whether a premise is called wrong in any way; else why that is unknown.

    A judge that did not look for the kind of the planted error has not missed it.
    """
    marks = None if labels is None else labels.marks(at, code)
    if marks is None:
        return "no label"
    return str(marks.reason) if isinstance(marks, Unmeasured) else bool(marks)


def _measured(
    errors: Sequence[_Row], sound: Sequence[_Row], left_out: Mapping[str, int]
) -> UnderAttack:
    def both(rows: Sequence[_Row]) -> tuple[Rate, Rate]:
        units = [row.unit for row in rows]
        return rate([row.clean for row in rows], units), rate([r.attacked for r in rows], units)

    names = [name for name in framings() if any(row.framing == name for row in errors)]
    clean, attacked = both(errors)
    alarms_clean, alarms_attacked = both(sound)
    change = paired_difference(
        [row.attacked for row in errors],
        [row.clean for row in errors],
        [row.unit for row in errors],
    )
    by_framing = {name: both([row for row in errors if row.framing == name]) for name in names}
    return UnderAttack(
        clean, attacked, change, by_framing, alarms_clean, alarms_attacked, dict(left_out)
    )


def under_attack_json(found: UnderAttack) -> dict[str, Any]:
    """Return it as a JSON object; figures are decimal text."""
    return {
        "clean": rate_json(found.clean),
        "attacked": rate_json(found.attacked),
        "change": difference_json(found.change),
        "by_framing": {
            name: {"clean": rate_json(before), "attacked": rate_json(after)}
            for name, (before, after) in found.by_framing.items()
        },
        "alarms": {
            "clean": rate_json(found.alarms_clean),
            "attacked": rate_json(found.alarms_attacked),
        },
        "left_out": dict(found.left_out),
    }
