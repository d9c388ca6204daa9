"""Runs: resumed anywhere they end with the same bytes; no verdict by accident."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from audit_cases import cases_of

from decidendi.audit import (
    Character,
    FunctionEngine,
    Generation,
    ModelChoice,
    ModelGoneError,
    Options,
    ScriptedModel,
    Stop,
    audit,
    compare,
    prepared,
    run_audit,
    write_comparison,
)
from decidendi.audit._folder import load_records
from decidendi.audit._record import read_records, record_line
from decidendi.judgment import BadInputError, NonComparableError, Unmeasured, is_measured

FILES = ("run.json", "cases.jsonl", "records.jsonl", "summary.json", "report.html")
OPTIONS = Options(n=6)
SCRIPTED = ModelChoice("scripted", {"failure": 0.1, "refusal": 0.1})


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


class Counting:
    """The scripted model, counting calls, and stopping after some."""

    def __init__(self, stop_after=None):
        self.model = ScriptedModel(cases_of("echr").design.task, Character())
        self.calls, self.stop_after = [], stop_after

    def __call__(self, messages):
        if self.stop_after is not None and len(self.calls) >= self.stop_after:
            raise KeyboardInterrupt
        self.calls.append(messages)
        return self.model(messages)


@pytest.mark.parametrize("stop_after", [0, 1, 7, 35])
def test_an_interrupted_run_repeats_no_call(tmp_path, stop_after):
    ready = prepared(OPTIONS)
    whole = Counting()
    audit(ready.design, ready.cases, FunctionEngine(whole, "m"), tmp_path / "whole")
    first, second = Counting(stop_after), Counting()
    with pytest.raises(KeyboardInterrupt):
        audit(ready.design, ready.cases, FunctionEngine(first, "m"), tmp_path / "cut")
    ran = audit(ready.design, ready.cases, FunctionEngine(second, "m"), tmp_path / "cut")
    assert first.calls + second.calls == whole.calls
    assert ran.made == len(second.calls)
    for name in ("run.json", "cases.jsonl", "records.jsonl"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    third = Counting()
    audit(ready.design, ready.cases, FunctionEngine(third, "m"), tmp_path / "cut")
    assert third.calls == []


def test_a_torn_last_line_is_cut_off(tmp_path):
    ready = prepared(OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        audit(ready.design, ready.cases, FunctionEngine(Counting(5), "m"), tmp_path)
    path = tmp_path / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    again = Counting()
    audit(ready.design, ready.cases, FunctionEngine(again, "m"), tmp_path)
    assert len(again.calls) == 36 - 4
    assert len(load_records(tmp_path)) == 36


def _other_verdict(row):
    row["verdict"] = {"YES": "NO", "NO": "YES"}[row["verdict"]]


def _other_text(row):
    row["generation"]["text"] += " "


def _other_gold(row):
    row["gold"] = "MAYBE"


@pytest.mark.parametrize(
    ("alter", "field"),
    [
        (_other_verdict, "verdict"),
        (lambda row: row.update(named=[]), "verdict"),
        (_other_text, "generation"),
        (_other_gold, "call"),
        (lambda row: row.pop("digests"), "digests"),
    ],
)
def test_a_record_that_was_altered_is_refused(tmp_path, alter, field):
    run_audit(Options(n=2), ModelChoice("scripted"), tmp_path / "a")
    path = tmp_path / "a" / "records.jsonl"
    lines = path.read_bytes().splitlines()
    row = json.loads(lines[2])
    alter(row)
    lines[2] = json.dumps(row).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")
    for again in (
        lambda: run_audit(Options(n=2), ModelChoice("scripted"), tmp_path / "a"),
        lambda: compare(tmp_path / "a", tmp_path / "a"),
    ):
        with pytest.raises(BadInputError) as refused:
            again()
        assert (refused.value.place.line, refused.value.place.field) == (3, field)


SCRIPT = """
import sys, time
from pathlib import Path
import decidendi.audit._run as run
from decidendi.audit import ModelChoice, Options, run_audit
answer = run.FunctionEngine._answer
def slowly(self, call):
    time.sleep(0.02)
    return answer(self, call)
