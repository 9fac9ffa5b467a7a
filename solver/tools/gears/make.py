"""Gears from what they are given by: the function for Python programs.

from gsolve.solver.tools.gears.make import make_gear, make_pair

part = make_gear(CylindricalGear(teeth=20, module=2.0), Body(width=10.0, bore=8.0))
part.mesh.vertices, part.mesh.triangles, part.curve, part.mass(7.85e-6).inertia
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from gsolve.parser.text.numbers import counted

from ...geometry.mesh.properties import MassProperties, mass_properties
from ...geometry.mesh.triangle_mesh import Floats, TriangleMesh
from .bevel import BevelGear, bevel_mesh, bevel_profile, check_bevel
from .data import CylindricalGear, GearError, Rack, Resolution, check_form, check_gear
from .involute import between_pins, over_pins, span, teeth_to_span
from .pair import Pair, bevel_pair, cylindrical_pair, rack_pair, worm_pair
from .profile import HalfProfile, gear_profile, gear_tip_limit, rack_profile
from .solids import Body, gear_mesh, gear_rows, rack_loop, rack_mesh
from .worm import Worm, WormWheel, check_worm, wheel_mesh, wheel_rows, worm_land, worm_mesh, worm_profile

Gear = CylindricalGear | Rack | BevelGear | Worm | WormWheel
DEFAULT_RESOLUTION = Resolution()
PIN_IN_MODULES = 1.728  # usual diameter of pins


@dataclass(frozen=True, slots=True)
class Part:
    """A gear made: its mesh, its section, its measures.

    curve : (n, 2), the closed outline of the section at half width; None of a bevel gear
    measures : name to length or to an angle in degrees (names that end in "angle" or "cone")
    notes : what a user should know
    """

    gear: Gear
    name: str
    mesh: TriangleMesh
    curve: Floats | None
    measures: dict[str, float]
    notes: list[str]

    def mass(self, density: float) -> MassProperties:
        """Mass, centre and inertia about the centre, for a density."""
        return mass_properties(self.mesh, density)


def make_gear(gear: Gear, body: Body, resolution: Resolution = DEFAULT_RESOLUTION) -> Part:
    """Mesh, curve and measures of a gear.

    Raises
    ------
    GearError
        if it cannot be made; the text says why
    """
    if not (body.width > 0.0 and math.isfinite(body.width)):
        raise GearError(f"width {body.width:g} is not a positive length")
    return _make(gear, body, resolution)


def make_pair(
    gears: tuple[Gear, Gear],
    bodies: tuple[Body, Body],
    resolution: Resolution = DEFAULT_RESOLUTION,
    distance: float | None = None,
) -> tuple[Part, Part, Pair]:
    """Two gears and their pair; the second part as it stands in mesh with the first, but for the translation.

    Parameters
    ----------
    distance : of the axes of cylindrical gears; without it they have no play but their backlash

    Raises
    ------
    GearError
        if a gear cannot be made, or the two do not go together
    """
    parts = [make_gear(gear, body, resolution) for gear, body in zip(gears, bodies, strict=True)]
    pair = _pair(gears[0], gears[1], min(body.width for body in bodies), distance)
    rotation = pair.placement.rotation
    second = parts[1]
    curve = second.curve
    if curve is not None and rotation[2, 2] == 1.0:
        curve = curve @ rotation[:2, :2].T
    moved = Part(
        second.gear, second.name, second.mesh.moved(rotation, np.zeros(3)), curve, second.measures, second.notes
    )
    return parts[0], moved, pair


def _pair(first: Gear, second: Gear, width: float, distance: float | None) -> Pair:
    if isinstance(first, CylindricalGear) and not first.ring:
        if isinstance(second, CylindricalGear):
            return cylindrical_pair(first, second, width, distance)
        if isinstance(second, Rack):
            return rack_pair(first, second, width)
    if isinstance(first, BevelGear) and isinstance(second, BevelGear):
        return bevel_pair(first, second)
    if isinstance(first, Worm) and isinstance(second, WormWheel) and second.worm == first:
        return worm_pair(second)
    raise GearError(
        "these two make no pair: an external gear goes with an external gear, a ring or a rack, a bevel gear with a "
        "bevel gear, a worm with its own wheel"
    )


@singledispatch
def _make(gear: Gear, body: Body, resolution: Resolution) -> Part:
    raise TypeError(f"{type(gear).__name__} is no gear")


@_make.register
def _(gear: CylindricalGear, body: Body, resolution: Resolution) -> Part:
    check_gear(gear)
    mesh = gear_mesh(gear, body, resolution)
    profile = gear_profile(gear, resolution)
    form = float(profile.level[profile.first])
    measures = {
        "reference diameter": 2.0 * gear.radius,
        "base diameter": 2.0 * gear.base_radius,
        "tip diameter": 2.0 * gear.tip_radius,
        "root diameter": 2.0 * gear.root_radius,
        "form diameter": 2.0 * form,
        "transverse pressure angle": math.degrees(gear.transverse_pressure_angle),
        "tooth thickness": gear.thickness,
        "tip thickness": 2.0 * float(profile.half[-1]) * gear.tip_radius,
        **_measured(gear),
    }
    notes = []
    if profile.undercut:
        notes.append(f"undercut: the root cuts into the involutes, which begin at diameter {2.0 * form:.6g}")
    if not gear.ring and measures["tip thickness"] < 0.2 * gear.module:
        limit = (gear_tip_limit(gear) - gear.radius) / gear.module - gear.shift
        notes.append(f"the tips are thin: less than 0.2 modules; at an addendum of {limit:.3f} they are pointed")
    kind = "ring" if gear.ring else "double-helical" if gear.double else "helical" if gear.helix else "spur"
    return Part(
        gear, f"{kind} gear, {gear.teeth} teeth", mesh, _section(profile, gear.teeth, resolution.land), measures, notes
    )


def _measured(gear: CylindricalGear) -> dict[str, float]:
    """Dimension over or between pins, and span, where the gear can be measured so."""
    pin = PIN_IN_MODULES * gear.module
    sizes = (gear.teeth, gear.base_radius, gear.solid_half_angle)
    found = {}
    try:
        if gear.ring:
            found["between pins"] = between_pins(*sizes, pin, gear.base_helix)
        else:
            found["over pins"] = over_pins(*sizes, pin, gear.base_helix)
            over = teeth_to_span(gear.teeth, gear.transverse_pressure_angle)
            found |= {"span": span(*sizes, over, gear.base_helix), "teeth spanned": float(over)}
        found["pin diameter"] = pin
    except ValueError:
        pass
    return found


@_make.register
def _(gear: Rack, body: Body, resolution: Resolution) -> Part:
    check_form(gear.form)
    if gear.teeth < 1:
        raise GearError(f"{gear.teeth} teeth are too few for a rack: at least 1")
    mesh = rack_mesh(gear, body.width, resolution)
    curve = rack_loop(gear, rack_profile(gear, resolution), resolution.land)
    measures = {"pitch": gear.pitch, "length": gear.pitch * gear.teeth}
    return Part(gear, f"rack, {gear.teeth} teeth", mesh, curve, measures, [])


@_make.register
def _(gear: BevelGear, body: Body, resolution: Resolution) -> Part:
    check_bevel(gear, body)
    mesh = bevel_mesh(gear, body, resolution)
    measures = {
        "reference diameter": gear.module * gear.teeth,
        "cone distance": gear.distance,
        "pitch cone": math.degrees(gear.cone),
        "base cone": math.degrees(gear.base_cone),
        "tip cone": math.degrees(gear.tip_cone),
        "root cone": math.degrees(gear.root_cone),
    }
    notes = ["undercut: the root cuts into the involutes"] if bevel_profile(gear, resolution).undercut else []
    return Part(gear, f"bevel gear, {gear.teeth} teeth", mesh, None, measures, notes)


@_make.register
def _(gear: Worm, body: Body, resolution: Resolution) -> Part:
    check_worm(gear)
    mesh = worm_mesh(gear, body, resolution)
    curve = _section(worm_profile(gear, resolution), gear.starts, worm_land(gear, resolution))
    measures = {
        "reference diameter": 2.0 * gear.radius,
        "tip diameter": 2.0 * (gear.radius + gear.form.addendum * gear.module),
        "root diameter": 2.0 * (gear.radius - gear.form.dedendum * gear.module),
        "lead": gear.lead,
        "lead angle": math.degrees(gear.lead_angle),
    }
    return Part(gear, f"worm ZA, {counted(gear.starts, 'start')}", mesh, curve, measures, [])


@_make.register
def _(gear: WormWheel, body: Body, resolution: Resolution) -> Part:
    check_worm(gear.worm)
    mesh = wheel_mesh(gear, body, resolution)
    curve = wheel_rows(gear, np.zeros(1), resolution)[0][0, :, :2]
    measures = {
        "reference diameter": 2.0 * gear.radius,
        "throat diameter": 2.0 * (gear.centre_distance - gear.throat),
        "outer diameter": 2.0 * gear.outer_radius,
        "root diameter": 2.0 * (gear.centre_distance - gear.hob_radius),
        "centre distance": gear.centre_distance,
    }
    return Part(gear, f"worm wheel, {gear.teeth} teeth", mesh, curve, measures, [])


def _section(profile: HalfProfile, teeth: int, land: int) -> Floats:
    return gear_rows(profile, teeth, np.zeros(1), np.zeros(1), np.zeros(1), land)[0, :, :2]
