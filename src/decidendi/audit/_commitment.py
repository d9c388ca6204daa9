"""When a model settled on its verdict, read from the answers that were forced from it.

At the end of each sentence of its reasoning the reasoning is cut and the verdict asked for
(SPEC, section 2). What came is kept with the record; everything else here is arithmetic on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from decidendi.audit._measures import Key, Observed, Table
from decidendi.audit._record import Boundary, Record
from decidendi.judgment import Unmeasured
from decidendi.reasoning import (
    Commitment,
    Span,
    Undefined,
    commitment,
    committed_before_naming,
    decode,
    read_output,
    reengaged,
    sentences,
)

CONDITION = "target"
"""Where it is asked: under the authority really asked about."""

NOT_ASKED = "not asked at its sentences"
NO_WEIGHTS = "labels cannot be told apart at a sentence"


def reasoning_sentences(text: str) -> list[Span]:
    """Return the sentences of a generation's reasoning, by character of ``text``.

    Raises:
        MissingExtraError: without the extra ``legal``.
    """
    parts = read_output(text).reasoning
    return [
        Span(part.start + each.start, part.start + each.end)
        for part in parts
        for each in sentences(text[part.start : part.end])
    ]


def committed(boundaries: Iterable[Boundary]) -> Commitment:
    """Return the commitment of one output."""
    return commitment([decode(each.scores) for each in boundaries])


def naming(record: Record) -> list[int]:
    """Return the sentences, by index, that name the authority asked about."""
    return [
        index
        for index, each in enumerate(record.generation.boundaries or ())
        if any(start < each.end and end > each.start for start, end in record.named)
    ]


def asked(table: Table) -> bool:
    """Say whether any answer was asked at its sentences."""
    records = table.column(CONDITION).values()
    return any(record.generation.boundaries is not None for record in records)


def reengagement(table: Table, condition: str) -> Observed:
    """Share of outputs that name the authority again at or after the commitment step."""
    return _observed(table, condition, reengaged)


def committed_early(table: Table, condition: str) -> Observed:
    """Share that commit in a sentence before the first that names the authority."""
    return _observed(table, condition, committed_before_naming)


def _observed(
    table: Table, condition: str, of: Callable[[Commitment, list[int]], bool | Undefined]
) -> Observed:
    hits: dict[Key, bool] = {}
    excluded: Counter[str] = Counter()
    for key, record in table.column(condition).items():
        found = _hit(record, of)
        if isinstance(found, str):
            excluded[f"{condition}: {found}"] += 1
        else:
            hits[key] = found
    return Observed(hits, table.units, dict(sorted(excluded.items())))


def _hit(record: Record, of: Callable[[Commitment, list[int]], bool | Undefined]) -> bool | str:
    """Return the indicator of one record, or why it has none."""
    if isinstance(record.verdict, Unmeasured) and not record.generation.answered:
        return str(record.verdict.reason)
    boundaries = record.generation.boundaries
    if boundaries is None:
        return NOT_ASKED
    if not all(each.scores for each in boundaries):
        return NO_WEIGHTS
    found = of(committed(boundaries), naming(record))
    return str(found.why) if isinstance(found, Undefined) else found
