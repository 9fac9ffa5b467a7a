"""Plane curves in random poses, and what the kernels find of two of them."""

from __future__ import annotations

import math

import numpy as np
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.contact_points import new_points
from gsolve.solver.geometry.curve2d.curves import build_plane_curves, with_own_memory
from gsolve.solver.geometry.curve2d.foot import ON_CIRCLE, ON_CURVE, ON_LINE, Master
from gsolve.solver.geometry.curve2d.gap import gap_of_pair
from gsolve.solver.geometry.curve2d.pair import NO_ARC, Pair, find_regions
from gsolve.solver.geometry.curve2d.planes import AS_IT_IS, Pose
from gsolve.solver.geometry.curve2d.region import Plane
from gsolve.solver.geometry.curve2d.spline import make_outline
from scipy.spatial import ConvexHull

SIZE = 0.05  # of most curves
POINTS = new_points()
SMALL_JUMP = 1e-6  # of a force, relative
IN_PLANE = Plane((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
ON_OTHER_CURVE = Master(ON_CURVE, NO_ARC, AS_IT_IS, 0.0, 0.0, 0.0, 0.0, 0.0)


def circle(radius, n):
    """n points of a circle."""
    angle = 2 * math.pi * np.arange(n) / n
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def blob(random, roughness, size=SIZE, n=48, waves=4):
    """Points of a smooth closed curve; from a roughness of about 0.1 on it is hollow in places."""
    angle = 2 * math.pi * np.arange(n) / n
    radius = np.ones(n)
    for k in range(2, waves + 1):
        radius += roughness / k * random.normal() * np.cos(k * angle + random.uniform(0, 2 * math.pi))
    return size * radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def polygon(random, size=SIZE, n=6):
    """Corners of a convex polygon."""
    angle = 2 * math.pi * (np.arange(n) + random.uniform(-0.3, 0.3, n)) / n
    points = size * random.uniform(0.85, 1.0, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points[ConvexHull(points).vertices]


def star(random, size=SIZE, n=8):
    """Corners of a star, which stick out and go in by turns."""
    angle = 2 * math.pi * (np.arange(n) + random.uniform(-0.2, 0.2, n)) / n
    radius = size * np.where(np.arange(n) % 2, 0.6, 1.0)
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


class Curve:
    """How a curve is given."""

    def __init__(self, points, closed=True, other_side=False, corner_angle=40.0, width=1.0):
        self.outline = make_outline(np.asarray(points, dtype=float), closed, other_side, math.radians(corner_angle))
        self.width = width

    def sampled(self, n=400):
        """(segments n, 2) points, and where each is: number of the segment and u."""
        u = np.arange(n) / n
        powers = np.stack([u**k for k in range(4)], axis=1)
        points = np.einsum("sck,nk->snc", self.outline.coefficients, powers).reshape(-1, 2)
        return points, (np.arange(len(self.outline.coefficients))[:, None] + u).ravel()


class Two:
    """Curve A, and a curve, circle or line B that moves.

    stability : stab2d.  other : Curve; radius of a circle; None: the half plane x < 0 of axes that move
    """

    def __init__(self, curve, other, stability=0.1):
        self.curve, self.other, self.stability = curve, other, stability
        curves = [curve, other] if isinstance(other, Curve) else [curve]
        self.curves = build_plane_curves([each.outline for each in curves], [each.width for each in curves])
        self.reference = Reference(self.curves)

    def forget(self):
        """Begin with memory that knows nothing of the poses before."""
        self.curves = with_own_memory(self.curves)
        self.reference = Reference(self.curves)

    def pair(self, x, y, angle):
        """B stands at x, y in the axes of A, turned by an angle."""
        c, s = math.cos(angle), math.sin(angle)
        if isinstance(self.other, Curve):
            pose = Pose(c, -s, -(c * x + s * y), s * x - c * y)  # of A in the axes of B
            return Pair(0, 1, pose, ON_OTHER_CURVE, min(self.curve.width, self.other.width), self.stability)
        if self.other is None:
            master = Master(ON_LINE, NO_ARC, AS_IT_IS, x, y, 0.0, c, s)
        else:
            master = Master(ON_CIRCLE, NO_ARC, AS_IT_IS, x, y, self.other, 0.0, 0.0)
        return Pair(0, -1, AS_IT_IS, master, self.curve.width, self.stability)

    def points(self, x, y, angle):
        """The contact points, a copy, in the axes of A; normals are those of the force on A."""
        pair = self.pair(x, y, angle)
        found = POINTS[: find_regions(self.reference, pair, IN_PLANE, POINTS)].copy()
        if pair.b >= 0:
            c, s = math.cos(angle), math.sin(angle)
            turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            found["normal"] = found["normal"] @ turn.T
            found["point"] = found["point"] @ turn.T + [x, y, 0.0]
        return found

    def gap(self, x, y, angle):
        return gap_of_pair(self.reference, self.pair(x, y, angle)).distance

    def force(self, x, y, angle, exponent=1.5):
        """Force and moment about the centre of B on B, weight * penetration^exponent at every point."""
        found = self.points(x, y, angle)
        forces = -(found["weight"] * found["penetration"] ** exponent)[:, None] * found["normal"][:, :2]
        arms = found["point"][:, :2] - [x, y]
        moment = arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]
        return np.array([*forces.sum(axis=0), moment.sum()])

    def energy(self, x, y, angle, exponent=1.5):
        found = self.points(x, y, angle)
        return float(np.sum(found["weight"] * found["penetration"] ** (exponent + 1) / (exponent + 1)))

    def deepest(self, x, y, angle):
        return float(np.max(self.points(x, y, angle)["penetration"], initial=0.0))


# Pairs at random, by names
PAIRS = {
    "blobs": lambda random: Two(Curve(blob(random, 0.1)), Curve(blob(random, 0.1))),
    "hollow": lambda random: Two(Curve(blob(random, 0.35, waves=6)), Curve(blob(random, 0.35, waves=6))),
    "polygons": lambda random: Two(Curve(polygon(random)), Curve(polygon(random))),
    "polygon, hollow": lambda random: Two(Curve(polygon(random)), Curve(blob(random, 0.35, waves=6))),
    "star, blob": lambda random: Two(Curve(star(random)), Curve(blob(random, 0.1))),
    "star, circle": lambda random: Two(Curve(star(random)), 0.02),
    "polygon, circle": lambda random: Two(Curve(polygon(random)), 0.02),
    "star, line": lambda random: Two(Curve(star(random)), None),
    "hollow, line": lambda random: Two(Curve(blob(random, 0.35, waves=6)), None),
}


def overlapping(two, random, depth):
    """A pose in which A and B, that comes from far away, overlap by a depth."""
    direction = random.uniform(0, 2 * math.pi)
    angle = direction + math.pi if two.other is None else random.uniform(0, 2 * math.pi)
    way = np.array([math.cos(direction), math.sin(direction)])
    smaller = two.other if isinstance(two.other, float) else SIZE
    at, step = 4.0 * (SIZE + smaller), min(0.01 * smaller, 0.5 * depth)
    while two.gap(*(at * way), angle) > step:
        at -= 0.9 * two.gap(*(at * way), angle)
    while two.deepest(*(at * way), angle) < depth:
        at -= step
    low, high = at, at + step
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if two.deepest(*(middle * way), angle) < depth else (middle, high)
    return np.array([*(low * way), angle])


def largest_jump(two, path, number=60, size=SIZE):
    """Largest change of force and moment, relative to the largest, that bisection cannot make small."""
    scale = np.array([1.0, 1.0, 1.0 / size])

    def force(s):
        return scale * two.force(*path(s))

    at = np.linspace(0.0, 1.0, number)
    forces = np.array([force(s) for s in at])
    changes = np.linalg.norm(np.diff(forces, axis=0), axis=1)
    largest = 0.0
    for k in np.argsort(changes)[-4:]:
        (a, b), (fa, fb) = at[k : k + 2], forces[k : k + 2]
        for _ in range(32):
            if np.linalg.norm(fb - fa) <= SMALL_JUMP * abs(forces).max():
                break
            middle = 0.5 * (a + b)
            between = force(middle)
            if np.linalg.norm(between - fa) > np.linalg.norm(fb - between):
                b, fb = middle, between
            else:
                a, fa = middle, between
        largest = max(largest, float(np.linalg.norm(fb - fa)))
    return largest / max(float(abs(forces).max()), 1e-300)


def work_around(two, pose, random, size, number=400):
    """Work of the force on B around a closed path of poses of some size, over the largest energy on it."""
    one, other = random.normal(size=3) * size, random.normal(size=3) * size
    one[2], other[2] = one[2] / SIZE, other[2] / SIZE
    work, energies = 0.0, []
    for phase in 2 * math.pi * np.arange(number) / number:
        at = pose + one * math.sin(phase) + other * (math.cos(phase) - 1.0)
        step = (one * math.cos(phase) - other * math.sin(phase)) * 2 * math.pi / number
        work += float(two.force(*at) @ step)
        energies.append(two.energy(*at))
    return abs(work) / max(energies)
