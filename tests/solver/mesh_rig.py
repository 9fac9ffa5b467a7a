"""Meshes whose surfaces are known, and kernels over many points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.mesh.evaluate import evaluate_surface
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution
from gsolve.solver.tools.gears.involute import polar_involute
from gsolve.solver.tools.gears.solids import Body, gear_mesh
from scipy.spatial import ConvexHull

# ---- meshes ---------------------------------------------------------------------------------------------------------


def irregular_ellipsoid(vertices, axes=(1.0, 1.0, 1.0), seed=0):
    """Points strewn over a unit sphere, joined by their convex hull and stretched."""
    random = np.random.default_rng(seed)
    rank = np.arange(vertices) + 0.5
    polar, turn = np.arccos(1 - 2 * rank / vertices), np.pi * (1 + 5**0.5) * rank
    points = np.c_[np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)]
    points += random.normal(size=points.shape) * 0.6 / np.sqrt(vertices)
    points /= np.linalg.norm(points, axis=1)[:, None]
    return outwards(points, ConvexHull(points).simplices)._replace(vertices=points * axes)


def outwards(points, triangles):
    """Triangles of a convex solid round the origin, turned to face outwards."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0
    triangles = np.where(inwards[:, None], triangles[:, ::-1], triangles)
    return TriangleMesh(points, triangles.astype(np.int64))


def wrapped_grid(points):
    """Triangles of a grid (n, m, 3) that closes both ways."""
    n, m = points.shape[:2]
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    a, b = i * m + j, (i + 1) % n * m + j
    c, d = (i + 1) % n * m + (j + 1) % m, i * m + (j + 1) % m
    return TriangleMesh(points.reshape(-1, 3), np.concatenate([np.c_[a, b, c], np.c_[a, c, d]]))


def irregular_torus(n, m, radius=1.0, tube=0.35, seed=0):
    random = np.random.default_rng(seed)
    u = 2 * np.pi * (np.arange(n)[:, None] + random.uniform(-0.25, 0.25, (n, m))) / n
    v = 2 * np.pi * (np.arange(m)[None, :] + random.uniform(-0.25, 0.25, (n, m))) / m
    across = radius + tube * np.cos(v)
    return wrapped_grid(np.stack([across * np.cos(u), across * np.sin(u), tube * np.sin(v)], axis=-1))


