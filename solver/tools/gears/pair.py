"""Two gears together: centre distance, contact ratio, backlash, sliding, interference, and where the second one stands.

The first gear stands at the origin with its axis along z and a tooth on +x; `Placement` brings the second one, as it is
meshed, into mesh with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats
from .bevel import BevelGear, crown_tip
from .data import CylindricalGear, GearError, Rack, Resolution, ToothForm, fillet_radius
from .generating_rack import generate_root, least_shift
from .interference import cut_by_gear, cut_by_rack
from .involute import base_pitch, inverse_involute, involute
from .profile import gear_profile
from .worm import WormWheel

COARSE = Resolution(flank=1, fillet=1)
LEAST_CONTACT_RATIO = 1.1
# In modules, what is not worth a word: the usual fillet of 0.38 modules begins 3e-5 modules above the tips of a rack.
HARMLESS = 1e-3


@dataclass(frozen=True, slots=True)
class Placement:
    """The second gear is put at R x + t."""

    rotation: Floats
    translation: Floats


@dataclass(frozen=True, slots=True)
class Pair:
    """Data of a pair; lengths in the unit of the module, angles in radians. None: has no meaning for this kind.

    distance : between the axes; of a rack from the axis to its reference line; of bevel gears the cone distance
    pressure_angle : working, transverse; path : of contact, along the line of action, of bevel gears an angle
    transverse_ratio, overlap_ratio : contact ratios; the relief of tips is not taken into account
    backlash : circumferential, on the working pitch circles
    clearances : between the tips of the first and the roots of the second, and the reverse
    sliding : specific sliding of the first gear where contact begins, of the second where it ends
    speed_ratio : turn of the second by that of the first, each about its own axis z; of a rack the way by radian
    """

    kind: str
    distance: float
    pressure_angle: float
    path: float
    transverse_ratio: float
    overlap_ratio: float
    backlash: float | None
    clearances: tuple[float, float]
    sliding: tuple[float, float] | None
    speed_ratio: float
    sense: str
    placement: Placement
    warnings: list[str]


def turned(angle: float) -> Floats:
    """Rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def working_pressure_angle(first: CylindricalGear, second: CylindricalGear) -> float:
    """Transverse pressure angle at which the pair has no play but for its backlash.

    inv a_w = inv a_t + 2 tan a_n (x_1 + x_2)/(z_1 + z_2), with differences for a ring.
    """
    angle = first.transverse_pressure_angle
    sign = second.outward
    teeth = second.teeth + sign * first.teeth
    shifts = second.shift + sign * first.shift
    value = involute(angle) + 2.0 * math.tan(first.form.pressure_angle) * shifts / teeth
    if value <= 0.0:
        raise GearError(
            f"shifts {first.shift:g} and {second.shift:g} leave no working pressure angle; make their "
            f"{'difference' if second.ring else 'sum'} greater"
        )
    return inverse_involute(value)


