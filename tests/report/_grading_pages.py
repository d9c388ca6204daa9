"""A realistic page of a graded run: two people, and a judge with a poor record."""

from __future__ import annotations

from decidendi.judgment import Reason, Unmeasured, sha256
from decidendi.report import (
    AgreementFigure,
    ChainFigure,
    ClassFigure,
    CorrectedFigure,
    DifferenceFigure,
    Fact,
    FirstErrorFigure,
    GradedFigure,
    GradingPage,
    JudgeFigure,
    JudgeRecordFigures,
    MarkFigure,
    MatrixFigure,
    PremiseFigure,
    RateFigure,
)

WILSON = "Wilson 95%"
DRAWN = "percentile bootstrap 95%, 300 units, 10,000 replicates"
MARKS = ("Misinterpretation", "Factual hallucination", "Irrelevant premise", "Kind not said")
CLASSES = (
    "Correct",
    "Correct from false premises",
    "Correct option with hallucinated content",
    "Wrong from false premises",
    "Wrong from incomplete premises",
)


def rate(hits: int, n: int, low: float, high: float, name: str = "", **excluded: int) -> RateFigure:
    reasons = {key.replace("_", "-"): k for key, k in excluded.items()}
    method = DRAWN if n > 400 else WILSON
    return RateFigure(name, "", hits, n, low / 100, high / 100, method, reasons)


def corrected(value: float, low: float, high: float, labelled: int, judged: int) -> CorrectedFigure:
    method = "prediction-powered, tuned (PPI++), 95%, 300 units, t with 75 degrees of freedom"
    excluded = {"judge: not-converged": 28}
    ends = low / 100, high / 100
    return CorrectedFigure(value / 100, labelled, judged, *ends, method=method, excluded=excluded)


def too_few(labelled: int, judged: int, needed: int | None, alone: int) -> CorrectedFigure:
    why = f"{labelled} labelled, at least 20 needed"
    return CorrectedFigure(None, labelled, judged, why=why, needed=needed, alone=alone, reach=0.05)


def gap(value: float, low: float, high: float, n: int) -> DifferenceFigure:
    return DifferenceFigure("", "", value / 100, n, low / 100, high / 100, method=DRAWN)


def kappa(value: float, low: float, high: float, n: int = 604) -> AgreementFigure:
    return AgreementFigure("", "kappa", value, n, low, high)


def alpha(value: float, low: float, high: float, n: int = 604) -> AgreementFigure:
    return AgreementFigure("", "alpha", value, n, low, high)


def kinds() -> tuple[GradedFigure, ...]:
    rows = (
        (126, (4.4, 6.2), corrected(5.1, 3.7, 7.0, 604, 2388), 29, (3.3, 6.3)),
        (81, (2.7, 4.1), corrected(0.8, 0.4, 1.7, 604, 2388), 4, (0.2, 1.3)),
        (83, (2.8, 4.2), too_few(12, 2388, 91, 350), 0, (0.0, 0.9)),
    )
    return tuple(
        GradedFigure(
            name,
            f"What makes a premise one of {name.lower()}.",
            rate(judged, 2388, *ends, not_converged=29),
            once,
            once,
            rate(people, 609, *theirs, undetermined=21),
            items="premise",
        )
        for name, (judged, ends, once, people, theirs) in zip(MARKS, rows, strict=False)
    )


def sub_kinds() -> tuple[GradedFigure, ...]:
    name = "Misinterpretation: Temporal"
    judged, people = rate(40, 2388, 1.2, 2.2), rate(11, 609, 0.9, 3.1)
    return (GradedFigure(name, "A date is read wrongly.", judged, people=people, items="premise"),)


def classes() -> tuple[GradedFigure, ...]:
    counts = ((77, 30), (140, 32), (13, 6), (31, 10), (11, 2))
    return tuple(
        GradedFigure(
            name,
            f"{name}, as defined.",
            rate(judged, 272, judged / 3.5, judged / 2.1),
            people=rate(people, 80, people / 1.6, min(99.0, people / 0.6)),
        )
        for name, (judged, people) in zip(CLASSES, counts, strict=True)
    )


