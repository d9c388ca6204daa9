"""What the page of a graded run says in sentences: readings of its figures, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from decidendi.report._content import RateFigure
from decidendi.report._figures import DifferenceFigure
from decidendi.report._grading_content import (
    AgreementFigure,
    ClassFigure,
    CorrectedFigure,
    FirstErrorFigure,
    GradedFigure,
    GradingPage,
    JudgeRecordFigures,
    MatrixFigure,
    Measured,
)
from decidendi.report._plots import MINUS, interval_words, points
from decidendi.report._text import counted, fitted, number, percent, share_words

POOR, POOR_KAPPA, POOR_ALPHA, WIDE = 0.8, 0.6, 0.667, 0.1
"""A share below the first, kappa below the second, is called poor; people's alpha below the
third little (Krippendorff's bound for tentative conclusions); an interval that reaches further
than the last to either side leaves the figure open. Conventions, and the page says so."""

NO_RECORD = (
    "There is no record of this judge. Its figures are what the judge says, not what is so; "
    "nobody has compared it with people here."
)
ELSEWHERE = (
    "This page was made without people's labels, so its figures are what the judge says, not what "
    "is so. There is a record of this judge in records.jsonl beside it."
)
MADE_UP = (
    "A script answered, told nothing of these chains: it made its labels up. It shows how many "
    "calls a model would take, and says nothing of the reasoning."
)
PLANTED = (
    "The errors were planted: where this page says people, it means who planted them and knows "
    "where they are."
)


def headline(page: GradingPage) -> tuple[str, str]:
    """Return the page's answer: a figure that begins it (may be empty), and the rest."""
    if page.judge.dry_run:
        return "", "A dry run: nothing was judged."
    graded = page.correctness
    raw, corrected = share_of(graded.judged), graded.corrected
    if corrected is not None and corrected.value is not None:
        alone = f" The judge alone says {raw}." if raw else ""
        return share_words(corrected.value), f"of chains are correct, once corrected.{alone}"
    unknown = " What is so is not known" + (
        ": too few chains have a label by both."
        if page.record is not None
        else " from this page."
        if page.recorded
        else ": nobody has checked this judge."
    )
    if raw:
        return "", f"The judge calls {raw} of chains correct.{unknown}"
    sound = "" if page.stopping else share_of(page.soundness.judged)
    if sound:
        return "", f"The judge calls {sound} of premises sound.{unknown}"
    if any(share_of(kind.judged) for kind in page.kinds):
        return "", "No premise is known to be sound: only some kinds of error were looked for."
    return "", "Nothing here could be scored."


def share_of(figure: Measured) -> str:
    """Return a share in words; empty if it is none, or undefined."""
    if isinstance(figure, RateFigure) and figure.n:
        return percent(figure.numerator, figure.n)
    return ""


def sentences(page: GradingPage) -> list[str]:
    """Return the lede: what can and cannot be believed."""
    if page.judge.dry_run:
        return [MADE_UP]
    if page.record is None:
        found = [ELSEWHERE if page.recorded else NO_RECORD]
    else:
        found = [*_record(page.record), _gap(page, page.record), *_too_few(page)]
    return [sentence for sentence in found if sentence]


def _record(record: JudgeRecordFigures) -> Iterator[str]:
    yield f"Against people, on {counted(record.labelled, 'chain')}: {_finds(record)}"
    flaws = [*_flaws(record.premises, "premises"), *_flaws(record.wholes, "chains")]
    if poor := [text for text, decided in flaws if decided]:
        yield f"Its record is poor, and its own figures are not to be relied on: {_listed(poor)}"
    elif flaws:
        open_ = _listed([text for text, _ in flaws])
        yield f"Its record leaves open whether its own figures can be relied on: {open_}"
    elif record.premises.agreed.n or record.wholes.agreed.n:
        yield "By the bounds that this page uses its record is neither poor nor open."
    low = [a for a in record.among if a.value is not None and a.value < POOR_ALPHA]
    if low:
        named = ", ".join(f"{fitted(a.name, 60)}, {coefficient(a)}" for a in low[:3])
        yield (
            f"People agree little among themselves on {named}: there a judge that differs from "
            "them is not always the one that is wrong."
        )
    elif record.planted:
        yield PLANTED
    elif not record.several:
        yield "No chain was labelled by two people, so how far people agree is not known."


def _listed(parts: list[str]) -> str:
    return "; ".join(parts) + "."


def _finds(record: JudgeRecordFigures) -> str:
    wholes = _only(record.wholes)
    if wholes is None or not record.wholes.agreed.n:
        return "the two never labelled the same chain whole."
    sound = sum(record.wholes.counts[0])
    alarms = record.wholes.counts[0][1]
    return (
        f"it finds {number(wholes.recall.numerator)} of "
        f"{counted(wholes.recall.n, 'chain')} in which they see an error, and sees one in "
        f"{number(alarms)} of {number(sound)} in which they see none."
    )


def _only(matrix: MatrixFigure) -> ClassFigure | None:
    return matrix.classes[0] if matrix.classes else None


def _flaws(matrix: MatrixFigure, what: str) -> Iterator[tuple[str, bool]]:
    """Yield what is wrong with a record, in words, and whether that is so or merely open."""
    rates = _only(matrix)
    if rates is None or not matrix.agreed.n:
        return
    named = (
        (rates.recall, f"of the {what} that people call wrong it finds"),
        (rates.precision, f"of the {what} that it calls wrong, people agree on"),
    )
    for rate, words in named:
        if not rate.n:
            continue
        text = f"{words} {percent(rate.numerator, rate.n)}{_span(rate.low, rate.high)}"
        if rate.numerator / rate.n < POOR or _wide(rate.low, rate.high):
            yield text, rate.high is not None and rate.high < POOR
    kappa = matrix.kappa
    if kappa.value is not None and kappa.value < POOR_KAPPA:
        # Where every replicate gives the same, the interval says nothing of how sure that is.
        certain = kappa.low == kappa.high
        poor = kappa.high is not None and kappa.high < POOR_KAPPA and not certain
        yield f"on {what}, agreement beyond chance is {coefficient(kappa)}", poor


def _wide(low: float | None, high: float | None) -> bool:
    return low is None or high is None or (high - low) / 2 > WIDE


def _span(low: float | None, high: float | None) -> str:
    words = interval_words(low, high)
    return f" ({words})" if words else " (no interval)"


def decimal(value: float) -> str:
    """Return a coefficient with two decimals and a minus sign."""
    return f"{value:.2f}".replace("-", MINUS)


def coefficient(figure: AgreementFigure) -> str:
    """Return ``kappa = 0.48 (0.37 to 0.57)``; or that it is undefined, and why."""
    if figure.value is None:
        return f"undefined: {fitted(figure.why, 80)}" if figure.why else "undefined"
    return f"{fitted(figure.coefficient, 20)} = {decimal(figure.value)}" + (
        ""
        if figure.low is None or figure.high is None
        else f" ({decimal(figure.low)} to {decimal(figure.high)})"
    )


def _gap(page: GradingPage, record: JudgeRecordFigures) -> str:
    judged, corrected = page.gap.judged, page.gap.corrected
    if not isinstance(judged, DifferenceFigure) or judged.value is None:
        return ""
    said = f"The gap of {_plain(judged.value)} between accuracy and correctness by the judge alone"
    if corrected is None or corrected.value is None:
        return f"{said} is not confirmed: too few chains have a label by both."
    low, high = corrected.low or 0.0, corrected.high or 0.0
    ends = f"{_plain(low)} to {_plain(high)}".replace(" points", "")
    by = f"corrected by what people labelled it is {_plain(corrected.value)} ({ends})"
    if record.gap_stands is None:
        return f"{said} is neither confirmed nor refuted: {by}."
    return f"{said} {'stands' if record.gap_stands else 'does not stand'}: {by}."


def _plain(value: float) -> str:
    return points(value).removeprefix("+")


def _too_few(page: GradingPage) -> Iterator[str]:
    for figure in (page.soundness, page.correctness):
        corrected = figure.corrected
        if corrected is not None and corrected.value is None:
            why = too_few(corrected, figure.items)
            yield f"Not enough labels for {fitted(figure.name, 60).lower()}: {why}"


def too_few(figure: CorrectedFigure, item: str) -> str:
    """Say why there is no corrected rate, and how many labels there would have to be.

    Args:
        figure: The rate that is none.
        item: What is counted, in the singular.
    """
    why, item = fitted(figure.why, 160), fitted(item, 20)
    reach = f"±{100 * figure.reach:g} points"
    if not figure.judged:
        return f"{why}."
    if figure.needed is None:
        tail = f"{counted(figure.judged, f'judged {item}')} would be too few for {reach}"
        alone = f": {number(figure.alone)} are needed" if figure.alone else ""
        return f"{why}; {tail}{alone}."
    if figure.needed <= figure.labelled:
        return f"{why}."  # it is not their number that is lacking
    items = counted(figure.judged, f"judged {item}")
    return f"{why}; labels of {number(figure.needed)} of {items} would give {reach}."


def kinds_say(page: GradingPage) -> str:
    """Say which kind is most frequent, by the best figures there are."""
    best = [(value, figure) for figure in page.kinds if (value := _best(figure)) is not None]
    if not best or len(best) < len(page.kinds):
        return ""  # which is most frequent is known of all or of none
    value, figure = max(best, key=lambda pair: pair[0])
    if value == 0:
        return "No premise has an error of a named kind."
    whose = "as corrected" if all(_is_corrected(f) for f in page.kinds) else "as the judge says"
    name = fitted(figure.name, 60).lower()
    return f"Most frequent, {whose}: {name}, {share_words(value)} of premises."


def _is_corrected(figure: GradedFigure) -> bool:
    return figure.corrected is not None and figure.corrected.value is not None


def _best(figure: GradedFigure) -> float | None:
    if figure.corrected is not None and figure.corrected.value is not None:
        return figure.corrected.value
    judged = figure.judged
    if isinstance(judged, RateFigure) and judged.n:
        return judged.numerator / judged.n
    return None


def first_says(first: FirstErrorFigure) -> str:
    """Say where the judge places the first error."""
    if not first.on_wrong.n:
        return "People see an error in none of the chains compared, so there is none to place."
    return (
        f"Of {counted(first.on_wrong.n, 'chain')} with an error, the judge names the same premise "
        f"first in {number(first.on_wrong.numerator)}, an earlier one in {number(first.early)}, a "
        f"later one in {number(first.late)}, and none in {number(first.missed)}."
    )
