"""Elastic contacts give back the energy that they take: boxes, cylinders and frustums with each other, in any pose."""

import math
from pathlib import Path

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import REPOSITORY, Results, run

DEFECTS = REPOSITORY / "tests" / "data" / "defects"
DECKS = sorted(DEFECTS.glob("elastic_*.rad"))
SIZES = {"BOX": (0.1, 0.08, 0.06), "CYLINDER": (0.04, 0.1), "FRUSTUM": (0.05, 0.03, 0.09),
         "ELLIPSOID": (0.05, 0.04, 0.03)}  # fmt: skip
PAIRS = [("BOX", "BOX"), ("CYLINDER", "BOX"), ("CYLINDER", "CYLINDER"), ("FRUSTUM", "BOX"), ("CYLINDER", "FRUSTUM"),
         ("FRUSTUM", "FRUSTUM")]  # fmt: skip
MASS, INERTIA, SPEED = 1.0, 1e-3, 1.0
BOUNCE = 4e-3  # s: of the shortest touches here, for K = 1e6 N/m^1.5
COULOMB, STICKS = (0.3, 0.25, 0.01, 0.05), (0.3, 0.25, 0.01, 0.05, None, None)


def random_axes(random: np.random.Generator) -> np.ndarray:
    """(3, 3) of a random rotation, axes in its columns."""
    axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return axes * np.sign(np.linalg.det(axes))


def random_collisions(
    kinds: tuple[str, str], count: int, dt: float | None, law: str = "impact", values: tuple[float, ...] = (1e6, 1.5),
    friction: tuple[float | None, ...] = (), mode: int = 0,
) -> tuple[Results, list[tuple[int, ...]]]:  # fmt: skip
    """Pairs of solids that meet head on in random poses and with random spins, each beside the others; their nodes."""
    deck, random, nodes = ContactDeck(0.14, dt, 1e-3), np.random.default_rng(12), []
    for k in range(count):
        sides = []
        for side, kind in enumerate(kinds):
            sign = 1.0 - 2.0 * side
            off = random.normal(size=2) * 0.01 if side == 0 else np.zeros(2)
            place = (-0.1 * sign, k + float(off[0]), float(off[1]))
            spin = tuple((3.0 * random.normal(size=3)).tolist())
            node = deck.free_body(place, MASS, (INERTIA,) * 3, (sign * SPEED, 0.0, 0.0), spin)
            axes, skew = random_axes(random), 2 * k + side + 1
            deck.block(
                f"/SKEW/FIX/{skew}", "axes", "0, 0, 0", *(", ".join(map(repr, axes[:, c].tolist())) for c in (1, 2))
            )
            sides.append((node, deck.solid(kind, node, *SIZES[kind], skew=skew)))
        getattr(deck, law)((sides[0][1], sides[1][1]), *values, friction=friction, mode=mode)
        nodes.append((sides[0][0], sides[1][0]))
    return run(deck), nodes


def kinetic(results: Results, nodes: tuple[int, ...]) -> np.ndarray:
    """(nt,) kinetic energy of some of these bodies."""
    return np.sum(
        [
            0.5 * MASS * (results.node_vector("V", node) ** 2).sum(axis=1)
            + 0.5 * INERTIA * (results.node_vector("VR", node) ** 2).sum(axis=1)
            for node in nodes
        ],
        axis=0,
    )


def changes_of_energy(results: Results, nodes: list[tuple[int, ...]]) -> np.ndarray:
    """(n,) relative change of the kinetic energy of pairs that touched and have parted."""
    interfaces = results.values["th/inter"]
    met = (interfaces["FLICKER"].max(axis=0) > 0) & (interfaces["NPATCH"][-1] == 0)
    assert met.sum() >= 0.8 * len(nodes)
    energies = np.array([kinetic(results, pair)[[0, -1]] for pair in nodes])
    return (energies[:, 1] / energies[:, 0] - 1.0)[met]


