"""Times at which a deck changes something, known before the run: windows, sensors, kinks of functions of time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from gsolve.parser.model import ConcentratedLoad, Drive, Function, Gravity, ImposedMotion, Model

from ..core.bodies import Floats
from ..core.windows import times_of, window_of_contact, window_of_load, window_of_motion, window_of_spring

SAME_SLOPE = 1e-9  # relative difference of slopes that is no kink
MOST_OF_STEPS = 0.25  # kinks of a function, of the steps of the run: with more it is taken as smooth


def known_times(model: Model, t_end: float, dt: float) -> tuple[Floats, list[str]]:
    """Times in (0, t_end), sorted, each once, and names of functions with too many kinks to meet them.

    dt : the time step
    """
    times, dense = set(windows(model)), []
    for function_id, scalings in functions_of_time(model).items():
        found = {
            origin + scale * x
            for x in kinks(model.functions[function_id]).tolist()
            for origin, scale in scalings
            if 0.0 < origin + scale * x < t_end
        }
        if len(found) > MOST_OF_STEPS * t_end / dt:
            dense.append(model.functions[function_id].name)
        else:
            times |= found
    return np.array(sorted(time for time in times if 0.0 < time < t_end)), dense


def windows(model: Model) -> Iterator[float]:
    """Start and stop of all that acts for some time, as it is built, and of sensors that nothing asks."""
    for sensor_id in model.sensors:
        yield from times_of(model, sensor_id)
    for motion in motions_of(model):
        yield from window_of_motion(motion, model)[:2]
    for load in loads_of(model):
        yield from window_of_load(load, model)[:2]
    for interface in model.interfaces:
        yield from window_of_contact(interface, model)
    for spring in model.springs:
        yield from window_of_spring(spring.property, model)


def motions_of(model: Model) -> list[ImposedMotion | Drive]:
    """What makes coordinates follow functions, for some time."""
    return [*model.imposed_motions, *model.drives]


def loads_of(model: Model) -> list[ConcentratedLoad | Gravity]:
    """What pushes or pulls, for some time."""
    return [*model.loads, *model.gravities]


def functions_of_time(model: Model) -> dict[int, set[tuple[float, float]]]:
    """Functions of time that something follows: id -> origins and scales of their abscissa."""
    found: dict[int, set[tuple[float, float]]] = {}
    for motion in motions_of(model):
        found.setdefault(motion.function_id, set()).add((window_of_motion(motion, model)[2], motion.x_scale))
    for load in loads_of(model):
        found.setdefault(load.function_id, set()).add((window_of_load(load, model)[2], load.x_scale))
    found.pop(0, None)  # no function
    return found


def kinks(function: Function) -> Floats:
    """Abscissas at which the slope of a function jumps."""
    if function.kind != "TABLE" or len(function.x) < 3:
        return np.zeros(0)
    slopes = np.diff(function.y) / np.diff(function.x)
    sizes = np.maximum(np.abs(slopes[1:]), np.abs(slopes[:-1]))
    return np.asarray(function.x[1:-1][np.abs(np.diff(slopes)) > SAME_SLOPE * sizes])
