"""Relations between coordinates of joints: sums, derivatives, whole turns to the last bit, reactions."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.parser.model.joint_types import Angle, Slide
from gsolve.solver.constraints.relations import leading_bits, relation_residuals
from gsolve.solver.constraints.rows import TIGHT
from gsolve.solver.core.bodies import GROUND
from joint_rig import MEASURES, SIDES, Built, random_joint, random_motion, rig, scatter, set_pose
from naive import rates
from scipy.spatial.transform import Rotation

NO_ANGLE, TWIST = Angle.NO_ANGLE, Angle.TWIST
NO_SLIDE, TRAVEL, DISTANCE = Slide.NO_SLIDE, Slide.TRAVEL, Slide.DISTANCE
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
Z = np.array([0.0, 0.0, 1.0])


def shafts_on_a_carrier(carrier, nodes, coefficients, seed=7):
    """REVOLUTE joints on one carrier, which stays as built, turned by 0.4, -0.8, 0.5; and their relation."""
    random = np.random.default_rng(seed)
    built = [random_joint("REVOLUTE", (carrier, node), random) for node in nodes]
    made = rig(built, [[(k, True, c) for k, c in enumerate(coefficients)]], seed)
    for joint, angle in zip(built, (0.4, -0.8, 0.5), strict=False):
        node = joint.bodies[1]
        if node != GROUND:
            arm = joint.node_j - made.bodies["centre"][node]
            turn = Rotation.from_rotvec(angle * joint.r)
            set_pose(made.bodies[node], turn, arm - turn.apply(arm))
    return made


@pytest.mark.parametrize("coefficients", [[-0.7, 1.0], [0.4, 1.0, 1.0]], ids=["GEAR", "DIFF"])
@pytest.mark.parametrize("carrier", [1, GROUND])
def test_gear_relation_sums_the_angles_and_its_jacobian_is_the_derivative(coefficients, carrier):
    nodes = [2, 3, GROUND if carrier else 1][: len(coefficients)]
    made = shafts_on_a_carrier(carrier, nodes, coefficients)
    residuals = made.commit()
    angles = [angle for node, angle in zip(nodes, (0.4, -0.8, 0.5), strict=False) if node != GROUND]
    assert residuals[-1] == pytest.approx(np.dot(coefficients[: len(angles)], angles), abs=2e-15)
    np.testing.assert_allclose(residuals[:-1], 0.0, atol=2e-15)
    motion = random_motion(np.random.default_rng(7))
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


@pytest.mark.parametrize("kind", ["TRANSLATIONAL", "STRUT", "CYLINDRICAL"])
@pytest.mark.parametrize("carrier", [1, GROUND])
def test_rack_relation_sums_turn_and_slide_and_its_jacobian_is_the_derivative(kind, carrier):
    random = np.random.default_rng(9)
    built = [random_joint("REVOLUTE", (carrier, 2), random), random_joint(kind, (carrier, 3), random)]
    made = rig(built, [[(0, True, 0.3), (1, False, 1.0)]], 9)
    frame = Rotation.from_rotvec(random.normal(size=3)) if carrier else Rotation.identity()
    shift = random.normal(size=3) if carrier else np.zeros(3)
    for joint, turn, slide in ((built[0], 0.6, 0.0), (built[1], 0.0, 0.3)):
        for body, moved in ((joint.bodies[0], False), (joint.bodies[1], True)):
            rotation = frame * Rotation.from_rotvec(moved * turn * joint.r)
            centre, node = made.bodies["centre"][body], joint.node_j
            position = frame.apply(node + moved * slide * joint.r) + shift
            if body != GROUND:
                set_pose(made.bodies[body], rotation, position - rotation.apply(node - centre) - centre)
    residuals = made.commit()
    assert residuals[-1] == pytest.approx(0.3 * 0.6 + 0.2 + 0.3, abs=4e-15)  # it was built 0.2 along
    np.testing.assert_allclose(residuals[:-1], 0.0, atol=4e-15)
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
@pytest.mark.parametrize("measured", [(TWIST, NO_SLIDE), (NO_ANGLE, TRAVEL), (NO_ANGLE, DISTANCE)])
@pytest.mark.parametrize("seed", range(2))
def test_relation_of_what_a_joint_only_measures_is_a_derivative_in_any_pose(sides, measured, seed):
    """Drives and couplers act on nodes that nothing may keep aligned: forces and moments are exact all the same."""
    random = np.random.default_rng(seed)
    built = [random_joint(MEASURES, sides, random, measured)]
    made = rig(built, [[(0, measured[0] == TWIST, 1.7)]], seed)
    scatter(made.bodies, random)
    residuals = made.commit()
    assert residuals[0] == pytest.approx(1.7 * made.coordinates().sum(), abs=1e-15)
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


def test_angle_of_a_universal_joint_may_be_coupled():
    random = np.random.default_rng(17)
    made = rig([random_joint("UNIVERSAL", (1, 2), random)], [[(0, True, 2.0)]], 17)
    scatter(made.bodies, random)
    made.commit()
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


def test_a_relation_between_bodies_of_four_joints_collects_each_body_once():
    random = np.random.default_rng(19)
    pairs = [(1, 2), (2, 3), (3, GROUND), (GROUND, 1)]
    coordinates = [(TWIST, NO_SLIDE), (NO_ANGLE, TRAVEL), (NO_ANGLE, DISTANCE), (TWIST, TRAVEL)]
    built = [random_joint(MEASURES, pair, random, kinds) for pair, kinds in zip(pairs, coordinates, strict=True)]
    made = rig(built, [[(0, True, 0.5), (1, False, -1.5), (2, False, 2.0), (3, True, 1.0), (3, False, 0.7)]], 19)
    assert sorted(made.entries["body"].tolist()) == [1, 2, 3]
    scatter(made.bodies, random)
    made.commit()
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=8e-9)


def test_a_body_in_two_terms_collects_both():
    joint = random_joint("REVOLUTE", (1, 2), np.random.default_rng(11))
    made = rig([joint, joint], [[(0, True, 0.5), (1, True, 1.0)]], 11)
    jacobian = made.jacobian()[-1].reshape(4, 6)
    np.testing.assert_allclose(jacobian[2, 3:], 1.5 * joint.r, atol=1e-15)
    np.testing.assert_allclose(jacobian[1, 3:], -1.5 * joint.r, atol=1e-15)


def test_a_joint_within_one_body_drops_out_of_a_relation():
    made = rig(
        [Built("REVOLUTE", (1, body), np.zeros(3), np.zeros(3), Z, Z) for body in (2, 1)],
        [[(0, True, 0.5), (1, True, 1.0)]],
    )
    jacobian = made.jacobian()[-1].reshape(4, 6)
    np.testing.assert_array_equal(jacobian[:, 3:], np.outer([0.0, -0.5, 0.5, 0.0], Z))


def test_relation_of_a_free_machine_does_no_work_in_a_rigid_motion():
    random = np.random.default_rng(13)
    built = [
        random_joint(MEASURES, (1, 2), random, (TWIST, NO_SLIDE)),
        random_joint(MEASURES, (1, 3), random, (NO_ANGLE, TRAVEL)),
    ]
    made = rig(built, [[(0, True, 0.3), (1, False, 1.0)]], 13)
    scatter(made.bodies, random)
    made.commit()
    velocity, spin = random.normal(size=(2, 3))
    centres = made.bodies["centre"] + made.bodies["displacement"]
    motion = velocity + np.cross(spin, centres), np.tile(spin, (4, 1))
    np.testing.assert_allclose(rates(made.jacobian(), *motion), 0.0, atol=4e-15)


def test_tolerance_grows_with_the_slides_and_not_with_the_turns():
    random = np.random.default_rng(15)
    built = [random_joint(MEASURES, (GROUND, 2), random, (TWIST, NO_SLIDE)),
             random_joint(MEASURES, (GROUND, 3), random, (NO_ANGLE, TRAVEL))]  # fmt: skip
    made = rig(built, [[(0, True, 1.0), (1, False, -2.0)], [(0, True, 1.0)]], 15, scale=3.0)
    made.joints["turns"][0] = 1000.0
    made.bodies["displacement"][3] = 50.0 * built[1].r
    made.commit()
    slide = made.joints["slide"][1]
    assert slide == pytest.approx(50.0 + (built[1].node_j - built[1].node_i) @ built[1].r)
    made.jacobian()
    np.testing.assert_allclose(1 / (TIGHT * made.rows["inverse_tolerance"]), [3.0 + 2.0 * abs(slide), 3.0], rtol=1e-14)


# ---- whole turns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 10**6 + 3, 10**8 - 7])
@pytest.mark.parametrize("alpha", [0.8, -1.0 / 3.0, np.sqrt(2.0), 7.123456789])
def test_floor_of_the_relation_does_not_grow_with_the_turns(turns, alpha):
    """alpha theta_1 + theta_2 against 50 digits, theta_2 near where the relation wants it."""
    getcontext().prec = 60
    random = np.random.default_rng(1)
    built = [random_joint("REVOLUTE", (1, 2), random), random_joint("REVOLUTE", (1, 3), random)]
    made = rig(built, [[(0, True, alpha), (1, True, 1.0)]])
    angle = 0.7
    wanted = -Decimal(float(alpha)) * (2 * PI * turns + Decimal(angle))
    other_turns = int((wanted / (2 * PI)).to_integral_value())
    other_angle = float(wanted - 2 * PI * other_turns)
    made.joints["trial_turns"], made.joints["trial_angle"] = [turns, other_turns], [angle, other_angle]
    relation_residuals(made.relations, made.terms, 0, 1, made.joints, made.rows)
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


# ---- against the twin ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_residuals_of_any_sums_are_those_of_the_twin(count, size):
    random = np.random.default_rng(count)
    built = [random_joint(MEASURES, (1, 2), random, (TWIST, TRAVEL)) for _ in range(4)]
    terms = [
        [(int(random.integers(4)), bool(random.integers(2)), size * random.normal()) for _ in range(count)]
        for _ in range(6)
    ]
    made = rig(built, terms)
    for name in ("trial_angle", "trial_slide"):
        made.joints[name] = random.normal(size=4)
    made.joints["trial_turns"] = [0.0, -3.0, 1.0, 12.0]
    relation_residuals(made.relations, made.terms, 0, 6, made.joints, made.rows)
    expected = [twin.sum_of_coordinates(given, made.coordinates()) for given in terms]
    np.testing.assert_allclose(made.rows["residual"], expected, rtol=0, atol=1e-13 * size)
