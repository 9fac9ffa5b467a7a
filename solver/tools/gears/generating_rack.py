"""The root of a gear as a rack with a rounded tip generates it; undercut follows by itself.

The rack's pitch line rolls on the reference circle. A point of the rack touches the gear when the normal there passes
through the pitch point (the law of gearing), which gives the way rolled and the point of the gear in closed form. With
x along the pitch line from the pitch point and y towards the axis, the round tip is in the normal section the circle
(c, d) + rho (sin t, cos t), t from 0 (the root) to pi/2 - a_n (the flank). In the transverse section x and c are
divided by cos b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats
from .data import CylindricalGear, GearError, fillet_radius
from .involute import polar_involute

HALVINGS = 60  # of an interval: to the last digit
DENSE = 400  # points by which a fillet is measured


@dataclass(frozen=True, slots=True)
class Root:
    """Fillet of a tooth, from the root circle to the involute.

    radius, half_angle : (n,), polar, from the middle of the tooth
    roll : roll angle tan a at which the involute begins; > 0
    undercut : the fillet cuts into the involute, in place of being tangent to it
    """

    radius: Floats
    half_angle: Floats
    roll: float
    undercut: bool


@dataclass(frozen=True, slots=True)
class RackTip:
    """The rounded tip of the rack that generates a gear, in the transverse section.

    centre : of its circle, along the pitch line from the middle of the rack's tooth, transverse
    depth : of that centre below the pitch line; radius : of the circle, in the normal section
    """

    gear: CylindricalGear
    centre: float
    depth: float
    radius: float

    @property
    def last(self) -> float:
        """Parameter at which the tip becomes the flank."""
        return 0.5 * math.pi - self.gear.form.pressure_angle

    @property
    def form_roll(self) -> float:
        """Roll angle where the straight flank of the rack ends; negative: it cuts below the base circle."""
        gear = self.gear
        depth = self.depth + self.radius * math.sin(gear.form.pressure_angle)
        angle = gear.transverse_pressure_angle
        return math.tan(angle) - depth / (math.sin(angle) * gear.base_radius)

    def fillet(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Radius and half angle of the tooth where a point of the rack's tip touches it."""
        gear = self.gear
        cosine = math.cos(gear.helix)
        depth = self.depth + self.radius * np.cos(parameter)
        along = depth * np.tan(parameter) * cosine
        on_rack = self.centre + self.radius * np.sin(parameter) / cosine
        in_space = np.arctan2(along, gear.radius - depth) - (along - on_rack) / gear.radius
        return np.hypot(along, gear.radius - depth), math.pi / gear.teeth - in_space


def rack_tip(gear: CylindricalGear) -> RackTip:
    """The rounded tip of the rack of a gear."""
    radius = fillet_radius(gear)
    angle = gear.form.pressure_angle
    depth = gear.module * (gear.form.dedendum - gear.shift) - radius
    space = 2.0 * math.pi * gear.radius / gear.teeth - gear.thickness
    normal = 0.5 * space * math.cos(gear.helix) - depth * math.tan(angle) - radius / math.cos(angle)
    return RackTip(gear, normal / math.cos(gear.helix), depth, radius)


def least_shift(gear: CylindricalGear) -> float:
    """Profile shift in modules from which on the rack does not undercut."""
    radius = fillet_radius(gear) / gear.module
    depth = gear.form.dedendum - radius * (1.0 - math.sin(gear.form.pressure_angle))
    return depth - gear.radius * math.sin(gear.transverse_pressure_angle) ** 2 / gear.module


def generate_root(gear: CylindricalGear, segments: int) -> Root:
    """The fillet of an external gear, in some segments.

    Raises
    ------
    GearError
        if the rack cuts all of the tooth away
    """
    tip = rack_tip(gear)
    last, roll = tip.last, tip.form_roll
    undercut = roll < 0.0
    if undercut:
        last = _crossing(tip)
        radius, _ = tip.fillet(np.array([last]))
        roll = math.sqrt(max((radius[0] / gear.base_radius) ** 2 - 1.0, 0.0))
    if gear.base_radius * math.hypot(1.0, roll) >= gear.tip_radius:
        raise GearError(
            f"the rack cuts the whole flank away: {gear.teeth} teeth with shift {gear.shift:g}; "
            f"from a shift of {least_shift(gear):.3f} on there is no undercut"
        )
    dense = last * np.linspace(0.0, 1.0, DENSE)
    radii, half_angles = tip.fillet(dense)
    radii, half_angles = tip.fillet(even_steps(dense, radii, radii, half_angles, segments))
    if np.any(half_angles <= 0.0):
        raise GearError(
            f"the rack cuts the teeth through at their roots: {gear.teeth} teeth with shift {gear.shift:g}; "
            f"from a shift of {least_shift(gear):.3f} on there is no undercut"
        )
    return Root(radii, half_angles, roll, undercut)


def even_steps(parameter: Floats, level: Floats, arm: Floats, angle: Floats, segments: int) -> Floats:
    """Parameters at which a curve is cut into segments of equal length.

    Parameters
    ----------
    parameter, level, arm, angle : (n,), of points close together; their distance is that of the levels and arm times
        that of the angles
    """
    along = 0.5 * (arm[1:] + arm[:-1]) * np.diff(angle)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(level), along))])
    return np.interp(np.linspace(0.0, length[-1], segments + 1), length, parameter)


def _crossing(tip: RackTip) -> float:
    """Parameter at which the fillet of an undercut tooth crosses its involute.

    Its end lies outside the involute, its point on the base circle within the tooth.
    """
    gear = tip.gear

    def beyond(parameter: float) -> float:
        radius, half_angle = (float(value) for value in tip.fillet(np.float64(parameter)))  # type: ignore[arg-type]
        if radius <= gear.base_radius:
            return -1.0
        roll = math.sqrt((radius / gear.base_radius) ** 2 - 1.0)
        return half_angle - (gear.solid_half_angle - float(polar_involute(np.float64(roll))))  # type: ignore[arg-type]

    low, high = 0.0, tip.last
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if beyond(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
