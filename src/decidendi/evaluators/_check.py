"""Everything that is wrong with an evaluator's folder, each with its place and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

from decidendi.evaluators._cases import CaseRecord, read_cases
from decidendi.evaluators._cedar import Template
from decidendi.evaluators._engines import adjudicator_of, loaded
from decidendi.evaluators._evaluator import (
    entry_bundle,
    format_problems,
    helper_entries,
    program_of,
)
from decidendi.evaluators._local import Picks
from decidendi.evaluators._manifest import (
    MANIFEST,
    CedarSettings,
    Manifest,
    ModelSettings,
    OpaSettings,
    PythonSettings,
    RegoSettings,
    RulesSettings,
    try_manifest,
)
from decidendi.evaluators._model_check import Wrong, model_problems, unfilled
from decidendi.evaluators._modules import parsed
from decidendi.evaluators._python import problem_with
from decidendi.evaluators._rego import message_of as rego_message
from decidendi.evaluators._rego import modules_of
from decidendi.evaluators._schemas import message_of, read_schema, validator_of
from decidendi.evaluators._sources import KindFiles, files_of, read_file, refuse_overlap
from decidendi.evaluators._tree import FolderTree
from decidendi.judgment import (
    JSON,
    BadInputError,
    DecidendiError,
    MissingExtraError,
    Place,
    Source,
)

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a folder.

    Attributes:
        place: File, line and field, as far as known.
        what: What is wrong.
        remedy: What to do about it.
        hint: True if the evaluator can be used all the same.
    """

    place: Place
    what: str
    remedy: str
    hint: bool = False

    def __str__(self) -> str:
        """Render as ``place: what (remedy)``."""
        return str(BadInputError(self.what, remedy=self.remedy, place=self.place))


def check_folder(folder: Path | str, cases: Path | str | None = None) -> list[Problem]:
    """Return everything that is wrong with the evaluator in a folder.

    Its Python code is imported, as running it would; no case is decided.

    Args:
        folder: The folder.
        cases: A file of cases: its lines that are no case are also said, and what a prompt names
            that they do not have.

    Raises:
        BadInputError: if the cases cannot be read at all.
    """
    try:
        tree = FolderTree(Path(folder))
        if not tree.has(MANIFEST):
            what, remedy = f"there is no {MANIFEST}", "write one: decidendi schema shows its form"
            return [Problem(Place(file=tree.origin), what, remedy)]
        manifest, wrong = try_manifest(tree.read(MANIFEST), tree.label(MANIFEST))
    except BadInputError as error:
        manifest, wrong = None, [error]
    problems = [Problem(error.place, error.what, error.remedy) for error in wrong]
    if manifest is not None:
        check = _Check(tree, manifest, tree.label(MANIFEST), problems)
        check.files_and_sources()
        check.schemas()
        check.program()
        check.policies()
        check.helpers()
        check.labels()
        if cases is not None:
            check.cases(cases)
    return list(dict.fromkeys(problems))


