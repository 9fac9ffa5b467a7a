"""Arrays that are too short are told of: a number of points is all of them or OUT_OF_CAPACITY, never fewer."""

import numpy as np
import pytest
from gsolve.solver.core.jit.kernels import Kernel
from gsolve.solver.geometry.contact_points import CONTACT_POINT, MAX_POINTS, NO_POINTS, OUT_OF_CAPACITY, number_of
from gsolve.solver.geometry.face_overlap import (
    MOST_CORNERS,
    MOST_ROWS,
    cut,
    polygon_circle_region,
    polygon_region,
    two_circles_region,
)
from gsolve.solver.geometry.gjk_epa import scratch_type
from gsolve.solver.geometry.narrow_phase import find_points
from gsolve.solver.geometry.separating_directions import directions_at_rims, directions_between_lines
from gsolve.solver.geometry.shapes import BOX, CYLINDER, PLANE, SPHERE, solid_of
from gsolve.solver.geometry.solid_solid import round_points
from scipy.spatial.transform import Rotation
from shape_rig import SCRATCH, contact, gap, kernels, placed

SHORT, FULL = (np.zeros(1, kind).view(np.recarray)[0] for kind in (
    scratch_type(rows=3, corners=4, directions=0), scratch_type()
))  # fmt: skip
TURNED, LYING, ACROSS = (
    Rotation.from_euler(axis, degrees, degrees=True) for axis, degrees in (("z", 45), ("x", 90), ("y", 90))
)
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def solid(pose):
    return solid_of(pose.shape, tuple(pose.position), pose.rotation)


@pytest.fixture
def interpreted(monkeypatch):
    """A function that lets Python run a kernel: memory of another size is another type, for which all is compiled."""

    def call(kernel, *arguments):
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, "__call__", lambda self, *of: self.py_func(*of))
            return kernel(*arguments)

    return call


def found_with(i, j, capacity):
    return find_points(*i, *j, kernels(), SCRATCH, np.zeros(capacity, CONTACT_POINT))


@pytest.mark.parametrize(
    "upper, lower, number",
    [
        (placed(BOX, (1, 1, 1), (0, 0, 0.99)), placed(PLANE, (), body=0), 4),
        (placed(BOX, (1, 1, 1), (0, 0, 1.99)), placed(BOX, (2, 2, 1), body=2), 4),
        (placed(CYLINDER, (1, 1, 1), (0, 0, 1.99)), placed(BOX, (2, 2, 1), body=2), 4),
        (placed(SPHERE, (1,), (0, 0, 0.99)), placed(PLANE, (), body=0), 1),
    ],
)
def test_one_point_more_than_there_is_memory_for(upper, lower, number):
    for i, j in ((upper, lower), (lower, upper)):
        assert found_with(i, j, number) == number
        assert found_with(i, j, number - 1) == OUT_OF_CAPACITY
        assert found_with(i, j, 0) == OUT_OF_CAPACITY


def test_nothing_is_written_behind_the_end_of_the_points():
    points = np.zeros(8, CONTACT_POINT)
    box, floor = placed(BOX, (1, 1, 1), (0, 0, 0.99)), placed(PLANE, (), body=0)
    assert find_points(*box, *floor, kernels(), SCRATCH, points[:2]) == OUT_OF_CAPACITY
    assert np.all(points["penetration"][2:] == 0.0)


def test_solids_apart_need_no_memory():
    assert found_with(placed(BOX, (1, 1, 1), (0, 0, 2.01)), placed(BOX, (2, 2, 1), body=2), 0) == 0


@pytest.mark.parametrize(
    "i, j, number",
    [
        (placed(CYLINDER, (1, 1, 1), (0, 0, 1.99)), placed(BOX, (2, 2, 1), body=2), 4),
        (placed(CYLINDER, (1, 1, 1), (0, 0, 1.99), TURNED * LYING), placed(BOX, (1, 1, 1), body=2), 2),
        (placed(CYLINDER, (1, 1, 3), (0, 0, 1.999), LYING), placed(CYLINDER, (1, 1, 3), rotation=ACROSS, body=2), 1),
    ],
    ids=["rows", "corners", "directions"],
)
def test_overlaps_of_too_many_rows_corners_or_directions(i, j, number, interpreted):
    """A disc has four arcs; a rectangle, the side of a cylinder, turned by 45 degrees above a square, eight corners."""
    points = np.zeros(MAX_POINTS, CONTACT_POINT).view(np.recarray)
    assert len(contact(i, j)) == number
    of_i, of_j, apart = solid(i), solid(j), solid(i.moved((9, 9, 9)))
    assert number_of(interpreted(round_points, of_i, of_j, FULL, points)) == number
    assert interpreted(round_points, of_i, of_j, SHORT, points) == OUT_OF_CAPACITY
    assert interpreted(round_points, apart, of_j, SHORT, points) == NO_POINTS


def test_regions_with_too_few_rows_stay_beyond_their_capacity():
    rows = np.zeros((MOST_ROWS, 3))
    corners = np.zeros((MOST_CORNERS, 2))
    corners[:4] = SQUARE
    regions = {
        "polygon": lambda rows: polygon_region(corners, 4, 1.0, 0.0, rows)[0],
        "disc in a polygon": lambda rows: polygon_circle_region(corners, 4, 0.5, True, 1.0, 0.0, 0.0, 0.0, rows)[0],
        "disc and polygon": lambda rows: polygon_circle_region(corners, 4, 1.2, True, 1.0, 0.0, 0.0, 0.0, rows)[0],
        "two discs": lambda rows: two_circles_region(1.0, 0.0, 1.0, 1.0, 1.0, 0.0, rows)[0],
    }
    for name, region in regions.items():
        needed = region(rows)
        assert needed >= 4, name
        for capacity in range(needed):
            assert region(rows[:capacity]) == OUT_OF_CAPACITY, (name, capacity)
        assert region(rows[:needed]) == needed, name


def test_a_polygon_that_is_cut_needs_room_for_its_new_corner():
    polygon, result = np.zeros((8, 2)), np.zeros((8, 2))
    polygon[:4] = SQUARE
    across = np.sqrt(0.5)
    assert cut(polygon, 4, across, across, 1.0, result) == 5
    assert cut(polygon, 4, across, across, 1.0, result[:4]) == OUT_OF_CAPACITY
    assert cut(polygon, OUT_OF_CAPACITY, across, across, 1.0, result) == OUT_OF_CAPACITY
    rows = np.zeros((MOST_ROWS, 3))
    assert polygon_region(polygon, OUT_OF_CAPACITY, 1.0, 0.0, rows)[0] == OUT_OF_CAPACITY


def test_more_separating_directions_than_there_is_memory_for():
    i = placed(CYLINDER, (0.5, 0.5, 1), (0.8, 0.2, 0.9), Rotation.from_rotvec((0.3, 0.4, 0.3)))
    j = placed(BOX, (0.6, 0.7, 0.8), body=2)
    assert gap(i, j).gap < 0
    of_i, of_j, found = solid(i), solid(j), np.zeros((40, 9))
    lines = directions_between_lines(of_i, of_j, 10.0, found)
    number = directions_at_rims(of_i, of_j, 10.0, found, lines)
    assert number > lines > 0
    assert directions_at_rims(of_i, of_j, 10.0, found[: number - 1], lines) == OUT_OF_CAPACITY
    assert directions_between_lines(of_i, of_j, 10.0, found[: lines - 1]) == OUT_OF_CAPACITY
    assert directions_at_rims(of_i, of_j, 10.0, found, OUT_OF_CAPACITY) == OUT_OF_CAPACITY
