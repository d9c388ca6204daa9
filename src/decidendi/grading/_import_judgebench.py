"""Two sets of JUDGE-BENCH that hold chains: ROSCOE, step by step, and proofs judged as a whole.

Both are lists of what annotators were shown (``instance``) and what each of them said
(``annotations``). Chains are read back from what was shown. Which question of ROSCOE is which
kind of error stands in ``data/roscoe.json``, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from decidendi.grading._chain import Chain
from decidendi.grading._labels import Finding, Labels, Marks
from decidendi.grading._option import choose
from decidendi.grading._taxonomy import UNSPECIFIED
from decidendi.judgment import Reason, Unmeasured, Verdict, parse_json, sha256
from decidendi.legal import Option
from decidendi.reasoning import read_output

RIGHT, NOT_RIGHT = "right", "not right"
"""Options of sets that say whether the final answer is right, but not which answers there are."""

YES, NO = "yes", "no"
FINAL = "Final Answer"
SOUND_REASONING = "Sound Reasoning"

_SHOWN = re.compile(
    r"\nCONTEXT:\n(?P<context>.*?)\n+GENERATED RESPONSE:\n(?P<response>.*)", re.DOTALL
)
_ASIDE = re.compile(r"\n+(?P<name>Correct Relationship[^:\n]*|\\?Solution):", re.IGNORECASE)
_STEP = re.compile(r"^Step\s*\d+\s*[-:.]\s*", re.IGNORECASE)
_PROOF = re.compile(
    r"### PROBLEM STATEMENT\s*\n(?P<problem>.*?)\n### MODEL RESPONSE\s*\n(?P<response>.*)",
    re.DOTALL,
)
_TRUTH = (Option("True"), Option("False"))

Said = Mapping[str, list[str]]
"""What was said to each question, by every annotator in the same order."""


def gathered(rows: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Put the rows of one chain together: ROSCOE asks about each step in a row of its own.

    Args:
        rows: Places and rows.

    Returns:
        The place of a chain's first row, and ``{"id", "dataset", "shown", "steps"}``, the last
        being the rows by the step they ask about. A row that is none is handed on as it is.
    """
    chains: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}
    found: list[tuple[Any, Any]] = []
    for place, row in rows:
        shown = row.get("instance") if isinstance(row, dict) else None
        if not isinstance(shown, str) or "\nJUDGE:" not in shown:
            found.append((place, row))
            continue
        head, _, step = shown.rpartition("\nJUDGE:")
        key = str(row.get("dataset", "")), head
        if key not in chains:
            whole = {"id": row.get("id"), "dataset": key[0], "shown": head, "steps": {}}
            chains[key] = place, whole
            found.append(chains[key])
        chains[key][1]["steps"].setdefault(step.strip(), []).append(row)
    return found


def roscoe(row: Any) -> tuple[Chain, list[Labels], dict[str, Labels]]:  # noqa: ANN401 - JSON
    """Read one chain of ROSCOE; steps that nobody was asked about have no label."""
    shown = _SHOWN.search(row["shown"]) if "shown" in row else None
    if shown is None:
        raise ValueError("shows no context, response and step as ROSCOE does")
    steps = [line.strip() for line in shown["response"].strip().split("\n") if line.strip()]
    said: dict[int, Said] = {}
    for text, rows in row["steps"].items():
        if text not in steps or len(rows) > 1:
            raise ValueError(f"asks about a step that is not there, or twice: {text[:60]!r}")
        said[steps.index(text)] = _said(rows[0]["annotations"])
    if unknown := sorted({name for one in said.values() for name in one} - set(_questions())):
        raise ValueError(f"no question {unknown[0]!r}: one of {', '.join(_questions())}")
    context, *aside = _ASIDE.split(shown["context"], maxsplit=1)
    collection = str(row["dataset"]).split(" ")[0] or "roscoe"
    chain = Chain(
        id=f"{collection}-{row['id']}",
        premises=tuple(_STEP.sub("", step) for step in steps),
        conclusion="",
        chosen=_chosen(said, len(steps)),
        gold=RIGHT,
        question=context.strip(),
        source=context.strip(),
        expert=": ".join(part.strip() for part in aside),
        unit=f"{collection}-{sha256(context.encode())[-12:]}",
        collection=collection,
    )
    several = max(len(answers) for one in said.values() for answers in one.values())
    return chain, [_labels(chain, said, at, len(steps)) for at in range(several)], {}


def proof(row: Any) -> tuple[Chain, list[Labels], dict[str, Labels]]:  # noqa: ANN401 - JSON
    """Read one proof, which people judged as a whole.

    It is one premise: nobody said where it goes wrong, and labels of parts that nobody gave
    would say that they did.
    """
    shown = _PROOF.search(row["instance"])
    if shown is None:
        raise ValueError("shows no problem statement and model response")
    answers = _said(row["annotations"])[SOUND_REASONING]
    response, problem = shown["response"].strip(), shown["problem"].strip()
    chain = Chain(
        id=f"inferential-{row['id']}",
        premises=(response,),
        conclusion="",
        chosen=choose(read_output(response), _TRUTH).verdict,
        options=_TRUTH,
        question=problem,
        unit=f"inferential-{sha256(problem.encode())[-12:]}",
        collection="inferential-strategies",
        text=response,
    )
    marks: dict[str, Marks] = {YES: (), NO: (Finding(UNSPECIFIED),)}
    return chain, [Labels(chain.id, _name(i), (marks[a],)) for i, a in enumerate(answers)], {}


def _said(annotations: Any) -> Said:  # noqa: ANN401 - checked here
    said = {name: one["individual_human_scores"] for name, one in annotations.items()}
    if len({len(answers) for answers in said.values()}) != 1:
        raise ValueError("not every question has an answer of every annotator")
    for name, answers in said.items():
        if other := [answer for answer in answers if answer not in (YES, NO)]:
            raise ValueError(f"{name}: {other[0]!r} is neither yes nor no")
    return said


def _chosen(said: Mapping[int, Said], size: int) -> Verdict:
    """Say whether the final answer is right; people were asked so of every step they labelled."""
    last = said.get(size - 1, {}).get(FINAL)
    if any(one[FINAL].count(YES) * 2 > len(one[FINAL]) for one in said.values() if FINAL in one):
        return NOT_RIGHT
    if last is not None and last.count(NO) * 2 > len(last):
        return RIGHT
    return Unmeasured(Reason.UNDETERMINED, "most people did not say whether the answer is right")


def _labels(chain: Chain, said: Mapping[int, Said], at: int, size: int) -> Labels:
    marks: list[Marks] = [None] * size
    aside: dict[str, list[int]] = {}
    for place, one in said.items():
        wrong = [name for name, answers in one.items() if answers[at] == YES]
        marks[place] = tuple(
            Finding(code, f"ROSCOE: {name}") for name in wrong if (code := _questions()[name])
        )
        for name in wrong:
            if _questions()[name] is None:
                aside.setdefault(name, []).append(place)
    return Labels(chain.id, _name(at), tuple(marks), about=aside)


def _name(at: int) -> str:
    return f"annotator {at + 1}"


@lru_cache(maxsize=1)
def _questions() -> Mapping[str, str | None]:
    """Return the code of each question; None where a yes is no error of a premise."""
    table: Any = parse_json(files("decidendi.grading").joinpath("data", "roscoe.json").read_bytes())
    return {name: entry["code"] for name, entry in table["questions"].items()}
