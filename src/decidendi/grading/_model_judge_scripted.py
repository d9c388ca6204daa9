"""A script in the place of a judge's model: it reads prompts and replies in the forms asked for.

With it the whole judge runs without a model: its prompts, its reading of replies, its repairs and
counts. What it says of premises it was told beforehand, so that what comes out is known; told
nothing, it makes errors up, and only the calls and the tokens mean anything.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from decidendi.grading._attack import framings
from decidendi.grading._chain import Chain
from decidendi.grading._labels import Finding, Labels, Marks
from decidendi.grading._model_judge_prompts import material_of, safe_json
from decidendi.grading._segment import segment
from decidendi.grading._taxonomy import UNSPECIFIED, Taxonomy, kind_of, taxonomy
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.legal import Option
from decidendi.models import Done, Question, Reply, Usage

NAME: Final = "scripted"
_LETTERS_A_TOKEN: Final = 4
"""What a token of English text comes to, roughly: its counts are estimates."""

_PARTS = re.compile(
    r"=== material \w+ ===\n(?P<material>.*)\n=== end of material \w+ ===\n\nTask: (?P<task>\w+)\n"
    r".*\n(?P<last>\{.*\})\Z",
    re.DOTALL,
)


@dataclass(frozen=True)
class Manners:
    """What a script does besides, each as a chance in [0, 1].

    Attributes:
        finds: It makes up an error of a premise that it was told nothing of.
        prose: It replies in prose, at first. Drawn per prompt, as the next.
        stubborn: And again when asked once more.
        obeys: It obeys an instruction that it meets in a chain, and finds no error. Drawn per
            chain.
    """

    finds: float = 0.1
    prose: float = 0.0
    stubborn: float = 0.0
    obeys: float = 0.0

    def __post_init__(self) -> None:
        if not all(0 <= chance <= 1 for chance in vars(self).values()):
            raise BadInputError("each manner of the script is a chance between 0 and 1")


@dataclass
class ScriptedModel:
    """Answers prompts of a judge.

    Attributes:
        chains: The chains it will see.
        labels: What it says of them; None makes errors up.
        manners: What it does besides.
        seed: Of all draws.
        kinds: The taxonomy that it labels with.
        calls: How many it answered.
    """

    chains: Sequence[Chain]
    labels: Sequence[Labels] | None = None
    manners: Manners = field(default_factory=Manners)
    seed: int = 42
    kinds: Taxonomy = field(default_factory=taxonomy)
    calls: int = 0

    def __post_init__(self) -> None:
        told = {row.chain: row for row in self.labels or ()}
        self._of = {
            safe_json(material_of(chain)): (chain.id, told.get(chain.id)) for chain in self.chains
        }

    def ask(self, questions: Sequence[Question], done: Done) -> None:
        """Answer all questions."""
        for place, question in enumerate(questions):
            self.calls += 1
            text = self._answer(question)
            read = sum(len(said) for _, said in question.messages)
            usage = Usage(-(-read // _LETTERS_A_TOKEN), -(-len(text) // _LETTERS_A_TOKEN))
            done(place, Reply(text, usage=usage))

    def close(self) -> None:
        """Nothing is held."""

    def _answer(self, question: Question) -> str:
        prompt = question.messages[1][1]
        again = len(question.messages) > 2
        if self._happens(self.manners.prose, f"prose|{prompt}") and (
            not again or self._happens(self.manners.stubborn, f"stubborn|{prompt}")
        ):
            return "The premise looks right to me."
        found = _PARTS.fullmatch(prompt)
        if found is None:
            raise ValueError("no prompt of a judge")
        last = json.loads(found["last"])
        if found["task"] in _PLAIN:
            return json.dumps(_PLAIN[found["task"]](last))
        marks = self._marks(found["material"], last)
        if isinstance(marks, Unmeasured):
            return "I cannot say."
        return json.dumps(_reply(found["task"], last["premise"], marks, self.kinds))

    def _marks(self, material: str, last: Mapping[str, Any]) -> Marks:
        name, labels = self._of.get(material, (material, None))
        if self._happens(self.manners.obeys, f"obeys|{name}") and _instructs(material):
            return ()
        number = last["premise"]
        if self.labels is None:
            kinds = self.kinds.kind_codes
            made_up = Finding(kinds[number % len(kinds)], "made up")
            return (made_up,) if self._happens(self.manners.finds, f"{name}|{number}") else ()
        if labels is None or isinstance(labels.premises, Unmeasured):
            return labels.premises if labels and isinstance(labels.premises, Unmeasured) else ()
        marks: Marks = labels.premises[number - 1]
        return marks

    def _happens(self, chance: float, what: str) -> bool:
        # Text seeds: the same on every machine, whatever the order of the calls.
        return random.Random(f"{self.seed}|{what}").random() < chance  # noqa: S311 - repeatable on purpose


def _instructs(material: str) -> bool:
    premises = json.loads(material)["premises"].values()
    return any(text in premise for premise in premises for text in framings().values())


def _reply(task: str, number: int, marks: Marks, kinds: Taxonomy) -> dict[str, Any]:
    found = marks if isinstance(marks, tuple) else ()
    codes = [kinds.kind_codes[0] if f.code == UNSPECIFIED else f.code for f in found]
    if task == "general":
        return {"premise": number, "why": "scripted", "error": bool(codes)}
    if task == "summary":
        errors = [
            {"why": f.why or "scripted", "code": c} for f, c in zip(found, codes, strict=True)
        ]
        return {"premise": number, "errors": errors}
    sought = _SOUGHT[task]
    named = [code for code in codes if kind_of(code) == sought]
    return {"premise": number, "why": "scripted", "errors": named}


_SOUGHT: Final = {
    "misinterpretation": "misinterpretation",
    "relevance": "irrelevance",
    "compare": "hallucination",
}
_QUESTION: Final = "What does the source say on premise "
_ANSWER: Final = {"answer": "It says so.", "stated": True}
_Said = Mapping[str, Any]


def _segments(last: _Said) -> dict[str, Any]:
    options = [Option(label) for label in ("YES", "NO")]
    parts = segment(last["text"], options)
    premises = [] if isinstance(parts.premises, Unmeasured) else list(parts.premises)
    return {"premises": premises, "conclusion": parts.conclusion}


_PLAIN: Final[Mapping[str, Callable[[_Said], dict[str, Any]]]] = {
    "questions": lambda last: {
        "premise": last["premise"],
        "questions": [_QUESTION + str(last["premise"])],
    },
    "answers": lambda last: {
        "answers": [{"question": int(n), **_ANSWER} for n in last["questions"]]
    },
    "content": lambda last: {"why": "scripted", "agrees": "yes"},
    "segment": _segments,
}
"""Tasks whose replies do not depend on what is wrong with the chain."""
