"""A worm of the form ZA (straight flanks in the axial section) and the wheel that it generates.

In every plane parallel to the worm's axis and normal to that of the wheel, a turning worm is a rack that moves along:
its section keeps its form. The wheel's section there is the envelope of that rack, rolling on the wheel's reference
circle. The wheel is thus exactly conjugate to the worm, to the resolution of its mesh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, TriangleMesh
from .data import GearError, Rack, Resolution, ToothForm, check_form, fillet_radius
from .profile import HalfProfile, rack_profile
from .solids import Body, build_solid, circle_rows, gear_rows, polar_rows, width_rows

ROWS_PER_TURN = 48
FEWEST_AROUND_ROOT = 24
SAMPLES = 33  # of a search for the largest value; each round leaves 2 of 32 intervals
ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Worm:
    """A cylindrical worm; module, pressure angle and heights are those of the axial section.

    diameter_factor : q = d/m; left : left-handed
    """

    starts: int
    module: float
    diameter_factor: float = 10.0
    form: ToothForm = field(default_factory=ToothForm)
    left: bool = False

    @property
    def radius(self) -> float:
        """Of the reference cylinder."""
        return 0.5 * self.module * self.diameter_factor

    @property
    def parameter(self) -> float:
        """Advance by a radian, positive right-handed: lead/2 pi."""
        return 0.5 * self.module * self.starts * (-1.0 if self.left else 1.0)

    @property
    def lead(self) -> float:
        """Advance by a turn: pi m z."""
        return math.pi * self.module * self.starts

    @property
    def lead_angle(self) -> float:
        """On the reference cylinder: tan g = z/q."""
        return math.atan2(self.starts, self.diameter_factor)


@dataclass(frozen=True, slots=True)
class WormWheel:
    """The wheel of a worm; a hob of the worm's form, with the wheel's dedendum, cuts it.

    shift : in modules; it moves the axes apart
    """

    worm: Worm
    teeth: int
    shift: float = 0.0

    @property
    def radius(self) -> float:
        """Of the reference circle, on which the worm's sections roll."""
        return 0.5 * self.worm.module * self.teeth

    @property
    def centre_distance(self) -> float:
        """a = m (q + z)/2 + x m."""
        return self.worm.radius + self.radius + self.shift * self.worm.module

    @property
    def throat(self) -> float:
        """Radius about the worm's axis of the hollow that the tips form."""
        return self.worm.radius - self.worm.form.addendum * self.worm.module

    @property
    def hob_radius(self) -> float:
        """Tip radius of the hob."""
        return self.worm.radius + self.worm.form.dedendum * self.worm.module

    @property
    def outer_radius(self) -> float:
        """Of the cylinder around the teeth: half a module beyond the tips in the middle."""
        return self.centre_distance - self.throat + 0.5 * self.worm.module


def check_worm(worm: Worm) -> None:
    """Refuse what makes no worm.

    Raises
    ------
    GearError
        with the first that is wrong
    """
    check_form(worm.form)
    if worm.starts < 1:
        raise GearError(f"{worm.starts} threads are too few for a worm: at least 1")
    if worm.diameter_factor <= 2.0 * worm.form.dedendum + 1.0:
        least = 2.0 * worm.form.dedendum + 1.0
        raise GearError(f"diameter factor {worm.diameter_factor:g} is not more than {least:g}: no core would be left")
    if worm.lead_angle > math.radians(45.0):
        raise GearError(
            f"the lead angle of {math.degrees(worm.lead_angle):.1f} degrees is more than 45: less threads or a greater "
            "diameter factor"
        )


def worm_profile(worm: Worm, resolution: Resolution) -> HalfProfile:
    """Section normal to the axis: a thread of the axial section, wound up by its lead."""
    axial = rack_profile(Rack(1, worm.module, worm.form), resolution)
    turn = abs(worm.parameter)
    return HalfProfile(axial.level + worm.radius, axial.half / turn, axial.pitch / turn, axial.first)


def worm_land(worm: Worm, resolution: Resolution) -> int:
    """Segments of the tip of a thread, which goes a good part around the worm."""
    return max(resolution.land, 2 * math.ceil(12 / worm.starts))


