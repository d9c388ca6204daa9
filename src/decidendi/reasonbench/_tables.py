"""The paper's tables for given predictions, as plain rows of scores with their intervals.

Table numbers are Chen & Zhang's. Differences are every later method minus the first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from decidendi.reasonbench._baselines import MAJORITY, PRIOR, PUBLISHED_BASELINES, TFIDF, UNIFORM
from decidendi.reasonbench._cells import Cell, Compared, Expected, Text, shown
from decidendi.reasonbench._consistency import RELATIONS, consistency, reason_debt
from decidendi.reasonbench._records import CONTROLS, KINDS, STRATA, GoldCase, GoldSet
from decidendi.reasonbench._scores import (
    Metric,
    Scorer,
    Unscored,
    Where,
    ambiguous,
    both,
    composed,
    contrast,
    in_split,
    of_mask,
    of_size,
    of_stratum,
    revised_source,
    unambiguous,
)
from decidendi.receipts import names_of
from decidendi.stats import Difference, holm

LOCKED = in_split("locked")
SHIFTS = {
    "Mixed operator": in_split("shift-operator"),
    "Language": in_split("shift-language"),
    "Reserved structural": in_split("shift-structural"),
    "Proof depth": in_split("shift-depth"),
}


@dataclass(frozen=True)
class Row:
    """One row: its label, and a cell for each column after the first."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        number: The paper's number, or a word for a table it has only as a figure.
        title: What it shows.
        columns: Headings; the first is that of the labels.
        rows: Rows of as many cells as there are further headings.
        note: How to read it.
    """

    number: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row.cells) != len(self.columns) - 1 for row in self.rows):
            raise ValueError(f"table {self.number}: rows and columns differ in length")

    @property
    def texts(self) -> list[list[str]]:
        """Every row as text, its label first."""
        return [[row.label, *map(shown, row.cells)] for row in self.rows]


Scorers: TypeAlias = Sequence[Scorer]
_Line: TypeAlias = tuple[str, Metric, Where]


def diagnostics(surface: Scorers, gold: GoldSet) -> Table:
    """Table 1: surface baselines on the locked test, and what guessing a receipt would give."""
    found: dict[str, tuple[Cell, Cell]] = {
        s.method: (s.score(Metric.REVISED, LOCKED), s.score(Metric.RECEIPT, LOCKED))
        for s in surface
    }
    for name in (MAJORITY, TFIDF):
        found.setdefault(name, (Unscored("not fitted"),) * 2)
    none = Unscored("a guess of the receipt says no verdict")
    found |= {label: (none, expected) for label, expected in chance_receipts(gold).items()}
    rows = []
    for label, cells in found.items():
        published = PUBLISHED_BASELINES.get(label, ("", ""))
        beside = (Text(f"{percent}%" if percent else "") for percent in published)
        rows.append(Row(label, (*cells, *beside)))
    return Table(
        "1",
        "Surface and chance diagnostics on the locked test",
        (
            "Diagnostic",
            "Revised-verdict accuracy",
            "Exact receipt accuracy",
            "Verdict, published",
            "Receipt, published",
        ),
        tuple(rows),
        "What surface statistics reach without reading the sources. The random rows are expected "
        "values, not runs. Published figures are of other texts with more of the verdict on their "
        "surface: no accuracy here compares with one there.",
    )


def chance_receipts(gold: GoldSet) -> dict[str, Expected | Unscored]:
    """Return the expected exact receipt accuracy of two random guesses on the locked test.

    A guess with the frequencies of the training split, and a uniform one over the families that
    occur there ("no receipt" is one of them).
    """

    def families(split: str) -> Counter[tuple[int, ...]]:
        return Counter(c.receipt for c in gold.cases.values() if c.split == split and not c.control)

    train, locked = families("train"), families("locked")
    n, m = train.total(), locked.total()
    if not n or not m:
        missing = Unscored("the training or the locked split is empty")
        return {PRIOR: missing, UNIFORM: missing}
    prior = sum(train[family] * count for family, count in locked.items()) / (n * m)
    uniform = sum(count for family, count in locked.items() if family in train) / (len(train) * m)
    return {PRIOR: Expected(prior), UNIFORM: Expected(uniform)}


def outcomes(scorers: Scorers) -> Table:
    """Table 2: co-primary outcomes on the locked test, and their Holm-adjusted comparisons."""
    shown_metrics = (Metric.REVISED, Metric.RECEIPT, Metric.ENDPOINTS, Metric.CUBE, Metric.VALID)
    rows = [
        Row(s.method, (*(s.score(m, LOCKED) for m in shown_metrics), _seeds(s))) for s in scorers
    ]
    tests = {
        (other.method, metric): contrast((other, metric), (scorers[0], metric), LOCKED)
        for other in scorers[1:]
        for metric in (Metric.REVISED, Metric.RECEIPT)
    }
    adjusted = holm(
        {
            name: found.p
            for name, found in tests.items()
            if isinstance(found, Difference) and found.p is not None
        }
    )
    blank = Text("")
    for other in scorers[1:]:
        cells: list[Cell] = []
        for metric in (Metric.REVISED, Metric.RECEIPT):
            name = other.method, metric
            found = tests[name]
            if isinstance(found, Difference) and name in adjusted:
                cells.append(Compared(found, adjusted[name]))
            else:
                cells.append(found)
        cells += [blank] * (len(shown_metrics) - 2 + 1)
        rows.append(Row(f"{other.method} minus {scorers[0].method}", tuple(cells)))
    note = "Means over seeds, their standard deviation in parentheses."
    if len(scorers) > 1:
        note += (
            " Differences in percentage points; p-values Holm-adjusted over the co-primary "
            f"comparisons, {len(adjusted)} in all."
        )
    return Table(
        "2",
        "Locked-test outcomes",
        (
            "Method",
            "Revised-verdict accuracy",
            "Exact receipt accuracy",
            "Both endpoints",
            "Exact cube",
            "Valid format",
            "Seeds",
        ),
        tuple(rows),
        note,
    )


def _seeds(scorer: Scorer) -> Text:
    return Text(str(len(scorer.predictions.by_seed)))


def separation(scorers: Scorers) -> Table:
    """Table 3: correct verdicts that carry a wrong receipt, on locked gold changes."""

    def eligible(s: Scorer) -> Cell:
        rows = s.observations(Metric.MISATTRIBUTION_GIVEN, LOCKED)
        return rows if isinstance(rows, Unscored) else Text(f"{len(rows):,}")

    def gap(s: Scorer) -> Cell:
        return contrast((s, Metric.REVISED_CHANGED), (s, Metric.RECEIPT_CHANGED), LOCKED)

    of: dict[str, Callable[[Scorer], Cell]] = {
        "Exact receipt accuracy": lambda s: s.score(Metric.RECEIPT_CHANGED, LOCKED),
        "Revised-verdict minus receipt accuracy": gap,
        "Wrong receipt given both endpoints right": lambda s: s.score(
            Metric.MISATTRIBUTION_GIVEN, LOCKED
        ),
        "Eligible seed-case observations": eligible,
    }
    rows = tuple(Row(label, tuple(cell(s) for s in scorers)) for label, cell in of.items())
    return Table(
        "3",
        "Verdict and receipt apart, on locked gold changes",
        ("Diagnostic", *(s.method for s in scorers)),
        rows,
        "Every gold change is in the denominator, malformed answers included.",
    )


def failures(scorers: Scorers) -> Table:
    """Drift, inertia and misattribution on the locked test (the paper's Figure 3)."""
    metrics = {
        "Drift, of all cases": Metric.DRIFT,
        "Inertia, of all cases": Metric.INERTIA,
        "Misattribution, of gold changes": Metric.MISATTRIBUTION,
        "Misattribution given both endpoints right": Metric.MISATTRIBUTION_GIVEN,
    }
    lines = [(label, metric, LOCKED) for label, metric in metrics.items()]
    return _compared("failures", "Failures on the locked test", "Failure", scorers, lines)


def structure(scorers: Scorers) -> Table:
    """Table 4: exact receipt accuracy by receipt size, ambiguity and intervention."""
    parts: dict[str, Where] = {f"Minimum size {n}": of_size(n) for n in (1, 2, 3)}
    parts["Not ambiguous (stable cases included)"] = unambiguous
    parts["Several minimal receipts"] = ambiguous
    for mask in range(1 << len(KINDS)):
        names = ", ".join(names_of(mask, KINDS)) or "nothing"
        parts[f"Revised: {names}"] = of_mask(mask)
    lines = [(label, Metric.RECEIPT, both(LOCKED, part)) for label, part in parts.items()]
    note = "Rows differ in structure and composition at once; they are no isolated causal effects."
    return _compared(
        "4", "Exact receipt accuracy by structure", "Locked subgroup", scorers, lines, note
    )


def shifts(scorers: Scorers) -> Table:
    """Table 5: exact receipt accuracy under distribution shift, exception rules apart."""
    operator = SHIFTS["Mixed operator"]
    # Families that training never shows: the part of the operator shift that is truly held out.
    known = {c.family for s in scorers[:1] for c in s.gold.cases.values() if c.split == "train"}
    parts: dict[str, Where] = {
        "Locked": LOCKED,
        "Mixed operator": operator,
        "… of these, families held out of training": both(
            operator, lambda case: case.family not in known
        ),
        **SHIFTS,
    }
    lines = [(label, Metric.RECEIPT, part) for label, part in parts.items()]
    return _compared("5", "Exact receipt accuracy under shift", "Split", scorers, lines)


def strata(scorers: Scorers) -> Table:
    """Co-primary outcomes on the locked test by stratum."""
    lines = [
        (f"{stratum}: {metric}", metric, both(LOCKED, of_stratum(stratum)))
        for stratum in STRATA
        for metric in (Metric.REVISED, Metric.RECEIPT, Metric.RECEIPT_CHANGED)
    ]
    note = "A handful of clauses can flag a problem; they cannot estimate policies in general."
    return _compared("strata", "Locked-test outcomes by stratum", "Outcome", scorers, lines, note)


def composition(scorers: Scorers) -> Table:
    """Table 9: the composition holdout, with greater depth and without."""
    depth = SHIFTS["Proof depth"]
    lines = [
        (f"{name}: {metric}", metric, both(part, composed))
        for name, part in (("Two or three revised", LOCKED), ("… and greater depth", depth))
        for metric in (Metric.REVISED, Metric.RECEIPT, Metric.RECEIPT_CHANGED)
    ]
    note = "Unseen compositions only for a method trained on cases with at most one revised source."
    return _compared("9", "Composition holdout", "Split and metric", scorers, lines, note)


def controls(scorers: Scorers) -> Table:
    """Table 6: paired consistency, and the least mean pairwise error it proves."""
    rows = [
        Row(name.capitalize(), (Text(RELATIONS[name]), *(consistency(s, name) for s in scorers)))
        for name in CONTROLS
    ]
    moved = tuple(consistency(s, "inverse", revised_source) for s in scorers)
    rows.insert(1, Row("Inverse, sources revised", (Text(RELATIONS["inverse"]), *moved)))
    return Table(
        "6",
        "Paired consistency",
        ("Paired control", "Required relation", *(s.method for s in scorers)),
        tuple(rows),
        "Of the locked cases whose control is predicted. A rate PC proves a mean pairwise error "
        "of at least (1 - PC)/2, with no gold label of the control. Where no source was revised, "
        "a case and its inverse have one prompt; the second row leaves these out.",
    )


def selective(scorers: Scorers) -> Table:
    """Table 8: reason debt with accepted coverage and recall, thresholds from calibration."""
    rows = []
    for scorer in scorers:
        points = reason_debt(scorer)
        if isinstance(points, Unscored):
            rows.append(Row(scorer.method, (points,) * 4))
            continue
        for point in points:
            rows.append(
                Row(
                    f"{scorer.method}, {point.aim:.0%} aimed at",
                    (point.coverage, point.debt, point.recall, Text(f"{point.unscored:,}")),
                )
            )
    return Table(
        "8",
        "Selective acceptance on the locked test",
        (
            "Method",
            "Realized accepted-change coverage",
            "Reason debt",
            "Correct gold-change recall",
            "Changes without confidence",
        ),
        tuple(rows),
        "Low debt at partial coverage is paid for with recall: read the three together.",
    )


def all_tables(scorers: Scorers, gold: GoldSet, surface: Scorers = ()) -> list[Table]:
    """Return every table.

    Args:
        scorers: The methods; differences are taken against the first.
        gold: The benchmark.
        surface: The baselines of Table 1: majority, character TF-IDF.
    """
    return [
        diagnostics(surface, gold),
        outcomes(scorers),
        separation(scorers),
        failures(scorers),
        structure(scorers),
        strata(scorers),
        shifts(scorers),
        controls(scorers),
        selective(scorers),
        composition(scorers),
    ]


def _compared(
    number: str, title: str, heading: str, scorers: Scorers, lines: Sequence[_Line], note: str = ""
) -> Table:
    """Lay out one metric per row: cases per seed, each method, each difference."""
    first = scorers[0]
    rows = []
    for label, metric, where in lines:
        cells: list[Cell] = [_cases(first.gold, metric, where)]
        cells += [scorer.score(metric, where) for scorer in scorers]
        cells += [contrast((s, metric), (first, metric), where) for s in scorers[1:]]
        rows.append(Row(label, tuple(cells)))
    columns = [heading, "Cases per seed", *(s.method for s in scorers)]
    columns += [f"{s.method} minus {first.method}" for s in scorers[1:]]
    return Table(number, title, tuple(columns), tuple(rows), note)


def _cases(gold: GoldSet, metric: Metric, where: Where) -> Text:
    def counted(case: GoldCase) -> bool:
        return case.control is None and where(case)

    changes_only = metric in (
        Metric.REVISED_CHANGED,
        Metric.RECEIPT_CHANGED,
        Metric.MISATTRIBUTION,
    )
    if metric is Metric.MISATTRIBUTION_GIVEN:
        return Text("by method")
    cases = [case for case in gold.cases.values() if counted(case)]
    return Text(f"{sum(case.changed or not changes_only for case in cases):,}")
