"""What a new result file is made of before anything is known of its run, as the bytes of an empty file.

HDF5 takes long to make datasets and attributes, much longer than to open them, and runs of one kind of machine have the
same ones.  So a structure is written down first; the empty file is made of it in memory, by HDF5, once a process, and a
run begins with a copy of its bytes.  All that differs from run to run is written to that copy: an empty file holds
nothing of the run that it was made for.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import h5py
import numpy as np

from ..core.known import Known
from .hdf5_writer import Hdf5Writer, Labels, RootAttributes, Texts

EMPTY_FILES = Known[bytes](16 << 20, len)


class Structure:
    """Groups, datasets, their texts and scales: each method is one of `Hdf5Writer`, which is called later.

    A dataset is known by its path; it has texts as attributes, by name, and a scale for each of its dimensions.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Any, ...]] = []

    def series(
        self, path: str, row: tuple[int, ...], chunk: tuple[int, ...], texts: Texts,
        scales: tuple[str, ...] = (), kind: str = "f8",
    ) -> None:  # fmt: skip
        """A dataset that grows along its first axis, of rows of that shape."""
        self._parts.append(("series", path, row, chunk, texts, scales, kind))

    def place(self, path: str, shape: tuple[int, ...], kind: np.dtype[Any], texts: Texts) -> None:
        """A dataset of values that differ from run to run; each object in them is a text."""
        self._parts.append(("place", path, shape, kind, texts))

    def labels(self, path: str, values: Labels, kind: type, texts: Texts, scales: tuple[str, ...] = ()) -> None:
        """A dataset of texts (str) or whole numbers (int), the same in all runs."""
        self._parts.append(("labels", path, values, kind, texts, scales))

    def scale(self, path: str, name: str) -> None:
        """Let a dataset be the scale of a dimension of that name."""
        self._parts.append(("scale", path, name))

    def link(self, path: str, item: str) -> None:
        """Another name of a dataset."""
        self._parts.append(("link", path, item))

    def empty_file(self, attributes: Mapping[str, Any]) -> bytes:
        """A file of this structure with root attributes of these names and types, all of them `blank`."""
        kinds = tuple((name, type(value)) for name, value in attributes.items())
        return EMPTY_FILES.get((kinds, *self._parts), lambda: self._made(attributes))

    def _made(self, attributes: Mapping[str, Any]) -> bytes:
        memory = BytesIO()
        with h5py.File(memory, "w") as file:
            RootAttributes(file).set(blank(attributes))
            writer = Hdf5Writer(file)
            for method, *arguments in self._parts:
                getattr(writer, method)(*arguments)
            writer.finish()
        return memory.getvalue()


def blank(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of the same names and types: 0, or a text without letters."""
    return {name: type(value)() for name, value in attributes.items()}
