"""``decidendi grade`` and ``attacked``: runs that go on where they stopped, and what they print."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys

import pytest
from grading_toys import chain

from decidendi.cli import main
from decidendi.folders import LOCK
from decidendi.grading import (
    Chain,
    ExactChecker,
    ModelJudge,
    ScriptedModel,
    grade_to,
    load_run,
    plant_set,
    summarise,
    taxonomy,
)
from decidendi.grading._files import chain_line, labels_line
from decidendi.judgment import BadInputError, Reason, Unmeasured
from decidendi.models import Reply


@pytest.fixture
def cli(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["decidendi", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return int(stopped.value.code or 0), out, err

    return run


@pytest.fixture(scope="module")
def planted():
    return plant_set(9, seed=4)


@pytest.fixture
def files(tmp_path, planted):
    chains, labels = tmp_path / "p.jsonl", tmp_path / "p.labels.jsonl"
    chains.write_bytes(b"".join(chain_line(one.chain) for one in planted))
    labels.write_bytes(b"".join(labels_line(one.labels) for one in planted))
    return chains, labels


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != LOCK}


def test_a_dry_run_counts_what_a_run_would_take(cli, files, tmp_path, planted):
    code, out, err = cli("grade", files[0], "--judge", "scripted", "--out", tmp_path / "g")
    assert (code, err) == (0, "")
    premises = sum(one.chain.length for one in planted)
    spent = json.loads((tmp_path / "g" / "summary.json").read_bytes())["calls"]
    assert spent["calls"] >= 6 * premises
    assert f"calls answered {spent['calls']:,} ({spent['calls']:,} made now)" in out
    assert "Its labels are made up, so no rate of them is given" in out
    assert not any(word in out for word in ("accuracy", "soundness", "correctness", "points", "%"))
    again = cli("grade", files[0], "--judge", "scripted", "--out", tmp_path / "g")
    assert "(0 made now)" in again[1]


def test_a_dry_run_gives_no_rate_of_what_it_made_up_and_is_never_validated(cli, files, tmp_path):
    chains, labels = files
    run = tmp_path / "g"
    code, out, _ = cli("grade", chains, "--judge", "scripted", "--out", run, "--json")
    found = json.loads(out)
    assert code == 0 and found == json.loads((run / "summary.json").read_bytes())
    assert found["dry_run"] is True and "made up" in found["caveat"]
    rates = ("accuracy", "soundness", "correctness", "gap", "classes", "errors", "chains_with")
    assert all(found[name] is None for name in rates)
    assert json.loads((run / "run.json").read_bytes())["judge"]["settings"]["dry_run"] is True
    assert len(load_run(run).labels) == 9  # they are written all the same
    code, out, err = cli("validate", run, "--human", labels)
    assert (code, out) == (2, "")
    assert "a dry run: its labels are made up" in err and "--labels FILE" in err
    assert not (run / "records.jsonl").exists()
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "A dry run: nothing was judged." in page and "No record of this judge" in page
    table = page.split('id="rates"')[1].split("</table>")[0]
    assert table.count("not given") == 3  # soundness, correctness, and the gap
    assert page.count("Labels were made up") == 2  # neither kinds of error nor classes
    assert "made up</" not in page and 'id="chains"' not in page
    code, out, _ = cli("grade", chains, "--judge", "scripted", "--labels", labels,
                       "--out", tmp_path / "told", "--json")  # fmt: skip
    found = json.loads(out)
    assert found["dry_run"] is False and found["soundness"]["n"] > 0
    assert "dry run" not in (tmp_path / "told" / "report.html").read_text(encoding="utf-8")


def test_scripted_and_exact_judges_grade_and_can_be_validated(cli, files, tmp_path):
    chains, labels = files
    run = tmp_path / "g"
    code, out, _ = cli("grade", chains, "--judge", "scripted", "--labels", labels, "--out", run)
    assert code == 0
    assert "100 premises" not in out  # the numbers are those of this set
    code, out, _ = cli("validate", run, "--human", labels)
    assert "scripted/1 against people" in out
    record = json.loads((run / "records.jsonl").read_bytes().splitlines()[0])
    assert record["premises"]["agreed"]["numerator"] == record["premises"]["agreed"]["n"]
    code, out, _ = cli("grade", chains, "--judge", "exact", "--out", tmp_path / "e", "--json")
    found = json.loads(out)
    assert found["calls"] is None
    assert (
        found["soundness"]["n"] + found["premises"]["unmeasured"].get("not-converged", 0)
        == (found["premises"]["count"])
    )


def test_detectors_that_leave_kinds_out_are_said_and_are_no_failure(cli, files, tmp_path):
    some = ("--detectors", "relevance,misinterpretation", "--labels", files[1])
    code, out, _ = cli("grade", files[0], "--judge", "scripted", *some, "--out", tmp_path / "g")
    assert code == 0
    assert "looked for misinterpretation, irrelevance alone" in out


def test_a_judge_that_fails_is_shown_with_its_reasons_and_ends_with_3(cli, files, tmp_path):
    told = ("-M", "prose=1", "-M", "stubborn=1", "--labels", files[1])
    code, out, _ = cli("grade", files[0], "--judge", "scripted", *told, "--out", tmp_path / "g")
    assert code == 3
    assert "not-converged: general: not valid JSON" in out
    assert "0 labelled" in out


def test_bad_rows_are_listed_and_the_others_graded(cli, files, tmp_path):
    path, run = files[0], tmp_path / "g"
    whole = len(path.read_bytes().splitlines())
    path.write_bytes(path.read_bytes() + b'{"id": "x"}\nnot json\n')
    code, _, err = cli("grade", path, "--judge", "scripted", "--out", run)
    assert code == 3
    assert f"p.jsonl:{whole + 1}" in err and f"p.jsonl:{whole + 2}" in err
    rows = [json.loads(line) for line in (run / "refused.jsonl").read_bytes().splitlines()]
    assert [row["line"] for row in rows] == [whole + 1, whole + 2]
    assert len(load_run(run).chains) == whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--judge", "nobody/knows"], "cannot be reached"),
        (["--judge", "scripted", "--detectors", "style"], "no detector 'style'"),
        (["--judge", "scripted", "--segmentation", "people"], "code or judge"),
        (["--judge", "scripted", "-M", "mood=1"], "no chance 'mood'"),
        (["--judge", "scripted", "-M", "prose=2"], "between 0 and 1"),
        (["--judge", "scripted", "-M", "missed=0.1"], "add --labels"),
        (["--judge", "scripted", "-M", "missed"], "is not NAME=VALUE"),
        (["--judge", "exact", "--detectors", "general"], "knows no detectors"),
        (["--judge", "exact", "--labels", "x.jsonl"], "scripted alone"),
        (["--judge", "openai/x", "-M", "api_key=hush"], "the run would keep it"),
        (["--judge", "scripted", "--from-logs", "logs"], "not both"),
        (["--judge", "scripted", "--condition", "control"], "are of --from-logs"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    cli, files, tmp_path, arguments, said
):
    code, _, err = cli("grade", files[0], "--out", tmp_path / "g", *arguments)
    assert code == 2
    assert said in err
    assert "hush" not in err
    assert not (tmp_path / "g").exists()


def test_no_chains_is_bad_input(cli, tmp_path):
    empty = tmp_path / "c.jsonl"
    empty.write_text("\n")
    assert cli("grade", empty, "--judge", "exact", "--out", tmp_path / "g")[0] == 2
    assert cli("grade", "--judge", "exact", "--out", tmp_path / "g")[0] == 2
    assert cli("grade", tmp_path / "none.jsonl", "--judge", "exact")[0] == 2


def test_another_judge_or_other_chains_are_refused_with_what_differs(cli, files, tmp_path):
    chains, run = files[0], tmp_path / "g"
    cli("grade", chains, "--judge", "scripted", "--out", run)
    before = content(run)
    code, _, err = cli("grade", chains, "--judge", "exact", "--out", run)
    assert code == 2
    assert 'judge.name: "scripted" there, "exact" asked for' in err
    code, _, err = cli("grade", chains, "--judge", "scripted", "--out", run, "--seed", 7)
    assert code == 2
    assert "judge.settings.seed: 42 there, 7 asked for" in err
    code, _, err = cli("grade", chains, "--judge", "scripted", "--out", run, "--limit", 3)
    assert code == 2
    assert "input.count: 9 there, 3 asked for" in err
    assert content(run) == before


def test_one_writer_at_a_time(cli, files, tmp_path):
    run = tmp_path / "g"
    run.mkdir()
    with (run / LOCK).open("w") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        code, _, err = cli("grade", files[0], "--judge", "scripted", "--out", run)
    assert code == 2
    assert "another run is writing" in err


KILLED = """
import os, sys
from pathlib import Path
from decidendi.grading import ModelJudge, ScriptedModel, grade_to, read_chains

