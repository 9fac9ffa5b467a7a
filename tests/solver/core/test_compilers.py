"""How kernels are compiled: indices are unsigned, whatever integers they are; nobody counts references."""

import math
import operator

import numpy as np
import pytest
from gsolve.solver.core.jit.compilers import remember_sizes, remember_types
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.core.jit.passes import holds_counted_array, unsigned
from gsolve.solver.core.jit.pointers import Pointer, function_type
from llvmlite import ir
from llvmlite.binding import Linkage
from numba import njit, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys

POINT = np.dtype([("next", "i8"), ("place", "f8", 3)])


def follow(points, k, c):
    return points[points[k].next].place[c]


def store(values, k, c, value):
    values[k, c] = value
    values[k, c] += values[c, k]


def code_of(compiled):
    """LLVM's code of a function that is compiled for arguments of one kind."""
    (text,) = compiled.inspect_llvm().values()
    assert "define" in text
    return text


POINTS, VALUES = np.zeros(3, POINT), np.zeros((3, 3))


@pytest.mark.parametrize(("function", "arguments"), [(follow, (POINTS, 1, 2)), (store, (VALUES, 1, 2, 3.0))])
def test_no_index_is_looked_at_for_its_sign(function, arguments, tmp_path, monkeypatch):
    """What numba makes of it otherwise adds the length of the array to an index below 0."""
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))  # code that is there already cannot be inspected
    made, usual = kernel(function), njit(function)
    made(*arguments)
    usual(*arguments)
    assert "select i1" not in code_of(made._dispatcher("nested"))
    assert "select i1" in code_of(usual)


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


def add_first(values, k):
    values[k] += values[0]
    return 1


def test_what_only_kernels_call_counts_no_references(tmp_path, monkeypatch):
    """Called from Python, a kernel holds what it was given."""
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))
    pointer = Pointer(kernel(add_first), function_type(types.Array(types.float64, 1, "C"), types.int64))
    assert pointer.address
    assert "NRT_" not in pointer._compiled._library.get_llvm_str()
    made = kernel(add_first)
    made(np.ones(3), 1)
    assert "NRT_" in code_of(made._dispatcher("python"))


def sum_between(values, weights, first, last):
    """Too long to be taken into its callers."""
    total = 0.0
    for k in range(first, last):
        total += math.sqrt(values[k]) * weights[k] + math.sin(values[k]) / math.cos(weights[k])
        for m in range(first, k):
            total -= math.sqrt(weights[m]) * values[m] + math.exp(-values[m]) * math.log(weights[m])
            for n in range(first, m):
                total += math.sqrt(weights[n] * values[m]) + math.atan2(values[n], values[m])
                if weights[n] < values[m]:
                    total *= math.sinh(weights[n]) + math.tanh(values[n] * weights[k])
    for k in range(first, last):
        total /= 1.0 + math.cosh(values[k]) + math.asin(1.0 / weights[k]) * math.acos(1.0 / values[k])
    return total


def test_a_kernel_within_one_behind_an_address_is_called_by_nothing_else(tmp_path, monkeypatch):
    """Its arguments may be others there: what has its name elsewhere is not to be linked to it."""
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))
    inner = kernel(sum_between)

    def of_both(values, weights):
        values[0] = inner(values, weights, 0, 4) + inner(weights, values, 0, 4)
        values[1] = inner(weights, weights, 0, 4)
        return 1

    array = types.Array(types.float64, 1, "C")
    pointer = Pointer(kernel(of_both), function_type(array, array))
    assert pointer.address
    made = [function for function in pointer._compiled._library._final_module.functions if not function.is_declaration]
    named = [function.name for function in made if function.linkage != Linkage.private]
    assert len(made) > len(named)
    assert all("of_both" in name for name in named)
    values, weights = np.arange(1.0, 6.0), np.array([1.0, 4.0, 9.0, 16.0, 25.0])
    assert inner(values, weights, 1, 3) == sum_between(values, weights, 1, 3)


def row_of(values, k):
    return values[k]


def test_a_kernel_for_kernels_returns_no_array_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))
    taken = kernel(row_of)

    def first_of_row(values, k):
        return taken(values, k)[0]

    with pytest.raises(AssertionError, match="row_of returns an array"):
        kernel(first_of_row)(VALUES, 1)


def filled(values, k):
    row = np.empty(3)
    row[:] = values[k]
    return row


def test_a_kernel_for_kernels_that_makes_arrays_counts_them(tmp_path, monkeypatch):
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path))
    taken = kernel(filled)

    def first_of_filled(values, k):
        return taken(values, k)[0] + taken(values, k)[2]

    compiled, values = kernel(first_of_filled), np.arange(9.0).reshape(3, 3)
    compiled(values, 1)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        assert compiled(values, 1) == values[1, 0] + values[1, 2]
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free >= 1


def test_arrays_are_found_in_tuples_and_fields_of_records_are_none_of_their_own():
    array, field = types.Array(types.float64, 1, "C"), types.NestedArray(types.float64, (3,))
    assert holds_counted_array(types.Tuple([types.int64, types.UniTuple(array, 2)]))
    assert not holds_counted_array(types.Tuple([types.int64, field]))


def test_types_are_remembered_as_they_are_found():
    context = cpu_target.typing_context
    remember_types()
    add, mixed, whole = context.resolve_value_type(operator.add), (types.int64, types.float64), (types.int64,) * 2
    found = add.get_call_type(context, mixed, {})
    assert add.get_call_type(context, mixed, {}) is found
    assert found.return_type == types.float64
    assert add.get_call_type(context, whole, {}).return_type == types.int64
    with pytest.raises(TypingError):
        add.get_call_type(context, (types.int64, types.none), {})


def set_ends(values, k, choice):
    values[0, k] = 1.0
    values[2][1] += values[0][0] + values[0, k]
    return values[1][2] if choice is None else choice


def test_sizes_are_remembered_by_what_a_type_is_and_never_by_its_name():
    remember_sizes()
    size_of = cpu_target.target_context.get_abi_sizeof
    byte, word = ir.IntType(8), ir.IntType(64)
    for _ in range(2):
        assert [size_of(kind) for kind in (word, ir.ArrayType(word, 3), ir.LiteralStructType([byte, word]))] == [
            8,
            24,
            16,
        ]
    named = ir.global_context.get_identified_type("pair")
    for members in ([byte], [word, word]):
        named.elements = None
        named.set_body(*members)
        assert size_of(named) == sum(member.width for member in members) // 8


def test_numbers_index_as_variables_do_and_branches_on_none_are_decided_by_types():
    """A branch that nobody can take is not compiled: no number is None, and None is no number."""
    values = np.arange(9.0).reshape(3, 3)
    assert kernel(set_ends)(values, 1, None) == 5.0
    assert kernel(set_ends)(values, 1, 7.0) == 7.0
    expected = np.arange(9.0).reshape(3, 3)
    for _ in range(2):
        set_ends(expected, 1, None)
    assert np.array_equal(values, expected)
