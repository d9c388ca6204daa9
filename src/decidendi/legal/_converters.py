"""From one row of a known release to a case; what cannot be used is said with its field."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any

from decidendi.judgment import BadInputError
from decidendi.legal._law_cases import case_of_matter
from decidendi.legal._law_templated import templated_matter
from decidendi.legal._loading import Convert, Problem, Row, RowError, case_of
from decidendi.legal._question import LegalCase, Task

ECTHR_LABELS = ("2", "3", "5", "6", "8", "9", "10", "11", "14", "P1-1")
"""LexGLUE's articles in the order of its class labels."""
SCOTUS_AREAS = 14
YES, NO = "YES", "NO"


def lexglue_ecthr(row: Row, task: Task, number: int) -> LegalCase:
    """LexGLUE ``ecthr_a``: paragraphs, and the articles found violated; the others are NO."""
    found = set()
    for index, label in enumerate(_list(row, "labels")):
        found.add(_ecthr_label(label, f"labels.{index}"))
    gold = {f"ecthr:{name}": YES if name in found else NO for name in ECTHR_LABELS}
    return LegalCase(f"ecthr_a-{number}", _text(row, "text"), gold)


def _ecthr_label(label: object, field: str) -> str:
    """An integer is a class label, a text its name."""
    if type(label) is int and 0 <= label < len(ECTHR_LABELS):
        return ECTHR_LABELS[label]
    if isinstance(label, str) and label in ECTHR_LABELS:
        return label
    raise RowError(Problem.UNKNOWN_AUTHORITY, field, f"{label!r} is no article of this release")


def lexglue_scotus(row: Row, task: Task, number: int) -> LegalCase:
    """LexGLUE ``scotus``: an opinion and its issue area, a class label from 0 or a name from 1."""
    label = _label(row, "label")
    code = label + 1 if type(label) is int else _integer(label, "label")
    return LegalCase(f"scotus-{number}", _text(row, "text"), _areas(code, "label"))


def justice(row: Row, task: Task, number: int) -> LegalCase:
    """JUSTICE: the facts of a Supreme Court case as HTML, and its issue area."""
    name, code = row.get("issue_area"), row.get("scdb_issue_area_code")
    if code is None and isinstance(name, str):
        named = {authority.name: authority.external[0] for authority in task.authorities}
        if name not in named:
            raise RowError(Problem.UNKNOWN_AUTHORITY, "issue_area", f"no issue area {name!r}")
        code = named[name].removeprefix("scdb:")
    if code in (None, ""):
        raise RowError(Problem.NO_GOLD, "issue_area", "neither an issue area nor its code")
    gold = _areas(_integer(code, "scdb_issue_area_code"), "scdb_issue_area_code")
    key = row.get("ID") or row.get("docket") or number
    return LegalCase(f"justice-{key}", _plain(_text(row, "facts")), gold, carried=_kept(row))


def _areas(code: int, field: str) -> dict[str, str]:
    if not 1 <= code <= SCOTUS_AREAS:
        raise RowError(Problem.UNKNOWN_AUTHORITY, field, f"no issue area has the number {code}")
    return {f"scdb:{area}": YES if area == code else NO for area in range(1, SCOTUS_AREAS + 1)}


def lexglue_casehold(row: Row, task: Task, number: int) -> LegalCase:
    """LexGLUE ``case_hold``: a context, five endings and the index of the right one."""
    endings = [_string(text, f"endings.{i}") for i, text in enumerate(_list(row, "endings"))]
    name = f"case_hold-{number}"
    return _holdings(name, _text(row, "context"), endings, _label(row, "label"), {})


def casehold(row: Row, task: Task, number: int) -> LegalCase:
    """CaseHOLD itself: ``citing_prompt``, ``holding_0`` to ``holding_4``, ``label``."""
    options = [_string(row.get(f"holding_{i}"), f"holding_{i}") for i in range(5)]
    name = f"casehold-{row['id']}" if row.get("id") not in (None, "") else f"casehold-{number}"
    prompt = _text(row, "citing_prompt")
    return _holdings(name, prompt, options, _label(row, "label"), _kept(row))


