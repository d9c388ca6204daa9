"""What came of one call: the generation, and the record that is written of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import orjson

from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, Verdict, parse_json


class Stop(StrEnum):
    """Why a generation ended."""

    DONE = "done"
    LENGTH = "length"
    """A limit of tokens, the model's or the run's."""
    REFUSED = "refused"
    """The provider withheld the answer."""
    ERROR = "error"
    """No answer came: asked again when the run is started again."""
    TIMEOUT = "timeout"
    """No answer in time: likewise."""
    UNFIT = "unfit"
    """The prompt cannot be given to this model (too long, or with a token of its own in it)."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """The end of a sentence of the reasoning, at which the verdict was asked for.

    Attributes:
        start: Where the sentence begins, in ``whole_text``.
        end: Where it ends, and the reasoning was cut.
        scores: Probability by label there; empty where labels cannot be told apart.
    """

    start: int
    end: int
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model gave for one call.

    Attributes:
        text: What it wrote; anything.
        reasoning: Its reasoning, where that came in a field of its own.
        stop: Why it ended.
        detail: What happened, where it ended badly.
        forced: Its reasoning was closed from outside, and the answer asked for.
        margin: Log-odds of the first label over the best other at the verdict, in nats; None
            where probabilities are not to be had.
        tokens_in: Tokens of the prompt; None where unknown.
        tokens_out: Tokens written; likewise.
        boundaries: The verdict asked for at each sentence of the reasoning; None where it was not.
    """

    text: str
    reasoning: str | None = None
    stop: Stop = Stop.DONE
    detail: str = ""
    forced: bool = False
    margin: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    boundaries: tuple[Boundary, ...] | None = None

    def __post_init__(self) -> None:
        # Half a surrogate pair is what broken UTF-8 becomes on its way; no file can hold it.
        object.__setattr__(self, "text", whole(self.text))
        if self.reasoning is not None:
            object.__setattr__(self, "reasoning", whole(self.reasoning))
        object.__setattr__(self, "detail", whole(self.detail)[:500])

    @property
    def answered(self) -> bool:
        """Whether the model was asked and answered, whatever it wrote."""
        return self.stop not in (Stop.ERROR, Stop.TIMEOUT, Stop.UNFIT)

    @property
    def final(self) -> bool:
        """Whether asking again would be of no use, or would be paid for twice."""
        return self.stop not in (Stop.ERROR, Stop.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Record:
    """One row of ``records.jsonl``: a call, what came of it, and how that was read.

    Attributes:
        case: See ``Call``; likewise the next nine.
        unit: …
        condition: …
        variant: …
        repeat: …
        authority: …
        gold: …
        injected: …
        note: …
        edited: …
        question: …
        prompt: Digest of the conversation.
        generation: What the model gave.
        verdict: Label, or unmeasured with a reason.
        how: ``marker``, ``phrasing``, or empty without a verdict.
        at: Where the verdict was read, in ``whole_text``; None without a verdict.
        named: Where the authority asked about is named, in the same text.
    """

    case: str
    unit: str
    condition: str
    variant: str
    repeat: int
    authority: str
    gold: str | None
    injected: str
    note: str
    edited: int
    question: str
    prompt: str
    generation: Generation
    verdict: Verdict
    how: str
    at: tuple[int, int] | None
    named: tuple[tuple[int, int], ...]

    @property
    def place(self) -> tuple[str, str, str, int]:
        """What distinguishes it in a run."""
        return (self.case, self.condition, self.variant, self.repeat)

    @property
    def whole_text(self) -> str:
        """Reasoning and answer as one text, as they were read."""
        given = self.generation
        return f"{given.reasoning}\n\n{given.text}" if given.reasoning else given.text

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        row = asdict(self)
        row["generation"]["margin"] = _rounded(self.generation.margin)
        if self.generation.boundaries is None:
            del row["generation"]["boundaries"]
        else:
            row["generation"]["boundaries"] = [asdict(b) for b in self.generation.boundaries]
        if isinstance(self.verdict, Unmeasured):
            row["verdict"] = None
            row["unmeasured"] = {
                "reason": str(self.verdict.reason),
                "detail": self.verdict.detail,
            }
        return row


def whole(text: str) -> str:
    """Return text that can be written as UTF-8: stray halves of characters are replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def record_line(record: Record) -> bytes:
    """Return the line of ``records.jsonl`` for a record, with its line feed."""
    row = record.as_json()
    row["digests"] = _digests(row)
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


_READING = ("verdict", "unmeasured", "how", "at", "named")
"""What was read from the generation, as against what was asked."""


def _digests(row: Mapping[str, Any]) -> dict[str, str]:
    """Return digests of what was asked, what came, and what was read, each over the one before."""
    parts = {
        "call": {k: v for k, v in row.items() if k not in (*_READING, "generation")},
        "generation": row["generation"],
        "verdict": {k: row.get(k) for k in _READING},
    }
    found: dict[str, str] = {}
    before = ""
    for name, part in parts.items():
        data = orjson.dumps([before, part], option=orjson.OPT_SORT_KEYS)
        found[name] = before = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return found


_PARTS = {
    "call": "what was asked",
    "generation": "what the model gave",
    "verdict": f"what was read from it ({', '.join(_READING)})",
}


def _refuse_altered(record: Record, stored: object) -> None:
    """Raise if a record is not what was written, naming the first part that differs."""
    if not isinstance(stored, Mapping):
        raise BadInputError("the record has no digests", place=Place(field="digests"))
    for name, digest in _digests(record.as_json()).items():
        if stored.get(name) != digest:
            raise BadInputError(
                f"{_PARTS[name]} is not what was written: it disagrees with its digest",
                remedy="take the line out, and the same command makes the call again",
                place=Place(field=name),
            )


def record_of(row: Mapping[str, Any]) -> Record:
    """Read a record from its JSON object.

    Raises:
        BadInputError: if it is none, or not the one that was written.
    """
    try:
        fields = dict(row)
        digests = fields.pop("digests", None)
        unmeasured = fields.pop("unmeasured", None)
        if unmeasured is not None:
            fields["verdict"] = Unmeasured(Reason(unmeasured["reason"]), unmeasured["detail"])
        generation = dict(fields["generation"])
        generation["stop"] = Stop(generation["stop"])
        if generation.get("boundaries") is not None:
            generation["boundaries"] = tuple(Boundary(**b) for b in generation["boundaries"])
        fields["generation"] = Generation(**generation)
        fields["named"] = tuple((int(a), int(b)) for a, b in fields["named"])
        fields["at"] = (
            None if fields["at"] is None else (int(fields["at"][0]), int(fields["at"][1]))
        )
        record = Record(**fields)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(f"not a record of an audit: {error}") from None
    _refuse_altered(record, digests)
    return record


def read_records(data: bytes, *, file: str = "records.jsonl") -> list[Record]:
    """Read records; a last line that was cut off is left out.

    Raises:
        BadInputError: on any other line that is no record, with its number.
    """
    lines = data.split(b"\n")
    records = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            records.append(record_of(parse_json(line)))
        except BadInputError as error:
            raise error.at(file=file, line=number) from None
    return records


def latest(records: Iterable[Record]) -> dict[tuple[str, str, str, int], Record]:
    """Return the last record of each place: a call that failed may have been made again."""
    return {record.place: record for record in records}
