"""Strict reading: nothing that another reader would silently resolve differently."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.judgment import JsonTextError, parse_json

documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(documents)
def test_reads_what_json_writes(document):
    text = json.dumps(document, ensure_ascii=True)
    if any("\ud800" <= c <= "\udfff" for c in json.loads(json.dumps(text))):
        return
    try:
        text.encode()
        expected = json.loads(text)
        json.dumps(expected, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        with pytest.raises(JsonTextError):
            parse_json(text)
        return
    assert parse_json(text) == expected
    assert parse_json(text.encode()) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '[{"b": {"x": ":", "x": ":"}}]',
        '{"a": 1, "\\u0061": 2}',
        '{"a": 1, "a": 1, "t": "12:30"}',
    ],
)
def test_duplicate_keys_are_refused(text):
    with pytest.raises(JsonTextError, match="stands twice"):
        parse_json(text)


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "{", '{"a":1,}', "", b"\xff", '"\\ud800"', "01", b"\xef\xbb\xbf1"]
)
def test_what_is_not_json_is_refused(text):
    with pytest.raises(JsonTextError, match="not valid JSON"):
        parse_json(text)


def test_colons_in_text_are_not_duplicate_keys():
    assert parse_json('{"at": "12:30:00", "b": [":"]}') == {"at": "12:30:00", "b": [":"]}
