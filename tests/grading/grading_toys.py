"""Small chains and labels for the tests of this room."""

from decidendi.grading import Chain, Finding, Labels
from decidendi.judgment import Reason, Unmeasured
from decidendi.legal import Option

OPTIONS = (Option("YES"), Option("NO"))
FAILED = Unmeasured(Reason.NOT_CONVERGED, "prose instead of labels")
TIME = (Finding("misinterpretation.temporal"),)
FALSE = (Finding("hallucination.fabrication"),)


def chain(name="c", size=3, *, chosen="YES", gold="YES", unit="", collection="held-out"):
    return Chain(
        name,
        tuple(f"Premise {n}." for n in range(size)),
        f"ANSWER: {chosen}",
        chosen,
        options=OPTIONS,
        gold=gold,
        unit=unit,
        collection=collection,
    )


def labels(name, *premises, by="judge", content=None, said=None):
    return Labels(name, by, premises, content, said)
