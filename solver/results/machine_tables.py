"""The machine of a run as its result file has it, under /model (docs/results.md): tables whose columns are arrays.

A body carries its own axes: they stand at its mass centre, and are the global ones where the deck draws it.  A point p
of a body is at x + R(q) p, with its place x and quaternion q in a frame of /th/body.  What does not move belongs to
body -1, the ground, whose axes are the global ones at the origin.

Rows count from 0; -1 is none, or the ground.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints

GROUND = -1  # as the body of something


class Column(NamedTuple):
    """One column of a table.

    kind : i8, i4, f8, f4, or O for text
    description : with the unit in brackets where it has one: M, L and T stand for those of the deck
    shape : of an entry
    """

    name: str
    kind: str
    description: str
    shape: tuple[int, ...] = ()


def _labels(what: str, *, has_kind: str = "") -> tuple[Column, ...]:
    columns = (Column("id", "i8", f"id of the {what} in the deck"), Column("name", "O", "title, else noun and id"))
    return (*columns, Column("kind", "O", has_kind)) if has_kind else columns


def _row(name: str) -> Column:
    return Column(name, "i8", "row in node")


def _axis(name: str, of: str) -> Column:
    return Column(name, "f8", f"unit vector in the axes of the body of {of}", (3,))


_BODY = Column("body", "i8", "row in body of what carries it; -1: the ground")
_PLACE = (
    _row("node"),
    _BODY,
    Column("position", "f8", "in axes of the body [L]", (3,)),
    Column("quaternion", "f8", "from its own axes to those of the body, scalar first", (4,)),
)

# All tables of /model; docs/results.md says more of them.
TABLES: dict[str, tuple[Column, ...]] = {
    "body": (
        Column("id", "i8", "id of its main node, or of the node that it is"),
        Column("name", "O", "title of its block, else noun and id"),
        Column("rbody", "i8", "id of its /RBODY, or 0"),
        Column("fixed", "i8", "1: it does not move"),
        Column("mass", "f8", "[M]"),
        Column("inertia", "f8", "xx yy zz xy yz xz about the mass centre, in its axes [M L2]", (6,)),
        Column("centre", "f8", "mass centre as drawn, global axes [L]", (3,)),
    ),
    "node": (
        Column("id", "i8", "id of the node in the deck"),
        _BODY,
        Column("position", "f8", "in axes of the body [L]", (3,)),
    ),
    "solid": (
        *_labels("solid", has_kind="SPHERE, BOX, CYLINDER, FRUSTUM, ELLIPSOID or PLANE"),
        *_PLACE,
        Column("dimensions", "f8", "radii, edges and lengths by kind [L]", (3,)),
    ),
    "curve": (
        *_labels("curve"),
        *_PLACE,
        Column("first_point", "i8", "row in curve_point"),
        Column("n_points", "i8", "how many it has there"),
        Column("closed", "i8", "1: the last point is joined to the first"),
        Column("width", "f8", "along z' [L]"),
    ),
    "curve_point": (Column("x", "f8", "along x' [L]"), Column("y", "f8", "along y' [L]")),  # the solid is on the left
    "mesh": (
        *_labels("mesh"),
        *_PLACE,
        Column("first_vertex", "i8", "row in vertex"),
        Column("n_vertices", "i8", "how many it has there"),
        Column("first_triangle", "i8", "row in triangle"),
        Column("n_triangles", "i8", "how many it has there"),
    ),
    "vertex": tuple(Column(axis, "f4", f"along {axis}' of the mesh [L]") for axis in "xyz"),
    "triangle": tuple(Column(corner, "i4", "vertex, counted from the first of the mesh") for corner in "abc"),
    "joint": (
        *_labels("joint", has_kind="as in the deck"),
        _row("node_i"),
        _row("node_j"),
        _axis("axis_i", "node i"),
        _axis("axis_j", "node j"),
        Column("pitch", "f8", "of a SCREW [L]"),
        Column("length", "f8", "NaN where the deck gives none [L]"),
    ),
    "gjoint": (
        *_labels("gear joint", has_kind="GEAR, DIFF or RACK"),
        Column("nodes", "i8", "rows in node: 0 the carrier, 1 to 3 the shafts; -1: none", (4,)),
        Column("axes", "f8", "unit vectors r_1, r_2, r_3 in the axes of the carrier's body", (3, 3)),
        Column("ratio", "f8", "alpha as the run took it"),
    ),
    "coupler": (
        *_labels("coupler", has_kind="R2R or R2T"),
        *(_row(name) for name in ("node_a", "support_a", "node_b", "support_b")),
        Column("ratio", "f8", "coordinate of a over that of b"),
        _axis("axis_a", "support a"),
        _axis("axis_b", "support b"),
    ),
    "drive": (
        *_labels("drive", has_kind="DIST, TRA or ROT"),
        _row("node_i"),
        _row("node_j"),
        _axis("axis", "node i, zeros of DIST"),
    ),
    "spring": (*_labels("spring", has_kind="TYPE4 or TYPE8"), _row("node_1"), _row("node_2")),
    "rwall": (
        *_labels("wall", has_kind="PLANE, SPHER, CYL or PARAL"),
        Column("node", "i8", "row in node of what moves it, without turning it; -1: it stands still"),
        Column("point", "f8", "of the plane, of the axis, centre or corner as drawn, global axes [L]", (3,)),
        Column("normal", "f8", "towards the nodes, or along the axis; zeros of SPHER", (3,)),
        Column("sides", "f8", "of PARAL, from its corner [L]", (2, 3)),
        Column("radius", "f8", "of SPHER and CYL [L]"),
    ),
    "inter": (
        *_labels("interface"),
        Column("law", "O", "as in the deck"),
        Column("one_sided", "i8", "1: the bodies of its one side touch each other"),
    ),
    "member": (
        Column("inter", "i8", "row in inter"),
        Column("side", "i8", "1 or 2"),
        *(Column(table, "i8", f"row in {table}, or -1") for table in ("solid", "curve", "mesh")),
    ),
    "gravity": (
        *_labels("gravity"),
        Column("acceleration", "f8", "at t = 0, global axes, also while a sensor keeps it off [L/T2]", (3,)),
    ),
}


class Table:
    """A table: `table.mass` is a column (n, ...), `table[k]` a row as a dictionary."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._columns)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"this table has no column {name!r}; it has {', '.join(self._columns)}")
        return self._columns[name]

    def __getitem__(self, row: int) -> dict[str, Any]:
        return {name: values[row] for name, values in self._columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self._columns)}>"


