"""People's and the judge's labels of the same premises and chains, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from decidendi.grading._chain import Chain
from decidendi.grading._labels import (
    SOUND,
    WRONG,
    Labels,
    Marks,
    codes_of,
    says,
    stops_at_first_error,
)
from decidendi.grading._people import consensus, unanimous
from decidendi.grading._runs import GradingRun
from decidendi.grading._score import accuracy_of, conclusion_class, score
from decidendi.grading._taxonomy import UNSPECIFIED, kind_of
from decidendi.judgment import Reason, Unmeasured
from decidendi.stats import (
    Agreement,
    CorrectedRate,
    JudgeRecord,
    Judgments,
    Label,
    NoAgreement,
    Rate,
    Resampler,
    Value,
    corrected_difference,
    corrected_rate,
    judge_record,
    kappa_and_alpha,
    rate,
    rogan_gladen,
)

FOLLOWS = Unmeasured(Reason.UNDETERMINED, "follows from an earlier error")
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Pair:
    """One premise of a labelled chain.

    Attributes:
        unit: Its unit.
        human: What most people say; ``FOLLOWS`` where the premise follows from an earlier error.
        labels: The judge's labels of the chain.
        place: Which premise, 0-based.
        unanimous: Whether all people agree; None of one alone.
    """

    unit: str
    human: Marks
    labels: Labels | None
    place: int
    unanimous: bool | None

    def judge(self, code: str = "") -> Marks:
        """Return what the judge says, as far as this error is concerned."""
        return marks_of(self.labels, self.place, code)


@dataclass(frozen=True)
class FirstErrors:
    """Whether the judge finds the first premise in error: labels after it are ambiguous.

    Attributes:
        on_wrong: Of the chains that people find an error in, those where the judge names the
            same premise first.
        on_sound: Of the chains that people find none in, those where the judge finds none.
        early: Of the former, how many it places too early.
        late: Too late.
        missed: Not at all.
        excluded: Chains without a first error by people or by the judge, by whose it is and why.
    """

    on_wrong: Rate
    on_sound: Rate
    early: int
    late: int
    missed: int
    excluded: Mapping[str, int]

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both shares, as ProcessBench reports it; None where undefined."""
        one, other = self.on_wrong.share, self.on_sound.share
        if one is None or other is None:
            return None
        return 2 * one * other / (one + other) if one + other else 0.0


