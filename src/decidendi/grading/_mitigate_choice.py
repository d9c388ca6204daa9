"""From what a user asks for to a mitigation run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from decidendi.grading._chain import Chain
from decidendi.grading._judge import Judge
from decidendi.grading._judge_choice import JudgeChoice, close_judge, judge_for
from decidendi.grading._mitigate import Mitigated, mitigate
from decidendi.grading._mitigate_prompts import Condition, conditions
from decidendi.grading._mitigate_questions import QuestionSet, questions_of
from decidendi.grading._mitigate_scripted import Effects, ScriptedSolver
from decidendi.grading._model_judge_desk import Answering, Watch
from decidendi.grading._reach import is_embedded, reach
from decidendi.grading._taxonomy import Taxonomy, load_taxonomy, taxonomy
from decidendi.judgment import BadInputError, Place

SCRIPTED: Final = "scripted"
MOST_TOKENS: Final = 1536
EMBEDDED_QUESTIONS: Final = 2
"""Asked of the embedded model where no number is given: it needs seconds for each call."""

EMBEDDED_TOKENS: Final = 96


@dataclass(frozen=True, slots=True)
class MitigationChoice:
    """What is asked, of which model, under which conditions.

    Attributes:
        model: ``scripted``; ``embedded``; ``local/<folder or id>``; or a name of Inspect's.
        strategies: Of ``cot``, ``plan-and-solve``, ``self-correct`` and ``self-discover``.
        feedback: Of ``none``, ``generic``, ``short`` and ``long``.
        task: ``law``, or a task with shipped cases.
        data: A file of questions in place of a task.
        n: How many questions.
        seed: Of what is drawn.
        taxonomy: A file of one's own; the shipped one where None.
        arguments: Of the model's provider; of the script its effects.
        base_url: Of the model's server.
        temperature: Of sampling; greedy where 0.
        max_tokens: Most new tokens of an answer; 1,536, or 96 of the embedded model, where None.
        timeout: Seconds for each attempt of a call.
        connections: Calls at a time; Inspect's default where None.
        judge: Who grades the chains; nobody where None.
        records: A file of judges' records.
    """

    model: str
    strategies: tuple[str, ...]
    feedback: tuple[str, ...]
    task: str = "law"
    data: Path | None = None
    n: int | None = None
    seed: int = 42
    taxonomy: Path | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    timeout: float | None = None
    connections: int | None = None
    judge: JudgeChoice | None = None
    records: Path | None = None


def run_mitigation(choice: MitigationChoice, out: Path, watch: Watch | None = None) -> Mitigated:
    """Ask, measure, and write the run; or go on with it.

    Raises:
        BadInputError: on anything that cannot be used, with what can.
        MissingExtraError: if what the model needs is not installed.
    """
    kinds = load_taxonomy(choice.taxonomy) if choice.taxonomy else taxonomy()
    _check_judge(choice, kinds)
    chosen = conditions(choice.strategies, choice.feedback)
    n = choice.n
    if n is None and is_embedded(choice.model) and choice.data is None:
        n = EMBEDDED_QUESTIONS
    questions = questions_of(choice.task, data=choice.data, n=n, seed=choice.seed)
    model, about = _reached(choice, questions, chosen, kinds)
    judges: list[Judge] = []

    def judge_of(chains: Sequence[Chain]) -> Judge:
        assert choice.judge is not None
        judges.append(judge_for(choice.judge, chains, kinds))
        return judges[-1]

    try:
        return mitigate(
            questions,
            chosen,
            model,
            about,
            out,
            kinds=kinds,
            judge_of=judge_of if choice.judge else None,
            records=choice.records,
            seed=choice.seed,
            watch=watch,
        )
    finally:
        model.close()
        for judge in judges:
            close_judge(judge)


def _check_judge(choice: MitigationChoice, kinds: Taxonomy) -> None:
    """See that there is a judge, before anything is asked."""
    if choice.records is not None:
        if choice.judge is None:
            raise BadInputError("records are of a judge, and none is named", remedy="add --judge")
        if not choice.records.is_file():
            raise BadInputError("no such file", place=Place(str(choice.records)))
    if choice.judge is not None:
        close_judge(judge_for(choice.judge, (), kinds))


def _reached(
    choice: MitigationChoice,
    questions: QuestionSet,
    chosen: Sequence[Condition],
    kinds: Taxonomy,
) -> tuple[Answering, dict[str, Any]]:
    """Return what answers, and what could change an answer of it."""
    if choice.model == SCRIPTED:
        effects = _effects(choice.arguments, chosen, choice.seed)
        about = {name: json.dumps(value) for name, value in sorted(choice.arguments.items())}
        solver = ScriptedSolver(questions.questions, chosen, kinds, effects)
        return solver, {"name": SCRIPTED, "arguments": about, "seed": choice.seed}
    tokens = EMBEDDED_TOKENS if is_embedded(choice.model) else MOST_TOKENS
    return reach(
        choice.model,
        max_tokens=choice.max_tokens or tokens,
        temperature=choice.temperature,
        arguments=choice.arguments,
        base_url=choice.base_url,
        timeout=choice.timeout,
        connections=choice.connections,
    )


def _effects(given: Mapping[str, Any], chosen: Sequence[Condition], seed: int) -> Effects:
    """Read the script's effects: one number for every condition with feedback, or one by one."""
    known = ("right", "fixes", "breaks", "silent")
    if unknown := sorted(set(given) - set(known)):
        raise BadInputError(f"the script has no effect {unknown[0]!r}", remedy=", ".join(known))
    fed = [condition.id for condition in chosen if condition.feedback != "none"]
    found: dict[str, Any] = dict(given)
    for name in ("fixes", "breaks"):
        value = found.get(name, {})
        found[name] = value if isinstance(value, dict) else dict.fromkeys(fed, value)
        if lost := sorted(set(found[name]) - {condition.id for condition in chosen}):
            what = f"{name}: no condition {lost[0]!r} in this run"
            raise BadInputError(what, remedy=", ".join(c.id for c in chosen[1:]))
    return Effects(**found, seed=seed)
