"""A language model as the adjudicator: prompts made from sources, verdicts read from words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decidendi.evaluators._answers import failed
from decidendi.evaluators._model_answers import Answers
from decidendi.evaluators._model_backends import Backend, Call, Given, backend_for
from decidendi.evaluators._model_prompt import Messages, PromptError, messages_of
from decidendi.evaluators._model_source import model_source
from decidendi.judgment import (
    JSON,
    BadInputError,
    DecidendiError,
    Identity,
    Reason,
    Source,
    State,
    Unmeasured,
    Verdict,
    digest_of,
)
from decidendi.models import Reply
from decidendi.reasoning import Label, Masks, VerdictSpec, extract, read_output

FORM = "model 1"
"""How prompts are put together and answers read; part of every such adjudicator's identity."""


@dataclass(frozen=True, slots=True)
class Reading:
    """From what a prompt is made, and how a verdict is read.

    Attributes:
        prompt: The kind that is the prompt.
        model: The kind that says which model is asked.
        spec: How verdicts are declared and worded.
    """

    prompt: str
    model: str
    spec: VerdictSpec

    @classmethod
    def of(cls, settings: Mapping[str, Any], verdicts: Sequence[str]) -> Reading:
        """Make one from the ``adjudicator`` table of a manifest.

        Raises:
            BadInputError: if two verdicts share a form, or a conclusion names no label.
        """
        forms: Mapping[str, Sequence[str]] = settings["labels"]
        spec = VerdictSpec(
            markers=(settings["marker"],),
            labels=tuple(Label(verdict, tuple(forms.get(verdict, ()))) for verdict in verdicts),
            choices=tuple(_pattern(sentence) for sentence in settings["conclusions"]),
        )
        return cls(settings["prompt"], settings["model"], spec)


def _pattern(sentence: str) -> str:
    """Return a sentence with ``<label>`` in it in the notation of ``VerdictSpec.choices``."""
    if sentence.count("<label>") != 1:
        remedy = 'write e.g. "I rate this reply as <label>"'
        raise BadInputError(f"{sentence!r} does not hold <label> once", remedy=remedy)
    before, after = (_literal(part) for part in sentence.split("<label>"))
    return f"{before}<label>{after}"


def _literal(text: str) -> str:
    words = [re.escape(word).replace("_", r"\x5f").replace("<", r"\x3c") for word in text.split()]
    lead, tail = (re.match(r"\s", edge) is not None for edge in (text[:1], text[-1:]))
    return ("_" if lead else "") + "_".join(words) + ("_" if tail and words else "")


