"""What `gsolve gear-mesh` is asked for, checked: from options to gears."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import click
from gsolve.parser.text.units import DENSITY, SI, UnitSystem, conversion_factor

from ..contact_command import read_units
from .bevel import BevelGear, pitch_cones
from .data import CylindricalGear, Rack, Resolution, ToothForm, thinned
from .make import Gear
from .options import KINDS
from .solids import Body
from .worm import Worm, WormWheel, wheel_width

EXTERNAL = ("spur", "helical", "double-helical")
CYLINDRICAL = (*EXTERNAL, "ring", "rack")
INCH = 0.0254
STEEL = 7850.0  # kg/m3
LARGE_MODULE = 0.1  # m; above this, millimetres may have been meant

# Options that some kinds alone have. Those of the second gear go by the kind of the first.
GOES_WITH = {
    "teeth": (*CYLINDRICAL, "bevel", "wheel"),
    "helix": ("helical", "double-helical", "ring", "rack"),
    "double": ("ring", "rack"),
    "shift": (*EXTERNAL, "ring", "bevel", "wheel"),
    "tip_relief": (*CYLINDRICAL, "bevel"),
    "relief_height": (*CYLINDRICAL, "bevel"),
    "crowning": (*CYLINDRICAL, "bevel"),
    "bore": (*EXTERNAL, "bevel", "worm", "wheel"),
    "rim": (*EXTERNAL, "ring"),
    "body": (*EXTERNAL, "rack"),
    "cone": ("bevel",),
    "shaft_angle": ("bevel",),
    "starts": ("worm", "wheel"),
    "diameter_factor": ("worm", "wheel"),
    "left": ("worm", "wheel"),
    "mate": EXTERNAL,
    "mate_teeth": (*EXTERNAL, "bevel", "worm"),
    "mate_shift": (*EXTERNAL, "worm"),
    "mate_width": (*EXTERNAL, "bevel", "worm"),
    "mate_bore": (*EXTERNAL, "bevel", "worm"),
    "mate_addendum": EXTERNAL,
    "centre_distance": EXTERNAL,
}
POSITIVE = ("module", "dp", "width", "mate_width", "density", "addendum", "dedendum", "mate_addendum", "fillet", "rim",
            "body", "relief_height", "diameter_factor", "centre_distance")  # fmt: skip
NOT_NEGATIVE = ("bore", "mate_bore", "backlash", "tip_relief", "crowning")
FINITE = ("pressure_angle", "helix", "shift", "mate_shift", "cone", "shaft_angle")
WANTS_MATE = ("mate", "mate_shift", "mate_width", "mate_bore", "mate_addendum", "centre_distance", "shaft_angle")


@dataclass(frozen=True, slots=True)
class Request:
    """One gear or a pair, in the units asked for; `distance` of the axes, None where there is no play."""

    gears: tuple[Gear, ...]
    bodies: tuple[Body, ...]
    resolution: Resolution
    distance: float | None
    density: float
    units: UnitSystem
    notes: list[str]


def make_request(kind: str, units: str, resolution: Resolution, options: dict[str, Any]) -> Request:
    """The request that some options make; None is an option not given. Lengths are in the units asked for.

    Raises
    ------
    click.UsageError
        with what is wrong with them
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    _check_options(kind, given)
    system = read_units(units)
    assert system.length is not None
    size = system.length.size
    module = float(given["module"] if "module" in given else INCH / given["dp"] / size)
    form = thinned(
        ToothForm(
            pressure_angle=math.radians(given.get("pressure_angle", 20.0)),
            addendum=given.get("addendum", 1.0),
            dedendum=given.get("dedendum", 1.25),
            fillet=given.get("fillet"),
            tip_relief=given.get("tip_relief", 0.0),
            relief_height=given.get("relief_height", 0.5),
            crowning=given.get("crowning", 0.0),
        ),
        given.get("backlash", 0.0),
    )
    makers = {"bevel": _bevel, "worm": _worm, "wheel": _worm}
    gears, bodies = makers.get(kind, _cylindrical)(kind, module, form, given)
    steel = STEEL * conversion_factor(SI, system, DENSITY)
    notes = []
    if module * size > LARGE_MODULE:
        notes.append(f"the module is {module:g} {system.length.name}; --units kg,mm,s takes millimetres")
    distance = given.get("centre_distance")
    return Request(gears, bodies, resolution, distance, given.get("density", steel), system, notes)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check_options(kind: str, given: dict[str, Any]) -> None:
    for name in given:
        kinds = GOES_WITH.get(name, KINDS)
        if kind not in kinds:
            raise click.UsageError(f"{_flag(name)} does not go with {kind}; it goes with {', '.join(kinds)}")
    if ("module" in given) == ("dp" in given):
        raise click.UsageError("give the size of the teeth: either --module or --dp (diametral pitch, teeth per inch)")
    if kind != "worm" and "teeth" not in given:
        raise click.UsageError("give the number of teeth: --teeth")
    if kind in ("helical", "double-helical") and not given.get("helix"):
        raise click.UsageError(f"a {kind} gear has a helix angle: give --helix, positive right-handed")
    for names, fine, allowed in (
        (POSITIVE, lambda value: value > 0.0, "a positive number"),
        (NOT_NEGATIVE, lambda value: value >= 0.0, "0 or a positive number"),
        (FINITE, lambda value: True, "a number"),
    ):
        for name in names:
            value = given.get(name)
            if value is not None and not (math.isfinite(value) and fine(value)):
                raise click.UsageError(f"{_flag(name)} {value:g} is not {allowed}")
    if "mate_teeth" not in given:
        for name in WANTS_MATE:
            if name in given:
                raise click.UsageError(f"{_flag(name)} is for a pair: give --mate-teeth as well")
    if "centre_distance" in given and given.get("mate") == "rack":
        raise click.UsageError("--centre-distance does not go with --mate rack; its distance follows from --shift")
    for name in ("rim", "body"):
        mate = {"rim": "ring", "body": "rack"}[name]
        if name in given and kind != mate and given.get("mate") != mate:
            raise click.UsageError(f"{_flag(name)} is for a {mate}: make a {mate}, or give --mate {mate}")


