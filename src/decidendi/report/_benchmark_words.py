"""What a benchmark page says in sentences: each is a reading of the figures beside it."""

from __future__ import annotations

from collections.abc import Sequence

from decidendi.report._benchmark_content import BenchmarkPage, ScoreRow
from decidendi.report._text import counted, fitted, number, share_words

SAID = 4
"""Methods of which a sentence is said; the figure has them all."""


def _means(row: ScoreRow) -> list[float]:
    return [score.mean for score in row.scores if score.mean is not None]


def _range(values: Sequence[float]) -> str:
    low, high = share_words(min(values)), share_words(max(values))
    if low == high:
        return low
    return f"{low.removesuffix('%')} to {high}" if low[0].isdigit() else f"{low} to {high}"


def headline(page: BenchmarkPage) -> tuple[str, str]:
    """Return the page's answer: a figure that begins it (may be empty), and the rest."""
    receipts = _means(page.accuracy[1]) if len(page.accuracy) > 1 else []
    if not receipts:
        return "", "No exact receipts were scored."
    by = "" if len(receipts) == 1 else f", by {len(receipts)} methods"
    return _range(receipts), f"of locked cases get their exact receipt{by}."


def accuracy_says(page: BenchmarkPage) -> str:
    """Set right verdicts beside exact receipts."""
    if len(page.accuracy) < 2:
        return ""
    found = []
    for name, verdict, receipt in _each(page, page.accuracy[0], page.accuracy[1]):
        if verdict is not None and receipt is not None:
            found.append(
                f"{name} gives the right revised verdict in {share_words(verdict)} of cases, "
                f"and the exact receipt in {share_words(receipt)}."
            )
    return " ".join(found)


def _each(page: BenchmarkPage, *rows: ScoreRow) -> list[tuple[str, float | None, float | None]]:
    """Return each method's name with its means in the first and the last of the rows."""
    first, last = rows[0], rows[-1]
    found = []
    for i, method in enumerate(page.methods[:SAID]):
        pair = [row.scores[i].mean if i < len(row.scores) else None for row in (first, last)]
        found.append((fitted(method.name, 60), pair[0], pair[1]))
    return found


def _ranked(page: BenchmarkPage, rows: Sequence[ScoreRow], i: int) -> list[tuple[float, str]]:
    """Return one method's measured rows, lowest first."""
    found = []
    for row in rows:
        mean = row.scores[i].mean if i < len(row.scores) else None
        if mean is not None:
            found.append((mean, fitted(row.label, 80)))
    return sorted(found, key=lambda pair: pair[0])


def failures_say(page: BenchmarkPage) -> str:
    """Name each method's most frequent failure."""
    found = []
    for i, method in enumerate(page.methods[:SAID]):
        ranked = _ranked(page, page.failures, i)
        if ranked and ranked[-1][0] > 0:
            share, label = ranked[-1]
            found.append(
                f"{fitted(method.name, 60)} fails most by “{label}” ({share_words(share)})."
            )
        elif ranked:
            found.append(f"{fitted(method.name, 60)} shows none of these failures.")
    return " ".join(found)


def structure_says(page: BenchmarkPage) -> str:
    """Name where each method is best and worst."""
    found = []
    for i, method in enumerate(page.methods[:SAID]):
        ranked = _ranked(page, page.structure, i)
        if len(ranked) > 1:
            (low, worst), (high, best) = ranked[0], ranked[-1]
            found.append(
                f"{fitted(method.name, 60)} is exact least often at “{worst}” ({share_words(low)}) "
                f"and most often at “{best}” ({share_words(high)})."
            )
    return " ".join(found)


def shifts_say(page: BenchmarkPage) -> str:
    """Name the shift that costs each method most, against the first row."""
    if len(page.shifts) < 2:
        return ""
    found = []
    for i, method in enumerate(page.methods[:SAID]):
        name = fitted(method.name, 60)
        base = _ranked(page, page.shifts[:1], i)
        ranked = _ranked(page, page.shifts[1:], i)
        if not base or not ranked:
            continue
        (at, where), (low, worst) = base[0], ranked[0]
        if low < at:
            found.append(
                f"{name} falls from {share_words(at)} ({where}) to {share_words(low)} ({worst})."
            )
        else:
            found.append(f"{name} is under no shift below its {share_words(at)} ({where}).")
    return " ".join(found)


def consistency_says(page: BenchmarkPage) -> str:
    """Name the relation that each method keeps least often, and the error that proves."""
    found = []
    for i, method in enumerate(page.methods[:SAID]):
        ranked = _ranked(page, page.consistency, i)
        if ranked:
            low, worst = ranked[0]
            floor = share_words((1 - low) / 2)
            found.append(
                f"{fitted(method.name, 60)} keeps the relation of “{worst}” in "
                f"{share_words(low)} of pairs, so on average it is wrong on at least {floor} "
                "of their answers."
            )
    return " ".join(found)


def selective_says(page: BenchmarkPage) -> str:
    """Say what each method pays in recall for a low debt."""
    found = []
    for curve in page.selective[:SAID]:
        known = [
            (p.coverage, p.debt, p.recall)
            for p in curve.points
            if p.coverage is not None and p.debt is not None and p.recall is not None
        ]
        if not known:
            continue
        (c1, d1, r1), (c2, d2, r2) = min(known), max(known)
        name = fitted(curve.method, 60)
        few = f"Accepting {share_words(c1)} of its changes, {name} has a debt of {share_words(d1)}"
        found.append(f"{few} and explains {share_words(r1)} of gold changes")
        if len(known) > 1:
            found[-1] += (
                f"; accepting {share_words(c2)}, a debt of {share_words(d2)} and {share_words(r2)}"
            )
        found[-1] += "."
    return " ".join(found)


def mix_says(page: BenchmarkPage) -> str:
    """Say how near the mix is to the published one."""
    pairs = [(row.ours, row.published, row.name) for row in page.mix if row.published]
    if not pairs:
        return ""
    exact = sum(ours == published for ours, published, _ in pairs)
    ours, published, name = max(pairs, key=lambda p: abs(p[0] - p[1]) / p[1])
    says = (
        f"{exact} of {counted(len(pairs), 'published count')} {'is' if exact == 1 else 'are'} met."
    )
    if ours != published:
        says += (
            f" The furthest from its published count is “{fitted(name, 60)}”: "
            f"{number(ours)} against {number(published)}."
        )
    return says
