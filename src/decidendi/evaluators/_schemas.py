"""The interface of an evaluator: one JSON Schema per kind of source, checked before execution."""

from __future__ import annotations

from collections.abc import Mapping

import jsonschema_rs

from decidendi.evaluators._tree import Tree, inside
from decidendi.judgment import JSON, BadInputError, Place, Source, one_line, parse_json, sha256

_REMEMBERED = 100_000
"""Answers kept per generation; two generations are kept."""

OLD, REVISED = 1, 2
"""The bits of ``sides``."""


def read_schema(tree: Tree, path: str, field: str, label: str) -> tuple[JSON, str]:
    """Read a JSON Schema of the folder; return it and the digest of its bytes.

    Raises:
        BadInputError: if it is missing, not JSON, no valid schema, or refers elsewhere.
    """
    try:
        plain = inside(path)
        data = tree.read(plain)
    except BadInputError as error:
        error.what = f"the schema {path!r}: {error.what}"
        error.place = Place(file=label, field=field)
        raise
    try:
        schema: JSON = parse_json(data)
        validator_of(schema)
    except BadInputError as error:
        raise error.at(file=tree.label(plain)) from None
    return schema, sha256(data)


def validator_of(schema: JSON) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema of Draft 2020-12; references lead nowhere but into itself.

    Raises:
        BadInputError: if it is no valid schema.
    """
    if not isinstance(schema, dict | bool):
        raise BadInputError("a schema is an object", remedy='e.g. {"type": "object"}')
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if declared is not None and "2020-12" not in str(declared):
        what = f"the schema is of another draft: {one_line(str(declared), 80)}"
        raise BadInputError(what, remedy="write it in Draft 2020-12").at(field="$schema")
    try:
        return jsonschema_rs.Draft202012Validator(schema, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        message = one_line(getattr(error, "message", str(error)), 200)
        steps = [str(step) for step in getattr(error, "instance_path", ())]
        remedy = "correct the schema; a $ref must point into the same file"
        problem = BadInputError(f"not a usable JSON Schema: {message}", remedy=remedy)
        raise (problem.at(field=".".join(steps)) if steps else problem) from None


class SchemaContract:
    """What hybrids of two versions must fit: the schemas of the versions they draw from."""

    def __init__(self, old: Mapping[str, JSON], revised: Mapping[str, JSON]) -> None:
        """Compile the schemas, by kind, of both versions; equal ones are checked once."""
        self._checks: dict[str, tuple[tuple[jsonschema_rs.Draft202012Validator, int], ...]] = {}
        for kind in old.keys() | revised.keys():
            if kind in old and kind in revised and old[kind] == revised[kind]:
                sides = [(old[kind], OLD | REVISED)]
            else:
                both = [(old.get(kind), OLD), (revised.get(kind), REVISED)]
                sides = [(schema, side) for schema, side in both if schema is not None]
            self._checks[kind] = tuple((validator_of(schema), side) for schema, side in sides)
        self._young: dict[tuple[str, str, int], str | None] = {}
        self._old: dict[tuple[str, str, int], str | None] = {}

    def problem(self, source: Source, sides: int) -> str | None:
        """Return what makes ``source`` ill-typed in a hybrid of these sides, or None."""
        checks = self._checks.get(source.kind)
        if checks is None:
            return None
        key = (source.kind, source.digest, sides)
        try:
            return self._young[key]
        except KeyError:
            pass
        found = self._old[key] if key in self._old else _checked(checks, source, sides)
        if len(self._young) >= _REMEMBERED:
            self._young, self._old = {}, self._young
        self._young[key] = found
        return found


def _checked(
    checks: tuple[tuple[jsonschema_rs.Draft202012Validator, int], ...], source: Source, sides: int
) -> str | None:
    for validator, side in checks:
        if side & sides and not validator.is_valid(source.content):
            said = message_of(validator, source.content)
            version = {OLD: "the old version: ", REVISED: "the revised version: "}.get(side, "")
            return f"{version}{said}"
    return None


def message_of(validator: jsonschema_rs.Draft202012Validator, content: JSON) -> str:
    """Say what is wrong with ``content``: the first error with its field, and how many more."""
    errors = list(validator.iter_errors(content))
    first = errors[0]
    field = ""
    for step in first.instance_path:
        field += f"[{step}]" if isinstance(step, int) else f".{step}" if field else step
    head = f"{one_line(field, 100)}: " if field else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{head}{one_line(first.message, 200)}{more}"
