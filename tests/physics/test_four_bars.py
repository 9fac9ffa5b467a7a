"""IFToMM's benchmark A02: five rods in a row of four-bars, which pass through singular positions twice a turn."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from gsolve.solver.run import recovery
from gsolve.solver.run.simulation import Simulation, SimulationError
from linkages import ParallelFourBars
from running import DECKS, Results, observed_order, read, run

FOUR_BAR = DECKS / "four_bar" / "four_bar.rad"


def four_bar_error(results: Results) -> float:
    x, y = ParallelFourBars().pin(results.times)
    return float(np.max(np.hypot(results.node("X", 12) - x, results.node("Y", 12) - y)))


def test_four_bars_pass_their_singular_positions_for_ten_seconds():
    results = run(FOUR_BAR)
    assert four_bar_error(results) <= 1e-3
    assert results.node("X", 12)[-1] == pytest.approx(0.3284581115408, abs=1e-4)
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-3
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
    for node in (22, 32):
        np.testing.assert_allclose(results.node("DX", node), results.node("DX", 12), atol=1e-7)


def test_four_bars_converge_at_second_order():
    steps = [1e-3, 5e-4, 2.5e-4]
    errors = [four_bar_error(run(FOUR_BAR, t_end=1.6, dt=step, every=0.1)) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.1)


def test_four_bars_have_one_freedom_and_six_redundant_rows():
    simulation = run(FOUR_BAR, t_end=0.01).simulation
    assert simulation.degrees_of_freedom == 1
    assert len(simulation.redundant_rows) == 6


@pytest.mark.parametrize("step", [1e-2, 5e-3, 2e-3])
def test_newtons_method_passes_singular_positions_on_the_general_path(step):
    results = run(FOUR_BAR, t_end=3.0, dt=step, every=0.01, general=True)
    # second order goes on across them: twice the error of steps of 1 ms (2.5e-5 m), scaled
    assert four_bar_error(results) <= 2 * 2.5e-5 * (step / 1e-3) ** 2
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
    assert results.simulation.messages == []
    assert results.simulation.divided_steps == 0


def test_steps_too_long_for_a_singular_position_are_taken_in_parts():
    results = run(FOUR_BAR, t_end=3.0, dt=2e-2, every=0.02, general=True)
    assert four_bar_error(results) <= 2 * 2.5e-5 * 20**2
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
    (message,) = results.simulation.messages
    assert re.search(r"^the step at t = 0.\d+ s was taken in \d+ parts, as .* gained or lost energy", message)
    assert 0 < results.simulation.divided_steps < 100


def test_a_matrix_of_newtons_method_that_cannot_be_made_ends_the_run():
    simulation = Simulation(read(FOUR_BAR), t_end=3.0, dt=1e-2, general=True)
    simulation.compile()
    simulation._system.kernels["refresh_trial_matrix"] = 0
    with pytest.raises(SimulationError, match=r"^a compiled part of gsolve failed .*\(a fault of gsolve"):
        simulation.advance(300)


def test_the_step_after_newtons_method_takes_a_matrix_of_its_own(monkeypatch):
    monkeypatch.setattr(recovery, "LOOK_INTERVAL_IMPOSED", 1)
    monkeypatch.setattr(recovery, "LOOK_INTERVAL", 1)
    simulation, seen = Simulation(read(FOUR_BAR), t_end=3.0, dt=1e-2, general=True), [(0, 1)]
    while not simulation.finished:
        simulation.advance(1)
        seen.append(simulation._system.subsystems[["newton", "stale"]][0].tolist())
    ends = [stale for (before, _), (newton, stale) in itertools.pairwise(seen) if before > 0 == newton]
    assert set(ends) == {1}
