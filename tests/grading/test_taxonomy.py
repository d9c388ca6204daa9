"""The taxonomy is data: versioned, digested, extensible, and refused where it is none."""

import json

import pytest

from decidendi.grading import kind_of, load_taxonomy, taxonomy
from decidendi.judgment import BadInputError

SUBS = {
    "misinterpretation": "contextual logical semantic inferential numerical temporal jargon",
    "hallucination": "inconsistency fabrication",
    "irrelevance": "distraction redundancy false-lead",
}


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def entry(name):
    return {"id": name, "name": name, "definition": "d", "example": "e"}


def test_the_kinds_and_classes_of_the_specification():
    shipped = taxonomy()
    assert {
        kind.code: [kind_of(sub.code) and sub.code.split(".")[1] for sub in subs]
        for kind, subs in shipped.kinds
    } == {kind: subs.split() for kind, subs in SUBS.items()}
    assert len(shipped.classes) == 5
    assert shipped.name == "decidendi/1.0"
    for item in (*shipped.entries(), *shipped.classes):
        assert len(item.definition) > 30
        assert len(item.example) > 20


def test_additions_keep_ours_and_change_the_digest(tmp_path):
    more = {
        "id": "house",
        "version": "3",
        "extends": "decidendi/1.0",
        "premise": [
            {**entry("misinterpretation"), "kinds": [entry("visual")]},
            {**entry("style"), "kinds": []},
        ],
    }
    mine = load_taxonomy(write(tmp_path / "t.json", more))
    assert mine.knows("misinterpretation.visual") and mine.knows("misinterpretation.temporal")
    assert mine.kind_codes == (*taxonomy().kind_codes, "style")
    assert not taxonomy().knows("style")
    assert mine.digest != taxonomy().digest
    more["premise"][1]["definition"] = "another"
    assert load_taxonomy(write(tmp_path / "u.json", more)).digest != mine.digest


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"extends": "decidendi/0.1"}, "not here"),
        ({"conclusion": [entry("half-right")]}, "other classes"),
        ({"premise": [entry("unspecified")]}, "unspecified"),
        ({"premise": [entry("a"), {**entry("Not an id")}]}, "pattern"),
        ({"extends": None}, "other classes"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_what_is_no_taxonomy_is_refused(tmp_path, change, said):
    content = {"id": "x", "version": "1", "extends": "decidendi/1.0", "premise": [entry("a")]}
    with pytest.raises(BadInputError, match=said):
        load_taxonomy(write(tmp_path / "t.json", {**content, **change}))
    (tmp_path / "t.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"t\.json: not valid JSON"):
        load_taxonomy(tmp_path / "t.json")


def test_a_kind_twice_is_refused(tmp_path):
    whole = {
        "id": "x",
        "version": "1",
        "premise": [entry("a"), entry("a")],
        "conclusion": [entry(c.code) for c in taxonomy().classes],
    }
    with pytest.raises(BadInputError, match="twice"):
        load_taxonomy(write(tmp_path / "t.json", whole))
