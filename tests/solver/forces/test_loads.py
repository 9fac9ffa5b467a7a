"""Loads and gravity: the wrench of every load by its definition, closed forms on this time grid, their work."""

from __future__ import annotations

import numpy as np
import pytest
from body_rig import NO_SKEWS, moving_skew_on, records_of
from gsolve.solver.core import functions
from gsolve.solver.core.bodies import GROUND, new_bodies
from gsolve.solver.core.functions import value
from gsolve.solver.forces.loads import LOAD, add_loads
from hand_models import Machine, unit
from made_functions import functions_of
from naive import place
from naive.core import Points
from scipy.spatial.transform import Rotation

DT = 1e-3


def falling(nodes=1, t_end=1.0):
    machine = Machine([(float(k), 0.0, 0.0) for k in range(nodes)], t_end=t_end, every=0.1)
    for node in range(1, nodes + 1):
        machine.mass(node, 1.0 + node)
    return machine


# ---- the kernel ------------------------------------------------------------------------------------------------


def test_every_load_is_a_force_at_its_node_or_a_moment_while_it_acts():
    """Random loads on random bodies in motion, along fixed axes and those of a skew that moves, against NumPy."""
    random = np.random.default_rng(5)
    tables, _ = functions_of("1+t*t", ("TABLE", [0.0, 2.0], [3.0, -1.0]))
    bodies = new_bodies(4)
    bodies["displacement"][1:] = random.normal(size=(3, 3))
    bodies["rotation"][1:] = Rotation.random(3, rng=random).as_matrix()
    points = Points(np.array([1, 2, 3, GROUND]), random.normal(size=(4, 3)), random.normal(size=(4, 3)))
    skews = moving_skew_on(records_of(points), (0, 1, 2), 2)
    loads = np.zeros(40, LOAD)
    loads["point"]["body"], loads["rotational"] = random.integers(1, 4, 40), random.integers(0, 2, 40)
    loads["function"], loads["skew"] = random.integers(-1, 2, 40), random.integers(-1, 1, 40)
    loads["component"] = random.integers(0, 3, 40)
    loads["axis"] = [unit(axis) for axis in random.normal(size=(40, 3))]
    loads["point"]["arm"], loads["x_scale"], loads["y_scale"] = random.normal(size=(40, 3)), 1.5, random.normal(size=40)
    loads["t_start"], loads["t_stop"] = random.uniform(-1, 1, 40), random.uniform(0, 2, 40)
    loads["t_origin"] = random.uniform(-1, 1, 40)
    fixed_axes, t = loads["axis"].copy(), 0.7
    assert 5 < np.sum((loads["t_start"] <= t) & (t < loads["t_stop"])) < 35

    n1, n2, n3 = (points.origin[k] + place(bodies, points, k) for k in range(3))
    z = unit(n2 - n1)
    y = unit(np.cross(z, n3 - n1))
    turned = [unit(np.cross(y, z)), y, z]  # direction 2: Z' along N1-N2, X' on N3's side
    expected = np.zeros((4, 6))
    for load, fixed in zip(loads, fixed_axes, strict=True):
        if load["t_start"] <= t < load["t_stop"]:
            axis = turned[load["component"]] if load["skew"] == 0 else fixed
            vector = load["y_scale"] * value(tables, load["function"], (t - load["t_origin"]) / 1.5) * axis
            if load["rotational"]:
                expected[load["point"]["body"], 3:] += vector
            else:
                body = load["point"]["body"]
                arm = bodies["rotation"][body] @ load["point"]["arm"]
                expected[body] += np.concatenate([vector, np.cross(arm, vector)])
    add_loads(loads, 0, 40, bodies, tables, skews, np.zeros((3, 3)), t, 1e-9, 1e-9)
    np.testing.assert_allclose(bodies["external"], expected, atol=3e-14)


def test_a_load_acts_in_the_half_of_the_kick_that_lies_within_its_window():
    loads = np.zeros(1, LOAD)
    loads["point"]["body"], loads["function"], loads["skew"], loads["axis"] = 1, -1, -1, (1, 0, 0)
    loads["x_scale"], loads["y_scale"], loads["t_start"], loads["t_stop"] = 1.0, 2.0, 0.25, 0.5
    tables, _ = functions_of("t")
    for t, force in ((0.2499, 0.0), (0.25, 1.0), (0.4, 2.0), (0.4999, 2.0), (0.5, 1.0), (0.51, 0.0)):
        bodies = new_bodies(2)
        add_loads(loads, 0, 1, bodies, tables, NO_SKEWS, np.zeros((3, 3)), t, 1e-5, 1e-5)
        assert bodies["external"][1, 0] == pytest.approx(force, abs=1e-9)


