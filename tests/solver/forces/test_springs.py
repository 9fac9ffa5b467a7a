"""Springs: forces against the law written out in NumPy, energy, momentum, objectivity, switching and rupture."""

import math
from types import SimpleNamespace

import naive.core as functions_twin
import naive.forces as twin
import numpy as np
import pytest
from gsolve.parser.model import Sensor
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.forces.spring_setup import spring_warnings
from gsolve.solver.forces.springs import (
    BROKEN,
    OFF,
    ON,
    RECORD,
    record_springs,
    spring_damping,
)
from naive.core import Motion
from scipy.spatial.transform import Rotation
from spring_rig import CURVE, DAMPING_CURVE, RATE_CURVE, Rig, dof, spring, where


def later(motion, dt):
    turn = motion.angular_velocity * dt
    rotation = Rotation.from_rotvec(turn).as_matrix() @ motion.rotation
    return motion._replace(displacement=motion.displacement + dt * motion.velocity, rotation=rotation), turn


def power(wrench, motion):
    return np.sum(wrench[:, :3] * motion.velocity) + np.sum(wrench[:, 3:] * motion.angular_velocity)


ALL_TERMS = dict(
    stiffness=1e9, damping=0.3, a=2.0, b=0.7, d=0.1, fct_1=1, fct_2=2, fct_4=4, e=1.3, f=0.8, abscissa_scale=0.9,
    damping_scale=1.7,
)  # fmt: skip


def smooth(x):
    u = np.clip((x + 3.0) / 6.0, 0.0, 1.0)
    return -4.0 + 8.0 * u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


def law(x, r):
    """The law of ALL_TERMS, as the cards state it: elastic and dissipative part."""
    f1 = np.interp(x / 0.9, CURVE.x, CURVE.y)
    f2 = np.interp(r / 0.8, RATE_CURVE.x, RATE_CURVE.y)
    return 2.0 * f1, f1 * (0.7 * math.log(max(1.0, abs(r / 0.1))) + 1.3 * f2) + 0.3 * r + 1.7 * smooth(r / 0.8)


def test_axial_spring_follows_the_law_of_the_cards():
    rig = Rig(spring("TYPE4", [dof(**ALL_TERMS)]))
    motion = rig.moved(size=0.2)
    wrench, damper = rig.measure(motion).elastic(), rig.dissipative()
    place, arms = rig.positions(motion)
    d = place[1] - place[0]
    n = d / np.linalg.norm(d)
    x = np.linalg.norm(d) - np.linalg.norm(rig.points.origin[1] - rig.points.origin[0])
    velocities = rig.velocities(motion)
    rate = n @ (velocities[1] - velocities[0])
    assert -1.5 < x / 0.9 < 3.5 and abs(rate) < 0.8
    for size, got in zip(law(x, rate), (wrench, damper), strict=True):
        expected = np.zeros((4, 6))
        expected[1] = np.concatenate((size * n, np.cross(arms[0], size * n)))
        expected[2] = -np.concatenate((size * n, np.cross(arms[1], size * n)))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("per_length", [False, True])
@pytest.mark.parametrize("terms", [ALL_TERMS, dict(stiffness=2.0, damping=0.3)], ids=["all terms", "linear"])
def test_damping_is_the_slope_of_the_dissipative_force(terms, per_length):
    rig = Rig(spring("TYPE4", [dof(**terms)], per_length=per_length))
    motion = rig.moved(size=0.2)

    def force(factor):
        rig.measure(
            motion._replace(velocity=factor * motion.velocity, angular_velocity=factor * motion.angular_velocity)
        )
        rig.dissipative()
        return rig.springs["dissipative"][0, 0]

    place, _ = rig.positions(motion)
    velocities = rig.velocities(motion)
    d = place[1] - place[0]
    rate = d @ (velocities[1] - velocities[0]) / np.linalg.norm(d)
    slope = (force(1.0 + 1e-6) - force(1.0 - 1e-6)) / (2e-6 * rate)
    force(1.0)
    assert spring_damping(rig.springs[0], 0, rig.functions) == pytest.approx(slope, rel=1e-8)


