"""Asking a model from ordinary code: every reply handed over, failures with their reason."""

from __future__ import annotations

import importlib.util

import pytest

from decidendi.judgment import BadInputError, Reason
from decidendi.models import Asker, Decoding, Question, Reply, plain
from decidendi.models._inspect_asking import batches

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("needs the extra models", allow_module_level=True)

from inspect_ai.model import ModelOutput, ModelUsage, modelapi


def ask(name, questions, **how):
    replies: dict[int, Reply] = {}
    with Asker(name, how.pop("settings", {}), **how) as asker:
        asker.ask(questions, replies.__setitem__)
        asker.ask(questions[:1], replies.__setitem__)  # a second time, in the same loop
    assert sorted(replies) == list(range(len(questions)))
    return [replies[place] for place in range(len(questions))]


def said(text):
    return Question((("system", "You judge."), ("user", text)))


@pytest.fixture(scope="module", autouse=True)
def parrot():
    from inspect_ai.model import ModelAPI

    @modelapi(name="parrot")
    class Parrot(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            text = input[-1].text
            if text == "boom":
                raise ValueError("no\nsuch thing")
            if text == "slow":
                raise TimeoutError
            stop = {"long": "max_tokens", "rude": "content_filter"}.get(text, "stop")
            output = ModelOutput.from_content(self.model_name, f"{text} {config.seed}", stop)
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

    return Parrot


def test_every_reply_and_failure_comes_back():
    asked = [said(text) for text in ("hello", "boom", "slow", "long", "rude")] * 3
    asked.append(Question((("user", "seeded"),), seed=7))
    replies = ask("parrot/x", asked)
    assert replies[0] == Reply("hello None")
    assert replies[1].failure.reason is Reason.ERROR
    assert "no such thing" in replies[1].failure.detail
    assert replies[2].failure.reason is Reason.TIMEOUT
    assert replies[3] == Reply("long None", cut=True)
    assert replies[4].failure.reason is Reason.NOT_CONVERGED
    assert replies[5:10] == replies[:5]
    assert replies[15].text == "seeded 7"


def test_a_model_that_is_not_there_is_said_at_once():
    with pytest.raises(BadInputError, match="cannot be reached"):
        Asker("nobody/knows", {})


def test_a_model_on_this_machine_answers_in_batches(tiny_folder, tiny):
    name, heat = f"decidendi/{tiny_folder}", {"temperature": 1.0, "max_tokens": 6}
    asked = [
        Question((("user", text),), seed=seed)
        for seed in range(9)
        for text in ("Was Article 8 violated?", "Was Article 3 violated?")
    ]
    replies = ask(name, asked, settings=heat, arguments={"device": "cpu"})
    assert len({reply.text for reply in replies}) > 2
    assert replies == ask(name, asked, settings=heat, arguments={"device": "cpu"})
    prompt = tiny.render([{"role": "user", "content": "Was Article 8 violated?"}])
    greedy = tiny.generate([prompt], Decoding(max_new_tokens=6))[0].text
    cold = ask(name, asked[:1], settings={"max_tokens": 6}, arguments={"device": "cpu"})
    assert [reply.text for reply in cold] == [greedy]


def test_prompts_that_begin_alike_are_answered_together_and_no_others_among_them():
    long = {name: f"{name} " * 50 for name in "ab"}
    texts = [f"{long['ab'[i % 2]]}{i}" for i in range(40)] + ["x", "yy", "zzz"]
    found = list(batches([Question((("user", text),)) for text in texts]))
    assert sorted(place for batch in found for place in batch) == list(range(43))
    assert [len(batch) for batch in found] == [16, 4, 16, 4, 3]
    assert all(len({place % 2 for place in batch}) == 1 for batch in found[:4])
    assert list(batches([])) == []


def test_one_prompt_that_does_not_fit_costs_the_others_nothing(tiny_folder):
    asked = [Question((("user", text),)) for text in ("Hm?", "word " * 3000, "Yes?")]
    replies = ask(
        f"decidendi/{tiny_folder}", asked, settings={"max_tokens": 4}, arguments={"device": "cpu"}
    )
    assert [reply.failure is None for reply in replies] == [True, False, True]
    assert "context" in replies[1].failure.detail


def test_what_inspect_says_of_a_model_is_plain_text():
    said = "[bold]ERROR[/bold]: It needs a package.\n\nInstall with: [bold]pip install x[/bold]"
    assert plain(ValueError(said)) == "It needs a package. Install with: pip install x"
