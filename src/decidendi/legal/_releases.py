"""Loaders for public releases: local JSONL, JSON, CSV, TSV and Parquet, or by Hub id."""

from __future__ import annotations

import codecs
import csv
import importlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from decidendi.judgment import BadInputError, MissingExtraError, Place, parse_json
from decidendi.legal._converters import CONVERTERS
from decidendi.legal._loading import (
    Loaded,
    Problem,
    Row,
    RowError,
    collect,
    jsonl_rows,
    record,
    require_file,
)
from decidendi.legal._question import Task
from decidendi.legal._tasks import task as shipped_task

FORMATS = tuple(CONVERTERS)
"""The known formats, by name."""

LEXGLUE = {"ecthr_a": "lexglue-ecthr", "scotus": "lexglue-scotus", "case_hold": "lexglue-casehold"}
"""The configurations of LexGLUE on the Hub that are tasks here, with their formats."""

_CASEHOLD_COLUMNS = (
    "id",
    "citing_prompt",
    *(f"holding_{i}" for i in range(5)),
    *(f"score_{i}" for i in range(5)),
    "label",
)


def load_release(
    path: Path, *, format: str = "auto", task: Task | None = None, limit: int | None = None
) -> Loaded:
    """Load a file in a known format.

    Args:
        path: ``.jsonl``, ``.json``, ``.csv``, ``.tsv`` or ``.parquet``.
        format: One of ``FORMATS``, or ``auto`` to recognise it by the first row's fields.
        task: What the cases are asked; the format's own where None.
        limit: Characters of facts to keep; the task's own limit where None.

    Raises:
        BadInputError: if the file cannot be opened, or its format is not recognised. A row
            that cannot be used raises nothing: it is listed.
    """
    require_file(path)
    return _loaded(_rows(path), str(path), format, task, limit)


def load_hub(
    name: str,
    config: str | None = None,
    split: str = "test",
    *,
    format: str = "auto",
    task: Task | None = None,
    limit: int | None = None,
) -> Loaded:
    """Load a data set by its Hub id, with the ``datasets`` package (extra ``hub``).

    Args:
        name: The id: ``coastalcph/lex_glue``.
        config: Its configuration: ``ecthr_a``, ``scotus``, ``case_hold``.
        split: ``train``, ``validation`` or ``test``.
        format: As for ``load_release``; a LexGLUE configuration says it by itself.
        task: As for ``load_release``.
        limit: As for ``load_release``.

    Raises:
        MissingExtraError: if ``datasets`` is not installed.
        BadInputError: if the data set cannot be had, or its format is not recognised.
    """
    try:
        datasets: Any = importlib.import_module("datasets")
    except ImportError:
        raise MissingExtraError("loading a data set by its Hub id", "hub") from None
    shown = f"{name}/{config}[{split}]" if config else f"{name}[{split}]"
    try:
        found = datasets.load_dataset(name, config, split=split)
    except Exception as error:  # any failure of the Hub client, its network or its files
        remedy = "check the id, the configuration and the split; or download it and give the file"
        raise BadInputError(f"{type(error).__name__}: {error}", remedy=remedy).at(
            file=shown
        ) from error
    if format == "auto" and config in LEXGLUE:
        format = LEXGLUE[config]
    return _loaded(((n, record(row)) for n, row in enumerate(found, 1)), shown, format, task, limit)


def _loaded(
    rows: Iterator[tuple[int, Row | RowError]],
    file: str,
    format: str,
    task: Task | None,
    limit: int | None,
) -> Loaded:
    if format == "auto":
        format, rows = _recognised(rows, file)
    if format not in CONVERTERS:
        raise BadInputError(f"no format {format!r}", remedy=f"one of: {', '.join(FORMATS)}")
    own, _, convert = CONVERTERS[format]
    if task is None:
        if not own:
            raise BadInputError(
                "cases in this project's own schema do not name their task",
                remedy="say which task they are asked",
                place=Place(file),
            )
        task = shipped_task(own)
    loaded = collect(rows, convert, task, file, limit or task.facts_limit)
    if own and own != task.id and not loaded.cases:
        raise BadInputError(
            f"rows in the format {format} are cases of the task {own}, not of {task.id}",
            remedy=f"--task {own}",
            place=Place(file),
        )
    return loaded


