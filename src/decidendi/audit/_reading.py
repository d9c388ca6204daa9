"""From a call and its generation to a record: verdict, how it was found, and who is named."""

from __future__ import annotations

import re

from decidendi.audit._plan import Call
from decidendi.audit._prompts import Message
from decidendi.audit._record import Generation, Record, Stop
from decidendi.judgment import MissingExtraError, Reason, Unmeasured, Verdict, is_measured
from decidendi.legal import Authority, LegalCase, Task
from decidendi.reasoning import (
    Candidate,
    CaseName,
    Masks,
    Names,
    Output,
    Provision,
    VerdictSpec,
    extract,
    find_mentions,
    read_output,
    task_spec,
)

_ARTICLE = re.compile(r"Article (\d+)\Z")
_VERSUS = re.compile(r"(?P<plaintiff>.+?) v\. (?P<defendant>.+)\Z")


class Reader:
    """Reads the outputs of one case; keeps what its calls share."""

    def __init__(self, task: Task, case: LegalCase) -> None:
        """Take the task and the case."""
        self._task = task
        self._case = case

    def read(self, call: Call, generation: Generation) -> Record:
        """Return the record of one call. Never fails, whatever the model wrote."""
        authority = self._task.authority(call.authority, self._case)
        output = read_output(
            generation.text,
            native_reasoning=generation.reasoning,
            masked=Masks(masked_texts(call)),
            truncated=generation.stop is Stop.LENGTH,
        )
        verdict, found = self._verdict(output, generation, authority)
        return Record(
            case=call.case,
            unit=call.unit,
            condition=call.condition,
            variant=call.variant,
            repeat=call.repeat,
            authority=call.authority,
            gold=call.gold,
            injected=call.injected,
            note=call.note,
            edited=call.edited,
            question=call.question,
            prompt=call.prompt,
            generation=generation,
            verdict=verdict,
            how=str(found.how) if found else "",
            at=(found.span.start, found.span.end) if found else None,
            named=named_spans(output.text, authority),
        )

    def _verdict(
        self, output: Output, generation: Generation, authority: Authority
    ) -> tuple[Verdict, Candidate | None]:
        if generation.stop in _NO_ANSWER:
            return Unmeasured(_NO_ANSWER[generation.stop], generation.detail), None
        extraction = extract(output, spec_of(self._task, authority), asked=_provision(authority))
        measured = is_measured(extraction.verdict)
        return extraction.verdict, extraction.found if measured else None


_NO_ANSWER = {
    Stop.REFUSED: Reason.NOT_CONVERGED,
    Stop.ERROR: Reason.ERROR,
    Stop.TIMEOUT: Reason.TIMEOUT,
    Stop.UNFIT: Reason.INTERFACE,
}


def masked_texts(call: Call) -> tuple[str, ...]:
    """Return the texts whose copies never count as a verdict: the prompt, not the examples."""
    system = [m.content for m in call.messages if m.role == "system"]
    last: list[Message] = [m for m in call.messages if m.role == "user"][-1:]
    return (*system, *(m.content for m in last), *([call.note] if call.note else []))


def spec_of(task: Task, authority: Authority) -> VerdictSpec:
    """Return how verdicts of a task are declared and worded."""
    return task_spec(
        task.id, task.marker, task.labels, positive=task.positive, authority=authority.names
    )


def names_of(authority: Authority) -> Names:
    """Return the ways an authority may be named: as a provision, a case, or by its phrases."""
    if provision := _provision(authority):
        return Names(provisions=(provision,))
    if found := _VERSUS.match(authority.name):
        case = CaseName(found["plaintiff"], found["defendant"])
        return Names(phrases=authority.aliases, cases=(case,))
    return Names(phrases=authority.names)


def named_spans(text: str, authority: Authority) -> tuple[tuple[int, int], ...]:
    """Return where ``text`` names an authority.

    Without the extra ``legal`` a case is found by its full name alone.
    """
    try:
        mentions = find_mentions(text, names_of(authority))
    except MissingExtraError:
        mentions = find_mentions(text, Names(phrases=authority.names))
    return tuple((mention.span.start, mention.span.end) for mention in mentions.found)


def _provision(authority: Authority) -> Provision | None:
    found = _ARTICLE.match(authority.name)
    return Provision(found[1]) if found else None
