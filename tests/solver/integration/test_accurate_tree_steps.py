"""Accelerations of trees in steps that are controlled by their error, against steps of rotation matrices."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.integration.accurate.tree_ends import commit_tree
from gsolve.solver.integration.accurate.trees import find_tree_rates
from gsolve.solver.run.simulation import Simulation
from naive.tree import Tree
from random_trees import RandomTree
from running import read

H = 1e-3


@pytest.mark.parametrize("seed, free", [(2, False), (4, True), (7, False)])
def test_speeds_grow_as_steps_through_this_place_have_them(seed, free):
    """A step h of the twin that momenta half a step before lead to has the speeds of half a step later, to h^2.

    By the growth of half a step, which is to be seen, that is some 1e-3.
    """
    assert find_tree_rates.__doc__ and commit_tree.__doc__
    tree = RandomTree(seed, 6, free=free, kinds=("REVOLUTE", "UNIVERSAL", "TRANSLATIONAL", "CYLINDRICAL", "FIXED"))
    tree.tree()
    tree.weight()
    tree.motion()
    simulation = Simulation(read(tree.text()), t_end=0.2, accuracy=1e-6)
    simulation.advance(4)
    system = simulation._system
    trees, bodies, accurate = system.trees, system.bodies, system.accurate
    assert np.any(accurate.clocks["by_coordinates"]) and accurate.clocks["time"].max() > 0.0
    of = trees.limbs["body"][1:]
    masses, motions = bodies["mass"][of][:, None], accurate.motions[of]
    momenta = np.hstack([masses * bodies["velocity"][of], bodies["momentum"][of]])
    growth = np.hstack([masses * motions["accelerations"][:, 0], motions["moments"][:, 0]])
    forces = np.hstack([masses * bodies["gravity"][of], np.zeros((len(of), 3))])
    twin = Tree(trees.limbs.copy(), bodies.copy(), H)
    freedoms = accurate.freedoms
    expected = twin.step(momenta - 0.5 * H * growth, forces, H, H * freedoms["speed_before"]) / H
    gained = 0.5 * H * freedoms["growths"][:, 0]
    found = freedoms["speed_before"] + gained
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-3 * np.abs(gained).max())