def worm_mesh(worm: Worm, body: Body, resolution: Resolution) -> TriangleMesh:
    """Mesh of a worm: axis z, a thread on +x in the middle of the length.

    Raises
    ------
    GearError
        if the bore does not fit
    """
    profile = worm_profile(worm, resolution)
    if worm.form.crowning:
        raise GearError("a worm has no crowning; leave it out")
    largest = 2.0 * float(profile.level[0]) * math.cos(math.pi / FEWEST_AROUND_ROOT)
    if not 0.0 <= body.bore < 0.9 * largest:
        raise GearError(f"bore {body.bore:g} is not from 0 to {0.9 * largest:g}, 0.9 of what the root leaves")
    rows = max(resolution.rows, math.ceil(body.width / worm.lead * ROWS_PER_TURN))
    height = width_rows(body.width, rows, double=False)
    turn = height / worm.parameter
    threads = gear_rows(profile, worm.starts, turn, height, np.zeros_like(height), worm_land(worm, resolution))
    if body.bore:
        inner = circle_rows(0.5 * body.bore, worm.starts, turn, height)
    else:
        inner = circle_rows(0.3 * largest, worm.starts, turn[[0, -1]], height[[0, -1]])
    return build_solid(threads, inner, worm.starts, through=body.bore > 0.0, whole_ends=True)


def wheel_width(wheel: WormWheel) -> float:
    """A usual width: 2 m sqrt(q + 1), the chord of the worm's tip cylinder at its reference cylinder."""
    return 2.0 * wheel.worm.module * math.sqrt(wheel.worm.diameter_factor + 1.0)


def wheel_space(wheel: WormWheel, radius: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Angles between which the hob cuts a space, at radii and heights; the middle of the space is at 0 in the middle.

    Parameters
    ----------
    radius, height : (n,)

    Returns
    -------
    lower, upper : (n,)

    A point of the hob at radius r, turned by f about the hob's axis from the direction to the wheel, lies in the plane
    of height c if r sin f = c. While it rolls, its section moves along and passes each radius of the wheel once on
    either side of the pitch point: at an angle that is known in closed form. The space reaches to the largest of them.
    """
    lower = -_furthest(wheel, radius, height, -1.0)
    return lower, _furthest(wheel, radius, height, 1.0)


def _furthest(wheel: WormWheel, radius: Floats, height: Floats, side: float) -> Floats:
    """Largest angle on one side, by searching the hob's radius and refining around the best."""
    hob = wheel.hob_radius
    least = np.sqrt(np.maximum(wheel.centre_distance - radius, 0.0) ** 2 + height**2)
    low, high = np.zeros_like(radius), np.ones_like(radius)
    best = np.full_like(radius, -np.inf)
    for sign in (-1.0, 1.0):
        low[:], high[:] = 0.0, 1.0
        for _ in range(ROUNDS):
            part = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, SAMPLES)
            at = least[:, None] + (hob - least)[:, None] * np.sin(0.5 * math.pi * part)  # fine where the tip is round
            angle = _angle(wheel, at, radius[:, None], height[:, None], side, sign)
            index = np.argmax(angle, axis=1)
            best = np.maximum(best, angle[np.arange(len(index)), index])
            step = (high - low) / (SAMPLES - 1)
            centre = low + index * step
            low, high = np.maximum(centre - step, 0.0), np.minimum(centre + step, 1.0)
    return best


def _angle(wheel: WormWheel, at: Floats, radius: Floats, height: Floats, side: float, sign: float) -> Floats:
    """Angle at which a point of the hob at radius `at` passes a radius of the wheel, times `side`."""
    x = wheel.centre_distance - np.sqrt(np.maximum(at**2 - height**2, 0.0))
    along = sign * np.sqrt(np.maximum(radius**2 - x**2, 0.0))
    turned = wheel.worm.parameter * np.arcsin(np.clip(height / at, -1.0, 1.0))
    point = side * hob_half(wheel, at) + turned
    angle: Floats = side * (np.arctan2(along, x) - (along - point) / wheel.radius)
    return angle


def hob_half(wheel: WormWheel, at: Floats) -> Floats:
    """Half of the axial thickness of the hob's thread at a radius, with its rounded tip."""
    worm, form = wheel.worm, wheel.worm.form
    slope = math.tan(form.pressure_angle)
    rounding = fillet_radius(Rack(1, worm.module, form))
    thickness = 0.25 * math.pi * worm.module + 0.5 * form.thinning
    centre = wheel.hob_radius - rounding
    middle = thickness - (centre - worm.radius) * slope - rounding / math.cos(form.pressure_angle)
    up = at - centre
    straight = thickness - (at - worm.radius) * slope
    round_part = middle + np.sqrt(np.maximum(rounding**2 - up**2, 0.0))
    half: Floats = np.where(up > rounding * math.sin(form.pressure_angle), round_part, straight)
    return half


