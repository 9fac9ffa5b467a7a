"""The law of an imposed motion: when it acts and what its coordinate q should be, whatever family q comes from.

A family of records that takes the fields of LAW shares these functions: conditions on nodes, drives of joints.

Target with f(t), value = y_scale f((t - t_0)/x_scale):
    DISPLACEMENT the value itself, or what is added to q where the motion took hold;
    VELOCITY the integral of the value since the motion took hold, exact over every step (no drift);
    ACCELERATION the step's velocity is the last one kicked by value(t_n), summed up.
The motion acts while t_start <= t < t_stop; outside that its row is released, with a multiplier of zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import functions
from ..core.bodies import Record
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.windows import AT_ONCE

FIXED, DISPLACEMENT, VELOCITY, ACCELERATION = 0, 1, 2, 3
UNCHANGED, TOOK_HOLD, RELEASED = 0, 1, 2
JUMP = 1e-9  # of the size of the machine, that a displacement may be off when it takes hold

LAW: list[Any] = [
    ("kind", "i8"),  # FIXED ...
    ("function", "i8"),  # index in the function tables
    ("absolute", "i8"),  # 1: a displacement that counts from 0, not from where it took hold
    ("active", "i8"),  # 1 where the row acts in this step
    ("x_scale", "f8"),
    ("y_scale", "f8"),
    ("t_start", "f8"),
    ("t_stop", "f8"),
    ("t_origin", "f8"),  # the time that the function's abscissa counts from
    ("held", "f8"),  # coordinate where the motion took hold
    ("held_velocity", "f8"),  # its rate there; that of an ACCELERATION at t_{n-1/2}
    ("target", "f8"),  # at t_n, from where the motion took hold
    ("target_step", "f8"),  # its growth over the step
    ("last_target_step", "f8"),  # and over the step before
    ("rate", "f8"),  # of the coordinate where the motion does not act: mean of the last step
    ("acceleration", "f8"),  # and from the step before to that
    ("released_work", "f8"),
    ("release", "f8"),  # force of the half kick that a motion still gives where it lets go, as if of the whole kick
]


@dataclass(frozen=True, slots=True)
class MotionLaw:
    """A law before it has a record; `window` is start, stop and the time that the function's abscissa counts from."""

    kind: int = FIXED
    function: int = -1
    scales: tuple[float, float] = (1.0, 1.0)
    window: tuple[float, float, float] = (-np.inf, np.inf, 0.0)
    absolute: bool = False

    def fields(self) -> dict[str, float]:
        """Values of the fields of LAW that are not zero at the start."""
        return {
            "kind": self.kind,
            "function": self.function,
            "absolute": int(self.absolute),
            "x_scale": self.scales[0],
            "y_scale": self.scales[1],
            "t_start": self.window[0],
            "t_stop": self.window[1],
            "t_origin": self.window[2],
        }


@kernel
def switch(law: Record, row: Record, t: float, dt: float, previous_dt: float, stretch: float) -> int:
    """Let the motion take hold or release its row as its window says; UNCHANGED, TOOK_HOLD or RELEASED.

    One that lets go at t has pushed in the first half of the kick at t: by the multiplier extrapolated to t.
    stretch : length of the last step, over that of the one before
    """
    now = t + AT_ONCE * dt  # steps end at starts and stops, but for rounding
    active = 1 if law.t_start <= now and now < law.t_stop else 0
    law.release = 0.0
    if active == law.active:
        return UNCHANGED
    law.active = active
    if active == 0 and previous_dt > 0.0:
        extrapolated = row.multiplier
        if row.previous_multiplier != 0.0:
            extrapolated += stretch * (row.multiplier - row.previous_multiplier)
        law.release = extrapolated * previous_dt / (previous_dt + dt)
    law.released_work += 0.5 * (row.multiplier + law.release) * law.last_target_step  # `work` finds no multiplier
    law.last_target_step = 0.0
    row.multiplier = 0.0
    row.previous_multiplier = 0.0
    return TOOK_HOLD if active == 1 else RELEASED


