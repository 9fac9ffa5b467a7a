"""What `gsolve check` says about meshes: size, area, volume, charts, edges, and where they are thinnest."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gsolve.parser.model import MeshFile, Units
from gsolve.parser.text.numbers import counted

from ..core.unit_names import unit
from ..geometry.mesh.properties import mass_properties
from ..geometry.mesh.triangle_mesh import Floats
from .describe import SCREEN_JOINTS, fact, more_lines

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..geometry.mesh.thickness import ThinPlace

SCREEN_MESHES = SCREEN_JOINTS


@dataclass(frozen=True, slots=True)
class MeshReport:
    """Of a mesh at t = 0, in working units and global axes.

    file : empty for surfaces of elements
    hollow : the solid is round about it
    volume : within it, also of a hollow
    box : (3,) extent along x, y and z
    charts : parts between edges that are steeper than the feature angle (in degrees)
    edges : shortest and longest
    thinnest : the least thickness met from the middle of a triangle straight inwards, and where; None where none is
    mass : None without a density
    """

    id: int
    title: str
    file: str
    triangles: int
    vertices: int
    pieces: int
    hollow: bool
    smooth: bool
    feature_angle: float
    charts: int
    area: float
    volume: float
    box: Floats
    edges: tuple[float, float]
    thinnest: float | None
    thinnest_at: Floats | None
    mass: float | None


def mesh_reports(assembly: Assembly) -> list[MeshReport]:
    """A report of each mesh; what many bodies have of one file is measured once."""
    from ..geometry.mesh.pieces import count_charts
    from ..geometry.mesh.thickness import find_thinnest

    measured: dict[Any, tuple[int, ThinPlace | None]] = {}
    reports = []
    for mesh in assembly.meshes:
        source, triangles = mesh.mesh.source, mesh.triangles
        key: Any = id(mesh)
        if isinstance(source, MeshFile):
            key = source.path, source.flip, source.scale, mesh.mesh.feature_angle
        if key not in measured:
            measured[key] = count_charts(triangles, mesh.mesh.feature_angle), find_thinnest(triangles)
        charts, thin = measured[key]
        centre = assembly.system.bodies["centre"][mesh.body]
        properties, sides, bounds = mass_properties(triangles, 1.0), triangles.sides(), triangles.bounds()
        reports.append(
            MeshReport(
                id=mesh.mesh.id,
                title=mesh.mesh.title,
                file=source.path if isinstance(source, MeshFile) else "",
                triangles=len(triangles.triangles),
                vertices=len(triangles.vertices),
                pieces=mesh.pieces,
                hollow=mesh.hollow,
                smooth=mesh.mesh.smooth,
                feature_angle=math.degrees(mesh.mesh.feature_angle),
                charts=charts,
                area=properties.area,
                volume=abs(properties.volume),
                box=bounds[1] - bounds[0],
                edges=(float(sides.min()), float(sides.max())),
                thinnest=None if thin is None else thin.thickness,
                thinnest_at=None if thin is None else triangles.corners()[thin.triangle].mean(axis=0) + centre,
                mass=mesh.mesh.density * properties.volume if mesh.mesh.density else None,
            )
        )
    return reports


def mesh_figures(report: MeshReport) -> dict[str, Any]:
    """A report as plain data."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in asdict(report).items()}


def mesh_lines(reports: list[MeshReport], units: Units) -> list[str]:
    """Some lines a mesh, for the screen."""
    lines = [fact(f"mesh {report.id}", mesh_text(report, units)) for report in reports[:SCREEN_MESHES]]
    return lines + more_lines(len(reports), len(lines))


def mesh_text(report: MeshReport, units: Units) -> str:
    """What a report says."""
    length, area, volume = (unit(units, length=power) for power in (1, 2, 3))
    what = " ".join(filter(None, (f'"{report.title}"' if report.title else "", report.file or "of elements")))
    pieces = "" if report.pieces == 1 else f" in {report.pieces} pieces"
    kind = "smooth" if report.smooth else "facets as they are"
    x, y, z = report.box
    text = [
        f"{what}: {report.triangles} triangles{pieces}, {counted(report.charts, 'chart')} "
        f"at {report.feature_angle:g} degrees, {kind}",
        f"area {report.area:.6g} {area}, volume {report.volume:.6g} {volume}, box {x:.6g} x {y:.6g} x {z:.6g} {length}",
    ]
    edges = f"edges {report.edges[0]:.4g} to {report.edges[1]:.4g} {length}"
    if report.thinnest is not None and report.thinnest_at is not None:
        place = ", ".join(f"{value:.6g}" for value in report.thinnest_at)
        edges += f", thinnest {report.thinnest:.4g} {length} at ({place})"
    text.append(edges)
    if report.hollow:
        text.append("hollow: flip 1 puts the solid round about it")
    if report.mass is not None:
        text.append(f"mass {report.mass:.6g} {unit(units, mass=1)}")
    return "\n".join(text)
