"""Friction that turns: where it acts on faces and lines, and what resists spinning and rolling."""

from __future__ import annotations

import math

import naive.contact as twin
import numpy as np
import pytest
from gsolve.solver.contact.normal_laws import COULOMB, DYNAMIC_ONLY, STICTION
from gsolve.solver.contact.patches import carry_patch, mean_of_face, patch_energy, rub, set_patches
from gsolve.solver.contact.records import CONTACT, FRAME, INTERFACE, PATCH, SPRING
from gsolve.solver.geometry.contact_points import new_points
from hand_models import unit
from scipy.spatial.transform import Rotation

SPIN = (0.3, -0.2, 5.0)


def interface_of(friction=COULOMB, patch_radius=0.0, rolling_arm=0.0, length=0.1):
    interface = np.zeros(1, INTERFACE)[0]
    interface["share"] = 1.0
    interface["friction"], interface["patch_radius"], interface["rolling_arm"] = friction, patch_radius, rolling_arm
    interface["has_couples"] = patch_radius > 0.0 or rolling_arm > 0.0
    interface["rolling_length"] = length
    interface["mu_static"], interface["mu_dynamic"] = 0.5, 0.3
    interface["static_velocity"], interface["dynamic_velocity"] = 0.01, 0.02
    return interface


def patches_of(places, loads, areas, interface, spin=SPIN):
    points, patches = new_points(), np.zeros(len(places) + 1, PATCH)
    n = len(places)
    points["point"][:n], points["weight"][:n], points["penetration"][:n] = places, np.array(loads) / 0.01, 0.01
    points["area"][:n], points["normal"][:n] = areas, (0, 0, 1.0)
    set_patches(points, n, patches, 1, interface, spin)  # after that of another pair
    return patches[1:]


def drawn_in(places, loads, areas):
    """Where friction acts."""
    return np.array(places) + patches_of(places, loads, areas, interface_of())["offset"]


@pytest.mark.parametrize("turn", range(4))
def test_friction_of_a_disc_acts_at_two_thirds_of_its_radius(turn):
    middle, radius, rotation = (0.3, 0.1, 2.0), 0.2, Rotation.from_rotvec(turn * np.array([0.3, 0.5, 0.7]))
    rim = radius * np.array([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])
    found = drawn_in(middle + rotation.apply(rim), (2.0,) * 4, (math.pi * radius**2 / 4,) * 4)
    np.testing.assert_allclose(found, middle + rotation.apply(2 / 3 * rim), atol=1e-12)


@pytest.mark.parametrize("a, b", [(0.2, 0.1), (0.1, 0.1), (0.3, 0.01)])
def test_friction_of_a_rectangle_acts_at_its_mean_distance_from_the_middle(a, b):
    corners = np.array([(x, y, 0) for x in (-a, a) for y in (-b, b)])
    d = math.hypot(a, b)
    mean = (d + a * a / (2 * b) * math.log((d + b) / a) + b * b / (2 * a) * math.log((d + a) / b)) / 3
    np.testing.assert_allclose(drawn_in(corners, (1.0,) * 4, (a * b,) * 4), mean / d * corners, atol=1e-12)


@pytest.mark.parametrize("friction", [COULOMB, STICTION])
def test_friction_of_a_line_acts_half_as_far_out(friction):
    found = patches_of([(0, 0, 0), (0.4, 0, 0)], (1.0, 1.0), (0.1, 0.1), interface_of(friction))
    np.testing.assert_allclose(found["offset"], [(0.1, 0, 0), (-0.1, 0, 0)], atol=1e-15)


def test_a_line_that_rolls_and_a_point_rub_where_they_are():
    """What does not spin slips alike all along a line."""
    line = patches_of([(0, 0, 0), (0.4, 0, 0)], (1.0, 1.0), (0.1, 0.1), interface_of(), spin=(3.0, 2.0, 0.0))
    point = patches_of([(0.1, 0, 0)], (1.0,), (0.1,), interface_of())
    for patches in (line, point):
        assert not patches["acts"].any() and not patches["offset"].any()


def test_random_faces_rub_where_the_twin_has_it():
    """With loads as they come, between discs and rectangles, and nearly lines, whose width is lost to rounding."""
    random = np.random.default_rng(5)
    for n in (2, 3, 4, 4, 5, 8) * 20:
        places = random.normal(size=(n, 3)) * (1.0, random.choice([1e-3, 0.3, 1.0]), 0.0)
        places = Rotation.random(random_state=random).apply(places) + random.normal(size=3)
        loads, areas = random.uniform(0.01, 1, n), random.uniform(0, 1, n)
        expected = twin.points_of_friction(places, loads, areas)
        np.testing.assert_allclose(drawn_in(places, loads, areas), expected, rtol=0, atol=1e-8)


def test_a_face_that_shrinks_to_a_line_is_one():
    for b in (1e-4, 1e-6, 0.0):
        assert mean_of_face(1.0, b, 4 * b) == pytest.approx(0.5, abs=b)


def test_the_radius_of_a_patch_is_less_by_what_the_points_have_themselves():
    """Of a point all of 2/3 r; of a line of half length 0.2 less by 0.1."""
    interface = interface_of(patch_radius=0.3)
    assert patches_of([(0.1, 0, 0)], (1.0,), (0.1,), interface)["arm"][0] == pytest.approx(0.2, rel=1e-15)
    line = patches_of([(0, 0, 0), (0.4, 0, 0)], (1.0, 1.0), (0.1, 0.1), interface)
    np.testing.assert_allclose(line["arm"], 0.2 - 0.1, rtol=1e-14)
    assert patches_of([(0, 0, 0), (4.0, 0, 0)], (1.0, 1.0), (0.1, 0.1), interface)["arm"].tolist() == [0.0, 0.0]


