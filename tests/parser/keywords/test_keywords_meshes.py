"""/SURF/MESH and surfaces of elements as entries of the model; decks that are not trusted."""

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import DeckError, read_deck
from gsolve.parser.model import ElementFaces, Mesh, MeshFile, Model
from parser_decks import deck, errors, read

SKEW = "/SKEW/FIX/7\nx' = y, y' = z, z' = x\n0,0,0\n0,0,1\n1,0,0\n"
BODY = "/RBODY/1\nbody\n2,0,0,3,1.0\n1,1,1\n"
FLOOR = "/SURF/PLANE_SOLID/90\nfloor\n0\n,\n"
CONTACT = "/INTER/POISSON/1\ncontact\n{},90\n,\n1e6,0.5\n"
TWO_BRICKS = (
    "/NODE\n"
    + "".join(f"{10 + k},{x},{y},{z}\n" for k, (x, y, z) in enumerate(
        (x, y, z) for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)))
    + "/GRNOD/GENE/1\nall\n10,21\n/RBODY/1\nbody\n2,0,0,3,1.0,1\n1,1,1\n/PART/1\nbricks\n1,1\n/MAT/VOID/1\nvoid\n"
    "/PROP/VOID/1\nvoid\n/BRICK/1\n1,10,14,16,12,11,15,17,13\n2,14,18,20,16,15,19,21,17\n"
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "part.stl").write_text("anything: nothing of it is read")
    return tmp_path


def mesh_of(model: Model) -> tuple[Mesh, MeshFile]:
    (mesh,) = model.meshes
    assert isinstance(mesh.source, MeshFile)
    return mesh, mesh.source


def test_defaults(folder: Path) -> None:
    mesh, source = mesh_of(read(folder, deck("/SURF/MESH/5\npart\n2\n\n\npart.stl\n")))
    assert (mesh.id, mesh.node, mesh.smooth, mesh.density) == (5, 1, True, 0.0)
    assert mesh.feature_angle == pytest.approx(math.radians(40.0))
    assert (source.scale, source.flip, source.offset.tolist()) == (1.0, False, [0, 0, 0])
    assert source.axes.tolist() == np.eye(3).tolist() and Path(source.path) == folder / "part.stl"


def test_columns_and_commas_are_the_same(folder: Path) -> None:
    columns = f"{2:10d}{7:10d}{1:10d}{0:10d}\n{0.5:20}{30.0:20}{7.85:20}\n{1.0:20}{2.0:20}{3.0:20}\npart.stl"
    for cards in (columns, "2,7,1,0\n0.5,30,7.85\n1,2,3\npart.stl"):
        mesh, source = mesh_of(read(folder, deck(SKEW, BODY, f"/SURF/MESH/1\npart\n{cards}\n")))
        assert (mesh.smooth, source.flip, source.scale, mesh.density) == (False, True, 0.5, 7.85)
        assert mesh.feature_angle == pytest.approx(math.radians(30.0))
        assert source.axes.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]] and source.offset.tolist() == [3, 1, 2]


def test_units(folder: Path) -> None:
    text = deck(BODY, "/SURF/MESH/1\npart\n2\n,,7.85e-9\n1,2,3\npart.stl\n", units="Mg,mm,s", work="kg,m,s")
    mesh, source = mesh_of(read(folder, text))
    assert (source.scale, mesh.density) == pytest.approx((1e-3, 7850.0))
    assert source.offset == pytest.approx([1e-3, 2e-3, 3e-3])


def test_names_may_hold_blanks_and_commas(folder: Path) -> None:
    (folder / "a part, new.STL").write_text("x")
    _, source = mesh_of(read(folder, deck("/SURF/MESH/1\npart\n2\n,\n,\na part, new.STL\n")))
    assert Path(source.path).name == "a part, new.STL"


def test_a_file_stands_beside_the_include_that_names_it_or_beside_the_deck(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "gear.inc").write_text(
        "/SURF/MESH/1\nhere\n2\n,\n,\ngear.stl\n/SURF/MESH/2\nthere\n2\n,\n,\npart.stl\n"
    )
    (folder / "parts" / "gear.stl").write_text("x")
    model = read(folder, deck("#include parts/gear.inc\n"))
    assert [Path(name) for name in model.mesh_files] == [folder / "parts" / "gear.stl", folder / "part.stl"]


def test_a_folder_is_no_file(folder: Path) -> None:
    (folder / "folder.stl").mkdir()
    text = deck("/SURF/MESH/1\npart\n2\n,\n,\nfolder.stl\n")
    assert errors(folder, text) == ["folder.stl is a folder"]


def test_meshes_go_into_unions_and_come_out(folder: Path) -> None:
    mesh = "/SURF/MESH/{}\npart\n2\n,\n,\npart.stl\n"
    ball = "/SURF/SPHERE_SOLID/3\nball\n1\n,\n1\n"
    union = "/SURF/SURF/10\nall but mesh 2\n1,2,3,-2\n"
    model = read(folder, deck(union, mesh.format(1), mesh.format(2), ball, FLOOR, CONTACT.format(10)))
    side = model.contacts[0].side_i
    assert (side.shapes.tolist(), side.meshes.tolist()) == ([0], [0])


# Surfaces of elements


