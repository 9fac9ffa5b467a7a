"""How good the smooth surfaces of meshes are, and what they cost.

    python bench/mesh_surface.py            all tables: half a minute
    python bench/mesh_surface.py cost       one of: accuracy, cost

Accuracy: heights and normals of points within 1e-4 of a size of one of the surface, against the exact shape; root mean
square and largest; the order from the mesh before; what flat facets give; by how much the normal jumps from triangle to
triangle, and by how much a second-order expansion is off at the end of its reach.
Cost: seconds to build a surface; nanoseconds to evaluate it, from the triangle where the point is found, for points in
the order of triangles and in random order.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.mesh.records import NONE
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solver"))
from mesh_rig import (
    Flank,
    cylinder_field,
    ends_of_reach,
    evaluate_many,
    evaluated,
    irregular_ellipsoid,
    irregular_torus,
    points_on,
    prism,
    sphere_field,
    torus_field,
)

Field = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
AXES = (1.0, 0.7, 0.5)
POINTS = 20_000
PASSES = 20  # of Newton's method, which begins next to the surface


def ellipsoid_field(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By the nearest point q, x - q = t q/a^2 with the semi-axes a."""
    squares, t = np.array(AXES) ** 2, np.zeros((len(x), 1))
    for _ in range(PASSES):
        q = squares * x / (squares + t)
        off = np.sum(q * q / squares, axis=1, keepdims=True) - 1.0
        t += off / (2.0 * np.sum(q * q / (squares * (squares + t)), axis=1, keepdims=True))
    up = x / (squares + t)
    size = np.linalg.norm(up, axis=1)
    return t[:, 0] * size, up / size[:, None]


def side(mesh: TriangleMesh) -> np.ndarray:
    corners = mesh.corners()
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.flatnonzero(abs(up[:, 2]) < 0.5 * np.linalg.norm(up, axis=1))


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def jump_of_normals(surface: object, triangles: np.ndarray, random: np.random.Generator) -> float:
    """Root mean square jump of the normal across edges within charts."""
    edge = random.integers(3, size=len(triangles))
    neighbour = surface.triangles["neighbours"][triangles, edge]  # type: ignore[attr-defined]
    inside = neighbour != NONE
    triangles, edge, neighbour = triangles[inside], edge[inside], neighbour[inside]
    corners = surface.vertices["position"][surface.triangles["corners"][triangles]]  # type: ignore[attr-defined]
    each = np.arange(len(triangles))
    part = random.uniform(size=(len(triangles), 1))
    place = (1 - part) * corners[each, edge] + part * corners[each, (edge + 1) % 3]
    inwards = 1e-10 * (corners[each, (edge + 2) % 3] - place)
    one, other = evaluated(surface, triangles, place + inwards), evaluated(surface, neighbour, place - inwards)
    differ = one.triangle != other.triangle
    return rms(np.linalg.norm(one.normal - other.normal, axis=1)[differ])


def accuracy_of(mesh: TriangleMesh, field: Field, depth: float, among: np.ndarray | None) -> tuple[float, ...]:
    random = np.random.default_rng(0)
    surface = build_surface(mesh)
    starts, points = points_on(mesh, POINTS, random, among)
    points = points + random.uniform(-depth, depth, (POINTS, 1)) * surface.facet_normals[starts]
    found = evaluated(surface, starts, points)
    phi, normal = field(points)
    flat = np.einsum("nk,nk->n", points - mesh.corners()[starts, 0], surface.facet_normals[starts]) - phi
    step = ends_of_reach(surface, found, random)
    there = evaluated(surface, found.triangle, points + step)
    expanded = found.phi + np.einsum(
        "ni,ni->n", found.normal + 0.5 * np.einsum("nij,nj->ni", found.hessian, step), step
    )
    error, turn = found.phi - phi, np.linalg.norm(found.normal - normal, axis=1)
    jump = jump_of_normals(surface, starts, random)
    return rms(error), abs(error).max(), rms(turn), turn.max(), rms(flat), jump, rms(expanded - there.phi)


