"""Records that fill whole lines of the cache."""

import numpy as np
import pytest
from gsolve.solver.contact.records import FRAME, MOVE
from gsolve.solver.core.bodies import BODY, LINE, in_lines, new_bodies, zeros_in_lines
from gsolve.solver.geometry.broad_phase import MEMBER


def test_a_type_in_lines_keeps_its_fields_and_is_filled_up():
    narrow = np.dtype([("a", "i4"), ("b", "f8", 3), ("c", "i4", 2)], align=True)
    wide = in_lines(narrow)
    assert (narrow.itemsize, wide.itemsize) == (40, LINE)
    assert {name: wide.fields[name] for name in wide.names} == {name: narrow.fields[name] for name in narrow.names}
    assert wide.isalignedstruct
    assert in_lines(wide).itemsize == LINE


@pytest.mark.parametrize("record", [BODY, FRAME, MOVE, MEMBER], ids=["body", "frame", "move", "member"])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_records_in_lines_start_at_a_line_each_and_are_empty(record, n):
    records = zeros_in_lines(n, record)
    assert len(records) == n and records.dtype == record and record.itemsize % LINE == 0
    assert n == 0 or records.ctypes.data % LINE == 0
    assert not records.tobytes().strip(b"\0")
    assert records.flags.c_contiguous and records.flags.writeable


def test_bodies_start_where_they_were_built():
    bodies = new_bodies(2)
    assert bodies.ctypes.data % LINE == 0
    np.testing.assert_array_equal(bodies["rotation"], np.stack([np.eye(3)] * 2))
    np.testing.assert_array_equal(bodies["trial_quaternion"], [[1, 0, 0, 0]] * 2)
