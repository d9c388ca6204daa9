"""Mitigation runs: the same questions under several strategies, each with feedback or without.

A strategy is a conversation of one step or several; its last answer is the chain. Conditions that
begin alike share those answers: self-correction corrects the very answers of zero-shot chain of
thought, and a plan is made once for all kinds of feedback. So pairs differ in what is compared
and in nothing else, and no answer is paid for twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from decidendi._version import __version__
from decidendi.folders import bind, json_bytes, only_writer, write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._files import Refused, chain_line
from decidendi.grading._judge import Judge, JudgeIdentity
from decidendi.grading._labels import Labels
from decidendi.grading._mitigate_measures import Figures, figures_json, figures_of
from decidendi.grading._mitigate_prompts import Condition, prompts_digest, said, steps_of
from decidendi.grading._mitigate_questions import Posed, QuestionSet
from decidendi.grading._model_judge_answers import Answers
from decidendi.grading._model_judge_desk import Answering, Call, Desk, Talk, Watch, total
from decidendi.grading._model_judge_replies import Form
from decidendi.grading._records import StoredRecord, read_records
from decidendi.grading._runs import grade_to
from decidendi.grading._source_chain import Written, chain_of
from decidendi.grading._taxonomy import Taxonomy, taxonomy
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured

FORMAT: Final = "decidendi-mitigation/1"
RUN, ANSWERS, SUMMARY, CHAINS, JUDGED = (
    "run.json", "answers.jsonl", "summary.json", "chains", "judged",
)  # fmt: skip
BLOCK: Final = 32
"""Questions asked at a time: enough calls to keep a provider busy, few enough to hold."""

JudgeOf: TypeAlias = Callable[[Sequence[Chain]], Judge]

_FREE: Final = Form[str]("free", {}, str)
"""Of replies that may look as they like."""


@dataclass(frozen=True)
class Mitigated:
    """The end of a run.

    Attributes:
        figures: Of each condition, the baseline first.
        content: What ``summary.json`` holds.
        out: The run's folder.
        made: Calls made now.
        unanswered: Calls without an answer; the same command makes them again.
        judge: Who judged; None if nobody did.
        record: The judge's last record; None if there is none, so that it is not validated.
    """

    figures: tuple[Figures, ...]
    content: Mapping[str, Any]
    out: Path
    made: int
    unanswered: int
    judge: JudgeIdentity | None = None
    record: StoredRecord | None = None


def mitigate(  # long: one keyword for each thing that goes with a run
    questions: QuestionSet,
    chosen: Sequence[Condition],
    model: Answering,
    about: Mapping[str, Any],
    out: Path,
    *,
    kinds: Taxonomy | None = None,
    judge_of: JudgeOf | None = None,
    records: Path | None = None,
    seed: int = 42,
    watch: Watch | None = None,
) -> Mitigated:
    """Ask all questions under all conditions, and measure; or go on with a run that was stopped.

    Args:
        questions: What is asked.
        chosen: The conditions, the baseline first.
        model: What answers.
        about: What could change an answer: the model's name, its settings.
        out: The run's folder; made if it is not there.
        kinds: The taxonomy that feedback is made from.
        judge_of: Makes ready a judge for chains. It grades them in a run of its own for each
            condition, once all calls have an answer.
        records: A file of judges' records; the judge's own is looked for there.
        seed: Of the resamples.
        watch: Told of the calls.

    Raises:
        BadInputError: if the folder holds another run, or another process writes to it.
    """
    used = kinds or taxonomy()
    bound = _bound(questions, chosen, about, used)
    with only_writer(out):
        bind(out / RUN, bound, free=["tool"])
        answers = Answers(out / ANSWERS)
        try:
            desk = Desk(model, answers, structured=False, watch=watch)
            chains = _asked(questions.questions, chosen, used, desk, str(about["name"]))
        finally:
            answers.close()
        for name, found in chains.items():
            write_whole(out / CHAINS / f"{name}.jsonl", map(chain_line, found))
        unanswered = total(desk.spent).failures
        labels: dict[str, Sequence[Labels]] = {}
        judge: Judge | None = None
        if judge_of is not None and not unanswered:
            judge = judge_of([chain for found in chains.values() for chain in found])
            labels = _judged(out / JUDGED, chains, judge, used, watch)
            if judge.identity.dry_run:
                labels = {}  # made up: calls were counted, and there is nothing to measure
        figures = figures_of(chosen, chains, labels, used, seed=seed)
        record = _record(judge, records)
        content = {
            **bound,
            "format": f"{FORMAT.partition('/')[0]}-summary/1",
            "seed": seed,
            "refused": [str(row) for row in questions.refused],
            "without_gold": questions.without_gold,
            "baseline": chosen[0].id,
            "judge": _judge_json(judge, record),
            "results": [figures_json(found) for found in figures],
            "spent": total(desk.spent).as_json(),
        }
        write_whole(out / SUMMARY, json_bytes(content))
    who = judge.identity if judge is not None else None
    return Mitigated(tuple(figures), content, out, desk.made, unanswered, who, record)


def _bound(
    questions: QuestionSet,
    chosen: Sequence[Condition],
    about: Mapping[str, Any],
    kinds: Taxonomy,
) -> dict[str, Any]:
    """Return everything that could change an answer: ``run.json``."""
    return {
        "format": FORMAT,
        "tool": {"name": "decidendi", "version": __version__},
        "model": dict(about),
        "conditions": [condition.id for condition in chosen],
        "prompts": prompts_digest(),
        "taxonomy": {"name": kinds.name, "digest": kinds.digest},
        "questions": {
            "source": questions.source,
            "count": len(questions.questions),
            "digest": questions.digest,
        },
    }


def _asked(
    questions: Sequence[Posed],
    chosen: Sequence[Condition],
    kinds: Taxonomy,
    desk: Desk,
    model: str,
) -> dict[str, list[Chain]]:
    """Return the chains of each condition, in the order of the questions."""
    desk.expect(len(questions) * sum(steps_of(condition) for condition in chosen))
    found: dict[str, list[Chain]] = {condition.id: [] for condition in chosen}
    for start in range(0, len(questions), BLOCK):
        block = questions[start : start + BLOCK]
        talks = [_talk(posed, each, kinds, model) for posed in block for each in chosen]
        for number, chain in enumerate(desk.hear(talks)):
            found[chosen[number % len(chosen)].id].append(chain)
    return found


def _talk(posed: Posed, condition: Condition, kinds: Taxonomy, model: str) -> Talk[Chain]:
    """Put one question under one condition."""
    messages: list[tuple[str, str]] = []
    steps = list(said(condition, posed, kinds))
    for number, text in enumerate(steps, 1):
        messages.append(("user", text))
        reply = yield Call(condition.id, tuple(messages), _FREE)
        failure = reply.failure
        if failure is None and not reply.text.strip() and number < len(steps):
            failure = Unmeasured(Reason.NOT_CONVERGED, f"nothing was written at step {number}")
        if failure is not None or number == len(steps):
            break
        messages.append(("assistant", reply.text))
    made = chain_of(
        Written(
            id=f"{posed.id}/{condition.id}",
            unit=posed.unit,
            text=reply.text,
            reasoning=reply.reasoning,
            cut=reply.cut,
            failure=failure,
            options=posed.options,
            gold=posed.gold,
            question=posed.question,
            source=posed.source,
            expert=posed.expert,
            collection=posed.collection,
            model=model,
            masked=[text for role, text in messages if role == "user"],
            carried={**posed.carried, "posed": posed.id, "condition": condition.id},
        ),
        Place(field=posed.id),
    )
    if isinstance(made, Refused):
        raise BadInputError(made.detail, place=made.place)
    return made


def _judged(
    folder: Path,
    chains: Mapping[str, Sequence[Chain]],
    judge: Judge,
    kinds: Taxonomy,
    watch: Watch | None,
) -> dict[str, Sequence[Labels]]:
    """Grade each condition's chains in a run of its own."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", judge.identity.by)
    labels: dict[str, Sequence[Labels]] = {}
    for condition, found in chains.items():
        run = grade_to(folder / name / condition, found, judge, kinds=kinds, watch=watch)
        labels[condition] = run.labels
    return labels


def _record(judge: Judge | None, records: Path | None) -> StoredRecord | None:
    """Return the judge's last record; None without one."""
    if judge is None or records is None:
        return None
    found = read_records(records, judge_digest=judge.identity.digest)
    return found[-1] if found else None


def _judge_json(judge: Judge | None, record: StoredRecord | None) -> dict[str, Any] | None:
    if judge is None:
        return None
    about = judge.identity
    known = None
    if record is not None:
        labelled = record.content["chains"]["labelled"]
        known = {"line": record.line, "chains": labelled, "premises": record.content["premises"]}
    return {"by": about.by, "digest": about.digest, "record": known}
