"""Shared by all tests: helper modules beside the tests can be imported by name."""

import sys
from pathlib import Path

from hypothesis import settings

# A busy machine is no reason to fail: laws are about values, not about time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

HERE = Path(__file__).parent
for room in HERE.iterdir():
    if room.is_dir():
        sys.path.append(str(room))
