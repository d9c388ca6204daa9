"""Whether an authority is named, and in which sentences."""

import sys

import pytest

from decidendi.judgment import BadInputError, MissingExtraError
from decidendi.reasoning import (
    CaseName,
    Form,
    Names,
    Provision,
    find_mentions,
    mask_precedent,
    sentences,
)

EIGHT = Names((Provision("8"),))


def found(text, names=EIGHT):
    return [mention.span.of(text) for mention in find_mentions(text, names).found]


ARTICLES = {
    "Art. 8": ["Art. 8"],
    "art 8": ["art 8"],
    "ARTICLE 8": ["ARTICLE 8"],
    "Article 8 § 1": ["Article 8 § 1"],
    "Article 8(2)": ["Article 8(2)"],
    "Article 8.1": ["Article 8.1"],
    "Article 8-1": ["Article 8-1"],
    "Article 8.": ["Article 8"],
    "Article\u00a08": ["Article\u00a08"],
    "**Article 8**": ["Article 8"],
    "Ar\u200bticle 8": ["Ar\u200bticle 8"],
    "Article 8's scope": ["Article 8"],
    "Article eight": ["Article eight"],
    "Article VIII": ["Article VIII"],
    "Article 8 of the Convention": ["Article 8"],
    "Article 8 of the European Convention on Human Rights": ["Article 8"],
    "ECHR Article 8": ["Article 8"],
    "Article 8 ECHR": ["Article 8"],
    "Articles 6 and 8": ["8"],
    "Arts. 3, 8": ["8"],
    "Articles 3, 6 § 1, 8 and 14 of the Convention": ["8"],
    "Articles 6 § 1 and 8": ["8"],
    "Articles 8 to 11": ["Articles 8"],
    "Article 14 taken in conjunction with Article 8": ["Article 8"],
    "Article 14 read with 8": ["8"],
    "Article 1 of Protocol No. 1 and Article 8": ["Article 8"],
    "Article 8 and Article 1 of Protocol No. 1": ["Article 8"],
    "Article 8, then Article 8 again": ["Article 8", "Article 8"],
    "Article 80": [],
    "Article 18": [],
    "Article 8a": [],
    "Article 8 bis": [],
    "Article 6 §§ 1 and 8": [],
    "Articles 2 to 11": [],
    "Part 8": [],
    "smart 8": [],
    "paragraph 8": [],
    "8": [],
    "Article 8 of Protocol No. 7": [],
    "Articles 2 and 8 of Protocol No. 7": [],
    "Protocol No. 7, Article 8": [],
    "Article 8 of the Constitution": [],
    "Article 8 of the Code of Criminal Procedure": [],
    "Article 8 of the Vienna Convention": [],
    "Article 8 GDPR": [],
    "Article 8(1) GDPR": [],
    "Articles 6 and 8 GDPR": [],
    "Article 8, GDPR": [],
    "Article 8 (GDPR)": [],
    "GDPR, Article 8": [],
    "the GDPR's Article 8": [],
    "Article 8 of the GDPR": [],
    "Article 8 of the Directive": [],
    "Article 8 of Directive 95/46/EC": [],
    "Article 8 Directive 95/46/EC": [],
    "Article 8 of Regulation (EU) 2016/679": [],
    "Article 8 of the Covenant": [],
    "Article 8 ICCPR": [],
    "Article 8 of the CRC": [],
    "Article 8 of the EU Charter": [],
    "Article 8 EU Charter": [],
    "Article 8 Charter": [],
    "Article 8 of the UN Convention": [],
    "Article 8 (ECHR)": ["Article 8"],
    "Article 8, ECHR": ["Article 8"],
    "the Convention's Article 8": ["Article 8"],
    "Article 8 Convention rights": ["Article 8"],
    "Article 8 ECHR and Article 8 GDPR": ["Article 8"],
    "As a matter of law, Article 8 applies.": ["Article 8"],
    "Under domestic law Article 8 is engaged.": ["Article 8"],
    "Unlike the Directive, Article 8 protects homes.": ["Article 8"],
    "Under the GDPR, Article 8 of the Convention is moot.": ["Article 8"],
    "the European Convention on Human Rights, Article 8": ["Article 8"],
    "the Constitution, Article 8": [],
    "Charter Article 8": [],
    "Article 8 of the Convention and the GDPR": ["Article 8"],
    "Article 8. Directive 95/46/EC adds nothing": ["Article 8"],
    "ARTICLE 8 CASE LAW": ["ARTICLE 8"],
    "the first of these provisions": [],
    "this Article": [],
}


