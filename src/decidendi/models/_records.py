"""What is asked of a local model, and what one generation leaves behind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from decidendi.judgment import BadInputError, Unmeasured


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a verdict is declared, and between which labels.

    Attributes:
        text: The marker, letter for letter ("VERDICT:").
        labels: The verdicts as they are written after it, two or more.
        lead: What stands between the marker and a label.

    Raises:
        BadInputError: if the marker is empty or fewer than two different labels are given.
    """

    text: str = "VERDICT:"
    labels: tuple[str, ...] = ("YES", "NO")
    lead: str = " "

    def __post_init__(self) -> None:
        """Refuse what no margin can be read from."""
        if not self.text.strip() or self.text != self.text.rstrip():
            raise BadInputError(
                f"the marker {self.text!r} is empty or ends in white space",
                remedy="white space after a marker belongs in lead",
            )
        if len(set(self.labels)) < 2 or len(set(self.labels)) < len(self.labels):
            raise BadInputError(f"labels must be two or more, all different: {self.labels}")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an answer is generated, and until when.

    Attributes:
        max_new_tokens: An answer is cut after so many tokens.
        stop: Texts that end an answer; the answer ends before them.
        marker: Where the margin is read; None reads none and forces nothing.
        reasoning_budget: Reasoning still open after so many new tokens, or when the answer ends
            or is cut, is closed for the model and the marker put after it: the verdict is then
            *forced*. None never closes it.
        force_missing: An answer that ends or is cut without the marker, its reasoning closed or
            never begun, gets the marker as well.
        forced_tokens: The verdict after a forced marker is cut after so many tokens.
        think: The tags around reasoning.
        temperature: 0 takes the likeliest token each time. Above it, tokens are drawn with the
            prompt's seed; margins are those of temperature 1 all the same.

    Raises:
        BadInputError: if a count is not positive, the temperature is below zero or not a number,
            or forcing is asked for without a marker.
    """

    max_new_tokens: int = 1536
    stop: tuple[str, ...] = ()
    marker: Marker | None = None
    reasoning_budget: int | None = None
    force_missing: bool = False
    forced_tokens: int = 8
    think: tuple[str, str] = ("<think>", "</think>")
    temperature: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be carried out."""
        budget = 1 if self.reasoning_budget is None else self.reasoning_budget
        if min(self.max_new_tokens, self.forced_tokens, budget) < 1:
            raise BadInputError("counts of tokens must be 1 or more")
        if not 0 <= self.temperature < math.inf:
            raise BadInputError(f"the temperature {self.temperature} is not zero or more")
        if self.marker is None and (self.reasoning_budget is not None or self.force_missing):
            raise BadInputError("a verdict can't be forced without a marker")
        if not all(self.stop) or not all(self.think):
            raise BadInputError("stop texts and tags must not be empty")

    @property
    def forces(self) -> bool:
        """Say whether a verdict may be forced."""
        return self.reasoning_budget is not None or self.force_missing

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object, for logs and cache keys; a temperature only if above 0."""
        said = asdict(self)
        if not self.temperature:
            del said["temperature"]
        return said


class Finish(StrEnum):
    """Why a generation ended."""

    END = "end"
    """The model ended it."""
    STOP = "stop"
    """A stop text came."""
    LENGTH = "length"
    """It was cut."""


class Cause(StrEnum):
    """Why a verdict was forced."""

    BUDGET = "budget"
    """The reasoning was still open when its budget, or the answer's, was spent."""
    ENDED = "ended"
    """The model ended its answer, or a stop text came, inside its reasoning."""
    MISSING = "missing"
    """The answer had no marker."""
    ASKED = "asked"
    """It was asked for at once."""


@dataclass(frozen=True, slots=True)
class Forced:
    """What was put into an answer that the model did not say.

    Attributes:
        cause: Why.
        at: How many tokens the model had generated before.
        inserted: The text put in; what comes after it is the model's again.
        tokens: How many tokens that is.
    """

    cause: Cause
    at: int
    inserted: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Margin:
    """How the model weighs the labels right after the marker.

    Attributes:
        log_probs: Per label, the natural logarithm of the probability of its first differing
            token, among all tokens of the vocabulary.
        token_ids: Per label, that token.
        at: Its place among the new tokens, from 0.
    """

    log_probs: Mapping[str, float]
    token_ids: Mapping[str, int]
    at: int

    def log_odds(self, label: str) -> float:
        """Return the log-odds of ``label`` against the other labels together, in nats."""
        others = [value for name, value in self.log_probs.items() if name != label]
        top = max(others)
        return self.log_probs[label] - top - math.log(sum(math.exp(v - top) for v in others))

    @property
    def top(self) -> str:
        """The likeliest label; the first of equals."""
        return max(self.log_probs, key=lambda name: self.log_probs[name])

    @property
    def mass(self) -> float:
        """The probability of all labels together: how far the model is answering at all."""
        return sum(math.exp(value) for value in self.log_probs.values())


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Which model, to the last thing that can change an answer.

    Attributes:
        name: As the user named it.
        digest: Of weights and configuration, ``sha256:…``.
        tokenizer: Digest of the tokenizer's files.
        dtype: Of weights and arithmetic.
        device: Where it runs.
        attention: Its implementation.
        threads: On the processor; rounding depends on it.
        versions: Of the libraries that compute.
    """

    name: str
    digest: str
    tokenizer: str
    dtype: str
    device: str
    attention: str
    threads: int
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batching:
    """In what company an answer was generated. In float32 it changes no token; elsewhere it may.

    Attributes:
        rows: Prompts in the batch.
        cases: Groups of prompts in the batch.
        row: This one's place, from 0.
        padding: Its padding, before its prefix and before its suffix, in tokens.
    """

    rows: int
    cases: int
    row: int
    padding: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Generation:
    """One answer and everything that can change it.

    Attributes:
        text: What follows the prompt, what was forced included, without stop text and end token.
        token_ids: Its tokens, those of a stop text included, the end token not.
        prompt_tokens: Of the whole prompt.
        shared_tokens: How many of them were computed once for all prompts of the case.
        finish: Why it ended.
        forced: What was put in; None if the model said all of it.
        margin: At the last marker; unmeasured where there is none or labels can't be told apart.
        closest: The smallest distance, in nats, by which a token won over the next best; what
            was put in does not count. Small means that other rounding could change the text.
            None if the model chose nothing, or tokens were drawn.
        bos: The prompt begins with the tokenizer's first token.
        template: Digest of the chat template; None if the prompt was given as plain text.
        decoding: As asked for.
        model: Which.
        batching: In what company.
        seed: Of the tokens drawn; None if the likeliest were taken.
    """

    text: str
    token_ids: tuple[int, ...]
    prompt_tokens: int
    shared_tokens: int
    finish: Finish
    forced: Forced | None
    margin: Margin | Unmeasured
    closest: float | None
    bos: bool
    template: str | None
    decoding: Decoding
    model: ModelFacts
    batching: Batching
    seed: int | None = None

    @property
    def new_tokens(self) -> int:
        """How many tokens follow the prompt, forced ones included."""
        return len(self.token_ids)

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object with floats: a record, not a source to be digested."""
        return asdict(self)
