"""Drives of distances, displacements and angles: the function is met, work and momentum balance, what goes wrong."""

from __future__ import annotations

import naive.core as functions_twin
import numpy as np
import pytest
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.constraints import drives
from gsolve.solver.constraints.joints import JOINT
from gsolve.solver.constraints.motion_law import ACCELERATION, DISPLACEMENT, VELOCITY, MotionLaw
from gsolve.solver.constraints.rows import TIGHT, RowBuilder
from gsolve.solver.integration.system import SUBSYSTEM
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine, collect
from made_functions import functions_of
from naive.constraints import Drive, rate_at_end
from scipy.spatial.transform import Rotation

MOMENTA = [f"{quantity}_{axis}" for quantity in ("momentum", "angular_momentum") for axis in "xyz"]
INERTIA = (0.1, 0.2, 0.25, 0.01, -0.02, 0.03)


def slider(mass=2.0, t_end=1.0, every=0.1):
    """Node 1 held at (0.1, 0, 0), node 2 of a mass at (0.6, 0, 0), both on the x axis."""
    machine = Machine([(0.1, 0, 0), (0.6, 0, 0)], t_end=t_end, every=every)
    machine.hold([1], "111 111")
    machine.mass(2, mass)
    return machine


def rotor(inertia=0.5, t_end=1.0, every=0.1):
    """Body 1 turns about a pivot and z, node 3 is held beside it."""
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 0, 0)], t_end=t_end, every=every)
    machine.body(1, [2], mass=1.0, inertia=(inertia,) * 3 + (0, 0, 0))
    machine.hold([1], "111 110")
    machine.hold([3], "111 111")
    return machine


def two_bodies_in_flight(t_end=1.0, every=0.05):
    """Bodies 1 (node 3 off its centre) and 2 (node 4), of unequal inertia, tumbling freely."""
    places = [(0, 0, 0), (0.5, 0.3, -0.2), (0.2, 0.1, 0), (0.6, 0.3, -0.4)]
    machine = Machine(places, t_end=t_end, every=every)
    machine.body(1, [3], mass=2.0, inertia=INERTIA)
    machine.body(2, [4], mass=1.0, inertia=(0.05, 0.02, 0.06, 0, 0, 0))
    machine.velocity([1], (0.1, 0.2, 0.3), (3.0, 2.0, -1.0))
    machine.velocity([2], (0.4, -0.2, 0.1), (3.0, -2.0, 1.0))
    return machine


def turns_of(run, node):
    quaternions = np.stack([run.node(f"Q{k}", node) for k in range(4)], axis=1)
    return Rotation.from_quat(quaternions, scalar_first=True)


# ---- position --------------------------------------------------------------------------------------------------


def test_a_distance_follows_its_function_in_flight():
    machine = two_bodies_in_flight()
    machine.coordinate_drive("DIST", 3, 4, "0.1*sin(6*t)^2")
    run = machine.run(1e-3)
    distance = np.linalg.norm(run.vector("", 4) - run.vector("", 3), axis=1)
    np.testing.assert_allclose(distance, distance[0] + 0.1 * np.sin(6 * run.times) ** 2, atol=1e-13)
    np.testing.assert_allclose(run.drive("U"), distance, atol=1e-14)
    np.testing.assert_allclose(run.drive("V"), 0.6 * np.sin(12 * run.times), atol=5e-5)
    np.testing.assert_allclose(run.drive("UERR"), 0.0, atol=1e-13)
    assert np.all(np.isnan(run.drive("ANG")))


def test_an_absolute_distance_starts_where_the_function_says():
    machine = slider()
    machine.coordinate_drive("DIST", 1, 2, "0.5+t*t", absolute=True)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("X", 2), 0.6 + run.times**2, atol=1e-14)


def test_a_displacement_is_along_the_axis_that_node_i_carries():
    machine = two_bodies_in_flight()
    machine.coordinate_drive("TRA", 3, 4, "0.2*(1-cos(5*t))", axis=(1, 2, 2))
    run = machine.run(1e-3)
    axis = turns_of(run, 1).apply(np.array([1, 2, 2]) / 3)
    along = np.sum(axis * (run.vector("", 4) - run.vector("", 3)), axis=1)
    np.testing.assert_allclose(along, along[0] + 0.2 * (1 - np.cos(5 * run.times)), atol=1e-13)
    np.testing.assert_allclose(run.drive("U"), along, atol=1e-14)


