"""Two versions of one evaluator, and the transitions between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from decidendi.evaluators._cases import CaseRecord
from decidendi.evaluators._engines import adjudicator_of
from decidendi.evaluators._evaluator import Evaluator
from decidendi.evaluators._local import Migrations, Whole, selection_of
from decidendi.evaluators._manifest import MANIFEST
from decidendi.evaluators._model import ModelAdjudicator
from decidendi.evaluators._schemas import SchemaContract
from decidendi.evaluators._syntax import refuse_unreadable
from decidendi.evaluators._worker import WorkerAdjudicator
from decidendi.judgment import (
    JSON,
    Adjudicator,
    BadInputError,
    Identity,
    NonComparableError,
    Place,
    Source,
    State,
)
from decidendi.receipts import Contract, Transition


class Pair:
    """Two comparable versions of one evaluator. Close it, or use it as a context manager.

    Attributes:
        old: The old version.
        revised: The revised version.
        identity: What decides: the adjudicator that both versions share.
        adjudicator: It, ready to execute.
        contract: The schemas of both versions; None where neither declares any.
        case_kinds: The kinds of source that come with each case.
    """

    def __init__(self, old: Evaluator, revised: Evaluator, *, timeout: float | None = None) -> None:
        """Prepare two versions.

        Args:
            old: The old version.
            revised: The revised version.
            timeout: Seconds within which a state must be decided; None for no limit. With a
                limit the engine runs in a process of its own, which is killed when it is late.

        Raises:
            NonComparableError: naming each field in which the two differ and must not.
            BadInputError: if code of the evaluators cannot be loaded.
            MissingExtraError: if their engine is not installed.
        """
        if timeout is not None and not 0 < timeout < float("inf"):
            remedy = "give a number of seconds above zero, or none for no limit"
            raise BadInputError(f"the timeout {timeout} is not a time", remedy=remedy)
        if differing := differences(old, revised):
            raise NonComparableError(differing)
        self.old = old
        self.revised = revised
        self.identity: Identity = revised.identity
        self.case_kinds = revised.case_kinds
        self.contract: Contract | None = None
        if old.schemas or revised.schemas:
            self.contract = SchemaContract(old.schemas, revised.schemas)
        self._prepare(old, revised)
        self._kinds = revised.kinds
        self._labels = frozenset(revised.verdicts)
        self.adjudicator: Adjudicator = _executing(revised, timeout)

    def _prepare(self, old: Evaluator, revised: Evaluator) -> None:
        # What did not change is one source in both states, so that it is looked at once.
        shared = {k: s for k, s in revised.sources.items() if s == old.sources[k]}
        try:
            self._select_old = selection_of(old, {**old.sources, **shared})
        except BadInputError as error:
            raise error.at(file=f"{old.origin}/{MANIFEST}") from None
        try:
            self._select_revised = selection_of(revised, revised.sources)
            self._migrations = Migrations(revised)
            carried = {kind: self._migrations.migrate(s) for kind, s in old.sources.items()}
            self._select_migrated = selection_of(revised, carried) if self._migrations else None
        except BadInputError as error:
            raise error.at(file=f"{revised.origin}/{MANIFEST}") from None
        wholes = (self._select_old, self._select_revised)
        self._selects = not all(isinstance(selection, Whole) for selection in wholes)

    def transition(self, record: CaseRecord) -> Transition:
        """Build the transition of one case.

        Raises:
            BadInputError: with line and field, if the case cannot be one.
        """
        try:
            if (gold := record.case.carried.get("gold")) is not None:
                self._check_gold(gold)
            olds, news = self._case_sources(record)
            if self._migrations:
                return self._migrating(record, olds, news)
            old_contents, new_contents = self._contents(record)
            cases = [old_contents] if old_contents is new_contents else [old_contents, new_contents]
            old = self._state(olds, self._select_old.of(cases))
            revised = self._state(news, self._select_revised.of(cases))
        except BadInputError as error:
            raise error.at(line=record.line) from None
        return Transition(record.case, old, revised)

    def _migrating(
        self, record: CaseRecord, olds: Mapping[str, Source], news: Mapping[str, Source]
    ) -> Transition:
        assert self._select_migrated is not None
        carried = {kind: self._migrations.migrate(source) for kind, source in olds.items()}
        # A case that brings one content brings it in the old form.
        news = {
            k: carried[k] if s is olds[k] and k in self._migrations else s for k, s in news.items()
        }
        before = {kind: source.content for kind, source in olds.items()}
        after = [{k: s.content for k, s in side.items()} for side in (carried, news)]
        return Transition(
            record.case,
            self._state(olds, self._select_old.of([before])),
            self._state(news, self._select_revised.of(after)),
            self._state(carried, self._select_migrated.of(after)),
        )

    def _case_sources(self, record: CaseRecord) -> tuple[dict[str, Source], dict[str, Source]]:
        olds: dict[str, Source] = {}
        news: dict[str, Source] = {}
        for kind in self.case_kinds:
            try:
                old, new = record.contents[kind]
            except KeyError:
                remedy = f"every case brings its own {kind}"
                raise BadInputError("missing", remedy=remedy).at(field=kind) from None
            olds[kind] = first = _source(kind, old, "" if old is new else ".old")
            news[kind] = first if old is new else _source(kind, new, ".revised")
        return olds, news

    def _contents(self, record: CaseRecord) -> tuple[dict[str, JSON], dict[str, JSON]]:
        """Return the contents of both sides; one object if nothing selects, or they are one."""
        if not self._selects:
            return _NOTHING, _NOTHING
        old = {kind: record.contents[kind][0] for kind in self.case_kinds}
        new = {kind: record.contents[kind][1] for kind in self.case_kinds}
        same = all(old[kind] is new[kind] for kind in self.case_kinds)
        return (old, old) if same else (old, new)

    def _state(self, case: Mapping[str, Source], fixed: Mapping[str, Source]) -> State:
        return State([case[kind] if kind in case else fixed[kind] for kind in self._kinds])

    def _check_gold(self, gold: object) -> None:
        for side in ("old", "revised"):
            label = gold.get(side) if isinstance(gold, dict) else None
            if label not in self._labels:
                what = f"{label!r} is not a verdict of this evaluator"
                remedy = f"one of: {', '.join(self.revised.verdicts)}"
                raise BadInputError(what, remedy=remedy, place=Place(field=f"gold.{side}"))

    def refuse_unreadable(self) -> None:
        """Raise ``BadInputError`` if a policy or code source of either version is malformed."""
        for evaluator in (self.old, self.revised):
            refuse_unreadable(evaluator)

    def reach(self) -> None:
        """Make ready to ask the models that the evaluators name, if they name any.

        Raises:
            BadInputError: if one is not there, or there is no key for it.
            MissingExtraError: if what it needs is not installed.
        """
        if isinstance(self.adjudicator, ModelAdjudicator):
            for evaluator in (self.old, self.revised):
                try:
                    self.adjudicator.reach(list(evaluator.sources.values()))
                except BadInputError as error:
                    raise error.at(file=f"{evaluator.origin}/{MANIFEST}") from None

    def keep_answers(self, path: Path, *, writing: bool = True) -> bool:
        """Keep what models answer in a file, or answer from one alone.

        Args:
            path: The file.
            writing: False asks no model: a call whose answer is not there is an error.

        Returns:
            Whether the evaluator asks a model at all; without one nothing is done.

        Raises:
            DecidendiError: if the file cannot be opened.
        """
        if not isinstance(self.adjudicator, ModelAdjudicator):
            return False
        self.adjudicator.keep_answers(path, writing=writing)
        return True

    @property
    def missing_answers(self) -> int:
        """How many answers were asked for and not among those recorded, where none else count."""
        adjudicator = self.adjudicator
        return adjudicator.missing if isinstance(adjudicator, ModelAdjudicator) else 0

    def check_answers(self) -> None:
        """Raise ``DecidendiError`` if an answer could not be kept."""
        if isinstance(self.adjudicator, ModelAdjudicator):
            self.adjudicator.check_answers()

    def close(self) -> None:
        """End the worker process, if there is one."""
        if callable(close := getattr(self.adjudicator, "close", None)):
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


_NOTHING: dict[str, JSON] = {}


def pair(old: Evaluator, revised: Evaluator, *, timeout: float | None = None) -> Pair:
    """Put two versions of one evaluator side by side; see ``Pair``."""
    return Pair(old, revised, timeout=timeout)


def differences(old: Evaluator, revised: Evaluator) -> dict[str, tuple[object, object]]:
    """Return the fields in which two versions differ and must not, with both values."""
    pairs: dict[str, tuple[object, object]] = {
        "kinds": (old.kinds, revised.kinds),
        "kinds from the case": (old.case_kinds, revised.case_kinds),
        "verdicts": (old.verdicts, revised.verdicts),
        "deterministic": (old.identity.deterministic, revised.identity.deterministic),
    }
    for name in dict.fromkeys([*old.bindings, *revised.bindings]):
        pairs[f"adjudicator {name}"] = (old.bindings.get(name), revised.bindings.get(name))
    return {name: (one, other) for name, (one, other) in pairs.items() if one != other}


def _executing(evaluator: Evaluator, timeout: float | None) -> Adjudicator:
    try:
        # Servers and models are waited for with a limit of their own: no process here to kill.
        if timeout is None or evaluator.identity.engine in ("opa", "model"):
            return adjudicator_of(evaluator.program, timeout)
        return WorkerAdjudicator(evaluator.program, timeout)
    except BadInputError as error:
        raise error.at(file=f"{evaluator.origin}/{MANIFEST}") from None


def _source(kind: str, content: JSON, side: str) -> Source:
    try:
        return Source(kind, content)
    except BadInputError as error:
        if side and error.place.field:
            inner = error.place.field.removeprefix(kind)
            error.place = Place(field=f"{kind}{side}{inner}")
        raise