class Compared:
    """The labels of one run and of people, put together.

    Attributes:
        stopping: Some labels end with the first error.
        unspecified: Some errors were labelled without their kind.
    """

    def __init__(self, run: GradingRun, people: Mapping[str, list[Labels]]) -> None:
        """Put them together; people's labels must fit the run's chains."""
        self.run = run
        self.graded = run.graded
        everyone = [*run.labels, *(row for group in people.values() for row in group)]
        marks = [row.premises for row in everyone if not isinstance(row.premises, Unmeasured)]
        self.stopping = any(map(stops_at_first_error, marks))
        self.unspecified = any(
            found.code == UNSPECIFIED
            for m in marks
            for one in m
            if isinstance(one, tuple)
            for found in one
        )
        # Over labelled units alone: the others have nothing to compare, and cost as much to draw.
        self.draws = Resampler([chain.unit for chain in run.chains if chain.id in people])
        self.human = {
            chain.id: consensus(chain, people[chain.id])
            for chain in run.chains
            if chain.id in people
        }
        self.pairs = [
            Pair(
                chain.unit,
                human_marks(self.human[chain.id], place),
                labels,
                place,
                unanimous(people[chain.id], place),
            )
            for chain, labels in self.graded
            if chain.id in people
            for place in range(chain.length or 0)
        ]

    @property
    def followed(self) -> int:
        """How many premises follow from an earlier error, by people's labels."""
        return sum(pair.human is FOLLOWS for pair in self.pairs)

    @property
    def codes(self) -> list[str]:
        """Every kind and sub-kind that people or the judge use."""
        kinds = ("", *self.run.taxonomy.kind_codes)
        marks = [m for p in self.pairs for m in (p.human, *(p.judge(kind) for kind in kinds))]
        return sorted({code for m in marks if isinstance(m, tuple) for code in codes_of(m)})

    def error(self, code: str) -> JudgeRecord:
        """Return the judge's record on whether a premise has this error; any, if none is named."""
        return judge_record(
            [has(pair.human, code) for pair in self.pairs],
            [has(pair.judge(code), code) for pair in self.pairs],
            [pair.unit for pair in self.pairs],
            labels=(NO, YES),
            resampler=self.draws,
        )

    def record(
        self, say: Callable[[Marks], Label], labels: Sequence[str] | None = None
    ) -> JudgeRecord:
        """Return the judge's record on something that can be said of a premise."""
        return judge_record(
            [say(pair.human) for pair in self.pairs],
            [say(pair.judge()) for pair in self.pairs],
            [pair.unit for pair in self.pairs],
            labels=labels,
            resampler=self.draws,
        )

    def conclusions(self) -> JudgeRecord:
        """Return the judge's record on classes of conclusion."""
        rows = [(chain, self.human[chain.id], labels) for chain, labels in self._labelled()]
        return judge_record(
            [class_of(chain, human) for chain, human, _ in rows],
            [class_of(chain, labels) for chain, _, labels in rows],
            [chain.unit for chain, *_ in rows],
            labels=[entry.code for entry in self.run.taxonomy.classes],
            resampler=self.draws,
        )

    def class_agreement(self) -> dict[str, tuple[Agreement | NoAgreement, Agreement | NoAgreement]]:
        """Return kappa and alpha of each class of conclusion against all others."""
        rows = [(chain, self.human[chain.id], labels) for chain, labels in self._labelled()]
        units = [chain.unit for chain, *_ in rows]
        return {
            entry.code: kappa_and_alpha(
                [_is(class_of(chain, human), entry.code) for chain, human, _ in rows],
                [_is(class_of(chain, labels), entry.code) for chain, _, labels in rows],
                units,
                labels=(NO, YES),
                resampler=self.draws,
            )
            for entry in self.run.taxonomy.classes
        }

    def wholes(self) -> JudgeRecord:
        """Return the judge's record on whether a chain is wrong anywhere."""
        rows = [(chain, self.human[chain.id], labels) for chain, labels in self._labelled()]
        return judge_record(
            [human.whole for _, human, _ in rows],
            [labels.whole if labels else None for *_, labels in rows],
            [chain.unit for chain, *_ in rows],
            labels=(SOUND, WRONG),
            resampler=self.draws,
        )

    def first_errors(self) -> FirstErrors:
        """Compare where people and the judge see the first error."""
        left_out: Counter[str] = Counter()
        wrong: list[tuple[str, int, int | None]] = []
        sound: list[tuple[str, bool]] = []
        for chain, labels in self._labelled():
            human = self.human[chain.id].first_error
            judge = labels.first_error if labels else None
            if isinstance(human, Unmeasured):
                left_out[f"people: {human.reason}"] += 1
            elif isinstance(judge, Unmeasured):
                left_out[f"judge: {judge.reason}"] += 1
            elif labels is None:
                left_out["judge: no label"] += 1
            elif human is None:
                sound.append((chain.unit, judge is None))
            else:
                wrong.append((chain.unit, human, judge))
        placed = [(human, judge) for _, human, judge in wrong if judge is not None]
        return FirstErrors(
            rate([human == judge for _, human, judge in wrong], [unit for unit, *_ in wrong]),
            rate([right for _, right in sound], [unit for unit, _ in sound]),
            sum(judge < human for human, judge in placed),
            sum(judge > human for human, judge in placed),
            len(wrong) - len(placed),
            dict(left_out),
        )

    def by_agreement(self) -> dict[str, Rate]:
        """Return how often the judge agrees with most people, by how far people agree."""
        groups: dict[str, list[tuple[str, bool]]] = {"all agree": [], "split": [], "one alone": []}
        names = {True: "all agree", False: "split", None: "one alone"}
        for pair in self.pairs:
            human, judge = has(pair.human, ""), has(pair.judge(), "")
            if isinstance(human, str) and isinstance(judge, str):
                groups[names[pair.unanimous]].append((pair.unit, human == judge))
        return {
            name: rate([hit for _, hit in rows], [unit for unit, _ in rows])
            for name, rows in groups.items()
        }

    def corrected(self) -> tuple[dict[str, CorrectedRate], dict[str, CorrectedRate], CorrectedRate]:
        """Return corrected rates by name, the same by Rogan-Gladen where that applies, the gap.

        Shares of premises are left out where labels end with the first error, and shares of
        kinds where errors were labelled without their kind: what is missing then is no random
        part. Nor is what a judge gives no label for, so its mean stands in there; Rogan-Gladen
        has no place for that, and is of what the judge labelled.
        """
        premises, of_premises = self._every_premise("")
        named: dict[str, Judgments] = {}
        if not self.stopping:
            named["soundness"] = _judgments(premises, lambda m: _flipped(has(m, "")))
            for code in self.run.taxonomy.kind_codes if not self.unspecified else ():
                named[code] = _judgments(self._every_premise(code)[0], has_code(code))
        found = {name: corrected_rate(_stood_in(j), of_premises) for name, j in named.items()}
        other = {name: rogan_gladen(j, of_premises) for name, j in named.items()}
        units = [chain.unit for chain, _ in self.graded]
        correctness = Judgments(
            [_correct(chain, labels) for chain, labels in self.graded],
            [_correct(chain, self.human.get(chain.id)) for chain, _ in self.graded],
        )
        accuracy = Judgments.known([accuracy_of(chain) for chain, _ in self.graded])
        other["correctness"] = rogan_gladen(correctness, units)
        correctness = _stood_in(correctness, [_has_class(chain) for chain, _ in self.graded])
        found["correctness"] = corrected_rate(correctness, units)
        return found, other, corrected_difference(accuracy, correctness, units)

    def _labelled(self) -> list[tuple[Chain, Labels | None]]:
        return [(chain, labels) for chain, labels in self.graded if chain.id in self.human]

    def _every_premise(self, code: str) -> tuple[list[tuple[Marks, Marks]], list[str]]:
        """Return people's and the judge's marks of every premise of the run, with its unit."""
        rows = [
            (
                (human_marks(self.human.get(chain.id), place), marks_of(labels, place, code)),
                chain.unit,
            )
            for chain, labels in self.graded
            for place in range(chain.length or 0)
        ]
        return [pair for pair, _ in rows], [unit for _, unit in rows]


