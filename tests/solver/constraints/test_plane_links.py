"""Links of planar machines and their matrix in blocks, against definitions, differences and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.constraints.plane_links import NO_TURN, PIN, RAIL, ROD, SLOT, measure_links, rate_of_kick
from gsolve.solver.constraints.plane_matrix import (
    DEPENDENT,
    assemble_links,
    clear_blocks,
    correct_links,
    factorise_blocks,
)
from gsolve.solver.core.jit.references import Reference
from naive.plane import Plane
from plane_machines import all_links, dense, started


class Moved:
    """The machine of all kinds of links: Jacobians of t = 0, and of trial positions a little off."""

    def __init__(self) -> None:
        self.planes = planes = started(all_links(), 1e-3)._system.planes
        self.bodies, self.links = planes.bodies, planes.links
        self.bodies["trial_place"] = self.bodies["place"]
        self.measure()
        self.links["force"], self.links["moment"] = self.links["trial_force"], self.links["trial_moment"]
        self.start = self.places()
        random, count = np.random.default_rng(5), len(self.bodies) - 1
        self.bodies["trial_place"][1:] += 0.05 * random.normal(size=(count, 2))
        angles = 0.2 * random.normal(size=count)
        self.bodies["trial_cosine"][1:], self.bodies["trial_sine"][1:] = np.cos(angles), np.sin(angles)
        self.worst = self.measure()
        self.twin = Plane(self.links, self.bodies)

    def measure(self) -> float:
        return measure_links(self.links, 0, len(self.links), self.bodies)

    def places(self) -> np.ndarray:
        """Trial x, y and angle of all bodies."""
        angles = np.arctan2(self.bodies["trial_sine"], self.bodies["trial_cosine"])
        return np.column_stack([self.bodies["trial_place"], angles])


@pytest.fixture(scope="module")
def moved() -> Moved:
    return Moved()


def test_residuals_and_jacobians_of_all_kinds(moved):
    links = moved.links
    assert set(links["kind"]) == {PIN, RAIL, SLOT, ROD, NO_TURN}
    np.testing.assert_allclose(links["residual"].ravel(), moved.twin.residuals(moved.places()), atol=1e-15)
    found = dense(links, len(moved.bodies), "trial_moment", "trial_force")
    np.testing.assert_allclose(found, moved.twin.jacobian(moved.places()), atol=1e-9)
    sizes = np.abs(links["residual"]).max(axis=1) * links["inverse_tolerance"]
    assert 0.1 * sizes.max() <= moved.worst <= sizes.max()


def test_corrections_are_those_of_the_dense_matrix(moved):
    planes, links, n = moved.planes, moved.links, len(moved.links)
    blocks = Reference(planes.blocks)
    clear_blocks(planes.columns, 0, n, 0, len(planes.blocks.lower), blocks)
    assemble_links(planes.pairs, 0, len(planes.pairs), links, moved.bodies, blocks)
    factorise_blocks(planes.columns, 0, n, planes.below, planes.updates, blocks, DEPENDENT)
    links["multiplier"] = 0.0
    moved.bodies["trial_velocity"], moved.bodies["trial_rate"] = 0.0, 0.0
    correct_links(planes.columns, 0, n, planes.below, blocks, links, moved.bodies, -2.0, 0.5)
    matrix = moved.twin.matrix(moved.places(), moved.start)
    expected = np.linalg.solve(matrix, -2.0 * links["residual"].ravel())
    np.testing.assert_allclose(links["multiplier"].ravel(), expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
    kicked = 0.5 * moved.twin.inverse_mass @ moved.twin.jacobian(moved.start).T @ expected
    velocities = np.column_stack([moved.bodies["trial_velocity"], moved.bodies["trial_rate"]])
    np.testing.assert_allclose(velocities.ravel(), kicked, atol=1e-7 * np.abs(kicked).max())


def test_rates_of_kicks_are_those_of_the_trial_jacobian(moved):
    """Residuals of the trial positions grow by dt G dv."""
    kicked = np.random.default_rng(6).normal(size=(len(moved.bodies), 3))
    kicked[0] = 0.0  # the ground
    moved.bodies["kicked"] = kicked
    rates = [rate_of_kick(link, moved.bodies, row) for link in moved.links for row in range(2)]
    np.testing.assert_allclose(rates, moved.twin.jacobian(moved.places()) @ kicked.ravel(), atol=1e-9)
