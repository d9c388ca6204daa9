"""A realistic page: 2,000 refund cases, four of them in full."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _report_pages import NAMES, OTHERS, Page

from decidendi.judgment import Reason, Unmeasured, sha256
from decidendi.report import (
    CellCounts,
    CellFigure,
    CertificationPage,
    ExampleCase,
    Fact,
    OutcomeCounts,
    ProblemCase,
    ProblemGroup,
    RateFigure,
    ReceiptCount,
    SourcePair,
    UnitCount,
    VerdictPair,
)

G, N, A = ("grounds",), ("norms",), ("authority",)
GN, GA, NA = ("grounds", "norms"), ("grounds", "authority"), ("norms", "authority")
GNA = ("grounds", "norms", "authority")

OLD_POLICY = """package refunds

import rego.v1

# Whole purchases may come back for a month; opened media never.

within_window if input.grounds.days_since_delivery <= 30

default merits := "deny"

merits := "approve" if {
	within_window
	input.grounds.condition == "unopened"
	input.grounds.amount_cents <= 20000
}

merits := "refer" if {
	within_window
	input.grounds.amount_cents > 20000
}

verdict := merits if input.authority.covers_region
"""
NEW_POLICY = (
    OLD_POLICY.replace("for a month", "for two weeks")
    .replace("<= 30", "<= 14")
    .replace("amount_cents <= 20000", "amount_cents <= 15000")
    .replace("amount_cents > 20000", "amount_cents > 15000")
    .replace(
        "\nverdict := merits",
        '\nmerits := "refer" if input.grounds.condition == "damaged"\n\nverdict := merits',
    )
)
GROUNDS = """{
  "amount_cents": 8900,
  "condition": "unopened",
  "days_since_delivery": 21,
  "region": "EU"
}
"""
LATE_GROUNDS = GROUNDS.replace('"unopened"', '"opened"').replace("21", "33")
AUTHORITY = """{
  "covers_region": true,
  "issued_by": "Returns desk, Rotterdam"
}
"""
NEW_AUTHORITY = AUTHORITY.replace("true", "false").replace("Rotterdam", "Utrecht")


def source(kind: str, old: str, revised: str) -> SourcePair:
    return SourcePair(kind, old, revised, sha256(old.encode()), sha256(revised.encode()))


def cell(replaced: tuple[str, ...], verdict: str | Unmeasured) -> CellFigure:
    return CellFigure(replaced, verdict)


def norms_alone() -> ExampleCase:
    return ExampleCase(
        case="r-0412",
        unit="returns/window",
        status="certified",
        changed=NA,
        cells=(cell((), "approve"), cell(N, "deny"), cell(A, "approve"), cell(NA, "deny")),
        receipt=(N,),
        words="The revised norms alone are enough to turn approve into deny. "
        "Nothing smaller is, and the other changes do not matter.",
        sources=(
            source("grounds", GROUNDS, GROUNDS),
            source("norms", OLD_POLICY, NEW_POLICY),
            source("authority", AUTHORITY, AUTHORITY.replace("Rotterdam", "Utrecht")),
        ),
        why="The most frequent receipt",
    )


def ambiguous() -> ExampleCase:
    cells = (
        cell((), "approve"),
        cell(G, "deny"),
        cell(N, "deny"),
        cell(A, "approve"),
        cell(GNA, "deny"),
    )
    return ExampleCase(
        case="r-1177",
        unit="returns/opened-media",
        status="certified",
        changed=GNA,
        cells=cells,
        receipt=(G, N),
        words="Either the revised grounds or the revised norms is enough to turn approve into "
        "deny. Neither is “the” cause: each would have done it without the other.",
        sources=(
            source("grounds", GROUNDS, LATE_GROUNDS),
            source("norms", OLD_POLICY, NEW_POLICY),
            source("authority", AUTHORITY, AUTHORITY.replace("Rotterdam", "Utrecht")),
        ),
        why="Ambiguous: more than one set is enough",
    )


def size_three() -> ExampleCase:
    cells = (*(cell(s, "deny") for s in ((), G, N, A, GN, GA, NA)), cell(GNA, "refer"))
    return ExampleCase(
        case="r-0031",
        unit="repairs/cross-border",
        status="certified",
        changed=GNA,
        cells=cells,
        receipt=(GNA,),
        words="Only the revised grounds, norms and authority together turn deny into refer.",
        sources=(
            source("grounds", GROUNDS, GROUNDS.replace("unopened", "damaged")),
            source("norms", OLD_POLICY, NEW_POLICY),
            source("authority", AUTHORITY, NEW_AUTHORITY),
        ),
        why="The largest receipt",
    )


def uncertifiable() -> ExampleCase:
    missing = Unmeasured(Reason.INTERFACE, 'grounds: "amount" is a required property')
    cells = (
        cell((), "approve"),
        cell(G, missing),
        cell(N, missing),
        cell(A, "refer"),
        cell(GN, "approve"),
        cell(GNA, "refer"),
    )
    return ExampleCase(
        case="r-1630",
        unit="vouchers/renamed-field",
        status="uncertifiable",
        changed=GNA,
        cells=cells,
        receipt=(),
        known=(A,),
        words="Authority alone is enough. Whether grounds or norms would be too is open: "
        "two hybrids do not fit the interface.",
        sources=(
            source("grounds", GROUNDS, GROUNDS.replace("amount_cents", "amount")),
            source("norms", OLD_POLICY, NEW_POLICY),
            source("authority", AUTHORITY, NEW_AUTHORITY),
        ),
        why="Uncertifiable",
    )


RECEIPTS = (
    ((N,), 301),
    ((G,), 174),
    ((A,), 88),
    ((G, N), 61),
    ((NA,), 47),
    ((GN,), 33),
    ((G, NA), 18),
    ((GNA,), 13),
)
PAIRS = {
    ("approve", "approve"): 702,
    ("deny", "deny"): 391,
    ("refer", "refer"): 143,
    ("approve", "deny"): 214,
    ("approve", "refer"): 166,
    ("deny", "approve"): 151,
    ("deny", "refer"): 62,
    ("refer", "approve"): 98,
    ("refer", "deny"): 61,
    ("approve", None): 7,
    (None, "deny"): 2,
}
UNITS = ("returns/window", "returns/opened-media", "repairs/cross-border", "vouchers/renamed-field")


def problems() -> tuple[ProblemGroup, ...]:
    needed = ProblemCase("r-1630", 'grounds: "amount" is a required property', (G, N))
    slow = ProblemCase("r-0877", "no answer within 2 s", ((),))
    twice = ProblemCase("cases.jsonl:1204", 'the id "r-0031" stands on line 31 already')
    cut = ProblemCase("cases.jsonl:2000", "not valid JSON: unexpected end of data")
    return (
        ProblemGroup("uncertifiable", "interface", 17, (needed,)),
        ProblemGroup("unmeasured", "timeout", 9, (slow,)),
        ProblemGroup("unreadable", "duplicate id", 2, (twice,)),
        ProblemGroup("unreadable", "not JSON", 1, (cut,)),
    )


def rates() -> tuple[RateFigure, ...]:
    return (
        RateFigure(
            "Drift",
            "Of the cases whose gold verdict did not change, those where the evaluator's did.",
            58,
            1180,
            0.0382,
            0.0628,
            "95% Wilson",
            {"unmeasured": 5},
        ),
        RateFigure(
            "Inertia",
            "Of the cases whose gold verdict changed, those where the evaluator's did not.",
            31,
            604,
            0.0364,
            0.0719,
            "95% Wilson",
            {"unmeasured": 4},
        ),
    )


def facts() -> tuple[Fact, ...]:
    return (
        Fact("tool", "decidendi 0.1.0"),
        Fact(
            "command",
            "decidendi certify examples/refunds/v1 examples/refunds/v2 "
            "--cases examples/refunds/cases.jsonl --out runs/refunds",
            code=True,
        ),
        Fact("old evaluator", sha256(b"v1"), code=True),
        Fact("revised evaluator", sha256(b"v2"), code=True),
        Fact("cases", sha256(b"cases"), code=True),
        Fact("root of all certificates", sha256(b"root"), code=True),
    )


def refunds_page() -> CertificationPage:
    units = tuple(
        UnitCount(
            unit=UNITS[i] if i < len(UNITS) else f"clause/{i + 1:02d}",
            cases=80 if i < 24 else 77,
            changed=max(0, 62 - 3 * i),
            uncertifiable=2 if i < 8 else 0,
            unmeasured=1 if i < 9 else 0,
            main_receipt=RECEIPTS[i % 5][0] if i < 21 else None,
        )
        for i in range(25)
    )
    return CertificationPage(
        evaluator="refunds",
        old_version="1.0",
        revised_version="2.0",
        verdicts=("approve", "deny", "refer"),
        kinds=GNA,
        outcomes=OutcomeCounts(2000, 752, 735, 1022, 214, 17, 9, 3),
        receipts=tuple(ReceiptCount(members, n) for members, n in RECEIPTS),
        transitions=tuple(VerdictPair(old, new, n) for (old, new), n in PAIRS.items()),
        units=units,
        cells=CellCounts(full=15976, needed=7214, executed=2391),
        rates=rates(),
        problems=problems(),
        examples=(norms_alone(), ambiguous(), size_three(), uncertifiable()),
        facts=facts(),
    )


@pytest.fixture(scope="session")
def page() -> CertificationPage:
    return refunds_page()


@pytest.fixture(scope="session", params=NAMES)
def page_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def any_page(page_name: str) -> Page:
    """Each page in turn."""
    return refunds_page() if page_name == "refunds" else OTHERS[page_name]()
