"""Where things are kept that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """Return the user's folder for this package: ``$XDG_CACHE_HOME/decidendi``."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "decidendi"
