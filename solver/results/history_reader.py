"""Reader of NAME.h5: what `HistoryFile` wrote, read when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic
from h5py import h5a, h5d
from numpy.typing import NDArray

from ..core.channels import Channel, Family, Label
from .contents import Contents, fixed, in_python_types
from .files import OutputError, identity_of
from .hdf5 import DAMAGE, damaged, opened
from .history_layout import WHILE_RUNNING
from .machine_reader import FRAMES, machine_of
from .machine_tables import MachineTables
from .summary import messages_in

TEXT = h5py.string_dtype()
OF_ALL_RUNS = ("status", "message", "run_name", "title", "units_mass", "units_length", "units_time")  # attributes
OF_FAMILY = ("time", "frame", "id", "name")  # datasets of a group that are neither variables nor labels


class HistoryReader:
    """A result file as it was when it was opened: of a run that goes on, the samples up to then.

    The file is open only while something is read. What was read is kept.

    Parameters
    ----------
    path : the file
    contents : what is known of it already, to who has just written it

    Raises
    ------
    OutputError
        the file is not a result file of gsolve, cannot be read, or (later) is no longer the same
    """

    def __init__(self, path: str | os.PathLike[str], contents: Contents | None = None) -> None:
        self.path = Path(path)
        self._identity = contents.identity if contents is not None else None
        self._kept: dict[tuple[str, str, int | None], NDArray[np.float64]] = {}
        self._machine: MachineTables | None = None
        if contents is None:
            with self._opened() as file:
                contents = contents_of(file, self.path)
        self.attributes, self.deck, self.messages = contents.attributes, contents.deck, contents.messages
        self.families, self.frames, self.time_unit = contents.families, contents.frames, contents.time_unit
        self._times, self._frame_times = contents.times, contents.frame_times

    @contextmanager
    def _opened(self) -> Iterator[h5py.File]:
        try:
            with opened(self.path) as file:
                identity = identity_of(os.stat(self.path))
                if self._identity not in (None, identity):
                    raise OutputError(f"{self.path} has been replaced since it was loaded: load it again")
                self._identity = identity
                yield file
        except FileNotFoundError as error:
            raise OutputError(f"{self.path} does not exist") from error
        except DAMAGE as error:
            raise damaged(self.path) from error

    def times(self) -> NDArray[np.float64]:
        """Of the samples."""
        return self._times

    def frame_times(self) -> NDArray[np.float64]:
        """Of the frames; none where there are none."""
        return self._frame_times

    def machine(self) -> MachineTables:
        """The machine.

        Raises
        ------
        OutputError
            an older gsolve made the file
        """
        if self._machine is None:
            with self._opened() as file:
                self._machine = machine_of(file, self.path)
        return self._machine

    def values(self, group: str, variable: str) -> NDArray[np.float64]:
        """(nt,) of a scalar, (nt, n) of objects."""
        return self._read(group, variable, None)

    def column(self, group: str, variable: str, k: int) -> NDArray[np.float64]:
        """(nt,) of the object at place k, without reading those of the others."""
        whole = self._kept.get((group, variable, None))
        return self._read(group, variable, k) if whole is None else whole[:, k]

    def rows(self, group: str, variable: str, start: int, stop: int) -> NDArray[np.float64]:
        """As `values` at samples start to stop - 1; nothing is kept."""
        stop = min(stop, self._count(group))
        with self._opened() as file:
            return _padded(file[group][variable][start:stop], stop - start)

    def _read(self, group: str, variable: str, k: int | None) -> NDArray[np.float64]:
        key = (group, variable, k)
        if key not in self._kept:
            with self._opened() as file:
                dataset, count = file[group][variable], self._count(group)
                self._kept[key] = fixed(_padded(dataset[:count] if k is None else dataset[:count, k], count))
        return self._kept[key]

    def _count(self, group: str) -> int:
        """Samples, or frames, that the file has times of."""
        return len(self._frame_times if group == FRAMES else self._times)


def _padded(values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Values with NaN for the last samples where a kill left the dataset shorter than its times."""
    missing = count - len(values)
    if missing <= 0:
        return values
    return np.concatenate([values, np.full((missing, *values.shape[1:]), np.nan)])


