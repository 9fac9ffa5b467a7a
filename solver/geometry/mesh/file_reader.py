"""Mesh files as they are: STL, OBJ, PLY and OFF by the library trimesh, with nothing mended."""

from __future__ import annotations

import io
import logging
import os
import re
import warnings
from typing import Any

import numpy as np

from .file_census import MeshFileError, announced_triangles, parts_of_off, without_breaks
from .triangle_mesh import TriangleMesh


def read_mesh_file(path: str) -> TriangleMesh:
    """The triangles of a file; polygons are cut into triangles that share their first corner.

    Vertices are those of the file: of an STL file each triangle has its own three. Only the file itself is read, no
    material or picture that it may name.

    Raises
    ------
    MeshFileError
        it cannot be read as what its name says, or not all of it
    """
    kind = os.path.splitext(path)[1].lower().lstrip(".")
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise MeshFileError(f"cannot be read: {error.strerror or error}", "") from error
    announced = announced_triangles(data, kind)
    mesh = _parse(data, kind) if announced else TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    found = len(mesh.triangles)
    if found < announced or (found > announced and kind != "ply"):
        raise MeshFileError(f"is damaged: it announces {announced} triangles, and {found} can be read")
    if found and not 0 <= mesh.triangles.min() <= mesh.triangles.max() < len(mesh.vertices):
        wrong = mesh.triangles[(mesh.triangles < 0) | (mesh.triangles >= len(mesh.vertices))]
        message = f"is damaged: a triangle of it has vertex {wrong[0]}, counted from 0, and there are "
        raise MeshFileError(message + str(len(mesh.vertices)))
    return mesh


def _parse(data: bytes, kind: str) -> TriangleMesh:
    """The triangles of the contents of a file; the parts that it has, one after the other."""
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", DeprecationWarning)  # NumPy's, of text that is no number
            data = {"obj": _plain_obj, "off": _plain_off}.get(kind, bytes)(data)
            found = _loader(kind)(io.BytesIO(data), skip_materials=True, maintain_order=True, fix_texture=False)
        parts = list(found["geometry"].values()) if "geometry" in found else [found]
        return _joined([part for part in parts if part.get("faces") is not None])
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        if isinstance(error, KeyError):
            reason = f"{reason} is not understood, or missing"
        if "unmatched data" in reason or "could not convert" in reason:
            reason = "what should be a number is none"
        raise MeshFileError(f"is damaged or no {kind.upper()} file: {reason}") from error


def _plain_obj(data: bytes) -> bytes:
    """The vertices and triangles of an OBJ file that is sound, without textures, normals, materials and groups.

    For these the library would split vertices and renumber faces.
    """
    lines = []
    for word, line in re.findall(rb"(?m)^[ \t]*([vf])[ \t]([^\r\n#]*)", without_breaks(data)):
        if word == b"v":
            lines.append(b"v " + b" ".join(line.split()[:3]))
        else:
            lines += [b"f " + b" ".join(corners) for corners in _fan([c.split(b"/", 1)[0] for c in line.split()])]
    return b"\n".join(lines)


def _plain_off(data: bytes) -> bytes:
    """The vertices and triangles of an OFF file that is sound, without colours and normals."""
    vertices, faces = parts_of_off(data)
    triangles = [b"3 " + b" ".join(corners) for face in faces for corners in _fan(face)]
    head = b"OFF\n%d %d 0" % (len(vertices), len(triangles))
    return b"\n".join([head, *(b" ".join(vertex) for vertex in vertices), *triangles])


def _fan(corners: list[bytes]) -> list[list[bytes]]:
    """A polygon as triangles that share its first corner."""
    return [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]


def _loader(kind: str) -> Any:
    """What makes arrays of a stream; trimesh's own reading of files would merge vertices and drop what is odd."""
    from trimesh.exchange import obj, off, ply, stl  # takes a third of a second

    return {"stl": stl.load_stl, "obj": obj.load_obj, "ply": ply.load_ply, "off": off.load_off}[kind]


def _joined(parts: list[dict[str, Any]]) -> TriangleMesh:
    """Parts with vertices (n, 3) and faces of three or more corners as one mesh of triangles."""
    from trimesh.geometry import triangulate_quads

    vertices, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for part in parts:
        vertices.append(np.asarray(part["vertices"], dtype=np.float64).reshape(-1, 3))
        triangles.append(np.asarray(triangulate_quads(part["faces"]), dtype=np.int64).reshape(-1, 3) + count)
        count += len(vertices[-1])
    return TriangleMesh(np.concatenate(vertices), np.concatenate(triangles))
