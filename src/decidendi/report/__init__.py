"""Pages for people. The report draws what others measured; it computes nothing."""

from decidendi.report._audit_content import (
    Answer,
    AuditCase,
    AuditCondition,
    AuditPage,
    CaseCondition,
    InjectionFigures,
    ModelAudit,
)
from decidendi.report._benchmark_content import (
    BenchmarkPage,
    FaultCount,
    MethodFigure,
    MixRow,
    ScoreFigure,
    ScoreRow,
    SelectiveCurve,
    SelectivePoint,
    TableFigure,
)
from decidendi.report._comparison_content import ComparisonPage, Discordant, PairedTest
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
from decidendi.report._figures import DifferenceFigure, ShiftFigure
from decidendi.report._grading_content import (
    AgreementFigure,
    ChainFigure,
    ClassFigure,
    CorrectedFigure,
    FirstErrorFigure,
    GradedFigure,
    GradingPage,
    JudgeFigure,
    JudgeRecordFigures,
    MarkFigure,
    MatrixFigure,
    PremiseFigure,
    PremiseMarks,
)
from decidendi.report._render import (
    render_audit,
    render_benchmark,
    render_certification,
    render_comparison,
    render_grading,
)
from decidendi.report._text import receipt_label

__all__ = [
    # the pages
    "render_certification",
    "render_audit",
    "render_comparison",
    "render_benchmark",
    "render_grading",
    "receipt_label",
    # figures on every page
    "RateFigure",
    "DifferenceFigure",
    "ShiftFigure",
    "Fact",
    # what a certification page is made from
    "CertificationPage",
    "OutcomeCounts",
    "ReceiptCount",
    "VerdictPair",
    "UnitCount",
    "ProblemGroup",
    "ProblemCase",
    "CellCounts",
    "ExampleCase",
    "CellFigure",
    "SourcePair",
    "Members",
    # what an audit page is made from
    "AuditPage",
    "ModelAudit",
    "InjectionFigures",
    "AuditCondition",
    "AuditCase",
    "CaseCondition",
    "Answer",
    # what a comparison page is made from
    "ComparisonPage",
    "PairedTest",
    "Discordant",
    # what a benchmark page is made from
    "BenchmarkPage",
    "MethodFigure",
    "ScoreRow",
    "ScoreFigure",
    "SelectiveCurve",
    "SelectivePoint",
    "MixRow",
    "TableFigure",
    "FaultCount",
    # what the page of a graded run is made from
    "GradingPage",
    "JudgeFigure",
    "GradedFigure",
    "CorrectedFigure",
    "JudgeRecordFigures",
    "AgreementFigure",
    "MatrixFigure",
    "ClassFigure",
    "FirstErrorFigure",
    "ChainFigure",
    "PremiseFigure",
    "PremiseMarks",
    "MarkFigure",
]
