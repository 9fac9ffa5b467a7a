"""The force laws of contact against their formulas, written out anew with STEP as the document has it."""

import math
from functools import partial

import naive.contact as twin
import numpy as np
import pytest
from gsolve.solver.contact.normal_laws import (
    COULOMB,
    DYNAMIC_ONLY,
    HUNT_CROSSLEY,
    IMPACT,
    POISSON,
    STICTION,
    VOLUME,
    damping_to_resolve,
    elastic_force,
    friction_over_speed,
    normal_force,
    power,
    sliding_coefficient,
)
from gsolve.solver.contact.records import CONTACT, INTERFACE
from naive.contact import step

WEIGHT, AREA = 0.7, 2.5e-4
RATES = np.concatenate([np.linspace(-3.0, 3.0, 241), [-1e6, 1e6, 0.0]])
DEPTHS = np.array([1e-12, 1e-6, 1e-4, 1e-3, 2e-3, 1e-2, 0.5])


def interface(**values):
    record = np.zeros(1, INTERFACE)
    record["transition_velocity"] = record["full_damping_depth"] = math.inf
    for name, value in values.items():
        record[name] = value
    return record[0]


def poisson(restitution, transition=0.5, stiffness=3e6):
    loss = (1 - restitution**2) / (1 + restitution**2)
    return interface(
        law=POISSON, stiffness=stiffness, exponent=1.5, restitution_loss=loss, transition_velocity=transition
    )


def impact(exponent, damping=400.0, depth=1e-3, stiffness=2e5):
    return interface(law=IMPACT, stiffness=stiffness, exponent=exponent, damping=damping, full_damping_depth=depth)


def volume(exponent, damping=30.0, stiffness=4e9):
    return interface(law=VOLUME, stiffness=stiffness, exponent=exponent, damping=damping)


def hunt_crossley(exponent, damping=0.6, by_touch=0, stiffness=3e6):
    return interface(
        law=HUNT_CROSSLEY, stiffness=stiffness, exponent=exponent, damping=damping, keeps_touch_speed=by_touch
    )


def force(record, z, rate, weight=WEIGHT, area=AREA):
    return normal_force(record, point(record, z, weight, area), rate, 0.0, 0.0)


def point(record, z, weight=WEIGHT, area=AREA):
    """A contact point with its elastic force."""
    contact = np.zeros(1, CONTACT)[0]
    contact["penetration"], contact["weight"], contact["area"] = z, weight, area
    contact["elastic"] = elastic_force(record, z, weight, area)
    return contact


def coulomb(static=0.5, dynamic=0.3, at=0.01, beyond=0.04, kind=COULOMB):
    return interface(friction=kind, mu_static=static, mu_dynamic=dynamic, static_velocity=at, dynamic_velocity=beyond)


# ---- normal forces ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
def test_poisson(restitution):
    record, v = poisson(restitution), 0.5
    kappa = (1 - restitution**2) / (1 + restitution**2)
    for z in DEPTHS:
        for rate in RATES:
            expected = WEIGHT * 3e6 * z**1.5 * (1 + kappa * step(rate, -v, -1, v, 1))
            assert force(record, z, rate) == pytest.approx(expected, rel=1e-14, abs=1e-14 * WEIGHT * 3e6 * z**1.5)


def test_poisson_without_restitution_lets_go_at_once_when_the_bodies_part_fast():
    assert force(poisson(0.0), 1e-3, -0.5) == 0.0
    assert force(poisson(0.0), 1e-3, -50.0) == 0.0


def test_poisson_of_full_restitution_knows_no_rate():
    assert {force(poisson(1.0), 1e-3, rate) for rate in RATES} == {force(poisson(1.0), 1e-3, 0.0)}


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.5, 2.2])
def test_impact(exponent):
    record = impact(exponent)
    for z in DEPTHS:
        for rate in RATES:
            damper = step(z, 0, 0, 1e-3, 400.0) * rate
            expected = WEIGHT * max(0.0, 2e5 * z**exponent + damper)
            size = WEIGHT * (2e5 * z**exponent + abs(damper))
            assert force(record, z, rate) == pytest.approx(expected, rel=1e-13, abs=1e-14 * size)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 3.0])
def test_volume(exponent):
    record = volume(exponent)
    for z in DEPTHS:
        for rate in RATES:
            expected = max(0.0, AREA * 4e9 * z**exponent + WEIGHT * 30.0 * rate)
            size = AREA * 4e9 * z**exponent + WEIGHT * 30.0 * abs(rate)
            assert force(record, z, rate) == pytest.approx(expected, rel=1e-13, abs=1e-14 * size)


@pytest.mark.parametrize("touch_speed", [None, 0.0, 1e-9, 0.3])
def test_hunt_crossley(touch_speed):
    """a as it stands, or over the speed of first touch; none without that speed."""
    for exponent in (1.0, 1.5, 2.2):
        record = hunt_crossley(exponent, 0.6, int(touch_speed is not None))
        a = 0.6 if touch_speed is None else 0.6 / touch_speed if touch_speed else 0.0
        for z in DEPTHS:
            for rate in RATES:
                found = normal_force(record, point(record, z), rate, 0.0, touch_speed or 0.0)
                elastic = WEIGHT * 3e6 * z**exponent
                expected = max(0.0, elastic * (1.0 + a * rate))
                assert found == pytest.approx(expected, rel=1e-13, abs=1e-14 * elastic * (1.0 + a * abs(rate)))


