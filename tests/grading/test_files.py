"""Chains and labels survive a file; what is neither is named with its place."""

import json

import pytest
from grading_toys import chain
from hypothesis import given
from hypothesis import strategies as st

from decidendi.folders import write_whole
from decidendi.grading import (
    Chain,
    Finding,
    Labels,
    chain_line,
    chain_schema,
    labels_line,
    labels_schema,
    read_chains,
    read_labels,
    taxonomy,
)
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.legal import Option

BAD = Unmeasured(Reason.NOT_CONVERGED, "no verdict")
text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
said = text.filter(str.strip)
marks = st.one_of(
    st.none(),
    st.just(BAD),
    st.lists(
        st.builds(Finding, st.sampled_from(taxonomy().codes), text, st.booleans()), max_size=2
    ).map(tuple),
)


@given(
    st.builds(
        Labels,
        text,
        text,
        st.one_of(st.just(BAD), st.lists(marks, max_size=4).map(tuple)),
        st.sampled_from([True, False, None, BAD]),
        st.sampled_from(["sound", "wrong", None, BAD]),
    )
)
def test_labels_come_back_as_they_were(tmp_path_factory, labels):
    path = tmp_path_factory.mktemp("l") / "labels.jsonl"
    write_whole(path, [labels_line(labels)])
    assert read_labels(path, taxonomy()) == ([labels], [])


@given(
    st.builds(
        Chain,
        id=text,
        premises=st.one_of(st.just(BAD), st.lists(said, min_size=1, max_size=4).map(tuple)),
        conclusion=text,
        chosen=st.sampled_from(["A", "B", BAD]),
        options=st.just((Option("A", "one"), Option("B"))),
        gold=st.sampled_from(["A", None]),
        unit=text,
        text=text,
        carried=st.just({"origin": {"page": 3}}),
    )
)
def test_chains_come_back_as_they_were(tmp_path_factory, chain):
    path = tmp_path_factory.mktemp("c") / "chains.jsonl"
    write_whole(path, [chain_line(chain)])
    found, refused = read_chains(path)
    assert refused == []
    assert found == [chain]
    assert found[0].carried == chain.carried


def test_text_alone_is_taken_apart(tmp_path):
    path = tmp_path / "c.jsonl"
    row = {
        "id": "q1",
        "text": "1. It came late.\n2. The rule is strict.\nANSWER: B",
        "options": [{"label": "A", "text": ""}, {"label": "B"}],
        "gold": "B",
        "course": "civil procedure",
    }
    path.write_text(json.dumps(row) + "\n\n", encoding="utf-8")
    (chain,), refused = read_chains(path)
    assert refused == []
    assert (chain.length, chain.chosen, chain.unit) == (2, "B", "q1")
    assert chain.carried == {"course": "civil procedure"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("not json", "line 1"),
        ({"id": "a"}, "neither text nor premises"),
        ({"id": "", "text": "x"}, "id"),
        ({"id": "a", "text": "x", "gold": "C", "options": [{"label": "A"}]}, "not among"),
        ({"id": "a", "text": "x", "options": [{"label": "A"}, {"label": "A"}]}, "twice"),
        ({"id": "a", "premises": ["x", 3]}, "premises.1"),
        ({"id": "a", "premises": [""]}, "premises"),
        (
            {"id": "a", "premises": ["x", "y", " \t\n"]},
            "line 1: premises.2: a premise of blanks",
        ),
    ],
)
def test_lines_that_are_no_chain_are_left_out_with_their_place(tmp_path, row, said):
    path = tmp_path / "c.jsonl"
    line = row if isinstance(row, str) else json.dumps(row)
    path.write_text(line + "\n" + json.dumps({"id": "ok", "premises": ["p"]}), encoding="utf-8")
    chains, refused = read_chains(path)
    assert [c.id for c in chains] == ["ok"]
    assert len(refused) == 1
    assert str(refused[0]).startswith(f"{path}:1")
    assert said in str(refused[0]).replace(f"{path}:1", "line 1")


