"""Language models: open-weight ones on this machine, any other through Inspect.

The prompts of a case are answered together by a model on this machine; what they weigh is read.

Importing this room loads no extra; loading a model needs the extra ``local``, reaching one
through Inspect the extra ``models``. See ``design/local-models.md``.
"""

from decidendi.models._candidates import Candidates
from decidendi.models._embedded import EMBEDDED, MissingModelError, embedded_folder
from decidendi.models._inspect import cache_scopes, generate_many, local_model, record
from decidendi.models._inspect_asking import Asker, Done, Question, Reply, Usage, plain, reply_of
from decidendi.models._load import load_model
from decidendi.models._model import LocalModel, Prompt
from decidendi.models._records import (
    Batching,
    Cause,
    Decoding,
    Finish,
    Forced,
    Generation,
    Margin,
    Marker,
    ModelFacts,
)

__all__ = [
    # models
    "EMBEDDED",
    "LocalModel",
    "MissingModelError",
    "embedded_folder",
    "load_model",
    # through Inspect
    "cache_scopes",
    "generate_many",
    "local_model",
    "record",
    # asked from ordinary code
    "Asker",
    "Question",
    "Reply",
    "Usage",
    "plain",
    "reply_of",
    "Done",
    # what is asked
    "Decoding",
    "Marker",
    "Prompt",
    # what comes back
    "Batching",
    "Candidates",
    "Cause",
    "Finish",
    "Forced",
    "Generation",
    "Margin",
    "ModelFacts",
]