@pytest.mark.parametrize("absolute", [False, True])
def test_an_angle_follows_its_function_over_many_turns(absolute):
    machine = rotor(t_end=10.0, every=0.5)
    machine.coordinate_drive("ROT", 3, 1, "10*t*t", absolute=absolute)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DRZ", 1), 10 * run.times**2, atol=1e-10)
    np.testing.assert_allclose(run.node("X", 2), np.cos(10 * run.times**2), atol=1e-10)
    np.testing.assert_allclose(run.drive("T"), 0.5 * 20.0, atol=1e-6)


def test_the_force_of_a_drive_lifts_and_accelerates():
    machine = slider()
    machine.gravity([2], "X", -9.81)
    machine.coordinate_drive("TRA", 1, 2, "0.25*t^2", axis=(1, 0, 0))
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.drive("F"), 2.0 * (9.81 + 0.5), rtol=1e-8)
    np.testing.assert_allclose(run.drive("POWER"), 2.0 * 10.31 * 0.5 * run.times, rtol=1e-8, atol=1e-9)


def test_the_ground_is_where_the_other_node_stands():
    machine = Machine([(3, 4, 5)], t_end=1.0, every=0.1)
    machine.mass(1, 1.0)
    machine.coordinate_drive("TRA", 0, 1, "t^2", axis=(0, 1, 0))
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DY", 1), run.times**2, atol=1e-13)
    np.testing.assert_allclose(run.drive("U"), run.times**2, atol=1e-13)


# ---- velocity and acceleration ---------------------------------------------------------------------------------


@pytest.mark.parametrize("x_scale", [1.0, 2.5])
def test_a_driven_velocity_gives_the_exact_integral(x_scale):
    machine = rotor(t_end=20.0, every=1.0)
    machine.coordinate_drive("ROT", 3, 1, "1+cos(t)", level=1, scale=3.0, x_scale=x_scale)
    run = machine.run(1e-2)
    expected = 3.0 * (run.times + x_scale * np.sin(run.times / x_scale))
    np.testing.assert_allclose(run.node("DRZ", 1), expected, atol=1e-12)
    np.testing.assert_allclose(run.drive("ANGERR"), 0.0, atol=1e-12)


def test_a_velocity_by_points_does_not_drift():
    machine = slider(t_end=3.0, every=0.25)
    points = [(0.0, 0.0), (0.50037, 2.0), (1.50037, 2.0), (2.00074, 0.0), (5.0, 0.0)]
    machine.coordinate_drive("TRA", 1, 2, points, level=1, axis=(1, 0, 0))
    run = machine.run(1e-3)
    assert run.node("DX", 2)[-1] == pytest.approx(2.0 * 1.50037, abs=1e-12)
    assert run.simulation.warnings == []


def test_the_rate_of_a_distance_is_driven():
    machine = two_bodies_in_flight()
    machine.coordinate_drive("DIST", 3, 4, "0.3*t", level=1)
    run = machine.run(1e-3)
    distance = np.linalg.norm(run.vector("", 4) - run.vector("", 3), axis=1)
    np.testing.assert_allclose(distance, distance[0] + 0.15 * run.times**2, atol=1e-13)


def test_a_driven_acceleration_reports_by_how_much_it_departs_from_the_integral():
    """a = t, kicked at t_n: x = t^3/6 - dt^2 t/6 exactly."""
    dt = 1e-2
    machine = slider()
    machine.velocity([2], (0.3, 0, 0))
    machine.coordinate_drive("TRA", 1, 2, "t", level=2, axis=(1, 0, 0))
    run = machine.run(dt)
    t = run.times
    np.testing.assert_allclose(run.node("DX", 2), 0.3 * t + t**3 / 6 - dt**2 * t / 6, atol=1e-14)
    np.testing.assert_allclose(run.drive("UERR"), -(dt**2) * t / 6, atol=1e-14)


