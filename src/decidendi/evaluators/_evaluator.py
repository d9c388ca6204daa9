"""An evaluator as it stands in a folder, or stood there at a git revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from decidendi.evaluators._git import GitTree
from decidendi.evaluators._manifest import (
    MANIFEST,
    LocalSpec,
    Manifest,
    ModelSettings,
    PythonSettings,
    read_manifest,
)
from decidendi.evaluators._model import FORM
from decidendi.evaluators._model_check import model_problems
from decidendi.evaluators._modules import bundle_of, code_digests
from decidendi.evaluators._python import python_version
from decidendi.evaluators._rules import RulesAdjudicator
from decidendi.evaluators._schemas import read_schema
from decidendi.evaluators._sources import KindFiles, files_of, read_source, refuse_overlap
from decidendi.evaluators._tree import FolderTree, Tree
from decidendi.judgment import (
    JSON,
    BadInputError,
    Identity,
    MissingExtraError,
    Place,
    Source,
    digest_of,
    sha256,
)

_LIBRARIES = {"rego": "celine-regorus", "cedar": "cedarpy"}
_CODE = ("rego", "cedar", "python")
"""Formats whose sources are code for the engine rather than values it is handed."""


@dataclass(frozen=True, slots=True)
class Program:
    """All that is needed to execute an evaluator, sources excepted; can be pickled.

    Attributes:
        identity: What it is.
        settings: The ``adjudicator`` table of the manifest.
        code: The bundle of the entry, by path; empty where the code is a source or a policy.
        formats: The format of every kind that is code: ``rego``, ``cedar`` or ``python``.
    """

    identity: Identity
    settings: Mapping[str, JSON]
    code: Mapping[str, str]
    formats: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Evaluator:
    """One version of an evaluator, read but not executed.

    Attributes:
        name: What it is called.
        version: Its declared version.
        origin: Where it was read: a folder, or a folder at a revision.
        revision: The full git commit, if it was read from one.
        digest: Digest of all of it: manifest, sources, schemas, code.
        program: What executes it.
        case_kinds: The kinds that come with each case.
        sources: The whole sources of the other kinds.
        schemas: The JSON Schema of each kind that has one.
        local: How the parts that can affect a case are selected, if they are.
        migrations: For a kind, ``module:function`` from its old form to this version's.
        helpers: The code of the local selection and the migrations: entry to bundle.
        bindings: What the adjudicator's digest binds, by name: to say how two differ.
        paths: The file of each kind that has just one, to say where something is wrong.
    """

    name: str
    version: str
    origin: str
    revision: str | None
    digest: str
    program: Program
    case_kinds: tuple[str, ...]
    sources: Mapping[str, Source]
    schemas: Mapping[str, JSON]
    local: LocalSpec | None
    migrations: Mapping[str, str]
    helpers: Mapping[str, Mapping[str, str]]
    bindings: Mapping[str, JSON]
    paths: Mapping[str, str]

    @property
    def identity(self) -> Identity:
        """The identity of its adjudicator."""
        return self.program.identity

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of source in order."""
        return self.program.identity.kinds

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The declared verdicts in order."""
        return self.program.identity.verdicts


def load_evaluator(folder: Path | str) -> Evaluator:
    """Read the evaluator in a folder. Nothing of it is executed.

    Raises:
        BadInputError: with the file, the field and what to do.
        MissingExtraError: if its engine is an extra that is not installed.
    """
    return read_evaluator(FolderTree(Path(folder)), None)


def load_revision(folder: Path | str, revision: str) -> Evaluator:
    """Read the evaluator that stood in a folder at a git revision.

    The revision is read from the repository; the user's working tree is neither used nor
    touched.

    Args:
        folder: The folder within a git working tree.
        revision: A branch, tag, commit, or anything else git resolves to a commit.

    Raises:
        BadInputError: as ``load_evaluator``, and if there is no such repository or revision.
        MissingExtraError: as ``load_evaluator``.
    """
    tree = GitTree(Path(folder), revision)
    return read_evaluator(tree, tree.commit)


def read_evaluator(tree: Tree, revision: str | None) -> Evaluator:
    """Read an evaluator from a tree of files."""
    label = tree.label(MANIFEST)
    if not tree.has(MANIFEST):
        remedy = "name a folder that holds one; decidendi schema shows its form"
        what = f"there is no {MANIFEST} in the folder"
        raise BadInputError(what, remedy=remedy, place=Place(file=tree.origin))
    data = tree.read(MANIFEST)
    manifest = read_manifest(data, label)
    files = kind_files(tree, manifest, label)
    sources = {found.kind: read_source(tree, found) for found in files}
    schemas = {
        kind: read_schema(tree, spec.schema_, f"sources.{kind}.schema", label)
        for kind, spec in manifest.sources.items()
        if spec.schema_ is not None
    }
    if isinstance(manifest.adjudicator, ModelSettings):
        read = {kind: schema for kind, (schema, _) in schemas.items()}
        prompt = next(f.paths for f in files if f.kind == manifest.adjudicator.prompt)
        for wrong in model_problems(manifest, sources, read):
            if not wrong.hint:
                place = wrong.place(tree, prompt, label)
                raise BadInputError(wrong.what, remedy=wrong.remedy, place=place)
    program, bindings = program_of(tree, manifest, files, label)
    helpers = {
        entry: entry_bundle(tree, entry, field, label) for field, entry in helper_entries(manifest)
    }
    parts: dict[str, JSON] = {
        "manifest": sha256(data),
        "sources": {kind: source.digest for kind, source in sources.items()},
        "schemas": {kind: digest for kind, (_, digest) in schemas.items()},
        "code": code_digests(program.code),
        "helpers": {entry: code_digests(bundle) for entry, bundle in helpers.items()},
    }
    return Evaluator(
        name=manifest.name,
        version=manifest.version,
        origin=tree.origin,
        revision=revision,
        digest=digest_of(parts),
        program=program,
        case_kinds=manifest.case_kinds,
        sources=sources,
        schemas={kind: schema for kind, (schema, _) in schemas.items()},
        local=manifest.local,
        migrations=dict(manifest.migrations),
        helpers=helpers,
        bindings=bindings,
        paths={found.kind: found.paths[0] for found in files if found.single},
    )


def kind_files(tree: Tree, manifest: Manifest, label: str) -> list[KindFiles]:
    """Find the files of every kind that comes from files."""
    found = []
    for kind, spec in manifest.sources.items():
        if spec.files is not None:
            try:
                found.append(files_of(tree, kind, spec))
            except BadInputError as error:
                raise error.at(file=label) from None
    refuse_overlap(found, label)
    return found


def program_of(
    tree: Tree, manifest: Manifest, files: list[KindFiles], label: str
) -> tuple[Program, dict[str, JSON]]:
    """Return what executes the evaluator, and what its digest binds, by name.

    Raises:
        BadInputError: if the entry's code is not there, or a kind is in no format of the engine.
        MissingExtraError: if the engine is not installed.
    """
    settings: dict[str, JSON] = manifest.adjudicator.model_dump(mode="json")
    engine = manifest.adjudicator.engine
    formats = {found.kind: found.format for found in files if found.format in _CODE}
    for problem in format_problems(engine, files):
        raise problem.at(file=label)
    code: dict[str, str] = {}
    if isinstance(manifest.adjudicator, PythonSettings):
        entry = manifest.adjudicator.entry
        if formats.get(entry.partition(":")[0]) != "python":
            code = entry_bundle(tree, entry, "adjudicator.entry", label)
    bindings: dict[str, JSON] = {"engine": engine, "library": library_of(engine)}
    # Where an OPA server listens does not change what it answers.
    bindings |= {name: value for name, value in settings.items() if name not in ("engine", "url")}
    bindings |= {f"code {path}": digest for path, digest in code_digests(code).items()}
    bindings |= {f"format of {kind}": value for kind, value in formats.items()}
    digest = digest_of(bindings)
    if engine == "rules":
        rules = RulesAdjudicator(manifest.name, manifest.verdicts, manifest.kinds).identity
        digest = rules.digest
        bindings = {"engine": engine, "rules": digest}
    identity = Identity(
        name=manifest.name,
        engine=engine,
        digest=digest,
        verdicts=tuple(manifest.verdicts),
        kinds=manifest.kinds,
        deterministic=manifest.deterministic,
    )
    return Program(identity, settings, code, formats), bindings


def format_problems(engine: str, files: list[KindFiles]) -> list[BadInputError]:
    """Say which kinds an engine cannot read, and whether it has no policy at all."""
    wanted = {"rego": "rego", "opa": "rego", "cedar": "cedar"}.get(engine)
    found = []
    for kind in files:
        field = f"sources.{kind.kind}.files"
        if wanted and kind.format == "mixed" and any(p.endswith(f".{wanted}") for p in kind.paths):
            what = f"{wanted} policies and other files in one kind"
            remedy = "put the policies in a kind of their own"
            found.append(BadInputError(what, remedy=remedy).at(field=field))
    if wanted and all(kind.format != wanted for kind in files):
        remedy = f'declare a kind with files = ["….{wanted}"]'
        found.append(
            BadInputError(f"no kind holds {wanted} policies", remedy=remedy).at(field="sources")
        )
    return found


def helper_entries(manifest: Manifest) -> list[tuple[str, str]]:
    """Return (field, entry) of the local selection and the migrations."""
    found = [(f"migrations.{kind}", entry) for kind, entry in manifest.migrations.items()]
    if manifest.local is not None and manifest.local.entry is not None:
        found.append(("local.entry", manifest.local.entry))
    return found


def entry_bundle(tree: Tree, entry: str, field: str, label: str) -> dict[str, str]:
    """Return the bundle of an entry's module; an error names the manifest's field."""
    try:
        return bundle_of(tree, entry.partition(":")[0])
    except BadInputError as error:
        if error.place.file == tree.origin:
            error.place = Place(file=label, field=field)
        raise


def library_of(engine: str) -> str:
    """Return name and version of what executes an engine's policies.

    Raises:
        MissingExtraError: if it is an extra that is not installed.
    """
    if engine == "python":
        return python_version()
    if engine == "model":
        return FORM
    library = _LIBRARIES.get(engine)
    if library is None:
        return engine
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        raise MissingExtraError(f"the {engine} engine", engine) from None
