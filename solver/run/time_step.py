"""The time step of a run: imposed, or the longest that all limits allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model

from ..contact.step_limits import contact_limit, travel_limit
from ..forces.joint_force_setup import joint_force_directions
from ..forces.stability import StableStep, joined, spring_directions, stable_step
from ..integration.system import System

SAFETY = 0.9  # of the stable step, as /DT has by default
TURN_PER_STEP = 0.02  # rad
SAMPLES_ALONE = "the sampling interval; all machines take steps of their own"
FRICTION_MARGIN = 1.1  # by which a new step covers more friction than was seen


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
    stable = _stable_step(system)
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
        limits.append(_limit(stable, system, model))
    value, reason = min(limits)
    # The allowance keeps a quotient like 1000.0000000001 from becoming 1001 steps.
    return TimeStep(sampling_interval / math.ceil(sampling_interval / value - 1e-9), reason, False)


def step_excess(system: System, model: Model, dt: float) -> tuple[float, str]:
    """How many times too long the steps since `largest_turn` was set to zero were (<= 1: short enough), and why.

    A step may turn out up to twice as long as TURN_PER_STEP asks before it counts as too long.
    """
    turn = float(np.sqrt(system.subsystems["largest_turn"].max(initial=0.0)))
    found = turn / (2 * TURN_PER_STEP), f"a body turns by more than {2 * TURN_PER_STEP:g} rad a step"
    stable = _step_for_more_friction(system)
    if stable is not None:
        limit, what = _limit(stable, system, model)
        found = max(found, (dt / limit, f"it is longer than {what}"))
    travel, contact = travel_limit(system.contacts, model), contact_limit(system.contacts, model)
    if dt > travel.step:  # what contacts came to after that says nothing
        return dt / travel.step, f"it is longer than {travel.what}"
    return max(found, (dt / contact.step, f"it is longer than {contact.what}"))


def friction_warning(system: System, model: Model, dt: float) -> str:
    """What to say of an imposed step after friction has grown, or ""."""
    return _warning(dt, _step_for_more_friction(system), system, model)


def _step_for_more_friction(system: System) -> StableStep | None:
    """Stable step anew where friction in joints, which grows with the force of the bearing, was more than covered."""
    forces = system.joint_forces
    if not len(forces):
        return None
    outgrown = forces["largest_friction"] > forces["covered_friction"]
    if not outgrown.any():
        return None
    forces["covered_friction"][outgrown] = FRICTION_MARGIN * forces["largest_friction"][outgrown]
    return _stable_step(system)


def _limit(stable: StableStep, system: System, model: Model) -> tuple[float, str]:
    """Longest automatic step, and what it is."""
    scale = SAFETY if model.engine.dt_scale is None else model.engine.dt_scale
    return scale * stable.value, f"{scale:g} of the {_described(stable, system, model)}"


def _stable_step(system: System) -> StableStep | None:
    """Stable step of springs, then of what acts in joints; owners are numbered in that order."""
    parts = []
    if len(system.springs):
        parts.append(spring_directions(system.springs, system.tables))
    if len(system.joint_forces):
        directions = joint_force_directions(system.joint_forces, system.joints)
        parts.append(directions._replace(owner=directions.owner + _number_of_springs(system)))
    return stable_step(joined(parts), system.bodies) if parts else None


def _number_of_springs(system: System) -> int:
    return len(system.springs)


def _described(stable: StableStep, system: System, model: Model) -> str:
    step = f"stable step {stable.value:.4g} of"
    in_joint = stable.owner - _number_of_springs(system)
    if in_joint >= 0:
        cause = "damping and friction" if stable.damped else "the springs and stops"
        return f"{step} {cause} in {model.joints[system.joint_forces['number'][in_joint]].name}"
    spring = model.springs[system.springs["number"][stable.owner]]
    prop = spring.property
    title = f"'{prop.title}', " if prop.title else ""
    cause = "damper" if stable.damped else "spring"
    return f"{step} {cause} {spring.id} ({title}/PROP/{prop.kind}/{prop.id})"


def _warning(step: float, stable: StableStep | None, system: System, model: Model) -> str:
    if stable is None or step <= stable.value:
        return ""
    limit = _described(stable, system, model)
    end = "diverge" if stable.owner < _number_of_springs(system) else "diverge, or friction chatter"
    return f"the imposed time step {step:.4g} is longer than the {limit}: the run may {end}"
