"""Cards of gears: node, body, surface, interface, and the section as a plane curve; a piece of a deck."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...geometry.mesh.properties import MassProperties
from ...geometry.mesh.triangle_mesh import Floats
from .data import CylindricalGear, Rack
from .make import Part

# Stiffness of a pair of steel teeth by width, 14 N/(mm um): the mean that ISO 6336-1 has for spur gears of steel.
TOOTH_STIFFNESS = 14e9  # Pa
FEATURE_ANGLE = 40.0  # degrees, the default of /SURF/MESH


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part in the deck.

    number : id of its node, body and surface; origin : (3,), where the origin of its mesh stands
    file : of the mesh, as the deck names it
    """

    part: Part
    number: int
    origin: Floats
    mass: MassProperties
    file: str


def body_cards(placed: PlacedPart) -> list[str]:
    """/NODE at the mass centre, /RBODY with mass and inertia, /SURF/MESH with the file."""
    mass, number = placed.mass, placed.number
    centre = _rounded(mass.centre, placed.part)
    inertia = mass.inertia
    moments = [inertia[0, 0], inertia[1, 1], inertia[2, 2]]
    products = _without_noise([inertia[0, 1], inertia[1, 2], inertia[0, 2]], max(moments))
    return [
        "/NODE",
        "# node_ID, x, y, z: the mass centre",
        f"{number}, {_numbers(placed.origin + centre)}",
        f"/RBODY/{number}",
        placed.part.name,
        "# node_ID, sens_ID, Skew_ID, Ispher, Mass",
        f"{number}, 0, 0, 3, {mass.mass:.10g}",
        "# Jxx, Jyy, Jzz",
        _numbers(moments),
        "# Jxy, Jyz, Jxz",
        _numbers(products),
        f"/SURF/MESH/{number}",
        placed.part.name,
        "# node_ID, skew_ID, flip, smooth",
        f"{number}, 0, 0, 1",
        "# scale, feature_angle, density (blank: /RBODY has the mass)",
        f"1, {_feature_angle(placed.part):g},",
        "# origin of the file's axes from the node",
        _numbers(-centre),
        placed.file,
    ]


def contact_cards(first: int, second: int, title: str, width: float, stiffness: float) -> list[str]:
    """/INTER/IMPACT of two gears, with a stiffness to begin with (force/length) that a width of steel has."""
    return [
        f"/INTER/IMPACT/{first}",
        title,
        "# surf_i, surf_j, master, node_mode, analytical, friction",
        f"{first}, {second}, 0, 0, 0, 0",
        "# pen_max, stab2d, Tstart, Tstop",
        ",",
        f"# stiffness (steel teeth, width {width:g}; a value to begin with), exponent, damping, dmax",
        f"{stiffness:.6g}, 1.0, 0.0,",
    ]


def curve_cards(part: Part, number: int) -> list[str]:
    """/CURVE/2D of the section at half width, closed; the solid of a ring is outside of its teeth."""
    assert part.curve is not None
    side = int(isinstance(part.gear, CylindricalGear) and part.gear.ring)
    lines = [
        f"/CURVE/2D/{number}",
        part.name,
        "# node_ID, skew_ID, closed, n_points, side",
        f"{number}, 0, 1, {len(part.curve)}, {side}",
    ]
    return lines + [f"{x:.12g}, {y:.12g}" for x, y in part.curve.tolist()]


def _feature_angle(part: Part) -> float:
    """Half of the angle between the flanks at the apex of a double helix, if that is less than what is usual."""
    gear = part.gear
    if isinstance(gear, CylindricalGear | Rack) and gear.double:
        return round(max(5.0, min(FEATURE_ANGLE, abs(math.degrees(gear.helix)))), 3)
    return FEATURE_ANGLE


def _rounded(centre: Floats, part: Part) -> Floats:
    """The centre without round-off, so that a gear's node stands on its axis."""
    size = float(np.abs(part.mesh.vertices).max())
    return np.array(_without_noise(centre.tolist(), size))


def _without_noise(values: list[float], size: float) -> list[float]:
    return [0.0 if abs(value) < 1e-9 * size else float(value) for value in values]


def _numbers(values: list[float] | Floats) -> str:
    return ", ".join(f"{value + 0.0:.10g}" for value in values)
