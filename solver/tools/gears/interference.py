"""Whether the tips of one gear cut into the other, found by turning them against each other."""

from __future__ import annotations

import math

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats
from .data import CylindricalGear, Rack, Resolution
from .profile import HalfProfile, gear_profile, rack_profile

FINE = Resolution(flank=200, fillet=100)
STEPS = 2000  # positions from where the tip has not come near to where it is gone


def cut_by_gear(other: CylindricalGear, cutter: CylindricalGear, distance: float) -> float:
    """How deep, along the circle, the corners of the cutter's tips go into a tooth of the other gear; 0 if they do not.

    The other gear stands at the origin, the cutter at x = distance, or for a ring at x = -distance; of a ring a space
    is on +x, of a pinion in a ring a tooth, and of two external gears the cutter's space is towards the other's tooth.
    """
    tip = float(gear_profile(cutter, FINE).half[-1])
    half_pitch = math.pi / cutter.teeth
    if other.ring:
        centre, corner, ratio = distance, tip, other.teeth / cutter.teeth
    elif cutter.ring:
        centre, corner, ratio = -distance, half_pitch - tip, other.teeth / cutter.teeth
    else:
        centre, corner, ratio = distance, math.pi + half_pitch - tip, -other.teeth / cutter.teeth
    # The corner goes by while either gear turns by less than a right angle, of small pinions by a few pitches.
    most = min(0.5 * math.pi * min(1.0, 1.0 / abs(ratio)), 0.75 * math.pi)
    turn = np.linspace(-most, most, STEPS)
    angle = corner + ratio * turn
    x = centre + cutter.tip_radius * np.cos(angle)
    y = cutter.tip_radius * np.sin(angle)
    position = np.arctan2(y, x) - turn + (math.pi / other.teeth if other.ring else 0.0)
    return _deepest(gear_profile(other, FINE), np.hypot(x, y), position, other.outward, np.hypot(x, y))


def cut_by_rack(other: CylindricalGear, rack: Rack, distance: float) -> float:
    """The same for the corners of a rack, whose reference line stands at x = distance, a space towards the gear."""
    corner = 0.5 * rack.pitch - float(rack_profile(rack, FINE).half[-1])
    turn = np.linspace(-0.5 * math.pi, 0.5 * math.pi, STEPS)
    x = np.full(STEPS, distance - rack.form.addendum * rack.module)
    y = corner + other.radius * turn
    return _deepest(gear_profile(other, FINE), np.hypot(x, y), np.arctan2(y, x) - turn, 1.0, np.hypot(x, y))


def _deepest(profile: HalfProfile, level: Floats, position: Floats, outward: float, size: Floats) -> float:
    """Largest depth of points within a tooth, half width by half width."""
    order = np.argsort(profile.level)
    half = np.interp(level, profile.level[order], profile.half[order])
    from_tooth = (position + 0.5 * profile.pitch) % profile.pitch - 0.5 * profile.pitch
    depth = (half - np.abs(from_tooth)) * size
    depth[outward * (level - profile.level[-1]) >= 0.0] = 0.0
    return max(0.0, float(depth.max()))
