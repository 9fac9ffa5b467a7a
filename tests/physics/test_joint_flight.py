"""Two bodies of unequal inertia joined in every way fly freely: nothing is lost, and directions do not matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from closed_form import rotation_about
from deck_text import DeckText
from gsolve.parser.model import Model
from running import Results, check_kept, read, run
from transformed import transformed

AXIS = np.array([0.0, 0.6, 0.8])
SECOND = np.array([1.0, 0.0, 0.0])  # across AXIS
ANY = np.array([2.0, -1.0, 2.5])
PITCH = 0.05


@dataclass(frozen=True)
class Pair:
    """A joint, where node j stands from node i, and a relative motion: spin about node j, slide of it."""

    kind: str
    offset: np.ndarray
    spin: np.ndarray
    slide: np.ndarray
    second: bool = False


def pair(kind: str, spin: np.ndarray, slide: np.ndarray, offset: np.ndarray, second: bool = False) -> Pair:
    return Pair(kind, offset, spin, slide, second)


NOTHING = np.zeros(3)
PAIRS = [
    pair("SPHERICAL", ANY, NOTHING, NOTHING),
    pair("REVOLUTE", 5 * AXIS, NOTHING, NOTHING),
    pair("UNIVERSAL", 5 * AXIS + 2 * SECOND, NOTHING, NOTHING, second=True),
    pair("CYLINDRICAL", 5 * AXIS, 0.3 * AXIS, 0.1 * AXIS),
    pair("TRANSLATIONAL", NOTHING, 0.3 * AXIS, 0.1 * AXIS),
    pair("SCREW", 5 * AXIS, 5 * PITCH / (2 * np.pi) * AXIS, 0.1 * AXIS),
    pair("FIXED", NOTHING, NOTHING, np.array([0.1, 0.05, -0.1])),
    pair("PLANAR", 5 * AXIS, 0.3 * SECOND, 0.1 * SECOND),
    pair("DISTANCE", ANY, NOTHING, np.array([0.1, 0.05, -0.1])),
    pair("STRUT", ANY, 0.3 * AXIS, 0.1 * AXIS),
    pair("REV_SPH", ANY, NOTHING, 0.1 * SECOND),
    pair("REV_CYL", 4 * SECOND, 0.3 * SECOND, np.array([0.1, 0.04, -0.03]), second=True),
    pair("PARALLEL", 5 * AXIS, np.array([0.3, 0.1, -0.2]), np.array([0.1, 0.05, -0.1])),
    pair("PERPENDICULAR", 5 * AXIS + 2 * SECOND, np.array([0.3, 0.1, -0.2]), np.array([0.1, 0.05, -0.1]), second=True),
]
KINDS = pytest.mark.parametrize("joined", PAIRS, ids=[p.kind for p in PAIRS])


def flight(joined: Pair, t_end: float, *, relative: bool = True) -> DeckText:
    """Body 10 with node i = 11, body 20 with node j = 21; all turn and fly, and body 20 moves on its joint besides."""
    deck = DeckText(t_end, 1e-4, t_end / 50)
    centres = {10: np.array([0.1, -0.05, 0.2]), 20: np.array([-0.15, 0.2, -0.1])}
    points = {11: np.array([0.02, 0.03, 0.05])}
    points[21] = points[11] + joined.offset
    deck.nodes({node: tuple(map(float, place)) for node, place in (centres | points).items()})
    deck.rigid_body(10, [11], 1.0, (0.02, 0.03, 0.045), (0.002, -0.003, 0.001))
    deck.rigid_body(20, [21], 1.5, (0.05, 0.02, 0.04))
    second = SECOND if joined.second else None
    pitch = PITCH if joined.kind == "SCREW" else None
    deck.pair(joined.kind, 11, 21, AXIS, second=second, pitch=pitch)
    velocity, spin = np.array([0.3, -0.2, 0.1]), np.array([1.5, 2.0, 2.5])
    for body, centre in centres.items():
        own_spin, own_velocity = spin, velocity + np.cross(spin, centre)
        if body == 20 and relative:
            own_spin = spin + joined.spin
            own_velocity = own_velocity + np.cross(joined.spin, centre - points[21]) + joined.slide
        deck.velocity(body, own_velocity, own_spin)
    return deck


def reaction(results: Results, kind: str) -> np.ndarray:
    """(nt, 3) force F or moment M on node j, global axes."""
    joint = results.ids["th/joint"][0]
    return np.stack([results.of("th/joint", kind + axis, joint) for axis in "XYZ"], axis=1)


@KINDS
def test_joined_bodies_keep_momentum_and_energy_in_free_flight(joined):
    results = run(flight(joined, 2.0), dt=5e-5)
    check_kept(results, linear_scale=2.5)
    assert np.max(results.scalar("energy", "impact_loss")) <= 1e-12
    assert len(results.simulation.redundant_rows) == 0


@KINDS
def test_reactions_do_no_work_and_act_on_both_bodies(joined):
    """The rate of body 20's momentum is the reaction on node j; the power of the reactions on both is zero."""
    deck = flight(joined, 0.02)
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
def test_joined_bodies_fly_the_same_way_turned_and_elsewhere(joined):
    rotation = rotation_about(np.array([0.48, -0.64, 0.6]), 2.0)
    original = read(flight(joined, 0.5))
    here, there = run(original), run(transformed(original, rotation, np.array([3.0, -2.0, 5.0])))
    for body in (10, 20):
        for quantity in ("D", "V", "VR"):
            ours, theirs = here.node_vector(quantity, body), there.node_vector(quantity, body)
            np.testing.assert_allclose(theirs, ours @ rotation.T, atol=1e-9, err_msg=f"{quantity} of node {body}")
    for name in ("ANG", "U"):
        ours, theirs = here.values["th/joint"][name], there.values["th/joint"][name]
        np.testing.assert_allclose(theirs, ours, atol=1e-9, equal_nan=True)
    largest = max(1.0, *(float(np.max(np.abs(reaction(here, kind)))) for kind in "FM"))
    for kind in "FM":
        np.testing.assert_allclose(reaction(there, kind), reaction(here, kind) @ rotation.T, atol=1e-5 * largest)


@KINDS
def test_uniform_translation_stresses_no_joint(joined):
    def only_translate(model: Model) -> None:
        for start in model.initial_velocities:
            start.translational = None if start.translational is None else np.array([[1.0, -2.0, 0.5]])
            start.rotational = None if start.rotational is None else np.zeros((1, 3))

    results = run(flight(joined, 0.1, relative=False), edit=only_translate)
    for kind in "FM":
        assert np.max(np.abs(reaction(results, kind))) <= 1e-7  # mass times rounding of a place over dt^2