def accuracy() -> None:
    """A row for each mesh."""
    spur, helical = Flank(0.0), Flank(math.radians(20.0))
    series: list[tuple[str, list[TriangleMesh], Field, float, Callable[[TriangleMesh], np.ndarray] | None]] = [
        ("sphere R = 1", [irregular_ellipsoid(10 * 4**k + 2) for k in range(2, 6)], sphere_field, 1e-4, None),
        (
            "ellipsoid 1, 0.7, 0.5",
            [irregular_ellipsoid(10 * 4**k + 2, AXES) for k in range(2, 6)],
            ellipsoid_field,
            1e-4,
            None,
        ),
        ("torus 1, 0.35", [irregular_torus(8 * 2**k, 4 * 2**k) for k in range(2, 6)], torus_field, 1e-4, None),
        ("cylinder R = 1, 1 layer", [prism(n) for n in (16, 32, 64, 128, 512)], cylinder_field, 1e-4, side),
        ("cylinder R = 1, 8 layers", [prism(n, layers=8) for n in (16, 32, 64, 128)], cylinder_field, 1e-4, side),
        ("spur flank, mm", [spur.mesh(n) for n in (4, 8, 16, 32)], spur.field, 1e-3, spur.among),
        ("helical flank, mm", [helical.mesh(n) for n in (4, 8, 16, 32)], helical.field, 1e-3, helical.among),
    ]
    columns = ("height", "largest", "normal", "largest", "facets", "jump of N", "expansion")
    print(f"{'':<26}{'triangles':>10}" + "".join(f"{name:>11}" for name in columns) + f"{'orders':>12}")
    for name, meshes, field, depth, choose in series:
        before = None
        for mesh in meshes:
            values = accuracy_of(mesh, field, depth, None if choose is None else choose(mesh))
            orders = ""
            if before is not None:
                # rows on one axis only (a cylinder of one layer) halve with the number, all others with its root
                size = (
                    len(mesh.triangles) / before[0] if "1 layer" in name else math.sqrt(len(mesh.triangles) / before[0])
                )
                orders = "".join(f"{math.log(before[1][k] / values[k], size):6.2f}" for k in (0, 2))
            before = (len(mesh.triangles), values)
            print(f"{name:<26}{len(mesh.triangles):>10}" + "".join(f"{v:>11.1e}" for v in values) + orders, flush=True)


def best_of(times: int, run: Callable[..., object], *arguments: object) -> float:
    """Least seconds of a call."""
    least = math.inf
    for _ in range(times):
        start = time.perf_counter()
        run(*arguments)
        least = min(least, time.perf_counter() - start)
    return least


def cost() -> None:
    """A row for each mesh."""
    spur = Flank(0.0)
    meshes = [(f"sphere, {n}", irregular_ellipsoid(n)) for n in (642, 10_242, 40_962)]
    meshes += [(f"spur gear, {n}", spur.mesh(n)) for n in (6, 16, 34)]
    print(f"{'':<26}{'triangles':>10}{'build, s':>10}{'in order, ns':>14}{'random, ns':>12}")
    for name, mesh in meshes:
        build = best_of(3, build_surface, mesh)
        surface = build_surface(mesh)
        by_reference = Reference(surface)
        out = np.zeros((POINTS, 15))
        times = []
        for in_order in (True, False):
            starts, points = points_on(mesh, POINTS, np.random.default_rng(1))
            order = np.argsort(starts) if in_order else np.arange(POINTS)
            points = np.ascontiguousarray(points[order] - 1e-4 * surface.facet_normals[starts[order]])
            found = evaluated(surface, starts[order], points).triangle
            times.append(best_of(9, evaluate_many, by_reference, found, points, out) / POINTS)
        print(
            f"{name:<26}{len(mesh.triangles):>10}{build:>10.3f}{1e9 * times[0]:>14.0f}{1e9 * times[1]:>12.0f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="accuracy and cost of the smooth surfaces of meshes")
    parser.add_argument("table", nargs="?", choices=("accuracy", "cost"), help="both if none is named")
    chosen = parser.parse_args().table
    for name, table in (("accuracy", accuracy), ("cost", cost)):
        if chosen in (None, name):
            table()


if __name__ == "__main__":
    main()
