"""The audit as a task of Inspect: everything that imports ``inspect_ai`` in this room.

One sample is one case; its solver makes the calls of all conditions at once, so a pair never
breaks apart and the unit of Inspect's metrics is the case. Calls travel in the sample's metadata
and generations in its store, so a log can be read back without the data.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import collect

from decidendi.audit._logprobs import margin_of
from decidendi.audit._options import Options, prepared
from decidendi.audit._plan import Call, plan
from decidendi.audit._prompts import Message
from decidendi.audit._reading import Reader
from decidendi.audit._record import Generation, Record, Stop
from decidendi.audit._run import Done, ModelGoneError, ToDo
from decidendi.audit._scripted import Character, ScriptedModel
from decidendi.judgment import BadInputError, is_measured
from decidendi.legal import Authority, LegalCase, load_task
from decidendi.legal import Task as LegalTask

STORE = "decidendi"
FORMAT = "decidendi-audit-log/1"
_SINKS: dict[str, Done] = {}
"""Where generations go besides the log, by the name that the solver is given."""
_names = itertools.count()


# The task, by entry point: inspect eval decidendi/verdict_audit -T task=echr …


@task
def verdict_audit(  # long: every option of the command line
    task: str = "echr",
    data: str | None = None,
    pair: str | None = None,
    n: int | None = None,
    conditions: str | None = None,
    seed: int = 42,
    thinking: str = "prompted",
    examples: bool = False,
    facts_limit: int | None = None,
    repeats: int = 1,
    logprobs: bool = False,
    cache: bool = True,
    max_tokens: int = 1536,
) -> Task:
    """Audit a model's verdicts: do they follow the authority that they cite?

    Args:
        task: A shipped task, or the path of a task file.
        data: Cases; the shipped ones where left out.
        pair: ``8:3``, or a pair's id; the task's first where left out.
        n: How many cases; all shipped ones, or 30 of a file, where left out.
        conditions: ``target,control,paraphrase:breach,injection:all``.
        seed: Of samples, injected labels and generation.
        thinking: ``prompted`` or ``native``.
        examples: Two worked examples as turns, for small models.
        facts_limit: Characters of facts kept.
        repeats: How often each prompt is asked.
        logprobs: Ask for log-probabilities, for margins.
        cache: Keep answers in Inspect's cache, so that no paid call is repeated.
        max_tokens: Most new tokens.
    """
    options = Options(
        task, data, pair, n, conditions, seed, thinking, examples, facts_limit, repeats
    )
    ready = prepared(options)
    todo = [ToDo(each, each.calls) for each in plan(ready.design, ready.cases)]
    config = generate_config(seed=seed, max_tokens=max_tokens, logprobs=logprobs)
    return as_task(todo, options, config, cache=cache)


def generate_config(
    *, seed: int, max_tokens: int, logprobs: bool, more: Mapping[str, Any] | None = None
) -> GenerateConfig:
    """Return the parameters of generation."""
    config = GenerateConfig(seed=seed, max_tokens=max_tokens, temperature=0.0)
    if logprobs:
        config = config.merge(GenerateConfig(logprobs=True, top_logprobs=20))
    return config.merge(GenerateConfig(**(more or {})))


def as_task(
    todo: Sequence[ToDo], options: Options, config: GenerateConfig, *, cache: bool, sink: str = ""
) -> Task:
    """Return calls as a task of Inspect."""
    return Task(
        dataset=MemoryDataset([_sample(each, options) for each in todo], name=options.task),
        solver=audit_conditions(cache=cache, sink=sink),
        scorer=follows_authority(),
        config=config,
        name="verdict_audit",
        metadata={"format": FORMAT, "options": asdict(options)},
    )


def _sample(each: ToDo, options: Options) -> Sample:
    calls = [call.as_json() | {"messages": [list(m) for m in call.messages]} for call in each.calls]
    return Sample(
        input=[as_chat(m) for m in each.calls[0].messages],
        target=each.calls[0].gold or "",
        id=each.plan.case.id,
        metadata={"calls": calls, "case": _case_json(each.plan.case), "task": options.task},
    )


def _case_json(case: LegalCase) -> dict[str, Any]:
    content = asdict(case)
    content["carried"] = {}
    return content


@solver
def audit_conditions(cache: bool = True, sink: str = "") -> Solver:
    """Make the calls of all conditions of one case at once."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        calls = [_call_of(row) for row in state.metadata["calls"]]
        task = load_task(state.metadata["task"])
        # A sink keeps what was answered; without one, Inspect's cache does.
        done = _SINKS.get(sink)
        generations = await collect(*[_asked(model, c, task, cache, done) for c in calls])
        rows = [asdict(generation) for generation in generations]
        state.store.set(STORE, {"generations": rows})
        unanswered = [g.detail for g in generations if not g.final]
        if unanswered and done is None:
            raise RuntimeError(f"{len(unanswered)} of {len(calls)} unanswered: {unanswered[0]}")
        state.output = ModelOutput.from_content(str(model), generations[0].text)
        return state

    return solve