def test_properties_per_unit_length_see_strain():
    places = [[0.0, 0, 0], [4.0, 0, 0], [9.0, 9, 9], [1.0, 1, 1]]
    rig = Rig(spring("TYPE4", [dof(stiffness=8.0, damping=2.0)], per_length=True), places=places, arms=False)
    motion = rig.rest._replace(displacement=np.zeros((4, 3)), velocity=np.zeros((4, 3)))
    motion.displacement[2, 0], motion.velocity[2, 0] = 0.5, 3.0
    assert rig.measure(motion).elastic()[1, 0] == pytest.approx(8.0 * 0.5 / 4.0)
    assert rig.dissipative()[1, 0] == pytest.approx(2.0 * 3.0 / 4.0)
    assert rig.energy() == pytest.approx(0.5 * (8.0 / 4.0) * 0.5**2)


def test_properties_per_unit_length_need_a_length():
    with pytest.raises(DeckError) as caught:
        Rig(spring("TYPE4", [dof(stiffness=8.0)], per_length=True, number=12), places=np.zeros((4, 3)))
    assert caught.value.diagnostics[0].message == (
        "spring 12 has properties per unit length (Ileng = 1), but its two nodes are at the same place"
    )


def test_axial_spring_of_no_length_pulls_in_the_direction_it_is_stretched():
    rig = Rig(spring("TYPE4", [dof(stiffness=5.0)]), places=np.ones((4, 3)), arms=False)
    assert not rig.measure(rig.rest).elastic().any()
    motion = rig.rest._replace(displacement=np.zeros((4, 3)))
    motion.displacement[2] = [0.3, -0.4, 0.0]
    assert rig.measure(motion).elastic()[1, :3] == pytest.approx([1.5, -2.0, 0.0])


def test_small_elongations_far_from_the_origin_are_exact():
    places = np.array([[0.0, 0, 0], [1.0, 0, 0], [5.0, 5, 5], [6.0, 6, 6]]) + 1e6
    rig = Rig(spring("TYPE4", [dof(stiffness=1.0)]), places=places, arms=False)
    motion = rig.rest._replace(displacement=np.zeros((4, 3)))
    motion.displacement[2, 0] = 1e-13
    assert rig.measure(motion).elastic()[1, 0] == pytest.approx(1e-13, rel=1e-12)


GENERAL = [
    dof(stiffness=3.0, damping=0.5),
    dof(**ALL_TERMS),
    dof(stiffness=7.0),
    dof(stiffness=2.0, damping=0.4),
    dof(stiffness=1.0),
    dof(**ALL_TERMS),
]
FIXED_SKEW = {
    5: SimpleNamespace(
        moving=False, axes=Rotation.from_rotvec([0.4, -0.2, 0.9]).as_matrix(), direction=0, nodes=np.empty(0, int)
    )
}


def moving_skew(places):
    """Skew 5: Y' along nodes 0 and 2, node 3 (on the ground) in its Y'Z' plane."""
    n1, n2, n3 = (places[k] for k in (0, 2, 3))
    y = (n2 - n1) / np.linalg.norm(n2 - n1)
    x = np.cross(y, n3 - n1)
    x /= np.linalg.norm(x)
    axes = np.array([x, y, np.cross(x, y)])
    return {5: SimpleNamespace(moving=True, axes=axes, direction=1, nodes=np.array([0, 2, 3]))}


def general_rig(skew_kind, equilibrium=False, dofs=GENERAL):
    places = np.random.default_rng(8).normal(size=(4, 3))
    skews = {"global": {}, "fixed": FIXED_SKEW, "moving": moving_skew(places)}[skew_kind]
    skew_id = 0 if skew_kind == "global" else 5
    one = spring("TYPE8", dofs, skew_id=skew_id, equilibrium=equilibrium)
    return Rig(one, places=places, skews=skews)


