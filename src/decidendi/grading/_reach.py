"""A model by the name a user gives it: embedded, on this machine, or one of Inspect's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from decidendi.judgment import BadInputError

if TYPE_CHECKING:
    from decidendi.models import Asker

EMBEDDED: Final = "embedded"
LOCAL: Final = "local/"
PROVIDER: Final = "decidendi/"
"""Before the name of a model on this machine, as Inspect names it."""

_SECRET: Final = re.compile(r"key|token|secret|password|credential", re.IGNORECASE)


def is_embedded(name: str) -> bool:
    """Say whether a name is the embedded model's, in our words or Inspect's."""
    return name in (EMBEDDED, PROVIDER + EMBEDDED)


def reach(
    name: str,
    *,
    max_tokens: int,
    temperature: float = 0.0,
    arguments: Mapping[str, Any] | None = None,
    base_url: str | None = None,
    timeout: float | None = None,
    connections: int | None = None,
    stop: tuple[str, ...] = (),
) -> tuple[Asker, dict[str, Any]]:
    """Reach a model.

    Args:
        name: ``embedded``, ``local/<folder or id>``, or a name of Inspect's.
        max_tokens: Most new tokens of an answer.
        temperature: Of sampling; greedy where 0.
        arguments: Of its provider.
        base_url: Of its server.
        timeout: Seconds for each attempt of a call.
        connections: Calls at a time; Inspect's default where None.
        stop: Texts that end an answer of a model on this machine.

    Returns:
        What asks it, and what could change its answers, its ``name`` among it: JSON without
        floats.

    Raises:
        BadInputError: if there is no such model, no key for it, or an argument is a secret.
        MissingExtraError: if what it needs is not installed.
    """
    from decidendi.models import Asker, Decoding

    given = dict(arguments or {})
    if secret := next((each for each in given if _SECRET.search(each)), None):
        remedy = "set it as the provider's variable of the environment"
        raise BadInputError(f"{secret}: the run would keep it", remedy=remedy)
    if base_url is not None:
        given["base_url"] = base_url
    if is_embedded(name):
        name = PROVIDER + EMBEDDED
    elif name.startswith(LOCAL):
        name = PROVIDER + name.removeprefix(LOCAL)
    told: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}
    if connections is not None:
        told["max_connections"] = connections
    asker = Asker(name, told, arguments=given, decoding=Decoding(stop=stop), timeout=timeout)
    return asker, {
        "name": name,
        "temperature": str(temperature),
        "max_tokens": max_tokens,
        "arguments": {key: json.dumps(given[key], sort_keys=True) for key in sorted(given)},
        "weights": asker.scopes,
    }
