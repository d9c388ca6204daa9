"""``evaluator.toml``: what an evaluator consists of, and how it is read strictly."""

from __future__ import annotations

import difflib
import keyword
import re
import tomllib
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from decidendi.judgment import JSON, BadInputError, Place

MANIFEST = "evaluator.toml"

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
Entry: TypeAlias = Annotated[str, Field(pattern=rf"^{_WORD}(\.{_WORD})*:{_WORD}$")]
"""``module:function``, the module a file of the folder."""
Query: TypeAlias = Annotated[str, Field(pattern=rf"^data(\.{_WORD})+$")]
Kind: TypeAlias = Annotated[str, Field(pattern=rf"^{_WORD}$")]
Format: TypeAlias = Literal["json", "text", "python", "rego", "cedar"]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PythonSettings(_Strict):
    """A Python function, called with one keyword argument per kind of source."""

    engine: Literal["python"]
    entry: Entry = Field(description="module:function; the module is a file, or a Python source")


class RegoSettings(_Strict):
    """Rego, evaluated here."""

    engine: Literal["rego"]
    query: Query = Field(description="path of the rule that gives the verdict")


class OpaSettings(_Strict):
    """Rego, evaluated by an OPA server."""

    engine: Literal["opa"]
    query: Query = Field(description="path of the rule that gives the verdict")
    url: str = Field(pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$")


class CedarSettings(_Strict):
    """Cedar. The first action in order that is allowed gives its verdict."""

    engine: Literal["cedar"]
    actions: dict[str, Text] = Field(
        min_length=1,
        description="verdict to action, in order of precedence, e.g. refer = 'Action::\"refer\"'",
    )
    otherwise: Text = Field(description="the verdict if no action is allowed")
    principal: Text = Field(description='e.g. User::"{grounds.customer}"')
    resource: Text = Field(description='e.g. Refund::"{grounds.id}"')
    context: Kind | list[Kind] = Field(
        "grounds", description="the kind whose object is the context, or kinds to nest in it"
    )
    entities: Kind | None = Field(None, description="the kind whose list holds the entities")


class RulesSettings(_Strict):
    """Facts, positive rules, and a mask of the rules that have authority."""

    engine: Literal["rules"]


class ModelSettings(_Strict):
    """A language model. Prompt and model are kinds of source, so that their changes are told."""

    engine: Literal["model"]
    prompt: Kind = Field("prompt", description="the kind that is the prompt")
    model: Kind = Field("model", description="the kind that says which model, and how")
    marker: Text = Field("VERDICT", description="the word before the verdict")
    labels: dict[str, list[Text]] = Field({}, description="verdict to other forms of it")
    conclusions: list[Text] = Field([], description="sentences with <label> that give a verdict")


Settings: TypeAlias = Annotated[
    PythonSettings | RegoSettings | OpaSettings | CedarSettings | RulesSettings | ModelSettings,
    Field(discriminator="engine"),
]


class SourceSpec(_Strict):
    """Where one kind of source comes from: with each case, or from files of the folder."""

    from_: Literal["case"] | None = Field(None, alias="from")
    files: list[Text] | None = Field(None, min_length=1, description="paths or glob patterns")
    schema_: Text | None = Field(None, alias="schema", description="path of a JSON Schema")
    format: Format | None = Field(None, description="told by the file name where not given")


class Pick(_Strict):
    """Of a JSON object, keep the entries whose keys the case names."""

    pick: list[Text] = Field(description="paths into the case, e.g. grounds.region")
    keep: list[str] = Field([], description="keys that are kept for every case")


class LocalSpec(BaseModel):
    """The parts of the sources that can affect a case: a function, or one pick per kind."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Pick] = Field(init=False)
    entry: Entry | None = None


class Manifest(_Strict):
    """An evaluator: what it is called, what decides, and from what."""

    name: Text
    version: Text
    verdicts: list[Text] = Field(min_length=2)
    deterministic: bool = True
    adjudicator: Settings
    sources: dict[Kind, SourceSpec] = Field(min_length=1)
    local: LocalSpec | None = None
    migrations: dict[Kind, Entry] = Field({}, description="old form of a kind to this one's")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of source in order."""
        return tuple(self.sources)

    @property
    def case_kinds(self) -> tuple[str, ...]:
        """The kinds that come with each case."""
        return tuple(kind for kind, spec in self.sources.items() if spec.from_ is not None)


def evaluator_schema() -> dict[str, JSON]:
    """Return the JSON Schema of ``evaluator.toml`` (as the object that the TOML stands for)."""
    schema: dict[str, JSON] = Manifest.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def read_manifest(data: bytes, label: str) -> Manifest:
    """Read a manifest; ``BadInputError`` with the first problem if there are any."""
    manifest, problems = try_manifest(data, label)
    if manifest is None or problems:
        first, more = problems[0], len(problems) - 1
        if more:
            first.remedy += f"; {more} more: decidendi check lists them"
        raise first
    return manifest


def try_manifest(data: bytes, label: str) -> tuple[Manifest | None, list[BadInputError]]:
    """Return the manifest as far as it can be read, and everything that is wrong with it."""
    place = Place(file=label)
    try:
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "not UTF-8 text"
        return None, [BadInputError(what, remedy="save it as UTF-8", place=Place(label, line))]
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        line = int(found[2]) if found else data.count(b"\n") + 1
        what = f"not valid TOML: {found[1] if found else error}"
        return None, [BadInputError(what, remedy="see toml.io", place=Place(label, line))]
    try:
        manifest = Manifest.model_validate(document)
    except ValidationError as error:
        found_wrong = [_translated(detail) for detail in error.errors(include_url=False)]
        return None, [problem.at(file=label) for problem in found_wrong]
    problems = [
        BadInputError(w, remedy=r, place=place).at(field=f) for f, w, r in _crossed(manifest)
    ]
    return manifest, problems


def _translated(detail: ErrorDetails) -> BadInputError:
    """Say one of pydantic's complaints in the words of the manifest."""
    loc = [str(step) for step in detail["loc"]]
    if loc[:1] == ["adjudicator"] and len(loc) > 1 and loc[1] in _ENGINES:
        del loc[1]  # the tag of the union, which is not a field
    loc = [step for step in loc if step != "[key]"]
    field = ".".join(loc)
    if detail["type"] == "extra_forbidden":
        known = _known_fields(detail["loc"])
        close = difflib.get_close_matches(loc[-1], known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        remedy = f"{hint}the fields here are: {', '.join(known)}"
        what = f"unknown field {loc[-1]!r}"
    elif detail["type"] == "missing":
        what, remedy = "missing", "add it"
    elif detail["type"].startswith("union_tag"):
        given = detail.get("input")
        engine = given.get("engine") if isinstance(given, dict) else None
        close = difflib.get_close_matches(str(engine), _ENGINES, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        what = "missing" if engine is None else f"unknown engine {engine!r}"
        remedy = f"{hint}the engines are: {', '.join(_ENGINES)}"
        field += ".engine"
    elif detail["type"] == "string_pattern_mismatch":
        what = f"{detail['input']!r} does not have the right form"
        remedy = _FORMS.get(loc[-1], "use letters, digits and underscores")
    else:
        message = detail["msg"]
        what, remedy = message[0].lower() + message[1:], "correct it"
    return BadInputError(what, remedy=remedy).at(field=field)


_MODELS: dict[str, type[BaseModel]] = {
    "python": PythonSettings,
    "rego": RegoSettings,
    "opa": OpaSettings,
    "cedar": CedarSettings,
    "rules": RulesSettings,
    "model": ModelSettings,
}
_ENGINES = tuple(_MODELS)
_FORMS = {
    "entry": 'write "module:function"',
    "query": 'write the path of a rule, e.g. "data.refunds.verdict"',
    "url": 'write e.g. "http://127.0.0.1:8181"',
}


def _known_fields(loc: tuple[int | str, ...]) -> list[str]:
    steps = [str(step) for step in loc]
    model: type[BaseModel] = Manifest
    if steps[0] == "adjudicator" and len(steps) > 2:
        model = _MODELS[steps[1]]
    elif steps[0] == "sources" and len(steps) > 2:
        model = SourceSpec
    elif steps[0] == "local":
        model = Pick
    return [field.alias or name for name, field in model.model_fields.items()]


def _crossed(manifest: Manifest) -> list[tuple[str, str, str]]:
    """Find what no field alone can have wrong: (field, what, remedy)."""
    found: list[tuple[str, str, str]] = []
    if len(set(manifest.verdicts)) != len(manifest.verdicts):
        found.append(("verdicts", "a verdict stands twice", "name each once"))
    for kind, spec in manifest.sources.items():
        field = f"sources.{kind}"
        if (spec.from_ is None) == (spec.files is None):
            found.append((field, "needs either from or files", 'from = "case", or files = […]'))
        if keyword.iskeyword(kind):
            found.append((field, f"{kind!r} is a word of Python", "give the kind another name"))
        if spec.from_ and kind in ("id", "unit", "gold"):
            found.append((field, f"{kind!r} means something else in a case", "rename the kind"))
        if spec.from_ and spec.format in ("rego", "cedar", "python"):
            found.append((f"{field}.format", "a case cannot bring code", 'use files = ["…"]'))
    fixed = [kind for kind in manifest.kinds if kind not in manifest.case_kinds]
    found.extend(_crossed_local(manifest, fixed))
    for kind in manifest.migrations:
        if kind not in manifest.sources:
            found.append((f"migrations.{kind}", "not a kind of source", _one_of(manifest.kinds)))
    if isinstance(manifest.adjudicator, CedarSettings):
        found.extend(_crossed_cedar(manifest, manifest.adjudicator))
    if isinstance(manifest.adjudicator, RulesSettings):
        found.extend(_crossed_rules(manifest))
    if isinstance(manifest.adjudicator, ModelSettings):
        found.extend(_crossed_model(manifest, manifest.adjudicator))
    return found


def _crossed_local(manifest: Manifest, fixed: list[str]) -> list[tuple[str, str, str]]:
    if manifest.local is None:
        return []
    found = []
    picks = manifest.local.__pydantic_extra__
    if manifest.local.entry and picks:
        found.append(("local", "has both an entry and picks", "keep one of them"))
    for kind, pick in picks.items():
        if kind not in fixed:
            found.append((f"local.{kind}", "not a kind that comes from files", _one_of(fixed)))
        for path in pick.pick:
            if path.split(".")[0] not in manifest.case_kinds:
                remedy = f"begin with one of: {', '.join(manifest.case_kinds) or 'none declared'}"
                found.append((f"local.{kind}.pick", f"{path!r} is not in the case", remedy))
    return found


def _crossed_cedar(manifest: Manifest, cedar: CedarSettings) -> list[tuple[str, str, str]]:
    found = []
    for verdict in (*cedar.actions, cedar.otherwise):
        if verdict not in manifest.verdicts:
            remedy = _one_of(manifest.verdicts)
            found.append(("adjudicator.actions", f"{verdict!r} is not a verdict", remedy))
    named = [cedar.context] if isinstance(cedar.context, str) else cedar.context
    for kind in (*named, *([cedar.entities] if cedar.entities else [])):
        if kind not in manifest.sources:
            remedy = _one_of(manifest.kinds)
            found.append(("adjudicator", f"{kind!r} is not a kind of source", remedy))
    return found


def _crossed_rules(manifest: Manifest) -> list[tuple[str, str, str]]:
    found = []
    if len(manifest.verdicts) != 3:
        remedy = "name the labels of: derivable, not derivable, no jurisdiction"
        found.append(("verdicts", "the rules engine gives three verdicts", remedy))
    if sorted(manifest.kinds) != ["authority", "grounds", "norms"]:
        remedy = "declare exactly grounds, norms and authority"
        found.append(("sources", "the rules engine reads three kinds", remedy))
    if not manifest.deterministic:
        remedy = "remove the line"
        found.append(("deterministic", "the rules engine is deterministic", remedy))
    return found


def _crossed_model(manifest: Manifest, model: ModelSettings) -> list[tuple[str, str, str]]:
    found = []
    fixed = [kind for kind in manifest.kinds if kind not in manifest.case_kinds]
    for name, kind in (("prompt", model.prompt), ("model", model.model)):
        if kind not in fixed:
            what = f"{kind!r} is not a kind that comes from files"
            found.append((f"adjudicator.{name}", what, _one_of(fixed)))
    if model.prompt == model.model:
        found.append(("adjudicator.prompt", "the prompt is also the model", "use two kinds"))
    for verdict in model.labels:
        if verdict not in manifest.verdicts:
            remedy = _one_of(manifest.verdicts)
            found.append(("adjudicator.labels", f"{verdict!r} is not a verdict", remedy))
    return found


def _one_of(names: Any) -> str:  # noqa: ANN401 - any iterable of text
    return f"one of: {', '.join(names)}"
