"""Pages for people. The report draws what others measured; it computes nothing."""

from decidendi.report._content import (
    CellCounts,
    CellFigure,
    CertificationPage,
    ExampleCase,
    Fact,
    Members,
    OutcomeCounts,
    ProblemCase,
    ProblemGroup,
    RateFigure,
    ReceiptCount,
    SourcePair,
    UnitCount,
    VerdictPair,
)
from decidendi.report._render import render_certification
from decidendi.report._text import receipt_label

__all__ = [
    # the page
    "render_certification",
    "receipt_label",
    # what a certification page is made from
    "CertificationPage",
    "OutcomeCounts",
    "ReceiptCount",
    "VerdictPair",
    "UnitCount",
    "RateFigure",
    "ProblemGroup",
    "ProblemCase",
    "CellCounts",
    "ExampleCase",
    "CellFigure",
    "SourcePair",
    "Members",
    "Fact",
]