def check_momenta(results: Results, bodies: int) -> None:
    """Of so many bodies, up to 20 m from the origin."""
    assert np.ptp(results.momentum(), axis=0).max() <= 1e-14 * bodies * MASS * SPEED
    assert np.ptp(results.angular_momentum(), axis=0).max() <= 1e-13 * bodies * MASS * SPEED


# ---- collisions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", DECKS, ids=[deck.stem for deck in DECKS])
def test_solids_that_collided_wrongly_keep_their_kinetic_energy(deck: Path):
    """Once off by 5 to 45 %, whatever the step."""
    results = run(deck)
    energy = kinetic(results, tuple(results.ids["th/node"]))
    assert results.of("th/inter", "NPATCH", results.ids["th/inter"][0])[-1] == 0
    assert energy[-1] == pytest.approx(energy[0], rel=1e-6)
    assert np.max(np.abs(results.imbalance())) <= 1e-13
    check_momenta(results, 2)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_random_collisions_keep_the_kinetic_energy(kinds: tuple[str, str]):
    """To 1e-4 at 100 steps a bounce, 9 of 10 to 1 % at 20; momenta to round-off."""
    results, nodes = random_collisions(kinds, 12, BOUNCE / 100)
    assert np.max(np.abs(changes_of_energy(results, nodes))) <= 1e-4
    assert np.max(np.abs(results.imbalance())) <= 1e-13 * len(nodes)
    check_momenta(results, 2 * len(nodes))
    results, nodes = random_collisions(kinds, 12, BOUNCE / 20)
    assert np.quantile(np.abs(changes_of_energy(results, nodes)), 0.9) <= 0.01


@pytest.mark.parametrize(
    "law, values",
    [("impact", (1.2e5, 1.0)), ("impact", (3e7, 2.2)), ("poisson", (1e6, 1.0))],
    ids=["linear", "steep", "POISSON"],
)
def test_other_exponents_keep_it_as_well(law: str, values: tuple[float, ...]):
    """That of a linear law, too, whose force begins with a kink."""
    results, nodes = random_collisions(("CYLINDER", "BOX"), 12, BOUNCE / 100, law, values)
    assert np.max(np.abs(changes_of_energy(results, nodes))) <= 1e-4
    results, nodes = random_collisions(("CYLINDER", "BOX"), 12, BOUNCE / 20, law, values)
    assert np.quantile(np.abs(changes_of_energy(results, nodes)), 0.9) <= 2e-3


LAYERS = (2e8, 1.0, 1.0, 0.0)  # of VOLUME: 1e8 N/m^3


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_elastic_layers_keep_it_as_well(kinds: tuple[str, str]):
    """Though their area follows the pose: at 100 steps a bounce 1e-4 in the median, 9 of 10 to 1 % at 20."""
    results, nodes = random_collisions(kinds, 20, BOUNCE / 100, "volume", LAYERS)
    assert np.median(np.abs(changes_of_energy(results, nodes))) <= 1e-4
    assert np.quantile(np.abs(changes_of_energy(results, nodes)), 0.9) <= 1e-3
    assert np.max(np.abs(results.imbalance())) <= 1e-13 * len(nodes)
    check_momenta(results, 2 * len(nodes))
    results, nodes = random_collisions(kinds, 20, BOUNCE / 20, "volume", LAYERS)
    assert np.quantile(np.abs(changes_of_energy(results, nodes)), 0.9) <= 0.01


