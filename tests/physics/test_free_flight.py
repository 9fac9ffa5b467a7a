"""Joint assemblies that fly freely: nothing is lost, and rigid motions stress nothing they should not."""

import numpy as np
import pytest
from deck_text import DeckText
from running import DECKS, Results, check_kept, run

FREE_GEARBOX = DECKS / "free_gearbox" / "free_gearbox.rad"

# Node 1 is the main node of the carrier, a rigid body with three different principal inertias.
PLACES = {1: (0.0, 0.0, 0.0), 2: (0.2, 0.03, -0.05), 3: (-0.1, 0.15, 0.07), 4: (-0.1, -0.15, 0.02)}
MASSES = {1: 1.0, 2: 1.5, 3: 2.0, 4: 1.2}
INERTIAS = {2: 0.005, 3: 0.01, 4: 0.008}
CARRIER_INERTIA = (0.02, 0.03, 0.045)
KINDS = {
    "GEAR": ((0.0, 0.0, 1.0), (0.6, 0.0, 0.8)),
    "DIFF": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.6, 0.8)),
    "RACK": ((0.0, 0.0, 1.0), (0.8, 0.6, 0.0)),
}


def assembly(kind: str, places=PLACES, *, t_end=0.5, dt=1e-4, every=0.02, rack_spring=False) -> DeckText:
    """One joint with its nodes where `places` has them, no boundary condition, alpha = 0.7.

    rack_spring : tie the rack to the carrier, so that it does not fly away along its track
    """
    deck = DeckText(t_end, dt, every)
    axes = KINDS[kind]
    mark = tuple(np.add(places[1], (0.1, 0.0, 0.0)))
    anchor = tuple(np.subtract(places[3], 0.5 * np.array(axes[1])))
    deck.nodes({node: places[node] for node in range(1, len(axes) + 2)} | {8: anchor, 9: mark})
    shafts = [(node, MASSES[node], INERTIAS[node], axis) for node, axis in enumerate(axes, start=2)]
    deck.joint(kind, (1, 0.0, 0.0), shafts, alpha=0.7)
    deck.rigid_body(1, [8, 9], MASSES[1], CARRIER_INERTIA)
    if kind == "RACK" and rack_spring:
        deck.spring(8, 3, 600.0)
    return deck


def rigid_motion(deck: DeckText, kind: str, places, velocity, spin, relative=0.0, about=(0.0, 0.0, 0.0)) -> None:
    """Initial velocities v + w x (x - about); shaft 1 spins `relative` more, and the joint's last shaft with it."""
    for node in range(1, len(KINDS[kind]) + 2):
        v = np.array(velocity) + np.cross(spin, np.subtract(places[node], about))
        w = np.array(spin, dtype=float)
        if node == 2:
            w += relative * np.array(KINDS[kind][0])
        elif node == len(KINDS[kind]) + 1:
            other = -0.7 * relative * np.array(KINDS[kind][-1])
            if kind == "RACK":
                v += other
            else:
                w += other
        deck.velocity(node, v, w)


def reactions(results: Results) -> np.ndarray:
    """(nt, n) all torques, rack forces and bearing forces and moments that have a meaning for the joint."""
    joint = results.ids["th/gjoint"][0]
    columns = []
    for name in results.values["th/gjoint"]:
        if name[0] in "TFM" and name[-1] in "123":
            column = results.joint(name, joint)
            if not np.all(np.isnan(column)):
                columns.append(column)
    return np.stack(columns, axis=1)


def test_free_gearbox_keeps_momentum_and_energy():
    results = run(FREE_GEARBOX, t_end=5.0, every=0.01)
    check_kept(results, linear_scale=38.0)
    np.testing.assert_allclose(results.angular_momentum()[0], [1.6752, 4.1864, 6.8952], rtol=1e-12)
    relative_spin = results.joint("VEL1")
    assert relative_spin[0] == pytest.approx(20.0, rel=1e-9)
    assert np.ptp(relative_spin) > 1.0, "the carrier tumbles, so the wheel must feel it"


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_joint_keeps_momentum_and_energy_in_free_flight(kind):
    deck = assembly(kind, t_end=2.0, every=0.005)
    rigid_motion(deck, kind, PLACES, (0.3, -0.2, 0.1), (3.0, 4.0, 5.0), relative=0.2 if kind == "RACK" else 20.0)
    check_kept(run(deck), linear_scale=3.0)


def test_rack_on_a_spring_in_free_flight_has_no_drift_in_its_energy():
    deck = assembly("RACK", t_end=20.0, every=0.01, rack_spring=True)
    rigid_motion(deck, "RACK", PLACES, (0.3, -0.2, 0.1), (3.0, 4.0, 5.0), relative=0.2)
    results = run(deck)
    check_kept(results, linear_scale=3.0)
    assert np.ptp(results.joint("U2")) > 0.03


