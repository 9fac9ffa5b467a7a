"""Steps that are taken in parts: what is divided, and that nothing else notices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import read_deck
from gsolve.solver.integration.substeps import ranges_between
from gsolve.solver.run.simulation import Simulation
from hand_models import collect

FOUR_BAR = Path(__file__).parents[3] / "decks" / "four_bar" / "four_bar.rad"


@pytest.mark.parametrize(
    ("first", "last", "divided", "ranges"),
    [
        (2, 6, [], [(2, 6)]),
        (2, 6, [2], [(2, 3), (3, 6)]),
        (2, 6, [4, 5], [(2, 4), (4, 5), (5, 6)]),
        (2, 6, [1, 7], [(2, 6)]),
        (3, 4, [3], [(3, 4)]),
    ],
)
def test_divided_subsystems_are_run_apart_and_all_in_order(first, last, divided, ranges):
    assert list(ranges_between(first, last, dict.fromkeys(divided, 2))) == ranges


def long_steps(block: int, threads: int = 1):
    """Four-bars across their first singular position with steps of 10 ms."""
    model = read_deck(FOUR_BAR)
    model.engine.sampling_interval = 0.02
    simulation = Simulation(model, t_end=1.0, dt=1e-2, threads=threads)
    run = collect(simulation, block=block)
    assert simulation.divided_steps > 0
    return run


def test_length_of_the_blocks_does_not_change_a_run_with_divided_steps():
    whole, pieces = long_steps(100_000), long_steps(7)
    np.testing.assert_array_equal(whole.times, pieces.times)
    for group, values in whole.values.items():
        for name, channel in values.items():
            np.testing.assert_array_equal(channel, pieces.values[group][name], err_msg=f"{group} {name}")