def cylindrical_pair(
    first: CylindricalGear, second: CylindricalGear, width: float, distance: float | None = None
) -> Pair:
    """An external gear with an external gear or a ring, at a distance of the axes or where there is no play.

    Raises
    ------
    GearError
        if they do not fit together
    """
    sign = second.outward
    _check_alike(first, second)
    if second.ring and second.teeth - first.teeth < 3:
        raise GearError(f"a ring of {second.teeth} teeth is too small for {first.teeth}: at least {first.teeth + 3}")
    bases = second.base_radius + sign * first.base_radius
    if distance is None:
        angle = working_pressure_angle(first, second)
        distance = bases / math.cos(angle)
    elif distance <= bases:
        raise GearError(
            f"centre distance {distance:g} is not greater than {bases:g}, where the base circles leave no angle"
        )
    else:
        angle = math.acos(bases / distance)
    backlash = _backlash(first, second, angle)
    play = 1e-9 * first.module
    if backlash < -play:
        least = bases / math.cos(working_pressure_angle(first, second))
        raise GearError(
            f"at centre distance {distance:g} the teeth overlap by {-backlash:g}; they fit at {least:g}: "
            "change the distance, the shifts or the backlash"
        )
    lengths = _rolled(first), _rolled(second)  # form and tip of each
    reach = distance * math.sin(angle)
    start = reach - lengths[1][1] if sign > 0.0 else lengths[1][1] - reach
    end = reach - lengths[1][0] if sign > 0.0 else lengths[1][0] - reach
    cuts = cut_by_gear(first, second, distance), cut_by_gear(second, first, distance)
    tips = _tips(cuts, (lengths[0][0] - start, lengths[0][1] - end), first.module)
    start, end = max(start, lengths[0][0]), min(end, lengths[0][1])
    pitch = base_pitch(first.transverse_module, first.transverse_pressure_angle)
    path = end - start
    if sign > 0.0:
        clearances = distance - first.tip_radius - second.root_radius, distance - first.root_radius - second.tip_radius
        turn = math.pi / second.teeth if second.teeth % 2 == 0 else 0.0
        sliding = _sliding(first, second, start, reach - start, end, reach - end)
    else:
        clearances = second.root_radius - distance - first.tip_radius, second.tip_radius - distance - first.root_radius
        turn = math.pi / second.teeth
        sliding = _sliding(first, second, start, reach + start, end, reach + end)
        tips += _radial_assembly(first, second, angle)
    ratio = path / pitch
    return Pair(
        kind="ring" if second.ring else "external",
        distance=distance,
        pressure_angle=angle,
        path=path,
        transverse_ratio=ratio,
        overlap_ratio=width * math.sin(abs(first.helix)) / (math.pi * first.module),
        backlash=backlash if backlash > play else 0.0,
        clearances=clearances,
        sliding=sliding,
        speed_ratio=-sign * first.teeth / second.teeth,
        sense="opposite" if sign > 0.0 else "the same",
        placement=Placement(turned(turn), np.array([sign * distance, 0.0, 0.0])),
        warnings=_undercuts(first=first, second=second) + tips + _common_warnings(ratio, clearances, first.module),
    )


def _check_alike(first: CylindricalGear, second: CylindricalGear | Rack) -> None:
    """Refuse teeth of different sizes or directions."""
    opposite = isinstance(second, CylindricalGear) and not second.ring
    for name, one, other in (
        ("modules", first.module, second.module),
        ("pressure angles", math.degrees(first.form.pressure_angle), math.degrees(second.form.pressure_angle)),
        ("helix angles", math.degrees(first.helix), math.degrees(-second.helix if opposite else second.helix)),
    ):
        if abs(one - other) > 1e-9 * max(abs(one), abs(other)):
            shown = -other if name == "helix angles" and opposite else other
            raise GearError(f"{name} {one:g} and {shown:g} do not go together{_hint(name, opposite)}")
    if first.double != second.double:
        raise GearError("a double-helical gear goes with a double-helical gear, ring or rack only")


def _hint(name: str, opposite: bool) -> str:
    if name != "helix angles":
        return ": they must be the same"
    return f": they must be {'opposite' if opposite else 'the same'}"


def _backlash(first: CylindricalGear, second: CylindricalGear, angle: float) -> float:
    """On the working pitch circles: what is left of the pitch, or of the space of the ring."""
    radii = [gear.base_radius / math.cos(angle) for gear in (first, second)]
    widths = [
        2.0 * radius * (gear.solid_half_angle - involute(angle))
        for radius, gear in zip(radii, (first, second), strict=True)
    ]
    if second.ring:
        return widths[1] - widths[0]
    return 2.0 * math.pi * radii[0] / first.teeth - sum(widths)


def _rolled(gear: CylindricalGear) -> tuple[float, float]:
    """Rolled lengths at the begin of the involute (at the fillet) and at the tip."""
    profile = gear_profile(gear, COARSE)
    base = gear.base_radius
    form, tip = (math.sqrt(max(radius**2 - base**2, 0.0)) for radius in (profile.level[profile.first], gear.tip_radius))
    return form, tip


def _tips(cuts: tuple[float, float], lacks: tuple[float, float], module: float) -> list[str]:
    """Tips that cut into the other gear, and contact that ends before the tips do.

    Parameters
    ----------
    cuts : how deep the tips of the second gear cut into the first, and the reverse
    lacks : how much the involutes of the first gear are too short for the tips of the second, and the reverse
    """
    found = []
    for cut, lack, one, other in zip(cuts, lacks, ("second", "first"), ("first", "second"), strict=True):
        cure = f"less addendum of the {one} gear, or a shift of the {other} that lengthens its involutes"
        if cut > HARMLESS * module:
            found.append(
                f"interference: the tips of the {one} gear cut {cut:.3g} into the flanks of the {other}; {cure}"
            )
        elif lack > HARMLESS * module:
            found.append(
                f"short contact: the tips of the {one} gear reach {lack:.4g} beyond the involutes of the {other} "
                f"(along the line of action), without touching; {cure}"
            )
    return found


