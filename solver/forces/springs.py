"""Springs and dampers (/SPRING with /PROP/TYPE4 and TYPE8): forces, state and what is recorded of them.

A spring pulls node 1 with +F and node 2 with -F; elongation and force are positive in tension. Each degree of
freedom has the law of the property cards; x is the elongation, r its rate (both per initial length with Ileng = 1):

    without fct_1   F = K x                    + C r + Hscale f4(r/F)
    with fct_1      F = A f1(x/Ascale)         + f1(x/Ascale) (B ln max(1, |r/D|) + E f2(r/F)) + C r + Hscale f4(r/F)
                        the elastic part         the dissipative part, which sees the velocity v_n

TYPE4 has one degree of freedom, the distance of the nodes; without distance there is no direction, hence no force.

TYPE8 has six, in the axes of its skew. The translations are the components of (x_2 - x_1) less those at t = 0. The
rotations are the integrals of the components of (omega_2 - omega_1), so that shafts may turn many times. When axes
turn with angular velocity Omega, the rate of a translation is that of (v_2 - v_1 - Omega x (x_2 - x_1)), and the
couple (x_2 - x_1) x F acts on the axes: the nodes of a moving skew receive it (`skews.add_couple_on_skew`), so
that momentum, angular momentum and energy are kept exactly. Axes fixed in space pass it to the ground: between two
bodies that both move, such a spring is held in its directions from outside, and OpenRadioss treats it so too.
With Iequil = 1 both bodies hold one common point, half-way between the nodes at t = 0 (at the node of a body that
cannot turn, if there is one), and the spring acts there: the elongation is zero at t = 0 and no couple is left.

A spring that leaves [dmin, dmax] breaks for good. Sensors switch it: Isflag 0 on, 1 off, 2 as the sensor says, each
time with the current place as its unstretched one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Floats, Ints, Motion, Points, Vector, empty_arrays
from ..core.functions import FunctionTables, integral, value
from ..core.jit.kernels import kernel
from ..core.skews import Skews, add_couple_on_skew, skew_axes, skew_spin
from ..core.vectors import (
    add_force,
    add_moment,
    cross,
    displacement_of,
    dot,
    minus,
    plus,
    row,
    scaled,
    velocity_of,
)

AXIAL, GENERAL = 0, 1
OFF, ON, BROKEN = 0, 1, -1
NO_FUNCTION = -2  # -1 is the function that is 1 everywhere

# Columns of Springs.law, in the names of the cards, and of Springs.curves
K, C, A, B, D, E, F, ASCALE, HSCALE, DMIN, DMAX = range(11)
F1, F2, F4 = range(3)

RECORD = ("OFF", "FX", "FY", "FZ", "MX", "MY", "MZ", "LX", "LY", "LZ", "RX", "RY", "RZ", "IE", "LENGTH")


class Springs(NamedTuple):
    """Springs sorted by subsystem: what they are, then the state that the kernels keep."""

    number: Ints  # (ns,) row in Model.springs
    kind: Ints  # (ns,) AXIAL or GENERAL
    ends: Points  # (2 ns) where spring s holds its bodies: rows 2 s and 2 s + 1
    span: Floats  # (ns, 3) from end 1 to end 2 at t = 0
    unit: Floats  # (ns,) 1, or the initial length where the law is per unit length
    skew: Ints  # (ns,) row in Skews, -1 global
    window: Floats  # (ns, 2) on for window[0] <= t < window[1]
    restarts: Ints  # (ns,) 1 where switching on makes the current place the unstretched one
    law: Floats  # (ns, 6, 11) numbers of the six degrees of freedom, columns as below
    curves: Ints  # (ns, 6, 3) rows of f1, f2, f4 in FunctionTables, or NO_FUNCTION
    specials: Ints  # (ns,) 1 for special springs, see below
    number_of_specials: int

    status: Ints  # (ns,) OFF, ON or BROKEN
    axes: Floats  # (ns, 3, 3) rows; row 0 is the direction of an AXIAL spring
    separation: Floats  # (ns, 3) from end 1 to end 2
    twist: Floats  # (ns, 3) integrated relative rotation, in the axes
    reference: Floats  # (ns, 6) elongation at which the spring is unstretched
    elongation: Floats  # (ns, 6) less the reference
    growth: Floats  # (ns, 6) of the elongation over the step that led here
    curve_value: Floats  # (ns, 6) f1
    elastic: Floats  # (ns, 6) elastic force
    dissipative: Floats  # (ns, 6) dissipative force
    released: Floats  # (ns,) energy lost by breaking and switching off, less that gained by switching on


def no_springs() -> Springs:
    """The springs of a machine without any."""
    ends = Points(*empty_arrays("iff", (), (3,), (3,)))
    number, kind = empty_arrays("ii", (), ())
    laws = empty_arrays("ffififii", (3,), (), (), (2,), (), (6, 11), (6, 3), ())
    state = empty_arrays("iffffffffff", (), (3, 3), (3,), (3,), (6,), (6,), (6,), (6,), (6,), (6,), ())
    return Springs._make([number, kind, ends, *laws, 0, *state])


# Special springs have functions or axes that follow nodes.  Plain springs have loops of their own with everything
# inlined: a call takes longer than the arithmetic of a spring.


@kernel(inline=True)
def measure_springs(
    springs: Springs, first: int, last: int, points: Points, motion: Motion, step_rotation: Floats,
    tables: FunctionTables, skews: Skews, t: float,
) -> None:  # fmt: skip
    """Axes, elongations, status and elastic forces of the springs [first, last) at t; once a step, before the rest.

    step_rotation : (nb, 3) rotation vectors of the step that led here, global components (zero at the start)
    """
    _measure_plain(springs, first, last, motion, step_rotation, t)
    if springs.number_of_specials > 0:
        _measure_special(springs, first, last, points, motion, step_rotation, tables, skews, t)


@kernel(inline=True)
def add_spring_forces(
    springs: Springs, first: int, last: int, points: Points, motion: Motion, skews: Skews, elastic: Floats
) -> None:
    """Add the elastic forces of the springs [first, last), as measured, to elastic (nb, 6)."""
    _add_to_bodies(springs, first, last, springs.elastic, motion, elastic)
    if springs.number_of_specials > 0:
        _add_couples(springs, first, last, springs.elastic, points, motion, skews, elastic)


@kernel(inline=True)
def add_spring_dampers(
    springs: Springs, first: int, last: int, points: Points, motion: Motion, tables: FunctionTables, skews: Skews,
    dissipative: Floats,
) -> None:  # fmt: skip
    """Add the dissipative forces at the velocities of `motion` to dissipative (nb, 6), as often as those change."""
    _damp_plain(springs, first, last, motion)
    if springs.number_of_specials > 0:
        _damp_special(springs, first, last, points, motion, tables, skews)
    _add_to_bodies(springs, first, last, springs.dissipative, motion, dissipative)
    if springs.number_of_specials > 0:
        _add_couples(springs, first, last, springs.dissipative, points, motion, skews, dissipative)


@kernel(inline=True)
def _is_special(springs: Springs, s: int) -> bool:
    return bool(springs.specials[s] == 1)


@kernel(inline=True)
def _axes_move(springs: Springs, s: int, skews: Skews) -> bool:
    return springs.skew[s] >= 0 and skews.moving[springs.skew[s]] == 1


@kernel(inline=True)
def _dofs(springs: Springs, s: int) -> int:
    return 1 if springs.kind[s] == AXIAL else 6


@kernel(inline=True)
def _axis(springs: Springs, s: int, i: int) -> Vector:
    return springs.axes[s, i, 0], springs.axes[s, i, 1], springs.axes[s, i, 2]


@kernel(inline=True)
def _measure_plain(springs: Springs, first: int, last: int, motion: Motion, step_rotation: Floats, t: float) -> None:
    for s in range(first, last):
        if _is_special(springs, s):
            continue
        _keep_elongation(springs, s)
        u = _measure_separation(springs, s, motion)
        if springs.kind[s] == AXIAL:
            _measure_axial(springs, s, u)
        else:
            _measure_in_fixed_axes(springs, s, u, step_rotation)
        before = springs.status[s]
        _switch(springs, s, t)
        for i in range(_dofs(springs, s)):
            springs.elastic[s, i] = springs.law[s, i, K] * springs.elongation[s, i] / springs.unit[s]
        if springs.status[s] != before:
            _book_switch(springs, s, before, _linear_energy(springs, s))


@kernel(inline=True)
def _measure_special(
    springs: Springs, first: int, last: int, points: Points, motion: Motion,
    step_rotation: Floats, tables: FunctionTables, skews: Skews, t: float,
) -> None:  # fmt: skip
    for s in range(first, last):
        if not _is_special(springs, s):
            continue
        _keep_elongation(springs, s)
        u = _measure_separation(springs, s, motion)
        if springs.kind[s] == AXIAL:
            _measure_axial(springs, s, u)
        elif _axes_move(springs, s, skews):
            _measure_in_moving_axes(springs, s, points, motion, step_rotation, skews)
        else:
            _measure_in_fixed_axes(springs, s, u, step_rotation)
        before = springs.status[s]
        _switch(springs, s, t)
        for i in range(_dofs(springs, s)):
            x = springs.elongation[s, i] / springs.unit[s]
            if springs.curves[s, i, F1] == NO_FUNCTION:
                springs.elastic[s, i] = springs.law[s, i, K] * x
            else:
                springs.curve_value[s, i] = value(tables, springs.curves[s, i, F1], x / springs.law[s, i, ASCALE])
                springs.elastic[s, i] = springs.law[s, i, A] * springs.curve_value[s, i]
        if springs.status[s] != before:
            _book_switch(springs, s, before, _curved_energy(springs, s, tables))


@kernel(inline=True)
def _measure_separation(springs: Springs, s: int, motion: Motion) -> Vector:
    """Sets the separation; returns its change since t = 0."""
    u = minus(displacement_of(motion, springs.ends, 2 * s + 1), displacement_of(motion, springs.ends, 2 * s))
    for k in range(3):
        springs.separation[s, k] = springs.span[s, k] + u[k]
    return u


@kernel(inline=True)
def _measure_axial(springs: Springs, s: int, u: Vector) -> None:
    span, d = row(springs.span, s), row(springs.separation, s)
    length, initial = math.sqrt(dot(d, d)), math.sqrt(dot(span, span))
    total = length + initial
    # length - initial without its cancellation
    springs.elongation[s, 0] = (2.0 * dot(span, u) + dot(u, u)) / total if total > 0.0 else 0.0
    for k in range(3):
        springs.axes[s, 0, k] = d[k] / length if length > 0.0 else 0.0


@kernel(inline=True)
def _relative_turn(springs: Springs, s: int, step_rotation: Floats) -> Vector:
    return minus(row(step_rotation, springs.ends.body[2 * s + 1]), row(step_rotation, springs.ends.body[2 * s]))


@kernel(inline=True)
def _measure_in_fixed_axes(springs: Springs, s: int, u: Vector, step_rotation: Floats) -> None:
    turn = _relative_turn(springs, s, step_rotation)
    for i in range(3):
        axis = _axis(springs, s, i)
        springs.twist[s, i] += dot(axis, turn)
        springs.elongation[s, i] = dot(axis, u)
        springs.elongation[s, i + 3] = springs.twist[s, i]


@kernel(inline=True)
def _measure_in_moving_axes(
    springs: Springs, s: int, points: Points, motion: Motion, step_rotation: Floats, skews: Skews
) -> None:
    """As in fixed axes, with the relative rotation of the step in the mean of the old and the new axes."""
    turn, skew = _relative_turn(springs, s, step_rotation), springs.skew[s]
    span, d = row(springs.span, s), row(springs.separation, s)
    for i in range(3):
        springs.twist[s, i] += 0.5 * dot(_axis(springs, s, i), turn)
    skew_axes(skews, skew, motion, points, springs.axes[s])
    for i in range(3):
        axis = _axis(springs, s, i)
        springs.twist[s, i] += 0.5 * dot(axis, turn)
        springs.elongation[s, i] = dot(axis, d) - dot(row(skews.axes[skew], i), span)
        springs.elongation[s, i + 3] = springs.twist[s, i]


@kernel(inline=True)
def _keep_elongation(springs: Springs, s: int) -> None:
    for i in range(_dofs(springs, s)):
        springs.growth[s, i] = springs.elongation[s, i] + springs.reference[s, i]


@kernel(inline=True)
def _switch(springs: Springs, s: int, t: float) -> None:
    """Sensor and rupture: the status, the unstretched place, the elongation from there and its growth in the step."""
    on = springs.window[s, 0] <= t < springs.window[s, 1]
    if on and springs.status[s] == OFF and springs.restarts[s] == 1:
        for i in range(6):
            springs.reference[s, i] = springs.elongation[s, i]
    whole = True
    for i in range(_dofs(springs, s)):
        springs.growth[s, i] = springs.elongation[s, i] - springs.growth[s, i]
        springs.elongation[s, i] -= springs.reference[s, i]
        whole = whole and springs.law[s, i, DMIN] <= springs.elongation[s, i] <= springs.law[s, i, DMAX]
    if springs.status[s] != BROKEN:
        springs.status[s] = (ON if whole else BROKEN) if on else OFF


@kernel(inline=True)
def _book_switch(springs: Springs, s: int, before: int, stored: float) -> None:
    """Energy released by a change of status, given what the spring would store now.

    A force F_n does the work F_n . (x_n - x_{n-1})/2 on the step to t_n, and as much on the next one.  A spring that
    lets go at t_n has not done the first half, so this is not lost; one that is switched on has.
    """
    if before != ON and springs.status[s] != ON:
        return
    for i in range(_dofs(springs, s)):
        stored -= 0.5 * springs.elastic[s, i] * springs.growth[s, i]
    springs.released[s] += stored if before == ON else -stored


@kernel(inline=True)
def spring_energy(springs: Springs, s: int, tables: FunctionTables) -> float:
    """Work stored in the elastic part of spring s at its elongation, as if it were on."""
    return _stored_energy(springs, s, tables)


@kernel(inline=True)
def _stored_energy(springs: Springs, s: int, tables: FunctionTables) -> float:
    return _curved_energy(springs, s, tables) if _is_special(springs, s) else _linear_energy(springs, s)


@kernel(inline=True)
def _linear_energy(springs: Springs, s: int) -> float:
    total = 0.0
    for i in range(_dofs(springs, s)):
        total += 0.5 * springs.law[s, i, K] * springs.elongation[s, i] * springs.elongation[s, i]
    return total / springs.unit[s]


@kernel(inline=True)
def _curved_energy(springs: Springs, s: int, tables: FunctionTables) -> float:
    total = 0.0
    for i in range(_dofs(springs, s)):
        x = springs.elongation[s, i] / springs.unit[s]
        if springs.curves[s, i, F1] == NO_FUNCTION:
            total += 0.5 * springs.law[s, i, K] * x * x
        else:
            scale = springs.law[s, i, ASCALE]
            total += springs.law[s, i, A] * scale * integral(tables, springs.curves[s, i, F1], 0.0, x / scale)
    return springs.unit[s] * total


@kernel(inline=True)
def _damp_plain(springs: Springs, first: int, last: int, motion: Motion) -> None:
    for s in range(first, last):
        if _is_special(springs, s) or springs.status[s] != ON:
            continue
        relative = minus(velocity_of(motion, springs.ends, 2 * s + 1), velocity_of(motion, springs.ends, 2 * s))
        if springs.kind[s] == AXIAL:
            rate = dot(_axis(springs, s, 0), relative)
            springs.dissipative[s, 0] = springs.law[s, 0, C] * rate / springs.unit[s]
        else:
            turning = _relative_turn(springs, s, motion.angular_velocity)
            for i in range(3):
                axis = _axis(springs, s, i)
                springs.dissipative[s, i] = springs.law[s, i, C] * dot(axis, relative)
                springs.dissipative[s, i + 3] = springs.law[s, i + 3, C] * dot(axis, turning)


@kernel(inline=True)
def _damp_special(
    springs: Springs,
    first: int,
    last: int,
    points: Points,
    motion: Motion,
    tables: FunctionTables,
    skews: Skews,
) -> None:
    for s in range(first, last):
        if not _is_special(springs, s) or springs.status[s] != ON:
            continue
        relative = minus(velocity_of(motion, springs.ends, 2 * s + 1), velocity_of(motion, springs.ends, 2 * s))
        if _axes_move(springs, s, skews):
            spin = skew_spin(skews, springs.skew[s], motion, points, springs.axes[s])
            relative = minus(relative, cross(spin, row(springs.separation, s)))
        turning = _relative_turn(springs, s, motion.angular_velocity)
        for i in range(_dofs(springs, s)):
            rate = dot(_axis(springs, s, i % 3), relative if i < 3 else turning)
            springs.dissipative[s, i] = _dissipative_force(springs, s, i, rate / springs.unit[s], tables)


@kernel(inline=True)
def _dissipative_force(springs: Springs, s: int, i: int, r: float, tables: FunctionTables) -> float:
    """What the law of degree of freedom i adds because of its rate r."""
    force = springs.law[s, i, C] * r
    if springs.curves[s, i, F4] != NO_FUNCTION:
        force += springs.law[s, i, HSCALE] * value(tables, springs.curves[s, i, F4], r / springs.law[s, i, F])
    if springs.curves[s, i, F1] != NO_FUNCTION:
        gain = 0.0
        if springs.law[s, i, B] != 0.0:
            gain += springs.law[s, i, B] * math.log(max(1.0, abs(r / springs.law[s, i, D])))
        if springs.curves[s, i, F2] != NO_FUNCTION:
            gain += springs.law[s, i, E] * value(tables, springs.curves[s, i, F2], r / springs.law[s, i, F])
        force += springs.curve_value[s, i] * gain
    return force


@kernel(inline=True)
def _add_to_bodies(springs: Springs, first: int, last: int, force: Floats, motion: Motion, wrench: Floats) -> None:
    """Forces and moments (ns, 6) of the degrees of freedom on the two bodies of each spring."""
    for s in range(first, last):
        if springs.status[s] != ON:
            continue
        total = scaled(force[s, 0], _axis(springs, s, 0))
        if springs.kind[s] == GENERAL:
            total = _sum_over_axes(springs, s, force, 0)
            moment = _sum_over_axes(springs, s, force, 3)
            add_moment(wrench, springs.ends, 2 * s, moment)
            add_moment(wrench, springs.ends, 2 * s + 1, scaled(-1.0, moment))
        add_force(wrench, motion, springs.ends, 2 * s, total)
        add_force(wrench, motion, springs.ends, 2 * s + 1, scaled(-1.0, total))


@kernel(inline=True)
def _sum_over_axes(springs: Springs, s: int, force: Floats, start: int) -> Vector:
    total = scaled(force[s, start], _axis(springs, s, 0))
    total = plus(total, scaled(force[s, start + 1], _axis(springs, s, 1)))
    return plus(total, scaled(force[s, start + 2], _axis(springs, s, 2)))


@kernel(inline=True)
def _add_couples(
    springs: Springs,
    first: int,
    last: int,
    force: Floats,
    points: Points,
    motion: Motion,
    skews: Skews,
    wrench: Floats,
) -> None:
    """The couples of the forces on the nodes that carry moving axes."""
    for s in range(first, last):
        if springs.status[s] == ON and springs.kind[s] == GENERAL and _axes_move(springs, s, skews):
            couple = cross(row(springs.separation, s), _sum_over_axes(springs, s, force, 0))
            add_couple_on_skew(wrench, skews, springs.skew[s], motion, points, springs.axes[s], couple)


@kernel
def record_springs(springs: Springs, first: int, last: int, tables: FunctionTables, out: Floats) -> None:
    """Fill out (ns, len(RECORD)) with the springs [first, last) as last measured and damped.

    Columns as RECORD names them: 1 while the spring acts, six forces and moments and six elongations in the spring's
    axes (an AXIAL spring has the first of each), stored energy, distance of its ends.
    """
    for s in range(first, last):
        acts = springs.status[s] == ON
        out[s, 0] = 1.0 if acts else 0.0
        for i in range(6):
            out[s, 1 + i] = springs.elastic[s, i] + springs.dissipative[s, i] if acts else 0.0
            out[s, 7 + i] = springs.elongation[s, i]
        out[s, 13] = spring_energy(springs, s, tables) if acts else 0.0
        d = row(springs.separation, s)
        out[s, 14] = math.sqrt(dot(d, d))
