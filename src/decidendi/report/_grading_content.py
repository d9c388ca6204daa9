"""What the page of a graded run is made from: finished figures and texts, nothing to compute.

As on every page, text may hold anything a model can write; the page makes it inert. Order is
meaning: kinds, classes and chains appear in the order given.

What people say and what a judge says never share a field. A figure that is None was not
measured or cannot be given; one with ``n == 0`` was measured on nothing, and is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from decidendi.judgment import Unmeasured, Verdict
from decidendi.report._content import Fact, RateFigure
from decidendi.report._figures import DifferenceFigure


@dataclass(frozen=True, slots=True)
class CorrectedFigure:
    """A judge's rate corrected by people's labels, or why it cannot be.

    Attributes:
        value: A share, or a difference of two; None where there are not enough labels.
        labelled: Items that people labelled, of those judged.
        judged: Items with a label by the judge, and those where its mean stands in.
        low: Lower end of the interval; None without a value.
        high: Upper end.
        why: Why there is no value.
        needed: How many labels would do; None where all of them would not.
        alone: How many it would take without the judge; 0 where unknown.
        reach: The half-width that ``needed`` is for, as a share.
        method: How it was made.
        excluded: Items left out, by reason.
        stood_in: How many of those judged have no label by the judge.
    """

    value: float | None
    labelled: int
    judged: int
    low: float | None = None
    high: float | None = None
    why: str = ""
    needed: int | None = None
    alone: int = 0
    reach: float = 0.0
    method: str = ""
    excluded: Mapping[str, int] = field(default_factory=dict)
    stood_in: int = 0


Measured: TypeAlias = RateFigure | DifferenceFigure | None


@dataclass(frozen=True, slots=True)
class GradedFigure:
    """One quantity: by the judge alone, corrected in two ways, and by people alone.

    Attributes:
        name: ``Soundness``, a kind of error, a class of conclusion.
        meaning: The share of what, over what.
        judged: What the judge alone says, over all chains.
        corrected: By prediction-powered inference.
        other: By Rogan and Gladen's formula.
        people: What people say, over the chains they labelled.
        judge_needed: Whether the first is a judge's at all; accuracy needs none.
        items: What is counted: ``chain`` or ``premise``.
    """

    name: str
    meaning: str
    judged: Measured
    corrected: CorrectedFigure | None = None
    other: CorrectedFigure | None = None
    people: Measured = None
    judge_needed: bool = True
    items: str = "chain"


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """Agreement beyond chance.

    Attributes:
        name: On what.
        coefficient: ``kappa``, ``alpha``.
        value: At most 1; None if undefined.
        n: Items compared.
        low: Lower end of its interval; None if there is none.
        high: Upper end.
        why: Why it is undefined.
    """

    name: str
    coefficient: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ClassFigure:
    """How well a judge knows one class.

    Attributes:
        name: The class.
        precision: Of what the judge calls this, how much people do.
        recall: Of what people call this, how much the judge finds.
        f1: Their harmonic mean, as a share.
        kappa: Of this class against all others; None where it is not given.
        alpha: Likewise.
    """

    name: str
    precision: RateFigure
    recall: RateFigure
    f1: RateFigure
    kappa: AgreementFigure | None = None
    alpha: AgreementFigure | None = None


@dataclass(frozen=True, slots=True)
class MatrixFigure:
    """A judge against people on the same items.

    Attributes:
        labels: The classes, in order.
        counts: One row for each class as people have it, one column as the judge has it.
        agreed: The share of items with the same label.
        kappa: Agreement beyond chance.
        alpha: Likewise, as Krippendorff has it.
        classes: Rates of those classes that are shown.
        excluded: Items left out, by whose label is missing and why.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    agreed: RateFigure
    kappa: AgreementFigure
    alpha: AgreementFigure
    classes: tuple[ClassFigure, ...]
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FirstErrorFigure:
    """Whether the judge finds the first error: labels after it are ambiguous.

    Attributes:
        on_wrong: Of the chains with an error, those where it names the same premise first.
        on_sound: Of the chains without, those where it finds none.
        f1: The harmonic mean of both; None where undefined.
        early: Placed too early.
        late: Too late.
        missed: Not found at all.
        excluded: Chains left out, by reason.
    """

    on_wrong: RateFigure
    on_sound: RateFigure
    f1: float | None
    early: int
    late: int
    missed: int
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeRecordFigures:
    """A judge's record: what its figures are worth.

    Attributes:
        labelled: Chains that people labelled.
        collections: The sets these come from.
        annotators: Who labelled how many.
        several: Chains labelled by more than one.
        among: People's agreement among themselves.
        premises: Whether a premise is in error; its one class shown is "in error".
        kinds: Which kind of error.
        errors: Each kind against all else.
        sub_errors: Each sub-kind likewise, of those that occur.
        conclusions: The class of the conclusion.
        wholes: Whether a chain is in error anywhere; its one class shown is "in error".
        first: First-error localisation.
        by_agreement: Agreement with most people, by how far people agree.
        followed: Premises left out because they follow from an earlier error.
        planted: The labels are not people's: who planted the errors says where they are.
        gap_stands: Whether it stands; None where labels are too few to say.
    """

    labelled: int
    collections: tuple[str, ...]
    annotators: Mapping[str, int]
    several: int
    among: tuple[AgreementFigure, ...]
    premises: MatrixFigure
    kinds: MatrixFigure
    errors: tuple[ClassFigure, ...]
    sub_errors: tuple[ClassFigure, ...]
    conclusions: MatrixFigure
    wholes: MatrixFigure
    first: FirstErrorFigure
    by_agreement: tuple[RateFigure, ...]
    followed: int
    gap_stands: bool | None
    planted: bool = False


