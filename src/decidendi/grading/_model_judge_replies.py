"""What a judge's model may reply, and reading it: all of it fits, or nothing is taken from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from decidendi.grading._labels import Finding
from decidendi.judgment import BadInputError, Reason, one_line, parse_json
from decidendi.models import Reply
from decidendi.reasoning import read_output

T = TypeVar("T")
MOST_QUESTIONS: Final = 3
_LONGEST = 600
_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(.*?)\n?```", re.DOTALL)


class UnusableReplyError(Exception):
    """A reply from which nothing can be taken."""

    def __init__(self, why: str, reason: Reason = Reason.NOT_CONVERGED) -> None:
        self.why = one_line(why)
        self.reason = reason
        super().__init__(self.why)


@dataclass(frozen=True)
class Form(Generic[T]):
    """How a reply must look.

    Attributes:
        name: For the provider.
        schema: JSON Schema of it.
        read: Takes what it says, or raises ``UnusableReplyError``.
        begins: How it begins whatever it says, for a model whose replies are begun for it. No
            space at its end: the model's next token brings its own.
        shape: What it looks like, for the same.
    """

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], T]
    begins: str = "{"
    shape: str = ""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Error(_Strict):
    premise: int
    why: str
    error: bool


class _Errors(_Strict):
    premise: int
    why: str
    errors: list[str]


class _Named(_Strict):
    why: str
    code: str


class _Summary(_Strict):
    premise: int
    errors: list[_Named]


class _Questions(_Strict):
    premise: int
    questions: list[str]


class _Answer(_Strict):
    question: int
    answer: str
    stated: bool


class _Answers(_Strict):
    answers: list[_Answer]


class _Content(_Strict):
    why: str
    agrees: Literal["yes", "no", "says-nothing"]


class _Segments(_Strict):
    premises: list[str]
    conclusion: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one detector says of a premise.

    Attributes:
        detector: Which.
        codes: The errors it names; ``("",)`` for one of no kind, empty for none.
        why: Its grounds.
    """

    detector: str
    codes: tuple[str, ...]
    why: str


def read_reply(reply: Reply, form: Form[T]) -> T:
    """Take what a reply says.

    It is one JSON object, alone or in one code block; reasoning before it is left aside.

    Raises:
        UnusableReplyError: on anything else.
    """
    if reply.cut:
        raise UnusableReplyError("it was cut at the limit of tokens")
    output = read_output(reply.text, native_reasoning=reply.reasoning)
    text = "\n".join(span.of(output.text) for span in output.answer).strip()
    fenced = _FENCED.fullmatch(text)
    try:
        content = parse_json((fenced[1] if fenced else text).strip())
    except BadInputError as error:
        raise UnusableReplyError(error.what) from None
    if not isinstance(content, dict):
        raise UnusableReplyError("it is JSON, but no object")
    return form.read(content)


def general_form(number: int) -> Form[Report]:
    """Is premise ``number`` in error?"""

    def read(content: Any) -> Report:  # noqa: ANN401 - checked here
        reply = _checked(_Error, content)
        _same(reply.premise, number)
        return Report("general", ("",) if reply.error else (), shortened(reply.why))

    schema = _object(premise=_NUMBER, why=_TEXT, error={"type": "boolean"})
    begins = f'{{"premise": {number}, "error":'
    shape = " or ".join(f'{begins} {value}, "why": "..."}}' for value in ("false", "true"))
    return Form("general", schema, read, begins, shape)


def codes_form(detector: str, number: int, codes: Sequence[str]) -> Form[Report]:
    """Which of these errors has premise ``number``?"""

    def read(content: Any) -> Report:  # noqa: ANN401 - checked here
        reply = _checked(_Errors, content)
        _same(reply.premise, number)
        _known(reply.errors, codes)
        return Report(detector, tuple(dict.fromkeys(reply.errors)), shortened(reply.why))

    errors = {"type": "array", "items": _choice(codes)}
    schema = _object(premise=_NUMBER, why=_TEXT, errors=errors)
    return Form(detector, schema, read, f'{{"premise": {number}, "errors":')


