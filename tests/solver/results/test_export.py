"""`gsolve export`: what other programs read is what the result file holds."""

from __future__ import annotations

import csv
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import gsolve
import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.export.animation import pictures_of
from gsolve.solver.results.export.drawing import Painter, camera_of
from gsolve.solver.results.export.gltf import write_gltf
from gsolve.solver.results.machine_tables import TABLES, Frames, MachineTables, table_of
from gsolve.solver.results.scene.build import scene_of
from gsolve.solver.results.scene.gear_layout import Mesh, Shaft, mesh_of, planets_of, teeth_of
from gsolve.solver.results.scene.motion import SceneMotion
from gsolve.solver.results.scene.outlines import extruded, filled
from gsolve.solver.results.scene.parts import UPRIGHT, Part, Scene, Shape
from gsolve.solver.results.scene.poses import link_poses, turn_to, turned
from gsolve.solver.results.scene.surfaces import box, cylinder, frustum, sphere

DECKS = Path(__file__).parents[3] / "decks"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """With the result files of a gear pair, and of a rack on a spring."""
    made = tmp_path_factory.mktemp("export")
    for name in ("gear_pair", "rack_and_pinion"):
        gsolve.run(DECKS / name / f"{name}.rad", output=f"{made}/")
    return made


@pytest.fixture
def pair(folder):
    return gsolve.load(folder / "gear_pair.h5")


