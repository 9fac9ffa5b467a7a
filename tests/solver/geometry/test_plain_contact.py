"""What kernels say of a pair: whether one direction carries it at constant weights, so that its force is a gradient."""

import numpy as np
import pytest
from gsolve.solver.geometry.shapes import BOX, CYLINDER, FRUSTUM
from scipy.spatial.transform import Rotation
from shape_rig import NAMES_OF_KINDS, SCRATCH, Placed, contact, force, placed, random_pair

WITH_EDGES = [
    (BOX, BOX),
    (CYLINDER, BOX),
    (FRUSTUM, BOX),
    (CYLINDER, CYLINDER),
    (CYLINDER, FRUSTUM),
    (FRUSTUM, FRUSTUM),
]
NAMES = [f"{NAMES_OF_KINDS[a]}-{NAMES_OF_KINDS[b]}".lower() for a, b in WITH_EDGES]


def is_plain(i: Placed, j: Placed) -> bool:
    assert len(contact(i, j)) > 0
    return bool(SCRATCH["plain"])


def energy(i: Placed, j: Placed) -> float:
    """Sum of weight * penetration^2.5/2.5."""
    points = contact(i, j)
    return float(np.sum(points["weight"] * points["penetration"] ** 2.5)) / 2.5


def gradient(i: Placed, j: Placed, by: float) -> np.ndarray:
    """(6,) -dU/d(shift of i, rotation of i about the origin), by central differences."""
    found = np.zeros(6)
    for k in range(6):
        step = by * np.eye(3)[k % 3]
        ends = []
        for sign in (1.0, -1.0):
            if k < 3:
                ends.append(energy(i.moved(sign * step), j))
            else:
                turn = Rotation.from_rotvec(sign * step).as_matrix()
                ends.append(energy(Placed(i.shape, turn @ i.position, turn @ i.rotation), j))
        found[k] = -(ends[0] - ends[1]) / (2 * by)
    return found


@pytest.mark.parametrize("kinds", WITH_EDGES, ids=NAMES)
def test_the_force_of_a_plain_contact_is_the_gradient_of_its_energy(kinds):
    plain = 0
    for seed in range(60):
        i, j = random_pair(np.random.default_rng(seed), kinds, 0.01)
        if not is_plain(i, j):
            continue
        plain += 1
        found = force(i, j)
        np.testing.assert_allclose(
            gradient(i, j, 1e-6), found, rtol=0, atol=1e-4 * np.abs(found).max(), err_msg=str(seed)
        )
    assert plain >= 5


UPRIGHT = Rotation.from_rotvec((0.0, 0.0, 0.0))
LYING = Rotation.from_rotvec((0.0, np.pi / 2, 0.0))
TILTED = Rotation.from_rotvec((0.02, 0.01, 0.3))
TABLE = placed(BOX, (1.0, 1.0, 0.1), (0.0, 0.0, -0.1))
SMALL = (0.1, 0.08, 0.06)


@pytest.mark.parametrize(
    "pose, plain",
    [
        (placed(BOX, SMALL, (0.2, 0.1, 0.059), UPRIGHT, 2), True),
        (placed(BOX, SMALL, (0.2, 0.1, 0.058), TILTED, 2), True),
        (placed(CYLINDER, (0.1, 0.1, 0.2), (0.0, 0.3, 0.199), UPRIGHT, 2), True),
        (placed(CYLINDER, (0.1, 0.1, 0.2), (0.0, 0.3, 0.099), LYING, 2), True),
        (placed(BOX, SMALL, (0.95, 0.1, 0.059), UPRIGHT, 2), False),
        (placed(CYLINDER, (0.1, 0.1, 0.2), (0.9, 0.3, 0.099), LYING, 2), False),
    ],
    ids=["box", "tilted box", "standing", "lying", "box across a border", "lying across a border"],
)
def test_what_lies_well_inside_a_face_is_plain(pose, plain):
    assert is_plain(pose, TABLE) == plain


def test_crossed_edges_are_plain_and_parallel_cylinders_are_not():
    edge = Rotation.from_rotvec((np.pi / 4, 0.0, 0.0))
    across = Rotation.from_rotvec((0.0, 0.0, np.pi / 2)) * edge
    half = 0.1 * np.sqrt(2.0)
    i, j = (
        placed(BOX, (0.5, 0.1, 0.1), (0.0, 0.0, 2 * half - 1e-3), edge, 2),
        placed(BOX, (0.5, 0.1, 0.1), rotation=across),
    )
    assert is_plain(i, j)
    i, j = placed(CYLINDER, (0.1, 0.1, 0.5), (0.0, 0.199, 0.0), UPRIGHT, 2), placed(CYLINDER, (0.1, 0.1, 0.5))
    assert not is_plain(i, j)
