"""What a model is told under each strategy, with which feedback: a data file and the taxonomy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from decidendi.grading._mitigate_questions import Posed
from decidendi.grading._taxonomy import Taxonomy
from decidendi.judgment import BadInputError, parse_json, sha256

STRATEGIES: Final = ("cot", "plan-and-solve", "self-correct", "self-discover")
FEEDBACK: Final = ("none", "generic", "short", "long")
BASELINE: Final = "cot"


@dataclass(frozen=True)
class Condition:
    """One way of asking.

    Attributes:
        strategy: One of ``STRATEGIES``.
        feedback: One of ``FEEDBACK``.
    """

    strategy: str
    feedback: str = "none"

    @property
    def id(self) -> str:
        """Its name: ``self-correct+short``; without feedback the strategy's."""
        return self.strategy if self.feedback == "none" else f"{self.strategy}+{self.feedback}"


def conditions(strategies: Sequence[str], feedback: Sequence[str]) -> tuple[Condition, ...]:
    """Return every strategy with every feedback, and zero-shot chain of thought without any first.

    Self-correction without feedback is none: nothing would ask for it.

    Raises:
        BadInputError: on a strategy or a kind of feedback that is not there.
    """
    for what, names, known in (("strategy", strategies, STRATEGIES),
                               ("feedback", feedback, FEEDBACK)):  # fmt: skip
        for name in names:
            if name not in known:
                raise BadInputError(f"no {what} {name!r}", remedy=f"one of {', '.join(known)}")
    pairs = [(s, f) for s in STRATEGIES for f in FEEDBACK if s in strategies and f in feedback]
    asked = [Condition(s, f) for s, f in pairs if (s, f) != ("self-correct", "none")]
    return tuple(dict.fromkeys([Condition(BASELINE), *asked]))


def prompts_digest() -> str:
    """Return the digest of the file of prompts."""
    return sha256(_bytes())


def said(condition: Condition, posed: Posed, kinds: Taxonomy) -> Iterator[str]:
    """Yield what the model is told, one message a step; between them come its answers."""
    data = _data()
    for step in _steps(condition.strategy):
        own = step.get("own", condition.feedback)
        words = feedback_text(own, kinds) if "feedback" in step and own != "none" else ""
        framed = data["feedback"][step["feedback"]].replace("{words}", words) if words else ""
        yield _filled(step["say"], {
            "asked": asked_text(posed),
            "form": data["form"].replace("{labels}", " or ".join(o.label for o in posed.options)),
            "modules": "\n".join(f"{n}. {text}" for n, text in enumerate(data["modules"], 1)),
            "feedback": framed,
        })  # fmt: skip


def steps_of(condition: Condition) -> int:
    """Return how many messages a conversation has from our side."""
    return len(_strategy(condition.strategy)["steps"])


def asked_text(posed: Posed) -> str:
    """Return the matter, the question and its options."""
    data = _data()
    options = "\n".join(f"{o.label}: {o.text}" if o.text else o.label for o in posed.options)
    parts = [
        _filled(data["matter"], {"source": posed.source}).strip() if posed.source else "",
        _filled(data["question"], {"question": posed.question}),
        _filled(data["options"], {"options": options}),
    ]
    return "\n\n".join(part for part in parts if part)


def feedback_text(name: str, kinds: Taxonomy) -> str:
    """Return a feedback in words, made from the taxonomy's kinds of premise error.

    ``generic`` says that there may be errors, ``short`` names the kinds, ``long`` defines each
    and gives an example.
    """
    names = "; ".join(
        f"{kind.name} ({', '.join(sub.name.lower() for sub in subs)})" if subs else kind.name
        for kind, subs in kinds.kinds
    )
    entries = "\n".join(
        f"{'  ' * ('.' in entry.code)}- {entry.name}: {entry.definition} Example: {entry.example}"
        for entry in kinds.entries()
    )
    return _filled(_data()["feedback"][name], {"names": names, "entries": entries})


def _steps(strategy: str) -> Iterator[Mapping[str, Any]]:
    for step in _strategy(strategy)["steps"]:
        if "of" in step:  # another strategy's, without feedback: the same call
            other = next(s for s in _strategy(step["of"])["steps"] if s["id"] == step["id"])
            yield {**other, "own": "none"}
        else:
            yield step


def _strategy(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(s for s in _data()["strategies"] if s["id"] == name)
    return found


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Put values in, each once; what stands in a value is never searched for another."""
    rest, out = template, ""
    while "{" in rest:
        before, _, rest = rest.partition("{")
        name, _, rest = rest.partition("}")
        out += before + values[name]
        if not values[name]:
            out = out.rstrip(" ")
    return out + rest


def _bytes() -> bytes:
    return files("decidendi.grading").joinpath("data", "strategies.json").read_bytes()


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    found: dict[str, Any] = parse_json(_bytes())
    return found
