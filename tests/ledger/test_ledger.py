"""Both ledgers keep what they are given, in order, and give it back byte for byte."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decidendi._version import __version__ as VERSION
from decidendi.judgment import Case, Identity, Reason, State, Unmeasured, Verdict, canonical_bytes
from decidendi.ledger import (
    BadRow,
    Binder,
    Ledger,
    LedgerError,
    Row,
    create_ledger,
    open_ledger,
    run_root,
)
from decidendi.receipts import (
    Certificate,
    Transition,
    certify_many,
    statement_of,
    to_predicate,
    to_statement,
    verify_statement,
)


class Table:
    """Decides by table lookup over small integers, with error cells among them."""

    def __init__(self, kinds: tuple[str, ...] = ("grounds", "norms", "authority")) -> None:
        self.identity = Identity("table", "python", "sha256:" + "0" * 64, ("yes", "no"), kinds)

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> Verdict:
        total = sum(int(str(source.content)) for source in state)
        if total % 7 == 3:
            return Unmeasured(Reason.ERROR, f"no rule for “{total}” ✗")
        return "yes" if total % 2 else "no"


def transitions(count: int, kinds: tuple[str, ...]) -> list[Transition]:
    out = []
    for n in range(count):
        old = State.of({kind: n // 2 + i for i, kind in enumerate(kinds)})
        new = State.of({kind: n // 2 + i + (n >> i & 1) for i, kind in enumerate(kinds)})
        before = State.of({kind: n // 2 + i + 100 for i, kind in enumerate(kinds)})
        migrated = old if n % 5 == 4 else None
        case = Case(f'case-{n} "ü"', f"unit {n % 3}")
        out.append(Transition(case, before if migrated else old, new, migrated))
    return out


def rows_of(count: int, binder: Binder) -> list[Row]:
    table = Table(binder.identity.kinds)
    made = certify_many(table, transitions(count, binder.identity.kinds))
    return [
        binder.row(certificate, ordinal=n, line=n + 1, size=n, gold=("yes", None))
        for n, certificate in enumerate(made)
    ]


@given(
    st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
@settings(max_examples=50, deadline=None)
def test_a_row_gives_its_certificate_back_byte_for_byte(names: list[str]) -> None:
    import unicodedata

    kinds = tuple(dict.fromkeys(unicodedata.normalize("NFC", name) for name in names))
    table = Table(kinds)
    binder = Binder(table.identity, VERSION, None)
    for n, certificate in enumerate(certify_many(table, transitions(12, kinds))):
        row = binder.row(certificate, ordinal=n, line=n, size=1)
        assert binder.predicate_bytes(row) == canonical_bytes(to_predicate(certificate))
        assert binder.certificate(row) == certificate
        assert binder.matches(row)
        subject = to_statement(certificate)["subject"]
        assert isinstance(subject, list)
        assert row.digest.hex() == subject[0]["digest"]["sha256"]  # type: ignore[index,call-overload]  # JSON by construction


def filled(folder: Path, rows: list[Row], *, bulk: bool, batch: int, segment: int = 16) -> Ledger:
    folder.mkdir(exist_ok=True)
    ledger = create_ledger(folder, bulk=bulk, segment=segment)
    count = rows[-1].ordinal + 1
    for start in range(0, count, batch):
        upto = min(start + batch, count)
        some = [row for row in rows if start <= row.ordinal < upto]
        missing = set(range(start, upto)) - {row.ordinal for row in some}
        bad = [
            BadRow(n, n + 1, "not a case", None, "grounds", "broken", "mend it")
            for n in sorted(missing)
        ]
        ledger.append(some, bad, upto)
    ledger.finish()
    return ledger


@pytest.mark.parametrize("bulk", [False, True])
def test_what_goes_in_comes_out(tmp_path: Path, bulk: bool) -> None:
    binder = Binder(Table().identity, VERSION, None)
    rows = [row for row in rows_of(50, binder) if row.ordinal not in (7, 40)]
    filled(tmp_path / "a", rows, bulk=bulk, batch=8).close()
    with open_ledger(tmp_path / "a") as ledger:
        assert ledger.bulk is bulk
        assert list(ledger.rows()) == rows
        assert [bad.ordinal for bad in ledger.bad()] == [7, 40]
        assert ledger.complete and ledger.position == 50
        assert ledger.find(rows[20].case_id) == rows[20]
        assert ledger.find("nobody") is None
        assert [segment.certificates for segment in ledger.segments()] == [15, 16, 15, 2]
        assert list(ledger.problems()) == []
        for row in (rows[0], rows[20], rows[-1]):
            assert ledger.inclusion(row).root(row.digest) == run_root(ledger.segments())
        assert ledger.inclusion(rows[0]).root(rows[1].digest) != run_root(ledger.segments())


def test_both_kinds_seal_a_run_with_the_same_root(tmp_path: Path) -> None:
    rows = rows_of(50, Binder(Table().identity, VERSION, None))
    roots = {
        run_root(filled(tmp_path / f"{bulk}{batch}", rows, bulk=bulk, batch=batch).segments())
        for bulk in (False, True)
        for batch in (8, 50)
    }
    assert len(roots) == 1


def test_parquet_bytes_do_not_depend_on_batches_or_interruption(tmp_path: Path) -> None:
    rows = rows_of(50, Binder(Table().identity, VERSION, None))
    filled(tmp_path / "a", rows, bulk=True, batch=50).close()
    folder = tmp_path / "b"
    folder.mkdir()
    with create_ledger(folder, bulk=True, segment=16) as ledger:
        ledger.append(rows[:20], [], 20)  # one segment committed, four rows buffered and lost
    (folder / "segments" / "000001.parquet").write_bytes(b"left by a kill before its manifest")
    with create_ledger(folder, bulk=True) as ledger:
        assert ledger.position == 16
        assert ledger.segment == 16
        ledger.append(rows[16:], [], 50)
        ledger.finish()
    for one in sorted((tmp_path / "a" / "segments").iterdir()):
        assert one.read_bytes() == (folder / "segments" / one.name).read_bytes()


def test_cells_outlive_the_process_and_the_memory_bound(tmp_path: Path) -> None:
    from decidendi.ledger._cells import Cells
    from decidendi.ledger._database import connect, transaction

    path = tmp_path / "l.sqlite"
    db = connect(path, writing=True)
    cells = Cells(db, remembered=8)
    keys = [(f"sha256:{n:064x}", f"sha256:{n + 1:064x}") for n in range(40)]
    verdicts: list[tuple[Verdict, ...]] = [
        ("yes", "no") if n % 2 else (Unmeasured(Reason.TIMEOUT, "1 s"),) for n in range(40)
    ]
    for key, given_verdicts in zip(keys, verdicts, strict=True):
        assert cells.get(key) is None
        cells.put(key, given_verdicts)
    assert [cells.get(key) for key in keys] == verdicts  # from memory or still unwritten
    with transaction(db, path):
        cells.write()
    db.close()
    again = Cells(connect(path, writing=True), remembered=8)
    assert [again.get(key) for key in keys] == verdicts
    assert again.get(("sha256:" + "f" * 64,)) is None


def test_no_folder_and_no_ledger_are_told_apart_from_damage(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger here"):
        open_ledger(tmp_path)
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(LedgerError, match="damaged"):
        open_ledger(tmp_path)


def test_a_damaged_segment_is_named(tmp_path: Path) -> None:
    rows = rows_of(50, Binder(Table().identity, VERSION, None))
    filled(tmp_path / "a", rows, bulk=True, batch=50).close()
    victim = tmp_path / "a" / "segments" / "000002.parquet"
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    with open_ledger(tmp_path / "a") as ledger:
        assert list(ledger.problems()) == [
            "segments/000002.parquet: not the bytes that were written"
        ]
        victim.unlink()
        with pytest.raises(LedgerError, match=r"000002.*is gone\. .* into a new folder"):
            list(ledger.rows())


def test_a_full_disk_says_what_to_do(tmp_path: Path) -> None:
    rows = rows_of(50, Binder(Table().identity, VERSION, None))
    with create_ledger(tmp_path, bulk=False) as ledger:
        ledger.append(rows[:10], [], 10)
        pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
        ledger._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match="free some space and run the same command again"):
            for start in range(10, 50, 10):
                ledger.append(rows[start : start + 10], [], start + 10)
    with create_ledger(tmp_path, bulk=False) as ledger:
        ledger.append(rows[ledger.position :], [], 50)
        assert list(ledger.rows()) == rows


def test_certificates_read_from_rows_verify(tmp_path: Path) -> None:
    binder = Binder(Table().identity, VERSION, None)
    for row in rows_of(20, binder):
        certificate: Certificate = binder.certificate(row)
        assert verify_statement(statement_of(to_predicate(certificate))) == []


def test_the_database_is_one_plain_file_when_done(tmp_path: Path) -> None:
    rows = rows_of(20, Binder(Table().identity, VERSION, None))
    filled(tmp_path / "a", rows, bulk=False, batch=50).close()
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["ledger.sqlite"]
    db = sqlite3.connect(tmp_path / "a" / "ledger.sqlite")
    assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    db.close()


def test_cells_are_committed_by_the_clock_and_on_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("decidendi.ledger._cells.monotonic", lambda: now)

    def on_disk() -> int:
        db = sqlite3.connect(tmp_path / "ledger.sqlite")
        found: int = db.execute("SELECT count(*) FROM cells").fetchone()[0]
        db.close()
        return found

    ledger = create_ledger(tmp_path, bulk=False)
    assert ledger.cells is not None
    seen = []
    for n in range(40):
        ledger.cells.put((f"sha256:{n:064x}",), ("yes",))
        ledger.save_due_cells()
        seen.append(on_disk())
        now += 0.1
    assert seen[0] == 0 and sorted(set(seen)) == [0, 12, 23, 34]
    ledger.close()
    assert on_disk() == 40
