"""What the command line calls: from options to a finished run folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

from decidendi.audit._finish import Finished, finish
from decidendi.audit._folder import (
    CASES,
    RUN,
    RunFolder,
    case_line,
    load_identity,
)
from decidendi.audit._options import Options, Ready, design_of, prepared
from decidendi.audit._plan import plan
from decidendi.audit._record import Record, Stop, latest
from decidendi.audit._run import Engine, FunctionEngine, Watch, audit, identity
from decidendi.audit._scripted import Character, ScriptedModel
from decidendi.folders import json_bytes, write_whole
from decidendi.judgment import BadInputError, DecidendiError, MissingExtraError

EMBEDDED = "embedded"
SCRIPTED = "scripted"
LOCAL = "local/"
MOST_TOKENS = 1536
"""New tokens (Sadhu et al., section 5)."""

EMBEDDED_CASES = 8
"""Shipped cases that the embedded model is asked where no number is given: some minutes."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model, and how it is run.

    Attributes:
        name: ``embedded``, ``scripted``, ``local/<folder or id>``, or a name of Inspect's.
        arguments: Of the model's provider, or the scripted model's character.
        base_url: Of its server.
        max_tokens: Most new tokens.
        temperature: Of sampling; greedy where 0.
        logprobs: Ask a provider for log-probabilities.
        reasoning_budget: Local models: close the reasoning after so many tokens.
        dtype: Local models.
        device: Local models.
        timeout: Seconds for one call, its retries included.
        retries: How often a failed call is made again at once.
        connections: Calls at a time; Inspect's default where None.
        commitment: ``forced`` asks local models for the verdict at each sentence of their
            reasoning under the target, ``none`` does not.
    """

    name: str = EMBEDDED
    arguments: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    max_tokens: int = MOST_TOKENS
    temperature: float = 0.0
    logprobs: bool = False
    reasoning_budget: int | None = None
    dtype: str = "float32"
    device: str | None = None
    timeout: int | None = None
    retries: int = 4
    connections: int | None = None
    commitment: str = "none"

    def __post_init__(self) -> None:
        """Refuse what is no way to find a commitment.

        Raises:
            BadInputError: naming those there are.
        """
        if self.commitment not in ("none", "forced"):
            raise BadInputError(f"commitment: {self.commitment!r}", remedy="none or forced")


_APPLY = {
    "scripted models": {"arguments"},
    "models on this machine": {
        "max_tokens", "reasoning_budget", "dtype", "device", "commitment",
    },
    "models reached through Inspect": {
        "arguments", "base_url", "max_tokens", "temperature", "logprobs", "timeout", "retries",
        "connections",
    },
}  # fmt: skip
"""Which settings a kind of model has; the others would change nothing and say nothing."""

_OPTIONS = {
    "arguments": "--model-arg",
    "base_url": "--model-base-url",
    "connections": "--max-connections",
}
"""Settings whose options are not called as they are."""


def _refuse_idle(choice: ModelChoice, kind: str) -> None:
    """Raise if a setting was given that this kind of model does not have."""
    for each in fields(choice):
        value = getattr(choice, each.name)
        unset = {} if each.name == "arguments" else each.default
        if each.name != "name" and each.name not in _APPLY[kind] and value != unset:
            option = _OPTIONS.get(each.name, f"--{each.name.replace('_', '-')}")
            having = [other for other, names in _APPLY.items() if each.name in names]
            raise BadInputError(
                f"{choice.name}: {option} has no effect on {kind}",
                remedy=f"leave it out; it is for {' and '.join(having)}",
            )


class NoModelError(DecidendiError):
    """No model can be run as things are; the text says what to install, and what works without."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the command line shows of a run.

    Attributes:
        finished: Measures and summary.
        made: Calls made now.
        unanswered: Calls without an answer.
        why_unanswered: What was said of the first of them.
        unfit: Calls whose prompt this model does not take, such as one longer than its context.
        why_unfit: What was said of the first of them.
        unfinished: Samples that Inspect's logs were to hold and have no answers of.
        again: What makes calls that are left.
    """

    finished: Finished
    made: int
    unanswered: int
    why_unanswered: str = ""
    unfit: int = 0
    why_unfit: str = ""
    unfinished: int = 0
    again: str = "the same command asks them again"


def _outcome(finished: Finished, made: int, records: Iterable[Record]) -> Outcome:
    given = [record.generation for record in records]
    unfit = [each.detail for each in given if each.stop is Stop.UNFIT]
    failed = [f"{each.stop}: {each.detail}" for each in given if not each.final]
    return Outcome(
        finished, made, len(failed), failed[0] if failed else "",
        len(unfit), unfit[0] if unfit else "",
    )  # fmt: skip


def run_audit(
    options: Options, choice: ModelChoice, out: Path, watch: Watch | None = None
) -> Outcome:
    """Run an audit, or go on with one, and measure it.

    Raises:
        BadInputError: on options or a folder that cannot be used.
        NoModelError: if the model's extra or files are missing.
        ModelGoneError: if the model stopped answering.
    """
    if choice.name == EMBEDDED:
        options = replace(options, examples=True)
        if options.n is None and options.data is None:
            options = replace(options, n=EMBEDDED_CASES)
    ready = prepared(options)
    engine = engine_for(choice, options, ready, out)
    ran = audit(ready.design, ready.cases, engine, out, source=ready.source, watch=watch)
    about = identity(ready.design, ready.cases, engine, ready.source)
    models = {str(about["model"]["name"]): ran.records}
    return _outcome(finish(ready, models, about, out), ran.made, ran.records)


def engine_for(choice: ModelChoice, options: Options, ready: Ready, out: Path) -> Engine:
    """Return what makes the calls.

    Raises:
        NoModelError: naming what to install, and what works without.
    """
    if choice.name.partition("/")[0] == SCRIPTED:
        return _scripted(choice, ready)
    try:
        if choice.name == EMBEDDED or choice.name.startswith(LOCAL):
            return _local(choice, ready)
        return _inspect(choice, options, ready, out)
    except BadInputError:
        raise
    except DecidendiError as error:
        raise NoModelError(
            f"{error}\nWithout any model: decidendi audit --model scripted "
            "(a script with known answers, to see what an audit looks like)"
        ) from None


def _scripted(choice: ModelChoice, ready: Ready) -> Engine:
    _refuse_idle(choice, "scripted models")
    known = [each.name for each in fields(Character)]
    if unknown := [name for name in choice.arguments if name not in known]:
        raise BadInputError(
            f"scripted: no argument {unknown[0]!r}", remedy=f"there are: {', '.join(known)}"
        )
    character = Character(**choice.arguments)
    model = ScriptedModel(ready.design.task, character, ready.design.pair.target)
    return FunctionEngine(model, SCRIPTED, {k: str(v) for k, v in choice.arguments.items()})


def _local(choice: ModelChoice, ready: Ready) -> Engine:
    from decidendi.audit._local import LocalEngine, LocalOptions

    _refuse_idle(choice, "models on this machine")
    options = LocalOptions(
        name=choice.name.removeprefix(LOCAL),
        dtype=choice.dtype,
        device=choice.device,
        max_tokens=choice.max_tokens,
        reasoning_budget=choice.reasoning_budget,
        commitment=choice.commitment == "forced",
    )
    native = ready.design.style.thinking == "native"
    return LocalEngine(ready.design.task, options, native=native)


def _inspect(choice: ModelChoice, options: Options, ready: Ready, out: Path) -> Engine:
    try:
        from decidendi.audit._inspect import InspectEngine, generate_config
    except ImportError:
        raise MissingExtraError(f"the model {choice.name!r}", "models") from None
    _refuse_idle(choice, "models reached through Inspect")
    more: dict[str, Any] = {"temperature": choice.temperature, "max_retries": choice.retries}
    if choice.timeout is not None:
        more["timeout"] = choice.timeout
    if choice.connections is not None:
        more["max_connections"] = choice.connections
    config = generate_config(
        seed=ready.design.seed,
        max_tokens=choice.max_tokens,
        logprobs=choice.logprobs,
        more=more,
    )
    engine = InspectEngine(
        choice.name,
        logs=out / "logs",
        config=config,
        arguments=choice.arguments,
        base_url=choice.base_url,
        options=options,
    )
    # Before there is a folder; a run that has one may need no call any more.
    if not (out / RUN).exists():
        engine.check()
    return engine


def audit_logs(place: Path, out: Path) -> Outcome:
    """Measure what Inspect's logs hold, and write it as a run folder.

    Logs of one model are joined, the later over the earlier; several models on the same cases
    share the page.

    Raises:
        BadInputError: if there is no log of an audit, or they are of different audits.
        MissingExtraError: without the extra ``models``.
    """
    try:
        from decidendi.audit._inspect import read_logs
    except ImportError:
        raise MissingExtraError("reading Inspect's logs", "models") from None
    logs = read_logs(place)
    if any(log.options != logs[0].options for log in logs):
        raise BadInputError(
            f"{place}: logs of different audits", remedy="name one log, or a folder of one audit"
        )
    models: dict[str, list[Record]] = {}
    parameters = {log.model: log.parameters for log in logs}
    for log in logs:
        if log.parameters != parameters[log.model]:
            raise BadInputError(
                f"{place}: logs of {log.model} with different parameters", remedy="name one log"
            )
        models.setdefault(log.model, []).extend(log.records)
    cases = {case.id: case for log in logs for case in log.cases}
    # Inspect sorts samples by id; a run of the same sample elsewhere has them as they were drawn.
    planned = list(dict.fromkeys(chain(*(log.planned for log in logs), cases)))
    ordered = tuple(cases[name] for name in planned if name in cases)
    finished = [{record.case for record in records} for records in models.values()]
    unfinished = sum(len(planned) - len(names) for names in finished)
    ready = Ready(
        design_of(logs[0].options), ordered, "logs of Inspect",
        missing={"unfinished": unfinished} if unfinished else {},
    )  # fmt: skip
    joined = {name: _in_order(ready, records) for name, records in models.items()}
    names = " and ".join(joined)
    about = identity(ready.design, ready.cases, _Logged(names), ready.source)
    if (out / RUN).exists() and load_identity(out).get("model") != about["model"]:
        raise BadInputError(f"{out} holds another run", remedy="name another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / CASES, map(case_line, ready.cases))
    write_whole(out / RUN, json_bytes(about))
    if len(joined) == 1:
        RunFolder(out).finish(next(iter(joined.values())))
    outcome = _outcome(finish(ready, joined, about, out), 0, chain.from_iterable(joined.values()))
    again = "inspect eval-retry LOG asks them again; then name the folder of both logs"
    return replace(outcome, unfinished=unfinished, again=again)


def _in_order(ready: Ready, records: Sequence[Record]) -> list[Record]:
    """Return the last record of each call, in the order of the plan."""
    held = latest(records)
    places = [call.place for each in plan(ready.design, ready.cases) for call in each.calls]
    return [held[place] for place in places if place in held]


class _Logged:
    """A model that was run elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name

    def describe(self) -> Mapping[str, Any]:
        return {"name": self._name}

    def run(self, todo: Sequence[Any], done: object) -> None:
        raise NotImplementedError("a log is read, not run")
