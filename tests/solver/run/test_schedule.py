"""Times of steps, before and after their length is halved."""

from __future__ import annotations

import math

import pytest
from gsolve.solver.run.schedule import SHORTEST, Schedule, every_step_is_a_sample, steps_until
from gsolve.solver.run.time_step import TimeStep


def schedule(dt=0.25, t_end=1.0, every=0.5, dt_min=None, imposed=False):
    return Schedule(TimeStep(dt, "a test", imposed), t_end, every, dt_min)


def test_halving_keeps_the_time_of_the_step_and_reaches_the_end_in_twice_as_many():
    steps = schedule()
    assert steps.last_step == 4
    steps.halve(2, math.inf)
    assert (steps.dt, steps.dt_min_used, steps.dt_max_used) == (0.125, 0.125, 0.25)
    assert [steps.time_of(step) for step in (2, 3, 6)] == [0.5, 0.625, 1.0]
    assert steps.last_step == 6
    assert steps.sample_steps(2, 100).tolist() == [2, 6]


def test_step_that_is_far_too_long_is_halved_until_it_is_short_enough():
    steps = schedule()
    steps.halve(0, 5.0)
    assert steps.dt == 0.25 / 8


@pytest.mark.parametrize(("dt_min", "shortest"), [(None, 0.25 * SHORTEST), (0.02, 0.04)])
def test_step_is_not_halved_below_what_the_deck_or_the_run_allows(dt_min, shortest):
    steps = schedule(dt_min=dt_min)
    while steps.may_halve:
        steps.halve(0, math.inf)
    assert 0.5 * shortest < steps.dt <= shortest


def test_imposed_step_stays():
    assert not schedule(imposed=True).may_halve


def test_step_at_a_time_is_the_last_that_began_by_then():
    steps = schedule(dt=0.1)
    assert [steps.step_at(time) for time in (0.0, 0.09, 0.3, 0.35)] == [0, 0, 3, 3]


def test_intervals_are_counted_from_where_the_step_was_halved():
    steps = schedule(dt=0.01)
    assert [steps.end_of_interval(step, 10) for step in (1, 10, 11)] == [10, 10, 20]
    steps.halve(13, math.inf)
    assert [steps.end_of_interval(step, 10) for step in (14, 23, 24)] == [23, 23, 33]


def test_steps_until_forgives_a_rounding_error():
    assert steps_until(0.3, 0.1) == 3
    assert steps_until(0.30001, 0.1) == 4
    assert steps_until(0.0, 0.1) == 0
    assert steps_until(-0.5, 0.1) == 0


@pytest.mark.parametrize("every", [1e-320, 1e-9, 0.2499])
def test_sampling_interval_below_the_step_makes_each_step_a_sample(every):
    steps = schedule(every=every, imposed=True)
    assert steps.sample_steps(0, 3).tolist() == [0, 1, 2]
    assert steps.sample_steps(3, 100).tolist() == [3, 4]
    assert every_step_is_a_sample(steps, "s").message == (
        f"the sampling interval {every:.6g} s is shorter than the time step 0.25 s: every step is a sample"
    )


@pytest.mark.parametrize("every", [0.25, 0.3, 0.5, 0.7])
def test_samples_are_the_first_steps_at_or_after_each_multiple_and_the_last(every):
    steps = schedule(every=every, t_end=10.0, imposed=True)
    expected = sorted({math.ceil(k * every / 0.25 - 1e-9) for k in range(100) if k * every < 10.0 - 1e-9} | {40})
    assert steps.sample_steps(0, 100).tolist() == expected
    assert [*steps.sample_steps(0, 17), *steps.sample_steps(17, 100)] == expected
