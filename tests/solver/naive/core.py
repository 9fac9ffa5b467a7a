"""Twins of core/: vectors and points on bodies, functions and their derivatives, axes of skews, rotations.

What is differentiated here takes complex numbers too: f(x + i h) = f(x) + i h f'(x) has no cancellation, so that h may
be so small that the derivative is good to round-off (the complex step).
"""

from __future__ import annotations

import cmath
import math
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from naive import cross

COMPLEX_STEP = 1e-30

# ---- points on bodies ------------------------------------------------------------------------------------------


class Motion(NamedTuple):
    """Motion of all bodies at one time, global components; body 0 is the ground."""

    displacement: np.ndarray  # (nb, 3) of the reference point, from t = 0
    rotation: np.ndarray  # (nb, 3, 3) body axes -> global axes
    velocity: np.ndarray  # (nb, 3) of the reference point
    angular_velocity: np.ndarray  # (nb, 3)


class Points(NamedTuple):
    """Points that ride on bodies."""

    body: np.ndarray  # (np,)
    arm: np.ndarray  # (np, 3) from the reference point, body axes
    origin: np.ndarray  # (np, 3) position at t = 0, global


def arm(motion, points, point):
    return motion.rotation[points.body[point]] @ points.arm[point]


def position(motion, points, point):
    """Where the reference point of its body was at t = 0, how far that has moved, and the arm as it is turned now."""
    centre = points.origin[point] - points.arm[point] + motion.displacement[points.body[point]]
    return centre + arm(motion, points, point)


def velocity(motion, points, point):
    body = points.body[point]
    return motion.velocity[body] + cross(motion.angular_velocity[body], arm(motion, points, point))


def wrench_of_force(motion, points, point, force):
    """Force and moment (nb, 6) about the reference points."""
    wrench = np.zeros((len(motion.displacement), 6))
    wrench[points.body[point]] = [*force, *cross(arm(motion, points, point), force)]
    return wrench


def angular_velocity(body, momentum):
    """I omega = L in body axes; nothing turns without an inertia."""
    if not body["turning"]:
        return np.zeros(3)
    rotation = body["rotation"]
    return rotation @ np.linalg.solve(body["inertia"], rotation.T @ momentum)


# ---- functions -------------------------------------------------------------------------------------------------


def segment(x, t):
    """Number of the segment in which t lies; the end segments take what is beyond."""
    found = 0
    for k in range(len(x) - 1):
        if complex(t).real >= x[k]:
            found = k
    return found


def table(x, y, t):
    """Straight lines through the points, the end ones extended."""
    if len(x) == 1:
        return y[0] + 0 * t
    k = segment(x, t)
    return y[k] + (y[k + 1] - y[k]) * (t - x[k]) / (x[k + 1] - x[k])


def smooth(x, y, t):
    """Quintics with level ends between the points, level beyond them."""
    place = complex(t).real
    if place <= x[0] or place >= x[-1]:
        return (y[0] if place <= x[0] else y[-1]) + 0 * t
    k = segment(x, t)
    u = (t - x[k]) / (x[k + 1] - x[k])
    return y[k] + (y[k + 1] - y[k]) * (10 * u**3 - 15 * u**4 + 6 * u**5)


def _real_part(chosen):
    return lambda *numbers: chosen(numbers, key=lambda number: complex(number).real)


def _positive(function):
    def checked(x):
        if complex(x).real <= 0.0:  # a root of zero has no slope
            raise ValueError("not defined")
        return function(x)

    return checked


def _step(x, x0, h0, x1, h1):
    u = (x - x0) / (x1 - x0)
    u = 0 * u if complex(u).real <= 0.0 else 0 * u + 1 if complex(u).real >= 1.0 else u
    return h0 + (h1 - h0) * u * u * (3 - 2 * u)


NAMES = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "exp": cmath.exp, "log": _positive(cmath.log),
    "sqrt": _positive(cmath.sqrt), "abs": lambda x: x if complex(x).real > 0.0 else -x, "min": _real_part(min),
    "max": _real_part(max), "step": _step,
}  # fmt: skip


