"""Calls for evaluators that ask a language model: made once, recorded, and played back.

Every answer is written to a file as it comes, under the digest of all that can change it, the
repetition included. A run that goes on, or is replayed, finds its answers there: no key is
needed, and nothing is paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from decidendi.audit._folder import cut_torn_line
from decidendi.evaluators import Generate, ModelAnswer, ModelRequest, models_by
from decidendi.judgment import BadInputError, MissingExtraError, Place, parse_json

DRAWS = "draws.jsonl"
"""Name of the file in a run's folder."""


class RecordedCalls:
    """Answers requests from a file, and asks a model for what is not there."""

    def __init__(self, path: Path, generate: Generate | None = None) -> None:
        """Read what has been answered.

        Args:
            path: The file; made when the first answer comes.
            generate: Asks the model; None asks through Inspect, or a model on this machine.

        Raises:
            BadInputError: if the file holds anything else.
        """
        self._path = path
        self._generate = generate or call_models
        self._known = _read(path)

    def __call__(self, requests: Sequence[ModelRequest]) -> list[ModelAnswer]:
        """Answer requests, in order. What failed is not kept, and asked again another time."""
        keys = [request.key for request in requests]
        missing = {k: r for k, r in zip(keys, requests, strict=True) if k not in self._known}
        now: dict[str, ModelAnswer] = {}
        if missing:
            given = self._generate(list(missing.values()))
            now = dict(zip(missing, given, strict=True))
            self._keep({key: answer for key, answer in now.items() if not answer.failure})
        return [self._known.get(key) or now[key] for key in keys]

    def _keep(self, answers: Mapping[str, ModelAnswer]) -> None:
        if not answers:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as stream:
            for key, answer in answers.items():
                row = {"key": key, "answer": asdict(answer)}
                stream.write(orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n")
        self._known.update(answers)


def _read(path: Path) -> dict[str, ModelAnswer]:
    if not path.exists():
        return {}
    cut_torn_line(path)
    known = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            row: Any = parse_json(line)
            known[row["key"]] = ModelAnswer(**row["answer"])
        except (BadInputError, KeyError, TypeError) as error:
            place = Place(str(path), number)
            raise BadInputError(f"not an answer of a model: {error}", place=place) from None
    return known


@contextmanager
def recorded_calls(path: Path, generate: Generate | None = None) -> Iterator[RecordedCalls]:
    """Let evaluators call models, with every answer recorded in a file."""
    calls = RecordedCalls(path, generate)
    with models_by(calls):
        yield calls


def call_models(requests: Sequence[ModelRequest]) -> list[ModelAnswer]:
    """Ask models: ``embedded`` and ``local/…`` on this machine, any other through Inspect.

    Raises:
        BadInputError: if a model or its parameters are unknown.
        MissingExtraError: without the extra that the model needs.
    """
    groups: dict[bytes, list[int]] = {}
    for place, request in enumerate(requests):
        groups.setdefault(orjson.dumps(request.model, option=orjson.OPT_SORT_KEYS), []).append(
            place
        )
    answers: dict[int, ModelAnswer] = {}
    for places in groups.values():
        group = [requests[place] for place in places]
        name = str(group[0].model["name"])
        ask: Callable[[list[ModelRequest]], list[ModelAnswer]] = (
            _ask_local if name == "embedded" or name.startswith("local/") else _ask_inspect
        )
        answers.update(zip(places, ask(group), strict=True))
    return [answers[place] for place in range(len(requests))]


def _ask_local(requests: list[ModelRequest]) -> list[ModelAnswer]:
    from decidendi.models import Decoding, Finish, load_model

    model = load_model(str(requests[0].model["name"]).removeprefix("local/"))
    parameters = _numbers(requests[0].model)
    try:
        decoding = Decoding(max_new_tokens=int(parameters.pop("max_tokens", 512)))
    except ValueError as error:
        raise BadInputError(f"model.parameters: {error}") from None
    if parameters:
        raise BadInputError(f"model.parameters: {', '.join(parameters)}: not known here")
    prompts = [
        [model.render([{"role": role, "content": text} for role, text in request.turns])]
        for request in requests
    ]
    given = [each for (each,) in model.generate_cases(prompts, decoding)]
    return [ModelAnswer(each.text, truncated=each.finish is Finish.LENGTH) for each in given]


def _ask_inspect(requests: list[ModelRequest]) -> list[ModelAnswer]:
    try:
        from decidendi.audit._inspect_model import ask_for_evaluator
    except ImportError:
        raise MissingExtraError(f"the model {requests[0].model['name']!r}", "models") from None
    name = str(requests[0].model["name"])
    return ask_for_evaluator(name, _numbers(requests[0].model), requests)


def _numbers(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters, with decimals as numbers: sources hold them as text."""
    found: dict[str, Any] = {}
    for name, value in dict(model.get("parameters", {})).items():
        try:
            found[name] = float(value) if isinstance(value, str) else value
        except ValueError:
            found[name] = value
    return found
