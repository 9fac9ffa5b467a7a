"""Links and relations of gear joints: residuals by their definitions, Jacobians by finite differences, whole turns."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from gsolve.solver.gear_joints import (
    PIN,
    RIGID,
    SLIDE,
    SLIDE_POINT,
    GearJointBuilder,
    commit_links,
    leading_bits,
    link_jacobians,
    link_residuals,
    relation_jacobians,
    relation_residuals,
    set_angle,
    triad_about,
)
from gsolve.solver.rows import RowBuilder
from gsolve.solver.state import GROUND, new_bodies
from naive import dense_jacobian, link_rows, move_trial, quaternion, rates
from scipy.spatial.transform import Rotation

KINDS = [PIN, SLIDE, SLIDE_POINT]
SIDES = {"both": (1, 2), "carrier_on_ground": (GROUND, 2), "node_on_ground": (1, GROUND)}
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


class Rig(NamedTuple):
    """Bodies 0 (ground) to 3 and what is built on them."""

    bodies: np.ndarray
    rows: np.ndarray
    entries: np.ndarray
    links: np.ndarray
    relations: np.ndarray
    terms: np.ndarray

    def residuals(self):
        link_residuals(self.links, 0, len(self.links), self.rows, self.bodies)
        relation_residuals(self.relations, self.terms, 0, len(self.relations), self.links, self.rows)
        return self.rows["residual"].copy()

    def jacobian(self):
        link_jacobians(self.links, 0, len(self.links), self.rows, self.entries, self.bodies)
        relation_jacobians(
            self.relations, self.terms, 0, len(self.relations), self.links, self.rows, self.entries, self.bodies
        )
        return dense_jacobian(self.rows, self.entries, len(self.bodies))


def rig(links, coefficients=None, seed=1) -> Rig:
    """links: (carrier, node, kind) each; the mass centre of each body is off its node."""
    random = np.random.default_rng(seed)
    bodies = new_bodies(4)
    bodies["centre"][1:] = random.normal(size=(3, 3))
    row_builder = RowBuilder()
    builder = GearJointBuilder(row_builder, bodies["centre"])
    indices = []
    for k, (carrier, node, kind) in enumerate(links):
        axis = random.normal(size=3)
        arm = random.normal(size=3)
        indices.append(builder.link((10, k), carrier, node, arm, axis / np.linalg.norm(axis), kind, 1.0)[0])
    if coefficients:
        builder.relation(indices, coefficients, 1.0)
    rows, entries = row_builder.build()
    return Rig(bodies, rows, entries, *builder.build())


def scatter(bodies, random, prefix="trial_", angle=0.7):
    """Any positions, far from those as built, for all bodies but the ground."""
    for body in bodies[1:]:
        rotation = Rotation.from_rotvec(angle * random.normal(size=3))
        body[prefix + "displacement"] = random.normal(size=3)
        body[prefix + "rotation"], body[prefix + "quaternion"] = rotation.as_matrix(), quaternion(rotation)


def put_in_place(made: Rig, random, angle=0.6, slide=0.3):
    """Move all bodies so that the links are met: the machine turned and shifted, nodes turned and slid on their axes.

    A node that is the ground keeps its place, and its carrier goes where the node wants it.
    """
    bodies = made.bodies
    for link in made.links:
        a, b = bodies[link["carrier"]], bodies[link["node"]]
        r = link["triad"][0]
        turn, along = (angle, 0.0) if link["kind"] == PIN else (0.0, slide)
        relative = Rotation.from_rotvec(turn * r)
        if link["carrier"] != GROUND and not a["displacement"].any():
            carrier = Rotation.from_rotvec(random.normal(size=3)) if link["node"] != GROUND else relative.inv()
            a["rotation"], a["quaternion"] = carrier.as_matrix(), quaternion(carrier)
            a["displacement"] = random.normal(size=3)
        carrier = Rotation.from_matrix(a["rotation"])
        # p_k - p_0 = R_0 (d + slide r), p = reference point + R arm
        place = carrier.apply(link["centre_offset"] + link["node_arm"] + along * r)
        if link["node"] != GROUND:
            rotation = carrier * relative
            b["rotation"], b["quaternion"] = rotation.as_matrix(), quaternion(rotation)
            b["displacement"] = a["displacement"] + place - rotation.apply(link["node_arm"]) - link["centre_offset"]
        else:
            a["displacement"] = -(place - link["node_arm"] - link["centre_offset"])
    for name in ("displacement", "rotation", "quaternion"):
        bodies["trial_" + name] = bodies[name]


def finite_differences(made: Rig, velocities, spins, h=1e-5):
    sides = []
    for step in (h, -h):
        move_trial(made.bodies, velocities, spins, step)
        sides.append(made.residuals())
    return (sides[0] - sides[1]) / (2 * h)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
@pytest.mark.parametrize("seed", range(3))
def test_link_residuals_and_coordinates_follow_their_definitions(kind, sides, seed):
    random = np.random.default_rng(seed)
    made = rig([(*sides, kind)], seed=seed)
    scatter(made.bodies, random)
    expected, angle, slide = link_rows(made.links[0], made.bodies)
    np.testing.assert_allclose(made.residuals(), expected, atol=2e-15)
    if kind == PIN:
        assert made.links["trial_angle"][0] == pytest.approx(angle, abs=2e-15)
        assert made.links["trial_slide"][0] == 0.0
    else:
        assert made.links["trial_slide"][0] == pytest.approx(slide, abs=2e-15)
        assert made.links["trial_angle"][0] == 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_links_are_met_wherever_the_machine_is_carried(kind, sides):
    made = rig([(*sides, kind)], seed=5)
    put_in_place(made, np.random.default_rng(5))
    np.testing.assert_allclose(made.residuals(), 0.0, atol=3e-15)
    coordinate = made.links["trial_angle"][0] + made.links["trial_slide"][0]
    assert coordinate == pytest.approx(0.6 if kind == PIN else 0.3, abs=2e-15)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
@pytest.mark.parametrize("seed", range(3))
def test_link_jacobian_is_the_derivative_of_the_residuals(kind, sides, seed):
    random = np.random.default_rng(seed)
    made = rig([(*sides, kind)], seed=seed)
    put_in_place(made, random)
    jacobian = made.jacobian()
    velocities, spins = random.normal(size=(2, 4, 3))
    velocities[0] = spins[0] = 0.0
    np.testing.assert_allclose(
        finite_differences(made, velocities, spins), rates(jacobian, velocities, spins), atol=2e-9
    )


@pytest.mark.parametrize("coefficients", [[-0.7, 1.0], [0.4, 1.0, 1.0]], ids=["GEAR", "DIFF"])
@pytest.mark.parametrize("carrier", [1, GROUND])
def test_gear_relation_is_the_derivative_of_its_coordinates(coefficients, carrier):
    random = np.random.default_rng(7)
    nodes = [2, 3, GROUND if carrier else 1][: len(coefficients)]
    made = rig([(carrier, node, PIN) for node in nodes], coefficients, seed=7)
    # the carrier stays as built, so that a shaft on the ground fits too
    for link, angle in zip(made.links, (0.4, -0.8, 0.5), strict=False):
        if link["node"] != GROUND:
            turn = Rotation.from_rotvec(angle * link["triad"][0])
            body = made.bodies[link["node"]]
            body["rotation"], body["quaternion"] = turn.as_matrix(), quaternion(turn)
            body["displacement"] = link["node_arm"] - turn.apply(link["node_arm"])
    for name in ("displacement", "rotation", "quaternion"):
        made.bodies["trial_" + name] = made.bodies[name]
    residuals = made.residuals()
    angles = [angle for node, angle in zip(nodes, (0.4, -0.8, 0.5), strict=False) if node != GROUND]
    assert residuals[-1] == pytest.approx(np.dot(coefficients[: len(angles)], angles), abs=1e-15)
    np.testing.assert_allclose(residuals[:-1], 0.0, atol=1e-15)
    jacobian = made.jacobian()
    velocities, spins = random.normal(size=(2, 4, 3))
    velocities[0] = spins[0] = 0.0
    np.testing.assert_allclose(
        finite_differences(made, velocities, spins), rates(jacobian, velocities, spins), atol=2e-9
    )


@pytest.mark.parametrize("kind", [SLIDE, SLIDE_POINT])
@pytest.mark.parametrize("carrier", [1, GROUND])
def test_rack_relation_is_the_derivative_of_turn_and_slide(kind, carrier):
    random = np.random.default_rng(9)
    made = rig([(carrier, 2, PIN), (carrier, 3, kind)], [0.3, 1.0], seed=9)
    put_in_place(made, random)
    assert made.residuals()[-1] == pytest.approx(0.3 * 0.6 + 0.3, abs=1e-15)
    jacobian = made.jacobian()
    velocities, spins = random.normal(size=(2, 4, 3))
    velocities[0] = spins[0] = 0.0
    np.testing.assert_allclose(
        finite_differences(made, velocities, spins), rates(jacobian, velocities, spins), atol=2e-9
    )


def test_a_body_in_two_terms_collects_both():
    made = rig([(1, 2, PIN), (1, 2, PIN)], [0.5, 1.0], seed=11)
    made.links["triad"][1] = made.links["triad"][0]
    jacobian = made.jacobian()[-1].reshape(4, 6)
    np.testing.assert_allclose(jacobian[2, 3:], 1.5 * made.links["triad"][0, 0], atol=1e-15)
    np.testing.assert_allclose(jacobian[1, 3:], -1.5 * made.links["triad"][0, 0], atol=1e-15)


def test_relation_of_a_free_joint_does_no_work_in_a_rigid_motion():
    random = np.random.default_rng(13)
    made = rig([(1, 2, PIN), (1, 3, SLIDE)], [0.3, 1.0], seed=13)
    put_in_place(made, random)
    velocity, spin = random.normal(size=(2, 3))
    centres = made.bodies["centre"] + made.bodies["displacement"]
    velocities, spins = velocity + np.cross(spin, centres), np.tile(spin, (4, 1))
    np.testing.assert_allclose(rates(made.jacobian(), velocities, spins), 0.0, atol=2e-15)


def test_links_of_the_same_shaft_are_made_once_and_of_one_body_not_at_all():
    row_builder = RowBuilder()
    builder = GearJointBuilder(row_builder, np.zeros((4, 3)))
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])

    def link(node, axis, kind=PIN, body=2):
        return builder.link((0, node), 1, body, np.zeros(3), axis, kind, 1.0)

    first, sign = link(5, z)
    assert sign == 1.0
    assert link(5, z) == (first, 1.0)
    assert link(5, -z) == (first, -1.0)
    assert len(row_builder) == 5
    assert link(5, x)[0] != first
    assert link(5, z, SLIDE)[0] != first
    assert len(row_builder) == 15
    rigid, _ = link(6, z, body=1)
    assert len(row_builder) == 15
    row = builder.relation([first, rigid], [0.5, 1.0], 1.0)
    links, relations, terms = builder.build()
    assert links["kind"][rigid] == RIGID
    rows, entries = row_builder.build()
    relation_jacobians(relations, terms, 0, 1, links, rows, entries, new_bodies(4))
    jacobian = dense_jacobian(rows, entries, 4)[row].reshape(4, 6)
    np.testing.assert_array_equal(jacobian[:, 3:], np.outer([0.0, -0.5, 0.5, 0.0], z))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.6, 0.0, -0.8), (0.36, 0.48, 0.8)])
def test_triad_is_orthonormal_right_handed_and_starts_with_the_axis(axis):
    triad = triad_about(np.array(axis, dtype=float))
    np.testing.assert_allclose(triad @ triad.T, np.eye(3), atol=3e-16)
    np.testing.assert_array_equal(triad[0], axis)
    assert np.linalg.det(triad) == pytest.approx(1.0, abs=1e-15)


# ---- whole turns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("step", [0.05, 1.9, 3.1])
def test_angle_counts_turns_in_both_directions(sign, step):
    made = rig([(1, 2, PIN)])
    link = made.links[0]
    for k in range(1, 40):
        wrapped = float(np.angle(np.exp(1j * sign * step * k)))
        # the half-angle formula may give it a whole turn off
        set_angle(link, wrapped + (2 * np.pi if k % 3 == 0 and wrapped < 0 else 0.0))
        commit_links(made.links, 0, 1, 0.1)
        total = 2 * np.pi * link["turns"] + link["angle"]
        assert total == pytest.approx(sign * step * k, abs=1e-12)
        assert -np.pi < link["angle"] <= np.pi
        assert link["rate"] == pytest.approx(sign * step / 0.1, rel=1e-11)


@pytest.mark.parametrize("turns", [0, 10**6 + 3, 10**8 - 7])
@pytest.mark.parametrize("alpha", [0.8, -1.0 / 3.0, np.sqrt(2.0), 7.123456789])
def test_floor_of_the_relation_does_not_grow_with_the_turns(turns, alpha):
    """alpha theta_1 + theta_2 against 50 digits, theta_2 near where the relation wants it."""
    getcontext().prec = 60
    made = rig([(1, 2, PIN), (1, 3, PIN)], [alpha, 1.0])
    angle = 0.7
    wanted = -Decimal(float(alpha)) * (2 * PI * turns + Decimal(angle))
    other_turns = int((wanted / (2 * PI)).to_integral_value())
    other_angle = float(wanted - 2 * PI * other_turns)
    made.links["trial_turns"], made.links["trial_angle"] = [turns, other_turns], [angle, other_angle]
    relation_residuals(made.relations, made.terms, 0, 1, made.links, made.rows)
    theta_1, theta_2 = (2 * PI * int(k) + Decimal(float(a)) for k, a in ((turns, angle), (other_turns, other_angle)))
    exact = float(Decimal(float(alpha)) * theta_1 + theta_2)
    assert made.rows["residual"][-1] == pytest.approx(exact, abs=8 * np.finfo(float).eps * (1 + abs(alpha)))


def test_leading_bits_make_products_with_whole_turns_exact():
    random = np.random.default_rng(1)
    values = random.normal(size=100) * 10.0 ** random.integers(-6, 7, 100)
    high = leading_bits(values)
    assert np.all(np.abs(values - high) <= 2.0**-26 * np.abs(values))
    for turns in (3, 10**6 + 3, 2**27 - 1):
        assert [Fraction(value * turns) for value in high] == [Fraction(value) * turns for value in high]
