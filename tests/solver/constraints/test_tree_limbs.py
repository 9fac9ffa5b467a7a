"""Limbs of trees against rotation matrices: places, momenta, and how these grow with the steps of the freedoms."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.constraints.tree_limbs import (
    BALL,
    CROSS,
    CYLINDER,
    FREE,
    HINGE,
    SLIDER,
    WELD,
    add_growth,
    along_twist,
    describe_limb,
    lack_of_momentum,
    move_limb,
    product,
    set_column_and_line,
    set_trial_twists,
    start_growth,
)
from gsolve.solver.constraints.tree_places import place_limb
from gsolve.solver.run.simulation import Simulation
from naive.tree import Tree
from random_trees import RandomTree
from running import read
from scipy.spatial.transform import Rotation

DT = 1e-2
SEED = 4  # of a chain with joints of all kinds


class Moved:
    """A free and a held tree with joints of all kinds, some steps after t = 0, moved on by steps of any size."""

    def __init__(self, free: bool) -> None:
        tree = RandomTree(SEED, 14, free=free, branching=False)
        tree.tree()
        tree.motion(1.0)
        self.is_free = free
        self.simulation = simulation = Simulation(read(tree.text()), dt=1e-3)
        simulation.advance(50)
        system = simulation._system
        trees = system.trees
        self.bodies, self.limbs, self.freedoms = system.bodies, trees.limbs, trees.freedoms
        self.own = range(1, len(self.limbs))
        origin = self.bodies[self.limbs["body"][1]]
        for i in self.own:
            slide = float(self.limbs[i]["slide"].sum())
            moved = tuple(origin["displacement"].tolist())
            describe_limb(self.limbs, i, self.freedoms, self.bodies, origin, moved, slide)
        random = np.random.default_rng(7)
        self.steps = self.freedoms["step"] = 0.1 * random.normal(size=len(self.freedoms))
        assert all(move_limb(self.limbs, i, self.freedoms, DT) for i in self.own)
        self.twin = Tree(self.limbs, self.bodies, DT)

    def along_freedoms(self) -> np.ndarray:
        """N^T P by the kernels."""
        self.limbs["target"] = 0.0
        for i in self.own:
            lack_of_momentum(self.limbs[i], self.bodies["mass"][self.limbs["body"][i]])
        for i in reversed(self.own):
            parent = self.limbs["parent"][i]
            if parent:
                self.limbs["force"][parent] += self.limbs["force"][i]
                self.limbs["moment"][parent] += self.limbs["moment"][i]
        forces, moments = self.limbs["force"], self.limbs["moment"]
        return np.array(
            [
                along_twist(f["twist"], tuple(forces[f["limb"]].tolist()), tuple(moments[f["limb"]].tolist()))
                for f in self.freedoms
            ]
        )

    def matrix(self) -> np.ndarray:
        """A by the kernels, of freedoms one of which is behind the other."""
        for i in self.own:
            set_trial_twists(self.limbs, i, self.freedoms)
            start_growth(self.limbs[i], self.bodies["mass"][self.limbs["body"][i]], DT)
        for i in reversed(self.own):
            if self.limbs["parent"][i]:
                add_growth(self.limbs[self.limbs["parent"][i]], self.limbs[i])
        for f in self.freedoms:
            set_column_and_line(f, self.limbs[f["limb"]])
        found = np.zeros((len(self.freedoms), len(self.freedoms)))
        for k, f in enumerate(self.freedoms):
            for j, g in enumerate(self.freedoms[: k + 1]):
                if self.is_behind(f["limb"], g["limb"]):
                    found[j, k], found[k, j] = product(g["twist"], f["column"]), product(f["line"], g["trial_twist"])
        return found

    def is_behind(self, limb: int, other: int) -> bool:
        while limb != other and limb:
            limb = int(self.limbs["parent"][limb])
        return limb == other


@pytest.fixture(scope="module", params=[False, True], ids=["held", "free"])
def moved(request) -> Moved:
    return Moved(request.param)


def test_joints_of_all_kinds_are_there(moved):
    assert set(moved.limbs["kind"][1:]) >= {WELD, HINGE, CROSS, SLIDER, CYLINDER, BALL}
    assert (FREE in moved.limbs["kind"]) == moved.is_free


def test_bodies_are_placed_where_rotation_matrices_say(moved):
    for i in moved.own:
        place_limb(moved.limbs, i, moved.freedoms, moved.bodies)
    places, rotations = moved.twin.placed(moved.steps)
    bodies = moved.bodies[moved.limbs["body"][1:]]
    np.testing.assert_allclose(bodies["centre"] + bodies["trial_displacement"], places, rtol=0, atol=1e-13)
    np.testing.assert_allclose(bodies["trial_rotation"], [r.as_matrix() for r in rotations], rtol=0, atol=1e-14)


def test_shifts_and_rotations_of_the_step_are_those_between_the_places(moved):
    old, new = moved.twin.placed(0 * moved.steps), moved.twin.placed(moved.steps)
    turns = [(r * q.inv()).as_rotvec() for q, r in zip(old[1], new[1], strict=True)]
    np.testing.assert_allclose(moved.limbs["shift"][1:], new[0] - old[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(moved.limbs["theta"][1:], turns, rtol=0, atol=1e-14)


def test_momenta_are_those_of_the_variational_map(moved):
    expected = moved.twin.momenta(moved.steps)
    motions = moved.limbs["motion"][1:].copy()
    motions[:, :3] *= moved.bodies["mass"][moved.limbs["body"][1:]][:, None]
    np.testing.assert_allclose(motions, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_momenta_along_freedoms(moved):
    """By differences of places over 2e-6: to 1e-9."""
    expected = moved.twin.along_freedoms(moved.steps)
    np.testing.assert_allclose(moved.along_freedoms(), expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_growth_of_the_momenta_is_right_to_the_second_order_of_the_rotation(moved):
    expected, found = moved.twin.matrix(moved.steps), moved.matrix()
    turn = np.linalg.norm(moved.limbs["theta"], axis=1).max()
    assert turn > 0.1
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.1 * turn**3 * np.abs(expected).max())


def test_rotation_vectors_of_large_steps(moved):
    """Beyond the series, as where a body turns by more than a tenth of a radian."""
    assert np.linalg.norm(moved.limbs["theta"], axis=1).max() > 0.1
    for limb in moved.limbs[1:]:
        w, x, y, z = limb["rotation"]
        np.testing.assert_allclose(limb["theta"], Rotation.from_quat([x, y, z, w]).as_rotvec(), rtol=0, atol=1e-15)
