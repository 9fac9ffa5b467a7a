"""The machine in the results, and the poses of its bodies: all that a picture needs, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import gsolve
import h5py
import numpy as np
import pytest
from gsolve.parser.model import BoundaryCondition, Function
from gsolve.solver.assembly.assemble import assemble
from gsolve.solver.core.orientation import quaternions_of
from gsolve.solver.core.rotation import rotation_matrices
from gsolve.solver.forces.loads import accelerations_at_start
from gsolve.solver.geometry.curve2d.drawing import MOST_TURN, drawn_points
from gsolve.solver.geometry.curve2d.spline import make_outline
from gsolve.solver.results.machine_output import MachineOutput
from gsolve.solver.results.machine_tables import TABLES, MachineTables, table_of
from gsolve.solver.run.frame_plan import MOST_BYTES, USUAL, frames_asked, plan_frames
from gsolve.solver.run.options import UsageError

DECKS = Path(__file__).parents[3] / "decks"
SINGLE = float(np.finfo(np.float32).eps)


def deck_of(name: str) -> Path:
    return DECKS / name / f"{name}.rad"


def machine_of(name: str) -> tuple[MachineTables, gsolve.Model]:
    """The tables of an example deck, which is not run."""
    model = gsolve.read(deck_of(name))
    tables = MachineOutput(assemble(model, "documented"), "documented").tables
    return MachineTables(**{name: table_of(name, tables[name]) for name in TABLES}), model


def test_gravity_is_that_of_the_deck_and_up_against_it() -> None:
    machine, model = machine_of("heavy_top")
    (block,) = model.gravities
    pull = np.zeros(3)
    pull[block.direction] = block.y_scale
    assert machine.gravity.id.tolist() == [block.id]
    np.testing.assert_array_equal(machine.gravity.acceleration, [pull])
    np.testing.assert_array_equal(machine.up, -pull / np.linalg.norm(pull))
    assert machine_of("gear_pair")[0].up.tolist() == [0.0, 0.0, 1.0]


def test_gravity_that_changes_is_that_of_the_start() -> None:
    model = gsolve.read(deck_of("heavy_top"))
    (block,) = model.gravities
    model.functions[77] = Function(77, "", block.where, "TABLE", np.array([-1.0, 1.0]), np.array([2.0, 4.0]))
    block.function_id, block.direction = 77, 0
    (pull,) = accelerations_at_start(model)
    assert pull.tolist() == [3.0 * block.y_scale, 0.0, 0.0]


# ---- where things are ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deck", "moves"),
    [
        ("gear_pair", "as a train"),
        ("four_bar", "in a plane"),
        ("free_gearbox", "as a gyrostat"),
        ("two_rigid_bodies", "with nodes apart from mass centres"),
        ("heavy_top", "about a fixed point"),
    ],
)
def test_a_node_is_where_its_history_says_in_every_frame(deck: str, moves: str) -> None:
    result = gsolve.run(deck_of(deck))
    machine, frames = result.model, result.frames
    at = np.searchsorted(result.time, frames.time)
    np.testing.assert_array_equal(np.asarray(result.time)[at], frames.time)
    size = np.ptp(gsolve.read(deck_of(deck)).nodes.coordinates, axis=0).max()
    places = dict(
        zip(machine.node.id.tolist(), zip(machine.node.body, machine.node.position, strict=True), strict=True)
    )
    for node in result.th.node:
        body, position = places[node.id]
        drawn = position + (machine.body.centre[body] if body >= 0 else 0.0)
        moved = np.stack([node[name] for name in ("DX", "DY", "DZ")], axis=1)[at]
        np.testing.assert_allclose(frames.places(body, position[None])[:, 0], drawn + moved, atol=1e-13 * size)
    np.testing.assert_allclose(np.linalg.norm(frames.quaternion, axis=2), 1.0, atol=1e-13)


def test_bodies_have_their_mass_and_their_place() -> None:
    machine, model = machine_of("crash_block")
    assert machine.body.name.tolist() == ["carriage", "bumper"]
    assert machine.body.mass.tolist() == [1000.0, 20.0]
    assert machine.body.rbody.tolist() == [1, 2]
    assert machine.body.inertia[0].tolist() == [200.0, 200.0, 200.0, 0.0, 0.0, 0.0]
    np.testing.assert_array_equal(machine.body.centre[0], [0.0, 0.0, 0.0])
    nodes = machine.node
    assert nodes.body.tolist() == [0, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(machine.body.centre[nodes.body] + nodes.position, model.nodes.coordinates, atol=1e-15)


def test_what_acts_says_between_which_nodes() -> None:
    machine, _ = machine_of("crash_block")
    assert machine.joint[0] | {"axis_i": None, "axis_j": None, "length": None} == {
        "id": 1, "name": "rail of the carriage", "kind": "TRANSLATIONAL", "node_i": -1, "node_j": 0, "axis_i": None,
        "axis_j": None, "pitch": 0.0, "length": None,
    }  # fmt: skip
    assert machine.joint.axis_j.tolist() == [[1.0, 0.0, 0.0]] * 2
    wall = machine.rwall[0]
    assert (wall["kind"], wall["node"], wall["point"].tolist()) == ("PLANE", -1, [1.4, 0.0, 0.0])
    assert wall["normal"].tolist() == [-1.0, 0.0, 0.0]
    assert (machine.inter.law.tolist(), machine.inter.one_sided.tolist()) == (["TYPE6"], [0])
    members = [(row["inter"], row["side"], row["solid"]) for row in machine.member]
    assert members == [(0, 1, 0), (0, 2, 1)]
    assert [len(table) for table in (machine.spring, machine.gjoint, machine.mesh, machine.vertex)] == [0, 0, 0, 0]


def test_solids_stand_where_the_deck_puts_them() -> None:
    machine, _ = machine_of("crash_block")
    front, bumper = machine.solid
    assert (front["kind"], front["name"], front["body"]) == ("BOX", "front of the carriage", 0)
    assert front["position"].tolist() == [0.8, 0.0, 0.0]
    assert front["dimensions"].tolist() == [0.4, 1.0, 0.4]
    assert bumper["quaternion"].tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("deck", ["hopper", "cam_and_followers", "rotating_drum"])
def test_solids_are_turned_as_the_deck_turns_them(deck: str) -> None:
    machine, model = machine_of(deck)
    shapes = {shape.id: shape for shape in model.shapes}
    for table in (machine.solid, machine.curve):
        for row in range(len(table)):
            shape = shapes[int(table.id[row])]
            rotation = rotation_matrices(table.quaternion[row])
            np.testing.assert_allclose(rotation.T, shape.axes, atol=1e-14)
            body = table.body[row]
            place = table.position[row] + (machine.body.centre[body] if body >= 0 else 0.0)
            origin = model.nodes.coordinates[shape.node] if shape.node >= 0 else 0.0
            np.testing.assert_allclose(place, origin + shape.offset, atol=1e-14)


def test_gear_joints_have_the_ratio_that_the_run_took() -> None:
    model = gsolve.read(deck_of("gear_pair"))
    (gears,) = model.gear_joints
    for alpha, ratio in (("documented", gears.fscale_v), ("inverse", 1.0 / gears.fscale_v)):
        tables = MachineOutput(assemble(model, alpha), alpha).tables
        assert tables["gjoint"]["ratio"] == [ratio]
        assert tables["gjoint"]["nodes"][0].tolist() == gears.nodes.tolist()


def test_a_rigid_body_that_is_held_is_a_body_that_stays() -> None:
    model = gsolve.read(deck_of("crash_block"))
    body, where = model.rigid_bodies[0], model.rigid_bodies[0].where
    model.boundary_conditions.append(
        BoundaryCondition(9, "held", where, (True,) * 3, (True,) * 3, 0, np.array([body.main_node]))
    )
    del model.joints[0]
    result = gsolve.run(model)
    assert result.model.body.fixed.tolist() == [1, 0]
    assert result.model.body.mass[0] == 1000.0
    still = result.frames.position[:, 0]
    np.testing.assert_array_equal(still, np.broadcast_to(result.model.body.centre[0], still.shape))


# ---- meshes and curves ---------------------------------------------------------------------------------------


def test_meshes_are_those_that_touch_to_single_precision() -> None:
    model = gsolve.read(deck_of("bolt_in_hole"))
    assembly = assemble(model, "documented")
    tables = MachineOutput(assembly, "documented").tables
    machine = MachineTables(**{name: table_of(name, tables[name]) for name in TABLES})
    for row, placed in enumerate(assembly.meshes):
        vertices, triangles = machine.surface(row)
        np.testing.assert_array_equal(triangles, placed.triangles.triangles)
        body, reference = machine.mesh.body[row], assembly.system.bodies["centre"][placed.body]
        origin = machine.body.centre[body] if body >= 0 else np.zeros(3)
        turned = vertices @ rotation_matrices(machine.mesh.quaternion[row]).T
        there = placed.triangles.vertices + (reference if placed.body else 0.0)
        size = np.abs(vertices).max()
        np.testing.assert_allclose(origin + machine.mesh.position[row] + turned, there, atol=2 * SINGLE * size)


def test_equal_meshes_are_stored_once() -> None:
    machine, model = machine_of("heap_of_parts")
    files = {mesh.source.path for mesh in model.meshes}
    assert len(machine.mesh) == 101
    assert len(set(machine.mesh.first_vertex.tolist())) == len(files) < 10


def test_an_outline_has_its_solid_on_the_left() -> None:
    machine, _ = machine_of("cam_and_followers")
    x, y = machine.outline(0).T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0.0


@pytest.mark.parametrize("closed", [True, False])
def test_straight_lines_show_a_curve(closed: bool) -> None:
    """Of 8 points on a circle, all of it or half: no line turns by more, so none is farther off than its sagitta."""
    angle = np.linspace(0.0, 2 * np.pi, 9)[:-1] if closed else np.linspace(0.0, np.pi, 8)
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    drawn = drawn_points(make_outline(points, closed, False, np.radians(60.0)).coefficients, closed)
    radius = np.linalg.norm(drawn, axis=1)
    np.testing.assert_allclose(radius, 1.0, atol=5e-3)  # of the spline
    middles = 0.5 * (drawn[1:] + drawn[:-1])
    assert np.min(np.linalg.norm(middles, axis=1)) > np.min(radius) - 1.5 * (1.0 - np.cos(MOST_TURN / 2))
    if not closed:
        np.testing.assert_allclose(drawn[[0, -1]], points[[0, -1]], atol=1e-14)


def test_quaternions_are_those_of_the_rotations() -> None:
    random = np.random.default_rng(7)
    given = random.normal(size=(200, 4))
    given[:4] = np.eye(4)
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    found = quaternions_of(rotation_matrices(given))
    sign = np.where(np.sum(found * given, axis=1) < 0.0, -1.0, 1.0)
    np.testing.assert_allclose(found * sign[:, None], given, atol=1e-14)
    assert np.all(found[:, 0] >= 0.0)


# ---- frames --------------------------------------------------------------------------------------------------


def all_else(result: gsolve.Result) -> dict[str, bytes]:
    tables = (result.energy, result.diag, *(result.th[name] for name in result.th))
    return {f"{table.group}/{name}": table[name].tobytes() for table in tables for name in table.variables}


@pytest.mark.parametrize("deck", ["gear_pair", "overload_clutch", "free_gearbox", "bouncing_ball", "slider_crank"])
def test_frames_change_nothing_else(deck: str) -> None:
    model = gsolve.read(deck_of(deck))
    without, with_many = gsolve.run(model, frames="off"), gsolve.run(model, frames=1777)
    assert all_else(with_many) == all_else(without)
    assert with_many.attributes["n_steps"] == without.attributes["n_steps"]
    assert len(with_many.frames.time) > 1.1 * len(without.time)


def test_frames_are_evenly_spaced_from_the_first_step_to_the_last() -> None:
    for frames, count in ((None, 101), (10, 11), (50, 51), (250, 251)):  # of 101 samples
        result = gsolve.run(deck_of("gear_pair"), frames=frames)
        times = result.frames.time
        assert (len(times), times[0], times[-1]) == (count, 0.0, 1.0)
        step = result.attributes["dt_max"]
        np.testing.assert_allclose(np.diff(times), 1.0 / (count - 1), atol=1.001 * step)


def test_frames_may_stand_closer_than_samples(tmp_path: Path) -> None:
    """Then a whole block of steps may have frames and no sample."""
    text = deck_of("gear_pair").read_text()
    deck = tmp_path / "sparse.rad"
    deck.write_text(re.sub(r"(?<=^/TFILE\n).*$", "1.0", text, flags=re.MULTILINE))
    results = [gsolve.run(deck, dt=2e-5, output=output) for output in (None, tmp_path / "sparse")]
    for result in results:
        assert result.time.tolist() == [0.0, 1.0]
        assert len(result.frames.time) == 201
    assert all_else(results[0]) == all_else(results[1])


def test_a_run_that_ends_early_has_its_last_sample_as_a_frame() -> None:
    result = gsolve.run(deck_of("gear_pair"), frames=7, stop_when="t >= 0.4")
    assert result.time[-1] == result.frames.time[-1] == 0.4
    np.testing.assert_allclose(result.frames.time, [0.0, 0.14, 0.28, 0.4], atol=1e-15)


def test_steps_that_are_controlled_by_their_error_do_not_end_at_frames() -> None:
    model = gsolve.read(deck_of("gear_pair"))
    without, with_many = (gsolve.run(model, accuracy=1e-6, frames=frames) for frames in ("off", 1777))
    assert all_else(with_many) == all_else(without)
    assert len(with_many.frames.time) == len(without.time)


def test_plan_takes_samples_where_there_are_enough() -> None:
    def planned(asked: int | None, samples: int, bodies: int = 3, *, only_samples: bool = False) -> tuple[float, int]:
        plan = plan_frames(asked, 1.0, 1.0 / samples, bodies, only_samples=only_samples)
        assert plan is not None
        return plan.interval * plan.every, plan.frames

    assert planned(None, 1000) == (0.005, 201)
    assert planned(None, 120) == (1 / 120, 121)
    assert planned(None, 20) == (1 / 200, 201)
    assert planned(300, 200) == (1 / 300, 301)
    assert planned(300, 200, only_samples=True) == (1 / 200, 201)


def test_many_bodies_have_fewer_frames_and_that_is_said() -> None:
    plan = plan_frames(None, 1.0, 1e-3, 10_000, only_samples=False)
    assert plan is not None
    assert 8 * 7 * 10_000 * plan.frames < 1.1 * MOST_BYTES
    assert plan.fewer == "of 10000 bodies, fewer than usual: --frames N takes more"
    asked = plan_frames(500, 1.0, 1e-3, 10_000, only_samples=False)
    assert asked is not None and (asked.frames, asked.fewer) == (501, "")
    assert plan_frames(0, 1.0, 1e-3, 10_000, only_samples=False) is None
    assert USUAL == 200  # as the manual says


@pytest.mark.parametrize("value", ["0", "-3", "many", "1.5", 2.5, True, ""])
def test_what_is_no_number_of_frames_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match=f"^frames: {value!r} is neither a number of frames from 1 on nor 'off'$"):
        gsolve.run(deck_of("gear_pair"), frames=value)


def test_frames_are_asked_for_by_number_or_off() -> None:
    assert [frames_asked(value) for value in (None, "off", "12", 12, np.int64(12))] == [None, 0, 12, 12, 12]


# ---- files ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The same run in memory and in a file."""
    path = tmp_path_factory.mktemp("machine") / "block"
    model = gsolve.read(deck_of("crash_block"))
    return SimpleNamespace(memory=gsolve.run(model), file=gsolve.run(model, output=path), path=path.with_suffix(".h5"))


