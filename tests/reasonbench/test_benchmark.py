"""The benchmark on disk: one digest, and an audit that finds whatever is altered."""

import json
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from decidendi.judgment import BadInputError, canonical_bytes, digest_of, sha256
from decidendi.reasonbench import (
    FROZEN,
    PUBLISHED,
    Scorer,
    audit_benchmark,
    baselines,
    build_benchmark,
    check_files,
    diagnostics,
    read_gold,
    read_manifest,
    read_rows,
)
from decidendi.reasonbench import _build as building
from decidendi.reasonbench._store import ROW_GROUP, SCHEMAS

sys.path.insert(0, str(Path(__file__).parent))
from small_bench import few_units


@pytest.fixture
def copy(small, tmp_path):
    return Path(shutil.copytree(small, tmp_path / "copy"))


def alter(folder, table, change):
    """Rewrite a table after ``change`` has had its rows."""
    rows = list(read_rows(folder, table))
    change(rows)
    written = pa.Table.from_pylist(rows, schema=SCHEMAS[table])
    pq.write_table(written, folder / f"{table}.parquet", row_group_size=ROW_GROUP)


def kinds(folder):
    """The kinds of problem found, but for the counts: a small benchmark has too few of all."""
    return {problem.partition(":")[0] for problem in audit_benchmark(folder).problems} - {"count"}


def first(rows, **wanted):
    return next(row for row in rows if all(row[name] == value for name, value in wanted.items()))


def test_the_frozen_benchmark_is_built_the_same_here(frozen):
    manifest = read_manifest(frozen)
    assert manifest["digest"] == FROZEN
    rows = {name: table["rows"] for name, table in manifest["core"]["tables"].items()}
    assert (rows["units"], rows["cases"], rows["controls"]) == (845, 19_520, 7_200)
    figures = manifest["mix"]["figures"]
    assert {name: figures[name]["ours"] for name in PUBLISHED} == PUBLISHED
    assert float(manifest["mix"]["bits that depth tells of the verdict"]) < 0.001
    verdicts = manifest["mix"]["revised verdicts"]
    total = sum(verdicts.values())
    for label in ("approve", "deny", "refer"):
        share = sum(n for name, n in verdicts.items() if name.endswith(label)) / total
        assert 0.28 < share < 0.40
    groups = pq.ParquetFile(frozen / "cases.parquet").metadata
    assert groups.row_group(0).num_rows == ROW_GROUP


def test_a_sound_benchmark_has_no_problem_but_its_size(small):
    audit = audit_benchmark(small)
    assert kinds(small) == set()
    assert all(problem.startswith("count:") for problem in audit.problems)
    assert audit.digest == read_manifest(small)["digest"]
    assert audit.figures["prompts in two splits"] == 0
    assert audit.figures["cells executed by Rego and clingo"] > 2000
    assert not audit.sound  # since it is small


def test_rows_are_gold(small):
    gold = read_gold(small)
    assert gold.digest == read_manifest(small)["digest"]
    cases = [case for case in gold.cases.values() if case.control is None]
    assert len(cases) == 96 * 5 + 19 * 12
    assert len(gold.cases) == len(cases) + 3 * (96 + 2 * 19)


def test_the_same_units_in_another_folder_have_the_same_digest(small, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "units", few_units)
    assert build_benchmark(tmp_path) == read_manifest(small)["digest"]
    assert build_benchmark(tmp_path, seed=3) != read_manifest(small)["digest"]


def swap_label(rows):
    row = first(rows, mask=7, split="train")
    row["cube"][3] = next(v for v in ("approve", "deny", "refer") if v != row["cube"][3])


def move_case(rows):
    rows[0]["split"] = "locked" if rows[0]["split"] == "train" else "train"


def copy_prompt(rows):
    first(rows, split="locked")["prompt"] = first(rows, split="train")["prompt"].upper()


def wrong_target(rows):
    rows[0]["target_direct_receipt"] += " "


def wrong_mask(rows):
    row = first(rows, mask=0)
    row["mask"] = 1


def wrong_receipt(rows):
    row = next(row for row in rows if row["receipt"])
    row["receipt"] = [7] if row["receipt"] != [7] else [1]


