"""Dampers in the matrix of a tree against the change of their forces, when the freedoms take other steps."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.assembly.tree_dampers import MOST_MOVED
from gsolve.solver.constraints.tree_limbs import set_trial_twists
from gsolve.solver.core.bodies import Record
from gsolve.solver.integration.families import refine_joint_forces, refine_springs, start_joint_forces, start_springs
from gsolve.solver.integration.tree_dampers import damp_tree_by_joints, damp_tree_by_springs
from gsolve.solver.integration.trees import describe, move, predict, renew_mean_velocities
from gsolve.solver.run.simulation import Simulation
from naive.tree import efforts, moves
from numpy.typing import NDArray
from random_trees import RandomTree
from running import read

Floats, Ints = NDArray[np.float64], NDArray[np.int64]
DT = 1e-3
IN_JOINTS = {
    "dampers": {"damping": 0.7},
    "friction": {"friction_force": 0.4, "slip_velocity": 1.5},
    "stops": {"stop_stiffness": 300.0, "stop_damping": 0.9, "lower": 0.01, "upper": 0.02},
}  # fmt: skip


class Damped:
    """A tree after some steps."""

    def __init__(self, tree: RandomTree, steps: int = 60) -> None:
        simulation = Simulation(read(tree.text()), dt=DT, t_end=0.2)
        simulation.compile()
        self._machine = simulation._machine
        self.go_on(steps)
        self.system = simulation._system
        self.trees, self.of = self.system.trees, self.system.trees.limbs["body"][1:]

    def go_on(self, steps: int) -> None:
        assert self._machine.run(self._machine.new_samples(np.zeros(0, dtype=np.int64)), steps) is None
        self._machine.step += steps

    def predict(self) -> None:
        """The motion to come, and forces at t_n."""
        step = self.system.steps[0]
        step["t"], step["dt"], step["previous_dt"], step["kick"], step["weight"] = 0.06, DT, DT, DT, 0.5
        describe(self.system, 0)
        predict(self.system, 0)
        move(self.system, 0)
        for starts, family in ((start_springs, "spring"), (start_joint_forces, "joint_force")):
            if self.system.subsystems[f"last_{family}"][0]:
                starts(self.system, 0)

    def efforts(self, steps: Floats) -> Floats:
        """Dissipative forces along the freedoms at t_n, if these take some steps."""
        trees = self.trees
        trees.freedoms["step"] = steps
        assert move(self.system, 0) < 0
        return efforts(trees.limbs, trees.freedoms, self.dissipative_forces())

    def dissipative_forces(self) -> Floats:
        """On the bodies of all limbs, as these move in the step at hand."""
        system = self.system
        renew_mean_velocities(system, 0)
        if system.subsystems["last_spring"][0]:
            refine_springs(system, 0)
        if system.subsystems["last_joint_force"][0]:
            refine_joint_forces(system, 0)
        return system.bodies["dissipative"][self.of].copy()

    def moved_by(self, damper: Record) -> Ints:
        """Freedoms that a damper sees."""
        return self.trees.moved["freedom"][damper["first_moved"] : damper["last_moved"]]

    def chain(self, body: int) -> set[int]:
        """Freedoms that move a body."""
        i, freedoms = int(self.trees.limb_of[body]), self.trees.freedoms["limb"]
        return {k for k in range(len(freedoms)) if moves(self.trees.limbs, int(freedoms[k]), i)}

    def differences(self) -> Floats:
        """What the impulse takes from the momenta, by the steps of all freedoms: central differences."""
        steps = self.trees.freedoms["step"].copy()
        size = 1e-4 * np.abs(steps).max()
        found = np.zeros((len(steps), len(steps)))
        for k in range(len(steps)):
            change = size * (np.arange(len(steps)) == k)
            found[:, k] = -DT * (self.efforts(steps + change) - self.efforts(steps - change)) / (2.0 * size)
        self.efforts(steps)
        return found

    def matrix(self) -> Floats:
        """The same as the matrix has it."""
        trees, count = self.trees, len(self.trees.freedoms)
        for i in range(1, len(trees.limbs)):
            set_trial_twists(trees.limbs, i, trees.freedoms)
        trees.values[:] = 0.0
        damp_tree_by_springs(self.system, 0)
        damp_tree_by_joints(self.system, 0)
        found = np.zeros((count, count))
        for damper in trees.dampers:
            moved = self.moved_by(damper)
            places = trees.places[damper["first_place"] :][: len(moved) ** 2].reshape(len(moved), len(moved))
            found[np.ix_(moved, moved)] = trees.values[places]
        return found


@pytest.mark.parametrize("forces", [{}, *IN_JOINTS.values()], ids=["springs", *IN_JOINTS])
@pytest.mark.parametrize("free", [False, True])
def test_dampers_of_springs_and_joints_are_the_derivative_of_their_impulse(forces, free):
    """Angular velocities follow from momenta, not from twists: apart by half the angle of a step."""
    tree = RandomTree(5, 7, free=free, branching=False)
    tree.tree(forces)
    if not forces:
        for damping in (0.5, 2.0, 1.0):
            tree.spring(20.0, damping)
    tree.motion()
    damped = Damped(tree)
    damped.predict()
    expected = damped.differences()
    assert np.abs(expected).max() > 0.0
    angle = np.linalg.norm(damped.trees.limbs["theta"], axis=1).max()
    assert angle < 0.01
    np.testing.assert_allclose(damped.matrix(), expected, rtol=0, atol=0.5 * angle * np.abs(expected).max())


def test_dampers_between_branches_are_left_to_refinement_where_they_would_fill_the_matrix():
    tree = RandomTree(11, 12)
    tree.tree()
    for _ in range(12):
        tree.spring(20.0, 1.0)
    tree.motion()
    damped = Damped(tree)
    expected = []
    for spring in damped.system.springs:
        chains = [damped.chain(int(spring[end]["body"])) for end in ("end_1", "end_2")]
        moved = chains[0] ^ chains[1]
        if chains[0] <= chains[1] or chains[1] <= chains[0] or len(moved) <= MOST_MOVED:
            expected.append(moved)
    found = [set(damped.moved_by(damper).tolist()) for damper in damped.trees.dampers]
    assert found == expected
    assert 0 < len(found) < len(damped.system.springs)


@pytest.mark.parametrize("forces", [{}, *IN_JOINTS.values()], ids=["springs", *IN_JOINTS])
def test_forces_are_those_of_the_motion_that_they_lead_to(forces):
    """Refined four times from one that is not known yet, they would be off by the fifth power of some h C / 2 m."""
    tree = RandomTree(5, 7, branching=False)
    tree.tree(forces)
    for damping in (600.0, 400.0):
        tree.spring(20.0, damping)
    tree.motion()
    damped = Damped(tree, steps=3)
    before = damped.system.bodies[damped.of].copy()
    damped.go_on(1)
    found = damped.system.bodies["previous_dissipative"][damped.of]
    damped.system.bodies[damped.of] = before
    expected = damped.dissipative_forces()
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    assert damped.system.steps[0]["passes"] <= 2
