"""Reads templated diversity questions, as in LegalBench's ``diversity_1`` to ``diversity_5``.

The form: "A is from S. B is from T. A sues B for K for $N [and L for $M]", with several
plaintiffs ("A and B both sue C") or defendants ("A sues B and C each"). A sum stands for every
plaintiff against every defendant, which is what "each" and "both" say.
"""

from __future__ import annotations

import re

from decidendi.judgment import BadInputError
from decidendi.legal._law_facts import Claim, Matter, Party

_FROM = re.compile(r"(?P<name>[^.]+?) is from (?P<state>[^.]+)\. ?")
_SUES = re.compile(
    r"(?P<plaintiffs>.+?)(?: both)? sues? (?P<defendants>.+?)(?: each)? for (?P<claims>.+)\."
)
_CLAIM = re.compile(r"(?P<kind>.+?) for \$(?P<dollars>[\d,]+)(?:\.(?P<cents>\d\d))?")

FILED = "2023-01-03"
"""The rows give no date of filing; the rule reads none."""


def templated_matter(text: str) -> Matter:
    """Return the typed facts of one templated question.

    Raises:
        BadInputError: if the text has not this form, or sues a person it does not place.
    """
    homes: dict[str, str] = {}
    rest = text.strip()
    while found := _FROM.match(rest):
        homes[found["name"]] = found["state"]
        rest = rest[found.end() :]
    sued = _SUES.fullmatch(rest)
    if not homes or sued is None:
        raise BadInputError("not a templated diversity question")
    plaintiffs = _names(sued["plaintiffs"], homes)
    defendants = _names(sued["defendants"], homes)
    claims = []
    for part in re.split(r"(?<=\d) and ", sued["claims"]):
        claim = _CLAIM.fullmatch(part)
        if claim is None:
            raise BadInputError(f"no claim for a sum of money: {part!r}")
        cents = int(claim["dollars"].replace(",", "")) * 100 + int(claim["cents"] or 0)
        claims.append(Claim(claim["kind"], cents, plaintiffs, defendants))
    return Matter(
        forum="federal",
        state="",
        filed=FILED,
        plaintiffs=tuple(Party(name, domicile=homes[name]) for name in plaintiffs),
        defendants=tuple(Party(name, domicile=homes[name]) for name in defendants),
        claims=tuple(claims),
    )


def _names(text: str, homes: dict[str, str]) -> tuple[str, ...]:
    names = tuple(re.split(r", | and ", text))
    for name in names:
        if name not in homes:
            raise BadInputError(f"{name!r} is from nowhere")
    return names
