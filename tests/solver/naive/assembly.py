"""Twins of assembly/: the nearest positions and velocities that meet the rows, and solids that overlap at t = 0."""

from __future__ import annotations

import numpy as np

from naive import constraints, dense_inverse_mass
from naive import core as twin
from naive.interfaces import points_of

MOST_PASSES = 100
STILL_MOVES = 1e-15


def projected_velocities(bodies, jacobian, wanted):
    """Velocities and angular momenta that meet G v = wanted, nearest by kinetic energy, and the work of what wants.

    wanted : (nr,) rates
    """
    spins = np.array([twin.angular_velocity(body, body["momentum"]) for body in bodies])
    missing = wanted - jacobian @ np.hstack([bodies["velocity"], spins]).ravel()
    inverse_mass = dense_inverse_mass(bodies)
    change = constraints.velocity_change(jacobian, inverse_mass, missing).reshape(-1, 6)
    impulses = np.linalg.lstsq(jacobian @ inverse_mass @ jacobian.T, missing, rcond=1e-10)[0]
    momenta = bodies["momentum"] + (jacobian.T @ impulses).reshape(-1, 6)[:, 3:]
    return bodies["velocity"] + change[:, :3], momenta, impulses @ wanted


def close_gaps(machine):
    """Move the bodies of a twin of a machine (naive.integration.Machine) to the nearest positions that meet its rows.

    The motion from where they were built is M^-1 G^T mu with G of the positions reached: G is found anew from there
    until nothing moves.
    """
    bodies, places = machine.bodies, ("displacement", "rotation")
    for name in ("velocity", "momentum", "gravity"):
        bodies[name] = 0.0
    machine.dt = machine.kick = 1.0
    machine.jacobian = machine.slopes_of_rows()
    for _ in range(MOST_PASSES):
        before = bodies["trial_displacement"].copy()
        machine.multipliers = np.zeros(len(machine.jacobian))
        machine.meet_rows()
        machine.drift_all()
        if np.abs(bodies["trial_displacement"] - before).max() < STILL_MOVES:
            return
        built = {name: bodies[name].copy() for name in places}
        reached = {name: bodies["trial_" + name].copy() for name in places}
        for name in places:
            bodies[name] = reached[name]
        machine.jacobian = machine.slopes_of_rows()
        for name in places:
            bodies[name], bodies["trial_" + name] = built[name], reached[name]
    raise AssertionError("the positions go on moving")


def overlaps(interface, machine):
    """Greatest penetration of each pair of solids of an interface (naive.interfaces.Interface) that touches."""
    found = {}
    for pair, one, other in interface.pairs():
        points = points_of(one, other, lambda solid: interface.place(machine, solid))
        if points:
            found[pair] = max(point[2] for point in points)
    return found