@pytest.mark.parametrize("skew_kind", ["global", "fixed"])
def test_general_spring_in_fixed_axes_follows_the_law_in_each_direction(skew_kind):
    rig = general_rig(skew_kind)
    motion = rig.moved(size=0.2)
    turn = np.random.default_rng(4).normal(size=(4, 3)) * 0.1
    rig.measure(rig.rest).measure(motion, step_rotation=turn)
    axes = np.eye(3) if skew_kind == "global" else FIXED_SKEW[5].axes
    place, arms = rig.positions(motion)
    x = axes @ (place[1] - place[0] - rig.points.origin[1] + rig.points.origin[0])
    x = np.concatenate((x, axes @ (turn[2] - turn[1])))
    velocities = rig.velocities(motion)
    r = axes @ (velocities[1] - velocities[0])
    r = np.concatenate((r, axes @ (motion.angular_velocity[2] - motion.angular_velocity[1])))
    laws = [law(x[i], r[i]) if GENERAL[i].fct_1 else (GENERAL[i].stiffness * x[i], GENERAL[i].damping * r[i])
            for i in range(6)]  # fmt: skip
    for part, got in enumerate((rig.elastic(), rig.dissipative())):
        force = axes.T @ [laws[i][part] for i in range(3)]
        moment = axes.T @ [laws[i][part] for i in range(3, 6)]
        expected = np.zeros((4, 6))
        expected[1] = np.concatenate((force, moment + np.cross(arms[0], force)))
        expected[2] = -np.concatenate((force, moment + np.cross(arms[1], force)))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("equilibrium", [False, True])
@pytest.mark.parametrize("skew_kind", ["global", "fixed", "moving", "axial"])
def test_elastic_power_is_the_loss_of_stored_energy(skew_kind, equilibrium):
    """Central differences of the energy along a motion of all bodies at once."""
    rig = Rig(spring("TYPE4", [dof(**ALL_TERMS)])) if skew_kind == "axial" else general_rig(skew_kind, equilibrium)
    motion, h = rig.moved(size=0.3), 1e-5
    start, _ = later(motion, -h)
    rig.measure(start, step_rotation=np.random.default_rng(6).normal(size=(4, 3)) * 0.1)
    before = rig.measure(start).energy()
    middle, turn = later(start, h)
    force = rig.measure(middle, step_rotation=turn).elastic()
    end, turn = later(middle, h)
    after = rig.measure(end, step_rotation=turn).energy()
    assert power(force, motion) == pytest.approx(-(after - before) / (2 * h), rel=1e-7)


