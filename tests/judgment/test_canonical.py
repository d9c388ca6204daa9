"""Canonical bytes: equal to RFC 8785 inside the domain, refused with a place outside it."""

import math

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from decidendi.judgment import MAX_INTEGER, CanonicalError, canonical_bytes, digest_of, parse_json

texts = st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: __import__("unicodedata").normalize("NFC", text)
)
scalars = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | texts
documents = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30
)


@given(documents)
def test_bytes_equal_an_independent_rfc_8785(document):
    assert canonical_bytes(document) == rfc8785.dumps(document)


@given(documents)
def test_reading_back_gives_the_same_digest(document):
    assert digest_of(parse_json(canonical_bytes(document))) == digest_of(document)


def test_keys_are_ordered_by_utf16_units_not_utf8_bytes():
    document = {"\U0001f600": 1, "�": 2, "a": 3}
    assert canonical_bytes(document) == rfc8785.dumps(document)
    assert canonical_bytes(document) != orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def test_booleans_and_integers_differ():
    assert digest_of([True]) != digest_of([1])


@pytest.mark.parametrize(
    ("value", "field", "part"),
    [
        ({"a": [1, {"b": 1.5}]}, "a[1].b", "float"),
        ({"a": math.nan}, "a", "float"),
        ({"a": 2**53}, "a", "2^53"),
        ({"a": -(2**53)}, "a", "2^53"),
        ({"a": 10**5000}, "a", "over 40 digits"),
        ({"a": "\ud800"}, "a", "surrogate"),
        ({"\udfff": 1}, "['\\udfff']", "surrogate"),
        ({"a": "e\u0301"}, "a", "NFC"),
        ({"a": object()}, "a", "not JSON"),
        ({"a": (1, 2)}, "a", "not JSON"),
    ],
)
def test_outside_the_domain_is_refused_with_its_place(value, field, part):
    with pytest.raises(CanonicalError) as caught:
        canonical_bytes(value)
    assert caught.value.place.field == field
    assert part in str(caught.value)
    assert caught.value.remedy


def test_keys_must_be_text():
    with pytest.raises(CanonicalError, match="not text"):
        canonical_bytes({1: 2})


def test_bottomless_nesting_is_refused():
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(CanonicalError, match="nested deeper"):
        canonical_bytes(deep)