def summary_form(number: int, codes: Sequence[str]) -> Form[tuple[Finding, ...]]:
    """The errors of premise ``number``, each with its grounds."""

    def read(content: Any) -> tuple[Finding, ...]:  # noqa: ANN401 - checked here
        reply = _checked(_Summary, content)
        _same(reply.premise, number)
        _known([one.code for one in reply.errors], codes)
        found = {one.code: Finding(one.code, shortened(one.why)) for one in reply.errors}
        if len(found) < len(reply.errors):
            raise UnusableReplyError("an error stands twice")
        return tuple(found.values())

    items = _object(why=_TEXT, code=_choice(codes))
    schema = _object(premise=_NUMBER, errors={"type": "array", "items": items})
    return Form("summary", schema, read, f'{{"premise": {number}, "errors":')


def questions_form(number: int) -> Form[tuple[str, ...]]:
    """Questions to verify premise ``number``."""

    def read(content: Any) -> tuple[str, ...]:  # noqa: ANN401 - checked here
        reply = _checked(_Questions, content)
        _same(reply.premise, number)
        asked = tuple(shortened(text) for text in reply.questions)
        if not 1 <= len(asked) <= MOST_QUESTIONS or not all(asked):
            raise UnusableReplyError(f"it must hold 1 to {MOST_QUESTIONS} questions, none empty")
        return asked

    questions = {"type": "array", "items": _TEXT}
    schema = _object(premise=_NUMBER, questions=questions)
    return Form("questions", schema, read, f'{{"premise": {number}, "questions":')


def answers_form(count: int) -> Form[tuple[str | None, ...]]:
    """Answers to so many questions, in order; None where the source does not say."""

    def read(content: Any) -> tuple[str | None, ...]:  # noqa: ANN401 - checked here
        answers = _checked(_Answers, content).answers
        if [one.question for one in answers] != list(range(1, count + 1)):
            raise UnusableReplyError(f"it must answer the questions 1 to {count}, in this order")
        return tuple(shortened(one.answer) if one.stated else None for one in answers)

    item = _object(question=_NUMBER, answer=_TEXT, stated={"type": "boolean"})
    return Form("answers", _object(answers={"type": "array", "items": item}), read)


def content_form() -> Form[bool | None]:
    """Does the conclusion say what its option says? None: it says nothing."""

    def read(content: Any) -> bool | None:  # noqa: ANN401 - checked here
        return {"yes": True, "no": False, "says-nothing": None}[_checked(_Content, content).agrees]

    agrees = _choice(["yes", "no", "says-nothing"])
    return Form("content", _object(why=_TEXT, agrees=agrees), read)


def segment_form(text: str) -> Form[tuple[tuple[str, ...], str]]:
    """Premises and conclusion of a text, each a stretch of it, in its order."""
    whole = " ".join(text.split())

    def read(content: Any) -> tuple[tuple[str, ...], str]:  # noqa: ANN401 - checked here
        reply = _checked(_Segments, content)
        premises = tuple(" ".join(part.split()) for part in reply.premises)
        conclusion = " ".join(reply.conclusion.split())
        at = 0
        for number, part in enumerate(premises, 1):
            found = whole.find(part, at) if part else -1
            if found < 0:
                raise UnusableReplyError(f"premise {number} is no stretch of the text in its order")
            at = found + len(part)
        if conclusion not in whole:
            raise UnusableReplyError("the conclusion is no stretch of the text")
        return premises, conclusion

    premises = {"type": "array", "items": _TEXT}
    return Form("segment", _object(premises=premises, conclusion=_TEXT), read)


def shortened(text: str) -> str:
    """Return a text of the model's on one line, and bounded."""
    return one_line(text, _LONGEST)


M = TypeVar("M", bound=BaseModel)
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
"""Not bound to one number: providers compile each schema anew, and we check what it says."""


def _checked(model: type[M], content: Any) -> M:  # noqa: ANN401 - that is what is checked
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the object"
        raise UnusableReplyError(f"{field}: {first['msg']}") from None


def _same(said: int, asked: int) -> None:
    if said != asked:
        raise UnusableReplyError(f"it speaks of premise {said}, and was asked about {asked}")


def _known(said: Sequence[str], codes: Sequence[str]) -> None:
    unknown = [code for code in said if code not in codes]
    if unknown:
        why = f"no error is called {unknown[0]!r}; there are {', '.join(codes)}"
        raise UnusableReplyError(why, Reason.LABEL)


def _object(**fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _choice(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}
