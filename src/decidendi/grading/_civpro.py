"""Questions of U.S. civil procedure from the CSV files that the data set's owners send.

The set (Bongard, Held and Habernal, 2022: *The Legal Argument Reasoning Task in Civil
Procedure*) is gated: its owners send it on request. A row is one answer to one question, right
or wrong. What is relied on here is the owners' public loader (trusthlt/legal-argument-reasoning-
task), which names the columns; nobody here has seen the files themselves, so the header is
checked and nothing is guessed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field

from decidendi.grading._files import Refused, checked
from decidendi.grading._mitigate_questions import Posed
from decidendi.judgment import BadInputError, Place, parse_json, sha256
from decidendi.legal import Option

COLLECTION = "civpro"
COLUMNS = ("question", "answer", "label", "analysis", "complete analysis", "explanation")
"""Columns that must be there. ``explanation`` introduces the topic, ``analysis`` is about the one
answer, ``complete analysis`` about the question. Others (``idx``) are not read."""

_SPACE = re.compile(r"\s+")


class AnswerTextModel(BaseModel):
    """One line of a file of models' answers; ``id`` is the question's."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: Annotated[str, Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]
    model: str = ""


@dataclass
class _Rows:
    """What the files say of one question."""

    place: Place
    question: str
    options: dict[str, bool] = field(default_factory=dict)
    explanations: list[str] = field(default_factory=list)
    analyses: list[str] = field(default_factory=list)
    wholes: list[str] = field(default_factory=list)
    contradicted: str = ""


def read_civpro(paths: Sequence[Path]) -> tuple[list[Posed], list[Refused]]:
    """Read questions with all their answers.

    The owners divide rows, not questions, into train, dev and test: a question's answers can lie
    in two files, so give all of them, in that order. Answers get the letters A, B, … in the order
    of their rows, which is the book's; the analyses use them.

    Args:
        paths: The CSV files.

    Returns:
        Questions, each its own unit, with the introduction as source and the analysis as the
        expert's; and rows and questions that were not used, with the reason.

    Raises:
        BadInputError: if a file is no CSV, or a column is missing.
    """
    found: dict[str, _Rows] = {}
    refused: list[Refused] = []
    for path in paths:
        for place, row in _rows(path):
            why = _take(found, place, row)
            if why:
                refused.append(Refused(place, why))
    questions: list[Posed] = []
    for key, rows in found.items():
        why = _unusable(rows)
        if why:
            refused.append(Refused(rows.place, f"question not used: {why}"))
        else:
            questions.append(_posed(key, rows))
    return questions, refused


def question_line(question: Posed) -> bytes:
    """Return a question as a line of JSON, with its line feed."""
    return _line(_fields(question))


def answered(questions: Iterable[Posed], path: Path) -> tuple[list[bytes], list[Refused]]:
    """Join models' answers with their questions, to lines of chains that can be graded.

    Args:
        questions: The questions.
        path: JSON Lines: ``id`` of the question, ``text``, and ``model``.

    Returns:
        One line for each answer, and the answers to no question.
    """
    by_id = {question.id: question for question in questions}
    lines: list[bytes] = []
    refused: list[Refused] = []
    seen: set[str] = set()
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        place = Place(str(path), number)
        try:
            row = checked(AnswerTextModel, parse_json(line))
        except BadInputError as error:
            refused.append(Refused(error.at(file=str(path), line=number).place, error.what))
            continue
        name = f"{row.id}/{row.model}" if row.model else row.id
        if row.id not in by_id or name in seen:
            why = "answered twice" if name in seen else "no such question"
            refused.append(Refused(place, f"{name}: {why}"))
            continue
        seen.add(name)
        whole = {**_fields(by_id[row.id]), "id": name, "text": row.text, "model": row.model}
        lines.append(_line(whole))
    return lines, refused


def _rows(path: Path) -> Iterable[tuple[Place, dict[str, str]]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"not UTF-8: {error.reason}", place=Place(str(path))) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in reader.fieldnames or ()]
        if missing := [name for name in COLUMNS if name not in header]:
            raise BadInputError(
                f"no column {', '.join(map(repr, missing))}; there are: {', '.join(header)[:200]}",
                remedy="the CSV as its owners send it, with labels; their shared task's test file "
                "has none",
                place=Place(str(path), 1),
            )
        reader.fieldnames = header
        for row in reader:
            yield (
                Place(str(path), reader.line_num),
                {name: (row[name] or "").strip() for name in COLUMNS},
            )
    except csv.Error as error:
        place = Place(str(path), reader.line_num)
        raise BadInputError(f"not CSV: {error}", place=place) from None


def _take(found: dict[str, _Rows], place: Place, row: dict[str, str]) -> str:
    """Add a row to its question; return why not, if not."""
    question, answer = _plain(row["question"]), _plain(row["answer"])
    if not question or not answer:
        return "no question or no answer"
    if row["label"] not in ("0", "1"):
        return f"label: {row['label'][:40]!r} is neither 0 nor 1"
    rows = found.setdefault(question, _Rows(place, question))
    right = row["label"] == "1"
    if answer in rows.options:
        if rows.options[answer] != right:
            rows.contradicted = answer
        return "the answer stands twice"
    rows.options[answer] = right
    for kept, column in (
        (rows.explanations, "explanation"),
        (rows.analyses, "analysis"),
        (rows.wholes, "complete analysis"),
    ):
        if row[column] and row[column] not in kept:
            kept.append(row[column])
    return ""


def _unusable(rows: _Rows) -> str:
    right = sum(rows.options.values())
    if rows.contradicted:
        return f"an answer is right in one row and wrong in another: {rows.contradicted[:60]!r}"
    if right > 1:
        return f"{right} answers are labelled right"
    if not right or len(rows.options) < 2:
        what = "no answer is labelled right" if not right else "there is only one answer"
        return f"{what}; its other answers may lie in another of the files"
    if len(rows.options) > len(ascii_uppercase):
        return f"{len(rows.options)} answers, more than there are letters"
    return ""


def _posed(question: str, rows: _Rows) -> Posed:
    options = tuple(Option(a, b) for a, b in zip(ascii_uppercase, rows.options, strict=False))
    gold = next(o.label for o in options if rows.options[o.text])
    return Posed(
        id=f"{COLLECTION}-{sha256(question.encode())[-12:]}",
        question=question,
        options=options,
        gold=gold,
        source="\n\n".join(rows.explanations),
        expert="\n\n".join(rows.wholes or rows.analyses),
        collection=COLLECTION,
    )


def _fields(question: Posed) -> dict[str, object]:
    return {
        "id": question.id,
        "unit": question.unit,
        "question": question.question,
        "options": [{"label": o.label, "text": o.text} for o in question.options],
        "gold": question.gold,
        "source": question.source,
        "expert": question.expert,
        "collection": question.collection,
    }


def _line(row: dict[str, object]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
