"""Public sets of chains that people labelled, some with judges beside them.

Three that mark the first wrong step: BIG-Bench Mistake (0-based ``mistake_index``, null for
none), ProcessBench (0-based ``label``, -1 for none), and MR-MATH with the verdicts of language
models on the same solutions (1-based step). What comes after the first wrong step has no label.
Two that JUDGE-BENCH has: see ``_import_judgebench``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decidendi.folders import write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused, chain_line, labels_line
from decidendi.grading._import_judgebench import (
    NOT_RIGHT,
    RIGHT,
    SOUND_REASONING,
    gathered,
    proof,
    roscoe,
)
from decidendi.grading._judge import JudgeIdentity
from decidendi.grading._labels import SOUND, WRONG, Labels, Whole, up_to_first_error
from decidendi.grading._runs import write_run
from decidendi.grading._taxonomy import taxonomy
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json

PEOPLE = "people"
_NO_ANSWER = Unmeasured(Reason.NOT_CONVERGED, "no answer")
_STEP = re.compile(r"(?:step\s*)?#?(\d{1,3})(?!\d)", re.IGNORECASE)
_SAID: Mapping[str, Whole] = {"correct": SOUND, "wrong": WRONG, "incorrect": WRONG}


@dataclass(frozen=True)
class Imported:
    """What a file gave.

    Attributes:
        format: Which set it is.
        chains: The chains.
        human: People's labels, a row for each chain and annotator.
        judges: Labels of judges that are in the set, by judge.
        refused: Rows that were not used.
    """

    format: str
    chains: tuple[Chain, ...]
    human: tuple[Labels, ...]
    judges: Mapping[str, tuple[Labels, ...]] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()


def import_steps(
    path: Path, format: str = "auto", *, judges: Mapping[str, Path] | None = None
) -> Imported:
    """Read a set of labelled chains.

    Args:
        path: The set as it was released: JSON Lines, a JSON array, or an object with
            ``instances``; see ``FORMATS`` for the fields.
        format: One of ``FORMATS``, or ``auto`` to recognise it by the first row's fields.
        judges: MR-MATH: files of judges' verdicts on the same solutions, by the judge's name.

    Raises:
        BadInputError: if the format is not known or not recognised. A row that cannot be used
            raises nothing: it is listed.
    """
    rows, refused = _rows(path)
    name = _recognised(path, rows) if format == "auto" else format
    if name not in FORMATS:
        raise BadInputError(f"no format {name!r}", remedy=", ".join(FORMATS))
    if judges:
        refused += _with_judges(rows, judges)
    if name == "roscoe":
        rows = gathered(rows)
    chains: list[Chain] = []
    human: list[Labels] = []
    by_judge: dict[str, list[Labels]] = {}
    seen: set[str] = set()
    for place, row in rows:
        try:
            if name == "bigbench-mistake" and isinstance(row, dict):  # as released, it has no ids
                row = {"id": f"{path.stem}-{place.line}", **row}
            chain, people, others = _READERS[name](row)
            if chain.id in seen:
                raise ValueError(f"the id {chain.id!r} stands twice")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"no {error}" if isinstance(error, KeyError) else str(error)
            refused.append(Refused(place, why))
            continue
        seen.add(chain.id)
        chains.append(chain)
        human += people
        for judge, labels in others.items():
            by_judge.setdefault(judge, []).append(labels)
    return Imported(
        name,
        tuple(chains),
        tuple(human),
        {judge: tuple(labels) for judge, labels in by_judge.items()},
        tuple(refused),
    )


_Rows = list[tuple[Place, Any]]


def _rows(path: Path) -> tuple[_Rows, list[Refused]]:
    """Read JSON Lines, or the rows of a JSON document."""
    data = path.read_bytes()
    whole = _document(data)
    if whole is not None:
        return [(Place(str(path), field=f"row {i}"), row) for i, row in enumerate(whole, 1)], []
    rows: _Rows = []
    refused: list[Refused] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                rows.append((Place(str(path), number), parse_json(line)))
            except BadInputError as error:
                refused.append(Refused(Place(str(path), number), error.what))
    return rows, refused


def _document(data: bytes) -> list[Any] | None:
    """Return the rows of an array, or of an object with instances; None if it is neither."""
    try:
        content: Any = parse_json(data)
    except BadInputError:
        return None
    if isinstance(content, list):
        return content
    if not isinstance(content, dict) or not isinstance(content.get("instances"), list):
        return None
    named = {"dataset": content.get("dataset", "")}
    return [{**named, **row} if isinstance(row, dict) else row for row in content["instances"]]


def _with_judges(rows: _Rows, judges: Mapping[str, Path]) -> list[Refused]:
    """Put verdicts from files of their own into the rows they are about, by ``id``."""
    by_id = {str(row["id"]): row for _, row in rows if isinstance(row, dict) and "id" in row}
    refused: list[Refused] = []
    for judge, path in judges.items():
        said, bad = _rows(path)
        refused += bad
        for place, row in said:
            about = by_id.get(str(row.get("id"))) if isinstance(row, dict) else None
            if about is None:
                refused.append(Refused(place, "a verdict on a solution that is not there"))
            else:
                about["judges"] = {**about.get("judges", {}), judge: row}
    return refused


def write_imported(folder: Path, found: Imported) -> list[Path]:
    """Write chains, people's labels, and one run for each judge in the set.

    Returns:
        The folders of the runs.
    """
    write_whole(folder / "chains.jsonl", map(chain_line, found.chains))
    write_whole(folder / "human.jsonl", map(labels_line, found.human))
    runs = []
    for judge, labels in found.judges.items():
        # The name may come from the file: it must not lead anywhere else.
        path = folder / (re.sub(r"[^\w.-]+", "-", judge).strip(".") or "judge")
        identity = JudgeIdentity(judge, found.format, taxonomy().digest)
        write_run(path, found.chains, labels, identity)
        runs.append(path)
    return runs


def _recognised(path: Path, rows: _Rows) -> str:
    first = rows[0][1] if rows and isinstance(rows[0][1], dict) else {}
    asked = first.get("annotations")
    fields = {*first, *(asked if isinstance(asked, dict) else ())}
    for name, needed in FORMATS.items():
        if needed <= fields:
            return name
    raise BadInputError(
        "not recognised as a known set of labelled chains",
        remedy="; ".join(f"{name}: {', '.join(sorted(f))}" for name, f in FORMATS.items()),
        place=Place(str(path)),
    )


_Read = tuple[Chain, list[Labels], Mapping[str, Labels]]


def _bigbench_mistake(row: Any) -> _Read:  # noqa: ANN401 - a row of JSON
    steps = _steps(row["steps"])
    chain = Chain(
        id=_text(row["id"]),
        premises=steps,
        conclusion="" if row["answer"] is None else f"ANSWER: {row['answer']}",
        chosen=_NO_ANSWER if row["answer"] is None else _text(row["answer"]),
        gold=_text(row["target"]),
        question=_text(row["input"]),
        collection="bigbench-mistake",
        carried={"task": row.get("task"), "origin": row.get("source")},
    )
    first = row["mistake_index"]
    return chain, [Labels(chain.id, PEOPLE, up_to_first_error(len(steps), first))], {}


def _processbench(row: Any) -> _Read:  # noqa: ANN401 - a row of JSON
    steps = _steps(row["steps"])
    chain = Chain(
        id=_text(row["id"]),
        premises=steps,
        conclusion="",
        chosen=_right(row["final_answer_correct"]),
        gold=RIGHT,
        question=_text(row["problem"]),
        collection="processbench",
        model=_text(row["generator"]),
        carried={"origin": row.get("source")},
    )
    first = None if row["label"] == -1 else row["label"]
    return chain, [Labels(chain.id, PEOPLE, up_to_first_error(len(steps), first))], {}


def _mrmath(row: Any) -> _Read:  # noqa: ANN401 - a row of JSON
    steps = _steps(["\n".join(step) for step in row["model_output_step_format"]])
    name = f"mrmath-{row['id']}"
    chain = Chain(
        id=name,
        premises=steps,
        conclusion="",
        chosen=_right(row["model_output_answer_correctness"] == "correct"),
        gold=RIGHT,
        question=_text(row["question"]),
        collection="mrmath",
        model=_text(row["generator"]),
        carried={"answer": row["ground_truth_answer"], "origin": row.get("source")},
    )
    human = _verdict(
        name,
        PEOPLE,
        len(steps),
        row["model_output_solution_correctness"],
        row["model_output_solution_first_error_step"],
    )
    # The other judges of the set give scores without saying where the line is: not read.
    judges = {
        judge: _verdict(name, judge, len(steps), said["correctness_pred"], said["error_step_pred"])
        for judge, said in row.get("judges", {}).items()
        if "correctness_pred" in said
    }
    return chain, [human], judges


def _verdict(name: str, by: str, size: int, said: str, step: str) -> Labels:
    """Read a verdict on a whole solution, and the 1-based step it goes wrong at.

    A step that is not there, or a verdict that contradicts its own step, leaves the steps
    unmeasured; the verdict on the whole is still one.
    """
    whole = _SAID.get(str(said).strip().strip("*. ").casefold())
    if whole is None:
        reason = Unmeasured(Reason.LABEL, f"neither correct nor wrong: {str(said)[:60]!r}")
        return Labels(name, by, reason, said=reason)
    found = _STEP.match(str(step).strip())
    if whole == SOUND and found is None:
        return Labels(name, by, up_to_first_error(size, None), said=SOUND)
    if whole == WRONG and found is not None and 1 <= int(found[1]) <= size:
        return Labels(name, by, up_to_first_error(size, int(found[1]) - 1), said=WRONG)
    why = "names no step that is there" if whole == WRONG else "calls it correct, and a step wrong"
    return Labels(name, by, Unmeasured(Reason.LABEL, f"{why}: {str(step)[:60]!r}"), said=whole)


def _steps(steps: Any) -> tuple[str, ...]:  # noqa: ANN401 - checked here
    if not isinstance(steps, list) or not steps:
        raise ValueError("no steps")
    return tuple(_text(step) for step in steps)


def _text(value: Any) -> str:  # noqa: ANN401 - checked here
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value.strip()


def _right(value: bool) -> str:
    return RIGHT if value else NOT_RIGHT


FORMATS: Mapping[str, frozenset[str]] = {
    "bigbench-mistake": frozenset({"input", "steps", "target", "answer", "mistake_index"}),
    "processbench": frozenset({"problem", "steps", "label", "final_answer_correct"}),
    "mrmath": frozenset({"model_output_step_format", "model_output_solution_correctness"}),
    "roscoe": frozenset({"instance", "annotations", "Coherency and Logic", "Repetition"}),
    "inferential-strategies": frozenset({"instance", "annotations", SOUND_REASONING}),
}
"""The known sets, each with the fields, and questions annotated, it is recognised by."""

_READERS: Mapping[str, Callable[[Any], _Read]] = {
    "bigbench-mistake": _bigbench_mistake,
    "processbench": _processbench,
    "mrmath": _mrmath,
    "roscoe": roscoe,
    "inferential-strategies": proof,
}
