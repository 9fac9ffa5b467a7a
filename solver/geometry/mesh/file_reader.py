"""Mesh files as they are: STL, OBJ, PLY and OFF by the library trimesh, with nothing mended."""

from __future__ import annotations

import io
import logging
import os
import warnings

import numpy as np

from .file_census import MeshFileError, announced_triangles
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
        wrong = int(np.count_nonzero((mesh.triangles < 0) | (mesh.triangles >= len(mesh.vertices))))
        raise MeshFileError(f"is damaged: {wrong} corners of its triangles are vertices that it does not have")
    return mesh


def _parse(data: bytes, kind: str) -> TriangleMesh:
    """The triangles of the contents of a file."""
    import trimesh  # a third of a second

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # NumPy's, of text that is no number
            found = trimesh.load_mesh(
                io.BytesIO(data), file_type=kind, process=False, maintain_order=True, skip_materials=True
            )
        vertices = np.array(found.vertices, dtype=np.float64).reshape(-1, 3)
        triangles = np.array(found.faces, dtype=np.int64).reshape(-1, 3)
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise MeshFileError(f"is damaged or no {kind.upper()} file: {reason}") from error
    return TriangleMesh(vertices, triangles)
