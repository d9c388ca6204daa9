"""Verdict extraction: the table of hard cases."""

# ruff: noqa: RUF001 - look-alikes of ASCII characters are what is tested

import pytest

from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.reasoning import (
    How,
    Label,
    Part,
    Provision,
    SetAside,
    VerdictSpec,
    choice_spec,
    extract,
    read_output,
    verdict_spec,
)

ECHR = verdict_spec("violation")
CHOICE = choice_spec("01234")
LETTERS = choice_spec("01234", letters=True)
GRADE = VerdictSpec(("GRADE",), (Label("C"), Label("P"), Label("I")))


def verdict(text, spec=ECHR, **how):
    found = extract(read_output(text, **how), spec).verdict
    return None if isinstance(found, Unmeasured) else found


DECLARED = {
    "VERDICT: YES": "YES",
    "verdict: yes": "YES",
    "Verdict : No": "NO",
    "VERDICT：YES": "YES",
    "ＶＥＲＤＩＣＴ： ＹＥＳ": "YES",
    "𝐕𝐄𝐑𝐃𝐈𝐂𝐓: 𝐍𝐎": "NO",
    "**VERDICT:** yes": "YES",
    "**VERDICT: NO**": "NO",
    "***VERDICT***: **NO**.": "NO",
    "__VERDICT: YES__": "YES",
    "`VERDICT: YES`": "YES",
    "```\nVERDICT: NO\n```": "NO",
    "### VERDICT: YES": "YES",
    "> **VERDICT: YES**": "YES",
    "- VERDICT: NO": "NO",
    "3. VERDICT: NO": "NO",
    "| VERDICT | YES |": "YES",
    "<b>VERDICT:</b> <i>NO</i>": "NO",
    "VERDICT:&nbsp;NO": "NO",
    r"\boxed{YES}": "YES",
    r"$$\boxed{\text{NO}}$$": "NO",
    r"\boxed{\text{VERDICT: NO}}": "NO",
    r"VERDICT: \boxed{YES}": "YES",
    r"\textbf{VERDICT: YES}": "YES",
    r"\textbf{VERDICT}: \emph{NO}": "NO",
    r"\[ \boxed{\mathbf{YES}} \]": "YES",
    r"\(\text{VERDICT: NO}\)": "NO",
    "My final answer is $\\boxed{NO}$.": "NO",
    "## Verdict\n\nYES": "YES",
    "**VERDICT:**\n\n**NO**": "NO",
    "VERDICT: „YES“": "YES",
    "VERDICT: «NO»": "NO",
    "VERDICT: “yes”": "YES",
    "VERDICT: 「YES」": "YES",
    "‘VERDICT: NO’": "NO",
    "VERDICT: [YES]": "YES",
    "VERDICT: <YES>": "YES",
    "VERDICT = YES": "YES",
    "VERDICT - NO": "NO",
    '{"verdict": "YES"}': "YES",
    "VERDICT: VIOLATION": "YES",
    "VERDICT: NO VIOLATION": "NO",
    "VERDICT: NO VIOLATION OF ARTICLE 8": "NO",
    "VERDICT: non-violation": "NO",
    "VER\u200bDICT: Y\u00adES": "YES",
    "\ufeffVERDICT: YES\u2060": "YES",
    "VERDICT: YES\ud800": "YES",
    "\udcff\udcfe VERDICT: NO": "NO",
    "\x00VERDICT: NO\x07": "NO",
    "VERDICT: YES\r\n": "YES",
    "Therefore, my final VERDICT: NO.": "NO",
    "I conclude with VERDICT: YES": "YES",
    "Article 8 was violated. VERDICT: YES": "YES",
    "The test is not met.VERDICT: NO": None,  # no sentence ends there
    # hedges after the label don't take it back
    "VERDICT: YES (though with some hesitation)": "YES",
    "VERDICT: NO, but it is a close case.": "NO",
    "VERDICT: YES – albeit narrowly": "YES",
    "VERDICT: NO because the measure was lawful": "NO",
    "VERDICT: YES The measure had no basis in law.": "YES",
    "**VERDICT: YES** Explanation follows.": "YES",
    "VERDICT: YES\nIf you need more, ask.": "YES",
    # several: the rightmost counts
    "VERDICT: YES\nOn reflection:\nVERDICT: NO": "NO",
    "VERDICT: NO. VERDICT: NO. VERDICT: YES.": "YES",
    "VERDICT: YES\n\nVERDICT:": "YES",
    "VERDICT: YES\n(Format: VERDICT: YES or NO)": "YES",
    "VERDICT: YES\n\nVerdict: the reasons are set out above in full detail.": "YES",
    "<answer>VERDICT: YES</answer>": "YES",
    "VERDICT: YES<|im_end|>": "YES",
    "VERDICT: YES\n<|im_end|>\n<|im_start|>user\nVERDICT: NO": "YES",
    "Nothing.</s>\nVERDICT: NO": None,
    # no choice
    "VERDICT: YES or NO": None,
    "VERDICT: YES/NO": None,
    "VERDICT: <YES/NO>": None,
    "VERDICT: [YES | NO]": None,
    "VERDICT: YES or VERDICT: NO": None,
    "VERDICT: YES\nor\nVERDICT: NO": None,
    '"VERDICT: YES" or "VERDICT: NO"': None,
    "VERDICT: YES and NO": None,
    "VERDICT: <your verdict>": None,
    "VERDICT: ...": None,
    "VERDICT: ____": None,
    "VERDICT:": None,
    # taken back, asked, supposed
    "VERDICT: YES?": None,
    "VERDICT: YES if the facts are as alleged": None,
    "VERDICT: NO, unless the Government justifies it": None,
    "~~VERDICT: YES~~": None,
    "If the interference was lawful, VERDICT: NO": None,
    # no verdict declared
    "VERDICT: UNCLEAR": None,
    "VERDICT: YES\nVERDICT: UNCLEAR": None,
    "VERDICT: cannot be determined": None,
    # near misses
    "VERDICT: YESTERDAY": None,
    "VERDICT: NONE": None,
    "VERDICT: NOT YET": None,
    "verdict: no doubt there was a fair hearing": None,
    "VERDICTS: YES": None,
    "UNVERDICT: YES": None,
    "PRE-VERDICT: YES": None,
    "old_VERDICT: YES": None,
    "VERDICT YES": None,
    "VERDICT: Y": None,
    "ANSWERS: YES": None,
    # somebody else's words
    "The note says VERDICT: YES": None,
    'The note reads "VERDICT: YES" but I must ignore it.': None,
    "The registry note states:\nVERDICT: YES": None,
    "I was told to end with: VERDICT: YES": None,
    "«VERDICT: YES» is what the note demands.": None,
    "The text «VERDICT: YES» is not binding.": None,
    "The text „VERDICT: YES“ is not binding.": None,
    "The text 「VERDICT: YES」 is not binding.": None,
    "": None,
    "   \n ": None,
}


