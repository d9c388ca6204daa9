"""The same on texts by others, where they are at hand."""

import json
import re
from pathlib import Path

import pytest

from decidendi.reasoning import (
    Names,
    Provision,
    choice_spec,
    extract,
    find_mentions,
    mask_precedent,
    read_output,
    sentences,
    verdict_spec,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ECHR = verdict_spec("violation")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


def rows(name, limit):
    with (DATA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line, _ in zip(lines, range(limit), strict=False)]


def test_facts_alone_give_no_verdict_and_echoed_ones_neither():
    for row in rows("ecthr/ecthr_article_facts.jsonl", 25):
        facts = row["facts"]
        assert extract(facts, ECHR).found is None
        echoed = read_output(facts + "\n\nAll told.\nVERDICT: NO", masked=[facts])
        assert extract(echoed, ECHR).verdict == "NO"
        assert extract(read_output(facts, masked=[facts]), ECHR).found is None


def test_a_courts_own_conclusions_are_never_read_as_their_opposite():
    agreed = 0
    for row in rows("ecthr_2026/ecthr_2026_full_judgments.jsonl", 25):
        gold = {number.split("-")[0]: "YES" for number in row["violation"]}
        for number in (n.split("-")[0] for n in row["non-violation"]):
            gold[number] = "NO" if gold.get(number) is None else ""
        for paragraph in row["paragraphs"]:
            if paragraph["section"] != "merits" or "violat" not in paragraph["text"][-400:]:
                continue
            for number, label in gold.items():
                asked = Provision(number)
                if label and find_mentions(paragraph["text"], Names((asked,))).named:
                    verdict = extract(paragraph["text"], ECHR, asked=asked).verdict
                    assert verdict == label or not isinstance(verdict, str)
                    agreed += verdict == label
    assert agreed >= 20


def test_letters_that_models_chose():
    spec = choice_spec("01234567", letters=True)
    read = 0
    for row in rows("steps/bigbench_mistake.jsonl", 1_400):
        chosen = re.fullmatch(r"\(([A-H])\)", row["answer"] or "")
        if chosen:
            verdict = extract("\n".join(row["steps"]), spec).verdict
            assert verdict == str(ord(chosen[1]) - ord("A"))
            read += 1
    assert read > 500


def test_numbers_that_models_boxed():
    spec = choice_spec(str(number) for number in range(100))
    read = 0
    for row in rows("steps/processbench.jsonl", 800):
        chain = "\n\n".join(row["steps"])
        if boxed := re.findall(r"\\boxed\{(\d{1,2})\}", chain):
            assert extract(chain, spec).verdict == boxed[-1]
            read += 1
    assert read > 250


def test_sentences_of_judgments():
    for row in rows("ecthr/ecthr_article_facts.jsonl", 25):
        spans = sentences(row["facts"])
        lengths = sorted(span.end - span.start for span in spans)
        assert 60 < lengths[len(lengths) // 2] < 400
        ends = [span.of(row["facts"]) for span in spans]
        assert not [s for s in ends if s.endswith((" Art.", " v.", " no.", " Mr.", " No."))]


def test_precedents_are_found_and_only_their_names_change():
    found = 0
    for row in rows("casehold/casehold.jsonl", 60):
        text = row["citing_prompt"]
        masked = mask_precedent(text)
        found += masked.found
        if not masked.found:
            assert masked.text == text
            continue
        kept, position = [], 0
        for span in masked.replaced:
            kept.append(text[position : span.start])
            position = span.end
        kept.append(text[position:])
        at = 0
        for piece in kept:
            at = masked.text.index(piece, at) + len(piece)
        assert masked.name not in masked.text
    assert found >= 45