@pytest.mark.parametrize("record", [poisson(0.0), poisson(0.6, 1e-3), poisson(1.0), impact(1.5), volume(2.0),
                                    hunt_crossley(1.5)],
                         ids=["dead", "sharp", "elastic", "impact", "volume", "hunt_crossley"])  # fmt: skip
@pytest.mark.parametrize("compliance", [1e-9, 1e-4, 1e-2, 1.0])
def test_a_compliant_normal_force_is_that_of_the_rate_it_leaves(record, compliance):
    """F = law(z' = free rate - compliance F), to the digits that this difference has."""
    for z in DEPTHS[1:5]:
        contact = point(record, z)
        for free_rate in RATES:
            found = normal_force(record, contact, free_rate, compliance, 0.0)
            rate = free_rate - compliance * found
            around = 1e-12 * (abs(free_rate) + compliance * found + 1.0)
            low, high = (normal_force(record, contact, rate + sign * around, 0.0, 0.0) for sign in (-1, 1))
            assert low * (1 - 1e-12) <= found <= high * (1 + 1e-12)


@pytest.mark.parametrize("record", [poisson(0.0), poisson(0.5), impact(1.5), impact(0.8), volume(1.0)])
def test_the_normal_force_never_pulls_and_grows_with_the_rate(record):
    for z in DEPTHS:
        forces = [force(record, z, rate) for rate in np.sort(RATES)]
        assert min(forces) >= 0.0
        assert np.all(np.diff(forces) >= 0.0)


