"""Result files as HDF5 opens them."""

from __future__ import annotations

from pathlib import Path

import h5py

from .files import OutputError

# What h5py raises where a file is damaged: besides that it cannot be read, things that are gone, checksums, texts that
# are none, types that do not exist.
DAMAGE = (OSError, KeyError, RuntimeError, ValueError, TypeError)


def damaged(path: Path) -> OutputError:
    """What is raised of such a file."""
    return OutputError(f"cannot read {path} as HDF5: it is damaged, or no result file")


def opened(path: Path) -> h5py.File:
    """The file, to be read without a lock, so that a run can be looked at while it goes on."""
    try:
        return h5py.File(path, "r", locking=False)
    except OSError as error:
        if "locking flag" not in str(error):
            raise
        return h5py.File(path, "r")  # something else in this process has it open, with locks; all have to agree
