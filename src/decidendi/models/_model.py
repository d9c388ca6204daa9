"""A model on this machine: loaded once, asked many times."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decidendi.judgment import BadInputError, Unmeasured, sha256
from decidendi.models._candidates import Candidates, resolve
from decidendi.models._engine import Engine
from decidendi.models._prefix import Layout, batches, lay_out
from decidendi.models._records import (
    Batching,
    Cause,
    Decoding,
    Finish,
    Generation,
    Marker,
    ModelFacts,
)
from decidendi.models._row import Row

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

ROWS = 16
"""Prompts in a batch unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as the model reads it.

    Attributes:
        text: All of it, special tokens written out.
        template: Digest of the chat template that made it; None if it is plain text.
        said: The beginning of the answer, if that is given; it belongs to ``text``.
        seed: Of its tokens, where they are drawn; None takes a new one, which is recorded.
    """

    text: str
    template: str | None = None
    said: str = ""
    seed: int | None = None


class TokenizerCodec:
    """A tokenizer as the rest needs it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        """Wrap one of the library's."""
        self._tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Return the tokens of ``text``; special tokens only where they are written out."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ``ids``, special tokens written out."""
        text: str = self._tokenizer.decode(
            list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text


class LocalModel:
    """An open-weight model that answers the prompts of a case together.

    Attributes:
        facts: Which model, to the last thing that can change an answer.
    """

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, facts: ModelFacts
    ) -> None:
        """Use ``load_model`` instead."""
        self.facts = facts
        self._tokenizer = tokenizer
        self._codec = TokenizerCodec(tokenizer)
        self._ends = _end_tokens(model, tokenizer)
        self._context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._engine = Engine(model, pad=min(self._ends, default=0))
        self._lock = threading.Lock()

    @property
    def prefilled(self) -> int:
        """How many prompt tokens have been computed so far, padding included."""
        return self._engine.prefilled

    @property
    def shares(self) -> bool:
        """Whether prompts can share prefixes and batches; a sliding window rules that out."""
        return self._engine.shares

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has."""
        return len(self._codec.encode(text))

    def check(self, prompt: Prompt, decoding: Decoding) -> None:
        """Say early what ``generate`` would say of one prompt.

        Raises:
            BadInputError: if it is empty, or does not fit the context with its answer.
        """
        self._tokens(prompt, decoding)

    def candidates(self, marker: Marker) -> Candidates | Unmeasured:
        """Return the tokens that would be compared after a bare marker."""
        return resolve(self._codec, self._codec.encode(marker.text), marker)

    def render(
        self, messages: Sequence[Mapping[str, str]], *, thinking: bool | None = None
    ) -> Prompt:
        """Put a conversation into the form the model was trained on.

        Args:
            messages: Each with ``role`` and ``content``. If the last is the assistant's, it is
                the beginning of the answer.
            thinking: Turns the model's own reasoning on or off, where its template has a switch.

        Raises:
            BadInputError: if the model has no chat template, or a text holds one of the model's
                special tokens, which would end the turn it stands in.
        """
        template = getattr(self._tokenizer, "chat_template", None)
        if not isinstance(template, str):
            raise BadInputError(
                f"{self.facts.name} has no chat template",
                remedy="use a model tuned to instructions",
            )
        for message in messages:
            for special in self._tokenizer.all_special_tokens:
                if special in message["content"]:
                    raise BadInputError(
                        f"a message holds {special!r}, which has a meaning of its own to the model"
                    )
        *before, last = messages
        said = last["content"] if last["role"] == "assistant" else ""
        switch = {} if thinking is None else {"enable_thinking": thinking}
        text = self._tokenizer.apply_chat_template(
            [dict(message) for message in (before if said else messages)],
            tokenize=False, add_generation_prompt=True, **switch,
        )  # fmt: skip
        return Prompt(text + said, sha256(template.encode()), said)

    def generate(
        self, prompts: Sequence[Prompt | str], decoding: Decoding, *, share: bool = True
    ) -> list[Generation]:
        """Answer the prompts of one case; what they have in common is computed once.

        Args:
            prompts: At least one. What they share should come first.
            decoding: How.
            share: False computes each prompt for itself, in one batch.

        Returns:
            An answer per prompt, in order.

        Raises:
            BadInputError: if a prompt is empty or does not fit the model's context.
        """
        return self.generate_cases([prompts], decoding, share=share)[0]

    def generate_cases(
        self,
        cases: Sequence[Sequence[Prompt | str]],
        decoding: Decoding,
        *,
        rows: int = ROWS,
        share: bool = True,
        forced: bool = False,
    ) -> list[list[Generation]]:
        """Answer the prompts of several cases, as many together as fit.

        Args:
            cases: Per case, its prompts.
            decoding: How.
            rows: The most prompts in a batch; a case is split only if it has more.
            share: False computes each prompt for itself.
            forced: Ask for the verdict at once; see ``forced_answers``.

        Returns:
            Per case, an answer per prompt, in order.

        Raises:
            BadInputError: if a case or a prompt is empty, or a prompt does not fit the context.
        """
        asked = [[p if isinstance(p, Prompt) else Prompt(p) for p in case] for case in cases]
        ids = [[self._tokens(prompt, decoding) for prompt in case] for case in asked]
        if not all(ids):
            raise BadInputError("a case has no prompts")
        answers: list[list[Generation]] = [[] for _ in cases]
        with self._lock:
            for batch in batches([len(case) for case in ids], rows if self.shares else 1):
                layout = lay_out([[ids[c][p] for p in piece] for c, piece in batch], share=share)
                prompts = [asked[c][p] for c, piece in batch for p in piece]
                made = self._batch(layout, prompts, decoding, forced=forced)
                for case, piece in batch:
                    answers[case] += made[: len(piece)]
                    made = made[len(piece) :]
        return answers

    def forced_answers(
        self, prompts: Sequence[Prompt | str], decoding: Decoding
    ) -> list[Generation]:
        """Ask for the verdict at once, whatever the reasoning so far.

        Args:
            prompts: Of one case, or one prompt with its reasoning cut at several places
                (``said`` tells a prompt from what was reasoned).
            decoding: With a marker; the answer begins with what is put in.

        Raises:
            BadInputError: if there is no marker, or a prompt is empty or does not fit.
        """
        if decoding.marker is None:
            raise BadInputError("a verdict can't be forced without a marker")
        return self.generate_cases([prompts], decoding, forced=True)[0]

    def _batch(
        self, layout: Layout, prompts: Sequence[Prompt], decoding: Decoding, *, forced: bool
    ) -> list[Generation]:
        seeds = [_seed(prompt, decoding) for prompt in prompts]
        rows = [
            Row(self._codec, decoding, self._ends, said=_said(prompt, decoding), seed=seed)
            for prompt, seed in zip(prompts, seeds, strict=True)
        ]
        if forced:
            for row in rows:
                row.force(Cause.ASKED)
        self._engine.run(layout, rows)
        return [
            replace(self._record(layout, place, row, prompt, decoding), seed=seeds[place])
            for place, (row, prompt) in enumerate(zip(rows, prompts, strict=True))
        ]

    def _record(
        self, layout: Layout, place: int, row: Row, prompt: Prompt, decoding: Decoding
    ) -> Generation:
        prefix = layout.prefixes[layout.case_of[place]]
        first = (prefix or layout.suffixes[place])[0]
        alone = layout.case_of.count(layout.case_of[place]) == 1
        rows, cases = len(layout.suffixes), len(layout.prefixes)
        return Generation(
            text=row.text,
            token_ids=row.ids,
            prompt_tokens=layout.length(place),
            shared_tokens=0 if alone else len(prefix),
            finish=row.finish or Finish.LENGTH,
            forced=row.forced,
            margin=row.margin,
            closest=row.closest,
            bos=first == self._tokenizer.bos_token_id,
            template=prompt.template,
            decoding=decoding,
            model=self.facts,
            batching=Batching(rows, cases, place, layout.padding(place)),
        )

    def _tokens(self, prompt: Prompt, decoding: Decoding) -> list[int]:
        """Return a prompt's tokens, if they fit with the answer."""
        ids = self._codec.encode(prompt.text)
        if not ids:
            raise BadInputError("a prompt is empty")
        if self._context is not None and len(ids) + decoding.max_new_tokens > self._context:
            raise BadInputError(
                f"a prompt of {len(ids)} tokens and an answer of {decoding.max_new_tokens} "
                f"don't fit the model's context of {self._context}",
                remedy="shorten the facts, and say so, or allow a shorter answer",
            )
        return ids


def _said(prompt: Prompt, decoding: Decoding) -> str:
    """Return what the answer begins with, as far as the prompt tells."""
    opening = decoding.think[0]
    begun = prompt.text.removesuffix(prompt.said).rstrip().endswith(opening)
    return (opening if begun else "") + prompt.said


def _seed(prompt: Prompt, decoding: Decoding) -> int | None:
    if not decoding.temperature:
        return None
    return secrets.randbits(32) if prompt.seed is None else prompt.seed


def _end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Return every token that ends an answer, of the model's settings and the tokenizer's."""
    settings = getattr(model, "generation_config", None)
    ends = getattr(settings, "eos_token_id", None)
    several = ends if isinstance(ends, list) else [ends]
    return frozenset(int(e) for e in (*several, tokenizer.eos_token_id) if e is not None)
