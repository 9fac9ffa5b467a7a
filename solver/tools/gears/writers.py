"""Meshes as files: STL, binary or text, and OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, TriangleMesh

Format = Literal["stl", "ascii-stl", "obj"]
SUFFIXES: dict[Format, str] = {"stl": ".stl", "ascii-stl": ".stl", "obj": ".obj"}
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def write_mesh(path: Path, mesh: TriangleMesh, name: str, kind: Format) -> None:
    """Write a mesh; binary STL keeps 7 digits, the others all 17."""
    writer = {"stl": _binary_stl, "ascii-stl": _ascii_stl, "obj": _obj}[kind]
    path.write_bytes(writer(mesh, name))


def _normals(mesh: TriangleMesh) -> Floats:
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    normal = np.cross(b - a, c - a)
    unit: Floats = normal / np.linalg.norm(normal, axis=1)[:, None]
    return unit


def _binary_stl(mesh: TriangleMesh, name: str) -> bytes:
    records = np.zeros(len(mesh.triangles), _RECORD)
    records["normal"] = _normals(mesh)
    records["corners"] = mesh.corners()
    # A binary file must not begin with "solid", by which readers know one of text.
    header = f"binary STL of {name}".encode("ascii", "replace")[:80].ljust(80)
    return header + np.uint32(len(records)).astype("<u4").tobytes() + records.tobytes()


def _ascii_stl(mesh: TriangleMesh, name: str) -> bytes:
    lines = [f"solid {name}"]
    for normal, corners in zip(_normals(mesh).tolist(), mesh.corners().tolist(), strict=True):
        lines.append("facet normal {!r} {!r} {!r}\n outer loop".format(*normal))
        lines += ["  vertex {!r} {!r} {!r}".format(*corner) for corner in corners]
        lines.append(" endloop\nendfacet")
    return "\n".join([*lines, f"endsolid {name}", ""]).encode()


def _obj(mesh: TriangleMesh, name: str) -> bytes:
    lines = [f"o {name}"]
    lines += ["v {!r} {!r} {!r}".format(*vertex) for vertex in mesh.vertices.tolist()]
    lines += ["f {} {} {}".format(*triangle) for triangle in (mesh.triangles + 1).tolist()]
    return "\n".join([*lines, ""]).encode()
