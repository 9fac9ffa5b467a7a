"""The machine of a run as its result file has it, under /model (docs/results.md): tables, a column an array.

A body carries its own axes: they stand at its mass centre, and are the global ones where the deck draws it.  A point p
of a body is at x + R(q) p, with its place x and quaternion q in a frame of /th/body.  What does not move belongs to
body -1, the ground, whose axes are the global ones at the origin.

Rows count from 0; -1 is none, or the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Texts = NDArray[np.object_]

GROUND = -1


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    kind : i8, i4, f8, f4, or O for text
    description : with the unit in brackets where it has one: M, L and T stand for those of the deck
    shape : of an entry
    """

    kind: str
    description: str
    shape: tuple[int, ...] = ()


def _column(kind: str, description: str, *shape: int) -> Any:
    return field(metadata={"column": Column(kind, description, shape)})


def _id(what: str) -> Any:
    return _column("i8", f"id of the {what} in the deck")


def _name(what: str) -> Any:
    return _column("O", f"title of the {what}, else what it is and its id")


def _row(what: str) -> Any:
    return _column("i8", f"row of {what} in /model/node; -1 is the ground")


def _body() -> Any:
    return _column("i8", "row of the body that carries it in /model/body; -1 is the ground")


def _position(what: str = "its place") -> Any:
    return _column("f8", f"{what} in the axes of the body [L]", 3)


def _quaternion() -> Any:
    return _column("f8", "from its own axes to those of the body, scalar first", 4)


def _axis(what: str, whose: str) -> Any:
    return _column("f8", f"{what}, unit vector in the axes of the body of {whose}", 3)


@dataclass(frozen=True, slots=True)
class Bodies:
    """All that can move, and rigid bodies that are held; columns of /th/body stand in the same order."""

    id: Ints = _column("i8", "id of its main node in the deck; of a node that is a body, of that")
    name: Texts = _column("O", "title of its block, else the block and its id; of a node that is a body, 'node ID'")
    rbody: Ints = _column("i8", "id of its /RBODY; 0 where it is none")
    fixed: Ints = _column("i8", "1: it is held and does not move")
    mass: Floats = _column("f8", "mass; 0 where it has none [M]")
    inertia: Floats = _column("f8", "xx yy zz xy yz xz of the inertia about its mass centre, in its axes [M L2]", 6)
    centre: Floats = _column("f8", "where the deck draws its mass centre, the origin of its axes [L]", 3)


@dataclass(frozen=True, slots=True)
class Nodes:
    """All nodes of the deck."""

    id: Ints = _id("node")
    body: Ints = _body()
    position: Floats = _position()


@dataclass(frozen=True, slots=True)
class Solids:
    """Exact solids of contacts, and the planes among them."""

    id: Ints = _id("solid")
    name: Texts = _name("solid")
    kind: Texts = _column("O", "SPHERE, BOX, CYLINDER, FRUSTUM, ELLIPSOID or PLANE")
    node: Ints = _row("the node that it is fixed to")
    body: Ints = _body()
    position: Floats = _position("its centre; of a plane, a point of it")
    quaternion: Floats = _quaternion()
    dimensions: Floats = _column(
        "f8",
        "SPHERE radius; BOX edges x' y' z'; CYLINDER radius, length; FRUSTUM radius at -z', at +z', length; ELLIPSOID "
        "semi-axes x' y' z'; cylinder and frustum lie along z', the normal of a plane is z' [L]",
        3,
    )


@dataclass(frozen=True, slots=True)
class Curves:
    """Plane curves of contacts: outlines in the x'-y' plane of their own axes."""

    id: Ints = _id("curve")
    name: Texts = _name("curve")
    node: Ints = _row("the node that it is fixed to")
    body: Ints = _body()
    position: Floats = _position("its origin")
    quaternion: Floats = _quaternion()
    first_point: Ints = _column("i8", "row of its first point in /model/curve_point")
    n_points: Ints = _column("i8", "how many points it has")
    closed: Ints = _column("i8", "1: the last point is joined to the first")
    inside_out: Ints = _column("i8", "1: the solid is outside a closed curve, or on the right of an open one")
    width: Floats = _column("f8", "of the contact along z' [L]")


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """Points of outlines: straight lines from each to the next show the curve."""

    x: Floats = _column("f8", "along x' of the curve [L]")
    y: Floats = _column("f8", "along y' of the curve [L]")


@dataclass(frozen=True, slots=True)
class Meshes:
    """Closed surfaces of triangles; equal ones share vertices and triangles."""

    id: Ints = _id("mesh")
    name: Texts = _name("mesh")
    node: Ints = _row("the node that it is fixed to")
    body: Ints = _body()
    position: Floats = _position("the origin of its vertices")
    quaternion: Floats = _quaternion()
    first_vertex: Ints = _column("i8", "row of its first vertex in /model/vertex")
    n_vertices: Ints = _column("i8", "how many vertices it has")
    first_triangle: Ints = _column("i8", "row of its first triangle in /model/triangle")
    n_triangles: Ints = _column("i8", "how many triangles it has")


