"""Realistic benchmark and comparison pages, with the papers' published figures."""

from __future__ import annotations

from decidendi.judgment import sha256
from decidendi.report import (
    BenchmarkPage,
    ComparisonPage,
    DifferenceFigure,
    Discordant,
    Fact,
    FaultCount,
    MethodFigure,
    MixRow,
    PairedTest,
    ScoreFigure,
    ScoreRow,
    SelectiveCurve,
    SelectivePoint,
    TableFigure,
)


def score(
    percent: float, spread: float | None = None, ends: tuple[float, float] | None = None
) -> ScoreFigure:
    low, high = ends if ends else (None, None)
    return ScoreFigure(
        percent / 100,
        None if spread is None else spread / 100,
        None if low is None else low / 100,
        None if high is None else high / 100,
        12_000,
    )


NO_RECEIPT = ScoreFigure(None, missing="the direct verdict target has no receipt")

# Chen & Zhang: Tables 2, 4, 5, 6 and 8, and Figure 3; intervals are made up where none is given.
ACCURACY = (
    ScoreRow(
        "Revised-verdict accuracy",
        (score(99.27, 0.05, (98.6, 99.8)), score(97.42, 0.33, (95.2, 99.1)), score(99.62, 0.04)),
    ),
    ScoreRow(
        "Exact receipt accuracy",
        (score(98.41, 0.06, (97.5, 99.2)), score(96.99, 0.44, (94.4, 98.9)), NO_RECEIPT),
    ),
)
FAILURES = (
    ScoreRow("Drift, of all cases", (score(0.12, 0.04), score(0.52, 0.1), score(0.07, 0.02))),
    ScoreRow("Inertia, of all cases", (score(0.55, 0.08), score(1.07, 0.2), score(0.38, 0.05))),
    ScoreRow(
        "Misattribution, of gold changes",
        (score(2.51, 0.2, (1.2, 4.0)), score(4.5, 0.8, (1.9, 8.1)), NO_RECEIPT),
    ),
)
STRUCTURE = (
    ScoreRow("Minimum size 1", (score(98.21, 0.1), score(96.17, 0.6), NO_RECEIPT), "904 cases"),
    ScoreRow("Minimum size 2", (score(95.40, 0.4), score(93.85, 0.9), NO_RECEIPT), "335 cases"),
    ScoreRow("Minimum size 3", (score(95.45, 1.1), score(95.45, 1.3), NO_RECEIPT), "101 cases"),
    ScoreRow("Several minimal receipts", (score(98.52, 0.2), score(97.86, 0.3), NO_RECEIPT)),
)
SHIFTS = (
    ScoreRow("Locked", (score(98.41, 0.06), score(96.99, 0.44), NO_RECEIPT), "2,400 cases"),
    ScoreRow("Mixed operator", (score(81.81, 2.0), score(78.61, 3.1), NO_RECEIPT), "288 cases"),
    ScoreRow("Language", (score(80.50, 1.9), score(68.40, 4.2), NO_RECEIPT), "1,200 cases"),
    ScoreRow("Reserved structural", (score(99.41, 0.1), score(96.27, 0.6), NO_RECEIPT)),
)
CONSISTENCY = (
    ScoreRow("Inverse", (score(47.22, 0.5), score(42.97, 0.9), NO_RECEIPT), "endpoints swap"),
    ScoreRow("Order", (score(54.77, 3.2), score(49.18, 4.0), NO_RECEIPT), "nothing moves"),
    ScoreRow("Distractor", (score(98.63, 0.1), score(93.43, 1.4), NO_RECEIPT), "nothing moves"),
)


def points(*rows: tuple[float, float, float]) -> tuple[SelectivePoint, ...]:
    return tuple(
        SelectivePoint((i + 1) / len(rows), a / 100, b / 100, c / 100)
        for i, (a, b, c) in enumerate(rows)
    )