def wheel_mesh(wheel: WormWheel, body: Body, resolution: Resolution) -> TriangleMesh:
    """Mesh of a worm wheel: axis z, a tooth on +x in the middle; the worm lies along y at x = centre distance.

    Raises
    ------
    GearError
        if width or bore do not fit, or the teeth are pointed at the ends of the width
    """
    form = wheel.worm.form
    if form.crowning or form.tip_relief:
        raise GearError("a worm wheel has no tip relief and no crowning of its own; leave them out")
    if wheel.teeth < 8:
        raise GearError(f"{wheel.teeth} teeth are too few for a worm wheel: at least 8")
    if not 0.0 < body.width < 1.9 * wheel.throat:
        raise GearError(
            f"width {body.width:g} is not above 0 and less than {1.9 * wheel.throat:g}, what the worm embraces"
        )
    height = width_rows(body.width, resolution.rows, double=False)
    outer, root, middle = wheel_rows(wheel, height, resolution)
    largest = 2.0 * float(root.min()) * math.cos(math.pi / wheel.teeth)
    if not 0.0 <= body.bore < 0.95 * largest:
        raise GearError(f"bore {body.bore:g} is not from 0 to {0.95 * largest:g}, 0.95 of what the roots leave")
    if body.bore:
        inner = circle_rows(0.5 * body.bore, wheel.teeth, middle, height)
    else:
        inner = circle_rows(0.3 * largest, wheel.teeth, middle[[0, -1]], height[[0, -1]])
    return build_solid(outer, inner, wheel.teeth, through=body.bore > 0.0)


def wheel_rows(wheel: WormWheel, height: Floats, resolution: Resolution) -> tuple[Floats, Floats, Floats]:
    """Sections of a wheel at some heights.

    Returns
    -------
    points : (rows, columns, 3); root, middle : (rows,), root radius, and the angle of the middle of a space

    Raises
    ------
    GearError
        if there is no tooth at one of the heights
    """
    most = float(np.abs(height).max())
    root = wheel.centre_distance - np.sqrt(wheel.hob_radius**2 - height**2)
    tip = np.minimum(wheel.centre_distance - np.sqrt(wheel.throat**2 - height**2), wheel.outer_radius)
    if np.any(tip - root < 0.2 * wheel.worm.module):
        raise GearError(f"the teeth have no height at {most:g} from the middle; less width")
    count = resolution.fillet + resolution.flank + 1
    fractions = np.linspace(0.0, 1.0, count) ** 1.6  # finer at the fillet
    level = root[:, None] + (tip - root)[:, None] * fractions
    flat = level.ravel(), np.repeat(height, count)
    lower, upper = (angle.reshape(level.shape) for angle in wheel_space(wheel, *flat))
    half_pitch = math.pi / wheel.teeth
    right, left = upper - half_pitch, lower + half_pitch
    if np.any(right >= left):
        raise GearError(f"the teeth are pointed at {most:g} from the middle; less width or addendum")
    middle = 0.5 * (upper[:, 0] + lower[:, 0])  # of the root
    return _loops(level, right, left, middle, height, wheel.teeth, resolution.land), root, middle


def _loops(level: Floats, right: Floats, left: Floats, middle: Floats, height: Floats, teeth: int, land: int) -> Floats:
    """Rows of points: from the middle of a space over right flank, tip and left flank up to before the next space."""
    half_pitch = math.pi / teeth
    parts = np.linspace(0.0, 1.0, land // 2 + 1)
    whole = np.linspace(0.0, 1.0, land + 1)[1:-1]

    def between(start: Floats, end: Floats, fractions: Floats) -> Floats:
        row: Floats = start[:, None] + (end - start)[:, None] * fractions
        return row

    angle = np.concatenate(
        [
            between(middle - half_pitch, right[:, 0], parts[:-1]),
            right,
            between(right[:, -1], left[:, -1], whole),
            left[:, ::-1],
            between(left[:, 0], middle + half_pitch, parts[1:-1]),
        ],
        axis=1,
    )
    columns = [land // 2, land - 1, land // 2 - 1]
    root, tip = level[:, :1], level[:, -1:]
    radius = np.concatenate(
        [root.repeat(columns[0], 1), level, tip.repeat(columns[1], 1), level[:, ::-1], root.repeat(columns[2], 1)],
        axis=1,
    )
    around = (2.0 * half_pitch * np.arange(teeth)[:, None] + angle[:, None, :]).reshape(len(level), -1)
    return polar_rows(np.tile(radius, teeth), around, height[:, None])
