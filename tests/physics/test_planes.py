"""Machines that move in a plane with three unknowns a body, against the general path and by what they must keep."""

from __future__ import annotations

from itertools import pairwise

import gsolve
import numpy as np
import pytest
from deck_text import DeckText
from gsolve.solver.run.machine import IN_PLANE
from gsolve.solver.run.simulation import Simulation
from interrupted import histories_of
from linkages import ParallelFourBars
from random_linkages import RandomLinkage
from running import DECKS, Results, read, run
from twins import SAME, check_columns, check_leaving, plan_on_the_general_path_alone

FOUR_BAR = DECKS / "four_bar" / "four_bar.rad"
ROUNDED_LATER = 1e-8  # where forces depend on rates, which passes over both paths refine to different bits


def check_same(plane: Results, general: Results, *, same: float = SAME) -> None:
    """All columns of both runs agree."""
    assert any(label == "plane" and "three unknowns" in text for label, text in plane.simulation.facts)
    assert not any(label == "plane" for label, _ in general.simulation.facts)
    check_columns(plane, general, same=same)


def both(linkage: RandomLinkage) -> tuple[Results, Results]:
    deck = linkage.text()
    return run(deck), run(deck, general=True)


@pytest.mark.parametrize("seed", [1, 10, 12])
def test_linkages_in_any_plane_are_those_of_the_general_path(seed):
    linkage = RandomLinkage(seed, 2 + seed % 7)
    linkage.tree()
    linkage.loops(seed % 4)
    linkage.weight()
    linkage.turning()
    check_same(*both(linkage))


SPRINGS = {"stiffness": 3.0, "free_value": 0.2, "preload": 0.1, "lower": -0.1, "upper": 0.15, "stop_stiffness": 50.0}


@pytest.mark.parametrize(
    "forces, damping, same",
    [(SPRINGS, 0.0, SAME), ({"stiffness": 3.0, "damping": 0.2}, 0.5, ROUNDED_LATER),
     ({"friction_force": 0.3, "slip_velocity": 0.5}, 0.0, ROUNDED_LATER)],
    ids=["springs and stops", "dampers", "friction"],
)  # fmt: skip
def test_what_acts_on_bodies_and_along_joints_is_that_of_the_general_path(forces, damping, same):
    linkage = RandomLinkage(5, 7)
    linkage.tree(forces)
    linkage.loops(2)
    linkage.spring(50.0, damping)
    linkage.loads()
    linkage.turning()
    check_same(*both(linkage), same=same)


@pytest.mark.parametrize("window", [(0.0, 1e30), (0.0503, 0.1277)], ids=["always", "for a while"])
@pytest.mark.parametrize("level, formula", [(0, "sin(3*t)^2"), (1, "2*sin(3*t)+1"), (2, "2*sin(3*t)")])
def test_driven_hinges_are_those_of_the_general_path(level, formula, window):
    linkage = RandomLinkage(10, 5)
    linkage.tree()
    linkage.loops(1, ["DISTANCE"])
    linkage.weight()
    linkage.drive("ROT", formula, level=level, window=(0.0, window[1]) if level == 0 else window)
    linkage.turning()
    # what a drive that takes hold does has the round-off of the general path's effort
    check_same(*both(linkage), same=SAME if window[1] > 1.0 else 1e-9)


@pytest.mark.parametrize("level", [0, 1])
def test_driven_sliders_are_those_of_the_general_path(level):
    linkage = RandomLinkage(10, 5, kinds=("TRANSLATIONAL", "REVOLUTE"))
    linkage.tree()
    linkage.loops(1, ["DISTANCE"])
    linkage.weight()
    linkage.drive("TRA", "sin(3*t)^2", level=level)
    linkage.turning()
    check_same(*both(linkage))


def test_reactions_of_the_ground_change_the_momentum():
    """With the weight: m a of all bodies is what the ground and gravity do to them, across the plane too."""
    linkage = RandomLinkage(10, 5)
    linkage.tree()
    linkage.weight()
    linkage.turning()
    deck = linkage.text()
    grounded = [joint.id for joint in read(deck).joints if joint.node_i == -1]
    results = run(deck)

    def vectors(group: str, stem: str, item: int) -> np.ndarray:
        return np.stack([results.of(group, f"{stem}{axis}", item) for axis in "XYZ"], axis=1)

    reactions = sum(vectors("th/joint", "F", joint) for joint in grounded)
    changes = sum(mass * vectors("th/node", "A", body) for body, mass in linkage.masses.items())
    weight = sum(linkage.masses.values()) * linkage.gravity
    np.testing.assert_allclose(changes, reactions + weight, rtol=0, atol=1e-9 * np.abs(reactions).max())


def four_bar_error(results: Results) -> float:
    x, y = ParallelFourBars().pin(results.times)
    return float(np.max(np.hypot(results.node("X", 12) - x, results.node("Y", 12) - y)))


@pytest.mark.parametrize("step", [1e-2, 5e-3])
def test_long_steps_pass_singular_places_whole(step):
    """Newton's method with the derivative at both ends of the step goes across, where the general path divides it."""
    results = run(FOUR_BAR, t_end=3.0, dt=step, every=step)
    assert four_bar_error(results) <= 2 * 2.5e-5 * (step / 1e-3) ** 2
    assert results.simulation.divided_steps == 0
    assert np.mean(results.scalar("diag", "iterations")) <= 2.5
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-13