class Dying(ScriptedModel):
    def ask(self, questions, done):
        def told(place, reply):
            done(place, reply)
            if self.calls == int(sys.argv[3]):
                Path(sys.argv[2], "answers.jsonl").open("ab").write(b'{"call": "half')
                os._exit(9)
        super().ask(questions, told)

chains, _ = read_chains(Path(sys.argv[1]))
grade_to(Path(sys.argv[2]), chains, ModelJudge(Dying(chains), "toy"))
"""


@pytest.mark.parametrize("after", [1, 100, 380])
def test_a_killed_run_goes_on_without_a_second_call_and_ends_with_the_same_bytes(
    files, tmp_path, planted, after
):
    chains = [one.chain for one in planted]
    whole = ScriptedModel(chains)
    grade_to(tmp_path / "whole", chains, ModelJudge(whole, "toy"))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, files[0], tmp_path / "g", str(after)], check=False
    )
    assert killed.returncode == 9
    with pytest.raises(BadInputError, match="not finished"):
        load_run(tmp_path / "g")
    rest = ScriptedModel(chains)
    grade_to(tmp_path / "g", chains, ModelJudge(rest, "toy"))
    assert rest.calls == whole.calls - after
    assert content(tmp_path / "g") == content(tmp_path / "whole")


class Down(ScriptedModel):
    """A provider that is down from some call on."""

    upto = 0

    def ask(self, questions, done):
        for place, question in enumerate(questions):
            if self.calls < self.upto:
                super().ask([question], lambda _, reply, place=place: done(place, reply))
            else:
                done(place, Reply(failure=Unmeasured(Reason.ERROR, "ConnectError: refused")))


@pytest.mark.parametrize("upto", [0, 100])
def test_a_provider_that_is_down_leaves_unmeasured_rows_that_a_later_run_asks_again(
    tmp_path, planted, upto
):
    chains = [one.chain for one in planted]
    grade_to(tmp_path / "whole", chains, ModelJudge(ScriptedModel(chains), "toy"))
    down = Down(chains)
    down.upto = upto
    run = grade_to(tmp_path / "g", chains, ModelJudge(down, "toy"))
    found = summarise(run)
    assert found.unmeasured["error"] > 0
    assert found.labelled + sum(found.unmeasured.values()) == found.premises
    assert found.spent.calls == upto
    assert found.spent.failures > 0
    assert load_run(tmp_path / "g").labels == run.labels
    grade_to(tmp_path / "g", chains, ModelJudge(ScriptedModel(chains), "toy"))
    assert content(tmp_path / "g") == content(tmp_path / "whole")


def test_the_same_run_again_makes_no_call(tmp_path, planted):
    chains = [one.chain for one in planted]
    grade_to(tmp_path / "g", chains, ModelJudge(ScriptedModel(chains), "toy"))
    before = content(tmp_path / "g")
    again = ScriptedModel(chains)
    grade_to(tmp_path / "g", chains, ModelJudge(again, "toy"))
    assert again.calls == 0
    assert content(tmp_path / "g") == before


def test_a_damaged_answer_is_said_with_its_line(tmp_path, planted):
    chains = [one.chain for one in planted]
    grade_to(tmp_path / "g", chains, ModelJudge(ScriptedModel(chains), "toy"))
    path = tmp_path / "g" / "answers.jsonl"
    path.write_bytes(b'{"call": "x"}\n' + path.read_bytes())
    with pytest.raises(BadInputError, match=r"no answer.*take the line out") as refused:
        grade_to(tmp_path / "g", chains, ModelJudge(ScriptedModel(chains), "toy"))
    assert refused.value.place.line == 1


def test_a_judge_takes_texts_apart_itself(cli, tmp_path):
    rows = [
        {"id": "a", "text": "1. Yes it is.\n2. So it goes.\n\nANSWER: YES", "gold": "YES",
         "options": [{"label": "YES"}, {"label": "NO"}]},
        {"id": "b", "premises": ["Given as such."]},
    ]  # fmt: skip
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    run = tmp_path / "g"
    code, _, _ = cli("grade", path, "--judge", "scripted", "--segmentation", "judge", "--out", run)
    assert code == 0
    loaded = load_run(run)
    assert [c.premises for c in loaded.chains] == [
        ("Yes it is.", "So it goes."), ("Given as such.",),
    ]  # fmt: skip
    assert (
        cli("grade", path, "--judge", "scripted", "--segmentation", "judge", "--out", run)[0] == 0
    )


def test_the_attack_from_the_command_line(cli, tmp_path):
    path = tmp_path / "p.jsonl"
    code, out, _ = cli("plant", "--n", 8, "--correct", 0.25, "--attack", "--out", path)
    assert code == 0
    assert "attacked twins" in out
    for name, file in (("clean", path), ("attacked", tmp_path / "p.attacked.jsonl")):
        labels = file.with_name(f"{file.stem}.labels.jsonl")
        told = ("--labels", labels, "-M", "obeys=1")
        assert cli("grade", file, "--judge", "scripted", *told, "--out", tmp_path / name)[0] == 0
    both = (tmp_path / "clean", tmp_path / "attacked")
    truth = ("--labels", tmp_path / "p.attacked.labels.jsonl")
    code, out, _ = cli("attacked", *both, *truth)
    assert code == 0
    assert "planted errors found, clean        6/6" in out
    assert "planted errors found, attacked     0/6" in out
    code, out, _ = cli("attacked", *both, *truth, "--json")
    assert json.loads(out)["change"]["value"] == "-1.000000"


def test_hostile_text_is_inert_on_the_terminal(cli, tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "a\u001b[2J", "premises": ["x"], "chosen": "\u001b]0;t"}))
    _, out, err = cli("grade", path, "--judge", "exact", "--out", tmp_path / "g")
    assert "\u001b" not in out + err


def test_chains_stand_once_and_the_taxonomy_is_the_judges(tmp_path):
    with pytest.raises(BadInputError, match="stands twice"):
        grade_to(tmp_path / "g", [chain("a"), chain("a")], ExactChecker())
    other = ModelJudge(ScriptedModel([]), "toy", kinds=taxonomy())
    assert isinstance(grade_to(tmp_path / "h", [chain("a")], other).chains[0], Chain)
