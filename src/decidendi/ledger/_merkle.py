"""Merkle roots over certificates: one digest that stands for a whole run.

As in RFC 6962 (certificate transparency): leaves and nodes are hashed in different domains,
so no node can pass for a leaf, and a tree of n leaves splits at the largest power of two
below n. A segment's leaves are predicate digests; the run's leaves are segment roots, in a
domain of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

CERTIFICATE = b"\x00"
NODE = b"\x01"
SEGMENT = b"\x02"


def leaf(content: bytes, domain: bytes = CERTIFICATE) -> bytes:
    """Return the hash of one leaf."""
    return sha256(domain + content).digest()


def root(contents: Sequence[bytes], domain: bytes = CERTIFICATE) -> bytes:
    """Return the Merkle root over leaf contents; of nothing, the hash of the bare domain."""
    if not contents:
        return sha256(domain).digest()
    return _levels([leaf(content, domain) for content in contents])[-1][0]


def path(contents: Sequence[bytes], index: int, domain: bytes = CERTIFICATE) -> tuple[bytes, ...]:
    """Return the sibling hashes from leaf ``index`` up to the root."""
    siblings = []
    for level in _levels([leaf(content, domain) for content in contents])[:-1]:
        if index ^ 1 < len(level):
            siblings.append(level[index ^ 1])
        index >>= 1
    return tuple(siblings)


def climb(
    content: bytes, index: int, count: int, siblings: Sequence[bytes], domain: bytes = CERTIFICATE
) -> bytes | None:
    """Return the root that a path leads to; None if its length does not fit the tree."""
    if not 0 <= index < count:
        return None
    node, left = leaf(content, domain), list(siblings)
    while count > 1:
        if index ^ 1 < count:
            if not left:
                return None
            other = left.pop(0)
            pair = other + node if index & 1 else node + other
            node = sha256(NODE + pair).digest()
        index >>= 1
        count = (count + 1) >> 1
    return None if left else node


@dataclass(frozen=True)
class Inclusion:
    """Proof that a certificate belongs to a run, given the run's root.

    Attributes:
        index: The certificate's place in its segment.
        leaves: How many certificates the segment has.
        siblings: The hashes from there up to the segment's root.
        segment: The segment's place in the run.
        segments: How many segments the run has.
        segment_siblings: The hashes from the segment's root up to the run's.
    """

    index: int
    leaves: int
    siblings: tuple[bytes, ...]
    segment: int
    segments: int
    segment_siblings: tuple[bytes, ...]

    def root(self, digest: bytes) -> bytes | None:
        """Return the run root that this proof leads to from a predicate digest, if any."""
        inner = climb(digest, self.index, self.leaves, self.siblings)
        if inner is None:
            return None
        return climb(inner, self.segment, self.segments, self.segment_siblings, SEGMENT)


def _levels(hashes: list[bytes]) -> list[list[bytes]]:
    """Return the tree bottom-up; an odd last node moves up as it is."""
    tree = [hashes]
    while len(hashes) > 1:
        paired = [
            sha256(NODE + hashes[i] + hashes[i + 1]).digest() for i in range(0, len(hashes) - 1, 2)
        ]
        if len(hashes) & 1:
            paired.append(hashes[-1])
        tree.append(paired)
        hashes = paired
    return tree