def prism(sides, radius=1.0, half=1.0, layers=1):
    """A cylinder about z with ends cut into fans."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.c_[np.cos(angle), np.sin(angle)]
    heights = np.linspace(-half, half, layers + 1)
    points = [np.c_[ring, np.full(sides, z)] for z in heights] + [[[0, 0, -half]], [[0, 0, half]]]
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    low, top = (layers + 1) * sides, layers * sides
    rows = [np.c_[i, j, j + sides] + k * sides for k in range(layers)]
    rows += [np.c_[i, j + sides, i + sides] + k * sides for k in range(layers)]
    rows += [np.c_[np.full(sides, low), j, i], np.c_[np.full(sides, low + 1), i + top, j + top]]
    return TriangleMesh(np.concatenate(points), np.concatenate(rows))


def stadium(around, straight, layers=8):
    """A cylinder about z of radius 1 and half length 1, cut in two along x and the halves put 2 apart."""
    half = np.linspace(-np.pi / 2, np.pi / 2, around // 2 + 1)
    arc = np.c_[1 + np.cos(half), np.sin(half)]
    way = np.linspace(1, -1, straight + 1)[1:-1]
    row = np.c_[way, np.ones(straight - 1)]
    outline = np.concatenate([arc, row, -arc, -row])
    plain = prism(len(outline), layers=layers)
    points = plain.vertices.copy()
    points[: (layers + 1) * len(outline), :2] = np.tile(outline, (layers + 1, 1))
    return TriangleMesh(points, plain.triangles)


def stadium_field(x):
    off = np.sign(x[:, 0]) * np.maximum(abs(x[:, 0]) - 1, 0)
    across = np.hypot(off, x[:, 1])
    return across - 1, np.c_[off / across, x[:, 1] / across, np.zeros(len(x))]


ROUNDED, FILLET = np.array([1.0, 0.7, 0.4]), 0.2


def rounded_box(segments):
    """A box whose edges and corners are round; its faces are cut into few triangles."""
    angle = np.linspace(0, np.pi / 2, segments + 1)
    polar, turn = (grid.ravel() for grid in np.meshgrid(angle, angle, indexing="ij"))
    corner = np.c_[np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)]
    corner[abs(corner) < 1e-12] = 0.0
    signs = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    points = np.concatenate([(ROUNDED + FILLET * corner) * sign for sign in signs])
    points = np.unique(np.round(points, 12), axis=0)
    return outwards(points, ConvexHull(points).simplices)


def rounded_box_field(x):
    off = np.sign(x) * np.maximum(abs(x) - ROUNDED, 0)
    distance = np.linalg.norm(off, axis=1)
    return distance - FILLET, off / distance[:, None]


def box(a, b, c):
    """A box about the origin with half lengths a, b, c, twelve triangles."""
    points = np.array([[x, y, z] for z in (-c, c) for y in (-b, b) for x in (-a, a)], float)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return TriangleMesh(points, np.array([t for p, q, r, s in quads for t in ((p, q, r), (p, r, s))]))


def cone(sides, layers):
    """Of radius 1 and height 1, its base on z = 0."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.c_[np.cos(angle), np.sin(angle)]
    steps = np.arange(1, layers + 1) / layers
    points = np.concatenate([[[0, 0, 1]], *[np.c_[ring * s, np.full(sides, 1 - s)] for s in steps], [[0, 0, 0]]])
    i, j = np.arange(sides) + 1, (np.arange(sides) + 1) % sides + 1
    tip, foot = np.zeros(sides, int), np.full(sides, len(points) - 1)
    rows = [np.c_[tip, i, j], np.c_[foot, j + (layers - 1) * sides, i + (layers - 1) * sides]]
    for k in range(layers - 1):
        rows += [np.c_[i, i + sides, j + sides] + k * sides, np.c_[i, j + sides, j] + k * sides]
    return TriangleMesh(points, np.concatenate(rows))


def with_needles(mesh, number, height, seed=0):
    """A vertex put next to some edges, `height` times the next edge away, coordinates in single precision."""
    random = np.random.default_rng(seed)
    points, triangles = mesh.vertices.tolist(), mesh.triangles.tolist()
    for t in random.permutation(len(triangles))[:number]:
        a, b, c = triangles[t]
        part = random.uniform(0.2, 0.8)
        pa, pb, pc = (np.array(points[k]) for k in (a, b, c))
        points.append(part * pa + (1 - part) * pb + height * (pc - pa))
        new = len(points) - 1
        triangles[t] = [a, b, new]
        triangles += [[b, c, new], [c, a, new]]
    return TriangleMesh(np.array(points, np.float32).astype(float), np.array(triangles))


def renumbered(mesh, seed=0):
    """The same mesh with vertices and triangles in another order; the old numbers of the new triangles."""
    random = np.random.default_rng(seed)
    vertex, triangle = random.permutation(len(mesh.vertices)), random.permutation(len(mesh.triangles))
    new = np.argsort(vertex)[mesh.triangles[triangle]]
    turned = np.array([np.roll(row, k) for row, k in zip(new, random.integers(3, size=len(new)), strict=True)])
    return TriangleMesh(mesh.vertices[vertex], turned), triangle


def points_on(mesh, number, random, among=None):
    """Triangles and points in them, (n,) and (n, 3)."""
    among = np.arange(len(mesh.triangles)) if among is None else among
    triangles = random.choice(among, number)
    return triangles, np.einsum("nc,nck->nk", random.dirichlet([1, 1, 1], number), mesh.corners()[triangles])


# ---- kernels over many points ---------------------------------------------------------------------------------------


class Found(NamedTuple):
    """As of SurfacePoint, of many points."""

    triangle: np.ndarray
    phi: np.ndarray
    normal: np.ndarray
    hessian: np.ndarray
    beyond: np.ndarray
    beyond_gradient: np.ndarray