@pytest.mark.parametrize("record", [poisson(0.5), impact(1.5)])
def test_the_force_begins_from_nothing_and_has_no_jump(record):
    """Neither where the surfaces meet nor where damping is full, at whatever rate."""
    for rate in (-0.4, 0.0, 0.4):
        assert force(record, 1e-14, rate) <= 1e-9
        for z in (1e-3, 2e-3):
            assert force(record, z * (1 + 1e-9), rate) == pytest.approx(force(record, z * (1 - 1e-9), rate), rel=1e-7)
    for edge in (-0.5, 0.5):
        below, above = (force(record, 1e-3, edge * (1 + shift)) for shift in (-1e-9, 1e-9))
        assert above == pytest.approx(below, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_quick_powers_are_powers(exponent):
    for z in (1e-15, 3e-7, 0.2, 7.0):
        assert power(z, exponent) == pytest.approx(z**exponent, rel=4e-16)


def random_laws(random):
    """Records of all laws with random numbers, and their twins."""
    k, e, c, depth, v = 10 ** random.uniform(3, 7), random.uniform(0.7, 2.5), *10 ** random.uniform(-3, 1, 3)
    restitution = random.uniform()
    return {
        "poisson": (poisson(restitution, v, k), twin.poisson(k, restitution, v)),
        "impact": (impact(e, 100 * c, depth, k), twin.impact(k, e, 100 * c, depth)),
        "volume": (volume(e, 100 * c, k), twin.volume(k, e, 100 * c)),
        "hunt_crossley": (hunt_crossley(e, c, stiffness=k), twin.hunt_crossley(k, e, c)),
        "by first touch": (hunt_crossley(e, c, 1, k), twin.hunt_crossley(k, e, loss=c)),
    }


@pytest.mark.parametrize("law", ["poisson", "impact", "volume", "hunt_crossley", "by first touch"])
def test_laws_with_random_numbers_are_those_of_the_twin(law):
    """Elastic part, force, and force where it slows down what it depends on: F(z' = free rate - compliance F)."""
    random = np.random.default_rng(8)
    for _ in range(60):
        record, expected = random_laws(random)[law]
        z, weight, area, touch_speed = 10 ** random.uniform(-6, -1), *random.uniform(0.01, 1.0, 3)
        contact = point(record, z, weight, area)
        elastic = expected.elastic(z, weight, area)
        assert contact["elastic"] == pytest.approx(elastic, rel=1e-13)
        rate = random.choice([-1, 1]) * 10 ** random.uniform(-3, 1)
        force = expected.force(z, weight, area, rate, touch_speed)
        size = abs(force) + elastic
        assert normal_force(record, contact, rate, 0.0, touch_speed) == pytest.approx(force, abs=1e-12 * size)
        compliance = 10 ** random.uniform(-6, 0)
        left = twin.compliant(partial(expected.force, z, weight, area, touch_speed=touch_speed), rate, compliance)
        assert normal_force(record, contact, rate, compliance, touch_speed) == pytest.approx(left, abs=1e-9 * size)


@pytest.mark.parametrize("law", ["poisson", "impact", "volume", "hunt_crossley", "by first touch"])
def test_the_damping_that_a_step_must_resolve_is_the_steepest_of_a_damper_that_no_force_bounds(law):
    """Of the depths up to the one at hand, where the rate is high; none where a speed of first touch stands for it."""
    random = np.random.default_rng(9)
    for _ in range(10):
        record, expected = random_laws(random)[law]
        z, steepest = 1e-2, 0.0
        for depth in (z, 20.0) if law == "impact" else (z,):  # beyond dmax the damper has all of its strength
            high, higher = (expected.force(depth, WEIGHT, AREA, rate, 1e300) for rate in (1e9, 2e9))
            steepest = max(steepest, (higher - high) / 1e9)
        assert damping_to_resolve(record, point(record, z)) == pytest.approx(steepest, rel=1e-7)


# ---- friction --------------------------------------------------------------------------------------------------


def coefficient(record, speed):
    return friction_over_speed(record, speed * speed) * speed


SPEEDS = np.concatenate([np.linspace(1e-6, 0.06, 500), [1e-12, 0.01, 0.04, 10.0]])


def test_static_and_dynamic_friction():
    for speed in SPEEDS:
        rising, falling = step(speed, -0.01, -0.5, 0.01, 0.5), step(speed, 0.01, 0.5, 0.04, 0.3)
        assert coefficient(coulomb(), speed) == pytest.approx(rising if speed <= 0.01 else falling, rel=1e-12)


def test_dynamic_friction_alone():
    for speed in SPEEDS:
        expected = step(speed, -0.04, -0.3, 0.04, 0.3)
        assert coefficient(coulomb(kind=DYNAMIC_ONLY), speed) == pytest.approx(expected, rel=1e-12)


def test_friction_with_random_numbers_is_that_of_the_twin():
    random = np.random.default_rng(10)
    for kind in (COULOMB, DYNAMIC_ONLY):
        for _ in range(50):
            (dynamic, static), (at, beyond) = (
                np.sort(random.uniform(0.01, 1.0, 2)),
                np.sort(random.uniform(0.01, 1.0, 2)),
            )
            expected = twin.Coulomb(static, dynamic, at, beyond, kind == DYNAMIC_ONLY)
            for speed in random.uniform(0.001, 1.3, 10):
                found = coefficient(coulomb(static, dynamic, at, beyond, kind), speed)
                assert found == pytest.approx(expected.coefficient(speed), rel=1e-12)


def test_dynamic_friction_alone_asks_nothing_of_the_static_side():
    record = coulomb(static=9.0, at=5.0, kind=DYNAMIC_ONLY)
    assert [coefficient(record, v) for v in SPEEDS] == [coefficient(coulomb(kind=DYNAMIC_ONLY), v) for v in SPEEDS]


@pytest.mark.parametrize("beyond", [0.01, 0.01 * (1 + 1e-15)])
def test_static_and_dynamic_friction_may_change_at_one_speed(beyond):
    """With v_s = v_d friction drops at once, and is finite everywhere."""
    record = coulomb(beyond=beyond)
    assert coefficient(record, 0.01) == pytest.approx(0.5, rel=1e-14)
    assert coefficient(record, 0.01 * (1 + 1e-12)) == pytest.approx(0.3, rel=1e-11)
    assert coefficient(record, 0.005) == pytest.approx(step(0.005, -0.01, -0.5, 0.01, 0.5), rel=1e-14)
    assert all(0.0 < coefficient(record, speed) <= 0.5 * (1 + 1e-15) for speed in SPEEDS)


def test_equal_coefficients_leave_no_drop():
    record = coulomb(static=0.4, dynamic=0.4)
    assert all(coefficient(record, speed) == pytest.approx(0.4, rel=1e-14) for speed in SPEEDS if speed >= 0.01)


@pytest.mark.parametrize(("kind", "side"), [(COULOMB, "static"), (DYNAMIC_ONLY, "dynamic")])
def test_friction_has_no_jump_and_no_singularity_at_rest(kind, side):
    record = coulomb(kind=kind)
    at_rest = friction_over_speed(record, 0.0)
    assert at_rest == pytest.approx(friction_over_speed(record, 1e-24), rel=1e-12)
    assert at_rest == pytest.approx(1.5 * record[f"mu_{side}"] / record[f"{side}_velocity"], rel=1e-15)
    assert all(friction_over_speed(record, speed * speed) <= at_rest for speed in SPEEDS)
    for speed in (0.01, 0.04):
        below, above = (coefficient(record, speed * (1 + shift)) for shift in (-1e-11, 1e-11))
        assert below == pytest.approx(above, rel=1e-10)


def test_a_slipping_spring_falls_from_static_to_dynamic_friction():
    record = coulomb(kind=STICTION)
    for speed in (0.011, 0.02, 0.03, 0.039):
        assert sliding_coefficient(record, speed) == pytest.approx(step(speed, 0.01, 0.5, 0.04, 0.3), rel=1e-13)
    assert sliding_coefficient(record, 0.04) == sliding_coefficient(record, 3.0) == 0.3
