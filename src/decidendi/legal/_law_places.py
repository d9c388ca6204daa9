"""The States and federal judicial districts that fact patterns use (28 U.S.C. §§ 81-131)."""

from __future__ import annotations

from collections.abc import Mapping

_WHOLE = ("Arizona", "Colorado", "Delaware", "Idaho", "Kansas", "Maine", "Minnesota", "Nebraska",
          "Nevada", "Oregon", "Utah", "Vermont")  # fmt: skip
_PARTED = {
    "Georgia": ("Northern", "Middle", "Southern"),
    "Illinois": ("Northern", "Central", "Southern"),
    "Indiana": ("Northern", "Southern"),
    "Iowa": ("Northern", "Southern"),
    "Missouri": ("Eastern", "Western"),
    "Ohio": ("Northern", "Southern"),
    "Tennessee": ("Eastern", "Middle", "Western"),
    "Virginia": ("Eastern", "Western"),
    "Wisconsin": ("Eastern", "Western"),
}

DISTRICTS: Mapping[str, tuple[str, ...]] = {
    **{state: (f"the District of {state}",) for state in _WHOLE},
    **{s: tuple(f"the {part} District of {s}" for part in parts) for s, parts in _PARTED.items()},
}
"""State to its districts."""

STATES = tuple(sorted(DISTRICTS))
STATE_OF: Mapping[str, str] = {d: state for state, all_ in DISTRICTS.items() for d in all_}
"""District to its State."""