def expression(text):
    """The function of t that Python reads in a formula of a deck."""
    formula = compile(text.replace("^", "**"), text, "eval")
    return lambda t: eval(formula, {"__builtins__": {}, **NAMES, "t": t})


def derivatives(function, t, h=1e-5):
    """f, f' and f'': the slope by the complex step, the curvature by central differences of it."""

    def slope(at):
        return complex(function(at + 1j * COMPLEX_STEP)).imag / COMPLEX_STEP

    return complex(function(complex(t))).real, slope(t), (slope(t + h) - slope(t - h)) / (2 * h)


# ---- skews -----------------------------------------------------------------------------------------------------


def moving_axes(nodes, direction):
    """Rows X', Y', Z' on three nodes (3, 3): axis `direction` along N1-N2, the next one towards N3."""
    return axes_on_edges(nodes[1] - nodes[0], nodes[2] - nodes[0], direction)


def axes_on_edges(along, across, direction):
    u = along / np.sqrt(np.sum(along * along))
    normal = cross(u, across)
    w = normal / np.sqrt(np.sum(normal * normal))
    axes = np.zeros((3, 3), dtype=u.dtype)
    axes[direction], axes[(direction + 1) % 3], axes[(direction + 2) % 3] = u, cross(w, u), w
    return axes


def spin_of_axes(nodes, velocities, direction):
    """Angular velocity of the axes on nodes that move: a' = spin x a for each of them, by the complex step."""
    axes = moving_axes(nodes, direction)
    rates = moving_axes(nodes + 1j * COMPLEX_STEP * velocities, direction).imag / COMPLEX_STEP
    return 0.5 * np.cross(axes, rates).sum(axis=0)


def couple_on_axes(motion, points, three, direction, couple):
    """Wrench (nb, 6) that does the power couple . spin at every motion of the bodies."""
    nodes = np.array([position(motion, points, point) for point in three])
    wrench = np.zeros((len(motion.displacement), 6))
    for body in range(len(wrench)):
        for component in range(6):
            unit = np.zeros((len(wrench), 6))
            unit[body, component] = 1.0
            moving = motion._replace(velocity=unit[:, :3], angular_velocity=unit[:, 3:])
            velocities = np.array([velocity(moving, points, point) for point in three])
            wrench[body, component] = couple @ spin_of_axes(nodes, velocities, direction)
    return wrench


# ---- rotations -------------------------------------------------------------------------------------------------


def half_angle_factors(angle):
    return math.cos(angle / 2), 0.5 * np.sinc(angle / (2 * math.pi))


def turned(rotation, theta):
    """R exp([theta]x)."""
    return rotation @ Rotation.from_rotvec(theta).as_matrix()


def share_of_kick(start, stop, t, dt, previous_dt):
    """Of the time of a kick, what lies between start and stop."""
    return sum(after - before for before, after in pieces_of_kick(start, stop, t, dt, previous_dt)) / (
        0.5 * (dt + previous_dt)
    )


def middle_of_kick(start, stop, t, dt, previous_dt):
    """The mean time of these pieces, after t."""
    pieces = list(pieces_of_kick(start, stop, t, dt, previous_dt))
    moments = sum((after - before) * ((before - t) + (after - t)) / 2 for before, after in pieces)
    return moments / sum(after - before for before, after in pieces)


def pieces_of_kick(start, stop, t, dt, previous_dt):
    """Of a kick, cut at start and stop, the pieces whose middle lies between these."""
    begin, end = t - previous_dt / 2, t + dt / 2
    cuts = sorted([begin, *(cut for cut in (start, stop) if begin < cut < end), end])
    return [(before, after) for before, after in pairwise(cuts) if start <= (before + after) / 2 < stop]


def sum_in_two_parts(a, b):
    """a + b as a number, and what that is off by, by exact fractions."""
    total = float(Fraction(a) + Fraction(b))
    return total, float(Fraction(a) + Fraction(b) - Fraction(total))
