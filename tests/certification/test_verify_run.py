"""What was altered is found, and named: in single certificates, in ledgers, in run folders."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toyrun import World, some_cases, write_cases

from decidendi.certification import (
    Options,
    certify_run,
    export_certificate,
    inclusion_proof,
    verify_file,
    verify_run,
)
from decidendi.judgment import BadInputError
from decidendi.ledger import LedgerError


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("world"), count=60)
    cases = some_cases(60)
    cases[3]["grounds"]["old"]["boom"] = cases[3]["grounds"]["revised"]["boom"] = True
    write_cases(world.cases, cases)
    certify_run(world.old, world.revised, world.cases, world.out)
    return world


@pytest.fixture
def copy(world: World, tmp_path: Path) -> Iterator[Path]:
    import shutil

    shutil.copytree(world.out, tmp_path / "run")
    yield tmp_path / "run"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path to a value that is no container, and to every key."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path


def altered(value: Any) -> list[Any]:
    """Values that differ from ``value`` in one bit."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        data = bytearray(value.encode())
        data[len(data) // 2] ^= 1
        return [data.decode()]
    assert isinstance(value, int)
    return [value ^ 1]


def test_one_bit_changed_in_any_field_of_a_certificate_is_found(
    world: World, tmp_path: Path
) -> None:
    certified = next(row["id"] for row in rows_of(world.out) if row["status"] == "certified")
    for case in (certified, "c3"):
        genuine = json.loads(export_certificate(world.out, case))
        path = tmp_path / "c.json"
        seen = 0
        for leaf in leaves(genuine):
            holder = json.loads(json.dumps(genuine))
            inner = holder
            for step in leaf[:-1]:
                inner = inner[step]
            for other in altered(inner[leaf[-1]]):
                inner[leaf[-1]] = other
                path.write_text(json.dumps(holder))
                found = verify_file(path)
                assert found.problems, f"{leaf} changed to {other!r} passed"
                seen += 1
        assert seen > 25
        path.write_text(json.dumps(genuine))
        assert verify_file(path).verified


def rows_of(out: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(out / "cases.parquet").to_pylist()
    return rows


def test_a_field_removed_or_added_is_found(world: World, tmp_path: Path) -> None:
    genuine = json.loads(export_certificate(world.out, "c5"))
    path = tmp_path / "c.json"
    for field in genuine["predicate"]:
        holder = json.loads(json.dumps(genuine))
        del holder["predicate"][field]
        path.write_text(json.dumps(holder))
        assert not verify_file(path).verified
        holder["predicate"] = {**genuine["predicate"], "remark": "trust me"}
        path.write_text(json.dumps(holder))
        assert not verify_file(path).verified


@pytest.mark.parametrize(
    "column",
    ["case_id", "unit", "old", "revised", "cells", "outcome", "digest"],
)
def test_a_row_altered_in_the_ledger_is_found_and_named(copy: Path, column: str) -> None:
    db = sqlite3.connect(copy / "ledger.sqlite")
    value = db.execute(f"SELECT {column} FROM certificates WHERE ordinal = 7").fetchone()[0]
    data = bytearray(value if isinstance(value, bytes) else value.encode())
    data[0 if column == "case_id" else len(data) // 2] ^= 4
    new = bytes(data) if isinstance(value, bytes) else data.decode()
    db.execute(f"UPDATE certificates SET {column} = ? WHERE ordinal = 7", [new])
    db.commit()
    db.close()
    found = verify_run(copy)
    assert found.count
    assert any("line 8" in problem for problem in found.problems)
    if column == "digest":
        assert any("does not have its root" in p or "do not have its root" in p
                   for p in found.problems)  # fmt: skip


def test_a_verdict_swapped_in_a_row_says_which_receipt_follows(copy: Path) -> None:
    case = next(r for r in rows_of(copy) if r["receipt"] == "norms alone")
    db = sqlite3.connect(copy / "ledger.sqlite")
    (cells,) = db.execute(
        "SELECT cells FROM certificates WHERE case_id = ?", [case["id"]]
    ).fetchone()
    table = json.loads(cells)
    one = next(cell for cell in table if cell["replaced"] == ["norms"])
    one["verdict"] = case["old"]
    new = json.dumps(table, separators=(",", ":"), sort_keys=True).encode()
    db.execute("UPDATE certificates SET cells = ? WHERE case_id = ?", [new, case["id"]])
    db.commit()
    db.close()
    found = verify_run(copy)
    assert any(case["id"] in p and ("cells" in p or "outcome" in p) for p in found.problems)
    single = verify_run(copy, case["id"])
    assert single.certificates == 1 and not single.verified
    other = next(r["id"] for r in rows_of(copy) if r["id"] != case["id"])
    assert verify_run(copy, other).verified


def test_a_removed_certificate_is_found(copy: Path) -> None:
    db = sqlite3.connect(copy / "ledger.sqlite")
    db.execute("DELETE FROM certificates WHERE ordinal = 11")
    db.commit()
    db.close()
    found = verify_run(copy)
    assert any("do not have its root" in problem for problem in found.problems)
    assert any("summary.json: differs" in problem for problem in found.problems)


def test_a_wrong_type_in_the_ledger_is_no_crash(copy: Path) -> None:
    db = sqlite3.connect(copy / "ledger.sqlite")
    for column in ("old", "cells", "outcome", "digest", "unit", "moved"):
        db.execute(f"UPDATE certificates SET {column} = 17 WHERE ordinal = 9")
        db.commit()
        assert verify_run(copy).count
        assert not verify_run(copy, "c9").verified
    db.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [("adjudicator.name", "other"), ("cases.bytes", 1), ("options.timeout", "3")],
)
def test_run_json_altered_is_found(copy: Path, field: str, value: Any) -> None:
    document = json.loads((copy / "run.json").read_text())
    outer, inner = field.split(".")
    document[outer][inner] = value
    (copy / "run.json").write_text(json.dumps(document))
    assert any(problem.startswith("run.json: altered") for problem in verify_run(copy).problems)


def test_summary_altered_says_in_which_field(copy: Path) -> None:
    path = copy / "summary.json"
    document = json.loads(path.read_text())
    document["outcomes"]["changed"] += 1
    path.write_text(json.dumps(document))
    assert verify_run(copy).problems == [
        "summary.json: differs from what the certificates give, in: outcomes.changed"
    ]
    path.write_text("{")
    assert "summary.json" in verify_run(copy).problems[0]
    path.unlink()
    assert "summary.json: missing" in verify_run(copy).problems[0]


def test_the_table_altered_is_found(copy: Path) -> None:
    path = copy / "cases.parquet"
    assert verify_run(copy).verified
    table = pq.read_table(path)
    statuses = table["receipt"].to_pylist()
    statuses[5] = "authority alone" if statuses[5] != "authority alone" else "norms alone"
    forged = table.set_column(
        table.column_names.index("receipt"), "receipt", pa.array(statuses, pa.string())
    )
    pq.write_table(forged, path)
    assert verify_run(copy).problems == [
        "cases.parquet: differs from what the certificates give: in rows 1 to 60, in: receipt"
    ]
    pq.write_table(table.slice(0, 59), path)
    assert "in rows 1 to 60" in verify_run(copy).problems[0]
    pq.write_table(table.slice(0, 0), path)
    assert "cases.parquet: differs" in verify_run(copy).problems[0]
    pq.write_table(table, path, row_group_size=30)
    assert "cases.parquet: differs" in verify_run(copy).problems[0]
    pq.write_table(table.drop_columns("unit"), path)
    assert verify_run(copy).problems[0].endswith("in its columns")
    path.write_bytes(b"PAR1")
    assert "cases.parquet: cannot be read" in verify_run(copy).problems[0]
    path.unlink()
    assert "cases.parquet: missing" in verify_run(copy).problems[0]


def test_the_page_altered_is_found(world: World, copy: Path) -> None:
    path = copy / "report.html"
    page = path.read_text()
    path.write_text(page.replace("norms", "narms", 1))
    differs = ["report.html: differs from what the certificates give"]
    assert verify_run(copy).problems == differs
    path.write_text(page + " ")
    assert verify_run(copy).problems == differs
    path.unlink()
    assert "report.html: missing" in verify_run(copy).problems[0]


def test_a_page_that_cannot_be_drawn_again_is_said_to_be_unchecked(copy: Path) -> None:
    document = json.loads((copy / "run.json").read_text())
    document["where"]["cases"] = str(copy / "elsewhere.jsonl")
    (copy / "run.json").write_text(json.dumps(document))
    found = verify_run(copy)
    assert found.verified
    (note,) = found.notes
    assert note.startswith("report.html was not compared") and "elsewhere.jsonl" in note


def test_the_root_can_be_demanded(world: World, tmp_path: Path) -> None:
    root = json.loads((world.out / "summary.json").read_text())["certificates"]["root"]
    other = "sha256:" + "0" * 64
    assert verify_run(world.out, root=root).verified
    assert verify_run(world.out, "c5", root=root).verified
    assert verify_run(world.out, root=other).problems == [
        f"another run: its root is {root}, not {other}"
    ]
    assert not verify_run(world.out, "c5", root=other).verified
    file, proof = tmp_path / "c.json", tmp_path / "p.json"
    file.write_bytes(export_certificate(world.out, "c5"))
    proof.write_text(json.dumps(inclusion_proof(world.out, "c5")))
    assert verify_file(file, proof=proof, root=root).verified
    assert f"with root {root}, not {other}" in verify_file(file, None, proof, other).problems[0]
    with pytest.raises(BadInputError, match="no proof"):
        verify_file(file, root=root)


def test_a_case_without_a_certificate_says_why(tmp_path: Path) -> None:
    bad = {"id": "late", "grounds": {"region": "north", "days": 1.5}}
    tail = json.dumps(bad) + '\n{"id": "later"}\n'
    world = World(tmp_path, count=20, tail=tail)
    certify_run(world.old, world.revised, world.cases, world.out)
    with pytest.raises(BadInputError, match=r"'late', on line 21 .*1\.5 is a float"):
        export_certificate(world.out, "late")
    with pytest.raises(BadInputError, match=r"'later', on line 22 .*: grounds: missing"):
        export_certificate(world.out, "later")
    with pytest.raises(BadInputError, match="has no case 'c15x'") as caught:
        export_certificate(world.out, "c15x")
    assert "perhaps 'c15'" in caught.value.remedy
    with pytest.raises(BadInputError, match="has no case 'zebra'") as caught:
        export_certificate(world.out, "zebra")
    assert caught.value.remedy == "all ids stand in cases.parquet"
    db = sqlite3.connect(world.out / "ledger.sqlite")
    db.execute("DELETE FROM meta WHERE name = 'complete'")
    db.commit()
    db.close()
    with pytest.raises(BadInputError, match="has no case 'zebra' yet") as caught:
        export_certificate(world.out, "zebra")
    assert "the run is not finished" in caught.value.remedy


def test_a_copied_source_altered_is_found(copy: Path) -> None:
    victim = next(f for f in (copy / "sources").iterdir() if b"1" in f.read_bytes())
    victim.write_bytes(victim.read_bytes().replace(b"1", b"2", 1))
    assert verify_run(copy).problems == [
        f"sources/{victim.name}: its content does not have this digest"
    ]


def test_an_unfinished_run_says_how_to_go_on(world: World, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        certify_run(world.old, world.revised, world.cases, out, watch=stop)
    found = verify_run(out)
    assert any("not finished: 60 case records" in problem for problem in found.problems)


def test_bulk_segments_are_verified_too(world: World, tmp_path: Path) -> None:
    out = tmp_path / "bulk"
    made = certify_run(world.old, world.revised, world.cases, out, Options(bulk=True))
    small = json.loads((world.out / "summary.json").read_text())
    assert made.content["certificates"]["root"] == small["certificates"]["root"]
    found = verify_run(out)
    assert found.verified and found.root == small["certificates"]["root"]
    segment = out / "segments" / "000000.parquet"
    table = pq.read_table(segment)
    units = table["unit"].to_pylist()
    units[20] = "elsewhere"
    at = table.schema.get_field_index("unit")
    pq.write_table(table.set_column(at, "unit", pa.array(units)), segment)
    problems = verify_run(out).problems
    assert any("not the bytes that were written" in problem for problem in problems)
    assert any("'c20' (line 21): altered" in problem or "'c20' (line 21)" in problem
               for problem in problems)  # fmt: skip
    segment.unlink()
    with pytest.raises(LedgerError, match=r"000000\.parquet"):
        verify_run(out)


def test_a_proof_of_inclusion_binds_a_certificate_to_its_run(world: World, tmp_path: Path) -> None:
    root = json.loads((world.out / "summary.json").read_text())["certificates"]["root"]
    certificate, proof = tmp_path / "c.json", tmp_path / "p.json"
    certificate.write_bytes(export_certificate(world.out, "c9"))
    proof.write_text(json.dumps(inclusion_proof(world.out, "c9")))
    assert verify_file(certificate, proof=proof).included == root
    proof.write_text(json.dumps(inclusion_proof(world.out, "c10")))
    found = verify_file(certificate, proof=proof)
    assert found.included is None and "inclusion" in found.problems[0]
    proof.write_text("{}")
    with pytest.raises(BadInputError, match="not a proof"):
        verify_file(certificate, proof=proof)


def test_no_such_case_and_no_run(world: World, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no case 'nobody'"):
        verify_run(world.out, "nobody")
    with pytest.raises(BadInputError, match=r"no run\.json"):
        verify_run(tmp_path)
    with pytest.raises(BadInputError, match="cannot be read"):
        verify_file(tmp_path / "missing.json")
