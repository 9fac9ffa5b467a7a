"""Runs: when samples are taken, what does not change the results, and how a run ends."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser.deck import read_deck
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.assembly.start_messages import relative
from gsolve.solver.run.simulation import Simulation, SimulationError
from hand_models import Machine, collect

Z = (0.0, 0.0, 1.0)
REPOSITORY = Path(__file__).parents[3]


def falling(t_end, every):
    machine = Machine([(0, 0, 0)], t_end=t_end, every=every)
    machine.mass(1, 1.0)
    machine.gravity([1], "Z", -2.0)
    return machine


def workshop(count=20):
    """Gear pairs, springs and falling masses that nothing couples: 3 `count` subsystems."""
    places = [(float(k), 0.0, 0.0) for k in range(6 * count)]
    machine = Machine(places, t_end=0.05, every=0.01)
    for k in range(count):
        a = 6 * k + 1
        machine.hold([a], "111 111")
        machine.joint("GEAR", [a, a + 1, a + 2], [Z, (0.6, 0.0, 0.8)], 0.3 + 0.1 * k, 1.0, [1.0, 0.01, 0.02])
        machine.mass(a + 3, 1.0)
        machine.mass(a + 4, 2.0)
        machine.mass(a + 5, 1.0)
        machine.spring(a + 3, a + 4, 100.0 * (k + 1), 0.5)
        machine.load(a + 1, "ZZ", 1.0, "sin(40*t)")
        machine.velocity([a + 3], (0.0, 0.3, 0.1 * k))
    machine.gravity(range(1, 6 * count + 1), "Z", -9.81)
    return machine


def same(first, second):
    """Every value of two runs is equal to the bit."""
    np.testing.assert_array_equal(first.times, second.times)
    for group, channels in first.values.items():
        for name, values in channels.items():
            np.testing.assert_array_equal(values, second.values[group][name], err_msg=f"{group}/{name}")


# ---- samples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "t_end, every, dt, steps",
    [
        (1.0, 0.25, 0.125, [0, 2, 4, 6, 8]),
        (1.0, 0.3, 0.125, [0, 3, 5, 8]),  # 0.3 -> 0.375, 0.6 -> 0.625, 0.9 -> 1.0
        (1.0, 0.4, 0.3, [0, 2, 3, 4]),  # 0.4 -> 0.6, 0.8 -> 0.9, and the end, the first step at or after t_end
        (1.0, 0.1, 0.25, [0, 1, 2, 3, 4]),  # several intervals a step: each step once
        (1.0, 3.0, 0.5, [0, 2]),
        (0.3, 0.1, 0.1, [0, 1, 2, 3]),  # 3 * 0.1 > 0.3 in floating point
    ],
)
def test_imposed_step_samples_the_first_step_at_or_after_each_interval(t_end, every, dt, steps):
    run = falling(t_end, every).run(dt)
    assert run.diag("step").tolist() == steps
    np.testing.assert_array_equal(run.times, np.array(steps) * dt)
    np.testing.assert_allclose(run.node("DZ", 1), -(run.times**2), atol=1e-15)


def test_without_an_interval_there_are_a_thousand_and_one_samples():
    run = falling(2.0, None).run()
    assert len(run.times) == 1001
    np.testing.assert_allclose(run.times, np.linspace(0, 2, 1001), atol=1e-15)


def test_many_intervals_that_are_not_binary_numbers_lose_no_sample():
    run = falling(0.7, 1e-3).run(1e-4)
    assert run.diag("step").tolist() == list(range(0, 7001, 10))


# ---- what must not matter ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 3, 17])
def test_length_of_the_blocks_does_not_change_a_bit(block):
    machine = workshop(2)
    same(machine.run(1e-3), machine.run(1e-3, block=block))


def test_threads_do_not_change_a_bit():
    machine = workshop()
    simulation = machine.simulation(1e-3)
    assert simulation._machine.number_of_chunks > 10
    same(collect(simulation), machine.run(1e-3, threads=2))


def test_samples_do_not_change_the_motion():
    often, seldom = workshop(2), workshop(2)
    often.model.engine.sampling_interval = 0.002
    every_fifth = often.run(1e-3)
    few = seldom.run(1e-3)
    np.testing.assert_array_equal(every_fifth.node("DZ", 4)[::5], few.node("DZ", 4))
    np.testing.assert_array_equal(every_fifth.joint("ANG1")[::5], few.joint("ANG1"))


@pytest.mark.parametrize("name", ["four_bar", "scissor_lift", "hexapod", "cam_drive", "planetary_gear"])
def test_samples_do_not_change_the_motion_of_an_example(name):
    """The step of the deck is imposed, so that the times of samples are those of steps whatever their interval."""
    path = next((REPOSITORY / "decks" / name).glob("*.rad"))
    often, seldom = read_deck(path), read_deck(path)
    dt = 1e-3 if name == "hexapod" else 5e-4
    often.engine.sampling_interval, seldom.engine.sampling_interval = 3 * dt, 21 * dt
    many, few = (collect(Simulation(model, dt=dt, t_end=315 * dt)) for model in (often, seldom))
    for group, channels in few.values.items():
        for channel, values in channels.items():
            if channel not in ("iterations", "contact_changes", "NFLIP"):
                found = many.values[group][channel][::7]
                np.testing.assert_array_equal(found, values, err_msg=f"{group}/{channel}")


def test_a_subsystem_moves_as_if_it_were_alone():
    all_of_them, alone = workshop(5), Machine([(23.0, 0, 0), (24.0, 0, 0), (25.0, 0, 0)], t_end=0.05, every=0.01)
    alone.hold([1], "111 111")
    alone.joint("GEAR", [1, 2, 3], [Z, (0.6, 0.0, 0.8)], 0.3 + 0.1 * 4, 1.0, [1.0, 0.01, 0.02])
    alone.load(2, "ZZ", 1.0, "sin(40*t)")
    alone.gravity([2, 3], "Z", -9.81)
    np.testing.assert_allclose(alone.run(1e-3).joint("ANG2"), all_of_them.run(1e-3).joint("ANG2", 4), rtol=1e-12)


def spinning_up(t_end=1.0):
    """A moment on a free body: automatic steps become too long."""
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=t_end, every=0.1)
    machine.body(1, [2], mass=1.0, inertia=(1.0, 1.5, 2.0, 0, 0, 0))
    machine.load(1, "ZZ", 400.0)
    return machine


def test_length_of_the_blocks_does_not_change_a_run_whose_step_is_halved():
    same(spinning_up().run(block=50), spinning_up().run(block=120))


def test_a_step_that_becomes_too_long_is_halved_with_a_message():
    simulation = spinning_up().simulation()
    run = collect(simulation, block=10)
    assert simulation.messages
    words = r"time step halved to 0.0005 at t = ([\d.]+): a body turns by more than 0.04 rad a step"
    found = re.fullmatch(words, simulation.messages[0])
    assert found is not None
    assert float(found[1]) < 0.2  # the piece in which 200 t 1e-3 would pass 0.04 is taken back
    assert simulation.dt_min_used == run.diag("dt")[-1] == 1e-3 / 2 ** len(simulation.messages)
    assert simulation.dt_max_used == 1e-3
    assert run.times[-1] == 1.0
    # 200 rad/s2 from rest
    np.testing.assert_allclose(run.node("VRZ", 1), 200.0 * run.times, rtol=1e-9, atol=1e-12)
    # the kinetic energy of this grid changes with the step by (M dt)^2/8I
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=(400.0 * 1e-3) ** 2 / 8 / 2.0 + 1e-7)


def test_samples_keep_their_interval_when_the_step_is_halved():
    run = collect(spinning_up().simulation(), block=10)
    np.testing.assert_allclose(run.times, np.linspace(0.0, 1.0, 11), atol=5e-4)


def test_an_imposed_step_is_never_halved():
    simulation = spinning_up().simulation(1e-3)
    assert set(collect(simulation, block=10).diag("dt")) == {1e-3}
    assert simulation.messages == []


# ---- ends ------------------------------------------------------------------------------------------------------


def test_a_diverging_run_names_step_time_and_node_and_keeps_the_samples_before():
    """A spring a hundred times too stiff for the step, off the axis of a body that it sets spinning."""
    machine = Machine([(0, 0, 0), (0.5, 0.1, 0), (0.5, 1.0, 0.2)], t_end=10.0, every=0.01)
    machine.body(1, [2], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.mass(3, 1.0)
    machine.spring(2, 3, 1e6)
    machine.velocity([3], (0.1, 0.0, 0.0))
    simulation = machine.simulation(0.01)
    with pytest.raises(SimulationError) as caught:
        collect(simulation)
    error = caught.value
    assert 0 < error.step < 100
    assert error.time == pytest.approx(error.step * 0.01, rel=1e-12)
    assert error.message == (
        f"the run diverged at step {error.step}, t = {error.time:.6g} s: node 1 turns by more than 2 rad in one step "
        "(a shorter time step may help)"
    )
    assert error.partial.values["diag"]["step"].tolist() == list(range(error.step))


def test_divergence_without_rotation_is_found_too():
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=100.0, every=1.0)
    machine.mass(1, 1.0)
    machine.mass(2, 1.0)
    machine.spring(1, 2, 1e6)
    machine.velocity([1], (0.1, 0.0, 0.0))
    with pytest.raises(SimulationError, match=r"^the run diverged at step \d+, t = [\d.]+ s: node [12] moves"):
        machine.run(0.1)


def test_a_step_imposed_beyond_stability_is_warned_about():
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=0.1, every=0.1)
    machine.mass(1, 1.0)
    machine.mass(2, 1.0)
    machine.spring(1, 2, 1e6)
    (warning,) = machine.simulation(0.1).warnings
    assert warning.message.startswith("the imposed time step 0.1 is longer than the stable step 0.001414 of spring 4")


def test_a_function_without_a_value_ends_the_run():
    machine = Machine([(0, 0, 0)], t_end=1.0, every=0.1)
    machine.mass(1, 1.0)
    machine.load(1, "X", 1.0, "sqrt(0.5-t)")
    with pytest.raises(SimulationError) as caught:
        machine.run(1.0 / 64)
    assert (caught.value.step, caught.value.time) == (33, 33 / 64)
    assert caught.value.message.startswith("the run diverged at step 33, t = 0.515625 s: node 1 ")


def test_an_imposed_displacement_that_does_not_start_at_zero_is_an_error():
    machine = Machine([(0, 0, 0)], t_end=1.0, every=0.1)
    machine.mass(1, 1.0)
    machine.drive("DISP", 1, "X", "0.5+t", scale=2.0)
    with pytest.raises(DeckError) as caught:
        machine.run(1e-2)
    (found,) = caught.value.diagnostics
    assert (found.keyword, found.field, found.found) == ("/IMPDISP", "fct_ID", "f(0) = 1")
    assert found.message == "the imposed displacement is 1 at t = 0, where the node is at 0"


def test_facts_count_bodies_subsystems_rows_and_freedom():
    machine = workshop(2)
    simulation = machine.simulation(1e-3)
    simulation.compile()
    facts = dict(simulation.facts)
    assert facts["machine"] == "10 moving bodies in 6 independent subsystems, 22 constraint rows"
    # a gear pair has one freedom, two masses on a spring six, a mass three
    assert facts["freedom"] == "20 degrees of freedom"
    assert simulation.degrees_of_freedom == 2 * (1 + 6 + 3)
    assert "redundant" not in facts
    assert simulation.summary()["redundant_rows"] == 0.0


def test_an_empty_machine_runs():
    run = Machine([(0, 0, 0)], t_end=1.0, every=0.5).run(0.25)
    assert run.times.tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_array_equal(run.node("DX", 1), 0.0)
    np.testing.assert_array_equal(run.energy("error"), 0.0)


def test_small_words():
    assert (relative(0.0, 0.0), relative(1.0, 4.0), relative(1.0, 0.0)) == (0.0, 0.25, np.inf)


def test_sensors_are_written_with_the_time_at_which_they_switched_on():
    machine = Machine([(0, 0, 0)], t_end=0.4, every=0.1)
    machine.mass(1, 1.0)
    machine.sensor(0.2)
    run = machine.run(0.05)
    sensors = run.values["th/sensor"]
    assert sensors["STATUS"][:, 0].tolist() == [0, 0, 1, 1, 1]
    np.testing.assert_array_equal(sensors["TON"][:, 0], [np.nan, np.nan, 0.2, 0.2, 0.2])
