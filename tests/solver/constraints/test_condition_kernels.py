"""Conditions on single directions of nodes: each kernel against its twin, for every kind of term in any motion."""

from __future__ import annotations

import naive.constraints as twin
import numpy as np
import pytest
from body_rig import NO_SKEWS, motion_of, moving_skew_on, records_of
from gsolve.solver.constraints.motion_law import DISPLACEMENT, VELOCITY, MotionLaw
from gsolve.solver.constraints.nodal_constraints import (
    RIDING,
    ROTATION,
    TRANSLATION,
    ConditionBuilder,
    Term,
    commit_conditions,
    condition_jacobians,
    condition_residuals,
    drive_work,
    position,
    prepare_conditions,
    rate,
    step_of,
    subtract_mean_rates,
    subtract_target_rates,
    work_of_start,
)
from gsolve.solver.constraints.rows import TIGHT, RowBuilder
from gsolve.solver.core.bodies import GENERAL, GROUND, new_bodies
from gsolve.solver.core.jit.references import Reference
from hand_models import unit
from made_functions import functions_of
from naive import core as core_twin
from naive import dense_jacobian, move_trial, rates
from scipy.spatial.transform import Rotation

KINDS = {TRANSLATION: "TRANSLATION", ROTATION: "ROTATION", RIDING: "RIDING"}
SKEW_NODES = (0, 1, 3)  # Y' along nodes 0 and 1


class TermRig:
    """Four bodies and the ground in any motion, nodes on each, and one row for every kind of term there is.

    Axes are fixed or those of a skew that three of the bodies carry.
    """

    def __init__(self, seed):
        random = self.random = np.random.default_rng(seed)
        self.bodies = new_bodies(5)
        self.bodies["turning"][1:] = GENERAL
        self.bodies["displacement"][1:] = random.normal(size=(4, 3))
        self.bodies["rotation"][1:] = Rotation.random(4, rng=random).as_matrix()
        arms = random.normal(size=(6, 3))
        self.points = core_twin.Points(np.array([1, 2, 3, 4, GROUND, 1]), arms, random.normal(size=(6, 3)))
        self.records = records_of(self.points)
        self.skews = moving_skew_on(self.records, SKEW_NODES, 1)
        self.motion, self.trial = motion_of(self.bodies), motion_of(self.bodies, "trial_")
        self.axes = core_twin.moving_axes(self.nodes(self.motion), 1)
        places = [(0, -1), (4, -1), (0, 1), (2, 4), (4, 3), (5, 2)]
        self.terms = [
            Term(node, self.axes[k % 3] if skew == 0 else unit(random.normal(size=3)), kind, random.normal(),
                 main if kind == RIDING else -1, skew, k % 3)
            for kind in KINDS for skew in (-1, 0) for k, (node, main) in enumerate(places)
            if kind != RIDING or main >= 0
        ]  # fmt: skip
        rows, builder = RowBuilder(), ConditionBuilder(self.records)
        for term in self.terms:
            builder.add(*rows.add(term.bodies(self.records), 1.0), [term], MotionLaw())
        pairs = [(0, 8), (1, 15), (6, 20), (3, 4), (24, 27)]  # and rows of two terms
        for pair in pairs:
            both = [self.terms[k] for k in pair]
            builder.add(
                *rows.add([body for term in both for body in term.bodies(self.records)], 1.0), both, MotionLaw()
            )
        self.members = [[k] for k in range(len(self.terms))] + [list(pair) for pair in pairs]
        self.rows, self.entries = rows.build()
        self.conditions = builder.build()

    def nodes(self, motion):
        return np.array([core_twin.position(motion, self.points, point) for point in SKEW_NODES])

    def move(self, velocities, spins, h):
        move_trial(self.bodies, velocities, spins, h)

    def residuals(self):
        condition_residuals(Reference(self.conditions), 0, len(self.members), self.rows, self.skews, self.bodies)
        return self.rows["residual"].copy()

    def jacobian(self):
        condition_jacobians(Reference(self.conditions), 0, len(self.members), self.entries, self.bodies)
        return dense_jacobian(self.rows, self.entries, 5)

    def prepare(self, tables, t, dt, previous_dt):
        count = len(self.conditions.records)
        return prepare_conditions(Reference(self.conditions), 0, count, self.rows, tables, self.skews, self.bodies,
                                  np.zeros((3, 3)), t, dt, previous_dt, 1.0)  # fmt: skip

    def naive_step(self, term):
        """The twin of a term's coordinate, at the trial positions."""
        old, new = self.motion, self.trial
        middle = term.axis
        if term.skew >= 0:
            middle = core_twin.moving_axes(0.5 * (self.nodes(old) + self.nodes(new)), 1)[term.component]
        places = [core_twin.position(motion, self.points, term.point) for motion in (old, new)]
        main = None
        if term.main >= 0:
            where = [core_twin.position(motion, self.points, term.main) for motion in (old, new)]
            main = where, [motion.rotation[self.points.body[term.main]] for motion in (old, new)]
        body = self.points.body[term.point]
        turn = Rotation.from_matrix(new.rotation[body] @ old.rotation[body].T).as_rotvec()
        return twin.step_of_term(KINDS[term.kind], middle, places, main, turn)


