"""Each target has one spelling, and the reader takes that and no other."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi.reasonbench import (
    LABELS,
    Answer,
    GoldCase,
    GoldSet,
    Malformed,
    Target,
    rationale,
    read_fields,
    read_output,
    write_target,
)

sys.path.insert(0, str(Path(__file__).parent))
from small_gold import L1, L2, L3, L4, LOCKED, TRAIN, control_of, gold_cases, is_answer

POLICY = LABELS["policy"]
targets = st.sampled_from(list(Target))


def test_the_spelling_of_each_target():
    assert write_target(Target.DIRECT_VERDICT, L1) == "old=deny new=approve"
    receipt = "old=deny new=approve receipt=grounds|norms+authority"
    assert write_target(Target.DIRECT_RECEIPT, L1) == receipt
    assert write_target(Target.RATIONALE_RECEIPT, L1) == (
        "Revising the grounds alone, or the norms and authority together, turns deny into "
        f"approve.\n{receipt}"
    )
    cube = "cube=deny,approve,deny,approve,deny,approve,approve,approve"
    assert write_target(Target.JUDGMENT_CUBE, L1) == cube
    assert write_target(Target.DIRECT_RECEIPT, L2) == "old=deny new=deny receipt=none"


def test_rationales():
    assert rationale(L2) == "What was revised leaves the verdict at deny."
    assert rationale(L4) == "Revising the norms alone turns approve into deny."
    three = "Revising the grounds, norms and authority together turns deny into approve."
    assert rationale(L3) == three
    assert rationale(TRAIN[2]) == "No source was revised, so the verdict stays approve."


@settings(deadline=None)
@given(targets, gold_cases())
def test_what_is_written_reads_back_exactly(target, case):
    answer = read_output(target, write_target(target, case), LABELS[case.stratum])
    assert (answer.old, answer.revised) == (case.old, case.revised)
    if target.has_receipt:
        assert answer.receipt.masks == case.receipt
    assert answer.cube == (case.cube if target is Target.JUDGMENT_CUBE else None)


words = ["old=", "new=", "receipt=", "cube=", "approve", "deny", "grounds", "norms", "authority"]
words += ["none", "|", "+", ",", " ", "\n", ".", "Because."]


@given(targets, st.lists(st.sampled_from(words), max_size=14).map("".join))
def test_whatever_is_accepted_has_no_other_spelling(target, text):
    answer = read_output(target, text, POLICY)
    if isinstance(answer, Malformed):
        return
    if target is Target.JUDGMENT_CUBE:
        assert text == "cube=" + ",".join(answer.cube)
        return
    rest = text.split("\n")[-1]
    spelled = f"old={answer.old} new={answer.revised}"
    if target.has_receipt:
        family = "|".join("+".join(names) for names in _members(answer)) or "none"
        spelled += f" receipt={family}"
    assert rest == spelled


def _members(answer):
    kinds = ("grounds", "norms", "authority")
    return [[k for i, k in enumerate(kinds) if m >> i & 1] for m in answer.receipt.masks]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " old=deny new=approve receipt=grounds",
        "old=deny new=approve receipt=grounds\n",
        "old=deny new=approve receipt=Grounds",
        "old=deny  new=approve receipt=grounds",
        "old=deny new=approve",
        "old=deny new=approve receipt=",
        "old=deny new=approve receipt=norms|grounds",
        "old=deny new=approve receipt=authority+norms",
        "old=deny new=approve receipt=grounds|grounds",
        "old=deny new=approve receipt=grounds+grounds",
        "old=deny new=approve receipt=grounds|none",
        "old=deny new=yes receipt=grounds",
        "new=approve old=deny receipt=grounds",
        "old=deny new=approve receipt=grounds old=deny",
        "Sure! old=deny new=approve receipt=grounds",
    ],
)
def test_anything_else_is_malformed(text):
    assert isinstance(read_output(Target.DIRECT_RECEIPT, text, POLICY), Malformed)


CONTRADICTIONS = [
    ("deny", "deny", "grounds", "though the verdict stays"),
    ("deny", "approve", "none", "though the verdict changes"),
    ("deny", "approve", "grounds|grounds+norms", "contains another"),
    ("deny", "approve", "norms|authority|grounds+norms+authority", "contains another"),
]


@pytest.mark.parametrize(("old", "new", "family", "why"), CONTRADICTIONS)
def test_an_answer_that_no_case_can_have_is_malformed(old, new, family, why):
    text = f"old={old} new={new} receipt={family}"
    members = [m.split("+") for m in family.split("|")] if family != "none" else []
    fields = {"old": old, "revised": new, "receipt": members}
    for read in (
        read_output(Target.DIRECT_RECEIPT, text, POLICY),
        read_output(Target.RATIONALE_RECEIPT, f"So it is.\n{text}", POLICY),
        read_fields(Target.DIRECT_RECEIPT, fields, POLICY),
    ):
        assert isinstance(read, Malformed)
        assert "contradicts itself" in read.why and why in read.why


@given(gold_cases())
def test_no_exact_answer_contradicts_itself(gold):
    for target in Target:
        assert is_answer(read_output(target, write_target(target, gold), LABELS[gold.stratum]))


def test_malformed_rationales_and_cubes():
    direct = "old=deny new=approve receipt=grounds"
    for text in (
        direct,
        f"\n{direct}",
        f".\n{direct}",
        f"No full stop\n{direct}",
        f"A.\nB.\n{direct}",
    ):
        assert isinstance(read_output(Target.RATIONALE_RECEIPT, text, POLICY), Malformed)
    assert is_answer(read_output(Target.RATIONALE_RECEIPT, f"Anything said.\n{direct}", POLICY))
    for text in ("cube=" + "deny," * 8, "cube=" + ",".join(["deny"] * 7), "deny,deny"):
        assert isinstance(read_output(Target.JUDGMENT_CUBE, text, POLICY), Malformed)


def test_fields_may_come_in_any_order_but_not_otherwise():
    target = Target.DIRECT_RECEIPT
    good = {"receipt": [["authority", "norms"], ["grounds"]], "old": "deny", "revised": "approve"}
    answer = read_fields(target, good, POLICY)
    assert answer == read_output(target, write_target(target, L1), POLICY)
    stable = read_fields(target, {"old": "deny", "revised": "deny", "receipt": []}, POLICY)
    assert stable.receipt.masks == ()
    cube = read_fields(Target.JUDGMENT_CUBE, {"cube": list(L1.cube)}, POLICY)
    assert cube.receipt.masks == (1, 6)
    verdict = read_fields(Target.DIRECT_VERDICT, {"old": "deny", "revised": "deny"}, POLICY)
    assert verdict == Answer("deny", "deny")
    for change in (
        {"old": "yes"},
        {"old": ["deny"]},
        {"receipt": "grounds"},
        {"receipt": [[]]},
        {"receipt": [["grounds", "grounds"]]},
        {"receipt": [[{}]]},
        {"receipt": None},
        {"more": 1},
    ):
        assert isinstance(read_fields(target, good | change, POLICY), Malformed)
    for fields in (None, [], "old", {"old": "deny", "revised": "deny"}):
        assert isinstance(read_fields(target, fields, POLICY), Malformed)
    for cells in ("deny", ["deny"] * 7, ["deny"] * 7 + [1], ["deny"] * 7 + [["deny"]]):
        assert isinstance(read_fields(Target.JUDGMENT_CUBE, {"cube": cells}, POLICY), Malformed)


def test_gold_that_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match="not that of its cube"):
        GoldCase("x", "policy", "u", "locked", 7, L1.cube, (1,))
    with pytest.raises(ValueError, match="unchanged source"):
        GoldCase("x", "policy", "u", "locked", 1, L1.cube, (1, 6))
    with pytest.raises(ValueError, match="no verdicts of logic"):
        GoldCase("x", "logic", "u", "locked", 0, ("yes",) * 8, ())
    with pytest.raises(ValueError, match="cells"):
        GoldCase("x", "policy", "u", "locked", 7, L1.cube[:4], (1, 6))
    with pytest.raises(ValueError, match="or neither"):
        GoldCase("x", "policy", "u", "locked", 7, L1.cube, (1, 6), control="order")
    with pytest.raises(ValueError, match="stands twice"):
        GoldSet.of("", [L1, L1])
    with pytest.raises(ValueError, match="no main case"):
        GoldSet.of("", [control_of(L1, "order")])


def test_what_a_gold_case_derives():
    assert [c.size for c in LOCKED] == [1, 0, 3, 1]
    assert [c.changed for c in LOCKED] == [True, False, True, True]
    assert [c.ambiguous for c in LOCKED] == [True, False, False, False]
