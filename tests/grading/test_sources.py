"""Chains from runs of the audit and from logs of Inspect: what was written, chosen and failed."""

import json

import pytest

from decidendi.audit import FunctionEngine, Generation, Options, Stop, audit, prepared
from decidendi.folders import write_whole
from decidendi.grading import (
    ExactChecker,
    chain_line,
    chains_from,
    measure,
    problem_of_case,
    read_chains,
    taxonomy,
)
from decidendi.judgment import BadInputError, Reason, Unmeasured

OPTIONS = Options(task="law", n=4, conditions="control,null")


def law_run(out, answer, options=OPTIONS):
    ready = prepared(options)
    audit(ready.design, ready.cases, FunctionEngine(answer, "m"), out)
    return ready


def says_yes(messages):
    return "<think>1. The facts are plain.\n2. The rule fits.</think>\nVERDICT: YES"


def test_a_run_gives_the_chains_of_its_target(tmp_path):
    ready = law_run(tmp_path, says_yes)
    chains, refused = chains_from(tmp_path)
    assert refused == []
    assert [chain.id for chain in chains] == [case.id for case in ready.cases]
    target = ready.design.pair.target
    for chain, case in zip(chains, ready.cases, strict=True):
        assert chain.premises == ("The facts are plain.", "The rule fits.")
        assert (chain.chosen, chain.gold, chain.unit) == ("YES", case.gold[target], case.unit)
        assert case.facts in chain.source
        assert ready.design.task.authority(target).text in chain.source
        assert (chain.collection, chain.model) == ("audit/law", "m")
        assert case.why[target] in chain.expert
    accuracy = measure([(chain, None) for chain in chains], taxonomy()).accuracy
    assert accuracy.numerator == sum(case.gold[target] == "YES" for case in ready.cases)
    assert accuracy.n == 4


def test_executable_law_can_be_checked_exactly(tmp_path):
    texts = {}

    def by_the_trace(messages):
        (facts,) = (facts for facts in texts if facts in messages[-1].content)
        return texts[facts]

    ready = prepared(OPTIONS)
    for case in ready.cases:
        decision = problem_of_case(case, ready.design.pair.target).decision
        lines = [f"{n}. {step.text}" for n, step in enumerate(decision.steps[:-1], 1)]
        texts[case.facts] = "\n".join([*lines, "", f"VERDICT: {decision.verdict}"])
    law_run(tmp_path, by_the_trace)
    chains, _ = chains_from(tmp_path)
    graded = list(zip(chains, ExactChecker().grade(chains), strict=True))
    found = measure(graded, taxonomy())
    assert found.soundness.share == found.correctness.share == found.accuracy.share == 1.0
    assert found.soundness.excluded == {}
    control, _ = chains_from(tmp_path, condition="control")
    assert {chain.carried["law"]["authority"] for chain in control} == {ready.design.pair.control}
    null, _ = chains_from(tmp_path, condition="null")
    assert all("law" not in chain.carried for chain in null)


def test_chains_survive_a_file(tmp_path):
    law_run(tmp_path / "run", says_yes)
    chains, _ = chains_from(tmp_path / "run")
    write_whole(tmp_path / "chains.jsonl", map(chain_line, chains))
    assert read_chains(tmp_path / "chains.jsonl") == (chains, [])


def test_other_conditions_are_had_by_name(tmp_path):
    law_run(tmp_path, says_yes)
    chains, _ = chains_from(tmp_path, condition="control")
    assert all(chain.id.endswith("/control") for chain in chains)
    assert {chain.gold for chain in chains_from(tmp_path, condition="null")[0]} == {None}
    with pytest.raises(BadInputError, match="control, null, target"):
        chains_from(tmp_path, condition="injection")


