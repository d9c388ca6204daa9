"""One answer as it grows, with a model that says what a test tells it, letter by letter."""

from __future__ import annotations

import math

import pytest

from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.models import Cause, Decoding, Finish, Margin, Marker
from decidendi.models._candidates import resolve
from decidendi.models._codec import Running
from decidendi.models._row import CUT, ELSEWHERE, NO_MARKER, Row

END = 0x10FFFF


class Letters:
    """One token per character."""

    def encode(self, text):
        return [ord(letter) for letter in text]

    def decode(self, ids):
        return "".join(chr(token) for token in ids)


class Pieces:
    """Tokens of several characters, the longest first."""

    def __init__(self, *pieces):
        self.pieces = pieces

    def encode(self, text):
        ids = []
        while text:
            token = max(
                (i for i, p in enumerate(self.pieces) if text.startswith(p)),
                key=lambda i: len(self.pieces[i]),
            )
            ids.append(token)
            text = text[len(self.pieces[token]) :]
        return ids

    def decode(self, ids):
        return "".join(self.pieces[token] for token in ids)


def say(script: str, decoding: Decoding, *, said="", codec=None, log_probs=(-1.0, -2.0)) -> Row:
    """Let the model say ``script`` and end; what is put in does not use it up."""
    codec = codec or Letters()
    row = Row(codec, decoding, {END}, said=said)
    wanted = iter([*codec.encode(script), END])
    while row.finish is None:
        if row.candidates is not None:
            row.read(dict(zip(row.candidates.token_ids, log_probs, strict=True)))
        put = bool(row._put)
        row.step(END if put else next(wanted, END), 9.0 if put else 1.0)
    return row


MARKER = Marker()


def test_an_answer_ends_where_the_model_ends_it():
    row = say("Fine.", Decoding())
    assert (row.text, row.finish, row.forced) == ("Fine.", Finish.END, None)
    assert row.margin == NO_MARKER
    assert row.closest == 1.0


def test_an_answer_is_cut_at_its_length():
    row = say("abcdef", Decoding(max_new_tokens=4))
    assert (row.text, row.finish) == ("abcd", Finish.LENGTH)


def test_a_stop_text_ends_an_answer_and_is_left_out():
    row = say("one\n\nHuman: two", Decoding(stop=("\n\nHuman:", "zzz")))
    assert (row.text, row.finish) == ("one", Finish.STOP)
    assert Letters().decode(row.ids) == "one\n\nHuman:"


def test_the_margin_is_read_right_after_the_marker():
    row = say("So.\nVERDICT: YES", Decoding(marker=MARKER))
    margin = row.margin
    assert isinstance(margin, Margin)
    assert margin.at == len("So.\nVERDICT: ")
    assert dict(margin.token_ids) == {"YES": ord("Y"), "NO": ord("N")}
    assert margin.log_odds("YES") == pytest.approx(1.0)
    assert margin.log_odds("NO") == pytest.approx(-1.0)
    assert margin.top == "YES"
    assert margin.mass == pytest.approx(math.exp(-1) + math.exp(-2))
    assert row.text == "So.\nVERDICT: YES"


def test_log_odds_of_several_labels_are_against_the_others_together():
    margin = Margin({"a": math.log(0.5), "b": math.log(0.2), "c": math.log(0.1)}, {}, 0)
    assert margin.log_odds("a") == pytest.approx(math.log(0.5 / 0.3))


def test_the_last_marker_counts():
    row = say("VERDICT: NO. No: VERDICT: YES", Decoding(marker=MARKER))
    assert isinstance(row.margin, Margin)
    assert row.margin.at == len("VERDICT: NO. No: VERDICT: ")


def test_a_marker_without_a_label_leaves_the_margin_unmeasured():
    assert say("VERDICT:\nYES", Decoding(marker=MARKER)).margin == ELSEWHERE
    assert say("VERDICT:", Decoding(marker=MARKER, max_new_tokens=8)).margin == CUT


def test_reasoning_within_its_budget_is_left_alone():
    text = "<think>hm</think>\nVERDICT: NO"
    row = say(text, Decoding(marker=MARKER, reasoning_budget=40))
    assert (row.text, row.forced, row.finish) == (text, None, Finish.END)


@pytest.mark.parametrize("said", ["", "<think>"])
def test_reasoning_over_its_budget_is_closed_and_the_verdict_forced(said):
    script = ("" if said else "<think>") + "and so on and on and on"
    row = say(script, Decoding(marker=MARKER, reasoning_budget=12, forced_tokens=3), said=said)
    assert row.forced is not None
    assert (row.forced.cause, row.forced.at) == (Cause.BUDGET, 12)
    assert row.forced.inserted == "\n</think>\nVERDICT: "
    assert row.forced.tokens == len(row.forced.inserted)
    assert row.text == script[:12] + row.forced.inserted + script[12:15]
    assert isinstance(row.margin, Margin)
    assert row.finish is Finish.LENGTH


