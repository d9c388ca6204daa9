"""What a model is asked as a judge: prompts from data files around material that cannot break out.

Everything that others wrote is put into JSON on a single line, so that no line of it can pass for
one of ours, and between two lines with a code that is the digest of what stands between them.
What a chat template or a provider could take for a turn of its own is escaped besides.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from decidendi.grading._chain import Chain
from decidendi.grading._taxonomy import Entry
from decidendi.judgment import Unmeasured, sha256

Message: TypeAlias = tuple[str, str]
"""Role and text."""

SYSTEM: Final = "system"
REPAIR: Final = "repair"
BEGUN: Final = "begun"
TASKS: Final = (
    "general",
    "misinterpretation",
    "relevance",
    "questions",
    "answers",
    "compare",
    "summary",
    "content",
    "segment",
)
"""What can be asked; each is a prompt file."""

_CODES, _SCHEMA, _WHY, _SHAPE = "{{codes}}", "{{schema}}", "{{why}}", "{{shape}}"
_NOTHING = "(nothing)"
_ACTING = re.compile(
    # What opens a tag or a special token; what hides or reorders text.
    r"[<>\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\U000e0000-\U000e007f]"
    r"|\[(?=/?[A-Z_]{3,}\])"
)


def prompt_digests() -> dict[str, str]:
    """Return the digest of each prompt file: part of a judge's identity."""
    return {name: sha256(_file(name).encode()) for name in (SYSTEM, REPAIR, BEGUN, *TASKS)}


def messages_for(
    task: str,
    material: Mapping[str, Any],
    last: Mapping[str, Any],
    schema: Mapping[str, Any],
    entries: Iterable[Entry] = (),
) -> tuple[Message, ...]:
    """Return what is sent. What calls about one chain share comes first.

    Args:
        task: Which.
        material: What all of them see.
        last: What this one is about.
        schema: Of the reply.
        entries: The errors that can be named.
    """
    # Ours first, theirs last: what is put in for a placeholder is never searched for another.
    asked = _file(task).replace(_CODES, _defined(entries)).strip()
    user = (
        f"{enclosed(material)}\n\n{asked}\n\n"
        f"The reply is one JSON object of this schema:\n{_compact(schema)}\n\n{safe_json(last)}"
    )
    return ((SYSTEM, _file(SYSTEM).strip()), ("user", user))


def repair_for(
    messages: tuple[Message, ...], reply: str, why: str, schema: Mapping[str, Any]
) -> tuple[Message, ...]:
    """Return the second and last attempt at a reply that could not be used."""
    told = _file(REPAIR).strip().replace(_SCHEMA, _compact(schema)).replace(_WHY, _escaped(why))
    return (*messages, ("assistant", _escaped(reply).strip() or _NOTHING), ("user", told))


def begun_for(messages: tuple[Message, ...], begins: str, shape: str) -> tuple[Message, ...]:
    """Return messages with the reply begun, and what it looks like, for a small model."""
    *before, (role, text) = messages
    if shape:
        text = f"{text}\n\n{_file(BEGUN).strip().replace(_SHAPE, shape)}"
    return (*before, (role, text), ("assistant", begins))


def enclosed(material: Mapping[str, Any]) -> str:
    """Return material between its two lines."""
    text = safe_json(material)
    code = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"=== material {code} ===\n{text}\n=== end of material {code} ==="


def safe_json(content: Mapping[str, Any]) -> str:
    """Return JSON on a single line without anything that could act."""
    return _escaped(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace").decode())


def material_of(chain: Chain) -> dict[str, Any]:
    """Return what a judge of premises sees of a chain; never what is right by its labels."""
    premises = [] if isinstance(chain.premises, Unmeasured) else chain.premises
    numbered = {str(n): text for n, text in enumerate(premises, 1)}
    return {**_asked(chain), **_given("expert", chain.expert), "premises": numbered}


def sources_of(chain: Chain) -> dict[str, Any]:
    """Return what verification questions are answered from."""
    return _asked(chain)


def _asked(chain: Chain) -> dict[str, Any]:
    options = {option.label: option.text for option in chain.options}
    return {
        **_given("question", chain.question),
        **({"options": options} if options else {}),
        **_given("source", chain.source),
    }


def _given(name: str, text: str) -> dict[str, str]:
    return {name: text} if text else {}


def _defined(entries: Iterable[Entry]) -> str:
    return "\n".join(f"- {e.code}: {e.definition} (E.g.: {e.example})" for e in entries)


def _compact(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _escaped(text: str) -> str:
    return _ACTING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if ord(found[0]) > 127 else f"\\u{ord(found[0]):04x}"


@lru_cache(maxsize=len(TASKS) + 3)
def _file(name: str) -> str:
    folder = files("decidendi.grading").joinpath("data", "judge")
    return folder.joinpath(f"{name}.md").read_text(encoding="utf-8")
