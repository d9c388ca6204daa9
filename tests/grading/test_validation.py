"""A judge against people: its record, what is kept apart, and what its rates are worth."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from grading_toys import FAILED, FALSE, TIME, chain, labels

from decidendi.cli import main
from decidendi.folders import only_writer, write_whole
from decidendi.grading import (
    ErrorRates,
    ExactChecker,
    Finding,
    JudgeIdentity,
    Labels,
    Partly,
    ScriptedJudge,
    append_record,
    consensus,
    grade_to,
    labels_line,
    load_run,
    load_taxonomy,
    plant_set,
    read_records,
    score,
    taxonomy,
    validate,
    validation_json,
    write_run,
)
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.stats import Corrected, NotEnoughLabels

JUDGE = JudgeIdentity("j", "1", taxonomy().digest)
CARRIED = (Finding("misinterpretation.inferential", carried=True),)


def run_of(tmp_path, chains, rows, identity=JUDGE):
    return write_run(tmp_path / "run", chains, rows, identity)


@pytest.fixture(scope="module")
def planted():
    return plant_set(500, seed=31)


@pytest.fixture(scope="module")
def scripted(planted, tmp_path_factory):
    rates = ErrorRates({"misinterpretation": 0.3, "": 0.1}, false_alarms=0.04, failed=0.01)
    judge = ScriptedJudge([one.labels for one in planted], rates)
    return grade_to(tmp_path_factory.mktemp("g") / "run", [p.chain for p in planted], judge)


@pytest.fixture(scope="module")
def found(planted, scripted):
    return validate(scripted, [one.labels for one in planted[:150]])


def test_the_record_is_as_scripted(found):
    yes = found.premises.classes["yes"]
    assert yes.specificity.low <= 0.96 <= yes.specificity.high
    assert found.errors["misinterpretation"].classes["yes"].recall.low <= 0.7
    assert found.errors["misinterpretation"].classes["yes"].recall.high >= 0.7
    assert found.errors["irrelevance"].classes["yes"].recall.high >= 0.9
    assert found.premises.confusion.n > 1000
    assert found.premises.confusion.excluded["people: undetermined"] == found.followed > 20
    assert found.conclusions.confusion.labels == tuple(c.code for c in taxonomy().classes)
    assert set(found.class_kappas) == set(found.class_alphas) == set(found.conclusions.classes)
    assert found.first.on_wrong.share > 0.6
    assert (
        found.first.on_wrong.n + found.first.on_sound.n + sum(found.first.excluded.values())
        == found.labelled
    )


def test_corrected_rates_hold_what_is_true_of_all_chains(planted, found):
    true = [score(one.chain, one.labels) for one in planted]
    correctness = sum(s.correctness for s in true) / len(true)
    gap = sum(s.accuracy - s.correctness for s in true) / len(true)
    corrected = found.corrected["correctness"]
    assert corrected.low <= correctness <= corrected.high
    assert found.gap.low <= gap <= found.gap.high
    assert abs(found.gap.raw - gap) > 0.02
    other = found.rogan_gladen["correctness"]
    assert other.low <= correctness <= other.high
    marks = [m for one in planted for m in one.labels.premises]
    kept = [m for m in marks if not (m and all(f.carried for f in m))]
    soundness = sum(not m for m in kept) / len(kept)
    assert found.corrected["soundness"].low <= soundness <= found.corrected["soundness"].high


def test_few_labels_give_no_corrected_rate_but_how_many_it_takes(planted, scripted):
    few = validate(scripted, [one.labels for one in planted[:12]])
    assert isinstance(few.gap, NotEnoughLabels)
    assert few.gap.needed.labels > 20
    assert few.judged_gap == "not enough labels"
    assert isinstance(few.corrected["correctness"], NotEnoughLabels)


def test_a_gap_that_the_judge_makes_does_not_stand(planted, tmp_path):
    """A judge that calls every fifth sound premise wrong, over chains that are mostly sound."""
    rates = ErrorRates(false_alarms=0.2)
    sound = [one for one in plant_set(400, seed=4, correct=0.9)]
    judge = ScriptedJudge([one.labels for one in sound], rates)
    run = grade_to(tmp_path / "run", [one.chain for one in sound], judge)
    found = validate(run, [one.labels for one in sound[:160]])
    assert found.gap.raw > 0.5
    assert found.gap.high < 0.3
    assert found.judged_gap == "does not stand"


def test_what_a_judge_does_not_label_is_not_left_out_of_what_is_corrected(tmp_path):
    """A judge that labels sound chains alone, every one of them rightly."""
    chains = [chain(f"c{n}") for n in range(300)]
    truth = [labels(c.id, (), TIME if n % 3 == 0 else (), ()) for n, c in enumerate(chains)]
    said = [replace(row, premises=FAILED) if n % 3 == 0 else row for n, row in enumerate(truth)]
    found = validate(run_of(tmp_path, chains, said), [replace(t, by="ann") for t in truth[:90]])
    assert found.measures.correctness.share == 1.0
    correct = found.corrected["correctness"]
    assert (correct.labelled, correct.judged, correct.raw) == (90, 300, 1.0)
    assert correct.low < 2 / 3 < correct.high
    assert correct.estimate == pytest.approx(2 / 3)
    assert found.corrected["soundness"].estimate == pytest.approx(8 / 9)
    assert found.gap.raw == found.measures.gap.value == 0.0
    assert found.judged_gap == "does not stand"
    assert isinstance(found.rogan_gladen["correctness"], NotEnoughLabels)  # of sound chains alone


def test_chains_that_nobody_could_class_stay_out(tmp_path):
    chains = [chain(f"c{n}") for n in range(60)]
    chains += [replace(chain(f"n{n}"), chosen=FAILED) for n in range(40)]
    rows = [labels(c.id, (), (), ()) for c in chains]
    run = run_of(tmp_path, chains, rows[:50] + rows[60:])
    found = validate(run, [replace(row, by="ann") for row in rows])
    assert found.corrected["correctness"].labelled == 60


def test_design_and_held_out_chains_are_kept_apart(tmp_path):
    designed = replace(JUDGE, designed_on=("pilot",))
    rows = [labels("a", (), (), ()), labels("b", (), (), ())]
    human = [labels("a", (), (), (), by="ann")]
    pilot = [chain("a", collection="pilot"), chain("b", collection="fresh")]
    run = run_of(tmp_path, pilot, rows, designed)
    with pytest.raises(BadInputError, match="designed on 'pilot'"):
        validate(run, human)
    found = validate(run, [labels("b", (), (), (), by="ann")], designed_on=("trial",))
    assert found.labelled == 1
    assert validation_json(found)["designed_on"] == ["pilot", "trial"]
    with pytest.raises(BadInputError, match="designed on 'fresh'"):
        validate(run, [labels("b", (), (), (), by="ann")], designed_on=("fresh",))
    nameless = [chain("a", collection=""), chain("b", collection="")]
    other = write_run(tmp_path / "other", nameless, rows, designed)
    with pytest.raises(BadInputError, match="name no collection"):
        validate(other, human)


def test_people_are_compared_among_themselves_first(tmp_path):
    chains = [chain(f"c{n}") for n in range(30)]
    judge = [labels(c.id, (), TIME, ()) for c in chains]
    people = [labels(c.id, (), TIME, (), by="ann") for c in chains]
    people += [labels(c.id, (), TIME if n % 5 else (), (), by="bea") for n, c in enumerate(chains)]
    people += [labels(c.id, (), TIME, FALSE if n == 3 else (), by="cy")
               for n, c in enumerate(chains[:10])]  # fmt: skip
    found = validate(run_of(tmp_path, chains, judge), people)
    assert found.people.annotators == {"ann": 30, "bea": 30, "cy": 10}
    assert found.people.several == 30
    assert 0.6 < found.people.wrong.value < 1
    assert found.people.pair is None
    split = found.by_agreement["split"]
    assert (split.numerator, split.n) == (3, 3)
    assert found.by_agreement["one alone"].n == 0
    # In twenty chains two people labelled; where they are split there is no label.
    assert found.premises.confusion.excluded == {"people: undetermined": 4}
    two = validate(run_of(tmp_path / "x", chains, judge), [p for p in people if p.by != "cy"])
    assert two.people.pair.n == 90


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([TIME, TIME, FALSE], ["misinterpretation.temporal"]),
        ([TIME, (Finding("misinterpretation.numerical"),), ()], ["misinterpretation"]),
        ([TIME, FALSE], ["unspecified"]),
        ([TIME, FALSE, (Finding("irrelevance"),)], ["unspecified"]),
        ([TIME, (), ()], []),
        ([TIME, None, None], ["misinterpretation.temporal"]),
        ([(), FAILED], []),
        ([TIME, ()], None),
    ],
)
def test_most_people(given, expected):
    group = [labels("c", marks, by=f"p{n}") for n, marks in enumerate(given)]
    (marks,) = consensus(chain(size=1), group).premises
    if expected is None:
        assert isinstance(marks, Unmeasured)
    else:
        assert [found.code for found in marks] == expected


def test_one_persons_labels_are_kept_as_they_are():
    one = labels("c", TIME, None, (), by="ann", content=True)
    assert consensus(chain(), [one]) == Labels("c", "people", one.premises, True)


def test_first_errors_by_hand(tmp_path):
    chains = [chain(name) for name in "abcdef"]
    human = [
        labels("a", (), TIME, CARRIED, by="ann"),
        labels("b", (), TIME, (), by="ann"),
        labels("c", (), (), TIME, by="ann"),
        labels("d", (), TIME, (), by="ann"),
        labels("e", (), (), (), by="ann"),
        labels("f", (), (), (), by="ann"),
    ]
    judge = [
        labels("a", (), FALSE, ()),
        labels("b", TIME, TIME, ()),
        labels("c", (), (), ()),
        labels("d", (), (), TIME),
        labels("e", (), (), ()),
        labels("f", FAILED, (), ()),
    ]
    found = validate(run_of(tmp_path, chains, judge), human)
    first = found.first
    assert (first.on_wrong.numerator, first.on_wrong.n) == (1, 4)
    assert (first.early, first.late, first.missed) == (1, 1, 1)
    assert (first.on_sound.numerator, first.on_sound.n) == (1, 1)
    assert first.excluded == {"judge: not-converged": 1}
    assert first.f1 == pytest.approx(0.4)
    assert found.followed == 1
    assert found.premises.confusion.n == 18 - 1 - 1


def test_nothing_labelled_or_not_fitting_is_refused(tmp_path):
    run = run_of(tmp_path, [chain("a")], [labels("a", (), (), ())])
    for rows, said in (
        ([], "no chain"),
        ([labels("z", (), (), ())], "no chain"),
        ([labels("a", ())], "1 premises"),
        ([labels("a", (), (), ()), labels("a", (), (), ())], "twice"),
    ):
        with pytest.raises(BadInputError, match=said):
            validate(run, rows)


def test_labels_of_other_chains_are_left_out_and_counted(tmp_path):
    run = run_of(tmp_path, [chain("a")], [labels("a", (), (), ())])
    here = labels("a", (), (), ())
    found = validate(run, [here, labels("z", ()), labels("y", ()), labels("z", ())])
    assert (found.labelled, found.elsewhere) == (1, 2)
    assert found.labels_digest == validate(run, [here]).labels_digest
    assert validation_json(found)["chains"]["labelled_elsewhere"] == 2


def test_records_only_grow_and_changes_show(tmp_path, planted, scripted, found):
    path = tmp_path / "records.jsonl"
    assert append_record(path, found) is True
    assert append_record(path, found) is False
    second = validate(scripted, [one.labels for one in planted[100:220]])
    assert append_record(path, second) is True
    assert append_record(path, found) is False
    records = read_records(path)
    assert [record.line for record in records] == [1, 2]
    assert records[0].judge == "scripted/1"
    assert len(read_records(path, judge_digest=scripted.judge.digest)) == 2
    assert read_records(path, judge_digest="another") == []
    whole = path.read_bytes()
    for labelled in (b"150", b"120"):  # a line in between, and the last
        path.write_bytes(whole.replace(b'"labelled":' + labelled, b'"labelled":99', 1))
        assert path.read_bytes() != whole
        with pytest.raises(BadInputError, match="was changed after it was written"):
            read_records(path)
    path.write_bytes(whole.split(b"\n", 1)[1])
    with pytest.raises(BadInputError, match="changed or taken out"):
        append_record(path, found)
    path.write_bytes(b"{}\n")
    with pytest.raises(BadInputError, match="not a record"):
        read_records(path)
    path.write_bytes(b"{")
    with pytest.raises(BadInputError, match=r"records\.jsonl:1: not valid JSON"):
        read_records(path)
    path.unlink()
    with only_writer(tmp_path), pytest.raises(BadInputError, match="another run is writing"):
        append_record(path, found)


def test_runs_come_back_and_know_when_they_were_altered(tmp_path, scripted):
    extra = {
        "id": "mine", "version": "1", "extends": "decidendi/1.0",
        "premise": [{"id": "style", "name": "s", "definition": "d", "example": "e"}],
    }  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(extra), encoding="utf-8")
    mine = load_taxonomy(tmp_path / "t.json")
    row = labels("a", (), (Finding("style"),), ())
    judge = replace(JUDGE, taxonomy=mine.digest)
    written = write_run(tmp_path / "run", [chain("a")], [row], judge, kinds=mine)
    assert load_run(tmp_path / "run") == written
    with pytest.raises(BadInputError, match="holds a run"):
        write_run(tmp_path / "run", [chain("a")], [row], judge, kinds=mine)
    with pytest.raises(BadInputError, match="another taxonomy"):
        write_run(tmp_path / "other", [chain("a")], [row], JUDGE, kinds=mine)
    with pytest.raises(BadInputError, match="stands twice"):
        run_of(tmp_path / "twice", [chain("a"), chain("a")], [])
    for name, old, new in (
        ("labels.jsonl", b'"style"', b'"irrelevance"'),
        ("chains.jsonl", b"Premise 1", b"Premise 7"),
    ):
        path = tmp_path / "run" / name
        whole = path.read_bytes()
        path.write_bytes(whole.replace(old, new))
        with pytest.raises(BadInputError, match="not those that were graded"):
            load_run(tmp_path / "run")
        path.write_bytes(whole)
    about = tmp_path / "run" / "run.json"
    content = json.loads(about.read_bytes())
    about.write_text(json.dumps({k: v for k, v in content.items() if k != "labels"}))
    with pytest.raises(BadInputError, match="nothing of 'labels': another version wrote it"):
        load_run(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInputError, match="no run"):
        load_run(tmp_path / "empty")


def test_labels_are_there_for_other_tools(tmp_path):
    import pyarrow.parquet as pq

    untold = replace(chain("u"), premises=FAILED)
    partly = Labels("p", "j/1", (None,) * 3, partly=Partly(("irrelevance",), ((), FALSE, ())))
    rows = [labels("a", (), TIME, FAILED), partly]
    write_run(tmp_path / "run", [chain("a"), untold, chain("p"), chain("x")], rows, JUDGE)
    path = tmp_path / "run" / "labels.parquet"
    table = pq.read_table(path).to_pylist()
    assert [(row["chain"], row["premise"], row["sound"]) for row in table] == [
        ("a", 1, True), ("a", 2, False), ("a", 3, None), ("u", None, None),
        ("p", 1, None), ("p", 2, None), ("p", 3, None),
        ("x", 1, None), ("x", 2, None), ("x", 3, None),
    ]  # fmt: skip
    assert [error["code"] for error in table[1]["errors"]] == [TIME[0].code]
    assert [row["errors"] for row in table[4:6]] == [[], [
        {"code": f.code, "why": f.why, "carried": False} for f in FALSE
    ]]  # fmt: skip
    assert table[2]["why_not"] == f"{FAILED.reason}: {FAILED.detail}"
    assert table[9]["why_not"] == "no label" and table[9]["errors"] is None
    write_run(tmp_path / "again", [chain("a"), untold, chain("p"), chain("x")], rows, JUDGE)
    assert (tmp_path / "again" / "labels.parquet").read_bytes() == path.read_bytes()


def run(capsys, *words):
    sys.argv = ["decidendi", *words]
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr()


def test_the_command(tmp_path, capsys):
    planted = plant_set(60, seed=2)
    grade_to(tmp_path / "run", [one.chain for one in planted], ExactChecker())
    human = tmp_path / "h.jsonl"
    write_whole(human, [labels_line(one.labels) for one in planted[:40]])
    code, printed = run(capsys, "validate", str(tmp_path / "run"), "--human", str(human))
    assert code in (0, 3)
    for words in ("People among themselves", "Is a premise wrong?", "First error", "corrected",
                  "The judged gap"):  # fmt: skip
        assert words in printed.out
    again, machine = run(capsys, "validate", str(tmp_path / "run"), "--human", str(human), "--json")
    assert again == code
    document = json.loads(machine.out)
    assert document["chains"]["labelled"] == 40
    assert len(read_records(tmp_path / "run" / "records.jsonl")) == 1
    human.write_bytes(human.read_bytes() + b'{"chain": "x"}\n')
    worse, printed = run(capsys, "validate", str(tmp_path / "run"), "--human", str(human), "-q")
    assert worse == 3
    assert ":41" in printed.err
    code, printed = run(
        capsys, "validate", str(tmp_path / "run"), "--human", str(human), "--design", "planted"
    )
    assert code == 2
    assert "designed on 'planted'" in printed.err
    human.write_bytes(b"\xef\xbb\xbf{}\n")
    code, printed = run(capsys, "validate", str(tmp_path / "run"), "--human", str(human))
    assert code == 2
    assert "h.jsonl:1" in printed.err and "labelled no chain" in printed.err  # and why they did not


def test_figures_are_text_and_unmeasured_is_never_a_number(found):
    text = json.dumps(validation_json(found))
    assert "NaN" not in text
    assert isinstance(found.corrected["correctness"], Corrected)
    assert isinstance(validation_json(found)["gap"]["estimate"], str)
