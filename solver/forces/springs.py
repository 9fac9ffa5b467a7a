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

import numpy as np

from ..core.bodies import Floats, Record, Records, Vector
from ..core.body_points import (
    DISSIPATIVE,
    ELASTIC,
    POINT,
    add_force,
    add_moment,
    arm_of,
    displacement_of,
    forces_on,
    spin_of,
    turn_of_last_step,
    velocity_at,
)
from ..core.functions import FunctionTables, integral, value, value_and_derivatives
from ..core.jit.kernels import kernel
from ..core.skews import add_couple_on_skew, is_moving, skew_axes, skew_spin
from ..core.vectors import cross, dot, minus, opposite, plus, row, scaled, set_vector, vector_of
from ..core.windows import share_of_kick

AXIAL, GENERAL = 0, 1
OFF, ON, BROKEN = 0, 1, -1
NO_FUNCTION = -2  # -1 is the function that is 1 everywhere

# Columns of SPRING.law, in the names of the cards, and of SPRING.curves
K, C, A, B, D, E, F, ASCALE, HSCALE, DMIN, DMAX = range(11)
F1, F2, F4 = range(3)

RECORD = ("OFF", "FX", "FY", "FZ", "MX", "MY", "MZ", "LX", "LY", "LZ", "RX", "RY", "RZ", "IE", "LENGTH")

# What every spring needs in a step stands first; six numbers are those of the degrees of freedom, in their order.
SPRING = np.dtype(
    [
        ("special", "i8"),  # 1: it has functions, or axes that follow nodes
        ("kind", "i8"),  # AXIAL or GENERAL
        ("status", "i8"),  # OFF, ON or BROKEN
        ("restarts", "i8"),  # 1: switching on makes the current place the unstretched one
        ("end_1", POINT),  # where it holds its bodies
        ("end_2", POINT),
        ("arm_1", "f8", 3),  # of its ends at t_n, global
        ("arm_2", "f8", 3),
        ("span", "f8", 3),  # from end 1 to end 2 at t = 0
        ("separation", "f8", 3),  # at t_n
        ("unit", "f8"),  # 1, or the initial length where the law is per unit length
        ("window", "f8", 2),  # on for window[0] <= t < window[1]
        ("share", "f8"),  # of the kick at t_n in which it acts, see `share_of_kick`
        ("axes", "f8", (3, 3)),  # rows; row 0 is the direction of an AXIAL spring
        ("elongation", "f8", 6),  # less the reference
        ("reference", "f8", 6),  # elongation at which the spring is unstretched
        ("growth", "f8", 6),  # of the elongation over the step that led to t_n
        ("elastic", "f8", 6),  # elastic force of the kick at t_n
        ("dissipative", "f8", 6),  # dissipative force, likewise
        ("law", "f8", (6, 11)),  # numbers of the cards, columns as above
        ("twist", "f8", 3),  # integrated relative rotation, in the axes
        ("skew", "i8"),  # row in the skews, -1 global
        ("curves", "i8", (6, 3)),  # rows of f1, f2, f4 in FunctionTables, or NO_FUNCTION
        ("curve_value", "f8", 6),  # f1
        ("rate", "f8", 6),  # where it has functions
        ("released", "f8"),  # energy lost by breaking and switching off, less that gained by switching on
        ("number", "i8"),  # row in Model.springs
    ],
    align=True,
)


# What only special springs do is called, as few decks have them; all else is inlined: a call takes longer than the
# arithmetic of a spring.


@kernel(inline=True)
def measure_springs(
    springs: Records, first: int, last: int, bodies: Records, tables: FunctionTables, skews: Records, t: float,
    dt: float, previous_dt: float,
) -> None:  # fmt: skip
    """Axes, elongations, status and elastic forces of the springs [first, last) at t; once a step, before the rest.

    The elastic forces are added to those of the bodies.
    """
    specials = False
    for s in range(first, last):
        spring = springs[s]
        one, other = bodies[spring.end_1.body], bodies[spring.end_2.body]
        share = share_of_kick(spring.window[0], spring.window[1], t, dt, previous_dt)
        if spring.special == 1:
            specials = True
            _measure_special(spring, one, other, bodies, tables, skews, share)
        else:
            _measure_plain(spring, one, other, share)
        if spring.status == ON:
            _add_to_bodies(spring, spring.elastic, one, other, ELASTIC)
    if specials:
        _add_couples(springs, first, last, bodies, skews, ELASTIC)


