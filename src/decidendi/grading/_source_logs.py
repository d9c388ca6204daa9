"""Chains from logs of Inspect: those of our own audit, and of any task with labels as targets.

Headers and summaries are read first, then one sample after another, so that a log may be larger
than memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused
from decidendi.grading._source_chain import NO_ANSWER, TARGET, Written, chain_of, of_audit
from decidendi.judgment import (
    BadInputError,
    MissingExtraError,
    Place,
    Reason,
    Unmeasured,
    Verdict,
    one_line,
)
from decidendi.legal import Authority, Option, Task, load_task
from decidendi.models import reply_of
from decidendi.reasoning import Provision, extract, read_output, task_spec

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

OURS = "decidendi-audit-log/1"
STORE = "decidendi"
MOST_LABELS = 10
"""Targets that occur in a log without choices are its labels if there are no more than this."""
LONGEST_LABEL = 40
"""Characters."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ARTICLE = re.compile(r"Article (\d+)\Z")


@dataclass(frozen=True)
class _Log:
    """What the header of one log says.

    Attributes:
        file: Where it is.
        model: Who answered.
        task: The task's name.
        ours: It is a log of the verdict audit.
        begin: What comes before the ids of its samples, so that no two logs share them.
    """

    file: str
    model: str
    task: str
    ours: bool
    begin: str = ""


def of_logs(
    path: Path, condition: str, task: str | Path | None, labels: Sequence[str]
) -> Iterator[Chain | Refused]:
    """Yield the chains of one log, or of a folder of them, from the oldest to the newest."""
    try:
        import inspect_ai.log  # noqa: F401 - says whether the extra is there
    except ImportError:
        raise MissingExtraError("reading Inspect's logs", "models") from None
    logs, refused = _headers(path)
    yield from refused
    if not logs:
        remedy = "name a run of decidendi audit, or logs of Inspect"
        raise BadInputError("no log of Inspect", remedy=remedy, place=Place(str(path)))
    for log in logs:
        if log.ours:
            yield from _audited(log, condition, task)
        elif condition == TARGET:
            yield from _answered(log, labels)


def _headers(path: Path) -> tuple[list[_Log], list[Refused]]:
    from inspect_ai.log import list_eval_logs, read_eval_log

    # From the oldest: what says when it was made says it by the second.
    listed = [] if path.is_file() else list_eval_logs(str(path), descending=False)
    names = [info.name for info in listed] or ([str(path)] if path.is_file() else [])
    found: list[tuple[str, _Log]] = []
    refused = []
    for name in names:
        try:
            header = read_eval_log(name, header_only=True)
        except Exception as error:  # whatever a file that is no log makes Inspect raise
            refused.append(Refused(Place(name), f"not a log: {one_line(str(error))}"))
            continue
        found.append((str(header.eval.created), _log(name, header)))
    logs = [log for _, log in sorted(found, key=lambda pair: pair[0])]
    several = len({log.model for log in logs}) > 1, len({log.task for log in logs}) > 1
    return [_apart(log, *several) for log in logs], refused


def _log(name: str, header: EvalLog) -> _Log:
    ours = (header.eval.metadata or {}).get("format") == OURS
    return _Log(name, header.eval.model, header.eval.task, ours)


def _apart(log: _Log, models: bool, tasks: bool) -> _Log:
    parts = [name for name, tells in ((log.task, tasks), (log.model, models)) if tells]
    begin = "".join(f"{name}: " for name in parts)
    return _Log(log.file, log.model, log.task, log.ours, begin)


def _samples(log: _Log) -> Iterator[EvalSample]:
    from inspect_ai.log import read_eval_log_samples

    # Events hold every call again: most of a log, and nothing of it is needed.
    yield from read_eval_log_samples(
        log.file,
        all_samples_required=False,
        resolve_attachments=True,
        exclude_fields={"events", "events_data", "messages", "timelines"},
    )


def _audited(log: _Log, condition: str, task: str | Path | None) -> Iterator[Chain | Refused]:
    """Yield the chains of a log of the verdict audit."""
    for sample in _samples(log):
        place = Place(log.file, field=f"sample {sample.id}")
        stored = sample.store.get(STORE)
        given = stored["generations"] if isinstance(stored, dict) else None
        try:
            calls = sample.metadata["calls"]
            for at, call in enumerate(calls):
                if call["condition"] == condition:
                    row = given[at] if given else _failed(sample)
                    yield chain_of(_of_call(log, sample.metadata, call, row, task), place)
        except (KeyError, TypeError, IndexError) as error:
            yield Refused(place, f"not a sample of an audit: {type(error).__name__} {error}")


def _failed(sample: EvalSample) -> dict[str, Any]:
    why = sample.error.message if sample.error else "the sample was not finished"
    return {"text": "", "reasoning": None, "stop": "error", "detail": one_line(why)}


