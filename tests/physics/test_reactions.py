"""Reactions of what is held (REACX ... REACZZ of /TH/NODE), against closed forms and balances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from deck_text import DeckText
from test_histories_of_nodes import run

REACTIONS = ("REACX", "REACY", "REACZ", "REACXX", "REACYY", "REACZZ")


def reactions(values: dict[str, dict[str, np.ndarray]], column: int = 0) -> np.ndarray:
    """(k, 6) forces and moments on a node of the only /TH/NODE."""
    return np.stack([values["th/node"][name][:, column] for name in REACTIONS], axis=1)


def hold(deck: DeckText, digits: str, *nodes: int) -> None:
    group = deck.group(nodes)
    deck.block(f"/BCS/{group}", "held", f"   {digits}         0{group:>10}")


@pytest.mark.parametrize("digits", ["111 111", "001 000", "111 000"])
def test_weight_of_a_held_body_is_its_reaction(digits: str, tmp_path: Path) -> None:
    """10 kg at g = 9.81, held with all or some of its directions."""
    deck = DeckText(t_end=0.1, dt=1e-3, every=0.02)
    deck.nodes({1: (0, 0, 0)})
    deck.block("/RBODY/9", "body", "1, 0, 0, 3, 10, 0, 0, 1, 0", "1, 1, 1", "/GRAV/1", "g", "0, Z, 0, 0, 0, 1, -9.81")
    hold(deck, digits, 1)
    deck.block("/TH/NODE/1", "support", "REAC REACR", "1")
    _, values, times = run(deck, tmp_path)
    np.testing.assert_allclose(reactions(values), np.tile([0, 0, 98.1, 0, 0, 0], (len(times), 1)), atol=1e-10)


def test_load_on_a_held_node_goes_into_its_support(tmp_path: Path) -> None:
    """It moves nothing, but is no request without effect where the reaction is asked for."""
    deck = DeckText(t_end=0.1, dt=1e-3, every=0.02)
    deck.nodes({1: (0, 0, 0)})
    deck.block("/ADMAS/0/1", "mass", "2.0, 901", "/GRNOD/NODE/901", "node", "1", "/FUNCT/1", "one", "0, 1", "1, 1")
    deck.block("/CLOAD/1", "load", "1, Y, 0, 0, 901, 1, 7")
    hold(deck, "111 111", 1)
    deck.block("/TH/NODE/1", "support", "REAC REACR", "1")
    simulation, values, times = run(deck, tmp_path)
    np.testing.assert_allclose(reactions(values), np.tile([0, -7, 0, 0, 0, 0], (len(times), 1)), atol=1e-12)
    assert simulation.warnings == []


def test_support_of_a_floor_takes_the_force_of_contact(tmp_path: Path) -> None:
    """A ball dropped on a floor that rides on a held node."""
    deck = DeckText(t_end=0.2, dt=1e-4, every=0.002)
    deck.nodes({1: (0, 0, 0), 2: (0, 0, 0.1)})
    deck.block("/RBODY/9", "ball", "2, 0, 0, 3, 1, 0, 0, 1, 0", "0.001, 0.001, 0.001", "0, 0, 0")
    deck.block("/SURF/SPHERE_SOLID/1", "ball", "2, 0", "0, 0, 0", "0.05")
    deck.block("/SURF/PLANE_SOLID/3", "floor", "1, 0", "0, 0, 0", "0, 0, 1")
    deck.block("/INTER/IMPACT/2", "touch", "1, 3, 0, 0, 0, 0, 0, 0", ",", "1e5, 1, 20, 1e-9")
    deck.block("/GRAV/1", "g", "0, Z, 0, 0, 0, 1, -9.81")
    hold(deck, "111 111", 1)
    deck.block("/TH/NODE/1", "support", "REAC REACR", "1", "2")
    _, values, _ = run(deck, tmp_path)
    found, inter = reactions(values), values["th/inter"]
    contact = np.stack([inter[f"FN{axis}"][:, 0] for axis in "XYZ"], axis=1)  # on side i, the ball
    assert contact[:, 2].max() > 50.0
    np.testing.assert_allclose(found[:, :3], contact, atol=1e-9 * np.abs(contact).max())
    np.testing.assert_allclose(found[:, 3:], 0.0, atol=1e-9 * np.abs(contact).max())


def test_support_of_a_turning_mass_pulls_it_inwards(tmp_path: Path) -> None:
    """Two kg at radius 0.5 turning at 10 rad/s about a held node: m w^2 r = 100 N towards the node, nothing else."""
    deck = DeckText(t_end=0.2, dt=1e-4, every=0.02)
    deck.nodes({1: (0, 0, 0), 2: (0.5, 0, 0.2), 3: (0.5, 0, -0.2)})
    deck.block("/GRNOD/NODE/901", "masses", "2, 3", "/ADMAS/0/1", "each", "1.0, 901")
    deck.block("/RBE2/5", "arm", "1, 111, 111, 0, 901", "/GRNOD/NODE/902", "main", "1")
    deck.block("/INIVEL/ROT/1", "spin", "0, 0, 10, 902, 0")
    hold(deck, "111 000", 1)
    deck.block("/TH/NODE/1", "support", "REACX REACY REACZ REACXX REACYY REACZZ", "1")
    _, values, times = run(deck, tmp_path)
    angle = 10 * times
    zero = np.zeros_like(times)
    expected = np.stack([-100 * np.cos(angle), -100 * np.sin(angle), zero, zero, zero, zero], axis=1)
    np.testing.assert_allclose(reactions(values)[1:], expected[1:], atol=1e-3)
    np.testing.assert_allclose(reactions(values)[0], expected[0], atol=1e-2)  # the first step has nothing before it


def test_reactions_of_a_pivot_that_cannot_be_known_are_nan_and_said_so(tmp_path: Path) -> None:
    """A point mass on an arm has no inertia about its centre, so rows cannot hold it at the pivot."""
    deck = DeckText(t_end=0.1, dt=1e-3, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0.5, 0, 0)})
    deck.block("/GRNOD/NODE/901", "mass", "2", "/ADMAS/0/1", "mass", "1.0, 901")
    deck.block("/RBE2/5", "arm", "1, 111, 111, 0, 901", "/GRAV/1", "g", "0, Z, 0, 0, 0, 1, -9.81")
    hold(deck, "111 000", 1)
    deck.block("/TH/NODE/3", "support", "REAC D", "1")
    simulation, values, _ = run(deck, tmp_path)
    assert np.isnan(values["th/node"]["REACZ"]).all()
    (doubt,) = [warning for warning in simulation.warnings if warning.severity == "doubt"]
    assert doubt.message == (
        "node 1 is the pivot of a body without inertia about its mass centre: its reactions are not known (NaN)"
    )
    assert (doubt.keyword, doubt.id) == ("/TH/NODE", 3)


def pendulum(tmp_path: Path, asked: str) -> tuple[dict[str, dict[str, np.ndarray]], np.ndarray]:
    """A body that swings on a hinge about y at a held node without mass, 0.3 m from its centre."""
    deck = DeckText(t_end=0.5, dt=1e-3, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0.3, 0, 0), 3: (0, 0, 0)})
    deck.block("/GRNOD/NODE/901", "pin", "3", "/RBODY/9", "body", "2, 0, 0, 3, 10, 901, 0, 3, 0", "1, 2, 3")
    deck.block("/JOINT/REVOLUTE/1", "hinge", "1, 3, 0", "0, 1, 0", "/GRAV/1", "g", "0, Z, 0, 0, 0, 1, -9.81")
    hold(deck, "111 111", 1)
    deck.block("/TH/NODE/1", "support", asked, "1")
    _, values, times = run(deck, tmp_path)
    return values, times


def test_support_of_a_hinge_takes_what_the_hinge_exerts(tmp_path: Path) -> None:
    values, _ = pendulum(tmp_path, "REAC REACR D")
    joint = values["th/joint"]
    exerted = np.stack([joint[name][:, 0] for name in ("FX", "FY", "FZ", "MX", "MY", "MZ")], axis=1)
    np.testing.assert_allclose(reactions(values), exerted, atol=1e-9 * np.abs(exerted).max())
    assert np.abs(exerted[:, :3]).max() > 50.0
    for axis in "XYZ":  # the held node stays where it is
        np.testing.assert_allclose(values["th/node"][f"D{axis}"], 0.0, atol=1e-12)


def test_asking_for_reactions_does_not_change_the_motion(tmp_path: Path) -> None:
    with_them, without = (pendulum(tmp_path, asked)[0] for asked in ("REAC", "D"))
    for name in ("ANG", "RATE", "FX", "FZ"):
        expected = without["th/joint"][name]
        np.testing.assert_allclose(with_them["th/joint"][name], expected, atol=1e-9 * np.abs(expected).max())


def test_held_carrier_of_a_gear_pair_takes_the_torque_that_the_wheels_do_not(tmp_path: Path) -> None:
    """1 N m drives I1 = 0.02 with I2 = 0.08 at half speed backwards: a = 25 rad/s2, dL/dt = 25 I1 - 12.5 I2 = -0.5."""
    deck = DeckText(t_end=0.1, dt=1e-4, every=0.02)
    deck.nodes({1: (0, 0, 0), 2: (-0.1, 0, 0), 3: (0.2, 0, 0)})
    deck.joint("GEAR", (1, 2.0, 0.01), [(2, 0.5, 0.02, (1, 0, 0)), (3, 2.0, 0.08, (1, 0, 0))], alpha=0.5)
    hold(deck, "111 111", 1)
    deck.block("/FUNCT/1", "one", "0, 1", "1, 1", "/GRNOD/NODE/902", "driven", "2")
    deck.block("/CLOAD/1", "torque", "1, XX, 0, 0, 902, 1, 1", "/TH/NODE/1", "carrier", "REACR REACX", "1")
    _, values, times = run(deck, tmp_path)
    np.testing.assert_allclose(values["th/gjoint"]["VEL1"][:, 0], 25 * times, atol=1e-9)
    np.testing.assert_allclose(values["th/node"]["REACXX"][:, 0], -0.5 - 1.0, rtol=1e-9)
    for name in ("REACX", "REACYY", "REACZZ"):
        np.testing.assert_allclose(values["th/node"][name], 0.0, atol=1e-9)


def test_ground_support_of_a_coupler_takes_the_torques_of_both_sides(tmp_path: Path) -> None:
    """R2R, ratio 2 on parallel axes: I1 = 0.1 driven by 3 N m, I2 = 0.4: a2 = 3 * 2/(4 * 0.1 + 0.4) = 7.5 rad/s2.

    Side a has T1 = I1 2 a2 - 3 = -1.5, side b T2 = I2 a2 = 3; their supports take the opposite, 1.5 and -3 about z.
    """
    deck = DeckText(t_end=0.1, dt=1e-4, every=0.02)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.block("/RBODY/11", "a", "1, 0, 0, 3, 1, 0, 0, 1, 0", "0.1, 0.1, 0.1")
    deck.block("/RBODY/12", "b", "2, 0, 0, 3, 1, 0, 0, 1, 0", "0.4, 0.4, 0.4")
    for joint, node in ((21, 1), (22, 2)):
        deck.block(f"/JOINT/REVOLUTE/{joint}", "bearing", f"0, {node}, 0", "0, 0, 1")
    deck.block("/COUPLER/R2R/5", "gear", "1, 0, 2, 0", "2", "0, 0, 1", "0, 0, 1")
    deck.block("/FUNCT/1", "one", "0, 1", "1, 1", "/GRNOD/NODE/902", "driven", "1")
    deck.block("/CLOAD/1", "torque", "1, ZZ, 0, 0, 902, 1, 3", "/TH/COUPLER/1", "support", "SMZ1 SMZ2 SFX2", "5")
    _, values, _ = run(deck, tmp_path)
    coupler = {name: values["th/coupler"][name][:, 0] for name in values["th/coupler"]}
    np.testing.assert_allclose(coupler["SMZ1"], 1.5, rtol=1e-9)
    np.testing.assert_allclose(coupler["SMZ2"], -3.0, rtol=1e-9)
    for name in ("SMX1", "SMY1", "SMX2", "SMY2", "SFX2", "SFY2", "SFZ2"):
        np.testing.assert_allclose(coupler[name], 0.0, atol=1e-12)


def test_ground_support_of_a_travelling_side_takes_its_force_where_it_acts(tmp_path: Path) -> None:
    """R2T, phi = 10 s: 3 N m on I = 0.1, 2 kg at the flange: s" = 3 * 10/(100 * 0.1 + 2) = 2.5, F2 = 2 * 2.5 = 5 N."""
    deck = DeckText(t_end=0.2, dt=1e-4, every=0.02)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.block("/RBODY/11", "spline", "1, 0, 0, 3, 1, 0, 0, 1, 0", "0.1, 0.1, 0.1")
    deck.block("/RBODY/12", "flange", "2, 0, 0, 3, 2, 0, 0, 1, 0", "0.4, 0.4, 0.4")
    deck.block("/JOINT/REVOLUTE/21", "bearing", "0, 1, 0", "0, 0, 1")
    deck.block("/JOINT/TRANSLATIONAL/22", "slide", "0, 2, 0", "1, 0, 0")
    deck.block("/COUPLER/R2T/5", "rack", "1, 0, 2, 0", "10", "0, 0, 1", "1, 0, 0")
    deck.block("/FUNCT/1", "one", "0, 1", "1, 1", "/GRNOD/NODE/902", "driven", "1")
    deck.block("/CLOAD/1", "torque", "1, ZZ, 0, 0, 902, 1, 3")
    _, values, _ = run(deck, tmp_path)
    coupler = {name: values["th/coupler"][name][:, 0] for name in values["th/coupler"]}
    np.testing.assert_allclose(coupler["SFX2"], -coupler["F2"], rtol=1e-12)
    np.testing.assert_allclose(coupler["SMZ1"], -coupler["T1"], rtol=1e-12)
    np.testing.assert_allclose(coupler["F2"], 5.0, rtol=1e-7)
    for name in ("SFY2", "SFZ2", "SMX2", "SMY2", "SMZ2"):
        np.testing.assert_allclose(coupler[name], 0.0, atol=1e-12)


def test_imposed_motion_exerts_the_mass_times_the_acceleration(tmp_path: Path) -> None:
    deck = DeckText(t_end=0.5, dt=1e-3, every=0.1)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.block("/GRNOD/NODE/901", "moved", "1", "/ADMAS/0/1", "mass", "3.0, 901")
    deck.block("/FUNCT_EXPR/1", "parabola", "t^2", "/IMPDISP/1", "moved", "1, X, 0, 0, 901", "1, 1, 0, 0")
    deck.block("/TH/NODE/1", "moved", "REACX REACY", "1", "2")
    _, values, _ = run(deck, tmp_path)
    np.testing.assert_allclose(values["th/node"]["REACX"][1:-1, 0], 6.0, rtol=1e-9)
    np.testing.assert_array_equal(values["th/node"]["REACY"], 0.0)
    np.testing.assert_array_equal(values["th/node"]["REACX"][:, 1], 0.0)  # nothing holds it
