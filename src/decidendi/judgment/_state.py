"""Sources and states: what an evaluator decides from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from decidendi.judgment._canonical import JSON, canonical_bytes, sha256
from decidendi.judgment._errors import BadInputError

GROUNDS_NORMS_AUTHORITY = ("grounds", "norms", "authority")
"""The three standard kinds of source (Chen & Zhang, section 2.1). Any others may be declared."""


class Source:
    """One version of one typed input of an evaluator. Immutable by convention.

    Attributes:
        kind: Which input this is, e.g. ``"norms"``.
        content: A JSON value inside the canonical domain; a text document is a JSON string.
        data: The canonical bytes of ``content``.
        digest: ``sha256:<hex>`` of ``data``.
    """

    __slots__ = ("content", "data", "digest", "kind")

    def __init__(self, kind: str, content: JSON) -> None:
        """Digest ``content``; raises ``CanonicalError`` with the field path if it cannot be."""
        self.kind = kind
        self.content = content
        try:
            self.data = canonical_bytes(content)
        except BadInputError as error:
            raise error.at(field=kind) from None
        self.digest = sha256(self.data)

    def __eq__(self, other: object) -> bool:
        """Equal kind and equal canonical content."""
        return isinstance(other, Source) and self.kind == other.kind and self.digest == other.digest

    def __hash__(self) -> int:
        return hash((self.kind, self.digest))

    def __repr__(self) -> str:
        return f"Source({self.kind!r}, {self.digest[:19]}…)"


class State:
    """One source of each kind, in the evaluator's declared order of kinds.

    Attributes:
        sources: The sources, one per kind.
        key: Their digests in order. Equal keys mean equal states, so a deterministic
            adjudicator gives them equal verdicts.
    """

    __slots__ = ("key", "sources")

    def __init__(self, sources: Iterable[Source], key: tuple[str, ...] | None = None) -> None:
        """Put sources together; give ``key`` only if their digests are at hand already."""
        self.sources = tuple(sources)
        self.key = key or tuple([source.digest for source in self.sources])

    @classmethod
    def of(cls, contents: Mapping[str, JSON]) -> State:
        """Make a state from kind to content; the order of the mapping is the order of kinds."""
        return cls(Source(kind, content) for kind, content in contents.items())

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds in order."""
        return tuple([source.kind for source in self.sources])

    def __getitem__(self, kind: str) -> JSON:
        """Return the content of the source of this kind."""
        for source in self.sources:
            if source.kind == kind:
                return source.content
        raise KeyError(kind)

    def __iter__(self) -> Iterator[Source]:
        return iter(self.sources)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.sources == other.sources

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"State({', '.join(map(repr, self.sources))})"
