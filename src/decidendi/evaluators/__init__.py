"""Adjudicators people already have, as what the rest of the house can execute."""

from decidendi.evaluators._cases import BadCase, CaseRecord, case_schema, read_cases
from decidendi.evaluators._check import Problem, check_folder
from decidendi.evaluators._evaluator import Evaluator, load_evaluator, load_revision
from decidendi.evaluators._laws import AdjudicatorLaws, check_adjudicator
from decidendi.evaluators._manifest import evaluator_schema
from decidendi.evaluators._model import ModelAdjudicator, model_adjudicator
from decidendi.evaluators._model_backends import Call
from decidendi.evaluators._model_scripted import RubricFollower
from decidendi.evaluators._pair import Pair, pair
from decidendi.evaluators._parts import split_parts
from decidendi.evaluators._python import FunctionAdjudicator, function_adjudicator
from decidendi.evaluators._rules import RulesAdjudicator

__all__ = [
    # an evaluator on disk, or at a git revision
    "load_evaluator",
    "load_revision",
    "Evaluator",
    "check_folder",
    "Problem",
    # two versions of it, and the cases they decide
    "pair",
    "Pair",
    "read_cases",
    "CaseRecord",
    "BadCase",
    "split_parts",
    # evaluators from Python
    "function_adjudicator",
    "FunctionAdjudicator",
    "RulesAdjudicator",
    # language models as evaluators
    "model_adjudicator",
    "ModelAdjudicator",
    "Call",
    "RubricFollower",
    # what every adjudicator must obey
    "check_adjudicator",
    "AdjudicatorLaws",
    # forms of the files, as JSON Schema
    "evaluator_schema",
    "case_schema",
]
