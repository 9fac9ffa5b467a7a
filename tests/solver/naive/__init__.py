"""Slow and obvious NumPy twins of the kernels, written from the definitions.

Here is what several packages share, and joints; each module below is named after the package it is the twin of, but
`interfaces`, which is of contact/ too.
"""

from __future__ import annotations

import numpy as np
from joint_definitions import DEFINITIONS, Pair
from scipy.spatial.transform import Rotation

GAUSS_NODES, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(24)
STENCIL = 1e-5 * np.vstack([np.eye(3), -np.eye(3), np.zeros(3)])


def cross_matrix(v):
    """[v]x with [v]x a = v x a."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a, b):
    """a x b of two vectors; np.cross, made for arrays of them, takes ten times as long for one pair."""
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a, b
    return np.array([a_2 * b_3 - a_3 * b_2, a_3 * b_1 - a_1 * b_3, a_1 * b_2 - a_2 * b_1])


def mean_rotation(theta):
    """V(theta) = int_0^1 exp(-s [theta]x) ds, by quadrature; (n, 3, 3) of theta (n, 3)."""
    angles = 0.5 * (GAUSS_NODES + 1.0)
    vectors = -angles[:, None] * np.asarray(theta)[..., None, :]
    matrices = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape, 3)
    return np.einsum("k,...kij->...ij", 0.5 * GAUSS_WEIGHTS, matrices)


def incremental_rotation(inertia, momentum, h):
    """theta of inertia theta = h V(theta) momentum, by Newton's method with differences for the derivatives."""

    def left_over(theta):
        return theta @ inertia.T - h * mean_rotation(theta) @ momentum

    theta = h * np.linalg.solve(inertia, momentum)
    for _ in range(12):
        found = left_over(theta + STENCIL)
        change = np.linalg.solve((found[:3] - found[3:6]).T / 2e-5, found[6])
        theta = theta - change
        if np.linalg.norm(change) <= 1e-16 * np.linalg.norm(theta):
            break
    return theta


def quaternion(rotation):
    """Quaternion, w first, of a rotation matrix or scipy rotation."""
    rotation = rotation if isinstance(rotation, Rotation) else Rotation.from_matrix(rotation)
    return rotation.as_quat(scalar_first=True)


def place(bodies, points, point, prefix=""):
    """Position of a point less its place at t = 0, from the bodies' (trial_) displacement and rotation."""
    body, arm = bodies[points.body[point]], points.arm[point]
    return body[prefix + "displacement"] + body[prefix + "rotation"] @ arm - arm


def joint_rows(joint, triad, bodies):
    """Residuals of a joint as built (joint_rig.Built) at the trial positions, row by row in its order."""
    a, b = (bodies[body] for body in joint.bodies)
    x_i, x_j = (
        body["centre"] + body["trial_displacement"] + body["trial_rotation"] @ (node - body["centre"])
        for body, node in ((a, joint.node_i), (b, joint.node_j))
    )
    pair = Pair(
        joint.node_i, joint.node_j, *triad, joint.axis_j, a["trial_rotation"], b["trial_rotation"], x_i, x_j
    )  # fmt: skip
    return np.array(DEFINITIONS[joint.kind].rows(pair))


def dense_jacobian(rows, entries, n_bodies, name="jacobian"):
    """G (rows, 6 n_bodies), by the field of that name."""
    jacobian = np.zeros((len(rows), 6 * n_bodies))
    for i, row in enumerate(rows):
        for entry in entries[row["start"] : row["end"]]:
            at = 6 * entry["body"]
            jacobian[i, at : at + 6] += entry[name]
    return jacobian


def dense_inverse_mass(bodies):
    """M^-1 (6 n_bodies, 6 n_bodies), global axes."""
    inverse = np.zeros((6 * len(bodies), 6 * len(bodies)))
    for k, body in enumerate(bodies):
        at = 6 * k
        inverse[at : at + 3, at : at + 3] = body["inverse_mass"] * np.eye(3)
        turned = body["rotation"] @ body["inverse_inertia"] @ body["rotation"].T
        inverse[at + 3 : at + 6, at + 3 : at + 6] = turned
    return inverse


def rates(jacobian, velocities, spins):
    """G v for velocities (nb, 3) and angular velocities (nb, 3)."""
    return jacobian @ np.concatenate([velocities, spins], axis=1).ravel()


def move_trial(bodies, velocities, spins, h):
    """Trial positions of all bodies after the time h with constant global velocities."""
    for body, velocity, spin in zip(bodies, velocities, spins, strict=True):
        body["trial_displacement"] = body["displacement"] + h * velocity
        turned = Rotation.from_rotvec(h * spin) * Rotation.from_matrix(body["rotation"])
        body["trial_rotation"] = turned.as_matrix()
        body["trial_quaternion"] = quaternion(turned)
        body["theta"] = body["rotation"].T @ (h * spin)
