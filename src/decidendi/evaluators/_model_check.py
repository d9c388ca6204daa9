"""What is wrong with an evaluator that asks a model, seen without asking it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from decidendi.evaluators._cases import CaseRecord
from decidendi.evaluators._manifest import Manifest, ModelSettings
from decidendi.evaluators._model import Reading
from decidendi.evaluators._model_prompt import PromptError, holes_in, sections_of, value_at
from decidendi.evaluators._model_scripted import RubricFollower
from decidendi.evaluators._model_source import model_source
from decidendi.evaluators._tree import Tree
from decidendi.judgment import JSON, BadInputError, Place, Source


class Wrong(NamedTuple):
    """One thing that is wrong.

    Attributes:
        field: Of the manifest.
        what: What is wrong.
        remedy: What to do about it.
        hint: Whether the evaluator can be used all the same.
        hole: The path in the hole of the prompt that is wrong; empty if it is something else.
    """

    field: str
    what: str
    remedy: str
    hint: bool = False
    hole: str = ""

    def place(self, tree: Tree, prompt: Sequence[str], label: str) -> Place:
        """Return the line of the hole in the files of the prompt, or the manifest's field."""
        for path in prompt if self.hole else ():
            for number, line in enumerate(tree.read(path).decode(errors="replace").split("\n"), 1):
                if self.hole in holes_in(line):
                    return Place(tree.label(path), number, self.field)
        return Place(label, field=self.field)


def model_problems(
    manifest: Manifest, sources: Mapping[str, Source], schemas: Mapping[str, JSON]
) -> Iterator[Wrong]:
    """Yield everything that is wrong with prompt, model and verdicts.

    Args:
        manifest: Of an evaluator whose engine is a model.
        sources: The sources that come from files, as far as they can be read.
        schemas: By kind, likewise.
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
        yield from _prompt(manifest, settings, prompt, sources, schemas)


def unfilled(
    manifest: Manifest, sources: Mapping[str, Source], cases: Iterable[CaseRecord]
) -> Iterator[Wrong]:
    """Yield the holes of the prompt that cases do not fill: an error if none does, else a hint."""
    settings = manifest.adjudicator
    if not isinstance(settings, ModelSettings) or settings.prompt not in sources:
        return
    try:
        named = dict.fromkeys(holes_in(sources[settings.prompt].content))
    except PromptError:
        return  # which is said of the prompt itself
    paths = [path for path in named if path.split(".")[0] in manifest.case_kinds]
    lacking: Counter[str] = Counter()
    count = 0
    for record in cases:
        count += 1
        lacking.update(path for path in paths if not _fills(record, path))
    for path in paths:
        if lacking[path]:
            every = lacking[path] == count
            who = "no case has" if every else f"{lacking[path]:,} of {count:,} cases lack"
            what = f"{who} what {{{path}}} names"
            remedy = "correct the prompt, or the cases"
            yield Wrong(f"sources.{settings.prompt}", what, remedy, not every, path)


def _fills(record: CaseRecord, path: str) -> bool:
    kind = path.split(".")[0]
    try:
        for content in record.contents[kind]:
            value_at({kind: content}, path)
    except PromptError:
        return False
    return True


def _model(manifest: Manifest, settings: ModelSettings, model: Source) -> Iterator[Wrong]:
    try:
        asked = model_source(model.content)
        if asked.scripted:
            RubricFollower.of(manifest.verdicts, settings.marker, asked.args)
    except BadInputError as error:
        yield Wrong(f"sources.{settings.model}", error.what, error.remedy)


def _prompt(
    manifest: Manifest,
    settings: ModelSettings,
    prompt: Source,
    sources: Mapping[str, Source],
    schemas: Mapping[str, JSON],
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
            remedy = f"one of: {', '.join(usable)}; or {{{{{path}}}}} for the words"
            yield Wrong(field, what, remedy, hole=path)
        elif kind in contents:
            try:
                value_at(contents, path)
            except PromptError as error:
                yield Wrong(field, str(error), f"correct the prompt, or the {kind}", hole=path)
        elif _excluded(schemas.get(kind), path.split(".")[1:]):
            what = f"{{{path}}} names what the schema of {kind} excludes"
            yield Wrong(field, what, "correct the prompt, or the schema", hole=path)
    named = {path.split(".")[0] for path in paths}
    for kind in usable:
        if kind not in named:
            what = f"the prompt does not name {{{kind}}}, so it cannot matter"
            yield Wrong(f"sources.{kind}", what, "put it into the prompt, or remove it", hint=True)
    yield from _words(manifest, settings, text, contents)


def _excluded(schema: JSON, steps: Sequence[str]) -> bool:
    """Whether nothing that fits a schema has this path; False where that takes more to see."""
    for step in steps:
        if not isinstance(schema, dict):
            return False
        if schema.get("type") in ("string", "integer", "number", "boolean", "null"):
            return True
        inner = schema.get("properties", {})
        if not isinstance(inner, dict) or step not in inner:
            closed = schema.get("additionalProperties") is False
            return closed and "patternProperties" not in schema and schema.get("type") == "object"
        schema = inner[step]
    return False


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