# ---- work and momentum -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, given, level", [("DIST", "0.1*sin(3*t)^2", 0), ("TRA", "0.4*sin(3*t)", 1), ("ROT", "2*cos(3*t)", 2)]
)
def test_a_drive_between_free_bodies_keeps_momenta_and_balances_its_power_to_second_order(kind, given, level):
    gaps = []
    for dt in (4e-3, 2e-3, 1e-3):
        machine = two_bodies_in_flight(every=dt)
        machine.coordinate_drive(kind, 3, 4, given, level=level, axis=(0, 0, 1))
        run = machine.run(dt)
        for name in MOMENTA:
            np.testing.assert_allclose(run.diag(name), run.diag(name)[0], atol=2e-13, err_msg=name)
        power, kinetic = run.drive("POWER"), run.energy("total")
        supplied = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.times))
        gaps.append([kinetic[-1] - kinetic[0] - supplied, run.energy("error")[-1]])
        assert abs(supplied) > 0.01
    gaps = np.abs(gaps)
    for column in range(2):
        assert gaps[0, column] / gaps[1, column] == pytest.approx(4.0, rel=0.3)
        assert gaps[1, column] / gaps[2, column] == pytest.approx(4.0, rel=0.3)
    assert np.all(gaps[2] < 1e-4)


# ---- window and sensor -----------------------------------------------------------------------------------------


def test_a_drive_that_stops_releases_the_coordinate():
    machine = rotor()
    machine.coordinate_drive("ROT", 3, 1, "t", level=1, window=(0.25, 0.5))
    run = machine.run(1.0 / 64)
    after = run.times > 0.52
    np.testing.assert_array_equal(run.drive("T")[after], 0.0)
    assert np.ptp(run.node("VRZ", 1)[after]) < 1e-14
    assert np.all(np.isnan(run.drive("ANGERR")[after]))
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-14)


def test_a_sensor_starts_the_function_from_the_value_at_that_time():
    machine = slider()
    machine.velocity([2], (1.0, 0, 0))
    machine.coordinate_drive("TRA", 1, 2, "t+t^2", axis=(1, 0, 0), sensor=machine.sensor(0.25, 0.75))
    run = machine.run(1.0 / 64)
    t = run.times
    acting = (t >= 0.25) & (t < 0.75)
    np.testing.assert_allclose(run.node("DX", 2)[acting], t[acting] + (t[acting] - 0.25) ** 2, atol=1e-14)
    np.testing.assert_allclose(run.node("VX", 2)[t > 0.78], 2.0, atol=2.0 / 64)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)
    assert run.simulation.messages == []


@pytest.mark.parametrize("level", [0, 1])
def test_a_jump_of_the_rate_is_an_impact_with_its_loss(level):
    """Node 2 flies at 1 m/s; the drive takes hold at 3 m/s: its work is I v = 2 (3 - 1) 3, half the jump's is lost."""
    machine = slider()
    machine.velocity([2], (1.0, 0, 0))
    given = "3*t" if level == 0 else "3"
    machine.coordinate_drive("TRA", 1, 2, given, level=level, axis=(1, 0, 0), sensor=machine.sensor(0.5))
    simulation = machine.simulation(1.0 / 64)
    run = collect(simulation)
    np.testing.assert_allclose(run.energy("impact_loss")[-1], 0.5 * 2.0 * 2.0**2, rtol=1e-12)
    np.testing.assert_allclose(run.energy("drive_work")[-1], 2.0 * 2.0 * 3.0, rtol=1e-12)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-12)
    (message,) = simulation.messages
    assert "/DRIVE/TRA/" in message and "t = 0.5 " in message
    assert "changed by 2 " in message


def test_a_jump_of_the_rate_at_the_start_is_an_impact_too():
    machine = slider()
    machine.coordinate_drive("TRA", 1, 2, "3", level=1, axis=(1, 0, 0))
    run = machine.run(1.0 / 64)
    np.testing.assert_allclose(run.energy("impact_loss"), 0.5 * 2.0 * 9.0, rtol=1e-12)
    np.testing.assert_allclose(run.energy("drive_work"), 2.0 * 9.0, rtol=1e-12)
    (warning,) = run.simulation.warnings
    assert "of which 9 J" in warning.message


