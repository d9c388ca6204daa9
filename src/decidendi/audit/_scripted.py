"""A scripted model: its dependence on the authority is declared, so every true measure is known.

For trying the audit without a model, and for tests. It reads prompts as any model does: it finds
the facts, the question, which authority is asked about and what a note orders in the text itself.
Chance is drawn from digests of the facts, so that answers don't depend on the order of calls.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from decidendi.audit._prompts import Message
from decidendi.audit._record import Generation, Stop
from decidendi.judgment import BadInputError
from decidendi.legal import Task

_FACTS = re.compile(r"<facts>\n(.*)\n</facts>", re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Character:
    """What a scripted model does, each as a probability over cases in [0, 1].

    Attributes:
        dependence: Its verdict follows the authority: another verdict under any authority but
            the home authority.
        obedience: It gives the verdict that a note orders.
        naming: It names the authority asked about.
        unprompted: It does so where it is not told to.
        wobble: It gives another verdict for a rewording. Drawn per case and question.
        failure: It gives no verdict. Drawn per prompt, as the next three.
        refusal: The provider withholds its answer.
        rambling: It repeats one word ten thousand times.
        positive: Its verdict under the home authority is the first label, where there are two;
            of more labels each is as likely.
        commits: Whether it states its verdict before or after its reasoning.
        seed: Of all draws.
    """

    dependence: float = 0.5
    obedience: float = 0.8
    naming: float = 1.0
    unprompted: float = 0.4
    wobble: float = 0.1
    failure: float = 0.0
    refusal: float = 0.0
    rambling: float = 0.0
    positive: float = 0.5
    commits: Literal["early", "late"] = "late"
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse what is no probability.

        Raises:
            BadInputError: naming the argument and what it may be.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "commits":
                fits, allowed = value in ("early", "late"), "early or late"
            elif each.name == "seed":
                fits, allowed = type(value) is int, "a whole number"
            else:
                fits, allowed = type(value) in (int, float) and 0 <= value <= 1, "from 0 to 1"
            if not fits:
                raise BadInputError(f"scripted: {each.name} = {value!r}", remedy=allowed)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the scripted model makes of a prompt.

    Attributes:
        facts: Without a note: their plain words, which no condition changes.
        authority: Name of what is asked about; empty if it cannot tell.
        home: Whether that is the home authority.
        reworded: The question is in another wording than the task's base.
        ordered: The verdict that a note orders; empty without one.
        told: Whether it was told to name the authority.
    """

    facts: str
    authority: str
    home: bool
    reworded: bool
    ordered: str
    told: bool


class ScriptedModel:
    """Answers prompts of one task in character."""

    def __init__(self, task: Task, character: Character | None = None, home: str = "") -> None:
        """Take the task, the character, and the home authority (the first pair's target)."""
        self.task = task
        self.character = character or Character()
        self.home = home or (task.pairs[0].target if task.pairs else task.authorities[0].id)
        self._wordings = [_pattern(wording.template) for wording in task.wordings]
        self._marker = re.compile(rf"{task.marker}: ({'|'.join(map(re.escape, task.labels))})\b")

    def __call__(self, messages: Sequence[Message]) -> Generation:
        """Return what this model gives for a conversation."""
        prompt = "\x00".join(message.content for message in messages)
        seen = self.see(messages)
        if self._drawn("refusal", prompt) < self.character.refusal:
            return Generation("", stop=Stop.REFUSED, detail="content filter")
        if self._drawn("failure", prompt) < self.character.failure:
            return _counted("<think>The matter has many sides.</think>\nI would rather not say.")
        if self._drawn("rambling", prompt) < self.character.rambling:
            return Generation("whereas " * 10_000, stop=Stop.LENGTH, tokens_out=10_000)
        return _counted(self._written(seen, self.verdict(seen)))

    def see(self, messages: Sequence[Message]) -> Seen:
        """Read a conversation."""
        user = messages[-1].content
        found = _FACTS.search(user)
        facts = found[1] if found else user
        questions = _QUESTION.findall(user[: found.start()] + user[found.end() :] if found else "")
        question = questions[-1] if questions else ""
        kept, ordered = [], ""
        for paragraph in facts.split("\n\n"):
            order = self._marker.search(paragraph)
            ordered = order[1] if order else ordered
            kept += [] if order else [paragraph]
        text = re.sub(r"\s+", " ", " ".join(kept))
        match = [found for each in self._wordings if (found := each.fullmatch(question))]
        authority = match[0]["authority"] if match else ""
        reworded = not match or match[0].re is not self._wordings[0]
        masked = self.task.null.name in text
        # A precedent is whichever case the excerpt cites; it is only ever masked.
        named = self.task.kind == "precedent" or authority == self.task.authority(self.home).name
        told = "name explicitly" in messages[0].content
        # Names of parties are masked in one condition: the case must stay the same to it.
        plain = " ".join(re.findall(r"(?<!\w)[a-z]{4,}(?!\w)", text))
        home = named and not masked
        return Seen(plain, authority, home, reworded, ordered, told)

    def verdict(self, seen: Seen) -> str:
        """Return the verdict in character: obedience first, then wobble, then dependence."""
        labels, me = self.task.labels, self.character
        if seen.ordered and self._drawn("obedience", seen.facts) < me.obedience:
            return seen.ordered
        drawn = self._drawn("positive", seen.facts)
        index = int(drawn >= me.positive) if len(labels) == 2 else int(drawn * len(labels))
        if not seen.home and self._drawn("dependence", seen.facts) < me.dependence:
            index += 1
        if seen.reworded and self._drawn("wobble", seen.facts) < me.wobble:
            index += 1
        return labels[index % len(labels)]

    def _written(self, seen: Seen, verdict: str) -> str:
        chance = self.character.naming if seen.told else self.character.unprompted
        name = seen.authority
        opening = "The facts are considered first."
        if name and self._drawn("naming", seen.facts) < chance:
            opening = f"The question is to be answered under {name}."
        line = f"{self.task.marker}: {verdict}"
        body = f"<think>{opening} The facts point one way rather than the other.</think>\n"
        return f"{line}\n{body}" if self.character.commits == "early" else f"{body}{line}"

    def _drawn(self, what: str, about: str) -> float:
        """Draw a number in [0, 1) that depends on seed, purpose and text alone."""
        text = f"{self.character.seed}\x00{what}\x00{about}"
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:7]) / 2**56


def _pattern(template: str) -> re.Pattern[str]:
    """Return a wording as an expression that finds the authority it asks about."""
    pieces = re.split(r"\{(authority|text|citation)\}", template)
    out = [
        re.escape(piece) if i % 2 == 0 else f"(?P<{piece}>.+?)" for i, piece in enumerate(pieces)
    ]
    return re.compile("".join(out), re.DOTALL)


def _counted(text: str) -> Generation:
    return Generation(text, tokens_out=len(text.split()))
