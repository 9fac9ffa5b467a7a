"""What a process has made of meshes before: runs of one machine, one after the other, have the same meshes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from ...core.known import Known
from .records import MeshSurface
from .triangle_mesh import TriangleMesh

MOST_BYTES = 2**27  # of those that are kept; larger ones are built anew


def bytes_of(arrays: Iterable[Any]) -> int:
    """Memory of the arrays of a surface."""
    return sum(np.asarray(array).nbytes for array in arrays)


def key_of(mesh: TriangleMesh) -> Hashable:
    """Short, and the same for equal meshes alone."""
    digest = hashlib.blake2b(mesh.vertices.tobytes(), digest_size=16)
    digest.update(mesh.triangles.tobytes())
    return digest.digest(), mesh.vertices.shape


_known = Known[MeshSurface](MOST_BYTES, bytes_of)


def known_surface(mesh: TriangleMesh, settings: Hashable, build: Callable[[], MeshSurface]) -> MeshSurface:
    """What `build` makes of a mesh, to be read alone: others get the same arrays.

    settings : all else that it depends on
    """
    return _known.get((key_of(mesh), settings), build)
