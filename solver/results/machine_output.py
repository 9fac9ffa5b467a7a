"""The machine of a run as tables (`machine_tables`), from the arrays and the model; and its poses at samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from gsolve.parser.model import Entity, MeshFile, PlaneCurve, RigidBody, Shape, sides_of

from ..contact.plane_curve_setup import outlines_of
from ..core.bodies import Floats, Ints
from ..core.body_points import NODE_POINT
from ..core.channels import Channel, Family
from ..core.orientation import quaternions_of
from ..core.unit_names import unit
from ..forces.loads import accelerations_at_start
from ..geometry.curve2d.drawing import drawn_points
from .machine_reader import FRAMES
from .machine_tables import GROUND, TABLES
from .node_output import QUATERNION, places_of

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..assembly.body_plan import BodyPlan

TRIANGLE = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]]).T  # xx yy zz xy yz xz of a matrix
Tables = dict[str, dict[str, Any]]  # columns by table and name


class TableBody(NamedTuple):
    """A body of the table.

    place : in the arrays, 0 where it does not move
    held : whether it does not
    """

    plan: BodyPlan
    place: int
    held: bool


class MachineOutput:
    """What a result file says of the bodies of a machine.

    tables : of all that is in it, by name and column
    family : channels of the poses, in the order of `machine_reader`
    """

    def __init__(self, assembly: Assembly, gjoint_alpha: str) -> None:
        self._bodies = bodies_of_table(assembly)
        self._centres = np.array([_centre(body.plan) for body in self._bodies]).reshape(-1, 3)
        self._points = np.zeros(len(self._bodies), NODE_POINT)
        self._points["body"] = [body.place for body in self._bodies]
        self._points["origin"] = self._centres
        moves = self._points["body"] != 0
        arms = np.array([body.plan.mass_arm for body in self._bodies]).reshape(-1, 3)
        self._points["arm"] = np.where(moves[:, None], arms, 0.0)
        self.tables = tables_of(assembly, self._bodies, self._centres, gjoint_alpha)
        self.family = body_family(assembly, self.tables["body"])

    def poses(self, samples: Floats) -> dict[str, Floats]:
        """Channels (k, nb) of the family, from samples (k, bodies, 22) of the bodies in the arrays."""
        quaternions = samples[:, self._points["body"], QUATERNION]
        poses = np.concatenate([places_of(samples, self._points), quaternions], axis=2)
        return {channel.name: poses[:, :, k] for k, channel in enumerate(self.family.channels)}


def bodies_of_table(assembly: Assembly) -> list[TableBody]:
    """Rigid groups in the order of the deck, then nodes by themselves."""
    index = {id(plan): k for k, plan in enumerate(assembly.bodies) if plan is not None}
    moving = {id(plan) for plan in assembly.plan.bodies}
    alone = sorted((plan for plan in assembly.plan.bodies if plan.source is None), key=lambda plan: plan.main_node)
    return [
        TableBody(plan, index[id(plan)] if id(plan) in moving else 0, _is_held(plan) or id(plan) not in moving)
        for plan in (*assembly.plan.groups, *alone)
    ]


def _is_held(plan: BodyPlan) -> bool:
    return plan.holds_translation and (plan.holds_rotation or not plan.turns)


def _centre(plan: BodyPlan) -> Floats:
    centre: Floats = plan.reference + plan.mass_arm
    return centre


def body_family(assembly: Assembly, bodies: dict[str, Any]) -> Family:
    """Poses of the bodies of the table, /th/body."""
    length = unit(assembly.model.units, length=1)
    channels = [Channel(axis.upper(), length, f"place of the mass centre, {axis}") for axis in "xyz"]
    texts = [f"rotation quaternion from the axes of the body, {component}" for component in "wxyz"]
    channels += [Channel(f"Q{k}", "1", text) for k, text in enumerate(texts)]
    return Family(FRAMES, tuple(channels), np.array(bodies["id"], dtype=np.int64), tuple(bodies["name"]))


class _Places:
    """Which body carries a node of the deck, and where it is in the axes of that."""

    def __init__(self, assembly: Assembly, bodies: list[TableBody], centres: Floats) -> None:
        self.of_node = np.full(len(assembly.model.nodes), GROUND, dtype=np.int64)
        for row, body in enumerate(bodies):
            self.of_node[body.plan.nodes] = row
        self._origins = np.concatenate([centres, np.zeros((1, 3))])  # the last one of the ground, -1
        self.drawn, self.placed = assembly.model.nodes.coordinates, assembly.plan.coordinates

    def body(self, node: int) -> int:
        """Row of the body of a node, of the ground for -1."""
        return int(self.of_node[node]) if node >= 0 else GROUND

    def local(self, places: Floats, bodies: Any) -> Floats:
        """Places (n, 3), global axes as drawn, in the axes of bodies (n,)."""
        found: Floats = places - self._origins[bodies]
        return found

    def fixed(self, node: int, place: Floats) -> dict[str, Any]:
        """Columns of what stands at a place (3,), global axes as drawn, and is fixed to a node."""
        body = self.body(node)
        return {"node": node, "body": body, "position": self.local(place, body)}


def tables_of(assembly: Assembly, bodies: list[TableBody], centres: Floats, gjoint_alpha: str) -> Tables:
    """All tables of a machine."""
    model, places = assembly.model, _Places(assembly, bodies, centres)
    tables: Tables = {
        "body": _bodies(assembly, bodies, centres),
        "node": {
            "id": model.nodes.ids,
            "body": places.of_node,
            "position": places.local(places.placed, places.of_node),
        },
        **_shapes(assembly, places),
        **_meshes(assembly, places),
        "joint": _columns(
            model.joints, "joint", "kind", "node_i", "node_j", "axis_i", "axis_j", "pitch", length=_length
        ),
        "gjoint": _columns(
            model.gear_joints, "gear joint", "kind", "nodes", "axes",
            ratio=lambda gears: gears.fscale_v if gjoint_alpha == "documented" else 1.0 / gears.fscale_v,
        ),
        "coupler": _columns(
            model.couplers, "coupler", "kind", "node_a", "support_a", "node_b", "support_b", "ratio", "axis_a", "axis_b"
        ),
        "drive": _columns(model.drives, "drive", "kind", "node_i", "node_j", axis=_axis_of_drive),
        "spring": _columns(model.springs, "spring", "node_1", "node_2", kind=lambda spring: spring.property.kind),
        "rwall": _columns(model.rigid_walls, "wall", "kind", "node", "point", "normal", "sides", "radius"),
        "inter": _columns(
            model.interfaces, "interface",
            law=lambda contact: contact.where.keyword.rpartition("/")[2],
            one_sided=lambda contact: int(contact.side_j is None),
        ),
    }  # fmt: skip
    tables["member"] = _members(assembly)
    tables["gravity"] = _columns(model.gravities, "gravity") | {"acceleration": accelerations_at_start(model)}
    return {name: tables[name] for name in TABLES}


def _columns(items: Sequence[Any], noun: str, *names: str, **functions: Any) -> dict[str, Any]:
    """Columns of entries of the model: id and name, attributes, and what functions make of them."""
    columns: dict[str, Any] = {
        "id": [item.id for item in items],
        "name": [name_of(item, noun) for item in items],
        **{name: [getattr(item, name) for item in items] for name in names},
    }
    return columns | {name: [function(item) for item in items] for name, function in functions.items()}


def name_of(item: Entity, noun: str) -> str:
    """Its title, else what it is."""
    return item.title or f"{noun} {item.id}"


def _length(joint: Any) -> float:
    return float("nan") if joint.length is None else joint.length


def _axis_of_drive(drive: Any) -> Floats:
    return np.zeros(3) if drive.kind == "DIST" else drive.axis


def _bodies(assembly: Assembly, bodies: list[TableBody], centres: Floats) -> dict[str, Any]:
    ids, plans = assembly.model.nodes.ids, [body.plan for body in bodies]
    return {
        "id": [int(ids[plan.main_node]) for plan in plans],
        "name": [_body_name(plan, int(ids[plan.main_node])) for plan in plans],
        "rbody": [plan.source.id if isinstance(plan.source, RigidBody) else 0 for plan in plans],
        "fixed": [int(body.held) for body in bodies],
        "mass": [plan.mass for plan in plans],
        "inertia": [_inertia_about_centre(plan)[tuple(TRIANGLE)] for plan in plans],
        "centre": centres,
    }


def _body_name(plan: BodyPlan, node_id: int) -> str:
    if plan.source is None:
        return f"node {node_id}"
    return name_of(plan.source, "rigid body" if isinstance(plan.source, RigidBody) else "rigid tie")


def _inertia_about_centre(plan: BodyPlan) -> Floats:
    arm = plan.mass_arm
    inertia: Floats = plan.inertia - plan.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return inertia


# ---- what touches --------------------------------------------------------------------------------------------


def _shapes(assembly: Assembly, places: _Places) -> Tables:
    """Solids, curves and the points of these."""
    shapes = assembly.model.shapes
    rows: dict[str, list[dict[str, Any]]] = {"solid": [], "curve": []}
    segments = _segments_of_curves(assembly, places)
    known: dict[bytes, tuple[int, int]] = {}
    points: list[Floats] = [np.zeros((0, 2))]
    axes = np.array([shape.axes for shape in shapes]).reshape(-1, 3, 3)
    for row, (shape, quaternion) in enumerate(zip(shapes, quaternions_of(axes.swapaxes(1, 2)), strict=True)):
        own = {"id": shape.id, "quaternion": quaternion, **places.fixed(shape.node, _place(shape, places))}
        if not isinstance(shape, PlaneCurve):
            name = name_of(shape, "solid")
            rows["solid"].append({**own, "name": name, "kind": shape.kind, "dimensions": shape.dimensions})
            continue
        drawn = drawn_points(segments[row], shape.closed)
        first, count = known.setdefault(drawn.tobytes(), (sum(map(len, points)), len(drawn)))
        points += [drawn] if first == sum(map(len, points)) else []
        rows["curve"].append({
            **own, "name": name_of(shape, "curve"), "first_point": first, "n_points": count,
            "closed": int(shape.closed), "width": shape.width,
        })  # fmt: skip
    x, y = np.concatenate(points).T
    return {name: _transposed(name, entries) for name, entries in rows.items()} | {"curve_point": {"x": x, "y": y}}


def _segments_of_curves(assembly: Assembly, places: _Places) -> dict[int, Floats]:
    """Segments (n, 2, 4) of each curve from its node, by its row among the shapes; the solid is on their left."""
    contacts, shapes = assembly.system.contacts, assembly.model.shapes
    if not len(contacts.shapes):  # no interface has made any
        return {row: _moved(each.outline.coefficients, each.centre) for row, each in outlines_of(shapes).items()}
    found, references = {}, assembly.system.bodies["centre"]
    for row, shape in enumerate(shapes):
        if isinstance(shape, PlaneCurve):
            record = contacts.shapes[row]
            centre = references[record["body"]] + record["centre"] - _place(shape, places)
            curve = contacts.plane_curves.curves[record["curve"]]
            own = contacts.plane_curves.segments[curve["first"] : curve["first"] + curve["segments"]]
            found[row] = _moved(np.stack([own["x"], own["y"]], axis=1), (shape.axes @ centre)[:2])
    return found


def _moved(coefficients: Floats, by: Floats) -> Floats:
    moved = coefficients.copy()
    moved[:, :, 0] += by
    return moved


def _place(shape: Shape, places: _Places) -> Floats:
    """Of a shape as drawn; what brings mass stays where it was counted from the node in the deck."""
    if shape.node < 0:
        return shape.offset
    origin: Floats = (places.drawn if shape.density else places.placed)[shape.node]
    return origin + shape.offset


def _meshes(assembly: Assembly, places: _Places) -> Tables:
    """Meshes, their vertices and triangles: those of a file once for each scale."""
    rows: list[dict[str, Any]] = []
    known: dict[Any, dict[str, int]] = {}
    vertices: list[Floats] = [np.zeros((0, 3))]
    triangles: list[Ints] = [np.zeros((0, 3), dtype=np.int64)]
    references = assembly.system.bodies["centre"]
    for placed in assembly.meshes:
        mesh, source = placed.mesh, placed.mesh.source
        triangular, place = placed.centred()
        key = (source.path, source.flip, source.scale) if isinstance(source, MeshFile) else mesh.id
        if key not in known:
            known[key] = {
                "first_vertex": sum(map(len, vertices)), "n_vertices": len(triangular.vertices),
                "first_triangle": sum(map(len, triangles)), "n_triangles": len(triangular.triangles),
            }  # fmt: skip
            vertices.append(triangular.vertices)
            triangles.append(triangular.triangles)
        at = references[placed.body] + place if placed.body else place
        rows.append({
            "id": mesh.id, "name": name_of(mesh, "mesh"), **places.fixed(mesh.node, at),
            "quaternion": quaternions_of(placed.axes.T), **known[key],
        })  # fmt: skip
    return {
        "mesh": _transposed("mesh", rows),
        "vertex": dict(zip("xyz", np.concatenate(vertices).T, strict=True)),
        "triangle": dict(zip("abc", np.concatenate(triangles).T, strict=True)),
    }


def _members(assembly: Assembly) -> dict[str, Any]:
    """What is on the sides of interfaces."""
    model, rows = assembly.model, list[dict[str, int]]()
    is_curve = np.array([isinstance(shape, PlaneCurve) for shape in model.shapes], dtype=bool)
    place = np.where(is_curve, np.cumsum(is_curve), np.cumsum(~is_curve)) - 1
    for row, contact in enumerate(model.interfaces):
        for side, surface in enumerate(sides_of(contact), start=1):
            nothing = {"inter": row, "side": side, "solid": -1, "curve": -1, "mesh": -1}
            shapes = surface.shapes.tolist()
            rows += [{**nothing, "curve" if is_curve[shape] else "solid": int(place[shape])} for shape in shapes]
            rows += [{**nothing, "mesh": mesh} for mesh in surface.meshes.tolist()]
    return _transposed("member", rows)


def _transposed(table: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {column.name: [row[column.name] for row in rows] for column in TABLES[table]}