@pytest.mark.parametrize("equilibrium", [False, True])
@pytest.mark.parametrize("skew_kind", ["global", "fixed", "moving", "axial"])
def test_rates_are_those_of_the_elongations(skew_kind, equilibrium):
    """A damper of C = 1 in every direction feels the rate of each elongation."""
    dampers = [dof(damping=1.0)] * 6
    axial = spring("TYPE4", dampers[:1])
    rig = Rig(axial) if skew_kind == "axial" else general_rig(skew_kind, equilibrium, dampers)
    motion, h = rig.moved(size=0.3), 1e-5
    start, _ = later(motion, -h)
    before = rig.measure(start).springs["elongation"][0].copy()
    middle, turn = later(start, h)
    rig.measure(middle, step_rotation=turn).dissipative()
    rates = rig.springs["dissipative"][0].copy()
    end, turn_on = later(middle, h)
    rig.measure(end, step_rotation=turn_on)
    assert rates == pytest.approx((rig.springs["elongation"][0] - before) / (2 * h), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("equilibrium", [False, True])
def test_axial_and_moving_axes_springs_keep_momentum_and_angular_momentum(equilibrium):
    for rig in (Rig(spring("TYPE4", [dof(**ALL_TERMS)])), general_rig("moving", equilibrium)):
        motion = rig.moved(size=0.5)
        rig.measure(rig.rest).measure(motion, step_rotation=motion.velocity)
        for wrench in (rig.elastic(), rig.dissipative()):
            # The third node of the skew is on the ground, whose wrench counts about the origin.
            size = np.abs(wrench).max()
            assert size > 0.1
            assert rig.total(wrench, motion) == pytest.approx(np.zeros(6), abs=1e-13 * size)


def test_common_point_leaves_no_couple_for_equal_stiffness_in_fixed_axes():
    rig = general_rig("global", equilibrium=True, dofs=[dof(stiffness=4.0)] * 6)
    motion = rig.moved(size=0.5)
    wrench = rig.measure(motion).elastic()
    assert rig.total(wrench, motion) == pytest.approx(np.zeros(6), abs=1e-13)
    assert not general_rig("global", equilibrium=True).measure(rig.rest).elastic().any()


def test_common_point_lies_at_the_node_of_a_body_that_cannot_turn():
    stiff = [dof(stiffness=4.0)] * 3 + [dof()] * 3
    rig = Rig(spring("TYPE8", stiff, equilibrium=True), can_turn=[True, True, False, True])
    (one,) = rig.springs
    assert not one["span"].any()
    assert np.array_equal(one["end_2"]["arm"], rig.points.arm[1])
    assert one["end_1"]["arm"] == pytest.approx(rig.points.arm[0] + rig.points.origin[1] - rig.points.origin[0])


def test_forces_turn_and_stay_with_the_machine():
    """Objectivity: a rigid motion of everything turns the forces of axial and moving-axes springs, and no more."""
    whole = Rotation.from_rotvec([0.9, -2.0, 0.7])
    shift, spin = np.array([3.0, -40.0, 12.0]), np.array([0.1, 0.2, 0.3])
    places = np.random.default_rng(8).normal(size=(4, 3))
    skew = moving_skew(places)
    skew[5].nodes = np.array([0, 2, 1])  # no node on the ground, which does not turn with the rest
    for given in (spring("TYPE4", [dof(**ALL_TERMS)]), spring("TYPE8", GENERAL[:3] + [dof()] * 3, skew_id=5)):
        rig = Rig(given, places=places, skews=skew)
        motion = rig.moved(size=0.3)
        place = rig.centres(motion)
        turned_place = whole.apply(place) + shift
        turned = Motion(
            turned_place - rig.centres(rig.rest),
            whole.as_matrix() @ motion.rotation,
            whole.apply(motion.velocity) + np.cross(spin, turned_place),
            whole.apply(motion.angular_velocity) + spin,
        )
        for kind in (Rig.elastic, Rig.dissipative):
            here = kind(rig.measure(motion))
            there = kind(rig.measure(turned))
            expected = np.hstack((whole.apply(here[:, :3]), whole.apply(here[:, 3:])))
            assert there[1:] == pytest.approx(expected[1:], rel=1e-11, abs=1e-11 * np.abs(here).max())


def test_torsion_counts_turns():
    rig = general_rig("global", dofs=[dof()] * 3 + [dof(stiffness=2.0)] + [dof()] * 2)
    step = np.zeros((4, 3))
    step[2, 0] = 0.1
    rig.measure(rig.rest)
    for _ in range(200):
        rig.measure(rig.rest, step_rotation=step)
    assert rig.elastic()[1, 3] == pytest.approx(2.0 * 20.0, rel=1e-13)


def test_twist_in_moving_axes_is_second_order():
    """Axes and relative spin both turn about z: the twist about x is the integral of cos, a sine."""
    places = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0], [0.0, 1, 0]])
    skew = {5: SimpleNamespace(moving=True, axes=np.eye(3), direction=0, nodes=np.array([0, 2, 3]))}
    errors = []
    for n in (20, 40):
        rig = Rig(spring("TYPE8", [dof()] * 6, skew_id=5), places=places, skews=skew, arms=False)
        for name, node in (("node_1", 0), ("node_2", 2), ("node_3", 3)):  # the whole skew turns, N1 as its centre
            rig.skews[name]["body"], rig.skews[name]["arm"] = 3, places[node]
        rig.measure(rig.rest)
        for k in range(n):
            angle = (k + 1) / n
            rotation = rig.rest.rotation.copy()
            rotation[3] = Rotation.from_rotvec([0, 0, angle]).as_matrix()
            step = np.zeros((4, 3))
            step[2, 0] = 1.0 / n
            rig.measure(rig.rest._replace(rotation=rotation), step_rotation=step)
        errors.append(abs(rig.springs["twist"][0, 0] - math.sin(1.0)))
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.01)