def test_taking_hold_smoothly_of_a_moving_coordinate_is_no_impact():
    machine = slider()
    machine.gravity([2], "X", 4.0)
    machine.coordinate_drive("TRA", 1, 2, "2*t", axis=(1, 0, 0), sensor=machine.sensor(0.5))
    simulation = machine.simulation(1e-3)
    run = collect(simulation)
    assert simulation.messages == []
    assert np.max(run.energy("impact_loss")) < 1e-5


# ---- what goes wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, given, absolute, expected",
    [
        ("TRA", "0.1+t", False, "adds 0.1 m to the initial displacement at once"),
        ("DIST", "0.6+t", True, "asks for the distance 0.6 m at t = 0, where it is 0.5 m"),
        ("DIST", "0.5-t", True, "asks for 0 m at t = 0.5 s"),
    ],
)
def test_positions_that_cannot_be_are_refused_before_the_run(kind, given, absolute, expected):
    machine = slider()
    machine.coordinate_drive(kind, 1, 2, given, absolute=absolute, axis=(1, 0, 0))
    with pytest.raises(DeckError) as caught:
        machine.run(1e-2)
    assert expected in caught.value.diagnostics[-1].message


def test_a_jump_of_the_position_in_the_run_names_the_drive():
    machine = slider()
    machine.velocity([2], (1.0, 0, 0))
    machine.coordinate_drive("TRA", 1, 2, "0.6", absolute=True, axis=(1, 0, 0), sensor=machine.sensor(0.5))
    expected = r"/DRIVE/TRA/\d+ .*sensor \d+, takes hold at step 50.* is 1 m and the function asks for 0.6 m"
    with pytest.raises(SimulationError, match=expected):
        machine.run(1e-2)


def test_no_shorter_step_is_tried_where_a_position_would_jump():
    machine = slider(t_end=0.2)
    machine.coordinate_drive("TRA", 1, 2, "0.6", absolute=True, axis=(1, 0, 0), sensor=machine.sensor(0.1))
    simulation = machine.simulation()
    with pytest.raises(SimulationError):
        while not simulation.finished:
            simulation.advance(1000)
    assert simulation.dt_min_used == simulation.dt_max_used
    assert simulation.messages == []


@pytest.mark.parametrize("level", [0, 1])
def test_a_distance_of_zero_that_is_to_be_driven_later_is_an_error(level):
    machine = Machine([(0.1, 0, 0), (0.1, 0, 0)], t_end=1.0, every=0.1)
    machine.hold([1], "111 111")
    machine.mass(2, 1.0)
    machine.coordinate_drive("DIST", 1, 2, "0.1*(t-0.5)", level=level, window=(0.5, 1.0))
    with pytest.raises(SimulationError, match=r"cannot act at step 50, t = 0.5 s: .* has no direction"):
        machine.run(1e-2)


def test_a_distance_that_shrinks_to_nothing_names_drive_and_time():
    machine = slider()
    machine.coordinate_drive("DIST", 1, 2, "0-t")
    with pytest.raises(SimulationError, match=r"/DRIVE/DIST/\d+ .*asks for the distance 0 m at step 49, t ="):
        machine.run(1e-2)


def test_straight_lines_for_a_position_are_warned_about():
    machine = slider()
    machine.coordinate_drive("TRA", 1, 2, [(0, 0), (0.5, 1), (1, 1)], axis=(1, 0, 0))
    (warning,) = machine.assemble().diagnostics
    assert "x = 0.5" in warning.message
    assert "/FUNCT_SMOOTH" in warning.hint


@pytest.mark.parametrize(
    ("expression", "time"),
    [
        ("max(0, t-0.3)", 0.3),
        ("abs(sin(4*t))", np.pi / 4),
        ("min(2*t, 0.8)", 0.4),
        ("step(t,0,0,1,1) + 0.1*abs(t-0.77)", 0.77),
    ],
)
def test_expressions_with_kinks_are_warned_about_with_the_time(expression, time):
    machine = slider()
    machine.coordinate_drive("TRA", 1, 2, expression, axis=(1, 0, 0))
    (warning,) = machine.assemble().diagnostics
    assert "abs, min or max" in warning.message
    assert float(warning.message.split("t = ")[1].split()[0]) == pytest.approx(time, rel=1e-5)


