"""Reading predictions: nothing in the file is dropped without being named and counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Any

from decidendi.judgment import BadInputError, JsonTextError, NonComparableError, parse_json
from decidendi.reasonbench._records import LABELS, GoldCase, GoldSet
from decidendi.reasonbench._targets import (
    Answer,
    Malformed,
    Target,
    read_fields,
    read_output,
    target_named,
)

_SHOWN = 5
"""How many examples of each fault are named; all are counted."""

_FIELDS = {"id", "output", "answer", "confidence", "seed", "target", "benchmark", "rendering"}
_CARRIED = {"prompt", "completion"}
"""What exported prompts have besides: a line of them with an output added is a prediction."""

MISSING = "missing"
"""Why a prediction that is not there is malformed."""


class FaultKind(StrEnum):
    """What can be wrong with a file of predictions, besides wrong answers."""

    UNREADABLE = "unreadable lines"
    NO_ID = "lines without an id"
    UNKNOWN = "unknown ids"
    OTHER_BENCHMARK = "lines of another benchmark"
    OTHER_TARGET = "lines of another target"
    NO_SEED = "lines without a usable seed"
    REPEATED = "repeated lines, identical"
    CONFLICTING = "cases answered twice, differently"
    CONFIDENCE = "unusable confidences"
    UNREAD_FIELDS = "lines with fields that nothing reads"
    MALFORMED = "malformed answers"
    MISSING = "missing predictions"
    SEED_COUNT = "wrong seed counts"


@dataclass(frozen=True)
class Fault:
    """One kind of fault in a file.

    Attributes:
        kind: What is wrong.
        count: How often.
        examples: The first few, by line or id.
    """

    kind: FaultKind
    count: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        """Render as ``unknown ids (9): line 4: 'x'; …``."""
        more = "; …" if self.count > len(self.examples) else ""
        return f"{self.kind} ({self.count:,}): {'; '.join(self.examples)}{more}"


@dataclass(frozen=True, slots=True)
class Predicted:
    """One prediction as it is scored.

    Attributes:
        answer: What it says, or why that cannot be read.
        confidence: Of any scale, higher is surer; None where none was given.
    """

    answer: Answer | Malformed
    confidence: float | None = None


@dataclass(frozen=True)
class Predictions:
    """The predictions of one method.

    Attributes:
        method: Its name in tables.
        target: What it was asked for.
        by_seed: For each seed (``""`` if none is given), the prediction of each case by id.
            A seed holds all of a split, or all controls of a kind, or none of it: where some
            are predicted the missing ones stand as ``Malformed``, so that leaving hard cases
            out never raises a score.
        faults: What was wrong with the file.
        bound: Whether its lines name the benchmark's digest.
        renderings: The renderings its lines name; empty where prompts were the benchmark's own.
        digest: SHA-256 of the file; empty for predictions that come from none.
    """

    method: str
    target: Target
    by_seed: Mapping[str, Mapping[str, Predicted]]
    faults: tuple[Fault, ...] = ()
    bound: bool = False
    renderings: tuple[str, ...] = ()
    digest: str = ""

    @property
    def answers(self) -> int:
        """How many answers there are, of all seeds; missing ones are none."""
        return sum(p.answer != Malformed(MISSING) for p in self._all())

    @property
    def malformed(self) -> int:
        """How many answers cannot be read."""
        found = [p.answer for p in self._all() if isinstance(p.answer, Malformed)]
        return sum(answer.why != MISSING for answer in found)

    def _all(self) -> Iterator[Predicted]:
        for answers in self.by_seed.values():
            yield from answers.values()


def read_predictions(
    path: Path,
    gold: GoldSet,
    *,
    method: str | None = None,
    target: Target | None = None,
    seeds: int | None = None,
) -> Predictions:
    """Read a JSONL file of predictions: ``id``, ``output`` text or an ``answer`` in fields.

    Optional on each line: ``confidence``, ``seed``, ``target``, ``benchmark`` (the digest of
    the benchmark that was predicted) and ``rendering`` (where prompts were put in other words
    than the benchmark's). An output that cannot be read is the predictor's error.

    Args:
        path: The file.
        gold: The benchmark it is scored against.
        method: Its name in tables; the file's name without its ending, where left out. Where
            prompts were in other words than the benchmark's, these follow in brackets.
        target: What was asked for; the first line's ``target``, where left out.
        seeds: How many seeds there should be, if that is known.

    Raises:
        BadInputError: if the file cannot be read, holds no prediction of this benchmark, or
            nothing says what the target is.
        NonComparableError: if every line names another benchmark.
    """
    reading = _Reading(gold, target)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                reading.hash.update(line)
                if line.strip():
                    reading.take(number, line)
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}").at(file=str(path)) from None
    except BadInputError as error:
        raise error.at(file=str(path)) from None
    if reading.strangers and not reading.rows:
        raise NonComparableError({"benchmark": (gold.digest, sorted(reading.strangers)[0])})
    if not reading.rows:
        seen = "; ".join(str(fault) for fault in reading.faults())
        raise BadInputError(
            f"holds no prediction of this benchmark{f' ({seen})' if seen else ''}",
            remedy='each line needs an "id" of the benchmark'
            + "".join(f", like {name!r}," for name in list(gold.cases)[:1])
            + ' and an "output" or "answer"',
        ).at(file=str(path))
    by_seed = reading.finish(seeds)
    assert reading.target is not None
    words = f" [{', '.join(sorted(reading.renderings))}]" if reading.renderings else ""
    return Predictions(
        (method or path.stem) + words,
        reading.target,
        by_seed,
        reading.faults(),
        reading.bound,
        tuple(sorted(reading.renderings)),
        f"sha256:{reading.hash.hexdigest()}",
    )


@dataclass
class _Reading:
    """A file under way."""

    gold: GoldSet
    target: Target | None
    rows: dict[tuple[str | None, str], Predicted] = field(default_factory=dict)
    places: dict[tuple[str | None, str], str] = field(default_factory=dict)
    counts: dict[FaultKind, int] = field(default_factory=dict)
    examples: dict[FaultKind, list[str]] = field(default_factory=dict)
    strangers: set[str] = field(default_factory=set)
    renderings: set[str] = field(default_factory=set)
    bound: bool = False
    hash: Any = field(default_factory=hashlib.sha256)

    def note(self, kind: FaultKind, example: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        shown = self.examples.setdefault(kind, [])
        if len(shown) < _SHOWN:
            shown.append(example)

    def faults(self) -> tuple[Fault, ...]:
        return tuple(
            Fault(kind, self.counts[kind], tuple(self.examples[kind]))
            for kind in FaultKind
            if kind in self.counts
        )

    def take(self, number: int, line: bytes) -> None:
        """Take one line, or note why not."""
        where = f"line {number}"
        try:
            row = parse_json(line)
        except JsonTextError:
            cut = "" if line.endswith(b"\n") else " (the last one: the file may be cut off)"
            return self.note(FaultKind.UNREADABLE, where + cut)
        if not isinstance(row, dict):
            return self.note(FaultKind.UNREADABLE, where)
        identity = row.get("id")
        if not isinstance(identity, str):
            return self.note(FaultKind.NO_ID, where)
        where += f": {identity[:60]!r}"
        if row.get("benchmark") not in (None, self.gold.digest):
            stranger = str(row["benchmark"])[:100]
            self.strangers.add(stranger)
            return self.note(FaultKind.OTHER_BENCHMARK, f"{where} ({stranger[:19]}…)")
        case = self.gold.cases.get(identity)
        if case is None:
            return self.note(FaultKind.UNKNOWN, where)
        if (target := self._target(row, number)) is not self.target:
            named = str(row["target"])[:40] if target is None else target
            return self.note(FaultKind.OTHER_TARGET, f"{where} ({named})")
        self.bound = self.bound or row.get("benchmark") is not None
        if row.get("rendering") is not None:
            self.renderings.add(str(row["rendering"])[:40])
        if stray := set(row) - _FIELDS - _CARRIED:
            self.note(FaultKind.UNREAD_FIELDS, f"{where} ({min(stray)[:40]!r})")
        self._keep(row, case, where)
        return None

    def _target(self, row: Mapping[str, Any], number: int) -> Target | None:
        """Return the line's target, None for none that we know; the first is the file's."""
        named = row.get("target")
        if named is None and self.target is None:
            raise BadInputError(
                "nothing says what these predictions answer",
                remedy=f'give each line a "target", or name one: {", ".join(Target)}',
            ).at(line=number)
        if named is None:
            return self.target
        try:
            found = target_named(named)
        except BadInputError as error:
            if self.target is not None:
                return None
            raise error.at(line=number, field="target") from None
        self.target = self.target or found
        return found

    def _keep(self, row: Mapping[str, Any], case: GoldCase, where: str) -> None:
        confidence = row.get("confidence")
        if confidence is not None and not _is_number(confidence):
            self.note(FaultKind.CONFIDENCE, where)
            confidence = None
        seed = row.get("seed")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            return self.note(FaultKind.NO_SEED, f"{where} (no integer: {str(seed)[:20]!r})")
        key = (None if seed is None else str(seed), case.id)
        assert self.target is not None
        read = Predicted(_answer(self.target, row, case), confidence)
        if key not in self.rows:
            self.rows[key] = read
            self.places[key] = where
            if isinstance(read.answer, Malformed):
                self.note(FaultKind.MALFORMED, f"{where} ({read.answer.why})")
        elif self.rows[key] == read:
            self.note(FaultKind.REPEATED, where)
        else:
            self.note(FaultKind.CONFLICTING, where)
            self.rows[key] = Predicted(Malformed("answered twice, differently"))
        return None

    def finish(self, expected: int | None) -> dict[str, dict[str, Predicted]]:
        """Group by seed, and put ``Malformed`` where a begun split lacks a prediction."""
        by_seed: dict[str, dict[str, Predicted]] = {}
        stray = self._stray()
        for key, read in self.rows.items():
            seed, identity = key
            if (seed is None) is stray:
                how = (
                    "no seed, where most lines have one"
                    if stray
                    else f"seed {seed}, where most have none"
                )
                self.note(FaultKind.NO_SEED, f"{self.places[key]} ({how})")
            else:
                by_seed.setdefault(seed or "", {})[identity] = read
        if expected is not None and len(by_seed) != expected:
            self.note(FaultKind.SEED_COUNT, f"{len(by_seed)} instead of {expected}")
        groups: dict[tuple[str, str | None], list[str]] = {}
        for case in self.gold.cases.values():
            groups.setdefault((case.split, case.control), []).append(case.id)
        begun = {seed: self._begun(answers) for seed, answers in by_seed.items()}
        anywhere = {group for groups_of in begun.values() for group in groups_of}
        for seed, answers in sorted(by_seed.items()):
            of = f" (seed {seed})" if seed else ""
            for split, control in sorted(anywhere - begun[seed], key=str):
                what = f"{split}, {control} controls" if control else split
                self.note(FaultKind.SEED_COUNT, f"no {what}{of}")
            for group in sorted(begun[seed], key=str):
                for identity in groups[group]:
                    if identity not in answers:
                        self.note(FaultKind.MISSING, f"{identity!r}{of}")
                        answers[identity] = Predicted(Malformed(MISSING))
        return dict(sorted(by_seed.items()))

    def _stray(self) -> bool | None:
        """Which lines are left out: True for those without a seed, False for those with one.

        A file has seeds or it has none. Where both occur the fewer lines are the mistake, so
        that one line cannot take the file's other lines with it; None where only one occurs.
        """
        without = sum(seed is None for seed, _ in self.rows)
        if without in (0, len(self.rows)):
            return None
        return 2 * without <= len(self.rows)

    def _begun(self, answers: Mapping[str, Predicted]) -> set[tuple[str, str | None]]:
        """The splits, and kinds of control, of which something is predicted."""
        cases = (self.gold.cases[identity] for identity in answers)
        return {(case.split, case.control) for case in cases}


def _answer(target: Target, row: Mapping[str, Any], case: GoldCase) -> Answer | Malformed:
    labels = LABELS[case.stratum]
    if ("output" in row) == ("answer" in row):
        return Malformed("needs either an output or an answer")
    if "answer" in row:
        return read_fields(target, row["answer"], labels)
    if not isinstance(row["output"], str):
        return Malformed("the output is not text")
    return read_output(target, row["output"], labels)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
