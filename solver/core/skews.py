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

import numpy as np
from gsolve.parser.model import Model

from .bodies import Floats, Record, Records, Vector
from .body_points import NODE_POINT, add_force, arm_of, forces_on, separation, velocity_at
from .jit.kernels import kernel
from .vectors import cross, dot, minus, opposite, plus, row, scaled

GLOBAL_AXES = -1


SKEW = np.dtype(
    [
        ("moving", "i8"),  # 1 for /SKEW/MOV
        ("direction", "i8"),  # axis along N1-N2
        ("axes", "f8", (3, 3)),  # at t = 0
        ("node_1", NODE_POINT),  # N1, N2, N3 of a moving skew
        ("node_2", NODE_POINT),
        ("node_3", NODE_POINT),
    ],
    align=True,
)


def build_skews(model: Model, points: Records) -> tuple[Records, dict[int, int]]:
    """The model's skews as records, and the row of each skew id (id 0 is the global axes).

    points : NODE_POINT of each node, by its row
    """
    index_of = {0: GLOBAL_AXES}
    skews = np.zeros(len(model.skews), SKEW)
    for index, (skew_id, skew) in enumerate(model.skews.items()):
        index_of[skew_id] = index
        record = skews[index]
        record["moving"], record["axes"], record["direction"] = skew.moving, skew.axes, skew.direction
        if skew.moving:
            record["node_1"], record["node_2"], record["node_3"] = points[skew.nodes]
    return skews, index_of


@kernel
def skew_axes(skews: Records, index: int, bodies: Records, out: Floats) -> None:
    """Axes of a skew at t_n; out (3, 3), rows X', Y', Z'."""
    if not is_moving(skews, index):
        for i in range(3):
            for j in range(3):
                out[i, j] = skews[index].axes[i, j] if index >= 0 else (1.0 if i == j else 0.0)
        return
    skew = skews[index]
    along, across = edges_of(skew, bodies, False)
    u, v, w = triad(along, across)
    i = skew.direction
    for k in range(3):
        out[i, k] = u[k]
        out[(i + 1) % 3, k] = v[k]
        out[(i + 2) % 3, k] = w[k]


@kernel(inline=True)
def is_moving(skews: Records, index: int) -> bool:
    """Whether nodes carry the axes."""
    return index >= 0 and skews[index].moving == 1


@kernel
def middle_axis(skew: Record, component: int, bodies: Records) -> Vector:
    """One axis of a moving skew whose nodes are half-way between t_n and their trial positions."""
    along, across = edges_of(skew, bodies, False)
    next_along, next_across = edges_of(skew, bodies, True)
    u, v, w = triad(plus(along, next_along), plus(across, next_across))
    place = (component - skew.direction) % 3
    return u if place == 0 else v if place == 1 else w


@kernel(inline=True)
def triad(along: Vector, across: Vector) -> tuple[Vector, Vector, Vector]:
    """Axes u, v, w on two edges of any length."""
    u = scaled(1.0 / math.sqrt(dot(along, along)), along)
    normal = cross(u, across)
    w = scaled(1.0 / math.sqrt(dot(normal, normal)), normal)
    return u, cross(w, u), w


@kernel(inline=True)
def edges_of(skew: Record, bodies: Records, trial: bool) -> tuple[Vector, Vector]:
    """N2 - N1 and N3 - N1 of a moving skew."""
    n1, n2, n3 = skew.node_1, skew.node_2, skew.node_3
    body = bodies[n1.body]
    return separation(n1, body, n2, bodies[n2.body], trial), separation(n1, body, n3, bodies[n3.body], trial)


@kernel(inline=True)
def node_velocity(node: Record, bodies: Records) -> Vector:
    """Velocity of a node at the estimate of v_n at hand."""
    body = bodies[node.body]
    return velocity_at(arm_of(node, body, False), body)


@kernel
def skew_spin(skews: Records, index: int, bodies: Records, axes: Floats) -> Vector:
    """Angular velocity of the axes at t_n, global components; `axes` (3, 3) as `skew_axes` gives them."""
    if not is_moving(skews, index):
        return 0.0, 0.0, 0.0
    skew = skews[index]
    along, across = edges_of(skew, bodies, False)
    i = skew.direction
    u, v, w = row(axes, i), row(axes, (i + 1) % 3), row(axes, (i + 2) % 3)
    length, a, h = dot(along, u), dot(across, u), dot(across, v)
    v1 = node_velocity(skew.node_1, bodies)
    v21, v31 = minus(node_velocity(skew.node_2, bodies), v1), minus(node_velocity(skew.node_3, bodies), v1)
    spin_w = dot(v21, v) / length
    spin_v = -dot(v21, w) / length
    spin_u = (dot(v31, w) + a * spin_v) / h
    return plus(plus(scaled(spin_u, u), scaled(spin_v, v)), scaled(spin_w, w))


@kernel
def add_couple_on_skew(skews: Records, index: int, bodies: Records, axes: Floats, couple: Vector, kind: int) -> None:
    """Add a couple that acts on the axes of a moving skew to the forces of a kind on the bodies of its nodes.

    kind : as for `forces_on`.  A couple on axes fixed in space is taken by the ground, as every force on body 0 is.
    """
    if not is_moving(skews, index):
        return
    skew = skews[index]
    along, across = edges_of(skew, bodies, False)
    i = skew.direction
    u, v, w = row(axes, i), row(axes, (i + 1) % 3), row(axes, (i + 2) % 3)
    length, a, h = dot(along, u), dot(across, u), dot(across, v)
    couple_u, couple_v, couple_w = dot(couple, u), dot(couple, v), dot(couple, w)
    on_3 = scaled(couple_u / h, w)
    on_2 = plus(scaled(couple_w / length, v), scaled(-(couple_v + couple_u * a / h) / length, w))
    add_to_node(skew.node_3, bodies, on_3, kind)
    add_to_node(skew.node_2, bodies, on_2, kind)
    add_to_node(skew.node_1, bodies, opposite(plus(on_2, on_3)), kind)


@kernel(inline=True)
def add_to_node(node: Record, bodies: Records, force: Vector, kind: int) -> None:
    """Add a force at a node to those of a kind on its body."""
    body = bodies[node.body]
    add_force(forces_on(body, kind), arm_of(node, body, False), force)
