"""Result files as xarray reads them, sooner than h5netcdf does by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from h5netcdf.dimensions import Dimension


@contextmanager
def lengths_found_once() -> Iterator[None]:
    """h5netcdf looks through all variables of a dimension each time it needs its length; nothing is written here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dimension, "size", property(cache(Dimension.size.fget)))
        yield
