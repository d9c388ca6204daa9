"""Two runs on the same cases: every measure tested in pairs (Sadhu et al., appendix L)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from decidendi.audit import _measures as measures
from decidendi.audit._folder import load_identity, load_records
from decidendi.audit._measures import Observed, Table
from decidendi.audit._record import Record, latest
from decidendi.audit._summary import Compared, Observe, adjusted, compared
from decidendi.judgment import NonComparableError


@dataclass(frozen=True, slots=True)
class Tested:
    """A measure that is tested in pairs.

    Attributes:
        title: For people.
        meaning: What counts as a hit.
        condition: Where it is observed.
        observe: How.
    """

    title: str
    meaning: str
    condition: str
    observe: Observe


MEASURES = (
    Tested("Accuracy", "the verdict under the target is gold's", "target", measures.accuracy),
    Tested("Verdict-swap sensitivity", "the verdict differs between target and control",
           "control", measures.changed),
    Tested("Swap sensitivity where gold differs",
           "the verdict differs between target and control, and must", "control",
           measures.changed_confound_free),
    Tested("Precedent-identity sensitivity",
           "the verdict differs when the cited case's name is masked", "masked",
           measures.changed),
    Tested("Null-authority instability", "the verdict differs under a placeholder authority",
           "null", measures.changed),
    Tested("Paraphrase instability", "the verdict differs when the question is reworded",
           "paraphrase", measures.changed),
    Tested("Injection compliance", "the verdict is the one that a note ordered", "injection",
           measures.compliance),
    Tested("Injection verdict change", "the verdict differs from the one without the note",
           "injection", measures.changed),
    Tested("Surface engagement", "the authority asked about is named", "target",
           measures.engagement),
    Tested("Engagement when unprompted", "it is named without being told to", "unprompted",
           measures.engagement),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, measure by measure.

    Attributes:
        first: The first model; with its folder where both bear one name.
        second: The second.
        cases: How many cases both have records of.
        tests: One per measure that both have; p-values adjusted together by Holm.
        differences: What else differs between the runs, in words.
    """

    first: str
    second: str
    cases: int
    tests: tuple[Compared, ...]
    differences: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"format": "decidendi-comparison/1", **asdict(self)}


def compare(first: Path, second: Path, *, replicates: int = 10_000) -> Comparison:
    """Compare two run folders.

    Raises:
        BadInputError: if either is no run of an audit.
        NonComparableError: if task, pair or cases differ; the fields are named.
    """
    one, other = load_identity(first), load_identity(second)
    refuse_incomparable(one, other)
    names = told_apart([str(run["model"]["name"]) for run in (one, other)], [first, second])
    records = tuple(list(latest(load_records(folder)).values()) for folder in (first, second))
    tests = tests_of(records[0], records[1], seed=int(one["seed"]), replicates=replicates)
    asked = [{record.case for record in side} for side in records]
    differences = _differences(one, other)
    if any(len(side) < int(one["cases"]["count"]) for side in asked):
        differences.append(
            f"how far they are: {len(asked[0])} against {len(asked[1])} "
            f"of {one['cases']['count']} cases"
        )
    return Comparison(names[0], names[1], len(asked[0] & asked[1]), tests, tuple(differences))


def told_apart(names: Sequence[str], folders: Sequence[Path]) -> list[str]:
    """Return the models' names, each with its folder where they bear one name."""
    if len(set(names)) == len(names):
        return list(names)
    shown = [folder.resolve().name for folder in folders]
    if len(set(shown)) < len(shown):
        shown = [str(folder) for folder in folders]
    return [f"{name} ({folder})" for name, folder in zip(names, shown, strict=True)]


def refuse_incomparable(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Raise if two runs were not asked the same about the same cases."""
    differing: dict[str, tuple[object, object]] = {}
    for name, inner in (("task", "id"), ("task", "digest"), ("pair", None), ("cases", "digest")):
        a, b = one[name], other[name]
        if inner:
            a, b = a[inner], b[inner]
        if a != b:
            differing[f"{name}.{inner}" if inner else name] = (a, b)
    if differing:
        raise NonComparableError(differing)


def tests_of(
    first: Sequence[Record], second: Sequence[Record], *, seed: int, replicates: int
) -> tuple[Compared, ...]:
    """Test every measure that both runs have, on the observations that both have."""
    tables = Table(first), Table(second)
    tests = []
    for measure in MEASURES:
        if all(measure.condition in table for table in tables):
            a, b = (measure.observe(table, measure.condition) for table in tables)
            test = compared(measure.title, a, b, seed, replicates)
            tests.append(replace(test, excluded=_left_out(a, b)))
    return adjusted(tests)


def _left_out(first: Observed, second: Observed) -> dict[str, int]:
    """Return what is unmeasured in either run, by whose and why."""
    sides = (("first", first), ("second", second))
    return {f"{side}'s {why}": n for side, seen in sides for why, n in seen.excluded.items()}


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    found = []
    for name in ("conditions", "prompts", "seed", "repeats", "tool"):
        a, b = one.get(name), other.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            parts = [key for key in {**a, **b} if a.get(key) != b.get(key)]
            found += [f"{name}, {key}: {a.get(key)} against {b.get(key)}" for key in parts]
        elif a != b:
            found.append(f"{name}: {a} against {b}")
    a, b = (run["model"].get("parameters") for run in (one, other))
    if a != b:
        found.append(f"parameters: {a} against {b}")
    return found
