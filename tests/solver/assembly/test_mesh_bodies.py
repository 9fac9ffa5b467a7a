"""Meshes on their bodies: where they stand, and the mass that solids with a density bring."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import DeckError, read_deck
from gsolve.solver.assembly import mesh_checks
from gsolve.solver.assembly.assemble import assemble
from gsolve.solver.assembly.assembly import Assembly
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.results.mesh_report import mesh_reports
from mesh_samples import as_set, box, off_text, shifted, sphere, stl_bytes, tetrahedron, together
from parser_decks import ENGINE, deck
from scipy.spatial.transform import Rotation

NODES = "/NODE\n1,1,2,3\n2,4,5,6\n3,0,0,0\n"
TURN = Rotation.from_rotvec([0.3, -0.7, 0.4]).as_matrix()  # columns x', y', z'
SKEW = "/SKEW/FIX/7\naxes of the part\n0,0,0\n{}\n{}\n".format(
    *(",".join(map(repr, TURN[:, k].tolist())) for k in (1, 2))
)


def body(
    main: int = 1, mass: float = 0.0, inertia: float = 0.0, *, id: int = 1, group: int = 0, centre: int = 1
) -> str:
    return f"/RBODY/{id}\nbody\n{main},0,0,3,{mass},{group},0,{centre}\n" + f"{inertia},{inertia},{inertia}\n0,0,0\n"


def mesh(file: str, node: int = 1, *, id: int = 1, skew: int = 0, flip: int = 0, scale: float = 1.0, density: str = "",
         origin: str = "0,0,0") -> str:  # fmt: skip
    return f"/SURF/MESH/{id}\npart\n{node},{skew},{flip}\n{scale!r},,{density}\n{origin}\n{file}\n"


def group(id: int, *nodes: int) -> str:
    return f"/GRNOD/NODE/{id}\nnodes\n{','.join(map(str, nodes))},\n"


GRAVITY = "/GRAV/1\nweight\n0,Z,0,0,0,1,-9.81\n"


@pytest.fixture
def build(tmp_path: Path):
    (tmp_path / "part.off").write_text(off_text(shifted(box(1, 2, 3), 0.5, 0.25, 0.0)))
    (tmp_path / "cube.off").write_text(off_text(box(1, 1, 1)))

    def build(*blocks: str, **options: str) -> Assembly:
        path = tmp_path / "machine.rad"
        path.write_text(deck(*blocks, GRAVITY, nodes=options.pop("nodes", NODES), engine=ENGINE, **options))
        return assemble(read_deck(path), "documented")

    return build


def properties(assembly: Assembly, main: int = 1):
    """Mass, mass centre, inertia about it of the body with a main node."""
    (plan,) = (p for p in assembly.bodies if p is not None and assembly.model.nodes.ids[p.main_node] == main)
    return plan.mass, plan.reference, plan.inertia


def in_global_axes(assembly: Assembly, k: int = 0):
    found = assembly.meshes[k]
    return shifted(found.triangles, *assembly.system.bodies["centre"][found.body])


# Where they stand


def test_a_mesh_stands_where_scale_skew_and_origin_put_it(build):
    found = build(body(1, 2.0, 1.0), SKEW, mesh("part.off", skew=7, scale=0.1, origin="1,2,3"))
    drawn = shifted(box(1, 2, 3), 0.5, 0.25, 0.0).scaled(0.1)
    expected = shifted(drawn, 1, 2, 3).moved(TURN, [1, 2, 3])
    np.testing.assert_allclose(in_global_axes(found).corners(), expected.corners(), atol=1e-14)
    assert found.meshes[0].body == 1 and found.meshes[0].pieces == 1
    assert mass_properties(found.meshes[0].triangles, 1.0).volume == pytest.approx(6e-3)


def test_lengths_and_the_scale_are_converted(build):
    cube = mesh("cube.off", scale=2.0, origin="10,0,0", density="7.85e-9")
    nodes = "/NODE\n1,1000,2000,3000\n2,0,0,0\n3,0,0,0\n"
    found = build(body(), cube, units="Mg,mm,s", work="kg,m,s", nodes=nodes)
    np.testing.assert_allclose(
        in_global_axes(found).bounds(), [[1.009, 1.999, 2.999], [1.011, 2.001, 3.001]], rtol=1e-14
    )
    mass, centre, inertia = properties(found)
    assert mass == pytest.approx(7850 * 8e-9, rel=1e-12)
    np.testing.assert_allclose(centre, [1.01, 2, 3], rtol=1e-14)
    np.testing.assert_allclose(inertia, mass * 4e-6 / 6 * np.eye(3), rtol=1e-11, atol=1e-25)


def test_meshes_of_the_ground_and_of_held_bodies_stand_in_global_axes(build):
    held = "/BCS/1\nheld\n111 111,0,9\n" + group(9, 2)
    found = build(mesh("cube.off", 0, origin="5,0,0"), mesh("cube.off", 2, id=2), body(2, 1.0, 1.0), held,
                  body(1, 1.0, 1.0, id=2))  # fmt: skip
    assert [m.body for m in found.meshes] == [0, 0]
    assert found.meshes[0].triangles.bounds().mean(axis=0).tolist() == [5, 0, 0]
    assert found.meshes[1].triangles.bounds().mean(axis=0).tolist() == [4, 5, 6]


def test_what_icog_moves_takes_a_mesh_along_unless_that_brings_the_mass(build):
    """Node 1 and the mass 1 on node 2: the mass centre lies halfway or, with a cube of mass 1 on node 1, there too."""
    extra = "/ADMAS/0/1\nmass\n1.0,2\n" + group(2, 2)
    moved = build(body(1, 1.0, 1.0, group=2), extra, mesh("cube.off"))
    np.testing.assert_allclose(in_global_axes(moved).bounds().mean(axis=0), [2.5, 3.5, 4.5])
    assert "stands 2.59808 m from where it was drawn" in moved.diagnostics[0].message
    stays = build(body(1, group=2), extra, mesh("cube.off", density="1"))
    np.testing.assert_allclose(properties(stays)[1], [2.5, 3.5, 4.5])
    np.testing.assert_allclose(in_global_axes(stays).bounds().mean(axis=0), [1, 2, 3])
    assert stays.diagnostics == []


def test_flipped_meshes_are_taken_as_they_are_then(build):
    found = build(body(1, 1.0, 1.0), mesh("cube.off", flip=1), mesh("cube.off", id=2))
    volumes = [mass_properties(m.triangles, 1.0).volume for m in found.meshes]
    assert volumes == pytest.approx([-1.0, 1.0]) and found.diagnostics == []
    assert [report.hollow for report in mesh_reports(found)] == [True, False]


def test_a_file_is_read_once_however_many_bodies_have_it(build, monkeypatch):
    read = []
    monkeypatch.setattr(mesh_checks, "read_mesh_file", lambda path: read.append(path) or box(1, 1, 1).turned())
    bodies = "".join(body(k, 1.0, 1.0, id=k) for k in (1, 2, 3))
    found = build(bodies, *(mesh("cube.off", k, id=k) for k in (1, 2, 3)))
    assert len(read) == 1 and len(found.diagnostics) == 1
    assert found.meshes[0].triangles.triangles is found.meshes[2].triangles.triangles


def test_absurdly_large_meshes_are_refused_before_they_are_read(build, monkeypatch):
    for name, most in (("MOST_BYTES", 400), ("MOST_TRIANGLES", 20)):
        with monkeypatch.context() as patch:
            patch.setattr(mesh_checks, name, most)
            with pytest.raises(DeckError) as caught:
                build(body(1, 1.0, 1.0), mesh("cube.off"), mesh("part.off", id=2), mesh("cube.off", id=3))
            (error,) = (d for d in caught.value.diagnostics if d.severity == "error")
            assert "of the deck" in error.message and error.keyword == "/SURF/MESH"


# Surfaces of elements

CORNERS = "/NODE\n" + "".join(f"{10 + 4 * z + k},{x},{y},{z}\n" for z in (0, 1) for k, (x, y) in enumerate(
    ((0, 0), (1, 0), (1, 1), (0, 1))))  # fmt: skip
VOID = "/PART/1\nskin\n1,1\n/MAT/VOID/1\nvoid\n/PROP/VOID/1\nvoid\n"
CUBE_GROUP = "/GRNOD/GENE/5\ncorners\n10,17\n"
FLOOR = "/SURF/PLANE_SOLID/99\nfloor\n0\n,\n/INTER/IMPACT/1\ncontact\n{},99\n,\n1e6,1.5\n"


def surface_of(build, *blocks: str, id: int = 1):
    """The mesh of a surface of elements, which an interface has to name."""
    found = build(CORNERS, CUBE_GROUP, body(1, 1.0, 1.0, group=5), VOID, *blocks, FLOOR.format(id))
    assert found.diagnostics == [] and len(found.meshes) == 1
    return in_global_axes(found)


BRICK = "/BRICK/1\n1,10,11,12,13,14,15,16,17\n"
SHELLS = "/SHELL/1\n1,10,13,12,11\n2,14,15,16,17\n3,10,11,15,14\n4,11,12,16,15\n5,12,13,17,16\n6,13,10,14,17\n"
TETRAS = "/TETRA4/1\n1,10,11,13,14\n2,11,12,13,16\n3,14,16,15,11\n4,14,17,16,13\n5,11,13,14,16\n"


@pytest.mark.parametrize(
    "blocks",
    [
        BRICK + "/SURF/PART/EXT/1\nskin\n1\n",
        BRICK.replace("10,11,12,13,14,15,16,17", "14,15,16,17,10,11,12,13") + "/SURF/MAT/EXT/1\nskin\n1\n",
        SHELLS + "/SURF/PART/1\nskin\n1\n",
        SHELLS + "/SURF/PROP/1\nskin\n1\n",
        SHELLS + "/GRSHEL/SHEL/3\nshells\n1,2,3,4,5,6\n/SURF/GRSHEL/1\nskin\n3\n",
        TETRAS + "/SURF/PART/EXT/1\nskin\n1\n",
        TETRAS + "/GRBRIC/PART/3\nsolids\n1\n/SURF/GRBRIC/1\nskin\n3\n",
        "/SURF/SEG/1\nskin\n" + SHELLS.split("\n", 1)[1],
        "/SURF/SEG/1\nskin\n,10,13,12,11\n,14,15,16,17\n,10,11,15,14\n,11,12,16,15\n,12,13,17,16\n,13,10,14\n,13,14,17\n",
        "/BRICK/1\n1,10,11,13,13,14,15,17,17\n2,11,12,13,13,15,16,17,17\n/SURF/PART/EXT/1\nskin\n1\n",
    ],
    ids=["brick", "brick upside down", "shells", "shells by property", "shells by number", "tetrahedra",
         "tetrahedra of a group", "segments", "segments of three nodes", "bricks that are wedges"],
)  # fmt: skip
def test_elements_of_a_cube_make_a_cube(build, blocks):
    found = surface_of(build, blocks)
    solid = mass_properties(found, 1.0)
    assert (len(found.vertices), len(found.triangles)) == (8, 12)
    assert (solid.volume, solid.area) == pytest.approx((1.0, 6.0), rel=1e-14)
    np.testing.assert_allclose(solid.centre, [0.5] * 3, atol=1e-14)


def test_negative_ids_take_elements_out(build):
    """Of two bricks side by side the first alone, of six shells and one more the six."""
    more = "/NODE\n20,2,0,0\n21,2,1,0\n22,2,0,1\n23,2,1,1\n/GRNOD/NODE/6\nmore\n20,21,22,23\n/GRNOD/GRNOD/5\nall\n6,7\n"
    nodes = more + "/GRNOD/GENE/7\ncorners\n10,17\n"
    second = "/PART/2\nother\n1,1\n/BRICK/2\n2,11,20,21,12,15,22,23,16\n"

    def volume(surface: str) -> float:
        found = build(CORNERS, nodes, body(1, 1.0, 1.0, group=5), VOID, BRICK, second, surface, FLOOR.format(1))
        return mass_properties(found.meshes[0].triangles, 1.0).volume

    assert volume("/SURF/PART/EXT/1\nskin\n1,2\n") == pytest.approx(2.0)
    assert volume("/SURF/MAT/EXT/1\nskin\n1\n") == pytest.approx(2.0)
    assert volume("/SURF/PART/EXT/1\nskin\n1,2,-2\n") == pytest.approx(1.0)
    assert volume("/GRBRIC/BRIC/4\none\n1,2,-1\n/SURF/GRBRIC/1\nskin\n4\n") == pytest.approx(1.0)
    assert volume("/GRBRIC/PART/4\nall\n1,2\n/GRBRIC/BRIC/5\none\n2\n/SURF/GRBRIC/1\nskin\n4,-5\n") == pytest.approx(
        1.0
    )


def test_surfaces_that_nothing_touches_are_not_looked_at(build):
    open_one = "/SURF/SEG/1\nopen\n,10,11,12\n"
    assert build(CORNERS, CUBE_GROUP, body(1, 1.0, 1.0), VOID, open_one).meshes == []


# Mass


def expected_box(density: float, size: np.ndarray, axes: np.ndarray):
    mass = density * float(np.prod(size))
    squares = np.square(size)
    return mass, axes @ np.diag(mass / 12 * (squares.sum() - squares)) @ axes.T


def test_a_skewed_box_off_its_node_by_mesh_and_by_shape(build):
    mass, inertia = expected_box(7.0, np.array([1.0, 2.0, 3.0]), TURN)
    middle = np.array([1.0, 2.0, 3.0]) + TURN @ [1.5, 2.25, 3.0]
    shape = "/SURF/BOX_SOLID/1\nbox\n1,7\n1.5,2.25,3\n1,2,3,7\n"
    for solid in (mesh("part.off", skew=7, origin="1,2,3", density="7"), shape):
        found_mass, centre, found = properties(build(body(), SKEW, solid))
        assert found_mass == pytest.approx(mass, rel=1e-14)
        np.testing.assert_allclose(centre, middle, rtol=1e-14)
        np.testing.assert_allclose(found, inertia, atol=1e-12)


def test_all_shapes_bring_their_mass(build):
    density, sizes = 3.0, {"SPHERE": "2", "CYL": "1,4", "FRUSTUM": "1,2,3", "ELLIPS": "1,2,3"}
    volumes = [32 / 3 * math.pi, 4 * math.pi, 7 * math.pi, 8 * math.pi]
    for (kind, size), volume in zip(sizes.items(), volumes, strict=True):
        found = properties(build(body(), f"/SURF/{kind}_SOLID/1\nit\n1\n,\n{size},{density}\n"))
        assert found[0] == pytest.approx(density * volume, rel=1e-14)
        lowered = 3 * (1 + 4 + 12) / (4 * 7) - 1.5 if kind == "FRUSTUM" else 0.0
        np.testing.assert_allclose(found[1], [1, 2, 3 + lowered], rtol=1e-14)


@pytest.mark.parametrize(("icog", "counted"), [(1, "all"), (2, "all but node 1"), (3, "all"), (4, "on node 1")])
def test_solids_count_by_icog_as_masses_of_elements_do(build, icog, counted):
    """A cube of mass 1 on the main node and one of mass 2 on node 2, 1 added, 4 on node 2."""
    cubes = mesh("cube.off", 1, density="1", origin="1,0,0") + mesh("cube.off", 2, id=2, density="2", origin="0,1,0")
    extra = "/ADMAS/0/1\nmass\n4.0,2\n" + group(2, 2)
    mass, centre, inertia = properties(build(body(1, 1.0, 5.0, group=2, centre=icog), extra, cubes))
    places = np.array([[1, 2, 3], [4, 5, 6], [2, 2, 3], [4, 6, 6]], dtype=float)
    masses, own = np.array([1.0, 4, 1, 2]), np.array([5.0, 0, 1 / 6, 2 / 6])
    if icog == 4:
        places, masses, own = places[[0, 2]], masses[[0, 2]], own[[0, 2]]
    at = places[0]
    if icog <= 2:
        rest = slice(0 if icog == 1 else 1, None)
        at = masses[rest] @ places[rest] / masses[rest].sum()
    if icog == 2:
        places[0] = at
    arms = places - at
    expected = sum(
        m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True)
    ) + own.sum() * np.eye(3)
    assert mass == pytest.approx(masses.sum(), rel=1e-14)
    np.testing.assert_allclose(centre, at, rtol=1e-14)
    np.testing.assert_allclose(inertia, expected, rtol=1e-13, atol=1e-13)


def test_ties_get_the_mass_of_solids_on_their_nodes(build):
    tie = "/RBE2/1\ntie\n1,000 000,0,3\n" + group(3, 2)
    mass, centre, _ = properties(build(tie, mesh("cube.off", 2, density="3"), "/ADMAS/0/1\nm\n1,4\n" + group(4, 1)))
    assert mass == pytest.approx(4.0)
    np.testing.assert_allclose(centre, (np.array([1, 2, 3]) + 3 * np.array([4, 5, 6])) / 4)


def test_a_shape_with_mass_stays_where_it_is_drawn(build):
    extra = "/ADMAS/0/1\nmass\n1.0,2\n" + group(2, 2)
    touching = "/SURF/SPHERE_SOLID/1\nball\n1\n1,0,0\n0.5,{}\n" + FLOOR.format(1)
    for density, place in (("", [3.5, 3.5, 4.5]), ("1", [2, 2, 3])):
        found = build(body(1, 1.0, 1.0, group=2), extra, touching.format(density))
        shape = found.system.contacts.shapes[0]
        if density:
            at = shape["centre"] + found.system.bodies["centre"][shape["body"]]
            np.testing.assert_allclose(at, place)
        else:
            np.testing.assert_allclose(shape["centre"] + found.system.bodies["centre"][shape["body"]], place)


# What check says


def test_reports_have_sizes_in_working_units(build, tmp_path):
    shell = together(sphere(4, 2.0), sphere(4, 1.9).turned())
    (tmp_path / "shell.stl").write_bytes(stl_bytes(shell))
    (tmp_path / "tetra.off").write_text(off_text(tetrahedron()))
    found = build(body(), mesh("shell.stl", scale=0.5, density="2"), mesh("tetra.off", id=2))
    ball, tetra = mesh_reports(found)
    assert (ball.pieces, ball.charts, ball.triangles, ball.vertices) == (
        2,
        2,
        len(shell.triangles),
        len(shell.vertices),
    )
    assert ball.box == pytest.approx([2, 2, 2], rel=1e-6)
    assert ball.volume == pytest.approx(mass_properties(shell, 1.0).volume / 8, rel=1e-6)
    assert ball.mass == pytest.approx(2 * ball.volume) and ball.thinnest == pytest.approx(0.05, rel=0.02)
    assert np.linalg.norm(ball.thinnest_at - [1, 2, 3]) == pytest.approx(1.0, rel=0.06)
    assert (tetra.charts, tetra.mass, tetra.feature_angle) == (4, None, pytest.approx(40.0))
    assert tetra.edges == pytest.approx((1.0, math.sqrt(2)))
    assert as_set(found.meshes[1].triangles) == as_set(
        shifted(tetrahedron(), *(np.array([1, 2, 3]) - properties(found)[1]))
    )


def test_what_is_wrong_with_a_mesh_is_said_each_time_and_what_is_sound_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ball, looked = sphere(1, 0.7), list[bool]()
    check = mesh_checks._check

    def counted(*of, **how):  # type: ignore[no-untyped-def]
        looked.append(True)
        return check(*of, **how)

    monkeypatch.setattr(mesh_checks, "_check", counted)
    (tmp_path / "machine.rad").write_text(deck(mesh("ball.off"), GRAVITY, nodes=NODES, engine=ENGINE))
    for part, warned in ((ball, False), (ball.turned(), True)) * 3:
        (tmp_path / "ball.off").write_text(off_text(part))
        found = mesh_checks.check_meshes(read_deck(tmp_path / "machine.rad"))
        assert ["inward" in message.message for message in found.diagnostics] == [True] * warned
        assert found.own[0] is not None and mass_properties(found.own[0], 1.0).volume > 0.0
    assert len(looked) == 1 + 3