def stretched(rig, elongation):
    """Body 2 moved so that the spring between bodies 1 and 2 is longer."""
    d = rig.points.origin[1] - rig.points.origin[0]
    motion = rig.rest._replace(displacement=np.zeros((4, 3)), velocity=np.ones((4, 3)))
    motion.displacement[2] = elongation * d / np.linalg.norm(d)
    return motion


def test_a_spring_breaks_for_good_beyond_its_limits():
    rig = Rig(spring("TYPE4", [dof(stiffness=10.0, damping=1.0, max_elongation=0.5)]), arms=False)
    out = stretched(rig, 0.6)
    assert rig.measure(rig.rest).springs["status"][0] == ON
    assert rig.measure(out).springs["status"][0] == BROKEN
    released = rig.springs["released"][0]
    rig.measure(rig.rest)
    assert not rig.elastic().any() and not rig.dissipative().any()
    assert not rig.measure(out).elastic().any() and not rig.dissipative().any()
    assert rig.springs["released"][0] == released


@pytest.mark.parametrize("law", [dict(stiffness=10.0), dict(a=2.0, fct_1=1)])
def test_a_breaking_spring_releases_what_it_stored_and_half_the_work_of_its_last_step(law):
    rig = Rig(spring("TYPE4", [dof(**law, max_elongation=0.5)]), arms=False)
    rig.measure(rig.rest).measure(stretched(rig, 0.4)).measure(stretched(rig, 0.6))
    assert rig.springs["released"][0] == pytest.approx(0.5 * 10.0 * 0.4**2 + 0.5 * 4.0 * 0.2)


@pytest.mark.parametrize(
    ("flag", "states"),
    [(0, (OFF, ON, ON)), (1, (ON, OFF, OFF)), (2, (OFF, ON, OFF))],
)
def test_sensors_switch_springs(flag, states):
    sensors = {9: Sensor(9, "", where(), 1.0, 2.0)}
    rig = Rig(spring("TYPE4", [dof(stiffness=1.0)], sensor=(9, flag)), sensors=sensors)
    found = tuple(int(rig.measure(rig.rest, t=t).springs["status"][0]) for t in (0.0, 1.1, 2.1))
    assert found == states


@pytest.mark.parametrize("flag", [0, 2])
def test_a_spring_that_follows_its_sensor_starts_unstretched_and_one_that_is_switched_on_does_not(flag):
    sensors = {9: Sensor(9, "", where(), 1.0, 2.0)}
    rig = Rig(spring("TYPE4", [dof(stiffness=10.0)], sensor=(9, flag)), sensors=sensors, arms=False)
    motion = stretched(rig, 0.3)
    rig.measure(motion, t=0.5).measure(motion, t=1.1)
    assert np.linalg.norm(rig.elastic()[1, :3]) == pytest.approx(3.0 if flag == 0 else 0.0, abs=1e-15)
    assert rig.springs["released"][0] == pytest.approx(-0.45 if flag == 0 else 0.0)
    rig.measure(rig.rest, t=1.5)
    assert rig.springs["elongation"][0, 0] == pytest.approx(0.0 if flag == 0 else -0.3)


