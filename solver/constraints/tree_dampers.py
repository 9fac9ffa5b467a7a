"""Dampers in the matrix of Newton's method for trees, see `constraints.tree_matrix`.

A force -c r along a direction, r the rate at which its two ends move apart along it, sees r at t_n: the part `weight`
of it is that of the step at hand, which grows with the step of freedom k by G_k / h.  What the impulse takes from the
momenta along freedom j grows with it by

    kick weight / h  c g_j G_k

g_j is the rate by freedom j at t_n, G_k that by freedom k from the trial positions on: reference points move by
trial twists, while arms and directions stay those of t_n.  Both for all freedoms that move one end and not the other.
"""

from __future__ import annotations

import numpy as np

from ..core.bodies import Floats, Ints, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, plus, vector_of
from .tree_limbs import along_twist, omega_of

# One direction in which a spring or a force along a joint is damped.
DAMPER = np.dtype(
    [
        ("force", "i8"),  # spring or joint force
        ("direction", "i8"),  # degree of freedom of a spring
        ("first_moved", "i8"),
        ("last_moved", "i8"),
        ("first_place", "i8"),  # where its products go: row by row of the freedoms that it moves
    ],
    align=True,
)
# A freedom that moves one of the ends.
MOVED = np.dtype(
    [
        ("freedom", "i8"),
        ("limb", "i8"),  # of that end
        ("sign", "f8"),  # 1: node j of a joint, end 2 of a spring; -1 the other end
        ("share", "f8"),  # g
        ("growth", "f8"),  # G
    ],
    align=True,
)


@kernel(inline=True)
def set_shares(moved: Record, freedoms: Records, limbs: Records, arm: Vector, direction: Vector, turns: bool) -> None:
    """g and G of a freedom.

    arm : of the end that it moves, from the reference point of its body; turns : about the direction, not along it
    """
    freedom, limb = freedoms[moved.freedom], limbs[moved.limb]
    if turns:
        moved.share = moved.sign * dot(direction, omega_of(freedom.twist))
        moved.growth = moved.sign * dot(direction, omega_of(freedom.trial_twist))
    else:
        place = vector_of(limb.place)
        end, trial_end = plus(place, arm), plus(plus(place, vector_of(limb.shift)), arm)
        moved.share = moved.sign * along_twist(freedom.twist, direction, cross(end, direction))
        moved.growth = moved.sign * along_twist(freedom.trial_twist, direction, cross(trial_end, direction))


@kernel(inline=True)
def add_products(damper: Record, moved: Records, places: Ints, values: Floats, damping: float) -> None:
    """All products of a damper, times `damping`, to the matrix."""
    at = damper.first_place
    for j in range(damper.first_moved, damper.last_moved):
        share = damping * moved[j].share
        for k in range(damper.first_moved, damper.last_moved):
            values[places[at]] += share * moved[k].growth
            at += 1
