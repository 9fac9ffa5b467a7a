"""Two bodies of unequal inertia joined in every way fly freely: nothing is lost, and directions do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from closed_form import rotation_about
from deck_text import DeckText
from gsolve.parser.model import Model
from joint_definitions import AXIS, DEFINITIONS, PITCH, SECOND
from running import Results, check_kept, read, run
from transformed import transformed

KINDS = pytest.mark.parametrize("kind", DEFINITIONS)


def flight(kind: str, t_end: float, *, relative: bool = True) -> DeckText:
    """Body 10 with node i = 11, body 20 with node j = 21; all turn and fly, and body 20 moves on its joint besides."""
    deck = DeckText(t_end, 1e-4, t_end / 50)
    centres = {10: np.array([0.1, -0.05, 0.2]), 20: np.array([-0.15, 0.2, -0.1])}
    points = {11: np.array([0.02, 0.03, 0.05])}
    joined = DEFINITIONS[kind]
    points[21] = points[11] + joined.stand(0.1 * AXIS, 0.1 * SECOND)
    deck.nodes({node: tuple(map(float, place)) for node, place in (centres | points).items()})
    deck.rigid_body(10, [11], 1.0, (0.02, 0.03, 0.045), (0.002, -0.003, 0.001))
    deck.rigid_body(20, [21], 1.5, (0.05, 0.02, 0.04))
    second = None if joined.second == "none" else SECOND
    pitch = PITCH if kind == "SCREW" else None
    deck.pair(kind, 11, 21, AXIS, second=second, pitch=pitch)
    velocity, spin = np.array([0.3, -0.2, 0.1]), np.array([1.5, 2.0, 2.5])
    for body, centre in centres.items():
        own_spin, own_velocity = spin, velocity + np.cross(spin, centre)
        if body == 20 and relative:
            own_spin = spin + joined.spin
            own_velocity = own_velocity + np.cross(joined.spin, centre - points[21]) + joined.slide
        deck.velocity(body, own_velocity, own_spin)
    return deck


def reaction(results: Results, quantity: str) -> np.ndarray:
    """(nt, 3) force F or moment M on node j, global axes."""
    joint = results.ids["th/joint"][0]
    return np.stack([results.of("th/joint", quantity + axis, joint) for axis in "XYZ"], axis=1)


@KINDS
def test_joined_bodies_keep_momentum_and_energy_in_free_flight(kind):
    results = run(flight(kind, 2.0), dt=5e-5)
    check_kept(results, linear_scale=2.5)
    assert np.max(results.scalar("energy", "impact_loss")) <= 1e-12
    assert len(results.simulation.redundant_rows) == 0


@KINDS
def test_reactions_do_no_work_and_act_on_both_bodies(kind):
    """The rate of body 20's momentum is the reaction on node j; the power of the reactions on both is zero."""
    deck = flight(kind, 0.02)
    results = run(deck, every=1e-4)
    times, mass = results.times, 1.5
    momentum = mass * results.node_vector("V", 20)
    force, moment = reaction(results, "F"), reaction(results, "M")
    rate = (momentum[2:] - momentum[:-2]) / (times[2:] - times[:-2])[:, None]
    scale = max(float(np.max(np.abs(force))), 1.0)
    np.testing.assert_allclose(force[1:-1], rate, atol=1e-3 * scale)
    # the reaction on node i is the opposite, shifted along: it acts at the same point of space
    arm = results.node_vector("", 21) - results.node_vector("", 11)
    relative_spin = results.node_vector("VR", 20) - results.node_vector("VR", 10)
    at_j = results.node_vector("V", 11) + np.cross(results.node_vector("VR", 10), arm)
    power = np.sum(force * (results.node_vector("V", 21) - at_j) + moment * relative_spin, axis=1)
    largest = scale * np.max(np.abs(results.node_vector("V", 21)))
    assert np.max(np.abs(power[1:])) <= 1e-4 * largest


@KINDS
def test_joined_bodies_fly_the_same_way_turned_and_elsewhere(kind):
    rotation = rotation_about(np.array([0.48, -0.64, 0.6]), 2.0)
    original = read(flight(kind, 0.5))
    here, there = run(original), run(transformed(original, rotation, np.array([3.0, -2.0, 5.0])))
    for body in (10, 20):
        for quantity in ("D", "V", "VR"):
            ours, theirs = here.node_vector(quantity, body), there.node_vector(quantity, body)
            np.testing.assert_allclose(theirs, ours @ rotation.T, atol=1e-9, err_msg=f"{quantity} of node {body}")
    for name in ("ANG", "U"):
        ours, theirs = here.values["th/joint"][name], there.values["th/joint"][name]
        np.testing.assert_allclose(theirs, ours, atol=1e-9, equal_nan=True)
    largest = max(1.0, *(float(np.max(np.abs(reaction(here, quantity)))) for quantity in "FM"))
    for quantity in "FM":
        np.testing.assert_allclose(
            reaction(there, quantity), reaction(here, quantity) @ rotation.T, atol=1e-5 * largest
        )


@KINDS
def test_uniform_translation_stresses_no_joint(kind):
    def only_translate(model: Model) -> None:
        for start in model.initial_velocities:
            start.translational = None if start.translational is None else np.array([[1.0, -2.0, 0.5]])
            start.rotational = None if start.rotational is None else np.zeros((1, 3))

    results = run(flight(kind, 0.1, relative=False), edit=only_translate)
    for quantity in "FM":
        assert np.max(np.abs(reaction(results, quantity))) <= 1e-7  # mass times rounding of a place over dt^2


@KINDS
def test_joined_bodies_fly_as_well_with_a_tolerance(kind):
    """The motion that steps of one length come to, with what accelerations do to the rows of every kind of joint."""
    deck = flight(kind, 0.5)
    coarse, fine = (run(deck, dt=dt, general=True) for dt in (2e-4, 1e-4))
    accurate = run(deck, every=0.05, accuracy=1e-8)
    energy, angular = accurate.scalar("energy", "total"), accurate.angular_momentum()
    assert np.ptp(energy) <= 1e-7 * energy[0]
    assert np.max(np.abs(angular - angular[0])) <= 1e-7 * np.linalg.norm(angular[0])
    assert np.max(np.abs(np.diff(accurate.momentum(), axis=0))) <= 1e-13
    assert np.max(accurate.scalar("diag", "constraint_violation")) <= 1e-13
    for quantity in ("", "V", "VR"):
        ends = [run_.node_vector(quantity, 20)[-1] for run_ in (coarse, fine, accurate)]
        np.testing.assert_allclose(ends[2], (4 * ends[1] - ends[0]) / 3, rtol=0, atol=1e-7)
    for quantity in ("F", "M"):
        ends = [reaction(run_, quantity)[-1] for run_ in (coarse, fine, accurate)]
        np.testing.assert_allclose(ends[2], (4 * ends[1] - ends[0]) / 3, rtol=0, atol=1e-5)