def contents_of(file: h5py.File, path: Path) -> Contents:
    """All of an open result file but the values of its histories.

    Raises
    ------
    OutputError
        the file is not a result file of gsolve
    """
    if "gsolve_version" not in file.attrs or "time" not in file:
        raise OutputError(f"{path} is an HDF5 file, but not a result of gsolve")
    attributes = attributes_of(file)
    missing = [name for name in OF_ALL_RUNS if name not in attributes]
    if missing:
        raise OutputError(f"{path} is damaged: it lacks the attributes {', '.join(missing)}, which all results have")
    frames = _family(file[FRAMES]) if FRAMES in file else None
    return Contents(
        attributes=attributes,
        deck=file["deck"].asstr()[()],
        messages=messages_of(file),
        families=tuple(_family(file[group]) for group in groups_of(file)),
        frames=frames,
        time_unit=str(file["time"].attrs["units"]),
        times=fixed(file["time"][:]),
        frame_times=fixed(file[FRAMES]["time"][:] if frames is not None else np.zeros(0)),
        identity=identity_of(os.stat(path)),
    )


def attributes_of(file: h5py.File) -> dict[str, Any]:
    """Attributes of a result file in types of Python; a run that was killed as it wrote down how it ended, goes on."""
    return in_python_types({name: _attribute(file, name) for name in file.attrs})


def _attribute(file: h5py.File, name: str) -> Any:
    try:
        return file.attrs[name]
    except OSError:  # HDF5 keeps texts apart: that one is not there yet
        if name not in WHILE_RUNNING:
            raise
        return WHILE_RUNNING[name]


def groups_of(file: h5py.File) -> list[str]:
    """Groups of histories of a result file: of all that is known at samples."""
    groups = [name for name in ("energy", "diag") if name in file]
    return [*groups, *(group for name in file.get("th", ()) if (group := f"th/{name}") != FRAMES)]


def messages_of(file: h5py.File) -> tuple[Diagnostic, ...]:
    """What was told; nothing in a file whose run goes on or was killed."""
    if "messages" not in file:  # of an older gsolve
        return ()
    try:
        return messages_in(file["messages"].asstr()[()])
    except OSError:  # killed as they were written
        return ()


def _family(group: h5py.Group) -> Family:
    channels, labels, names = list[Channel](), list[Label](), list(group)
    for name in names:
        if name in OF_FAMILY:
            continue
        item = h5d.open(group.id, name.encode())
        unit = text_of(item, b"units")
        if unit is not None:
            channels.append(Channel(name, unit, long_name(item)))
        else:
            labels.append(Label(name, _label_values(group[name]), long_name(item)))
    name = group.name.lstrip("/")
    if "id" not in names:
        return Family(name, tuple(channels))
    return Family(name, tuple(channels), group["id"][:], tuple(group["name"].asstr()[:].tolist()), tuple(labels))


def long_name(item: Any) -> str:
    """What a dataset, a h5d.DatasetID, is in words."""
    text = text_of(item, b"long_name")
    return text if text is not None else text_of(item, b"description") or ""  # the one of an older gsolve


def text_of(item: Any, name: bytes) -> str | None:
    """A text among the attributes of a dataset, None where it has none; by HDF5's own calls, as in `hdf5_writer`."""
    if not h5a.exists(item, name):
        return None
    found = np.zeros((), dtype=TEXT)
    h5a.open(item, name).read(found)
    text: bytes = found.item()
    return text.decode()


def _label_values(item: h5py.Dataset) -> NDArray[np.int64] | tuple[str, ...]:
    if h5py.check_string_dtype(item.dtype):
        return tuple(item.asstr()[:].tolist())
    numbers: NDArray[np.int64] = item[:]
    return numbers
