"""The law of what acts in joints, written out again for numbers of all signs."""

import naive.forces as twin
import numpy as np
import pytest
from gsolve.parser.model.joint_types import Angle, Slide
from gsolve.solver.forces.joint_forces import (
    JOINT_FORCE,
    accumulate_joint_forces,
    add_joint_dampers,
    add_joint_forces,
    damping_force,
    depth,
    elastic_force,
    joint_damping,
    record_joint_forces,
    step_between,
    stored_energy,
)
from gsolve.solver.integration.system import SUBSYSTEM
from joint_rig import SIDES, random_joint, rig, scatter

LAW = dict(
    stiffness=3.0, damping=0.5, free_value=0.2, preload=0.7, lower=-1.0, upper=1.5, stop_stiffness=20.0,
    stop_damping=4.0,
)  # fmt: skip
PLACES = np.linspace(-2.0, 2.5, 19)


def force_at(q: float) -> np.void:
    force = np.zeros(1, JOINT_FORCE)
    for name, value in {**LAW, "coordinate": q}.items():
        force[name] = value
    return force.view(np.recarray)[0]


def naive(q: float, rate: float) -> tuple[float, float]:
    """Spring with damper, and what the stops push."""
    between = 0.7 - 3.0 * (q - 0.2) - 0.5 * rate
    if q < -1.0:
        return between, max(0.0, 20.0 * (-1.0 - q) - 4.0 * rate)
    if q > 1.5:
        return between, -max(0.0, 20.0 * (q - 1.5) + 4.0 * rate)
    return between, 0.0


@pytest.mark.parametrize("rate", [-30.0, -1.0, 0.0, 1.0, 30.0])
def test_sum_of_elastic_and_damping_force_is_the_law(rate: float) -> None:
    for q in PLACES:
        force = force_at(q)
        assert elastic_force(force) + damping_force(force, rate) == pytest.approx(sum(naive(q, rate)), abs=1e-12)


def test_damping_takes_energy_whatever_the_place_and_rate() -> None:
    for q in PLACES:
        for rate in (-30.0, -1.0, 1.0, 30.0):
            assert damping_force(force_at(q), rate) * rate < 0.0


def test_elastic_force_is_the_slope_of_the_stored_energy() -> None:
    h = 1e-6
    for q in PLACES + 0.01:  # off the kinks
        slope = (stored_energy(force_at(q + h)) - stored_energy(force_at(q - h))) / (2 * h)
        preload = force_at(q).preload  # a load, with no potential of its own
        assert elastic_force(force_at(q)) == pytest.approx(preload - slope, rel=1e-8, abs=1e-8)
    assert stored_energy(force_at(0.2)) == 0.0


def test_no_stop_is_met_where_none_is() -> None:
    force = force_at(1e9)
    force.lower, force.upper = -np.inf, np.inf
    assert depth(force) == 0.0


def test_friction_turns_round_smoothly_within_the_slip_velocity() -> None:
    u = np.linspace(-2.0, 2.0, 81)
    found = np.array([step_between(0.1 * x, 0.1) for x in u])
    x = np.clip((u + 1) / 2, 0, 1)
    np.testing.assert_allclose(found, -1 + 2 * x**2 * (3 - 2 * x), atol=1e-15)
    assert step_between(5.0, 0.0) == 0.0


@pytest.mark.parametrize("q", [-1.4, 0.3, 1.9])
def test_damping_is_the_slope_of_what_is_dissipative_in_the_law(q: float) -> None:
    """Away from the rate at which a stop lets go, and from the two beyond which friction slips."""
    force = force_at(q)
    force["friction_limit"], force["slip_velocity"] = 0.6, 0.25

    def dissipative(rate: float) -> float:
        return damping_force(force, rate) - 0.6 * step_between(rate, 0.25)

    for rate in (-30.0, -0.4, -0.2, 0.0, 0.1, 0.3, 30.0):
        slope = (dissipative(rate + 1e-6) - dissipative(rate - 1e-6)) / 2e-6
        assert joint_damping(force, rate) == pytest.approx(-slope, abs=1e-7)


# ---- against the twin ------------------------------------------------------------------------------------------

FRICTION = dict(friction_force=0.3, friction=0.7, slip_velocity=0.2)