def test_the_machine_in_memory_is_that_of_the_file(results: SimpleNamespace) -> None:
    for name in TABLES:
        ours, theirs = getattr(results.memory.model, name), getattr(results.file.model, name)
        for column in ours.columns:
            assert getattr(ours, column).dtype == getattr(theirs, column).dtype
            np.testing.assert_array_equal(getattr(ours, column), getattr(theirs, column))


def test_frames_in_memory_are_those_of_the_file(results: SimpleNamespace) -> None:
    for name in ("time", "position", "quaternion"):
        np.testing.assert_array_equal(getattr(results.memory.frames, name), getattr(results.file.frames, name))
    with h5py.File(results.path) as file:
        body = file["th/body"]
        assert body["frame"][:].tolist() == list(range(len(results.file.frames.time)))
        assert body["X"].dims[0][0] == body["frame"] and body["X"].dims[1][0] == body["id"]
        np.testing.assert_array_equal(body["X"][:], results.file.frames.position[:, :, 0])


def test_every_table_says_what_its_columns_are(results: SimpleNamespace) -> None:
    with h5py.File(results.path) as file:
        assert set(file["model"]) == {"body", "node", "solid", "joint", "rwall", "inter", "member"}
        for name, dataset in file["model"].items():
            assert dataset.dtype.names == tuple(column.name for column in TABLES[name])
            assert all(f"{column}: " in dataset.attrs["long_name"] for column in dataset.dtype.names)


