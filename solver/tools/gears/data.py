"""What a gear is given by, and what follows at once: radii, thicknesses, angles. Angles are in radians."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from .involute import base_helix_angle, involute


class GearError(ValueError):
    """A gear that cannot be made; the text says what was found, what is allowed and what to change."""


@dataclass(frozen=True, slots=True)
class ToothForm:
    """The basic rack, all but the angle in modules, and what is taken off its flanks, as lengths.

    addendum, dedendum : heights above and below the reference line
    fillet : radius of the tip of the generating rack; None is 0.38 or, if that does not fit, all that does
    thinning : by how much a tooth is thinner than without backlash, on its reference circle, transverse
    tip_relief : taken off at the tip, along the base tangent, falling with the square of the roll to 0 at
    relief_height : below the tip, in modules
    crowning : taken off at both ends of the width, along the base tangent, falling with the square to 0 in the middle
    """

    pressure_angle: float = math.radians(20.0)
    addendum: float = 1.0
    dedendum: float = 1.25
    fillet: float | None = None
    thinning: float = 0.0
    tip_relief: float = 0.0
    relief_height: float = 0.5
    crowning: float = 0.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """Into how many segments a mesh divides.

    flank : one involute, from the fillet to the tip; fillet : one fillet; land : a tip, and a root between fillets
    rows : the width
    """

    flank: int = 12
    fillet: int = 6
    land: int = 2
    rows: int = 8


@dataclass(frozen=True, slots=True)
class CylindricalGear:
    """A spur, helical or double-helical gear, or a ring with teeth inside (`ring`).

    module : of the normal section; helix : helix angle, positive right-handed (of the upper half, if double)
    shift : profile shift in modules, positive away from the axis, also in a ring
    """

    teeth: int
    module: float
    form: ToothForm = field(default_factory=ToothForm)
    helix: float = 0.0
    double: bool = False
    shift: float = 0.0
    ring: bool = False

    @property
    def transverse_module(self) -> float:
        """m_t = m_n/cos b."""
        return self.module / math.cos(self.helix)

    @property
    def transverse_pressure_angle(self) -> float:
        """tan a_t = tan a_n/cos b."""
        return math.atan(math.tan(self.form.pressure_angle) / math.cos(self.helix))

    @property
    def base_helix(self) -> float:
        """Helix angle at the base cylinder."""
        return base_helix_angle(self.helix, self.form.pressure_angle)

    @property
    def radius(self) -> float:
        """Of the reference circle."""
        return 0.5 * self.transverse_module * self.teeth

    @property
    def base_radius(self) -> float:
        """Of the base circle."""
        return self.radius * math.cos(self.transverse_pressure_angle)

    @property
    def outward(self) -> float:
        """1 if teeth point away from the axis, -1 in a ring."""
        return -1.0 if self.ring else 1.0

    @property
    def tip_radius(self) -> float:
        """Of the tip circle."""
        return self.radius + self.module * (self.outward * self.form.addendum + self.shift)

    @property
    def root_radius(self) -> float:
        """Of the root circle."""
        return self.radius - self.module * (self.outward * self.form.dedendum - self.shift)

    @property
    def thickness(self) -> float:
        """Of a tooth, on the reference circle, transverse."""
        shifted = 2.0 * self.outward * self.shift * self.module * math.tan(self.transverse_pressure_angle)
        return 0.5 * math.pi * self.transverse_module + shifted - self.form.thinning

    @property
    def solid_half_angle(self) -> float:
        """Half of the angle at the base circle of what the two involutes bound: a tooth, or the space of a ring."""
        width = 2.0 * math.pi * self.radius / self.teeth - self.thickness if self.ring else self.thickness
        return 0.5 * width / self.radius + involute(self.transverse_pressure_angle)

    @property
    def twist(self) -> float:
        """Angle that the section turns by along a unit of width."""
        return math.tan(self.helix) / self.radius

    def largest_fillet(self) -> float:
        """Radius in modules at which the two fillets of a space take up all of the root; of a ring by `ring_fillet`."""
        angle = self.form.pressure_angle
        width = 0.25 * math.pi - self.form.dedendum * math.tan(angle)
        width += 0.5 * self.form.thinning * math.cos(self.helix) / self.module
        return width * math.cos(angle) / (1.0 - math.sin(angle))


@dataclass(frozen=True, slots=True)
class Rack:
    """A straight rack: some teeth, the reference line at y = 0, and a body below its roots.

    body : from the roots to the back, in modules
    """

    teeth: int
    module: float
    form: ToothForm = field(default_factory=ToothForm)
    helix: float = 0.0
    double: bool = False
    body: float = 2.0

    @property
    def pitch(self) -> float:
        """Distance of the teeth, transverse."""
        return math.pi * self.module / math.cos(self.helix)

    @property
    def transverse_pressure_angle(self) -> float:
        """tan a_t = tan a_n/cos b."""
        return math.atan(math.tan(self.form.pressure_angle) / math.cos(self.helix))

    def largest_fillet(self) -> float:
        """As that of a gear."""
        return CylindricalGear(10, self.module, self.form, self.helix).largest_fillet()


MOST_OF_FILLET = 0.98  # a root without any land between its fillets would have no edges there


def fillet_radius(gear: CylindricalGear | Rack) -> float:
    """Tip radius of the generating rack, as a length.

    Raises
    ------
    GearError
        if the radius asked for does not fit
    """
    most = MOST_OF_FILLET * gear.largest_fillet()
    wanted = gear.form.fillet
    if most <= 0.0:
        raise GearError(
            f"the space between teeth has no width at its root: dedendum {gear.form.dedendum:g} and pressure angle "
            f"{math.degrees(gear.form.pressure_angle):g} degrees; make one of them less"
        )
    if wanted is not None and not 0.0 < wanted <= most:
        raise GearError(f"fillet {wanted:g} is not above 0 and at most {most:.4g} modules, what fits into the root")
    return gear.module * min(0.38 if wanted is None else wanted, most)


def check_form(form: ToothForm) -> None:
    """Refuse numbers that make no tooth.

    Raises
    ------
    GearError
        with the first that is wrong
    """
    angle = math.degrees(form.pressure_angle)
    if not 5.0 <= angle <= 45.0:
        raise GearError(f"pressure angle {angle:g} is not from 5 to 45 degrees")
    for name, value in (
        ("addendum", form.addendum),
        ("dedendum", form.dedendum),
        ("relief height", form.relief_height),
    ):
        if not (value > 0.0 and math.isfinite(value)):
            raise GearError(f"{name} {value:g} is not a positive number of modules")
    for name, value in (("tip relief", form.tip_relief), ("crowning", form.crowning)):
        if not (value >= 0.0 and math.isfinite(value)):
            raise GearError(f"{name} {value:g} is not 0 or a positive length")
    if form.relief_height > form.addendum + form.dedendum:
        raise GearError(
            f"relief height {form.relief_height:g} is more than the tooth is high: at most addendum + dedendum"
        )


def check_gear(gear: CylindricalGear) -> None:
    """Refuse what makes no gear.

    Raises
    ------
    GearError
        with the first that is wrong
    """
    check_form(gear.form)
    if gear.teeth < 3:
        raise GearError(f"{gear.teeth} teeth are too few: at least 3 (a worm may have 1)")
    if abs(gear.helix) > math.radians(75.0):
        raise GearError(
            f"helix angle {math.degrees(gear.helix):g} is not between -75 and 75 degrees; make a worm instead"
        )
    if gear.root_radius <= 0.0:
        raise GearError(
            f"the roots would lie beyond the axis: {gear.teeth} teeth need a greater shift or a less dedendum"
        )
    if gear.ring and gear.tip_radius < gear.base_radius:
        most = (gear.radius - gear.base_radius) / gear.module + gear.shift
        raise GearError(
            f"the teeth of the ring reach within its base circle, where there is no involute: with {gear.teeth} teeth "
            f"and shift {gear.shift:g} the addendum is at most {most:.3f}"
        )
    if gear.thickness <= 0.0:
        raise GearError("backlash and shift leave no tooth on the reference circle; make them less")


def thinned(form: ToothForm, backlash: float) -> ToothForm:
    """The form of a tooth that has its half of a circumferential backlash."""
    return replace(form, thinning=0.5 * backlash)