class ForceRig:
    """Joints between three bodies and the ground in any pose, what acts along their angles and slides.

    A relation with one term holds each coordinate, so that its Jacobian says where a unit force along it acts.
    """

    def __init__(self, kind, sides, seed):
        random = self.random = np.random.default_rng(seed)
        joint = random_joint(kind, sides, random, (Angle.TWIST, Slide.TRAVEL) if kind == "MEASURES" else None)
        self.rotational = [True, False]
        self.made = rig([joint], [[(0, rotational, 1.0)] for rotational in self.rotational], seed)
        scatter(self.made.bodies, random)
        self.made.commit()
        self.forces = np.zeros(2, JOINT_FORCE)
        self.forces["rotational"], self.forces["thrust_row"], self.forces["dissipates"] = [1, 0], -1, 1
        for name, value in {**LAW, **FRICTION}.items():
            self.forces[name] = value
        bodies = self.made.bodies
        bodies["turning"][1:] = 2
        bodies["mean_velocity"][1:], bodies["mean_angular_velocity"][1:] = random.normal(size=(2, 3, 3))
        self.made.rows["multiplier"] = random.normal(size=len(self.made.rows))

    def add_elastic(self):
        add_joint_forces(self.forces, 0, 2, self.made.joints, self.made.bodies)

    def add_dampers(self):
        add_joint_dampers(self.forces, 0, 2, self.made.joints, self.made.rows, self.made.bodies)

    def along(self):
        """(2, bodies, 6): force and moment on all bodies of a unit force along each coordinate."""
        return self.made.jacobian()[-2:].reshape(2, 4, 6)

    def bearing(self):
        """Multipliers of the rows of the joint that push at its node."""
        joint = self.made.joints[0]
        chosen = slice(joint["row"], joint["row"] + joint["n_rows"])
        pushes = np.abs(self.made.jacobian()[chosen].reshape(-1, 4, 6)[:, :, :3]).max(axis=(1, 2), initial=0.0) > 0.0
        return self.made.rows["multiplier"][chosen][pushes]


@pytest.mark.parametrize("thrust", [False, True], ids=["", "thrust"])
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
@pytest.mark.parametrize("kind", ["MEASURES", "CYLINDRICAL", "STRUT"])
def test_forces_in_joints_of_any_pose_are_those_of_the_twin(kind, sides, thrust):
    for seed in range(3):
        made = ForceRig(kind, sides, seed)
        if thrust:
            made.forces["thrust_row"] = len(made.made.rows) - 1
        made.forces["coordinate"] = made.random.normal(size=2)
        before = made.forces["coordinate"].copy()
        made.add_elastic()
        made.add_dampers()
        along, coordinates = made.along(), made.made.coordinates()[:, 0]
        bodies = made.made.bodies
        motion = np.concatenate([bodies["mean_velocity"], bodies["mean_angular_velocity"]], axis=1)
        bearing = np.append(made.bearing(), [made.made.rows["multiplier"][-1]] if thrust else [])
        expected = np.zeros((2, 4, 6))
        stored, out = 0.0, np.full((2, 3), np.nan)
        for k, force in enumerate(made.forces):
            elastic, damping, friction, limit, energy = twin.joint_force(
                LAW | FRICTION, coordinates[k], np.sum(along[k] * motion), bearing
            )
            assert force["coordinate"] == pytest.approx(coordinates[k], abs=1e-14)
            assert force["growth"] == pytest.approx(coordinates[k] - before[k], abs=1e-14)
            found = [force[name] for name in ("elastic_force", "damping_force", "friction_at_n", "friction_limit")]
            np.testing.assert_allclose(found, [elastic, damping, friction, limit], atol=1e-12)
            expected += np.array([elastic, damping + friction])[:, None, None] * along[k]
            stored += energy
        for name, wanted in zip(("elastic", "dissipative"), expected, strict=True):
            np.testing.assert_allclose(bodies[name][1:], wanted[1:], atol=1e-11)
        assert record_joint_forces(made.forces, 0, 2, out) == pytest.approx(stored, abs=1e-11)
        np.testing.assert_array_equal(out, np.column_stack(
            [made.forces[name] for name in ("elastic_force", "damping_force", "friction_at_n")]
        ))  # fmt: skip


def test_work_of_friction_is_taken_at_the_mean_of_both_ends_of_a_step_and_out_of_that_of_dampers() -> None:
    random, total, largest = np.random.default_rng(1), 0.0, np.zeros(3)
    forces, subsystem = np.zeros(3, JOINT_FORCE), np.zeros(1, SUBSYSTEM)
    subsystem["damping_work"] = 100.0
    before, forces["preload"], done = np.zeros(3), [0.0, 2.0, -3.0], 0.0
    for _ in range(4):
        friction, growth, limit = random.normal(size=(3, 3))
        forces["friction_at_n"], forces["growth"], forces["friction_limit"] = friction, growth, limit
        accumulate_joint_forces(subsystem[0], forces, 0, 3)
        total += 0.5 * (before + friction) @ growth
        done += forces["preload"] @ growth
        largest, before = np.maximum(largest, limit), friction
    assert subsystem["friction_work"][0] == pytest.approx(-total)
    assert subsystem["external_work"][0] == pytest.approx(done)  # a preload is a load
    assert subsystem["damping_work"][0] == pytest.approx(100.0 + total)
    np.testing.assert_array_equal(forces["largest_friction"], largest)
