"""Schemas of two versions: a hybrid must fit the versions it draws from."""

from __future__ import annotations

from pathlib import Path

from evaluator_folders import python_folder

from decidendi.evaluators import Pair, load_evaluator, pair
from decidendi.judgment import JSON, Source

NARROW = (
    '{"type": "object", "properties": {"a": {"items": {"type": "integer"}}}, "required": ["b"]}'
)
WIDE = '{"type": "object"}'


def both(tmp: Path, *schemas: str | None) -> Pair:
    versions = []
    for n, schema in enumerate(schemas):
        folder = python_folder(tmp / str(n), s__json=schema or "{}")
        toml = folder / "evaluator.toml"
        if schema is not None:
            toml.write_text(toml.read_text().replace('"case"', '"case"\nschema = "s.json"'))
        versions.append(load_evaluator(folder))
    return pair(*versions)


def problem(one: Pair, content: JSON, sides: int, kind: str = "grounds") -> str | None:
    assert one.contract is not None
    first = one.contract.problem(Source(kind, content), sides)
    assert one.contract.problem(Source(kind, content), sides) == first, "remembered"
    return first


def test_no_schema_costs_nothing(tmp_path: Path) -> None:
    with both(tmp_path, None, None) as one:
        assert one.contract is None


def test_each_side_is_asked_for_itself(tmp_path: Path) -> None:
    with both(tmp_path, WIDE, NARROW) as one:
        lacking: JSON = {"a": [1, "x"]}
        assert problem(one, lacking, 1) is None
        said = problem(one, lacking, 2)
        assert said is not None and said.startswith("the revised version: ")
        assert problem(one, lacking, 3) == said
        assert problem(one, {"a": [1], "b": 2}, 3) is None
        assert problem(one, 7, 1) == 'the old version: 7 is not of type "object"'
        assert problem(one, 7, 3, "norms") is None


def test_the_message_names_the_field_and_counts_the_rest(tmp_path: Path) -> None:
    with both(tmp_path, NARROW, NARROW) as one:
        said = problem(one, {"a": ["x"]}, 3)
        assert said is not None and said.endswith("(and 1 more)")
        assert problem(one, {"a": [1, "x"], "b": 0}, 3) == 'a[1]: "x" is not of type "integer"'


def test_one_side_may_have_no_schema(tmp_path: Path) -> None:
    with both(tmp_path, None, NARROW) as one:
        assert problem(one, {}, 1) is None
        assert problem(one, {}, 3) is not None


def test_equal_contents_of_two_kinds_are_not_confused(tmp_path: Path) -> None:
    with both(tmp_path, NARROW, NARROW) as one:
        assert problem(one, {}, 3, "norms") is None
        assert problem(one, {}, 3) is not None
