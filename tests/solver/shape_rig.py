"""Shapes in random poses, and what the kernels find of two of them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from gsolve.solver.geometry.contact_points import new_points
from gsolve.solver.geometry.gjk_epa import new_scratch
from gsolve.solver.geometry.narrow_phase import find_points, gap_of
from gsolve.solver.geometry.pair_table import PAIRS as TABLE
from gsolve.solver.geometry.pair_table import compile_pairs, new_pair_kernels
from gsolve.solver.geometry.shapes import (
    BOX,
    CYLINDER,
    ELLIPSOID,
    FRUSTUM,
    NAMES_OF_KINDS,
    PLANE,
    SPHERE,
    new_shapes,
    set_shape,
)
from naive import cross, cross_matrix
from scipy.spatial.transform import Rotation

BOUNDED = (SPHERE, ELLIPSOID, CYLINDER, FRUSTUM, BOX)
PAIRS = [(a, b) for a in BOUNDED for b in (*BOUNDED, PLANE) if a <= b]
NAMES_OF_PAIRS = [f"{NAMES_OF_KINDS[a]}-{NAMES_OF_KINDS[b]}".lower() for a, b in PAIRS]
IDENTITY = np.eye(3)
SCRATCH = new_scratch()
POINTS = new_points()
SMALL_JUMP = 1e-6  # of a force, relative


@cache
def kernels():
    """Those of all pairs; compiled when a test needs them, not by each process that lists the tests."""
    found = new_pair_kernels({order for pair in TABLE for order in (pair, pair[::-1])}, gaps=True)
    compile_pairs(found)
    return found


class Placed(NamedTuple):
    """A shape with its body's position and rotation."""

    shape: np.void
    position: np.ndarray
    rotation: np.ndarray

    @property
    def centre(self):
        return self.position + self.rotation @ self.shape["centre"]

    @property
    def axes(self):
        """Rows: axes of the shape, global."""
        return self.shape["axes"] @ self.rotation.T

    def moved(self, shift):
        return self._replace(position=self.position + shift)


class Gap(NamedTuple):
    gap: float
    normal: np.ndarray
    on_i: np.ndarray
    on_j: np.ndarray


def made(kind, dimensions, body=1, centre=(0, 0, 0), axes=IDENTITY):
    shape = new_shapes(1)[0]
    padded = np.zeros(3)
    padded[: len(dimensions)] = dimensions
    set_shape(shape, kind, body, centre, axes, padded)
    return shape


def placed(kind, dimensions, position=(0, 0, 0), rotation=IDENTITY, body=1):
    """A shape whose centre and axes are its body's."""
    if isinstance(rotation, Rotation):
        rotation = rotation.as_matrix()
    return Placed(made(kind, dimensions, body), np.array(position, dtype=float), np.array(rotation, dtype=float))


def random_dimensions(random, kind):
    a, b, c = random.uniform(0.3, 1.5, 3)
    if kind == CYLINDER:
        return a, a, c
    if kind == FRUSTUM:
        return (0.0, b, c) if random.random() < 0.15 else (a, b, c)
    return {SPHERE: (a,), PLANE: ()}.get(kind, (a, b, c))


def random_placed(random, kind, body):
    """A shape off its body's reference point, both turned at random, near the origin."""
    axes = Rotation.random(rng=random).as_matrix()
    shape = made(kind, random_dimensions(random, kind), body, random.normal(size=3), axes)
    here = Placed(shape, np.zeros(3), Rotation.random(rng=random).as_matrix())
    return here.moved(-here.centre)


def random_pair(random, kinds, depth=None):
    """Two shapes near each other; with `depth` moved along their normal until they overlap this much (roughly)."""
    i, j = random_placed(random, kinds[0], 1), random_placed(random, kinds[1], 2)
    i = i.moved(random.normal(size=3) * random.choice([0.4, 1.0, 1.5]))
    if depth is not None:
        for _ in range(3):
            found = gap(i, j)
            i = i.moved(-(found.gap + depth) * found.normal)
    return i, j


def gap(i, j):
    value, normal, on_i, on_j = gap_of(*i, *j, kernels(), SCRATCH)
    return Gap(value, np.array(normal), np.array(on_i), np.array(on_j))


def contact(i, j):
    """The contact points, a copy."""
    return POINTS[: find_points(*i, *j, kernels(), SCRATCH, POINTS)].copy()


def force(i, j, exponent=1.5):
    """Force and moment about the global origin on i: weight * penetration^exponent at every point."""
    points = contact(i, j)
    size = points["weight"] * points["penetration"] ** exponent
    forces = size[:, None] * points["normal"]
    moments = cross(points["point"].T, forces.T)
    return np.concatenate([forces.sum(axis=0), moments.sum(axis=1)])


def largest_jump(path, number, force=force):
    """Largest change of force and moment, relative to the largest, that bisection cannot make small, and where.

    force : of a pose on the path
    """
    at = np.linspace(0.0, 1.0, number)
    forces = np.array([force(*path(s)) for s in at])
    changes = np.linalg.norm(np.diff(forces, axis=0), axis=1)
    largest, place = 0.0, 0.0
    for k in np.argsort(changes)[-3:]:
        (a, b), (fa, fb) = at[k : k + 2], forces[k : k + 2]
        for _ in range(30):
            if np.linalg.norm(fb - fa) <= SMALL_JUMP * abs(forces).max():
                break
            middle = 0.5 * (a + b)
            between = force(*path(middle))
            if np.linalg.norm(between - fa) > np.linalg.norm(fb - between):
                b, fb = middle, between
            else:
                a, fa = middle, between
        if np.linalg.norm(fb - fa) > largest:
            largest, place = np.linalg.norm(fb - fa), a
    return largest / max(abs(forces).max(), 1e-300), place


def turning_path(i, j, shift, vector):
    """i is shifted and turned about its centre."""
    angle = float(np.linalg.norm(vector))
    about = cross_matrix(np.divide(vector, angle)) if angle else np.zeros((3, 3))

    def path(s):
        turn = i.rotation + (np.sin(s * angle) * about + (1 - np.cos(s * angle)) * about @ about) @ i.rotation
        return Placed(i.shape, i.centre + np.multiply(s, shift) - turn @ i.shape["centre"], turn), j

    return path


def smallest_half_extent(pose):
    a, b, c = pose.shape["dimensions"]
    kind = pose.shape["kind"]
    if kind == FRUSTUM:
        return min(max(a, b), c)
    return {SPHERE: a, PLANE: np.inf}.get(kind, min(a, b, c))
