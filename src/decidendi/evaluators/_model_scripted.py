"""A model played by a script: its dependence on what it reads, and its chances, are known.

For examples and tests, one's own included. It reads the prompt as a model does, and understands
only this much of it. Sections stand between tags of their names. In ``<rubric>`` each line is a
rule, and the first that applies gives the verdict; where none does, rules that stand outside all
tags are tried:

    escalate if the reply says "lawyer" or "chargeback".
    resolved if the reply says "refund" and the scope lists the product.
    unresolved otherwise.

``says`` looks for words in quotes, ``lists`` for the whole text of another section; both without
case, and both may be denied (``does not say``, ``does not list``).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from decidendi.evaluators._model_prompt import Messages
from decidendi.judgment import JSON, BadInputError

_SECTION = re.compile(r"<([A-Za-z_][\w-]*)>(.*?)</\1>", re.DOTALL)
_SAYS = re.compile(r"the ([\w-]+) (says|does not say) ((?:\"[^\"]+\")(?: or \"[^\"]+\")*)", re.I)
_LISTS = re.compile(r"the ([\w-]+) (lists|does not list) the ([\w-]+)", re.I)


class RubricFollower:
    """Follows the rubric it reads, as steadily as it is told to."""

    def __init__(
        self,
        labels: Sequence[str],
        marker: str = "VERDICT",
        *,
        steadiness: str | int = 1,
        silence: str | int = 0,
        reads: int | None = None,
    ) -> None:
        """Make one.

        Args:
            labels: The verdicts.
            marker: What it puts before its verdict.
            steadiness: The probability, as text, of the verdict that the rules give, among
                answers with one; each other verdict is as likely as the next.
            silence: The probability of an answer without a verdict.
            reads: It reads only so many words of each section besides the rubric.

        Raises:
            BadInputError: if a probability is none, or the count is not above zero.
        """
        self._labels = tuple(labels)
        self._marker = marker
        self._steadiness = _probability("steadiness", steadiness)
        self._silence = _probability("silence", silence)
        if reads is not None and (type(reads) is not int or reads < 1):
            raise BadInputError("reads is not a count of words", remedy="give 1 or more, or none")
        self._reads = reads
        self._about = [list(self._labels), marker, str(steadiness), str(silence), reads]
        said = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
        self._rule = re.compile(
            rf"^\W*(?:\d+\W+)?({said}) (?:(?:if|when) (.+?)|otherwise)[.;]?\s*$", re.I
        )
        self._named = {label.casefold(): label for label in labels}

    @classmethod
    def of(cls, labels: Sequence[str], marker: str, args: Mapping[str, JSON]) -> RubricFollower:
        """Make one from the arguments of a model source. Raises ``BadInputError``."""
        try:
            return cls(labels, marker, **args)  # type: ignore[arg-type]  # tried and checked
        except TypeError:
            known = "steadiness, silence, reads"
            what = f"the scripted judge does not know all of: {', '.join(sorted(args))}"
            raise BadInputError(what, remedy=f"it knows {known}") from None

    def verdict(self, messages: Messages) -> str | None:
        """Return the verdict that the rules give; None if no rule applies or can be read."""
        text = "\n\n".join(text for _, text in messages)
        sections = {name.casefold(): body.strip() for name, body in _SECTION.findall(text)}
        rules = f"{sections.pop('rubric', '')}\n{_SECTION.sub('', text)}"
        if self._reads is not None:
            sections = {n: " ".join(body.split()[: self._reads]) for n, body in sections.items()}
        for line in rules.splitlines():
            if (found := self._rule.match(line)) and self._applies(found[2], sections):
                return self._named[found[1].casefold()]
        return None

    def _applies(self, conditions: str | None, sections: Mapping[str, str]) -> bool:
        return conditions is None or all(
            _holds(condition.strip(), sections) for condition in conditions.split(" and ")
        )

    def probabilities(self, messages: Messages) -> dict[str, Fraction]:
        """Return the probability of each verdict; what is missing to one gives none."""
        given = self.verdict(messages)
        if given is None:
            return {label: Fraction(0) for label in self._labels}
        speaks = 1 - self._silence
        other = (1 - self._steadiness) / max(1, len(self._labels) - 1)
        shares = {label: self._steadiness if label == given else other for label in self._labels}
        return {label: speaks * share for label, share in shares.items()}

    def answer(self, messages: Messages, repeat: int) -> str:
        """Return one answer: a function of what was asked and of which draw it is."""
        asked = json.dumps([self._about, messages, repeat]).encode()
        chance = Fraction(int.from_bytes(hashlib.sha256(asked).digest()[:8], "big"), 2**64)
        for label, share in self.probabilities(messages).items():
            if chance < share:
                return f"I went through the rubric line by line.\n\n{self._marker}: {label}"
            chance -= share
        return "I went through the rubric line by line, and cannot say."


def _holds(condition: str, sections: Mapping[str, str]) -> bool:
    if found := _SAYS.fullmatch(condition):
        words = re.findall(r'"([^"]+)"', found[3])
        there = sections.get(found[1].casefold(), "").casefold()
        return any(word.casefold() in there for word in words) == (found[2].casefold() == "says")
    if found := _LISTS.fullmatch(condition):
        there = sections.get(found[1].casefold(), "").casefold()
        wanted = sections.get(found[3].casefold(), "").casefold()
        return bool(wanted) and (wanted in there) == (found[2].casefold() == "lists")
    return False


def _probability(name: str, given: object) -> Fraction:
    try:
        value = Fraction(Decimal(given)) if type(given) in (str, int) else None  # type: ignore[arg-type]  # either
    except (InvalidOperation, ValueError, OverflowError):
        value = None
    if value is None or not 0 <= value <= 1:
        remedy = 'write it as text, e.g. "0.9"'
        raise BadInputError(f"{name} is not a probability: {given!r}", remedy=remedy)
    return value