def test_what_is_put_in_does_not_count_as_chosen():
    row = Row(Letters(), Decoding(marker=MARKER, forced_tokens=1), {END})
    row.force(Cause.ASKED)
    while row.candidates is None:
        row.step(END, 0.001)
    assert row.closest is None
    row.read({"YES": -1.0, "NO": -2.0})
    row.step(ord("Y"), 3.0)
    assert (row.closest, row.finish) == (3.0, Finish.LENGTH)
    assert row.text == "\nVERDICT: Y"


def test_a_model_that_ends_inside_its_reasoning_is_asked_for_the_verdict():
    row = say("<think>I stop", Decoding(marker=MARKER, reasoning_budget=50))
    assert row.forced is not None
    assert (row.forced.cause, row.finish) == (Cause.ENDED, Finish.END)


def test_an_answer_cut_inside_its_reasoning_is_asked_for_the_verdict():
    decoding = Decoding(marker=MARKER, reasoning_budget=50, max_new_tokens=10)
    row = say("<think>on and on and on", decoding)
    assert row.forced is not None
    assert (row.forced.cause, row.forced.at) == (Cause.BUDGET, 10)


def test_nothing_is_forced_unless_asked():
    row = say("<think>I stop", Decoding(marker=MARKER))
    assert (row.forced, row.margin) == (None, NO_MARKER)
    row = say("I stop", Decoding(marker=MARKER, reasoning_budget=3))
    assert (row.forced, row.margin) == (None, NO_MARKER)


def test_an_answer_without_the_marker_gets_it_if_asked():
    row = say("Hard to say.", Decoding(marker=MARKER, force_missing=True))
    assert row.forced is not None
    assert (row.forced.cause, row.text) == (Cause.MISSING, "Hard to say.\nVERDICT: ")


def test_a_marker_inside_reasoning_is_no_declaration():
    row = say("<think>VERDICT: NO?</think>Hm", Decoding(marker=MARKER, force_missing=True))
    assert row.forced is not None
    assert row.forced.cause is Cause.MISSING


def test_a_forced_verdict_ends_with_its_line_and_is_forced_once():
    decoding = Decoding(marker=MARKER, force_missing=True, forced_tokens=20)
    row = Row(Letters(), decoding, {END})
    row.force(Cause.ASKED)
    wanted = iter("YES\nVERDICT: NO")
    while row.finish is None:
        if row.candidates is not None:
            row.read({"YES": -1.0, "NO": -2.0})
        row.step(END if row._put else ord(next(wanted)), 1.0)
    assert (row.text, row.finish) == ("\nVERDICT: YES", Finish.STOP)
    assert isinstance(row.margin, Margin)


def test_labels_are_resolved_in_context():
    codec = Pieces(" Y", "ES", " NO", "VERDICT", ":", " ", "1", "2", "10", " 3", "x", "\n")
    before = codec.encode("x\nVERDICT:")
    found = resolve(codec, before, MARKER)
    assert not isinstance(found, Unmeasured)
    assert (found.between, dict(found.token_ids)) == ((), {"YES": 0, "NO": 2})
    found = resolve(codec, before, Marker(labels=("1", "2")))
    assert not isinstance(found, Unmeasured)
    assert (found.between, dict(found.token_ids)) == ((5,), {"1": 6, "2": 7})


def test_labels_that_one_token_cannot_tell_apart_are_refused():
    letters = Letters()
    before = letters.encode("VERDICT:")
    for labels in (("1", "10"), ("NO", "NOT SO"), ("YES", "NO", "NEVER")):
        found = resolve(letters, before, Marker(labels=labels))
        assert isinstance(found, Unmeasured)
        assert found.reason is Reason.INTERFACE
        assert "can't be told apart" in found.detail


def test_a_label_that_merges_with_the_marker_is_refused():
    codec = Pieces("VERDICT", ":", ": Y", "ES", " NO")
    found = resolve(codec, codec.encode("VERDICT:"), MARKER)
    assert found == Unmeasured(Reason.INTERFACE, "the label 'YES' merges with the marker")


def test_text_is_held_back_while_a_character_is_incomplete():
    class Bytes:
        def encode(self, text):
            return list(text.encode())

        def decode(self, ids):
            return bytes(ids).decode("utf-8", "replace")

    running, text = Running(Bytes()), "é € 漢 VERDICT:"
    for token in text.encode():
        running.push(token)
        assert text.startswith(running.text)
        assert running.complete == (not running.whole().endswith("\N{REPLACEMENT CHARACTER}"))
    assert running.text == running.whole() == text


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Decoding(max_new_tokens=0),
        lambda: Decoding(reasoning_budget=5),
        lambda: Decoding(stop=("",)),
        lambda: Marker(text="VERDICT: "),
        lambda: Marker(labels=("YES",)),
        lambda: Marker(labels=("YES", "YES")),
    ],
)
def test_what_cannot_be_carried_out_is_refused(wrong):
    with pytest.raises(BadInputError):
        wrong()
