"""Reading cases: every bad line is told with line, field and remedy, and the rest goes on."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.evaluators import BadCase, CaseRecord, case_schema, read_cases
from decidendi.evaluators._cases import MAX_LINE
from decidendi.judgment import BadInputError

GOOD = b'{"id": "good", "grounds": {"a": 1}}\n'


def read(tmp_path: Path, data: bytes, *kinds: str) -> list[CaseRecord | BadCase]:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(data)
    return list(read_cases(path, kinds or ("grounds",)))


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        (b'{"id": "x", "grounds": {"a": 1}', None, "not valid JSON"),
        (b'{"id": "x", "id": "y", "grounds": 1}', None, "'id' stands twice"),
        (b'{"id": "x", "grounds": {"a": 1, "a": 1}}', None, "'a' stands twice"),
        (b'{"id": "x", "grounds": NaN}', None, "not valid JSON"),
        (b'{"id": "x", "grounds": "\\ud800"}', None, "not valid JSON"),
        (b'{"id": "x", "grounds": "\xff"}', None, "not valid JSON"),
        (b'{"id": "x", "grounds": "\x00"}', None, "not valid JSON"),
        (b"\x00\x00", None, "not valid JSON"),
        (b"[1]", None, "a list is not a case"),
        (b"7", None, "a number is not a case"),
        (b"null", None, "a null is not a case"),
        (b'{"grounds": 1}', "id", "missing"),
        (b'{"id": 7, "grounds": 1}', "id", "not a text"),
        (b'{"id": "", "grounds": 1}', "id", "empty"),
        (b'{"id": "x", "unit": 3, "grounds": 1}', "unit", "not a text"),
        (b'{"id": "e\\u0301", "grounds": 1}', "id", "NFC"),
        (b'{"id": "x", "unit": "e\xcc\x81", "grounds": 1}', "unit", "NFC"),
        (b'{"id": "x"}', "grounds", "missing"),
        (b'{"id": "good", "grounds": 1}', "id", "already stands"),
        (b'{"id": "x", "grounds": 1, "gold": "deny"}', "gold", "two right verdicts"),
        (b'{"id": "x", "grounds": 1, "gold": {"old": "deny"}}', "gold", "two right verdicts"),
        (b'{"id": "x", "grounds": 1, "gold": {"old": 1, "revised": 2}}', "gold", "two right"),
        (b'\xef\xbb\xbf{"id": "x", "grounds": 1}', None, "byte order mark"),
    ],
)
def test_a_bad_line_is_told_and_passed_over(
    tmp_path: Path, line: bytes, field: str | None, said: str
) -> None:
    after = b'{"id": "after", "grounds": 2}\n'
    good, bad, last = read(tmp_path, GOOD + line + b"\n" + after)
    assert isinstance(good, CaseRecord) and isinstance(last, CaseRecord)
    assert last.line == 3 and last.contents == {"grounds": (2, 2)}
    assert isinstance(bad, BadCase) and bad.line == 2
    assert said in bad.error.what and bad.error.remedy
    place = bad.error.place
    assert (place.file, place.line, place.field) == (str(tmp_path / "cases.jsonl"), 2, field)


def test_what_is_no_fault(tmp_path: Path) -> None:
    data = (
        b'\xef\xbb\xbf{"id":"a","grounds":1}\r\n\r\n  \n{"id":"b","unit":"u","grounds":1,"n":1.5}'
    )
    first, second = read(tmp_path, data)
    assert isinstance(first, CaseRecord) and isinstance(second, CaseRecord)
    assert (first.case.unit, second.case.unit, second.line) == ("a", "u", 4)
    assert second.case.carried == {"n": 1.5}


def test_a_last_line_that_is_cut_off(tmp_path: Path) -> None:
    _, bad = read(tmp_path, GOOD + GOOD[:-9])
    assert isinstance(bad, BadCase) and "cut off" in bad.error.remedy


def test_pairs_are_exactly_pairs(tmp_path: Path) -> None:
    pair = {"old": {"a": 1}, "revised": {"a": 2}}
    more = {**pair, "other": 3}
    lines = [{"id": "1", "grounds": pair}, {"id": "2", "grounds": more}]
    one, two = read(tmp_path, "\n".join(map(json.dumps, lines)).encode())
    assert isinstance(one, CaseRecord) and isinstance(two, CaseRecord)
    assert one.contents["grounds"] == ({"a": 1}, {"a": 2})
    old, revised = two.contents["grounds"]
    assert old is revised and old == more


def test_several_kinds_come_with_a_case(tmp_path: Path) -> None:
    line = b'{"id": "x", "claims": [1], "evidence": {"old": 1, "revised": 2}, "grounds": 0}'
    (one,) = read(tmp_path, line, "claims", "evidence")
    assert isinstance(one, CaseRecord)
    assert one.contents == {"claims": ([1], [1]), "evidence": (1, 2)}
    assert one.case.carried == {"grounds": 0}


def test_a_line_of_fifty_megabytes_is_never_held(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    with path.open("wb") as file:
        file.write(GOOD + b'{"id": "big", "grounds": "')
        for _ in range(50):
            file.write(b"x" * 2**20)
        file.write(b'"}\n{"id": "after", "grounds": 1}\n')
    tracemalloc.start()
    good, big, after = read_cases(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(good, CaseRecord) and isinstance(after, CaseRecord)
    assert isinstance(big, BadCase) and "longer than 16 MB" in big.error.what
    assert after.line == 3
    assert peak < 3 * MAX_LINE


def test_long_ids_are_told_apart(tmp_path: Path) -> None:
    ids = ["é" * 40, "é" * 41, "short", "é" * 40]
    data = "".join(json.dumps({"id": i, "grounds": 0}) + "\n" for i in ids).encode()
    found = read(tmp_path, data)
    assert [isinstance(one, BadCase) for one in found] == [False, False, False, True]


def test_a_bad_case_has_its_id_where_one_can_be_read(tmp_path: Path) -> None:
    lines = [
        b'{"id": "a"}',
        b'{"id": 3}',
        b'{"id": "b"',
        b'{"id": "a\\u0000", "grounds": 1}',
        b"[]",
    ]
    found = read(tmp_path, b"\n".join(lines))
    assert all(isinstance(one, BadCase) for one in found)
    assert [getattr(one, "case_id", "") for one in found] == ["a", None, None, "a\0", None]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="No such file"):
        list(read_cases(tmp_path / "none.jsonl"))
    with pytest.raises(BadInputError, match="directory"):
        list(read_cases(tmp_path))


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_break_the_reader(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "cases.jsonl"
    data = b"\n".join(lines)
    path.write_bytes(data)
    for one in read_cases(path):
        assert 1 <= one.line <= data.count(b"\n") + 1


def test_the_schema_of_a_case_says_the_same() -> None:
    schema = jsonschema_rs.Draft202012Validator(case_schema(("grounds", "claims")))
    good = {"id": "a", "grounds": {"old": 1, "revised": 2}, "claims": [], "anything": 1.5}
    assert schema.is_valid(good)
    bads: list[object] = [{**good, "id": ""}, {"id": "a", "grounds": 1}, []]
    for bad in [*bads, {**good, "gold": {"old": "x"}}]:
        assert not schema.is_valid(bad)
