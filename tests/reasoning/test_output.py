"""The parts of an output, and unwrapping."""

# ruff: noqa: RUF001 - look-alikes of ASCII characters are what is tested

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.reasoning import Part, Span, read_output
from decidendi.reasoning._fold import fold


def parts(text, **how):
    output = read_output(text, **how)
    return (
        [span.of(output.text) for span in output.reasoning],
        [span.of(output.text) for span in output.answer],
        output.closed,
    )


TABLE = {
    "<think>a</think>b": (["a"], ["b"], True),
    "<think>\n\na b\n</think>\n\n c ": (["a b"], ["c"], True),
    "a</think>b": (["a"], ["b"], True),
    "<think>a": (["a"], [], False),
    "a": ([], ["a"], True),
    "": ([], [], True),
    "<think></think>": ([], [], True),
    "hello <think>a</think> b": (["a"], ["hello", "b"], True),
    "<think>a</think>b<think>c</think>d": (["a", "c"], ["b", "d"], True),
    "<think>a</think>b</think>c": (["a"], ["b", "c"], True),
    "<think>a<think>b</think>c": (["a", "b"], ["c"], True),
    "<THINK>a</Think >b": (["a"], ["b"], True),
    "<thinking>a</thinking>b": (["a"], ["b"], True),
    "[THINK]a[/THINK]b": (["a"], ["b"], True),
    "<think>a</think>b<|im_end|>\n<|im_start|>user <think>c": (["a"], ["b"], True),
    "I use `<think>` tags.": ([], ["I use `<think>` tags."], True),
    '<think>then "</think>" ends it</think>b': (['then "</think>" ends it'], ["b"], True),
}


@pytest.mark.parametrize(("text", "expected"), TABLE.items(), ids=repr)
def test_parts(text, expected):
    assert parts(text) == expected


def test_what_only_the_caller_knows():
    assert parts("a", opened_by_template=True) == (["a"], [], False)
    assert parts("a</think>b", opened_by_template=True) == (["a"], ["b"], True)
    assert parts("b", native_reasoning="a </think> a") == (["a </think> a"], ["b"], True)
    assert parts("<think>c</think>b", native_reasoning="a") == (["a", "c"], ["b"], True)
    assert parts("b", native_reasoning="") == ([], ["b"], True)


def test_tags_of_an_echoed_prompt_open_nothing():
    prompt = "Put your reasoning between <think> and </think> and then give the verdict."
    output = read_output(f"{prompt}\n<think>a</think>b", masked=[prompt])
    assert [span.of(output.text) for span in output.reasoning] == ["a"]
    assert output.echoed == (Span(0, len(prompt) - 1),)
    assert output.part(output.text.index("a</think>")) is Part.REASONING
    assert output.part(len(output.text) - 1) is Part.ANSWER
    assert output.part(output.text.index("</think>b")) is None


@given(st.lists(st.sampled_from(["<think>", "</think>", "a ", "\n", "b", "`", "é"])).map("".join))
def test_parts_cover_everything_but_tags_and_space(text):
    output = read_output(text)
    spans = sorted(output.reasoning + output.answer)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept = "".join(span.of(text) for span in spans)
    quoted = text.count("`")
    rest = text.replace("<think>", "").replace("</think>", "")
    if not quoted:
        assert "".join(kept.split()) == "".join(rest.split())


UNWRAPPED = {
    "**a** __b__ `c`": "a b c",
    "snake_case 2*3": "snake_case 23",
    r"\boxed{\textbf{a}} {b}": " a  {b}",
    r"\textbf{a": "a",
    "a}}": "a}}",
    "<b>a</b><br/>b": "a\nb",
    "ﬁn½": "fin1⁄2",
    "“a” „b“ «c»": '"a" "b" "c"',
    "a\u200bb\u00adc\ufe0f": "abc",
    "a\r\nb\rc\u2028d": "a\nb\nc\nd",
    "x</think>y": "x\ny",
    "ＡＢ：": "AB:",
    "a\ud800b": "a\ud800b",
}


@pytest.mark.parametrize(("text", "plain"), UNWRAPPED.items(), ids=repr)
def test_unwrapping(text, plain):
    assert fold(text).text == plain


@given(st.text(st.sampled_from("ab *_`{}\\$<>/ﬁ\u200b“é\n\rボ") | st.characters(), max_size=60))
def test_offsets_lead_back(text):
    folded = fold(text)
    previous = 0
    for index, char in enumerate(folded.text):
        span = folded.original(Span(index, index + 1))
        assert 0 <= span.start < span.end <= len(text)
        assert span.start >= previous
        previous = span.start
        if char.isascii() and char.isalnum() and text[span.start].isascii():
            assert text[span.start] == char
        if span.end - span.start == 1 and text[span.start] == char:
            assert (
                folded.folded(span.start) == index or folded.text[folded.folded(span.start)] == char
            )


def test_boxes():
    folded = fold(r"a \boxed{b} \fbox{\text{c}} \boxed{} \boxed{d")
    assert [span.of(folded.text) for span in folded.boxed] == ["b", "c"]
