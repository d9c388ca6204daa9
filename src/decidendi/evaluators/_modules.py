"""Python modules loaded from text, so that two versions of one module can live side by side.

The modules of an evaluator are a *bundle*: the entry's module and every module of the folder
that it imports, directly or not. A bundle is loaded as a package with a private name made from
its digest; an ``import helper`` in it finds the bundle's own ``helper`` before any installed
module. What no import statement names is not in the bundle and cannot be imported, so the
digest of the bundle binds all code of the folder that runs.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from decidendi.evaluators._tree import Tree
from decidendi.judgment import JSON, BadInputError, Place, digest_of, sha256

_PREFIX = "_decidendi_"


def bundle_of(tree: Tree, module: str) -> dict[str, str]:
    """Return path to text of ``module`` and of all the folder's modules that it imports.

    Raises:
        BadInputError: if a file is missing, is not UTF-8 or is not Python.
    """
    start = _file_of(tree, module)
    if start is None:
        raise BadInputError(
            f"there is no module {module!r} in the folder",
            remedy=f"add {module.replace('.', '/')}.py, or correct the entry",
            place=Place(file=tree.origin),
        )
    bundle: dict[str, str] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in bundle:
            continue
        bundle[path] = text_of(tree, path)
        for wanted in _imports(bundle[path], path, tree.label(path)):
            parts = wanted.split(".")
            # Importing a.b runs a as well.
            names = [".".join(parts[: i + 1]) for i in range(len(parts))]
            waiting.extend(found for name in names if (found := _file_of(tree, name)) is not None)
    return dict(sorted(bundle.items()))


def text_of(tree: Tree, path: str) -> str:
    """Return the text of a file.

    Raises:
        BadInputError: if it is not UTF-8, or begins with a byte order mark.
    """
    data = tree.read(path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = Place(file=tree.label(path), line=line)
        raise BadInputError("not UTF-8 text", remedy="save it as UTF-8", place=place) from None
    if text.startswith("\ufeff"):
        remedy = "save it as UTF-8 without one"
        place = Place(file=tree.label(path), line=1)
        raise BadInputError("begins with a byte order mark", remedy=remedy, place=place)
    return text


def parsed(text: str, label: str) -> ast.Module:
    """Parse Python text; ``BadInputError`` with the line if it is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        what = f"not valid Python: {getattr(error, 'msg', error)}"
        place = Place(file=label, line=getattr(error, "lineno", None))
        raise BadInputError(what, remedy="correct the syntax", place=place) from None


def code_digests(bundle: Mapping[str, str]) -> dict[str, JSON]:
    """Return path to digest; code is bound by its bytes, whatever characters it is made of."""
    return {path: sha256(text.encode()) for path, text in bundle.items()}


def load(bundle: Mapping[str, str], module: str) -> ModuleType:
    """Load ``module`` of a bundle; the same bundle is loaded once. Raises what its code raises."""
    package = _PREFIX + digest_of(code_digests(bundle))[7:27]
    if package not in _Finder.bundles:
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder())
        _Finder.bundles[package] = dict(bundle)
    return importlib.import_module(f"{package}.{module}")


def unload(module: ModuleType) -> None:
    """Forget the bundle of a loaded module; what still refers to it goes on working."""
    package = module.__name__.split(".")[0]
    _Finder.bundles.pop(package, None)
    for name in [n for n in sys.modules if n == package or n.startswith(package + ".")]:
        del sys.modules[name]


def code_place(error: BaseException) -> str:
    """Return ``path:line`` of the last frame of the folder's own code, or nothing."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(_PREFIX):
            found = f"{name.partition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _file_of(tree: Tree, module: str) -> str | None:
    base = module.replace(".", "/")
    return next((p for p in (f"{base}.py", f"{base}/__init__.py") if tree.has(p)), None)


def _imports(text: str, path: str, label: str) -> Iterator[str]:
    """Yield the dotted names that a file imports, relative ones resolved within the folder."""
    package = path.split("/")[:-1]
    for node in ast.walk(parsed(text, label)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            parts = [*base, *(node.module.split(".") if node.module else [])]
            if parts:
                yield ".".join(parts)
            yield from (".".join([*parts, alias.name]) for alias in node.names)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of loaded bundles by their private names."""

    bundles: dict[str, dict[str, str]] = {}  # noqa: RUF012 - one table, as sys.modules is one

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a bundle's module, or None for any other."""
        package, _, name = fullname.partition(".")
        bundle = self.bundles.get(package)
        if bundle is None:
            return None
        base = name.replace(".", "/")
        found = next((p for p in (f"{base}.py", f"{base}/__init__.py") if p in bundle), None)
        is_package = not name or (found or "").endswith("__init__.py")
        if found is None and name:
            is_package = any(p.startswith(base + "/") for p in bundle)
            if not is_package:
                return None
        loader = _Loader(package, bundle, found)
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=is_package)


class _Loader(importlib.abc.InspectLoader):
    """Runs one module of a bundle."""

    def __init__(self, package: str, bundle: Mapping[str, str], path: str | None) -> None:
        self._package = package
        self._bundle = bundle
        self._path = path

    def get_source(self, fullname: str) -> str:
        """Return the module's text, for tracebacks."""
        return self._bundle[self._path] if self._path else ""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's text with an import that looks into the bundle first."""
        if self._path is None:
            return
        own = {path.split("/")[0].removesuffix(".py") for path in self._bundle}
        names = dict(vars(builtins))
        names["__import__"] = _importing(self._package, own, self._bundle)
        vars(module)["__builtins__"] = names
        name = f"{self._package}/{self._path}"
        code = compile(self._bundle[self._path], name, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - this is the evaluator that the user handed over


def _importing(package: str, own: set[str], bundle: Mapping[str, str]) -> Any:  # noqa: ANN401 - the type of __import__
    def find(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level or name.split(".")[0] not in own:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = importlib.import_module(f"{package}.{name}")
        if not fromlist:
            return sys.modules[f"{package}.{name.split('.')[0]}"]
        for item in fromlist:
            base = f"{name}.{item}".replace(".", "/")
            if f"{base}.py" in bundle or f"{base}/__init__.py" in bundle:
                importlib.import_module(f"{package}.{name}.{item}")
        return module

    return find
