"""What Inspect loads by entry point, the run of the command line through it, and its logs.

All that imports ``inspect_ai`` in this room stands in the modules ``_inspect*``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai import eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, Model, get_model

from decidendi.audit._inspect_model import ScriptedAPI
from decidendi.audit._inspect_task import (
    FORMAT,
    SINKS,
    STORE,
    as_task,
    case_of,
    generate_config,
    records_of,
    verdict_audit,
)
from decidendi.audit._options import Options
from decidendi.audit._plan import Call
from decidendi.audit._record import Generation, Record
from decidendi.audit._run import Done, ModelGoneError, ToDo
from decidendi.judgment import BadInputError, Place
from decidendi.legal import LegalCase
from decidendi.models import plain

__all__ = ["InspectEngine", "ScriptedAPI", "generate_config", "read_logs", "verdict_audit"]

_names = itertools.count()


class InspectEngine:
    """Makes calls through Inspect, with its retries, concurrency and logs."""

    def __init__(
        self,
        model: str,
        *,
        logs: Path,
        config: GenerateConfig,
        arguments: Mapping[str, Any] | None = None,
        base_url: str | None = None,
        options: Options | None = None,
    ) -> None:
        """Take the model, by its name in Inspect (``openai/gpt-4o``).

        Args:
            model: Its name.
            logs: Folder for Inspect's logs.
            config: Parameters of generation.
            arguments: Arguments of the model's provider.
            base_url: Of its server.
            options: Of the audit; kept in the log.
        """
        self._model = model
        self._logs = logs
        self._config = config
        self._arguments = dict(arguments or {})
        self._base_url = base_url
        self._options = options or Options()

    def describe(self) -> Mapping[str, Any]:
        """Return what could change an answer."""
        parameters = self._config.model_dump(exclude_none=True, exclude=_NEVER_IN_AN_ANSWER)
        return {
            "name": self._model,
            "arguments": {
                name: str(value)
                for name, value in sorted(self._arguments.items())
                if not _SECRET.search(name)
            },
            "base_url": self._base_url,
            "parameters": {name: parameters[name] for name in sorted(parameters)},
        }

    def check(self) -> None:
        """See whether the model can be had, without asking it.

        Raises:
            BadInputError: naming the package or the environment variable that is missing.
        """
        _model(self._model, self._base_url, self._arguments, self._config)

    def run(self, todo: Sequence[ToDo], done: Done) -> None:
        """Make every call; one sample is one case."""
        if not todo:
            return
        gone: list[ModelGoneError] = []

        def keep(call: Call, generation: Generation) -> None:
            if gone:
                raise RuntimeError("the run is ending")
            try:
                done(call, generation)
            except ModelGoneError as error:
                gone.append(error)
                raise RuntimeError("the run is ending") from None

        sink = f"run-{next(_names)}"
        SINKS[sink] = keep
        try:
            logs = eval(
                as_task(todo, self._options, self._config, cache=False, sink=sink),
                model=_model(self._model, self._base_url, self._arguments, self._config),
                log_dir=str(self._logs),
                display="none",
                score_display=False,
                ctl_server=False,
                log_realtime=False,
            )
        finally:
            del SINKS[sink]
        if gone:
            raise ModelGoneError(str(gone[0])) from None
        if logs[0].status != "success":
            problem = logs[0].error.message if logs[0].error else logs[0].status
            raise ModelGoneError(f"Inspect ended with an error: {problem}")


_SECRET = re.compile("key|token|secret|password", re.IGNORECASE)
"""Arguments that are never written to a run's folder."""

_NEVER_IN_AN_ANSWER = {"max_retries", "timeout", "attempt_timeout", "max_connections",
                       "adaptive_connections", "cache", "batch"}  # fmt: skip


def _model(
    name: str, base_url: str | None, arguments: Mapping[str, Any], config: GenerateConfig
) -> Model:
    try:
        return get_model(name, base_url=base_url, config=config, memoize=False, **arguments)
    except BadInputError:
        raise
    except Exception as error:
        raise BadInputError(f"the model {name!r} cannot be had: {plain(error)}") from error


@dataclass(frozen=True, slots=True)
class Logged:
    """What one log of an audit holds.

    Attributes:
        model: The model's name.
        parameters: Its arguments and those of generation, to tell whether logs agree in them.
        options: The audit's; repeated as often as Inspect's epochs say.
        planned: Ids of all samples, in the order of the sample; unfinished ones among them.
        cases: Of its finished samples.
        records: Of the same, read anew.
    """

    model: str
    parameters: str
    options: Options
    planned: tuple[str, ...]
    cases: tuple[LegalCase, ...]
    records: tuple[Record, ...]


def read_logs(place: Path) -> list[Logged]:
    """Read every audit in a folder of logs, or in one log, from the oldest to the newest.

    Raises:
        BadInputError: if there is no log of an audit.
    """
    if not place.exists():
        raise BadInputError(f"{place}: no such file or folder")
    paths = [str(place)] if place.is_file() else [i.name for i in list_eval_logs(str(place))]
    found = []
    for path in paths:
        try:
            log = read_eval_log(path, resolve_attachments=True)
        except Exception as error:  # whatever stands in the file
            what = f"no log that Inspect can read: {type(error).__name__}"
            raise BadInputError(what, place=Place(path.removeprefix("file://"))) from None
        about = log.eval.metadata or {}
        if about.get("format") == FORMAT:
            found.append((log.eval.created, _logged(log, Options(**about["options"]))))
    if not found:
        raise BadInputError(f"{place}: no log of decidendi/verdict_audit")
    return [logged for _, logged in sorted(found, key=lambda pair: pair[0])]


def _logged(log: EvalLog, options: Options) -> Logged:
    """Return what one log holds. Inspect's epochs are repetitions, after those of an epoch."""
    cases: dict[str, LegalCase] = {}
    records: list[Record] = []
    for sample in log.samples or ():
        if stored := sample.store.get(STORE):
            case = case_of(sample.metadata["case"])
            cases[case.id] = case
            before = (sample.epoch - 1) * options.repeats
            read = records_of(sample.metadata, stored)
            records += [replace(record, repeat=before + record.repeat) for record in read]
    asked = log.eval
    given = asked.model_generate_config
    generation = given.model_dump(exclude_none=True, exclude=_NEVER_IN_AN_ANSWER)
    return Logged(
        model=asked.model,
        parameters=str((asked.model_args, generation)),
        options=replace(options, repeats=options.repeats * (asked.config.epochs or 1)),
        planned=tuple(map(str, asked.dataset.sample_ids or ())),
        cases=tuple(cases.values()),
        records=tuple(records),
    )