def _sliding(
    first: CylindricalGear, second: CylindricalGear, start: float, start_2: float, end: float, end_2: float
) -> tuple[float, float]:
    ratio = first.teeth / second.teeth
    return 1.0 - ratio * start_2 / start, 1.0 - end / (ratio * end_2)


def _radial_assembly(first: CylindricalGear, second: CylindricalGear, angle: float) -> list[str]:
    """Whether a pinion can be put into a ring radially: the widest place of its tips must pass those of the ring."""
    tips = [math.acos(min(1.0, gear.base_radius / gear.tip_radius)) for gear in (first, second)]
    ratio, cosines = first.teeth / second.teeth, math.cos(tips[0]) / math.cos(tips[1])
    squares = (1.0 - cosines**2) / (1.0 - ratio**2), (1.0 / cosines**2 - 1.0) / (1.0 / ratio**2 - 1.0)
    if not all(0.0 <= square <= 1.0 for square in squares):
        return []
    parts = [math.asin(math.sqrt(square)) for square in squares]
    left = parts[0] + involute(tips[0]) - involute(angle)
    if left >= (parts[1] + involute(tips[1]) - involute(angle)) / ratio:
        return []
    return ["assembly: the pinion goes into the ring along the axis only, not radially"]


def _rack_path(gear: CylindricalGear, form: ToothForm) -> tuple[float, tuple[float, float]]:
    """Path of contact of a gear with a rack of a form, and what the involutes lack at its two ends."""
    begin, tip = _rolled(gear)
    angle = gear.transverse_pressure_angle
    rack = Rack(1, gear.module, form, gear.helix)
    straight = form.dedendum * gear.module - fillet_radius(rack) * (1.0 - math.sin(form.pressure_angle))
    pitch_point = gear.radius * math.sin(angle)
    start = pitch_point - (form.addendum - gear.shift) * gear.module / math.sin(angle)
    end = pitch_point + (straight + gear.shift * gear.module) / math.sin(angle)
    return min(tip, end) - max(start, begin), (begin - start, tip - end)


def rack_pair(first: CylindricalGear, rack: Rack, width: float) -> Pair:
    """A gear with a rack, where there is no play but for the backlash.

    Raises
    ------
    GearError
        if they do not fit together
    """
    _check_alike(first, rack)
    angle = first.transverse_pressure_angle
    distance = first.radius + first.shift * first.module
    path, lacks = _rack_path(first, rack.form)
    ratio = path / base_pitch(first.transverse_module, angle)
    clearances = (
        distance + rack.form.dedendum * rack.module - first.tip_radius,
        distance - rack.form.addendum * rack.module - first.root_radius,
    )
    aside = 0.0 if rack.teeth % 2 == 0 else 0.5 * rack.pitch
    return Pair(
        kind="rack",
        distance=distance,
        pressure_angle=angle,
        path=path,
        transverse_ratio=ratio,
        overlap_ratio=width * math.sin(abs(first.helix)) / (math.pi * first.module),
        backlash=first.form.thinning + rack.form.thinning,
        clearances=clearances,
        sliding=None,
        speed_ratio=first.radius,
        sense="along +y, where the gear turns about +z",
        placement=Placement(turned(0.5 * math.pi), np.array([distance, aside, 0.0])),
        warnings=_undercuts(first=first)
        + _tips((cut_by_rack(first, rack, distance), 0.0), lacks, first.module)
        + _common_warnings(ratio, clearances, first.module),
    )


