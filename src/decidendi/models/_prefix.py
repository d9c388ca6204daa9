"""What prompts have in common, and how they are laid out side by side. Plain lists of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


def common_prefix(prompts: Sequence[Sequence[int]]) -> int:
    """Return the length of the longest common prefix, leaving each prompt a token of its own.

    The last token of every prompt is left out because the first new token is read from it.
    """
    limit = min(len(prompt) for prompt in prompts) - 1
    first = prompts[0]
    for place in range(limit):
        if any(prompt[place] != first[place] for prompt in prompts):
            return place
    return max(limit, 0)


@dataclass(frozen=True)
class Layout:
    """Prompts of one or more cases, side by side.

    Each row reads: padding, prefix of its case, padding, suffix. All prefixes end in one column,
    all suffixes in another.

    Attributes:
        prefixes: Per case, the tokens its prompts share.
        suffixes: Per row, the tokens after them; at least one.
        case_of: Per row, its case.
    """

    prefixes: tuple[tuple[int, ...], ...]
    suffixes: tuple[tuple[int, ...], ...]
    case_of: tuple[int, ...]

    @property
    def prefix_width(self) -> int:
        """Columns before the suffixes' padding."""
        return max(len(prefix) for prefix in self.prefixes)

    @property
    def suffix_width(self) -> int:
        """Columns of the suffixes with their padding."""
        return max(len(suffix) for suffix in self.suffixes)

    def padding(self, row: int) -> tuple[int, int]:
        """Return the padding before a row's prefix and before its suffix."""
        prefix = self.prefixes[self.case_of[row]]
        return self.prefix_width - len(prefix), self.suffix_width - len(self.suffixes[row])

    def length(self, row: int) -> int:
        """Return how many tokens the prompt of a row has."""
        return len(self.prefixes[self.case_of[row]]) + len(self.suffixes[row])


def lay_out(cases: Sequence[Sequence[Sequence[int]]], *, share: bool = True) -> Layout:
    """Split the prompts of each case into what they share and what is their own.

    Args:
        cases: Per case, its prompts' tokens; no prompt is empty.
        share: False computes each prompt for itself.
    """
    prefixes: list[tuple[int, ...]] = []
    suffixes: list[tuple[int, ...]] = []
    case_of: list[int] = []
    for index, prompts in enumerate(cases):
        cut = common_prefix(prompts) if share else 0
        prefixes.append(tuple(prompts[0][:cut]))
        suffixes.extend(tuple(prompt[cut:]) for prompt in prompts)
        case_of.extend([index] * len(prompts))
    return Layout(tuple(prefixes), tuple(suffixes), tuple(case_of))


def batches(sizes: Sequence[int], rows: int) -> Iterator[list[tuple[int, range]]]:
    """Pack cases into batches of at most ``rows`` prompts, in order.

    A case is split only if it alone is larger than a batch.

    Args:
        sizes: Prompts per case.
        rows: The most prompts in a batch.

    Yields:
        Per batch, its cases, each with the range of its prompts.
    """
    batch: list[tuple[int, range]] = []
    free = rows
    for case, size in enumerate(sizes):
        for start in range(0, size, rows):
            piece = range(start, min(size, start + rows))
            if batch and len(piece) > free:
                yield batch
                batch, free = [], rows
            batch.append((case, piece))
            free -= len(piece)
    if batch:
        yield batch
