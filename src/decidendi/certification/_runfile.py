"""``run.json``: everything that a run's certificates share, and what a resumed run must match."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decidendi._version import __version__
from decidendi.certification._files import CaseFile
from decidendi.evaluators import Evaluator, Pair
from decidendi.folders import write_whole
from decidendi.judgment import BadInputError, Identity, Place, digest_of, parse_json
from decidendi.ledger import SEGMENT_CASES, Binder
from decidendi.receipts import Sampling

RUN = "run.json"
FORMAT = "decidendi-run/1"
BULK_CASES = 100_000
"""From so many case records on, certificates go to Parquet segments."""


@dataclass(frozen=True)
class Options:
    """What a user can ask of a run.

    Attributes:
        timeout: Seconds that one execution may take; None waits for ever.
        confidence: For stochastic adjudicators, 1 - delta of each certificate, as text.
        budget: For stochastic adjudicators, the most draws spent on one cell.
        bulk: Whether to write Parquet segments; None decides by the number of cases.
    """

    timeout: float | None = None
    confidence: str = "0.95"
    budget: int = 64
    bulk: bool | None = None


def describe(pair: Pair, cases: CaseFile, options: Options) -> dict[str, Any]:
    """Return the content of ``run.json``, but for where things lay."""
    identity = pair.identity
    bulk = options.bulk if options.bulk is not None else cases.lines >= BULK_CASES
    return {
        "format": FORMAT,
        "tool": {"name": "decidendi", "version": __version__},
        "adjudicator": identity.as_json(),
        "engine": pair.revised.bindings.get("library"),
        "evaluators": {"old": _evaluator(pair.old), "revised": _evaluator(pair.revised)},
        "cases": {"digest": cases.digest, "bytes": cases.bytes},
        "options": {
            "timeout": None if options.timeout is None else str(options.timeout),
            **_drawn(identity, options),
            "storage": "parquet" if bulk else "sqlite",
            "segment": SEGMENT_CASES,
        },
        "seeds": {"bootstrap": 42},
    }


def _drawn(identity: Identity, options: Options) -> dict[str, Any]:
    """Return the options that matter only where cells are drawn; elsewhere a run has none."""
    if identity.deterministic:
        return {}
    return {"confidence": options.confidence, "budget": options.budget}


def _evaluator(evaluator: Evaluator) -> dict[str, Any]:
    return {
        "name": evaluator.name,
        "version": evaluator.version,
        "revision": evaluator.revision,
        "digest": evaluator.digest,
        "case_kinds": list(evaluator.case_kinds),
        "sources": {kind: source.digest for kind, source in evaluator.sources.items()},
        "schemas": {kind: digest_of(schema) for kind, schema in evaluator.schemas.items()},
    }


class RunFile:
    """A run as ``run.json`` describes it."""

    def __init__(self, content: dict[str, Any], where: dict[str, str]) -> None:
        self.content = content
        self.where = where

    @property
    def identity(self) -> Identity:
        """The adjudicator that all certificates of the run name."""
        about = self.content["adjudicator"]
        return Identity(
            name=about["name"],
            engine=about["engine"],
            digest=about["digest"],
            verdicts=tuple(about["verdicts"]),
            kinds=tuple(about["kinds"]),
            deterministic=about["deterministic"],
        )

    @property
    def sampling(self) -> Sampling | None:
        """How cells were drawn; None for a deterministic adjudicator."""
        if self.content["adjudicator"]["deterministic"]:
            return None
        options = self.content["options"]
        return Sampling(options["confidence"], options["budget"])

    @property
    def binder(self) -> Binder:
        """What turns the ledger's rows into certificates."""
        return Binder(self.identity, self.content["tool"]["version"], self.sampling)

    @property
    def bulk(self) -> bool:
        """Whether certificates lie in Parquet segments."""
        return bool(self.content["options"]["storage"] == "parquet")

    @property
    def segment(self) -> int:
        """Case records per segment."""
        return int(self.content["options"]["segment"])

    @property
    def case_kinds(self) -> tuple[str, ...]:
        """The kinds that come with each case."""
        return tuple(self.content["evaluators"]["old"]["case_kinds"])

    def write(self, folder: Path) -> None:
        """Write it."""
        document = {**self.content, "where": self.where}
        data = json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
        write_whole(folder / RUN, data)

    @classmethod
    def read(cls, folder: Path) -> RunFile:
        """Read the run of a folder.

        Raises:
            BadInputError: if the folder holds no run that this version can read.
        """
        path = folder / RUN
        place = Place(file=str(path))
        _refuse_special(folder)
        try:
            document = parse_json(path.read_bytes())
        except OSError:
            raise BadInputError(
                "not the folder of a run: it has no run.json",
                remedy="name the folder given to certify --out",
                place=Place(file=str(folder)),
            ) from None
        except BadInputError as error:
            raise error.at(file=str(path)) from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise BadInputError(
                f"not of the format {FORMAT!r}", remedy="certify into a new folder", place=place
            )
        where = document.pop("where", {})
        where = where if isinstance(where, dict) else {}
        run = cls(document, where)
        try:
            run.binder, run.bulk, run.case_kinds  # noqa: B018 - reads every field it needs
            (
                document["cases"]["digest"],
                int(document["cases"]["bytes"]),
                document["evaluators"]["revised"]["sources"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInputError(
                f"damaged: {type(error).__name__} {error}",
                remedy="certify into a new folder",
                place=place,
            ) from None
        return run


def _refuse_special(folder: Path) -> None:
    """Refuse pipes and devices in a run folder, which may be a stranger's: they have no end."""
    for part in (folder, folder / "sources", folder / "segments"):
        if not part.is_dir():
            continue
        for path in sorted(part.iterdir()):
            if path.exists() and not path.is_file() and not path.is_dir():
                raise BadInputError(
                    "not a regular file", remedy="trust no such folder", place=Place(file=str(path))
                )


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Yield the dotted names of the fields in which two documents differ."""
    for key in sorted({*one, *other}):
        left, right = one.get(key), other.get(key)
        if isinstance(left, dict) and isinstance(right, dict):
            yield from (f"{key}.{inner}" for inner in differing(left, right))
        elif left != right:
            yield key


def _both_values(field: str, one: Any, other: Any) -> str:  # noqa: ANN401 - JSON documents
    """Return a field's name, with both its values where they are short."""
    for key in field.split("."):
        one, other = (side.get(key) if isinstance(side, dict) else None for side in (one, other))
    shown = [json.dumps(value, ensure_ascii=False) for value in (one, other)]
    if any(len(text) > 40 for text in shown):
        return field  # digests say nothing to people
    return f"{field} ({shown[0]} there, {shown[1]} here)"


def refuse_other(folder: Path, found: RunFile, wanted: Mapping[str, Any]) -> None:
    """Raise if the run in a folder is not the one to be continued."""
    fields = list(differing(found.content, wanted))
    if fields:
        raise BadInputError(
            "this folder holds another run; it differs in: "
            + ", ".join(_both_values(field, found.content, wanted) for field in fields),
            remedy="name another folder for --out, or move this run aside with --fresh",
            place=Place(file=str(folder)),
        )
