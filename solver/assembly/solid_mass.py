"""Mass of solids with a density, exact shapes and meshes: where it is, and the node that carries it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from gsolve.parser.model import MeshFile, Model

from ..core.bodies import Floats, Ints
from ..core.known import Known, digest_of
from ..geometry.mesh.properties import MassProperties, mass_properties
from ..geometry.mesh.triangle_mesh import TriangleMesh
from ..geometry.solid_properties import solid_properties


class SolidMasses(NamedTuple):
    """Solids with mass, global axes at t = 0.

    nodes : (k,) row of the node that each is fixed to
    mass : (k,)
    centre : (k, 3) mass centre
    inertia : (k, 3, 3) about the mass centre
    """

    nodes: Ints
    mass: Floats
    centre: Floats
    inertia: Floats

    def on(self, nodes: Ints) -> SolidMasses:
        """Those that are fixed to some nodes."""
        chosen = np.isin(self.nodes, nodes)
        return SolidMasses(self.nodes[chosen], self.mass[chosen], self.centre[chosen], self.inertia[chosen])


NO_SOLIDS = SolidMasses(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))


_known = Known[MassProperties](1000)  # of meshes by their densities


def solid_masses(model: Model, meshes: list[TriangleMesh | None]) -> SolidMasses:
    """All solids with a density that are not fixed to the ground, in the places where the deck draws them.

    meshes : of each mesh of the model, global axes; None where it cannot be used: it counts as a mass of 1 on its node,
        so that nothing more is said about the body than about the mesh
    """
    found: list[tuple[int, float, Floats, Floats]] = []
    for shape in model.shapes:
        if shape.density > 0.0 and shape.node >= 0:
            solid = solid_properties(shape.kind, shape.dimensions)
            centre = model.nodes.coordinates[shape.node] + shape.offset + solid.centre @ shape.axes
            inertia = shape.density * (shape.axes.T @ solid.inertia @ shape.axes)
            found.append((shape.node, shape.density * solid.volume, centre, inertia))
    for mesh, triangles in zip(model.meshes, meshes, strict=True):
        if not mesh.density or mesh.node < 0 or not isinstance(mesh.source, MeshFile):
            continue
        if triangles is None:
            found.append((mesh.node, 1.0, model.nodes.coordinates[mesh.node], np.eye(3)))
            continue
        properties = _known.get((digest_of(triangles), mesh.density), partial(mass_properties, triangles, mesh.density))
        found.append((mesh.node, properties.mass, properties.centre, properties.inertia))
    if not found:
        return NO_SOLIDS
    nodes, masses, centres, inertias = zip(*found, strict=True)
    return SolidMasses(np.array(nodes), np.array(masses), np.array(centres), np.array(inertias))
