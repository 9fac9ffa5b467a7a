"""What a new HDF5 file is made of, with the calls of HDF5 itself.

A result file of a small machine has more datasets and attributes than a short run has steps: h5py's comfort takes five
times as long to make them.  Dimension scales are those of H5DS and netCDF-4; that a scale lists who uses it is written
once, at the end, and not again with each user.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5d, h5ds, h5p, h5r, h5s, h5t
from numpy.typing import NDArray

Dataset = Any  # h5d.DatasetID
Texts = tuple[tuple[str, str], ...]  # attributes by name
Labels = str | tuple[str, ...] | tuple[int, ...]
REFERENCES, REFERENCE = h5py.vlen_dtype(h5py.ref_dtype), h5py.ref_dtype
TEXT = h5py.string_dtype()
USER = np.dtype([("dataset", REFERENCE), ("dimension", np.int32)])  # of a scale, as H5DS has it


class Hdf5Writer:
    """Makes groups, datasets, texts and scales in a file that is open.

    A dataset is known by its path.  All of it is made at once, so that its header is in one piece.
    """

    def __init__(self, file: h5py.File) -> None:
        self._file = file.id
        self._datasets: dict[str, Dataset] = {}
        self._text = h5t.py_create(TEXT, logical=True)
        self._scalar = h5s.create(h5s.SCALAR)
        self._links = h5p.create(h5p.LINK_CREATE)
        self._links.set_create_intermediate_group(True)
        self._links.set_char_encoding(h5t.CSET_UTF8)
        self._references = h5t.vlen_create(h5t.STD_REF_OBJ)
        self._users: dict[str, list[tuple[Dataset, int]]] = {}  # of each scale
        self._lists: dict[tuple[str, ...], NDArray[Any]] = {}  # of scales

    def series(
        self, path: str, row: tuple[int, ...], chunk: tuple[int, ...], texts: Texts, scales: tuple[str, ...], kind: str
    ) -> None:
        """A dataset that grows along its first axis, of rows of that shape; NaN where nothing was written."""
        self._create(path, *_growing(row, chunk, kind), texts)
        self._attach(path, scales)

    def place(self, path: str, shape: tuple[int, ...], kind: np.dtype[Any], texts: Texts) -> Dataset:
        """A dataset without values; texts have a type of h5py for them."""
        space = h5s.create_simple(shape) if shape else self._scalar
        return self._create(path, space, h5t.py_create(kind, logical=True), _options(), texts)

    def labels(self, path: str, values: Labels, kind: type, texts: Texts, scales: tuple[str, ...]) -> None:
        """A dataset of texts (str) or whole numbers (int)."""
        array = np.array(values, dtype=TEXT if kind is str else np.int64)
        dataset = self.place(path, array.shape, array.dtype, texts)
        if array.size:
            dataset.write(h5s.ALL, h5s.ALL, array)
        self._attach(path, scales)

    def scale(self, path: str, name: str) -> None:
        """Let a dataset be the scale of a dimension of that name."""
        h5ds.set_scale(self._datasets[path], name.encode())
        self._users[path] = []

    def link(self, path: str, item: str) -> None:
        """Another name of a dataset."""
        self._file.links.create_hard(path.encode(), self._file, item.encode(), lcpl=self._links)

    def finish(self) -> None:
        """Write down who uses each scale."""
        kind = h5t.py_create(USER, logical=True)
        for scale, users in self._users.items():
            if users:
                entries = np.array([(reference_of(dataset), dimension) for dataset, dimension in users], dtype=USER)
                space = h5s.create_simple(entries.shape)
                h5a.create(self._datasets[scale], b"REFERENCE_LIST", kind, space).write(entries)
        self._users.clear()

    def _create(self, path: str, space: Any, kind: Any, options: Any, texts: Texts) -> Dataset:
        dataset = h5d.create(self._file, path.encode(), kind, space, options, self._links)
        for name, text in texts:
            attribute = h5a.create(dataset, name.encode(), self._text, self._scalar)
            attribute.write(np.array(text.encode(), dtype=object))
        self._datasets[path] = dataset
        return dataset

    def _attach(self, path: str, scales: tuple[str, ...]) -> None:
        """Give each dimension of a dataset its scale."""
        if not scales:
            return
        dataset, space = self._datasets[path], h5s.create_simple((len(scales),))
        for dimension, scale in enumerate(scales):
            self._users[scale].append((dataset, dimension))
        h5a.create(dataset, b"DIMENSION_LIST", self._references, space).write(self._lists_of(scales))

    def _lists_of(self, scales: tuple[str, ...]) -> NDArray[Any]:
        """A list with one reference for each scale; datasets of a family share them."""
        if scales not in self._lists:
            lists = self._lists[scales] = np.empty(len(scales), dtype=REFERENCES)
            for dimension, scale in enumerate(scales):
                lists[dimension] = np.array([reference_of(self._datasets[scale])], dtype=REFERENCE)
        return self._lists[scales]


class RootAttributes:
    """Attributes of the root of a file that is open, texts and numbers; only what is new or has changed is written.

    values : what the file has
    """

    def __init__(self, file: h5py.File, values: Mapping[str, str | int | float] | None = None) -> None:
        self._file = file.id
        self._scalar = h5s.create(h5s.SCALAR)
        self._open: dict[str, Any] = {}
        self.values = {name: _array(value)[()] for name, value in (values or {}).items()}

    def set(self, attributes: Mapping[str, str | int | float]) -> None:
        """Set some, new ones and others."""
        for name, given in attributes.items():
            array = _array(given)
            value, before = array[()], self.values.get(name)
            if type(before) is type(value) and _is_equal(before, value):
                continue
            self._opened(name, before, array).write(array, _in_memory(array.dtype))
            self.values[name] = value

    def _opened(self, name: str, before: Any, array: NDArray[Any]) -> Any:
        """The attribute of a name, made where there is none of the type."""
        if before is not None and type(before) is not type(array[()]):
            self._open.pop(name, None)
            h5a.delete(self._file, name.encode())
            before = None
        if before is None:
            kind = h5t.py_create(array.dtype, logical=True)
            self._open[name] = h5a.create(self._file, name.encode(), kind, self._scalar)
        elif name not in self._open:
            self._open[name] = h5a.open(self._file, name.encode())
        return self._open[name]


def _array(value: str | int | float) -> NDArray[Any]:
    return np.asarray(_text(value), dtype=TEXT) if isinstance(value, str) else np.asarray(value)


def _text(value: str) -> str:
    """The text with what is none in it, as names of files may have it, in words; NUL would be its end in HDF5."""
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _is_equal(one: Any, other: Any) -> bool:
    """Bit for bit where they are numbers: NaN is equal to itself, and -0.0 is not 0.0."""
    return one == other if isinstance(one, str) else one.tobytes() == other.tobytes()


@cache
def _in_memory(kind: np.dtype[Any]) -> Any:
    """Type of values in memory as HDF5 has it, found once, since h5py takes long for records; each object is a text."""
    return h5t.py_create(kind)


@lru_cache(maxsize=64)
def _growing(row: tuple[int, ...], chunk: tuple[int, ...], kind: str) -> tuple[Any, Any, Any]:
    """Space, type and options of datasets that grow; those of a family share them."""
    options = _options()
    options.set_chunk(chunk)
    if kind == "f8":
        options.set_fill_value(np.array(np.nan))
    return h5s.create_simple((0, *row), (h5s.UNLIMITED, *row)), h5t.py_create(np.dtype(kind)), options


def _options() -> Any:
    options = h5p.create(h5p.DATASET_CREATE)
    options.set_obj_track_times(False)  # equal runs give equal bytes
    return options


def reference_of(dataset: Dataset) -> Any:
    """An object reference."""
    return h5r.create(dataset, b".", h5r.OBJECT)


def write_values(file: h5py.File, path: str, values: NDArray[Any]) -> None:
    """Write all values of a dataset; each object in them is a text."""
    h5d.open(file.id, path.encode()).write(h5s.ALL, h5s.ALL, values, _in_memory(values.dtype))


def append_rows(dataset: Dataset, first: int, rows: NDArray[Any]) -> None:
    """Write rows of numbers from row `first` on, with which the dataset ends then."""
    dataset.set_extent((first + len(rows), *rows.shape[1:]))
    if rows.size:
        dataset.write(*_places(first, rows.shape), np.ascontiguousarray(rows), _in_memory(rows.dtype))


@lru_cache(maxsize=64)
def _places(first: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """All rows in memory, and where they are in a file whose last ones they become; datasets of a family share them."""
    in_file = h5s.create_simple((first + shape[0], *shape[1:]))
    in_file.select_hyperslab((first, *[0] * (len(shape) - 1)), shape)
    return h5s.create_simple(shape), in_file
