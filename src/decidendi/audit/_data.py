"""The data files of this room: prompts, conditions, injections, worked examples; each digested."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from decidendi.judgment import digest_of, parse_json

FILES = ("prompts", "conditions", "injections", "examples")


@lru_cache(maxsize=len(FILES))
def content(name: str) -> Any:  # noqa: ANN401 - the content of a JSON file of our own
    """Return the content of ``data/<name>.json``."""
    return parse_json(files("decidendi.audit").joinpath("data", f"{name}.json").read_bytes())


def digests() -> dict[str, str]:
    """Return the digest of every data file: whatever a prompt is made of, besides the case."""
    return {name: digest_of(content(name)) for name in FILES}
