"""From what a user asks for to a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from decidendi.grading._chain import Chain
from decidendi.grading._exact import ExactChecker
from decidendi.grading._files import read_labels
from decidendi.grading._judge import DRY_RUN, ErrorRates, Judge, ScriptedJudge
from decidendi.grading._model_judge import ModelJudge
from decidendi.grading._model_judge_desk import Answering
from decidendi.grading._model_judge_scripted import NAME as SCRIPTED
from decidendi.grading._model_judge_scripted import Manners, ScriptedModel
from decidendi.grading._reach import is_embedded, reach
from decidendi.grading._taxonomy import Taxonomy, taxonomy
from decidendi.judgment import BadInputError, sha256

EXACT: Final = "exact"
MOST_TOKENS: Final = 1024
EMBEDDED_TOKENS: Final = 48
"""Of the embedded model: what it has not said by then it will not say."""

EMBEDDED_DETECTORS: Final = ("general",)
"""Of the embedded model, where none are named: it needs seconds a call, and gains nothing."""


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Which judge, and how it is asked.

    Attributes:
        name: ``exact``; ``scripted``; ``embedded``; ``local/<folder or id>``; or a name of
            Inspect's.
        detectors: Which are on; every one that fits the taxonomy where empty.
        designed_on: Collections that its prompts were tried on.
        segmentation: ``code`` or ``judge``.
        structured: Whether the provider is told the form of each reply.
        arguments: Of the model's provider; of the script its chances, by name.
        base_url: Of the model's server.
        temperature: Of sampling; greedy where 0.
        max_tokens: Most new tokens of a reply; the judge's own limit where None.
        timeout: Seconds for each attempt of a call.
        connections: Calls at a time; Inspect's default where None.
        labels: What the script says of the chains, before it errs.
        seed: Of the script.
    """

    name: str
    detectors: tuple[str, ...] = ()
    designed_on: tuple[str, ...] = ()
    segmentation: str = "code"
    structured: bool = True
    arguments: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    timeout: float | None = None
    connections: int | None = None
    labels: Path | None = None
    seed: int = 42


def judge_for(choice: JudgeChoice, chains: Sequence[Chain], kinds: Taxonomy | None = None) -> Judge:
    """Make ready a judge.

    Args:
        choice: Which.
        chains: What it will grade; a script reads its part in them.
        kinds: The taxonomy to label with.

    Raises:
        BadInputError: if there is no such judge or model, or no key for it, or something was
            asked of it that it does not know.
        MissingExtraError: if what it needs is not installed.
    """
    used = kinds or taxonomy()
    if choice.labels is not None and choice.name != SCRIPTED:
        raise BadInputError("--labels are for the judge scripted alone", remedy="leave them out")
    if choice.name == EXACT:
        return _exact(choice, used)
    if choice.name == SCRIPTED:
        model, settings = _script(choice, chains, used)
        return _judge(choice, model, SCRIPTED, used, settings)
    return _reached(choice, used)


def close_judge(judge: Judge) -> None:
    """Let go of a judge's model."""
    if isinstance(judge, ModelJudge):
        judge.desk.model.close()


def _exact(choice: JudgeChoice, kinds: Taxonomy) -> Judge:
    if kinds.digest != taxonomy().digest:
        raise BadInputError("the exact checker labels with the shipped taxonomy alone")
    if choice.detectors or choice.segmentation != "code" or choice.arguments:
        what = "detectors, another segmentation or arguments"
        raise BadInputError(f"the exact checker asks no model and knows no {what}")
    return ExactChecker()


def _script(
    choice: JudgeChoice, chains: Sequence[Chain], kinds: Taxonomy
) -> tuple[ScriptedModel, dict[str, Any]]:
    """Read a script's chances, and let a judge with known error rates decide what it says."""
    manners = {f.name for f in fields(Manners)}
    rates = {f.name for f in fields(ErrorRates)}
    asked = dict(choice.arguments)
    if unknown := sorted(set(asked) - manners - rates):
        known = ", ".join(sorted(manners | rates))
        raise BadInputError(f"the script has no chance {unknown[0]!r}", remedy=known)
    for name, value in asked.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInputError(f"{name}={value!r} is no chance", remedy="a number from 0 to 1")
    settings: dict[str, Any] = {"chances": {k: str(v) for k, v in sorted(asked.items())}}
    settings["seed"] = choice.seed
    told = None
    how = Manners(**{k: float(v) for k, v in asked.items() if k in manners})
    if choice.labels is None:
        if named := sorted(set(asked) & rates):
            what = f"{named[0]} is a chance to err, and nothing says what would be right"
            raise BadInputError(what, remedy="add --labels FILE")
        settings[DRY_RUN] = True
    else:
        truth, refused = read_labels(choice.labels, kinds)
        for row in refused:
            raise BadInputError(row.detail, place=row.place)
        missed = {"": float(asked["missed"])} if "missed" in asked else {}
        others = {k: float(v) for k, v in asked.items() if k in rates and k != "missed"}
        judge = ScriptedJudge(truth, ErrorRates(missed, **others), seed=choice.seed, kinds=kinds)
        told = judge.grade(chains)
        settings["labels"] = sha256(choice.labels.read_bytes())
    return ScriptedModel(chains, told, how, choice.seed, kinds), settings


def _reached(choice: JudgeChoice, kinds: Taxonomy) -> ModelJudge:
    embedded = is_embedded(choice.name)
    asker, settings = reach(
        choice.name,
        max_tokens=choice.max_tokens or (EMBEDDED_TOKENS if embedded else MOST_TOKENS),
        temperature=choice.temperature,
        arguments=choice.arguments,
        base_url=choice.base_url,
        timeout=choice.timeout,
        connections=choice.connections,
        # Its replies are begun, and are one line of JSON; what comes after that is chatter.
        stop=("\n",) if embedded else (),
    )
    return _judge(choice, asker, settings.pop("name"), kinds, settings)


def _judge(
    choice: JudgeChoice,
    model: Answering,
    name: str,
    kinds: Taxonomy,
    settings: Mapping[str, Any],
) -> ModelJudge:
    detectors = choice.detectors
    if not detectors and is_embedded(name):
        detectors = EMBEDDED_DETECTORS
    try:
        return ModelJudge(
            model,
            name,
            kinds=kinds,
            detectors=detectors,
            settings=settings,
            designed_on=choice.designed_on,
            segmentation=choice.segmentation,
            structured=choice.structured,
            # So small a model loses itself before the first brace.
            begun=is_embedded(name),
        )
    except BadInputError:
        model.close()
        raise
