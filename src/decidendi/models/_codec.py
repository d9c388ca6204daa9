"""Between tokens and text: as little of a tokenizer as the rest needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Codec(Protocol):
    """Encodes without adding special tokens; decodes without leaving any out."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of ``text``."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ``ids``."""
        ...


class Running:
    """Text that grows by tokens.

    Decoding token by token would break characters of several tokens and the spaces of some
    tokenizers, and decoding everything each time is quadratic. So a window is decoded twice,
    with and without the new token, and text is held back while its last character is incomplete.

    Attributes:
        text: So far, complete characters only.
        ids: All tokens so far.
    """

    def __init__(self, codec: Codec) -> None:
        """Begin empty."""
        self._codec = codec
        self._from, self._read = 0, 0
        self.ids: list[int] = []
        self.text = ""

    def push(self, token: int) -> None:
        """Add a token."""
        self.ids.append(token)
        known = self._codec.decode(self.ids[self._from : self._read])
        now = self._codec.decode(self.ids[self._from :])
        if len(now) > len(known) and not now.endswith("\N{REPLACEMENT CHARACTER}"):
            self.text += now[len(known) :]
            self._from, self._read = self._read, len(self.ids)

    @property
    def complete(self) -> bool:
        """Say whether ``text`` holds all of ``ids``."""
        return self._read == len(self.ids)

    def whole(self) -> str:
        """Return the text with an incomplete last character, if there is one."""
        return self.text + self._codec.decode(self.ids[self._read :])