def test_a_call_without_an_answer_is_an_unmeasured_chain(tmp_path):
    stops = iter([Stop.REFUSED, Stop.TIMEOUT, Stop.DONE, Stop.LENGTH])

    def answer(messages):
        stop = next(stops)
        return Generation("" if stop in (Stop.REFUSED, Stop.TIMEOUT) else "Perhaps.", stop=stop)

    law_run(tmp_path, answer, Options(task="law", n=4, conditions="target"))
    chains, refused = chains_from(tmp_path)
    assert refused == []
    reasons = [chain.chosen.reason for chain in chains]
    assert reasons == ["not-converged", "timeout", "not-converged", "not-converged"]
    assert [isinstance(chain.premises, Unmeasured) for chain in chains][:2] == [True, True]
    found = measure([(chain, None) for chain in chains], taxonomy())
    assert found.accuracy.n == 0
    assert found.accuracy.excluded == {"not-converged": 3, "timeout": 1}


def test_what_was_answered_at_a_second_attempt_counts(tmp_path):
    law_run(tmp_path, says_yes)
    records = (tmp_path / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "failed").mkdir()

    def fails(messages):
        raise ConnectionError("refused")

    law_run(tmp_path / "failed", fails, Options(task="law", n=1, conditions="target"))
    failed = (tmp_path / "failed" / "records.jsonl").read_bytes()
    for text in (failed + b"".join(records), b"".join(records) + failed):
        (tmp_path / "records.jsonl").write_bytes(text)
        chains, _ = chains_from(tmp_path)
        assert [chain.chosen for chain in chains] == ["YES"] * 4


def test_an_altered_record_is_refused_and_a_torn_line_is_not(tmp_path):
    law_run(tmp_path, says_yes)
    path = tmp_path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])
    assert first["condition"] == "target"
    lines[0] = json.dumps(first | {"verdict": "NO"}).encode() + b"\n"
    lines[1] = b'{"case": 1}\n'
    lines[2] = b"[]\n"
    path.write_bytes(b"".join(lines) + b'{"case": "cut o')
    chains, refused = chains_from(tmp_path)
    assert len(chains) == 3
    assert [row.place.line for row in refused] == [1, 2, 3]
    assert "disagrees with its digest" in refused[0].detail


def test_places_that_hold_nothing_are_named(tmp_path):
    with pytest.raises(BadInputError, match="no such file"):
        chains_from(tmp_path / "nowhere")
    (tmp_path / "run.json").write_text('{"format": "decidendi-grading/1"}')
    with pytest.raises(BadInputError, match="not the run of an audit"):
        chains_from(tmp_path)


def test_an_audit_of_another_version_of_a_task_needs_its_file(tmp_path):
    law_run(tmp_path, says_yes)
    about = json.loads((tmp_path / "run.json").read_text())
    about["task"]["digest"] = "sha256:0"
    (tmp_path / "run.json").write_text(json.dumps(about))
    with pytest.raises(BadInputError, match="another version"):
        chains_from(tmp_path)


# Logs of Inspect.


def logged(folder, samples, outputs, **scoring):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    made = []
    for output in outputs:
        if isinstance(output, str):
            output = ModelOutput.from_content("mockllm/model", output)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        made.append(output)
    task = inspect_ai.Task(dataset=samples, name="quiz", **scoring)
    inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=made),
        log_dir=str(folder),
        display="none",
        max_samples=1,
        max_connections=1,
        fail_on_error=False,
    )


@pytest.mark.parametrize("task", ["echr", "law"])
def test_our_own_logs_say_what_the_run_says(tmp_path, task):
    pytest.importorskip("inspect_ai")
    from decidendi.audit._inspect import InspectEngine, generate_config

    options = Options(task=task, n=4, conditions="control,injection")
    ready = prepared(options)
    engine = InspectEngine(
        f"scripted/{task}",
        logs=tmp_path / "logs",
        config=generate_config(seed=42, max_tokens=64, logprobs=False),
        arguments={"failure": 0.3, "refusal": 0.2},
        options=options,
    )
    audit(ready.design, ready.cases, engine, tmp_path / "run")
    for condition in ("target", "control", "injection"):
        of_run, _ = chains_from(tmp_path / "run", condition=condition)
        of_logs, refused = chains_from(tmp_path / "logs", condition=condition)
        assert refused == []
        assert {chain.id: chain for chain in of_logs} == {chain.id: chain for chain in of_run}
    with pytest.raises(BadInputError, match="'null'"):
        chains_from(tmp_path / "logs", condition="null")


