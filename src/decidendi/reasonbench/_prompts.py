"""Handing prompts out, one a line, to whatever is to answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from decidendi.judgment import JSON, BadInputError, Source, State, parse_json
from decidendi.reasonbench._records import KINDS, SPLITS, Split
from decidendi.reasonbench._render import RENDERINGS, Renderer, instruction
from decidendi.reasonbench._rows import column_of
from decidendi.reasonbench._store import check_files, read_rows
from decidendi.reasonbench._targets import Target

ALL = "all"
"""Every split that is scored, which is every one but the training split."""


def splits_named(names: Sequence[str]) -> tuple[Split, ...]:
    """Return the splits that ``names`` stand for, in the benchmark's order.

    Raises:
        BadInputError: if there is no such split.
    """
    if unknown := set(names) - {ALL, *SPLITS}:
        raise BadInputError(
            f"no split {min(unknown)!r}", remedy=f"one of: {', '.join((*SPLITS, ALL))}"
        )
    return tuple(s for s in SPLITS if s in names or (ALL in names and s != "train"))


def prompts(
    folder: Path,
    target: Target,
    *,
    splits: Sequence[Split] = ("locked",),
    controls: bool = True,
    rendering: str | None = None,
    ask: bool = True,
    exact: bool = False,
) -> Iterator[dict[str, JSON]]:
    """Return the prompts of some splits as lines to be answered; memory holds one row group.

    A line with an ``output`` added is a line of predictions.

    Args:
        folder: A built benchmark.
        target: What to ask for.
        splits: Which splits; each case stands once, in the benchmark's order.
        controls: Whether the locked split brings its controls.
        rendering: Other words for every case; each case's own where left out. What is predicted
            from other words is another test than the benchmark's, so lines say which it was.
        ask: Whether the instruction for ``target`` follows each prompt. A predictor that was
            trained on the target needs none.
        exact: Whether the exact answer comes along as ``completion``, to train on.

    Raises:
        BadInputError: if the folder holds no benchmark or an altered one, or there is no such
            rendering.
    """
    digest = str(check_files(folder)["digest"])
    if rendering is not None and rendering not in RENDERINGS:
        raise BadInputError(
            f"no rendering {rendering!r}", remedy=f"one of: {', '.join(RENDERINGS)}"
        )
    return _lines(folder, target, digest, splits, controls, rendering, ask, exact)


def _lines(
    folder: Path,
    target: Target,
    digest: str,
    splits: Sequence[Split],
    controls: bool,
    rendering: str | None,
    ask: bool,
    exact: bool,
) -> Iterator[dict[str, JSON]]:
    answer = column_of(target)
    columns = ["id", "unit", "split", "old", "revised", "order", "rendering", "prompt", answer]
    again = Again(_contents(folder)) if rendering is not None else None
    question = f"\n{instruction(target)}\n" if ask else ""
    tables = ["cases", "controls"] if controls and "locked" in splits else ["cases"]
    for table in tables:
        for row in read_rows(folder, table, columns):
            if row["split"] not in splits:
                continue
            text = again.prompt(row, rendering) if again else row["prompt"]
            line: dict[str, JSON] = {
                "id": row["id"],
                "benchmark": digest,
                "target": target.value,
                "prompt": text + question,
            }
            if rendering not in (None, row["rendering"]):
                line["rendering"] = rendering
            if exact:
                line["completion"] = row[answer]
            yield line


def _contents(folder: Path) -> dict[str, str]:
    rows = read_rows(folder, "sources", ["digest", "content"])
    return {row["digest"]: row["content"] for row in rows}


class Again:
    """Puts stored cases into words, from nothing but what is stored."""

    def __init__(self, contents: Mapping[str, str]) -> None:
        """Make one from sources' canonical texts by their digests."""
        self._contents = contents
        self._of = ("", "")
        self._renderer: Renderer | None = None

    def prompt(self, row: Mapping[str, Any], rendering: str | None = None) -> str:
        """Return the prompt of a row, in its own words or in others.

        Rows of one unit stand together, and share words.
        """
        of = (str(row["unit"]), rendering or str(row["rendering"]))
        if self._renderer is None or self._of != of:
            self._of, self._renderer = of, Renderer(*of)
        return self._renderer.prompt(
            self._state(row["old"]), self._state(row["revised"]), row["order"]
        )

    def _state(self, digests: Sequence[str]) -> State:
        pairs = zip(KINDS, digests, strict=True)
        return State(
            Source(kind, parse_json(self._contents[digest].encode())) for kind, digest in pairs
        )
