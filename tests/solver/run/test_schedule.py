"""Times of steps, before and after their length is halved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.run.schedule import SHORTEST, Schedule, every_step_is_a_sample, steps_until
from gsolve.solver.run.time_step import TimeStep


def schedule(dt=0.25, t_end=1.0, every=0.5, dt_min=None, imposed=False, known=()):
    return Schedule(TimeStep(dt, "a test", imposed), t_end, every, dt_min, np.array(known))


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


# ---- known times -----------------------------------------------------------------------------------------------


def test_a_step_is_taken_in_parts_that_end_at_known_times():
    steps = schedule(dt=0.1, known=[0.25, 0.28, 0.6])
    found = list(steps.segments(0, 8))
    assert [(segment.step, segment.n_steps, segment.is_first_substep) for segment in found] == [
        (0, 2, True), (2, 1, True), (2, 1, False), (2, 1, False), (3, 5, True),
    ]  # fmt: skip
    assert [segment.time for segment in found] == pytest.approx([0.0, 0.2, 0.25, 0.28, 0.3], abs=1e-15)
    assert [segment.dt for segment in found[1:4]] == pytest.approx([0.05, 0.03, 0.02], abs=1e-15)


def test_steps_that_are_not_cut_are_one_segment():
    assert [tuple(segment)[:2] for segment in schedule(dt=0.1, known=[0.4]).segments(2, 7)] == [(2, 7)]


def test_known_times_are_met_after_the_step_was_halved():
    steps = schedule(dt=0.1, known=[0.26])
    steps.halve(1, math.inf)
    cut = [segment for segment in steps.segments(1, 10) if segment.dt < 0.049]
    assert [segment.time for segment in cut] == pytest.approx([0.25, 0.26], abs=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_segments_follow_each_other_without_a_gap(seed):
    random = np.random.default_rng(seed)
    known = np.sort(random.uniform(0.0, 1.0, random.integers(0, 30)))
    steps = schedule(dt=random.uniform(0.005, 0.3), known=known)
    time, step = 0.0, 0
    for segment in steps.segments(0, steps.last_step):
        assert segment.time == pytest.approx(time, abs=1e-14) and segment.dt > 0.0
        assert segment.step == (step if segment.is_first_substep else step - 1)
        time, step = time + segment.n_steps * segment.dt, segment.step + segment.n_steps
    assert step == steps.last_step and time == pytest.approx(steps.time_of(step), abs=1e-13)
    # every known time is the end of a part, or of a step within rounding
    begins = np.array([s.time + k * s.dt for s in steps.segments(0, steps.last_step) for k in range(s.n_steps)])
    assert all(np.abs(begins - known_time).min() < 2e-6 * steps.dt for known_time in known[known < begins[-1]])
