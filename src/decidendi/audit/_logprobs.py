"""The margin at a verdict, from the log-probabilities that a provider returns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


def margin_of(
    tokens: Sequence[tuple[str, Mapping[str, float]]], marker: str, labels: Sequence[str]
) -> float | None:
    """Return the log-odds of the first label over the best other label at the last marker.

    A label's log-probability is that of the likeliest token by which only this label can begin.
    Where the provider lists no such token for the first label, or for none of the others, there
    is no margin: a token that is not listed is not impossible.

    Args:
        tokens: Each token written, with the likeliest tokens at its place and their
            log-probabilities.
        marker: The word before the colon.
        labels: The allowed labels, in the task's order.
    """
    text = "".join(token for token, _ in tokens)
    found = list(re.finditer(rf"{re.escape(marker)}\W*:[\s*_`]*", text, re.IGNORECASE))
    if not found:
        return None
    position, start = found[-1].end(), 0
    for token, likely in tokens:
        end = start + len(token)
        if end > position:
            inside = position - start
            # The label must begin with this token, but for white space before it.
            if token[:inside].strip():
                return None
            return _log_odds(likely, labels)
        start = end
    return None


def _log_odds(likely: Mapping[str, float], labels: Sequence[str]) -> float | None:
    best: dict[str, float] = {}
    for token, logprob in likely.items():
        begun = token.strip()
        fitting = [label for label in labels if begun and label.startswith(begun)]
        fitting += [label for label in labels if begun and begun.startswith(label)]
        if len(set(fitting)) == 1:
            best[fitting[0]] = max(logprob, best.get(fitting[0], logprob))
    others = [value for label, value in best.items() if label != labels[0]]
    if labels[0] not in best or not others:
        return None
    return best[labels[0]] - max(others)
