"""The history file NAME.h5: NetCDF-4-compatible HDF5, written block by block so that a kill loses little.

How it survives a kill: every group, dataset and attribute exists before the first step; samples wait in memory and
go to the file only inside `flush`, a few milliseconds about once a second; raw data bypass the chunk cache, and HDF5
may not evict metadata between flushes.  So at any other moment the file on disk is the one of the last flush, and
inside a flush the order of writes keeps it one that opens (`ordered_file`).  It is made under another name and put
in its place when its first flush is over.  As long as it is small, HDF5 works on a copy in memory.

How it survives a full disk: HDF5 cannot recover from a failed write (the file no longer opens, the process crashes
at its end), so `flush` has the system reserve the space first and leaves the file alone if it cannot.
"""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import h5py
import numpy as np
from h5py import h5d
from numpy.typing import NDArray

from ..core.channels import Family, SampleBlock
from ..core.unit_names import unit
from .contents import Contents, as_in_a_file, fixed, in_python_types, poses_as_in_a_file
from .file_structure import blank
from .files import OutputError, identity_of, is_open_at, part_of
from .hdf5 import opened
from .hdf5_writer import Dataset, RootAttributes, append_rows, write_values
from .history_layout import (
    CHECKPOINTS,
    METADATA_BYTES_CHUNK,
    NO_PICTURE,
    Attributes,
    Layout,
    Picture,
    Series,
    bytes_of_tables,
    bytes_on_disk,
    root_attributes,
)
from .machine_reader import FRAMES
from .ordered_file import OrderedHdf5
from .summary import messages_in, messages_text

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic

Status = Literal["running", "completed", "stopped", "failed"]

