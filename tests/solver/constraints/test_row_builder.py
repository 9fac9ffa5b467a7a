"""What families share while their rows are made: bodies and arms of nodes, names of rows, size of a subsystem."""

from __future__ import annotations

import numpy as np
from body_rig import records_of
from gsolve.solver.constraints.row_builder import RowSet
from gsolve.solver.core.bodies import GENERAL, GROUND, NO_ROTATION, new_bodies
from naive.core import Points


def row_set(coordinates, bodies):
    """Nodes at `coordinates` on `bodies`, whose reference points lie at (1, 2, 3) times their number."""
    coordinates, bodies = np.array(coordinates, dtype=float), np.array(bodies)
    records = new_bodies(4)
    records["centre"] = np.outer(np.arange(4), [1.0, 2.0, 3.0])
    records["turning"] = [NO_ROTATION, GENERAL, NO_ROTATION, GENERAL]
    points = Points(bodies, coordinates - records["centre"][bodies], coordinates)
    return RowSet(records, records_of(points), coordinates)


def test_a_node_has_the_body_that_carries_it_and_no_node_the_ground():
    rows = row_set([(0, 0, 0), (4, 5, 6), (7, 8, 9)], [GROUND, 1, 2])
    assert [rows.body_of(node) for node in (0, 1, 2, -1)] == [GROUND, 1, 2, GROUND]
    assert [rows.turns(node) for node in (0, 1, 2, -1)] == [False, True, False, False]


def test_arms_lead_from_the_reference_point_and_those_of_the_ground_from_the_origin():
    rows = row_set([(0, 0, 0.5), (4, 5, 6)], [GROUND, 1])
    np.testing.assert_array_equal(rows.arm_of(1), [3.0, 3.0, 3.0])
    np.testing.assert_array_equal(rows.arm_of(0), [0.0, 0.0, 0.5])
    np.testing.assert_array_equal(rows.arm_of(-1, 1), [4.0, 5.0, 6.0])  # the ground's point, where the other node is


def test_rows_are_called_what_they_were_added_for():
    rows = row_set([(0, 0, 0)], [1])
    for name, count in (("first", 2), ("nothing", 0), ("second", 1)):
        for _ in range(count):
            rows.rows.add([1], 1.0)
        rows.name_rows(name, where := object())
    assert rows.row_names == ["first", "first", "second"]
    assert rows.row_wheres[-1] is where


def test_size_is_the_largest_extent_or_arm_and_one_where_there_is_none():
    random = np.random.default_rng(3)
    for size in (1e-9, 1.0, 1e9):
        coordinates = size * random.normal(size=(6, 3))
        rows = row_set(coordinates, [GROUND, 1, 2, 3, 1, GROUND])
        for chosen in ([0], [1, 4], [0, 1, 2, 3, 4, 5], [2, -1]):
            used = [node for node in chosen if node >= 0]
            extent = max(np.ptp(coordinates[used, axis]) for axis in range(3))
            assert rows.size_of(chosen) == max(extent, *(np.abs(rows.points["arm"][node]).max() for node in used), 0.0)
    rows = row_set([(0, 0, 0), (0, 0, 0)], [GROUND, GROUND])
    assert rows.size_of([]) == rows.size_of([-1]) == rows.size_of([0, 1]) == 1.0
