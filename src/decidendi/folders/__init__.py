"""Folders of runs: one writer at a time, files whole or not there, bound to what they are runs of.

Imports nothing of the house but ``judgment``. What a folder holds is its room's affair.
"""

from decidendi.folders._binding import bind, json_bytes
from decidendi.folders._errors import StorageError, remedy_of, storage_errors
from decidendi.folders._writing import (
    LOCK,
    cut_torn_line,
    make_folder,
    move_aside,
    only_writer,
    write_whole,
)

__all__ = [
    # one writer
    "only_writer",
    "make_folder",
    "move_aside",
    "LOCK",
    # whole files, and journals that grow by lines
    "write_whole",
    "cut_torn_line",
    "json_bytes",
    # bound to one run
    "bind",
    # what the disk says
    "StorageError",
    "storage_errors",
    "remedy_of",
]