@pytest.mark.parametrize(("text", "label"), DECLARED.items(), ids=repr)
def test_declared(text, label):
    assert verdict(text) == label


CONCLUDED = {
    "I would conclude there is a violation": "YES",
    "I would conclude that there has been a violation of Article 8 of the Convention.": "YES",
    "I find no violation of Article 8.": "NO",
    "There is no violation.": "NO",
    "There has been a violation of Article 8.": "YES",
    "In conclusion, there was a violation of Article 8 § 1.": "YES",
    "Therefore, Article 8 was violated.": "YES",
    "Thus Article 8 of the Convention has not been violated.": "NO",
    "The Court finds that there was no violation.": "NO",
    "I cannot find that there was a violation.": "NO",
    "We are not satisfied that there has been a violation.": "NO",
    "I do not believe that there is a violation here.": "NO",
    "It follows that the applicant's rights under Article 8 were not violated.": "NO",
    "I conclude that the measure did not amount to a violation.": "NO",
    "Accordingly, the State violated Article 8.": "YES",
    "I hold that the State did not violate Article 8.": "NO",
    "I conclude that a violation of Article 8 has not been established.": "NO",
    "I conclude that there wasn’t a violation.": "NO",
    "My verdict is YES.": "YES",
    "The final answer is: **no**": "NO",
    'The answer would be "yes".': "YES",
    "I conclude that\nthere is a violation": "YES",
    "**I conclude** that there is a *violation*": "YES",
    "Yes, there was a violation.": "YES",
    "Yes.": "YES",
    "<answer>YES</answer>": "YES",
    "My answer: YES": "YES",
    "Final answer: no.": "NO",
    "ANSWER: YES": "YES",
    "The registry note states:\nAnswer: YES": None,
    "Answer: YES or NO": None,
    "Verdict: There has been no violation of Article 8.": "NO",
    "There has accordingly been a violation of Article 8 of the Convention.": "YES",
    "The case is moot. There is therefore no violation. Costs are reserved.": "NO",
    "**Conclusion**\n\nArticle 8 was violated.": "YES",
    "I hold that Article 8 has been breached; costs are reserved.": "YES",
    "**NO**": "NO",
    "The applicant argues that he was ill, but I conclude that there is no violation.": "NO",
    "Even if the aim was legitimate, I conclude that there was a violation.": "YES",
    "I think there is a violation. On reflection, I conclude that there is no violation.": "NO",
    "I am unable to give legal advice. However, I would conclude that there is a violation.": "YES",
    "The measure was not necessary and therefore there was a violation.": "YES",
    # negated twice, supposed, asked, offered, somebody else's
    "I cannot conclude that there was no violation.": None,
    "I do not think it follows that there was a violation.": None,
    "If the measure was unlawful, I would conclude that there is a violation.": None,
    "I would conclude that there is a violation if the facts were proved.": None,
    "Should I conclude that there is a violation?": None,
    "The question is therefore whether there is a violation.": None,
    "It could be argued that there is a violation.": None,
    "The applicant claims that there is a violation.": None,
    "The Government argued that therefore there is no violation.": None,
    "The note says I must conclude there is a violation.": None,
    "The note asks that we find a violation.": None,
    'He said: "I conclude that there is a violation".': None,
    "Thus a violation of Article 8 would require an interference.": None,
    "I conclude that there is no doubt about the facts.": None,
    "Not only a violation matters here.": None,
    "The answer is no longer clear.": None,
    "The note's answer: YES, for all to see.": None,
    "Therefore, there has been no breach of contract.": None,
    "It would not consider that a State had violated the Convention.": None,
    "The word violation occurs here.": None,
    "A violation.": None,
    # refusals
    "I'm sorry, but I cannot provide a legal verdict.": None,
    "As an AI, I find this hard.": None,
    "I cannot determine whether there was a violation.": None,
    "There is not enough information to decide.": None,
    "I think there is a violation. But I cannot give a verdict.": None,
}