# ---- gravity ---------------------------------------------------------------------------------------------------


def test_free_fall_is_exact_on_this_grid_and_has_a_potential():
    machine = falling(2)
    machine.gravity([1, 2], "Z", -9.81)
    machine.velocity([2], (1.0, 0.0, 5.0))
    run = machine.run(DT)
    t = run.times
    for node, start in ((1, 0.0), (2, 5.0)):
        np.testing.assert_allclose(run.node("DZ", node), start * t - 9.81 * t**2 / 2, atol=2e-14)
        np.testing.assert_allclose(run.node("VZ", node), start - 9.81 * t, atol=2e-14)
        np.testing.assert_allclose(run.node("AZ", node), -9.81, rtol=1e-12)
    np.testing.assert_allclose(
        run.energy("gravity"), 9.81 * (2 * run.node("DZ", 1) + 3 * run.node("DZ", 2)), rtol=1e-14
    )
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-11)
    np.testing.assert_array_equal(run.energy("external_work"), 0.0)


@pytest.mark.parametrize("given", ["2", "1+1", [(0.0, 2.0)], [(0.0, 2.0), (9.0, 2.0)]])
def test_a_constant_function_of_gravity_is_a_potential_as_none_is(given):
    plain, by_function = falling(), falling()
    plain.gravity([1], "Z", -9.81)
    by_function.gravity([1], "Z", -9.81 / 2, given)
    one, other = plain.run(DT), by_function.run(DT)
    for name in ("gravity", "external_work", "total", "kinetic_translational"):
        np.testing.assert_array_equal(one.energy(name), other.energy(name))


def test_functions_are_laid_out_once_however_many_gravities_follow_them(monkeypatch):
    made = []
    tables = functions.FunctionTables
    monkeypatch.setattr(functions, "FunctionTables", lambda **arrays: made.append(1) or tables(**arrays))
    machine = falling()
    for k in range(4):
        machine.gravity([1], "Z", -1.0, f"{k}+2")
    bodies = machine.assemble().system.bodies
    assert len(made) == 1
    np.testing.assert_array_equal(bodies["gravity"][1], [0.0, 0.0, -14.0])


def test_gravity_in_a_fixed_skew_and_several_of_them_add_up():
    axes = Rotation.from_rotvec([0.4, 0.1, -0.7]).as_matrix().T
    machine = falling()
    machine.gravity([1], "Y", 2.0, skew=machine.skew(axes))
    machine.gravity([1], "X", 1.0)
    run = machine.run(DT)
    expected = 2.0 * axes[1] + [1.0, 0.0, 0.0]
    np.testing.assert_allclose(run.vector("D", 1), np.outer(run.times**2 / 2, expected), atol=1e-14)


def test_varying_gravity_is_a_load_whose_work_is_booked():
    """a = g t gives g (t^3 - dt^2 t)/6 on this grid."""
    machine = falling(2)
    machine.gravity([1, 2], "Z", -6.0, "t")
    run = machine.run(DT)
    t = run.times
    for node in (1, 2):
        np.testing.assert_allclose(run.node("DZ", node), -(t**3) + DT**2 * t, atol=2e-14)
    np.testing.assert_array_equal(run.energy("gravity"), 0.0)
    assert run.energy("external_work")[-1] == pytest.approx(0.5 * 5.0 * 9.0, rel=1e-5)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-12)


def test_gravity_with_a_sensor_starts_with_it():
    machine = falling()
    machine.gravity([1], "Y", 4.0, sensor=machine.sensor(0.5, 0.75))
    run = machine.run(1.0 / 128)
    np.testing.assert_array_equal(run.node("DY", 1)[run.times <= 0.5], 0.0)
    assert run.node("VY", 1)[-1] == pytest.approx(1.0, abs=1e-13)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)


def test_gravity_acts_on_a_body_once_through_its_main_node():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], t_end=0.5, every=0.1)
    for node in (2, 3, 4):
        machine.mass(node, 1.0)
    machine.body(1, [2, 3, 4])
    machine.gravity([1, 2, 3, 4], "Z", -10.0)
    run = machine.run(DT)
    np.testing.assert_allclose(run.vector("D", 2), np.outer(-5.0 * run.times**2, [0, 0, 1]), atol=1e-14)


