"""``decidendi validate``: what it prints, writes and refuses."""

from __future__ import annotations

import json
import sys

import pytest

from decidendi.cli import main
from decidendi.folders import write_whole
from decidendi.grading import (
    ErrorRates,
    ScriptedJudge,
    grade_to,
    labels_line,
    plant_set,
    read_records,
    validate,
)
from decidendi.judgment import Unmeasured


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
    return plant_set(60, seed=21)


@pytest.fixture
def run(planted, tmp_path):
    rates = ErrorRates({"": 0.2}, 0.05, 0.1, failed=0.03)
    judge = ScriptedJudge([one.labels for one in planted], rates)
    return grade_to(tmp_path / "run", [one.chain for one in planted], judge)


@pytest.fixture
def human(planted, tmp_path):
    write_whole(tmp_path / "human.jsonl", [labels_line(one.labels) for one in planted[:40]])
    return tmp_path / "human.jsonl"


def test_a_page_that_cannot_be_written_costs_the_page_alone(cli, run, human, tmp_path):
    folder, records = tmp_path / "run", tmp_path / "kept" / "judges.jsonl"
    records.parent.mkdir()
    (folder / "report.html").mkdir()  # for the superuser too, no file can stand here
    code, out, err = cli("validate", folder, "--human", human, "--records", records)
    assert code == 3
    assert "The page was not written" in err and "report.html" in err
    assert "The judged gap" in out and f"Record: {records}" in out
    assert "Page:" not in out
    assert len(read_records(records)) == 1


def test_counts_say_where_the_judges_mean_stands_in(cli, run, human, planted, tmp_path):
    found = validate(run, [one.labels for one in planted[:40]])
    lacking = sum(
        not isinstance(marks, tuple)
        for row in run.labels
        if isinstance(row.premises, tuple)
        for marks in row.premises
    )
    assert 5 < lacking == found.corrected["soundness"].stood_in
    chains = sum(isinstance(row.whole, Unmeasured) for row in run.labels)
    assert 5 < chains == found.corrected["correctness"].stood_in == found.gap.stood_in
    assert found.rogan_gladen["correctness"].stood_in == 0
    out = cli("validate", tmp_path / "run", "--human", human)[1]
    said = "without the judge's label: its mean stands in)"
    assert f"(40 labelled of 60 judged, {chains} {said}" in out
    told = json.loads((tmp_path / "run" / "records.jsonl").read_bytes())
    assert told["corrected"]["soundness"]["stood_in"] == lacking
    assert told["gap"]["stood_in"] == chains
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert f"{chains} without a label by the judge" in page


def test_each_line_and_row_that_grade_writes_names_its_taxonomy(cli, run, tmp_path):
    import pyarrow.parquet as pq

    folder, mine = tmp_path / "run", run.taxonomy.digest
    written = (folder / "labels.jsonl").read_bytes().splitlines()
    assert {json.loads(line)["taxonomy"] for line in written} == {mine}
    assert set(pq.read_table(folder / "labels.parquet")["taxonomy"].to_pylist()) == {mine}
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_bytes(
        (folder / "labels.jsonl").read_bytes().replace(mine[-8:].encode(), b"0" * 8)
    )
    code, _, err = cli("validate", folder, "--human", foreign)
    assert code == 2
    assert "foreign.jsonl:1" in err and "labelled with another taxonomy" in err
    assert err.count("another taxonomy") == 1  # the file is refused, not each line


def test_alpha_stands_beside_kappa_everywhere(cli, run, human, planted, tmp_path):
    found = validate(run, [one.labels for one in planted[:40]])
    for record in (found.premises, found.kinds, found.conclusions, found.wholes):
        assert record.alpha.excluded == record.kappa.excluded == record.confusion.excluded
        assert record.alpha.method == record.kappa.method  # the same units and draws
        assert record.alpha.value == pytest.approx(record.kappa.value, abs=0.03)
    code, out, _ = cli("validate", tmp_path / "run", "--human", human)
    assert code in (0, 3)
    assert f"kappa {found.premises.kappa}; alpha {found.premises.alpha}; left out" in out
    kind, sub = "misinterpretation", "misinterpretation.temporal"
    for name in (kind, sub):
        rows = (line for line in out.splitlines() if "; recall" in line)
        row = next(line for line in rows if line.startswith(f"  {name} "))
        assert row.endswith(f"kappa {found.errors[name].kappa}; alpha {found.errors[name].alpha}")
    said = f"kappa {found.class_kappas['correct']}; alpha {found.class_alphas['correct']}"
    assert said in out
    told = json.loads((tmp_path / "run" / "records.jsonl").read_bytes())
    assert set(told["class_alphas"]) == set(told["class_kappas"])
    for part in (told["premises"], told["kinds"], told["errors"][sub], told["wholes"]):
        assert part["alpha"]["n"] == part["kappa"]["n"] > 0
    assert told["premises"]["alpha"]["value"] == f"{found.premises.alpha.value:.6f}"