@dataclass(frozen=True, slots=True)
class JudgeFigure:
    """Which judge it is.

    Attributes:
        name: Its name and version.
        facts: Model, detectors, digests, parameters.
        designed_on: The sets it was designed on, on which no record counts.
        demonstration: It demonstrates; its reasoning means nothing.
        scripted: A script answers: what it says is made up, or errs at chances that were set.
        dry_run: Its labels are made up: calls were counted, and no figure of it is given.
        exact: It compares wordings it knows with an executed rule, and reads nothing else.
    """

    name: str
    facts: tuple[Fact, ...] = ()
    designed_on: tuple[str, ...] = ()
    demonstration: bool = False
    scripted: bool = False
    dry_run: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class MarkFigure:
    """One error that somebody sees in a premise.

    Attributes:
        kind: Its kind's name; one of ``GradingPage.marks``.
        sub: Its sub-kind's; may be empty.
        why: The reason given.
        carried: It only follows from an earlier error.
    """

    kind: str
    sub: str = ""
    why: str = ""
    carried: bool = False


PremiseMarks: TypeAlias = tuple[MarkFigure, ...] | Unmeasured | None
"""The errors of a premise, none if it is sound; or unmeasured; or None: nobody labelled it."""


@dataclass(frozen=True, slots=True)
class PremiseFigure:
    """One premise with what is said of it.

    Attributes:
        text: The premise.
        judge: What the judge says.
        people: What most people say.
        votes: How people are divided, in words; empty where they are not.
        limits: What the judge looked for, in words, where that is not everything.
    """

    text: str
    judge: PremiseMarks
    people: PremiseMarks = None
    votes: str = ""
    limits: str = ""


@dataclass(frozen=True, slots=True)
class ChainFigure:
    """One chain in full.

    Attributes:
        chain: Its id.
        premises: In order; empty where they could not be told apart.
        conclusion: In its own words; may be empty.
        chosen: The option it chooses.
        gold: The right one; None where nobody said.
        judge_class: The class of the conclusion by the judge's labels; None without one.
        people_class: By people's.
        labelled: Whether people labelled it.
        unit: Its unit; not shown where it equals the id.
        collection: The set it comes from.
        model: What wrote it.
        question: What was asked.
        options: What there is to choose from: label and text.
        source: Facts and law.
        expert: The expert's analysis.
        text: All that was written; shown where premises could not be told apart.
        broken: Why they could not be.
        why: Why this chain is shown.
        judge_says: Further words of the judge on all of it (``wrong, not said where``).
        people_say: Further words of people.
    """

    chain: str
    premises: tuple[PremiseFigure, ...]
    conclusion: str
    chosen: Verdict
    gold: str | None = None
    judge_class: Verdict | None = None
    people_class: Verdict | None = None
    labelled: bool = False
    unit: str = ""
    collection: str = ""
    model: str = ""
    question: str = ""
    options: tuple[tuple[str, str], ...] = ()
    source: str = ""
    expert: str = ""
    text: str = ""
    broken: Unmeasured | None = None
    why: str = ""
    judge_says: str = ""
    people_say: str = ""


@dataclass(frozen=True, slots=True)
class GradingPage:
    """Everything that the page of a graded run shows.

    Attributes:
        judge: Which judge.
        taxonomy: The name of the taxonomy it labelled with.
        count: Chains of the run.
        units: Units they come from.
        accuracy: The share of chains that choose the right option.
        soundness: Premises without an error.
        correctness: Chains without an error and with the right conclusion.
        gap: Accuracy less correctness.
        kinds: Shares of premises, by kind of error; empty where they cannot be given.
        sub_kinds: Likewise by sub-kind, of those that occur.
        classes: Shares of chains, by class of conclusion.
        stopping: Labels end with the first error, so that shares of premises mean nothing.
        marks: The names of all kinds of error, in the order of their colours.
        record: The judge's record; None if it has none.
        recorded: There is a record beside the page that is not on it.
        chains: Chains shown in full.
        facts: Digests, versions, the command.
    """

    judge: JudgeFigure
    taxonomy: str
    count: int
    units: int
    accuracy: GradedFigure
    soundness: GradedFigure
    correctness: GradedFigure
    gap: GradedFigure
    kinds: tuple[GradedFigure, ...]
    sub_kinds: tuple[GradedFigure, ...]
    classes: tuple[GradedFigure, ...]
    stopping: bool
    marks: tuple[str, ...]
    record: JudgeRecordFigures | None = None
    recorded: bool = False
    chains: tuple[ChainFigure, ...] = ()
    facts: tuple[Fact, ...] = ()
