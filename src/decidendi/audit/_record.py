"""What came of one call: the generation, and the record that is written of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import orjson

from decidendi.judgment import BadInputError, Reason, Unmeasured, Verdict, parse_json


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
    """

    text: str
    reasoning: str | None = None
    stop: Stop = Stop.DONE
    detail: str = ""
    forced: bool = False
    margin: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None

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
    return orjson.dumps(record.as_json(), option=orjson.OPT_SORT_KEYS) + b"\n"


def record_of(row: Mapping[str, Any]) -> Record:
    """Read a record from its JSON object.

    Raises:
        BadInputError: if it is none.
    """
    try:
        fields = dict(row)
        unmeasured = fields.pop("unmeasured", None)
        if unmeasured is not None:
            fields["verdict"] = Unmeasured(Reason(unmeasured["reason"]), unmeasured["detail"])
        generation = dict(fields["generation"])
        generation["stop"] = Stop(generation["stop"])
        fields["generation"] = Generation(**generation)
        fields["named"] = tuple((int(a), int(b)) for a, b in fields["named"])
        fields["at"] = (
            None if fields["at"] is None else (int(fields["at"][0]), int(fields["at"][1]))
        )
        return Record(**fields)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(f"not a record of an audit: {error}") from None


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