@kernel
def take_hold(law: Record, coordinate: float, previous_dt: float) -> None:
    """Start from the coordinate at t_n and its rate there, extrapolated; previous_dt as in `prepare_conditions`."""
    law.held = 0.0 if law.kind == DISPLACEMENT and law.absolute == 1 else coordinate
    law.held_velocity = law.rate + 0.5 * max(previous_dt, 0.0) * law.acceleration
    law.target = 0.0
    # what the coordinate did in the step before, on which half of the first force works
    law.last_target_step = max(previous_dt, 0.0) * law.rate


@kernel(inline=True)
def observe(law: Record, growth: float, dt: float, kick: float) -> None:
    """How the coordinate moves while the motion does not act: in the step at hand, and against the step before."""
    rate = growth / dt
    law.rate, law.acceleration = rate, (rate - law.rate) / kick


@kernel(inline=True)
def kick_of(switched: int, dt: float, previous_dt: float) -> float:
    """How long an acceleration acts in the kick at t_n: in its second half only, where it takes hold at t_n."""
    return 0.5 * dt if switched == TOOK_HOLD and previous_dt > 0.0 else 0.5 * (previous_dt + dt)


@kernel
def set_target_step(law: Record, tables: FunctionTables, t: float, dt: float, kick: float) -> None:
    """Growth of the target from t to t + dt."""
    x0 = (t - law.t_origin) / law.x_scale
    x1 = (t + dt - law.t_origin) / law.x_scale
    if law.kind == DISPLACEMENT:
        law.target = law.y_scale * functions.value(tables, law.function, x0)
        law.target_step = law.y_scale * functions.value(tables, law.function, x1) - law.target
    elif law.kind == VELOCITY:
        law.target_step = law.y_scale * law.x_scale * functions.integral(tables, law.function, x0, x1)
    else:
        law.held_velocity += kick * law.y_scale * functions.value(tables, law.function, x0)
        law.target_step = dt * law.held_velocity


@kernel
def jumps(law: Record, coordinate: float, size: float, dt: float) -> bool:
    """Whether a displacement that took hold is off its target by more than it travels in two steps."""
    if law.kind != DISPLACEMENT:
        return False
    gap = abs(coordinate - law.held - law.target)
    travel = dt * abs(law.held_velocity) + abs(law.target_step)
    return gap > 2 * travel + JUMP * size


@kernel(inline=True)
def is_released(law: Record) -> bool:
    return law.kind != FIXED and law.active == 0


@kernel(inline=True)
def next_target(law: Record) -> float:
    """Value that the coordinate should have at t_{n+1}; 0 for what is fixed."""
    return law.held + law.target + law.target_step


@kernel
def target_rate(law: Record, tables: FunctionTables, t: float) -> float:
    """Rate that the coordinate should have at time t."""
    if law.kind == FIXED or law.active == 0:
        return 0.0
    if law.kind == ACCELERATION:
        return law.held_velocity
    value, slope, _ = functions.value_and_derivatives(tables, law.function, (t - law.t_origin) / law.x_scale)
    return law.y_scale * value if law.kind == VELOCITY else law.y_scale * slope / law.x_scale


@kernel
def work(law: Record, row: Record) -> float:
    """Work over the step that led to t_n: (lambda_{n-1} + lambda_n)/2 times the target's growth; once a step."""
    done = 0.5 * (row.previous_multiplier + row.multiplier) * law.last_target_step + law.released_work
    law.released_work = 0.0
    return done


@kernel
def work_to_come(law: Record, growth: float) -> None:
    """Where a motion let go at t_n: what its last half kick does over the step at hand, in which it is not followed.

    growth : of the coordinate over the step
    """
    law.released_work += 0.5 * law.release * growth


@kernel
def commit_law(law: Record) -> None:
    """The target of t_{n+1} becomes that of t_n."""
    law.last_target_step = law.target_step if law.active == 1 else 0.0
    if (law.kind == VELOCITY or law.kind == ACCELERATION) and law.active == 1:
        law.target += law.target_step
