"""The time step of a run: imposed, or the longest that all limits allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model

from .stability import StableStep, spring_directions, stable_step
from .system import System

SAFETY = 0.9  # of the stable step, as /DT has by default
TURN_PER_STEP = 0.02  # rad


@dataclass(frozen=True, slots=True)
class TimeStep:
    """A time step and why it is that long; imposed steps are never changed.

    warning : what the user should know about an imposed step, or ""
    """

    value: float
    reason: str
    imposed: bool
    warning: str = ""


def choose_time_step(
    model: Model, system: System, t_end: float, sampling_interval: float, imposed: float | None
) -> TimeStep:
    """The step of a run: imposed on the command line or by /DTIX, or the largest that all limits allow.

    The automatic step divides the sampling interval.
    """
    engine = model.engine
    stable = None
    if system.springs is not None:
        stable = stable_step(spring_directions(system.springs, system.tables), system.bodies)
    if imposed is not None:
        return TimeStep(imposed, "imposed on the command line", True, _warning(imposed, stable, system, model))
    if engine.dt_initial is not None and engine.dt_initial == engine.dt_max:
        warning = _warning(engine.dt_initial, stable, system, model)
        return TimeStep(engine.dt_initial, "imposed by /DTIX", True, warning)
    limits = [(sampling_interval, "the sampling interval"), (t_end / 1000, "a thousandth of the run")]
    spin = np.einsum("bij,bj->bi", system.bodies["inverse_inertia"], system.bodies["momentum"])
    fastest = float(np.sqrt((spin**2).sum(axis=1)).max(initial=0.0))
    if fastest > 0.0:
        limits.append((TURN_PER_STEP / fastest, f"{TURN_PER_STEP:g} rad a step of the fastest body"))
    if engine.dt_max is not None:
        limits.append((engine.dt_max, "Dt_max of /DTIX"))
    if stable is not None:
        scale = SAFETY if engine.dt_scale is None else engine.dt_scale
        limits.append((scale * stable.value, f"{scale:g} of the {_described(stable, system, model)}"))
    value, reason = min(limits)
    # The allowance keeps a quotient like 1000.0000000001 from becoming 1001 steps.
    return TimeStep(sampling_interval / math.ceil(sampling_interval / value - 1e-9), reason, False)


def _described(stable: StableStep, system: System, model: Model) -> str:
    assert system.springs is not None
    spring = model.springs[system.springs.number[stable.owner]]
    prop = spring.property
    title = f"'{prop.title}', " if prop.title else ""
    cause = "damper" if stable.damped else "spring"
    return f"stable step {stable.value:.4g} of {cause} {spring.id} ({title}/PROP/{prop.kind}/{prop.id})"


def _warning(step: float, stable: StableStep | None, system: System, model: Model) -> str:
    if stable is None or step <= stable.value:
        return ""
    limit = _described(stable, system, model)
    return f"the imposed time step {step:.4g} is longer than the {limit}: the run will diverge"