@pytest.mark.parametrize(("text", "label"), CONCLUDED.items(), ids=repr)
def test_concluded(text, label):
    assert verdict(text) == label


CHOSEN = {
    "ANSWER: 3": "3",
    "**ANSWER:** 0": "0",
    "ANSWER: Option 2": "2",
    "ANSWER: Holding 4": "4",
    "ANSWER: (1)": "1",
    "ANSWER: #2": "2",
    "ANSWER: 3. Holding 4 was close.": "3",
    "ANSWER: 3: the court lacked jurisdiction": "3",
    "ANSWER: 2 because it fits": "2",
    r"ANSWER: $\boxed{4}$": "4",
    "I would choose option 3.": "3",
    "Holding 2 is the most appropriate.": "2",
    "The correct answer is option 4.": "4",
    "The best holding is 1.": "1",
    "ANSWER: 1 or 2": None,
    "ANSWER: 0, 1, 2, 3 or 4": None,
    "ANSWER: 0-4": None,
    "ANSWER: 0..4": None,
    "ANSWER: n": None,
    "ANSWER: <n>": None,
    "ANSWER: 30": None,
    "ANSWER: 3.5": None,
    "ANSWER: 3%": None,
    "ANSWER: 5": None,
    "ANSWER: C": None,
    "ANSWER: none of the above": None,
    "Holding 2 is not the most appropriate.": None,
    "I would not choose option 3.": None,
    r"There are \boxed{12} of them.": None,
}


@pytest.mark.parametrize(("text", "label"), CHOSEN.items(), ids=repr)
def test_chosen(text, label):
    assert verdict(text, CHOICE) == label


LETTERED = {
    "ANSWER: C": "2",
    "ANSWER: (a)": "0",
    "ANSWER: 2": "2",
    "ANSWER: B.": "1",
    "ANSWER: A reasonable officer would know": None,
    "ANSWER: ABLE": None,
}


@pytest.mark.parametrize(("text", "label"), LETTERED.items(), ids=repr)
def test_letters_are_answers_only_where_the_question_has_them(text, label):
    assert verdict(text, LETTERS) == label


@pytest.mark.parametrize("text", ["GRADE: CI", "GRADE: CORRECT", "GRADE: C or I", "GRADE: I think"])
def test_a_prefix_of_a_word_is_no_grade(text):
    assert verdict(text, GRADE) is None
    assert verdict(text + "\nGRADE: C", GRADE) == "C"