@pytest.mark.parametrize(("text", "expected"), ARTICLES.items(), ids=repr)
def test_articles(text, expected):
    assert found(text) == expected


def test_other_instruments_where_declared():
    protocol = Names((Provision("8", instruments=("protocol no. 7",), bare=False),))
    assert found("Article 8 of Protocol No. 7", protocol) == ["Article 8"]
    assert found("Article 8", protocol) == []
    assert found("Article 8 of the Convention", protocol) == []


STATUTES = {
    "28 U.S.C. § 1332(a)": True,
    "28 USC § 1332": True,
    "28 U.S.C. §§ 1331 and 1332": True,
    "Section 1332(a)(1)": True,
    "§ 13321": False,
    "28 U.S.C. § 1446(b)": False,
}


@pytest.mark.parametrize(("text", "named"), STATUTES.items(), ids=repr)
def test_statutes(text, named):
    heads = ("28 u.s.c. §", "section", "§")
    assert bool(found(text, Names((Provision("1332", heads, ()),)))) is named


def test_rules():
    rule = Names((Provision("12", ("fed. r. civ. p.", "rule"), ()),))
    assert found("Fed. R. Civ. P. 12(a)(1), or Rule 12(b)(6)", rule) == [
        "Fed. R. Civ. P. 12(a)(1)",
        "Rule 12(b)(6)",
    ]
    assert found("Rule 112 and Rule 1", rule) == []


ANSWER = Names(phrases=("Rule 12(a)(1)(A)", "Rule 12(a)(1)", "Rule 12(a)"))
SHORTENED = {
    "Rule 12(a)(1)(A)": ["Rule 12(a)(1)(A)"],
    "Rule 12(a)(1)(A)(i)": ["Rule 12(a)(1)(A)"],
    "rule 12(a)(1)": ["rule 12(a)(1)"],
    "Rule 12(a)": ["Rule 12(a)"],
    "Rule 12(a).": ["Rule 12(a)"],
    "Rule 12(a) (see below)": ["Rule 12(a)"],
    "Rule 12(a)(4)": [],
    "Rule 12(a) (4)": [],
    "Rule 12(a)(1)(B)": [],
    "Rule 12(a)(1)(C), unlike Rule 12(a)": ["Rule 12(a)"],
    "Rule 12(b)": [],
    "Rule 41(a)(1)(A)": ["Rule 41(a)(1)(A)"],
    "Rule 41(a)(1)(A)(i)": ["Rule 41(a)(1)(A)(i)"],
    "Rule 41(a)(1)(A)(ii)": [],
    "Rule 41(a)(1)(B)": [],
}
DISMISSAL = Names(phrases=("Rule 41(a)(1)(A)(i)", "Rule 41(a)"))


@pytest.mark.parametrize(("text", "expected"), SHORTENED.items(), ids=repr)
def test_a_shortened_citation_is_none_of_another_subdivision(text, expected):
    assert found(text, DISMISSAL if "41" in text else ANSWER) == expected


def test_more_than_the_first_phrase_cites_is_no_shortening():
    amended = Names(phrases=("Rule 15(a)(1)", "FRCP 15(a)(1)(B)", "FRCP 15(a)", "FRCP 15(a)(2)(A)"))
    assert found("Rule 15(a)(1)(A); FRCP 15(a)(2); FRCP 15(a)(2)(A); FRCP 15(a)", amended) == [
        "Rule 15(a)(1)", "FRCP 15(a)(2)(A)", "FRCP 15(a)",
    ]  # fmt: skip