@pytest.mark.parametrize("kind", ["BOX", "CYLINDER", "FRUSTUM", "ELLIPSOID"])
@pytest.mark.parametrize("floor", ["PLANE", "BOX"])
def test_elastic_layers_on_a_floor_keep_it(kind: str, floor: str):
    """Thrown on a half space and on a large face in random poses: once off by up to 7 %, whatever the step."""
    deck, random, nodes = ContactDeck(0.14, BOUNCE / 100, 1e-3), np.random.default_rng(12), []
    for k in range(12):
        node = deck.free_body(
            (k, 0.0, 0.1), MASS, (INERTIA,) * 3, (0.1, 0.0, -SPEED), tuple((3.0 * random.normal(size=3)).tolist())
        )
        axes = random_axes(random)
        deck.block(
            f"/SKEW/FIX/{k + 1}", "axes", "0, 0, 0", *(", ".join(map(repr, axes[:, c].tolist())) for c in (1, 2))
        )
        sizes = (0.5, 0.5, 0.1) if floor == "BOX" else ()
        below = deck.solid(floor, 0, *sizes, centre=(float(k), 0.0, -0.05 * (floor == "BOX")))
        deck.volume((deck.solid(kind, node, *SIZES[kind], skew=k + 1), below), *LAYERS)
        nodes.append((node,))
    assert np.max(np.abs(changes_of_energy(run(deck), nodes))) <= 1e-3


@pytest.mark.parametrize(
    "law, values, friction, mode",
    [
        ("poisson", (1e6, 0.7, 0.01), (), 0),
        ("poisson", (1e6, 0.7, 0.01), COULOMB, 1),
        ("impact", (1e6, 1.5, 50.0, 1e-4), (), 0),
        ("impact", (1e6, 1.5, 0.0, 1e-4), STICKS, 4),
    ],
    ids=["restitution", "restitution and friction", "damper", "stiction"],
)
def test_only_damping_and_friction_take_energy(law, values, friction, mode):
    """What elastic forces do over a touch is nothing with damping and friction, too."""
    results, nodes = random_collisions(("FRUSTUM", "BOX"), 12, BOUNCE / 100, law, values, friction, mode)
    assert np.all(changes_of_energy(results, nodes) < 0.0)
    kept = results.values["th/inter"]["EKEPT"][-1]
    assert np.max(np.abs(kept)) <= 2e-4 * MASS * SPEED**2
    assert np.max(np.abs(results.imbalance())) <= 1e-13 * len(nodes)
    check_momenta(results, 2 * len(nodes))


def test_what_is_owed_is_taken_back_with_the_steps():
    """The automatic step is halved as contacts turn out stiff, and steps are repeated: all energy is accounted for."""
    results, nodes = random_collisions(("FRUSTUM", "BOX"), 8, None, "impact", (1e8, 1.5))
    assert any("halved" in message for message in results.simulation.messages)
    assert np.quantile(np.abs(changes_of_energy(results, nodes)), 0.9) <= 0.01
    energy = kinetic(results, tuple(node for pair in nodes for node in pair))
    assert energy[-1] - energy[0] == pytest.approx(results.scalar("energy", "contact_error")[-1], abs=1e-12)
    assert abs(results.scalar("energy", "contact_elastic")[-1]) <= 1e-12


# ---- the force -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["elastic_fru", "elastic_boxcyl2", "elastic_boxbox"])
def test_the_force_is_continuous_in_time(name: str):
    """Its largest change from step to step, where the debt is returned, shrinks with the step."""
    changes = []
    for dt in (4e-5, 1e-5):
        results = run(DEFECTS / f"{name}.rad", dt=dt, every=dt)
        force = np.stack([results.values["th/inter"][f"FN{axis}"][:, 0] for axis in "XYZ"], axis=1)
        assert results.values["th/inter"]["EOWED"].max() > 0.01
        changes.append(np.linalg.norm(np.diff(force, axis=0), axis=1).max() / np.linalg.norm(force, axis=1).max())
    assert changes[1] <= changes[0] / 3
    assert changes[1] <= 0.03


# ---- what is a gradient already --------------------------------------------------------------------------------