@dataclass(frozen=True, slots=True)
class Vertices:
    """Vertices of meshes, in the meshes' own axes."""

    x: NDArray[np.float32] = _column("f4", "along x' of the mesh [L]")
    y: NDArray[np.float32] = _column("f4", "along y' of the mesh [L]")
    z: NDArray[np.float32] = _column("f4", "along z' of the mesh [L]")


@dataclass(frozen=True, slots=True)
class Triangles:
    """Triangles of meshes, counter-clockwise as seen from outside."""

    a: NDArray[np.int32] = _column("i4", "first corner, a vertex counted from the first of the mesh")
    b: NDArray[np.int32] = _column("i4", "second corner")
    c: NDArray[np.int32] = _column("i4", "third corner")


@dataclass(frozen=True, slots=True)
class Joints:
    """/JOINT, and each pair of a /CYL_JOINT.  A joint with the ground stands at its other node."""

    id: Ints = _id("joint")
    name: Texts = _name("joint")
    kind: Texts = _column("O", "REVOLUTE, SPHERICAL ..., as in the deck")
    node_i: Ints = _row("node i")
    node_j: Ints = _row("node j")
    axis_i: Floats = _axis("axis on node i", "node i")
    axis_j: Floats = _axis("axis on node j", "node j")
    pitch: Floats = _column("f8", "advance per turn of a SCREW; 0 of others [L]")
    length: Floats = _column("f8", "that the deck gives; NaN where it gives none [L]")


@dataclass(frozen=True, slots=True)
class GearJoints:
    """/GJOINT: ratio * angle 1 + angle 2 (+ angle 3 of a DIFF, slide 2 in place of angle 2 of a RACK) = 0."""

    id: Ints = _id("gear joint")
    name: Texts = _name("gear joint")
    kind: Texts = _column("O", "GEAR, DIFF or RACK")
    nodes: Ints = _column(
        "i8", "rows in /model/node: 0 is the carrier, 1 to 3 are the shafts; -1 where there is none", 4
    )
    axes: Floats = _column("f8", "axes r_1, r_2, r_3, unit vectors in the axes of the carrier's body", 3, 3)
    ratio: Floats = _column("f8", "alpha as the run took it [1; of a RACK L]")


@dataclass(frozen=True, slots=True)
class Couplers:
    """/COUPLER: coordinate of a = ratio * coordinate of b, each relative to its support."""

    id: Ints = _id("coupler")
    name: Texts = _name("coupler")
    kind: Texts = _column("O", "R2R two rotations, R2T a rotation and a slide")
    node_a: Ints = _row("node a")
    support_a: Ints = _row("the support of a")
    node_b: Ints = _row("node b")
    support_b: Ints = _row("the support of b")
    ratio: Floats = _column("f8", "of the two coordinates [1; of R2T 1/L]")
    axis_a: Floats = _axis("axis of a", "its support")
    axis_b: Floats = _axis("axis of b", "its support")


@dataclass(frozen=True, slots=True)
class Drives:
    """/DRIVE."""

    id: Ints = _id("drive")
    name: Texts = _name("drive")
    kind: Texts = _column("O", "DIST distance, TRA slide or ROT angle")
    node_i: Ints = _row("node i")
    node_j: Ints = _row("node j")
    axis: Floats = _axis("axis of TRA and ROT, else zeros", "node i")


@dataclass(frozen=True, slots=True)
class Springs:
    """/SPRING, each element by itself."""

    id: Ints = _id("spring")
    name: Texts = _name("part of the spring")
    kind: Texts = _column("O", "TYPE4 or TYPE8")
    node_1: Ints = _row("its first node")
    node_2: Ints = _row("its second node")


@dataclass(frozen=True, slots=True)
class Walls:
    """/RWALL.  A wall on a node moves with it and does not turn."""

    id: Ints = _id("wall")
    name: Texts = _name("wall")
    kind: Texts = _column("O", "PLANE, SPHER, CYL or PARAL")
    node: Ints = _column("i8", "row of the node that carries it in /model/node; -1: it stands still")
    point: Floats = _column(
        "f8", "where the deck draws it, global axes: a point of a plane or of the axis, centre, corner [L]", 3
    )
    normal: Floats = _column("f8", "unit vector, global axes: towards the nodes, or along the axis; zeros of SPHER", 3)
    sides: Floats = _column("f8", "from the corner of PARAL along its sides, global axes; else zeros [L]", 2, 3)
    radius: Floats = _column("f8", "of SPHER and CYL; else 0 [L]")