def drop_case(rows):
    rows.pop()


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (swap_label, "label"),
        (move_case, "leakage"),
        (copy_prompt, "overlap"),
        (wrong_target, "target"),
        (wrong_mask, "mask"),
        (wrong_receipt, "receipt"),
        (drop_case, "unit"),
    ],
)
def test_an_altered_case_is_found(copy, change, kind):
    alter(copy, "cases", change)
    assert {kind, "digest"} <= kinds(copy)


def redigest(folder):
    """Make the manifest agree with whatever the tables now hold, as a forger would."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    tables = manifest["core"]["tables"]
    for name in SCHEMAS:
        rows = list(read_rows(folder, name))
        data = b"".join(canonical_bytes(row) + b"\n" for row in rows)
        tables[name] = {"rows": len(rows), "digest": sha256(data)}
    manifest["digest"] = digest_of(manifest["core"])
    path.write_bytes(canonical_bytes(manifest))


def lie(row):
    """Alter one word that the sources do not say."""
    row["prompt"] = row["prompt"].replace(" is ", " was ", 1)


def in_other_words(row):
    row["rendering"] = "table"


def sections_moved(row):
    row["order"] = row["order"][::-1]


@pytest.mark.parametrize("table", ["cases", "controls"])
@pytest.mark.parametrize("change", [lie, in_other_words, sections_moved])
def test_a_prompt_that_does_not_say_what_its_sources_say_is_found(copy, table, change):
    names = []

    def alter_some(rows):
        for row in rows[:3]:
            names.append(row["id"])
            before = dict(row)
            change(row)
            assert row != before

    alter(copy, table, alter_some)
    redigest(copy)
    found = audit_benchmark(copy)
    # Nothing but the words gives it away.
    assert not any(problem.startswith("digest") for problem in found.problems)
    for name in names:
        assert f"prompt: {name} does not say what its sources say" in found.problems
    assert not found.frozen


def test_sources_that_cannot_be_put_into_words_are_found(copy):
    def change(rows):
        first(rows, kind="authority")["content"] = "3"

    alter(copy, "sources", change)
    assert any("cannot be put into words" in p for p in audit_benchmark(copy).problems)


def unswap(rows):
    row = next(row for row in rows if row["control"] == "inverse" and row["mask"])
    row["old"], row["revised"] = row["revised"], row["old"]


def main_order(rows):
    row = first(rows, control="order")
    row["order"] = [0, 1, 2, 3, 4, 5]


def relevant_record(rows):
    parents = {row["control_of"]: row for row in rows if row["control"] == "distractor"}
    one, other = list(parents.values())[:2]
    one["old"], one["revised"], one["cube"] = other["old"], other["revised"], other["cube"]


def no_control(rows):
    rows.pop(0)


@pytest.mark.parametrize("change", [unswap, main_order, relevant_record, no_control])
def test_an_altered_control_is_found(copy, change):
    alter(copy, "controls", change)
    assert {"control", "digest"} <= kinds(copy)


def test_an_altered_source_is_found(copy):
    def change(rows):
        row = first(rows, kind="norms")
        row["content"] = row["content"].replace("then", "than")

    alter(copy, "sources", change)
    assert {"source", "label", "digest"} <= kinds(copy)
    assert any("cannot be executed" in problem for problem in audit_benchmark(copy).problems)


def test_a_trivial_rule_is_found(copy):
    def change(rows):
        for row in rows:
            if row["kind"] == "norms" and row["content"].startswith("["):
                norms = json.loads(row["content"])
                norms[0]["if"].append(norms[0]["then"])
                row["content"] = canonical_bytes(norms).decode()
                row["digest"] = sha256(row["content"].encode())
                return

    alter(copy, "sources", change)
    assert {"trivial", "source", "digest"} <= kinds(copy)


def test_a_missing_source_is_found(copy):
    alter(copy, "sources", lambda rows: rows.pop(0))
    assert {"source", "digest"} <= kinds(copy)


def test_an_altered_unit_is_found(copy):
    def change(rows):
        rows[0]["split"] = "calibration" if rows[0]["split"] != "calibration" else "train"

    alter(copy, "units", change)
    assert {"leakage", "digest"} <= kinds(copy)


def test_a_folder_without_a_benchmark_is_refused(tmp_path, copy):
    with pytest.raises(BadInputError, match="no benchmark here"):
        audit_benchmark(tmp_path)
    (tmp_path / "manifest.json").write_text('{"core": {"format": 99}, "digest": ""}')
    with pytest.raises(BadInputError, match="format 1"):
        read_manifest(tmp_path)
    (copy / "cases.parquet").write_bytes(b"not Parquet")
    with pytest.raises(BadInputError, match="Parquet"):
        audit_benchmark(copy)
    (copy / "cases.parquet").unlink()
    with pytest.raises(BadInputError, match="Parquet"):
        list(read_rows(copy, "cases"))


def test_a_build_that_fails_leaves_no_manifest(tmp_path, small, monkeypatch):
    def broken(seed):
        yield from list(few_units(seed))[:1]
        raise RuntimeError("stopped")

    shutil.copytree(small, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(building, "units", broken)
    with pytest.raises(RuntimeError):
        build_benchmark(tmp_path)
    assert not (tmp_path / "manifest.json").exists()
    assert not list(tmp_path.glob("*.part"))


def test_baselines_predict_every_locked_case(small):
    gold = read_gold(small)
    majority, tfidf = baselines(small, controls=True)
    locked = {case.id for case in gold.cases.values() if case.split == "locked"}
    for predictions in (majority, tfidf):
        assert set(predictions.by_seed[""]) == locked
    assert len({predicted.answer for predicted in majority.by_seed[""].values()}) == 1
    assert len({predicted.answer for predicted in tfidf.by_seed[""].values()}) > 3
    few = [baselines(small, splits=("shift-depth",))[1].by_seed for _ in range(2)]
    assert few[0] == few[1]
    table = diagnostics([Scorer(p, gold, replicates=50) for p in (majority, tfidf)], gold)
    assert len(table.rows) == 4
    with pytest.raises(ValueError, match="no such split"):
        baselines(small, splits=("elsewhere",))


def test_the_commands(small, tmp_path, bench, monkeypatch):
    monkeypatch.setattr(building, "units", few_units)
    code, out, err = bench("build", "--out", tmp_path)
    assert (code, "845" in err, "controls" in out) == (1, False, True)
    assert "not the frozen benchmark" in err
    code, out, _ = bench("audit", small, "--json")
    assert code == 1
    assert json.loads(out)["problems"]
    assert json.loads(out)["frozen"] is False
    code, out, err = bench("audit", tmp_path)
    assert (code, "NOT sound (this is not the frozen benchmark)" in out, "count: " in err) == (
        1,
        True,
        True,
    )
    code, out, err = bench("audit", tmp_path / "nowhere")
    assert (code, "no benchmark here" in err) == (2, True)


def test_a_byte_that_changed_is_noticed_before_anything_is_read(copy):
    for name in SCHEMAS:
        path = copy / f"{name}.parquet"
        whole = path.read_bytes()
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        with pytest.raises(BadInputError, match=f"{name}.parquet: altered since it was built"):
            read_gold(copy)
        path.write_bytes(whole)
    assert check_files(copy)["digest"] == read_manifest(copy)["digest"]
    (copy / "sources.parquet").unlink()
    with pytest.raises(BadInputError, match="No such file"):
        read_gold(copy)


def test_an_altered_manifest_is_noticed(copy):
    path = copy / "manifest.json"
    path.write_text(path.read_text().replace('"seed":20938', '"seed":20939'))
    with pytest.raises(BadInputError, match="altered since it was built"):
        read_manifest(copy)
    with pytest.raises(BadInputError, match="altered since it was built"):
        audit_benchmark(copy)


def test_other_things_are_not_mixed_with_a_benchmark(small, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "units", few_units)
    (tmp_path / "thesis.tex").write_text("my only copy")
    with pytest.raises(BadInputError, match=r"holds other things \(thesis.tex\)"):
        build_benchmark(tmp_path)
    with pytest.raises(BadInputError, match="not a folder"):
        build_benchmark(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_killed_build_is_built_again_over_what_it_left(small, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "units", few_units)
    for name in ("cases.parquet.part", "units.parquet", "manifest.json.part"):
        (tmp_path / name).write_bytes(b"PAR1 cut off")
    (tmp_path / "report.html").write_text("stays")
    assert build_benchmark(tmp_path) == read_manifest(small)["digest"]
    assert check_files(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {f"{name}.parquet" for name in SCHEMAS} | {"manifest.json", "report.html"}