def test_phrases():
    area = Names(phrases=("Criminal Procedure", "right to respect for private life"))
    text = "CRIMINAL\nPROCEDURE, the *criminal*-procedure rule; right to respect for private life."
    assert len(found(text, area)) == 3
    assert found("criminal procedures; a criminal or procedure", area) == []


ROE = Names(cases=(CaseName("Roe", "Wade", ("410 U.S. 113",), ("Roe",)),))


def test_cases():
    text = (
        "In Roe v. Wade, 410 U.S. 113 (1973), the Court held so. Id. at 120. Roe, 410 U.S. at 121. "
        "What Roe says matters. See also Miller v. California, 413 U.S. 15 (1973). Id. at 20. "
        "Roe v. Norton differs."
    )
    assert found(text, ROE) == [
        "Roe v. Wade", "410 U.S. 113", "Id. at 120", "Roe", "410 U.S. at 121", "Roe",
    ]  # fmt: skip
    assert found("roe deer", ROE) == []
    assert found("ROE vs. WADE", ROE) == ["ROE vs. WADE"]


def test_sentences_of_mentions():
    text = "<think>Article 8 protects homes. It was searched. Article 8 § 2 asks why.</think>NO"
    mentions = find_mentions(text, EIGHT, sentences(text))
    assert mentions.named
    assert mentions.sentences == (0, 2)
    assert {m.form for m in mentions.found} == {Form.PROVISION}
    assert find_mentions(text, EIGHT).sentences == ()
    assert not find_mentions("", EIGHT).named


def test_names_that_name_nothing_are_refused():
    for broken in (
        lambda: Names(),
        lambda: Names(phrases=("--",)),
        lambda: Provision(""),
        lambda: Provision("8", ()),
        lambda: CaseName("Roe", ""),
    ):
        with pytest.raises(BadInputError):
            broken()


MASKED = {
    "See United States v. Cotterman, 709 F.3d 952 (9th Cir. 2013) (<HOLDING>).": (
        "United States v. Cotterman",
        "See Doe v. Roe, 709 F.3d 952 (9th Cir. 2013) (<HOLDING>).",
    ),
    "Smith v. Jones, 1 U.S. 2 (1790). See Brooks v. Holtz, 661 N.W.2d 526 (Iowa 2003) "
    "(<HOLDING>). As in Holtz, Smith v. Jones stands.": (
        "Brooks v. Holtz",
        "Smith v. Jones, 1 U.S. 2 (1790). See Doe v. Roe, 661 N.W.2d 526 (Iowa 2003) "
        "(<HOLDING>). As in Roe, Smith v. Jones stands.",
    ),
    "Heck v. Humphrey, 512 U.S. 477, 114 S.Ct. 2364, 129 L.Ed.2d 383 (1994) (<HOLDING>)": (
        "Heck v. Humphrey",
        "Doe v. Roe, 512 U.S. 477, 114 S.Ct. 2364, 129 L.Ed.2d 383 (1994) (<HOLDING>)",
    ),
    "See Hutsell, 164 Ga. App. at 446 (<HOLDING>).": (
        "Hutsell",
        "See Doe v. Roe, 164 Ga. App. at 446 (<HOLDING>).",
    ),
    "See 709 F.3d 952 (<HOLDING>).": ("", "See 709 F.3d 952 (<HOLDING>)."),
    "No case is cited (<HOLDING>).": ("", "No case is cited (<HOLDING>)."),
    "": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), MASKED.items(), ids=repr)
def test_masked_precedents(text, expected):
    masked = mask_precedent(text)
    assert (masked.name, masked.text) == expected
    assert masked.found is bool(masked.name)
    assert all(text[span.start] != " " for span in masked.replaced)


def test_says_which_extra_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "eyecite", None)
    with pytest.raises(MissingExtraError, match="install the extra legal"):
        mask_precedent("a")
    assert found("Article 8") == ["Article 8"]  # needs none