def marks_of(labels: Labels | None, place: int, code: str = "") -> Marks:
    """Return the marks of one premise, as far as this error goes; None where nobody gave any."""
    return None if labels is None else labels.marks(place, code)


def human_marks(labels: Labels | None, place: int) -> Marks:
    """Return people's marks; a premise that only follows from an earlier error has none."""
    marks = marks_of(labels, place)
    if isinstance(marks, tuple) and marks and all(found.carried for found in marks):
        return FOLLOWS
    return marks


def has(marks: Marks, code: str) -> Label:
    """Say ``yes`` or ``no``: has it this error (or any, if none is named)?"""
    said = says(marks, code)
    return (YES if said else NO) if isinstance(said, bool) else said


def kinds_of(marks: Marks) -> Label:
    """Say which kinds of error a premise has, as one class."""
    if marks is None or isinstance(marks, Unmeasured):
        return marks
    return " + ".join(sorted({kind_of(found.code) for found in marks})) or "sound"


def has_code(code: str) -> Callable[[Marks], Label]:
    """Return the question whether a premise has this error."""
    return lambda marks: has(marks, code)


def class_of(chain: Chain, labels: Labels | None) -> Label:
    if labels is None:
        return None
    return conclusion_class(chain.chosen, chain.gold, labels.premises, labels.content)


def _is(said: Label, code: str) -> Label:
    return (YES if said == code else NO) if isinstance(said, str) else said


def _correct(chain: Chain, labels: Labels | None) -> Value:
    return None if labels is None else score(chain, labels).correctness


def _has_class(chain: Chain) -> bool:
    """Say whether anybody could class the conclusion: it chooses, from premises, beside gold."""
    chooses = isinstance(chain.chosen, str) and chain.gold is not None
    return chooses and chain.length is not None


def _stood_in(judgments: Judgments, able: Sequence[bool] | None = None) -> Judgments:
    """Let the judge's mean stand in where it gave no value, so that no item is lost.

    Prediction-powered inference takes any prediction: people's labels put it right.

    Args:
        judgments: The judge's values and people's.
        able: Which items could have a value at all; all of them where left out.
    """
    given = [value for value in judgments.judge if isinstance(value, float)]
    if not given:
        return judgments
    mean = sum(given) / len(given)
    rows = zip(judgments.judge, able or [True] * len(judgments.judge), strict=True)
    absent = [bool(could) and not isinstance(value, float) for value, could in rows]
    filled = zip(judgments.judge, absent, strict=True)
    judge = [mean if lacking else value for value, lacking in filled]
    return Judgments(judge, judgments.human, absent)


def _flipped(said: Label) -> Label:
    return {YES: NO, NO: YES}[said] if isinstance(said, str) else said


def _judgments(rows: Sequence[tuple[Marks, Marks]], say: Callable[[Marks], Label]) -> Judgments:
    def value(said: Label) -> Value:
        return float(said == YES) if isinstance(said, str) else said

    return Judgments([value(say(judge)) for _, judge in rows], [value(say(h)) for h, _ in rows])
