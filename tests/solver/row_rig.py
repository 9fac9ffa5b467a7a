"""Rows of a random Jacobian between random bodies: what the tests of the matrix of the multipliers share."""

from __future__ import annotations

import naive.constraints as twin
import numpy as np
from gsolve.solver.constraints.kkt import (
    NO_ROWS,
    REDUNDANT,
    assemble_matrix,
    assemble_trial_matrix,
    factorise,
    solve_corrections,
)
from gsolve.solver.constraints.kkt_pattern import build_matrix
from gsolve.solver.constraints.rows import RowBuilder
from gsolve.solver.core.bodies import GENERAL, new_bodies
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.integration.system import SUBSYSTEM
from naive import dense_inverse_mass, dense_jacobian
from scipy.spatial.transform import Rotation


def random_bodies(random, count):
    """Bodies of unequal inertia in any attitude; body 0 is the ground."""
    bodies = new_bodies(count + 1)
    for body in bodies[1:]:
        mass, principal = random.uniform(0.5, 5.0), random.uniform(0.2, 3.0, 3)
        axes = Rotation.random(rng=random).as_matrix()
        body["turning"], body["mass"], body["inverse_mass"] = GENERAL, mass, 1 / mass
        body["inertia"] = axes @ np.diag(principal) @ axes.T
        body["inverse_inertia"] = axes @ np.diag(1 / principal) @ axes.T
        body["rotation"] = Rotation.random(rng=random).as_matrix()
    return bodies


class Rig:
    """Rows of given bodies with a random Jacobian; one subsystem for each list of rows.

    subsystems : lists of rows, each the bodies it acts on; bodies are numbered through
    """

    def __init__(self, subsystems, bodies_of, seed=1, deferred=NO_ROWS):
        random = np.random.default_rng(seed)
        self.bodies = random_bodies(random, sum(bodies_of))
        builder = RowBuilder()
        for rows in subsystems:
            for on in rows:
                builder.add(on, 1.0)
        self.rows, self.entries = builder.build()
        self.entries["jacobian"] = random.normal(size=(len(self.entries), 6))
        self.row_start = np.concatenate([[0], np.cumsum([len(rows) for rows in subsystems])]).astype(np.int64)
        self.body_start = np.concatenate([[1], 1 + np.cumsum(bodies_of)]).astype(np.int64)
        self.subsystems = np.zeros(len(subsystems), SUBSYSTEM)
        for name, start in (("row", self.row_start), ("body", self.body_start)):
            self.subsystems[f"first_{name}"], self.subsystems[f"last_{name}"] = start[:-1], start[1:]
        self.deferred = deferred
        self.random = random

    def apply_inverse_mass(self):
        """Give each entry M^-1 times its Jacobian, as the matrix of the multipliers does when it is assembled."""
        inverse_mass = dense_inverse_mass(self.bodies)
        for entry in self.entries:
            block = slice(6 * entry["body"], 6 * entry["body"] + 6)
            entry["weighted"] = inverse_mass[block, block] @ entry["jacobian"]

    def assembled(self, left_out=NO_ROWS):
        matrix = build_matrix(self.rows, self.entries, self.row_start, self.body_start, self.deferred, left_out)
        for s in range(len(self.row_start) - 1):
            self.assemble(matrix, s)
        return matrix

    def assemble(self, matrix, s):
        assemble_matrix(Reference(matrix), s, self.subsystems[s], self.rows, self.entries, self.bodies)

    def assembled_at_trial_places(self):
        """The matrix of Newton's method, of bodies that turn by up to some 0.1 rad in a step of 0.05."""
        self.entries["trial"] = self.entries["jacobian"] + 0.2 * self.random.normal(size=(len(self.entries), 6))
        self.bodies["theta"] = self.random.normal(scale=0.1, size=(len(self.bodies), 3))
        self.bodies["trial_momentum"] = self.random.normal(size=(len(self.bodies), 3))
        matrix = build_matrix(self.rows, self.entries, self.row_start, self.body_start, self.deferred)
        for s, subsystem in enumerate(self.subsystems):
            assemble_trial_matrix(Reference(matrix), s, subsystem, self.rows, self.entries, self.bodies, 0.05)
        return matrix

    def factorised(self, left_out=NO_ROWS):
        matrix = self.assembled(left_out)
        for s in range(len(self.row_start) - 1):
            factorise(Reference(matrix), s, REDUNDANT)
        return matrix

    def solve(self, matrix, right_hand_side, scale=1.0):
        self.rows["residual"] = right_hand_side
        for s in range(len(self.row_start) - 1):
            solve_corrections(Reference(matrix), s, self.rows, self.row_start[s], self.row_start[s + 1], scale)
        return self.rows["correction"].copy()

    def dense(self):
        return twin.multiplier_matrix(self.rows, self.entries, self.bodies)

    def jacobian(self, name="jacobian"):
        return dense_jacobian(self.rows, self.entries, len(self.bodies), name)


def star_and_chain():
    """A body 1 with many rows to its neighbours 2 to 7 and to the ground, and a chain of three bodies apart from it."""
    star = [[1, k] for k in (2, 3, 4, 5, 6, 7) for _ in range(3)] + [[2, 3], [3, 4, 5], [6], [7]]
    chain = [[8, 9], [9, 10], [8], [10, 9], [8, 10]]
    return [star, chain], [7, 3]
