"""Slow and obvious twins of the kernels of geometry: all directions tried, all corners listed, general optimisers."""

from __future__ import annotations

import itertools

import numpy as np
from gsolve.solver.geometry.shapes import BOX, ELLIPSOID, PLANE, SPHERE
from scipy.optimize import lsq_linear, minimize, minimize_scalar

from naive import cross

BLEND = 0.25  # overlaps that are larger than the least by up to this part of it share the load
STEEP = 0.1  # cos^2 below which a face does not count

# ---- shapes in their poses (shape_rig.Placed) -------------------------------------------------------------------


def heights(pose, d):
    """Support function of a bounded shape: how far it reaches along directions d (..., 3), from the global origin."""
    a, b, c = pose.shape["dimensions"]
    x, y, z = np.moveaxis(d @ pose.axes.T, -1, 0)
    across = np.hypot(x, y)
    kind = pose.shape["kind"]
    if kind == SPHERE:
        own = a * np.linalg.norm(d, axis=-1)
    elif kind == BOX:
        own = a * abs(x) + b * abs(y) + c * abs(z)
    elif kind == ELLIPSOID:
        own = np.sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2)
    else:
        own = np.maximum(b * across + c * z, a * across - c * z)
    return own + d @ pose.centre


def outside_by(pose, at):
    """A number that is positive outside a shape, zero on its surface and negative inside; near it a length."""
    x, y, z = pose.axes @ (at - pose.centre)
    a, b, c = pose.shape["dimensions"]
    kind = pose.shape["kind"]
    if kind == SPHERE:
        return np.linalg.norm([x, y, z]) - a
    if kind == PLANE:
        return z
    if kind == BOX:
        return max(abs(x) - a, abs(y) - b, abs(z) - c)
    if kind == ELLIPSOID:
        return (np.linalg.norm([x / a, y / b, z / c]) - 1) * min(a, b, c)
    return max(abs(z) - c, np.hypot(x, y) - (a + (b - a) * (z + c) / (2 * c)))


def overlap_along(i, j, d):
    """p(d): how far i must move along directions d (..., 3) to clear j."""
    return heights(j, d) + heights(i, -d)


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


SEEDS = unit(np.random.default_rng(0).normal(size=(1000, 3)))
CAP = np.random.default_rng(1).normal(size=(40, 3))


def least_overlap(i, j):
    """The least p over all directions."""
    return best_of_samples(lambda d: overlap_along(i, j, d), 4, 25)[0]


def best_of_samples(function, starts, rounds):
    """Least value of a function of unit vectors (..., 3), and where: all over the sphere, then ever closer to a few."""
    d = SEEDS[np.argsort(function(SEEDS))[:starts]]
    for radius in 0.15 * 0.7 ** np.arange(rounds):
        trial = unit(np.concatenate([d[:, None], d[:, None] + radius * CAP], axis=1))
        best = function(trial).argmin(axis=1)
        d = trial[np.arange(len(d)), best]
    values = function(d)
    return values.min(), d[values.argmin()]


# ---- distances -------------------------------------------------------------------------------------------------


def distance_from_surface(pose, point):
    """Signed distance of a point from a convex solid: the greatest of d . x - h(d) over all unit vectors d."""
    value, _ = least_over_directions(lambda d: heights(pose, d) - d @ point)
    return -value


def least_over_directions(function, starts=6):
    """Least value of a function of unit vectors (..., 3), and where: the best of many samples, improved."""
    return least_near(function, best_of_samples(function, starts, 12)[1], (1e-2, 1e-4, 1e-6))


def least_near(function, d, sizes=(0.2, 1e-2, 1e-4, 1e-6)):
    """Least value of a function of a unit vector near d, and where, by a search that needs no derivatives."""
    for size in sizes:
        u = unit(cross(d, np.eye(3)[np.argmin(abs(d))]))
        v = cross(d, u)

        def at(x, d=d, u=u, v=v):
            return unit(d + x[0] * u + x[1] * v)

        simplex = size * np.array([[0, 0], [1, 0], [0, 1.0]])
        options = {"initial_simplex": simplex, "xatol": 1e-11, "fatol": 1e-16, "maxfev": 400}
        best = minimize(lambda x, at=at: function(at(x)[None])[0], np.zeros(2), method="Nelder-Mead", options=options)
        d = at(best.x)
    return function(d[None])[0], d


