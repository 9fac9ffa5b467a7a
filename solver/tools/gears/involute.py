"""Closed forms of the involute: angles, thicknesses, pitches, and what a gear is measured by.

Angles are in radians. A length is in whatever unit the radii have.
"""

from __future__ import annotations

import math

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats


def involute(angle: float) -> float:
    """inv a = tan a - a."""
    return math.tan(angle) - angle


def inverse_involute(value: float) -> float:
    """The angle whose involute function is a value >= 0, by Newton's method on tan a = t: t - atan t = value."""
    if value < 0.0:
        raise ValueError(f"inv a = {value:g} has no angle")
    tangent = (3.0 * value) ** (1.0 / 3.0) + value  # right for small and for large values
    for _ in range(60):
        step = (tangent - math.atan(tangent) - value) * (1.0 + tangent**2) / tangent**2 if tangent else 0.0
        tangent -= step
        if abs(step) <= 4e-16 * tangent:
            break
    return math.atan(tangent)


def polar_involute(roll: Floats) -> Floats:
    """inv a = t - atan t of a roll angle t = tan a; odd in t."""
    angle: Floats = roll - np.arctan(roll)
    return angle


def base_helix_angle(helix: float, normal_pressure_angle: float) -> float:
    """Helix angle at the base cylinder: sin b_b = sin b cos a_n."""
    return math.asin(math.sin(helix) * math.cos(normal_pressure_angle))


def base_pitch(module: float, pressure_angle: float) -> float:
    """Distance of neighbouring flanks along the line of action, p_b = pi m cos a, in the section of m and a."""
    return math.pi * module * math.cos(pressure_angle)


def over_pins(teeth: int, base_radius: float, half_angle: float, pin: float, base_helix: float = 0.0) -> float:
    """Dimension over two pins (balls, if helical) in opposite spaces of an external gear.

    Parameters
    ----------
    half_angle : half of the angle of a tooth at the base circle, s_b/(2 r_b) = s/d + inv a
    pin : diameter of the pins
    base_helix : helix angle at the base cylinder

    The centre of a pin lies on the involute that is parallel to the flank at pin/2; in the transverse section that
    distance is pin/(2 cos b_b).
    """
    return 2.0 * _pin_circle(teeth, base_radius, half_angle, pin / (2.0 * math.cos(base_helix))) + pin


def between_pins(teeth: int, base_radius: float, half_angle: float, pin: float, base_helix: float = 0.0) -> float:
    """Dimension between two pins in opposite spaces of a ring; `half_angle` is that of a space at the base circle."""
    return 2.0 * _pin_circle(teeth, base_radius, half_angle, -pin / (2.0 * math.cos(base_helix)), inside=True) - pin


def _pin_circle(teeth: int, base_radius: float, half_angle: float, distance: float, *, inside: bool = False) -> float:
    """Radius at which the parallel involute meets the middle of the space, times cos(pi/2z) if z is odd."""
    space = half_angle if inside else half_angle - math.pi / teeth
    value = space + distance / base_radius
    if value <= 0.0:
        raise ValueError("a pin of this diameter does not touch the flanks")
    radius = base_radius / math.cos(inverse_involute(value))
    return radius * math.cos(0.5 * math.pi / teeth) if teeth % 2 else radius


def span(teeth: int, base_radius: float, half_angle: float, over: int, base_helix: float = 0.0) -> float:
    """Base tangent length (span measurement) over some teeth: over - 1 base pitches and a thickness at the base.

    Of a helical gear it is measured in the normal section.
    """
    pitch = 2.0 * math.pi * base_radius / teeth
    return ((over - 1) * pitch + 2.0 * base_radius * half_angle) * math.cos(base_helix)


def teeth_to_span(teeth: int, pressure_angle: float) -> int:
    """The number of teeth to span so that the jaws touch near the middle of the flanks."""
    return max(1, round(teeth * pressure_angle / math.pi + 0.5))
