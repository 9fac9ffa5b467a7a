"""Mesh files are read whole and as they are, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.file_census import MeshFileError
from gsolve.solver.geometry.mesh.file_reader import read_mesh_file
from gsolve.solver.geometry.mesh.weld import weld
from mesh_samples import (
    CUBE_FACES,
    as_set,
    box,
    files_of,
    mesh_of,
    obj_text,
    off_text,
    ply_bytes,
    sphere,
    stl_bytes,
    stl_text,
    tetrahedron,
)

FORMATS = list(files_of(tetrahedron()))
BALL = sphere(2, 3.0)
SINGLE = mesh_of(BALL.vertices.astype(np.float32).astype(float), BALL.triangles.tolist())


def read(folder: Path, name: str, data: bytes | str):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_mesh_file(str(path))


@pytest.mark.parametrize("name", FORMATS)
def test_all_triangles_come_with_all_digits(tmp_path, name):
    found = read(tmp_path, name, files_of(BALL)[name])
    assert as_set(found) == as_set(SINGLE if name == "binary.stl" else BALL)
    assert len(found.vertices) == (3 * len(BALL.triangles) if name.endswith(".stl") else len(BALL.vertices))


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_was_cut_off_anywhere_gives_no_part_of_a_mesh(tmp_path, name):
    """An OBJ file has no end that could be missing: what is left is an open mesh, which is said of it later."""
    data = files_of(sphere(1))[name]
    cuts = np.unique(np.linspace(0, len(data.rstrip()) - 6, 60).astype(int))
    for cut in cuts.tolist():
        if name == "mesh.obj":
            break
        with pytest.raises(MeshFileError):
            read(tmp_path, name, data[:cut])


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_with_a_damaged_byte_raises_nothing_else(tmp_path, name):
    random, data = np.random.default_rng(1), bytearray(files_of(sphere(1))[name])
    for _ in range(60):
        damaged = bytearray(data)
        for place in random.integers(0, len(data), 3):
            damaged[place] = random.integers(0, 256)
        try:
            found = read(tmp_path, name, bytes(damaged))
        except MeshFileError:
            continue
        assert found.triangles.max(initial=-1) < len(found.vertices)


def test_polygons_are_cut_from_their_first_corner(tmp_path):
    cube = box(2.0, 3.0, 4.0)
    quads = [[1 + k for k in face] for face in CUBE_FACES]
    vertices = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in cube.vertices.tolist())
    obj = vertices + "".join("f " + " ".join(map(str, face)) + "\n" for face in quads)
    assert as_set(read(tmp_path, "a.obj", obj)) == as_set(cube)
    head, _, rest = off_text(cube).partition("\n8 12 0\n")
    numbers = "".join(f"4 {' '.join(map(str, face))}\n" for face in CUBE_FACES)
    points = "".join(rest.splitlines(keepends=True)[:8])
    assert as_set(read(tmp_path, "a.off", f"{head}\n# a comment\n8 6 0\n{points}{numbers}")) == as_set(cube)
    ply = ply_bytes(cube, binary=False).decode().replace("element face 12", "element face 6")
    assert as_set(
        read(tmp_path, "a.ply", ply.partition("end_header\n")[0] + f"end_header\n{points}{numbers}")
    ) == as_set(cube)


def test_a_pentagon_beside_triangles(tmp_path):
    """A pyramid on five corners."""
    turn = 2 * np.pi / 5 * np.arange(5)
    points = np.vstack([np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1), [[0, 0, 1]]])
    faces = [(4, 3, 2, 1, 0), *((k, (k + 1) % 5, 5) for k in range(5))]
    text = "OFF\n6 6 0\n" + "".join(" ".join(map(repr, p)) + "\n" for p in points.tolist())
    text += "".join(f"{len(face)} {' '.join(map(str, face))}\n" for face in faces)
    ply = ply_bytes(mesh_of(points, faces), binary=False).decode().replace("element face 8", "element face 6")
    body = text.split("\n", 2)[2]
    expected = as_set(mesh_of(points, faces))
    assert as_set(read(tmp_path, "p.off", text)) == expected
    assert as_set(read(tmp_path, "p.ply", ply.partition("end_header\n")[0] + "end_header\n" + body)) == expected


def test_textures_materials_and_normals_of_an_obj_file_change_nothing_and_no_other_file_is_opened(tmp_path):
    cube = box(2.0, 3.0, 4.0)
    text = "mtllib secret.mtl\no one\nvt 0 0\nvt 1 0\nvn 0 0 1\n" + obj_text(cube)
    lines = [line if line[:2] != "f " else "f " + " ".join(f"{n}/{1 + k % 2}/1" for k, n in enumerate(line.split()[1:]))
             for line in text.splitlines()]  # fmt: skip
    faces = next(k for k, line in enumerate(lines) if line.startswith("f "))
    lines[faces:faces], lines[faces + 6 : faces + 6] = ["usemtl a", "g half"], ["usemtl b"]
    (tmp_path / "secret.mtl").mkdir()  # opening it would fail
    found = read(tmp_path, "a.obj", "\r\n".join(lines))
    assert as_set(found) == as_set(cube) and len(found.vertices) == 8


def test_a_binary_file_may_begin_with_the_word_solid(tmp_path):
    assert as_set(read(tmp_path, "a.stl", stl_bytes(SINGLE, b"solid from a CAD program"))) == as_set(SINGLE)


def test_text_files_may_be_written_in_other_ways(tmp_path):
    text = stl_text(BALL)
    for other in (text.upper(), text.replace("\n", "\r\n"), text.replace("solid part", "solid"), "\n\n" + text):
        assert as_set(read(tmp_path, "a.stl", other)) == as_set(BALL)
    two = stl_text(box(1, 1, 1)) + stl_text(tetrahedron())
    assert len(read(tmp_path, "b.stl", two).triangles) == 16


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.stl", b"", "is empty"),
        ("a.stl", b"PK\x03\x04", "is no STL file: it has 4 bytes"),
        ("a.stl", b"<html>" * 99, "is no STL file: it begins with"),
        ("a.stl", stl_bytes(BALL)[:-1], "its header announces 128 triangles, and its length is that of 127.98"),
        ("a.stl", stl_bytes(BALL) + b"more", "is damaged"),
        ("a.stl", stl_text(BALL).replace("endsolid part", ""), "its last line is not endsolid"),
        ("a.stl", stl_text(BALL).replace("vertex 0.0", "vertex zero", 1), "what should be a number is none"),
        ("a.off", "ON\n" + off_text(BALL), "is no OFF file"),
        ("a.off", "OFF\n", "the numbers of its vertices and faces are missing"),
        ("a.off", off_text(BALL).replace("\n3 ", "\n2 ", 1), "too few corners"),
        ("a.off", off_text(BALL).replace("\n3 0 ", "\n3 99 ", 1), "a face index outside the range of its vertices"),
        ("a.ply", ply_bytes(BALL, binary=False).replace(b"\n3 0 ", b"\n3 99 ", 1), "has vertex 99, counted from 0"),
        ("a.ply", "solid part\n", "does not begin with ply"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 99999999999\nend_header\n", "announces more"),
        ("a.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\nend_header\n1", "announces more"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "has 2 corners"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "has vertex 0, and there are 3"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf one 2 3\n", "is no list of numbers"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(tmp_path, name, data, message):
    with pytest.raises(MeshFileError) as caught:
        read(tmp_path, name, data)
    assert message in caught.value.message


def test_files_without_triangles_are_no_error_of_reading(tmp_path):
    for name, data in (("a.obj", "v 0 0 0\n"), ("a.stl", "solid\nendsolid\n"), ("a.off", "OFF\n1 0 0\n0 0 0\n")):
        assert len(read(tmp_path, name, data).triangles) == 0


def test_coordinates_that_are_no_numbers_are_kept_for_the_checks(tmp_path):
    text = stl_text(BALL)
    assert np.isnan(read(tmp_path, "a.stl", text.replace("vertex 0.0", "vertex nan", 1)).vertices).sum() == 1
    assert np.isinf(read(tmp_path, "b.stl", text.replace("vertex 0.0", "vertex 1e999", 1)).vertices).sum() == 1


def test_vertices_of_stl_files_become_those_of_the_mesh(tmp_path):
    for name in ("text.stl", "binary.stl"):
        found = weld(read(tmp_path, name, files_of(BALL)[name]), 3e-6)
        assert len(found.vertices) == len(BALL.vertices)
        assert as_set(found) == as_set(SINGLE if name == "binary.stl" else BALL)


def test_a_file_of_another_user_is_said_to_be_out_of_reach(tmp_path):
    with pytest.raises(MeshFileError, match="cannot be read: No such file"):
        read_mesh_file(str(tmp_path / "none.stl"))
