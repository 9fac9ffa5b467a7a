"""What a result file has before the first sample: its groups and datasets, their texts, and the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, prod
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ..core.channels import Channel, Family
from ..core.unit_names import unit
from .hdf5_writer import Dataset, Hdf5Writer, append_rows
from .machine_tables import TABLES, Column

if TYPE_CHECKING:
    from gsolve.parser.model import Model

Attributes = Mapping[str, str | int | float]

CHUNK_VALUES = 65536  # 512 KiB of float64: one read for a scalar, few for one object of a large family
CHUNK_SAMPLES = (32, 1024)  # fewest and most samples in a chunk
CHECKPOINTS = ("checkpoint/odd", "checkpoint/even")  # datasets that are written in turn: one of them is always whole
CHECKPOINT_CHUNK = (2048, 1 << 20)  # fewest and most bytes in a chunk
METADATA_BYTES_TABLE = 8192  # a dataset (header, attributes, root of the chunk index),
METADATA_BYTES_CHUNK = 256  # and a chunk (its entry in an index node that may be half empty)
BYTES_OF_TEXT = 48  # a text in a table, besides its letters

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
    "th/body": "body",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a result file has for pictures.

    tables : columns of /model, by table and name; empty for none
    poses : channels of /th/body, None where there are no frames
    frames : how many there will be, roughly
    """

    tables: Mapping[str, Mapping[str, Any]]
    poses: Family | None = None
    frames: int = 0


NO_PICTURE = Picture({})


def bytes_of_tables(picture: Picture) -> int:
    """Bound of what the tables of /model take."""
    return sum(
        METADATA_BYTES_TABLE + sum(_bytes_of(column, picture.tables[name][column.name]) for column in TABLES[name])
        for name in picture.tables
    )


def _bytes_of(column: Column, values: Any) -> int:
    if column.kind == "O":
        return sum(BYTES_OF_TEXT + len(text.encode()) for text in values)
    return len(values) * np.dtype(column.kind).itemsize * prod(column.shape)


@dataclass(slots=True)
class Series:
    """One dataset that grows with samples, or with frames.

    group, channel : where its values stand in a block
    row : shape of what belongs to one of them
    """

    group: str
    channel: str
    dataset: Dataset
    row: tuple[int, ...]
    chunk: tuple[int, ...]

    def bytes_on_disk(self, count: int) -> int:
        """Bound of what `count` samples or frames take (HDF5 allocates whole chunks)."""
        chunks = prod(ceil(size / side) for size, side in zip((count, *self.row), self.chunk, strict=True))
        return METADATA_BYTES_TABLE + chunks * (8 * prod(self.chunk) + METADATA_BYTES_CHUNK)

    def append(self, first: int, values: NDArray[np.float64]) -> None:
        """Write values from place `first` on."""
        append_rows(self.dataset, first, values)