def found(name: str, hits: int, people: int, judge: int, *, own: bool = False) -> ClassFigure:
    precision, recall = (
        RateFigure("", "", hits, n, 0.2, 0.75, DRAWN, {"judge: not-converged": 5})
        if n
        else RateFigure("", "", 0, 0)
        for n in (judge, people)
    )
    f1 = RateFigure("", "", 2 * hits, people + judge, 0.3, 0.6, DRAWN)
    beyond_chance = (kappa(0.41, 0.28, 0.53), alpha(0.4, 0.27, 0.52)) if own else ()
    return ClassFigure(name, precision, recall, f1, *beyond_chance)


def premises() -> MatrixFigure:
    poor = ClassFigure(
        "in error",
        rate(23, 60, 27.8, 50.0),
        rate(23, 41, 40.5, 71.1),
        RateFigure("", "", 46, 101, 0.34, 0.57, DRAWN),
    )
    left_out = {"people: undetermined": 21, "judge: not-converged": 5}
    return MatrixFigure(
        ("sound", "in error"),
        ((526, 37), (18, 23)),
        rate(549, 604, 88.4, 93.2),
        kappa(0.41, 0.28, 0.53),
        alpha(0.4, 0.27, 0.52),
        (poor,),
        left_out,
    )


def wholes() -> MatrixFigure:
    one = ClassFigure(
        "in error",
        rate(34, 45, 61.3, 85.8),
        rate(34, 39, 73.3, 94.4),
        RateFigure("", "", 68, 84, 0.71, 0.9, DRAWN),
    )
    return MatrixFigure(
        ("sound", "in error"),
        ((25, 11), (5, 34)),
        rate(59, 75, 68.1, 86.4),
        kappa(0.57, 0.38, 0.75, 75),
        alpha(0.56, 0.36, 0.75, 75),
        (one,),
        {"judge: not-converged": 5},
    )


def record() -> JudgeRecordFigures:
    names = ("sound", *MARKS[:3])
    counts = ((526, 11, 11, 15), (16, 10, 1, 1), (0, 0, 4, 0), (2, 1, 1, 5))
    shown = tuple(
        found(name, counts[i][i], sum(counts[i]), sum(row[i] for row in counts))
        for i, name in enumerate(names)
    )
    nothing = RateFigure("", "", 0, 0, method="undefined: nothing measured")
    undefined = AgreementFigure("", "kappa", None, 0, why="fewer than two labels")
    return JudgeRecordFigures(
        labelled=80,
        collections=("planted-2026",),
        annotators={"ann": 80, "bea": 60},
        several=60,
        among=(
            AgreementFigure("whether a premise is in error", "alpha", 0.71, 602, 0.6, 0.8),
            AgreementFigure("Factual hallucination", "alpha", 0.37, 602, -0.01, 0.6),
            AgreementFigure("Irrelevant premise", "alpha", None, 602, why="only one class"),
        ),
        premises=premises(),
        kinds=MatrixFigure(
            names,
            counts,
            rate(545, 604, 87.6, 92.7),
            kappa(0.38, 0.26, 0.5),
            alpha(0.37, 0.25, 0.49),
            shown,
        ),
        errors=(found(MARKS[0], 10, 28, 22, own=True), found(MARKS[1], 4, 4, 17, own=True)),
        sub_errors=(found("Misinterpretation: Temporal", 0, 3, 0, own=True),),
        conclusions=MatrixFigure(CLASSES, ((0,) * 5,) * 5, nothing, undefined, undefined, ()),
        wholes=wholes(),
        first=FirstErrorFigure(
            rate(19, 39, 33.9, 63.8), rate(25, 36, 53.1, 82.0), 0.57, 10, 5, 5, {"judge: error": 5}
        ),
        by_agreement=(
            rate(400, 430, 90.2, 95.1, "all agree"),
            rate(9, 16, 33.2, 76.9, "split"),
            RateFigure("one alone", "", 0, 0),
        ),
        followed=21,
        gap_stands=False,
    )


