"""The automatic time step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model

from .system import System


@dataclass(frozen=True, slots=True)
class TimeStep:
    """A time step and why it is that long; imposed steps are never changed."""

    value: float
    reason: str
    imposed: bool


def choose_time_step(
    model: Model, system: System, t_end: float, sampling_interval: float, imposed: float | None
) -> TimeStep:
    """The step of a run: imposed on the command line or by /DTIX, or the largest that all limits allow."""
    engine = model.engine
    if imposed is not None:
        return TimeStep(imposed, "imposed on the command line", True)
    if engine.dt_initial is not None and engine.dt_initial == engine.dt_max:
        return TimeStep(engine.dt_initial, "imposed by /DTIX", True)
    spin = np.einsum("bij,bj->bi", system.bodies["inverse_inertia"], system.bodies["momentum"])
    fastest = float(np.sqrt((spin**2).sum(axis=1)).max(initial=0.0))
    limits = [(sampling_interval, "the sampling interval"), (t_end / 1000, "a thousandth of the run")]
    if fastest > 0:
        limits.append((0.02 / fastest, "0.02 rad a step of the fastest body"))
    value, reason = min(limits)
    return TimeStep(sampling_interval / math.ceil(sampling_interval / value - 1e-9), reason, False)
