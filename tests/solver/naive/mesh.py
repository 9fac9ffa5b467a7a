"""Slow and obvious twins of the kernels of geometry/mesh: every triangle is tried, surfaces are sums of vectors."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from naive import cross

PAIRS = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # an edge from p to o, and the corner opposite


# ---- the smooth surface ---------------------------------------------------------------------------------------------


def corners_and_normals(surface, triangle):
    """(3, 3) each."""
    vertices = surface.vertices[surface.triangles["corners"][triangle]]
    return vertices["position"], vertices["normal"]


def shell_coordinates(corners, normals, x):
    """b (3,) and t with x = sum b_i (P_i + t N_i), by Newton's method with differences for the derivatives."""

    def left_over(at):
        b = np.array([1 - at[0] - at[1], at[0], at[1]])
        return b @ corners + at[2] * (b @ normals) - x

    at = np.array([1 / 3, 1 / 3, 0.0])
    for _ in range(6):
        steps = 1e-6 * np.eye(3)
        slopes = np.transpose([(left_over(at + step) - left_over(at - step)) / 2e-6 for step in steps])
        at = at - np.linalg.solve(slopes, left_over(at))
    return np.array([1 - at[0] - at[1], at[0], at[1]]), at[2]


def surface_point(corners, normals, bulge, b):
    """The point of the bent triangle: each edge a cubic that leaves its ends at right angles to their normals."""
    point = b @ corners + 27 * bulge * b.prod() * normals.mean(axis=0)
    for p, o, c in PAIRS:
        cosine = np.linalg.norm(normals[p] + normals[o]) / 2
        chord = (corners[o] - corners[p]) * 2 / ((1 + cosine) * cosine)
        at_p, at_o = (normals[p] @ chord) * normals[p], (normals[o] @ chord) * normals[o]
        point = point + b[p] * b[o] * ((b[o] + b[c] / 2) * at_o - (b[p] + b[c] / 2) * at_p)
    return point


def height_over(surface, triangle, x):
    """(x - S).M/|M| with the coordinates of x in one triangle, and these coordinates."""
    corners, normals = corners_and_normals(surface, triangle)
    b, t = shell_coordinates(corners, normals, x)
    mean = b @ normals
    foot = surface_point(corners, normals, surface.triangles["bulge"][triangle], b)
    return (x - foot) @ mean / np.linalg.norm(mean), b, t


def triangle_over(surface, chart, x):
    """The triangle of a chart over or under which x lies; of several the nearest."""
    found = []
    for triangle in np.flatnonzero(surface.triangles["chart"] == chart):
        corners, _ = corners_and_normals(surface, triangle)
        size = np.linalg.norm(corners - corners.mean(axis=0), axis=1).max()
        if np.linalg.norm(x - corners.mean(axis=0)) < 3 * size:
            _, b, t = height_over(surface, triangle, x)
            if b.min() >= -1e-9:
                found.append((abs(t), triangle))
    return min(found)[1]


def derivatives(surface, triangle, x, step=1e-5):
    """Gradient and Hessian of the height over one triangle, by differences."""
    steps = step * np.eye(3)
    phi = lambda at: height_over(surface, triangle, at)[0]  # noqa: E731
    gradient = np.array([(phi(x + d) - phi(x - d)) / (2 * step) for d in steps])
    hessian = np.array(
        [
            [(phi(x + d + e) - phi(x + d - e) - phi(x - d + e) + phi(x - d - e)) / (4 * step**2) for e in steps]
            for d in steps
        ]
    )
    return gradient, hessian


# ---- edges of charts ------------------------------------------------------------------------------------------------


