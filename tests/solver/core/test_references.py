"""A reference to a tuple has the members of the tuple."""

from typing import NamedTuple

import numpy as np
from gsolve.solver.core.jit.pointers import KernelPointer
from gsolve.solver.core.jit.references import TupleReference, reference_to
from gsolve.solver.core.jit.uncounted import uncounted
from numba import njit, typeof, types


class Inner(NamedTuple):
    table: np.ndarray


class Arrays(NamedTuple):
    first: np.ndarray
    inner: Inner
    factor: float
    nothing: None


class Kernels(NamedTuple):
    scale: KernelPointer


@njit
def scale(arrays, k):
    arrays.first[k] *= arrays.factor
    if arrays.nothing is not None:
        return -1.0
    return arrays.first[k] + arrays.inner.table[k, 0]


@njit
def through_pointer(arrays, kernels):
    reference = reference_to(uncounted(arrays))
    return kernels.scale(reference, 0) + scale(reference, 1)


@njit
def is_none(value):
    return reference_to(value) is None


def test_kernels_read_and_write_the_members():
    arrays = Arrays(np.array([1.0, 2.0]), Inner(np.array([[10.0], [20.0]])), 3.0, None)
    pointer = KernelPointer(scale, types.float64, TupleReference(typeof(arrays)), types.int64)
    assert through_pointer(arrays, Kernels(pointer)) == 3.0 + 10.0 + 6.0 + 20.0
    assert arrays.first.tolist() == [3.0, 6.0]


def test_what_is_not_there_stays_none():
    assert is_none(None)