def test_a_file_without_machine_and_frames_says_so(results: SimpleNamespace, tmp_path: Path) -> None:
    """As an older gsolve made it."""
    old = tmp_path / "old.h5"
    old.write_bytes(results.path.read_bytes())
    with h5py.File(old, "a") as file:
        del file["model"], file["th/body"]
    result = gsolve.load(old)
    assert result.energy.total[-1] == results.file.energy.total[-1]
    with pytest.raises(gsolve.OutputError) as error:
        _ = result.model
    assert str(error.value) == (
        f"{old} does not know its machine (/model), as it was made by an older gsolve: run it again"
    )
    with pytest.raises(gsolve.OutputError) as error:
        _ = result.frames
    assert str(error.value) == (
        f"{old} has no frames (/th/body): it was run with --frames off, or an older gsolve made it; run it again"
    )
    with pytest.raises(gsolve.UnknownNameError, match="this run has no histories of 'body'"):
        _ = result.th.body


def test_a_run_without_frames_still_knows_its_machine(tmp_path: Path) -> None:
    for output in (None, tmp_path / "x"):
        result = gsolve.run(deck_of("gear_pair"), frames="off", output=output)
        assert len(result.model.gjoint) == 1
        with pytest.raises(gsolve.OutputError, match="has no frames"):
            _ = result.frames


def test_tables_say_what_they_have(results: SimpleNamespace) -> None:
    machine = results.file.model
    assert repr(machine.node) == "<6 rows of id, body, position>"
    assert "mass" in dir(machine.body)
    with pytest.raises(AttributeError, match=r"this table has no column 'weight'; it has id, name, rbody"):
        _ = machine.body.weight
