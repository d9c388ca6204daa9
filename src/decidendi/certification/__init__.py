"""One certification run from end to end: certify, verify, replay, explain, export."""

from decidendi.certification._drill import drill_case
from decidendi.certification._explain import Explanation, explain
from decidendi.certification._export import (
    FileVerification,
    export_certificate,
    inclusion_proof,
    verify_file,
)
from decidendi.certification._replay import DifferingCell, Replay, replay_run
from decidendi.certification._run import certify_run
from decidendi.certification._runfile import BULK_CASES, Options, RunFile
from decidendi.certification._summary import Summary
from decidendi.certification._verify import Verification, verify_run

__all__ = [
    # make a run
    "certify_run",
    "Options",
    "Summary",
    "BULK_CASES",
    # what a run is
    "RunFile",
    # check one
    "verify_run",
    "Verification",
    "verify_file",
    "FileVerification",
    "replay_run",
    "Replay",
    "DifferingCell",
    # understand one
    "explain",
    "Explanation",
    "drill_case",
    # take a certificate along
    "export_certificate",
    "inclusion_proof",
]
