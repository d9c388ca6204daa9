"""Printing a judge's record. The rates it gives alone never stand without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decidendi.cli._terminal import say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from decidendi.grading import Referee, Validation
    from decidendi.stats import Agreement, Confusion, JudgeRecord, NoAgreement, Rate

    BeyondChance: TypeAlias = tuple[Agreement | NoAgreement, Agreement | NoAgreement]


def show(found: Validation) -> None:
    """Print a validation: people among themselves, the judge against them, corrected rates."""
    run, people = found.run, found.people
    say(
        f"{run.judge.by} against people: {found.labelled:,} of {len(run.chains):,} chains "
        f"labelled, taxonomy {run.taxonomy.name}",
        "bold",
    )
    names = ", ".join(f"{name} {count:,}" for name, count in people.annotators.items())
    say("People among themselves", "bold")
    say(f"  labelled: {names}; by several: {people.several:,} chains")
    if found.designed_on:
        sets = ", ".join(name or "(unnamed)" for name in run.collections)
        say(f"  designed on {', '.join(found.designed_on)}; these chains are of {sets}")
    if found.elsewhere:
        say(f"  left out, of chains that are not of this run: {found.elsewhere:,}")
    if people.several:
        say(f"  {'a premise is wrong':28} alpha {people.wrong}")
        for code, alpha in people.kinds.items():
            say(f"  {code:28} alpha {alpha}")
        say(f"  {'class of the conclusion':28} alpha {people.conclusion}")
        if people.pair is not None:
            say(f"  {'the two of them':28} kappa {people.pair}")
    else:
        say("  no chain was labelled by two people: their agreement is unknown")
    _record("Is a premise wrong?", found.premises, ["yes"])
    if found.followed:
        say(f"  left out because they follow from an earlier error: {found.followed:,} premises")
    _record("Kinds of error", found.kinds, [])
    for code, record in found.errors.items():
        _classes(code, record, "yes", (record.kappa, record.alpha))
    classes = list(found.conclusions.classes)
    beyond = {code: (found.class_kappas[code], found.class_alphas[code]) for code in classes}
    _record("Class of the conclusion", found.conclusions, classes, beyond)
    _record("Is a chain wrong anywhere?", found.wholes, ["wrong"])
    _first(found)
    _rates(found)


def _record(
    title: str,
    record: JudgeRecord,
    classes: list[str],
    beyond_chance: Mapping[str, BeyondChance] | None = None,
) -> None:
    say(title, "bold")
    if not record.confusion.n:
        say(f"  nothing to compare{_left_out(record.confusion.excluded)}")
        return
    for line in _matrix(record.confusion):
        say(f"  {line}")
    left_out = _left_out(record.confusion.excluded)
    say(f"  agreed {record.agreed}; kappa {record.kappa}; alpha {record.alpha}{left_out}")
    for label in classes:
        _classes(label, record, label, (beyond_chance or {}).get(label))


def _classes(title: str, record: JudgeRecord, label: str, beyond: BeyondChance | None) -> None:
    rates = record.classes[label]
    if rates.recall.n or rates.precision.n:
        both = f"precision {rates.precision}; recall {rates.recall}"
        end = "" if beyond is None else f"; kappa {beyond[0]}; alpha {beyond[1]}"
        say(f"  {title:32} {both}; F1 {_f1(rates.f1)}{end}")


def _f1(rate: Rate) -> str:
    if rate.share is None:
        return "undefined"
    if rate.low is None or rate.high is None:
        return f"{rate.share:.2f}"
    return f"{rate.share:.2f} [{rate.low:.2f}, {rate.high:.2f}]"


def _matrix(confusion: Confusion) -> list[str]:
    """Rows are people's classes, columns the judge's."""
    used = [
        i
        for i, row in enumerate(confusion.counts)
        if sum(row) or any(other[i] for other in confusion.counts)
    ]
    names = [confusion.labels[i] for i in used]
    width = max(len(name) for name in (*names, "people | judge"))
    lines = ["".join([f"{'people | judge':{width}}", *(f"  {name:>8}" for name in names)])]
    for i, name in zip(used, names, strict=True):
        cells = [
            f"  {confusion.counts[i][j]:>{max(8, len(other))},}"
            for j, other in zip(used, names, strict=True)
        ]
        lines.append("".join([f"{name:{width}}", *cells]))
    return lines


def _left_out(excluded: Any) -> str:  # noqa: ANN401 - counts by reason
    return (
        f"; left out: {', '.join(f'{why} {n:,}' for why, n in excluded.items())}"
        if excluded
        else ""
    )


def _first(found: Validation) -> None:
    first = found.first
    say("First error", "bold")
    say(f"  {'found at the same premise':32} {first.on_wrong}")
    say(f"  {'none found where there is none':32} {first.on_sound}")
    f1 = "undefined" if first.f1 is None else f"{first.f1:.2f}"
    say(f"  too early {first.early:,}, too late {first.late:,}, missed {first.missed:,}; F1 {f1}")
    if first.excluded:
        say(f"  {_left_out(first.excluded)[2:]}")
    say("The judge's agreement with most people, where people", "bold")
    for name, rate in found.by_agreement.items():
        if rate.n:
            say(f"  {name:32} {rate}")


def _rates(found: Validation) -> None:
    say("Rates, by the judge alone and corrected by what people labelled", "bold")
    say(f"  {'accuracy (needs no judge)':32} {found.measures.accuracy}")
    for name, corrected in (*found.corrected.items(), ("accuracy less correctness", found.gap)):
        say(f"  {name:32} {_raw(corrected.raw)} corrected {corrected}")
        other = found.rogan_gladen.get(name)
        if other is not None:
            say(f"  {'':32} {'':8} Rogan-Gladen {other}")
    if found.stopping:
        say(
            "  Labels end with the first error: shares of premises mean nothing, and are not given."
        )
    if any(one.stood_in for one in (*found.corrected.values(), found.gap)):
        say("  Where the judge gave no label, its mean stands in; Rogan-Gladen leaves that out.")
    say("  The corrected rates hold if the labelled chains are a random part of all.")
    gap = found.measures.gap.value
    said = "No judged gap" if gap is None else f"The judged gap of {100 * gap:.1f} points"
    say(f"{said}: {found.judged_gap}", "bold")


def _raw(value: float | None) -> str:
    return "no rate" if value is None else f"{100 * value:6.1f}% "


def show_referee(found: Referee) -> None:
    """Print the outcome of the referee's test."""
    for model, rate in found.models:
        say(f"  {model:24} {rate}")
    say(f"  {'all models':24} {found.people} (plain mean {100 * found.mean:.1f} points)")
    say(f"The judged gap of {100 * found.judged:.1f} points: {found.outcome}", "bold")


def referee_json(found: Referee) -> dict[str, Any]:
    """Return the outcome as a JSON object."""
    return {
        "outcome": found.outcome,
        "judged": found.judged,
        "people": {
            "mean": found.mean,
            "share": found.people.share,
            "low": found.people.low,
            "high": found.people.high,
            "chains": found.people.n,
        },
        "models": {model: rate.share for model, rate in found.models},
    }