@pytest.mark.parametrize("kind", list(KINDS))
def test_uniform_translation_stresses_nothing(kind):
    deck = assembly(kind)
    rigid_motion(deck, kind, PLACES, (1.0, -2.0, 0.5), (0.0, 0.0, 0.0))
    results = run(deck)
    assert np.max(np.abs(reactions(results))) < 1e-9
    for node in range(1, len(KINDS[kind]) + 2):
        np.testing.assert_allclose(
            results.node_vector("V", node), np.tile([1.0, -2.0, 0.5], (len(results.times), 1)), atol=1e-12
        )
        np.testing.assert_allclose(results.node_vector("VR", node), 0.0, atol=1e-12)


PLANE = {1: (0.02, -0.03, 0.0), 2: (0.2, 0.03, 0.0), 3: (-0.1, 0.15, 0.0), 4: (-0.1, -0.15, 0.0)}


@pytest.mark.parametrize("kind", ["GEAR", "DIFF"])
def test_steady_rotation_leaves_the_teeth_unloaded_and_the_links_centripetal(kind):
    nodes = range(1, len(KINDS[kind]) + 2)
    centre = sum(MASSES[n] * np.array(PLANE[n]) for n in nodes) / sum(MASSES[n] for n in nodes)
    spin = np.array([0.0, 0.0, 10.0])
    deck = assembly(kind, PLANE)
    rigid_motion(deck, kind, PLANE, (0.0, 0.0, 0.0), spin, about=centre)
    results = run(deck)
    forces = {
        n: MASSES[n] * np.cross(spin, np.cross(spin, results.node_vector("", n) - centre)) for n in nodes if n > 1
    }
    largest = max(float(np.max(np.abs(force))) for force in forces.values())
    for node, force in forces.items():
        bearing, torque = results.joint_vector("F", node - 1), results.joint(f"T{node - 1}")
        np.testing.assert_allclose(bearing[1:], force[1:], atol=1e-6 * largest)
        np.testing.assert_allclose(torque[1:], 0.0, atol=1e-8 * largest)
        # the half kick at t = 0 starts a polygon, not a circle: first order there
        np.testing.assert_allclose(bearing[0], force[0], atol=1e-3 * largest)
        np.testing.assert_allclose(torque[0], 0.0, atol=1e-4 * largest)
    np.testing.assert_allclose(results.node("VRZ", 1), 10.0, rtol=1e-6)
    assert np.ptp(results.node("VRZ", 1)[1:]) < 1e-8


LINES = {
    "collinear": {1: (0.0, 0.0, 0.0), 2: (0.1, 0.0, 0.0), 3: (0.2, 0.0, 0.0), 4: (-0.1, 0.0, 0.0)},
    "coincident": dict.fromkeys((1, 2, 3, 4), (0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("layout", list(LINES))
def test_nodes_in_a_line_and_in_one_point_work_like_any_others(kind, layout):
    places = LINES[layout]
    deck = assembly(kind, places)
    rigid_motion(deck, kind, places, (0.3, 0.0, 0.0), (3.0, 4.0, 5.0), relative=0.1 if kind == "RACK" else 20.0)
    results = run(deck)
    check_kept(results, linear_scale=3.0)


def test_two_joints_on_one_free_carrier_keep_momentum_and_energy():
    deck = DeckText(t_end=1.0, dt=1e-4, every=0.005)
    places = {1: (0, 0, 0), 2: (0.2, 0, 0), 3: (-0.1, 0.15, 0), 4: (-0.1, -0.15, 0.02), 5: (0, 0.1, -0.2)}
    deck.nodes(places)
    deck.joint("GEAR", (1, 1.0, 0.02), [(2, 1.5, 0.005, (1, 0, 0)), (3, 2.0, 0.01, (0, 1, 0))], alpha=0.5)
    deck.joint("RACK", (1, 0.0, 0.0), [(4, 1.2, 0.008, (0, 0, 1)), (5, 1.0, 0.01, (0, 0.6, 0.8))], alpha=0.1)
    spin = np.array([3.0, 4.0, 5.0])
    extra = {2: (20.0, 0, 0), 3: (0, -10.0, 0), 4: (0, 0, 5.0)}
    for node, place in places.items():
        slide = np.array([0, 0.6, 0.8]) * -0.5 if node == 5 else np.zeros(3)
        deck.velocity(node, np.cross(spin, place) + slide, spin + np.array(extra.get(node, (0, 0, 0))))
    check_kept(run(deck), linear_scale=3.0)
