"""Judges that prefer one of two texts, asked in both orders: what the order does to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from decidendi.grading._files import Refused, checked
from decidendi.judgment import BadInputError, Place, Reason, Unmeasured, parse_json
from decidendi.stats import JudgeRecord, Label, Rate, judge_record, wilson_rate

_EMPTY = Unmeasured(Reason.NOT_CONVERGED, "no preference was read")


class _Orders(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    order_12: Literal["1", "2"] | None
    order_21: Literal["1", "2"] | None


class PairwiseModel(BaseModel):
    """One line: two texts, which one people prefer, and each judge's preference in both orders.

    A preference names the text ("1" or "2"), whichever was shown first; ``order_21`` is the one
    in which the second text was shown first.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    id: Annotated[str, Field(min_length=1)]
    human_label: Literal[1, 2]
    judges: dict[str, _Orders]


@dataclass(frozen=True)
class Preference:
    """One pair of texts.

    Attributes:
        id: The pair's id; pairs are independent.
        human: Which text people prefer, ``1`` or ``2``.
        judges: Which one each judge prefers, shown in this order and in the other.
    """

    id: str
    human: str
    judges: Mapping[str, tuple[Label, Label]]


@dataclass(frozen=True)
class PositionBias:
    """What the order of two texts does to a judge.

    Attributes:
        judge: Its name.
        consistent: Of the pairs answered in both orders, those with the same preference.
        first_shown: Of the others, those in which it preferred what was shown first. One half
            is noise; more is a bias for the first place, less one for the second.
        as_shown: Its record against people with the first text shown first.
        turned: With the second text shown first.
        agreeing: On the pairs where both orders give the same preference.
    """

    judge: str
    consistent: Rate
    first_shown: Rate
    as_shown: JudgeRecord
    turned: JudgeRecord
    agreeing: JudgeRecord


def read_pairwise(path: Path) -> tuple[list[Preference], list[Refused]]:
    """Read pairs; a line that is none is left out, with the reason.

    Args:
        path: JSON Lines as ``PairwiseModel`` has them, or a folder of LLMBar's release: one with
            ``dataset.json`` and ``evaluators``, or one that holds several such.
    """
    if path.is_dir():
        return _llmbar(path)
    found: list[Preference] = []
    refused: list[Refused] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = checked(PairwiseModel, parse_json(line))
        except BadInputError as error:
            refused.append(Refused(error.at(file=str(path), line=number).place, error.what))
            continue
        judges = {
            name: (_label(orders.order_12), _label(orders.order_21))
            for name, orders in row.judges.items()
        }
        found.append(Preference(row.id, str(row.human_label), judges))
    return found, refused


def _llmbar(folder: Path) -> tuple[list[Preference], list[Refused]]:
    """Read LLMBar's release: pairs with what people prefer, and a file for each judge.

    Judges that gave ratings, or were asked in one order only, are left out, by file.
    """
    found: list[Preference] = []
    refused: list[Refused] = []
    for path in sorted(folder.rglob("dataset.json")):
        rows: Any = parse_json(path.read_bytes())
        judges: list[dict[str, tuple[Label, Label]]] = [{} for _ in rows]
        evaluators = path.parent / "evaluators"
        for results in sorted(evaluators.rglob("result.json")):
            name = results.parent.relative_to(evaluators).as_posix()
            try:
                said = _both_orders(parse_json(results.read_bytes()), len(rows))
            except (BadInputError, KeyError, IndexError, TypeError, ValueError) as error:
                refused.append(
                    Refused(Place(str(results)), f"no preference in both orders: {error}")
                )
                continue
            for of_pair, orders in zip(judges, said, strict=True):
                of_pair[name] = orders
        subset = path.parent.relative_to(folder).as_posix()
        for number, (row, of_pair) in enumerate(zip(rows, judges, strict=True)):
            if not isinstance(row, dict) or row.get("label") not in (1, 2):
                refused.append(
                    Refused(Place(str(path), field=f"row {number + 1}"), "no label 1 or 2")
                )
                continue
            found.append(Preference(f"{subset}-{number:03}", str(row["label"]), of_pair))
    if not found:
        raise BadInputError(
            "no pairs here",
            remedy="a folder of LLMBar's release that holds dataset.json",
            place=Place(str(folder)),
        )
    return found, refused


def _both_orders(results: Any, size: int) -> list[tuple[Label, Label]]:  # noqa: ANN401 - JSON
    """Return each pair's preference in both orders, as LLMBar has them.

    Raises:
        ValueError: if there are more or fewer than ``size``.
    """
    if len(results) != size:
        raise ValueError(f"{len(results)} results for {size} pairs")

    def one(said: Any) -> Label:  # noqa: ANN401 - JSON
        return said if said in ("1", "2") else _EMPTY

    return [
        (
            one(row["results"][0]["swap = False"]["winner"]),
            one(row["results"][0]["swap = True"]["winner"]),
        )
        for row in results
    ]


def position_bias(pairs: Sequence[Preference], judge: str) -> PositionBias:
    """Measure one judge.

    Raises:
        BadInputError: if no pair has it.
    """
    asked = [pair for pair in pairs if judge in pair.judges]
    if not asked:
        raise BadInputError(f"no pair was shown to {judge!r}")
    left_out: Counter[str] = Counter()
    same = other = first = 0
    human = [pair.human for pair in asked]
    both = [pair.judges[judge] for pair in asked]
    agreeing: list[Label] = []
    for one, two in both:
        agreeing.append(one if one == two else None)
        if not isinstance(one, str) or not isinstance(two, str):
            left_out[str(Reason.NOT_CONVERGED)] += 1
        elif one == two:
            same += 1
        else:
            # Shown "1 2" it says 1, shown "2 1" it says 2: always the first.
            other, first = other + 1, first + (one == "1")
    classes = ("1", "2")
    return PositionBias(
        judge,
        wilson_rate(same, same + other, excluded=dict(left_out)),
        wilson_rate(first, other),
        judge_record(human, [one for one, _ in both], labels=classes),
        judge_record(human, [two for _, two in both], labels=classes),
        judge_record(human, agreeing, labels=classes),
    )


def _label(said: str | None) -> Label:
    return _EMPTY if said is None else said