@kernel
def write_point(point, row):
    row[0], row[1] = point.triangle, point.phi
    row[11] = point.beyond
    for c in range(3):
        row[2 + c], row[12 + c] = point.normal[c], point.beyond_gradient[c]
    for c in range(6):
        row[5 + c] = point.hessian[c]


@kernel
def evaluate_many(surface, starts, points, out):
    for i in range(len(points)):
        point = evaluate_surface(surface, starts[i], (points[i, 0], points[i, 1], points[i, 2]))
        write_point(point, out[i])


def unpacked(out):
    xx, yy, zz, xy, xz, yz = out[:, 5:11].T
    hessian = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), 2, 0)
    return Found(out[:, 0].astype(int), out[:, 1], out[:, 2:5], hessian, out[:, 11], out[:, 12:15])


def evaluated(surface, starts, points):
    out = np.zeros((len(points), 15))
    evaluate_many(Reference(surface), np.asarray(starts, np.int64), np.ascontiguousarray(points, float), out)
    return unpacked(out)


def ends_of_reach(surface, found, random):
    """Steps in random directions from points that were found, as far as a second-order expansion about them serves."""
    step = random.normal(size=found.normal.shape)
    return step * np.sqrt(surface.triangles["reach"][found.triangle] / np.sum(step**2, axis=1))[:, None]


# ---- surfaces that meshes are compared with: height and normal -----------------------------------------------------


def sphere_field(x, radius=1.0):
    distance = np.linalg.norm(x, axis=1)
    return distance - radius, x / distance[:, None]


def torus_field(x, radius=1.0, tube=0.35):
    across = np.hypot(x[:, 0], x[:, 1])
    arm = np.c_[x[:, :2] * (1 - radius / across)[:, None], x[:, 2]]
    distance = np.linalg.norm(arm, axis=1)
    return distance - tube, arm / distance[:, None]


def cylinder_field(x, radius=1.0):
    across = np.hypot(x[:, 0], x[:, 1])
    return across - radius, np.c_[x[:, :2] / across[:, None], np.zeros(len(x))]


def cone_field(x):
    across = np.hypot(x[:, 0], x[:, 1])
    return (across + x[:, 2] - 1) / np.sqrt(2), np.c_[x[:, :2] / across[:, None], np.ones(len(x))] / np.sqrt(2)


class Flank:
    """Involute flanks of a gear of 20 teeth, module 2: involutes of one base circle are parallel curves."""

    def __init__(self, helix):
        self.gear = CylindricalGear(teeth=20, module=2.0, helix=helix)

    def mesh(self, segments):
        return gear_mesh(self.gear, Body(width=10.0, bore=10.0), Resolution(flank=segments, rows=segments))

    def field(self, x):
        gear, pitch = self.gear, 2 * np.pi / self.gear.teeth
        radius, around = np.hypot(x[:, 0], x[:, 1]), np.arctan2(x[:, 1], x[:, 0])
        ratio = radius / gear.base_radius
        roll = np.sqrt(np.maximum((ratio - 1.0) * (ratio + 1.0), 0.0))  # tan a of the pressure angle a there
        off = around - gear.twist * x[:, 2]
        off -= pitch * np.round(off / pitch)
        side = np.sign(off)
        straight = gear.base_radius * (np.abs(off) - gear.solid_half_angle + polar_involute(roll))
        towards = around + side * (np.pi / 2 - np.arctan(roll))
        lean = -side * gear.base_radius * gear.twist
        normal = np.c_[np.cos(towards), np.sin(towards), lean]
        length = np.linalg.norm(normal, axis=1)
        return straight / length, normal / length[:, None]

    def among(self, mesh):
        """Triangles between the fillets and the tips, without the rows next to them."""
        gear, corners = self.gear, mesh.corners()
        radius = np.hypot(corners[:, :, 0], corners[:, :, 1])
        phi = self.field(corners.reshape(-1, 3))[0].reshape(-1, 3)
        inside = (radius.min(axis=1) > 1.02 * gear.base_radius) & (radius.max(axis=1) < 0.99 * gear.tip_radius)
        upright = np.ptp(corners[:, :, 2], axis=1) > 0.0  # not of an end
        return np.flatnonzero(inside & upright & (np.abs(phi).max(axis=1) < 1e-6))
