"""The compiled time loop of subsystems whose steps are compositions of order 4 or 6.

Steps are those of the grid, and end as well at the times at which something may jump.  One that is too long, as its
rows are not met or gain energy, is taken in parts, and so are those after it until they may be whole again.
"""

from __future__ import annotations

import math

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from ..pieces import note_failure, sample_from
from ..status import AGAIN, COMPLETED, TOO_SHORT
from ..system import Samples, System
from .composition import compose_step, find_rates_at_hand
from .loop import starts_anew, take_sample
from .step import start_anew

SHORTEST = 2.0**-20  # part of a step
WHOLE = 1 - 1e-6  # of what is left, which a part may be


@kernel
def advance_composed(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) whose steps are compositions."""
    for s in range(first, last):
        clock = system.accurate.clocks[s]
        if clock.active == 0 or clock.order == 0:
            continue
        if clock.length == 0.0:
            clock.length = dt
        next_sample, status = sample_from(samples, step), COMPLETED
        for k in range(n_steps):
            status = begin_anew(system, s)
            if next_sample < len(samples.step) and samples.step[next_sample] == step + k:
                if status == COMPLETED:
                    find_rates_at_hand(system, s)
                    status = take_sample(system, samples, next_sample, chunk, s)
                next_sample += 1
            if status == COMPLETED:
                status = step_of_grid(system, s, time_0 + (step + k + 1 - step_0) * dt)
            if status != COMPLETED:
                note_failure(outcome, status, step + k, system.steps[s].culprit)
                break
    return COMPLETED


@kernel
def begin_anew(system: System, s: int) -> int:
    """Forces and drives after what may jump at the time of the clock, if something may."""
    clock = system.accurate.clocks[s]
    if not starts_anew(system, s):
        return COMPLETED
    clock.known = 0
    return start_anew(system, s)  # type: ignore[no-any-return]


@kernel
def step_of_grid(system: System, s: int, end: float) -> int:
    """From the time of the clock to that of the next step of the grid, in as many parts as it takes."""
    clock, events, status, parts = system.accurate.clocks[s], system.accurate.events, COMPLETED, 0
    least = SHORTEST * (end - clock.time)
    while end - clock.time > clock.least:
        stop = end
        if clock.next_event + 1 < len(events) and events[clock.next_event] < end - clock.least:
            stop = events[clock.next_event]
        whole = stop - clock.time
        h = whole if clock.part >= WHOLE * whole else whole / math.ceil(WHOLE * whole / clock.part)
        status = compose_step(system, s, h, stop if h == whole else clock.time + h)
        if status == AGAIN:
            clock.part, parts = 0.5 * h, parts + 1
            if clock.part < least:
                system.steps[s].culprit = clock.unmet
                return TOO_SHORT
            continue
        if status == COMPLETED and h != whole:
            clock.shortest, clock.part, parts = min(clock.shortest, h), 2.0 * clock.part, parts + 1
        elif clock.part < math.inf:
            clock.part = 2.0 * clock.part if clock.part < whole else math.inf
        if status == COMPLETED:
            status = begin_anew(system, s)
        if status != COMPLETED:
            return status
    clock.rejected += 1 if parts > 0 else 0
    return COMPLETED