@kernel(inline=True)
def add_spring_dampers(
    springs: Records, first: int, last: int, bodies: Records, tables: FunctionTables, skews: Records
) -> None:
    """Add the dissipative forces at the estimate of v_n at hand to those of the bodies, as often as that changes."""
    specials = False
    for s in range(first, last):
        spring = springs[s]
        if spring.status != ON:
            continue
        one, other = bodies[spring.end_1.body], bodies[spring.end_2.body]
        if spring.special == 1:
            specials = True
            _damp_special(spring, one, other, bodies, tables, skews)
        else:
            _damp_plain(spring, one, other)
        _add_to_bodies(spring, spring.dissipative, one, other, DISSIPATIVE)
    if specials:
        _add_couples(springs, first, last, bodies, skews, DISSIPATIVE)


@kernel(inline=True)
def _axes_move(spring: Record, skews: Records) -> bool:
    return spring.kind == GENERAL and is_moving(skews, spring.skew)


@kernel(inline=True)
def _dofs(spring: Record) -> int:
    return 1 if spring.kind == AXIAL else 6


@kernel(inline=True)
def _axis(spring: Record, i: int) -> Vector:
    return row(spring.axes, i)


# ---- at t_n --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _measure_plain(spring: Record, one: Record, other: Record, share: float) -> None:
    _keep_elongation(spring)
    u = _measure_separation(spring, one, other)
    if spring.kind == AXIAL:
        _measure_axial(spring, u)
    else:
        _measure_in_fixed_axes(spring, u, one, other)
    before = spring.share
    work = _switch(spring, share)
    for i in range(_dofs(spring)):
        spring.elastic[i] = spring.share * spring.law[i, K] * spring.elongation[i] / spring.unit
    if before != spring.share or before != 1.0:
        _release(spring, before, work, _linear_energy(spring, 1.0), _linear_energy(spring, 0.0))


@kernel
def _measure_special(
    spring: Record, one: Record, other: Record, bodies: Records, tables: FunctionTables, skews: Records, share: float
) -> None:
    _keep_elongation(spring)
    u = _measure_separation(spring, one, other)
    if spring.kind == AXIAL:
        _measure_axial(spring, u)
    elif _axes_move(spring, skews):
        _measure_in_moving_axes(spring, one, other, bodies, skews)
    else:
        _measure_in_fixed_axes(spring, u, one, other)
    before = spring.share
    work = _switch(spring, share)
    for i in range(_dofs(spring)):
        x = spring.elongation[i] / spring.unit
        if spring.curves[i, F1] == NO_FUNCTION:
            spring.elastic[i] = spring.share * spring.law[i, K] * x
        else:
            spring.curve_value[i] = value(tables, spring.curves[i, F1], x / spring.law[i, ASCALE])
            spring.elastic[i] = spring.share * spring.law[i, A] * spring.curve_value[i]
    if before != spring.share or before != 1.0:
        _release(spring, before, work, _curved_energy(spring, tables, 1.0), _curved_energy(spring, tables, 0.0))


@kernel(inline=True)
def _measure_separation(spring: Record, one: Record, other: Record) -> Vector:
    """Sets the arms of the ends and the separation; returns its change since t = 0."""
    arm_1, arm_2 = arm_of(spring.end_1, one, False), arm_of(spring.end_2, other, False)
    moved_1 = displacement_of(spring.end_1, arm_1, one, False)
    u = minus(displacement_of(spring.end_2, arm_2, other, False), moved_1)
    set_vector(spring.arm_1, arm_1)
    set_vector(spring.arm_2, arm_2)
    set_vector(spring.separation, plus(vector_of(spring.span), u))
    return u


@kernel(inline=True)
def _measure_axial(spring: Record, u: Vector) -> None:
    span, d = vector_of(spring.span), vector_of(spring.separation)
    length, initial = math.sqrt(dot(d, d)), math.sqrt(dot(span, span))
    total = length + initial
    # length - initial without its cancellation
    spring.elongation[0] = (2.0 * dot(span, u) + dot(u, u)) / total if total > 0.0 else 0.0
    for k in range(3):
        spring.axes[0, k] = d[k] / length if length > 0.0 else 0.0


@kernel(inline=True)
def _measure_in_fixed_axes(spring: Record, u: Vector, one: Record, other: Record) -> None:
    turn = minus(turn_of_last_step(other), turn_of_last_step(one))
    for i in range(3):
        axis = _axis(spring, i)
        spring.twist[i] += dot(axis, turn)
        spring.elongation[i] = dot(axis, u)
        spring.elongation[i + 3] = spring.twist[i]


@kernel(inline=True)
def _measure_in_moving_axes(spring: Record, one: Record, other: Record, bodies: Records, skews: Records) -> None:
    """As in fixed axes, with the relative rotation of the step in the mean of the old and the new axes."""
    turn = minus(turn_of_last_step(other), turn_of_last_step(one))
    span, d = vector_of(spring.span), vector_of(spring.separation)
    for i in range(3):
        spring.twist[i] += 0.5 * dot(_axis(spring, i), turn)
    skew_axes(skews, spring.skew, bodies, spring.axes)
    for i in range(3):
        axis = _axis(spring, i)
        spring.twist[i] += 0.5 * dot(axis, turn)
        spring.elongation[i] = dot(axis, d) - dot(row(skews[spring.skew].axes, i), span)
        spring.elongation[i + 3] = spring.twist[i]


