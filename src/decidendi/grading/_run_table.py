"""``labels.parquet``: one row for each premise, for those who go on with other tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from decidendi.folders import write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._labels import Labels, Marks
from decidendi.grading._measures import Graded
from decidendi.grading._score import score
from decidendi.judgment import Unmeasured

TABLE: Final = "labels.parquet"


def write_table(folder: Path, graded: Sequence[Graded], taxonomy: str) -> None:
    """Write it; equal labels give equal bytes. Each row names the taxonomy by its digest.

    A chain whose premises could not be told apart has one row, without a number of a premise.
    What has no value is null, and ``why_not`` says why a premise has no label.
    """
    import pyarrow as pa  # takes long to import, and help needs none of it
    import pyarrow.parquet as pq

    error = pa.struct({"code": pa.string(), "why": pa.string(), "carried": pa.bool_()})
    schema = pa.schema(
        {
            "chain": pa.string(),
            "unit": pa.string(),
            "collection": pa.string(),
            "model": pa.string(),
            "chosen": pa.string(),
            "gold": pa.string(),
            "conclusion": pa.string(),
            "correctness": pa.float64(),
            "premise": pa.int64(),
            "text": pa.string(),
            "sound": pa.bool_(),
            "errors": pa.list_(error),
            "why_not": pa.string(),
            "taxonomy": pa.string(),
        }
    )
    stream = pa.BufferOutputStream()
    rows = [{**row, "taxonomy": taxonomy} for chain in graded for row in _rows(*chain)]
    pq.write_table(pa.Table.from_pylist(rows, schema), stream, compression="zstd")
    write_whole(folder / TABLE, stream.getvalue().to_pybytes())


def _rows(chain: Chain, labels: Labels | None) -> Iterator[dict[str, Any]]:
    found = None if labels is None else score(chain, labels)
    of_chain = {
        "chain": chain.id,
        "unit": chain.unit,
        "collection": chain.collection,
        "model": chain.model,
        "chosen": _value(chain.chosen),
        "gold": chain.gold,
        "conclusion": found and _value(found.conclusion),
        "correctness": found and _value(found.correctness),
    }
    if isinstance(chain.premises, Unmeasured):
        yield {**of_chain, "why_not": _why_not(chain.premises)}
        return
    for place, text in enumerate(chain.premises):
        yield {**of_chain, "premise": place + 1, "text": text, **_label(labels, place)}


def _label(labels: Labels | None, place: int) -> dict[str, Any]:
    """Return the label of one premise; errors also where only some kinds were looked for."""
    marks: Marks = None if labels is None else labels.marks(place)
    known = marks
    if not isinstance(marks, tuple) and labels is not None and labels.partly is not None:
        known = labels.partly.premises[place]
    return {
        "sound": not marks if isinstance(marks, tuple) else None,
        "errors": [{"code": f.code, "why": f.why, "carried": f.carried} for f in known]
        if isinstance(known, tuple)
        else None,
        "why_not": _why_not(marks),
    }


def _value(value: Any) -> Any:  # noqa: ANN401 - anything that may be unmeasured
    return None if isinstance(value, Unmeasured) else value


def _why_not(marks: Marks) -> str | None:
    if isinstance(marks, Unmeasured):
        return f"{marks.reason}: {marks.detail}" if marks.detail else str(marks.reason)
    return "no label" if marks is None else None