def bouncing(kind: str, sizes: tuple[float, ...], height: float, axes: str = "") -> Results:
    """A solid without spin that falls on the middle of a large box and bounces, without damping."""
    deck = ContactDeck(0.5, 1e-4, 1e-3)
    table = deck.solid("BOX", 0, 1.0, 1.0, 0.2, centre=(0.0, 0.0, -0.1))
    node = deck.free_body((0.03, 0.02, height + 0.005), 1.0, (1e-3, 2e-3, 3e-3))
    if axes:
        deck.block("/SKEW/FIX/1", "axes", "0, 0, 0", *axes.split("; "))
    deck.impact((deck.solid(kind, node, *sizes, skew=1 if axes else 0), table), 1e6, 1.5)
    deck.gravity([node], "Z", -9.81)
    return run(deck)


@pytest.mark.parametrize(
    "kind, sizes, height, axes, points",
    [
        ("BOX", (0.1, 0.08, 0.06), 0.03, "", 4),
        ("CYLINDER", (0.04, 0.1), 0.05, "", 4),
        ("CYLINDER", (0.04, 0.1), 0.04, "1, 0, 0; 0, 1, 0", 2),
    ],
    ids=["box on a face", "standing cylinder", "lying cylinder"],
)
def test_solids_on_a_large_face_owe_nothing(kind, sizes, height, axes, points):
    """Their force is that of the law times the number of points, and nothing else."""
    results = bouncing(kind, sizes, height, axes)
    assert results.of("th/inter", "NPATCH", 1).max() == points
    assert results.of("th/inter", "EOWED", 1)[-1] == 0.0
    expected = -points * 1e6 * results.of("th/inter", "PEN", 1) ** 1.5
    force = np.abs(results.of("th/inter", "FNZ", 1))
    np.testing.assert_allclose(force, -expected, rtol=1e-9, atol=1e-9)


def test_a_stack_that_hangs_over_its_borders_stays_at_rest():
    """Each box lies across the border of the one below, so that its corners are cut; friction holds them."""
    deck = ContactDeck(1.0, 1e-4, 0.01)
    solids, nodes = [deck.solid("BOX", 0, 1.0, 1.0, 0.2, centre=(0.0, 0.0, -0.1))], []
    for k, off in enumerate((0.0, 0.02, 0.03)):
        node, solid = deck.box((off, 0.3 * off, 0.03 + 0.06 * k), 1.0, (0.1, 0.08, 0.06))
        nodes.append(node)
        solids.append(solid)
    deck.impact((deck.together(solids), 0), 1e6, 1.5, 300.0, 1e-5, (0.4, 0.3, 0.001, 0.01, None, None), 4)
    deck.gravity(nodes, "Z", -9.81)
    results = run(deck)
    late = results.times > 0.7
    for node in nodes:
        assert np.ptp(results.node_vector("", node)[late], axis=0).max() <= 2e-5
    assert results.of("th/inter", "FNZ", 1).shape == results.times.shape
    assert results.of("th/inter", "EOWED", 1)[-1] <= 1e-4 * 3.0 * 9.81 * 0.06


# ---- the net ---------------------------------------------------------------------------------------------------


def test_what_a_contact_kept_after_it_ended_is_an_error_of_the_balance():
    """A ball at 20 steps a bounce: nothing is stored any more, and what it lost in kinetic energy is the error."""
    deck = ContactDeck(0.04, 3e-4, 1e-3)
    node, ball = deck.ball((0.0, 0.0, 0.1005), 1.0, 0.1, (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))
    deck.impact((ball, deck.solid("PLANE", 0)), 1e6, 1.5)
    results = run(deck)
    lost = 0.5 * (results.node("VZ", node)[-1] ** 2 - 1.0)
    assert 1e-6 < abs(lost) < 1e-3
    assert results.scalar("energy", "error")[-1] == pytest.approx(lost, abs=1e-14)
    assert results.scalar("energy", "contact_error")[-1] == pytest.approx(lost, abs=1e-14)
    assert results.of("th/inter", "EKEPT", 1)[-1] == pytest.approx(lost, abs=1e-14)
    assert abs(results.scalar("energy", "contact_elastic")[-1]) <= 1e-14
    assert math.isclose(results.simulation.dt, 3e-4)