def read(path: Path) -> dict[str, np.ndarray]:
    """Columns of numbers of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    cells = {name: [row[k] for row in rows] for k, name in enumerate(header) if name != "name"}
    return {name: np.array([float(cell or "nan") for cell in column]) for name, column in cells.items()}


# ---- tables ----------------------------------------------------------------------------------------------------


def test_csv_gives_every_number_back_to_the_last_bit(pair, tmp_path):
    files = gsolve.export(pair, "csv", output=f"{tmp_path}/")
    assert {file.name for file in files} == {"energy.csv", "diag.csv", "gjoint.csv", "node.csv", "body.csv"}
    table = read(tmp_path / "gear_pair_csv" / "gjoint.csv")
    joint = pair.th.gjoint[1]
    np.testing.assert_array_equal(table["VEL1 [rad/s]"], joint.VEL1)
    np.testing.assert_array_equal(table["FX3 [N]"], joint.FX3)  # NaN: there is no third shaft
    bodies, count = read(tmp_path / "gear_pair_csv" / "body.csv"), len(pair.model.body)
    np.testing.assert_array_equal(bodies["Q3"].reshape(-1, count), pair.th.body.Q3)
    np.testing.assert_array_equal(bodies["id"][:count], pair.model.body.id)


def test_chosen_variables_stand_side_by_side_and_compare_takes_them(pair, tmp_path):
    [file] = gsolve.export(pair, "csv", output=tmp_path / "some", variables=["gjoint/1/VEL*", "energy/total"])
    assert file.read_text().splitlines()[0].endswith("gjoint/1/VEL3 [rad/s],energy/total [J]")
    assert gsolve.compare(pair, file, rtol=0.0).equal


def test_parquet_knows_units_and_the_run(pair, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    gsolve.export(pair, "parquet", output=f"{tmp_path}/")
    table = parquet.read_table(tmp_path / "gear_pair_parquet" / "node.parquet")
    assert table.schema.field("VX").metadata[b"units"] == b"m/s"
    assert table.schema.metadata[b"deck_sha256"].decode() == pair.attributes["deck_sha256"]
    chosen = np.asarray(table["id"]) == 2
    np.testing.assert_array_equal(np.asarray(table["VRZ"])[chosen], pair.th.node[2].VRZ)


# ---- motion ----------------------------------------------------------------------------------------------------


def test_vtk_reads_the_places_of_all_points_at_all_frames(folder, tmp_path):
    """Against the poses of each part by themselves."""
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    result = gsolve.load(folder / "rack_and_pinion.h5")
    [file] = gsolve.export(result, "vtkhdf", output=f"{tmp_path}/")
    reader = hdf.vtkHDFReader()
    reader.SetFileName(str(file))
    reader.UpdateInformation()
    key = reader.GetExecutive().TIME_STEPS()
    information = reader.GetOutputInformation(0)
    times = [information.Get(key, k) for k in range(information.Length(key))]
    np.testing.assert_array_equal(times, result.frames.time)
    scene = scene_of(result.model, result.frames)
    for k in (0, len(times) // 3, len(times) - 1):
        reader.UpdateTimeStep(times[k])
        output = reader.GetOutput()
        found, start = vtk_to_numpy(output.GetPoints().GetData()), 0
        for part in scene.parts:
            local = part.position + turned(part.quaternion, part.scale * scene.shapes[part.shape].points)
            stop = start + len(local)
            np.testing.assert_allclose(found[start:stop], result.frames.places(part.body, local)[k], atol=1e-12)
            start = stop
        assert output.GetNumberOfCells() == len(SceneMotion(scene, result.frames).triangles)


def test_a_spring_reaches_from_node_to_node(folder):
    result = gsolve.load(folder / "rack_and_pinion.h5")
    [link] = scene_of(result.model, result.frames).links
    start, turn, length = link_poses(link, result.frames)
    ends = np.stack([start, start + length[:, None] * turned(turn, np.array([0.0, 0.0, 1.0]))])
    anchor, rack = ends[:, -1][np.argsort(ends[:, -1, 0])]
    np.testing.assert_allclose(anchor, [-0.3, 0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose(rack, [result.th.node[3].DX[-1], 0.05, 0.0], atol=1e-12)


def test_gltf_moves_bodies_as_the_frames_do(pair, tmp_path):
    library = pytest.importorskip("pygltflib")
    [file] = gsolve.export(pair, "gltf", output=f"{tmp_path}/", seconds=5.0)
    document = library.GLTF2().load_binary(str(file))
    blob = document.binary_blob()

    def values(number: int, width: int) -> np.ndarray:
        accessor = document.accessors[number]
        view = document.bufferViews[accessor.bufferView]
        return np.frombuffer(blob, np.float32, accessor.count * width, view.byteOffset).reshape(-1, width)

    animation = document.animations[0]
    turns = 0
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        assert values(sampler.input, 1)[-1, 0] == pytest.approx(5.0)
        if channel.target.path == "rotation":
            body = list(pair.model.body.name).index(document.nodes[channel.target.node].name)
            found, expected = values(sampler.output, 4)[:, [3, 0, 1, 2]], pair.frames.quaternion[:, body]
            np.testing.assert_allclose(np.abs((found * expected).sum(axis=1)), 1.0, atol=1e-6)
            assert ((found[1:] * found[:-1]).sum(axis=1) >= 0.0).all()  # the shorter way
            turns += 1
    assert turns == 2


@pytest.mark.parametrize("up", [*np.eye(3), *-np.eye(3), [0.6, 0.0, 0.8], [0.0, -0.8, 0.6]])
def test_up_is_turned_to_y_and_is_up_in_pictures(up, tmp_path):
    document = pytest.importorskip("pygltflib")
    up = np.array(up)
    shape = Shape(np.concatenate([np.zeros((1, 3)), np.eye(3)]), np.array([[0, 1, 2]]), np.zeros(1, np.uint8))
    part = Part("block", "solid", -1, 0, np.zeros(3), UPRIGHT, np.ones(3))
    scene = Scene([shape], [part], [], 1.0, np.array([-np.ones(3), np.ones(3)]), up)
    machine = MachineTables(**{name: table_of(name, {}) for name in TABLES})
    frames = Frames(np.zeros(1), np.zeros((1, 0, 3)), np.zeros((1, 0, 4)))
    write_gltf(scene, machine, frames, tmp_path / "up.glb", metres=1.0, seconds=1.0)
    written = document.GLTF2.load(str(tmp_path / "up.glb"))
    root = written.nodes[written.scenes[0].nodes[0]]
    turn = np.array(root.rotation or [0.0, 0.0, 0.0, 1.0])[[3, 0, 1, 2]]
    np.testing.assert_allclose(turned(turn, up), [0.0, 1.0, 0.0], atol=1e-6)
    camera = camera_of(scene.bounds, up)
    np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(camera.axes) == pytest.approx(1.0)
    assert camera.axes[0] @ up == pytest.approx(0.0, abs=1e-15) and camera.axes[1] @ up > 0.8


def test_the_motion_is_drawn(pair, tmp_path):
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    gsolve.export(pair, animate=tmp_path / "pair.gif", seconds=0.12)
    with image.open(tmp_path / "pair.gif") as drawn:
        assert drawn.n_frames == 3
        first = np.asarray(drawn.convert("RGB"))
        drawn.seek(1)
        assert (np.asarray(drawn.convert("RGB")) != first).any()


def test_few_frames_are_drawn_each_once():
    assert pictures_of(5, 8.0) == [0, 1, 2, 3, 4]
    assert pictures_of(101, 0.12) == [0, 50, 100]


# ---- shapes ----------------------------------------------------------------------------------------------------


STAR = np.array([[2.0, 0.0], [0.5, 0.5], [0.0, 2.0], [-0.5, 0.5], [-2.0, 0.0], [0.0, -1.0]])


@pytest.mark.parametrize(
    "shape, volume",
    [(box(), 1.0), (cylinder(80), np.pi), (frustum(1.0, 0.5, 80), 7 * np.pi / 12), (sphere(16), 4 * np.pi / 3),
     (extruded(STAR, 0.5, closed=True), 0.5 * 4.0)],
)  # fmt: skip
def test_shapes_are_closed_and_face_outwards(shape, volume):
    a, b, c = np.moveaxis(shape.points[shape.triangles], 1, 0)
    assert (np.cross(a, b) * c).sum() / 6.0 == pytest.approx(volume, rel=0.02)
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0.0, atol=1e-12)


def test_an_outline_that_is_not_convex_is_filled():
    a, b, c = np.moveaxis(STAR[filled(STAR)], 1, 0)
    areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(4.0)


@pytest.mark.parametrize("direction", [[0, 0, 1], [0, 0, -1], [1e-9, 0, -1], [0.3, -0.2, 0.5], [0, 2, 0]])
def test_turn_to_a_direction(direction):
    unit = np.array(direction, dtype=float) / np.linalg.norm(direction)
    np.testing.assert_allclose(turned(turn_to(unit), np.array([0.0, 0.0, 1.0])), unit, atol=1e-15)


# ---- gears -----------------------------------------------------------------------------------------------------


def shafts(axis_2=(0.0, 0.0, 1.0), place_2=(0.3, 0.0, 0.0)) -> tuple[Shaft, Shaft]:
    one = Shaft(1, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    return one, Shaft(2, np.array(place_2), np.array(axis_2))


@pytest.mark.parametrize("alpha, radii", [(0.5, (0.1, 0.2)), (-0.5, (0.3, 0.6)), (-2.0, (0.6, 0.3))])
def test_wheels_touch_with_the_ratio(alpha, radii):
    mesh = mesh_of("pair", *shafts(), alpha, 0.3)
    assert isinstance(mesh, Mesh)
    assert (mesh.first.radius, mesh.second.radius) == pytest.approx(radii)
    assert (mesh.first.ring, mesh.second.ring) == (alpha < -1.0, -1.0 < alpha < 0.0)


def test_bevel_wheels_touch_along_the_line_that_rolls():
    mesh = mesh_of("pair", *shafts((1.0, 0.0, 0.0), (0.18, 0.0, 0.12)), 0.5, 0.2)
    assert isinstance(mesh, Mesh)
    assert mesh.first.radius / mesh.second.radius == pytest.approx(0.5)
    assert mesh.first.half_angle + mesh.second.half_angle == pytest.approx(np.pi / 2)


@pytest.mark.parametrize("alpha", [0.4, 2.5])
def test_planets_touch_sun_and_ring_on_one_axis(alpha):
    one, two = shafts(place_2=(0.0, 0.0, 0.1))
    wheels = mesh_of("set", one, two, alpha, 0.3)
    carrier = Shaft(3, np.zeros(3), one.axis)
    planets = planets_of(wheels, carrier)
    sun, ring = wheels if alpha < 1.0 else wheels[::-1]
    assert ring.ring and sun.radius / ring.radius == pytest.approx(0.4)
    assert len(planets) == 3 and all(planet.shaft is carrier for planet in planets)
    for planet in planets:
        arm = planet.centre - sun.centre
        assert arm @ sun.axis == pytest.approx(0.0, abs=1e-15)
        assert np.linalg.norm(arm) == pytest.approx(sun.radius + planet.radius)
        assert np.linalg.norm(arm) == pytest.approx(ring.radius - planet.radius)
    apart = [np.linalg.norm(a.centre - b.centre) for a, b in pairwise(planets)]
    assert min(apart) > 2.0 * planets[0].radius


def test_wheels_on_one_axis_that_turn_the_same_way_have_no_planets():
    one, two = shafts(place_2=(0.0, 0.0, 0.1))
    assert planets_of(mesh_of("set", one, two, -0.4, 0.3), one) == []


def test_teeth_are_whole_numbers_in_the_ratio_of_the_radii():
    counts = teeth_of([0.08, 0.1])
    assert Fraction(*counts) == Fraction(4, 5)
    assert min(counts) >= 17
    assert teeth_of([1.0, np.pi]) == [0, 0]


# ---- what cannot be written ------------------------------------------------------------------------------------


def refused(folder: Path, *options: str) -> str:
    """What the command says as it refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ended = CliRunner().invoke(program, ["export", *options])
    assert ended.exit_code == 2
    return ended.stderr


