"""``decidendi explain``, ``verify``, ``replay`` and ``export``: what to do with a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decidendi.cli._exits import Exit, guarded
from decidendi.cli._options import Cases, Evaluators, Json, Quiet, Run, two_evaluators
from decidendi.cli._terminal import complain, evaluators_speak_aside, say, say_json, watching

if TYPE_CHECKING:
    from decidendi.certification import FileVerification, Replay, Verification

CaseId = Annotated[str, typer.Argument(metavar="CASE", help="The id of a case.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("explain", epilog=_EXPLAIN)(explain)
    app.command("verify", epilog=_VERIFY)(verify)
    app.command("replay", epilog=_REPLAY)(replay)
    app.command("export", epilog=_EXPORT)(export)


_EXPLAIN = """Examples:

\b
  decidendi explain runs/refunds c17
  decidendi explain runs/refunds c17 --drill norms --evaluators v1 v2"""


@guarded
def explain(
    run: Run,
    case: CaseId,
    *,
    drill: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Which changed parts of this source did it."),
    ] = None,
    evaluators: Evaluators = None,
    cases: Cases = None,
    as_json: Json = False,
) -> Exit:
    """Explain one case: cells, receipt, differences."""
    from decidendi import certification
    from decidendi.cli._explained import as_document, show

    found = certification.explain(run, case, cases)
    drilled = []
    if drill is not None:
        with evaluators_speak_aside():
            both = two_evaluators(evaluators)
            drilled = certification.drill_case(run, case, drill, *both, cases)
    if as_json:
        say_json(as_document(found, drilled))
    else:
        show(found, drilled)
    for remark in found.missing:
        complain(f"note: {remark}")
    for problem in found.problems:
        complain(f"NOT VERIFIED: {problem}")
    return Exit.FAILED if found.problems else Exit.DONE


_VERIFY = """Examples:

\b
  decidendi verify runs/refunds
  decidendi verify runs/refunds --case c17
  decidendi verify c17.json --key team.pub --proof c17.proof.json"""


@guarded
def verify(
    what: Annotated[
        Path, typer.Argument(metavar="RUN|FILE", help="A run folder, or an exported certificate.")
    ],
    *,
    case: Annotated[str | None, typer.Option(metavar="ID", help="Only this case of a run.")] = None,
    key: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Public key that must have signed the certificate."),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Proof that the certificate belongs to a run."),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(
            metavar="sha256:HEX", help="Root that the run must have, or the proof lead to."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Verify certificates offline; nothing is executed."""
    from decidendi.certification import verify_file, verify_run

    if what.is_dir():
        _refuse_options("an exported certificate", what, {"--key": key, "--proof": proof})
        with watching("verifying", quiet=quiet) as watch:
            found = verify_run(what, case, watch, root)
        _tell_run(found, as_json=as_json, quiet=quiet)
        return Exit.DONE if found.verified else Exit.FAILED
    _refuse_options("a run folder", what, {"--case": case})
    single = verify_file(what, key, proof, root)
    _tell_file(single, as_json=as_json, quiet=quiet)
    return Exit.DONE if single.verified else Exit.FAILED


def _refuse_options(applies_to: str, what: Path, options: dict[str, object]) -> None:
    """Refuse options that would not be heeded: who gives one relies on it."""
    from decidendi.judgment import BadInputError, Place

    for option, value in options.items():
        if value is not None:
            raise BadInputError(
                f"{option} is for {applies_to}, and this is none",
                remedy=f"leave {option} out, or name {applies_to}",
                place=Place(file=str(what)),
            )


def _tell_run(found: Verification, *, as_json: bool, quiet: bool) -> None:
    from decidendi.cli._explained import counted

    if as_json:
        return say_json(
            {
                "verified": found.verified,
                "certificates": found.certificates,
                "count": found.count,
                "problems": found.problems,
                "root": found.root,
                "notes": found.notes,
            }
        )
    for problem in found.problems:
        complain(f"NOT VERIFIED: {problem}")
    if found.count > len(found.problems):
        complain(f"… and {found.count - len(found.problems):,} more")
    for note in found.notes:
        complain(f"note: {note}")
    if not quiet:
        outcome = "verified" if found.verified else counted(found.count, "problem")
        what = counted(found.certificates, "certificate")
        say(f"{what}: {outcome}", "green" if found.verified else "red")
        if found.root:
            say(f"root {found.root}")
    return None


def _tell_file(found: FileVerification, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        return say_json(
            {
                "verified": found.verified,
                "case": found.case,
                "signature": found.signature,
                "included_in": found.included,
                "problems": list(found.problems),
            }
        )
    for problem in found.problems:
        complain(f"NOT VERIFIED: {problem}")
    if not quiet and found.verified:
        say(f"case {found.case}: verified, {found.signature}", "green")
        if found.included is not None:
            say(f"belongs to the run with root {found.included}")
    return None


_REPLAY = """Example:

\b
  decidendi replay runs/refunds --evaluators v1 v2

Nothing that the run folder names is executed, only what you hand over."""


@guarded
def replay(
    run: Run,
    *,
    evaluators: Evaluators = None,
    cases: Cases = None,
    anew: Annotated[
        bool,
        typer.Option(
            "--anew", help="Ask a language model again, instead of taking its recorded answers."
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Execute every certified cell again and compare."""
    from decidendi.certification import replay_run

    old, revised = two_evaluators(evaluators)
    with watching("replaying", quiet=quiet) as watch, evaluators_speak_aside():
        found = replay_run(run, old, revised, cases, watch, anew=anew)
    _tell_replay(found, as_json=as_json, quiet=quiet)
    return Exit.DONE if found.same else Exit.FAILED


def _tell_replay(found: Replay, *, as_json: bool, quiet: bool) -> None:
    from decidendi.cli._explained import replay_document, replay_outcome, verdict_text

    if as_json:
        return say_json(replay_document(found))
    for one in found.differing:
        cell = " + ".join(one.cell) or "old"
        then, now = verdict_text(one.certified), verdict_text(one.replayed)
        complain(f"DIFFERS: case {one.case}, cell {cell}: {then} then, {now} now")
    if found.count > len(found.differing):
        complain(f"… and {found.count - len(found.differing):,} more")
    for case in found.strayed:
        complain(f"DIFFERS: case {case}: its record no longer gives the certified sources")
    if found.lacking:
        complain(f"NOT REPLAYED: {found.lacking}")
    if not quiet:
        say(replay_outcome(found), "green" if found.same else "red")
    return None


_EXPORT = """Examples:

\b
  decidendi export runs/refunds c17 > c17.json
  decidendi export runs/refunds c17 --sign team.pem --to c17.json --proof c17.proof.json"""


@guarded
def export(
    run: Run,
    case: CaseId,
    *,
    sign: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Sign with this ed25519 private key.")
    ] = None,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Write here.")] = None,
    proof: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write a proof that it belongs to the run."),
    ] = None,
) -> Exit:
    """Write one certificate to a file, signed or not."""
    import json

    from decidendi.certification import export_certificate, inclusion_proof

    data = export_certificate(run, case, sign)
    if proof is not None:
        proof.write_text(json.dumps(inclusion_proof(run, case), indent=2) + "\n")
    if to is None:
        sys.stdout.buffer.write(data)
    else:
        to.write_bytes(data)
    return Exit.DONE
