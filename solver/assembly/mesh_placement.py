"""Meshes on the bodies that carry them."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Mesh, MeshFile

from .assembly import BodyMesh
from .foundation import Foundation
from .mesh_checks import CheckedMeshes


def body_meshes(checked: CheckedMeshes, foundation: Foundation) -> list[BodyMesh]:
    """The meshes of a model, all of which are sound, in the axes of their bodies."""
    found = []
    for mesh, triangles, pieces in zip(foundation.model.meshes, checked.meshes, checked.pieces, strict=True):
        assert triangles is not None
        body = int(foundation.touching["body"][mesh.node]) if mesh.node >= 0 else 0
        shift = _moved(mesh, foundation) - foundation.bodies["centre"][body]
        found.append(BodyMesh(mesh, body, triangles.moved(np.eye(3), shift), pieces))
    return found


def _moved(mesh: Mesh, foundation: Foundation) -> np.ndarray:
    """By how much a mesh moves with its node, where ICoG moves that: not if it brings mass, or is one of elements."""
    if mesh.node < 0 or mesh.density or not isinstance(mesh.source, MeshFile):
        return np.zeros(3)
    drawn = foundation.model.nodes.coordinates[mesh.node]
    return np.asarray(foundation.touching["origin"][mesh.node] - drawn)