def least_overlap_by_search(i, j, d):
    """The least p near d, and where."""
    return least_near(lambda directions: overlap_along(i, j, directions), d)


def corners(pose):
    """(8, 3) corners of a box."""
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return pose.centre + (signs * pose.shape["dimensions"]) @ pose.axes


def distance_of_boxes(i, j):
    """Distance of two boxes, 0 where they overlap: bounded least squares in the coordinates of both."""
    matrix = np.concatenate([i.axes.T, -j.axes.T], axis=1)
    half = np.concatenate([i.shape["dimensions"], j.shape["dimensions"]])
    found = lsq_linear(matrix, j.centre - i.centre, bounds=(-half, half), tol=1e-15, method="bvls")
    return np.linalg.norm(found.fun)


def distance_of_lines(a, b):
    """Distance of two segments (middle, unit vector, half length), likewise."""
    matrix, half = np.stack([a[1], -b[1]], axis=1), np.array([a[2], b[2]])
    return np.linalg.norm(lsq_linear(matrix, b[0] - a[0], bounds=(-half, half), tol=1e-15, method="bvls").fun)


def clipped(polygon, other):
    """Corners of what two convex polygons, both counter-clockwise, have in common: cut by one edge after the other."""
    result = [np.array(corner) for corner in polygon]
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        outward = np.array([end[1] - start[1], start[0] - end[0]])
        before, result = result, []
        for here, there in zip(before, before[1:] + before[:1], strict=True):
            inside, next_inside = outward @ (here - start) <= 0, outward @ (there - start) <= 0
            if inside:
                result.append(here)
            if inside != next_inside:
                t = outward @ (start - here) / (outward @ (there - here))
                result.append(here + t * (there - here))
    return np.array(result).reshape(-1, 2)


def area_of(polygon):
    """By triangles from its first corner."""
    total = 0.0
    for k in range(1, len(polygon) - 1):
        (ax, ay), (bx, by) = polygon[k] - polygon[0], polygon[k + 1] - polygon[0]
        total += 0.5 * (ax * by - ay * bx)
    return total


