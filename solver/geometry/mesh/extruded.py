"""Charts that are swept along a straight line, as flanks of spur gears and walls of cams: the same at each section.

Fits find the normal of each vertex by itself, and with fewer neighbours at both ends: rows of vertices that should be
equal differ by the error of the fit, so that such surfaces would push a little along their rulings.  Where all facets
of a chart are parallel to one direction, its normals are made square to it, and vertices on one ruling get one normal:
that of the curve through the rulings in a section (`section_curves`), where the mesh has rows, or else their mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.connected_sets import connected_sets
from .adjacency import ROUNDING, summed
from .charts import CutMesh
from .records import NONE, SMOOTH
from .section_curves import MOST, tangents
from .triangle_mesh import Floats, Indices
from .vertex_normals import unit_rows

PARALLEL = 1e-5  # sine of the angle between a ruling and a facet, up to which they are parallel
CURVED = 1e-6  # of the square of normals across the other two directions: less is a plane
SAME_RULING = 16.0 * ROUNDING  # of the size of the mesh: distance between rulings that are one
AT_END = 1e-3  # weight of vertices at the ends of rulings, whose fits have half of the neighbours


class Rulings(NamedTuple):
    """axes : (c, 3), unit, of charts; zero of those that are not extruded.  chart : (w,), of vertices"""

    axes: Floats
    chart: Indices


def find_rulings(cut: CutMesh) -> Rulings:
    """The direction along which each smooth chart is extruded."""
    topology, facets = cut.topology, cut.facets
    chart, count = topology.chart, len(cut.kinds)
    weighted = np.where(facets.trusted, facets.areas, 0.0)[:, None] * facets.normals
    products = np.einsum("ti,tj->tij", weighted, facets.normals).reshape(-1, 9)
    values, vectors = np.linalg.eigh(summed(chart, products, count).reshape(-1, 3, 3))
    axes = vectors[:, :, 0]
    sines = np.where(facets.trusted, np.abs(np.einsum("tk,tk->t", facets.normals, axes[chart])), 0.0)
    steepest = np.zeros(count)
    np.maximum.at(steepest, chart, sines)
    extruded = (steepest <= PARALLEL) & (values[:, 1] > CURVED * values[:, 2]) & (cut.kinds == SMOOTH)
    of_vertex = np.empty(len(cut.positions), np.int64)
    of_vertex[topology.wedges] = chart[:, None]
    return Rulings(np.where(extruded[:, None], axes, 0.0), of_vertex)


class Section(NamedTuple):
    """The rulings of extruded charts as points of their sections.

    vertices : (n,), those of extruded charts.  ruling : (n,), of each
    points : (r, 2), of rulings, in their sections.  chart : (r,)
    frames : (c, 2, 3), axes of the sections of charts
    """

    vertices: Indices
    ruling: Indices
    points: Floats
    chart: Indices
    frames: Floats


def section_of(cut: CutMesh, rulings: Rulings) -> Section:
    from scipy.spatial import cKDTree

    axes = rulings.axes
    least = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    one = unit_rows(np.cross(axes, least))
    frames = np.stack([one, np.cross(axes, one)], axis=1)
    vertices = np.flatnonzero(axes[rulings.chart].any(axis=1))
    chart = rulings.chart[vertices]
    at = np.einsum("wik,wk->wi", frames[chart], cut.positions[vertices])
    size = float(np.ptp(cut.positions, axis=0).max())
    close = cKDTree(np.c_[at, size * chart]).query_pairs(SAME_RULING * size, output_type="ndarray")
    ruling = connected_sets(len(vertices), *close.T)
    members = np.bincount(ruling)
    count = len(members)
    of_ruling = np.empty(count, np.int64)
    of_ruling[ruling] = chart
    return Section(vertices, ruling, summed(ruling, at, count) / members[:, None], of_ruling, frames)


def chains_of(cut: CutMesh, section: Section) -> list[tuple[Indices, bool]]:
    """Rulings of charts one after the other along the section, and whether it is closed.

    Charts whose triangles reach over several rulings, as those of a mesh without rows, are left out.
    """
    wedges, count = cut.topology.wedges, len(section.chart)
    ruling = np.full(len(cut.positions), NONE)
    ruling[section.vertices] = section.ruling
    ends = ruling[np.stack([wedges, np.roll(wedges, -1, axis=1)], axis=2).reshape(-1, 2)]
    ends = np.unique(np.sort(ends[(ends[:, 0] != ends[:, 1]) & (ends[:, 0] != NONE)], axis=1), axis=0)
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], np.arange(count + 1))
    degree = np.diff(first)
    usable = np.ones(len(cut.kinds), dtype=bool)
    usable[section.chart[(degree == 0) | (degree > 2)]] = False
    starts: dict[int, int] = {}
    for r in np.argsort(degree, kind="stable"):
        if usable[section.chart[r]]:
            starts.setdefault(int(section.chart[r]), int(r))
    neighbours = both[:, 1]
    chains = []
    for start in starts.values():
        chain, last, here = [start], NONE, start
        while True:
            onwards = [int(r) for r in neighbours[first[here] : first[here + 1]] if r != last]
            if not onwards or onwards[0] == start:
                break
            last, here = here, onwards[0]
            chain.append(here)
        closed = degree[start] == 2
        if len(chain) >= (MOST if closed else 2):
            chains.append((np.array(chain), bool(closed)))
    return chains


def straightened(cut: CutMesh, rulings: Rulings) -> Floats:
    """(w, 3), normals of all vertices, those of extruded charts the same along each ruling."""
    section = section_of(cut, rulings)
    if len(section.vertices) == 0:
        return cut.normals
    vertices, ruling = section.vertices, section.ruling
    of_vertices = np.einsum("wik,wk->wi", section.frames[section.chart[ruling]], cut.normals[vertices])
    weight = np.where(at_ends(cut, rulings)[vertices], AT_END, 1.0)
    flat = unit_rows(summed(ruling, weight[:, None] * of_vertices, len(section.chart)))
    kept = np.zeros(len(section.chart), dtype=bool)
    kept[ruling[cut.smooth[vertices] == 0]] = True
    for chain, closed in chains_of(cut, section):
        angle = tangents(section.points[chain], closed)
        normal = np.c_[np.sin(angle), -np.cos(angle)]
        normal *= np.sign(np.einsum("rk,rk->r", normal, flat[chain]).sum())
        fitted = chain[~kept[chain]]
        flat[fitted] = normal[~kept[chain]]
    normals = cut.normals.copy()
    normals[vertices] = np.einsum("wi,wik->wk", flat[ruling], section.frames[section.chart[ruling]])
    return normals


def at_ends(cut: CutMesh, rulings: Rulings) -> Indices:
    """(w,), whether a vertex lies on a cut edge that is not along the ruling."""
    topology = cut.topology
    triangle, corner = np.nonzero(topology.neighbours == NONE)
    one, other = topology.wedges[triangle, corner], topology.wedges[triangle, (corner + 1) % 3]
    along = unit_rows(cut.positions[other] - cut.positions[one])
    across = np.abs(np.einsum("ek,ek->e", along, rulings.axes[topology.chart[triangle]])) < 1.0 - PARALLEL
    found = np.zeros(len(cut.positions), dtype=bool)
    found[one[across]] = found[other[across]] = True
    return found


def straight_bulges(cut: CutMesh, rulings: Rulings, slopes: Floats, bulges: Floats) -> Floats:
    """(m,), bulges of all triangles: where one edge is a ruling the cubic along the others says it all."""
    wedges = cut.topology.wedges
    axes = rulings.axes[cut.topology.chart]
    found = bulges.copy()
    for c in range(3):
        one, other, across = wedges[:, c], wedges[:, (c + 1) % 3], (c + 2) % 3
        along = unit_rows(cut.positions[other] - cut.positions[one])
        ruled = np.abs(np.einsum("tk,tk->t", along, axes)) > 1.0 - PARALLEL**2
        from_ruling = 0.5 * (slopes[:, c, across] + slopes[:, (c + 1) % 3, across])
        towards = 0.5 * (slopes[:, across, c] + slopes[:, across, (c + 1) % 3])
        found = np.where(ruled, (towards - from_ruling) / 27.0, found)
    return found
