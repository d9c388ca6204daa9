"""The folder of a graded set: its chains, one judge's labels, and which judge it was.

``run.json`` names the judge, the taxonomy and the digest of the chains; ``chains.jsonl`` and
``labels.jsonl`` hold the rest; ``taxonomy.json`` the taxonomy that was used. Everything else is
computed from these. A model's answers are kept in ``answers.jsonl`` as they come, so that the same
command goes on where one was stopped, and ends with the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from decidendi._version import __version__
from decidendi.folders import bind, json_bytes, only_writer, write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._files import (
    Refused,
    chain_line,
    labels_line,
    read_chains,
    read_labels,
)
from decidendi.grading._judge import Judge, JudgeIdentity
from decidendi.grading._labels import Labels
from decidendi.grading._measures import Graded, Measures, measure, pair_up
from decidendi.grading._model_judge import ModelJudge
from decidendi.grading._model_judge_answers import Answers
from decidendi.grading._model_judge_desk import Watch
from decidendi.grading._run_table import write_table
from decidendi.grading._taxonomy import Taxonomy, load_taxonomy, taxonomy
from decidendi.judgment import JSON, BadInputError, Place, digest_of, parse_json, sha256

RUN, CHAINS, LABELS, TAXONOMY = "run.json", "chains.jsonl", "labels.jsonl", "taxonomy.json"
ANSWERS, REFUSED = "answers.jsonl", "refused.jsonl"
FORMAT = "decidendi-grading/1"
_WRITTEN = "chains", "labels"
"""Parts of ``run.json`` that are written at the end: how many lines there are, and their digest."""


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

    @cached_property
    def measures(self) -> Measures:
        """What the judge says of all chains, uncorrected; measured once."""
        return measure(self.graded, self.taxonomy)

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of the sets the chains come from, sorted."""
        return tuple(sorted({chain.collection for chain in self.chains}))


def grade_to(  # long: one keyword for each thing that goes with a run
    folder: Path,
    chains: Sequence[Chain],
    judge: Judge,
    *,
    kinds: Taxonomy | None = None,
    refused: Sequence[Refused] = (),
    watch: Watch | None = None,
) -> GradingRun:
    """Grade chains and write the run; or go on with it, if the folder holds the same one.

    Args:
        folder: Of the run; made if it is not there.
        chains: What to grade.
        judge: Who grades. A model's answers are kept in the folder, and not asked for again;
            calls that had no answer are.
        kinds: The taxonomy that it labels with.
        refused: Rows that became no chain, to be listed in the folder.
        watch: Told of a model's calls.

    Raises:
        BadInputError: if the folder holds another run, or another process writes to it; if a chain
            stands twice, or the judge labels with another taxonomy.
    """
    used = kinds or taxonomy()
    _check(chains, judge.identity, used)
    bound = {
        "format": FORMAT,
        "tool": {"name": "decidendi", "version": __version__},
        "judge": judge.identity.as_json(),
        "taxonomy": {"name": used.name, "digest": used.digest},
        "input": _counted([chain_line(chain) for chain in chains]),
    }
    with only_writer(folder):
        bind(folder / RUN, bound, free=["tool", *_WRITTEN])
        write_whole(folder / TAXONOMY, json_bytes(used.content))
        if isinstance(judge, ModelJudge):
            answers = Answers(folder / ANSWERS)
            try:
                judge.keep(answers, watch)
                chains = judge.segment(chains)
                labels = judge.grade(chains)
            finally:
                answers.close()
        else:
            labels = judge.grade(chains)
        pair_up(chains, labels)
        if refused:
            write_whole(folder / REFUSED, [_refused_line(row) for row in refused])
        return _finished(folder, bound, chains, labels, judge.identity, used)


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
    _check(chains, judge, used)
    pair_up(chains, labels)
    content = {
        "format": FORMAT,
        "judge": judge.as_json(),
        "taxonomy": {"name": used.name, "digest": used.digest},
    }
    write_whole(folder / TAXONOMY, json_bytes(used.content))
    return _finished(folder, content, chains, labels, judge, used)


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
    if "chains" not in content:
        remedy = "the command that began it goes on from there"
        raise BadInputError("the run is not finished", remedy=remedy, place=place)
    used = load_taxonomy(folder / TAXONOMY)
    chains, bad_chains = read_chains(folder / CHAINS)
    labels, bad_labels = read_labels(folder / LABELS, used)
    for refused in (*bad_chains, *bad_labels):
        raise BadInputError(refused.detail, place=refused.place)
    digest, of_labels = (sha256((folder / name).read_bytes()) for name in (CHAINS, LABELS))
    try:
        judge = _identity(content["judge"])
        written = tuple(content[part]["digest"] for part in (*_WRITTEN, "taxonomy"))
    except KeyError as error:
        what = f"the run says nothing of {error}: another version wrote it, or it was altered"
        raise BadInputError(what, remedy="grade again, into another folder", place=place) from None
    except TypeError as error:
        raise BadInputError(f"not the run of a grading: {error}", place=place) from None
    if written != (digest, of_labels, used.digest) or judge.taxonomy != used.digest:
        what = "chains, labels or taxonomy are not those that were graded"
        raise BadInputError(what, place=place)
    return GradingRun(judge, used, tuple(chains), tuple(labels), digest)


