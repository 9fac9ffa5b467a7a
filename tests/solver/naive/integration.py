"""Twins of integration/: the passes of a step over one body, and what a sample says of it.

A body is a cloud of point masses, so that momenta and energies are the sums that define them.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from naive import core as twin
from naive import cross_matrix, incremental_rotation


def set_cloud(body, masses, places, pivot=None):
    """Make a body of point masses (n,) at places (n, 3) at t = 0; its reference point is its mass centre or a pivot."""
    centre = masses @ places / masses.sum()
    body["centre"] = centre if pivot is None else pivot
    body["mass"], body["inverse_mass"] = masses.sum(), 1.0 / masses.sum() if pivot is None else 0.0
    body["mass_arm"] = centre - body["centre"]
    arms = places - body["centre"]
    body["inertia"] = sum(m * cross_matrix(arm).T @ cross_matrix(arm) for m, arm in zip(masses, arms, strict=True))
    body["inverse_inertia"] = np.linalg.inv(body["inertia"])
    return arms


def kicked(body, kick):
    """Velocity and angular momentum after the forces of t_n have acted for the time `kick`."""
    forces = body["elastic"] + body["external"] + body["dissipative"]
    velocity, momentum = body["velocity"].copy(), body["momentum"].copy()
    if body["inverse_mass"] > 0.0:
        velocity += kick * (forces[:3] * body["inverse_mass"] + body["gravity"])
    if body["turning"]:
        weight = body["mass"] * body["gravity"]
        momentum += kick * (forces[3:] + np.cross(body["rotation"] @ body["mass_arm"], weight))
    return velocity, momentum


def drifted(body, dt):
    """Displacement, rotation matrix and rotation vector (body axes) of the step, from the trial velocities."""
    displacement = body["displacement"] + body["low_displacement"] + dt * body["trial_velocity"]
    if not body["turning"]:
        return displacement, body["rotation"], np.zeros(3)
    theta = incremental_rotation(body["inertia"], body["rotation"].T @ body["trial_momentum"], dt)
    return displacement, twin.turned(body["rotation"], theta), theta


def sample(body, masses, arms, dt, previous_dt):
    """What a sample says of a body at t_n, between the half steps before and after it."""
    share = previous_dt / (previous_dt + dt)  # t_n lies so far between the two

    def at_n(old, new):
        return (1.0 - share) * old + share * new

    def rate(old, new):
        return (new - old) / (0.5 * (previous_dt + dt))

    old_velocity, velocity = body["velocity"], body["trial_velocity"]
    old_momentum, momentum = body["momentum"], body["trial_momentum"]
    v, l = at_n(old_velocity, velocity), at_n(old_momentum, momentum)
    a, m = rate(old_velocity, velocity), rate(old_momentum, momentum)
    omega = twin.angular_velocity(body, l)
    turned = arms @ body["rotation"].T
    reference = body["centre"] + body["displacement"]
    places, start = reference + turned, body["centre"] + arms
    velocities = v + np.cross(omega, turned)
    return {
        "displacement": body["displacement"],
        "quaternion": body["quaternion"],
        "velocity": v,
        "angular_velocity": omega,
        "acceleration": a,
        "angular_acceleration": twin.angular_velocity(body, m - np.cross(omega, l)),
        "turned": body["turned"],
        "kinetic_translational": 0.5 * body["mass"] * (velocity - dt * a) @ velocity,
        "kinetic_rotational": 0.5 * (momentum - dt * m) @ twin.angular_velocity(body, momentum),
        "gravity": -sum(mass * body["gravity"] @ moved for mass, moved in zip(masses, places - start, strict=True)),
        "momentum": masses @ velocities,
        "angular_momentum": masses @ np.cross(places, velocities),
    }


def rotation_of(quaternion):
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def reaction_at_node(wrench, arm):
    """Force and moment about a node of a wrench about the reference point of the body that carries it, `arm` away."""
    force, moment = wrench[:3], wrench[3:]
    return np.concatenate([force, moment - np.cross(arm, force)])
