"""A judge against people on the same chains: its record, and what its rates are worth.

Only chains that the judge was not designed on count. Premises that merely follow from an earlier
error are left out of its record: whether they are errors of their own is a matter of taste.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from decidendi.grading._chain import Chain
from decidendi.grading._compare import Compared, FirstErrors, kinds_of
from decidendi.grading._labels import Labels
from decidendi.grading._measures import Measures
from decidendi.grading._people import PeopleAgreement, agreement, by_chain, of_these
from decidendi.grading._referee import Outcome, outcome_of
from decidendi.grading._runs import GradingRun, labels_digest, refuse_dry_run
from decidendi.judgment import BadInputError
from decidendi.stats import Agreement, Corrected, CorrectedRate, JudgeRecord, NoAgreement, Rate


@dataclass(frozen=True)
class Validation:
    """A judge's record, and its corrected rates.

    Attributes:
        run: What was graded.
        labelled: How many chains people labelled.
        elsewhere: How many chains they labelled that are not of this run; these count nowhere.
        labels_digest: Of people's labels of this run's chains.
        designed_on: The collections that the judge was designed on, as far as anybody said.
        people: How far people agree among themselves.
        premises: Whether a premise is in error.
        kinds: Which kind it has; several kinds of one premise are a class of their own.
        errors: By kind and sub-kind that occurs: whether a premise has it.
        conclusions: The class of the conclusion.
        class_kappas: By class: Cohen's kappa of it against all others.
        class_alphas: Likewise Krippendorff's alpha.
        wholes: Whether a chain is in error anywhere.
        first: First-error localisation.
        by_agreement: The share of premises the judge labels as most people do, where all people
            agree, where they are split, and where one person labelled alone.
        followed: Premises left out because they follow from an earlier error.
        stopping: Some labels end with the first error, so that shares of premises are not given.
        measures: What the judge says of all chains, uncorrected.
        corrected: The same rates, corrected by what people labelled.
        rogan_gladen: Those that are hits and misses, corrected the other way.
        gap: Accuracy less correctness, corrected.
    """

    run: GradingRun
    labelled: int
    elsewhere: int
    labels_digest: str
    designed_on: tuple[str, ...]
    people: PeopleAgreement
    premises: JudgeRecord
    kinds: JudgeRecord
    errors: Mapping[str, JudgeRecord]
    conclusions: JudgeRecord
    class_kappas: Mapping[str, Agreement | NoAgreement]
    class_alphas: Mapping[str, Agreement | NoAgreement]
    wholes: JudgeRecord
    first: FirstErrors
    by_agreement: Mapping[str, Rate]
    followed: int
    stopping: bool
    measures: Measures
    corrected: Mapping[str, CorrectedRate]
    rogan_gladen: Mapping[str, CorrectedRate]
    gap: CorrectedRate

    @property
    def judged_gap(self) -> Outcome:
        """Say whether the gap that the judge alone gives stands before what people say."""
        if not isinstance(self.gap, Corrected):
            return "not enough labels"
        return outcome_of(self.gap.raw, self.gap.low, self.gap.high)


def keep_apart(chains: Sequence[Chain], designed_on: Sequence[str]) -> None:
    """Refuse chains that a judge was designed on, and chains of which nobody says whether it was.

    Raises:
        BadInputError: on either.
    """
    names = {chain.collection for chain in chains}
    if mixed := sorted(names & set(designed_on) - {""}):
        raise BadInputError(
            f"the judge was designed on {mixed[0]!r}, from which labelled chains come",
            remedy="validate it on chains it was not designed on",
        )
    if designed_on and "" in names:
        raise BadInputError(
            "labelled chains name no collection, and the judge was designed on "
            f"{', '.join(sorted(designed_on))}",
            remedy='give each chain a "collection", so that the two can be told apart',
        )


def validate(
    run: GradingRun, human: Sequence[Labels], *, designed_on: Sequence[str] = ()
) -> Validation:
    """Compare a judge with people.

    Args:
        run: The judge's labels.
        human: People's: of a random part of the chains, by one or several people each. Labels
            of chains that are not of this run are left out and counted.
        designed_on: Further collections that the judge was designed on.

    Raises:
        BadInputError: if the run is a dry run, no chain is labelled, labels do not fit, or chains
            of the judge's design are among those labelled.
    """
    refuse_dry_run(run)
    here = of_these(run.chains, human)
    if not here:
        raise BadInputError("people labelled no chain of this run")
    people = by_chain(run.chains, here)
    design = tuple(sorted({*run.judge.designed_on, *designed_on}))
    keep_apart([chain for chain in run.chains if chain.id in people], design)
    rows = Compared(run, people)
    classes = rows.class_agreement()
    corrected, other, gap = rows.corrected()
    measures = run.measures
    if measures.gap.value is not None:  # the judge's own, of the chains that it labelled
        gap = replace(gap, raw=measures.gap.value)
    return Validation(
        run,
        len(people),
        len({row.chain for row in human}) - len(people),
        labels_digest(here),
        design,
        agreement(run.chains, people, run.taxonomy),
        rows.error(""),
        rows.record(kinds_of),
        {code: rows.error(code) for code in rows.codes},
        rows.conclusions(),
        {code: kappa for code, (kappa, _) in classes.items()},
        {code: alpha for code, (_, alpha) in classes.items()},
        rows.wholes(),
        rows.first_errors(),
        rows.by_agreement(),
        rows.followed,
        rows.stopping,
        measures,
        corrected,
        other,
        gap,
    )
