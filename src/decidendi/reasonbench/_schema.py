"""What a line of predictions looks like, for whoever writes one."""

from __future__ import annotations

from decidendi.judgment import JSON
from decidendi.reasonbench._records import KINDS, LABELS
from decidendi.reasonbench._targets import Target


def prediction_schema() -> dict[str, JSON]:
    """Return the JSON Schema of one line of a file of predictions.

    A line that keeps to it can be wrong about its case, name one that is not there or repeat
    another, but it can be read. An ``output`` is any text; whether it answers is for its target's
    reader to say.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Prediction",
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "of a case or a control"},
            "output": {"type": "string", "description": "all that was written, untrimmed"},
            "answer": {
                "anyOf": _answers(),
                "description": "the same in fields, for no model's text",
            },
            "target": {"enum": [target.value for target in Target]},
            "benchmark": {
                "type": ["string", "null"],
                "description": "digest of the benchmark that was predicted",
            },
            "seed": {"type": ["integer", "null"], "description": "of the training run"},
            "confidence": {
                "type": ["number", "null"],
                "description": "of any scale, higher is surer",
            },
            "rendering": {
                "type": ["string", "null"],
                "description": "where prompts were put in other words than the benchmark's",
            },
            "prompt": {"description": "carried along, not read"},
            "completion": {"description": "carried along, not read"},
        },
        "required": ["id"],
        "oneOf": [{"required": ["output"]}, {"required": ["answer"]}],
        "additionalProperties": False,
    }


def _answers() -> list[JSON]:
    """Return what an answer in fields looks like, for each target."""
    verdict: JSON = {"enum": [*sorted({label for labels in LABELS.values() for label in labels})]}
    member: JSON = {
        "type": "array",
        "items": {"enum": list(KINDS)},
        "minItems": 1,
        "uniqueItems": True,
    }
    ends: dict[str, JSON] = {"old": verdict, "revised": verdict}
    family: JSON = {
        "type": "array",
        "items": member,
        "uniqueItems": True,
        "description": "every smallest reproducing set of sources; empty where nothing changes",
    }
    cube: JSON = {
        "type": "array",
        "items": verdict,
        "minItems": 1 << len(KINDS),
        "maxItems": 1 << len(KINDS),
        "description": "verdicts by mask of revised sources; grounds 1, norms 2, authority 4",
    }
    return [
        _object(ends) | {"description": Target.DIRECT_VERDICT.value},
        _object({**ends, "receipt": family})
        | {"description": f"{Target.DIRECT_RECEIPT} and {Target.RATIONALE_RECEIPT}"},
        _object({"cube": cube}) | {"description": Target.JUDGMENT_CUBE.value},
    ]


def _object(properties: dict[str, JSON]) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
