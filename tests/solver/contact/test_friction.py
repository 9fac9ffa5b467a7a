"""The tangential springs of contact points, and who carries them on."""

import naive.contact as twin
import numpy as np
import pytest
from gsolve.solver.contact.friction import (
    carry_slide,
    held_force,
    keep_what_holds,
    set_spring,
    take_point_before,
    tangential_ratio,
)
from gsolve.solver.contact.records import CONTACT, INTERFACE, SPRING
from gsolve.solver.geometry.contact_points import new_points
from hand_models import unit


def points_at(*places, pair=(3, 7)):
    """Contact points of one pair along x."""
    contacts = np.zeros(len(places), CONTACT)
    contacts["point"][:, 0] = places
    contacts["member_a"], contacts["member_b"] = pair
    return contacts


def takers(before, now):
    springs = np.zeros(len(before), SPRING)
    return [take_point_before(contact, before, springs, (0, len(before))) for contact in now]


def test_a_point_takes_over_the_spring_of_the_nearest_point_before():
    assert takers(points_at(0.0, 1.0, 2.0), points_at(2.1, 0.1, 0.9)) == [2, 0, 1]


def test_a_spring_is_taken_over_once_and_by_the_first_that_asks():
    """Of two points near the same one before, the second takes what is left, and a third one starts anew."""
    assert takers(points_at(0.0, 1.0), points_at(0.0, 0.4, 0.1)) == [0, 1, -1]


def test_points_at_one_place_take_over_springs_in_their_order():
    """Rounding of their places does not matter: a rim that stands on a face is a point of the end and of the side."""
    for at_first, at_second in ((0.1, 0.1), (0.1, 0.1 + 1e-16), (0.1 + 1e-16, 0.1)):
        for now in ((0.1001, 0.1001), (0.1, 0.1)):
            assert takers(points_at(at_first, at_second), points_at(*now)) == [0, 1]


def test_springs_of_other_pairs_are_not_taken_over():
    before = np.concatenate([points_at(1.0), points_at(0.0, pair=(3, 8))])
    assert takers(before, points_at(0.0, 0.5)) == [0, -1]


def test_random_points_take_over_the_springs_that_the_twin_gives_them():
    random = np.random.default_rng(1)
    for _ in range(30):
        before, now = points_at(*np.zeros(random.integers(1, 7))), points_at(*np.zeros(random.integers(1, 7)))
        for points in (before, now):
            points["point"] = random.normal(size=(len(points), 3))
        assert takers(before, now) == twin.nearest_before(list(now["point"]), list(before["point"]))


def random_spring(random, alone):
    """A spring of a step ago: record and twin."""
    record, of_twin = np.zeros(1, SPRING)[0], twin.Spring(alone)
    of_twin.force, of_twin.stiffness = random.normal(size=3), random.uniform(50, 500)
    of_twin.energy = random.uniform(0.5, 2.0) * twin.energy_of(of_twin.force, of_twin.stiffness)
    of_twin.all_slip, of_twin.slipped, of_twin.speed = (
        random.random() < 0.5,
        random.uniform(0, 1),
        random.uniform(0, 0.03),
    )
    for name in ("force", "stiffness", "energy", "slipped"):
        record[name] = getattr(of_twin, name)
    record["slides"], record["slip_speed"] = of_twin.all_slip, of_twin.speed
    return record, of_twin


@pytest.mark.parametrize("given", [None, 300.0], ids=["from the normal stiffness", "given"])
@pytest.mark.parametrize("carried", [True, False], ids=["carried on", "new"])
@pytest.mark.parametrize("alone", [0.0, 0.3, 1.0], ids=["several", "between", "alone"])
def test_a_spring_is_carried_on_as_the_twin_does(carried, given, alone):
    """Turned with the normal, of a point alone no stiffer than the normal force lets it be, and moved with the step."""
    random = np.random.default_rng(2)
    for _ in range(30):
        interface, contact, spring = np.zeros(1, INTERFACE)[0], points_at(0.0)[0], np.zeros(1, SPRING)[0]
        interface["tangential_stiffness"] = interface["tangential_damping"] = np.nan if given is None else given
        contact["normal"], contact["point"] = unit(random.normal(size=3)), random.normal(size=3)
        spring["ratio"] = alone * 14 / 17 + (1 - alone)
        last, last_of_twin = random_spring(random, alone)
        before, springs = points_at(*[0.0] * carried), np.array([last][:carried], SPRING)
        of_normal, inverse_mass = random.uniform((50, 0.5), (500, 5)), random.uniform(0.1, 2)
        slip = twin.across(0.01 * random.normal(size=3), contact["normal"])
        taken = set_spring(
            spring, contact, interface, (*of_normal, spring["ratio"]), inverse_mass, tuple(slip), before, springs,
            (0, int(carried)),
        )  # fmt: skip
        assert taken == (0 if carried else -1)
        expected = twin.Stiction(0.3, 0.2, 0.1, 0.2, given, given).spring(*of_normal, inverse_mass, alone)
        if carried:
            carry_slide(spring, springs[0], tuple(slip), 0.5)
            expected.carry_on(last_of_twin, contact["normal"], slip, 0.5)
        found = [spring[name] for name in ("stiffness", "damping", "excess_damping", "slid_before")]
        assert found == pytest.approx(
            [expected.stiffness, expected.damping, expected.critical, int(expected.slid_before)], rel=1e-14
        )
        np.testing.assert_allclose(spring["force"], expected.force, rtol=0, atol=1e-11)
        assert [spring["energy"], spring["slipped"]] == pytest.approx([expected.energy, expected.slipped], rel=1e-11)