class ModelAdjudicator:
    """Asks a model, and reads its verdicts.

    Whatever goes wrong with one call is that draw without a verdict: a prompt that a state does
    not fit, a failure of the provider, an answer in which no verdict is found.

    Attributes:
        missing: How many answers were not among those recorded, where no model is to be asked.
    """

    def __init__(
        self,
        identity: Identity,
        reading: Reading,
        backend: Callable[[Source], Backend] | None = None,
        *,
        timeout: float | None = None,
    ) -> None:
        """Make one.

        Args:
            identity: What it is.
            reading: Of prompts and answers.
            backend: From the model's source to what answers; the model it names if not given.
            timeout: Seconds for each attempt of a call.
        """
        self._identity = identity
        self._reading = reading
        self._make = backend or self._named
        self._timeout = timeout
        self._backends: dict[str, Backend | Unmeasured] = {}
        self._answers: Answers | None = None
        self.missing = 0
        self._times: Counter[tuple[str, ...]] = Counter()

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order, by one answer.

        A state that is executed again is asked again, so that a model which is only declared
        deterministic can be found out; of a stochastic one this is the first draw.
        """
        if not self._identity.deterministic:
            return self.draw(states, [0] * len(states))
        repeats = []
        for state in states:
            repeats.append(self._times[state.key])
            self._times[state.key] += 1
        return self.draw(states, repeats)

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state; all calls are made together.

        Args:
            states: The states; one may stand several times.
            repeats: For each, which draw of that state this is: part of the key under which its
                answer is kept, and of its seed.
        """
        calls = [self._call(state, repeat) for state, repeat in zip(states, repeats, strict=True)]
        given = self._given([call for call in calls if isinstance(call, Call)])
        masks: dict[str, Masks] = {}
        verdicts: list[Verdict] = []
        for call in calls:
            if isinstance(call, Unmeasured):
                verdicts.append(call)
                continue
            if call.key not in masks:
                masks[call.key] = Masks(text for _, text in call.messages)
            verdicts.append(self._read(given[call.place], masks[call.key]))
        return verdicts

    def reach(self, sources: Sequence[Source]) -> None:
        """Make ready to ask the models that some sources name.

        Raises:
            BadInputError: if one is not there, or there is no key for it.
            MissingExtraError: if what it needs is not installed.
        """
        for source in sources:
            if source.kind == self._reading.model and source.digest not in self._backends:
                self._backends[source.digest] = self._make(source)

    def keep_answers(self, path: Path, *, writing: bool) -> None:
        """Keep answers in a file, or answer from one alone.

        Args:
            path: The file.
            writing: False asks no model: a call whose answer is not there is an error.

        Raises:
            DecidendiError: if the file cannot be opened.
        """
        self._answers = Answers(path, writing=writing)

    def check_answers(self) -> None:
        """Raise ``DecidendiError`` if an answer could not be kept."""
        if self._answers is not None:
            self._answers.check()

    def close(self) -> None:
        """Let go of models and files."""
        for backend in self._backends.values():
            if not isinstance(backend, Unmeasured):
                backend.close()
        self._backends.clear()
        if self._answers is not None:
            self._answers.close()
            self._answers = None

    def _call(self, state: State, repeat: int) -> Call | Unmeasured:
        """Return what to ask for a state; the reason if it cannot be asked."""
        reading = self._reading
        sources = {source.kind: source for source in state}
        try:
            model = sources[reading.model]
            settings = model_source(model.content)
            messages = messages_of(sources[reading.prompt].content, state)
        except PromptError as error:
            return failed(str(error), Reason.INTERFACE)
        except BadInputError as error:
            return failed(f"{reading.model}: {error.what}", Reason.INTERFACE)
        shift = 0 if self._identity.deterministic else repeat
        seed = None if settings.seed is None else settings.seed + shift
        key = self._key(messages, model)
        return Call(key, repeat, messages, seed, model)

    def _key(self, messages: Messages, model: Source) -> str:
        said: list[JSON] = [list(message) for message in messages]
        return digest_of({"adjudicator": self._identity.key, "model": model.digest, "said": said})

    def _given(self, calls: Sequence[Call]) -> Given:
        """Return the reply to each call: kept, or asked for now."""
        given: Given = {}
        asking: dict[str, dict[tuple[str, int], Call]] = {}
        for call in calls:
            if call.place in given:
                continue
            kept = self._answers.get(*call.place) if self._answers is not None else None
            if kept is not None:
                given[call.place] = kept
            else:
                asking.setdefault(call.model.digest, {})[call.place] = call
        for each in asking.values():
            self._ask(list(each.values()), given)
        return given

    def _ask(self, calls: Sequence[Call], given: Given) -> None:
        """Ask one model, and keep its answers as they come."""
        answers = self._answers
        backend = self._backend(calls[0].model)
        if answers is not None and not answers.writing and _paid(backend):
            self.missing += len(calls)
            backend = failed("the answer to this call is not among those recorded")
        if isinstance(backend, Unmeasured):
            given.update((call.place, Reply(failure=backend)) for call in calls)
            return
        keeps = answers if backend.paid else None

        def done(place: int, reply: Reply) -> None:
            call = calls[place]
            given[call.place] = reply
            if keeps is not None:
                keeps.put(*call.place, reply)

        try:
            backend.ask(calls, done)
        except Exception as error:  # whatever answers is the user's, or a provider's
            problem = Reply(failure=failed(f"{type(error).__name__}: {error}"))
            given.update((call.place, problem) for call in calls if call.place not in given)

    def _backend(self, model: Source) -> Backend | Unmeasured:
        found = self._backends.get(model.digest)
        if found is None:
            try:
                found = self._make(model)
            except DecidendiError as error:
                found = failed(str(error))
            self._backends[model.digest] = found
        return found

    def _named(self, model: Source) -> Backend:
        about, spec = self._identity, self._reading.spec
        return backend_for(
            model_source(model.content), about.verdicts, spec.markers[0], self._timeout
        )

    def _read(self, reply: Reply, masks: Masks) -> Verdict:
        """Read the verdict; what is only copied from the prompt is none."""
        if reply.failure is not None:
            return reply.failure
        output = read_output(
            reply.text, native_reasoning=reply.reasoning, masked=masks, truncated=reply.cut
        )
        verdict = extract(output, self._reading.spec).verdict
        if isinstance(verdict, Unmeasured) and reply.cut:
            return failed(f"{verdict.detail}; the answer was cut", verdict.reason)
        return verdict


