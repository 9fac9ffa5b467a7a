"""Twins of contact/: rigid walls, and what forces between their nodes and them do to velocities."""

from __future__ import annotations

from itertools import product

import numpy as np

from naive import dense_inverse_mass


def gap_and_normal(kind, axis, radius, place):
    """Distance in front of a wall through, or about, the origin."""
    if kind in ("PLANE", "PARALLELOGRAM"):
        return axis @ place, axis
    out = place - (axis @ place) * axis if kind == "CYLINDER" else place
    return np.linalg.norm(out) - radius, out / np.linalg.norm(out)


def shares(sides, place):
    """Coordinates of a place on the sides (2, 3) of a parallelogram: least squares."""
    return np.linalg.lstsq(sides.T, place, rcond=None)[0]


def velocity_of_point(body, arm, n_bodies):
    """Matrix (3, 6 nb) from velocities and spins of all bodies to the velocity of a point at an arm (global)."""
    matrix = np.zeros((3, 6 * n_bodies))
    for c in range(6):
        unit = np.eye(6)[c]
        matrix[:, 6 * body + c] = unit[:3] + np.cross(unit[3:], arm)
    return matrix


def relative_velocity(wall, node, n_bodies):
    """The same of a node against the node that carries its wall."""
    carried = velocity_of_point(wall["carrier"]["body"], wall["arm"], n_bodies)
    return velocity_of_point(node["point"]["body"], node["arm"], n_bodies) - carried


def answering_inverse_mass(bodies, jacobian):
    """Velocities (6 nb, 6 nb) to unit wrenches, the rows answering so that their rates stay zero."""
    inverse_mass = dense_inverse_mass(bodies)
    inverse_mass[:6, :6] = 0.0  # the ground stays
    if len(jacobian) == 0:
        return inverse_mass
    answer = np.linalg.pinv(jacobian @ inverse_mass @ jacobian.T, rcond=1e-10, hermitian=True)
    return inverse_mass - inverse_mass @ jacobian.T @ answer @ jacobian @ inverse_mass


def least_pressing_forces(matrix, rates):
    """F >= 0 with matrix F + rates >= 0, one of both zero in every place: all choices of pressing places are tried."""
    best, found = np.inf, np.zeros(len(rates))
    for choice in product([False, True], repeat=len(rates)):
        pressing = np.flatnonzero(choice)
        forces = np.zeros(len(rates))
        if len(pressing):
            forces[pressing] = np.linalg.lstsq(matrix[np.ix_(pressing, pressing)], -rates[pressing], rcond=None)[0]
        violation = -min(forces.min(initial=0.0), (matrix @ forces + rates).min(initial=0.0))
        if violation < best:
            best, found = violation, forces
    return found
