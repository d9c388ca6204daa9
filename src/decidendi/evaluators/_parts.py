"""The changed parts of a source, for drilling down: fields of JSON, rules of a policy.

A text is cut into its top-level rules so that the pieces, put together again, are the text.
Each piece carries the blank lines and comments before it. Pieces of two versions are aligned
in order, first by text and then by name; each changed, added or removed one is a part.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from decidendi.evaluators._pair import Pair
from decidendi.judgment import JSON, Source
from decidendi.receipts import Parts, json_parts


@dataclass(frozen=True, slots=True)
class Piece:
    """One top-level piece of a text: what it is called, and its exact text."""

    name: str
    text: str


def split_parts(pair: Pair, kind: str, old: Source, revised: Source) -> Parts:
    """Split two versions of a source into their changed parts.

    Args:
        pair: The evaluator; it tells the format of the kind.
        kind: The kind.
        old: The old source, whole or local.
        revised: The revised source.

    Returns:
        JSON by changed field; Rego, Cedar and Python by top-level rule, policy or definition;
        other text by section or paragraph. A text that cannot be parsed is one part.
    """
    told = pair.revised.program.formats.get(kind)
    before, after = old.content, revised.content
    if isinstance(before, str) and isinstance(after, str):
        return text_parts(before, after, told or "text")
    if told is not None and isinstance(before, dict) and isinstance(after, dict):
        return _file_parts(before, after, told)
    return json_parts(before, after)


def text_parts(old: str, revised: str, told: str) -> Parts:
    """Split two versions of one text.

    Args:
        old: The old text.
        revised: The revised text.
        told: Its format: ``rego``, ``cedar``, ``python`` or ``text``.
    """
    spans = list(_aligned(pieces_of(old, told), pieces_of(revised, told)))
    real = [n for n, span in enumerate(spans) if span[1].strip() != span[2].strip()]
    # Changed spacing is no part of its own: it goes with the nearest part that is one.
    real = real or [n for n, span in enumerate(spans) if span[1] != span[2]]
    names = _unique([_shown(*spans[n]) for n in real])
    part_of = {n: _nearest(n, real) for n, span in enumerate(spans) if span[1] != span[2]}

    def build(mask: int) -> JSON:
        return "".join(
            new if n in part_of and mask >> part_of[n] & 1 else before
            for n, (_, before, new) in enumerate(spans)
        )

    return Parts(names, build)


def _shown(name: str, before: str, after: str) -> str:
    return name + ("" if before and after else " (removed)" if before else " (added)")


def _nearest(place: int, real: Sequence[int]) -> int:
    """Return which part a changed span belongs to."""
    return min(range(len(real)), key=lambda part: abs(real[part] - place))


def pieces_of(text: str, told: str) -> list[Piece]:
    """Cut a text of a format into pieces; the whole of it is one if it cannot be cut."""
    try:
        starts = _STARTS[told](text)
    except (SyntaxError, ValueError, RuntimeError, ImportError, RecursionError):
        return [Piece("(whole)", text)]
    data = text.encode()
    cuts: dict[int, str] = {0: "(head)"}
    for start, name in starts:
        cut = _with_comments(data, start, "//" if told == "cedar" else "#")
        cuts[cut] = name if cut not in cuts or cuts[cut] == "(head)" else cuts[cut]
    edges = [*sorted(cuts), len(data)]
    pieces = [Piece(cuts[edge], data[edge:after].decode()) for edge, after in pairwise(edges)]
    return [piece for piece in pieces if piece.text]


def _aligned(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[tuple[str, str, str]]:
    """Yield (name, old text, new text) in an order that both versions keep."""
    before, after = ([piece.text.strip() for piece in side] for side in (old, new))
    for how, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if how == "equal":
            pairs = zip(old[i1:i2], new[j1:j2], strict=True)
            yield from ((p.name, p.text, q.text) for p, q in pairs)
        else:
            yield from _likeliest(old[i1:i2], new[j1:j2])


def _likeliest(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[tuple[str, str, str]]:
    """Align changed pieces: in order, of one name, and as like one another as can be."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if old[i].name == new[j].name:
                best[i][j] = max(best[i][j], best[i + 1][j + 1] + _likeness(old[i], new[j]))
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and best[i][j] == best[i + 1][j]:
            yield old[i].name, old[i].text, ""
            i += 1
        elif j < len(new) and best[i][j] == best[i][j + 1]:
            yield new[j].name, "", new[j].text
            j += 1
        else:
            yield old[i].name, old[i].text, new[j].text
            i, j = i + 1, j + 1


