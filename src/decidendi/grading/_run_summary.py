"""What a run shows, computed from its records: rates as the judge gives them, and what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import orjson

from decidendi.folders import write_whole
from decidendi.grading._measures import Measures
from decidendi.grading._model_judge_desk import Spent
from decidendi.grading._records import difference_json, rate_json
from decidendi.grading._runs import GradingRun
from decidendi.judgment import Unmeasured

SUMMARY: Final = "summary.json"
FORMAT: Final = "decidendi-grading-summary/1"
CAVEAT: Final = (
    "These are what the judge says. No figure of a judge counts before its record: validate it "
    "against people's labels of chains that it was not designed on."
)


MADE_UP: Final = (
    "A dry run: a script answered, not a model. Its labels are made up, so no rate of them is "
    "given; its calls are those that a model would take, its tokens estimates."
)


@dataclass(frozen=True)
class RunSummary:
    """What a run shows.

    Attributes:
        dry_run: Its labels are made up: no rate of them is given.
        measures: The judge's rates, uncorrected.
        premises: How many premises there are.
        labelled: How many of them have a label.
        unmeasured: Premises without one, and chains without premises, by reason.
        details: The same by reason and detail, for people.
        spent: What a model's calls took; None of a judge that makes none.
    """

    dry_run: bool
    measures: Measures
    premises: int
    labelled: int
    unmeasured: Mapping[str, int]
    details: Mapping[str, int]
    spent: Spent | None

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; figures are decimal text, each with n and exclusions.

        Those of a dry run are null.
        """
        found = self.measures
        rates = {
            "accuracy": rate_json(found.accuracy),
            "soundness": rate_json(found.soundness),
            "correctness": rate_json(found.correctness),
            "gap": difference_json(found.gap),
            "classes": {name: rate_json(one) for name, one in found.classes.items()},
            "errors": {name: rate_json(one) for name, one in found.errors.items()},
            "chains_with": {name: rate_json(one) for name, one in found.chains_with.items()},
        }
        return {
            "format": FORMAT,
            "dry_run": self.dry_run,
            "caveat": MADE_UP if self.dry_run else CAVEAT,
            "chains": found.chains,
            "units": found.units,
            "premises": {
                "count": self.premises,
                "labelled": self.labelled,
                "unmeasured": dict(self.unmeasured),
                "details": dict(self.details),
            },
            **(dict.fromkeys(rates) if self.dry_run else rates),
            "calls": None if self.spent is None else self.spent.as_json(),
        }


def summarise(run: GradingRun) -> RunSummary:
    """Compute what a run shows."""
    premises = labelled = 0
    reasons: Counter[str] = Counter()
    details: Counter[str] = Counter()
    for chain, labels in run.graded:
        if isinstance(chain.premises, Unmeasured):
            missing = [chain.premises]
        else:
            premises += len(chain.premises)
            marks = [labels.marks(at) if labels else None for at in range(len(chain.premises))]
            labelled += sum(isinstance(one, tuple) for one in marks)
            missing = [one for one in marks if isinstance(one, Unmeasured)]
            unlabelled = sum(one is None for one in marks)
            reasons.update({"no label": unlabelled} if unlabelled else {})
        reasons.update(str(one.reason) for one in missing)
        details.update(f"{one.reason}: {one.detail}" for one in missing)
    shown = dict(sorted(details.items(), key=lambda row: (-row[1], row[0])))
    spent = _spent(run)
    counts = dict(sorted(reasons.items()))
    rates = run.measures
    return RunSummary(run.judge.dry_run, rates, premises, labelled, counts, shown, spent)


def write_summary(folder: Path, run: GradingRun) -> RunSummary:
    """Compute what a run shows, and write it into its folder."""
    found = summarise(run)
    data = orjson.dumps(found.as_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    write_whole(folder / SUMMARY, [data + b"\n"])
    return found


def _spent(run: GradingRun) -> Spent | None:
    """Add up what the labels say that each chain took."""
    told = [row.about["judge"] for row in run.labels if isinstance(row.about.get("judge"), dict)]
    if not told:
        return None
    whole = Spent()
    for one in told:
        whole += Spent(**{f.name: _number(f.name, one) for f in fields(Spent)})
    return whole


def _number(name: str, told: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an int, or a cost as text
    return float(told["cost"] or 0.0) if name == "cost" else told[name]
