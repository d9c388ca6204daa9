"""Drawn tokens: a draw is a function of its seed, whatever its company; shares come out right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from decidendi.judgment import BadInputError
from decidendi.models import Decoding, Prompt

DRAWN = Decoding(max_new_tokens=8, temperature=1.0)


def texts(model, prompts, decoding=DRAWN):
    return [answer.token_ids for answer in model.generate(prompts, decoding)]


def test_a_draw_is_a_function_of_its_seed_alone(tiny):
    prompts = [Prompt("Was Article 8 violated?", seed=seed) for seed in range(6)]
    together = texts(tiny, prompts)
    assert together == [texts(tiny, [prompt])[0] for prompt in prompts]
    assert together == list(reversed(texts(tiny, list(reversed(prompts)))))
    assert len(set(together)) > 1


def test_records_say_the_seed_or_that_there_was_none(tiny):
    (drawn,) = tiny.generate([Prompt("Was Article 8 violated?", seed=3)], DRAWN)
    assert drawn.seed == 3 and drawn.closest is None
    assert drawn.as_json()["decoding"]["temperature"] == 1.0
    (anew,) = tiny.generate(["Was Article 8 violated?"], DRAWN)
    again = Prompt("Was Article 8 violated?", seed=anew.seed)
    assert texts(tiny, [again]) == [anew.token_ids]
    (greedy,) = tiny.generate([Prompt("Was Article 8 violated?", seed=3)], Decoding(8))
    assert greedy.seed is None and greedy.closest is not None


def test_near_zero_the_likeliest_tokens_come(tiny):
    greedy = texts(tiny, ["The court must"], Decoding(max_new_tokens=8))
    cold = replace(DRAWN, temperature=1e-4)
    assert texts(tiny, [Prompt("The court must", seed=s) for s in range(3)], cold) == greedy * 3


def test_tokens_come_as_often_as_the_model_says(tiny):
    import torch

    from decidendi.models._engine import _drawn

    logits = torch.tensor([0.0, 1.0, 2.0, -torch.inf])
    seen = Counter(_drawn(logits, 0.5, n / 1000) for n in range(1000))
    shares = (logits / 0.5).softmax(-1).tolist()
    assert seen[3] == 0
    assert all(abs(seen[token] / 1000 - shares[token]) < 0.002 for token in range(3))


@pytest.mark.parametrize("temperature", [-0.1, float("nan"), float("inf")])
def test_what_is_no_temperature_is_refused(temperature):
    with pytest.raises(BadInputError, match="temperature"):
        Decoding(temperature=temperature)