def _holdings(
    name: str, facts: str, options: list[str], label: object, kept: Mapping[str, Any]
) -> LegalCase:
    if "<HOLDING>" not in facts:
        raise RowError(Problem.FIELD, "facts", "no <HOLDING> in the excerpt")
    gold = {"cited": str(_integer(label, "label"))}
    return LegalCase(name, facts, gold, options=tuple(options), carried=kept)


_CHOICES = {"Entailment": YES, "Contradiction": NO, "NotMentioned": NO}


def contractnli(row: Row, task: Task, number: int) -> LegalCase:
    """ContractNLI: a document and its first annotation set.

    Contradiction and NotMentioned are both NO (Sadhu et al., section 3); which of them it was
    is carried along as ``choices``.
    """
    sets = _list(row, "annotation_sets")
    annotations = sets[0].get("annotations") if sets and isinstance(sets[0], dict) else None
    if not isinstance(annotations, dict) or not annotations:
        raise RowError(Problem.NO_GOLD, "annotation_sets", "no annotations")
    gold, choices = {}, {}
    for name, annotation in annotations.items():
        choice = annotation.get("choice") if isinstance(annotation, dict) else None
        if choice not in _CHOICES:
            field = f"annotation_sets.0.annotations.{name}.choice"
            raise RowError(Problem.UNKNOWN_LABEL, field, f"{choice!r} is no choice")
        gold[str(name)], choices[str(name)] = _CHOICES[choice], choice
    carried = {"choices": choices, "file_name": row.get("file_name")}
    key = row.get("id", number)
    return LegalCase(f"contractnli-{key}", _text(row, "text"), gold, carried=carried)


def ecthr_article(row: Row, task: Task, number: int) -> LegalCase:
    """Facts of a judgment with the outcome under one article, and others of the same case."""
    gold = {}
    others = row.get("outcomes_same_case_in_source")
    outcomes = dict(others) if isinstance(others, dict) else {}
    outcomes[str(row.get("article"))] = row.get("outcome")
    for article, outcome in outcomes.items():
        if outcome not in ("violation", "nonviolation"):
            problem = Problem.NO_GOLD if outcome in (None, "") else Problem.UNKNOWN_LABEL
            raise RowError(problem, "outcome", f"{outcome!r} is no outcome")
        gold[f"ecthr:{article}"] = YES if outcome == "violation" else NO
    unit = str(row.get("itemid") or "")
    name = str(row.get("id") or f"ecthr-{number}")
    return LegalCase(name, _text(row, "facts"), gold, unit=unit, carried=_kept(row))


def ecthr_judgment(row: Row, task: Task, number: int) -> LegalCase:
    """A full judgment by sections: the facts sections only, and every article decided.

    An article both violated and not (in different respects) counts as violated; an article
    that was not decided has no gold.
    """
    parts = []
    for index, paragraph in enumerate(_list(row, "paragraphs")):
        if not isinstance(paragraph, dict):
            raise RowError(Problem.FIELD, f"paragraphs.{index}", "not an object")
        if str(paragraph.get("section", "")).startswith("facts"):
            parts.append(_string(paragraph.get("text"), f"paragraphs.{index}.text"))
    gold = {_base(article): NO for article in _list(row, "non-violation")}
    gold |= {_base(article): YES for article in _list(row, "violation")}
    name = str(row.get("case_id") or f"judgment-{number}")
    kept = {key: row.get(key) for key in ("title", "judgment_date", "article_no")}
    return LegalCase(name, "\n".join(parts), gold, carried=kept)


def _base(article: object) -> str:
    """``6-1`` is of Article 6, ``14+8`` of Article 14, ``P1-1-2`` of Article 1 of Protocol 1."""
    segments = str(article).split("+")[0].split("-")
    return "ecthr:" + "-".join(segments[: 2 if segments[0].startswith("P") else 1])


