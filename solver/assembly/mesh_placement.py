"""Meshes on the bodies that carry them."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Mesh, MeshFile

from ..contact.mesh_bodies import BodyMesh
from ..core.bodies import Floats
from ..geometry.mesh.triangle_mesh import TriangleMesh
from .foundation import Foundation
from .mesh_checks import CheckedMeshes


def body_meshes(checked: CheckedMeshes, foundation: Foundation) -> list[BodyMesh]:
    """The meshes of a model, all of which are sound, in the axes of their bodies."""
    found = []
    of_all = zip(foundation.model.meshes, checked.meshes, checked.own, checked.found, strict=True)
    for mesh, triangles, own, known in of_all:
        assert triangles is not None and own is not None
        body = int(foundation.touching["body"][mesh.node]) if mesh.node >= 0 else 0
        shift = _moved(mesh, foundation) - foundation.bodies["centre"][body]
        axes = mesh.source.axes if isinstance(mesh.source, MeshFile) else _axes_of_first(triangles)
        if not isinstance(mesh.source, MeshFile):
            own = own.moved(axes, -axes @ own.corners()[0, 0])
        found.append(BodyMesh(mesh, body, triangles.moved(np.eye(3), shift), own, axes, known.pieces, known.hollow))
    return found


def _axes_of_first(mesh: TriangleMesh) -> Floats:
    """(3, 3) rows x, y, z: along the first side of the first triangle, in its plane, and out of it."""
    a, b, c = mesh.corners()[0]
    along, out = b - a, np.cross(b - a, c - a)
    along, out = along / np.linalg.norm(along), out / np.linalg.norm(out)
    return np.stack([along, np.cross(out, along), out])


def _moved(mesh: Mesh, foundation: Foundation) -> np.ndarray:
    """By how much a mesh moves with its node, where ICoG moves that: not if it brings mass, or is one of elements."""
    if mesh.node < 0 or mesh.density or not isinstance(mesh.source, MeshFile):
        return np.zeros(3)
    drawn = foundation.model.nodes.coordinates[mesh.node]
    return np.asarray(foundation.touching["origin"][mesh.node] - drawn)
