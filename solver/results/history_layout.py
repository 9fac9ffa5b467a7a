"""What a result file has before the first sample: its groups and datasets, their texts, and the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from math import ceil, prod
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ..core.channels import Channel, Family, Label
from ..core.unit_names import unit
from .file_structure import Structure
from .hdf5_writer import write_values
from .machine_tables import TABLES, Column

if TYPE_CHECKING:
    from gsolve.parser.model import Model

Attributes = Mapping[str, str | int | float]

WHILE_RUNNING = {"status": "running", "message": ""}  # attributes that say how a run ended

CHUNK_VALUES = 65536  # 512 KiB of float64: one read for a scalar, few for one object of a large family
CHUNK_SAMPLES = (32, 1024)  # fewest and most samples in a chunk
CHECKPOINTS = ("checkpoint/odd", "checkpoint/even")  # by the number
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
    row: tuple[int, ...]
    chunk: tuple[int, ...]

    @property
    def path(self) -> str:
        """In the file."""
        return f"{self.group}/{self.channel}" if self.group else self.channel


def bytes_on_disk(shape: tuple[int, ...], chunk: tuple[int, ...]) -> int:
    """Bound of what a dataset of numbers takes (HDF5 allocates whole chunks)."""
    chunks = prod(ceil(size / side) for size, side in zip(shape, chunk, strict=True))
    return METADATA_BYTES_TABLE + chunks * (8 * prod(chunk) + METADATA_BYTES_CHUNK)


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
        **WHILE_RUNNING,
    }


def object_names(family: Family) -> list[str]:
    """What the objects of a family are called."""
    assert family.ids is not None
    given = family.names or ("",) * len(family.ids)
    return [name or f"{NOUNS[family.group]} {id}" for name, id in zip(given, family.ids, strict=True)]


class Layout:
    """All that is in a new file.

    structure : of the file
    samples, frames : datasets that grow with each, the times first
    checkpoints : two that are written in turn, so that one of them is always whole; none if there will be none
    """

    def __init__(self, model: Model, families: tuple[Family, ...], samples_expected: int, picture: Picture) -> None:
        self.structure, self._time_unit = Structure(), unit(model.units, time=1)
        self._values: dict[str, NDArray[Any]] = {}
        self._describe_texts(model)
        self.samples = self._samples(families, samples_expected)
        self.frames = self._frames(picture)
        self.checkpoints: list[Series] = []
        for name, columns in picture.tables.items():
            self._describe_table(name, columns)

    def add_checkpoints(self, expected_bytes: int) -> None:
        """Two of them, of about so many bytes."""
        fewest, most = CHECKPOINT_CHUNK
        chunk = min(max(fewest, 1 << (expected_bytes // 16).bit_length()), most)
        about = ("long_name", "where the run stood, for `gsolve resume`; the newer one counts")
        for path in CHECKPOINTS:
            group, _, name = path.rpartition("/")
            self.structure.series(path, (), (chunk,), (about,), kind="u1")
            self.structure.scale(path, name)  # a dimension of its own, as netCDF wants one
            self.checkpoints.append(Series(group, name, (), (chunk,)))

    def write_values(self, file: h5py.File) -> None:
        """Write what the file has besides its structure and what grows."""
        for path, values in self._values.items():
            write_values(file, path, values)

    def _describe_texts(self, model: Model) -> None:
        deck = np.array(model.deck_text.encode(), dtype=h5py.string_dtype())
        self._place("deck", deck, "the whole deck as read, includes resolved")
        about = "warnings about the deck and the run, and notes of the run, as JSON, once it is over"
        self.structure.labels("messages", "[]", str, (("long_name", about),))

    def _place(self, path: str, values: NDArray[Any], about: str) -> None:
        self.structure.place(path, values.shape, values.dtype, (("long_name", about),))
        self._values[path] = values

    # ---- histories -------------------------------------------------------------------------------------------

    def _samples(self, families: tuple[Family, ...], expected: int) -> list[Series]:
        found = self._series("", [Channel("time", self._time_unit, "time of the sample")], None, expected)
        self.structure.scale("time", "time")
        for family in families:
            if family.ids is None or len(family.ids):
                found += self._family(family, "time", expected)
                self.structure.link(f"{family.group}/time", "time")
        return found

    def _frames(self, picture: Picture) -> list[Series]:
        """Frames have times of their own, along a dimension of their own: with the name of another it could not be."""
        family, expected = picture.poses, picture.frames
        if family is None:
            return []
        axis = [Channel("frame", "1", "number of the frame"), Channel("time", self._time_unit, "time of the frame")]
        (number,) = self._series(family.group, axis[:1], None, expected)
        self.structure.scale(number.path, "frame")
        (time,) = self._series(family.group, axis[1:], None, expected, (number.path,))
        return [time, number, *self._family(family, number.path, expected, "time")]

    def _family(self, family: Family, axis: str, expected: int, *coordinates: str) -> list[Series]:
        """The channels of a family along an axis; coordinates : further ones along that."""
        if family.ids is None:
            return self._series(family.group, family.channels, None, expected, (axis,), coordinates)
        scales = axis, self._describe_labels(family)
        coordinates = (*coordinates, "name", *(label.name for label in family.labels))  # beside the ids, as CF has it
        return self._series(family.group, family.channels, len(family.ids), expected, scales, coordinates)

    def _series(
        self, group: str, channels: Sequence[Channel], objects: int | None, expected: int,
        scales: tuple[str, ...] = (), coordinates: tuple[str, ...] = (),
    ) -> list[Series]:  # fmt: skip
        row, chunk = () if objects is None else (objects,), chunk_shape(objects, expected)
        found = [Series(group, channel.name, row, chunk) for channel in channels]
        further = (("coordinates", " ".join(coordinates)),) if coordinates else ()
        for channel, series in zip(channels, found, strict=True):
            texts = (("units", channel.unit), ("long_name", channel.description), *further)
            self.structure.series(series.path, row, chunk, texts, scales)
        return found

    def _describe_labels(self, family: Family) -> str:
        """Datasets id (a dimension scale), name and further labels of a family of objects; returns the path of id."""
        noun, path = NOUNS[family.group], f"{family.group}/id"
        ids = tuple(map(int, family.ids if family.ids is not None else ()))
        self.structure.labels(path, ids, int, (("long_name", f"{noun} id"),))
        self.structure.scale(path, "id")
        names = Label("name", tuple(object_names(family)), f"{noun} name")
        for label in (names, *family.labels):
            given, about = label.values, (("long_name", label.description),)
            values, kind = (tuple(given.tolist()), int) if isinstance(given, np.ndarray) else (given, str)
            self.structure.labels(f"{family.group}/{label.name}", values, kind, about, (path,))
        return path

    # ---- the machine -----------------------------------------------------------------------------------------

    def _describe_table(self, name: str, columns: Mapping[str, Any]) -> None:
        """A table of /model, if it has rows."""
        declared = TABLES[name]
        rows = len(columns[declared[0].name])
        if not rows:
            return
        records = np.zeros(rows, _record(name))
        for column in declared:
            records[column.name] = columns[column.name]
        about = "; ".join(f"{column.name}: {column.description}" for column in declared)
        self._place(f"model/{name}", records, about)
        self.structure.scale(f"model/{name}", name)  # a dimension of its own, as netCDF wants one


@cache
def _record(table: str) -> np.dtype[Any]:
    """Type of a row."""
    return np.dtype([_field(column) for column in TABLES[table]])


def _field(column: Column) -> tuple[str, Any, tuple[int, ...]]:
    return column.name, h5py.string_dtype() if column.kind == "O" else column.kind, column.shape
