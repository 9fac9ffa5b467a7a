"""What a new HDF5 file is made of, with the calls of HDF5 itself.

A result file of a small machine has more datasets and attributes than a short run has steps: h5py's comfort takes five
times as long to make them.  Dimension scales are those of H5DS and netCDF-4; that a scale lists who uses it is written
once, at the end, and not again with each user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5d, h5ds, h5p, h5r, h5s, h5t
from numpy.typing import NDArray

Dataset = Any  # h5d.DatasetID
REFERENCES, REFERENCE = h5py.vlen_dtype(h5py.ref_dtype), h5py.ref_dtype
TEXT = h5py.string_dtype()
USER = np.dtype([("dataset", REFERENCE), ("dimension", np.int32)])  # of a scale, as H5DS has it


class Hdf5Writer:
    """Makes groups, datasets, texts and scales in a file that is open."""

    def __init__(self, file: h5py.File) -> None:
        self._file = file.id
        self._text = h5t.py_create(TEXT, logical=True)
        self._scalar = h5s.create(h5s.SCALAR)
        self._links = h5p.create(h5p.LINK_CREATE)
        self._links.set_create_intermediate_group(True)
        self._links.set_char_encoding(h5t.CSET_UTF8)
        self._references = h5t.vlen_create(h5t.STD_REF_OBJ)
        self._users: dict[int, tuple[Dataset, list[tuple[Dataset, int]]]] = {}  # by the number of the scale

    def series(
        self, paths: Sequence[str], row: tuple[int, ...], chunk: tuple[int, ...], kind: str = "f8"
    ) -> list[Dataset]:
        """Datasets that grow along their first axis, of rows of that shape; NaN where nothing was written."""
        options = _options()
        options.set_chunk(chunk)
        if kind == "f8":
            options.set_fill_value(np.array(np.nan))
        space, type_of = h5s.create_simple((0, *row), (h5s.UNLIMITED, *row)), h5t.py_create(np.dtype(kind))
        return [self._create(path, space, type_of, options) for path in paths]

    def values(self, path: str, values: NDArray[Any]) -> Dataset:
        """A dataset with its values; texts have a type of h5py for them."""
        space = h5s.create_simple(values.shape) if values.shape else self._scalar
        dataset = self._create(path, space, h5t.py_create(values.dtype, logical=True), _options())
        if values.size:
            dataset.write(h5s.ALL, h5s.ALL, values)
        return dataset

    def text(self, item: Any, name: str, text: str) -> None:
        """A text as an attribute of an object."""
        attribute = h5a.create(item, name.encode(), self._text, self._scalar)
        attribute.write(np.array(text.encode(), dtype=object))

    def link(self, path: str, item: str) -> None:
        """Another name of a dataset."""
        self._file.links.create_hard(path.encode(), self._file, item.encode(), lcpl=self._links)

    def scale(self, dataset: Dataset, name: str) -> None:
        """Let a dataset be the scale of a dimension of that name."""
        h5ds.set_scale(dataset, name.encode())
        self._users[dataset.id] = dataset, []

    def attach(self, datasets: Sequence[Dataset], scales: Sequence[Dataset]) -> None:
        """Give each dimension of some datasets its scale."""
        found, space = np.empty(len(scales), dtype=REFERENCES), h5s.create_simple((len(scales),))
        for dimension, scale in enumerate(scales):
            found[dimension] = np.array([reference_of(scale)], dtype=REFERENCE)
            self._users[scale.id][1].extend((dataset, dimension) for dataset in datasets)
        for dataset in datasets:
            h5a.create(dataset, b"DIMENSION_LIST", self._references, space).write(found)

    def finish(self) -> None:
        """Write down who uses each scale."""
        kind = h5t.py_create(USER, logical=True)
        for scale, users in self._users.values():
            if users:
                entries = np.array([(reference_of(dataset), dimension) for dataset, dimension in users], dtype=USER)
                attribute = h5a.create(scale, b"REFERENCE_LIST", kind, h5s.create_simple(entries.shape))
                attribute.write(entries)
        self._users.clear()

    def _create(self, path: str, space: Any, kind: Any, options: Any) -> Dataset:
        return h5d.create(self._file, path.encode(), kind, space, options, self._links)


class RootAttributes:
    """Attributes of the root of a file that is open, texts and numbers; only what is new or has changed is written.

    values : what the file has
    """

    def __init__(self, file: h5py.File) -> None:
        self._file = file.id
        self._scalar = h5s.create(h5s.SCALAR)
        self._open: dict[str, tuple[Any, np.dtype[Any]]] = {}
        self.values: dict[str, Any] = {}

    def set(self, attributes: Mapping[str, str | int | float]) -> None:
        """Set some, new ones and others."""
        for name, given in attributes.items():
            value = np.asarray(_text(given), dtype=TEXT) if isinstance(given, str) else np.asarray(given)
            if name in self._open and self._open[name][1] != value.dtype:
                h5a.delete(self._file, name.encode())
                del self._open[name]
            elif name in self._open and _is_equal(self.values[name], value[()]):
                continue
            if name not in self._open:
                kind = h5t.py_create(value.dtype, logical=True)
                self._open[name] = h5a.create(self._file, name.encode(), kind, self._scalar), value.dtype
            self._open[name][0].write(value)
            self.values[name] = value[()]


def _text(value: str) -> str:
    """The text with what is none in it, as names of files may have it, in words."""
    return value.encode("utf-8", "backslashreplace").decode()


def _is_equal(one: Any, other: Any) -> bool:
    """Bit for bit where they are numbers: NaN is equal to itself, and -0.0 is not 0.0."""
    return one == other if isinstance(one, str) else one.tobytes() == other.tobytes()


def _options() -> Any:
    options = h5p.create(h5p.DATASET_CREATE)
    options.set_obj_track_times(False)  # equal runs give equal bytes
    return options


def reference_of(dataset: Dataset) -> Any:
    """An object reference."""
    return h5r.create(dataset, b".", h5r.OBJECT)


def append_rows(dataset: Dataset, first: int, rows: NDArray[Any]) -> None:
    """Write rows from row `first` on, to which the dataset grows."""
    rows = np.ascontiguousarray(rows)
    dataset.set_extent((first + len(rows), *rows.shape[1:]))
    if rows.size:
        space = dataset.get_space()
        space.select_hyperslab((first, *[0] * (rows.ndim - 1)), rows.shape)
        dataset.write(h5s.create_simple(rows.shape), space, rows)