@dataclass(frozen=True)
class MachineTables:
    """All of /model; tables that the file does not have are empty."""

    body: Table
    node: Table
    solid: Table
    curve: Table
    curve_point: Table
    mesh: Table
    vertex: Table
    triangle: Table
    joint: Table
    gjoint: Table
    coupler: Table
    drive: Table
    spring: Table
    rwall: Table
    inter: Table
    member: Table
    gravity: Table

    @property
    def up(self) -> Floats:
        """(3,) unit vector against all gravity at t = 0; z where there is none."""
        pull: Floats = self.gravity.acceleration.sum(axis=0)
        size = float(np.linalg.norm(pull))
        return -pull / size if size > 0.0 else np.array([0.0, 0.0, 1.0])

    def outline(self, curve: int) -> Floats:
        """(n, 2) points of a curve, by its row, in its own axes."""
        own = _rows(self.curve.first_point[curve], self.curve.n_points[curve])
        return np.stack([self.curve_point.x[own], self.curve_point.y[own]], axis=1)

    def surface(self, mesh: int) -> tuple[Floats, Ints]:
        """(n, 3) vertices of a mesh, by its row, in its own axes, and (m, 3) corners of its triangles."""
        own = _rows(self.mesh.first_vertex[mesh], self.mesh.n_vertices[mesh])
        vertices = np.stack([self.vertex.x[own], self.vertex.y[own], self.vertex.z[own]], axis=1)
        own = _rows(self.mesh.first_triangle[mesh], self.mesh.n_triangles[mesh])
        triangles = np.stack([self.triangle.a[own], self.triangle.b[own], self.triangle.c[own]], axis=1)
        return vertices.astype(np.float64), triangles.astype(np.int64)


def _rows(first: Any, count: Any) -> slice:
    return slice(int(first), int(first) + int(count))


def table_of(name: str, values: Mapping[str, Any]) -> Table:
    """The table of that name, its columns as arrays of their types; those that are not given are empty."""
    return Table({column.name: _array(column, values.get(column.name, ())) for column in TABLES[name]})


def _array(column: Column, values: Iterable[Any]) -> NDArray[Any]:
    if column.kind == "O":
        texts = list(values)
        array = np.empty(len(texts), dtype=object)
        array[:] = texts
    else:
        array = np.array(values, dtype=column.kind).reshape(-1, *column.shape)
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Frames:
    """Poses of all bodies, frame by frame, in the order of their table.

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
