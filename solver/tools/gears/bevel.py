"""Straight bevel gears with spherical involutes: a great circle that rolls on the base cone.

Everything lies on the unit sphere about the apex; a level is the angle from the axis. Teeth run to the apex. A crown
gear with spherical involutes and rounded tips generates the root, as the rack does for a cylindrical gear. (Octoids,
which a crown gear with plane flanks generates, differ in the third order of the height of the tooth.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, TriangleMesh
from .data import GearError, Resolution, ToothForm, check_form
from .generating_rack import DENSE, HALVINGS, even_steps
from .profile import HalfProfile
from .solids import Body, build_solid, circle_rows, gear_rows, width_rows

RIGHT = 0.5 * math.pi


@dataclass(frozen=True, slots=True)
class BevelGear:
    """A straight bevel gear; heights of teeth are arcs on the outer sphere.

    module : at the outer end; cone : half angle of the pitch cone; shift : in modules
    """

    teeth: int
    module: float
    cone: float
    form: ToothForm = field(default_factory=ToothForm)
    shift: float = 0.0

    @property
    def distance(self) -> float:
        """Outer cone distance R_e = m z/(2 sin d): from the apex to the outer end."""
        return 0.5 * self.module * self.teeth / math.sin(self.cone)

    @property
    def unit(self) -> float:
        """Angle of one module of arc."""
        return self.module / self.distance

    @property
    def base_cone(self) -> float:
        """sin d_b = sin d cos a."""
        return math.asin(math.sin(self.cone) * math.cos(self.form.pressure_angle))

    @property
    def tip_cone(self) -> float:
        """Half angle of the cone of the tips."""
        return self.cone + (self.form.addendum + self.shift) * self.unit

    @property
    def root_cone(self) -> float:
        """Half angle of the cone of the roots."""
        return self.cone - (self.form.dedendum - self.shift) * self.unit

    @property
    def half_angle(self) -> float:
        """Half of the angle of a tooth on the pitch cone."""
        thickness = self.module * (0.5 * math.pi + 2.0 * self.shift * math.tan(self.form.pressure_angle))
        return (thickness - self.form.thinning) / (self.module * self.teeth)

    @property
    def solid_half_angle(self) -> float:
        """Half of the angle of a tooth on the base cone."""
        return self.half_angle + float(spherical_involute(self.roll(self.cone), self.base_cone))

    def roll(self, level: float) -> float:
        """Arc of the rolled great circle at an angle from the axis: cos L = cos g/cos d_b; 0 within the base cone."""
        return math.acos(min(1.0, math.cos(level) / math.cos(self.base_cone)))


def pitch_cones(teeth: tuple[int, int], shaft_angle: float) -> tuple[float, float]:
    """Half angles of the pitch cones of a pair: sin d1/sin d2 = z1/z2, d1 + d2 = S."""
    first = math.atan2(math.sin(shaft_angle), teeth[1] / teeth[0] + math.cos(shaft_angle))
    return first, shaft_angle - first


def spherical_involute(roll: Floats | float, base_cone: float) -> Floats:
    """Angle about the axis between the begin of a spherical involute and its point at a rolled arc L.

    L/sin d_b - atan(tan L/sin d_b), which becomes tan a - a in the plane.
    """
    angle: Floats = np.asarray(roll) / math.sin(base_cone) - foot_angle(roll, base_cone)
    return angle


def foot_angle(roll: Floats | float, base_cone: float) -> Floats:
    """Angle about the axis between a point and where its great circle touches the base cone."""
    angle: Floats = np.arctan2(np.sin(roll), np.cos(roll) * math.sin(base_cone))
    return angle


@dataclass(frozen=True, slots=True)
class CrownTip:
    """The rounded tip of the crown gear that generates a bevel gear.

    centre : of its circle on the sphere, about the crown's axis from the middle of the crown's tooth
    level : of that centre, from the crown's axis; radius : of the circle; last : rolled angle at which the flank begins
    reach : arc from the pitch point to where the flank begins, along the line of action
    """

    gear: BevelGear
    centre: float
    level: float
    radius: float
    last: float
    reach: float

    def fillet(self, rolled: Floats) -> tuple[Floats, Floats]:
        """Angle from the axis and half angle of the tooth where the tip touches it.

        Parameters
        ----------
        rolled : angle of the circle's centre about the crown's axis, from the pitch point

        The great circle from the pitch point through the circle's centre leads to the point that touches.
        """
        gear = self.gear
        # Axes: 0 to the pitch point, 1 along the motion there, 2 from the pitch point towards the axis of the gear.
        sine = math.sin(self.level)
        centre = np.stack([sine * np.cos(rolled), sine * np.sin(rolled), np.full_like(rolled, -math.cos(self.level))])
        apart = np.arctan2(np.hypot(centre[1], centre[2]), centre[0])
        point = centre * np.sin(apart + self.radius)
        point[0] -= math.sin(self.radius)
        point /= np.sin(apart)
        along = math.cos(gear.cone) * point[0] + math.sin(gear.cone) * point[2]
        outward = math.sin(gear.cone) * point[0] - math.cos(gear.cone) * point[2]
        level = np.arctan2(np.hypot(point[1], outward), along)
        in_space = np.arctan2(point[1], outward) - (rolled - self.centre) / math.sin(gear.cone)
        return level, math.pi / gear.teeth - in_space


def crown_tip(gear: BevelGear) -> CrownTip:
    """The tip of the crown gear, with the radius asked for or 0.38 modules or what fits.

    Raises
    ------
    GearError
        if the radius asked for does not fit
    """
    wanted = gear.form.fillet
    low, high = 0.0, 2.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        fits = _tip_of_radius(gear, middle * gear.unit).centre > 0.02 * math.pi * math.sin(gear.cone) / gear.teeth
        low, high = (middle, high) if fits else (low, middle)
    if low < 1e-9:
        raise GearError("the space between teeth has no width at its root; less dedendum or less pressure angle")
    if wanted is not None and not 0.0 < wanted <= low:
        raise GearError(f"fillet {wanted:g} is not above 0 and at most {low:.4g} modules, what fits into the root")
    tip = _tip_of_radius(gear, gear.unit * min(0.38 if wanted is None else wanted, low))
    most = gear.shift + (tip.level - RIGHT) / gear.unit
    if gear.shift >= most:
        raise GearError(f"shift {gear.shift:g} lifts the roots to the pitch cone: it must be less than {most:.3f}")
    return tip


def _tip_of_radius(gear: BevelGear, radius: float) -> CrownTip:
    base = RIGHT - gear.form.pressure_angle
    level = RIGHT + gear.cone - gear.root_cone - radius
    half_angle = (math.pi / gear.teeth - gear.half_angle) * math.sin(gear.cone)  # of the crown's tooth, at the pitch
    roll = math.acos(math.cos(level) / math.cos(base))
    parallel = half_angle + float(spherical_involute(RIGHT, base)) - radius / math.sin(base)
    return CrownTip(
        gear,
        parallel - float(spherical_involute(roll, base)),
        level,
        radius,
        float(foot_angle(roll, base)) - RIGHT,
        roll + radius - RIGHT,
    )


def bevel_profile(gear: BevelGear, resolution: Resolution) -> HalfProfile:
    """Profile of a bevel gear: levels and half widths are angles.

    Raises
    ------
    GearError
        if the teeth are pointed, or all flank is cut away
    """
    tip = crown_tip(gear)
    last = tip.last
    first_roll = gear.roll(gear.cone) - tip.reach
    undercut = first_roll < 0.0
    if undercut:
        last = _crossing(tip)
        level, _ = tip.fillet(np.array([last]))
        first_roll = gear.roll(float(level[0]))
    tip_roll = gear.roll(gear.tip_cone)
    if first_roll >= tip_roll:
        raise GearError(f"the crown gear cuts the whole flank away: {gear.teeth} teeth with shift {gear.shift:g}")
    depth = tip.level - RIGHT
    turn = math.atan2(last, depth) * np.linspace(0.0, 1.0, DENSE)  # of the normal, on a plane
    dense = np.append(depth * np.tan(turn[:-1]), last)
    level, half = tip.fillet(dense)
    level, half = tip.fillet(even_steps(dense, level, np.sin(level), half, resolution.fillet))
    roll = np.linspace(first_roll, tip_roll, resolution.flank + 1)
    start = gear.roll(gear.tip_cone - gear.form.relief_height * gear.unit)
    away = gear.form.tip_relief / gear.distance * np.clip((roll - start) / (tip_roll - start), 0.0, None) ** 2
    flank = gear.solid_half_angle - spherical_involute(roll, gear.base_cone) - away / math.sin(gear.base_cone)
    if flank[-1] <= 0.0:
        raise GearError(
            f"the teeth are pointed below their tips: {gear.teeth} teeth with shift {gear.shift:g}; less addendum"
        )
    levels = np.arccos(math.cos(gear.base_cone) * np.cos(roll))
    return HalfProfile(
        np.concatenate([level[:-1], levels]),
        np.concatenate([half[:-1], flank]),
        2.0 * math.pi / gear.teeth,
        resolution.fillet,
        undercut,
    )


def _crossing(tip: CrownTip) -> float:
    """Rolled angle at which the fillet of an undercut tooth crosses its involute."""
    gear = tip.gear
    low, high = 0.0, tip.last
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        (level,), (half,) = tip.fillet(np.array([middle]))
        flank = gear.solid_half_angle - float(spherical_involute(gear.roll(level), gear.base_cone))
        low, high = (middle, high) if level <= gear.base_cone or half < flank else (low, middle)
    return 0.5 * (low + high)


def check_bevel(gear: BevelGear, body: Body) -> None:
    """Refuse what makes no bevel gear.

    Raises
    ------
    GearError
        with the first that is wrong
    """
    check_form(gear.form)
    if gear.teeth < 5:
        raise GearError(f"{gear.teeth} teeth are too few for a bevel gear: at least 5")
    if gear.tip_cone >= math.radians(88.0):
        raise GearError(
            f"the tip cone of {math.degrees(gear.tip_cone):.2f} degrees is not less than 88: less teeth or shaft angle"
        )
    if gear.root_cone <= 0.1 * gear.cone:
        raise GearError(
            f"the root cone of {math.degrees(gear.root_cone):.2f} degrees is too slender: more teeth or less dedendum"
        )
    most = 0.6 * gear.distance - body.inset
    if not 0.0 < body.width <= most:
        raise GearError(f"width {body.width:g} is not above 0 and at most {most:g}, 0.6 of the cone distance")


def bevel_mesh(gear: BevelGear, body: Body, resolution: Resolution) -> TriangleMesh:
    """Mesh of a bevel gear: apex at the origin, axis z, a tooth above +x; both ends lie on spheres about the apex.

    Raises
    ------
    GearError
        if the bore does not fit
    """
    profile = bevel_profile(gear, resolution)
    middle = gear.distance - body.inset - 0.5 * body.width
    offset = width_rows(body.width, resolution.rows, double=False)
    distance = middle + offset
    crowned = gear.form.crowning * (2.0 * offset / body.width) ** 2
    narrower = crowned / (distance * math.sin(gear.base_cone))
    if profile.half[-1] <= narrower.max():
        raise GearError(f"crowning {gear.form.crowning:g} leaves no tooth at the ends of the width; make it less")
    # Rows of (angle from the axis, angle about it), put on their spheres.
    flat = gear_rows(profile, gear.teeth, np.zeros_like(offset), np.zeros_like(offset), narrower, resolution.land)
    level = np.hypot(flat[..., 0], flat[..., 1])[..., None]
    direction = np.concatenate([flat[..., :2] * (np.sin(level) / level), np.cos(level)], axis=-1)
    outer = distance[:, None, None] * direction
    ring = gear.root_cone - min((gear.form.addendum + gear.form.dedendum) * gear.unit, 0.5 * gear.root_cone)
    ends = distance[[0, -1]]
    radii, heights = ends * math.sin(ring), ends * math.cos(ring)
    largest = 2.0 * radii[0] * math.cos(math.pi / gear.teeth)
    if not 0.0 <= body.bore < 0.98 * largest:
        raise GearError(f"bore {body.bore:g} is not from 0 to {0.98 * largest:g}, 0.98 of what the inner end leaves")
    inner = [(radii[0], heights[0]), (radii[1], heights[1])]
    if body.bore:
        inner[1:1] = [(0.5 * body.bore, heights[0]), (0.5 * body.bore, heights[1])]
    rows = [circle_rows(radius, gear.teeth, np.zeros(1), np.array([z]))[0] for radius, z in inner]
    return build_solid(outer, np.stack(rows), gear.teeth, through=body.bore > 0.0, flat=_flattened)


def _flattened(points: Floats) -> Floats:
    """Polar coordinates of directions: the angle from the axis as the radius."""
    radius = np.hypot(points[:, 0], points[:, 1])
    angle = np.arctan2(radius, points[:, 2])
    factor = np.divide(angle, radius, out=np.ones_like(radius), where=radius > 0.0)
    flat: Floats = points[:, :2] * factor[:, None]
    return flat
