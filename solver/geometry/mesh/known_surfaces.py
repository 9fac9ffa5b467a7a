"""Surfaces that a process has built before: runs of one machine, one after the other, have the same meshes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable

import numpy as np

from ...core.known import Known
from .records import MeshSurface
from .triangle_mesh import TriangleMesh

MOST_BYTES = 2**27  # of those that are kept; larger ones are built anew


def bytes_of(surface: MeshSurface) -> int:
    """Memory of the arrays of a surface."""
    return sum(np.asarray(array).nbytes for array in surface)


_known = Known[MeshSurface](MOST_BYTES, bytes_of)


def known_surface(mesh: TriangleMesh, settings: Hashable, build: Callable[[], MeshSurface]) -> MeshSurface:
    """What `build` makes of a mesh, to be read alone: others get the same arrays.

    settings : all else that it depends on
    """
    digest = hashlib.blake2b(mesh.vertices.tobytes(), digest_size=16)
    digest.update(mesh.triangles.tobytes())
    return _known.get((digest.digest(), mesh.vertices.shape, settings), build)
