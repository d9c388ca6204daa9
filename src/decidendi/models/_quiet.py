"""Keeps the loading library's progress bars and advice off the terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr


@contextmanager
def quiet() -> Iterator[None]:
    """Silence everything below errors, and the bars; restore both afterwards."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):  # one bar heeds no switch
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