def test_a_byte_order_mark_costs_no_line(tmp_path):
    chains, human = tmp_path / "c.jsonl", tmp_path / "l.jsonl"
    write_whole(chains, [b"\xef\xbb\xbf", *(chain_line(chain(name)) for name in "ab")])
    rows = [Labels(name, "ann", ((), ())) for name in "ab"]
    write_whole(human, [b"\xef\xbb\xbf", *map(labels_line, rows)])
    read, refused = read_chains(chains)
    assert ([one.id for one in read], refused) == (["a", "b"], [])
    assert read_labels(human, taxonomy()) == (rows, [])


def test_repeated_ids_empty_and_endless_chains(tmp_path):
    path = tmp_path / "c.jsonl"
    rows = [
        {"id": "a", "premises": ["p"]},
        {"id": "a", "premises": ["p"]},
        {"id": "none", "premises": []},
        {"id": "many", "premises": ["p"] * 201, "conclusion": "ANSWER: A",
         "options": [{"label": "A"}, {"label": "B"}]},
        {"id": "silent", "text": " \n", "options": [{"label": "A"}, {"label": "B"}]},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    chains, refused = read_chains(path)
    assert [c.id for c in chains] == ["a", "none", "many", "silent"]
    assert "twice" in refused[0].detail
    assert all(isinstance(c.premises, Unmeasured) for c in chains[1:])
    assert isinstance(chains[0].chosen, Unmeasured)
    assert chains[2].chosen == "A"
    assert chains[3].premises.detail == "the output is empty"
    assert isinstance(chains[3].chosen, Unmeasured)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"premises": [["misinterpretation.chronological"]]}, "no error"),
        ({"premises": [["correct"]]}, "no error"),
        ({"premises": "all fine"}, "premises"),
        ({"premises": [True]}, "premises.0"),
        ({"content": "yes"}, "content"),
        ({"said": "perfect"}, "said"),
        ({"by": ""}, "by"),
        ({"grade": 3}, "grade"),
    ],
)
def test_labels_outside_the_taxonomy_or_the_schema_are_left_out(tmp_path, change, said):
    path = tmp_path / "l.jsonl"
    row = {"chain": "a", "by": "p", "premises": [[], None, ["irrelevance"]]}
    path.write_text(json.dumps(row) + "\n" + json.dumps({**row, **change}), encoding="utf-8")
    found, refused = read_labels(path, taxonomy())
    assert [x.premises for x in found] == [((), None, (Finding("irrelevance"),))]
    assert said in str(refused[0])
    assert refused[0].place.line == 2


def test_labels_of_another_taxonomy_are_refused_by_name(tmp_path):
    path, mine = tmp_path / "l.jsonl", taxonomy().digest
    rows = [Labels(name, "ann", ((), ())) for name in "abc"]
    other = "sha256:" + "0" * 64
    write_whole(path, [labels_line(rows[0]), labels_line(rows[1], mine)])
    assert read_labels(path, taxonomy()) == (rows[:2], [])  # people's lines name none
    write_whole(path, [labels_line(rows[0], mine), *(labels_line(r, other) for r in rows[1:])])
    with pytest.raises(BadInputError) as refused:
        read_labels(path, taxonomy())
    assert (refused.value.place.line, refused.value.place.field) == (2, "taxonomy")
    assert f"{other}, than decidendi/1.0, {mine}" in str(refused.value)


def test_labels_that_do_not_fit_their_chain_or_come_twice_are_left_out(tmp_path):
    path = tmp_path / "l.jsonl"
    rows = [("a", "p", [[]]), ("a", "p", [[], []]), ("a", "p", [[], []]), ("z", "p", [[]])]
    lines = [json.dumps({"chain": c, "by": b, "premises": p}) for c, b, p in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    chains = [Chain("a", ("One.", "Two."), "A", "A")]
    found, refused = read_labels(path, taxonomy(), chains)
    assert [row.chain for row in found] == ["a", "z"]
    assert [line.place.line for line in refused] == [1, 3]
    assert "p labels 1 premises of the chain 'a', which has 2" in str(refused[0])
    assert "twice" in str(refused[1])


def test_schemas_name_every_field():
    assert {"id", "text", "premises", "options", "gold"} <= set(chain_schema()["properties"])
    assert {"chain", "by", "premises", "content", "said", "about", "partly", "taxonomy"} == set(
        labels_schema()["properties"]
    )
