"""A run: plans → generations → records, written as they come; measures and page at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from decidendi._version import __version__
from decidendi.audit._conditions import shown
from decidendi.audit._data import digests
from decidendi.audit._folder import FORMAT, RunFolder
from decidendi.audit._plan import Call, CasePlan, Design, digest_of_cases, plan
from decidendi.audit._prompts import Message
from decidendi.audit._reading import Reader
from decidendi.audit._record import Generation, Record, Stop
from decidendi.judgment import DecidendiError
from decidendi.legal import LegalCase

IN_A_ROW = 12
"""So many calls in a row without an answer end the run: the model is not there."""

Done: TypeAlias = Callable[[Call, Generation], None]
Watch: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ToDo:
    """A case and those of its calls that are still to be made."""

    plan: CasePlan
    calls: tuple[Call, ...]


class Engine(Protocol):
    """Makes calls."""

    def describe(self) -> Mapping[str, Any]:
        """Return what could change an answer: model, parameters; part of ``run.json``."""
        ...

    def run(self, todo: Sequence[ToDo], done: Done) -> None:
        """Make every call, handing over each generation as it comes."""
        ...


class ModelGoneError(DecidendiError):
    """The model stopped answering; what was answered is kept, and the run can be continued."""


class FunctionEngine:
    """Calls a plain Python function, one prompt after another: for tests and for trying out."""

    def __init__(
        self,
        function: Callable[[Sequence[Message]], Generation | str],
        name: str,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Take the function, and what to call it in the run.

        Args:
            function: From a conversation to a generation, or to its text.
            name: Of the model.
            parameters: Whatever changes its answers.
        """
        self._function = function
        self._about = {"name": name, "parameters": dict(parameters or {})}

    def describe(self) -> Mapping[str, Any]:
        """Return name and parameters."""
        return self._about

    def run(self, todo: Sequence[ToDo], done: Done) -> None:
        """Make every call. An exception is an unanswered call, not the end of the run."""
        for each in todo:
            for call in each.calls:
                done(call, self._answer(call))

    def _answer(self, call: Call) -> Generation:
        try:
            given = self._function(call.messages)
        except TimeoutError as error:
            return Generation("", stop=Stop.TIMEOUT, detail=str(error))
        except Exception as error:
            return Generation("", stop=Stop.ERROR, detail=f"{type(error).__name__}: {error}")
        if isinstance(given, str):
            return Generation(given)
        if isinstance(given, Generation):
            return given
        return Generation("", stop=Stop.ERROR, detail=f"gave a {type(given).__name__}, no text")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run ended with.

    Attributes:
        records: All of them, in the order of the plan.
        made: How many calls were made now; the others stood in the folder.
        unanswered: How many have no answer still; the same command asks them again.
    """

    records: tuple[Record, ...]
    made: int
    unanswered: int


def identity(
    design: Design, cases: Sequence[LegalCase], engine: Engine, source: str
) -> dict[str, Any]:
    """Return the content of ``run.json``: everything that could change a record."""
    task = design.task
    return {
        "format": FORMAT,
        "tool": {"name": "decidendi", "version": __version__},
        "model": dict(engine.describe()),
        "task": {"id": task.id, "version": task.version, "digest": task.digest},
        "pair": {"target": design.pair.target, "control": design.pair.control},
        "conditions": shown(design.chosen),
        "prompts": {
            "thinking": design.style.thinking,
            "examples": design.style.examples,
            "digests": digests(),
        },
        "cases": {
            "source": source,
            "count": len(cases),
            "truncated": sum(case.cut > 0 for case in cases),
            "digest": digest_of_cases(cases),
        },
        "seed": design.seed,
        "repeats": design.repeats,
    }


def audit(
    design: Design,
    cases: Sequence[LegalCase],
    engine: Engine,
    out: Path,
    *,
    source: str = "",
    watch: Watch | None = None,
) -> Ran:
    """Make every call of a design that the folder does not hold, and write the records.

    Args:
        design: What is varied.
        cases: In the order of the sample.
        engine: Makes the calls.
        out: The run's folder; made if it is not there.
        source: Where the cases come from, for people.
        watch: Told how many calls are done, and of how many.

    Raises:
        BadInputError: if the folder holds another run.
        ModelGoneError: if the model stopped answering.
    """
    folder = RunFolder(out)
    plans = list(plan(design, cases))
    with folder.begin(identity(design, cases, engine, source), cases):
        desk = Desk(design, plans, folder, watch)
        try:
            desk.told()
            engine.run(desk.todo(), desk.done)
        finally:
            desk.told()
        records = desk.ordered()
        folder.finish(records)
    unanswered = sum(not record.generation.final for record in records)
    return Ran(tuple(records), desk.made, unanswered)


class Desk:
    """Where generations come in: reads them, writes their records, notices a model that is gone."""

    def __init__(
        self, design: Design, plans: Sequence[CasePlan], folder: RunFolder, watch: Watch | None
    ) -> None:
        self.made = 0
        self._plans = plans
        self._folder = folder
        self._watch = watch
        self._readers = {plan.case.id: Reader(design.task, plan.case) for plan in plans}
        self._held = {record.place: record for record in folder.records()}
        self._failed_in_a_row = 0
        calls = [call for plan in plans for call in plan.calls]
        self._total = len(calls)
        self._known = sum(map(self._answered, calls))

    def todo(self) -> list[ToDo]:
        """Return the calls that have no answer yet, by case."""
        todo = [
            ToDo(plan, tuple(call for call in plan.calls if not self._answered(call)))
            for plan in self._plans
        ]
        return [each for each in todo if each.calls]

    def _answered(self, call: Call) -> bool:
        record = self._held.get(call.place)
        return record is not None and record.generation.final and record.prompt == call.prompt

    def done(self, call: Call, generation: Generation) -> None:
        """Take one generation.

        Raises:
            ModelGoneError: after ``IN_A_ROW`` calls without an answer.
        """
        record = self._readers[call.case].read(call, generation)
        self._folder.write(record)
        self._held[record.place] = record
        self.made += 1
        self._known += generation.final
        self._failed_in_a_row = 0 if generation.final else self._failed_in_a_row + 1
        self.told()
        if self._failed_in_a_row >= IN_A_ROW:
            raise ModelGoneError(
                f"{IN_A_ROW} calls in a row had no answer; the last: {generation.detail}. "
                "What was answered is kept: the same command goes on from there."
            )

    def told(self) -> None:
        """Tell whoever watches."""
        if self._watch:
            self._watch(self._known, self._total)

    def ordered(self) -> list[Record]:
        """Return the records in the order of the plan."""
        return [
            self._held[call.place]
            for plan in self._plans
            for call in plan.calls
            if call.place in self._held
        ]