@pytest.mark.parametrize(
    ("flag", "expected"),
    [(0, [(0.0, 0.0), (1.5, -0.45), (3.0, -0.45)]), (1, [(3.0, 0.0), (1.5, 0.0), (0.0, 0.45)])],
)
def test_a_spring_acts_in_the_half_of_the_kick_that_lies_within_its_window(flag, expected):
    """Stretched by 0.3 at first: half of the force at the switch; what it stores is gained or lost there."""
    sensors = {9: Sensor(9, "", where(), 1.0, 2.0)}
    rig = Rig(spring("TYPE4", [dof(stiffness=10.0)], sensor=(9, flag)), sensors=sensors, arms=False)
    motion, found = stretched(rig, 0.3), []
    for t in (0.5, 1.0, 1.5):
        rig.measure(motion, t=t)
        found.append((np.linalg.norm(rig.elastic()[1, :3]), rig.springs["released"][0]))
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_record_holds_force_elongation_energy_and_length():
    rig = Rig(spring("TYPE4", [dof(stiffness=10.0, damping=2.0)]), general_rig("global").model.springs[0], arms=False)
    motion = rig.moved(size=0.3)
    rig.measure(rig.rest).measure(motion, step_rotation=0.1 * motion.velocity)
    elastic, damper = rig.elastic(), rig.dissipative()
    out = np.full((2, len(RECORD)), np.nan)
    record_springs(rig.springs, 0, 2, rig.functions, out)
    first, second = (dict(zip(RECORD, values, strict=True)) for values in out)
    place, _ = rig.positions(motion)
    d = place[1] - place[0]
    n = d / np.linalg.norm(d)
    assert first["OFF"] == second["OFF"] == 1.0
    assert first["LENGTH"] == second["LENGTH"] == pytest.approx(np.linalg.norm(d))
    assert first["IE"] == pytest.approx(0.5 * 10.0 * first["LX"] ** 2)
    assert [first[name] for name in RECORD[2:7]] == [0.0] * 5
    assert (elastic + damper)[1, :3] == pytest.approx(first["FX"] * n + [second[name] for name in ("FX", "FY", "FZ")])
    assert second["RX"] == pytest.approx(0.1 * (motion.velocity[2] - motion.velocity[1])[0])


def test_ranges_of_springs_do_not_touch_each_other():
    pair = [spring("TYPE4", [dof(stiffness=1.0)]), spring("TYPE4", [dof(stiffness=2.0)], nodes=(1, 2))]
    both = Rig(*pair)
    motion = both.moved()
    wrench = both.measure(motion, among=(1, 2)).elastic()
    assert both.springs["status"].tolist() == [OFF, ON]
    assert not wrench[1].any() and wrench[2].any()


def test_fixed_axes_between_moving_bodies_are_warned_about():
    wanted = spring("TYPE8", GENERAL, number=12)
    quiet = [
        spring("TYPE4", GENERAL[:1]),
        spring("TYPE8", GENERAL, equilibrium=True),
        spring("TYPE8", GENERAL, nodes=(0, 3)),
        spring("TYPE8", GENERAL, skew_id=5),
        spring("TYPE8", [dof()] * 3 + GENERAL[3:]),
    ]
    rig = Rig(wanted, *quiet, skews=moving_skew(np.random.default_rng(1).normal(size=(4, 3))))
    (warning,) = spring_warnings(rig.model, np.array([1, 2, 3, 0]))
    assert warning.message == (
        "spring 12 joins two moving bodies at nodes that lie apart, in axes fixed in space: the couple of its forces "
        "is held by the ground, so the machine's angular momentum is not kept"
    )


# ---- against the twin ------------------------------------------------------------------------------------------

FUNCTIONS = {
    1: lambda x: functions_twin.table(CURVE.x, CURVE.y, x),
    2: lambda x: functions_twin.table(RATE_CURVE.x, RATE_CURVE.y, x),
    4: lambda x: functions_twin.smooth(DAMPING_CURVE.x, DAMPING_CURVE.y, x),
}
SENSOR = Sensor(9, "", where(), 1.0, 2.0)
WINDOWS = {None: (-math.inf, math.inf), 0: (1.0, math.inf), 1: (-math.inf, 1.0), 2: (1.0, 2.0)}
STATUS = {ON: twin.ON, OFF: twin.OFF, BROKEN: twin.BROKEN}
PLAIN = [dof(stiffness=k, damping=c) for k, c in ((3, 0.5), (1, 0), (0, 2), (1, 1), (2, 0.1), (0, 0.3))]
AXES_MOVE = moving_skew(np.random.default_rng(8).normal(size=(4, 3)))


