"""Laws of imposed motions step by step against one that keeps its whole past: targets, rates, windows, work, jumps."""

from __future__ import annotations

import naive.core as functions_twin
import numpy as np
import pytest
from gsolve.solver.constraints import motion_law
from gsolve.solver.constraints.motion_law import ACCELERATION, DISPLACEMENT, FIXED, VELOCITY, MotionLaw
from gsolve.solver.constraints.nodal_constraints import CONDITION
from gsolve.solver.constraints.rows import ROW
from made_functions import functions_of
from naive.constraints import Law, rate_at_end

KINDS = {"DISPLACEMENT": DISPLACEMENT, "VELOCITY": VELOCITY, "ACCELERATION": ACCELERATION}
X, Y = np.array([-3.0, 0.2, 0.9, 1.7, 4.0]), np.array([1.0, -0.5, 2.0, 0.3, 0.4])
TEXT = "sin(3*t) + t^2/4 - exp(-t)"
TABLES, _ = functions_of(("TABLE", X, Y), ("SMOOTH", X, Y), TEXT)
FUNCTIONS = [
    lambda t: functions_twin.table(X, Y, t),
    lambda t: functions_twin.smooth(X, Y, t),
    lambda t: complex(functions_twin.expression(TEXT)(t)),
]
WINDOWS = {
    "always": (-np.inf, np.inf, 0.0), "late": (0.31, np.inf, 0.31), "for a while": (0.1, 0.52, -0.2),
    "never": (9.0, 10.0, 0.0), "at one time": (0.0, 0.0, 0.0),
}  # fmt: skip


def real(function):
    """A function that gives real numbers for real ones."""
    return lambda t: function(t) if isinstance(t, complex) else complex(function(t)).real


def record_of(law: MotionLaw):
    record = np.zeros(1, CONDITION)
    for name, value in law.fields().items():
        record[name] = value
    return record


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("function", range(3))
@pytest.mark.parametrize(("kind", "absolute"), [*((kind, False) for kind in KINDS), ("DISPLACEMENT", True)])
def test_a_law_does_step_by_step_what_the_twin_does(kind, absolute, function, window):
    """Steps of unlike length; coordinate, rate and force at random, as the machine could have them."""
    random = np.random.default_rng(function)
    scales = (1.6, -0.8)
    law = record_of(MotionLaw(KINDS[kind], function, scales, window, absolute))[0]
    row = np.zeros(1, ROW)[0]
    twin = Law(kind, real(FUNCTIONS[function]), scales, window[:2], window[2], absolute)
    t, previous_dt, growth, force, rate, kick = 0.0, -0.05, 0.0, 0.0, 0.7, 0.0
    law["rate"] = rate_at_n = rate  # at the start
    for _ in range(16):
        dt = 0.05 if previous_dt < 0.0 else random.uniform(0.02, 0.08)
        coordinate = random.normal()
        forces = row["multiplier"], row["previous_multiplier"]
        switched = motion_law.switch(law, row, t, dt, previous_dt, 0.8)
        assert (switched != motion_law.UNCHANGED) == twin.take_hold(t, coordinate, rate_at_n)
        assert motion_law.is_released(law) == (not twin.acts)
        if switched == motion_law.TOOK_HOLD:
            motion_law.take_hold(law, coordinate, previous_dt)
            growth = max(previous_dt, 0.0) * rate
        elif switched == motion_law.RELEASED:
            assert row["multiplier"] == row["previous_multiplier"] == 0.0
        now = following = 0.0
        if twin.acts:
            kick = motion_law.kick_of(switched, dt, previous_dt)
            motion_law.set_target_step(law, TABLES, t, dt, kick)
            now, following = twin.step(t, dt, kick)
            assert motion_law.next_target(law) == pytest.approx(following, abs=1e-11)
            assert law["target_step"] == pytest.approx(following - now, abs=1e-11)
        assert motion_law.target_rate(law, TABLES, t) == pytest.approx(twin.rate_at(t), abs=1e-11)
        force_before, force = force, random.normal() if twin.acts else 0.0
        row["multiplier"] = force
        release = twin.last_push(dt, previous_dt, forces, 0.8) if switched == motion_law.RELEASED else 0.0
        assert law["release"] == pytest.approx(release, abs=1e-13)
        done = 0.5 * (force_before + force + release) * growth
        assert motion_law.work(law, row) == pytest.approx(done, abs=1e-11)
        done = 0.0 if switched == motion_law.RELEASED else done  # what a release leaves counts once
        assert motion_law.work(law, row) == pytest.approx(done, abs=1e-11)
        row["previous_multiplier"] = force
        motion_law.commit_law(law)
        if not twin.acts:
            kick, rate_before, rate = 0.5 * (max(previous_dt, 0.0) + dt), rate, random.normal()
            motion_law.observe(law, dt * rate, dt, kick)
            rate_at_n = rate_at_end(rate_before, rate, kick, dt)
        growth, t, previous_dt = following - now, t + dt, dt


def test_a_motion_takes_hold_and_lets_go_with_the_step_that_begins_at_its_time_but_for_rounding():
    """A grid of steps reaches a time that a deck names to an ulp or so, from either side."""
    law, row = record_of(MotionLaw(VELOCITY, 0, (1.0, 1.0), (0.3, 0.7, 0.0)))[0], np.zeros(1, ROW)[0]
    switched = {0.2: 0, 0.3 - 2e-16: motion_law.TOOK_HOLD, 0.3: 0, 0.6: 0, 0.7 - 2e-16: motion_law.RELEASED, 0.7: 0}
    assert [motion_law.switch(law, row, t, 0.1, 0.1, 1.0) for t in switched] == list(switched.values())


def test_what_is_fixed_wants_nothing_and_is_never_released():
    law = record_of(MotionLaw())[0]
    assert law["kind"] == FIXED
    assert not motion_law.is_released(law)
    assert motion_law.next_target(law) == motion_law.target_rate(law, TABLES, 0.3) == 0.0
    assert not motion_law.jumps(law, 5.0, 1.0, 0.1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("off", "far"), [(0.999, False), (1.001, True), (-0.999, False), (-1.001, True)])
@pytest.mark.parametrize(("rate", "step"), [(0.0, 0.0), (0.3, 0.0), (0.0, -0.4), (-2.0, 0.1)])
def test_only_a_displacement_jumps_and_only_by_more_than_two_steps(kind, off, far, rate, step):
    law = record_of(MotionLaw(KINDS[kind]))[0]
    law["held"], law["target"], law["held_velocity"], law["target_step"] = 0.5, -0.2, rate, step
    allowed = 2.0 * (0.01 * abs(rate) + abs(step)) + 1e-9 * 7.0
    assert motion_law.jumps(law, 0.3 + off * allowed, 7.0, 0.01) == (far and kind == "DISPLACEMENT")
