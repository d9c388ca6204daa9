"""What surface statistics reach: a leak in the text shows here before anybody trains a model.

Table 1 of the paper: the majority of the training split, and a linear model over character
n-grams. (The two random rows are expected values; ``chance_receipts`` gives them.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from decidendi.judgment import MissingExtraError
from decidendi.reasonbench._predictions import Predicted, Predictions
from decidendi.reasonbench._records import KINDS, SPLITS, Split
from decidendi.reasonbench._store import read_rows
from decidendi.reasonbench._targets import Answer, Target
from decidendi.receipts import PredictedReceipt

MAJORITY, TFIDF = "Majority target", "Character TF-IDF"
PRIOR, UNIFORM = "Train-prior random receipt", "Uniform observed-support receipt"
PUBLISHED_BASELINES: dict[str, tuple[str, str]] = {
    MAJORITY: ("53.8", "44.2"),
    TFIDF: ("90.0", "61.7"),
    PRIOR: ("", "22.6"),
    UNIFORM: ("", "7.7"),
}
"""Published locked accuracies in per cent: revised verdict (empty for a mere receipt), exact
receipt (table 1)."""

_COLUMNS = ("id", "split", "prompt", "cube", "receipt")
_Row: TypeAlias = dict[str, Any]
_PARTS: dict[str, Callable[[_Row], str]] = {
    "old": lambda row: str(row["cube"][0]),
    "revised": lambda row: str(row["cube"][-1]),
    "receipt": lambda row: "|".join(map(str, row["receipt"])),
}
"""What is predicted, each on its own: both endpoints, and the family as one label."""


def baselines(
    folder: Path, *, splits: Sequence[Split] = ("locked",), controls: bool = False
) -> tuple[Predictions, ...]:
    """Fit the surface baselines on the training split and predict.

    Args:
        folder: A built benchmark.
        splits: Which splits to predict.
        controls: Whether to predict the controls of the locked split as well.

    Returns:
        The majority and the TF-IDF predictions, for ``Scorer`` and ``diagnostics``.

    Raises:
        BadInputError: if the folder holds no benchmark.
        MissingExtraError: without the extra ``bench``.
    """
    if unknown := set(splits) - set(SPLITS):
        raise ValueError(f"no such split: {sorted(unknown)}")
    train, wanted = [], []
    for row in read_rows(folder, "cases", _COLUMNS):
        if row["split"] == "train":
            train.append(row)
        if row["split"] in splits:
            wanted.append(row)
    if controls:
        wanted += read_rows(folder, "controls", _COLUMNS)
    return _majority(train, wanted), _tfidf(train, wanted)


def _majority(train: Sequence[_Row], wanted: Sequence[_Row]) -> Predictions:
    """Predict the most frequent label of each part; of equals the first by name."""
    usual = {}
    for part, read in _PARTS.items():
        counts = Counter(map(read, train))
        usual[part] = min(counts, key=lambda label: (-counts[label], label))
    labels = {part: [label] * len(wanted) for part, label in usual.items()}
    return _predictions(MAJORITY, wanted, labels)


def _tfidf(train: Sequence[_Row], wanted: Sequence[_Row]) -> Predictions:
    """Predict each part by a linear model over weighted character n-grams of the prompt."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import SGDClassifier
    except ImportError:
        raise MissingExtraError("the TF-IDF baseline", "bench") from None
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), min_df=3, sublinear_tf=True)
    known = vectors.fit_transform(_prompts(train))
    new = vectors.transform(_prompts(wanted))
    labels = {}
    for part, read in _PARTS.items():
        model = SGDClassifier(
            loss="log_loss", alpha=1e-5, max_iter=15, tol=None, random_state=0, average=True
        )
        model.fit(known, [read(row) for row in train])
        labels[part] = [str(label) for label in model.predict(new)]
    return _predictions(TFIDF, wanted, labels)


def _prompts(rows: Iterable[_Row]) -> Iterable[str]:
    return (row["prompt"] for row in rows)


def _predictions(method: str, rows: Sequence[_Row], labels: dict[str, list[str]]) -> Predictions:
    """Put the parts together; they may contradict each other, as such a model's do."""
    answers = {}
    parts = zip(labels["old"], labels["revised"], labels["receipt"], strict=True)
    for row, (old, revised, family) in zip(rows, parts, strict=True):
        masks = tuple(int(mask) for mask in family.split("|") if mask)
        answer = Answer(old, revised, PredictedReceipt(KINDS, masks))
        answers[str(row["id"])] = Predicted(answer)
    return Predictions(method, Target.DIRECT_RECEIPT, {"": answers})
