"""The records of judges: a file that only grows, one line for each validation of one version.

Each line holds its own digest and that of the line before it, so that a line that was changed or
taken out shows. A validation that is there already is not written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from decidendi.folders import only_writer, storage_errors
from decidendi.grading._measures import Measures
from decidendi.grading._validate import Validation
from decidendi.judgment import BadInputError, Place, parse_json, sha256
from decidendi.stats import (
    Agreement,
    Corrected,
    CorrectedRate,
    Difference,
    JudgeRecord,
    NoAgreement,
    Rate,
)

FORMAT = "decidendi-judge-record/1"
_UNSEALED = {"previous": "", "digest": ""}


@dataclass(frozen=True)
class StoredRecord:
    """One line of a file of records.

    Attributes:
        line: Its number.
        judge: The judge's name and version.
        content: All of it.
    """

    line: int
    judge: str
    content: Mapping[str, Any]


def validation_json(found: Validation) -> dict[str, Any]:
    """Return a validation as a JSON object: figures, not labels."""
    run = found.run
    return {
        "format": FORMAT,
        "judge": run.judge.as_json(),
        "judge_digest": run.judge.digest,
        "designed_on": list(found.designed_on),
        "taxonomy": {"name": run.taxonomy.name, "digest": run.taxonomy.digest},
        "chains": {
            "count": len(run.chains),
            "digest": run.chains_digest,
            "labelled": found.labelled,
            "labelled_elsewhere": found.elsewhere,
            "collections": list(run.collections),
        },
        "human": found.labels_digest,
        "people": {
            "annotators": dict(found.people.annotators),
            "several": found.people.several,
            "wrong": _agreement(found.people.wrong),
            "kinds": {code: _agreement(a) for code, a in found.people.kinds.items()},
            "conclusion": _agreement(found.people.conclusion),
            "pair": None if found.people.pair is None else _agreement(found.people.pair),
        },
        "premises": _record(found.premises),
        "kinds": _record(found.kinds),
        "errors": {code: _record(record) for code, record in found.errors.items()},
        "conclusions": _record(found.conclusions),
        "class_kappas": {code: _agreement(k) for code, k in found.class_kappas.items()},
        "class_alphas": {code: _agreement(a) for code, a in found.class_alphas.items()},
        "wholes": _record(found.wholes),
        "first_error": {
            "on_wrong": rate_json(found.first.on_wrong),
            "on_sound": rate_json(found.first.on_sound),
            "f1": _number(found.first.f1),
            "early": found.first.early,
            "late": found.first.late,
            "missed": found.first.missed,
            "excluded": dict(found.first.excluded),
        },
        "by_agreement": {name: rate_json(r) for name, r in found.by_agreement.items()},
        "followed": found.followed,
        "stopping": found.stopping,
        "raw": _raw(found.measures),
        "corrected": {name: _corrected(c) for name, c in found.corrected.items()},
        "rogan_gladen": {name: _corrected(c) for name, c in found.rogan_gladen.items()},
        "gap": _corrected(found.gap),
        "judged_gap": found.judged_gap,
    }


def append_record(path: Path, found: Validation) -> bool:
    """Append a validation; say whether it was new.

    Raises:
        BadInputError: if the file is no file of records, or was altered, or if something else is
            writing into its folder.
    """
    content = validation_json(found)
    with only_writer(path.parent):
        return _appended(path, content)


def _appended(path: Path, content: dict[str, Any]) -> bool:
    there = read_records(path) if path.exists() else []
    if any({**record.content, **_UNSEALED} == {**content, **_UNSEALED} for record in there):
        return False
    sealed = {**content, "previous": str(there[-1].content["digest"]) if there else ""}
    sealed["digest"] = _digest(sealed)
    with storage_errors(path), path.open("ab") as stream:
        stream.write(orjson.dumps(sealed, option=orjson.OPT_SORT_KEYS) + b"\n")
    return True


def read_records(path: Path, *, judge_digest: str | None = None) -> list[StoredRecord]:
    """Read records, of one judge's version if named.

    Raises:
        BadInputError: on a line that is no record, and where a line was changed or taken out.
    """
    found: list[StoredRecord] = []
    previous = ""
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        place = Place(str(path), number)
        try:
            content = parse_json(line)
        except BadInputError as error:
            raise error.at(file=str(path), line=number) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadInputError("not a record of a judge", place=place)
        written = content.pop("digest", None)
        if written != _digest(content):
            raise BadInputError("the line was changed after it was written", place=place)
        if content["previous"] != previous:
            raise BadInputError("a line before this one was changed or taken out", place=place)
        content["digest"] = previous = str(written)
        judge: Any = content["judge"]
        found.append(StoredRecord(number, f"{judge['name']}/{judge['version']}", content))
    if judge_digest is None:
        return found
    return [record for record in found if record.content["judge_digest"] == judge_digest]


def _digest(content: Mapping[str, Any]) -> str:
    """Digest of a line without its own."""
    return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS))


def _number(value: float | None) -> str | None:
    """Write a figure as decimal text: canonical JSON has no floats."""
    return None if value is None else f"{value:.6f}"


def rate_json(found: Rate) -> dict[str, Any]:
    """Return a share as JSON, figures as decimal text."""
    return {
        "numerator": found.numerator,
        "n": found.n,
        "share": _number(found.share),
        "low": _number(found.low),
        "high": _number(found.high),
        "method": found.method,
        "excluded": dict(found.excluded),
    }


def difference_json(found: Difference) -> dict[str, Any]:
    """Return a difference as JSON, figures as decimal text."""
    ends = {"low": _number(found.low), "high": _number(found.high)}
    return {"value": _number(found.value), **ends, "method": found.method}


def _raw(found: Measures) -> dict[str, Any]:
    return {
        "accuracy": rate_json(found.accuracy),
        "soundness": rate_json(found.soundness),
        "correctness": rate_json(found.correctness),
        "gap": difference_json(found.gap),
    }


def _agreement(found: Agreement | NoAgreement) -> dict[str, Any]:
    if isinstance(found, NoAgreement):
        return {"value": None, "why": found.reason, "n": found.n}
    ends = {"low": _number(found.low), "high": _number(found.high)}
    return {"value": _number(found.value), **ends, "n": found.n, "method": found.method}


def _record(found: JudgeRecord) -> dict[str, Any]:
    counts: Sequence[Sequence[int]] = found.confusion.counts
    return {
        "labels": list(found.confusion.labels),
        "counts": [list(row) for row in counts],
        "excluded": dict(found.confusion.excluded),
        "agreed": rate_json(found.agreed),
        "kappa": _agreement(found.kappa),
        "alpha": _agreement(found.alpha),
        "classes": {
            label: {
                "precision": rate_json(rates.precision),
                "recall": rate_json(rates.recall),
                "specificity": rate_json(rates.specificity),
                "f1": rate_json(rates.f1),
            }
            for label, rates in found.classes.items()
        },
    }


def _corrected(found: CorrectedRate) -> dict[str, Any]:
    both = {
        "labelled": found.labelled,
        "judged": found.judged,
        "stood_in": found.stood_in,
        "raw": _number(found.raw),
        "excluded": dict(found.excluded),
    }
    if isinstance(found, Corrected):
        return {
            "estimate": _number(found.estimate),
            "low": _number(found.low),
            "high": _number(found.high),
            "people": _number(found.people),
            "method": found.method,
            **both,
        }
    needed = found.needed
    return {
        "estimate": None,
        "why": found.reason,
        "needed": {
            "half_width": _number(needed.half_width),
            "labels": needed.labels,
            "alone": needed.alone,
            "basis": needed.basis,
        },
        **both,
    }
