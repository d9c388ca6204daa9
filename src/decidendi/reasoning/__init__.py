"""What a chain of thought says, and when it decided. Pure functions of text.

Sentences and the parts of an output; the verdict it declares or concludes, and never one that is
only copied from the prompt; where it names an authority; and, from a label per sentence, when it
committed. Sentences and case names need the extra ``legal``.
"""

from decidendi.reasoning._cases import CaseName, MaskedPrecedent, mask_precedent
from decidendi.reasoning._commitment import (
    BOTTOM,
    CONFIDENT_RATIO,
    Commitment,
    Committed,
    Decoded,
    Undecided,
    Undefined,
    Why,
    commitment,
    committed_before_naming,
    decode,
    named_after,
    reengaged,
)
from decidendi.reasoning._context import Candidate, How, SetAside
from decidendi.reasoning._echo import Masks, echo_spans
from decidendi.reasoning._extract import Extraction, extract
from decidendi.reasoning._mentions import Form, Mention, Mentions, Names, find_mentions
from decidendi.reasoning._output import Output, Part, read_output
from decidendi.reasoning._provisions import CONVENTION, Provision
from decidendi.reasoning._sentences import sentences
from decidendi.reasoning._span import Span
from decidendi.reasoning._spec import (
    Claims,
    Label,
    VerdictSpec,
    choice_spec,
    task_spec,
    verdict_spec,
)

__all__ = [
    # texts
    "Span",
    "sentences",
    "Output",
    "Part",
    "read_output",
    "Masks",
    "echo_spans",
    # verdicts
    "VerdictSpec",
    "Label",
    "Claims",
    "verdict_spec",
    "choice_spec",
    "task_spec",
    "extract",
    "Extraction",
    "Candidate",
    "How",
    "SetAside",
    # naming an authority
    "Names",
    "Provision",
    "CONVENTION",
    "CaseName",
    "find_mentions",
    "Mentions",
    "Mention",
    "Form",
    "mask_precedent",
    "MaskedPrecedent",
    # commitment
    "decode",
    "Decoded",
    "Undecided",
    "BOTTOM",
    "CONFIDENT_RATIO",
    "commitment",
    "Commitment",
    "Committed",
    "Undefined",
    "Why",
    "committed_before_naming",
    "reengaged",
    "named_after",
]
