"""One answer of a model, wherever it was found, taken apart as a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused
from decidendi.grading._law import LawProblem, problem_of_chain
from decidendi.grading._segment import segment
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, Verdict
from decidendi.legal import Option, Task
from decidendi.reasoning import read_output

TARGET = "target"
"""The condition of an audit in which nothing is changed."""

NO_ANSWER = {
    "refused": Reason.NOT_CONVERGED,
    "error": Reason.ERROR,
    "timeout": Reason.TIMEOUT,
    "unfit": Reason.INTERFACE,
}
"""Ways in which a call of an audit ends without an answer."""

LONGEST_ID = 400
"""Characters; a file of chains takes no longer ids."""


@dataclass(frozen=True)
class Written:
    """An answer before it is taken apart.

    Attributes:
        id: See ``Chain``; likewise ``unit``, ``options``, ``gold``, ``question``, ``source``,
            ``expert``, ``collection``, ``model`` and ``carried``.
        text: What was written.
        reasoning: The reasoning, where it came in a field of its own.
        cut: A limit of tokens ended it.
        failure: Why there is no answer; None if there is one.
        masked: Texts whose copies never count as a choice: the prompt.
        verdict: The choice, where it has been read already.
    """

    id: str
    unit: str
    text: str
    options: tuple[Option, ...]
    gold: str | None
    question: str
    collection: str
    model: str
    reasoning: str | None = None
    cut: bool = False
    failure: Unmeasured | None = None
    source: str = ""
    expert: str = ""
    masked: Sequence[str] = ()
    verdict: Verdict | None = None
    carried: Mapping[str, Any] = field(default_factory=dict)


def chain_of(written: Written, place: Place) -> Chain | Refused:
    """Take one answer apart; refuse it if it could not be written to a file of chains.

    Raises:
        MissingExtraError: on prose without the extra ``legal``.
    """
    if not 0 < len(written.id) <= LONGEST_ID:
        return Refused(place, f"an id of {len(written.id):,} characters, of 1 to {LONGEST_ID}")
    labels = [option.label for option in written.options]
    for name, value in (("gold", written.gold), ("verdict", written.verdict)):
        if labels and isinstance(value, str) and value not in labels:
            return Refused(place, f"{name}: {value!r} is none of {', '.join(labels)}")
    output = read_output(
        written.text,
        native_reasoning=written.reasoning,
        masked=written.masked,
        truncated=written.cut,
    )
    try:
        found = segment(output, written.options)
    except BadInputError as error:
        return Refused(place, f"options: {error.what}")
    verdict = found.chosen if written.verdict is None else written.verdict
    return Chain(
        id=written.id,
        premises=written.failure or found.premises,
        conclusion=found.conclusion,
        chosen=written.failure or verdict,
        options=written.options,
        gold=written.gold,
        question=written.question,
        source=written.source,
        expert=written.expert,
        unit=written.unit,
        collection=written.collection,
        model=written.model,
        text=output.text,
        carried=written.carried,
    )


def of_audit(
    asked: Mapping[str, Any],
    case: Mapping[str, Any],
    task: Task,
    *,
    law: tuple[str, str],
    model: str,
    verdict: Verdict | None,
    begin: str = "",
    masked: Sequence[str] = (),
) -> Written:
    """Return one answer of an audit.

    Args:
        asked: The call, with its ``generation``, as records have them.
        case: The case, as ``cases.jsonl`` has it, with its ``matter`` or None.
        task: The audit's.
        law: Name and text of the authority asked about; empty where unknown.
        model: What was asked.
        verdict: As it was read.
        begin: What comes before the id.
        masked: The prompt.
    """
    given = asked["generation"]
    reason = NO_ANSWER.get(given["stop"])
    parts = (case["facts"], ": ".join(law) if law[1] else "")
    problem = _problem(asked, case["matter"])
    why = case["why"].get(asked["authority"], "")
    carried = {"condition": asked["condition"], "authority": asked["authority"]}
    return Written(
        id=begin + _name(asked),
        unit=asked["unit"],
        text=given["text"],
        reasoning=given["reasoning"],
        cut=given["stop"] == "length",
        failure=Unmeasured(reason, given["detail"]) if reason else None,
        options=_options(task, case["options"]),
        gold=asked["gold"],
        question=asked["question"],
        source="\n\n".join(part for part in parts if part),
        expert=problem.decision.in_words() if problem else why,
        collection=f"audit/{task.id}",
        model=model,
        masked=masked,
        verdict=verdict,
        carried={**carried, **problem.carried()} if problem else carried,
    )


def _problem(asked: Mapping[str, Any], matter: Any) -> LawProblem | None:  # noqa: ANN401 - any JSON
    """Return the question of executable law that was asked; None if it is none."""
    law = {"authority": asked["authority"], "matter": matter}
    try:
        return problem_of_chain(asked["case"], {"law": law}) if matter is not None else None
    except BadInputError:
        return None  # another authority, or facts of another kind


def _name(asked: Mapping[str, Any]) -> str:
    """Return the id of a chain of an audit: the case's, if nothing else tells it apart."""
    parts = [asked["case"]]
    parts += [asked["condition"]] if asked["condition"] != TARGET else []
    parts += [asked["variant"]] if asked["variant"] else []
    return "/".join(parts) + (f"#{asked['repeat'] + 1}" if asked["repeat"] else "")


def _options(task: Task, texts: Sequence[str]) -> tuple[Option, ...]:
    """Return what a case can be answered with: the task's options, or its own texts for them."""
    if len(texts) != len(task.options):
        return task.options
    return tuple(Option(o.label, text) for o, text in zip(task.options, texts, strict=True))