def _cylindrical(
    kind: str, module: float, form: ToothForm, given: dict[str, Any]
) -> tuple[tuple[Gear, ...], tuple[Body, ...]]:
    helix = math.radians(given.get("helix", 0.0))
    double = kind == "double-helical" or "double" in given
    width = given.get("width", 10.0 * module)
    rim = given.get("rim", 2.0 * module)
    back = given["body"] / module if "body" in given else 2.0
    if kind == "rack":
        return (Rack(given["teeth"], module, form, helix, double, back),), (Body(width),)
    gear = CylindricalGear(given["teeth"], module, form, helix, double, given.get("shift", 0.0), ring=kind == "ring")
    body = Body(width, given.get("bore", 0.0), rim)
    if "mate_teeth" not in given:
        return (gear,), (body,)
    teeth, shift = given["mate_teeth"], given.get("mate_shift", 0.0)
    form = replace(form, addendum=given.get("mate_addendum", form.addendum))
    mate: Gear
    if given.get("mate") == "rack":
        if "mate_shift" in given:
            raise click.UsageError("--mate-shift does not go with --mate rack; --shift moves the gear from the rack")
        mate = Rack(teeth, module, form, helix, double, back)
    else:
        ring = given.get("mate") == "ring"
        mate = CylindricalGear(teeth, module, form, helix if ring else -helix, double, shift, ring)
    return (gear, mate), (body, Body(given.get("mate_width", width), given.get("mate_bore", 0.0), rim))


def _bevel(
    kind: str, module: float, form: ToothForm, given: dict[str, Any]
) -> tuple[tuple[Gear, ...], tuple[Body, ...]]:
    teeth, shift = given["teeth"], given.get("shift", 0.0)
    if "mate_teeth" in given:
        if "cone" in given:
            raise click.UsageError("--cone does not go with --mate-teeth: the pitch cones follow from --shaft-angle")
        angle = given.get("shaft_angle", 90.0)
        if not 10.0 <= angle <= 150.0:
            raise click.UsageError(f"--shaft-angle {angle:g} is not from 10 to 150 degrees")
        cones = pitch_cones((teeth, given["mate_teeth"]), math.radians(angle))
    elif "cone" in given:
        if not 1.0 <= given["cone"] <= 85.0:
            raise click.UsageError(f"--cone {given['cone']:g} is not from 1 to 85 degrees")
        cones = math.radians(given["cone"]), 0.0
    else:
        raise click.UsageError(
            "the cone of a bevel gear follows from the pair: give --mate-teeth, or --cone in degrees"
        )
    gear = BevelGear(teeth, module, cones[0], form, shift)
    width = given.get("width", gear.distance / 3.0)
    if "mate_teeth" not in given:
        return (gear,), (Body(width, given.get("bore", 0.0)),)
    mate = BevelGear(given["mate_teeth"], module, cones[1], form, -shift)
    other = given.get("mate_width", width)  # the ends of the narrower one are as far within both ends of the other
    insets = (0.5 * max(difference, 0.0) for difference in (other - width, width - other))
    sizes = (width, given.get("bore", 0.0)), (other, given.get("mate_bore", 0.0))
    bodies = (Body(size, bore, inset=inset) for (size, bore), inset in zip(sizes, insets, strict=True))
    return (gear, mate), tuple(bodies)


def _worm(
    kind: str, module: float, form: ToothForm, given: dict[str, Any]
) -> tuple[tuple[Gear, ...], tuple[Body, ...]]:
    worm = Worm(given.get("starts", 1), module, given.get("diameter_factor", 10.0), form, "left" in given)
    teeth = given.get("teeth", given.get("mate_teeth"))
    shift = given.get("shift", given.get("mate_shift", 0.0))
    wheel = WormWheel(worm, teeth or 0, shift)
    bore = given.get("bore", 0.0)
    if kind == "wheel":
        return (wheel,), (Body(given.get("width", wheel_width(wheel)), bore),)
    body = Body(given.get("width", 5.0 * math.pi * module), bore)
    if teeth is None:
        return (worm,), (body,)
    return (worm, wheel), (body, Body(given.get("mate_width", wheel_width(wheel)), given.get("mate_bore", 0.0)))
