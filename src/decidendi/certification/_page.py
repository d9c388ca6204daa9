"""Filling in the report's page from what was counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from decidendi._version import __version__
from decidendi.certification._example import example, members, shown_case
from decidendi.certification._found import FoundSources
from decidendi.certification._records import records_at
from decidendi.certification._runfile import RunFile
from decidendi.certification._summary import ranked_receipts, ranked_transitions, ranked_units
from decidendi.certification._tally import Tally
from decidendi.evaluators import Pair
from decidendi.folders import write_whole
from decidendi.ledger import BadRow, Ledger, Row
from decidendi.receipts import Certificate, Status, why_open
from decidendi.report import (
    CellCounts,
    CertificationPage,
    ExampleCase,
    Fact,
    Members,
    OutcomeCounts,
    ProblemCase,
    ProblemGroup,
    RateFigure,
    ReceiptCount,
    UnitCount,
    VerdictPair,
    render_certification,
)

REPORT = "report.html"


def write_page(
    out: Path,
    run: RunFile,
    ledger: Ledger,
    tally: Tally,
    summary: dict[str, Any],
    both: Pair,
    cases: Path,
) -> None:
    """Write ``report.html``."""
    page = page_of(run, tally, summary, tuple(_examples(run, ledger, tally, both, cases)))
    write_whole(out / REPORT, render_certification(page).encode())


def page_again(
    out: Path, run: RunFile, ledger: Ledger, tally: Tally, summary: dict[str, Any]
) -> tuple[str, str]:
    """Compare ``report.html`` with the page drawn again from the certificates.

    Returns:
        What is wrong, and why it could not be compared; either may be empty.
    """
    path = out / REPORT
    if not path.exists():
        return f"{REPORT}: missing; run the same certify command again", ""
    if (version := run.content["tool"]["version"]) != __version__:
        return "", f"{REPORT} was not compared: version {version} drew it, this is {__version__}"
    chosen = tally.examples()
    rows = {row.ordinal: row for row in _rows_at(ledger, {one.ordinal for _, one in chosen})}
    found = FoundSources(out, run, list(rows.values()), None)
    examples = []
    for why, candidate in chosen:
        certificate = run.binder.certificate(rows[candidate.ordinal])
        examples.append(shown_case(certificate, found.pairs(certificate), why))
    if found.missing:
        return "", f"{REPORT} was not compared, since it shows what is lost: {found.missing[0]}"
    drawn = render_certification(page_of(run, tally, summary, tuple(examples))).encode()
    same = path.stat().st_size == len(drawn) and path.read_bytes() == drawn
    return "" if same else f"{REPORT}: differs from what the certificates give", ""


def page_of(
    run: RunFile, tally: Tally, summary: dict[str, Any], examples: tuple[ExampleCase, ...]
) -> CertificationPage:
    """Return the page's content."""
    kinds = run.identity.kinds
    by_size = sorted(ranked_receipts(tally.receipts), key=lambda item: -item[1])
    return CertificationPage(
        evaluator=run.identity.name,
        old_version=_version(run, "old"),
        revised_version=_version(run, "revised"),
        verdicts=run.identity.verdicts,
        kinds=kinds,
        outcomes=OutcomeCounts(
            cases=summary["cases"],
            changed=tally.changed,
            certified=tally.statuses[Status.CERTIFIED],
            no_op=tally.statuses[Status.NO_OP],
            identical=tally.statuses[Status.IDENTICAL],
            uncertifiable=tally.statuses[Status.UNCERTIFIABLE],
            unmeasured=tally.statuses[Status.UNMEASURED],
            unreadable=tally.bad,
        ),
        receipts=tuple(ReceiptCount(members(masks, kinds), n) for masks, n in by_size),
        transitions=tuple(
            VerdictPair(*ends) for ends in ranked_transitions(tally, run.identity.verdicts)
        ),
        units=tuple(
            UnitCount(
                name,
                unit.cases,
                unit.changed,
                unit.uncertifiable,
                unit.unmeasured,
                _main_receipt(unit.receipts, kinds),
            )
            for name, unit in ranked_units(tally)
        ),
        cells=CellCounts(full=tally.certificates << len(kinds), needed=tally.cells["needed"]),
        rates=tuple(_rates(summary["gold"])),
        problems=tuple(_problems(run, tally)),
        examples=examples,
        facts=tuple(_facts(run, summary)),
        confidence=run.sampling.confidence if run.sampling else None,
    )