def _likeness(one: Piece, other: Piece) -> float:
    """Return how like two pieces of one name are, above zero so that any two can be paired."""
    words = SequenceMatcher(None, one.text.split(), other.text.split(), autojunk=False)
    return 0.1 + words.ratio()


def _file_parts(old: dict[str, JSON], new: dict[str, JSON], told: str) -> Parts:
    """Split two versions of an object of files."""
    same = {path: text for path, text in old.items() if new.get(path) == text}
    split: list[tuple[str, Parts]] = []
    names: list[str] = []
    for path in sorted((old.keys() | new.keys()) - same.keys()):
        before, after = old.get(path), new.get(path)
        if isinstance(before, str) and isinstance(after, str):
            parts = text_parts(before, after, told)
            names.extend(f"{path}: {name}" for name in parts.names)
        else:
            parts = Parts((path,), _either(before, after))
            names.append(f"{path} ({'added' if before is None else 'removed'})")
        split.append((path, parts))

    def build(mask: int) -> JSON:
        content: dict[str, JSON] = dict(same)
        for path, parts in split:
            count = len(parts.names)
            built = parts.build(mask & ((1 << count) - 1))
            mask >>= count
            if built is not None:
                content[path] = built
        return content

    return Parts(_unique(names), build)


def _either(before: JSON, after: JSON) -> Callable[[int], JSON]:
    return lambda mask: after if mask else before


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """Number the names that occur several times."""
    often, seen, out = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        out.append(f"{name} #{seen[name]}" if often[name] > 1 else name)
    return tuple(out)


def _with_comments(data: bytes, start: int, comment: str) -> int:
    """Move a start back to its line's, and over the blank lines and comments before it."""
    cut = data.rfind(b"\n", 0, start) + 1
    if data[cut:start].strip():
        return start  # something else stands before it on its line
    while cut:
        line = data.rfind(b"\n", 0, cut - 1) + 1
        above = data[line:cut].strip()
        if above and not above.startswith(comment.encode()):
            break
        cut = line
    return cut


def _rego_starts(text: str) -> list[tuple[int, str]]:
    """Return the byte offset and the name of each rule, from the engine's own parser."""
    import regorus

    engine = regorus.Engine()
    engine.add_policy("policy.rego", text)
    tree: Any = json.loads(engine.get_ast_as_json())[0]["ast"]
    data = text.encode()
    starts = []
    for rule in tree["rules"]:
        ((sort, body),) = rule.items()
        head = body if sort == "Default" else next(iter(body["head"].values()))
        ((_, reference),) = head["refr"].items()
        span = reference["span"]
        name = data[span["start"] : span["end"]].decode()
        starts.append((body["span"]["start"], f"default {name}" if sort == "Default" else name))
    return starts


_CEDAR_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|//[^\n]*|;', re.DOTALL)


def _cedar_starts(text: str) -> list[tuple[int, str]]:
    """Return the byte offset and the name of each policy: what follows a semicolon."""
    data = text.encode()
    ends = [found.end() for found in _CEDAR_TOKEN.finditer(data) if found[0] == b";"]
    starts = []
    for n, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        # The policy itself begins after the blanks and comments that the last one left behind.
        blank = re.match(rb"(?:\s|//[^\n]*)*", data[begin:end])
        start = begin + (blank.end() if blank else 0)
        body = data[start:end].decode()
        told = re.search(r'@id\(\s*("(?:[^"\\]|\\.)*")\s*\)', body)
        effect = re.search(r"\b(permit|forbid)\b", body)
        name = told[1].strip('"') if told else f"{effect[1] if effect else 'policy'}"
        starts.append((start, name or f"policy {n + 1}"))
    return starts


def _python_starts(text: str) -> list[tuple[int, str]]:
    """Return the byte offset of the line and the name of each top-level statement."""
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    starts = []
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        target = getattr(node, "targets", [getattr(node, "target", None)])[0]
        name = getattr(node, "name", None) or getattr(target, "id", None)
        starts.append((lines[first - 1], name or type(node).__name__.lower()))
    return starts


def _text_starts(text: str) -> list[tuple[int, str]]:
    """Return the byte offset and first words of each section, or paragraph if it has none."""
    pattern = r"^#{1,6} .*" if re.search(r"^#{1,6} ", text, re.MULTILINE) else r"^(?<!\S\n)\S.*"
    return [
        (len(text[: found.start()].encode()), found[0].strip()[:60])
        for found in re.finditer(pattern, text, re.MULTILINE)
    ]


_STARTS: dict[str, Callable[[str], list[tuple[int, str]]]] = {
    "rego": _rego_starts,
    "cedar": _cedar_starts,
    "python": _python_starts,
    "text": _text_starts,
}
