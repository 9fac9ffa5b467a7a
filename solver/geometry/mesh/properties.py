"""Volume, area, mass, centre and inertia of the solid within a closed triangle mesh, exact for its facets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .triangle_mesh import Floats, TriangleMesh


class MassProperties(NamedTuple):
    """Of a solid of uniform density.

    centre : (3,), mass centre
    inertia : (3, 3), about the mass centre, with tensor terms: I_xy = -sum m x y
    """

    volume: float
    area: float
    mass: float
    centre: Floats
    inertia: Floats


def mass_properties(mesh: TriangleMesh, density: float) -> MassProperties:
    """Sum over tetrahedra that a point spans with every triangle.

    The point is the mean of the vertices, which keeps digits where a mesh lies far from its origin. Of a tetrahedron
    with one corner at the point and the others at a, b, c: V = a.(b x c)/6, integral of x = V (a + b + c)/4, integral
    of x x^T = V/20 (a a^T + b b^T + c c^T + s s^T) with s = a + b + c.

    The volume of a mesh that is inside out is negative.
    """
    middle = mesh.vertices.mean(axis=0)
    corners = mesh.corners() - middle
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volumes = _tetrahedra(corners)
    sums = corners.sum(axis=1)
    volume = float(volumes.sum())
    offset = volumes @ sums / (4.0 * volume)
    moment = np.einsum("i,iaj,iak->jk", volumes, corners, corners) + np.einsum("i,ij,ik->jk", volumes, sums, sums)
    moment = moment / 20.0 - volume * np.outer(offset, offset)
    return MassProperties(
        volume=volume,
        area=0.5 * float(np.linalg.norm(normals, axis=1).sum()),
        mass=density * volume,
        centre=middle + offset,
        inertia=density * (np.trace(moment) * np.eye(3) - moment),
    )


def signed_volume(mesh: TriangleMesh) -> float:
    """The volume alone, to the last bit that of `mass_properties`."""
    return float(_tetrahedra(mesh.corners() - mesh.vertices.mean(axis=0)).sum())


def _tetrahedra(corners: Floats) -> Floats:
    """(m,) volumes that the origin spans with triangles (m, 3, 3)."""
    volumes: Floats = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return volumes
