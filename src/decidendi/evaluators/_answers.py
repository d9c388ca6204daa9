"""What engines answer, as verdicts: a declared label, or unmeasured with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from decidendi.evaluators._modules import code_place
from decidendi.judgment import Reason, Unmeasured, Verdict, one_line


def labels_of(verdicts: Sequence[str]) -> dict[str, str]:
    """Return the table that turns an answer into the declared label."""
    return {verdict: verdict for verdict in verdicts}


def as_verdict(answer: object, labels: Mapping[str, str]) -> Verdict:
    """Return the label an engine answered with; anything else is unmeasured."""
    if isinstance(answer, str) and (label := labels.get(answer)) is not None:
        return label
    if isinstance(answer, Unmeasured):
        return answer
    shown = one_line(repr(answer), 80)
    return Unmeasured(Reason.LABEL, f"{shown} is not one of {list(labels)}")


def error_cell(error: BaseException) -> Unmeasured:
    """Return the cell for what an engine or the user's code raised while it decided a state.

    Raises:
        KeyboardInterrupt: if that is what was raised; it is the user's, not the evaluator's.
    """
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        raise error
    where = code_place(error)
    said = f"{where}: " if where else ""
    return Unmeasured(Reason.ERROR, one_line(f"{said}{type(error).__name__}: {_message(error)}"))


def failed(detail: str, reason: Reason = Reason.ERROR) -> Unmeasured:
    """Return an unmeasured cell with a message made fit for a certificate."""
    return Unmeasured(reason, one_line(detail))


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception whose own __str__ raises
        return "(no message)"
