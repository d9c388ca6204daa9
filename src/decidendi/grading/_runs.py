"""The folder of a graded set: its chains, one judge's labels, and which judge it was.

``run.json`` names the judge, the taxonomy and the digest of the chains; ``chains.jsonl`` and
``labels.jsonl`` hold the rest; ``taxonomy.json`` the taxonomy that was used. Everything else is
computed from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from decidendi.grading._chain import Chain
from decidendi.grading._files import (
    chain_line,
    labels_line,
    read_chains,
    read_labels,
    write_lines,
)
from decidendi.grading._judge import Judge, JudgeIdentity
from decidendi.grading._labels import Labels
from decidendi.grading._measures import Graded, pair_up
from decidendi.grading._taxonomy import Taxonomy, load_taxonomy, taxonomy
from decidendi.judgment import JSON, BadInputError, Place, digest_of, parse_json, sha256

RUN, CHAINS, LABELS, TAXONOMY = "run.json", "chains.jsonl", "labels.jsonl", "taxonomy.json"
FORMAT = "decidendi-grading/1"


@dataclass(frozen=True)
class GradingRun:
    """Chains that one judge graded.

    Attributes:
        judge: Which judge.
        taxonomy: What it labelled with.
        chains: The chains.
        labels: Its labels, at most one for each chain.
        chains_digest: Of the file of chains.
    """

    judge: JudgeIdentity
    taxonomy: Taxonomy
    chains: tuple[Chain, ...]
    labels: tuple[Labels, ...]
    chains_digest: str

    @property
    def graded(self) -> list[Graded]:
        """Each chain with the judge's labels."""
        return pair_up(self.chains, self.labels)

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of the sets the chains come from, sorted."""
        return tuple(sorted({chain.collection for chain in self.chains}))


def grade_to(
    folder: Path, chains: Sequence[Chain], judge: Judge, *, kinds: Taxonomy | None = None
) -> GradingRun:
    """Grade chains with a judge that needs no network, and write the run.

    Raises:
        BadInputError: if the folder holds a run, or the judge labels with another taxonomy.
    """
    return write_run(folder, chains, judge.grade(chains), judge.identity, kinds=kinds)


def write_run(
    folder: Path,
    chains: Sequence[Chain],
    labels: Sequence[Labels],
    judge: JudgeIdentity,
    *,
    kinds: Taxonomy | None = None,
) -> GradingRun:
    """Write a run whose labels are there already.

    Raises:
        BadInputError: if the folder holds a run, a chain stands twice, the labels do not fit the
            chains, or the judge labels with another taxonomy.
    """
    used = kinds or taxonomy()
    if (folder / RUN).exists():
        raise BadInputError("the folder holds a run", place=Place(str(folder)))
    if judge.taxonomy != used.digest:
        raise BadInputError(f"{judge.by} labels with another taxonomy than {used.name}")
    ids = [chain.id for chain in chains]
    if len(set(ids)) != len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise BadInputError(f"the chain {twice!r} stands twice")
    pair_up(chains, labels)
    lines = [chain_line(chain) for chain in chains]
    digest = sha256(b"".join(lines))
    content = {
        "format": FORMAT,
        "judge": judge.as_json(),
        "taxonomy": {"name": used.name, "digest": used.digest},
        "chains": {"count": len(chains), "digest": digest},
    }
    write_lines(folder / CHAINS, lines)
    write_lines(folder / LABELS, [labels_line(row) for row in labels])
    write_lines(folder / TAXONOMY, [_json(used.content)])
    write_lines(folder / RUN, [_json(content)])
    return GradingRun(judge, used, tuple(chains), tuple(labels), digest)


def load_run(folder: Path) -> GradingRun:
    """Read a run.

    Raises:
        BadInputError: if it is none, or was altered.
    """
    place = Place(str(folder / RUN))
    if not (folder / RUN).is_file():
        raise BadInputError("no run of a grading here", place=place)
    content = parse_json((folder / RUN).read_bytes())
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadInputError("not the run of a grading", place=place)
    used = load_taxonomy(folder / TAXONOMY)
    chains, bad_chains = read_chains(folder / CHAINS)
    labels, bad_labels = read_labels(folder / LABELS, used)
    for refused in (*bad_chains, *bad_labels):
        raise BadInputError(refused.detail, place=refused.place)
    digest = sha256((folder / CHAINS).read_bytes())
    try:
        judge = _identity(content["judge"])
        written = (content["chains"]["digest"], content["taxonomy"]["digest"])
    except (KeyError, TypeError) as error:
        raise BadInputError(f"not the run of a grading: {error}", place=place) from None
    if written != (digest, used.digest) or judge.taxonomy != used.digest:
        raise BadInputError("chains or taxonomy are not those that were graded", place=place)
    return GradingRun(judge, used, tuple(chains), tuple(labels), digest)


def labels_digest(labels: Sequence[Labels]) -> str:
    """Digest of labels, whatever their order."""
    each: list[JSON] = [*sorted(sha256(labels_line(row)) for row in labels)]
    return digest_of(each)


def _identity(content: Any) -> JudgeIdentity:  # noqa: ANN401 - checked by the caller
    return JudgeIdentity(
        content["name"],
        content["version"],
        content["taxonomy"],
        content["settings"],
        tuple(content["designed_on"]),
    )


def _json(content: Any) -> bytes:  # noqa: ANN401 - any JSON
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