def _paid(backend: Backend | Unmeasured) -> bool:
    return isinstance(backend, Unmeasured) or backend.paid


def model_adjudicator(
    generate: Callable[[Sequence[Call]], Sequence[str | Reply]],
    *,
    name: str,
    verdicts: Sequence[str],
    kinds: Sequence[str],
    prompt: str = "prompt",
    model: str = "model",
    marker: str = "VERDICT",
    labels: Mapping[str, Sequence[str]] | None = None,
    conclusions: Sequence[str] = (),
    deterministic: bool = False,
    version: str = "",
) -> ModelAdjudicator:
    """Make an adjudicator of anything that answers prompts.

    Args:
        generate: From calls to an answer for each, in order. A call has ``messages`` (role and
            text), ``repeat`` (which draw of the same prompt), ``seed`` and ``model`` (the source).
        name: The evaluator's name.
        verdicts: The labels, in the order that reports show them.
        kinds: The kinds of source, in order; ``prompt`` and ``model`` among them.
        prompt: The kind that is the prompt; see ``docs/reference.md``.
        model: The kind that says which model; its content must be as in a folder.
        marker: The word before the verdict.
        labels: Other forms of the verdicts.
        conclusions: Sentences with ``<label>`` that also give a verdict.
        deterministic: Whether equal states always give equal answers.
        version: Change it whenever ``generate`` changes.

    Raises:
        BadInputError: as for a manifest.
    """
    settings: dict[str, Any] = {
        "prompt": prompt,
        "model": model,
        "marker": marker,
        "labels": {label: list(forms) for label, forms in (labels or {}).items()},
        "conclusions": list(conclusions),
    }
    if missing := {prompt, model} - set(kinds):
        raise BadInputError(f"no kind of source is called {' or '.join(sorted(missing))}")
    identity = Identity(
        name=name,
        engine="model",
        digest=digest_of({"form": FORM, "version": version, **settings}),
        verdicts=tuple(verdicts),
        kinds=tuple(kinds),
        deterministic=deterministic,
    )
    reading = Reading.of(settings, verdicts)
    return ModelAdjudicator(identity, reading, lambda _: Plain(generate))


class Plain:
    """Anything that answers prompts, as a backend."""

    paid = True

    def __init__(self, generate: Callable[[Sequence[Call]], Sequence[str | Reply]]) -> None:
        """Wrap it."""
        self._generate = generate

    def ask(self, calls: Sequence[Call], done: Callable[[int, Reply], None]) -> None:
        """Have all calls answered."""
        answers = self._generate(calls)
        if len(answers) != len(calls):
            raise RuntimeError(f"gave {len(answers)} answers to {len(calls)} calls")
        for place, answer in enumerate(answers):
            done(place, Reply(answer) if isinstance(answer, str) else answer)

    def close(self) -> None:
        """Nothing is held."""
