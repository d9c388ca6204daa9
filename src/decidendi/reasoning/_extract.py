"""The verdict of an output: found, or unmeasured. Nothing becomes a verdict by accident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from decidendi.judgment import Reason, Unmeasured, Verdict
from decidendi.reasoning._context import Candidate, Context
from decidendi.reasoning._doubt import doubted, visible
from decidendi.reasoning._markers import declared
from decidendi.reasoning._output import Output, Part, read_output
from decidendi.reasoning._phrasing import concluded
from decidendi.reasoning._provisions import Provision
from decidendi.reasoning._spec import VerdictSpec

KEPT = 20
"""So many other candidates are kept, the rightmost; the rest are counted."""


@dataclass(frozen=True)
class Extraction:
    """What was found in one output.

    Attributes:
        verdict: The label, or ``Unmeasured`` with ``Reason.NOT_CONVERGED``.
        found: The candidate that decided, with how and where it was found. If it names no label
            there is no verdict: see ``Candidate.final``. None if nothing decided.
        others: What else looked like a verdict, from right to left, at most ``KEPT``.
        more: How many further candidates there were.
    """

    verdict: Verdict
    found: Candidate | None
    others: tuple[Candidate, ...]
    more: int = 0


def extract(
    output: Output | str, spec: VerdictSpec, *, asked: Provision | None = None
) -> Extraction:
    """Extract the verdict of one output (SPEC, section 2; Sadhu et al., section 4).

    The answer that follows the reasoning is read first, then everything; in each a declared marker
    before a conclusion in words; among several the rightmost counts. What is copied from the
    masked texts never does, nor what is quoted, offered as alternatives, asked or only supposed.
    If nothing is left the output did not converge. Only the output's last ``READ`` characters are
    read, so the time is bounded.

    Args:
        output: What the model wrote, with the prompt and injected notes as masked texts. A plain
            string has no masked texts.
        spec: How verdicts are declared and worded.
        asked: The provision asked about, if it is one: a conclusion in words that names only
            others ("no violation of Article 3") is then not its verdict.
    """
    if isinstance(output, str):
        output = read_output(output)
    context = Context(output, asked)
    markers = visible(output, list(declared(context, spec)))
    phrases = visible(output, list(concluded(context, spec)))
    # "VERDICT: There was no violation." is worded, not unreadable.
    worded = {(c.span.start, c.part) for c in phrases if c.set_aside is None}
    markers = [c for c in markers if c.label or (c.span.start, c.part) not in worded]
    chosen = None
    for begin in (_answer_begins(output), 0):
        chosen = chosen or _rightmost(markers, begin) or _rightmost(phrases, begin)
    first = chosen
    if chosen is not None:
        chosen = doubted(context, chosen, markers, phrases)
    kept = {id(chosen)} if chosen in phrases else {id(chosen), id(first)}
    others = sorted(
        (c for c in chain(markers, phrases) if id(c) not in kept),
        key=lambda c: c.span,
        reverse=True,
    )
    return Extraction(
        verdict=_verdict(output, chosen, others),
        found=chosen,
        others=tuple(others[:KEPT]),
        more=max(0, len(others) - KEPT),
    )


def _answer_begins(output: Output) -> int:
    """Return where the answer begins that follows all reasoning; the end if none does."""
    last = output.reasoning[-1].end if output.reasoning else 0
    return next((span.start for span in output.answer if span.start >= last), output.end)


def _rightmost(candidates: Iterable[Candidate], begin: int) -> Candidate | None:
    """Return the first, from the right, that decides, if it stands at ``begin`` or after it.

    Thinking aloud that one cannot decide decides nothing.
    """
    for candidate in candidates:
        if candidate.span.start < begin:
            return None
        if candidate.set_aside is None or (candidate.final and candidate.part is Part.ANSWER):
            return candidate
    return None


def _verdict(output: Output, chosen: Candidate | None, others: list[Candidate]) -> Verdict:
    if chosen is not None and chosen.label is not None and chosen.set_aside is None:
        return chosen.label
    if chosen is not None:
        return _unmeasured(f"the output ends undecided: {chosen.set_aside}")
    if not output.text.strip():
        return _unmeasured("the output is empty")
    counts = Counter(str(c.set_aside) for c in others if c.set_aside)
    aside = ", ".join(f"{count} {why}" for why, count in sorted(counts.items()))
    return _unmeasured(f"no verdict; set aside: {aside}" if aside else "no verdict")


def _unmeasured(detail: str) -> Unmeasured:
    return Unmeasured(Reason.NOT_CONVERGED, detail)