def beyond_edges(surface, chart, x):
    """Height over the plane between two charts at the nearest of all cut edges of a chart."""
    edges = surface.edges[surface.triangles["chart"][surface.edges["triangle"]] == chart]
    if len(edges) == 0:
        return -1e30
    offsets = x - edges["start"]
    along = np.clip(np.einsum("ek,ek->e", offsets, edges["direction"]), 0, edges["length"])
    apart = np.linalg.norm(offsets - along[:, None] * edges["direction"], axis=1)
    part = along / edges["length"]
    # Hermite's cubic from start to end, and the plane of the chord turned as its tangent is
    chords = edges["length"][:, None] * edges["direction"]
    begin, end, p = edges["tangents"][:, 0], -edges["tangents"][:, 1], part[:, None]
    places = (p - 2 * p**2 + p**3) * begin + (3 * p**2 - 2 * p**3) * chords + (p**3 - p**2) * end
    tangents = (1 - 4 * p + 3 * p**2) * begin + (6 * p - 6 * p**2) * chords + (3 * p**2 - 2 * p) * end
    heights = np.empty(len(edges))
    for k, edge in enumerate(edges):
        axis = cross(edge["direction"], tangents[k])
        sine = np.linalg.norm(axis) / np.linalg.norm(tangents[k])
        turn = Rotation.from_rotvec(np.arcsin(sine) / max(np.linalg.norm(axis), 1e-300) * axis)
        heights[k] = (offsets[k] - places[k]) @ turn.apply(edge["bisector"])
    near = apart <= apart.min() * (1 + 1e-9)
    return heights[near][np.argmax(np.abs(heights[near]))]


# ---- facets ---------------------------------------------------------------------------------------------------------


def nearest_point(mesh, x):
    """Distance of x from the nearest of all triangles."""
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    up = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", up, up)
    v = np.einsum("ij,ij->i", np.cross(x - a, c - a), up) / square
    w = np.einsum("ij,ij->i", np.cross(b - a, x - a), up) / square
    inside = (v >= 0) & (w >= 0) & (v + w <= 1)
    best = np.where(inside, np.abs(np.einsum("ij,ij->i", x - a, up)) / np.sqrt(square), np.inf).min()
    for p, q in ((a, b), (b, c), (c, a)):
        part = np.clip(np.einsum("ij,ij->i", x - p, q - p) / np.einsum("ij,ij->i", q - p, q - p), 0, 1)
        best = min(best, np.linalg.norm(x - p - part[:, None] * (q - p), axis=1).min())
    return best


def first_exit(mesh, origin, direction, start, facing):
    """The shortest way along a ray out of the solid, through a triangle other than the one it starts in."""
    corners = mesh.corners()
    a, b, c = np.moveaxis(corners, 1, 0)
    up = np.cross(b - a, c - a)
    looks_out = up @ direction > max(facing, 1e-12) * np.linalg.norm(up, axis=1)
    a, b, c = np.moveaxis(corners[looks_out & (np.arange(len(corners)) != start)], 1, 0)
    sides = np.stack([b - a, c - a, np.broadcast_to(-direction, a.shape)], axis=-1)
    v, w, way = np.linalg.solve(sides, (origin - a)[..., None])[..., 0].T
    inside = (np.minimum(v, w) >= -1e-12) & (v + w <= 1 + 1e-12)
    return np.min(way[inside & (way >= 0)], initial=np.inf)


# ---- normals of vertices --------------------------------------------------------------------------------------------


def fitted_normal(positions, ring, vertex, normal):
    """Least squares as `height_fit` says, by numpy's solver: five terms until they settle, then nine."""
    d = positions[ring] - positions[vertex]
    weight = np.einsum("ij,ij->i", d, d) ** -1.5
    bend = np.zeros((3, 3))
    for sweep in range(20):
        one = np.linalg.svd(normal[None])[2][1]
        frame = np.array([one, cross(normal, one), normal])
        x, y, z = frame @ d.T
        slope = frame[:2] @ bend @ (np.outer(frame[0], x) + np.outer(frame[1], y))
        factor = 2 / (1 + np.sqrt(1 - (slope**2).sum(axis=0)))
        columns = [x, y, factor * x * x / 2, factor * x * y, factor * y * y / 2]
        if sweep >= 10:
            columns += [x**3, x * x * y, x * y * y, y**3]
        terms = np.linalg.lstsq(np.transpose(columns) * weight[:, None], z * weight, rcond=None)[0]
        normal = frame[2] - terms[0] * frame[0] - terms[1] * frame[1]
        normal = normal / np.linalg.norm(normal)
        if sweep < 10:
            bend = frame[:2].T @ np.array([[terms[2], terms[3]], [terms[3], terms[4]]]) @ frame[:2]
    return normal