def _version(run: RunFile, side: str) -> str:
    about = run.content["evaluators"][side]
    revision = about.get("revision")
    return f"{about['version']} ({revision[:12]})" if revision else str(about["version"])


def _main_receipt(receipts: Counter[tuple[int, ...]], kinds: Sequence[str]) -> Members | None:
    ranked = sorted(ranked_receipts(receipts), key=lambda item: -item[1])
    return members(ranked[0][0], kinds) if ranked else None


def _rates(gold: dict[str, Any] | None) -> Iterator[RateFigure]:
    meanings = {
        "drift": "Cases whose verdict changed although the gold verdict did not, "
        "of all cases whose gold verdict did not change.",
        "inertia": "Cases whose verdict did not change although the gold verdict did, "
        "of all cases whose gold verdict changed.",
    }
    if gold is None:
        return
    for name, meaning in meanings.items():
        rate = gold[name]
        yield RateFigure(
            name,
            meaning,
            rate["numerator"],
            rate["n"],
            rate["low"],
            rate["high"],
            rate["method"],
            rate["excluded"],
        )


def _problems(run: RunFile, tally: Tally) -> list[ProblemGroup]:
    groups = [
        ProblemGroup(
            status.value,
            reason,
            group.cases,
            tuple(_problem_case(run.binder.certificate(row), reason) for row in group.first),
        )
        for (status, reason), group in tally.problems.items()
    ]
    groups.extend(
        ProblemGroup("unreadable", reason, tally.bad_counts[reason], tuple(map(_bad_case, some)))
        for reason, some in tally.bad_reasons.items()
    )
    return sorted(groups, key=lambda group: (-group.cases, group.outcome, group.reason))


def _problem_case(certificate: Certificate, reason: str) -> ProblemCase:
    kinds = certificate.adjudicator.kinds
    opened = {
        mask: why
        for mask, why in why_open(certificate).items()
        if why.reason.value == reason or reason == "migration"
    }
    detail = next((why.detail for why in opened.values()), "")
    return ProblemCase(certificate.case_id, detail, members(tuple(opened), kinds))


def _bad_case(row: BadRow) -> ProblemCase:
    # The line stands in front already where the case has no id.
    where = [f"line {row.line}" if row.case_id else "", row.field or ""]
    remedy = f" ({row.remedy})" if row.remedy else ""
    what = ": ".join([part for part in where if part] + [f"{row.what}{remedy}"])
    return ProblemCase(row.case_id or f"line {row.line}", what)


def _facts(run: RunFile, summary: dict[str, Any]) -> Iterator[Fact]:
    content = run.content
    for side, name in (("old", "old evaluator"), ("revised", "revised evaluator")):
        about = content["evaluators"][side]
        yield Fact(name, f"{about['name']} {_version(run, side)}")
        yield Fact(f"{name}, digest", about["digest"], code=True)
    about = content["adjudicator"]
    yield Fact("adjudicator", f"{about['engine']}, {about['digest']}", code=True)
    if not about["deterministic"]:
        options = content["options"]
        drawn = f"drawn: confidence {options['confidence']}, at most {options['budget']} draws"
        yield Fact("cells", drawn)
    if content["options"]["timeout"] is not None:
        yield Fact("time allowed for one execution", f"{content['options']['timeout']} s")
    yield Fact("cases", content["cases"]["digest"], code=True)
    yield Fact("certificates, Merkle root", summary["certificates"]["root"], code=True)
    yield Fact("made with", f"decidendi {content['tool']['version']}")


def _examples(
    run: RunFile, ledger: Ledger, tally: Tally, both: Pair, cases: Path
) -> Iterator[ExampleCase]:
    """Show the smallest case of every kind of outcome."""
    chosen = tally.examples()
    wanted = {candidate.ordinal for _, candidate in chosen}
    rows = {row.ordinal: row for row in _rows_at(ledger, wanted)}
    records = records_at(cases, {row.line for row in rows.values()}, run.case_kinds)
    for why, candidate in chosen:
        row = rows[candidate.ordinal]
        if (record := records.get(row.line)) is not None:
            yield example(run.binder.certificate(row), both.transition(record), why)


def _rows_at(ledger: Ledger, ordinals: set[int]) -> Iterator[Row]:
    for segment in sorted({ordinal // ledger.segment for ordinal in ordinals}):
        yield from (row for row in ledger.rows(segment) if row.ordinal in ordinals)