def served() -> ChainFigure:
    wrong = MarkFigure(
        "Misinterpretation",
        "Temporal",
        "March 3 is the day of the waiver; service was on March 9.",
    )
    invented = MarkFigure("Factual hallucination", "Fabrication", "No order is in the facts.")
    follows = MarkFigure("Misinterpretation", "Inferential", "rests on premise 2", carried=True)
    both = (wrong, MarkFigure("Irrelevant premise", why="nothing turns on it"))
    failed = Unmeasured(Reason.NOT_CONVERGED, "prose where labels were asked for")
    return ChainFigure(
        chain="law-5-1/70883a03",
        premises=(
            PremiseFigure("The defendant has 21 days from service to answer.", (), ()),
            PremiseFigure("She was served on March 3.", (), (wrong,), "2 of 3 see an error"),
            PremiseFigure("The court extended the time.", (invented,), ()),
            PremiseFigure("The last day was March 24.", both, (follows,)),
            PremiseFigure("She answered on March 28.", failed, ()),
            PremiseFigure("March 28 is later than March 24.", None, None),
        ),
        conclusion="So the answer was late. ANSWER: NO",
        chosen="NO",
        gold="YES",
        judge_class=failed,
        people_class="Wrong from false premises",
        labelled=True,
        unit="law-5-1",
        collection="planted-2026",
        model="a-model",
        question="Was the answer served in time?",
        options=(("YES", ""), ("NO", "it was served late")),
        source="Rule 12(a): 21 days after being served. Service: March 9. Answer: March 28.",
        expert="March 9 and 21 days is March 30.",
        why="The judge misses an error that people see",
        people_say="what the conclusion says of its option, that option does not say",
    )


def many_premises() -> ChainFigure:
    one = served()
    steps = tuple(PremiseFigure(f"Step {i} follows.", ()) for i in range(58))
    last = PremiseFigure("Step 58 does not.", (MarkFigure("Kind not said"),))
    return ChainFigure(
        chain="law-5-1/again",
        premises=(*steps, last),
        conclusion="",
        chosen=Unmeasured(Reason.NOT_CONVERGED, "no option in what it wrote"),
        judge_class=None,
        question=one.question,
        options=one.options,
        source=one.source,
        expert=one.expert,
        why="No option could be read",
    )


def prose() -> ChainFigure:
    return ChainFigure(
        chain="essay-7",
        premises=(),
        conclusion="YES",
        chosen="YES",
        gold="YES",
        text="Well, it depends. " * 400,
        broken=Unmeasured(Reason.NOT_CONVERGED, "more than 200 premises"),
        why="Its premises could not be told apart",
        judge_class=Unmeasured(Reason.NOT_CONVERGED),
    )


def judge() -> JudgeFigure:
    return JudgeFigure(
        "gpt-4o/2",
        (
            Fact("model", "openai/gpt-4o"),
            Fact("detectors", "general, misinterpretation, relevance, hallucination"),
            Fact("prompts", sha256(b"prompts"), code=True),
            Fact("digest of the judge", sha256(b"judge"), code=True),
        ),
        ("pilot-2025",),
    )


def graded() -> GradingPage:
    return GradingPage(
        judge=judge(),
        taxonomy="decidendi/1.0",
        count=300,
        units=300,
        accuracy=GradedFigure(
            "Accuracy",
            "chains that choose the right option; code says so, no judge",
            rate(253, 300, 79.8, 88.0),
            people=rate(68, 80, 75.6, 91.2),
            judge_needed=False,
        ),
        soundness=GradedFigure(
            "Soundness",
            "premises without an error, of all labelled ones",
            rate(2098, 2388, 86.5, 89.1, not_converged=29),
            too_few(12, 2388, 91, 350),
            too_few(12, 2388, None, 4000),
            rate(567, 609, 91.5, 94.6, undetermined=21),
            items="premise",
        ),
        correctness=GradedFigure(
            "Correctness",
            "chains whose premises are all sound and whose conclusion is correct",
            rate(77, 272, 23.3, 33.9, not_converged=28),
            corrected(35.8, 27.4, 45.3, 75, 272),
            corrected(33.1, 19.5, 45.8, 75, 272),
            rate(30, 80, 27.7, 48.5),
        ),
        gap=GradedFigure(
            "Accuracy less correctness",
            "how much of the accuracy is not borne out by the reasoning",
            gap(56.2, 50.2, 62.2, 272),
            corrected(40.3, 30.0, 50.6, 75, 272),
            people=gap(47.5, 36.2, 58.7, 80),
        ),
        kinds=kinds(),
        sub_kinds=sub_kinds(),
        classes=classes(),
        stopping=False,
        marks=MARKS,
        record=record(),
        chains=(served(), many_premises(), prose()),
        facts=(
            Fact("tool", "decidendi 0.1.0"),
            Fact("command", "decidendi validate runs/g --human labels.jsonl", code=True),
            Fact("digest of the chains", sha256(b"chains"), code=True),
        ),
    )
