"""What is wrong with an evaluator that asks a model, seen without asking it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from decidendi.evaluators._manifest import Manifest, ModelSettings
from decidendi.evaluators._model import Reading
from decidendi.evaluators._model_prompt import PromptError, holes_in, sections_of, value_at
from decidendi.evaluators._model_scripted import RubricFollower
from decidendi.evaluators._model_source import model_source
from decidendi.judgment import BadInputError, Source


class Wrong(NamedTuple):
    """One thing that is wrong: a field of the manifest, what, the remedy, whether it is a hint."""

    field: str
    what: str
    remedy: str
    hint: bool = False


def model_problems(manifest: Manifest, sources: Mapping[str, Source]) -> Iterator[Wrong]:
    """Yield everything that is wrong with prompt, model and verdicts.

    Args:
        manifest: Of an evaluator whose engine is a model.
        sources: The sources that come from files, as far as they can be read.
    """
    settings = manifest.adjudicator
    assert isinstance(settings, ModelSettings)
    try:
        Reading.of(settings.model_dump(mode="json"), manifest.verdicts)
    except BadInputError as error:
        yield Wrong("adjudicator", error.what, error.remedy or "give each verdict its own forms")
    if (model := sources.get(settings.model)) is not None:
        yield from _model(manifest, settings, model)
    if (prompt := sources.get(settings.prompt)) is not None:
        yield from _prompt(manifest, settings, prompt, sources)


def _model(manifest: Manifest, settings: ModelSettings, model: Source) -> Iterator[Wrong]:
    try:
        asked = model_source(model.content)
        if asked.scripted:
            RubricFollower.of(manifest.verdicts, settings.marker, asked.args)
    except BadInputError as error:
        yield Wrong(f"sources.{settings.model}", error.what, error.remedy)


def _prompt(
    manifest: Manifest, settings: ModelSettings, prompt: Source, sources: Mapping[str, Source]
) -> Iterator[Wrong]:
    field = f"sources.{settings.prompt}"
    try:
        paths = list(holes_in(prompt.content))
        text = "\n".join(text for _, text in sections_of(prompt.content))
    except PromptError as error:
        yield Wrong(field, str(error), "write a text, or several files of text")
        return
    usable = [kind for kind in manifest.kinds if kind not in (settings.prompt, settings.model)]
    contents = {kind: sources[kind].content for kind in usable if kind in sources}
    for path in dict.fromkeys(paths):
        kind = path.split(".")[0]
        if kind not in usable:
            what = f"{{{path}}} does not begin with a kind that can stand in a prompt"
            yield Wrong(
                field, what, f"one of: {', '.join(usable)}; or {{{{{path}}}}} for the words"
            )
        elif kind in contents:
            try:
                value_at(contents, path)
            except PromptError as error:
                yield Wrong(field, str(error), f"correct the prompt, or the {kind}")
    named = {path.split(".")[0] for path in paths}
    for kind in usable:
        if kind not in named:
            what = f"the prompt does not name {{{kind}}}, so it cannot matter"
            yield Wrong(f"sources.{kind}", what, "put it into the prompt, or remove it", hint=True)
    yield from _words(manifest, settings, text, contents)


def _words(
    manifest: Manifest, settings: ModelSettings, text: str, contents: Mapping[str, object]
) -> Iterator[Wrong]:
    """Hint at words that the model is never told."""
    told = f"{text}\n{contents}".casefold()
    for verdict in manifest.verdicts:
        forms = (verdict, *settings.labels.get(verdict, ()))
        if not any(re.search(rf"(?<!\w){re.escape(f.casefold())}(?!\w)", told) for f in forms):
            what = f"{verdict!r} occurs neither in the prompt nor in what fills it"
            yield Wrong("verdicts", what, "say which verdicts there are", hint=True)
    if settings.marker.casefold() not in told:
        what = f"the prompt does not ask for the marker {settings.marker}:"
        yield Wrong("adjudicator.marker", what, "say how the answer must end", hint=True)