@pytest.mark.parametrize("varying", [False, True], ids=["constant", "function"])
def test_weight_turns_a_body_held_at_a_pivot(varying):
    """alpha = I_pivot^-1 (arm x m g) at the start, arm from the pivot to the mass centre."""
    machine = Machine([(0.2, 0.1, 0.0), (0.5, 0.1, 0.3), (0.1, 0.4, 0.2)], t_end=0.4, every=0.01)
    machine.mass(2, 2.0)
    machine.mass(3, 1.0)
    machine.tie(1, [2, 3])
    machine.hold([1], "111 000")
    machine.gravity([1], "Z", -9.81, "1+0*t" if varying else 0)
    run = machine.run(DT)
    arms = np.array([[0.3, 0.0, 0.3], [-0.1, 0.3, 0.2]])
    inertia, moment = np.zeros((3, 3)), np.zeros(3)
    for mass, arm in zip((2.0, 1.0), arms, strict=True):
        inertia += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        moment += np.cross(arm, [0.0, 0.0, -9.81 * mass])
    np.testing.assert_allclose(run.vector("AR", 1)[0], np.linalg.solve(inertia, moment), rtol=1e-12)
    np.testing.assert_array_equal(run.vector("D", 1), 0.0)
    released = run.energy("kinetic_rotational")[-1]
    assert released > 3.0
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=2e-5 * released)
    if varying:
        np.testing.assert_allclose(run.energy("external_work"), run.energy("kinetic_rotational"), atol=1e-4 * released)


# ---- loads -----------------------------------------------------------------------------------------------------


def test_follower_force_turns_with_its_skew():
    """On a sphere that spins steadily about z: A = F/m (cos, sin), V = F/(m Omega) (sin, 1 - cos)."""
    spin, t_end = 5.0, 2.0
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0)], t_end=t_end, every=0.05)
    machine.body(1, [2, 3], mass=2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.velocity([1], (0, 0, 0), (0, 0, spin))
    machine.load(1, "X", 6.0, skew=machine.skew(nodes=(1, 2, 3)))
    run = machine.run(DT)
    angle = spin * run.times
    np.testing.assert_allclose(run.node("AX", 1), 3.0 * np.cos(angle), atol=1e-10)
    np.testing.assert_allclose(run.node("AY", 1), 3.0 * np.sin(angle), atol=1e-10)
    np.testing.assert_allclose(run.node("VX", 1), 0.6 * np.sin(angle), atol=3e-6)
    np.testing.assert_allclose(run.node("VY", 1), 0.6 * (1 - np.cos(angle)), atol=3e-6)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)


def test_force_at_an_arm_turns_the_body_and_moves_its_centre():
    machine = Machine([(0, 0, 0), (0.5, 0, 0), (0, 1, 0)], t_end=0.1, every=0.01)
    machine.body(1, [2, 3], mass=2.0, inertia=(0.1, 0.2, 0.4, 0, 0, 0))
    machine.load(2, "Y", 8.0)
    run = machine.run(DT)
    assert run.node("AY", 1)[0] == pytest.approx(4.0, rel=1e-12)
    assert run.node("ARZ", 1)[0] == pytest.approx(8.0 * 0.5 / 0.4, rel=1e-12)
    np.testing.assert_allclose(run.diag("momentum_y"), 8.0 * run.times, atol=1e-14)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-6)


def test_moment_with_a_function_and_a_sensor_counts_time_from_its_start():
    """I omega = int_0^(t - t_0) f; kicks at t_n sum a linear f exactly up to the half steps at the ends."""
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=1.0, every=0.25)
    machine.body(1, [2], mass=1.0, inertia=(0.5, 0.5, 0.5, 0, 0, 0))
    machine.load(1, "YY", 2.0, "t", sensor=machine.sensor(0.25))
    run = machine.run(1.0 / 64)
    expected = 2.0 * np.maximum(run.times - 0.25, 0.0) ** 2
    np.testing.assert_allclose(run.node("VRY", 1), expected, atol=1e-13)


def test_loads_on_held_nodes_do_nothing():
    machine = falling(2)
    machine.hold([2], "111 111")
    machine.load(2, "X", 3.0)
    machine.load(1, "X", 2.0)
    run = machine.run(DT)
    np.testing.assert_array_equal(run.node("DX", 2), 0.0)
    np.testing.assert_allclose(run.node("DX", 1), run.times**2 / 2, atol=1e-14)
