"""One tooth in the transverse section: levels and half widths from the root to the tip.

A level is a radius and a half width the angle from the middle of the tooth; of a rack they are height and length, of a
bevel gear angles on the sphere. All gears are meshed from this one form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats
from .data import CylindricalGear, GearError, Rack, Resolution, fillet_radius
from .generating_rack import generate_root
from .involute import polar_involute


@dataclass(frozen=True, slots=True)
class HalfProfile:
    """A flank and its fillet, from the root to the tip.

    level, half : (n,), half falls to the tip; pitch : of the teeth, in the unit of half
    first : index at which the involute begins; undercut : the fillet cuts into it
    """

    level: Floats
    half: Floats
    pitch: float
    first: int
    undercut: bool = False

    def outline(self, land: int, narrower: float = 0.0) -> tuple[Floats, Floats]:
        """Level and position of the points of one pitch, from the middle of a space up to before that of the next.

        Parameters
        ----------
        land : segments of the tip, and of the root; even
        narrower : by how much both flanks lie nearer to the middle of the tooth

        Returns
        -------
        (2 n + 2 land - 2,) each; right half of the root, right flank, tip, left flank, left half of the root; the
        middle of the tooth is at 0
        """
        half = self.half - narrower
        tip = half[-1] * np.linspace(-1.0, 1.0, land + 1)[1:-1]
        root = np.linspace(half[0], 0.5 * self.pitch, land // 2 + 1)[1:]
        level = [
            np.full(land // 2, self.level[0]),
            self.level,
            np.full(land - 1, self.level[-1]),
            self.level[::-1],
            np.full(land // 2 - 1, self.level[0]),
        ]
        return np.concatenate(level), np.concatenate([-root[::-1], -half, tip, half[::-1], root[:-1]])


def gear_profile(gear: CylindricalGear, resolution: Resolution) -> HalfProfile:
    """Profile of a gear or ring, with its tip relief.

    The points of an involute are at equal steps of the roll angle.

    Raises
    ------
    GearError
        if the teeth are pointed
    """
    base = gear.base_radius
    if gear.ring:
        fillet_level, fillet_half, first_roll = _ring_root(gear, resolution.fillet)
        undercut = False
    else:
        root = generate_root(gear, resolution.fillet)
        fillet_level, fillet_half, first_roll, undercut = root.radius, root.half_angle, root.roll, root.undercut
    tip_roll = math.sqrt((gear.tip_radius / base) ** 2 - 1.0)
    roll = np.linspace(first_roll, tip_roll, resolution.flank + 1)
    solid = gear.solid_half_angle - polar_involute(roll)
    flank_half = math.pi / gear.teeth - solid if gear.ring else solid
    flank_half = flank_half - relief(gear, roll) / base
    if flank_half[-1] <= 0.0:
        raise GearError(_pointed(gear, gear_tip_limit(gear)))
    return HalfProfile(
        np.concatenate([fillet_level[:-1], base * np.hypot(1.0, roll)]),
        np.concatenate([fillet_half[:-1], flank_half]),
        2.0 * math.pi / gear.teeth,
        resolution.fillet,
        undercut,
    )


def relief(gear: CylindricalGear, roll: Floats) -> Floats:
    """What the tip relief takes off at roll angles, along the base tangent; a parabola, so that there is no edge."""
    base = gear.base_radius
    start = gear.tip_radius - gear.outward * gear.form.relief_height * gear.module
    first = math.sqrt(max((start / base) ** 2 - 1.0, 0.0))
    last = math.sqrt((gear.tip_radius / base) ** 2 - 1.0)
    if first == last:
        return np.zeros_like(roll)
    part: Floats = gear.form.tip_relief * np.clip((roll - first) / (last - first), 0.0, None) ** 2
    return part


def gear_tip_limit(gear: CylindricalGear) -> float:
    """Radius at which the two involutes of a tooth meet; of a ring, where those of a space do not bound it: 0."""
    if gear.ring:
        return 0.0
    low, high = 0.0, 10.0  # roll angles
    for _ in range(60):
        middle = 0.5 * (low + high)
        if gear.solid_half_angle > float(polar_involute(np.float64(middle))):  # type: ignore[arg-type]
            low = middle
        else:
            high = middle
    return gear.base_radius * math.hypot(1.0, low)


def _pointed(gear: CylindricalGear, limit: float) -> str:
    if gear.ring:
        return "the teeth of the ring are pointed below their tips; less addendum or less shift"
    most = (limit - gear.radius) / gear.module - gear.shift
    return (
        f"the teeth are pointed at radius {limit:g}, below their tips at {gear.tip_radius:g}: "
        f"with shift {gear.shift:g} the addendum must be less than {most:.3f}"
    )


def _ring_root(gear: CylindricalGear, segments: int) -> tuple[Floats, Floats, float]:
    """Fillet of a ring: the circle that touches the root circle and the involute, both from within the space.

    Its centre lies on the parallel involute of the space at its radius.

    Returns
    -------
    radius, half angle of the tooth : (segments + 1,)
    roll : roll angle at which the circle touches the involute
    """
    base = gear.base_radius
    most = _largest_ring_fillet(gear)
    wanted = gear.form.fillet
    if wanted is not None and not 0.0 < wanted <= most:
        raise GearError(f"fillet {wanted:g} is not above 0 and at most {most:.4g} modules, what fits into the root")
    radius = gear.module * min(0.38 if wanted is None else wanted, most)
    centre = gear.root_radius - radius
    centre_roll = math.sqrt((centre / base) ** 2 - 1.0)
    centre_angle = gear.solid_half_angle - radius / base - (centre_roll - math.atan(centre_roll))
    # From the centre outwards, to the direction of the base tangent at the flank.
    last = 0.5 * math.pi - math.atan(centre_roll)
    turn = last * np.linspace(0.0, 1.0, segments + 1)
    x, y = centre + radius * np.cos(turn), radius * np.sin(turn)
    return np.hypot(x, y), math.pi / gear.teeth - (centre_angle + np.arctan2(y, x)), centre_roll + radius / base


def _largest_ring_fillet(gear: CylindricalGear) -> float:
    """In modules: the centres of the two circles of a space meet, or a circle reaches the tip."""
    base = gear.base_radius
    tip_roll = math.sqrt((gear.tip_radius / base) ** 2 - 1.0)

    def fits(radius: float) -> bool:
        centre = gear.root_radius - radius
        if centre <= base:
            return False
        roll = math.sqrt((centre / base) ** 2 - 1.0)
        return (
            gear.solid_half_angle - radius / base - (roll - math.atan(roll)) > 0.02 * math.pi / gear.teeth
            and roll + radius / base > tip_roll
        )

    low, high = 0.0, gear.module
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    if low <= 0.0:
        raise GearError("the spaces of the ring are pointed before its roots; less dedendum, or more shift")
    return low / gear.module


def rack_profile(rack: Rack, resolution: Resolution) -> HalfProfile:
    """Profile of a rack: a straight flank, a round fillet, relief at the tip as a gear has it."""
    form, module = rack.form, rack.module
    stretch = 1.0 / math.cos(rack.helix)
    slope = math.tan(form.pressure_angle)
    radius = fillet_radius(rack)
    depth = form.dedendum * module - radius
    half_space = 0.25 * math.pi * module + 0.5 * form.thinning / stretch  # normal section, on the reference line
    centre = half_space - depth * slope - radius / math.cos(form.pressure_angle)
    turn = (0.5 * math.pi - form.pressure_angle) * np.linspace(0.0, 1.0, resolution.fillet + 1)
    fillet_level = -depth - radius * np.cos(turn)
    fillet_half = 0.5 * math.pi * module - (centre + radius * np.sin(turn))
    level = np.linspace(fillet_level[-1], form.addendum * module, resolution.flank + 1)
    start = (form.addendum - form.relief_height) * module
    away = form.tip_relief * np.clip((level - start) / (form.addendum * module - start), 0.0, None) ** 2
    # The relief is along the transverse normal of the flank.
    half = (0.5 * math.pi * module - half_space - level * slope) * stretch
    half -= away / math.cos(rack.transverse_pressure_angle)
    if half[-1] <= 0.0:
        most = (0.25 * math.pi - 0.5 * form.thinning / stretch / module) / slope
        raise GearError(
            f"the teeth of the rack are pointed below their tips: the addendum must be less than {most:.3f}"
        )
    return HalfProfile(
        np.concatenate([fillet_level[:-1], level]),
        np.concatenate([fillet_half[:-1] * stretch, half]),
        rack.pitch,
        resolution.fillet,
    )