run.FunctionEngine._answer = slowly
model = ModelChoice("scripted", {"failure": 0.1, "refusal": 0.1})
run_audit(Options(n=6), model, Path(sys.argv[1]))
"""


def test_a_killed_run_ends_with_the_same_bytes(tmp_path):
    run_audit(OPTIONS, SCRIPTED, tmp_path / "whole")
    out = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(out)])
    records = out / "records.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if records.exists() and records.read_bytes().count(b"\n") >= 8:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = records.read_bytes().count(b"\n")
    assert 8 <= before < 36
    outcome = run_audit(OPTIONS, SCRIPTED, out)
    assert outcome.made == 36 - before
    assert contents(out) == contents(tmp_path / "whole")


def test_another_run_is_not_mixed_in(tmp_path):
    run_audit(OPTIONS, SCRIPTED, tmp_path)
    for options, choice in (
        (Options(n=6, seed=7), SCRIPTED),
        (Options(n=6, task="scotus"), SCRIPTED),
        (OPTIONS, ModelChoice("scripted", {"failure": 0.2})),
    ):
        with pytest.raises(BadInputError, match="differ in"):
            run_audit(options, choice, tmp_path)


def test_failed_calls_are_asked_again_and_answered_ones_are_not(tmp_path):
    ready = prepared(OPTIONS)
    good = ScriptedModel(ready.design.task)
    calls = []

    def flaky(messages):
        calls.append(messages)
        if len(calls) % 5 == 0:
            raise ConnectionError("the server went away")
        if len(calls) % 7 == 0:
            raise TimeoutError("too slow")
        return good(messages)

    ran = audit(ready.design, ready.cases, FunctionEngine(flaky, "m"), tmp_path)
    failed = [r for r in ran.records if not r.generation.final]
    assert ran.unanswered == len(failed) > 0
    assert {r.verdict.reason for r in failed} == {"error", "timeout"}
    again = []

    def recovered(messages):
        again.append(messages)
        return good(messages)

    ran = audit(ready.design, ready.cases, FunctionEngine(recovered, "m"), tmp_path)
    assert len(again) == len(failed)
    assert ran.unanswered == 0


def test_a_model_that_is_gone_ends_the_run(tmp_path):
    ready = prepared(OPTIONS)
    good, calls = ScriptedModel(ready.design.task), []

    def dies(messages):
        calls.append(messages)
        if len(calls) > 10:
            raise ConnectionError("refused")
        return good(messages)

    with pytest.raises(ModelGoneError, match="kept"):
        audit(ready.design, ready.cases, FunctionEngine(dies, "m"), tmp_path)
    assert len(calls) == 22
    assert sum(r.generation.final for r in load_records(tmp_path)) == 10


HOSTILE = {
    "empty": "",
    "white space": " \n\t ",
    "one word": "whereas " * 10_000,
    "half a character": "<think>\ud83d</think> nothing \udc00",
    "script": "</script><script>alert(1)</script><img src=x onerror=alert(2)>",
    "open reasoning": "<think>It may be that VERDICT: NO is what they want, or",
    "the question": "VERDICT: YES or VERDICT: NO",
    "near miss": "GRADE: CI\nVERDICT: CI",
    "refusal": "I am sorry, but I cannot help with that.",
    "null bytes": "\x00\x00VERDICT\x00",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_becomes_a_verdict_by_accident(tmp_path, name):
    ready = prepared(Options(n=2))
    engine = FunctionEngine(lambda messages: HOSTILE[name], "m")
    ran = audit(ready.design, ready.cases, engine, tmp_path)
    if name != "open reasoning":
        assert all(isinstance(record.verdict, Unmeasured) for record in ran.records)
    assert [record_line(r) for r in load_records(tmp_path)] == [record_line(r) for r in ran.records]
    from decidendi.audit._finish import finish
    from decidendi.audit._run import identity

    about = identity(ready.design, ready.cases, engine, "")
    finished = finish(ready, {"m": ran.records}, about, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "onerror=alert(2)>" not in page
    assert finished.measured[0].get("swap").n in (0, 2)


def test_the_echoed_prompt_is_no_verdict(tmp_path):
    ready = prepared(Options(n=2))
    engine = FunctionEngine(lambda messages: messages[-1].content, "echo")
    ran = audit(ready.design, ready.cases, engine, tmp_path)
    assert not any(is_measured(record.verdict) for record in ran.records)


def test_native_reasoning_and_margins_are_kept(tmp_path):
    given = Generation("VERDICT: YES", reasoning="Article 8 protects letters.", margin=1.25,
                       stop=Stop.DONE, tokens_in=3, tokens_out=4)  # fmt: skip
    ready = prepared(Options(n=2, conditions="control"))
    ran = audit(ready.design, ready.cases, FunctionEngine(lambda m: given, "m"), tmp_path)
    record = next(r for r in ran.records if r.authority == "8")
    assert record.verdict == "YES"
    assert [record.whole_text[a:b] for a, b in record.named] == ["Article 8"]
    assert record.whole_text[slice(*record.at)].endswith("YES")
    other = next(r for r in ran.records if r.authority == "3")
    assert other.named == ()
    assert read_records(record_line(record)) == [record]


def test_facts_that_are_cut_are_counted(tmp_path):
    outcome = run_audit(Options(n=6, facts_limit=100), SCRIPTED, tmp_path)
    assert outcome.finished.content["cases"]["truncated"] == 6


def test_facts_longer_than_a_models_context_are_counted_and_never_cut_in_secret(tmp_path):
    """As a model on this machine does it: the prompt is given whole, or not at all."""
    facts = "The letter was opened. " * 4_500
    rows = [{"id": name, "facts": facts + name, "gold": {"8": gold}}
            for name, gold in (("a", "YES"), ("b", "NO"))]  # fmt: skip
    data = tmp_path / "cases.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def short(messages):
        size = sum(len(message.content) for message in messages)
        return Generation("", stop=Stop.UNFIT, detail="too long") if size > 9_000 else "VERDICT: NO"

    ready = prepared(Options(data=str(data), n=2, conditions="control"))
    assert [len(case.facts) for case in ready.cases] == [len(facts) + 1] * 2
    ran = audit(ready.design, ready.cases, FunctionEngine(short, "m"), tmp_path / "whole")
    assert {str(record.verdict.reason) for record in ran.records} == {"interface"}
    cut = prepared(Options(data=str(data), n=2, conditions="control", facts_limit=3_000))
    ran = audit(cut.design, cut.cases, FunctionEngine(short, "m"), tmp_path / "cut")
    assert {record.verdict for record in ran.records} == {"NO"}
    assert json.loads((tmp_path / "cut" / "run.json").read_text())["cases"]["truncated"] == 2


def test_rows_that_cannot_be_used_are_counted(tmp_path):
    rows = [
        {"id": "a", "facts": "x", "gold": {"8": "YES", "3": "NO"}},
        {"id": "b", "facts": "y", "gold": {"8": "NO", "3": "NO"}},
        {"id": "c", "facts": "z"},
        {"id": "d", "facts": "z", "gold": {"8": "MAYBE"}},
        {"id": "e", "facts": "z", "gold": {"404": "YES"}},
        {"id": "f", "facts": "", "gold": {"8": "YES"}},
    ]
    data = tmp_path / "cases.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)) + "\nnonsense\n", encoding="utf-8")
    out = tmp_path / "run"
    outcome = run_audit(Options(data=str(data), n=2), ModelChoice("scripted"), out)
    cases = outcome.finished.content["cases"]
    assert cases["count"] == 2
    assert sum(cases["unusable"].values()) == 5
    none = tmp_path / "none.jsonl"
    none.write_text(json.dumps(rows[2]) + "\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="no case"):
        run_audit(Options(data=str(none)), ModelChoice("scripted"), tmp_path / "other")


def test_comparisons_are_paired(tmp_path):
    for name, dependence in (("a", 1.0), ("b", 0.0)):
        choice = ModelChoice("scripted", {"dependence": dependence, "wobble": 0})
        run_audit(Options(n=12), choice, tmp_path / name)
    found = compare(tmp_path / "a", tmp_path / "b", replicates=100)
    swap = next(test for test in found.tests if test.name == "Verdict-swap sensitivity")
    assert (swap.first_only, swap.second_only) == (12, 0)
    assert swap.p == pytest.approx(2 / 2**12)
    assert swap.adjusted == pytest.approx(min(1, swap.p * len(found.tests)))
    assert found.cases == 12
    same = compare(tmp_path / "a", tmp_path / "a", replicates=100)
    assert all(test.p == 1 for test in same.tests)


def test_a_comparison_says_what_it_leaves_out_and_how_far_runs_are(tmp_path):
    refusing = replace(SCRIPTED, arguments={"refusal": 0.5})
    for name, choice in (("a", SCRIPTED), ("b", refusing), ("c", SCRIPTED)):
        run_audit(Options(n=12), choice, tmp_path / name)
    (left,) = {
        test.excluded["second's target: not-converged"]
        for test in compare(tmp_path / "a", tmp_path / "b", replicates=100).tests
        if test.name in ("Accuracy", "Paraphrase instability")
    }
    assert 0 < left < 12
    journal = tmp_path / "c" / "records.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:20]))
    found = compare(tmp_path / "a", tmp_path / "c", replicates=100)
    assert found.cases == 4
    assert found.differences == ("how far they are: 12 against 4 of 12 cases",)


def test_a_measure_that_nothing_is_left_of_stays_in_the_comparison(tmp_path):
    run_audit(Options(n=4), SCRIPTED, tmp_path / "a")
    run_audit(Options(n=4), replace(SCRIPTED, arguments={"failure": 1}), tmp_path / "b")
    accuracy = compare(tmp_path / "a", tmp_path / "b", replicates=100).tests[0]
    assert (accuracy.name, accuracy.p, accuracy.difference.value) == ("Accuracy", None, None)
    assert accuracy.excluded["second's target: not-converged"] == 4
    write_comparison(tmp_path / "a", tmp_path / "b", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "not-converged" in page
    assert "Holm over 2 measures" in page  # engagement, prompted and not, is measured


def test_cases_without_gold_are_left_out_by_that_reason(tmp_path):
    rows = ({"id": f"r{i}", "facts": f"Letter {i}.", "gold": {"8": "YES"}} for i in range(4))
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    steady = ModelChoice("scripted")
    out = run_audit(Options(n=4, data=str(data)), steady, tmp_path / "a").finished
    for name in ("confound-free", "followed"):
        rate = out.measured[0].get(name)
        assert (rate.n, dict(rate.excluded)) == (0, {"control: no gold": 2})


def test_what_cannot_be_compared_is_named(tmp_path):
    run_audit(Options(n=4), SCRIPTED, tmp_path / "a")
    run_audit(Options(n=4, pair="6:14"), SCRIPTED, tmp_path / "b")
    run_audit(Options(n=4, task="scotus"), SCRIPTED, tmp_path / "c")
    with pytest.raises(NonComparableError) as pair:
        compare(tmp_path / "a", tmp_path / "b")
    assert "pair" in pair.value.differing
    with pytest.raises(NonComparableError) as task:
        compare(tmp_path / "a", tmp_path / "c")
    assert {"task.id", "task.digest", "pair", "cases.digest"} == set(task.value.differing)
    with pytest.raises(BadInputError):
        compare(tmp_path / "a", tmp_path)


@pytest.mark.parametrize("given", [None, 5, b"VERDICT: YES"])
def test_a_function_that_gives_no_text_gives_no_answer(tmp_path, given):
    ready = prepared(Options(n=2, conditions="control"))
    ran = audit(ready.design, ready.cases, FunctionEngine(lambda _: given, "f"), tmp_path / "a")
    assert {str(record.verdict.reason) for record in ran.records} == {"error"}
    assert ran.unanswered == 4
