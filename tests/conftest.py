"""Shared by all tests: helper modules beside the tests can be imported by name."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for room in HERE.iterdir():
    if room.is_dir():
        sys.path.append(str(room))
