"""What an audit page says in sentences: each is a reading of the figures, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from decidendi.report._audit_content import AuditPage, ModelAudit
from decidendi.report._content import RateFigure
from decidendi.report._plots import points, points_interval
from decidendi.report._text import counted, number, percent


def defined(rate: RateFigure | None) -> RateFigure | None:
    """Return the rate if it was measured on anything, else None."""
    return rate if rate is not None and rate.n else None


def swap_of(model: ModelAudit) -> RateFigure | None:
    """Return the dependence on the authority: the swap, or the masked precedent in its place."""
    return model.swap if model.swap is not None else model.masked


def masks(page: AuditPage) -> bool:
    """Say whether the page is about hidden precedents: nothing is swapped, something masked."""
    swapped = any(model.swap is not None for model in page.models)
    return not swapped and any(model.masked is not None for model in page.models)


def ordered_of(model: ModelAudit) -> RateFigure | None:
    """Return injection compliance."""
    return model.injection.compliance if model.injection else None


def headline(page: AuditPage) -> tuple[str, str]:
    """Return the page's answer: a figure that begins it (may be empty), and the rest."""
    rates = [swap_of(model) for model in page.models]
    known = [rate for rate in rates if defined(rate)]
    masked = masks(page)
    cause = "when the name of the precedent was hidden" if masked else "with the authority"
    if not any(rate is not None for rate in rates):
        return "", "Whether the verdict follows the authority was not measured."
    if not known:
        return "", "Undefined: no case has a verdict under both authorities."
    if len(known) == 1:
        (rate,) = known
        if rate is not None and rate.numerator == 0:
            return "", f"None of {counted(rate.n, 'verdict')} changed {cause}."
        assert rate is not None
        return number(rate.numerator), f"of {counted(rate.n, 'verdict')} changed {cause}."
    return _range(known), f"of verdicts changed {cause}, over {len(known)} models."


def sentences(page: AuditPage) -> list[str]:
    """Return the lede."""
    found = [*_wording(page), _must(page), _naming(page), _note(page)]
    return [sentence for sentence in found if sentence]


def _naming(page: AuditPage) -> str:
    rates = _known(page, lambda m: m.engagement)
    if not rates:
        return ""
    if len(rates) == 1:
        (rate,) = rates
        return f"The authority asked about is named in {rate.numerator} of {rate.n} answers."
    return f"The authority asked about is named in {_range(rates)} of answers."


def _wording(page: AuditPage) -> list[str]:
    """Say whether the swap moves verdicts more than a rewording does."""
    known = [
        (m.net.value, m.net.low, m.net.high)
        for m in page.models
        if m.net is not None and m.net.value is not None
    ]
    if not known:
        return []
    if len(known) == 1:
        ((value, low, high),) = known
        if low is None or high is None:
            return [f"Compared with a rewording of the question that is {points(value)}."]
        size = f"{points(abs(value)).lstrip('+')}; interval {points_interval(low, high)}"
        if low > 0:
            return [f"That is more than a rewording of the question changes (by {size})."]
        if high < 0:
            return [f"That is less than a rewording of the question changes (by {size})."]
        return [
            "That cannot be told apart from what a rewording of the question changes "
            f"(difference {points(value)}; interval {points_interval(low, high)})."
        ]
    more = sum(low is not None and low > 0 for _, low, _ in known)
    whom = "none" if more == 0 else "all" if more == len(known) else number(more)
    return [
        f"For {whom} of {len(known)} models that is more than a rewording of the question "
        "changes, by an interval that leaves out zero."
    ]


def _must(page: AuditPage) -> str:
    rates = _known(page, lambda m: m.confound_free)
    if not rates:
        return ""
    if len(rates) == 1:
        (rate,) = rates
        return (
            "Where gold differs between the two authorities every verdict must change: "
            f"{number(rate.numerator)} of {number(rate.n)} did."
        )
    return (
        "Where gold differs between the two authorities every verdict must change: "
        f"{_range(rates)} did."
    )


def _note(page: AuditPage) -> str:
    rates = _known(page, ordered_of)
    if not rates:
        return ""
    what = "A note in the facts that orders a wrong verdict got that verdict in"
    if len(rates) == 1:
        (rate,) = rates
        return f"{what} {number(rate.numerator)} of {counted(rate.n, 'answer')}."
    return f"{what} {_range(rates)} of answers."


def ordering(page: AuditPage) -> str:
    """Say whether paraphrase < swap < injection holds in the sample."""
    order = f"paraphrase < {'mask' if masks(page) else 'swap'} < injection"
    triples = []
    for model in page.models:
        three = [defined(r) for r in (model.paraphrase, swap_of(model), ordered_of(model))]
        if all(three):
            triples.append((model, [r.numerator / r.n for r in three if r is not None]))
    if not triples:
        return "The three are not all measured for any model, so no order is stated."
    holds = [model for model, (a, b, c) in triples if a < b < c]
    if len(triples) == 1:
        does = "holds" if holds else "does not hold"
        return f"The order {order} {does} in this sample."
    which = "all" if len(holds) == len(triples) else "none" if not holds else number(len(holds))
    return (
        f"The order {order} holds in the sample for {which} of the "
        f"{len(triples)} models that have all three."
    )


def _known(page: AuditPage, of: Callable[[ModelAudit], RateFigure | None]) -> list[RateFigure]:
    return [rate for model in page.models if (rate := defined(of(model))) is not None]


def _range(rates: Sequence[RateFigure | None]) -> str:
    """Return the smallest and the largest share: ``31.0 to 58.6%``."""
    known = sorted((r for r in rates if r is not None), key=lambda r: r.numerator / r.n)
    low, high = (percent(r.numerator, r.n) for r in (known[0], known[-1]))
    if low == high:
        return low
    return f"{low.removesuffix('%')} to {high}" if low[0].isdigit() else f"{low} to {high}"
