"""The page of a run is made of its labels, and of its record where there is one."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from grading_toys import FAILED, FALSE, TIME, chain, labels

from decidendi.cli import main
from decidendi.folders import write_whole
from decidendi.grading import (
    ErrorRates,
    ExactChecker,
    Finding,
    JudgeIdentity,
    Partly,
    ScriptedJudge,
    grade_to,
    import_steps,
    labels_line,
    load_run,
    plant_set,
    taxonomy,
    up_to_first_error,
    validate,
    write_imported,
    write_page,
    write_run,
)
from decidendi.grading._examples import choose
from decidendi.grading._page import grading_page
from decidendi.grading._page_chains import SHOWN, Names
from decidendi.judgment import Unmeasured
from decidendi.report import render_grading
from decidendi.stats import Corrected, NotEnoughLabels

JUDGE = JudgeIdentity("j", "1", taxonomy().digest, {"detectors": ["a", "b"], "top_p": "0.9"})
KINDS = dict.fromkeys(taxonomy().codes, "kind")
CLASSES = {entry.code: entry.name for entry in taxonomy().classes}
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e\x00' + "W" * 3_000


@pytest.fixture(scope="module")
def planted():
    return plant_set(200, seed=17)


@pytest.fixture(scope="module")
def truth(planted):
    return [one.labels for one in planted]


@pytest.fixture(scope="module")
def run(planted, truth, tmp_path_factory):
    rates = ErrorRates({"misinterpretation": 0.4, "": 0.1}, 0.05, 0.2, 0.02)
    folder = tmp_path_factory.mktemp("g") / "run"
    return grade_to(folder, [one.chain for one in planted], ScriptedJudge(truth, rates))


@pytest.fixture(scope="module")
def found(run, truth):
    return validate(run, truth[:90])


@pytest.fixture(scope="module")
def page(run, found, truth):
    return grading_page(run, found, truth[:90])


def toys(tmp_path, rows, chains=None, judge=JUDGE):
    chains = chains or [chain(row.chain) for row in rows]
    return write_run(tmp_path / "run", chains, rows, judge)


def test_figures_are_those_of_the_validation(page, found):
    kappas = {c.name: c.kappa.value for c in page.record.conclusions.classes}
    assert kappas == {CLASSES[code]: kappa.value for code, kappa in found.class_kappas.items()}
    alphas = {c.name: c.alpha.value for c in page.record.conclusions.classes}
    assert alphas == {CLASSES[code]: alpha.value for code, alpha in found.class_alphas.items()}
    assert page.record.premises.alpha.value == found.premises.alpha.value
    assert [kind.alpha.value for kind in page.record.errors] == [
        found.errors[code].alpha.value for code in taxonomy().kind_codes
    ]
    text = render_grading(page).split("Which class of conclusion? Rates by class")[2]
    assert ">kappa<" in text.split("</thead>")[0] and ">alpha<" in text.split("</thead>")[0]
    assert page.correctness.judged.numerator == found.measures.correctness.numerator
    for figure, name in (
        (page.soundness, "soundness"),
        (page.correctness, "correctness"),
        *((kind, code) for kind, code in zip(page.kinds, taxonomy().kind_codes, strict=True)),
    ):
        once, other = found.corrected[name], found.rogan_gladen[name]
        assert isinstance(once, Corrected)
        assert figure.corrected.value == once.estimate
        assert (figure.corrected.low, figure.corrected.high) == (once.low, once.high)
        assert figure.other.value == (other.estimate if isinstance(other, Corrected) else None)
        # what people say where they labelled, counted the same way
        assert figure.people.numerator / figure.people.n == pytest.approx(once.people, abs=0.06)
    assert page.gap.corrected.value == found.gap.estimate
    assert page.record.premises.counts == found.premises.confusion.counts
    assert page.record.gap_stands is (found.judged_gap == "stands")
    assert page.record.collections == ("planted",)
    assert page.judge.scripted and not page.judge.demonstration


def test_people_are_counted_as_in_the_corrected_rates(page, found, truth):
    sound = sum(marks == () for row in truth[:90] for marks in row.premises)
    follow = sum(
        bool(marks) and all(f.carried for f in marks)
        for row in truth[:90]
        for marks in row.premises
    )
    every = sum(len(row.premises) for row in truth[:90])
    assert (page.soundness.people.numerator, page.soundness.people.n) == (sound, every - follow)
    assert page.record.followed == found.followed == follow > 0
    assert page.accuracy.people.n == 90 and page.accuracy.judged.n == 200


def test_kinds_of_matrices_stand_in_the_order_of_the_taxonomy(page, found):
    names = [kind.name for kind, _ in taxonomy().kinds]
    assert page.record.kinds.labels == ("sound", *names)
    assert sum(map(sum, page.record.kinds.counts)) == found.kinds.confusion.n
    label = "misinterpretation"
    at = page.record.kinds.labels.index("Misinterpretation")
    there = found.kinds.confusion
    assert sum(page.record.kinds.counts[at]) == sum(there.counts[there.labels.index(label)])
    assert [one.name for one in page.record.errors] == names


def test_pages_are_the_same_every_time_and_only_for_their_own_labels(run, found, truth, tmp_path):
    one = write_page(tmp_path, run, found, truth[:90])
    assert one.name == "report.html"
    first = one.read_bytes()
    assert write_page(tmp_path, run, found, truth[89::-1]).read_bytes() == first
    for human in ((), truth[:80]):
        with pytest.raises(ValueError, match="with the labels it was made with"):
            write_page(tmp_path, run, found, human)
    with pytest.raises(ValueError, match="with the labels it was made with"):
        write_page(tmp_path, run, None, truth)


def test_a_run_alone_has_a_page_without_a_record(run, tmp_path):
    page = grading_page(run)
    assert page.record is None and page.correctness.corrected is None
    assert page.correctness.people is None and not any(c.labelled for c in page.chains)
    text = write_page(tmp_path, run).read_text()
    assert "Not validated: no record of this judge." in text


def test_what_was_chosen_shows_every_disagreement_and_every_kind(page, run):
    whys = [one.why for one in page.chains]
    assert len(page.chains) == SHOWN
    for why in (
        "The judge misses an error that people see",
        "The judge sees an error where people see none",
        "Judge and people name different kinds of error",
    ):
        assert why in whys
    assert any(isinstance(p.judge, Unmeasured) for one in page.chains for p in one.premises)
    seen = {
        f"{m.kind}: {m.sub}" if m.sub else m.kind
        for one in page.chains
        for premise in one.premises
        for said in (premise.judge, premise.people)
        if isinstance(said, tuple)
        for m in said
    }
    used = {f.code for row in run.labels for m in row.premises if isinstance(m, tuple) for f in m}
    names = Names(taxonomy())
    assert {names.of(code) for code in used} <= seen


def test_choice_is_bounded_and_takes_each_thing_once_before_any_twice():
    graded = [(chain(f"c{i}"), labels(f"c{i}", (), TIME, ())) for i in range(50)]
    graded += [(chain("d"), labels("d", FALSE, (), ())), (chain("e"), labels("e", (), FAILED, ()))]
    found = choose(graded, {}, KINDS, CLASSES, 4)
    assert len(found) == 4
    assert {50, 51} < {one.place for one in found}
    assert found == choose(graded, {}, KINDS, CLASSES, 4)
    assert choose([], {}, KINDS, CLASSES, 4) == []
    assert len(choose(graded[:3], {}, KINDS, CLASSES, 4)) == 3


def test_labelled_chains_are_shown_before_others():
    graded = [(chain(f"c{i}"), labels(f"c{i}", TIME, (), ())) for i in range(9)]
    human = {"c7": labels("c7", TIME, (), (), by="ann")}
    assert choose(graded, human, KINDS, CLASSES, 1)[0].place == 7


def test_several_people_and_their_division_are_shown(tmp_path):
    rows = [labels(f"c{i}", (), TIME, ()) for i in range(3)]
    run = toys(tmp_path, rows)
    human = [
        labels("c0", (), TIME, (), by="ann"),
        labels("c0", (), (), (), by="bea"),
        labels("c0", (), TIME, FALSE, by="cy"),
        labels("c1", (), (), (), by="ann"),
        labels("c1", (), TIME, (), by="bea"),
    ]
    page = grading_page(run, validate(run, human), human)
    shown = {one.chain: one for one in page.chains}
    assert [p.votes for p in shown["c0"].premises] == [
        "",
        "2 of 3 see an error",
        "1 of 3 see an error",
    ]
    assert isinstance(shown["c1"].premises[1].people, Unmeasured)
    assert shown["c1"].premises[1].votes == "1 of 2 see an error"
    assert page.record.annotators == {"ann": 2, "bea": 2, "cy": 1}
    assert [one.coefficient for one in page.record.among] == ["alpha"] * 5
    assert shown["c2"].labelled is False
    assert page.correctness.corrected.value is None
    # a chain on which people are split has no label
    assert page.correctness.corrected.why.startswith("1 labelled, at least 20 needed")


def test_labels_needed_are_those_of_the_validation(run, truth):
    found = validate(run, truth[:8])
    short = found.corrected["soundness"]
    assert isinstance(short, NotEnoughLabels) and short.needed.labels != short.needed.alone
    figure = grading_page(run, found, truth[:8]).soundness.corrected
    assert (figure.value, figure.needed) == (None, short.needed.labels)
    assert (figure.alone, figure.reach) == (short.needed.alone, short.needed.half_width)


def test_kappa_of_two_people_is_called_kappa(tmp_path):
    run = toys(tmp_path, [labels(f"c{i}", (), TIME, ()) for i in range(3)])
    human = [labels(f"c{i}", (), TIME if i else (), (), by=by) for i in range(3) for by in "ab"]
    page = grading_page(run, validate(run, human), human)
    assert page.record.among[1].coefficient == "kappa"


def test_labels_that_end_with_the_first_error_give_no_shares(tmp_path):
    rows = [labels("c0", *up_to_first_error(3, 1)), labels("c1", *up_to_first_error(3, None))]
    page = grading_page(toys(tmp_path, rows))
    assert page.stopping and page.soundness.judged is None and page.kinds == ()
    assert page.correctness.judged.n == 2


def test_a_premise_without_the_errors_looked_for_is_not_called_sound(tmp_path):
    partly = Partly(("hallucination",), ((), FALSE, FAILED))
    rows = [replace(labels("c0", None, None, FAILED), partly=partly)]
    page = grading_page(toys(tmp_path, rows))
    first, second, third = page.chains[0].premises
    assert first.judge is None
    assert first.limits == "looked for and not found: factual hallucination"
    assert second.judge[0].sub == "Fabrication"
    assert second.limits == "looked for factual hallucination alone"
    assert third.judge == FAILED and third.limits == ""
    assert page.soundness.judged.n == 0
    assert [kind.judged.n for kind in page.kinds] == [0, 2, 0]


def test_errors_of_no_kind_give_no_shares_of_kinds(tmp_path):
    rows = [labels("c0", (), (Finding("unspecified"),), ())]
    page = grading_page(toys(tmp_path, rows))
    assert page.kinds == () and not page.stopping
    assert page.soundness.judged.n == 3
    assert page.chains[0].premises[1].judge[0].kind == "Kind not said"


def test_the_identity_of_the_judge_is_on_the_page(tmp_path):
    judge = replace(JUDGE, name="decidendi/embedded", designed_on=("pilot",))
    page = grading_page(toys(tmp_path, [labels("c0", (), (), ())], judge=judge))
    facts = {fact.name: fact.value for fact in page.judge.facts}
    assert facts["detectors"] == "a, b" and facts["top p"] == "0.9"
    assert facts["digest of the judge"] == judge.digest
    assert page.judge.name == "decidendi/embedded/1" and page.judge.demonstration
    assert page.judge.designed_on == ("pilot",)


def test_sets_of_the_design_that_a_validation_names_are_on_the_page(tmp_path):
    row = labels("c0", (), (), ())
    run = toys(tmp_path, [row], judge=replace(JUDGE, designed_on=("pilot",)))
    found = validate(run, [row], designed_on=("trial",))
    assert grading_page(run, found, [row]).judge.designed_on == ("pilot", "trial")


def test_the_exact_checker_says_what_it_is(planted, tmp_path):
    run = grade_to(tmp_path / "e", [one.chain for one in planted[:40]], ExactChecker())
    assert grading_page(run).judge.exact


def test_chains_without_labels_or_premises_have_a_place(tmp_path):
    untold = replace(chain("u"), premises=FAILED, text="prose")
    undecided = replace(chain("n"), chosen=FAILED, conclusion="")
    run = write_run(tmp_path / "run", [chain("c"), untold, undecided], [], JUDGE)
    page = grading_page(run)
    shown = {one.chain: one for one in page.chains}
    assert shown["u"].broken == FAILED and shown["u"].text == "prose"
    assert isinstance(shown["n"].chosen, Unmeasured)
    assert [p.judge for p in shown["c"].premises] == [None] * 3
    assert shown["c"].why == "It has no label by the judge"
    assert page.correctness.judged.n == 0
    assert "undefined" in write_page(tmp_path / "run", run).read_text()


def test_hostile_strings_stay_text_from_end_to_end(tmp_path):
    bad = replace(
        chain(HOSTILE[:300]),
        premises=(HOSTILE,) * 3,
        conclusion=HOSTILE,
        question=HOSTILE,
        source=HOSTILE,
        expert=HOSTILE,
        unit=HOSTILE,
        collection=HOSTILE,
        model=HOSTILE,
        text=HOSTILE,
    )
    why = (Finding("hallucination.fabrication", HOSTILE),)
    rows = [labels(bad.id, why, (), FAILED, by=HOSTILE)]
    judge = JudgeIdentity(HOSTILE, HOSTILE, taxonomy().digest, {HOSTILE: HOSTILE}, (HOSTILE + "d",))
    run = toys(tmp_path, rows, [bad], judge)
    human = [labels(bad.id, (), why, (), by=HOSTILE + who) for who in "ab"]
    html = write_page(tmp_path / "run", run, validate(run, human), human).read_text()
    assert not re.search(r"<(script|img)\b", html)
    assert html.count("&lt;script&gt;") > 20
    assert "\u202e" not in html and "\x00" not in html
    assert len(html) < 200_000


def test_pages_of_many_long_chains_are_bounded(tmp_path):
    long = "word " * 4_000
    chains = [replace(chain(f"c{i}", 200), source=f"{i} {long}") for i in range(300)]
    rows = [labels(one.id, *[TIME if i % 3 else () for i in range(200)]) for one in chains]
    run = toys(tmp_path, rows, chains)
    assert write_page(tmp_path / "run", run).stat().st_size < 2_000_000


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_the_page_of_a_public_judge_says_what_people_found(tmp_path):
    imported = import_steps(DATA / "steps" / "mrmath_invalid_human_and_judges.jsonl")
    (folder,) = [f for f in write_imported(tmp_path, imported) if f.name == "gpt4"]
    run = load_run(folder)
    html = write_page(folder, run, validate(run, imported.human), imported.human).read_text()
    assert "it finds 80 of 83 chains in which they see an error" in html
    assert "and sees one in 36 of 76 in which they see none" in html
    assert "Its record is poor" in html and "does not stand" in html
    assert "names the same premise first in 44, an earlier one in 11, a later one in 24" in html


def test_validate_writes_the_page_again(run, truth, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "run"
    write_run(folder, run.chains, run.labels, run.judge)
    write_page(folder, run)
    human = tmp_path / "human.jsonl"
    write_whole(human, map(labels_line, truth[:90]))
    monkeypatch.setattr(sys, "argv", ["decidendi", "validate", str(folder), "--human", str(human)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert f"Page: {folder / 'report.html'}" in capsys.readouterr().out
    text = (folder / "report.html").read_text()
    assert "once corrected" in text and "Not validated" not in text
    assert "it means who planted them and knows where they are" in text
    # written without labels again, it does not deny the record that lies beside it
    bare = write_page(folder, run).read_text()
    assert "A record of this judge is in records.jsonl" in bare
    assert "no record of this judge" not in bare.lower()
    records = folder / "records.jsonl"
    other = records.read_bytes().replace(run.judge.digest.encode(), b"sha256:" + b"0" * 64)
    records.write_bytes(other)  # of another judge
    assert "no record of this judge" in write_page(folder, run).read_text()
    records.write_bytes(b"{}")
    assert "no record of this judge" in write_page(folder, run).read_text()
    assert not isinstance(validate(run, truth[:90]).corrected["correctness"], NotEnoughLabels)
