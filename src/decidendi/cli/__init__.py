"""The command line: parses, calls one function, prints. No logic."""

from decidendi.cli._main import main

__all__ = ["main"]