SELECTIVE = (
    SelectiveCurve(
        "Direct receipt",
        points(
            (19.4, 0.02, 19.5),
            (40.2, 0.11, 40.4),
            (61.0, 0.3, 61.0),
            (80.9, 0.98, 80.3),
            (99.94, 2.26, 98.6),
        ),
    ),
    SelectiveCurve(
        "Judgment cube",
        points(
            (21.0, 0.2, 20.5),
            (39.1, 0.42, 38.2),
            (58.8, 0.77, 57.2),
            (79.5, 1.3, 77.0),
            (99.98, 3.48, 94.58),
        ),
    ),
    SelectiveCurve("Direct verdict", missing="the direct verdict target has no receipt"),
)
MIX = (
    MixRow("cases", 19_520, 19_520),
    MixRow("changed", 10_902, 10_888),
    MixRow("stable", 8_618, 8_632),
    MixRow("size 1", 7_411, 7_366),
    MixRow("size 2", 2_650, 2_693),
    MixRow("size 3", 841, 829),
    MixRow("ambiguous", 3_395, 3_470),
    MixRow("operator: no-op", 12),
)
TABLES = (
    TableFigure(
        "1",
        "Surface and chance diagnostics on the locked test",
        ("Diagnostic", "Revised-verdict accuracy", "Exact receipt accuracy"),
        (
            ("Majority", "53.8%", "44.2%"),
            ("Character TF-IDF", "90.0%", "61.7%"),
            (
                "Train-prior random receipt",
                "not measured: a guess of the receipt says no verdict",
                "26.1%",
            ),
        ),
        "What surface statistics reach without reading the sources.",
    ),
    TableFigure(
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
        (
            (
                "Direct receipt",
                "99.27% (0.05)",
                "98.41% (0.06)",
                "99.0%",
                "not measured: no cube",
                "100.00%",
                "5",
            ),
            (
                "Judgment cube",
                "97.42% (0.33)",
                "96.99% (0.44)",
                "96.8%",
                "96.1%",
                "99.14%",
                "5",
            ),
        ),
    ),
)


def benchmark() -> BenchmarkPage:
    return BenchmarkPage(
        digest=sha256(b"benchmark"),
        frozen=True,
        methods=(
            MethodFigure("Direct receipt", "direct receipt", 5, 3, 48_000),
            MethodFigure("Judgment cube", "judgment cube", 5, 412, 48_000),
            MethodFigure("Direct verdict", "direct verdict", 5, 0, 48_000),
        ),
        accuracy=ACCURACY,
        failures=FAILURES,
        structure=STRUCTURE,
        shifts=SHIFTS,
        consistency=CONSISTENCY,
        selective=SELECTIVE,
        mix=MIX,
        tables=TABLES,
        faults=(
            FaultCount("Judgment cube", "unknown ids", 12, ("p-0001/x", "line 44")),
            FaultCount("Judgment cube", "missing predictions", 3),
        ),
        facts=(
            Fact("tool", "decidendi 0.1.0"),
            Fact("command", "decidendi bench report bench/ --predictions a.jsonl", code=True),
        ),
    )


def test(
    measure: str,
    meaning: str,
    counts: tuple[int, int, int, int],
    ends: tuple[float, float] | None,
    p: float | None,
    adjusted: float | None,
    **excluded: int,
) -> PairedTest:
    _, first, second, _ = counts
    n = sum(counts)
    low, high = ends if ends else (None, None)
    value = (first - second) / n if n else None
    difference = DifferenceFigure(measure, meaning, value, n, low, high)
    return PairedTest(measure, meaning, *counts, difference, p, adjusted, excluded)


TESTS = (
    test(
        "Verdict-swap sensitivity",
        "the verdict differs between target and control",
        (9, 0, 12, 9),
        (-0.567, -0.233),
        0.000488,
        0.00146,
    ),
    test(
        "Accuracy",
        "the verdict under the target is right",
        (22, 2, 5, 0),
        (-0.276, 0.069),
        0.453,
        0.906,
        **{"first: not-converged": 1},
    ),
    test(
        "Surface engagement",
        "the authority asked about is named",
        (29, 1, 0, 0),
        (0.0, 0.1),
        1.0,
        1.0,
    ),
    test(
        "Injection compliance",
        "the verdict is the ordered one",
        (0, 0, 0, 0),
        None,
        None,
        None,
        **{"second: not run": 30},
    ),
)


def comparison() -> ComparisonPage:
    # SCOTUS Pair A: 0 and 12 discordant, below 0.001; ECHR Pair A: 2 and 10, 0.039.
    return ComparisonPage(
        task="SCOTUS",
        target="Criminal Procedure",
        control="Economic Activity",
        first="Qwen3-14B",
        second="Legal-Delta-14B",
        cases=30,
        tests=TESTS,
        discordant=(
            *(
                Discordant(
                    "Verdict-swap sensitivity", f"scotus-{i:02d}", "YES, YES", "YES, NO", "second"
                )
                for i in range(12)
            ),
            Discordant(
                "Surface engagement", "scotus-07", "named", "not named", "first", "docket 7"
            ),
        ),
        family="Holm over 3 measures",
        differences=("max tokens: 1,536 in the first, 2,048 in the second",),
        demonstration=(),
        facts=(
            Fact("tool", "decidendi 0.1.0"),
            Fact("command", "decidendi compare runs/a runs/b", code=True),
        ),
    )
