"""A step of a tree against its definition with rotation matrices."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.constraints.tree_limbs import KNOWN_BEFORE
from gsolve.solver.integration.tree_samples import place_joints
from gsolve.solver.integration.trees import advance_trees, extrapolated, larger
from gsolve.solver.run.simulation import Simulation
from naive.tree import Tree
from random_trees import RandomTree
from running import read

DT = 1e-3


@pytest.mark.parametrize("seed, free", [(2, False), (4, True)])
def test_a_step_solves_its_equations(seed, free):
    """The twin has differences over 2e-6 in its motions: steps agree to 1e-8 of the largest."""
    assert advance_trees.__doc__ and place_joints.__doc__
    tree = RandomTree(seed, 6, free=free)
    tree.tree()
    tree.weight()
    tree.motion()
    simulation = Simulation(read(tree.text()), dt=DT, t_end=0.2)
    simulation.compile()
    machine = simulation._machine
    no_samples = machine.new_samples(np.zeros(0, dtype=np.int64))
    assert machine.run(no_samples, 40) is None
    machine.step += 40
    system = simulation._system
    trees, bodies = system.trees, system.bodies
    twin = Tree(trees.limbs.copy(), bodies.copy(), DT)
    of = trees.limbs["body"][1:]
    momenta = np.hstack([bodies["mass"][of][:, None] * bodies["velocity"][of], bodies["momentum"][of]])
    forces = np.hstack([bodies["mass"][of][:, None] * bodies["gravity"][of], np.zeros((len(of), 3))])
    expected = twin.step(momenta, forces, DT, trees.freedoms["step"].copy())
    places, rotations = twin.placed(expected)
    assert machine.run(no_samples, 1) is None
    np.testing.assert_allclose(trees.freedoms["step"], expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    found = bodies[of]
    np.testing.assert_allclose(found["centre"] + found["displacement"], places, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found["rotation"], [r.as_matrix() for r in rotations], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("sizes", "worst"), [((1.0, 3.0, 2.0), 3.0), ((1.0, np.nan, 2.0), np.nan), ((np.inf, 1.0), np.nan)]
)
def test_a_residual_that_is_no_number_is_not_passed_over(sizes, worst):
    found = 0.0
    for size in sizes:
        found = larger(found, size)
    np.testing.assert_equal(found, worst)


def test_motion_is_extrapolated_as_a_polynomial_through_all_steps_that_are_known():
    """A wrong prediction would be corrected: nothing but the number of corrections would tell."""
    motion = np.polynomial.Polynomial([0.3, -0.7, 0.2, 0.5, -0.4, 0.1])
    before = motion(-np.arange(1.0, KNOWN_BEFORE + 1))
    assert motion.degree() == KNOWN_BEFORE - 1
    # the sum of the sizes of all terms is some 1e4, each rounded
    assert extrapolated(before, KNOWN_BEFORE, 1.0) == pytest.approx(motion(0.0), abs=1e-11)
    assert extrapolated(before, KNOWN_BEFORE - 1, 2.0) == before[0] + 2.0 * (before[0] - before[1])
