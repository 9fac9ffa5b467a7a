"""Meshes that touch: what exact solids say, what is kept, and what is written."""

import math
from functools import cache

import numpy as np
import pytest
from contact_decks import ContactDeck
from gsolve.solver.contact import mesh_records, mesh_setup
from gsolve.solver.geometry.mesh.pair_records import new_scratch
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, SPHERE
from gsolve.solver.run.simulation import SimulationError
from mesh_accuracy import on_each_other, on_half_space
from mesh_parts import collision
from running import Results, observed_order, run
from scipy.spatial.transform import Rotation

STEEL = (2e-3, 3e-3, 4e-3)  # principal moments of inertia of 1 kg
DEPTH = 2e-4
SLAB = (0.5, 0.6, 0.1)  # half lengths


def slab(deck: ContactDeck, kind: str) -> int:
    """A ground whose top is at z = 0."""
    if kind == "PLANE":
        return deck.solid("PLANE", 0, 0.0, 0.0, 1.0)
    if kind == "BOX":
        return deck.solid("BOX", 0, *(2 * half for half in SLAB), centre=(0.0, 0.0, -SLAB[2]))
    return deck.mesh(0, tessellate(BOX, SLAB, 0.2), centre=(0.0, 0.0, -SLAB[2]))


def force_and_point(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Of the first sample."""
    return tuple(np.array([results.of("th/inter", f"{name}{axis}", 1)[0] for axis in "XYZ"]) for name in ("FN", "P"))


# ---- beside exact solids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ground", ["PLANE", "BOX", "MESH"])
def test_meshed_sphere_rests_on_a_slab_as_an_exact_one(ground):
    errors = []
    for edge in (0.02, 0.01, 0.005):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        node = deck.free_body((0.0123, 0.0341, 0.05 - 1e-4), 1.0, STEEL)
        turned = tessellate(SPHERE, (0.05, 0.0, 0.0), edge).moved(
            Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix(), np.zeros(3)
        )
        deck.impact((deck.mesh(node, turned), slab(deck, ground)), 1e6, 1.0)
        results = run(deck)
        force, point = force_and_point(results)
        assert np.abs(force[:2]).max() < 1e-3 * force[2]
        np.testing.assert_allclose(point, (0.0123, 0.0341, -0.5e-4), atol=2e-5 * (edge / 0.005) ** 2)
        errors.append(abs(results.of("th/inter", "PEN", 1)[0] - 1e-4))
        assert force[2] == pytest.approx(1e6 * results.of("th/inter", "PEN", 1)[0], rel=1e-3)
    assert errors[2] < 1e-7
    assert errors[2] < errors[0] / 2**6  # order 3 at least


def two(
    deck: ContactDeck, kinds: tuple[str, str], meshed: tuple[bool, bool], apart: float, edge: float, turn: float
) -> None:
    """Two solids along x, at random attitudes."""
    sizes = {"SPHERE": (0.05,), "ELLIPSOID": (0.07, 0.05, 0.04)}
    numbers = {"SPHERE": SPHERE, "ELLIPSOID": ELLIPSOID}
    sides = []
    for k, (kind, as_mesh) in enumerate(zip(kinds, meshed, strict=True)):
        attitude = Rotation.from_rotvec([0.2 + k, turn, 0.7 - k]).as_matrix()
        node = deck.free_body((k * apart, 0.0, 0.0), 1.0, STEEL)
        size = (*sizes[kind], 0.0, 0.0)[:3]
        if as_mesh:
            sides.append(deck.mesh(node, tessellate(numbers[kind], size, edge).moved(attitude, np.zeros(3))))
        else:
            deck.block(
                f"/SKEW/FIX/{k + 1}",
                "axes",
                "0, 0, 0",
                *(", ".join(map(repr, attitude[:, c].tolist())) for c in (1, 2)),
            )
            sides.append(deck.solid(kind, node, *sizes[kind], skew=k + 1))
    deck.impact((sides[0], sides[1]), 1e6, 1.0)


@cache
def distance_of(kinds: tuple[str, str]) -> float:
    """At which exact solids reach into each other by DEPTH."""
    distance = 0.0995 if kinds == ("SPHERE", "SPHERE") else 0.108
    for _ in range(6):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        two(deck, kinds, (False, False), distance, 0.0, 0.4)
        results = run(deck)
        force, _ = force_and_point(results)
        distance += 0.95 * (results.of("th/inter", "PEN", 1)[0] - DEPTH) * np.linalg.norm(force) / abs(force[0])
    return distance


@pytest.mark.parametrize("kinds", [("SPHERE", "SPHERE"), ("SPHERE", "ELLIPSOID"), ("ELLIPSOID", "ELLIPSOID")])
def test_round_meshes_touch_as_exact_solids_do(kinds):
    found = {}
    for meshed in ((False, False), (True, False), (False, True), (True, True)):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        two(deck, kinds, meshed, distance_of(kinds), 0.004, 0.4)
        results = run(deck)
        found[meshed] = (*force_and_point(results), results.of("th/inter", "PEN", 1)[0])
    force, point, depth = found[False, False]
    assert depth == pytest.approx(DEPTH, rel=0.05)
    for meshed in ((True, False), (False, True), (True, True)):
        np.testing.assert_allclose(found[meshed][0], force, atol=4e-3 * np.linalg.norm(force))
        np.testing.assert_allclose(found[meshed][1], point, atol=1e-4)
        assert found[meshed][2] == pytest.approx(depth, rel=3e-3)


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "cylinder", "box"])
def test_depth_and_force_at_random_attitudes_converge(name):
    """On a half space, of third order at least; corners are right whatever the triangles are."""
    attitudes = Rotation.random(2, rng=np.random.default_rng(1)).as_matrix()
    edges = (0.012, 0.006)
    found = [np.sqrt(np.mean([on_half_space(name, edge, a) ** 2 for a in attitudes], axis=0)) for edge in edges]
    depth, force, point, moment = found[1]
    assert depth < 5e-7 and force < 5e-3 and point < 3e-5 and moment < 2e-3
    if name == "box":
        assert depth < 1e-12
    else:
        assert observed_order([errors[0] for errors in found], list(edges)) > 2.5


@pytest.mark.parametrize("names", [("sphere", "ellipsoid"), ("sphere", "cylinder"), ("sphere", "box")])
def test_meshes_at_random_attitudes_touch_as_exact_solids_do(names):
    random = np.random.default_rng(1)
    way = random.normal(size=3)
    pose = Rotation.random(2, rng=random).as_matrix(), way / np.linalg.norm(way)
    depth, force, point, moment = on_each_other(names, 0.006, *pose)
    assert depth < 1.5e-6 and force < 1e-2 and point < 4e-5 and moment < 1e-3


def test_tessellated_solids_touch_as_exact_ones():
    kinds = ("SPHERE", "ELLIPSOID")
    found = []
    for analytical in (0, 2):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        deck.analytical = analytical
        two(deck, kinds, (False, False), distance_of(kinds), 0.0, 0.4)
        results = run(deck)
        found.append(force_and_point(results))
    force = found[0][0]
    np.testing.assert_allclose(found[1][0], force, atol=4e-3 * np.linalg.norm(force))
    assert not np.array_equal(found[1][0], force)


@pytest.mark.parametrize("ground", ["PLANE", "BOX", "MESH"])
@pytest.mark.parametrize("kind", ["BOX", "CYLINDER"])
def test_what_lies_on_a_face_or_a_line_does_not_rock(kind, ground):
    deck = ContactDeck(0.2, None, 1e-3)
    weight, stiffness = 9.81, 1e6
    size, number, height = {"BOX": ((0.15, 0.1, 0.02), BOX, 0.02), "CYLINDER": ((0.05, 0.05, 0.1), CYLINDER, 0.05)}[
        kind
    ]
    attitude = np.eye(3) if kind == "BOX" else Rotation.from_rotvec([0.0, math.pi / 2, 0.0]).as_matrix()
    node = deck.free_body((0.01, 0.02, height - weight / stiffness), 1.0, STEEL)
    mesh = deck.mesh(node, tessellate(number, size, 0.02).moved(attitude, np.zeros(3)))
    deck.gravity([node], "Z", -weight)
    deck.impact((mesh, slab(deck, ground)), stiffness, 1.0, 100.0, 1e-5, (0.5, 0.4, 1e-3, 1e-2), 4)
    results = run(deck)
    # heights are rounded by 1e-17 m, which is 1e-11 N at each of some ten points, at 0.1 m, for 0.2 s on 1e-3 kg m2
    assert np.abs(results.node_vector("VR", 1)).max() < 1e-8
    assert np.abs(results.node_vector("V", 1)[:, :2]).max() < 1e-9
    assert results.of("th/inter", "FNZ", 1)[-1] == pytest.approx(weight, rel=1e-5)
    assert results.of("th/inter", "NPATCH", 1)[-1] == 1


# ---- what is kept ------------------------------------------------------------------------------------------------


def kinetic_energy(results: Results) -> np.ndarray:
    return results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")


@pytest.mark.parametrize(
    "one, other",
    [
        ("box", "sphere"),
        ("box", "cylinder"),
        ("box", "frustum"),
        ("sphere", "ellipsoid"),
        ("cylinder", "cylinder"),
        ("ellipsoid", "frustum"),
        ("L", "T"),
        ("U", "blob"),
        ("tube", "box"),
        ("torus", "tube"),
    ],
)
def test_elastic_collision_of_meshes_keeps_momentum_and_energy(one, other):
    results = run(collision(one, other, 1))
    energy, linear, angular = kinetic_energy(results), results.momentum(), results.angular_momentum()
    depth = results.of("th/inter", "PEN", 1)
    parted = np.flatnonzero(depth == 0.0)[-1]
    assert depth[:parted].max() > 1e-4
    assert energy[parted] == pytest.approx(energy[0], rel=1e-3)
    assert np.abs(linear - linear[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 1e-12
    assert np.abs(results.imbalance()).max() < 1e-6  # what turning in steps makes of it


@pytest.mark.parametrize("one, other", [("box", "frustum"), ("sphere", "ellipsoid"), ("cylinder", "cylinder")])
def test_layers_on_meshes_have_a_potential(one, other):
    energy = kinetic_energy(run(collision(one, other, 3, law="volume")))
    assert energy[-1] == pytest.approx(energy[0], rel=1e-3)


def test_layer_on_a_flat_face_has_the_force_of_its_area():
    deck = ContactDeck(1e-6, 1e-6, 1e-6)
    node = deck.free_body((0.0123, 0.0341, 0.02 - 1e-4), 1.0, STEEL)
    deck.volume((deck.mesh(node, tessellate(BOX, (0.15, 0.1, 0.02), 0.03)), slab(deck, "PLANE")), 1e8, 0.01, 1.0, 0.0)
    results = run(deck)
    assert results.of("th/inter", "AREA", 1)[0] == pytest.approx(0.3 * 0.2, rel=1e-9)
    assert results.of("th/inter", "FNZ", 1)[0] == pytest.approx(0.5e8 / 0.01 * 0.06 * 1e-4, rel=1e-9)


def test_layer_on_a_sphere_has_the_integral_over_its_cap():
    deck, depth, radius = ContactDeck(1e-6, 1e-6, 1e-6), 1e-3, 0.05
    node = deck.free_body((0.0123, 0.0341, radius - depth), 1.0, STEEL)
    deck.volume(
        (deck.mesh(node, tessellate(SPHERE, (radius, 0.0, 0.0), 0.004)), slab(deck, "PLANE")), 1e8, 0.01, 1.0, 0.0
    )
    # the integral of depth over the circle of the section
    assert run(deck).of("th/inter", "FNZ", 1)[0] == pytest.approx(0.5e8 / 0.01 * math.pi * radius * depth**2, rel=0.02)


# ---- roles -------------------------------------------------------------------------------------------------------


def test_either_mesh_may_be_the_master_or_both():
    forces = []
    for master in range(4):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        deck.master = master
        two(deck, ("SPHERE", "SPHERE"), (True, True), 0.0995, 0.006, 0.4)
        results = run(deck)
        forces.append(force_and_point(results)[0])
        assert results.of("th/inter", "NPATCH", 1)[0] == (2 if master == 3 else 1)
    np.testing.assert_allclose(forces[1:], [forces[0]] * 3, atol=2e-3 * np.linalg.norm(forces[0]))
    assert not np.array_equal(forces[1], forces[2])


def test_vertices_alone_miss_the_depth_between_them():
    depths = []
    for mode in (0, 1):
        deck = ContactDeck(1e-6, 1e-6, 1e-6)
        deck.node_mode = mode
        node = deck.free_body((0.0, 0.0, 0.05 - 5e-4), 1.0, STEEL)
        turned = tessellate(SPHERE, (0.05, 0.0, 0.0), 0.008).moved(
            Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix(), np.zeros(3)
        )
        deck.impact((deck.mesh(node, turned), slab(deck, "PLANE")), 1e6, 1.0)
        depths.append(run(deck).of("th/inter", "PEN", 1)[0])
    assert depths[0] == pytest.approx(5e-4, rel=1e-3)
    assert 0.0 < depths[0] - depths[1] < 0.008**2 / (6 * 0.05)  # a vertex is no further than the edge over root 3


# ---- friction ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [1, 2, 4])
def test_friction_of_a_disc_that_turns_on_a_face(mode):
    deck = ContactDeck(2e-3, 1e-5, 1e-5)
    inertia, load, radius = 1e-3, 1000.0, 0.05
    node = deck.free_body((0.0, 0.0, 0.02 - load / 1e7), 1.0, (inertia,) * 3, (0.0, 0.0, 0.0), (0.0, 0.0, 50.0))
    mesh = deck.mesh(node, tessellate(CYLINDER, (radius, radius, 0.02), 0.005))
    deck.load(node, "Z", -load)
    friction = (0.3, 0.3, 1e-3, 1e-3, 1e8, 1.0) if mode == 4 else (0.3, 0.3, 1e-3, 1e-3)
    deck.impact((mesh, slab(deck, "PLANE")), 1e7, 1.0, 100.0, 1e-5, friction, mode)
    results = run(deck)
    turning, load = results.of("th/inter", "MZ", 1)[10:], results.of("th/inter", "FNZ", 1)[10:]
    np.testing.assert_allclose(turning, -2 / 3 * 0.3 * load * radius, rtol=0.01)
    slowing = np.gradient(results.node("VRZ", 1), results.times)[11:-1]
    np.testing.assert_allclose(slowing * inertia, turning[1:-1], rtol=0.01)
    assert np.abs(results.node_vector("V", 1)[:, :2]).max() < 1e-6


def test_block_on_an_incline_stays_by_stiction_and_slides_without():
    moved = []
    for friction in (0.6, 0.4):  # tan of the slope is 0.5
        deck = ContactDeck(0.3, None, 0.01)
        node = deck.free_body((0.0, 0.0, 0.02 - 8.77e-6), 1.0, STEEL)
        mesh = deck.mesh(node, tessellate(BOX, (0.15, 0.1, 0.02), 0.05))
        deck.load(node, "Z", -8.77)
        deck.load(node, "X", 4.385)
        deck.impact((mesh, slab(deck, "MESH")), 1e6, 1.0, 300.0, 1e-6, (friction, friction, 1e-3, 1e-2), 4)
        results = run(deck)
        moved.append(results.node("DX", 1)[-1])
    assert abs(moved[0]) < 5e-5
    assert moved[1] == pytest.approx(0.5 * (4.385 - 0.4 * 8.77) * 0.3**2, rel=0.02)


# ---- what must make no difference --------------------------------------------------------------------------------


def two_machines(every: float, friction: int = 1) -> ContactDeck:
    """Two balls of meshes that hop on one meshed ground, each by an interface of its own."""
    deck = ContactDeck(0.05, 5e-5, every)
    ground = slab(deck, "MESH")
    for k in range(2):
        node = deck.free_body((0.2 * k - 0.1, 0.03, 0.051), 1.0, STEEL, (0.3, 0.1, -1.0), (3.0 * k, 5.0, 1.0))
        mesh = deck.mesh(
            node, tessellate(SPHERE if k else BOX, (0.05, 0.05, 0.05) if not k else (0.05, 0.0, 0.0), 0.01)
        )
        deck.gravity([node], "Z", -9.81)
        deck.poisson((mesh, ground), 1e6, 0.7, 0.01, (0.3, 0.2, 1e-2, 1e-1), friction)
    return deck


def test_areas_are_found_at_samples_whatever_lies_between_them():
    each, some = run(two_machines(5e-5, friction=0)), run(two_machines(5e-4, friction=0))
    for k in (1, 2):
        area = each.of("th/inter", "AREA", k)
        assert area.max() > 0.0
        assert np.array_equal(area[::10], some.of("th/inter", "AREA", k))


def test_sampling_and_threads_do_not_change_a_bit():
    reference = run(two_machines(5e-5))
    for results in (run(two_machines(5e-3)), run(two_machines(5e-5), threads=2)):
        for node in (1, 2):
            for quantity in ("", "V", "VR"):
                assert np.array_equal(
                    results.node_vector(quantity, node)[-1], reference.node_vector(quantity, node)[-1]
                )


def test_buffers_that_grow_change_nothing_but_rounding(monkeypatch):
    reference = run(collision("box", "cylinder", 3))
    monkeypatch.setattr(mesh_setup, "POOL", 64)
    monkeypatch.setattr(mesh_setup, "SEEDS", 2)
    monkeypatch.setattr(mesh_setup, "new_scratch", lambda: new_scratch(1, 1))
    results = run(collision("box", "cylinder", 3))
    meshes = results.simulation._assembly.system.contacts.meshes
    assert meshes.pools["end"][0] > 64 and len(meshes.pairs.seeds) > 2 and len(meshes.scratch.carriers) > 1
    for quantity in ("V", "VR"):
        np.testing.assert_allclose(
            results.node_vector(quantity, 1)[-1], reference.node_vector(quantity, 1)[-1], rtol=1e-9, atol=1e-9
        )


def test_a_pair_beyond_all_buffers_ends_the_run_with_its_name(monkeypatch):
    """The second of two balls, where one triangle more than there is room for lies below the ground."""
    monkeypatch.setattr(mesh_setup, "new_scratch", lambda: new_scratch(1, 1))
    monkeypatch.setattr(mesh_records, "MOST_ITEMS", 1)
    deck, balls = ContactDeck(0.05, 1e-4, 1e-3), []
    for k in range(2):
        node = deck.free_body((0.2 * k - 0.1, 0.03, 0.051), 1.0, STEEL, (0.0, 0.0, -1.0 * k))
        balls.append(deck.mesh(node, tessellate(SPHERE, (0.05, 0.0, 0.0), 0.01)))
    deck.impact((deck.together(balls), slab(deck, "MESH")), 1e6, 1.0)
    start = r"^the contact of solids 2 \(MESH\) and 4 \(MESH\) in /INTER/IMPACT/1 'contact' has more to it at step "
    with pytest.raises(
        SimulationError, match=start + r"\d+, t = 0\.001\d* s than buffers of \d+ nodes and triangles hold"
    ):
        run(deck)


def test_nothing_is_lost_far_from_the_origin():
    found = []
    for far in (0.0, 1000.0):
        deck = ContactDeck(2e-3, 1e-5, 1e-5)
        node = deck.free_body((far + 0.0123, far + 0.0341, far + 0.05), 1.0, STEEL, (0.0, 0.0, -1.0), (1.0, 2.0, 3.0))
        mesh = deck.mesh(node, tessellate(SPHERE, (0.05, 0.0, 0.0), 0.01))
        ground = deck.mesh(0, tessellate(BOX, SLAB, 0.2), centre=(far, far, far - SLAB[2]))
        deck.impact((mesh, ground), 1e6, 1.0)
        found.append(run(deck))
    np.testing.assert_allclose(found[1].node_vector("V", 1)[-1], found[0].node_vector("V", 1)[-1], atol=1e-8)


# ---- the rest of what interfaces have ------------------------------------------------------------------------------


def test_force_curve_between_meshes():
    deck = ContactDeck(1e-6, 1e-6, 1e-6)
    node = deck.free_body((0.0123, 0.0341, 0.05 - 1e-4), 1.0, STEEL)
    mesh = deck.mesh(node, tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005))
    deck.force_curve((mesh, slab(deck, "MESH")), [(0.0, 0.0), (1e-3, 1e3)])
    assert run(deck).of("th/inter", "FNZ", 1)[0] == pytest.approx(100.0, rel=2e-3)


def test_meshes_deeper_than_pen_max_do_not_touch():
    deck = ContactDeck(1e-6, 1e-6, 1e-6)
    node = deck.free_body((0.0123, 0.0341, 0.05 - 1e-3), 1.0, STEEL)
    mesh = deck.mesh(node, tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005))
    deck.impact((mesh, slab(deck, "MESH")), 1e6, 1.0)
    results = run(deck, edit=lambda model: setattr(model.contacts[0], "greatest_penetration", 5e-4))
    assert results.of("th/inter", "NPATCH", 1)[0] == 0
    assert any("solids 1 and 2 overlap" in warning.message for warning in results.simulation.warnings)


def test_many_meshes_and_solids_in_one_interface():
    deck = ContactDeck(0.3, None, 0.01)
    parts, random = [slab(deck, "PLANE")], np.random.default_rng(5)
    for k in range(6):
        node = deck.free_body((0.02 * (k % 2), 0.01 * (k % 3), 0.06 + 0.09 * k), 1.0, (1e-3,) * 3)
        deck.gravity([node], "Z", -9.81)
        if k % 3 == 2:
            parts.append(deck.solid("SPHERE", node, 0.04))
        else:
            kind, size = ((BOX, (0.04, 0.03, 0.04)), (ELLIPSOID, (0.05, 0.04, 0.04)))[k % 2]
            attitude = Rotation.from_rotvec(random.uniform(-1.0, 1.0, 3)).as_matrix()
            parts.append(deck.mesh(node, tessellate(kind, size, 0.01).moved(attitude, np.zeros(3))))
    deck.impact((deck.together(parts), 0), 1e5, 1.5, 300.0, 1e-4, (0.3, 0.3, 1e-2, 1e-2), 1)
    results = run(deck)
    assert results.node("Z", 1)[-1] < 0.06
    assert all(results.node("Z", k)[-1] > 0.01 for k in range(1, 7))
    assert np.abs(results.imbalance()).max() < 1e-4 * np.abs(results.scalar("energy", "gravity")).max()


def test_routines_get_the_patches_of_meshes():
    head = "(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag)"
    deck = ContactDeck(1e-6, 1e-6, 1e-6)
    (deck.folder / "routines.py").write_text(f"def CNFSUB{head}:\n    return [-par[0] * gap, 0.0, 0.0]\n")
    node = deck.free_body((0.0123, 0.0341, 0.05 - 1e-4), 1.0, STEEL)
    mesh = deck.mesh(node, tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005))
    deck.routine((mesh, slab(deck, "PLANE")), "routines.py", (1e6,))
    assert run(deck).of("th/inter", "FNZ", 1)[0] == pytest.approx(100.0, rel=2e-3)
