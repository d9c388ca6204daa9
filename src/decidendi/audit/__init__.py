"""The verdict audit: does a model's verdict follow the authority that it cites?

Facts are held fixed and one thing in the question is changed (SPEC, section 2; Sadhu et al.):
conditions → calls → generations → records → measures. Importing this room needs no extra;
running models through Inspect needs the extra ``models``, local ones ``local``.
"""

from decidendi.audit._commands import ModelChoice, NoModelError, Outcome, audit_logs, run_audit
from decidendi.audit._compare import Comparison, compare
from decidendi.audit._compare_page import write_comparison
from decidendi.audit._conditions import (
    Chosen,
    Condition,
    Relation,
    conditions,
    default_conditions,
    parse_conditions,
    variants,
)
from decidendi.audit._measures import Observed, Shift, Table
from decidendi.audit._options import Options, Ready, prepared
from decidendi.audit._plan import Call, CasePlan, Design, Skipped, plan
from decidendi.audit._prompts import Message, Style
from decidendi.audit._reading import Reader
from decidendi.audit._record import Generation, Record, Stop
from decidendi.audit._run import Engine, FunctionEngine, ModelGoneError, Ran, ToDo, audit
from decidendi.audit._scripted import Character, ScriptedModel
from decidendi.audit._summary import Compared, Measure, Measured, measure

__all__ = [
    # conditions
    "Condition",
    "Relation",
    "Chosen",
    "conditions",
    "default_conditions",
    "parse_conditions",
    "variants",
    # what is asked
    "Options",
    "Ready",
    "prepared",
    "Design",
    "Style",
    "Message",
    "Call",
    "CasePlan",
    "Skipped",
    "plan",
    # running
    "audit",
    "Engine",
    "FunctionEngine",
    "ToDo",
    "Ran",
    "ModelGoneError",
    "ScriptedModel",
    "Character",
    # records
    "Generation",
    "Stop",
    "Record",
    "Reader",
    # measures
    "Table",
    "Observed",
    "Shift",
    "measure",
    "Measured",
    "Measure",
    # a whole run, and two
    "run_audit",
    "audit_logs",
    "ModelChoice",
    "NoModelError",
    "Outcome",
    "compare",
    "write_comparison",
    "Comparison",
    "Compared",
]