def test_a_log_with_choices(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    samples = [
        Sample(
            input=f"Matter {n}: which court?",
            choices=["The district court.", "No court at all."],
            target="A",
            id=f"q{n}",
            metadata={"source": "The facts.", "expert": "The first.", "unit": "matter"},
        )
        for n in range(3)
    ]
    outputs = ["1. It lies there.\n2. So it goes.\n\nANSWER: A", "ANSWER: B", "I cannot say."]
    logged(tmp_path, samples, outputs, solver=multiple_choice(), scorer=choice())
    chains, refused = chains_from(tmp_path)
    assert refused == []
    assert [chain.id for chain in chains] == ["q0", "q1", "q2"]
    assert chains[0].premises == ("It lies there.", "So it goes.")
    assert [chain.chosen for chain in chains[:2]] == ["A", "B"]
    assert chains[2].chosen.reason is Reason.NOT_CONVERGED
    assert [o.text for o in chains[0].options] == ["The district court.", "No court at all."]
    one = chains[0]
    assert (one.gold, one.source, one.expert, one.unit) == (
        "A",
        "The facts.",
        "The first.",
        "matter",
    )
    assert (one.question, one.collection) == ("Matter 0: which court?", "quiz")
    (log,) = tmp_path.glob("*.eval")
    assert chains_from(log) == (chains, [])


def test_a_log_whose_targets_are_labels(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        ModelOutput,
    )

    asked = [ChatMessageSystem(content="End with ANSWER: Yes or ANSWER: No."),
             ChatMessageUser(content="Is there jurisdiction?")]  # fmt: skip
    samples = [Sample(input=asked, target=("Yes", "No", "yes")[n], id=n) for n in range(3)]
    thought = ChatMessageAssistant(
        content=[
            ContentReasoning(reasoning="The forum is home. The contacts suffice."),
            ContentText(text="ANSWER: Yes"),
        ]
    )
    outputs = [
        ModelOutput(model="m", choices=[ChatCompletionChoice(message=thought)]),
        "End with ANSWER: Yes or ANSWER: No.",
        ModelOutput(model="m", choices=[]),
    ]
    logged(tmp_path, samples, outputs)
    chains, refused = chains_from(tmp_path)
    assert refused == []
    assert [chain.gold for chain in chains] == ["Yes", "No", "Yes"]
    assert chains[0].chosen == "Yes"
    assert chains[0].premises == ("The forum is home.", "The contacts suffice.")
    assert isinstance(chains[1].chosen, Unmeasured), "an echoed instruction is no answer"
    assert isinstance(chains[2].premises, Unmeasured)
    labelled, _ = chains_from(tmp_path, labels=("No",))
    assert [chain.gold for chain in labelled] == [None, "No", None]


def test_free_answers_have_no_labels_and_no_gold(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample

    samples = [Sample(input="Explain.", target=f"Because {n}.", id=n) for n in range(3)]
    logged(tmp_path, samples, ["So it is. It was so."] * 3)
    chains, _ = chains_from(tmp_path)
    assert {chain.gold for chain in chains} == {None}
    assert all(isinstance(chain.chosen, Unmeasured) for chain in chains)
    assert chains[0].carried["target"] == "Because 0."


def test_several_logs_keep_their_ids_apart_and_the_later_one_counts(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample

    samples = [Sample(input="?", target=label, id=label) for label in ("Yes", "No")]
    logged(tmp_path, samples, ["ANSWER: Yes"] * 2)
    logged(tmp_path, samples, ["ANSWER: No"] * 2)
    chains, _ = chains_from(tmp_path)
    assert [(chain.id, chain.chosen) for chain in chains] == [("Yes", "No"), ("No", "No")]
    (tmp_path / "broken.eval").write_bytes(b"no log")
    assert "not a log" in str(chains_from(tmp_path)[1])
    logged(tmp_path, [Sample(input="Another?", target="Yes", id="Yes")], ["ANSWER: Yes"])
    kept, refused = chains_from(tmp_path)
    assert kept == chains
    assert "another question" in refused[-1].detail