def _of_call(
    log: _Log,
    metadata: Mapping[str, Any],
    call: Mapping[str, Any],
    given: Mapping[str, Any],
    named: str | Path | None,
) -> Written:
    task = load_task(named or metadata["task"])
    case = metadata["case"]
    own = next((a for a in case["authorities"] if a["id"] == call["authority"]), None)
    law = Authority(**_tupled(own)) if own else task.authority(call["authority"])
    # The prompt, not worked examples before it: an answer may well be worded like those.
    masked = [text for role, text in call["messages"] if role == "system"]
    masked += [text for role, text in call["messages"] if role == "user"][-1:]
    masked += [call["note"]] if call["note"] else []
    return of_audit(
        {**call, "generation": given},
        {**case, "matter": case["carried"].get("matter")},
        task,
        law=(law.name, law.text),
        model=log.model,
        verdict=None if given["stop"] in NO_ANSWER else _verdict(given, task, law, masked),
        begin=log.begin,
        masked=masked,
    )


def _tupled(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _verdict(
    given: Mapping[str, Any], task: Task, law: Authority, masked: Sequence[str]
) -> Verdict:
    """Read the verdict as the audit does."""
    spec = task_spec(task.id, task.marker, task.labels, positive=task.positive, authority=law.names)
    article = _ARTICLE.match(law.name)
    output = read_output(
        given["text"],
        native_reasoning=given["reasoning"],
        masked=masked,
        truncated=given["stop"] == "length",
    )
    return extract(output, spec, asked=Provision(article[1]) if article else None).verdict


def _answered(log: _Log, labels: Sequence[str]) -> Iterator[Chain | Refused]:
    """Yield the chains of a log of any other task."""
    known = tuple(labels) or _labels(log)
    for sample in _samples(log):
        place = Place(log.file, field=f"sample {sample.id}")
        texts = sample.choices
        if texts and len(texts) > len(_LETTERS):
            yield Refused(place, f"{len(texts)} choices, more than there are letters")
            continue
        options = (
            tuple(Option(_LETTERS[i], text) for i, text in enumerate(texts))
            if texts
            else tuple(Option(label) for label in known)
        )
        yield chain_of(_of_sample(log, sample, options), place)


def _of_sample(log: _Log, sample: EvalSample, options: tuple[Option, ...]) -> Written:
    about = sample.metadata
    reply = reply_of(sample.output)
    failure = reply.failure
    if sample.error is not None:
        failure = Unmeasured(Reason.ERROR, one_line(sample.error.message))
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    by_form = {option.label.casefold(): option.label for option in options}
    gold = by_form.get(targets[0].strip().casefold()) if len(targets) == 1 else None
    question, before = _asked(sample)

    def said(name: str) -> str:
        value = about.get(name)
        return value if isinstance(value, str) else ""

    return Written(
        id=log.begin + str(sample.id) + (f"#{sample.epoch}" if sample.epoch > 1 else ""),
        unit=said("unit") or str(sample.id),
        text=reply.text,
        reasoning=reply.reasoning,
        cut=reply.cut,
        failure=failure,
        options=options,
        gold=gold,
        question=question,
        source=said("source"),
        expert=said("expert"),
        collection=log.task,
        model=log.model,
        masked=(*before, question),
        carried={} if gold is not None else {"target": sample.target},
    )


def _asked(sample: EvalSample) -> tuple[str, list[str]]:
    """Return the question, and what the system says before it.

    Where answers stand in the input, what comes before the last question is worked examples.
    """
    if isinstance(sample.input, str):
        return sample.input, []
    users = [message.text for message in sample.input if message.role == "user"]
    worked = any(message.role == "assistant" for message in sample.input)
    system = [message.text for message in sample.input if message.role == "system"]
    return "\n\n".join(users[-1:] if worked else users), system


def _labels(log: _Log) -> tuple[str, ...]:
    """Return the targets that occur, if they can be labels; none if they are free answers."""
    from inspect_ai.log import read_eval_log_sample_summaries

    found: dict[str, str] = {}
    count = 0
    for summary in read_eval_log_sample_summaries(log.file):
        count += 1
        targets = [summary.target] if isinstance(summary.target, str) else summary.target
        if summary.choices or len(targets) != 1 or not fits(targets[0]):
            return ()
        found.setdefault(targets[0].strip().casefold(), targets[0].strip())
    few = 2 <= len(found) <= MOST_LABELS and (len(found) < count or count <= 2)
    return tuple(sorted(found.values())) if few else ()


def fits(target: str) -> bool:
    """Say whether a target can be a label: one short line."""
    return 0 < len(target.strip()) <= LONGEST_LABEL and target.strip().isprintable()
