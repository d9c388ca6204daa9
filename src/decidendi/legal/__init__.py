"""Questions of law as typed data: tasks, cases, loaders, samples, and law that can be executed.

Imports the words of ``judgment`` and nothing else of the house.
"""

from decidendi.legal._loading import Loaded, Problem, Unusable, read_cases
from decidendi.legal._models import case_schema, task_schema
from decidendi.legal._question import (
    Authority,
    LegalCase,
    Option,
    Pair,
    Question,
    Task,
    UnknownAuthorityError,
    Wording,
)
from decidendi.legal._sampling import SEED, Sample, balanced, confound_free, drawn
from decidendi.legal._tasks import TASKS, load_task, task

__all__ = [
    # questions
    "Authority",
    "LegalCase",
    "Option",
    "Pair",
    "Question",
    "Task",
    "UnknownAuthorityError",
    "Wording",
    # tasks
    "TASKS",
    "load_task",
    "task",
    "task_schema",
    # cases
    "Loaded",
    "Problem",
    "Unusable",
    "case_schema",
    "read_cases",
    # samples
    "SEED",
    "Sample",
    "balanced",
    "confound_free",
    "drawn",
]
