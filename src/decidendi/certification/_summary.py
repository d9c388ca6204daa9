"""``summary.json``: what a run found, as a function of its certificates alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from decidendi.certification._bad import BAD, bad_record
from decidendi.certification._runfile import RunFile
from decidendi.certification._tally import Tally, Unit
from decidendi.certification._words import receipt_order, receipt_words
from decidendi.judgment import digest_of
from decidendi.ledger import Ledger, run_root
from decidendi.receipts import Status, names_of
from decidendi.stats import Rate

SUMMARY = "summary.json"
FORMAT = "decidendi-summary/1"
UNITS_LISTED = 1_000


@dataclass(frozen=True)
class Summary:
    """What a run found.

    Attributes:
        content: ``summary.json``.
        executed: How many states this process executed, or how many draws it made; differs
            between a run and its resumption.
        checked: How many of those states it executed a second time, to see whether they are
            decided alike.
        first: By outcome, the first cases that ended so.
    """

    content: dict[str, Any]
    executed: int = 0
    checked: int = 0
    first: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many cases ended how."""
        found: dict[str, int] = self.content["outcomes"]
        return found

    @property
    def drawn(self) -> bool:
        """Whether cells were drawn, from an evaluator declared stochastic."""
        return bool(self.content["drawn"])

    @property
    def finished_whole(self) -> bool:
        """Whether every case has a full answer, and no state gave two."""
        open_ones = ("uncertifiable", "unmeasured", "bad")
        return not any(self.outcomes[name] for name in open_ones) and not self.flickering

    @property
    def flickering(self) -> int:
        """Cases in which a state gave two answers though declared deterministic."""
        return int(self.content["nondeterministic_cases"])


def summarise(run: RunFile, ledger: Ledger, tally: Tally) -> dict[str, Any]:
    """Return the content of ``summary.json``."""
    tally.fold()
    kinds = run.identity.kinds
    statuses = {status.value: tally.statuses[status] for status in Status}
    return {
        "format": FORMAT,
        "run": digest_of(run.content),
        "evaluator": run.identity.name,
        "versions": {
            side: run.content["evaluators"][side]["version"] for side in ("old", "revised")
        },
        "kinds": list(kinds),
        "verdicts": list(run.identity.verdicts),
        "drawn": run.sampling is not None,
        "cases": tally.certificates + tally.bad,
        "outcomes": {"changed": tally.changed, **statuses, "bad": tally.bad},
        "receipts": _receipts(tally.receipts, kinds),
        "complexity": _by(tally.receipts, lambda masks: masks[0].bit_count()),
        "multiplicity": _by(tally.receipts, len),
        "ambiguous": sum(n for masks, n in tally.receipts.items() if len(masks) > 1),
        "transitions": _transitions(tally, run.identity.verdicts),
        "open": _open(tally),
        "bad": _bad(tally),
        "nondeterministic_cases": tally.flickering,
        "cells": {
            "needed": tally.cells["needed"],
            "full": tally.certificates << len(kinds),
            "of_changed_cases": {
                "needed": tally.cells["needed_changed"],
                "full_over_changed_kinds": tally.cells["full_changed"],
            },
        },
        "units": _units(tally, kinds),
        "gold": _gold(tally),
        "examples": [{"case": best.case_id, "why": why} for why, best in tally.examples()],
        "certificates": {
            "count": tally.certificates,
            "segment": ledger.segment,
            "root": "sha256:" + run_root(ledger.segments()).hex(),
        },
    }


def ranked_receipts(receipts: Counter[tuple[int, ...]]) -> list[tuple[tuple[int, ...], int]]:
    """Return receipts in their fixed order: complexity, multiplicity, kind order."""
    return sorted(receipts.items(), key=lambda item: receipt_order(item[0]))


def _receipts(receipts: Counter[tuple[int, ...]], kinds: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "receipt": receipt_words(masks, kinds),
            "members": [list(names_of(mask, kinds)) for mask in masks],
            "cases": count,
        }
        for masks, count in ranked_receipts(receipts)
    ]


def _by(receipts: Counter[tuple[int, ...]], measure: Any) -> dict[str, int]:  # noqa: ANN401 - a function of the masks
    counts: Counter[int] = Counter()
    for masks, cases in receipts.items():
        counts[measure(masks)] += cases
    return {str(value): counts[value] for value in sorted(counts)}


def ranked_transitions(
    tally: Tally, verdicts: Sequence[str]
) -> list[tuple[str | None, str | None, int]]:
    """Return counts of old and revised verdict, in the declared order; None is unmeasured."""
    order = {verdict: i for i, verdict in enumerate(verdicts)}

    def rank(label: str | None) -> int:
        return order.get(label, len(order)) if label is not None else len(order) + 1

    ends = sorted(tally.transitions, key=lambda ends: (rank(ends[0]), rank(ends[1])))
    return [(*end, tally.transitions[end]) for end in ends]


def _transitions(tally: Tally, verdicts: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"old": old, "revised": new, "cases": cases}
        for old, new, cases in ranked_transitions(tally, verdicts)
    ]


def _open(tally: Tally) -> dict[str, dict[str, int]]:
    """Count reasons; a case with several open cells counts once under each of their reasons."""
    found: dict[str, dict[str, int]] = {}
    for status in (Status.UNCERTIFIABLE, Status.UNMEASURED):
        of = {reason: group.cases for (s, reason), group in tally.problems.items() if s is status}
        found[status.value] = dict(sorted(of.items()))
    found["bad"] = dict(sorted(tally.bad_counts.items()))
    return found


def _bad(tally: Tally) -> dict[str, Any] | None:
    """Name the file of bad records, and the first of them; None if there is none."""
    if not tally.bad:
        return None
    return {"file": BAD, "first": [bad_record(row) for row in tally.first_bad]}


def ranked_units(tally: Tally) -> list[tuple[str, Unit]]:
    """Return units by changed cases, largest first; none if cases are not grouped."""
    if tally.units is None or not tally.grouped:
        return []
    return sorted(tally.units.items(), key=lambda item: (-item[1].changed, item[0]))


def _units(tally: Tally, kinds: Sequence[str]) -> dict[str, Any]:
    if tally.units is None:
        return {"count": None, "listed": [], "note": "too many to list; see cases.parquet"}
    if not tally.grouped:
        return {"count": len(tally.units), "listed": [], "note": "each case is its own unit"}
    ranked = ranked_units(tally)
    return {
        "count": len(ranked),
        "listed": [
            {
                "unit": name,
                "cases": unit.cases,
                "changed": unit.changed,
                "uncertifiable": unit.uncertifiable,
                "unmeasured": unit.unmeasured,
                "receipts": {
                    receipt_words(masks, kinds): n for masks, n in ranked_receipts(unit.receipts)
                },
            }
            for name, unit in ranked[:UNITS_LISTED]
        ],
        "note": "" if len(ranked) <= UNITS_LISTED else f"the first {UNITS_LISTED} by changed cases",
    }


def _gold(tally: Tally) -> dict[str, Any] | None:
    """Return drift and inertia; None where no case carries gold verdicts."""
    if not tally.any_gold:
        return None
    return {
        "cases": tally.gold.with_gold,
        "drift": _rate(tally.gold.drift),
        "inertia": _rate(tally.gold.inertia),
    }


def _rate(rate: Rate) -> dict[str, Any]:
    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 6)

    return {
        "numerator": rate.numerator,
        "n": rate.n,
        "share": rounded(rate.share),
        "low": rounded(rate.low),
        "high": rounded(rate.high),
        "method": rate.method,
        "excluded": dict(sorted(rate.excluded.items())),
    }
