"""Sensors: whether they are on, as long as their values are outside or were, and the windows of what they switch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.integration import sensor_records as kinds
from gsolve.solver.integration.sensor_records import SENSOR, SWITCH
from gsolve.solver.integration.sensors import force_of, throw_motion, throw_spring, update
from naive.integration import sensor_states


def new_sensor(hold, delay, off_delay):
    sensor = np.zeros(1, SENSOR)[0]
    sensor["since"], sensor["calm"], sensor["on"] = math.inf, math.inf, math.nan
    sensor["hold"], sensor["delay"] = hold, delay
    sensor["switches_off"], sensor["off_delay"] = int(off_delay is not None), off_delay or 0.0
    return sensor


@pytest.mark.parametrize("off_delay", [None, 0.0, 3.0])
@pytest.mark.parametrize(("hold", "delay"), [(0.0, 0.0), (3.0, 0.0), (0.0, 4.0), (2.0, 3.0)])
def test_random_conditions_give_the_states_that_the_twin_finds(hold, delay, off_delay):
    """At whole times, so that nothing is rounded."""
    random = np.random.default_rng(7)
    for _ in range(20):
        times = np.cumsum(random.integers(1, 3, 60)).astype(float)
        met = np.repeat(random.random(30) < 0.5, 2)
        sensor, found = new_sensor(hold, delay, off_delay), []
        for t, condition in zip(times, met, strict=True):
            update(sensor, bool(condition), t, t)
            found.append(bool(sensor["status"] == kinds.ON))
        assert found == sensor_states(times, met, hold, delay, off_delay)
        assert any(found)


@pytest.mark.parametrize(
    ("mode", "windows"),
    [
        (kinds.SWITCHES_ON, [(3.0, math.inf), (3.0, math.inf), (3.0, math.inf)]),
        (kinds.SWITCHES_OFF, [(-math.inf, 3.0), (-math.inf, 3.0), (-math.inf, 3.0)]),
        (kinds.FOLLOWS, [(3.0, math.inf), (3.0, 5.0), (8.0, math.inf)]),
    ],
)
def test_the_window_of_a_spring_begins_and_ends_as_its_flag_says(mode, windows):
    """Of a sensor that is on at 3, off at 5 and on again at 8."""
    window = np.array([-math.inf, math.inf] if mode == kinds.SWITCHES_OFF else [math.inf, math.inf])
    for (on, t), expected in zip([(True, 3.0), (False, 5.0), (True, 8.0)], windows, strict=True):
        throw_spring(window, mode, on, t)
        assert tuple(window) == expected


def test_times_of_a_motion_count_from_its_sensor():
    law = np.zeros(1, [("t_start", "f8"), ("t_stop", "f8"), ("t_origin", "f8")])[0]
    switch = np.array([(kinds.DRIVE, 0, 0, 0.5, 2.0)], SWITCH)[0]
    throw_motion(law, switch, True, 3.0)
    assert tuple(law) == (3.5, 5.0, 3.0)
    throw_motion(law, switch, False, 4.0)
    assert tuple(law) == (3.5, 4.0, 3.0)


def test_forces_of_a_wall_or_an_interface():
    """(3, 4, 0) across and (0, 0, 12) of friction: sizes 5, 12 and 13."""
    record = np.array([3.0, 4.0, 0.0, 0.0, 0.0, 12.0])
    found = [force_of(record, component) for component in range(6)]
    assert found == [3.0, 4.0, 12.0, 5.0, 12.0, 13.0]
