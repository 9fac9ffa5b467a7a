"""Times at which a deck changes something: the scheme stays of second order across them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import HuntCrossleyLaw, ImpactLaw, PoissonLaw, VolumeLaw
from gsolve.parser.model import CoulombFriction, ForceCurveInterface, Surface, UserRoutine
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, collect
from scipy.integrate import solve_ivp
from stub_models import StubWhere

START, STOP, END = 0.33371, 0.72193, 1.0
STEPS = (0.02, 0.01, 0.005, 0.0025)


def errors(machine_of, exact):
    """Largest error of position and velocity of node 1 along X at the end, for each of four steps."""
    found = []
    for dt in STEPS:
        run = machine_of().run(dt)
        state = run.node("DX", 1)[-1], run.node("VX", 1)[-1]
        found.append(max(abs(np.subtract(state, exact))))
    return found


def is_second_order(found, round_off=1e-12, worst=3.5):
    """Four times smaller with half the step, or at round-off."""
    if max(found) < round_off:
        return True
    return all(before / after > worst for before, after in pairwise(found)) and found[0] < 0.02


def free_mass():
    machine = Machine([(0, 0, 0)], t_end=END, every=END)
    machine.mass(1, 2.0)
    return machine


def test_a_load_that_starts_and_stops_with_its_sensor():
    def machine():
        made = free_mass()
        made.load(1, "X", 3.0, sensor=made.sensor(START, STOP))
        return made

    gained = 1.5 * (STOP - START)
    exact = 0.75 * (STOP - START) ** 2 + gained * (END - STOP), gained
    assert max(errors(machine, exact)) < 1e-13  # a constant force: exact but for rounding


def test_a_load_that_swings_from_its_start_to_its_stop():
    """F = sin(9 (t - START))."""

    def machine():
        made = free_mass()
        made.load(1, "X", 1.0, "sin(9*t)", sensor=made.sensor(START, STOP))
        return made

    w, acted = 9.0, STOP - START
    gained = (1 - math.cos(w * acted)) / (2.0 * w)
    moved = (acted - math.sin(w * acted) / w) / (2.0 * w)
    assert is_second_order(errors(machine, (moved + gained * (END - STOP), gained)))


def test_a_load_with_kinks():
    """A force that rises from START on, stays from STOP on."""

    def machine():
        made = free_mass()
        made.load(1, "X", 1.0, [(0.0, 0.0), (START, 0.0), (STOP, 4.0), (2.0, 4.0)])
        return made

    rise, rest = STOP - START, END - STOP
    gained = 4.0 * rise / 2 / 2.0
    exact = 4.0 * rise**2 / 6 / 2.0 + gained * rest + 4.0 * rest**2 / 2 / 2.0, gained + 4.0 * rest / 2.0
    assert is_second_order(errors(machine, exact))


def test_a_gravity_that_is_switched_on():
    def machine():
        made = free_mass()
        made.gravity([1], "X", -9.81, sensor=made.sensor(START))
        return made

    fallen = END - START
    assert max(errors(machine, (-9.81 * fallen**2 / 2, -9.81 * fallen))) < 1e-12


@pytest.mark.parametrize("kind", ["VEL", "DISP", "ACC"])
def test_an_imposed_motion_that_lets_go(kind):
    """v = 3 t up to STOP, then free."""
    given = {"VEL": "3*t", "DISP": "1.5*t^2", "ACC": [(0.0, 3.0), (2.0, 3.0)]}[kind]

    def machine():
        made = free_mass()
        made.drive(kind, 1, "X", given, window=(0.0, STOP))
        return made

    gained = 3.0 * STOP
    assert is_second_order(errors(machine, (1.5 * STOP**2 + gained * (END - STOP), gained)))


def test_an_imposed_motion_that_takes_hold():
    """Free at v = 1 up to START, from there on v = 1 + sin(5 (t - START))."""

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        made.drive("VEL", 1, "X", "1+sin(5*t)", sensor=made.sensor(START))
        return made

    held = END - START
    exact = START + held + (1 - math.cos(5 * held)) / 5, 1 + math.sin(5 * held)
    assert is_second_order(errors(machine, exact))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_drive_of_a_slide_that_lets_go(level):
    """The same motion, by /DRIVE/TRA against the ground."""
    given = ["1.5*t^2", "3*t", [(0.0, 3.0), (2.0, 3.0)]][level]

    def machine():
        made = free_mass()
        made.hold([1], "011 111")
        made.coordinate_drive("TRA", 0, 1, given, level=level, axis=(1.0, 0.0, 0.0), window=(0.0, STOP))
        return made

    gained = 3.0 * STOP
    assert is_second_order(errors(machine, (1.5 * STOP**2 + gained * (END - STOP), gained)))


@pytest.mark.parametrize(("flag", "start", "stop"), [(0, START, END), (1, 0.0, START), (2, START, STOP)])
def test_a_spring_that_a_sensor_switches(flag, start, stop):
    """An oscillator while the spring acts, free before and after; with Isflag 2 it starts unstretched."""
    stiffness, mass, speed = 50.0, 2.0, 0.4

    def machine():
        made = Machine([(0, 0, 0), (-5, 0, 0)], t_end=END, every=END)
        made.mass(1, mass)
        made.hold([2], "111 111")
        made.velocity([1], (speed, 0.0, 0.0))
        made.spring(2, 1, stiffness, sensor=made.sensor(START, STOP), flag=flag)
        return made

    w, acts, rest = math.sqrt(stiffness / mass), stop - start, END - stop
    elongation = 0.0 if flag == 2 else speed * start  # where it begins to act
    unstretched = speed * start - elongation
    moved = unstretched + elongation * math.cos(w * acts) + speed / w * math.sin(w * acts)
    gained = -w * elongation * math.sin(w * acts) + speed * math.cos(w * acts)
    assert is_second_order(errors(machine, (moved + gained * rest, gained)))


def accelerate_from_start(made, drives):
    """a = 2 + 3 (t - START) of node 1 along X, by a drive or by an imposed motion."""
    sensor = made.sensor(START)
    if drives:
        made.hold([1], "011 111")
        made.coordinate_drive("TRA", 0, 1, "2+3*t", level=2, axis=(1.0, 0.0, 0.0), sensor=sensor)
    else:
        made.drive("ACC", 1, "X", "2+3*t", sensor=sensor)


@pytest.mark.parametrize("drives", [False, True])
def test_an_acceleration_that_takes_hold(drives):
    """Free at v = 1 up to START, from there on a = 2 + 3 (t - START)."""

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        accelerate_from_start(made, drives)
        return made

    held = END - START
    exact = 1.0 + held**2 + held**3 / 2, 1.0 + 2 * held + 1.5 * held**2
    assert is_second_order(errors(machine, exact))


@pytest.mark.parametrize("given", [None, "1+sin(4*t)"], ids=["constant", "swinging"])
@pytest.mark.parametrize("drives", [False, True])
def test_an_acceleration_that_takes_hold_of_what_other_forces_accelerate(drives, given):
    """F = 3 or 3 (1 + sin(4 t)) up to START, from there on a = 2 + 3 (t - START) whatever F is."""

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        made.load(1, "X", 3.0, given or 0)
        accelerate_from_start(made, drives)
        return made

    speed, place = 1.0 + 1.5 * START, START + 0.75 * START**2
    if given:
        speed += 1.5 * (1 - math.cos(4 * START)) / 4
        place += 1.5 * (START / 4 - math.sin(4 * START) / 16)
    held = END - START
    exact = place + speed * held + held**2 + held**3 / 2, speed + 2 * held + 1.5 * held**2
    found = errors(machine, exact)
    assert is_second_order(found, worst=3.0) and found[0] / found[-1] > 50  # 64 but for where START lies in the steps


@pytest.mark.parametrize("off", [-2e-16, 2e-16])
@pytest.mark.parametrize("kind", ["VEL", "ACC"])
def test_a_time_that_the_grid_meets_but_for_rounding(kind, off):
    """A motion takes hold at 0.4 with the step that begins there, not one later."""
    given = {"VEL": "1+3*t", "ACC": [(0.0, 3.0), (2.0, 3.0)]}[kind]

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        made.drive(kind, 1, "X", given, sensor=made.sensor(0.4 + off))
        return made

    held = 0.6
    exact = 1.0 + 1.5 * held**2, 1.0 + 3.0 * held
    assert max(errors(machine, exact)) < 1e-12


# ---- interfaces ------------------------------------------------------------------------------------------------

MASS, DEPTH, SPEED, SLIDING = 2.0, 0.3, 0.2, 0.5  # of a ball of radius 1 that is pressed into a floor, and slides
STIFFNESS, DAMPING = 6.0, 0.4
ROUTINE = """
def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    return [8.0 * (-gap) ** 1.5 * (1.0 - 0.3 * gapdot), 0, 0]
"""


def smooth_step(x, x0, h0, x1, h1):
    u = min(1.0, max(0.0, (x - x0) / (x1 - x0)))
    return h0 + (h1 - h0) * u * u * (3 - 2 * u)


# Each law, and the force of one point at a penetration z and its rate v.
LAWS = {
    "linear": (ImpactLaw(STIFFNESS, 1.0, 0.0, 1.0), lambda z, v: STIFFNESS * z),
    "impact": (ImpactLaw(STIFFNESS, 1.0, 0.8, 0.5), lambda z, v: STIFFNESS * z + smooth_step(z, 0, 0, 0.5, 0.8) * v),
    "poisson": (
        PoissonLaw(8.0, 0.5, 2.0), lambda z, v: 8.0 * z**1.5 * (1 + 0.6 * smooth_step(v, -2, -1, 2, 1)),
    ),
    "hunt_crossley": (HuntCrossleyLaw(8.0, 1.5, 0.3, 0.0), lambda z, v: 8.0 * z**1.5 * (1 + 0.3 * v)),
    "volume": (VolumeLaw(12.0, 12.0, 1.0, DAMPING), lambda z, v: 6.0 * z * math.pi * z * (2 - z) + DAMPING * v),
    "routine": (None, lambda z, v: 8.0 * z**1.5 * (1 + 0.3 * v)),
    "force curve": (None, lambda z, v: STIFFNESS * z + DAMPING * v),
}  # fmt: skip
MU = 0.4, 0.2, 0.3, 0.9


def static_and_dynamic(slip, speed, normal):
    low = smooth_step(abs(speed), -0.3, -0.4, 0.3, 0.4)
    mu = low if abs(speed) <= 0.3 else smooth_step(abs(speed), 0.3, 0.4, 0.9, 0.2)
    return -math.copysign(mu * normal, speed)


# Each friction, and its force after so much slip, at a speed and normal force.
FRICTIONS = {
    "none": (None, lambda slip, speed, normal: 0.0),
    "on": (CoulombFriction("STATIC_AND_DYNAMIC", *MU), static_and_dynamic),
    "dynamic": (
        CoulombFriction("DYNAMIC", 0.4, 0.2, 0.3, 2.0),
        lambda slip, speed, normal: -smooth_step(speed, -2.0, -0.2, 2.0, 0.2) * normal,
    ),
    "stiction": (
        CoulombFriction("STICTION", 5.0, 4.0, 0.3, 0.9, tangential_stiffness=3.0, tangential_damping=0.2),
        lambda slip, speed, normal: -3.0 * slip - 0.2 * speed,
    ),
}


def pressed_ball(law, friction, window, by_sensor, zero_crossing, folder):
    """The ball free before and after, its interface on for some time."""
    made = Machine([(0, 0, 1 - DEPTH), (1, 0, 1 - DEPTH)], t_end=END, every=END)
    made.body(1, [2], MASS, (1, 1, 1, 0, 0, 0))
    made.hold([1], "000 111")
    made.velocity([1], (SLIDING, 0.0, -SPEED))
    ball, floor = [made.solid("SPHERE", 1, 1.0)], [made.solid("PLANE", 0)]
    times = {"t_start": window[0], "t_stop": window[1]}
    if law == "force curve":
        sides = [Surface(*made._head("/SURF"), np.array(side)) for side in (ball, floor)]
        made.model.force_curve_contacts.append(
            ForceCurveInterface(
                *made._head("/INTER/TYPE6"), *sides, loading_function=made.function([(0, 0), (1, STIFFNESS)]),
                penetration_scale=1.0, force_scale=1.0, formulation=0, adjust_force=False, unloading_function=0,
                unloading_stiffness=0.0, unloading_scale=1.0, viscosity=DAMPING, damping_by_velocity=0,
                damping_by_force=0, damping_scale=0.0, friction_force=0.0, friction=0.0, friction_by_force=0,
                friction_by_velocity=0, force_abscissa=1.0, velocity_abscissa=1.0, gap=0.0, reduce_gap=False, **times,
            )
        )  # fmt: skip
        return made
    given = LAWS[law][0]
    if law == "routine":
        (folder / "routine.py").write_text(ROUTINE)
        place = StubWhere("/INTER/USERCNF", 1)
        given = UserRoutine("PYTHON", str(folder / "routine.py"), "CNFSUB", np.zeros(0), place, "file")
    more = {"sensor_id": made.sensor(*window)} if by_sensor else times
    made.contact(ball, floor, given, FRICTIONS[friction][0], zero_crossing=zero_crossing, **more)
    return made


def pressed_ball_exactly(law, friction, window):
    """Displacement along X, its rate, penetration and its rate at the end, of the equations of motion."""
    normal_force, friction_force = LAWS[law][1], FRICTIONS[friction][1]
    start, stop = max(window[0], 0.0), min(window[1], END)
    at_start = np.array([SLIDING * start, SLIDING, DEPTH + SPEED * start, SPEED])

    def motion(t, y):
        normal = normal_force(y[2], y[3])
        return [y[1], friction_force(y[0] - at_start[0], y[1], normal) / MASS, y[3], -normal / MASS]

    y = solve_ivp(motion, (start, stop), at_start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[0] + y[1] * (END - stop), y[1], y[2] + y[3] * (END - stop), y[3]


def errors_of_pressed_ball(tmp_path, law, friction, window, by_sensor=False, zero_crossing=False):
    exact, found = pressed_ball_exactly(law, friction, window), []
    for dt in STEPS:
        made = pressed_ball(law, friction, window, by_sensor, zero_crossing, tmp_path)
        run = collect(Simulation(made.model, dt=dt, allow_user_code=True))
        place, speed = run.vector("D", 1)[-1], run.vector("V", 1)[-1]
        found.append(np.abs(np.subtract((place[0], speed[0], DEPTH - place[2], -speed[2]), exact)).max())
    return found


BEGINS, ENDS = (START, math.inf), (0.0, STOP)


@pytest.mark.parametrize("window", [BEGINS, ENDS], ids=["begins", "ends"])
@pytest.mark.parametrize("law", LAWS)
def test_an_interface_that_begins_or_ends_while_solids_touch(tmp_path, law, window):
    assert is_second_order(errors_of_pressed_ball(tmp_path, law, "none", window))


@pytest.mark.parametrize("window", [BEGINS, ENDS], ids=["begins", "ends"])
@pytest.mark.parametrize("friction", [name for name in FRICTIONS if name != "none"])
def test_friction_of_an_interface_that_begins_or_ends_while_solids_slide(tmp_path, friction, window):
    assert is_second_order(errors_of_pressed_ball(tmp_path, "linear", friction, window))


def test_an_interface_that_its_sensor_switches_on_and_off(tmp_path):
    assert is_second_order(errors_of_pressed_ball(tmp_path, "linear", "none", (START, STOP), by_sensor=True))


def test_what_an_interface_finds_when_it_begins_has_not_just_come_to_touch(tmp_path):
    """Cutting steps at first touch has nothing to cut there, and no first kick to make good."""
    assert is_second_order(errors_of_pressed_ball(tmp_path, "linear", "none", BEGINS, zero_crossing=True))


def test_what_is_stored_in_an_interface_that_ends_is_lost(tmp_path):
    """EELAS counts from 0 where the interface begins in an overlap after t = 0, and is nothing after its end."""
    for window, of_start in (((0.0, STOP), 0.5 * STIFFNESS * DEPTH**2), ((START, STOP), 0.0)):
        made = pressed_ball("linear", "none", window, False, False, tmp_path)
        made.model.engine.sampling_interval = 0.01
        run = collect(Simulation(made.model, dt=2.5e-3))
        t, stored, lost = run.times, run.inter("EELAS"), run.inter("EDISS")
        on, after = (t > window[0] + 0.01) & (t < STOP), t > STOP + 0.01
        depth = DEPTH - run.node("DZ", 1)
        gained = 0.5 * STIFFNESS * (depth**2 - (DEPTH + SPEED * window[0]) ** 2)
        np.testing.assert_allclose(stored[on], of_start + gained[on], atol=2e-5)
        assert np.all(stored[after] == 0.0)
        assert lost[-1] == pytest.approx(stored[on][-1], abs=2e-3) and np.ptp(lost[after]) == 0.0
        assert np.abs(run.energy("error")).max() < 5e-6
