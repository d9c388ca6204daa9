"""``decidendi compare`` of two gradings: two judges on the same chains."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decidendi.cli._exits import Exit
from decidendi.cli._figures import p_value, points
from decidendi.cli._terminal import complain, say, say_json

if TYPE_CHECKING:
    from decidendi.grading import JudgesDiffer, TwoJudges
    from decidendi.stats import JudgeComparison


def compare_gradings(
    first: Path, second: Path, human: Path | None, *, as_json: bool, quiet: bool
) -> Exit:
    """Compare two runs of gradings, with people's labels or without."""
    from decidendi.grading import load_run, read_labels, two_judges
    from decidendi.judgment import BadInputError, Place

    one, other = load_run(first), load_run(second)
    labels, refused = ([], []) if human is None else read_labels(human, one.taxonomy, one.chains)
    for line in refused:
        complain(f"not used: {line}")
    if human is not None and not labels:
        raise BadInputError("no labels of people", place=Place(str(human)))
    found = two_judges(one, other, labels)
    if as_json:
        say_json(_json(found))
    elif not quiet:
        _show(found)
    return Exit.PARTIAL if refused else Exit.DONE


def _show(found: TwoJudges) -> None:
    """Print what two judges say of the same chains, and who agrees with people more often."""
    judges = found.first.judge, found.second.judge
    # Two versions of a prompt may go by one name: their digests tell them apart.
    alike = judges[0].by == judges[1].by
    first, second = (f"{j.by} ({j.digest[-8:]})" if alike else j.by for j in judges)
    say(f"{first} against {second}: {found.chains:,} chains that both were given", "bold")
    for name, only in ((first, found.only_first), (second, found.only_second)):
        if only:
            say(f"  only {name} was given: {only:,} more, not compared")
    if found.labelled is None:
        say("  no labels of people: what follows does not say which judge is the better one")
    else:
        say(f"  people labelled {found.labelled:,} of them")
    if found.stopping:
        say("  labels end with the first error: single premises are not compared")
    if found.labelled is not None:
        say("Agreement with people, the first judge's share less the second's", "bold")
        for name, one in found.questions.items():
            if one.overall is not None:
                _versus_people(name, one.overall, one)
    say("Agreement of the two with each other", "bold")
    for name, one in found.questions.items():
        say(f"  {name:34} kappa {one.kappa}; alpha {one.alpha}; n = {one.kappa.n:,}")
    say("What they say, the first judge's share less the second's, uncorrected", "bold")
    for name, one in found.questions.items():
        for said, difference in one.raw.items():
            title = name if said in ("yes", "wrong") else f"{name}: {said}"
            say(f"  {title:44} {points(difference, '')}")


def _versus_people(name: str, overall: JudgeComparison, one: JudgesDiffer) -> None:
    left_out = ", ".join(f"{why} {n:,}" for why, n in overall.excluded.items())
    say(f"  {name:34} {_compared(overall)}{f'; left out: {left_out}' if left_out else ''}")
    for label, within in one.within.items():
        say(f"    {f'where people say {label}':32} {_compared(within)}")


def _compared(one: JudgeComparison) -> str:
    counts = one.counts
    n = counts.both + counts.first_only + counts.second_only + counts.neither
    if not n:
        return "nothing to compare"
    if not counts.first_only + counts.second_only:
        return f"{points(one.difference, '')}, n = {n:,}; no item tells them apart"
    p = "" if one.p is None else f", {p_value(one.p)} ({one.method}; Holm {p_value(one.adjusted)})"
    alone = f"only first right {counts.first_only:,}, only second {counts.second_only:,}"
    return f"{points(one.difference, '')}, n = {n:,}; {alone}{p}"


def _json(found: TwoJudges) -> dict[str, Any]:
    """Return a comparison of two judges as a JSON object."""
    return {
        "format": "decidendi-two-judges/1",
        "first": found.first.judge.as_json(),
        "second": found.second.judge.as_json(),
        "chains": found.chains,
        "only_first": found.only_first,
        "only_second": found.only_second,
        "labelled": found.labelled,
        "stopping": found.stopping,
        "questions": {name: asdict(one) for name, one in found.questions.items()},
    }