BUFFER_BYTES = 64 << 20  # samples that wait in memory never exceed this by more than a block
SLAB_BYTES = 16 << 20  # of samples that are copied at once
METADATA_BYTES = 1 << 20  # bound of HDF5's own bookkeeping in a file
IN_MEMORY_BYTES = 8 << 20  # of a file of which HDF5 has a copy in memory


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a run that is continued has of its results: the first samples and frames of a file, and its checkpoint."""

    path: Path
    samples: int
    frames: int
    number: int
    checkpoint: bytes


class HistoryFile:
    """Writer of NAME.h5 (layout: docs/results.md).

    Parameters
    ----------
    path : the file; one that is there already is replaced, once the new one can be read
    model : the deck; its text, units and names go to the file
    families : what the run will hand out
    samples_expected : how many samples the run will have, roughly (sets the chunks)
    attributes : further root attributes (t_end, gjoint_alpha, gsolve_version ...)
    picture : the machine and its frames
    checkpoint_bytes : of an unpacked checkpoint, roughly; None where there will be none
    earlier : where the run goes on from

    contents : what `HistoryReader` finds in the file besides histories, once it was closed without a failure

    Raises
    ------
    OutputError
        the file cannot be created, or the earlier one not be read
    """

    def __init__(
        self,
        path: Path,
        model: Model,
        families: tuple[Family, ...],
        *,
        samples_expected: int,
        attributes: Attributes,
        picture: Picture = NO_PICTURE,
        checkpoint_bytes: int | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        self.path, part = path, part_of(path)
        self._place = path.absolute()  # a routine may go to another folder
        self.samples = self.frames = 0
        self._waiting: list[SampleBlock] = []
        self._waiting_bytes = 0
        self._reserved_bytes = 0
        self._messages = ""
        self._deck, self._time_unit = model.deck_text, unit(model.units, time=1)
        self._families, self._poses = families, picture.poses
        self._times: list[NDArray[np.float64]] = []
        self._frame_times: list[NDArray[np.float64]] = []
        self.contents: Contents | None = None
        layout = Layout(model, families, samples_expected, picture)
        if checkpoint_bytes is not None:
            layout.add_checkpoints(checkpoint_bytes)
        self._of_samples, self._of_frames, self._checkpoints = layout.samples, layout.frames, layout.checkpoints
        self._datasets: dict[str, Dataset] = {}  # those that are open
        self._shapes_of_samples, self._shapes_of_frames = (
            Counter((series.row, series.chunk) for series in each) for each in (layout.samples, layout.frames)
        )
        attributes = root_attributes(model, attributes)
        empty = layout.structure.empty_file(attributes)
        self._base_bytes = METADATA_BYTES + len(empty) + 2 * len(model.deck_text.encode()) + bytes_of_tables(picture)
        try:
            self._disk = OrderedHdf5(part, empty)
        except OSError as error:
            raise OutputError(f"cannot create {path}: {_reason(error)}") from error
        try:
            self._set_aside(self._base_bytes)
            self._attributes = RootAttributes(self._disk.file, blank(attributes))
            if earlier is not None or self._base_bytes > IN_MEMORY_BYTES:
                self._leave_memory()
            self._attributes.set(attributes)
            layout.write_values(self._disk.file)
            self._sample_bytes, self._frame_bytes = (
                8 * sum(prod(series.row) for series in each) for each in (layout.samples, layout.frames)
            )
            if earlier is not None:
                self._take_over(earlier)
            self._write_out()
            os.replace(part, path)
        except (OSError, RuntimeError) as error:
            with suppress(OSError):
                part.unlink()
            raise OutputError(f"cannot create {path}: {_reason(error)}") from error
        of_series = self._bytes_of_series(self.samples, self.frames) if self.samples else 0
        self._base_bytes = max(path.stat().st_size - of_series, METADATA_BYTES)

    @property
    def is_in_place(self) -> bool:
        """Whether `path` still names the file that is written; as long as it is not closed."""
        return is_open_at(self._disk.fileno(), self._place)

    @property
    def samples_taken(self) -> int:
        """Samples in the file, and those that wait."""
        return self.samples + sum(len(block) for block in self._waiting)

    @property
    def frames_taken(self) -> int:
        """Frames likewise."""
        return self.frames + sum(frames_in(block) for block in self._waiting)

    def append(self, block: SampleBlock) -> None:
        """Take a block of samples; it reaches the file with the next `flush`."""
        frames = frames_in(block)
        if len(block) + frames == 0:
            return
        self._waiting.append(block)
        self._waiting_bytes += self._sample_bytes * len(block) + self._frame_bytes * frames
        if self._waiting_bytes > BUFFER_BYTES:
            self.flush({})

    def flush(self, attributes: Attributes) -> None:
        """Write the waiting samples and `attributes` (existing root attributes), and hand all to the system.

        Raises
        ------
        OutputError
            the disk is full or the file cannot be written; samples of earlier flushes are kept
        """
        samples, frames = self.samples_taken, self.frames_taken
        try:
            size = self._bytes_with(samples, frames)
            self._set_aside(size)
            if self._disk.is_in_memory and size > IN_MEMORY_BYTES:
                self._leave_memory()
            if samples > self.samples:
                for series in self._of_samples:
                    append_rows(self._dataset(series), self.samples, _gather(series, self._waiting))
            if frames > self.frames:
                waiting = [block.frames for block in self._waiting if block.frames is not None]
                for series in self._of_frames:
                    append_rows(self._dataset(series), self.frames, _gather_frames(series, waiting, self.frames))
            self._attributes.set(attributes)
            self._write_out()
        except (OSError, RuntimeError) as error:
            raise OutputError(f"cannot write {self.path}: {_reason(error)}") from error
        self._times += [block.times for block in self._waiting]
        self._frame_times += [block.frames.times for block in self._waiting if block.frames is not None]
        self.samples, self.frames = samples, frames
        self._waiting.clear()
        self._waiting_bytes = 0

    def write_checkpoint(self, number: int, data: bytes) -> None:
        """Write a checkpoint, made when all samples so far were flushed, in the place of the last but one.

        Raises
        ------
        OutputError
            the disk is full or the file cannot be written; the checkpoint before stays
        """
        try:
            self._base_bytes += self._longer_by(number, data)
            self._set_aside(self._bytes_with(self.samples, self.frames))
            self._put_checkpoint(number, data)
            self._write_out()
        except (OSError, RuntimeError) as error:
            raise OutputError(f"cannot write a checkpoint to {self.path}: {_reason(error)}") from error

    def _longer_by(self, number: int, data: bytes) -> int:
        """Bytes by which a checkpoint is longer than its place, whole chunks."""
        series = self._checkpoints[(number + 1) % 2]
        (length,), (chunk,) = self._dataset(series).shape, series.chunk
        return (chunk + METADATA_BYTES_CHUNK) * max(0, ceil((len(data) - length) / chunk))

    def _put_checkpoint(self, number: int, data: bytes) -> None:
        series = self._checkpoints[(number + 1) % 2]
        dataset = self._dataset(series)
        (length,) = dataset.shape
        # it never gets shorter: what HDF5 writes where it was must not be torn by a kill
        append_rows(dataset, 0, np.frombuffer(data.ljust(length, b"\0"), np.uint8))

    def _take_over(self, earlier: Earlier) -> None:
        """Begin with what another file has."""
        self._base_bytes += self._longer_by(earlier.number, earlier.checkpoint)
        self._set_aside(self._bytes_with(earlier.samples, earlier.frames))
        slab = max(1, SLAB_BYTES // max(self._sample_bytes, self._frame_bytes))
        with opened(earlier.path) as file:
            for all_series, count in ((self._of_samples, earlier.samples), (self._of_frames, earlier.frames)):
                for series in all_series:
                    source = file[series.path]
                    for first in range(0, count, slab):
                        append_rows(self._dataset(series), first, source[first : min(first + slab, count)])
            self._times.append(file["time"][: earlier.samples])
            if self._of_frames:
                self._frame_times.append(file[f"{FRAMES}/time"][: earlier.frames])
        self._put_checkpoint(earlier.number, earlier.checkpoint)
        self.samples, self.frames = earlier.samples, earlier.frames

    def _bytes_of_series(self, samples: int, frames: int) -> int:
        """Bound of what so many samples and frames take."""
        counts = (self._shapes_of_samples, samples), (self._shapes_of_frames, frames)
        return sum(
            number * bytes_on_disk((count, *row), chunk)
            for shapes, count in counts
            for (row, chunk), number in shapes.items()
        )

    def _bytes_with(self, samples: int, frames: int) -> int:
        """Bound of the length of the file with so many samples and frames."""
        return self._base_bytes + METADATA_BYTES + self._bytes_of_series(samples, frames)

    def close(self, status: Status, message: str, attributes: Attributes, messages: Iterable[Diagnostic] = ()) -> None:
        """Write what waits, the final status, attributes and messages, and close the file. Does nothing when closed.

        Raises
        ------
        OutputError
            as `flush`
        """
        if not self._disk.file:
            return
        text = messages_text(messages)
        self._base_bytes += 2 * len(text.encode())
        self._messages = text
        self.flush({**attributes, "status": status, "message": message})
        contents = self._known_contents()
        self._disk.close()
        if self._disk.error is None:
            self.contents = contents

    def _known_contents(self) -> Contents:
        times, frame_times = (
            fixed(np.concatenate([np.zeros(0), *parts])) for parts in (self._times, self._frame_times)
        )
        return Contents(
            attributes=in_python_types(self._attributes.values),
            deck=self._deck,
            messages=messages_in(self._messages),
            families=as_in_a_file(self._families),
            frames=poses_as_in_a_file(self._poses),
            time_unit=self._time_unit,
            times=times,
            frame_times=frame_times,
            identity=identity_of(os.fstat(self._disk.fileno())),
        )

    def close_without_waiting(self, message: str) -> None:
        """Close as "failed" after a `OutputError` of `flush`, dropping the samples that found no room."""
        self._waiting.clear()
        if self._disk.file:
            self._attributes.set({"status": "failed", "message": message})
            with suppress(OSError):
                self._write_out()
            self._disk.close()

    def _write_out(self) -> None:
        """Have HDF5 hand over all it holds; raises the OSError of a write that failed."""
        with self._disk.flushed():
            if self._messages:
                text = np.array(self._messages.encode(), dtype=h5py.string_dtype())
                write_values(self._disk.file, "messages", text)

    def _leave_memory(self) -> None:
        """Let HDF5 work on disk, where the file gets too large to be compared with what is there."""
        self._datasets.clear()
        values = in_python_types(self._attributes.values)
        self._disk.leave_memory()
        self._attributes = RootAttributes(self._disk.file, values)

    def _dataset(self, series: Series) -> Dataset:
        """The dataset of a series, open."""
        found = self._datasets.get(series.path)
        if found is None:
            found = self._datasets[series.path] = h5d.open(self._disk.file.id, series.path.encode())
        return found

    def _set_aside(self, size: int) -> None:
        """Have the system set `size` bytes aside; a file system that does not know how can only be trusted."""
        if size <= self._reserved_bytes:
            return
        try:
            self._disk.set_aside(size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
        self._reserved_bytes = size


def frames_in(block: SampleBlock) -> int:
    """How many frames come with a block."""
    return len(block.frames) if block.frames is not None else 0


def _gather(series: Series, blocks: list[SampleBlock]) -> NDArray[np.float64]:
    """Values of samples; a block of frames alone has none."""
    if series.group == "":
        return np.concatenate([block.times for block in blocks])
    return np.concatenate([block.values[series.group][series.channel] for block in blocks if len(block)])


def _gather_frames(series: Series, blocks: list[SampleBlock], first: int) -> NDArray[np.float64]:
    """Values of frames; the first of them is number `first`."""
    times = np.concatenate([block.times for block in blocks])
    if series.channel == "time":
        return times
    if series.channel == "frame":
        return np.arange(first, first + len(times), dtype=np.float64)
    return np.concatenate([block.values[series.group][series.channel] for block in blocks])


def stored_checkpoints(file: h5py.File) -> list[bytes]:
    """What a result file has of checkpoints, whole or not."""
    return [file[name][()].tobytes() for name in CHECKPOINTS if name in file]


def _reason(error: Exception) -> str:
    """The system's reason, if need be out of HDF5's long message, e.g. "No space left on device"."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    found = re.search(r"error message = '([^']*)'", str(error))
    return found[1] if found else str(error).partition("\n")[0]
