"""Arrays without counted references are the same arrays, and nothing of them is leaked or freed."""

import sys
from typing import NamedTuple

import numpy as np
from gsolve.solver.core.jit.uncounted import uncounted
from numba import njit


class Arrays(NamedTuple):
    first: np.ndarray
    pair: tuple
    none: None


@njit
def doubled(arrays):
    """Doubles each array in place, the end of the first one twice; the sum of all."""
    arrays = uncounted(arrays)
    rest = arrays.first[1:]
    arrays.first[:] *= 2.0
    arrays.pair[0][:] *= 2.0
    rest[:] *= 2.0
    return arrays.first.sum() + arrays.pair[0].sum()


@njit
def same_place(array):
    """Whether an array and the one without counts have the same place and shape."""
    free = uncounted(array)
    return array.ctypes.data == free.ctypes.data, free.shape == array.shape


def test_the_same_memory_is_read_and_written():
    arrays = Arrays(np.array([1.0, 2.0]), (np.array([[3.0]]), 4), None)
    assert doubled(arrays) == 2.0 + 8.0 + 6.0
    assert arrays.first.tolist() == [2.0, 8.0]
    assert arrays.pair[0].tolist() == [[6.0]]
    assert same_place(arrays.first) == (True, True)


def test_references_of_the_caller_are_left_as_they_were():
    array = np.arange(10.0)
    arrays = Arrays(array, (array, 0), None)
    doubled(arrays)
    before = sys.getrefcount(array)
    for _ in range(100):
        doubled(arrays)
    assert sys.getrefcount(array) == before