@dataclass(frozen=True, slots=True)
class Interfaces:
    """/INTER, in the order of /th/inter."""

    id: Ints = _id("interface")
    name: Texts = _name("interface")
    law: Texts = _column("O", "law of the normal force, as in the deck")
    one_sided: Ints = _column("i8", "1: it has one side, whose bodies touch each other")


@dataclass(frozen=True, slots=True)
class Members:
    """What touches what: one row for each solid, curve or mesh on a side of an interface."""

    inter: Ints = _column("i8", "row of the interface in /model/inter")
    side: Ints = _column("i8", "1 or 2")
    solid: Ints = _column("i8", "row in /model/solid, or -1")
    curve: Ints = _column("i8", "row in /model/curve, or -1")
    mesh: Ints = _column("i8", "row in /model/mesh, or -1")


@dataclass(frozen=True, slots=True)
class MachineTables:
    """All of /model.

    Tables that the file does not have are empty.  Arrays are columns: `machine.bodies.mass[k]`.
    """

    bodies: Bodies
    nodes: Nodes
    solids: Solids
    curves: Curves
    curve_points: CurvePoints
    meshes: Meshes
    vertices: Vertices
    triangles: Triangles
    joints: Joints
    gear_joints: GearJoints
    couplers: Couplers
    drives: Drives
    springs: Springs
    walls: Walls
    interfaces: Interfaces
    members: Members

    def outline(self, curve: int) -> Floats:
        """(n, 2) points of a curve, by its row, in its own axes."""
        own = slice(first := int(self.curves.first_point[curve]), first + int(self.curves.n_points[curve]))
        return np.stack([self.curve_points.x[own], self.curve_points.y[own]], axis=1)

    def surface(self, mesh: int) -> tuple[Floats, Ints]:
        """(n, 3) vertices of a mesh, by its row, in its own axes, and (m, 3) corners of its triangles."""
        meshes, vertices, triangles = self.meshes, self.vertices, self.triangles
        own = slice(first := int(meshes.first_vertex[mesh]), first + int(meshes.n_vertices[mesh]))
        places = np.stack([vertices.x[own], vertices.y[own], vertices.z[own]], axis=1).astype(np.float64)
        own = slice(first := int(meshes.first_triangle[mesh]), first + int(meshes.n_triangles[mesh]))
        corners = np.stack([triangles.a[own], triangles.b[own], triangles.c[own]], axis=1).astype(np.int64)
        return places, corners


# Datasets of /model and the tables that they are.
TABLES: dict[str, tuple[str, type]] = {
    "body": ("bodies", Bodies),
    "node": ("nodes", Nodes),
    "solid": ("solids", Solids),
    "curve": ("curves", Curves),
    "curve_point": ("curve_points", CurvePoints),
    "mesh": ("meshes", Meshes),
    "vertex": ("vertices", Vertices),
    "triangle": ("triangles", Triangles),
    "joint": ("joints", Joints),
    "gjoint": ("gear_joints", GearJoints),
    "coupler": ("couplers", Couplers),
    "drive": ("drives", Drives),
    "spring": ("springs", Springs),
    "rwall": ("walls", Walls),
    "inter": ("interfaces", Interfaces),
    "member": ("members", Members),
}

T = TypeVar("T")


def columns_of(table: type) -> dict[str, Column]:
    """The columns of a table, by name."""
    return {item.name: item.metadata["column"] for item in fields(table)}


def table_of(kind: type[T], values: dict[str, Any]) -> T:
    """A table of that kind with its columns as arrays of their types; those that are not given are empty."""
    arrays = {}
    for name, column in columns_of(kind).items():
        given = values.get(name, ())
        arrays[name] = _fixed(np.array(list(given) if column.kind == "O" else given, dtype=column.kind), column)
    return kind(**arrays)


def _fixed(array: NDArray[Any], column: Column) -> NDArray[Any]:
    array = array.reshape(-1, *column.shape)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Frames:
    """Poses of all bodies of /model/body, frame by frame.

    time : (nf,)
    position : (nf, nb, 3) of their mass centres, global axes
    quaternion : (nf, nb, 4) from their axes to the global ones, scalar first
    """

    time: Floats
    position: Floats
    quaternion: Floats

    def places(self, body: int, points: Floats) -> Floats:
        """(nf, n, 3) where points (n, 3) of a body are, by the row of the body; points of the ground stay."""
        points = np.asarray(points, dtype=np.float64)
        if body == GROUND:
            return np.broadcast_to(points, (len(self.time), *points.shape))
        w, q = self.quaternion[:, body, None, :1], self.quaternion[:, body, None, 1:]
        half = np.cross(q, points)
        turned: Floats = points + 2.0 * (w * half + np.cross(q, half))
        return self.position[:, body, None] + turned
