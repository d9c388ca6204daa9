"""Splitting a source into its changed parts: the ends are exact, and rules are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluator_folders import CEDAR, DECIDE, REGO, python_folder, write
from hypothesis import given
from hypothesis import strategies as st

from decidendi.evaluators import load_evaluator, pair, split_parts
from decidendi.evaluators._parts import pieces_of, text_parts
from decidendi.judgment import JSON, Source

PYTHON = "import os\n\n# the limit\nLIMIT = 3\n\n\n@staticmethod\ndef f():\n    return 1\n"
TEXT = "Intro.\n\nA paragraph\nof two lines.\n\nLast ü one."
SECTIONS = "# Refunds\n\nText.\n\n## Scope\n\nMore.\n"


@pytest.mark.parametrize(
    ("text", "told", "names"),
    [
        (
            REGO,
            "rego",
            ["(head)", "default verdict", "known", "verdict", "verdict"],
        ),
        (CEDAR, "cedar", ["refer", "small"]),
        (PYTHON, "python", ["import", "LIMIT", "f"]),
        (TEXT, "text", ["Intro.", "A paragraph", "Last ü one."]),
        (SECTIONS, "text", ["# Refunds", "## Scope"]),
        ("not rego {", "rego", ["(whole)"]),
        ("def f(:", "python", ["(whole)"]),
    ],
)
def test_texts_are_cut_at_their_rules(text: str, told: str, names: list[str]) -> None:
    pieces = pieces_of(text, told)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.name for piece in pieces] == names


def test_a_comment_belongs_to_the_rule_below_it() -> None:
    head = "package a\nimport rego.v1\n"
    text = head + '\nx := `raw } # é\n# inside\n`\n\n# about y\ny := "#;{" # after\n'
    assert [p.text for p in pieces_of(text, "rego")] == [
        "package a\nimport rego.v1\n",
        "\nx := `raw } # é\n# inside\n`\n",
        '\n# about y\ny := "#;{" # after\n',
    ]


def test_semicolons_in_cedar_strings_and_comments_end_nothing() -> None:
    anyone = "(principal, action, resource)"
    text = f'permit{anyone} when {{ context.a == "x;\\";" }}; // a; b\nforbid{anyone};'
    assert [p.name for p in pieces_of(text, "cedar")] == ["permit", "forbid"]


def test_changed_added_and_removed_rules_are_parts() -> None:
    revised = REGO.replace("100", "200").replace("known if", "known if input.open\n\nknown if")
    revised = revised.replace('verdict := "refer" if not known\n', "")
    parts = text_parts(REGO, revised, "rego")
    assert parts.names == ("known (added)", "verdict (removed)", "verdict")
    assert parts.build(0) == REGO
    assert parts.build(7) == revised
    assert parts.build(4) == REGO.replace("100", "200")


_RULES = st.lists(
    st.sampled_from(
        [
            "x := 1\n",
            "x := 2\n",
            "\n# c\nx := 1\n",
            "y if { input.a }\n",
            "\ny if {\n  input.b\n}\n",
            'default z := "é"\n',
            "f(a) := a + 1\n",
            "s contains 1\n",
        ]
    ),
    max_size=7,
)


@given(_RULES, _RULES, st.integers(min_value=0))
def test_the_ends_are_exact_whatever_changed(old: list[str], new: list[str], mask: int) -> None:
    before, after = ("package a\nimport rego.v1\n" + "".join(rules) for rules in (old, new))
    parts = text_parts(before, after, "rego")
    everything = (1 << len(parts.names)) - 1
    assert parts.build(0) == before
    assert parts.build(everything) == after
    assert len(set(parts.names)) == len(parts.names)
    assert isinstance(parts.build(mask & everything), str)


@given(st.text(alphabet='ab\n#é"; ', max_size=40), st.text(alphabet='ab\n#é"; ', max_size=40))
def test_no_text_breaks_the_splitter(old: str, new: str) -> None:
    for told in ("rego", "cedar", "python", "text"):
        parts = text_parts(old, new, told)
        assert parts.build(0) == old
        assert parts.build((1 << len(parts.names)) - 1) == new


def test_the_format_of_the_kind_decides(tmp_path: Path) -> None:
    toml = (
        'name = "e"\nversion = "1"\nverdicts = ["a", "b"]\n'
        '[adjudicator]\nengine = "rego"\nquery = "data.a.x"\n'
        '[sources.grounds]\nfrom = "case"\n[sources.norms]\nfiles = ["*.rego"]\n'
    )
    one = load_evaluator(write(tmp_path, {"evaluator.toml": toml, "a.rego": "package a\n"}))
    head = "package a\nimport rego.v1\n"
    old: JSON = {"a.rego": head + "x := 1\ny := 1\n", "b.rego": "package b\n", "c.rego": head}
    new: JSON = {"a.rego": head + "x := 2\ny := 2\n", "c.rego": head, "d.rego": "package d\n"}
    with pair(one, one) as both:
        parts = split_parts(both, "norms", Source("norms", old), Source("norms", new))
        grounds = split_parts(both, "grounds", Source("grounds", old), Source("grounds", new))
    assert parts.names == ("a.rego: x", "a.rego: y", "b.rego (removed)", "d.rego (added)")
    assert parts.build(0) == old
    assert parts.build(15) == new
    assert isinstance(built := parts.build(0b0110), dict)
    assert built["a.rego"] == head + "x := 1\ny := 2\n" and "b.rego" not in built
    assert grounds.names[0] == "['a.rego']"


def test_python_sources_and_prompts(tmp_path: Path) -> None:
    one = load_evaluator(python_folder(tmp_path))
    with pair(one, one) as both:
        old, new = Source("norms", TEXT), Source("norms", TEXT.replace("two", "three"))
        assert split_parts(both, "norms", old, new).names == ("A paragraph",)
    assert text_parts(DECIDE, DECIDE + "\nX = 1\n", "python").names == ("X (added)",)