@kernel(inline=True)
def _keep_elongation(spring: Record) -> None:
    for i in range(_dofs(spring)):
        spring.growth[i] = spring.elongation[i] + spring.reference[i]


@kernel(inline=True)
def _switch(spring: Record, share: float) -> float:
    """Sensor and rupture: status, share, the unstretched place, the elongation from there and its growth in the step.

    Returns the work that the forces of t_{n-1} do on the step that led to t_n: half of F_{n-1} . (x_n - x_{n-1}).
    """
    if share > 0.0 and spring.status == OFF and spring.restarts == 1:
        for i in range(6):
            spring.reference[i] = spring.elongation[i]
    whole, work = True, 0.0
    for i in range(_dofs(spring)):
        spring.growth[i] = spring.elongation[i] - spring.growth[i]
        spring.elongation[i] -= spring.reference[i]
        work += 0.5 * spring.elastic[i] * spring.growth[i]
        whole = whole and spring.law[i, DMIN] <= spring.elongation[i] <= spring.law[i, DMAX]
    if spring.status != BROKEN:
        spring.status = (ON if whole else BROKEN) if share > 0.0 else OFF
    spring.share = share if spring.status == ON else 0.0
    return work


@kernel(inline=True)
def _release(spring: Record, before: float, work: float, stored_before: float, stored: float) -> None:
    """Energy that is lost because a spring did not act in all of the last kick and of that at hand.

    What it stored less what it stores, less the work that it took in by the forces that did act.
    before : its share of the last kick; work : of those forces
    """
    for i in range(_dofs(spring)):
        work += 0.5 * spring.elastic[i] * spring.growth[i]
    spring.released += work + (stored_before if before > 0.0 else 0.0) - (stored if spring.share > 0.0 else 0.0)


@kernel(inline=True)
def spring_energy(spring: Record, tables: FunctionTables) -> float:
    """Work stored in the elastic part of a spring at its elongation, as if it were on."""
    return _curved_energy(spring, tables, 0.0) if spring.special == 1 else _linear_energy(spring, 0.0)


@kernel(inline=True)
def _linear_energy(spring: Record, back: float) -> float:
    """At t_n, or with back = 1 at t_{n-1}."""
    total = 0.0
    for i in range(_dofs(spring)):
        x = spring.elongation[i] - back * spring.growth[i]
        total += 0.5 * spring.law[i, K] * x * x
    return total / spring.unit


@kernel(inline=True)
def _curved_energy(spring: Record, tables: FunctionTables, back: float) -> float:
    """Likewise, with functions."""
    total = 0.0
    for i in range(_dofs(spring)):
        x = (spring.elongation[i] - back * spring.growth[i]) / spring.unit
        if spring.curves[i, F1] == NO_FUNCTION:
            total += 0.5 * spring.law[i, K] * x * x
        else:
            scale = spring.law[i, ASCALE]
            total += spring.law[i, A] * scale * integral(tables, spring.curves[i, F1], 0.0, x / scale)
    return spring.unit * total


# ---- at the estimate of v_n at hand --------------------------------------------------------------------------


@kernel(inline=True)
def _relative_velocity(spring: Record, one: Record, other: Record) -> Vector:
    """Of end 2 against end 1."""
    return minus(velocity_at(spring.arm_2, other), velocity_at(spring.arm_1, one))


@kernel(inline=True)
def _damp_plain(spring: Record, one: Record, other: Record) -> None:
    relative = _relative_velocity(spring, one, other)
    if spring.kind == AXIAL:
        spring.dissipative[0] = spring.share * spring.law[0, C] * dot(_axis(spring, 0), relative) / spring.unit
        return
    turning = minus(spin_of(other), spin_of(one))
    for i in range(3):
        axis = _axis(spring, i)
        spring.dissipative[i] = spring.share * spring.law[i, C] * dot(axis, relative)
        spring.dissipative[i + 3] = spring.share * spring.law[i + 3, C] * dot(axis, turning)


@kernel
def _damp_special(
    spring: Record, one: Record, other: Record, bodies: Records, tables: FunctionTables, skews: Records
) -> None:
    relative = _relative_velocity(spring, one, other)
    if _axes_move(spring, skews):
        spin = skew_spin(skews, spring.skew, bodies, spring.axes)
        relative = minus(relative, cross(spin, vector_of(spring.separation)))
    turning = minus(spin_of(other), spin_of(one))
    for i in range(_dofs(spring)):
        spring.rate[i] = dot(_axis(spring, i % 3), relative if i < 3 else turning) / spring.unit
        spring.dissipative[i] = spring.share * _dissipative_force(spring, i, spring.rate[i], tables)


