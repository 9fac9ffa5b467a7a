"""What pairs of meshes find, by definition: the depth of a patch over a half space, inside and outside."""

from __future__ import annotations

import numpy as np
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from scipy.optimize import minimize


def depth_for_law(points: np.ndarray, depths: np.ndarray, stiffening: float) -> float:
    """The least over c of the largest depth/(1 - stiffening |x - c|^2/2) over points below the surface."""
    below = depths > 0.0
    points, depths = points[below], depths[below] / depths.max()
    size = np.linalg.norm(points - points[0], axis=1).max() + 1.0

    def room(unknown: np.ndarray) -> np.ndarray:
        away = points - unknown[:3] * size
        return unknown[3] * (1.0 - 0.5 * stiffening * np.einsum("ik,ik->i", away, away)) - depths

    start = np.r_[points[np.argmax(depths)] / size, 1.0]
    start[3] += max(0.0, -room(start).min()) * 2.0
    found = minimize(
        lambda unknown: unknown[3],
        start,
        jac=lambda unknown: np.array([0.0, 0.0, 0.0, 1.0]),
        constraints={"type": "ineq", "fun": room},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return float(found.x[3])


def windings(mesh: TriangleMesh, x: np.ndarray) -> float:
    """How often a closed mesh winds round x: the solid angles of all triangles over 4 pi."""
    a, b, c = np.moveaxis(mesh.corners() - x, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", *pair) for pair in ((a, b), (b, c), (c, a)))
    angles = np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return float(angles.sum() / (2 * np.pi))


def depths_of_raster(q: tuple[float, ...], beyond: np.ndarray, steps: int = 120) -> np.ndarray:
    """A quadratic over a triangle at all places of a raster that are behind all planes.

    q : of 1, v, w, vv, vw, ww.  beyond : (n, 3), how far the corners are beyond each plane
    """
    v, w = np.meshgrid(np.linspace(0.0, 1.0, steps + 1), np.linspace(0.0, 1.0, steps + 1))
    inside = v + w <= 1.0 + 1e-12
    v, w = v[inside], w[inside]
    left = (beyond @ np.stack([1.0 - v - w, v, w]) <= 0.0).all(axis=0)
    return np.asarray(q) @ np.stack([np.ones_like(v), v, w, v * v, v * w, w * w])[:, left]