def exterior_angles(polygon):
    """Angle by which the outline turns at each corner."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    before = np.roll(edges, 1, axis=0)
    cosines = np.sum(edges * before, axis=1) / np.linalg.norm(edges, axis=1) / np.linalg.norm(before, axis=1)
    return np.arccos(np.clip(cosines, -1, 1))


# ---- points ----------------------------------------------------------------------------------------------------


def table_of_points(found):
    """(n, 9) point, normal, depth, weight and area, in an order of their places."""
    rows = np.array([[*point, *normal, depth, weight, area] for point, normal, depth, weight, area in found])
    rows = rows.reshape(-1, 9)
    return rows[np.lexsort(np.round(rows[:, :6], 7).T)]


def circle_of_spheres(radius_i, radius_j, apart):
    """Area of the circle in which two spheres cut each other: where their distances along the line of centres agree."""
    x = (apart**2 + radius_i**2 - radius_j**2) / (2 * apart)
    return np.pi * (radius_i**2 - x**2)


def circle_on_plane(radius, depth):
    """Area of a sphere in a plane, at most that of its great circle."""
    return np.pi * (radius**2 - max(radius - depth, 0.0) ** 2)


def lowest_angle(rim, normal):
    """Where on a rim, angle -> point, the height along a normal is least."""
    best = min(np.linspace(0, 2 * np.pi, 60), key=lambda t: normal @ rim(t))
    found = minimize_scalar(lambda t: normal @ rim(t), bounds=(best - 0.2, best + 0.2), options={"xatol": 1e-12})
    # the height is a cosine of the angle from there: three values of it give the middle
    heights_at = [normal @ rim(found.x + by) for by in (-1.0, 0.0, 1.0)]
    tangent = (heights_at[2] - heights_at[0]) / (2 * np.sin(1.0))
    level = (heights_at[2] + heights_at[0] - 2 * np.cos(1.0) * heights_at[1]) / (2 - 2 * np.cos(1.0))
    return found.x + np.arctan2(-tangent, level - heights_at[1])


def points_above_plane(pose, plane):
    """Of a solid and a half space: corners, of each rim the lowest point and every quarter from it, or one point.

    Areas, by depth: as the table of docs/contact.md has them.
    """
    normal, found = plane.axes[2], []
    kind, (a, b, c) = pose.shape["kind"], pose.shape["dimensions"]
    cosines = pose.axes @ normal
    if kind == BOX:
        quarter = 0.25 * 4 * (np.array([b * c, a * c, a * b]) @ cosines**2)
        places = [(corner, lambda depth: quarter) for corner in corners(pose)]
    elif kind in (SPHERE, ELLIPSOID):
        places = [(support_by_search(pose, -normal), lambda depth: section_of_ellipsoid(pose, normal, depth))]
    else:
        places = []
        for end, radius in ((-c, a), (c, b)):

            def rim(t, end=end, radius=radius):
                return pose.centre + np.array([radius * np.cos(t), radius * np.sin(t), end]) @ pose.axes

            def standing(depth, radius=radius):
                return 0.25 * np.pi * radius**2 * cosines[2] ** 2

            def leaning(depth, radius=radius):
                return standing(depth, radius) + width_of_strip(radius, depth) * c * (1 - cosines[2] ** 2)

            if radius > 0.0:
                first = lowest_angle(rim, normal)
                places += [(rim(first + k * np.pi / 2), standing if k else leaning) for k in range(4)]
            else:
                places.append((rim(0.0), lambda depth: np.pi * depth**2))
    for place, area in places:
        depth = -normal @ (place - plane.centre)
        if depth > 0.0:
            found.append((place + 0.5 * depth * normal, normal, depth, 1.0, area(depth)))
    return table_of_points(found)


def width_of_strip(radius, depth):
    """Of a cylinder that lies in a plane: between the two generators where that cuts it, at most its diameter."""
    middle_over_plane = max(radius - depth, 0.0)
    return 2 * radius * np.sin(np.arccos(middle_over_plane / radius))


def section_of_ellipsoid(pose, normal, depth):
    """Area of a plane in an ellipsoid, or of the parallel one through the centre if that is not as deep.

    Stretched into a ball of radius 1 it is cut in a circle, and areas across this normal have been divided by
    a b c/h: as volumes by a b c, heights by h.
    """
    size = np.ones(3) * pose.shape["dimensions"][0]
    if pose.shape["kind"] == ELLIPSOID:
        size = pose.shape["dimensions"]
    height = np.linalg.norm(size * (pose.axes @ normal))
    x = max(height - depth, 0.0) / height
    return np.pi * (1 - x**2) * np.prod(size) / height


def support_by_search(pose, d):
    """The point of a solid that lies furthest along d: the gradient of how far it reaches."""
    h = 1e-4
    steps = h * np.eye(3)
    return (8 * (heights(pose, d + steps) - heights(pose, d - steps))
            - heights(pose, d + 2 * steps) + heights(pose, d - 2 * steps)) / (12 * h)  # fmt: skip


def radius_of_curvature(pose, d):
    """Geometric mean of the two radii of curvature of a smooth solid where its normal is d: of the support function's
    second derivatives on the sphere of directions, the determinant."""
    u = unit(cross(d, np.eye(3)[np.argmin(abs(d))]))
    frame, h = np.array([u, cross(d, u)]), 1e-3

    def along(x):
        return heights(pose, d + h * (x @ frame))

    e = np.eye(2)
    bend = [[(along(p + q) - along(p - q) - along(q - p) + along(-p - q)) / (4 * h * h) for q in e] for p in e]
    return np.sqrt(np.linalg.det(bend))


# ---- two boxes -------------------------------------------------------------------------------------------------


def share_of(overlap, least):
    """Of a separating direction among others, the least of which has this overlap."""
    return max(0.0, 1.0 - (overlap / least - 1.0) / BLEND)


def faces_of_box(pose):
    """(centre, normal, two unit vectors in it counter-clockwise about the normal, their half lengths) of six faces."""
    found, size = [], pose.shape["dimensions"]
    for k, sign in itertools.product(range(3), (-1, 1)):
        x, y = (k + 1) % 3, (k + 2) % 3
        normal = sign * pose.axes[k]
        found.append((pose.centre + size[k] * normal, normal, pose.axes[x], sign * pose.axes[y], size[x], size[y]))
    return found


def box_box_points(i, j):
    """All points of two boxes: all faces and pairs of edges with their shares, as solid_solid and faces say it."""
    faces = [(face, i, 1.0, overlap_along(i, j, face[1]), 1.0) for face in faces_of_box(j)]
    faces += [(face, j, -1.0, overlap_along(i, j, -face[1]), 1 + BLEND) for face in faces_of_box(i)]
    edges = []
    for a, b in itertools.product(i.axes, j.axes):
        if np.linalg.norm(cross(a, b)) > 1e-7:
            edges += [(sign * unit(cross(a, b)), a, b) for sign in (1, -1)]
    edges = [(d, a, b, overlap_along(i, j, d)) for d, a, b in edges]
    if min(*(face[3] for face in faces), *(edge[3] for edge in edges), np.inf) <= 0.0:
        return table_of_points([])
    least_face = min(overlap for *_, overlap, _ in faces)
    least = min(*(bias * overlap for *_, overlap, bias in faces), *((1 + BLEND) * edge[3] for edge in edges), np.inf)
    shares = [share_of(bias * overlap, least) for *_, overlap, bias in faces]
    edge_shares = [
        np.clip((least_face / overlap - 1) / BLEND, 0, 1) * share_of((1 + BLEND) * overlap, least)
        for *_, overlap in edges
    ]
    total, found = sum(shares) + sum(edge_shares), []
    for (face, other, sense, _, _), share in zip(faces, shares, strict=True):
        if share > 0.0:
            found += points_on_face(other, face, sense, share / total)
    for (d, a, b, overlap), share in zip(edges, edge_shares, strict=True):
        if share > 0.0:
            place = crossing_of_edges(i, j, d, a, b)
            found.append((place, d, overlap, share / total, share / total * np.pi * overlap**2))
    return table_of_points(found)


def crossing_of_edges(i, j, d, a, b):
    """Midway between the edges along a and b that lie deepest, where they come nearest to each other."""
    ends = []
    for pose, axis, sign in ((i, a, -1), (j, b, 1)):
        along = pose.axes @ axis
        arms = np.where(abs(along) > 0.5, 0.0, sign * np.sign(pose.axes @ d) * pose.shape["dimensions"])
        half = pose.shape["dimensions"][np.argmax(abs(along))]
        ends.append((pose.centre + arms @ pose.axes, axis, half))
    (p, a, half_a), (q, b, half_b) = ends
    matrix = np.stack([a, -b], axis=1)
    bounds = [-half_a, -half_b], [half_a, half_b]
    s, t = lsq_linear(matrix, q - p, bounds, tol=1e-15, method="bvls").x
    return 0.5 * (p + s * a + q + t * b)


def points_on_face(pose, face, sense, share):
    """Points of a box on a face of another: those of its own faces that look at it, by the squares of their cosines."""
    normal = face[1]
    looking = [own for own in faces_of_box(pose) if own[1] @ normal < 0.0]
    flatness = np.array([max(0.0, (own[1] @ normal) ** 2 - STEEP) for own in looking])
    found = []
    for own, part in zip(looking, flatness / flatness.sum(), strict=True):
        if part > 0.0:
            found += overlap_of_faces(own, face, sense, share * part)
    return found


def overlap_of_faces(own, face, sense, share):
    """Corners of the part of a face that lies above another one (seen along the other's normal), by their angles."""
    (own_centre, _, u, v, a, b), (centre, normal, x, y, half_x, half_y) = own, face
    part = np.array([(-a, -b), (a, -b), (a, b), (-a, b)], dtype=float)
    for axis, half in ((x, half_x), (-x, half_x), (y, half_y), (-y, half_y)):
        part = cut_by_line(part, np.array([axis @ u, axis @ v]), half + axis @ (centre - own_centre))
    if len(part) < 3:
        return []
    area, edges = area_of(part), np.roll(part, -1, axis=0) - part
    places = own_centre + part @ np.array([u, v])
    depths = (centre - places) @ normal
    narrow = min(depths.max(), 2 * a * b / (a + b), 2 * half_x * half_y / (half_x + half_y))
    if depths.max() <= 0.0:
        return []
    width = 2 * area / np.linalg.norm(edges, axis=1).sum()
    weights = share * min(1.0, width / narrow) * exterior_angles(part) / (np.pi / 2)
    return [
        (place + 0.5 * depth * normal, sense * normal, depth, weight, 0.25 * weight * area)
        for place, depth, weight in zip(places, depths, weights, strict=True)
        if depth > 0.0
    ]


def cut_by_line(polygon, normal, level):
    """The part of a polygon with normal . x <= level."""
    result = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        over, next_over = normal @ here - level, normal @ there - level
        if over <= 0.0:
            result.append(here)
        if (over < 0.0 < next_over) or (next_over < 0.0 < over):
            result.append(here + over / (over - next_over) * (there - here))
    return np.array(result).reshape(-1, 2)