def diversity_row(row: Row, task: Task, number: int) -> LegalCase:
    """A templated diversity question, as typed facts; the row's own answer is the gold."""
    name = str(row.get("id") or f"diversity-{number}")
    label = row.get("label", row.get("answer"))
    try:
        matter = templated_matter(_text(row, "text"))
    except BadInputError as error:
        about = row.get("task") or "this row"
        what = f"{about}: {error}; of LegalBench only diversity is a question of an authority here"
        raise RowError(Problem.UNKNOWN_AUTHORITY, "text", what) from None
    if label not in ("Yes", "No"):
        raise RowError(Problem.NO_GOLD, "label", f"{label!r} is neither Yes nor No")
    case = case_of_matter(matter, name)
    gold = {"1332-a": str(label).upper()}
    carried = dict(case.carried) | {"decided": case.gold["1332-a"]}
    return LegalCase(name, _text(row, "text"), gold, why=case.why, carried=carried)


CONVERTERS: Mapping[str, tuple[str, Callable[[set[str]], bool], Convert]] = {
    "decidendi": ("", lambda keys: {"facts", "gold"} <= keys, case_of),
    "lexglue-ecthr": ("echr", lambda keys: {"text", "labels"} <= keys, lexglue_ecthr),
    "lexglue-casehold": ("casehold", lambda keys: {"context", "endings"} <= keys, lexglue_casehold),
    "casehold": ("casehold", lambda keys: "citing_prompt" in keys, casehold),
    "contractnli": ("contractnli", lambda keys: "annotation_sets" in keys, contractnli),
    "ecthr-article": ("echr", lambda keys: {"facts", "outcome", "article"} <= keys, ecthr_article),
    "ecthr-judgment": ("echr", lambda keys: {"paragraphs", "violation"} <= keys, ecthr_judgment),
    "justice": ("scotus", lambda keys: {"facts", "issue_area"} <= keys, justice),
    "legalbench-diversity": (
        "law",
        lambda keys: "text" in keys and bool({"parties_are_diverse", "slice"} & keys),
        diversity_row,
    ),
    "lexglue-scotus": (
        "scotus",
        lambda keys: {"text", "label"} <= keys <= {"text", "label", "id", "source"},
        lexglue_scotus,
    ),
}
"""By format: its task (none for any), how its rows are recognised, and the converter.

The first format that recognises a row's keys is taken, so the order matters.
"""


# --- reading fields -----------------------------------------------------------------------------


def _text(row: Row, field: str) -> str:
    """A text, or paragraphs joined by line breaks."""
    value = row.get(field)
    if isinstance(value, list):
        return "\n".join(_string(item, f"{field}.{i}") for i, item in enumerate(value))
    return _string(value, field)


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        what = "missing" if value is None else f"a {type(value).__name__}, not text"
        raise RowError(Problem.FIELD, field, what)
    return value


def _list(row: Row, field: str) -> list[Any]:
    value = row.get(field)
    if value is None:
        problem = Problem.NO_GOLD if field in ("labels", "annotation_sets") else Problem.FIELD
        raise RowError(problem, field, "missing")
    if not isinstance(value, list):
        raise RowError(Problem.FIELD, field, f"a {type(value).__name__}, not a list")
    return value


def _label(row: Row, field: str) -> int | str:
    """A label; -1 is how some releases write that there is none."""
    value = row.get(field)
    if value in (None, "", -1, "-1"):
        raise RowError(Problem.NO_GOLD, field, "no label")
    if type(value) is not int and not isinstance(value, str):
        raise RowError(Problem.FIELD, field, f"a {type(value).__name__}, not a label")
    return value


def _integer(value: object, field: str) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise RowError(Problem.UNKNOWN_LABEL, field, f"{value!r} is no number") from None


def _kept(row: Row) -> dict[str, Any]:
    """Short fields, carried along as provenance; long texts are not kept twice."""
    return {k: v for k, v in row.items() if isinstance(v, int | str) and len(str(v)) <= 200}


_TAG = re.compile(r"<[^<>]*>")
_BLOCK = re.compile(r"</p>|<br */?>", re.IGNORECASE)


def _plain(text: str) -> str:
    """Remove HTML tags; block ends become line breaks."""
    lines = html.unescape(_TAG.sub("", _BLOCK.sub("\n", text))).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())