@pytest.mark.parametrize("expression", ["max(-1, t)", "abs(t-2)*sin(3*t)", "max(0, t-0.3)^3", "step(t,0.2,0,0.4,1)"])
def test_expressions_whose_slope_does_not_jump_are_not(expression):
    machine = slider()
    machine.coordinate_drive("TRA", 1, 2, expression, axis=(1, 0, 0))
    assert machine.assemble().diagnostics == []


@pytest.mark.parametrize("points", [[(0, 0), (1, 1)], [(0, 0), (0.5, 1), (1, 2)]])
def test_one_straight_line_is_smooth(points):
    machine = slider()
    machine.coordinate_drive("TRA", 1, 2, points, axis=(1, 0, 0))
    assert machine.assemble().diagnostics == []


# ---- kernels against the twin ----------------------------------------------------------------------------------

KINDS = {"DISPLACEMENT": DISPLACEMENT, "VELOCITY": VELOCITY, "ACCELERATION": ACCELERATION}
# degree 2: where the kernel's rule for the second integral is exact
TEXT = "0.4*t^2 - t + 0.7"
WINDOWS = {"always": (-np.inf, np.inf, 0.0), "for a while": (0.13, 0.4, -0.2), "never": (9.0, 10.0, 0.0)}


class DriveRig:
    """A drive, the joint that measures its coordinate, and its row on one body; the coordinate is given by hand."""

    def __init__(self, law, rotational):
        self.drives, self.joints = np.zeros(1, drives.DRIVE), np.zeros(1, JOINT)
        for name, value in law.fields().items():
            self.drives[name] = value
        self.drives["rotational"] = rotational
        builder = RowBuilder()
        builder.add([1], 3.0)
        self.rows, self.entries = builder.build()
        self.tables, _ = functions_of(TEXT)
        self.rotational = rotational

    def place(self, coordinate, rate, prefix=""):
        joint = self.joints
        if self.rotational:
            turns = np.round(coordinate / (2 * np.pi))
            joint[prefix + "turns"], joint[prefix + "angle"] = turns, coordinate - 2 * np.pi * turns
        else:
            joint[prefix + "slide"] = coordinate
        joint["angle_rate" if self.rotational else "slide_rate"] = rate

    def prepare(self, t, dt, previous_dt):
        return drives.prepare_drives(self.drives, 0, 1, self.rows, self.joints, self.tables, t, dt, previous_dt, 1.0)

    def residual(self, trial_coordinate):
        """Of the row, which holds the coordinate first, as its relation leaves it."""
        self.rows["residual"] = trial_coordinate
        drives.drive_residuals(self.drives, 0, 1, self.rows, self.joints)
        return self.rows["residual"][0]

    def work(self, dt, kick):
        subsystem = np.zeros(1, SUBSYSTEM)[0]
        subsystem["last_drive"] = 1
        drives.accumulate_drives(subsystem, self.drives, self.rows, self.joints, dt, kick)
        return subsystem["drive_work"], subsystem["impact_loss"]

    def finish(self):
        self.entries["jacobian"] = 1.0
        drives.finish_drive_rows(self.drives, 0, 1, self.rows, self.entries)
        return self.entries["jacobian"]

    def commit(self):
        drives.commit_drives(self.drives, 0, 1)


