"""Histories as NumPy arrays that know what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.channels import Channel


class History(np.ndarray[Any, np.dtype[np.float64]]):
    """Values over time of one variable: an array that cannot be written to, and what it is.

    What is computed from it is an ordinary array. name, units, description are "" where nothing is known.
    """

    name: str
    units: str
    description: str

    def __new__(cls, values: NDArray[np.float64], channel: Channel) -> History:
        """(nt,) or (nt, n) values of a channel."""
        self = np.asarray(values, dtype=np.float64).view(cls)
        self.name, self.units, self.description = channel.name, channel.unit, channel.description
        self.flags.writeable = False
        return self

    def __array_finalize__(self, _origin: object) -> None:
        self.name = self.units = self.description = ""

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(part, History):
            part.name, part.units, part.description = self.name, self.units, self.description
        return part

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(value) if isinstance(value, History) else value for value in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> tuple[Any, ...]:
        return History, (np.asarray(self), Channel(self.name, self.units, self.description))

    def __repr__(self) -> str:
        label = f"{self.name} [{self.units}]: {self.description}\n" if self.name else ""
        return label + repr(np.asarray(self))