def test_faces_between_solids_are_inside(tmp_path: Path) -> None:
    model = read(tmp_path, deck(TWO_BRICKS, "/SURF/PART/EXT/1\nskin\n1\n", FLOOR, CONTACT.format(1)))
    (mesh,) = model.meshes
    assert isinstance(mesh.source, ElementFaces) and mesh.source.faces.shape == (10, 4)
    assert (mesh.smooth, mesh.density) == (True, 0.0) and mesh.feature_angle == pytest.approx(math.radians(40.0))
    points = model.nodes.coordinates[mesh.source.faces]
    outwards = np.cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1])
    assert np.all(np.einsum("ij,ij->i", outwards, points.mean(axis=1) - [1, 0.5, 0.5]) > 0)


def test_wedges_and_pyramids_are_solids_with_merged_corners(tmp_path: Path) -> None:
    merged = TWO_BRICKS.replace("1,10,14,16,12,11,15,17,13", "1,10,14,16,12,11,11,13,13")  # a wedge along y
    merged = merged.replace("2,14,18,20,16,15,19,21,17", "2,14,18,20,16,19,19,19,19")  # a pyramid, apex at node 19
    model = read(tmp_path, deck(merged, "/SURF/PART/EXT/1\nskin\n1\n", FLOOR, CONTACT.format(1)))
    faces = model.meshes[0].source.faces  # type: ignore[union-attr]
    assert sorted((faces >= 0).sum(axis=1).tolist()) == [3] * 6 + [4] * 4
    assert all(len(set(face[face >= 0].tolist())) == (face >= 0).sum() for face in faces)


def test_a_surface_of_elements_is_made_once_for_all_who_touch_it(tmp_path: Path) -> None:
    contacts = CONTACT.format(1) + CONTACT.replace("POISSON/1", "POISSON/2").format(1)
    model = read(tmp_path, deck(TWO_BRICKS, "/SURF/PART/EXT/1\nskin\n1\n", FLOOR, contacts))
    assert len(model.meshes) == 1
    assert [contact.side_i.meshes.tolist() for contact in model.contacts] == [[0], [0]]


def test_surfaces_that_nothing_touches_may_be_anything(tmp_path: Path) -> None:
    others = (
        "/SURF/PART/1\nskin\n1,77\n/SURF/PART/ALL/2\nskin\n1\n/SURF/GRSHEL/3\nshells\n8\n/SURF/SEG/4\nline\n,10,11\n"
    )
    model = read(tmp_path, deck(TWO_BRICKS, others, "/GRSHEL/BOX/8\nbox\n1\n"))
    assert model.meshes == []
    assert [w.message for w in model.warnings] == ["skipped, as without influence on the motion: /GRSHEL/BOX"]


# Decks that are not trusted


@pytest.fixture
def fenced(tmp_path: Path) -> Path:
    """A folder with a deck in it, beside a secret."""
    (tmp_path / "secret.stl").write_text("x")
    (tmp_path / "secret.inc").write_text("/TITLE\nsecret\n")
    (tmp_path / "secret.py").write_text("def CNFSUB(*arguments):\n    return 0, 0, 0\n")
    folder = tmp_path / "deck"
    folder.mkdir()
    (folder / "part.stl").write_text("x")
    (folder / "link.stl").symlink_to(tmp_path / "secret.stl")
    (folder / "loop.stl").symlink_to(folder / "part.stl")
    return folder


def mesh(name: str) -> str:
    return f"/SURF/MESH/1\npart\n2\n,\n,\n{name}\n"


@pytest.mark.parametrize("name", ["../secret.stl", "link.stl", "../deck/../secret.stl"])
def test_meshes_out_of_the_folder_are_out_of_reach_even_by_links(fenced: Path, name: str) -> None:
    assert len(read(fenced, deck(mesh(name))).meshes) == 1
    assert errors(fenced, deck(mesh(name)), untrusted=True) == [f"the file {name} is out of reach"]


def test_whether_a_file_out_of_reach_exists_is_not_told(fenced: Path) -> None:
    assert errors(fenced, deck(mesh("../none.stl")), untrusted=True) == ["the file ../none.stl is out of reach"]


@pytest.mark.parametrize("name", ["part.stl", "./part.stl", "../deck/part.stl", "loop.stl"])
def test_meshes_below_the_folder_are_within_reach(fenced: Path, name: str) -> None:
    assert len(read(fenced, deck(mesh(name)), untrusted=True).meshes) == 1


def test_includes_and_routines_and_the_engine_deck_stay_within_too(fenced: Path) -> None:
    assert errors(fenced, deck("#include ../secret.inc\n"), untrusted=True) == ["the included file is out of reach"]
    balls = "/SURF/SPHERE_SOLID/1\nball\n2\n,\n1\n" + FLOOR
    routine = "/INTER/USERCNF/1\ncontact\n1,90\n,\n../secret.py\n0\n"
    assert errors(fenced, deck(balls, routine)) == []
    assert errors(fenced, deck(balls, routine), untrusted=True) == ["the file ../secret.py is out of reach"]
    (fenced / "M_0001.rad").symlink_to(fenced.parent / "secret.inc")
    (fenced / "M_0000.rad").write_text(deck())
    with pytest.raises(DeckError) as caught:
        read_deck(fenced / "M_0000.rad", untrusted=True)
    assert caught.value.diagnostics[0].message == "the engine deck is out of reach"


def test_a_deck_named_without_a_folder_reaches_the_current_one(fenced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fenced)
    Path("a.rad").write_text(deck(mesh("part.stl")))
    assert len(read_deck("a.rad", untrusted=True).meshes) == 1
    Path("b.rad").write_text(deck(mesh("../secret.stl")))
    with pytest.raises(DeckError):
        read_deck("b.rad", untrusted=True)
