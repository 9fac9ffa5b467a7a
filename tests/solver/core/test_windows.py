"""The part of a kick that lies in a window of time."""

from __future__ import annotations

import naive.core as twin
import numpy as np
import pytest
from gsolve.solver.core.windows import middle_of_kick, share_of_kick


@pytest.mark.parametrize("t, share", [(0.9, 0.0), (1.0, 2 / 3), (1.5, 1.0), (2.0, 1 / 3), (2.2, 0.0)])
def test_a_kick_counts_with_what_of_it_lies_between_start_and_stop(t, share):
    """From half a step of 0.1 before t to half a step of 0.2 after it."""
    assert share_of_kick(1.0, 2.0, t, 0.2, 0.1) == pytest.approx(share, rel=1e-13)


def test_the_first_kick_is_the_second_half_of_one():
    assert share_of_kick(0.0, np.inf, 0.0, 0.1, 0.0) == share_of_kick(-np.inf, np.inf, 0.0, 0.1, 0.0) == 1.0


def test_random_windows_hold_the_share_that_the_twin_finds():
    random = np.random.default_rng(1)
    for _ in range(200):
        start, t = random.uniform(-1, 1, 2)
        stop, dt, previous_dt = start + random.uniform(0, 1), *random.uniform(0.1, 1, 2)
        expected = twin.share_of_kick(start, stop, t, dt, previous_dt)
        assert share_of_kick(start, stop, t, dt, previous_dt) == pytest.approx(expected, abs=1e-12)


def test_random_windows_hold_a_part_of_the_kick_with_the_middle_that_the_twin_finds():
    random = np.random.default_rng(2)
    for _ in range(50):
        dt, previous_dt = random.uniform(0.1, 1, 2)
        t, lasts = random.uniform(-1, 1), 0.5 * (dt + previous_dt)
        start, stop = t - 0.5 * previous_dt + lasts * np.sort(random.uniform(-0.5, 1.5, 2))
        if twin.share_of_kick(start, stop, t, dt, previous_dt) > 1e-2:
            expected = twin.middle_of_kick(start, stop, t, dt, previous_dt)
            assert middle_of_kick(start, stop, t, dt, previous_dt) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("dt", [0.1, 1 / 3, 0.017])
def test_between_equal_steps_the_middle_of_a_whole_kick_is_at_its_time(dt):
    assert middle_of_kick(-np.inf, np.inf, 7.3, dt, dt) == 0.0