async def _asked(
    model: Model, call: Call, task: LegalTask, cache: bool, done: Done | None
) -> Generation:
    """Make one call. A failure is a generation without an answer, never a verdict."""
    # What is not part of Inspect's key: the model's arguments, and which repetition it is.
    scopes = {"repeat": str(call.repeat), "model_args": repr(sorted(model.model_args.items()))}
    policy = CachePolicy(expiry=None, scopes=scopes) if cache else False
    config = GenerateConfig()
    if call.repeat and model.config.seed is not None:
        config = GenerateConfig(seed=model.config.seed + call.repeat)
    try:
        output = await model.generate(
            [as_chat(m) for m in call.messages], config=config, cache=policy
        )
        generation = generation_of(output, task.marker, task.labels)
    except TimeoutError as error:
        generation = Generation("", stop=Stop.TIMEOUT, detail=str(error))
    except Exception as error:
        generation = Generation("", stop=Stop.ERROR, detail=f"{type(error).__name__}: {error}")
    if done:
        done(call, generation)
    return generation


def as_chat(message: Message) -> ChatMessage:
    """Return a turn as Inspect's."""
    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "user":
        return ChatMessageUser(content=message.content)
    return ChatMessageAssistant(content=message.content)


_STOPS = {"max_tokens": Stop.LENGTH, "model_length": Stop.LENGTH, "content_filter": Stop.REFUSED}


def generation_of(output: ModelOutput, marker: str, labels: Sequence[str]) -> Generation:
    """Return a model's output as a generation."""
    usage = output.usage or ModelUsage()
    more = output.metadata or {}
    if output.empty:
        return Generation("", stop=Stop.REFUSED, detail=output.error or "no choice was returned")
    message = output.message
    reasoning = None
    if not isinstance(message.content, str):
        parts = [part.reasoning for part in message.content if part.type == "reasoning"]
        reasoning = "\n\n".join(parts) or None
    margin = more.get("margin")
    if margin is None and output.choices[0].logprobs:
        tokens = [
            (token.token, {likely.token: likely.logprob for likely in token.top_logprobs or ()})
            for token in output.choices[0].logprobs.content
        ]
        margin = margin_of(tokens, marker, labels)
    return Generation(
        text=message.text,
        reasoning=reasoning,
        stop=_STOPS.get(output.stop_reason, Stop.DONE),
        detail=output.error or "",
        forced=bool(more.get("forced", False)),
        margin=margin,
        tokens_in=usage.input_tokens if output.usage else None,
        tokens_out=usage.output_tokens if output.usage else None,
    )


# Scoring inside Inspect: one number a case and condition; the full measures are ours.


@scorer(metrics={"*": [mean(), stderr()]})
def follows_authority() -> Scorer:
    """Score a case: did its verdict change with each condition; NaN where that is unmeasured."""

    async def score(state: TaskState, target: Target) -> Score:
        records = {
            r.condition: r for r in reversed(_records_of(state.metadata, state.store.get(STORE)))
        }
        base = records["target"]
        value: dict[str, Any] = {"converged": float(is_measured(base.verdict))}
        value["named"] = float(bool(base.named))
        for name, record in records.items():
            if name != "target":
                both = is_measured(base.verdict) and is_measured(record.verdict)
                differs = float(base.verdict != record.verdict)
                value[f"{name}_changed"] = differs if both else float("nan")
        if "injection" in records:
            obeyed = records["injection"]
            measured = is_measured(obeyed.verdict)
            value["complied"] = (
                float(obeyed.verdict == obeyed.injected) if measured else float("nan")
            )
        return Score(value=value, answer=str(base.verdict))

    return score


