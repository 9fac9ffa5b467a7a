"""Kernels called by address: declared types, statuses, and what happens where one dies."""

from typing import NamedTuple

import numpy as np
import pytest
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.core.jit.pointers import DIED, Pointer, call, function_type
from gsolve.solver.core.jit.references import Reference, reference_type
from numba import types
from numba.core.errors import TypingError

KERNELS = np.dtype([("scale", "i8")])


class Arrays(NamedTuple):
    values: np.ndarray
    kernels: np.void


def arrays() -> Arrays:
    return Arrays(np.array([1.0, 2.0, 4.0]), np.zeros(1, KERNELS)[0])


ON_ITEM = function_type(reference_type(arrays()), types.int64, types.float64)


@kernel
def scale(of, k, factor):
    of.values[k] *= factor
    return 1


@kernel
def scale_all(of, first, factor):
    for k in range(first, len(of.values)):
        status = call(of.kernels.scale, ON_ITEM, of, k, factor)
        if status != 1:
            return status
    return 1


@kernel
def die(of, k, factor):
    if factor > 0.0:
        raise ValueError("a kernel that dies")
    return 1


@kernel
def divide(of, k, factor):
    of.values[k] = 1.0 / factor
    return 1


@kernel
def call_with_a_float(of, k, factor):
    return call(of.kernels.scale, ON_ITEM, of, factor, factor)


def test_a_kernel_calls_another_one_by_its_address():
    of = arrays()
    of.kernels["scale"] = Pointer(scale, ON_ITEM).address
    assert Pointer(scale_all, ON_ITEM).entry()(Reference(of).address, 1, 3.0) == 1
    assert of.values.tolist() == [1.0, 6.0, 12.0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # numba says it on the error stream
def test_a_kernel_that_dies_gives_back_no_status():
    of = arrays()
    of.kernels["scale"] = Pointer(die, ON_ITEM).address
    assert Pointer(scale_all, ON_ITEM).entry()(Reference(of).address, 0, 3.0) == DIED


def test_a_kernel_that_was_never_compiled_gives_back_no_status():
    assert Pointer(scale_all, ON_ITEM).entry()(Reference(arrays()).address, 0, 3.0) == DIED


def test_division_by_zero_follows_ieee():
    """It raised an exception that nobody saw: the caller went on with 0."""
    of = arrays()
    assert Pointer(divide, ON_ITEM).entry()(Reference(of).address, 0, 0.0) == 1
    assert of.values[0] == np.inf


def test_arguments_of_other_types_than_declared_are_refused_when_it_is_compiled():
    with pytest.raises(TypingError, match="argument 1 of a kernel is float64, declared as int64"):
        Pointer(call_with_a_float, ON_ITEM).address  # noqa: B018
