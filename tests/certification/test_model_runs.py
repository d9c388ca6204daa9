"""Runs of evaluators that ask a model: told apart, stopped and gone on with, replayed."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluators"))
from modelfolders import PROMPT, cases, judge

from decidendi.certification import Options, certify_run, replay_run, verify_run
from decidendi.evaluators import Evaluator, RubricFollower, load_evaluator, pair, read_cases
from decidendi.evaluators._model_prompt import messages_of
from decidendi.judgment import BadInputError, State
from decidendi.ledger import open_ledger
from decidendi.receipts import receipt_of_cube

inspect = pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is None, reason="needs the extra models"
)
LABELS = ("yes", "no", "refer")
STRICT = 'yes if the grounds says "very good".\nno otherwise.\n'


def loaded(tmp_path, **revised) -> tuple[Evaluator, Evaluator]:
    shared = {"model": revised.pop("both", None), "deterministic": revised.pop("steady", False)}
    old = judge(tmp_path / "v1", **shared)
    new = judge(tmp_path / "v2", **{**shared, "version": "2", "rubric": STRICT, **revised})
    return load_evaluator(old), load_evaluator(new)


# -- the scripted judge, whose truth is known ------------------------------------------------


def true_verdict(state: State) -> str | None:
    """The label that the judge gives more than half the time."""
    contents = {source.kind: source.content for source in state}
    one = RubricFollower(LABELS, **contents["model"]["args"])
    shares = one.probabilities(messages_of(contents["prompt"], state))
    return next((label for label, share in shares.items() if 2 * share > 1), None)


def test_receipts_are_those_of_the_true_chances(tmp_path):
    brief = {"name": "scripted/judge",
             "args": {"steadiness": "0.82", "silence": "0.05", "reads": 3}}  # fmt: skip
    patient = {**brief, "args": {"steadiness": "0.9"}}
    rubric = 'yes if the grounds says "good".\n'
    old = load_evaluator(
        judge(tmp_path / "v1", model=brief, rubric=rubric, prompt=PROMPT + "\nno otherwise.")
    )
    new = load_evaluator(
        judge(tmp_path / "v2", model=patient, rubric='yes if the grounds says "good" or "fine".\n',
              prompt=PROMPT + '\nrefer if the grounds says "odd".\nno otherwise.')
    )  # fmt: skip
    grounds = [
        *("good", "all of it is good", "fine", "all of it is fine", "odd", "odd but fine", "bad"),
        {"old": "bad", "revised": "good"},
        {"old": "odd", "revised": "fine"},
    ]
    file, out = cases(tmp_path / "c.jsonl", *grounds), tmp_path / "run"
    summary = certify_run(old, new, file, out, Options(confidence="0.99", budget=300))
    assert summary.finished_whole
    assert verify_run(out).verified
    seen = set()
    with pair(old, new) as both, open_ledger(out) as ledger:
        rows = {row.case_id: row for row in ledger.rows()}
        binder = _binder(out)
        for record in read_cases(file, both.case_kinds):
            made = both.transition(record)
            cube = [
                true_verdict(State([(made.revised if mask >> i & 1 else made.old).sources[i]
                                    for i in range(4)]))
                for mask in range(16)
            ]  # fmt: skip
            certificate = binder.certificate(rows[record.case.id])
            assert (certificate.old_verdict, certificate.revised_verdict) == (cube[0], cube[15])
            for cell in certificate.cells:
                assert cell.verdict == cube[cell.mask]
            if cube[0] != cube[15]:
                found = receipt_of_cube(dict(enumerate(cube)), both.identity.kinds)
                assert certificate.receipt == found
                seen.add(found.members)
    assert len(seen) >= 5


def _binder(out):
    from decidendi.certification._runfile import RunFile

    return RunFile.read(out).binder


def test_a_model_that_only_claims_to_be_deterministic_is_found_out(tmp_path):
    wavering = {"name": "scripted/judge", "args": {"steadiness": "0.6"}}
    both = loaded(tmp_path, both=wavering, steady=True)
    summary = certify_run(*both, cases(tmp_path / "c", *"abcdefgh"), tmp_path / "run")
    assert summary.flickering
    steady = {"name": "scripted/judge"}
    both = loaded(tmp_path / "2", both=steady, steady=True)
    summary = certify_run(*both, cases(tmp_path / "c", *"abcdefgh"), tmp_path / "run2")
    assert not summary.flickering
    assert not (tmp_path / "run2" / "answers.sqlite").exists()
    assert replay_run(tmp_path / "run2", *both).same


# -- a provider of Inspect's that counts what it is asked ------------------------------------

PROVIDER = textwrap.dedent("""
    import os, pathlib, time
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
    from decidendi.evaluators import RubricFollower

    @modelapi(name="counted")
    class Counted(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            note = pathlib.Path(os.environ["COUNTED"])
            with note.open("a") as file:
                file.write("x")
            if note.with_suffix(".down").exists():
                raise ConnectionError("the server is gone")
            time.sleep(float(os.environ.get("COUNTED_WAIT", "0")))
            judge = RubricFollower(("yes", "no", "refer"), steadiness="0.9")
            said = tuple((message.role, message.text) for message in input)
            output = ModelOutput.from_content(self.model_name, judge.answer(said, config.seed))
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output
""")
COUNTED = {"name": "counted/judge", "seed": 0}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Make the provider known; tell how often it has been asked."""
    note = tmp_path / "calls"
    monkeypatch.setenv("COUNTED", str(note))
    exec(compile(PROVIDER, "provider", "exec"), {"__name__": "provider"})
    return lambda: note.stat().st_size if note.exists() else 0


@inspect
def test_a_replay_asks_nobody_unless_told_to(tmp_path, asked):
    both = loaded(tmp_path, both=COUNTED)
    file, out = cases(tmp_path / "c", "good", "very good", "bad"), tmp_path / "run"
    summary = certify_run(*both, file, out)
    assert {row["receipt"]: row["cases"] for row in summary.content["receipts"]} == {
        "rubric alone": 1
    }
    before = asked()
    with open_ledger(out) as ledger:
        binder = _binder(out)
        drawn = sum(len(cell.draws) for row in ledger.rows()
                    for cell in binder.certificate(row).cells)  # fmt: skip
    assert before >= drawn > 0
    assert verify_run(out).verified
    again = replay_run(out, *both)
    assert again.same and not again.undecided and again.cells == summary.content["cells"]["needed"]
    certify_run(*both, file, out)
    assert asked() == before
    anew = replay_run(out, *both, anew=True)
    assert anew.same and asked() > before


@inspect
def test_recorded_answers_that_were_altered_do_not_replay(tmp_path, asked):
    import sqlite3

    both = loaded(tmp_path, both=COUNTED)
    out = tmp_path / "run"
    certify_run(*both, cases(tmp_path / "c", "good", "bad"), out)
    with sqlite3.connect(out / "answers.sqlite") as database:
        database.execute("UPDATE answers SET reply = ?", ['["VERDICT: refer", null, false, null]'])
    database.close()
    assert not replay_run(out, *both).same
    (out / "answers.sqlite").unlink()
    gone = replay_run(out, *both)
    assert not gone.same
    assert "not among those recorded" in gone.lacking


@inspect
def test_a_server_that_is_down_gives_no_verdicts(tmp_path, asked):
    (tmp_path / "calls.down").touch()
    both = loaded(tmp_path, both=COUNTED)
    summary = certify_run(
        *both, cases(tmp_path / "c", "good"), tmp_path / "run", Options(budget=16)
    )
    assert summary.outcomes["unmeasured"] == 1
    assert asked()


@inspect
def test_a_model_that_cannot_be_reached_ends_the_run_before_it_begins(tmp_path, asked):
    both = loaded(tmp_path, both={"name": "counted/judge", "args": {"odd": 1}})
    with pytest.raises(BadInputError, match="cannot be reached"):
        certify_run(*both, cases(tmp_path / "c", "good"), tmp_path / "run")
    assert not asked()


@inspect
def test_killed_and_called_again_a_run_asks_nothing_twice(tmp_path, asked):
    both = loaded(tmp_path, both=COUNTED)
    file = cases(tmp_path / "c", *(f"{word} {n}" for n in range(6) for word in ("good", "bad")))
    certify_run(*both, file, tmp_path / "whole")
    whole = asked()
    script = PROVIDER + textwrap.dedent(f"""
        from pathlib import Path
        from decidendi.certification import certify_run
        from decidendi.evaluators import load_evaluator
        both = [load_evaluator({str(tmp_path)!r} + "/" + name) for name in ("v1", "v2")]
        certify_run(*both, Path({str(file)!r}), Path({str(tmp_path / "part")!r}))
    """)
    env = {**os.environ, "COUNTED_WAIT": "0.01"}
    child = subprocess.Popen([sys.executable, "-c", script], env=env)
    limit = time.monotonic() + 60
    while asked() < whole + whole // 3 and time.monotonic() < limit:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert whole + whole // 3 <= asked() < 2 * whole, "killed in the middle"
    certify_run(*both, file, tmp_path / "part")
    assert asked() <= 2 * whole + 1, "at most the one answer that was under way"
    for name in ("summary.json", "report.html"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    kept = json.loads((tmp_path / "part" / "summary.json").read_text())
    assert kept["outcomes"]["certified"] == 6
