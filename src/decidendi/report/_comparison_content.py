"""What a comparison page is made from: two models on the same cases, tested in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from decidendi.report._content import Fact
from decidendi.report._figures import DifferenceFigure


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One measure of two models, case by case.

    Attributes:
        measure: Its name (``"verdict-swap sensitivity"``).
        meaning: What counts as a hit, in a sentence.
        both: Cases that hit for both.
        first_only: Cases that hit for the first only.
        second_only: Cases that hit for the second only.
        neither: Cases that hit for neither.
        difference: First share minus second with its interval. Its ``p`` is not shown where the
            exact test is given.
        p: Exact McNemar p-value; None where the test does not apply (cases of one unit).
        adjusted: The p-value after Holm's procedure over the family; None if not in it.
        excluded: Cases without the measure for one or both, by reason.
    """

    measure: str
    meaning: str
    both: int
    first_only: int
    second_only: int
    neither: int
    difference: DifferenceFigure
    p: float | None = None
    adjusted: float | None = None
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Discordant:
    """One case on which a measure differs between the two.

    Attributes:
        measure: The measure.
        case: The case's id.
        first: What the first did, in words (``"YES → NO"``).
        second: What the second did.
        hit: ``first`` or ``second``: whose case hits.
        unit: The case's unit; not shown where it equals the id.
    """

    measure: str
    case: str
    first: str
    second: str
    hit: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything that a comparison page shows.

    Attributes:
        task: What is asked, in a few words.
        target: The authority asked about.
        control: The one put in its place; may be empty.
        first: The first model (or run).
        second: The second.
        cases: Cases that both were run on.
        tests: One per measure.
        discordant: Cases on which they differ, by measure in the order of ``tests``.
        family: How p-values are adjusted (``"Holm over 5 measures"``).
        differences: What else differs between the runs (settings, cases of one only), in words.
        demonstration: Which of the two demonstrate only: their reasoning means nothing.
        facts: Digests, versions, the command.
    """

    task: str
    target: str
    control: str
    first: str
    second: str
    cases: int
    tests: tuple[PairedTest, ...]
    discordant: tuple[Discordant, ...] = ()
    family: str = ""
    differences: tuple[str, ...] = ()
    demonstration: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
