"""Planted errors: correct chains from executable law, and chains with exactly one known error.

A trace gives a chain without error. One step of it is made wrong in a known way; what follows
from that step is carried through, and marked as carried, so that a judge is asked only for the
error that was made. This gives any number of labelled chains that no judge was designed on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias, cast, get_args

from decidendi.folders import write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._draft import PRESENTATIONS, Draft, Presentation, lines_of, written
from decidendi.grading._files import chain_line, labels_line
from decidendi.grading._labels import Labels
from decidendi.grading._law import LawProblem, known, law_problem
from decidendi.grading._words import CONTENT, CORRECT, FROM_INCOMPLETE
from decidendi.grading._wrong_inserts import (
    distraction,
    fabrication,
    false_lead,
    hallucinated_content,
    missed_element,
    redundancy,
    with_aside,
)
from decidendi.grading._wrong_steps import (
    Difficulty,
    contextual,
    inconsistency,
    inferential,
    jargon,
    logical,
    numerical,
    semantic,
    temporal,
)
from decidendi.judgment import BadInputError
from decidendi.legal import rules

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
PLANTED: Final = "planted"
"""Who says so: the ``by`` of these labels."""

_Maker: TypeAlias = Callable[[LawProblem, random.Random, Difficulty], Iterator[Draft]]

MAKERS: Mapping[str, _Maker] = {
    "misinterpretation.contextual": contextual,
    "misinterpretation.logical": logical,
    "misinterpretation.semantic": semantic,
    "misinterpretation.inferential": inferential,
    "misinterpretation.numerical": numerical,
    "misinterpretation.temporal": temporal,
    "misinterpretation.jargon": jargon,
    "hallucination.inconsistency": inconsistency,
    "hallucination.fabrication": fabrication,
    "irrelevance.distraction": distraction,
    "irrelevance.redundancy": redundancy,
    "irrelevance.false-lead": false_lead,
    FROM_INCOMPLETE: missed_element,
    CONTENT: hallucinated_content,
}
"""What can be planted: every sub-kind of premise error, and two kinds of wrong conclusion."""

_WITH_PARTS = ("1332-a", "15-a-1", "1446-c", "1391-b")
"""Authorities of several elements, one of which can be missed."""


@dataclass(frozen=True)
class Planted:
    """A chain whose errors are known.

    Attributes:
        chain: The chain.
        labels: What is wrong with it.
        code: What was planted: an error of a premise, a class of conclusion, or ``correct``.
        place: Which premise, 0-based; None if it is in the conclusion or nowhere.
        difficulty: How hard it is to find.
        answer_moved: Whether the chain chooses another option because of it.
    """

    chain: Chain
    labels: Labels
    code: str
    place: int | None
    difficulty: Difficulty
    answer_moved: bool


def plant(
    problem: LawProblem,
    code: str,
    *,
    seed: int | str = 42,
    difficulty: Difficulty = "medium",
    presentation: Presentation | None = None,
    collection: str = "",
) -> Planted | None:
    """Write a chain with one error of a known kind; or a correct one.

    Args:
        problem: The question.
        code: What to plant; ``correct`` for nothing.
        seed: Equal arguments give equal chains, on any machine.
        difficulty: How hard the error is to find.
        presentation: How the chain is laid out; drawn where left out.
        collection: The set's name.

    Returns:
        None if this question gives no occasion for such an error.

    Raises:
        BadInputError: if nothing of that name can be planted.
    """
    check(code)
    key = f"{seed}|{problem.id}|{code}|{difficulty}"
    rng = random.Random(key)  # noqa: S311 - a draw must be repeatable, not unpredictable
    if code == "irrelevance.distraction":
        problem = with_aside(problem, rng)
    right = Draft(lines_of(problem.decision), problem.decision.verdict)
    draft = right if code == CORRECT else _chosen(problem, code, rng, difficulty)
    if draft is None:
        return None
    how: Presentation = rng.choice(PRESENTATIONS) if presentation is None else presentation
    name = f"{problem.id}/{_blank_name(rng)}"
    chain = written(problem, draft, name, rng, how, varied=difficulty != "easy")
    chain = replace(chain, collection=collection)
    moved = draft.verdict != problem.decision.verdict
    about = {
        "planted": code,
        "place": draft.place,
        "difficulty": difficulty,
        "presentation": how,
        "answer_moved": moved,
    }
    labels = Labels(
        chain.id,
        PLANTED,
        tuple(line.marks for line in draft.lines),
        content=draft.worded in ("", draft.verdict),
        about=about,
    )
    return Planted(chain, labels, code, draft.place, difficulty, moved)


def plant_set(  # long: one keyword for each thing that can be varied
    count: int,
    *,
    seed: int | str = 42,
    codes: Sequence[str] = tuple(MAKERS),
    correct: float = 1 / 3,
    difficulties: Sequence[Difficulty] = DIFFICULTIES,
    authorities: Sequence[str] = (),
    collection: str = "planted",
) -> list[Planted]:
    """Write a set of chains, a share of them correct, the others of every kind in equal numbers.

    Each chain has a question of its own, which is its unit.

    Args:
        count: How many chains.
        seed: Equal arguments give equal sets, on any machine.
        codes: What to plant.
        correct: The share of chains without an error.
        difficulties: Which difficulties, in equal numbers.
        authorities: Which authorities are asked about; all executable ones where left out.
        collection: The set's name: chains that a judge was designed on have another.

    Raises:
        BadInputError: if something cannot be planted under these authorities.
    """
    if not 0 <= correct <= 1 or not codes or not difficulties:
        raise BadInputError("needs a share between 0 and 1, errors to plant and a difficulty")
    for code in codes:
        check(code)
    rng = random.Random(f"set|{seed}")  # noqa: S311 - as above
    sound = round(count * correct)
    wanted = [CORRECT] * sound + [codes[i % len(codes)] for i in range(count - sound)]
    levels = [difficulties[i // len(codes) % len(difficulties)] for i in range(count)]
    order = list(range(count))
    rng.shuffle(order)
    return [
        _found(
            number, wanted[i], levels[i - sound if i >= sound else i], seed, authorities, collection
        )
        for number, i in enumerate(order)
    ]


def plant_to(  # long: one keyword for each option of the command
    out: Path,
    count: int,
    *,
    task: str = "law",
    seed: int | str = 42,
    correct: float = 1 / 3,
    codes: Sequence[str] | None = None,
    difficulties: Sequence[str] | None = None,
    authorities: Sequence[str] | None = None,
    collection: str = "planted",
) -> tuple[list[Planted], Path]:
    """Write a set to a file of chains, and its labels to another beside it.

    The chains' file says nothing of what was planted, so that it can be given to any judge.

    Returns:
        The set, and where its labels are: ``x.labels.jsonl`` beside ``x.jsonl``.

    Raises:
        BadInputError: as ``plant_set``; also on another task than ``law``.
    """
    if task != "law":
        raise BadInputError(f"cannot plant errors in {task!r}", remedy="law")
    levels = list(difficulties or DIFFICULTIES)
    if unknown := sorted(set(levels) - set(DIFFICULTIES)):
        raise BadInputError(f"no difficulty {unknown[0]!r}", remedy=", ".join(DIFFICULTIES))
    planted = plant_set(
        count,
        seed=seed,
        codes=tuple(codes or MAKERS),
        correct=correct,
        difficulties=cast("list[Difficulty]", levels),
        authorities=tuple(authorities or ()),
        collection=collection,
    )
    write_whole(out, [chain_line(one.chain) for one in planted])
    labels = out.with_name(f"{out.stem}.labels.jsonl")
    write_whole(labels, [labels_line(one.labels) for one in planted])
    return planted, labels


def check(code: str) -> None:
    """Raise ``BadInputError`` if nothing of that name can be planted."""
    if code != CORRECT and code not in MAKERS:
        raise BadInputError(f"cannot plant {code!r}", remedy=", ".join((CORRECT, *MAKERS)))


def _found(  # long: what a set asks of one chain
    number: int,
    code: str,
    difficulty: Difficulty,
    seed: int | str,
    authorities: Sequence[str],
    collection: str,
) -> Planted:
    """Draw questions until one gives occasion for the error."""
    rng = random.Random(f"{seed}|{number}")  # noqa: S311 - as above
    pool = list(authorities or rules())
    if code == FROM_INCOMPLETE:
        pool = [name for name in pool if name in _WITH_PARTS]
    for name in pool:
        known(name)
    for attempt in range(60 if pool else 0):
        authority = rng.choice(pool)
        name = f"law-{seed}-{number}"
        problem = law_problem(name, authority, f"plant/{seed}/{number}/{attempt}")
        made = plant(problem, code, seed=seed, difficulty=difficulty, collection=collection)
        if made is not None:
            return made
    raise BadInputError(
        f"found no occasion for {code!r}, {difficulty}, under these authorities",
        remedy="name others, or none for all",
    )


def _chosen(
    problem: LawProblem, code: str, rng: random.Random, difficulty: Difficulty
) -> Draft | None:
    """Choose among the ways to plant it: those fit for the difficulty before the others."""
    true = {line.text for line in lines_of(problem.decision)}
    drafts = [
        draft
        for draft in MAKERS[code](problem, rng, difficulty)
        if draft.place is None
        or code == "irrelevance.redundancy"
        or draft.lines[draft.place].text not in true
    ]
    moved = [draft for draft in drafts if draft.verdict != problem.decision.verdict]
    kept = [draft for draft in drafts if draft.verdict == problem.decision.verdict]
    preferred = (moved or kept) if difficulty == "medium" else (kept or moved)
    return rng.choice(preferred) if preferred else None


def _blank_name(rng: random.Random) -> str:
    """Return a name that tells a judge nothing of what was planted."""
    return f"{rng.getrandbits(32):08x}"