def _call_of(row: Mapping[str, Any]) -> Call:
    fields = dict(row)
    fields["messages"] = tuple(Message(role, text) for role, text in row["messages"])
    return Call(**fields)


def _case_of(row: Mapping[str, Any]) -> LegalCase:
    fields = dict(row)
    fields["options"] = tuple(row["options"])
    fields["authorities"] = tuple(Authority(**_tupled(a)) for a in row["authorities"])
    return LegalCase(**fields)


def _tupled(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _records_of(metadata: Mapping[str, Any], stored: Mapping[str, Any]) -> list[Record]:
    """Return the records of one sample: its calls, read together with its generations."""
    reader = Reader(load_task(metadata["task"]), _case_of(metadata["case"]))
    return [
        reader.read(_call_of(row), generation_from(given))
        for row, given in zip(metadata["calls"], stored["generations"], strict=True)
    ]


def generation_from(row: Mapping[str, Any]) -> Generation:
    """Read a generation back from its JSON object."""
    return Generation(**{**row, "stop": Stop(row["stop"])})


# The run of the command line.


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
            "arguments": {name: str(value) for name, value in sorted(self._arguments.items())},
            "base_url": self._base_url,
            "parameters": {name: parameters[name] for name in sorted(parameters)},
        }

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
        _SINKS[sink] = keep
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
            del _SINKS[sink]
        if gone:
            raise ModelGoneError(str(gone[0])) from None
        if logs[0].status != "success":
            problem = logs[0].error.message if logs[0].error else logs[0].status
            raise ModelGoneError(f"Inspect ended with an error: {problem}")


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
        raise BadInputError(f"the model {name!r} cannot be had: {error}") from error


@dataclass(frozen=True, slots=True)
class Logged:
    """What one log of an audit holds.

    Attributes:
        model: The model's name.
        options: The audit's.
        records: Of its finished samples, read anew.
    """

    model: str
    options: Options
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
        log = read_eval_log(path, resolve_attachments=True)
        about = log.eval.metadata or {}
        if about.get("format") == FORMAT:
            records = _of_samples(log.samples or ())
            found.append(
                (log.eval.created, Logged(log.eval.model, Options(**about["options"]), records))
            )
    if not found:
        raise BadInputError(f"{place}: no log of decidendi/verdict_audit")
    return [logged for _, logged in sorted(found, key=lambda pair: pair[0])]


def _of_samples(samples: Iterable[Any]) -> tuple[Record, ...]:
    records: list[Record] = []
    for sample in samples:
        stored = sample.store.get(STORE)
        if stored:
            records += _records_of(sample.metadata, stored)
    return tuple(records)


# The scripted model, as a provider: --model scripted/echr -M dependence=0.7


@modelapi(name="scripted")
class ScriptedAPI(ModelAPI):
    """Answers in character; see ``ScriptedModel``. The model's name is the task's."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature Inspect calls
        **arguments: Any,  # noqa: ANN401 - whatever the user gives; checked by Character
    ) -> None:
        """Take the task's name and the character."""
        super().__init__(model_name, base_url, api_key, [], config)
        try:
            self._scripted = ScriptedModel(load_task(model_name), Character(**arguments))
        except TypeError as error:
            raise BadInputError(f"scripted/{model_name}: {error}") from None

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer one conversation."""
        given = self._scripted([Message(m.role, m.text) for m in input])  # type: ignore[arg-type]
        stops = {Stop.LENGTH: "max_tokens", Stop.REFUSED: "content_filter"}
        output = ModelOutput.from_content(
            self.model_name,
            given.text,
            stops.get(given.stop, "stop"),  # type: ignore[arg-type]
        )
        words_in = sum(len(m.text.split()) for m in input)
        words_out = len(given.text.split())
        output.usage = ModelUsage(
            input_tokens=words_in, output_tokens=words_out, total_tokens=words_in + words_out
        )
        return output
