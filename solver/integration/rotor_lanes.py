"""Trains that move side by side, see `constraints.lanes`.  Called by address."""

from __future__ import annotations

from ..constraints.lanes import LANES, empty_lane, fill_fastest, fill_lane, step_lanes
from ..core.jit.kernels import kernel
from ..core.rotation import SMALL_SQUARED_ANGLE
from ..core.vectors import dot, vector_of
from .status import AGAIN, COMPLETED
from .system import System


@kernel
def move_lanes(system: System, s: int) -> int:
    """Steps of the trains from s on, as many as the record of the lanes says; AGAIN, and nothing is done, if not here.

    Lanes beyond the last train do what that does.
    """
    trains, subsystems = system.trains, system.subsystems
    lanes = trains.lanes[0]
    for i in range(LANES):
        k = s + min(i, lanes.count - 1)
        train, u = trains.trains[k], trains.spins[subsystems[k].first_spin]
        small = dot(vector_of(train.theta), vector_of(train.theta)) < 0.5 * SMALL_SQUARED_ANGLE
        if not small or subsystems[k].previous_dt != lanes.dt:
            return AGAIN
        fill_lane(lanes, i, train, u, trains.numbers)
        fill_fastest(lanes, i, train, trains.fastest, trains.rotors, trains.coefficients)
    if not step_lanes(lanes):
        return AGAIN
    for i in range(lanes.count):
        subsystem = subsystems[s + i]
        empty_lane(lanes, i, trains.trains[s + i], trains.spins[subsystem.first_spin])
        subsystem.largest_turn = max(subsystem.largest_turn, lanes.largest[i])
        subsystem.stretch = 1.0
    return COMPLETED