def points_at_rest(bodies):
    """At the reference points of bodies."""
    return records_of(core_twin.Points(bodies, 0.0, 0.0))


def motions_of_bodies(random, size=1.0):
    velocities, spins = size * random.normal(size=(2, 5, 3))
    velocities[GROUND] = spins[GROUND] = 0.0
    return velocities, spins


@pytest.mark.parametrize("size", [0.0, 1e-8, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_steps_of_terms_of_every_kind_are_those_of_the_twin(seed, size):
    rig = TermRig(seed)
    rig.move(*motions_of_bodies(rig.random, size), 1.0)
    expected = np.array([rig.naive_step(term) for term in rig.terms])
    records = rig.conditions.terms
    found = [step_of(records[k], rig.skews, rig.bodies) for k in range(len(expected))]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-15 + 1e-14 * size)
    coefficients = np.array([term.coefficient for term in rig.terms])
    sums = [sum(coefficients[k] * expected[k] for k in members) for members in rig.members]
    stepwise = rig.conditions.records["stepwise"] == 1
    rig.rows["committed_residual"] = rig.random.normal(size=len(sums))
    sums = np.where(stepwise, sums + rig.rows["committed_residual"], 0.0)
    np.testing.assert_allclose(rig.residuals()[stepwise], sums[stepwise], rtol=0, atol=4e-15 + 4e-14 * size)


@pytest.mark.parametrize("seed", range(3))
def test_jacobians_of_terms_of_every_kind_are_the_derivatives_of_the_steps(seed):
    rig = TermRig(seed)
    motion, h = motions_of_bodies(rig.random), 1e-5
    sides = []
    for step in (h, -h):
        rig.move(*motion, step)
        sides.append(rig.residuals())
    np.testing.assert_allclose(rates(rig.jacobian(), *motion), (sides[0] - sides[1]) / (2 * h), atol=2e-8)


@pytest.mark.parametrize("seed", range(3))
def test_positions_and_rates_of_rows_are_sums_over_their_nodes(seed):
    rig = TermRig(seed)
    rig.bodies["mean_velocity"][1:], rig.bodies["mean_angular_velocity"][1:] = rig.random.normal(size=(2, 4, 3))
    for condition, members in zip(rig.conditions.records, rig.members, strict=True):
        terms, total = [rig.terms[k] for k in members], 0.0
        for term in terms:
            moved = core_twin.position(rig.motion, rig.points, term.point) - rig.points.origin[term.point]
            total += term.coefficient * term.axis @ moved
        if condition["stepwise"] == 0:
            found = position(condition, rig.conditions.terms, rig.bodies, False)
            assert found == pytest.approx(total, abs=1e-14)
        first = terms[0]
        moving = core_twin.velocity(rig.motion, rig.points, first.point)
        if first.kind == ROTATION:
            moving = rig.motion.angular_velocity[rig.points.body[first.point]]
        found = rate(condition, rig.conditions.terms, rig.bodies)
        assert found == pytest.approx(first.axis @ moving, abs=1e-14)


def test_rates_that_motions_want_are_subtracted_where_they_act():
    tables, _ = functions_of("1 + 3*t")
    points = points_at_rest([1])
    rows, builder = RowBuilder(), ConditionBuilder(points)
    for law in (MotionLaw(), MotionLaw(VELOCITY, 0, (2.0, 5.0)), MotionLaw(VELOCITY, 0)):
        builder.add(*rows.add([1], 1.0), [Term(0, np.eye(3)[0])], law)
    records, _ = rows.build()
    conditions = builder.build()
    conditions.records["active"], conditions.records["target_step"] = [0, 1, 0], [7.0, 0.3, 7.0]
    records["residual"] = 1.0
    subtract_target_rates(Reference(conditions), 0, 3, records, tables, 0.4)
    np.testing.assert_allclose(records["residual"], [1.0, 1.0 - 5.0 * (1.0 + 3.0 * 0.2), 1.0])
    records["residual"] = 1.0
    subtract_mean_rates(Reference(conditions), 0, 3, records, 0.1)
    np.testing.assert_allclose(records["residual"], [1.0, -2.0, 1.0])


def test_preparing_turns_axes_with_their_skew_and_widens_tolerances_by_the_travel():
    rig = TermRig(2)
    rig.conditions.terms["axis"][rig.conditions.terms["skew"] >= 0] = np.nan
    assert rig.prepare(functions_of("t")[0], 0.0, 0.1, -0.1) == (False, -1)
    for record, members in zip(rig.conditions.records, rig.members, strict=True):
        travel = 0.0
        for k, term in zip(members, rig.conditions.terms[record["first_term"] :], strict=False):
            np.testing.assert_allclose(term["axis"], rig.terms[k].axis, atol=4e-15)
            if rig.terms[k].kind != ROTATION:
                moved = rig.bodies["displacement"][rig.points.body[rig.terms[k].point]]
                travel += abs(rig.terms[k].coefficient) * np.abs(moved).sum()
        tolerance = 1.0 / (TIGHT * rig.rows["inverse_tolerance"][record["row"]])
        assert tolerance == pytest.approx(1.0 + travel, rel=1e-13)


def test_imposed_motions_of_many_nodes_go_through_their_steps_as_their_twins_do():
    """Two laws beside a fixed row: when they take hold, what they want, their work; which one would jump."""
    tables, _ = functions_of("0.1*sin(2*t)")
    bodies = new_bodies(4)
    bodies["mean_velocity"][1:] = [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]
    points = points_at_rest([1, 2, 3])
    row_builder, builder, twins = RowBuilder(), ConditionBuilder(points), []
    for k, (kind, name) in enumerate(((DISPLACEMENT, "DISPLACEMENT"), (0, ""), (VELOCITY, "VELOCITY"))):
        law = MotionLaw(kind, 0, (1.0, 1.0), (0.25, 0.7, 0.25)) if kind else MotionLaw()
        builder.add(*row_builder.add([k + 1], 1.0), [Term(k, np.eye(3)[k])], law)
        twins.append(twin.Law(name, lambda t: 0.1 * np.sin(2 * t), (1.0, 1.0), (0.25, 0.7), 0.25, False))
    rows, _ = row_builder.build()
    conditions, random = builder.build(), np.random.default_rng(1)
    previous_dt, growths, efforts, owed, last_moves = -0.1, np.zeros(3), np.zeros(3), 0.0, np.zeros(3)
    for step in range(10):
        t, dt = 0.1 * step, 0.1
        forces = list(zip(rows["multiplier"].tolist(), rows["previous_multiplier"].tolist(), strict=True))
        changed, jumping = prepare_conditions(Reference(conditions), 0, 3, rows, tables, NO_SKEWS, bodies,
                                              np.zeros((3, 3)), t, dt, previous_dt, 1.0)  # fmt: skip
        switched = [law.take_hold(t, bodies["displacement"][k + 1, k], 0.2) for k, law in enumerate(twins) if k != 1]
        assert changed == any(switched) and jumping == -1
        done, old_efforts, efforts = owed, efforts, np.zeros(3)
        owed = 0.0
        bodies["trial_displacement"][1:] = random.normal(size=(3, 3))
        for k in (0, 2):
            if switched[k // 2] and twins[k].acts:
                growths[k] = last_moves[k]
            efforts[k] = random.normal() if twins[k].acts else 0.0
            release = twins[k].last_push(dt, previous_dt, forces[k], 1.0) if switched[k // 2] else 0.0
            done += 0.5 * (old_efforts[k] + efforts[k] + release) * growths[k]
            moved = bodies["trial_displacement"][k + 1, k] - bodies["displacement"][k + 1, k]
            owed += 0.5 * release * moved
            last_moves[k] = moved
            growths[k] = 0.0
            if twins[k].acts:
                now, following = twins[k].step(t, dt, dt)
                growths[k] = following - now
                assert conditions.records["target_step"][k] == pytest.approx(growths[k], abs=1e-14)
                bodies["displacement"][k + 1, k] = following
        rows["multiplier"] = efforts
        assert drive_work(Reference(conditions), 0, 3, rows, NO_SKEWS, bodies, dt, dt) == pytest.approx(done, abs=1e-14)
        rows["previous_multiplier"], previous_dt = efforts, dt
        commit_conditions(Reference(conditions), 0, 3)


def test_impulses_of_the_start_work_on_the_mean_of_the_rates_before_and_after():
    """The residual is the rate before less the one wanted; the correction is the impulse."""
    tables, _ = functions_of("3")
    points = points_at_rest([1])
    row_builder, builder = RowBuilder(), ConditionBuilder(points)
    for law in (MotionLaw(VELOCITY, 0), MotionLaw()):
        builder.add(*row_builder.add([1], 1.0), [Term(0, np.eye(3)[0])], law)
    rows, _ = row_builder.build()
    conditions = builder.build()
    conditions.records["active"] = 1
    rows["correction"], rows["residual"] = 2.0, -0.5  # from 2.5 to 3
    assert work_of_start(Reference(conditions), 0, 2, rows, tables) == pytest.approx(2.0 * 0.5 * (2.5 + 3.0))
