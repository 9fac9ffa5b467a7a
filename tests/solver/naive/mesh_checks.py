"""Twins of the kernels that look at meshes before a run: every triangle with every other."""

from __future__ import annotations

import numpy as np


def pierces(p, q, triangle, deep, border):
    """Where the segment from p to q pierces a triangle, None if it does not, as `crossings.piercing_point`."""
    a, b, c = triangle
    normal = np.cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal)
    above, below = (p - a) @ normal, (q - a) @ normal
    if abs(above) <= deep or abs(below) <= deep or above * below > 0:
        return None
    at = p + above / (above - below) * (q - p)
    inside = [(np.cross(normal, to - start) @ (at - start)) / np.linalg.norm(to - start)
              for start, to in ((a, b), (b, c), (c, a))]  # fmt: skip
    return at if min(inside) > -border else None


def crossing_pairs(corners, triangles, deep, border):
    """Pairs i < j of triangles that share less than two vertices and of which an edge of one pierces the other."""
    found = []
    for i in range(len(corners)):
        for j in range(i + 1, len(corners)):
            if len(set(triangles[i]) & set(triangles[j])) > 1:
                continue
            hits = [pierces(of[k], of[(k + 1) % 3], t, deep, border) for t, of in
                    ((corners[i], corners[j]), (corners[j], corners[i])) for k in range(3)]  # fmt: skip
            if any(hit is not None for hit in hits):
                found.append((i, j))
    return found


def thicknesses(corners, facing):
    """(m,) of each triangle the distance from its middle, straight inwards, to the next that faces away."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    found = np.full(len(corners), np.inf)
    for i in range(len(corners)):
        origin, direction = corners[i].mean(axis=0), -normals[i]
        for j in range(len(corners)):
            a, b, c = corners[j]
            if j == i or normals[j] @ direction <= facing:
                continue
            u, v, distance = np.linalg.solve(np.stack([b - a, c - a, -direction], axis=1), origin - a)
            if u >= -1e-9 and v >= -1e-9 and u + v <= 1 + 1e-9 and distance > 0:
                found[i] = min(found[i], distance)
    return found
