"""Public sets of chains that people labelled, some with judges beside them.

Three that mark the first wrong step: BIG-Bench Mistake (0-based ``mistake_index``, null for
none), ProcessBench (0-based ``label``, -1 for none), and MR-MATH with the verdicts of language
models on the same solutions (1-based step). What comes after the first wrong step has no label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused, chain_line, labels_line, write_lines
from decidendi.grading._judge import JudgeIdentity
from decidendi.grading._labels import SOUND, WRONG, Labels, Whole, up_to_first_error
from decidendi.grading._runs import write_run
from decidendi.grading._taxonomy import taxonomy
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json

PEOPLE = "people"
RIGHT, NOT_RIGHT = "right", "not right"
"""Options of sets that say whether the final answer is right, but not which answers there are."""

_NO_ANSWER = Unmeasured(Reason.NOT_CONVERGED, "no answer")
_STEP = re.compile(r"(?:step\s*)?#?(\d{1,3})(?!\d)", re.IGNORECASE)
_SAID: Mapping[str, Whole] = {"correct": SOUND, "wrong": WRONG, "incorrect": WRONG}


@dataclass(frozen=True)
class Imported:
    """What a file gave.

    Attributes:
        format: Which set it is.
        chains: The chains.
        human: People's labels, one row for each chain.
        judges: Labels of judges that are in the set, by judge.
        refused: Rows that were not used.
    """

    format: str
    chains: tuple[Chain, ...]
    human: tuple[Labels, ...]
    judges: Mapping[str, tuple[Labels, ...]] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()


def import_steps(path: Path, format: str = "auto") -> Imported:
    """Read a set of labelled chains.

    Args:
        path: JSON Lines as the set was released; see ``FORMATS`` for the fields.
        format: One of ``FORMATS``, or ``auto`` to recognise it by the first row's fields.

    Raises:
        BadInputError: if the format is not known or not recognised. A row that cannot be used
            raises nothing: it is listed.
    """
    rows: list[tuple[int, Any]] = []
    refused: list[Refused] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            try:
                rows.append((number, parse_json(line)))
            except BadInputError as error:
                refused.append(Refused(Place(str(path), number), error.what))
    name = _recognised(path, rows) if format == "auto" else format
    if name not in FORMATS:
        raise BadInputError(f"no format {name!r}", remedy=", ".join(FORMATS))
    chains: list[Chain] = []
    human: list[Labels] = []
    judges: dict[str, list[Labels]] = {}
    seen: set[str] = set()
    for number, row in rows:
        try:
            chain, people, others = _READERS[name](row)
            if chain.id in seen:
                raise ValueError(f"the id {chain.id!r} stands twice")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"no {error}" if isinstance(error, KeyError) else str(error)
            refused.append(Refused(Place(str(path), number), why))
            continue
        seen.add(chain.id)
        chains.append(chain)
        human.append(people)
        for judge, labels in others.items():
            judges.setdefault(judge, []).append(labels)
    return Imported(
        name,
        tuple(chains),
        tuple(human),
        {judge: tuple(labels) for judge, labels in judges.items()},
        tuple(refused),
    )


def write_imported(folder: Path, found: Imported) -> list[Path]:
    """Write chains, people's labels, and one run for each judge in the set.

    Returns:
        The folders of the runs.
    """
    write_lines(folder / "chains.jsonl", map(chain_line, found.chains))
    write_lines(folder / "human.jsonl", map(labels_line, found.human))
    runs = []
    for judge, labels in found.judges.items():
        path = folder / re.sub(r"[^\w.-]+", "-", judge)
        identity = JudgeIdentity(judge, found.format, taxonomy().digest)
        write_run(path, found.chains, labels, identity)
        runs.append(path)
    return runs


def _recognised(path: Path, rows: Sequence[tuple[int, Any]]) -> str:
    fields = set(rows[0][1]) if rows and isinstance(rows[0][1], dict) else set()
    for name, needed in FORMATS.items():
        if needed <= fields:
            return name
    raise BadInputError(
        "not recognised as a known set of labelled chains",
        remedy="; ".join(f"{name}: {', '.join(sorted(f))}" for name, f in FORMATS.items()),
        place=Place(str(path)),
    )


_Read = tuple[Chain, Labels, Mapping[str, Labels]]


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
    return chain, Labels(chain.id, PEOPLE, up_to_first_error(len(steps), first)), {}


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
    return chain, Labels(chain.id, PEOPLE, up_to_first_error(len(steps), first)), {}


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
    return chain, human, judges


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
}
"""The known sets, each with the fields it is recognised by."""

_READERS: Mapping[str, Callable[[Any], _Read]] = {
    "bigbench-mistake": _bigbench_mistake,
    "processbench": _processbench,
    "mrmath": _mrmath,
}
