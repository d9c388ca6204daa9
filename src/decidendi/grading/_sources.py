"""Chains from what models already wrote: the run of a verdict audit, or logs of Inspect.

Whatever has no answer becomes a chain that is unmeasured, with the reason; only what is no record
of an answer at all is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused
from decidendi.grading._source_chain import TARGET
from decidendi.grading._source_logs import of_logs
from decidendi.grading._source_run import of_run
from decidendi.judgment import BadInputError, Place


def chains_from(
    path: Path,
    *,
    condition: str = TARGET,
    task: str | Path | None = None,
    labels: Sequence[str] = (),
) -> tuple[list[Chain], list[Refused]]:
    """Read the chains of what a model was asked elsewhere.

    Args:
        path: The folder of an audit's run, one log of Inspect, or a folder of logs. Of several
            logs of one model and task the later one counts.
        condition: The audit's condition.
        task: The file of the audit's task, where that is none of those shipped.
        labels: The answers that a log's questions allow, where it does not list them. Otherwise
            the targets that occur in it.

    Returns:
        The chains, and what was not used. An answer that failed is a chain, unmeasured.

    Raises:
        BadInputError: if there is nothing to read, or no answer under that condition.
        MissingExtraError: on logs, without the extra ``models``.
    """
    if not path.exists():
        raise BadInputError("no such file or folder", place=Place(str(path)))
    found: dict[str, Chain] = {}
    refused: list[Refused] = []
    if (path / "run.json").is_file():
        rows = of_run(path, condition, task)
    else:
        rows = of_logs(path, condition, task, labels)
    for row in rows:
        if isinstance(row, Refused):
            refused.append(row)
            continue
        there = found.get(row.id)
        if there is not None and there.question != row.question:
            why = f"the id {row.id!r} stands for another question already"
            refused.append(Refused(Place(str(path)), f"{why}: name the logs one by one"))
        elif there is None or row.text or not there.text:
            # A call that failed may have been made again; what was written stays.
            found[row.id] = row
    if not found and not refused:
        raise BadInputError(
            f"no answer under the condition {condition!r}",
            remedy="name another condition with --condition",
            place=Place(str(path)),
        )
    return list(found.values()), refused
