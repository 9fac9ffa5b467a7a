"""What a process has made of meshes before: runs of one machine, one after the other, have the same meshes."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ...core.known import Known, bytes_of, digest_of
from .records import MeshSurface
from .triangle_mesh import TriangleMesh

MOST_BYTES = 2**27  # of those that are kept; larger ones are built anew


_known = Known[MeshSurface](MOST_BYTES, bytes_of)


def known_surface(mesh: TriangleMesh, settings: Hashable, build: Callable[[], MeshSurface]) -> MeshSurface:
    """What `build` makes of a mesh, to be read alone: others get the same arrays.

    settings : all else that it depends on
    """
    return _known.get((digest_of(mesh), settings), build)