def bevel_pair(first: BevelGear, second: BevelGear) -> Pair:
    """Two bevel gears with a common apex, the second one's axis in the plane x z.

    Raises
    ------
    GearError
        if they do not fit together
    """
    if abs(first.distance - second.distance) > 1e-9 * first.distance:
        raise GearError(
            f"cone distances {first.distance:g} and {second.distance:g} do not go together: take the pitch cones of "
            "`pitch_cones`, and one module"
        )
    if abs(first.shift + second.shift) > 1e-12:
        raise GearError(
            f"the shifts of bevel gears are opposite: {first.shift:g} and {second.shift:g} do not add up to 0"
        )
    shaft = first.cone + second.cone
    pitch_points = [gear.roll(gear.cone) for gear in (first, second)]
    form = [point - crown_tip(gear).reach for point, gear in zip(pitch_points, (first, second), strict=True)]
    whole = sum(pitch_points)
    start, end = whole - second.roll(second.tip_cone), first.roll(first.tip_cone)
    warnings = []
    for gear, name, roll in ((first, "first", form[0]), (second, "second", form[1])):
        if roll < 0.0:
            warnings.append(
                f"undercut: the teeth of the {name} gear ({gear.teeth}); more shift or teeth, less dedendum"
            )
    slack = HARMLESS * first.unit
    if start < max(form[0], 0.0) - slack or end > whole - max(form[1], 0.0) + slack:
        warnings.append("short contact: the tips of one gear reach beyond the spherical involutes of the other")
    start, end = max(start, form[0], 0.0), min(end, whole - max(form[1], 0.0))
    pitch = 2.0 * math.pi * math.sin(first.base_cone) / first.teeth
    across = np.array([-math.cos(shaft), 0.0, math.sin(shaft)])
    axis = np.array([math.sin(shaft), 0.0, math.cos(shaft)])
    rotation = np.stack([across, np.cross(axis, across), axis], axis=1) @ turned(math.pi / second.teeth)
    ratio = (end - start) / pitch
    gap = first.distance * (shaft - first.tip_cone - second.root_cone)
    other = first.distance * (shaft - second.tip_cone - first.root_cone)
    return Pair(
        kind="bevel",
        distance=first.distance,
        pressure_angle=first.form.pressure_angle,
        path=end - start,
        transverse_ratio=ratio,
        overlap_ratio=0.0,
        backlash=first.form.thinning + second.form.thinning,
        clearances=(gap, other),
        sliding=None,
        speed_ratio=-first.teeth / second.teeth,
        sense="opposite, seen from the outer ends",
        placement=Placement(rotation, np.zeros(3)),
        warnings=warnings + _common_warnings(ratio, (gap, other), first.module),
    )


def worm_pair(wheel: WormWheel) -> Pair:
    """A worm along z at the origin, the wheel's axis along y at x = centre distance; contact ratio of its middle."""
    worm = wheel.worm
    section = CylindricalGear(wheel.teeth, worm.module, worm.form, shift=wheel.shift)
    path, lacks = _rack_path(section, worm.form)
    ratio = path / base_pitch(worm.module, worm.form.pressure_angle)
    clearance = (worm.form.dedendum - worm.form.addendum) * worm.module
    rotation = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]) @ turned(math.pi / wheel.teeth)
    sign = 1.0 if worm.parameter > 0.0 else -1.0
    return Pair(
        kind="worm",
        distance=wheel.centre_distance,
        pressure_angle=worm.form.pressure_angle,
        path=path,
        transverse_ratio=ratio,
        overlap_ratio=0.0,
        backlash=2.0 * worm.form.thinning,
        clearances=(clearance, clearance),
        sliding=None,
        speed_ratio=-sign * worm.starts / wheel.teeth,
        sense=f"about {'-' if sign > 0.0 else '+'}y, where the worm turns about +z",
        placement=Placement(rotation, np.array([wheel.centre_distance, 0.0, 0.0])),
        warnings=_undercuts(second=section)
        + _tips((0.0, 0.0), lacks[::-1], worm.module)
        + _common_warnings(ratio, (clearance, clearance), worm.module),
    )


def _undercuts(**gears: CylindricalGear) -> list[str]:
    found = []
    for name, gear in gears.items():
        if gear.ring:
            continue
        root = generate_root(gear, 1)
        if root.undercut:
            lost = gear.base_radius * math.hypot(1.0, root.roll)
            found.append(
                f"undercut: the teeth of the {name} gear ({gear.teeth}); involutes begin at radius {lost:.6g}, "
                f"from a shift of {least_shift(gear):.4g} on there is none"
            )
    return found


def _common_warnings(ratio: float, clearances: tuple[float, float], module: float) -> list[str]:
    found = []
    if ratio < LEAST_CONTACT_RATIO:
        found.append(
            f"contact ratio {ratio:.3f} is less than {LEAST_CONTACT_RATIO}: the mesh may be lost between teeth"
        )
    if min(clearances) < 0.1 * module:
        found.append(f"clearance of the tips {min(clearances):.4g} is less than a tenth of the module")
    return found
