"""The benchmark on disk: four Parquet tables and a manifest of digests.

A table's digest is taken over its rows as canonical JSON, one a line, never over the bytes of
Parquet, which differ between versions of the library. The benchmark's one digest is that of
the manifest's core: every table's digest and length, and the digests of the data files that
the cases were made from. Beside its core the manifest has the digest of each file's bytes as it
was written here, so that whoever reads a table knows at once that nothing happened to it since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from decidendi.judgment import JSON, BadInputError, Place, canonical_bytes, digest_of, parse_json
from decidendi.judgment import sha256 as sha256_of
from decidendi.reasonbench._records import GoldCase, GoldSet
from decidendi.reasonbench._rows import column_of
from decidendi.reasonbench._targets import Target

FORMAT = 1
MANIFEST = "manifest.json"
ROW_GROUP = 2_000

_TEXT, _SMALL = pa.string(), pa.int16()
_CASES = pa.schema(
    [
        *[(name, _TEXT) for name in ("id", "stratum", "unit", "split", "family")],
        *[(name, _SMALL) for name in ("depth", "mask")],
        *[(name, _TEXT) for name in ("control_of", "control")],
        ("cube", pa.list_(_TEXT)),
        ("receipt", pa.list_(_SMALL)),
        ("old", pa.list_(_TEXT)),
        ("revised", pa.list_(_TEXT)),
        ("rendering", _TEXT),
        ("order", pa.list_(_SMALL)),
        ("prompt", _TEXT),
        *[(column_of(target), _TEXT) for target in Target],
    ]
)
SCHEMAS: Mapping[str, Any] = {
    "units": pa.schema(
        [
            *[(name, _TEXT) for name in ("unit", "stratum", "split", "family")],
            *[(name, _SMALL) for name in ("depth", "cases", "controls")],
            ("restates", _TEXT),
        ]
    ),
    "cases": _CASES,
    "controls": _CASES,
    "sources": pa.schema([(name, _TEXT) for name in ("kind", "digest", "content")]),
}
"""The tables: units, main cases, controls, and the content of every source by digest."""


class TableWriter:
    """Writes one table in row groups of a fixed length, digesting as it goes."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.parquet"
        self.rows = 0
        self._schema = SCHEMAS[name]
        self._temporary = self.path.with_suffix(".parquet.part")
        self._writer = pq.ParquetWriter(self._temporary, self._schema, compression="zstd")
        self._waiting: list[dict[str, JSON]] = []
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish the table under its own name; on an error leave nothing behind."""
        if error is None:
            self._flush()
        self._writer.close()
        if error is None:
            self._temporary.replace(self.path)
        else:
            self._temporary.unlink(missing_ok=True)

    def write(self, row: dict[str, JSON]) -> None:
        """Add a row."""
        self._hash.update(canonical_bytes(row) + b"\n")
        self.rows += 1
        self._waiting.append(row)
        if len(self._waiting) == ROW_GROUP:
            self._flush()

    @property
    def digest(self) -> str:
        """Digest of the rows written so far."""
        return "sha256:" + self._hash.hexdigest()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting.clear()


def data_digests() -> dict[str, JSON]:
    """Return the digest of every data file that cases are made from, by name."""
    root = files("decidendi.reasonbench") / "data"
    names = [f"clauses/{name}.json" for name in ("airline", "retail", "telecom")]
    names += [f"prompts/{name}.j2" for name in ("plain", "memo")] + ["words.json"]
    return {name: sha256_of((root / name).read_bytes()) for name in names}


def core_of(seed: int, tables: Mapping[str, Mapping[str, JSON]]) -> dict[str, JSON]:
    """Return the part of a manifest that the benchmark's digest is taken over."""
    return {
        "format": FORMAT,
        "seed": seed,
        "tables": {name: dict(table) for name, table in tables.items()},
        "data": data_digests(),
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a benchmark's manifest.

    Raises:
        BadInputError: if there is none, if it is not one of this format, or if its digest is
            not that of its core.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise BadInputError(
            "no benchmark here: manifest.json is missing",
            remedy="build one: decidendi bench build --out FOLDER",
            place=Place(file=str(folder)),
        )
    try:
        manifest = parse_json(path.read_bytes())
    except BadInputError as error:
        raise error.at(file=str(path)) from None
    core = manifest.get("core") if isinstance(manifest, dict) else None
    if (
        not isinstance(core, dict)
        or set(core) != {"format", "seed", "tables", "data"}
        or core["format"] != FORMAT
        or "digest" not in manifest
    ):
        raise BadInputError(
            f"not a benchmark manifest of format {FORMAT}",
            remedy="build the benchmark again with this version",
            place=Place(file=str(path)),
        )
    if digest_of(core) != manifest["digest"]:
        raise BadInputError(
            "altered since it was built: its digest is not that of its contents",
            remedy="build the benchmark again",
            place=Place(file=str(path)),
        )
    return dict(manifest)


def check_files(folder: Path) -> dict[str, Any]:
    """Return the manifest, having found that every table has the bytes that were written.

    The bytes are what was written here, in this folder or where it was copied from; whether
    that is a sound benchmark is for the audit to say.

    Raises:
        BadInputError: if there is no benchmark, or a table is not as it was built.
    """
    manifest = read_manifest(folder)
    written = manifest.get("files")
    for name in SCHEMAS:
        path = folder / f"{name}.parquet"
        try:
            found = _digest_of_file(path)
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
        else:
            if isinstance(written, dict) and written.get(path.name) == found:
                continue
            what = "altered since it was built"
        remedy = "build the benchmark again; decidendi bench audit says what is wrong in it"
        raise BadInputError(what, remedy=remedy, place=Place(file=str(path)))
    return manifest


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def ready_folder(out: Path) -> None:
    """Make the folder of a benchmark; an earlier one in it is no benchmark from now on.

    Its manifest goes first. What else lies beside a benchmark stays.

    Raises:
        BadInputError: if ``out`` is no folder, or holds other things and no benchmark, not even
            a part of one: writing into it would mix the two.
    """
    tables = [f"{name}.parquet" for name in SCHEMAS]
    own = {MANIFEST, *tables, *(f"{name}.part" for name in (MANIFEST, *tables))}
    try:
        out.mkdir(parents=True, exist_ok=True)
        there = {path.name for path in out.iterdir()}
    except (FileExistsError, NotADirectoryError):
        raise BadInputError(
            "not a folder", remedy="name a folder for it", place=Place(file=str(out))
        ) from None
    if there and not there & own:
        raise BadInputError(
            f"holds other things ({min(there)}), and no benchmark",
            remedy="name a new or an empty folder",
            place=Place(file=str(out)),
        )
    (out / MANIFEST).unlink(missing_ok=True)
    for name in own - {MANIFEST, *tables}:
        (out / name).unlink(missing_ok=True)


def read_rows(
    folder: Path, table: str, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Stream a table's rows; memory holds one row group."""
    path = folder / f"{table}.parquet"
    try:
        with pq.ParquetFile(path) as file:
            wanted = list(columns) if columns is not None else None
            for i in range(file.num_row_groups):
                yield from file.read_row_group(i, columns=wanted).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise BadInputError(
            f"cannot be read as Parquet: {error}",
            remedy="build the benchmark again",
            place=Place(file=str(path)),
        ) from None


_GOLD = [*GoldCase.__dataclass_fields__]


def gold_of(row: Mapping[str, Any]) -> GoldCase:
    """Return the gold case in a row; raises ``ValueError`` if it contradicts itself."""
    fields = {name: row[name] for name in _GOLD}
    fields["cube"], fields["receipt"] = tuple(row["cube"]), tuple(row["receipt"])
    return GoldCase(**fields)


def read_gold(folder: Path) -> GoldSet:
    """Read what predictions are scored against: main cases, then controls.

    Raises:
        BadInputError: if the folder holds no benchmark or an altered one, or if a row
            contradicts itself.
    """
    digest = str(check_files(folder)["digest"])
    try:
        return GoldSet.of(
            digest,
            (
                gold_of(row)
                for table in ("cases", "controls")
                for row in read_rows(folder, table, _GOLD)
            ),
        )
    except ValueError as error:
        raise BadInputError(str(error), place=Place(file=str(folder))) from None


def write_manifest(folder: Path, manifest: Mapping[str, JSON]) -> str:
    """Write the manifest, with its digest and those of the files, last; return the digest."""
    digest = digest_of(manifest["core"])
    paths = [folder / f"{name}.parquet" for name in SCHEMAS]
    written: dict[str, JSON] = {path.name: _digest_of_file(path) for path in paths}
    document: dict[str, JSON] = {"digest": digest, "files": written, **manifest}
    temporary = folder / f"{MANIFEST}.part"
    temporary.write_bytes(canonical_bytes(document) + b"\n")
    temporary.replace(folder / MANIFEST)
    return digest
