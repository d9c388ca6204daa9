"""Intervals, paired tests, agreement, sequential tests: statistics without a view on law."""

from decidendi.stats._absent import Label, Value
from decidendi.stats._agreement import (
    Agreement,
    NoAgreement,
    Scale,
    Weights,
    cohen_kappa,
    kappa_and_alpha,
    krippendorff_alpha,
)
from decidendi.stats._confusion import ClassCounts, Confusion, confusion
from decidendi.stats._corrected import (
    Corrected,
    CorrectedRate,
    NotEnoughLabels,
    corrected_difference,
    corrected_rate,
)
from decidendi.stats._items import Judgments
from decidendi.stats._judges import JudgeComparison, compare_judges
from decidendi.stats._needed import (
    MIN_LABELS,
    MIN_UNITS,
    WORST,
    LabelsNeeded,
    Spread,
    labels_needed,
)
from decidendi.stats._paired import McNemar, holm, mcnemar, mcnemar_p, sign_flip_p
from decidendi.stats._ppi import Weighting
from decidendi.stats._rate import Rate, wilson_interval, wilson_rate
from decidendi.stats._record import ClassRates, JudgeRecord, judge_record
from decidendi.stats._resample import (
    Difference,
    Resampler,
    Tally,
    bootstrap_p,
    bootstrap_rate,
    paired_difference,
    rate,
)
from decidendi.stats._rogan_gladen import rogan_gladen
from decidendi.stats._selective import (
    Accepting,
    Claim,
    Selective,
    accepting,
    selective_risk,
    threshold_for,
)
from decidendi.stats._sequential import evidence_above_half, fewest_draws, first_majority

__all__ = [
    # shares with intervals
    "Rate",
    "rate",
    "wilson_rate",
    "wilson_interval",
    "bootstrap_rate",
    # resampling seeds and units, pairs kept
    "Resampler",
    "Tally",
    "Difference",
    "paired_difference",
    "bootstrap_p",
    # two answers on the same cases, several tests at once
    "McNemar",
    "mcnemar",
    "mcnemar_p",
    "sign_flip_p",
    "holm",
    # labels and values that may be absent
    "Label",
    "Value",
    # a judge against people
    "confusion",
    "Confusion",
    "ClassCounts",
    "judge_record",
    "JudgeRecord",
    "ClassRates",
    "compare_judges",
    "JudgeComparison",
    # agreement beyond chance
    "cohen_kappa",
    "kappa_and_alpha",
    "krippendorff_alpha",
    "Agreement",
    "NoAgreement",
    "Scale",
    "Weights",
    # a judge's rates, corrected by what people labelled
    "Judgments",
    "Weighting",
    "corrected_rate",
    "corrected_difference",
    "rogan_gladen",
    "Corrected",
    "NotEnoughLabels",
    "CorrectedRate",
    "MIN_LABELS",
    "MIN_UNITS",
    # how many labels it takes
    "Spread",
    "WORST",
    "LabelsNeeded",
    "labels_needed",
    # accepting only confident claims
    "Claim",
    "Accepting",
    "accepting",
    "Selective",
    "selective_risk",
    "threshold_for",
    # sequential tests
    "evidence_above_half",
    "fewest_draws",
    "first_majority",
]