def labels_digest(labels: Sequence[Labels]) -> str:
    """Digest of labels, whatever their order."""
    each: list[JSON] = [*sorted(sha256(labels_line(row)) for row in labels)]
    return digest_of(each)


def _check(chains: Sequence[Chain], judge: JudgeIdentity, kinds: Taxonomy) -> None:
    if judge.taxonomy != kinds.digest:
        raise BadInputError(f"{judge.by} labels with another taxonomy than {kinds.name}")
    ids = Counter(chain.id for chain in chains)
    for name, count in ids.items():
        if count > 1:
            raise BadInputError(f"the chain {name!r} stands twice")


def _finished(
    folder: Path,
    content: Mapping[str, Any],
    chains: Sequence[Chain],
    labels: Sequence[Labels],
    judge: JudgeIdentity,
    kinds: Taxonomy,
) -> GradingRun:
    """Write chains and labels; last of all, that they are there."""
    of_chains = [chain_line(chain) for chain in chains]
    of_labels = [labels_line(row, kinds.digest) for row in labels]
    write_whole(folder / CHAINS, of_chains)
    write_whole(folder / LABELS, of_labels)
    write_table(folder, pair_up(chains, labels), kinds.digest)
    written = dict(zip(_WRITTEN, map(_counted, (of_chains, of_labels)), strict=True))
    write_whole(folder / RUN, json_bytes({**content, **written}))
    return GradingRun(judge, kinds, tuple(chains), tuple(labels), written["chains"]["digest"])


def _counted(lines: Sequence[bytes]) -> dict[str, Any]:
    return {"count": len(lines), "digest": sha256(b"".join(lines))}


def _refused_line(row: Refused) -> bytes:
    place = {"file": row.place.file, "line": row.place.line, "field": row.place.field}
    return orjson.dumps({**place, "why": row.detail}) + b"\n"


def _identity(content: Any) -> JudgeIdentity:  # noqa: ANN401 - checked by the caller
    return JudgeIdentity(
        content["name"],
        content["version"],
        content["taxonomy"],
        content["settings"],
        tuple(content["designed_on"]),
    )


def refuse_dry_run(run: GradingRun) -> None:
    """Refuse a run in which no judge judged.

    Raises:
        BadInputError: if it is one.
    """
    if run.judge.dry_run:
        raise BadInputError(
            "a dry run: its labels are made up, and there is no judge to validate or compare",
            remedy="grade with a model; or with --judge scripted --labels FILE",
        )
