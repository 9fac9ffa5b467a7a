"""A reference to a tuple has the members of the tuple, and a type that does not depend on what they hold."""

from typing import NamedTuple

import numpy as np
import pytest
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.core.jit.references import Reference, kept_references, reference_to, reference_type

PAIR = np.dtype([("value", "f8"), ("axis", "f8", 3)], align=True)


class Inner(NamedTuple):
    table: np.ndarray


class Arrays(NamedTuple):
    first: np.ndarray
    inner: Inner
    record: np.void
    factor: float
    count: int


def arrays(n: int = 2) -> Arrays:
    records = np.zeros(max(n, 1), PAIR)
    records["axis"] = np.arange(3.0 * len(records)).reshape(-1, 3)
    table = np.arange(2.0 * n).reshape(n, 2)
    return Arrays(np.arange(1.0, n + 1), Inner(table), records[0], -2.5, n - 7)


@kernel
def read(reference, k):
    inner = reference.inner
    return (reference.first[k], inner.table[k, 1], reference.record.axis[1],
            reference.factor, reference.count, len(reference.first))  # fmt: skip


@kernel
def write(reference, value):
    reference.first[0] = value
    reference.inner.table[1, 0] = value
    reference.record.value = value


def test_kernels_read_the_members():
    assert read(Reference(arrays()), 1) == (2.0, 3.0, 1.0, -2.5, -5, 2)


def test_kernels_write_into_the_arrays_themselves():
    of = arrays()
    write(Reference(of), 9.0)
    assert (of.first[0], of.inner.table[1, 0], of.record["value"]) == (9.0, 9.0, 9.0)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_type_does_not_depend_on_lengths(n):
    assert Reference(arrays(n)).kind == reference_type(arrays(2))


def test_arrays_must_be_contiguous():
    records = np.zeros(3, PAIR)
    with pytest.raises(TypeError, match="not C-contiguous"):
        Reference(Inner(records["axis"][:, 1:]))


def test_what_kernels_cannot_refer_to_is_refused():
    with pytest.raises(TypeError, match="cannot refer to str"):
        Reference(Inner("text"))


def test_references_that_are_kept_are_made_once():
    one, other = arrays(), arrays()
    assert reference_to(one) is not reference_to(one)
    with kept_references():
        found = reference_to(one)
        with kept_references():
            assert reference_to(one) is found
        assert reference_to(one) is found and reference_to(other) is not found
        assert reference_to(other).value is other
    assert reference_to(one) is not found


def test_tuples_that_share_members_have_the_words_of_their_own_members():
    one = arrays()
    changed = one._replace(**{Arrays._fields[0]: np.arange(3.0, 8.0)})
    alone = [Reference(each).words.tolist() for each in (one, changed)]
    assert alone[0] != alone[1]
    with kept_references():
        assert [Reference(each).words.tolist() for each in (one, changed, one)] == [*alone, alone[0]]
