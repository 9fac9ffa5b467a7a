"""Runs that a condition on their histories ends."""

import numpy as np
import pytest
from gsolve.solver.run.driver import run_in_memory
from gsolve.solver.run.observer import Caller
from gsolve.solver.run.options import RunOptions, UsageError
from gsolve.solver.run.simulation import Simulation, SimulationError
from hand_models import Machine, collect

G, EVERY = 10.0, 0.01


def falling():
    """A mass that falls from rest."""
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=1.0, every=EVERY)
    machine.mass(1, 2.0)
    machine.gravity([1], "Z", -G)
    machine.model.parameters["depth"] = 1.0
    return machine


def run(condition, block=100_000):
    return collect(Simulation(falling().model, dt=1e-3, stop_when=condition), block)


def test_the_last_sample_is_the_first_at_which_the_condition_holds():
    """z = -g t^2/2 passes -depth at t = sqrt(2 depth/g) = 0.4472."""
    result = run("node/1/DZ < -depth")
    assert result.times[-1] == pytest.approx(0.45, abs=1e-12)
    assert result.simulation.finished
    assert result.simulation.reason_of_end == "ended as asked at t = 0.45: node/1/DZ < -depth"


@pytest.mark.parametrize("condition", ["t >= 0.3", "energy/kinetic_translational > 9"])
def test_neither_samples_nor_words_depend_on_the_length_of_blocks(condition):
    whole, short = run(condition), run(condition, 7)
    assert np.array_equal(whole.times, short.times)
    for group, table in whole.values.items():
        for name, values in table.items():
            np.testing.assert_array_equal(values, short.values[group][name])
    assert whole.simulation.reason_of_end == short.simulation.reason_of_end != ""
    assert whole.simulation.step == short.simulation.step


def test_a_condition_that_never_holds_changes_nothing():
    result = run("node/1/DZ > 1")
    assert result.times[-1] == pytest.approx(1.0) and result.simulation.reason_of_end == ""


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            "node/1/DZ",
            "this is a number; a condition compares, as in 'gjoint/1/VEL1 > 10'\n  | node/1/DZ\n  | ^",
        ),
        (
            "t > dept",
            "unknown name 'dept'; did you mean 'depth'?\n  | t > dept\n  |     ^",
        ),
        (
            "t > 1 or node/9/DZ < 0",
            "node/9/DZ: th/node has no object '9'; there are 1, 2\n  | t > 1 or node/9/DZ < 0\n  |          ^",
        ),
    ],
)
def test_a_wrong_condition_is_refused_before_the_run(condition, message):
    with pytest.raises(UsageError) as caught:
        Simulation(falling().model, stop_when=condition)
    assert str(caught.value) == f"the condition that ends the run: {message}"


def test_a_run_that_has_ended_does_not_fail_later_in_the_same_block(monkeypatch):
    """A rod of 1 m whose end is pulled along x is straight at 0.2 s and cannot follow; the condition holds before."""

    def pulled():
        machine = Machine([(0, 0, 0), (0, 1, 0)], t_end=1.0, every=EVERY)
        machine.mass(2, 1.0)
        machine.hold([1], "111 111")
        machine.hold([2], "001 000")
        machine.pair("DISTANCE", 1, 2)
        machine.drive("DISP", 2, "X", "5*t")
        return machine.model

    monkeypatch.setattr("gsolve.solver.integration.substeps.MOST_TRIALS", 100)  # no parts help: it fails sooner
    with pytest.raises(SimulationError) as caught:
        collect(Simulation(pulled(), dt=1e-3))
    assert caught.value.time == pytest.approx(0.2, abs=5e-3)
    outcome, history = run_in_memory(pulled(), RunOptions(dt=1e-3, stop_when="t > 0.145"), Caller(None, None))
    assert (outcome.status, outcome.message) == ("completed", "ended as asked at t = 0.15: t > 0.145")
    assert history.times()[-1] == pytest.approx(0.15, abs=1e-12)
