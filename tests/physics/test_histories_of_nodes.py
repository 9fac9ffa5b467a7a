"""Histories of nodes and bodies that closed forms know: in axes that move, of bodies that do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from deck_text import DeckText
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation

DEFECTS = Path(__file__).parents[1] / "data" / "defects"


def histories_of(path: Path) -> tuple[Simulation, dict[str, dict[str, np.ndarray]], np.ndarray]:
    """The simulation of a deck that was run, the channels of all its samples, and their times."""
    simulation = Simulation(read_deck(path))
    blocks = []
    while not simulation.finished:
        blocks.append(simulation.advance(10_000))
    groups = blocks[0].values
    values = {g: {c: np.concatenate([b.values[g][c] for b in blocks]) for c in groups[g]} for g in groups}
    return simulation, values, np.concatenate([block.times for block in blocks])


def run(deck: DeckText, tmp_path: Path) -> tuple[Simulation, dict[str, dict[str, np.ndarray]], np.ndarray]:
    path = tmp_path / "deck.rad"
    path.write_text(str(deck))
    return histories_of(path)


def test_displacement_in_a_moving_skew_is_along_its_axes_of_the_moment(tmp_path: Path) -> None:
    """A node at radius 2 that turns at 1 rad/s, in a skew that turns along, X' outwards and Z' against the motion."""
    deck = DeckText(t_end=0.5, dt=1e-3, every=0.1)
    deck.nodes({10: (0, 0, 0), 11: (0, 1, 0), 12: (0, 2, 0), 13: (0, 1, 1)})
    deck.block(f"/GRNOD/NODE/{901}", "on the body", "11, 12, 13", "/GRNOD/NODE/902", "main", "10")
    deck.block("/RBODY/1", "body", "10, 0, 0, 1, 10, 901, 0, 3, 0", "1, 1, 1")
    deck.block("/SKEW/MOV/2", "on the body", "11, 12, 13")
    deck.block("/INIVEL/ROT/1", "spin", "0, 0, 1, 902, 0")
    deck.block("/TH/NODE/1", "in the skew", "D", "12, 2, in the skew")
    _, values, times = run(deck, tmp_path)
    np.testing.assert_allclose(values["th/node"]["DX"][:, 0], 2 * (1 - np.cos(times)), atol=1e-6)
    np.testing.assert_allclose(values["th/node"]["DZ"][:, 0], -2 * np.sin(times), atol=1e-6)
    assert values["th/node"]["DX"][-1, 0] == pytest.approx(0.2448, abs=5e-5)


def test_free_node_without_mass_moves_by_its_initial_velocity(tmp_path: Path) -> None:
    """Gravity does not act on it, as it has no mass."""
    deck = DeckText(t_end=1.0, dt=1e-2, every=0.1)
    deck.nodes({1: (0, 0, 0), 2: (3, 0, 0)})
    deck.block("/ADMAS/0/1", "mass", "2.0, 902", "/GRNOD/NODE/901", "massless", "1", "/GRNOD/NODE/902", "heavy", "2")
    deck.block("/INIVEL/TRA/1", "both", "1, 2, 0, 901, 0", "/GRAV/1", "all", "0, Z, 0, 0, 0, 1, -10")
    simulation, values, times = run(deck, tmp_path)
    assert simulation.warnings == []
    node = values["th/node"]
    np.testing.assert_allclose(node["DX"][:, 0], times, rtol=1e-14)
    np.testing.assert_allclose(node["DY"][:, 0], 2 * times, rtol=1e-14)
    np.testing.assert_array_equal(node["DZ"][:, 0], 0.0)
    np.testing.assert_allclose(node["DZ"][:, 1], -5 * times**2, atol=1e-12)
    np.testing.assert_allclose(values["energy"]["error"], 0.0, atol=1e-12)


def test_rigid_bodies_that_are_held_or_at_rest_stand_where_they_are() -> None:
    _, values, _ = histories_of(DEFECTS / "th_rbody_held.rad")
    for axis, places in zip("XYZ", [(3, 1), (4, 0), (5, 0)], strict=True):
        np.testing.assert_array_equal(values["th/rbody"][axis], np.tile(places, (len(values["th/rbody"][axis]), 1)))
        np.testing.assert_array_equal(values["th/rbody"][f"D{axis}"], 0.0)


def test_mass_centre_of_a_body_at_rest_is_that_of_its_parts(tmp_path: Path) -> None:
    """2 kg at 0 and 6 kg at (4, 0, 0): the centre is at x = 3."""
    deck = DeckText(t_end=0.1, dt=1e-2, every=0.1)
    deck.nodes({1: (0, 0, 0), 2: (4, 0, 0), 3: (1, 0, 0)})
    deck.block("/GRNOD/NODE/901", "light", "1", "/GRNOD/NODE/902", "heavy", "2", "/GRNOD/NODE/903", "both", "1, 2")
    deck.block("/ADMAS/0/1", "light", "2.0, 901", "/ADMAS/0/2", "heavy", "6.0, 902")
    deck.block("/RBODY/1", "body", "3, 0, 0, 3, 0, 903, 0, 1, 0", "0.1, 0, 0")
    _, values, _ = run(deck, tmp_path)
    np.testing.assert_allclose(values["th/rbody"]["X"][:, 0], 3.0, rtol=1e-15)


def test_sensors_are_written_over_time(tmp_path: Path) -> None:
    deck = DeckText(t_end=1.0, dt=1e-2, every=0.1)
    deck.nodes({1: (0, 0, 0)})
    deck.block("/SENSOR/TIME/4", "gate", "0.35", "/TH/SENSOR/1", "gate", "STATUS TON", "4")
    _, values, times = run(deck, tmp_path)
    np.testing.assert_array_equal(values["th/sensor"]["STATUS"][:, 0], times >= 0.35)
    on = values["th/sensor"]["TON"][:, 0]
    np.testing.assert_array_equal(np.isnan(on), times < 0.35)
    np.testing.assert_array_equal(on[times >= 0.35], 0.35)