@kernel(inline=True)
def _dissipative_force(spring: Record, i: int, r: float, tables: FunctionTables) -> float:
    """What the law of degree of freedom i adds because of its rate r."""
    law, curves = spring.law[i], spring.curves[i]
    force = law[C] * r
    if curves[F4] != NO_FUNCTION:
        force += law[HSCALE] * value(tables, curves[F4], r / law[F])
    if curves[F1] != NO_FUNCTION:
        gain = 0.0
        if law[B] != 0.0:
            gain += law[B] * math.log(max(1.0, abs(r / law[D])))
        if curves[F2] != NO_FUNCTION:
            gain += law[E] * value(tables, curves[F2], r / law[F])
        force += spring.curve_value[i] * gain
    return force


@kernel(inline=True)
def spring_damping(spring: Record, i: int, tables: FunctionTables) -> float:
    """How its dissipative force of degree of freedom i grows with the rate (not per initial length), as last found."""
    slope = _slope(spring, i, spring.rate[i], tables) if spring.special == 1 else spring.law[i, C]
    return spring.share * slope / spring.unit  # type: ignore[no-any-return]


@kernel
def _slope(spring: Record, i: int, r: float, tables: FunctionTables) -> float:
    """The derivative of `_dissipative_force`."""
    law, curves = spring.law[i], spring.curves[i]
    slope = law[C]
    if curves[F4] != NO_FUNCTION:
        slope += law[HSCALE] / law[F] * value_and_derivatives(tables, curves[F4], r / law[F])[1]
    if curves[F1] != NO_FUNCTION:
        gain = 0.0
        if law[B] != 0.0 and abs(r / law[D]) > 1.0:
            gain += law[B] / r
        if curves[F2] != NO_FUNCTION:
            gain += law[E] / law[F] * value_and_derivatives(tables, curves[F2], r / law[F])[1]
        slope += spring.curve_value[i] * gain
    return slope  # type: ignore[no-any-return]


# ---- on the bodies -------------------------------------------------------------------------------------------


@kernel(inline=True)
def _add_to_bodies(spring: Record, force: Floats, one: Record, other: Record, kind: int) -> None:
    """Forces and moments (6,) of the degrees of freedom, added to those of a kind on the two bodies."""
    on_one, on_other = forces_on(one, kind), forces_on(other, kind)
    total = scaled(force[0], _axis(spring, 0))
    if spring.kind == GENERAL:
        total = _sum_over_axes(spring, force, 0)
        moment = _sum_over_axes(spring, force, 3)
        add_moment(on_one, moment)
        add_moment(on_other, opposite(moment))
    add_force(on_one, spring.arm_1, total)
    add_force(on_other, spring.arm_2, opposite(total))


@kernel(inline=True)
def _sum_over_axes(spring: Record, force: Floats, start: int) -> Vector:
    total = scaled(force[start], _axis(spring, 0))
    total = plus(total, scaled(force[start + 1], _axis(spring, 1)))
    return plus(total, scaled(force[start + 2], _axis(spring, 2)))


@kernel
def _add_couples(springs: Records, first: int, last: int, bodies: Records, skews: Records, kind: int) -> None:
    """The couples of the forces on the nodes that carry moving axes."""
    for s in range(first, last):
        spring = springs[s]
        if spring.status == ON and _axes_move(spring, skews):
            force = spring.elastic if kind == ELASTIC else spring.dissipative
            couple = cross(vector_of(spring.separation), _sum_over_axes(spring, force, 0))
            add_couple_on_skew(skews, spring.skew, bodies, spring.axes, couple, kind)


@kernel
def record_springs(springs: Records, first: int, last: int, tables: FunctionTables, out: Floats) -> None:
    """Fill out (ns, len(RECORD)) with the springs [first, last) as last measured and damped.

    Columns as RECORD names them: 1 while the spring acts, six forces and moments and six elongations in the spring's
    axes (an AXIAL spring has the first of each), stored energy, distance of its ends.
    """
    for s in range(first, last):
        spring = springs[s]
        acts = spring.status == ON
        out[s, 0] = 1.0 if acts else 0.0
        for i in range(6):
            out[s, 1 + i] = spring.elastic[i] + spring.dissipative[i] if acts else 0.0
            out[s, 7 + i] = spring.elongation[i]
        out[s, 13] = spring_energy(spring, tables) if acts else 0.0
        d = vector_of(spring.separation)
        out[s, 14] = math.sqrt(dot(d, d))
