"""Questions of law as typed data: tasks, cases, loaders, samples, and law that can be executed.

Imports the words of ``judgment`` and nothing else of the house.
"""

from decidendi.legal._law_calendar import Period, closed, days_after, years_after
from decidendi.legal._law_cases import (
    REFER,
    LawAdjudicator,
    authority_of_rules,
    case_of_matter,
    law_cases,
    norms_of,
)
from decidendi.legal._law_facts import (
    Claim,
    Judgment,
    Matter,
    Party,
    Pleadings,
    Removal,
    Service,
    Venue,
)
from decidendi.legal._law_generate import Closeness, generate
from decidendi.legal._law_people import ASIDES
from decidendi.legal._law_places import DISTRICTS, STATES
from decidendi.legal._law_render import STYLES, Style, render
from decidendi.legal._law_rules import Rule, decide_all, rules
from decidendi.legal._law_templated import templated_matter
from decidendi.legal._law_trace import NO, YES, Decision, Operation, Relation, Step, StepKind
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
from decidendi.legal._releases import FORMATS, load_hub, load_release
from decidendi.legal._sampling import SEED, Sample, balanced, confound_free, drawn
from decidendi.legal._shipped import SHIPPED, shipped_cases
from decidendi.legal._tasks import TASKS, load_task, task
from decidendi.legal._words import say

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
    "SHIPPED",
    "shipped_cases",
    # public releases
    "FORMATS",
    "load_hub",
    "load_release",
    # samples
    "SEED",
    "Sample",
    "balanced",
    "confound_free",
    "drawn",
    # executable law: facts
    "Claim",
    "Judgment",
    "Matter",
    "Party",
    "Pleadings",
    "Removal",
    "Service",
    "Venue",
    # executable law: rules and what they decide
    "NO",
    "REFER",
    "YES",
    "Decision",
    "LawAdjudicator",
    "Operation",
    "Period",
    "Relation",
    "Rule",
    "Step",
    "StepKind",
    "authority_of_rules",
    "closed",
    "days_after",
    "decide_all",
    "norms_of",
    "rules",
    "say",
    "years_after",
    # executable law: fact patterns
    "ASIDES",
    "Closeness",
    "DISTRICTS",
    "STATES",
    "STYLES",
    "Style",
    "case_of_matter",
    "generate",
    "law_cases",
    "render",
    "templated_matter",
]
