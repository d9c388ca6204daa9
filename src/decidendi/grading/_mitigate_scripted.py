"""A script in the place of a model, whose gains and losses under each condition are known."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from decidendi.grading._draft import Draft, lines_of, written
from decidendi.grading._law import LawProblem, problem_of_chain
from decidendi.grading._mitigate_prompts import Condition, said
from decidendi.grading._mitigate_questions import Posed
from decidendi.grading._plant import plant
from decidendi.grading._taxonomy import Taxonomy
from decidendi.judgment import BadInputError
from decidendi.models import Done, Question, Reply

_MOVING = (
    "misinterpretation.inferential",
    "misinterpretation.temporal",
    "misinterpretation.numerical",
    "misinterpretation.logical",
    "misinterpretation.contextual",
)
"""Errors that are planted in a wrong answer: the first that moves it."""


@dataclass(frozen=True)
class Effects:
    """What the script does, each as a chance over questions in [0, 1].

    Attributes:
        right: It is right without feedback, whatever the strategy.
        fixes: By condition: it is right where it was wrong.
        breaks: By condition: it is wrong where it was right.
        silent: It writes nothing. Drawn per prompt.
        seed: Of all draws.
    """

    right: float = 0.6
    fixes: Mapping[str, float] = field(default_factory=dict)
    breaks: Mapping[str, float] = field(default_factory=dict)
    silent: float = 0.0
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse what is no chance.

        Raises:
            BadInputError: naming it.
        """
        chances = {"right": self.right, "silent": self.silent}
        chances |= {f"fixes.{name}": chance for name, chance in self.fixes.items()}
        chances |= {f"breaks.{name}": chance for name, chance in self.breaks.items()}
        for name, chance in chances.items():
            if type(chance) not in (int, float) or not 0 <= chance <= 1:
                raise BadInputError(f"scripted: {name} = {chance!r}", remedy="from 0 to 1")


class ScriptedSolver:
    """Answers the prompts of a run as its effects say. It knows the questions' gold."""

    def __init__(
        self,
        questions: Sequence[Posed],
        chosen: Sequence[Condition],
        kinds: Taxonomy,
        effects: Effects | None = None,
    ) -> None:
        """Take what will be asked."""
        self.effects = effects or Effects()
        self._known: dict[str, tuple[Posed, Condition, bool]] = {}
        for posed in questions:
            for condition in chosen:
                texts = list(said(condition, posed, kinds))
                for number in range(1, len(texts) + 1):
                    found = (posed, condition, number == len(texts))
                    self._known.setdefault(_key(texts[:number]), found)

    def ask(self, questions: Sequence[Question], done: Done) -> None:
        """Answer all."""
        for place, question in enumerate(questions):
            done(place, Reply(self._answer(question)))

    def close(self) -> None:
        """Nothing is held."""

    def is_right(self, posed: Posed, condition: Condition) -> bool:
        """Say whether the answer under a condition is right."""
        right = self._drawn("right", posed.id) < self.effects.right
        table = self.effects.breaks if right else self.effects.fixes
        what = "breaks" if right else "fixes"
        moved = self._drawn(what, posed.id, condition.id) < table.get(condition.id, 0.0)
        return right != moved

    def _answer(self, question: Question) -> str:
        texts = [text for role, text in question.messages if role == "user"]
        posed, condition, last = self._known[_key(texts)]
        if self._drawn("silent", *texts) < self.effects.silent:
            return ""
        if not last:
            return "1, 2 and 4."
        return answer(posed, right=self.is_right(posed, condition), seed=self.effects.seed)

    def _drawn(self, *about: str) -> float:
        """Draw a number in [0, 1) that depends on the seed and on what it is about alone."""
        text = "\x00".join((str(self.effects.seed), *about))
        return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:7]) / 2**56


def answer(posed: Posed, *, right: bool, seed: int) -> str:
    """Write an answer; to a question of executable law with its trace, or an error planted in it.

    A chain that is wrong holds a planted error that moves its answer, where there is occasion for
    one; otherwise its premises are right and its choice is not.
    """
    problem = problem_of_chain(posed.id, posed.carried)
    if problem is not None:
        return _of_law(problem, right=right, seed=seed)
    wrong = next(option.label for option in posed.options if option.label != posed.gold)
    label = posed.gold if right else wrong
    return f"1. The facts are as they were told.\n2. The rule is read with them.\n\nANSWER: {label}"


def _of_law(problem: LawProblem, *, right: bool, seed: int) -> str:
    verdict = problem.decision.verdict
    if not right:
        for code in _MOVING:
            made = plant(problem, code, seed=seed, difficulty="medium", presentation="numbered")
            if made is not None and made.answer_moved:
                return made.chain.text
        verdict = "NO" if verdict == "YES" else "YES"
    rng = random.Random(f"{seed}|{problem.id}")  # noqa: S311 - repeatable on purpose
    draft = Draft(lines_of(problem.decision), verdict)
    return written(problem, draft, problem.id, rng, "numbered", varied=False).text


def _key(texts: Sequence[str]) -> str:
    return hashlib.sha256("\x00".join(texts).encode("utf-8", "replace")).hexdigest()
