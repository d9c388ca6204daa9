"""Adjudicators people already have, as what the rest of the house can execute."""

from decidendi.evaluators._rules import RulesAdjudicator

__all__ = ["RulesAdjudicator"]
