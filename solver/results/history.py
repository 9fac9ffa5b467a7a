"""The history file NAME.h5: NetCDF-4-compatible HDF5, written block by block so that a kill loses little.

How it survives a kill: every group, dataset and attribute exists before the first step; samples wait in memory and
go to the file only inside `flush`, a few milliseconds about once a second; raw data bypass the chunk cache, and HDF5
may not evict metadata between flushes.  So at any other moment the file on disk is the one of the last flush, and
inside a flush the order of writes keeps it one that opens (`ordered_file`).  It is made under another name and put
in its place when its first flush is over.

How it survives a full disk: HDF5 cannot recover from a failed write (the file no longer opens, the process crashes
at its end), so `flush` has the system reserve the space first and leaves the file alone if it cannot.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, prod
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import h5py
import numpy as np
from numpy.typing import NDArray

from ..core.channels import Channel, Family, SampleBlock
from ..core.unit_names import unit
from .files import OutputError, part_of
from .hdf5 import opened
from .ordered_file import OrderedFile
from .summary import messages_text

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic

Status = Literal["running", "completed", "stopped", "failed"]
Attributes = Mapping[str, str | int | float]

CHUNK_VALUES = 65536  # 512 KiB of float64: one read for a scalar, few for one object of a large family
CHUNK_SAMPLES = (32, 1024)  # fewest and most samples in a chunk
BUFFER_BYTES = 64 << 20  # samples that wait in memory never exceed this by more than a block
CHECKPOINTS = ("checkpoint/odd", "checkpoint/even")  # datasets that are written in turn: one of them is always whole
CHECKPOINT_CHUNK = (2048, 1 << 20)  # fewest and most bytes in a chunk
SLAB_BYTES = 16 << 20  # of samples that are copied at once
METADATA_BYTES = 1 << 20  # bounds of HDF5's own bookkeeping: a file,
METADATA_BYTES_TABLE = 8192  # a dataset (header, attributes, root of the chunk index),
METADATA_BYTES_CHUNK = 256  # and a chunk (its entry in an index node that may be half empty)

# What an object without a title is called; its id follows.
NOUNS = {
    "th/node": "node",
    "th/rbody": "rigid body",
    "th/gjoint": "gear joint",
    "th/joint": "joint",
    "th/drive": "drive",
    "th/coupler": "coupler",
    "th/spring": "spring",
    "th/inter": "interface",
    "th/inter_pairs": "pair",
    "th/rwall": "wall",
    "th/sensor": "sensor",
}


@dataclass(slots=True)
class _Table:
    """One extendable dataset and the size of its chunks."""

    group: str
    channel: str
    dataset: h5py.Dataset

    def bytes_on_disk(self, samples: int) -> int:
        """Bound of what `samples` samples take (HDF5 allocates whole chunks)."""
        chunk = self.dataset.chunks
        chunks = prod(ceil(size / side) for size, side in zip((samples, *self.dataset.shape[1:]), chunk, strict=True))
        return METADATA_BYTES_TABLE + chunks * (8 * prod(chunk) + METADATA_BYTES_CHUNK)


def chunk_shape(objects: int | None, samples_expected: int) -> tuple[int, ...]:
    """Chunk of a dataset (time,) or (time, objects) that is good to append to and to read one object from."""
    fewest, most = CHUNK_SAMPLES
    most = min(most, max(1, samples_expected))
    if objects is None:
        return (most,)
    samples = min(most, max(fewest, CHUNK_VALUES // objects))
    return (samples, min(objects, max(1, CHUNK_VALUES // samples)))


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a run that is continued has of its results: the first samples of a file, and the checkpoint made then."""

    path: Path
    samples: int
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
    checkpoint_bytes : of an unpacked checkpoint, roughly; None where there will be none
    earlier : where the run goes on from

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
        checkpoint_bytes: int | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        self.path, part = path, part_of(path)
        self.samples = 0
        self._waiting: list[SampleBlock] = []
        self._waiting_bytes = 0
        self._reserved_bytes = 0
        self._messages = ""
        try:
            self._disk = OrderedFile(part)
        except OSError as error:
            raise OutputError(f"cannot create {path}: {error.strerror}") from error
        try:
            self._set_aside(METADATA_BYTES + 2 * len(model.deck_text.encode()))
            # No lock, so that a run can be looked at while it goes on.
            self._file = h5py.File(self._disk, "w", locking=False, rdcc_nbytes=0)
            _forbid_eviction(self._file)
            _write_root(self._file, model, attributes)
            self._tables = _create_tables(self._file, unit(model.units, time=1), families, samples_expected)
            self._sample_bytes = 8 * sum(prod(table.dataset.shape[1:]) for table in self._tables)
            self._base_bytes = METADATA_BYTES + 2 * len(model.deck_text.encode())
            if checkpoint_bytes is not None:
                _create_checkpoints(self._file, checkpoint_bytes)
            if earlier is not None:
                self._take_over(earlier)
            self._write_out()
            os.replace(part, path)
        except (OSError, RuntimeError) as error:
            with suppress(OSError):
                part.unlink()
            raise OutputError(f"cannot create {path}: {_reason(error)}") from error
        of_samples = sum(table.bytes_on_disk(self.samples) for table in self._tables) if self.samples else 0
        self._base_bytes = max(path.stat().st_size - of_samples, METADATA_BYTES)

    def append(self, block: SampleBlock) -> None:
        """Take a block of samples; it reaches the file with the next `flush`."""
        if len(block) == 0:
            return
        self._waiting.append(block)
        self._waiting_bytes += self._sample_bytes * len(block)
        if self._waiting_bytes > BUFFER_BYTES:
            self.flush({})

    def flush(self, attributes: Attributes) -> None:
        """Write the waiting samples and `attributes` (existing root attributes), and hand all to the system.

        Raises
        ------
        OutputError
            the disk is full or the file cannot be written; samples of earlier flushes are kept
        """
        samples = self.samples + sum(len(block) for block in self._waiting)
        try:
            self._set_aside(self._bytes_with(samples))
            for table in self._tables:
                if self._waiting:
                    table.dataset.resize(samples, axis=0)
                    table.dataset[self.samples :] = _gather(table, self._waiting)
            _set_attributes(self._file, attributes)
            self._write_out()
        except (OSError, RuntimeError) as error:
            raise OutputError(f"cannot write {self.path}: {_reason(error)}") from error
        self.samples = samples
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
            self._set_aside(self._bytes_with(self.samples))
            self._put_checkpoint(number, data)
            self._write_out()
        except (OSError, RuntimeError) as error:
            raise OutputError(f"cannot write a checkpoint to {self.path}: {_reason(error)}") from error

    def _longer_by(self, number: int, data: bytes) -> int:
        """Bytes by which a checkpoint is longer than its place, whole chunks."""
        dataset = self._file[CHECKPOINTS[(number + 1) % 2]]
        chunk = dataset.chunks[0] + METADATA_BYTES_CHUNK
        return chunk * max(0, ceil((len(data) - len(dataset)) / dataset.chunks[0]))

    def _put_checkpoint(self, number: int, data: bytes) -> None:
        dataset = self._file[CHECKPOINTS[(number + 1) % 2]]
        if len(data) > len(dataset):  # it never gets shorter: what HDF5 writes where it was must not be torn by a kill
            dataset.resize(len(data), axis=0)
        dataset[: len(data)] = np.frombuffer(data, np.uint8)

    def _take_over(self, earlier: Earlier) -> None:
        """Begin with what another file has."""
        self._base_bytes += self._longer_by(earlier.number, earlier.checkpoint)
        self._set_aside(self._bytes_with(earlier.samples))
        slab = max(1, SLAB_BYTES // self._sample_bytes)
        with opened(earlier.path) as file:
            for table in self._tables:
                table.dataset.resize(earlier.samples, axis=0)
                source = file[f"{table.group}/{table.channel}"]
                for first in range(0, earlier.samples, slab):
                    own = slice(first, min(first + slab, earlier.samples))
                    table.dataset[own] = source[own]
        self._put_checkpoint(earlier.number, earlier.checkpoint)
        self.samples = earlier.samples

    def _bytes_with(self, samples: int) -> int:
        """Bound of the length of the file with so many samples."""
        return self._base_bytes + METADATA_BYTES + sum(table.bytes_on_disk(samples) for table in self._tables)

    def close(self, status: Status, message: str, attributes: Attributes, messages: Iterable[Diagnostic] = ()) -> None:
        """Write what waits, the final status, attributes and messages, and close the file. Does nothing when closed.

        Raises
        ------
        OutputError
            as `flush`
        """
        if not self._file:
            return
        text = messages_text(messages)
        self._base_bytes += 2 * len(text.encode())
        self._messages = text
        self.flush({**attributes, "status": status, "message": message})
        self._close()

    def close_without_waiting(self, message: str) -> None:
        """Close as "failed" after a `OutputError` of `flush`, dropping the samples that found no room."""
        self._waiting.clear()
        if self._file:
            _set_attributes(self._file, {"status": "failed", "message": message})
            self._close()

    def _write_out(self) -> None:
        """Have HDF5 hand over all it holds; raises the OSError of a write that failed."""
        with self._disk.in_order():
            if self._messages:
                self._file["messages"][()] = self._messages
            self._file.flush()
        if self._disk.error is not None:
            raise self._disk.error

    def _close(self) -> None:
        with self._disk.in_order():
            self._file.close()
        with suppress(OSError):  # what stays set aside beyond the end harms nobody
            self._disk.close()

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


def _gather(table: _Table, blocks: list[SampleBlock]) -> NDArray[np.float64]:
    if table.group == "":
        return np.concatenate([block.times for block in blocks])
    return np.concatenate([block.values[table.group][table.channel] for block in blocks])


def _forbid_eviction(file: h5py.File) -> None:
    """Keep changed metadata in memory until `flush` writes them all."""
    config = file.id.get_mdc_config()
    config.evictions_enabled = False
    config.incr_mode = config.flash_incr_mode = config.decr_mode = 0  # off, which HDF5 asks for here
    file.id.set_mdc_config(config)


def root_attributes(model: Model, attributes: Attributes) -> dict[str, str | int | float]:
    """Attributes of the results of a run as it begins."""
    return {
        "Conventions": "CF-1.8",
        "title": model.title,
        "run_name": model.run_name,
        "deck_sha256": model.deck_sha256,
        "units_mass": model.units.mass,
        "units_length": model.units.length,
        "units_time": model.units.time,
        **attributes,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "status": "running",
        "message": "",
    }


def _write_root(file: h5py.File, model: Model, attributes: Attributes) -> None:
    _set_attributes(file, root_attributes(model, attributes))
    deck = file.create_dataset("deck", data=model.deck_text, dtype=h5py.string_dtype())
    deck.attrs["description"] = "the whole deck as read, includes resolved"
    messages = file.create_dataset("messages", data="[]", dtype=h5py.string_dtype())
    messages.attrs["description"] = (
        "warnings about the deck and the run, and notes of the run, as JSON, once it is over"
    )


def _set_attributes(file: h5py.File, attributes: Attributes) -> None:
    for name, value in attributes.items():
        if isinstance(value, str):  # a name of a file need not be text
            value = value.encode("utf-8", "backslashreplace").decode()
        if name in file.attrs:
            file.attrs.modify(name, value)
        else:
            file.attrs[name] = value


def _create_tables(
    file: h5py.File, time_unit: str, families: tuple[Family, ...], samples_expected: int
) -> list[_Table]:
    time = _create_series(file, Channel("time", time_unit, "time of the sample"), None, samples_expected)
    time.make_scale("time")
    tables = [_Table("", "time", time)]
    for family in families:
        if family.ids is not None and len(family.ids) == 0:
            continue
        group = file.create_group(family.group)
        group["time"] = time
        scales = [time]
        if family.ids is not None:
            scales.append(_create_labels(group, family))
        for channel in family.channels:
            dataset = _create_series(group, channel, family.ids, samples_expected)
            if family.ids is not None:
                # the labels beside the ids, as CF has it
                dataset.attrs["coordinates"] = " ".join(["name", *(label.name for label in family.labels)])
            for axis, scale in enumerate(scales):
                dataset.dims[axis].attach_scale(scale)
            tables.append(_Table(family.group, channel.name, dataset))
    return tables


def _create_checkpoints(file: h5py.File, expected_bytes: int) -> None:
    fewest, most = CHECKPOINT_CHUNK
    chunk = min(max(fewest, 1 << (expected_bytes // 16).bit_length()), most)
    for name in CHECKPOINTS:
        dataset = file.create_dataset(name, shape=(0,), maxshape=(None,), chunks=(chunk,), dtype=np.uint8)
        dataset.make_scale(name.rpartition("/")[2])  # a dimension of its own, as netCDF wants one
        dataset.attrs["description"] = "where the run stood, for `gsolve resume`; the newer one counts"


def stored_checkpoints(file: h5py.File) -> list[bytes]:
    """What a result file has of checkpoints, whole or not."""
    return [file[name][()].tobytes() for name in CHECKPOINTS if name in file]


def _create_labels(group: h5py.Group, family: Family) -> h5py.Dataset:
    """Datasets id (a dimension scale), name and further labels of a family of objects; returns id."""
    assert family.ids is not None
    ids = group.create_dataset("id", data=np.asarray(family.ids, dtype=np.int64))
    ids.make_scale("id")
    noun = NOUNS[family.group]
    name = group.create_dataset("name", data=object_names(family), dtype=h5py.string_dtype())
    name.dims[0].attach_scale(ids)
    ids.attrs["long_name"] = f"{noun} id"
    ids.attrs["description"] = f"id of the {noun} in the deck"
    name.attrs["long_name"] = f"{noun} name"
    name.attrs["description"] = f"name that a /TH block gives the {noun}, else its title, else its id"
    for label in family.labels:
        kind = np.int64 if isinstance(label.values, np.ndarray) else h5py.string_dtype()
        dataset = group.create_dataset(label.name, data=label.values, dtype=kind)
        dataset.dims[0].attach_scale(ids)
        dataset.attrs["long_name"] = dataset.attrs["description"] = label.description
    return ids


def object_names(family: Family) -> list[str]:
    """What the objects of a family are called."""
    assert family.ids is not None
    given = family.names or ("",) * len(family.ids)
    return [name or f"{NOUNS[family.group]} {id}" for name, id in zip(given, family.ids, strict=True)]


def _create_series(
    group: h5py.Group, channel: Channel, ids: NDArray[np.int64] | None, samples_expected: int
) -> h5py.Dataset:
    objects = None if ids is None else len(ids)
    row = () if objects is None else (objects,)
    dataset = group.create_dataset(
        channel.name,
        shape=(0, *row),
        maxshape=(None, *row),
        chunks=chunk_shape(objects, samples_expected),
        dtype=np.float64,
        fillvalue=np.nan,
    )
    dataset.attrs["units"] = channel.unit
    dataset.attrs["description"] = channel.description
    return dataset


def _reason(error: Exception) -> str:
    """The system's reason, if need be out of HDF5's long message, e.g. "No space left on device"."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    found = re.search(r"error message = '([^']*)'", str(error))
    return found[1] if found else str(error).partition("\n")[0]
