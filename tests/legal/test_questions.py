"""Tasks are data; a question is put together from a task, a case, an authority and a wording."""

from __future__ import annotations

import json

import pytest

from decidendi.judgment import BadInputError, digest_of, parse_json
from decidendi.legal import (
    TASKS,
    Authority,
    LegalCase,
    UnknownAuthorityError,
    Wording,
    load_task,
    task,
    task_schema,
)

CASE = LegalCase("c", "Some facts.", {"8": "YES", "3": "NO"})


@pytest.mark.parametrize("name", TASKS)
def test_a_shipped_task_is_whole(name: str) -> None:
    this = task(name)
    assert this.id == name
    assert len(this.wordings) >= 6, "the base and five paraphrases"
    assert len({wording.template for wording in this.wordings}) == len(this.wordings)
    assert this.null not in this.authorities
    assert this.pairs
    assert this.marker in ("VERDICT", "ANSWER")
    for authority in this.authorities:
        phrases = [phrase.casefold() for phrase in authority.names]
        assert len(set(authority.names)) == len(phrases), "an alias stands twice"
        assert all(phrase == phrase.strip() for phrase in authority.names)


@pytest.mark.parametrize("name", TASKS)
def test_no_two_authorities_share_a_name(name: str) -> None:
    seen: dict[str, str] = {}
    for authority in (*task(name).authorities, task(name).null):
        for phrase in authority.names:
            assert seen.setdefault(phrase, authority.id) == authority.id, phrase


@pytest.mark.parametrize("name", ["echr", "scotus", "contractnli", "law"])
def test_authorities_say_what_they_are(name: str) -> None:
    for authority in task(name).authorities:
        assert authority.citation
        assert 40 < len(authority.text) < 900 or name in ("scotus", "contractnli")
        assert authority.text.endswith(".")


def test_a_swap_edits_the_question_in_one_place() -> None:
    for name in TASKS:
        for wording in task(name).wordings:
            before, _, after = wording.template.partition("{authority}")
            left = wording.render(Authority("a", "ONE", text="T"))
            right = wording.render(Authority("b", "TWO", text="T"))
            assert left != right
            if "{text}" not in before + after and "{citation}" not in before + after:
                assert left == before + "ONE" + after


def test_ask() -> None:
    question = task("echr").ask(CASE, "8")
    assert question.text == (
        "On these facts, was there a violation of Article 8 of the European Convention "
        "on Human Rights?"
    )
    assert (question.gold, question.labels, question.unit) == ("YES", ("YES", "NO"), "c")
    assert task("echr").ask(CASE, "null").gold is None
    assert task("echr").ask(CASE, "6").gold is None, "no gold is not NO"
    assert "Article 3" in task("echr").ask(CASE, "3", "breach").text


def test_a_case_brings_its_own_authority_and_options() -> None:
    own = Authority("cited", "Lark v. Finch", "12 Inv. 3d 45")
    case = LegalCase(
        "h", "… <HOLDING> …", {"cited": "2"}, options=tuple("abcde"), authorities=(own,)
    )
    question = task("casehold").ask(case, "cited", "stands")
    assert "Lark v. Finch" in question.text
    assert [option.text for option in question.options] == list("abcde")
    assert question.gold == "2"
    assert "Doe v. Roe" in task("casehold").ask(case, "masked").text


def test_braces_in_a_clause_are_harmless() -> None:
    wording = Wording("base", 'Is {authority} there: "{text}"?')
    hostile = Authority("x", "the {text} clause", text="{authority} {0} {")
    assert wording.render(hostile) == 'Is the {text} clause there: "{authority} {0} {"?'


def test_authorities_are_found_by_release_name_and_pairs_by_text() -> None:
    nli = task("contractnli")
    assert nli.authority("nda-8").id == "disclosure"
    pair = nli.pair("nda-8:no_solicitation")
    assert (pair.target, pair.control) == ("disclosure", "no_solicitation")
    assert task("echr").pair("B").control == "14"
    with pytest.raises(UnknownAuthorityError, match="no authority '77'"):
        task("echr").pair("8:77")
    with pytest.raises(KeyError, match="no wording"):
        task("echr").wording("missing")


def test_the_published_pairs() -> None:
    def pairs(name: str) -> list[tuple[str, str]]:
        this = task(name)
        named = [
            (this.authority(p.target).name, this.authority(p.control).name) for p in this.pairs
        ]
        return named

    assert pairs("echr") == [("Article 8", "Article 3"), ("Article 6", "Article 14")]
    assert pairs("scotus") == [
        ("Criminal Procedure", "Economic Activity"),
        ("First Amendment", "Civil Rights"),
    ]
    assert task("scotus").facts_limit == 6000


def test_an_authority_can_be_amended() -> None:
    rule = task("law").authority("12-a-1")
    shorter = rule.amended(days=14)
    assert "within 14 days after being served" in shorter.text
    assert "within 21 days after being served" in rule.text
    assert rule.amended(days=21) == rule
    with pytest.raises(KeyError, match="no term 'weeks'"):
        rule.amended(weeks=2)
    assert task("law").authority("1332-a").amended(limit=10_000_050).text.count("$100,000.50") == 1


def test_cutting_facts_is_counted() -> None:
    case = LegalCase("c", "abcdefghij", {"8": "YES"})
    assert case.limited(None) is case and case.limited(10) is case
    assert (case.limited(4).facts, case.limited(4).cut) == ("abcd", 6)
    assert case.limited(4).limited(3).cut == 7


def test_a_task_of_ones_own(tmp_path) -> None:
    content = {
        "id": "own", "version": "1", "title": "t", "kind": "rule", "facts_are": "Facts",
        "options": [{"label": "YES"}, {"label": "NO"}],
        "authorities": [{"id": "a", "name": "Rule A"}], "null": {"id": "null", "name": "Rule 0"},
        "wordings": [{"id": "base", "template": "Is {authority} met?"}],
    }  # fmt: skip
    path = tmp_path / "own.json"
    path.write_text(json.dumps(content))
    assert load_task(path).digest == digest_of(parse_json(path.read_bytes()))
    for change, field, what in [
        ({"wordings": [{"id": "base", "template": "Is it met?"}]}, "wordings", "exactly once"),
        ({"authorities": []}, "authorities", "at least 1"),
        ({"pairs": [{"id": "A", "target": "a", "control": "b"}]}, "", "no authority 'b'"),
        ({"positive": "MAYBE"}, "", "not an option"),
        ({"extra": 1}, "extra", "not permitted"),
        (
            {"authorities": [{"id": "a", "name": "A", "text": "{weeks}", "terms": {"days": 2}}]},
            "authorities.0",
            "cannot be filled",
        ),
    ]:
        path.write_text(json.dumps({**content, **change}))
        with pytest.raises(BadInputError, match=what) as caught:
            load_task(path)
        assert caught.value.place.file == str(path)
        assert (caught.value.place.field or "").startswith(field)


def test_unknown_tasks_are_refused() -> None:
    with pytest.raises(BadInputError, match="no task 'tax'"):
        task("tax")
    with pytest.raises(BadInputError, match="one of: echr"):
        load_task("nowhere.json")


def test_the_schema_of_a_task_accepts_the_shipped_ones() -> None:
    import jsonschema_rs

    validator = jsonschema_rs.validator_for(task_schema())
    from importlib.resources import files

    for name in TASKS:
        data = files("decidendi.legal").joinpath("data", "tasks", f"{name}.json").read_bytes()
        validator.validate(parse_json(data))
