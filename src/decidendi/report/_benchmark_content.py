"""What a benchmark page is made from: finished scores, rows of text, nothing to compute.

All shares are in [0, 1]. Scores of a row stand in the order of the page's methods.
"""

from __future__ import annotations

from dataclasses import dataclass

from decidendi.report._content import Fact


@dataclass(frozen=True, slots=True)
class TableFigure:
    """One table, every cell as text.

    Attributes:
        number: The paper's number, or a word for a table it has only as a figure.
        title: What it shows.
        columns: Headings; the first is that of the labels.
        rows: Each row's label and cells, as many as there are columns.
        note: How to read it.
    """

    number: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """A share over seeds and units.

    Attributes:
        mean: Mean over seeds; None where it is undefined or not measured.
        spread: Standard deviation over seeds; None for fewer than two.
        low: Lower end of its interval; None if there is none.
        high: Upper end.
        n: Observations, over all seeds.
        missing: Why there is no score; empty if there is one.
    """

    mean: float | None
    spread: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of a figure.

    Attributes:
        label: What is scored (``"Exact receipt accuracy"``, ``"Minimum size 2"``).
        scores: One per method of the page.
        note: What a control requires, how many cases there are; may be empty.
    """

    label: str
    scores: tuple[ScoreFigure, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class SelectivePoint:
    """One operating point of selective acceptance; None is undefined.

    Attributes:
        aim: Coverage aimed at on the calibration split.
        coverage: Share of predicted changes accepted.
        debt: Reason debt of the accepted set.
        recall: Gold changes accepted with the exact receipt.
        unscored: Predicted changes without a confidence.
    """

    aim: float
    coverage: float | None
    debt: float | None
    recall: float | None
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class SelectiveCurve:
    """One method's operating points, by aim; ``missing`` says why there are none."""

    method: str
    points: tuple[SelectivePoint, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class MixRow:
    """One count of our benchmark beside the published one; None where the paper gives none."""

    name: str
    ours: int
    published: int | None = None


@dataclass(frozen=True, slots=True)
class FaultCount:
    """What was wrong with a file of predictions, besides the answers.

    Attributes:
        method: Whose file.
        fault: What is wrong (``"unknown ids"``).
        count: How often.
        examples: The first few, by line or id.
    """

    method: str
    fault: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodFigure:
    """One set of predictions.

    Attributes:
        name: The method's name; unique on the page.
        target: What it was asked to write (``"direct receipt"``).
        seeds: How many seeds it has.
        malformed: Answers the strict parser refused: errors of the method, in every score.
        answers: All its answers.
    """

    name: str
    target: str
    seeds: int
    malformed: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True)
class BenchmarkPage:
    """Everything that a benchmark page shows.

    Attributes:
        digest: The benchmark's one digest.
        frozen: Whether it is the frozen benchmark's.
        methods: The methods scored; differences are against the first.
        accuracy: Two rows, locked: revised-verdict accuracy, then exact receipt accuracy.
        failures: Drift, inertia, misattribution, locked.
        structure: Exact receipt accuracy by structure, locked.
        shifts: Exact receipt accuracy under shift, the locked split first.
        consistency: Paired consistency per control; ``note`` is the required relation.
        selective: Selective acceptance per method.
        mix: Ours beside the published mix.
        tables: The paper's tables in full.
        faults: What was wrong with the files.
        facts: Digests, versions, the command.
    """

    digest: str
    frozen: bool
    methods: tuple[MethodFigure, ...]
    accuracy: tuple[ScoreRow, ...] = ()
    failures: tuple[ScoreRow, ...] = ()
    structure: tuple[ScoreRow, ...] = ()
    shifts: tuple[ScoreRow, ...] = ()
    consistency: tuple[ScoreRow, ...] = ()
    selective: tuple[SelectiveCurve, ...] = ()
    mix: tuple[MixRow, ...] = ()
    tables: tuple[TableFigure, ...] = ()
    faults: tuple[FaultCount, ...] = ()
    facts: tuple[Fact, ...] = ()
