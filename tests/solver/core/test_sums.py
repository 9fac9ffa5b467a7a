"""Sums in two parts lose nothing that two numbers can hold."""

from __future__ import annotations

import naive.core as twin
import numpy as np
from gsolve.solver.core.sums import fast_two_sum, grown, two_sum


def test_both_parts_of_a_sum_are_the_whole_of_it():
    random = np.random.default_rng(3)
    for a, b in random.normal(size=(200, 2)) * 10.0 ** random.integers(-12, 12, size=(200, 2)):
        assert two_sum(a, b) == twin.sum_in_two_parts(a, b)
        large, small = sorted((a, b), key=abs, reverse=True)
        assert fast_two_sum(large, small) == twin.sum_in_two_parts(a, b)


def test_many_steps_far_below_a_unit_in_the_last_place_add_up():
    place, low = 1.0, 0.0
    for _ in range(10**5):
        place, low = grown(place, low, 1e-18)
    expected = twin.sum_in_two_parts(1.0, 10**5 * 1e-18)
    np.testing.assert_allclose(np.subtract((place, low), expected), 0.0, atol=1e-26)
    assert (place, low) != (1.0, 0.0)