def test_a_spring_holds_or_slips_as_the_twin_does():
    """Anew, or going on slipping; damped more where it slips fast."""
    random, held = np.random.default_rng(3), []
    for _ in range(400):
        interface = np.zeros(1, INTERFACE)[0]
        (dynamic, static), (at, beyond) = np.sort(random.uniform(0.1, 1.0, (2, 2)))
        interface["mu_static"], interface["mu_dynamic"] = static, dynamic
        interface["static_velocity"], interface["dynamic_velocity"] = at, beyond
        spring, of_twin = random_spring(random, 0.0)
        spring["damping"], spring["excess_damping"] = of_twin.damping, of_twin.critical = random.uniform(0, 2, 2)
        of_twin.slid_before, of_twin.slipped = random.random() < 0.5, random.uniform(0, 0.1)
        spring["slid_before"], spring["slipped"] = of_twin.slid_before, of_twin.slipped
        slip, normal_force, opening = 0.5 * random.normal(size=3), random.uniform(0.5, 4.0), random.normal()
        law = twin.Stiction(static, dynamic, at, beyond)
        expected, slips = law.held(of_twin, slip, normal_force, opening)
        found = held_force(spring, interface, normal_force, opening, tuple(slip))
        np.testing.assert_allclose(found, expected, atol=1e-14)
        assert spring["slips"] == slips
        held.append(slips)
        contact = np.zeros(1, CONTACT)[0]
        contact["tangential"], of_twin.slips = found, slips
        keep_what_holds(contact, spring)
        of_twin.settle(expected)
        np.testing.assert_allclose([*spring["force"], spring["energy"]], [*of_twin.force, of_twin.energy], rtol=1e-13)
    assert 80 < sum(held) < 320


def test_no_motion_leaves_a_spring_as_it_is():
    """Without a step and with the same normal."""
    interface, contact = np.zeros(1, INTERFACE)[0], points_at(0.0)[0]
    interface["tangential_stiffness"] = interface["tangential_damping"] = 7.0
    contact["normal"] = (0, 0, 1.0)
    springs, spring = np.zeros(1, SPRING), np.zeros(1, SPRING)[0]
    springs["force"], springs["stiffness"], springs["energy"] = (0.3, -0.4, 0.0), 7.0, 0.125 / 7.0
    spring["ratio"] = 1.0
    set_spring(spring, contact, interface, (1.0, 1.0, 1.0), 1.0, (0.0, 0.0, 0.0), points_at(0.0), springs, (0, 1))
    np.testing.assert_allclose(spring["force"], [0.3, -0.4, 0.0], rtol=1e-15)


@pytest.mark.parametrize("loads, alone", [((2.0,), 1.0), ((1.0, 1.0), 0.0), ((1.0, 1.0, 1.0, 1.0), 0.0)])
def test_a_point_alone_has_the_ratio_of_balls_and_several_have_that_of_faces(loads, alone):
    points = new_points()
    points["weight"][: len(loads)], points["penetration"][: len(loads)] = loads, 0.1
    assert tangential_ratio(points, len(loads)) == pytest.approx(alone * 14 / 17 + 1 - alone, rel=1e-14)


def test_a_point_that_comes_in_gradually_changes_the_ratio_gradually():
    random, points = np.random.default_rng(4), new_points()
    for _ in range(20):
        points["weight"][:2], points["penetration"][:2] = random.uniform(0, 1, (2, 2))
        alone = 2 - twin.number_of(points["weight"][:2] * points["penetration"][:2])
        assert tangential_ratio(points, 2) == pytest.approx(alone * 14 / 17 + 1 - alone, rel=1e-12)
