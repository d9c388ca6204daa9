"""Models for evaluators that ask one: called, recorded in the run's folder, and played back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decidendi.evaluators import Evaluator


@contextmanager
def models_for(run: Path, *evaluators: Evaluator) -> Iterator[None]:
    """Let these evaluators call models, if they do; answers are kept in the run's folder."""
    if all(evaluator.identity.engine != "model" for evaluator in evaluators):
        yield
        return
    from decidendi.audit import DRAWS, recorded_calls

    with recorded_calls(run / DRAWS):
        yield
