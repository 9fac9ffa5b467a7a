"""Axes of skews at a given time: fixed in space, or carried by three nodes.

Axes are rows: axes[0], axes[1], axes[2] are X', Y', Z' in global components. A skew index of -1 is the global axes.

A moving skew has its axis `direction` (call it u) along N1-N2, and the next axis in cyclic order (v) in the plane of
the three nodes, on N3's side; w = u x v. When its nodes move, the axes turn with an angular velocity that is linear in
the nodes' velocities; with L = |N2 - N1|, a and h the components of N3 - N1 along u and v, v_21 and v_31 relative
velocities,

    spin = ((v_31 . w) - (a/L) (v_21 . w))/h u - (v_21 . w)/L v + (v_21 . v)/L w .

A couple that acts on the axes is handed to the nodes as the forces that do the same power (the transpose), so that
whoever uses the axes keeps momentum and energy.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from gsolve.parser.model import Model

from .bodies import Floats, Ints, Motion, Points, Vector, empty_arrays
from .jit.kernels import kernel
from .vectors import add_force, cross, dot, minus, plus, row, scaled, separation, velocity_of

GLOBAL_AXES = -1


class Skews(NamedTuple):
    """All skews of the model, one a row."""

    moving: Ints  # (nk,) 1 for /SKEW/MOV
    axes: Floats  # (nk, 3, 3) at t = 0
    direction: Ints  # (nk,) axis along N1-N2
    points: Ints  # (nk, 3) rows of N1, N2, N3 in Points; -1 for fixed axes


def no_skews() -> Skews:
    """The skews of a model without any."""
    return Skews(*empty_arrays("ifii", (), (3, 3), (), (3,)))


def build_skews(model: Model, point_of_node: Ints) -> tuple[Skews, dict[int, int]]:
    """The model's skews as arrays, and the row of each skew id (id 0 is the global axes).

    point_of_node : (number of nodes,) row of each node in Points; must be set for the nodes of moving skews
    """
    index_of = {0: GLOBAL_AXES}
    count = len(model.skews)
    skews = Skews(
        moving=np.zeros(count, dtype=np.int64),
        axes=np.zeros((count, 3, 3)),
        direction=np.zeros(count, dtype=np.int64),
        points=np.full((count, 3), -1, dtype=np.int64),
    )
    for index, (skew_id, skew) in enumerate(model.skews.items()):
        index_of[skew_id] = index
        skews.moving[index] = skew.moving
        skews.axes[index] = skew.axes
        skews.direction[index] = skew.direction
        if skew.moving:
            skews.points[index] = point_of_node[skew.nodes]
    return skews, index_of


@kernel
def skew_axes(skews: Skews, index: int, motion: Motion, points: Points, out: Floats) -> None:
    """Axes of a skew now; out (3, 3), rows X', Y', Z'."""
    if index < 0 or skews.moving[index] == 0:
        for i in range(3):
            for j in range(3):
                out[i, j] = skews.axes[index, i, j] if index >= 0 else (1.0 if i == j else 0.0)
        return
    along, across = skew_edges(skews, index, motion, points)
    u, v, w = triad(along, across)
    i = skews.direction[index]
    for k in range(3):
        out[i, k] = u[k]
        out[(i + 1) % 3, k] = v[k]
        out[(i + 2) % 3, k] = w[k]


@kernel
def middle_axis(skews: Skews, index: int, component: int, motion: Motion, trial: Motion, points: Points) -> Vector:
    """One axis of a moving skew whose nodes are half-way between t_n (`motion`) and t_{n+1} (`trial`)."""
    along, across = skew_edges(skews, index, motion, points)
    next_along, next_across = skew_edges(skews, index, trial, points)
    u, v, w = triad(plus(along, next_along), plus(across, next_across))
    place = (component - skews.direction[index]) % 3
    return u if place == 0 else v if place == 1 else w


@kernel(inline=True)
def triad(along: Vector, across: Vector) -> tuple[Vector, Vector, Vector]:
    """Axes u, v, w on two edges of any length."""
    u = scaled(1.0 / math.sqrt(dot(along, along)), along)
    normal = cross(u, across)
    w = scaled(1.0 / math.sqrt(dot(normal, normal)), normal)
    return u, cross(w, u), w


@kernel(inline=True)
def skew_edges(skews: Skews, index: int, motion: Motion, points: Points) -> tuple[Vector, Vector]:
    """N2 - N1 and N3 - N1 of a moving skew."""
    n1, n2, n3 = skews.points[index, 0], skews.points[index, 1], skews.points[index, 2]
    return separation(motion, points, n1, n2), separation(motion, points, n1, n3)


@kernel
def skew_spin(skews: Skews, index: int, motion: Motion, points: Points, axes: Floats) -> Vector:
    """Angular velocity of the axes, global components; `axes` (3, 3) as `skew_axes` gives them now."""
    if index < 0 or skews.moving[index] == 0:
        return 0.0, 0.0, 0.0
    along, across = skew_edges(skews, index, motion, points)
    i = skews.direction[index]
    u, v, w = row(axes, i), row(axes, (i + 1) % 3), row(axes, (i + 2) % 3)
    length, a, h = dot(along, u), dot(across, u), dot(across, v)
    v1 = velocity_of(motion, points, skews.points[index, 0])
    v21 = minus(velocity_of(motion, points, skews.points[index, 1]), v1)
    v31 = minus(velocity_of(motion, points, skews.points[index, 2]), v1)
    spin_w = dot(v21, v) / length
    spin_v = -dot(v21, w) / length
    spin_u = (dot(v31, w) + a * spin_v) / h
    return plus(plus(scaled(spin_u, u), scaled(spin_v, v)), scaled(spin_w, w))


@kernel
def add_couple_on_skew(
    wrench: Floats, skews: Skews, index: int, motion: Motion, points: Points, axes: Floats, couple: Vector
) -> None:
    """Add a couple that acts on the axes of a moving skew to the bodies that carry its nodes; wrench (nb, 6).

    A couple on axes fixed in space is taken by the ground, as every force on body 0 is.
    """
    if index < 0 or skews.moving[index] == 0:
        return
    along, across = skew_edges(skews, index, motion, points)
    i = skews.direction[index]
    u, v, w = row(axes, i), row(axes, (i + 1) % 3), row(axes, (i + 2) % 3)
    length, a, h = dot(along, u), dot(across, u), dot(across, v)
    couple_u, couple_v, couple_w = dot(couple, u), dot(couple, v), dot(couple, w)
    on_3 = scaled(couple_u / h, w)
    on_2 = plus(scaled(couple_w / length, v), scaled(-(couple_v + couple_u * a / h) / length, w))
    add_force(wrench, motion, points, skews.points[index, 2], on_3)
    add_force(wrench, motion, points, skews.points[index, 1], on_2)
    add_force(wrench, motion, points, skews.points[index, 0], scaled(-1.0, plus(on_2, on_3)))
