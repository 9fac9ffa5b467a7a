"""The tangential springs of contact points, and who carries them on."""

import naive.contact as twin
import numpy as np
import pytest
from gsolve.solver.contact.friction import held_force, set_spring, spring_energy, take_point_before
from gsolve.solver.contact.records import CONTACT, INTERFACE, MOVE, SPRING
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


@pytest.mark.parametrize("given", [None, 300.0], ids=["from the normal stiffness", "given"])
@pytest.mark.parametrize("carried", [True, False], ids=["carried on", "new"])
def test_a_spring_is_carried_on_as_the_twin_does(carried, given):
    """Turned with the normal, no stiffer than the normal force lets it be, and moved with the step."""
    random = np.random.default_rng(2)
    for _ in range(30):
        interface, moves, contact = np.zeros(1, INTERFACE)[0], np.zeros(2, MOVE), points_at(0.0)[0]
        interface["tangential_stiffness"] = interface["tangential_damping"] = np.nan if given is None else given
        for name in ("place", "step", "turn"):
            moves[name] = random.normal(size=(2, 3))
        contact["normal"], contact["point"] = unit(random.normal(size=3)), random.normal(size=3)
        before, springs, spring = points_at(*[0.0] * carried), np.zeros(int(carried), SPRING), np.zeros(1, SPRING)[0]
        force, stiffness_before = random.normal(size=3), random.uniform(50, 500)
        springs["force"], springs["stiffness"] = force, stiffness_before
        normal_stiffness, inverse_mass = random.uniform(50, 500), random.uniform(0.1, 2)
        set_spring(
            spring, contact, interface, normal_stiffness, inverse_mass, *moves, before, springs, (0, int(carried))
        )
        law = twin.Stiction(0.3, 0.2, 0.1, 0.2, given, given)
        stiffness, damping = law.constants(normal_stiffness, inverse_mass)
        assert (spring["stiffness"], spring["damping"]) == pytest.approx((stiffness, damping), rel=1e-14)
        expected = np.zeros(3)
        if carried:
            moved = [move["step"] + np.cross(move["turn"], contact["point"] - move["place"]) for move in moves]
            slipped = twin.across(moved[0] - moved[1], contact["normal"])
            expected = twin.carried_on(force, stiffness_before, stiffness, contact["normal"], slipped)
        np.testing.assert_allclose(spring["force"], expected, rtol=0, atol=1e-11)
        assert spring_energy(spring) == pytest.approx(twin.energy_of(spring["force"], stiffness), rel=1e-14)


def test_a_spring_holds_or_slips_as_the_twin_does():
    random, held = np.random.default_rng(3), []
    for _ in range(200):
        spring, interface = np.zeros(1, SPRING)[0], np.zeros(1, INTERFACE)[0]
        (dynamic, static), (at, beyond) = np.sort(random.uniform(0.1, 1.0, (2, 2)))
        interface["mu_static"], interface["mu_dynamic"] = static, dynamic
        interface["static_velocity"], interface["dynamic_velocity"] = at, beyond
        spring["force"], spring["damping"], slip = random.normal(size=3), random.uniform(0, 2), random.normal(size=3)
        slip, normal_force = 0.5 * slip, random.uniform(0.5, 4.0)
        law = twin.Stiction(static, dynamic, at, beyond)
        expected, slips = law.held(spring["force"], spring["damping"], slip, normal_force)
        np.testing.assert_allclose(held_force(spring, interface, normal_force, tuple(slip)), expected, atol=1e-14)
        assert spring["slips"] == slips
        held.append(slips)
    assert 40 < sum(held) < 160


def test_frames_of_no_motion_leave_a_spring_as_it_is():
    """Without a step and with the same normal."""
    interface, moves, contact = np.zeros(1, INTERFACE)[0], np.zeros(2, MOVE), points_at(0.0)[0]
    interface["tangential_stiffness"] = interface["tangential_damping"] = 7.0
    contact["normal"] = (0, 0, 1.0)
    springs, spring = np.zeros(1, SPRING), np.zeros(1, SPRING)[0]
    springs["force"], springs["stiffness"] = (0.3, -0.4, 0.0), 7.0
    set_spring(spring, contact, interface, 1.0, 1.0, *moves, points_at(0.0), springs, (0, 1))
    assert spring["force"].tolist() == [0.3, -0.4, 0.0]
