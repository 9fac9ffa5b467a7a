"""Sensors on values: when they switch against closed forms, what they see against the results, and what they join."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, Z, collect
from running import run
from wall_decks import WallDeck

G, DT = 10.0, 1e-3
INFINITY = math.inf


def falling(every=0.01, t_end=1.0):
    """Node 1 falls beside node 2, which is held, and node 3, which nothing touches."""
    machine = Machine([(0, 0, 0), (0, 0, 0), (5, 0, 0)], t_end=t_end, every=every)
    machine.mass(1, 2.0)
    machine.mass(3, 1.0)
    machine.gravity([1], "Z", -G)
    return machine


def sensor_of(result, channel, place=0):
    return result.values["th/sensor"][channel][:, place]


def is_first_step_from(switched, time, dt=DT):
    """Whether a sensor switched at the first step at or after a time."""
    return time - 1e-9 <= switched < time + dt


# ---- when they switch ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantity", "limits", "variable", "nodes", "time"),
    [
        ("DIST", (-INFINITY, 1.0), "", (2, 1), math.sqrt(2 * 1.0 / G)),
        ("VEL", (-INFINITY, 3.005), "", (1,), 3.005 / G),
        ("ENERGY", (-INFINITY, 26.0), "KE", (), math.sqrt(26.0) / G),
    ],
)
def test_a_fall_switches_at_the_first_step_beyond_the_limit(quantity, limits, variable, nodes, time):
    machine = falling()
    machine.value_sensor(quantity, limits, variable, nodes)
    result = machine.run(DT)
    on = sensor_of(result, "TON")[-1]
    assert is_first_step_from(on, time)
    np.testing.assert_array_equal(sensor_of(result, "STATUS"), result.times >= on)


def test_what_is_switched_acts_from_the_next_step_on_and_counts_its_time_from_there():
    """Node 1 is braked by 40 N, node 3 pushed by a ramp of 6 N/s."""
    machine = falling()
    sensor = machine.value_sensor("DIST", (-INFINITY, 1.0), nodes=(1, 2))
    machine.load(1, "Z", 40.0, "1", sensor=sensor)
    machine.load(3, "X", 6.0, "t", sensor=sensor)
    result = machine.run(DT)
    begin = sensor_of(result, "TON")[-1] + DT
    after = np.maximum(result.times - begin, 0.0)
    np.testing.assert_allclose(result.node("DZ", 1), -0.5 * G * result.times**2 + 0.5 * 20.0 * after**2, atol=1e-12)
    np.testing.assert_allclose(result.node("DX", 3), after**3, atol=2 * DT**2)


def test_the_value_must_last_and_the_sensor_may_wait():
    machine = falling()
    machine.value_sensor("DIST", (-INFINITY, 1.0), nodes=(1, 2), hold=0.1, delay=0.05)
    on = sensor_of(machine.run(DT), "TON")[-1]
    assert is_first_step_from(on, math.ceil(math.sqrt(0.2) / DT) * DT + 0.15)


OMEGA = 2 * math.pi  # of the oscillator


def oscillator(t_end=2.0):
    """Node 1 swings as cos(OMEGA t) on a spring of 3 m length at rest, from node 2."""
    machine = Machine([(3, 0, 0), (0, 0, 0)], t_end=t_end, every=DT)
    machine.mass(1, 1.0)
    machine.hold([1], "011 000")
    machine.hold([2], "111 111")
    machine.velocity([1], (OMEGA, 0, 0))
    machine.spring(2, 1, OMEGA**2)
    return machine


def test_a_sensor_with_a_flag_is_on_while_the_value_is_outside():
    """x = 3 + sin(OMEGA t) is above 3.5 in the third of each period around its top."""
    machine = oscillator()
    machine.value_sensor("DIST", (-INFINITY, 3.5), nodes=(1, 2), switches_off=True)
    machine.value_sensor("DIST", (2.5, 3.5), nodes=(1, 2), hold=0.34, switches_off=True)  # never so long
    machine.value_sensor("DIST", (2.5, 3.5), nodes=(1, 2))
    result = machine.run(DT)
    phase = np.sin(OMEGA * result.times)
    clear = np.abs(phase - 0.5) > OMEGA * 2 * DT
    np.testing.assert_array_equal(sensor_of(result, "STATUS", 0)[clear], phase[clear] > 0.5)
    assert not sensor_of(result, "STATUS", 1).any()
    np.testing.assert_array_equal(sensor_of(result, "STATUS", 2), result.times >= sensor_of(result, "TON", 2)[-1])


def test_sensors_of_sensors():
    """One above 0.5, one below -0.5, one of time."""
    machine = oscillator()
    high = machine.value_sensor("DIST", (-INFINITY, 3.5), nodes=(1, 2), switches_off=True)
    low = machine.value_sensor("DIST", (2.5, INFINITY), nodes=(1, 2), switches_off=True)
    late = machine.sensor(1.0)
    machine.logic_sensor("OR", high, low)
    machine.logic_sensor("AND", high, late)
    machine.logic_sensor("NOT", high)
    machine.logic_sensor("SENS", high, low)
    machine.logic_sensor("SENS", low, delay=0.1)
    result = machine.run(DT)
    columns = dict(zip(("high", "low", "late", "or", "and", "not", "from", "while"),
                       result.values["th/sensor"]["STATUS"].T.astype(bool), strict=True))  # fmt: skip
    np.testing.assert_array_equal(columns["or"], columns["high"] | columns["low"])
    np.testing.assert_array_equal(columns["and"], columns["high"] & columns["late"])
    np.testing.assert_array_equal(columns["not"], ~columns["high"])
    first_high, first_low = (int(np.argmax(columns[name])) for name in ("high", "low"))
    np.testing.assert_array_equal(np.flatnonzero(columns["from"]), np.arange(first_high, first_low))
    lasts = np.flatnonzero(columns["while"])
    np.testing.assert_array_equal(lasts, np.arange(first_low, first_low + 100))


@pytest.mark.parametrize("flag", [0, 1, 2])
def test_springs_begin_and_end_with_their_sensor(flag):
    """A free mass is between 0.5 and 1.5 m from its start from 0.5 s to 1.5 s; a spring on other nodes acts or not."""
    machine = Machine([(0, 0, 0), (0, 0, 0), (4, 0, 0), (5, 0, 0)], t_end=2.0, every=0.01)
    machine.mass(1, 1.0)
    machine.velocity([1], (1, 0, 0))
    machine.mass(3, 1.0)
    machine.hold([4], "111 111")
    outside = machine.value_sensor("DIST", (0.5, 1.5), nodes=(1, 2), switches_off=True)
    machine.spring(4, 3, 100.0, sensor=machine.logic_sensor("NOT", outside), flag=flag)
    result = machine.run(DT)
    acts = result.values["th/spring"]["OFF"][:, 0] == 1.0
    t = result.times
    expected = {0: t > 0.5, 1: t < 0.5, 2: (t > 0.5) & (t < 1.5)}[flag]
    clear = (np.abs(t - 0.5) > 3 * DT) & (np.abs(t - 1.5) > 3 * DT)
    np.testing.assert_array_equal(acts[clear], expected[clear])


# ---- what they see -------------------------------------------------------------------------------------------


def test_they_see_what_the_results_say():
    """Of a gear pair with a motor: coordinates, rates and efforts at t_n, to rounding."""
    machine = Machine([(0, 0, 0), (0, 0, 0.1), (1, 0, 0.1)], t_end=0.5, every=0.05)
    gears = machine.joint("GEAR", [1, 2, 3], [Z, Z], alpha=0.5, masses=1.0, inertias=[1.0, 0.1, 0.3])
    machine.hold([1], "111 111")
    machine.load(2, "ZZ", 2.0, "cos(t*9)")
    motor = machine.coordinate_drive("ROT", 1, 3, "sin(t*30)", level=1)
    seen = [("GJOINT", gears, name) for name in ("ANG1", "VEL1", "T1", "ANG2", "VEL2", "T2")]
    seen += [("DRIVE", motor, name) for name in ("ANG", "RATE", "T")]
    for quantity, of, name in seen:
        machine.value_sensor(quantity, (-INFINITY, 1e9), name, of=of)
    result = machine.run(DT)
    for place, (quantity, _, name) in enumerate(seen):
        values = result.values[f"th/{quantity.lower()}"][name][:, 0]
        np.testing.assert_allclose(
            sensor_of(result, "VALUE", place), values, rtol=1e-12, atol=1e-12 * np.abs(values).max()
        )


def test_the_energy_of_a_spring():
    """An oscillator of 1 kg: its spring holds OMEGA^2 sin^2(OMEGA t)/2."""
    machine = oscillator(t_end=0.5)
    machine.value_sensor("ENERGY", (-INFINITY, 5.0), "IE")
    result = machine.run(DT)
    stored = 0.5 * OMEGA**2 * np.sin(OMEGA * result.times) ** 2
    np.testing.assert_allclose(sensor_of(result, "VALUE"), stored, atol=2 * OMEGA**2 * (OMEGA * DT) ** 2)
    crossing = math.asin(math.sqrt(10.0) / OMEGA) / OMEGA
    assert is_first_step_from(sensor_of(result, "TON")[-1], crossing)


def test_a_node_touches_a_wall_at_the_end_of_its_fall():
    deck = WallDeck(1.0, DT, 0.01)
    node = deck.mass((0.0, 0.0, 1.0), 2.0)
    deck.gravity([node], "Z", -G)
    wall = deck.wall("PLANE", [node], (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    deck.block("/SENSOR/RWALL/5", "touch", ",", f"{wall}")
    deck.block("/SENSOR/RWALL/6", "press", ",", f"{wall}, FN, , 19.0, 0.1")
    result = run(deck)
    on = result.of("th/sensor", "TON", 5)[-1], result.of("th/sensor", "TON", 6)[-1]
    time = math.sqrt(2 / G)
    assert time - 2 * DT < on[0] < time + 2 * DT
    assert on[1] == pytest.approx(on[0] + 0.1, abs=2 * DT)  # m g = 20 N lasts
    assert result.of("th/sensor", "VALUE", 6)[-1] == pytest.approx(20.0, rel=1e-9)


def test_a_ball_touches_another():
    machine = Machine([(0, 0, 0), (1.5, 0, 0)], t_end=1.0, every=DT)
    for node in (1, 2):
        machine.mass(node, 1.0)
    machine.velocity([1], (1, 0, 0))
    balls = [machine.solid("SPHERE", node, 0.5) for node in (1, 2)]
    touch = machine.contact([balls[0]], [balls[1]], ImpactLaw(1e4, 1.0, 0.0, 1.0))
    machine.value_sensor("INTER", (-INFINITY, 0.0), of=touch, switches_off=True)
    result = machine.run(DT)
    touches = np.abs(result.inter("FNX")) > 0.0
    assert touches.any()
    np.testing.assert_array_equal(sensor_of(result, "STATUS").astype(bool), touches)


# ---- what they join, and machines on the way -----------------------------------------------------------------


LIMIT, RAMP = 30.0, 100.0


def overloaded(every=0.01):
    """A gear pair whose motor pulls ever more; a drive holds the wheel until the gears carry more than LIMIT."""
    machine = Machine([(0, 0, 0), (0, 0, 0.1), (0.3, 0, 0.1)], t_end=0.5, every=every)
    gears = machine.joint("GEAR", [1, 2, 3], [Z, Z], alpha=0.5, masses=1.0, inertias=[1.0, 0.02, 0.08])
    machine.hold([1], "111 111")
    machine.load(2, "ZZ", RAMP, "t")
    overload = machine.value_sensor("GJOINT", (-LIMIT, LIMIT), "T2", of=gears)
    machine.coordinate_drive("ROT", 1, 3, "0*t", level=1, sensor=machine.logic_sensor("NOT", overload))
    return machine


def test_an_overload_lets_a_drive_go():
    """The wheel carries twice the torque of the motor, LIMIT at t = LIMIT/(2 RAMP); then 0.04 kg m2 turn freely."""
    result = overloaded().run(DT)
    on = sensor_of(result, "TON")[-1]
    assert is_first_step_from(on, LIMIT / (2 * RAMP))
    release = on + DT
    rate = np.where(result.times > release, 0.5 * RAMP * (result.times**2 - release**2) / 0.04, 0.0)
    np.testing.assert_allclose(result.joint("VEL1"), rate, atol=0.5 * RAMP * DT**2 / 0.04)
    held = result.times < on
    np.testing.assert_allclose(result.drive("T")[held], 2 * RAMP * result.times[held], atol=1e-6)


def joined():
    """Node 1 falls; two others, which nothing else couples, are pushed once it has fallen 1 m."""
    machine = falling()
    sensor = machine.value_sensor("DIST", (-INFINITY, 1.0), nodes=(1, 2))
    machine.load(3, "X", 6.0, "t", sensor=sensor)
    return machine


def test_what_a_sensor_sees_and_acts_on_is_one_subsystem():
    assert len(joined().assemble().system.subsystems) == 1
    alone = falling()
    alone.load(3, "X", 6.0, "t")
    alone.value_sensor("DIST", (-INFINITY, 1.0), nodes=(1, 2))
    assert len(alone.assemble().system.subsystems) == 2


@pytest.mark.parametrize("make", [joined, overloaded])
def test_results_depend_neither_on_threads_nor_on_blocks(make):
    whole, other = make().run(DT), make().run(DT, threads=2, block=37)
    for group, table in whole.values.items():
        for name, values in table.items():
            np.testing.assert_array_equal(values, other.values[group][name])


def test_steps_that_are_taken_back_take_sensors_and_what_they_switched_along():
    simulation = Simulation(joined().model, dt=DT)
    simulation.compile()
    machine = simulation._machine
    samples = machine.new_samples(np.arange(1001))
    before = machine.copies()
    assert machine.run(samples, 800) is None
    first = samples.body[:800].copy(), samples.sensor[:800].copy()
    assert first[1][-1, 0, 0] == 1.0  # it is on by then
    machine.go_back(before, samples)
    assert machine.run(samples, 800) is None
    for again, once in zip((samples.body[:800], samples.sensor[:800]), first, strict=True):
        np.testing.assert_array_equal(again, once)


def test_machines_with_sensors_take_the_general_path():
    simulation = Simulation(overloaded().model, dt=DT)
    simulation.start()
    assert simulation.condensation is not None and not simulation.condensation.trains
    assert simulation.condensation.reasons == ["sensors on values"]
    controlled = Simulation(overloaded().model, accuracy=1e-4)
    assert controlled.accuracy is not None and controlled.accuracy.reasons == ["sensors on values"]


def test_a_sensor_ends_the_run_at_the_first_sample_at_which_it_was_on():
    machine = falling()
    sensor = machine.value_sensor("DIST", (-INFINITY, 1.0), nodes=(1, 2))
    machine.model.engine.stop_sensors = [sensor]
    for block in (100_000, 7):
        simulation = Simulation(machine.model, dt=DT)
        result = collect(simulation, block)
        assert result.times[-1] == pytest.approx(0.45, abs=1e-12)
        name = f"/SENSOR/DIST/{sensor}"
        expected = f"ended as asked at t = 0.45: {name} switched on at t = 0.448 (/STOP/LSENSOR)"
        assert simulation.reason_of_end == expected


def test_gravity_an_imposed_velocity_and_a_contact_begin_with_a_sensor():
    """Node 1 flies past 0.25 m at 1 m/s; then node 3 falls, node 4 goes at 2 m/s, and node 1 meets a wall."""
    machine = Machine([(0, 0, 0), (0, 0, 0), (3, 0, 0), (4, 0, 0)], t_end=1.0, every=DT)
    for node in (1, 3, 4):
        machine.mass(node, 1.0)
    machine.velocity([1], (1, 0, 0))
    sensor = machine.value_sensor("DIST", (-INFINITY, 0.2505), nodes=(1, 2))
    machine.gravity([3], "Z", -G, "1", sensor=sensor)
    machine.drive("VEL", 4, "X", "2", sensor=sensor)
    ball = machine.solid("SPHERE", 1, 0.1)
    plane = machine.solid("PLANE", 0, axes=((0, 1, 0), (0, 0, 1), (-1, 0, 0)), offset=(0.6, 0, 0))
    machine.contact([ball], [plane], ImpactLaw(1e4, 1.0, 0.0, 1.0), sensor_id=sensor)
    result = machine.run(DT)
    begin = sensor_of(result, "TON")[-1] + DT
    assert is_first_step_from(begin - DT, 0.2505)
    after = np.maximum(result.times - begin, 0.0)
    np.testing.assert_allclose(result.node("DZ", 3), -0.5 * G * after**2, atol=1e-12)
    np.testing.assert_allclose(result.node("DX", 4), 2 * after, atol=1e-12)
    assert result.node("VX", 1)[-1] == pytest.approx(-1.0, abs=1e-3)  # an elastic wall


def test_a_contact_that_its_sensor_ends_lets_a_ball_through():
    machine = Machine([(0, 0, 0), (0, 0, 0)], t_end=1.0, every=DT)
    machine.mass(1, 1.0)
    machine.velocity([1], (1, 0, 0))
    ball = machine.solid("SPHERE", 1, 0.1)
    plane = machine.solid("PLANE", 0, axes=((0, 1, 0), (0, 0, 1), (-1, 0, 0)), offset=(0.6, 0, 0))
    near = machine.logic_sensor("NOT", machine.value_sensor("DIST", (-INFINITY, 0.4), nodes=(1, 2)))
    machine.contact([ball], [plane], ImpactLaw(1e4, 1.0, 0.0, 1.0), sensor_id=near)
    result = machine.run(DT)
    np.testing.assert_allclose(result.node("VX", 1), 1.0, atol=1e-12)
    assert not np.abs(result.inter("FNX")).any()


def test_a_deck_in_which_nothing_moves_has_sensors_that_stay_off():
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=0.1, every=0.05)
    machine.value_sensor("VEL", (-INFINITY, 1.0), nodes=(1,))
    result = machine.run(0.01)
    assert not sensor_of(result, "STATUS").any()
