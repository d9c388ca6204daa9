"""When a model settled on its verdict: from forced answers to the two measures, and to the page."""

import importlib.util
import json
from dataclasses import replace

import pytest
from audit_cases import records_of

from decidendi.audit import Character, Options, audit, measure, prepared
from decidendi.audit._commitment import naming, reasoning_sentences
from decidendi.audit._record import Boundary, read_records, record_line
from decidendi.legal import task

YES, NO, TIE = {"YES": 0.8, "NO": 0.1}, {"YES": 0.1, "NO": 0.8}, {"YES": 0.4, "NO": 0.38}
SENTENCES = ((0, 10), (11, 20), (21, 30))
ONCE_EARLY, ONCE_LATE, TWICE = ((2, 5),), ((22, 25),), ((2, 5), (22, 25))


def asked(record, scores, named):
    boundaries = tuple(Boundary(*span, each) for span, each in zip(SENTENCES, scores, strict=False))
    generation = replace(record.generation, text="x" * 40, boundaries=boundaries)
    return replace(record, generation=generation, named=named, at=None)


@pytest.fixture(scope="module")
def records():
    found = records_of("echr", Character(), "control", 8)
    return [record for record in found if record.condition == "target"]


@pytest.mark.parametrize(
    ("scores", "named", "again", "early"),
    [
        ((YES, YES, YES), ONCE_EARLY, False, False),
        ((YES, YES, YES), TWICE, True, False),
        ((YES, YES, YES), ONCE_LATE, False, True),
        ((NO, TIE, YES), TWICE, True, False),
        ((NO, YES, YES), ONCE_LATE, False, True),
        ((NO, YES, YES), (), False, None),
        ((YES, YES, TIE), TWICE, None, None),
        ((), TWICE, None, None),
        ((YES, {}, YES), TWICE, None, None),
    ],
)
def test_what_one_output_counts_as(records, scores, named, again, early):
    """Undefined is left out with its reason, never counted as no."""
    found = measure("m", [asked(records[0], scores, named)], task("echr"), replicates=20)
    for name, hit in (("reengagement", again), ("committed-early", early)):
        rate = found.get(name)
        assert (rate.n, rate.numerator) == ((0, 0) if hit is None else (1, int(hit)))
        assert sum(rate.excluded.values()) == (hit is None)


def test_reasons_are_told_apart_and_outputs_not_asked_are_none_of_them(records):
    given = [
        asked(records[0], (YES, YES), ONCE_EARLY),
        asked(records[1], (YES, TIE), ONCE_EARLY),
        asked(records[2], (), ONCE_EARLY),
        asked(records[3], ({}, {}), ONCE_EARLY),
        records[4],
    ]
    rate = measure("m", given, task("echr"), replicates=20).get("reengagement")
    assert (rate.numerator, rate.n) == (0, 1)
    assert rate.excluded == {
        "target: undecided at the end": 1,
        "target: no sentences": 1,
        "target: labels cannot be told apart at a sentence": 1,
        "target: not asked at its sentences": 1,
    }


def test_where_nothing_was_asked_there_is_no_such_measure(records):
    assert measure("m", records, task("echr"), replicates=20).get("reengagement") is None


def test_boundaries_are_kept_with_the_record_and_bound_by_its_digest(records):
    record = asked(records[0], (YES, NO, YES), TWICE)
    line = record_line(record)
    assert read_records(line) == [record]
    assert naming(record) == [0, 2]
    assert b"boundaries" not in record_line(records[0]), "older records stay what they are"
    from decidendi.judgment import BadInputError

    with pytest.raises(BadInputError, match="what the model gave"):
        read_records(line.replace(b'"NO":0.8', b'"NO":0.9', 1))


def test_sentences_are_those_of_the_reasoning():
    pytest.importorskip("nupunkt")
    text = "<think>Letters were read. No law said so.</think>\nIt was a breach. VERDICT: YES"
    found = [text[span.start : span.end] for span in reasoning_sentences(text)]
    assert found == ["Letters were read.", "No law said so."]
    assert reasoning_sentences("VERDICT: YES") == []


LOCAL = ("torch", "transformers", "accelerate", "gguf", "nupunkt")


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in LOCAL),
    reason="needs the extras local and legal",
)
def test_a_model_on_this_machine_is_asked_at_each_sentence(tmp_path, monkeypatch):
    import torch
    from _tiny import save_model

    from decidendi.audit._local import LocalEngine, LocalOptions
    from decidendi.models import LocalModel

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    save_model(tmp_path / "tiny")
    config = tmp_path / "tiny" / "config.json"
    longer = json.loads(config.read_text("utf-8")) | {"max_position_embeddings": 4096}
    config.write_text(json.dumps(longer), encoding="utf-8")
    ready = prepared(Options(n=2, conditions="control"))
    said = "<think>The letters were opened. No law allowed it.</think> VERDICT: YES"
    whole = LocalModel.generate_cases

    def scripted(self, cases, decoding, **settings):
        """The tiny model writes no sentences: give it some, and let it weigh the labels."""
        answers = whole(self, cases, decoding, **settings)
        if settings.get("forced"):
            return answers
        return [[replace(each, text=said) for each in case] for case in answers]

    monkeypatch.setattr(LocalModel, "generate_cases", scripted)
    options = LocalOptions(str(tmp_path / "tiny"), device="cpu", max_tokens=4, commitment=True)
    engine = LocalEngine(ready.design.task, options)
    assert engine.describe()["parameters"]["commitment"] == "forced"
    ran = audit(ready.design, ready.cases, engine, tmp_path / "a")
    torch.set_num_threads(threads)
    for record in ran.records:
        boundaries = record.generation.boundaries
        if record.condition != "target":
            assert boundaries is None
            continue
        assert [said[each.start : each.end] for each in boundaries] == [
            "The letters were opened.", "No law allowed it.",
        ]  # fmt: skip
        assert all(set(each.scores) == {"YES", "NO"} for each in boundaries)
    again = audit(ready.design, ready.cases, engine, tmp_path / "a")
    assert (again.made, again.records) == (0, ran.records)