# ---- forces and couples ----------------------------------------------------------------------------------------


def rubbing(random, interface, offset=(0.0, 0.0, 0.0), arm=0.0, speed=1.0):
    """A point with a random normal, pressed by a random force, and the motion of its bodies."""
    contact, patch, frames = np.zeros(1, CONTACT)[0], np.zeros(1, PATCH)[0], np.zeros(2, FRAME)
    contact["normal"], contact["total"] = unit(random.normal(size=3)), random.uniform(1, 5)
    patch["offset"], patch["arm"], patch["acts"] = twin.across(np.array(offset), contact["normal"]), arm, 1
    frames["spin"] = speed * random.normal(size=(2, 3))
    return contact, patch, frames, speed * twin.across(random.normal(size=3), contact["normal"])


def test_friction_away_from_the_point_has_a_moment_about_it_and_sees_the_slip_there():
    random, interface = np.random.default_rng(6), interface_of()
    law = twin.Coulomb(0.5, 0.3, 0.01, 0.02)
    for k in range(40):
        contact, patch, frames, slip = rubbing(random, interface, random.normal(size=3), speed=[1.0, 0.01][k % 2])
        patch["couple"] = frames["wrench"][0, 3:] = before = random.normal(size=3)  # of an estimate before
        frames["wrench"][1, 3:] = -before
        there = slip + twin.across(np.cross(frames["spin"][0] - frames["spin"][1], patch["offset"]), contact["normal"])
        found = rub(contact, patch, np.zeros(1, SPRING), 0, interface, 0.0, tuple(slip), *frames)
        expected = law.force(contact["total"], there)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
        moment = np.cross(patch["offset"], expected)
        np.testing.assert_allclose(frames["wrench"], [[0, 0, 0, *moment], [0, 0, 0, *-moment]], rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", [COULOMB, DYNAMIC_ONLY])
@pytest.mark.parametrize("speed", [1.0, 0.02, 1e-3])
def test_sliding_and_spinning_share_the_friction_and_rolling_has_its_own(kind, speed):
    """Force and moment mu F (v, arm w)/sqrt(v^2 + w^2); rolling arm_roll F, full from v_s (2: v_d) on."""
    random, arm, arm_roll, length = np.random.default_rng(7), 0.2, 0.01, 0.1
    law = twin.Coulomb(0.5, 0.3, 0.01, 0.02, dynamic_only=kind == DYNAMIC_ONLY)
    interface = interface_of(kind, 0.3, arm_roll, length)
    for _ in range(20):
        contact, patch, frames, slip = rubbing(random, interface, arm=arm, speed=speed)
        found = rub(contact, patch, np.zeros(1, SPRING), 0, interface, 0.0, tuple(slip), *frames)
        force, moment = twin.sliding_and_spinning(
            law, contact["total"], slip, contact["normal"], frames["spin"][0] - frames["spin"][1], arm
        )
        np.testing.assert_allclose(found, force, rtol=0, atol=1e-13)
        moment = moment + twin.rolling(
            contact["total"], contact["normal"], frames["spin"][0] - frames["spin"][1], arm_roll, length,
            0.02 if kind == DYNAMIC_ONLY else 0.01,
        )  # fmt: skip
        np.testing.assert_allclose(frames["wrench"][0], [0, 0, 0, *moment], rtol=0, atol=1e-13)


def test_springs_of_spinning_and_rolling_hold_up_to_their_limits():
    """Twisted by an angle: arm^2 k of moment about the normal, length^2 k across it, while friction holds them."""
    arm, arm_roll, length, stiffness, force = 0.2, 0.01, 0.1, 100.0, 4.0
    interface, still = interface_of(STICTION, 0.3, arm_roll, length), np.zeros(2, FRAME)
    most = 0.5 * force * arm  # mu_s
    for spun, rolled in ((0.02, 0.01), (-0.02, -0.01), (0.2, 0.1)):
        contact, patch, springs = np.zeros(1, CONTACT)[0], np.zeros(2, PATCH), np.zeros(2, SPRING)
        contact["normal"], contact["total"] = (0, 0, 1.0), force
        patch["arm"], patch["acts"], springs["stiffness"], frames = arm, 1, stiffness, still.copy()
        carry_patch(patch[1], patch[0], springs[1], springs[0], contact, (rolled, 0.0, spun), length)
        energy = 0.5 * stiffness * ((arm * spun) ** 2 + (length * rolled) ** 2)
        assert patch_energy(patch[1], springs[1]) == pytest.approx(energy, rel=1e-13)
        found = rub(contact, patch[1], springs, 1, interface, 0.0, (0.0, 0.0, 0.0), *frames)
        assert found == (0.0, 0.0, 0.0)
        expected = [np.clip(-stiffness * length**2 * rolled, -arm_roll * force, arm_roll * force), 0.0,
                    np.clip(-stiffness * arm**2 * spun, -most, most)]  # fmt: skip
        np.testing.assert_allclose(frames["wrench"][0, 3:], expected, rtol=1e-13)
        assert (springs["slips"][1], patch["rolls"][1]) == (abs(spun) > 0.1, abs(rolled) > 0.05)