def pairs_of_all_kinds():
    """Springs as a deck has them, each with the same for the twin: kinds, skews, sensors, limits, common points."""
    limited = dof(**ALL_TERMS | dict(min_elongation=-0.6, max_elongation=0.6))
    skews = {0: {}, 5: dict(axes=AXES_MOVE[5].axes, moving=((0, 2, 3), 1)), 6: dict(axes=FIXED_SKEW[5].axes)}
    wanted = [("TYPE4", [dof(stiffness=5.0, damping=0.5)]), ("TYPE4", [dof(**ALL_TERMS)]), ("TYPE4", [limited]),
              ("TYPE8", PLAIN), ("TYPE8", GENERAL), ("TYPE8", [limited, *GENERAL[1:]])]  # fmt: skip
    nodes = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 2)]
    made = []
    for kind, dofs in wanted:
        for flag, window in WINDOWS.items():
            for skew_id, skew in skews.items() if kind == "TYPE8" else [(0, {})]:
                ends, per_length, common = nodes[len(made) % 5], len(made) % 3 == 1, len(made) % 4 == 2
                common = common and kind == "TYPE8" and not per_length
                sensor = (0, 0) if flag is None else (9, flag)
                one = spring(kind, dofs, nodes=ends, skew_id=skew_id, sensor=sensor, per_length=per_length,
                             equilibrium=common)  # fmt: skip
                other = dict(kind=kind, dofs=dofs, nodes=ends, functions=FUNCTIONS, window=window, restarts=flag == 2,
                             per_length=per_length, common_point=common, **skew)  # fmt: skip
                made.append((one, other))
    return made


@pytest.mark.parametrize("size", [0.0, 1e-9, 0.3])
def test_springs_of_all_kinds_do_in_a_long_motion_what_the_twin_does(size):
    """Sums over all springs: forces on the bodies, states, energies released, and each spring's record."""
    pairs = pairs_of_all_kinds()
    places = np.random.default_rng(8).normal(size=(4, 3))
    rig = Rig(*(one for one, _ in pairs), places=places, skews=AXES_MOVE | {6: FIXED_SKEW[5]}, sensors={9: SENSOR})
    twins = [twin.Spring(points=rig.points, **given) for _, given in pairs]
    order = rig.springs["number"]  # by place in the rig
    states = set()
    for step, t in enumerate((0.0, 0.4, 0.99, 1.01, 1.3, 1.7, 2.01, 2.5)):
        motion = rig.moved(seed=20 + step, size=size)
        turn = size * np.random.default_rng(step).normal(size=(4, 3))
        turn[0] = 0.0
        rig.measure(motion, t=t, step_rotation=turn)
        elastic, dissipative = rig.elastic(), rig.dissipative()
        expected = np.zeros((2, 4, 6))
        for one in twins:
            one.measure(motion, turn, t)
            expected[0] += one.wrench(motion, one.elastic_forces())
            expected[1] += one.wrench(motion, one.dissipative_forces(motion))
        np.testing.assert_allclose(elastic, expected[0], rtol=0, atol=1e-12 * len(pairs) * max(1e-3, size))
        np.testing.assert_allclose(dissipative, expected[1], rtol=0, atol=1e-11 * len(pairs))
        assert [STATUS[status] for status in rig.springs["status"].tolist()] == [twins[k].status for k in order]
        states |= {(twins[k].status, twins[k].restarts) for k in order}
        released = [twins[k].released for k in order]
        np.testing.assert_allclose(rig.springs["released"], released, rtol=1e-7, atol=1e-8 * max(1e-6, size))
        if step in (1, 4):
            found = np.full((len(pairs), len(RECORD)), np.nan)
            record_springs(rig.springs, 0, len(pairs), rig.functions, found)
            wanted = np.array([twins[k].record(motion) for k in order])
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8 * max(1e-3, size))
    assert {state for state, _ in states} == (set(STATUS.values()) if size > 0.1 else {twin.ON, twin.OFF})


def test_no_springs_at_all_do_nothing():
    rig = Rig(spring("TYPE4", [dof(**ALL_TERMS)]))
    assert not rig.measure(rig.moved(), among=(1, 1)).elastic().any()
    assert rig.springs["status"].tolist() == [OFF]