def chunk_shape(objects: int | None, samples_expected: int) -> tuple[int, ...]:
    """Chunk of a dataset (time,) or (time, objects) that is good to append to and to read one object from."""
    fewest, most = CHUNK_SAMPLES
    most = min(most, max(1, samples_expected))
    if objects is None:
        return (most,)
    samples = min(most, max(fewest, CHUNK_VALUES // objects))
    return (samples, min(objects, max(1, CHUNK_VALUES // samples)))


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


def object_names(family: Family) -> list[str]:
    """What the objects of a family are called."""
    assert family.ids is not None
    given = family.names or ("",) * len(family.ids)
    return [name or f"{NOUNS[family.group]} {id}" for name, id in zip(given, family.ids, strict=True)]


class Layout:
    """Makes all that is in a new file.

    samples, frames : datasets that grow with each, the times first
    """

    def __init__(
        self, file: h5py.File, model: Model, families: tuple[Family, ...], samples_expected: int, picture: Picture
    ) -> None:
        self._writer, self._time_unit = Hdf5Writer(file), unit(model.units, time=1)
        self._write_texts(model)
        self.samples = self._create_samples(families, samples_expected)
        self.frames = self._create_frames(picture)
        for name, columns in picture.tables.items():
            self._write_table(name, columns)

    def create_checkpoints(self, expected_bytes: int) -> None:
        """Two of them, of about so many bytes."""
        fewest, most = CHECKPOINT_CHUNK
        chunk = min(max(fewest, 1 << (expected_bytes // 16).bit_length()), most)
        for name, dataset in zip(CHECKPOINTS, self._writer.series(CHECKPOINTS, (), (chunk,), "u1"), strict=True):
            self._writer.scale(dataset, name.rpartition("/")[2])  # a dimension of its own, as netCDF wants one
            self._writer.text(dataset, "long_name", "where the run stood, for `gsolve resume`; the newer one counts")

    def finish(self) -> None:
        """Nothing more is to be made."""
        self._writer.finish()

    def _write_texts(self, model: Model) -> None:
        texts = {
            "deck": (model.deck_text, "the whole deck as read, includes resolved"),
            "messages": ("[]", "warnings about the deck and the run, and notes of the run, as JSON, once it is over"),
        }
        for name, (text, description) in texts.items():
            dataset = self._writer.values(name, np.array(text.encode(), dtype=h5py.string_dtype()))
            self._writer.text(dataset, "long_name", description)

    # ---- histories -------------------------------------------------------------------------------------------

    def _create_samples(self, families: tuple[Family, ...], expected: int) -> list[Series]:
        (time,) = self._create_series("", [Channel("time", self._time_unit, "time of the sample")], None, expected)
        self._writer.scale(time.dataset, "time")
        found = [time]
        for family in families:
            if family.ids is None or len(family.ids):
                found += self._create_family(family, time.dataset, expected)
                self._writer.link(f"{family.group}/time", "time")
        return found

    def _create_frames(self, picture: Picture) -> list[Series]:
        """Frames have times of their own, along a dimension of their own: with the name of another it could not be."""
        family, expected = picture.poses, picture.frames
        if family is None:
            return []
        axis = [Channel("frame", "1", "number of the frame"), Channel("time", self._time_unit, "time of the frame")]
        number, time = self._create_series(family.group, axis, None, expected)
        self._writer.scale(number.dataset, "frame")
        self._writer.attach([time.dataset], [number.dataset])
        return [time, number, *self._create_family(family, number.dataset, expected, ("time",))]

    def _create_family(
        self, family: Family, axis: Dataset, expected: int, coordinates: tuple[str, ...] = ()
    ) -> list[Series]:
        """The channels of a family along an axis; coordinates : further ones along that."""
        scales = [axis]
        if family.ids is not None:
            scales.append(self._create_labels(family))
            coordinates = (*coordinates, "name", *(label.name for label in family.labels))
        found = self._create_series(family.group, family.channels, family.ids, expected)
        self._writer.attach([series.dataset for series in found], scales)
        if coordinates:  # the labels beside the ids, as CF has it
            for series in found:
                self._writer.text(series.dataset, "coordinates", " ".join(coordinates))
        return found

    def _create_series(
        self, group: str, channels: Sequence[Channel], ids: NDArray[np.int64] | None, expected: int
    ) -> list[Series]:
        objects = None if ids is None else len(ids)
        row, chunk = () if objects is None else (objects,), chunk_shape(objects, expected)
        datasets = self._writer.series([f"{group}/{channel.name}" for channel in channels], row, chunk)
        for channel, dataset in zip(channels, datasets, strict=True):
            self._writer.text(dataset, "units", channel.unit)
            self._writer.text(dataset, "long_name", channel.description)
        of_all = zip(channels, datasets, strict=True)
        return [Series(group, channel.name, dataset, row, chunk) for channel, dataset in of_all]

    def _create_labels(self, family: Family) -> Dataset:
        """Datasets id (a dimension scale), name and further labels of a family of objects; returns id."""
        noun = NOUNS[family.group]
        ids = self._writer.values(f"{family.group}/id", np.asarray(family.ids, dtype=np.int64))
        self._writer.scale(ids, "id")
        self._writer.text(ids, "long_name", f"{noun} id")
        texts = [("name", object_names(family), f"{noun} name")]
        for name, values, description in (*texts, *((x.name, x.values, x.description) for x in family.labels)):
            kind = np.int64 if isinstance(values, np.ndarray) else h5py.string_dtype()
            dataset = self._writer.values(f"{family.group}/{name}", np.array(values, dtype=kind))
            self._writer.attach([dataset], [ids])
            self._writer.text(dataset, "long_name", description)
        return ids

    # ---- the machine -----------------------------------------------------------------------------------------

    def _write_table(self, name: str, columns: Mapping[str, Any]) -> None:
        """A table of /model, if it has rows."""
        declared = TABLES[name]
        rows = len(columns[declared[0].name])
        if not rows:
            return
        records = np.zeros(rows, np.dtype([_field(column) for column in declared]))
        for column in declared:
            records[column.name] = columns[column.name]
        dataset = self._writer.values(f"model/{name}", records)
        self._writer.scale(dataset, name)  # a dimension of its own, as netCDF wants one
        self._writer.text(
            dataset, "long_name", "; ".join(f"{column.name}: {column.description}" for column in declared)
        )


def _field(column: Column) -> tuple[str, Any, tuple[int, ...]]:
    return column.name, h5py.string_dtype() if column.kind == "O" else column.kind, column.shape
