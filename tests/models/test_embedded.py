"""The embedded model: what it is for is being there; what is tested is that nothing shifts."""

from __future__ import annotations

import pytest

from decidendi.models import Cause, Decoding, Margin, Marker

pytestmark = pytest.mark.model

SYSTEM = "You decide cases. Reason inside <think>...</think>, then end with VERDICT: YES or NO."
EXAMPLES = (
    ("A man was beaten by police in his cell. Was Article 3 violated?",
     "<think>Article 3 forbids inhuman treatment. He was beaten.</think>\nVERDICT: YES"),
    ("A man was fined for speeding. Was Article 3 violated?",
     "<think>Article 3 forbids inhuman treatment. A fine is none.</think>\nVERDICT: NO"),
)  # fmt: skip
FACTS = "The police read a woman's letters for two years without a warrant. She was not told. "
QUESTIONS = ("Was Article 8 violated?", "Was Article 3 violated?")


@pytest.fixture(scope="module")
def prompts(embedded):
    turns = [{"role": "system", "content": SYSTEM}]
    for question, answer in EXAMPLES:
        turns += [{"role": "user", "content": question}]
        turns += [{"role": "assistant", "content": answer}]
    return [
        embedded.render([*turns, {"role": "user", "content": FACTS + question}])
        for question in QUESTIONS
    ]


def test_the_same_tokens_together_and_alone(embedded, prompts):
    decoding = Decoding(max_new_tokens=12, marker=Marker())
    together = embedded.generate(prompts, decoding)
    alone = [embedded.generate([prompt], decoding)[0] for prompt in prompts]
    assert [a.token_ids for a in together] == [a.token_ids for a in alone]
    assert together[0].shared_tokens > 100
    assert together[0].text.startswith("<think>")


def test_a_verdict_is_forced_and_the_margin_read(embedded, prompts):
    decoding = Decoding(max_new_tokens=40, marker=Marker(), reasoning_budget=6, forced_tokens=3)
    answer = embedded.generate(prompts[:1], decoding)[0]
    assert answer.forced.cause is Cause.BUDGET
    assert answer.text.endswith(("VERDICT: YES", "VERDICT: NO"))
    margin = answer.margin
    assert isinstance(margin, Margin)
    assert margin.mass > 0.5
    # " YES" is two tokens to this model, " NO" one; "Y" and "NO" tell them apart.
    assert margin.token_ids == embedded.candidates(Marker()).token_ids
    assert len(set(margin.token_ids.values())) == 2


def test_it_is_what_it_says(embedded):
    assert embedded.facts.name == "embedded"
    assert embedded.facts.dtype == "float32"
    assert embedded.facts.attention == "sdpa"