def test_a_hundred_seconds_of_singular_places_keep_the_energy():
    """A step that would gain energy is taken in parts, and the energy goes neither up nor down."""
    results = run(FOUR_BAR, t_end=100.0, dt=1e-2, every=1e-2)
    assert results.simulation.inaccurate_steps == 0
    assert results.simulation.divided_steps <= 100
    error = results.scalar("energy", "error")
    bands = [np.abs(part).max() for part in np.array_split(error, 4)]
    assert max(bands) <= 1.2 * min(bands)
    means = [float(part.mean()) for part in np.array_split(error, 4)]
    assert max(abs(b - a) for a, b in pairwise(means)) <= 0.02 * max(bands)


def test_a_machine_that_leaves_its_plane_goes_on_as_it_was():
    """The general path takes over from the step at hand, in the middle of a run."""
    linkage = RandomLinkage(5, 7)
    linkage.tree({"stiffness": 3.0})
    linkage.loops(2)
    linkage.spring()
    linkage.loads()
    linkage.turning()
    check_leaving(read(linkage.text()), IN_PLANE)


def test_a_run_that_has_left_its_plane_is_resumed_with_the_same_bytes(monkeypatch, tmp_path):
    """It stands on the general path then, with kernels that a plane does without; frames are those of its end."""
    plan_on_the_general_path_alone(monkeypatch)
    whole, part = tmp_path / "whole.h5", tmp_path / "part.h5"
    result = gsolve.run(FOUR_BAR, output=whole, t_end=6.0, dt=1e-2)
    assert any("goes on by the general path from t = 3." in message.message for message in result.messages)
    gsolve.run(FOUR_BAR, output=part, t_end=4.5, dt=1e-2)
    gsolve.resume(part, t_end=6.0)
    found, expected = histories_of(part), histories_of(whole)
    assert [name for name in expected if found[name] != expected[name] and not name.startswith("th/body/")] == []


def test_a_run_goes_the_general_path_from_the_step_that_fails_in_its_plane_in_parts_too(monkeypatch):
    """Here no parts are looked for in the plane, so that the first step that would gain energy there is such a step."""
    plan_on_the_general_path_alone(monkeypatch)
    results = run(FOUR_BAR, t_end=4.0, dt=1e-2, every=1e-2)
    told = [message for message in results.simulation.messages if "goes on by the general path" in message]
    assert len(told) == 1 and 3.0 < float(told[0].partition("t = ")[2].split()[0]) < 4.0
    assert not results.simulation._system.planes.active.any()
    assert four_bar_error(results) <= 2 * 2.5e-5 * (1e-2 / 1e-3) ** 2
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-12


def test_a_drive_is_none_of_the_joints_that_a_run_counts():
    def joints(is_driven: bool) -> list[int]:
        linkage = RandomLinkage(10, 5)
        linkage.tree()
        if is_driven:
            linkage.drive("ROT", "t", level=1)
        simulation = Simulation(read(linkage.text()))
        simulation.start()
        return [plane.joints for plane in simulation.condensation.planes]

    assert joints(True) == joints(False)


@pytest.mark.parametrize("deck, dt", [(FOUR_BAR, 1e-2), (None, None)], ids=["with divided steps", "of two subsystems"])
def test_length_of_the_blocks_does_not_change_a_run(deck, dt):
    def history(steps: int, threads: int) -> bytes:
        linkage = RandomLinkage(4, 6)
        linkage.tree()
        linkage.weight()
        model = read(deck or linkage.text())
        model.engine.sampling_interval = 0.05
        simulation = Simulation(model, dt=dt, t_end=4.0 if deck else 0.2, threads=threads)
        blocks = []
        while not simulation.finished:
            blocks.append(simulation.advance(steps))
        assert (simulation.divided_steps > 0) == (deck is not None)
        return b"".join(block.values["th/joint"]["FX"].tobytes() for block in blocks if len(block))

    assert history(7, 1) == history(10_000, 2)


def driven_distance(deck: DeckText) -> None:
    deck.nodes({3000: (3.0, 1.0, 0.0)})
    deck.hold([3000])
    deck.drive("DIST", 3000, 2, deck.expression("0.1*t"), level=1)


RUBBING = {"friction_coeff": 0.1, "radius": 0.1, "slip_velocity": 1.0}


def out_of_plane(deck: DeckText) -> None:
    """A ball joint alone lets its body tilt."""
    deck.nodes({3000: (0.0, 0.0, 0.0), 3001: (0.3, 0.1, 0.0)})
    deck.rigid_body(3001, [3000], 1.0, (0.1, 0.1, 0.1))
    deck.pair("SPHERICAL", 3000, 1, (0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (driven_distance, "drives of distances, or across the plane"),
        (lambda deck: deck.turn_steadily(1, "ZZ", 1.0), "conditions on nodes"),
        (lambda deck: deck.pair("REVOLUTE", 0, 2), "redundant rows in the plane"),
        (lambda deck: deck.pair("REVOLUTE", 0, 1, forces=[RUBBING]),
         "friction that follows the force of a bearing"),
        (out_of_plane, "bodies that nothing keeps in the plane"),
    ],
    ids=["drive", "condition", "redundant", "friction", "out of the plane"],
)  # fmt: skip
def test_what_is_not_known_in_a_plane_goes_the_general_path_and_says_so(spoil, reason):
    deck = DeckText(1e-3, 1e-3, 1e-3)
    deck.nodes({1: (0.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0), 11: (0.5, 0.0, 0.0)})
    deck.rigid_body(11, [1, 2], 1.0, (0.1, 0.1, 0.1))
    if "REVOLUTE" not in reason and reason != "friction that follows the force of a bearing":
        deck.pair("REVOLUTE", 0, 1)
    spoil(deck)
    simulation = Simulation(read(deck))
    simulation.start()
    assert ("path", f"general, not in a plane: {reason}") in simulation.facts
