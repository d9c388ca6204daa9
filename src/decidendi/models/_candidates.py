"""Which token stands for which label after a marker.

A label may be one token or several, and which ones depends on what stands before it: one model
writes " YES" in two tokens and " NO" in one. So labels are encoded *in context*, and each is
represented by the first token in which they all differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decidendi.judgment import Reason, Unmeasured
from decidendi.models._codec import Codec
from decidendi.models._prefix import common_prefix
from decidendi.models._records import Marker

TAIL = 16
"""Tokens before the end of the marker that are looked at; tokenizers do not look further."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The tokens to compare.

    Attributes:
        between: Tokens that all labels begin with; they come first ("Ġ" before digits).
        token_ids: Per label, its first token after them. All different.
    """

    between: tuple[int, ...]
    token_ids: Mapping[str, int]


def resolve(codec: Codec, before: Sequence[int], marker: Marker) -> Candidates | Unmeasured:
    """Find the token of each label after ``before``.

    Args:
        codec: Of the model.
        before: The tokens up to the end of the marker, or the last ones of them.
        marker: Whose labels.

    Returns:
        The candidates; unmeasured if a label can't be told from another by one token, or merges
        with the marker.
    """
    tail = list(before[-TAIL:])
    text = codec.decode(tail)
    if codec.encode(text) != tail:  # not how the tokenizer writes it, or cut in a character
        tail, text = codec.encode(marker.text), marker.text
    written = {label: codec.encode(text + marker.lead + label) for label in marker.labels}
    for label, ids in written.items():
        if ids[: len(tail)] != tail:
            return Unmeasured(Reason.INTERFACE, f"the label {label!r} merges with the marker")
    rests = {label: ids[len(tail) :] for label, ids in written.items()}
    # One more token, which is never compared, so that a label that begins another is noticed.
    cut = common_prefix([[*rest, -1] for rest in rests.values()])
    firsts: dict[str, int] = {}
    for label, rest in rests.items():
        token = rest[cut] if cut < len(rest) else None
        if token is None or token in firsts.values():
            other = next((name for name, known in firsts.items() if known == token), None)
            others = other or next(name for name in marker.labels if name != label)
            what = f"{label!r} and {others!r} can't be told apart by one token"
            return Unmeasured(Reason.INTERFACE, what)
        firsts[label] = token
    return Candidates(tuple(next(iter(rests.values()))[:cut]), firsts)
