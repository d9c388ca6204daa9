"""Shared by the tests of this room: shipped cases, put to a scripted model, without a folder."""

from functools import lru_cache

from decidendi.audit import Options, Reader, ScriptedModel, plan, prepared


@lru_cache(maxsize=64)
def cases_of(task, conditions=None, n=20):
    return prepared(Options(task=task, n=n, conditions=conditions))


@lru_cache(maxsize=64)
def records_of(task, character, conditions, n=20):
    ready = cases_of(task, conditions, n)
    model = ScriptedModel(ready.design.task, character, ready.design.pair.target)
    records = []
    for each in plan(ready.design, ready.cases):
        reader = Reader(ready.design.task, each.case)
        records += [reader.read(call, model(call.messages)) for call in each.calls]
    return records
