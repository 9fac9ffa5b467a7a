"""Triangle meshes of exact shapes, in the axes of the shape: their vertices lie on its surface."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..shapes import BOX, ELLIPSOID, PLANE, SPHERE
from .triangle_mesh import Floats, Indices, TriangleMesh

FEWEST_AROUND = 6  # vertices of the smallest ring about an axis


def tessellate(kind: int, dimensions: ArrayLike, edge: float) -> TriangleMesh:
    """A closed mesh of a shape, with edges about as long as asked for.

    Parameters
    ----------
    kind, dimensions : as of a SHAPE, (3,); not of a half space, which has no end
    edge : length; the shape has at least six vertices around it, and its faces one cell

    Raises
    ------
    ValueError
        if it is a half space, or the length is not positive
    """
    size = np.asarray(dimensions, dtype=float)
    if kind == PLANE or not edge > 0.0:
        raise ValueError("only bounded shapes have a mesh, with edges of a positive length")
    if kind == BOX:
        return box_mesh(size, edge)
    if kind in (SPHERE, ELLIPSOID):
        semi_axes = size if kind == ELLIPSOID else np.full(3, size[0])
        return ellipsoid_mesh(semi_axes, edge)
    return revolved_mesh(frustum_profile(size[0], size[1], size[2], edge), edge)


# ---- box -------------------------------------------------------------------------------------------------------


def box_mesh(half_lengths: Floats, edge: float) -> TriangleMesh:
    """Six grids that share the vertices of their borders."""
    cells = np.maximum(1, np.ceil(2.0 * half_lengths / edge - 1e-9)).astype(np.int64)
    corners = []  # of all triangles, in steps along the three axes
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        i, j = (grid.ravel() for grid in np.meshgrid(np.arange(cells[u]), np.arange(cells[v]), indexing="ij"))
        for end in (0, int(cells[axis])):
            quad = np.zeros((len(i), 4, 3), dtype=np.int64)
            quad[..., axis] = end
            quad[..., u] = i[:, None] + np.array([0, 1, 1, 0])
            quad[..., v] = j[:, None] + np.array([0, 0, 1, 1])
            if end == 0:
                quad = quad[:, ::-1]  # seen from the other side
            even = ((i + j) % 2 == 0)[:, None, None]  # diagonals in turns: no direction is preferred
            quad = np.where(even, quad, np.roll(quad, 1, axis=1))
            corners += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    steps, triangles = np.unique(np.concatenate(corners).reshape(-1, 3), axis=0, return_inverse=True)
    vertices = half_lengths * (2.0 * steps / cells - 1.0)
    return TriangleMesh(vertices, triangles.reshape(-1, 3).astype(np.int64))


# ---- sphere and ellipsoid --------------------------------------------------------------------------------------


def ellipsoid_mesh(semi_axes: Floats, edge: float) -> TriangleMesh:
    """An icosahedron whose faces are divided, blown up to a sphere, and that stretched along its axes."""
    vertices, faces = icosahedron()
    side = float(np.linalg.norm(vertices[faces[0, 1]] - vertices[faces[0, 0]]))
    divisions = max(1, math.ceil(side * float(semi_axes.max()) / edge))
    on_faces, triangles = divided_faces(vertices, faces, divisions)
    return TriangleMesh(semi_axes * on_faces / np.linalg.norm(on_faces, axis=1)[:, None], triangles)


def icosahedron() -> tuple[Floats, Indices]:
    """Vertices (12, 3) on the unit sphere and faces (20, 3): two poles, and two rings of five between them."""
    turn, height = 2.0 * np.pi / 5.0 * np.arange(5), 1.0 / math.sqrt(5.0)
    ring = 2.0 * height
    upper = np.c_[ring * np.cos(turn), ring * np.sin(turn), np.full(5, height)]
    lower = np.c_[ring * np.cos(turn + np.pi / 5.0), ring * np.sin(turn + np.pi / 5.0), np.full(5, -height)]
    vertices = np.concatenate([[[0.0, 0.0, 1.0]], upper, lower, [[0.0, 0.0, -1.0]]])
    k = np.arange(5)
    here, next_ = 1 + k, 1 + (k + 1) % 5
    faces = np.concatenate(
        [np.c_[np.zeros(5, int), here, next_], np.c_[here, here + 5, next_], np.c_[next_, here + 5, next_ + 5],
         np.c_[np.full(5, 11), next_ + 5, here + 5]]
    )  # fmt: skip
    return vertices, faces.astype(np.int64)


def divided_faces(vertices: Floats, faces: Indices, divisions: int) -> tuple[Floats, Indices]:
    """Every face divided into divisions^2 triangles, the points of common edges but once."""
    n = divisions
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    inside = i + j <= n
    i, j = i[inside], j[inside]
    number = np.full((n + 2, n + 2), -1)
    number[i, j] = np.arange(len(i))
    up, down = i + j < n, i + j < n - 1
    triangles = np.concatenate(
        [np.c_[number[i, j], number[i + 1, j], number[i, j + 1]][up],
         np.c_[number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]][down]]
    )  # fmt: skip
    # a point is known by how much it has of each vertex, whatever face it is of
    shares = np.zeros((len(faces), len(i), len(vertices)), dtype=np.int64)
    for face, corners in enumerate(faces):
        shares[face][:, corners] = np.c_[n - i - j, i, j]
    unique, place = np.unique(shares.reshape(-1, len(vertices)), axis=0, return_inverse=True)
    place = place.reshape(len(faces), len(i))
    return unique @ vertices / n, place[:, triangles].reshape(-1, 3).astype(np.int64)


# ---- cylinder and frustum --------------------------------------------------------------------------------------


def frustum_profile(bottom: float, top: float, half_length: float, edge: float) -> Floats:
    """(n, 2) radius and height of rings from the middle of the bottom over the side to the middle of the top."""
    corners = np.array([[0.0, -half_length], [bottom, -half_length], [top, half_length], [0.0, half_length]])
    profile = [corners[:1]]
    for start, end in pairwise(corners):
        steps = math.ceil(float(np.linalg.norm(end - start)) / edge - 1e-9)  # none along an end without radius
        share = np.arange(1, steps + 1)[:, None] / max(1, steps)
        profile.append((1.0 - share) * start + share * end)  # the end to the last bit
    return np.concatenate(profile)


def revolved_mesh(profile: Floats, edge: float) -> TriangleMesh:
    """Rings about the z axis, each joined to the next one; the first and the last are points on the axis."""
    vertices, rings, triangles = [], [], []
    count = 0
    for radius, height in profile:
        around = 1 if radius == 0.0 else max(FEWEST_AROUND, math.ceil(2.0 * np.pi * radius / edge - 1e-9))
        angle = 2.0 * np.pi * np.arange(around) / around
        vertices.append(np.c_[radius * np.cos(angle), radius * np.sin(angle), np.full(around, height)])
        rings.append(np.arange(count, count + around))
        count += around
    for lower, upper in pairwise(rings):
        triangles.append(triangles_between(lower, upper))
    return TriangleMesh(np.concatenate(vertices), np.concatenate(triangles))


def triangles_between(lower: Indices, upper: Indices) -> Indices:
    """Triangles that join two rings of evenly spaced points which begin at the same angle.

    Around both rings, that goes on whose next point comes first; one of a single point never does.
    """
    n, m = len(lower), len(upper)
    steps_lower = np.arange(1, n + 1) / n if n > 1 else np.zeros(0)
    steps_upper = np.arange(1, m + 1) / m if m > 1 else np.zeros(0)
    order = np.argsort(np.concatenate([steps_lower, steps_upper]), kind="stable")
    on_lower = order < len(steps_lower)
    i = np.concatenate([[0], np.cumsum(on_lower)])
    j = np.concatenate([[0], np.cumsum(~on_lower)])
    here_lower, here_upper = lower[i[:-1] % n], upper[j[:-1] % m]
    moved = np.where(on_lower, lower[i[1:] % n], upper[j[1:] % m])
    triangles: Indices = np.c_[here_lower, moved, here_upper].astype(np.int64)
    return triangles