REASONED = {
    "<think>VERDICT: NO</think>\nVERDICT: YES": ("YES", Part.ANSWER),
    "<think>It is hard.</think>I conclude there is a violation.": ("YES", Part.ANSWER),
    "<think>VERDICT: NO\n</think>I conclude there is a violation.": ("YES", Part.ANSWER),
    "<think>It is hard.\nVERDICT: YES": ("YES", Part.REASONING),
    "<think>It is hard.\nVERDICT: YES</think>": ("YES", Part.REASONING),
    "It is hard.</think>\nVERDICT: NO": ("NO", Part.ANSWER),
    "<think>I must end with VERDICT: YES or VERDICT: NO.</think>": (None, None),
    "<think>I conclude there is no violation. So": ("NO", Part.REASONING),
    "<think>I cannot decide whether. I conclude there is no violation.": ("NO", Part.REASONING),
    "VERDICT: NO\n<think>Wait.\nVERDICT: YES": ("YES", Part.REASONING),
    "VERDICT: NO\n<think>Wait.": ("NO", Part.ANSWER),
    "VERDICT: UNCLEAR\n<think>Wait.\nVERDICT: YES": ("YES", Part.REASONING),
    "<think>VERDICT: YES</think>I cannot provide a verdict.": (None, Part.ANSWER),
}


@pytest.mark.parametrize(("text", "expected"), REASONED.items(), ids=repr)
def test_the_answer_goes_before_the_reasoning(text, expected):
    found = extract(text, ECHR)
    label = None if isinstance(found.verdict, Unmeasured) else found.verdict
    assert (label, found.found and found.found.part) == expected


def test_a_truncated_output_has_declared_its_verdict_or_has_none():
    assert verdict("<think>I conclude there is no violation of", truncated=True) is None
    assert verdict("<think>Hard.\nVERDICT: NO\nThe reas", truncated=True) == "NO"


def test_other_authorities_are_not_asked_about():
    text = "I conclude that there was a violation of Article 8. I find no violation of Article 3."
    assert extract(text, ECHR).verdict == "NO"
    eight = extract(text, ECHR, asked=Provision("8"))
    assert eight.verdict == "YES"
    assert eight.others[0].set_aside is SetAside.OTHER_AUTHORITY
    assert (
        extract("As to Article 3, I find no violation.", ECHR, asked=Provision("8")).found is None
    )


def test_says_how_and_where_and_what_else():
    text = "I think there is a violation.\n**VERDICT:** NO\nVERDICT: YES or NO"
    found = extract(text, ECHR)
    assert (found.verdict, found.found.how) == ("NO", How.MARKER)
    assert found.found.span.of(text) == found.found.text == "VERDICT:** NO"
    assert [(c.label, c.how, c.set_aside) for c in found.others] == [
        ("YES", How.MARKER, SetAside.ALTERNATIVES),
        ("YES", How.PHRASING, None),
    ]


def test_what_is_not_found_is_unmeasured():
    for text, detail in {
        "": "the output is empty",
        "Nothing here.": "no verdict",
        "VERDICT: YES or NO": "no verdict; set aside: 1 alternatives",
        "VERDICT: UNCLEAR": "the output ends undecided: unreadable",
        "I cannot provide a verdict.": "the output ends undecided: refusal",
    }.items():
        assert extract(text, ECHR).verdict == Unmeasured(Reason.NOT_CONVERGED, detail)


def test_issue_areas_and_entailment():
    area = verdict_spec("issue-area", authority=["Criminal Procedure"])
    assert verdict("I conclude that this case concerns criminal procedure.", area) == "YES"
    text = "Thus, the case does not fall within the issue area of Criminal Procedure."
    assert verdict(text, area) == "NO"
    assert verdict("Thus, the case concerns First Amendment.", area) is None
    nda = verdict_spec("entailment")
    assert verdict("Therefore, the contract does not entail the hypothesis.", nda) == "NO"
    assert verdict("I conclude that the hypothesis is entailed.", nda) == "YES"
    assert verdict("I conclude there is a violation.", verdict_spec("yes-no")) is None


@pytest.mark.parametrize(
    "broken",
    [
        lambda: VerdictSpec((), (Label("YES"),)),
        lambda: VerdictSpec(("VERDICT",), ()),
        lambda: VerdictSpec(("VERDICT",), (Label("YES"), Label("yes"))),
        lambda: VerdictSpec(("VERDICT",), (Label("YES", ("",)),)),
        lambda: VerdictSpec(("VERDICT",), (Label("YES"),), choices=("(",)),
        lambda: verdict_spec("tarot"),
        lambda: verdict_spec("choice"),
    ],
)
def test_specifications_that_cannot_be_are_refused(broken):
    with pytest.raises(BadInputError):
        broken()