@dataclass
class _Check:
    """Collects what is wrong, going on as far as what is right allows."""

    tree: FolderTree
    manifest: Manifest
    label: str
    problems: list[Problem]
    files: list[KindFiles] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    read: dict[str, JSON] = field(default_factory=dict)
    """Schemas, by kind."""

    def attempt(self, step: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """Run one step; note the bad input it raises, and return None then."""
        try:
            return step(*args, **kwargs)
        except BadInputError as error:
            self.problems.append(Problem(error.at(file=self.label).place, error.what, error.remedy))
        except MissingExtraError as error:
            self.note(f"{error.what} needs an extra", error.remedy, "adjudicator.engine")
        return None

    def note(self, what: str, remedy: str, field: str | None = None, *, hint: bool = False) -> None:
        """Note what is wrong with a field of the manifest."""
        self.problems.append(Problem(Place(self.label, None, field), what, remedy, hint))

    def files_and_sources(self) -> None:
        for kind, spec in self.manifest.sources.items():
            if spec.files is not None:
                found = self.attempt(files_of, self.tree, kind, spec)
                self.files.extend([found] if found is not None else [])
        self.attempt(refuse_overlap, self.files, self.label)
        for kind_files in self.files:
            contents: dict[str, JSON] = {}
            for path in kind_files.paths:
                try:
                    contents[path] = read_file(self.tree, path, kind_files.format)
                except BadInputError as error:
                    self.problems.append(Problem(error.place, error.what, error.remedy))
            if len(contents) == len(kind_files.paths):
                content = contents[kind_files.paths[0]] if kind_files.single else contents
                self.sources[kind_files.kind] = Source(kind_files.kind, content)

    def schemas(self) -> None:
        for kind, spec in self.manifest.sources.items():
            if spec.schema_ is None:
                continue
            name = f"sources.{kind}.schema"
            read = self.attempt(read_schema, self.tree, spec.schema_, name, self.label)
            if read is None:
                continue
            self.read[kind] = read[0]
            if kind not in self.sources:
                continue
            validator, content = validator_of(read[0]), self.sources[kind].content
            if not validator.is_valid(content):
                what = f"does not fit its schema: {message_of(validator, content)}"
                self.note(what, f"correct the source, or {spec.schema_}", f"sources.{kind}")

    def program(self) -> None:
        """Check that the engine can read the kinds, and that the entry can be called."""
        settings = self.manifest.adjudicator
        if isinstance(settings, CedarSettings):
            self.cedar_templates(settings)
        fixed = set(self.manifest.kinds) - set(self.manifest.case_kinds)
        if {found.kind for found in self.files} != fixed:
            return  # what is missing was noted
        if wrong := format_problems(settings.engine, self.files):
            for problem in wrong:
                self.note(problem.what, problem.remedy, problem.place.field)
            return
        made = self.attempt(program_of, self.tree, self.manifest, self.files, self.label)
        if made is None or isinstance(settings, CedarSettings):
            return
        self.attempt(adjudicator_of, made[0])
        if isinstance(settings, PythonSettings) and not made[0].code:
            self.source_entry(settings.entry)

    def cedar_templates(self, settings: CedarSettings) -> None:
        for name, text in (("principal", settings.principal), ("resource", settings.resource)):
            try:
                paths = Template.of(text).paths
            except BadInputError as error:
                self.note(error.what, error.remedy, f"adjudicator.{name}")
                continue
            for path in paths:
                if path.split(".")[0] not in self.manifest.kinds:
                    remedy = f"one of: {', '.join(self.manifest.kinds)}"
                    what = f"{path!r} does not begin with a kind of source"
                    self.note(what, remedy, f"adjudicator.{name}")

    def source_entry(self, entry: str) -> None:
        """Check an entry that names a function of a Python source."""
        kind, _, name = entry.partition(":")
        text = self.sources[kind].content if kind in self.sources else None
        path = next(found.paths[0] for found in self.files if found.kind == kind)
        if not isinstance(text, str):
            return  # it could not be read, which was noted
        if self.attempt(parsed, text, self.tree.label(path)) is None:
            return
        function = self.attempt(loaded, {f"{kind}.py": text}, entry)
        others = [other for other in self.manifest.kinds if other != kind]
        stochastic = not self.manifest.deterministic
        if (
            function is not None
            and (problem := problem_with(function, others, repeat=stochastic)) is not None
        ):
            what, remedy = f"{name} {problem}", f"write def {name}({', '.join(others)})"
            self.problems.append(Problem(Place(self.tree.label(path)), what, remedy))

    def policies(self) -> None:
        settings = self.manifest.adjudicator
        if isinstance(settings, PythonSettings | RulesSettings | ModelSettings):
            return
        suffix = "cedar" if isinstance(settings, CedarSettings) else "rego"
        kinds = [f for f in self.files if f.format == suffix and f.kind in self.sources]
        texts = [
            (path, text)
            for kind in kinds
            for path, (_, text) in zip(
                kind.paths, modules_of([self.sources[kind.kind]]), strict=True
            )
        ]
        try:
            if isinstance(settings, RegoSettings | OpaSettings):
                self.rego(texts, settings.query)
            else:
                self.cedar(texts)
        except ImportError:
            pass  # that the engine is not installed was noted where it is built
        named = {path for found in self.files for path in found.paths}
        for path in self.tree.match(f"**/*.{suffix}"):
            if path not in named:
                place = Place(self.tree.label(path))
                what, remedy = "belongs to no kind of source", "name it in one, or remove it"
                self.problems.append(Problem(place, what, remedy, hint=True))

    def rego(self, texts: Sequence[tuple[str, str]], query: str) -> None:
        import regorus

        engine = regorus.Engine()
        sound = bool(texts)
        for path, text in texts:
            try:
                engine.add_policy(path, text)
            except RuntimeError as error:
                what, _, line = rego_message(error)
                place = Place(self.tree.label(path), line)
                self.problems.append(Problem(place, f"not valid Rego: {what}", "correct it"))
                sound = False
        if not sound:
            return
        try:
            engine.set_input_json("{}")
            engine.eval_rule(query)
        except RuntimeError as error:  # others are what policies may say about an empty input
            if "not a valid rule path" in str(error):
                remedy = f"the packages are: {', '.join(sorted(set(engine.get_packages())))}"
                self.note(f"no policy has the rule {query}", remedy, "adjudicator.query")

    def cedar(self, texts: Sequence[tuple[str, str]]) -> None:
        import cedarpy

        for path, text in texts:
            try:
                cedarpy.PolicySet.from_str(text)
            except ValueError as error:
                place = Place(self.tree.label(path))
                self.problems.append(Problem(place, f"not valid Cedar: {error}", "correct it"))

    def helpers(self) -> None:
        """Check the local selection and the migrations."""
        for name, entry in helper_entries(self.manifest):
            bundle = self.attempt(entry_bundle, self.tree, entry, name, self.label)
            if bundle is None:
                continue
            try:
                function = loaded(bundle, entry)
            except BadInputError as error:
                self.note(error.what, error.remedy, name)
                continue
            # A migration takes one content by position; a selection one per kind by name.
            kinds = self.manifest.kinds
            problem = problem_with(function, kinds) if name == "local.entry" else None
            if problem is not None:
                remedy = f"write def {entry.partition(':')[2]}({', '.join(kinds)})"
                self.note(f"{entry} {problem}", remedy, name)
        local = self.manifest.local
        for kind, pick in (local.__pydantic_extra__ if local is not None else {}).items():
            if kind in self.sources:
                self.attempt(Picks, self.sources, {kind: pick})

    def labels(self) -> None:
        """Hint at verdicts that nothing in the folder can give."""
        settings = self.manifest.adjudicator
        if isinstance(settings, ModelSettings):
            self.told(model_problems(self.manifest, self.sources, self.read))
            return
        if isinstance(settings, CedarSettings | RulesSettings):
            return  # there the manifest itself names the verdicts
        texts = list(self.texts([path for kind in self.files for path in kind.paths]))
        if isinstance(settings, PythonSettings):
            texts.extend(self.texts(self.tree.match("**/*.py")))
        for verdict in self.manifest.verdicts:
            literal = re.compile(rf"""["'`]{re.escape(verdict)}["'`]""")
            if not any(literal.search(text) for text in texts):
                what = f"{verdict!r} occurs nowhere in the code or the sources"
                remedy = "check its spelling, unless the code puts it together"
                self.note(what, remedy, "verdicts", hint=True)

    def told(self, problems: Iterable[Wrong]) -> None:
        """Note what is wrong with an evaluator that asks a model."""
        settings = self.manifest.adjudicator
        assert isinstance(settings, ModelSettings)
        prompt = next((f.paths for f in self.files if f.kind == settings.prompt), ())
        for wrong in problems:
            place = wrong.place(self.tree, prompt, self.label)
            self.problems.append(Problem(place, wrong.what, wrong.remedy, wrong.hint))

    def cases(self, path: Path | str) -> None:
        """Check that every line is a case, and what a prompt names in them."""
        records = self.records(path)
        if isinstance(self.manifest.adjudicator, ModelSettings):
            self.told(unfilled(self.manifest, self.sources, records))
        for _ in records:
            pass  # what is no case is noted on the way

    def records(self, path: Path | str) -> Iterator[CaseRecord]:
        for record in read_cases(path, self.manifest.case_kinds):
            if isinstance(record, CaseRecord):
                yield record
            else:
                error = record.error
                self.problems.append(Problem(error.place, error.what, error.remedy))

    def texts(self, paths: Sequence[str]) -> Iterator[str]:
        for path in paths:
            try:
                yield self.tree.read(path).decode(errors="replace")
            except DecidendiError:
                continue  # noted if it matters
