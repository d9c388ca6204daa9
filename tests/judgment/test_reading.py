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


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ('{"a": NaN}', "at column 7", "NaN is not JSON: use null"),
        ("[-Infinity]", "at column 3", "infinity is not JSON"),
        ('{"a":1,}', "trailing comma is not allowed at column 7", "remove the comma"),
        (b'{"a": "\xc3\xbc\xff"}', "not UTF-8 text at column 9", "save it as UTF-8"),
        (b'{"a":\n "\xff"}', "not UTF-8 text at line 2, column 3", "save it as UTF-8"),
        ('"\\ud800"', "half a surrogate pair in a string at column 2", "both halves"),
        ("[" + "9" * 6_000 + "]", "a number too large at column 2", "as text"),
        ("{'a': 1}", "expected a string key", "double quotes"),
        ("[True]", "expected a JSON value", "write true"),
        ('{"a": 1', "unexpected end of data at column 8", "cut off"),
        ('{"a": 1} 2', "unexpected content after document at column 10", "one document"),
        ('{\n"a": 01}', "leading zero is not allowed at line 2", "as text"),
        ('"a\tb"', "control character", r"such as \n or \u0000"),
        ("", "nothing stands there at column 1", "correct it there"),
    ],
)
def test_what_is_wrong_with_json_comes_with_a_fitting_remedy(text, said, remedy):
    with pytest.raises(JsonTextError) as caught:
        parse_json(text)
    assert said in caught.value.what
    assert remedy in caught.value.remedy
    assert caught.value.remedy.count("NaN") == remedy.count("NaN")