@pytest.mark.parametrize("rotational", [0, 1])
@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize(("kind", "absolute"), [*((kind, False) for kind in KINDS), ("DISPLACEMENT", True)])
def test_a_drive_does_step_by_step_what_the_twin_does(kind, absolute, window, rotational):
    """Steps of unlike length; coordinates and efforts at random: many turns, sudden changes of the rate."""
    random, scales = np.random.default_rng(3), (1.4, -2.0)
    rig = DriveRig(MotionLaw(KINDS[kind], 0, scales, window, absolute), rotational)
    formula = functions_twin.expression(TEXT)
    twin = Drive(kind, lambda t: formula(t) if isinstance(t, complex) else complex(formula(t)).real, scales,
                 window[:2], window[2], absolute)  # fmt: skip
    t, previous_dt, growth, effort, owed = 0.0, -0.05, 0.0, 0.0, 0.0
    coordinate, rate = random.normal(size=2) * [30.0, 5.0]
    rate_at_n = rate
    for _ in range(12):
        dt = 0.05 if previous_dt < 0.0 else random.uniform(0.02, 0.08)
        trial, left = random.normal(size=2) * [30.0, 1e-9]
        rig.place(coordinate, rate)
        rig.place(trial, rate, "trial_")
        rig.rows["committed_residual"] = left
        switched = twin.take_hold(t, coordinate, rate_at_n)
        forces = rig.rows["multiplier"][0], rig.rows["previous_multiplier"][0]
        changed, _, _ = rig.prepare(t, dt, previous_dt)
        assert changed == switched
        release = twin.last_push(dt, previous_dt, forces, 1.0) if switched else 0.0
        if switched and twin.acts:
            growth = max(previous_dt, 0.0) * rate
        now = following = lost = 0.0
        effort_before, effort = effort, random.normal() if twin.acts else 0.0
        if not twin.acts:
            assert rig.residual(trial) == 0.0
            assert not rig.finish().any()
        else:
            kick = 0.5 * dt if switched and previous_dt > 0.0 else 0.5 * (previous_dt + dt)
            now, following = twin.step(t, dt, kick)
            wanted = trial - following if kind == "DISPLACEMENT" else trial - coordinate - (following - now) + left
            assert rig.residual(trial) == pytest.approx(wanted, abs=1e-11)
            assert rig.finish().all()
            tolerance = 3.0 + (abs(following) if kind == "DISPLACEMENT" and rotational else 0.0)
            assert 1.0 / (TIGHT * rig.rows["inverse_tolerance"][0]) == pytest.approx(tolerance, rel=1e-13)
            rig.rows["inverse_tolerance"] = 1.0 / (TIGHT * 3.0)
            if switched and previous_dt > 0.0:  # half of the effort works at the rate of before, the drive has its own
                lost = 0.5 * effort * (following - now - growth)
        exact = drives.exact_value(rig.drives[0])
        assert exact == pytest.approx(twin.exact(t), abs=1e-10, nan_ok=True)
        rig.rows["multiplier"] = effort
        done = owed + 0.5 * (effort_before + effort + release) * growth + lost
        whole_kick = 0.5 * (max(previous_dt, 0.0) + dt)
        assert rig.work(dt, whole_kick) == pytest.approx((done, lost), abs=1e-10)
        owed = 0.5 * release * (trial - coordinate)  # the last push works in the step to come, too
        rig.rows["previous_multiplier"] = effort
        rig.commit()
        rate_before, rate = rate, (trial - coordinate) / dt
        rate_at_n = rate_at_end(rate_before, rate, whole_kick, dt)
        coordinate, growth, t, previous_dt = trial, following - now, t + dt, dt


def test_rates_that_drives_want_are_subtracted_and_their_start_does_work_at_them():
    rig = DriveRig(MotionLaw(VELOCITY, 0, (1.0, 2.0)), 0)
    rig.drives["active"], rig.drives["target_step"] = 1, 0.3
    rig.rows["residual"], rig.rows["correction"] = 1.0, 5.0
    drives.subtract_drive_rates(rig.drives, 0, 1, rig.rows, rig.tables)
    assert rig.rows["residual"][0] == pytest.approx(1.0 - 2.0 * 0.7)
    assert drives.drive_work_of_start(rig.drives, 0, 1, rig.rows, rig.tables) == pytest.approx(5.0 * 2.0 * 0.7)
    drives.subtract_mean_drive_rates(rig.drives, 0, 1, rig.rows, 0.1)
    assert rig.rows["residual"][0] == pytest.approx(1.0 - 2.0 * 0.7 - 3.0)


def test_rounding_of_a_position_far_from_zero_is_no_residual():
    rig = DriveRig(MotionLaw(DISPLACEMENT, 0, (1.0, 1e6)), 0)
    rig.drives["active"], rig.drives["held"] = 1, 1e6
    eps = np.finfo(float).eps
    assert rig.residual(1e6 * (1.0 + eps)) == 0.0
    assert rig.residual(1e6 * (1.0 + 4 * eps)) != 0.0