def test_the_command_refuses_what_it_cannot_do(folder):
    other = folder / "other.h5"
    other.write_bytes(b"no HDF5")
    assert "damaged, or no result file" in refused(folder, "other.h5", "--csv")
    nothing = "nothing to export: ask for a format (csv, parquet, vtkhdf, gltf) or for --animate FILE.gif"
    assert nothing in refused(folder, "gear_pair.h5")
    assert "did you mean VEL1" in refused(folder, "gear_pair.h5", "--csv", "--variables", "gjoint/1/VELL1")


def test_files_that_are_there_stay(pair, tmp_path):
    gsolve.export(pair, "csv", output=tmp_path / "a", variables=["energy/total"])
    with pytest.raises(gsolve.OutputError, match=r"a\.csv already there; force=True overwrites"):
        gsolve.export(pair, "csv", output=tmp_path / "a", variables=["energy/total"])
    gsolve.export(pair, "csv", output=tmp_path / "a", variables=["energy/error"], force=True)
    assert "energy/error" in (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize("options, message", [
    ({}, "nothing to export"), ({"animate": "a.avi"}, r"a\.avi: the name of a \.gif or a \.mp4"),
    ({"animate": "a.gif", "seconds": 0.0}, "seconds=0: a positive number"),
])  # fmt: skip
def test_wrong_options(pair, options, message):
    with pytest.raises(gsolve.OutputError, match=message):
        gsolve.export(pair, **options)


def test_a_missing_package_is_named_with_the_command_that_installs_it(pair, tmp_path, monkeypatch):
    for name in ("pyarrow", "pygltflib"):
        monkeypatch.setitem(sys.modules, name, None)
    for format, name in (("parquet", "pyarrow"), ("gltf", "pygltflib")):
        with pytest.raises(gsolve.OutputError, match=rf"needs {name}, .*pip install 'gsolve\[export\]'"):
            gsolve.export(pair, format, output=f"{tmp_path}/")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A billiard table: cloth, and four cushions upright on its edges."""
    made = tmp_path_factory.mktemp("table")
    deck = DECKS / "billiard_break" / "billiard_break.rad"
    return gsolve.run(deck, output=f"{made}/", t_end=1e-3)


def test_a_plane_is_as_large_as_what_moves_before_it(table):
    scene = scene_of(table.model, table.frames)
    edges = scene.bounds[1] - scene.bounds[0]
    planes = [part for part in scene.parts if part.kind == "plane"]
    assert len(planes) == 5
    for part in planes:
        across = np.abs(part.scale[0] * turned(part.quaternion, np.eye(3)[0]))
        along = np.abs(part.scale[1] * turned(part.quaternion, np.eye(3)[1]))
        normal = np.abs(turned(part.quaternion, np.eye(3)[2]))
        np.testing.assert_allclose(across + along, (edges + 0.1 * np.linalg.norm(edges)) * (1.0 - normal), atol=1e-12)


def test_walls_are_nearly_clear_from_behind(table):
    motion = SceneMotion(scene_of(table.model, table.frames), table.frames)
    opacity = Painter(motion, table.model).triangles(0).colours[:, 3]
    shares = {float(share): int((opacity == share).sum()) for share in np.unique(opacity)}
    patch = shares[0.25] // 3  # cloth and two cushions are seen from before, two from behind
    assert shares[0.05] == 2 * patch and set(shares) == {0.05, 0.25, 1.0}
