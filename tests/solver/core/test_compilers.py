"""How kernels are compiled: indices are unsigned, whatever integers they are."""

import numpy as np
import pytest
from gsolve.solver.core.jit.compilers import unsigned
from gsolve.solver.core.jit.kernels import kernel
from numba import njit, types

POINT = np.dtype([("next", "i8"), ("place", "f8", 3)])


def follow(points, k, c):
    return points[points[k].next].place[c]


def store(values, k, c, value):
    values[k, c] = value
    values[k, c] += values[c, k]


def code_of(compiled, *arguments):
    """LLVM's code of a function, before it is optimised."""
    compiled(*arguments)
    (text,) = compiled.inspect_llvm().values()
    assert "define" in text
    return text


POINTS, VALUES = np.zeros(3, POINT), np.zeros((3, 3))


@pytest.mark.parametrize(("function", "arguments"), [(follow, (POINTS, 1, 2)), (store, (VALUES, 1, 2, 3.0))])
def test_no_index_is_looked_at_for_its_sign(function, arguments, tmp_path, monkeypatch):
    """What numba makes of it otherwise adds the length of the array to an index below 0."""
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))  # code that is there already cannot be inspected
    made = kernel(function)
    mine = code_of(made._dispatcher("python"), *arguments)
    assert "select i1" not in mine
    assert "select i1" in code_of(njit(function), *arguments)


def test_kernels_index_as_numpy_does():
    points = np.zeros(3, POINT)
    points["next"], points["place"] = [2, 0, 1], np.arange(9.0).reshape(3, 3)
    assert [kernel(follow)(points, k, 1) for k in range(3)] == [7.0, 1.0, 4.0]
    values = np.arange(9.0).reshape(3, 3)
    kernel(store)(values, 1, 2, 10.0)
    assert values[1, 2] == 10.0 + 7.0


def test_only_integers_of_an_index_lose_their_sign():
    assert unsigned(types.int32) == types.uintp
    assert unsigned(types.UniTuple(types.int64, 2)) == types.UniTuple(types.uintp, 2)
    assert unsigned(types.Tuple([types.slice2_type, types.int64])) == types.Tuple([types.slice2_type, types.uintp])
    assert unsigned(types.slice3_type) == types.slice3_type
