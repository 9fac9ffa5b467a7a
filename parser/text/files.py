"""Files that a deck names: where they are looked for, and how far a deck may reach."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable


def candidates(name: str, *from_files: str) -> list[str]:
    """Paths that a name may mean which is relative to the folder of one of some files."""
    paths = (os.path.normpath(os.path.join(os.path.dirname(file), name)) for file in from_files)
    return list(dict.fromkeys(paths))


def first_file(paths: Iterable[str]) -> str | None:
    """The first path at which a file stands; a folder, a pipe or a device is none."""
    return next((path for path in paths if os.path.isfile(path)), None)


def what_stands_at(paths: Iterable[str]) -> str:
    """What stands in the place of a file, for messages, where there is no file; empty where there is nothing."""
    for path in paths:
        if os.path.isdir(path):
            return "a folder"
        if os.path.lexists(path):
            return "no file that can be read, but a pipe or a device" if os.path.exists(path) else "a link to nothing"
    return ""


def is_below(path: str, folder: str) -> bool:
    """Whether a path leads to a place below a folder in the end, whatever links there are on the way."""
    real_folder = os.path.realpath(folder or ".")
    try:
        return os.path.commonpath((os.path.realpath(path), real_folder)) == real_folder
    except ValueError:  # on different drives
        return False


def similar_file(path: str) -> str:
    """The name of a file beside the place of one that is not there, if there is one that may be meant."""
    try:
        names = os.listdir(os.path.dirname(path) or ".")
    except OSError:
        return ""
    close = difflib.get_close_matches(os.path.basename(path), names, 1)
    return close[0] if close and close[0] != os.path.basename(path) else ""