def _recognised(
    rows: Iterator[tuple[int, Row | RowError]], file: str
) -> tuple[str, Iterator[tuple[int, Row | RowError]]]:
    """Name the format by the first readable row, and give all rows back."""
    read = []
    for number, row in rows:
        read.append((number, row))
        if isinstance(row, RowError):
            continue
        keys = set(row)
        if {"hypothesis_id", "choice"} <= keys and "text" not in keys:
            raise BadInputError(
                "pairs of ContractNLI do not hold the contracts they are about",
                remedy="give the release's documents: each has all its hypotheses",
                place=Place(file),
            )
        for name, (_, recognises, _) in CONVERTERS.items():
            if recognises(keys):
                return name, chain(read, rows)
        # A first row of ours may lack just what tells it: then it is that row which is listed.
        if "facts" in keys or isinstance(row.get("gold"), dict):
            return "decidendi", chain(read, rows)
        shown = ", ".join(sorted(map(str, keys))[:12])
        raise BadInputError(
            f"no known format has the fields {shown}",
            remedy=f"write rows with id, facts and gold (decidendi schema audit-cases); the public "
            f"releases that are read: {', '.join(FORMATS[1:])}",
            place=Place(file, number),
        )
    first = next((f"line {n}: {row.detail}" for n, row in read if isinstance(row, RowError)), "")
    raise BadInputError(
        "no row that could be read", remedy=first and f"the first is {first}", place=Place(file)
    )


def _rows(path: Path) -> Iterator[tuple[int, Row | RowError]]:
    kind = path.suffix.lower()
    if kind in (".jsonl", ".ndjson"):
        return jsonl_rows(path)
    if kind == ".json":
        return _json_rows(path)
    if kind in (".csv", ".tsv"):
        return _csv_rows(path, "\t" if kind == ".tsv" else ",")
    if kind == ".parquet":
        return _parquet_rows(path)
    remedy = "one of: .jsonl, .json, .csv, .tsv, .parquet"
    raise BadInputError(f"files ending in {kind!r} are not read", remedy=remedy)


def _json_rows(path: Path) -> Iterator[tuple[int, Row | RowError]]:
    """A list of records, or an object with a list of ``documents`` as ContractNLI's release."""
    try:
        content = parse_json(path.read_bytes().removeprefix(codecs.BOM_UTF8))
    except BadInputError as error:
        raise error.at(file=str(path)) from None
    rows = content.get("documents") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        what = "neither a list of records nor an object with a list of documents"
        raise BadInputError(what, place=Place(str(path)))
    return ((number, record(row)) for number, row in enumerate(rows, 1))


def _csv_rows(path: Path, delimiter: str) -> Iterator[tuple[int, Row | RowError]]:
    """Records by the header; CaseHOLD's release, whose header names nothing, by position."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        header: tuple[str, ...] = tuple(next(reader, ()))
        if "citing_prompt" not in header and len(header) == len(_CASEHOLD_COLUMNS):
            header = _CASEHOLD_COLUMNS
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield reader.line_num, RowError(Problem.NOT_READABLE, "", str(error))
                continue
            if cells is None:
                return
            yield reader.line_num, _by_header(header, cells)


def _by_header(header: tuple[str, ...], cells: list[str]) -> Row | RowError:
    if len(cells) != len(header):
        what = f"{len(cells)} cells under {len(header)} headings"
        return RowError(Problem.NOT_READABLE, "", what)
    for name, cell in zip(header, cells, strict=True):
        if "\ufffd" in cell:
            return RowError(Problem.NOT_READABLE, name, "the text is not UTF-8")
    return dict(zip(header, cells, strict=True))


def _parquet_rows(path: Path) -> Iterator[tuple[int, Row | RowError]]:
    import pyarrow as pa  # a heavy import, and most users read text
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise BadInputError(f"no Parquet file: {error}", place=Place(str(path))) from None
    number = 0
    for batch in table.iter_batches(batch_size=256):
        for row in batch.to_pylist():
            number += 1
            yield number, record(row)
