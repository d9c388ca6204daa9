"""Fills the page of a graded run; the report draws it and computes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from decidendi._version import __version__
from decidendi.folders import write_whole
from decidendi.grading._chain import Chain
from decidendi.grading._compare import human_marks
from decidendi.grading._labels import Labels, stops_at_first_error
from decidendi.grading._measures import Graded, Measures, measure
from decidendi.grading._page_chains import Names, chain_figures
from decidendi.grading._page_record import corrected_figure, rate_figure, record_figures
from decidendi.grading._people import by_chain, consensus, of_these
from decidendi.grading._records import read_records
from decidendi.grading._runs import GradingRun, labels_digest
from decidendi.grading._taxonomy import UNSPECIFIED
from decidendi.grading._validate import Validation
from decidendi.judgment import BadInputError, Unmeasured
from decidendi.models import EMBEDDED
from decidendi.report import (
    DifferenceFigure,
    Fact,
    GradedFigure,
    GradingPage,
    JudgeFigure,
    render_grading,
)
from decidendi.stats import Difference, Rate

PAGE, RECORDS = "report.html", "records.jsonl"

ACCURACY = "chains that choose the right option; code says so, no judge"
SOUNDNESS = "premises without an error, of all labelled ones"
CORRECTNESS = "chains whose premises are all sound and whose conclusion is correct"
GAP = "how much of the accuracy is not borne out by the reasoning"


def write_page(
    folder: Path,
    run: GradingRun,
    found: Validation | None = None,
    human: Sequence[Labels] = (),
) -> Path:
    """Write the page of a run whole, with its judge's record if there is one.

    Without it the page says so, and that there is one in the folder if there is.

    Args:
        folder: The run's folder.
        run: The run.
        found: The judge's record.
        human: The labels that the record was made with.

    Raises:
        ValueError: if the labels are not those of the record.
    """
    path = folder / PAGE
    page = grading_page(run, found, human)
    if found is None and _is_recorded(folder / RECORDS, run):
        page = replace(page, recorded=True)
    write_whole(path, [render_grading(page).encode()])
    return path


def _is_recorded(path: Path, run: GradingRun) -> bool:
    """Say whether a file of records holds one of this run. An altered file vouches for nothing."""
    if not path.is_file():
        return False
    try:
        records = read_records(path, judge_digest=run.judge.digest)
    except BadInputError:
        return False
    return any(record.content["chains"]["digest"] == run.chains_digest for record in records)


def grading_page(
    run: GradingRun,
    found: Validation | None = None,
    human: Sequence[Labels] = (),
) -> GradingPage:
    """Return what the page shows; arguments and errors as for ``write_page``."""
    human = of_these(run.chains, human)
    if bool(human) != (found is not None) or (
        found is not None and labels_digest(human) != found.labels_digest
    ):
        raise ValueError("a record is shown with the labels it was made with")
    people = by_chain(run.chains, human)
    most = {c.id: consensus(c, people[c.id]) for c in run.chains if c.id in people}
    graded = run.graded
    rows = [(chain, most[chain.id]) for chain in run.chains if chain.id in most]
    judged = found.measures if found else run.measures
    figures = _Figures(run, judged, found, _people(rows, run), [*run.labels, *human])
    names = Names(run.taxonomy)
    return GradingPage(
        judge=_judge(run, found),
        taxonomy=run.taxonomy.name,
        count=len(run.chains),
        units=judged.units,
        accuracy=figures.accuracy(),
        soundness=figures.soundness(),
        correctness=figures.correctness(),
        gap=figures.gap(),
        kinds=tuple(figures.kinds()),
        sub_kinds=tuple(figures.sub_kinds()),
        classes=tuple(figures.classes()),
        stopping=figures.stopping,
        marks=names.kinds,
        record=record_figures(found, names, _collections(chain for chain, _ in rows))
        if found
        else None,
        chains=() if run.judge.dry_run else tuple(chain_figures(graded, people, most, names)),
        facts=tuple(_facts(run, found)),
    )


def _people(rows: Sequence[Graded], run: GradingRun) -> tuple[Measures, Measures] | None:
    """Measure what people say: of chains, and of premises that do not merely follow from others.

    The two leave out different things, as the corrected rates do.
    """
    if not rows:
        return None
    return measure(rows, run.taxonomy), measure(
        [(chain, _without_followers(labels)) for chain, labels in rows], run.taxonomy
    )


def _without_followers(labels: Labels | None) -> Labels | None:
    if labels is None or isinstance(labels.premises, Unmeasured):
        return labels
    marks = tuple(human_marks(labels, place) for place in range(len(labels.premises)))
    return replace(labels, premises=marks)


class _Figures:
    """The quantities of a run, each by the judge, corrected, and by people."""

    def __init__(
        self,
        run: GradingRun,
        judged: Measures,
        found: Validation | None,
        people: tuple[Measures, Measures] | None,
        labels: Sequence[Labels],
    ) -> None:
        self.run, self.judged, self.found = run, judged, found
        self.of_chains = people[0] if people else None
        self.of_premises = people[1] if people else None
        # As in a validation: what lacks a label is no random part of all, so no share is given.
        rows = [row.premises for row in labels if not isinstance(row.premises, Unmeasured)]
        self.stopping = any(map(stops_at_first_error, rows))
        codes = {f.code for row in rows for marks in row if isinstance(marks, tuple) for f in marks}
        made_up = run.judge.dry_run
        self.shares = not self.stopping and not made_up and UNSPECIFIED not in codes

    def accuracy(self) -> GradedFigure:
        figure = self._figure("Accuracy", ACCURACY, lambda m: m.accuracy, self.of_chains)
        return replace(figure, judge_needed=False)

    def soundness(self) -> GradedFigure:
        if self.stopping or self.run.judge.dry_run:
            return GradedFigure("Soundness", SOUNDNESS, None)
        return self._figure(
            "Soundness", SOUNDNESS, lambda m: m.soundness, self.of_premises, "soundness", "premise"
        )

    def correctness(self) -> GradedFigure:
        if self.run.judge.dry_run:
            return GradedFigure("Correctness", CORRECTNESS, None)
        return self._figure(
            "Correctness", CORRECTNESS, lambda m: m.correctness, self.of_chains, "correctness"
        )

    def gap(self) -> GradedFigure:
        people, name = self.of_chains, "Accuracy less correctness"
        if self.run.judge.dry_run:
            return GradedFigure(name, GAP, None)
        return GradedFigure(
            name,
            GAP,
            _difference(self.judged.gap, self.judged.correctness.n),
            corrected_figure(self.found.gap) if self.found else None,
            people=_difference(people.gap, people.correctness.n) if people else None,
        )

    def kinds(self) -> Iterator[GradedFigure]:
        """Yield kinds of error; none where shares of premises cannot be given."""
        for kind, _ in self.run.taxonomy.kinds if self.shares else ():
            yield self._error(kind.code, kind.name, kind.definition)

    def sub_kinds(self) -> Iterator[GradedFigure]:
        """Yield the sub-kinds that somebody sees."""
        for kind, subs in self.run.taxonomy.kinds if self.shares else ():
            for sub in subs:
                figure = self._error(sub.code, f"{kind.name}: {sub.name}", sub.definition)
                rates = (self.judged, self.of_premises)
                if any(rate and rate.errors[sub.code].numerator for rate in rates):
                    yield figure

    def classes(self) -> Iterator[GradedFigure]:
        for entry in self.run.taxonomy.classes if not self.run.judge.dry_run else ():
            yield self._figure(entry.name, entry.definition, _class(entry.code), self.of_chains)

    def _error(self, code: str, name: str, definition: str) -> GradedFigure:
        return self._figure(
            name, definition, lambda m: m.errors[code], self.of_premises, code, "premise"
        )

    def _figure(
        self,
        name: str,
        meaning: str,
        of: Callable[[Measures], Rate],
        people: Measures | None,
        key: str = "",
        items: str = "chain",
    ) -> GradedFigure:
        return GradedFigure(
            name,
            meaning,
            rate_figure(of(self.judged)),
            corrected_figure(self.found.corrected.get(key)) if self.found else None,
            corrected_figure(self.found.rogan_gladen.get(key)) if self.found else None,
            rate_figure(of(people)) if people else None,
            items=items,
        )


def _class(code: str) -> Callable[[Measures], Rate]:
    return lambda measures: measures.classes[code]


def _difference(found: Difference, n: int) -> DifferenceFigure:
    return DifferenceFigure("", "", found.value, n, found.low, found.high, method=found.method)


def _judge(run: GradingRun, found: Validation | None) -> JudgeFigure:
    judge = run.judge
    return JudgeFigure(
        judge.by,
        tuple(
            (
                Fact("version", judge.version),
                *_settings("", judge.settings),
                Fact("digest of the judge", judge.digest, code=True),
                Fact("digest of the taxonomy", run.taxonomy.digest, code=True),
            )
        ),
        judge.designed_on if found is None else found.designed_on,
        demonstration=EMBEDDED in judge.name.split("/"),
        scripted=judge.name == "scripted",
        dry_run=judge.dry_run,
        exact=judge.name == "exact",
    )


def _settings(prefix: str, settings: Mapping[str, object]) -> Iterator[Fact]:
    """Yield what else the judge is made of, one fact for each value."""
    for name, value in settings.items():
        whole = f"{prefix} {name}".replace("_", " ").strip()
        if isinstance(value, Mapping):
            yield from _settings(whole, value)
        elif isinstance(value, list | tuple):
            yield Fact(whole, ", ".join(map(str, value)) or "none")
        else:
            yield Fact(whole, str(value), code=str(value).startswith("sha256:"))


def _collections(chains: Iterator[Chain]) -> tuple[str, ...]:
    return tuple(sorted({chain.collection or "a set without a name" for chain in chains}))


def _facts(run: GradingRun, found: Validation | None) -> Iterator[Fact]:
    yield Fact("tool", f"decidendi {__version__}")
    for title, of in (("collections", "collection"), ("written by", "model")):
        counts = Counter(getattr(chain, of) for chain in run.chains)
        counts.pop("", None)
        if counts:
            named = [f"{name} {n:,}" for name, n in counts.most_common(12)]
            more = len(counts) - len(named)
            yield Fact(title, ", ".join([*named, *([f"{more:,} more"] if more else [])]))
    labelled = {row.chain for row in run.labels}
    yield Fact("chains without a label by the judge", f"{len(run.chains) - len(labelled):,}")
    yield Fact("digest of the chains", run.chains_digest, code=True)
    yield Fact("digest of labels by the judge", labels_digest(run.labels), code=True)
    if found is not None:
        yield Fact("digest of labels by people", found.labels_digest, code=True)
