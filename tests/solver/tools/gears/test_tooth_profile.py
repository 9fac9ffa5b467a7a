"""Points of profiles: involutes, generated roots, undercut, rings, racks, relief."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from gsolve.solver.tools.gears.data import CylindricalGear, GearError, Rack, Resolution, ToothForm, check_gear
from gsolve.solver.tools.gears.generating_rack import generate_root, least_shift, rack_tip
from gsolve.solver.tools.gears.involute import base_pitch, polar_involute
from gsolve.solver.tools.gears.profile import gear_profile, rack_profile

DEGREE = math.pi / 180.0
FINE = Resolution(flank=40, fillet=40)
GEARS = [
    CylindricalGear(20, 2.0),
    CylindricalGear(8, 2.0),
    CylindricalGear(13, 2.5, ToothForm(20 * DEGREE, thinning=0.04), 28 * DEGREE, shift=0.25),
    CylindricalGear(45, 1.0, ToothForm(14.5 * DEGREE, dedendum=1.157, fillet=0.2), -15 * DEGREE, shift=-0.1),
    CylindricalGear(61, 3.0, ring=True),
    CylindricalGear(48, 2.0, ToothForm(25 * DEGREE, fillet=0.2, thinning=0.05), 20 * DEGREE, shift=0.3, ring=True),
]


def generating_angle(gear: CylindricalGear, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where the generating line of points of left flanks began on the base circle: the same for one involute."""
    rolled = np.sqrt((x**2 + y**2) / gear.base_radius**2 - 1.0)
    return np.arctan2(y, x) - np.arctan(rolled) + rolled


@pytest.mark.parametrize("gear", GEARS)
def test_points_of_flanks_lie_on_involutes_a_base_pitch_apart(gear: CylindricalGear):
    profile = gear_profile(gear, FINE)
    level, half = profile.level[profile.first :], profile.half[profile.first :]
    begins = []
    for tooth in (0, 1, 2):
        # The left flank of a tooth; of a ring the involute of the space is its mirror image.
        angle = (-half if gear.ring else half) + tooth * profile.pitch
        begin = generating_angle(gear, level * np.cos(angle), level * np.sin(angle))
        assert np.ptp(begin) < 1e-12
        begins.append(begin.mean())
    expected = base_pitch(gear.transverse_module, gear.transverse_pressure_angle)
    np.testing.assert_allclose(np.diff(begins) * gear.base_radius, expected, rtol=1e-12)
    # Straight across neighbouring flanks, in the normal section: pi m cos a.
    assert expected * math.cos(gear.base_helix) == pytest.approx(base_pitch(gear.module, gear.form.pressure_angle))


@pytest.mark.parametrize("gear", GEARS)
def test_tooth_has_its_thickness_on_the_reference_circle(gear: CylindricalGear):
    profile = gear_profile(gear, Resolution(flank=4000, fillet=5))
    order = np.argsort(profile.level[profile.first :])
    half = np.interp(gear.radius, profile.level[profile.first :][order], profile.half[profile.first :][order])
    assert 2 * half * gear.radius == pytest.approx(gear.thickness, abs=1e-6 * gear.module)
    shifted = gear.outward * 2 * gear.shift * math.tan(gear.form.pressure_angle)
    normal = gear.module * (math.pi / 2 + shifted) - gear.form.thinning * math.cos(gear.helix)
    assert gear.thickness * math.cos(gear.helix) == pytest.approx(normal, rel=1e-13)


@pytest.mark.parametrize("gear", [gear for gear in GEARS if not gear.ring])
def test_fillet_runs_from_the_root_circle_and_leaves_it_along_it(gear: CylindricalGear):
    tip = rack_tip(gear)
    radius, _ = tip.fillet(np.array([0.0, 1e-5]))
    assert radius[0] == pytest.approx(gear.root_radius, rel=1e-14)
    assert radius[1] - radius[0] < 1e-9 * gear.module


@pytest.mark.parametrize("gear", [GEARS[0], GEARS[2]])
def test_fillet_is_tangent_to_the_involute(gear: CylindricalGear):
    root = generate_root(gear, 10)
    assert not root.undercut
    assert root.radius[-1] == pytest.approx(gear.base_radius * math.hypot(1.0, root.roll), rel=1e-13)
    assert root.half_angle[-1] == pytest.approx(
        gear.solid_half_angle - float(polar_involute(np.array(root.roll))), abs=1e-13
    )
    tip = rack_tip(gear)
    radius, angle = tip.fillet(tip.last - np.array([0.0, 1e-6, 2e-6]))
    slope = (-3 * angle[0] + 4 * angle[1] - angle[2]) / (-3 * radius[0] + 4 * radius[1] - radius[2])
    # An involute has d(angle)/d(radius) = -tan(a)/r.
    assert slope == pytest.approx(-root.roll / radius[0], rel=1e-6)


def test_undercut_begins_where_the_formula_says():
    """A rack with straight flanks down to one module undercuts below z = 2/sin^2 a: 17.097 at 20 degrees."""
    form = ToothForm(fillet=0.25 / (1.0 - math.sin(20 * DEGREE)))
    assert not generate_root(CylindricalGear(18, 1.0, form), 8).undercut
    assert generate_root(CylindricalGear(17, 1.0, form), 8).undercut
    assert least_shift(CylindricalGear(10, 1.0, form)) == pytest.approx(1 - 10 * math.sin(20 * DEGREE) ** 2 / 2)
    shift = least_shift(CylindricalGear(10, 1.0, form))
    assert not generate_root(CylindricalGear(10, 1.0, form, shift=shift + 1e-6), 8).undercut
    assert generate_root(CylindricalGear(10, 1.0, form, shift=shift - 1e-3), 8).undercut


def swept_space(gear: CylindricalGear, radii: np.ndarray) -> np.ndarray:
    """Half angles of a space that a rack's outline sweeps while it rolls, point by point, without any envelope.

    A point at depth d and place p of the rack passes a radius R at the place s, s^2 = R^2 - (r - d)^2, when the rack
    has moved s - p, and the gear turned by (s - p)/r.
    """
    tip = rack_tip(gear)
    turn = np.linspace(0.0, tip.last, 20001)
    depth = tip.depth + tip.radius * np.cos(turn)
    place = tip.centre + tip.radius * np.sin(turn) / math.cos(gear.helix)
    flank_depth = np.linspace(-1.5 * gear.module, depth[-1], 20001)
    flank_place = place[-1] + (depth[-1] - flank_depth) * math.tan(gear.transverse_pressure_angle)
    depth, place = np.append(depth, flank_depth), np.append(place, flank_place)
    widest = []
    for radius in radii:
        x = gear.radius - depth
        reached = np.abs(x) <= radius
        s = np.sqrt(radius**2 - x[reached] ** 2)
        angles = [np.arctan2(side, x[reached]) - (side - place[reached]) / gear.radius for side in (s, -s)]
        widest.append(np.max(angles))
    return np.array(widest)


@pytest.mark.parametrize("gear", [gear for gear in GEARS if not gear.ring])
def test_profile_is_what_a_rolling_rack_leaves(gear: CylindricalGear):
    profile = gear_profile(gear, Resolution(flank=20, fillet=20))
    expected = math.pi / gear.teeth - swept_space(gear, profile.level[1:])
    np.testing.assert_allclose(
        profile.half[1:] * profile.level[1:], expected * profile.level[1:], atol=1e-6 * gear.module
    )


@pytest.mark.parametrize("gear", [gear for gear in GEARS if gear.ring])
def test_fillet_of_a_ring_is_a_circle_that_touches_root_and_involute(gear: CylindricalGear):
    profile = gear_profile(gear, FINE)
    space = math.pi / gear.teeth - profile.half[: profile.first + 1]
    level = profile.level[: profile.first + 1]
    points = np.c_[level * np.cos(space), level * np.sin(space)]
    a = np.c_[2 * points, np.ones(len(points))]
    x, y, c = np.linalg.lstsq(a, (points**2).sum(axis=1), rcond=None)[0]
    radius = math.sqrt(c + x * x + y * y)
    assert np.ptp(np.hypot(points[:, 0] - x, points[:, 1] - y)) < 1e-9
    assert level[0] == pytest.approx(gear.root_radius, rel=1e-13)
    assert math.hypot(x, y) + radius == pytest.approx(gear.root_radius, rel=1e-9)
    # The normal at the last point touches the base circle, as that of the involute does.
    normal = np.array([x, y]) - points[-1]
    off_axis = abs(points[-1][0] * normal[1] - points[-1][1] * normal[0]) / np.hypot(*normal)
    assert off_axis == pytest.approx(gear.base_radius, rel=1e-6)
    assert radius == pytest.approx((gear.form.fillet or 0.38) * gear.module, rel=1e-6)


@pytest.mark.parametrize("gear", [CylindricalGear(30, 2.0, ToothForm(tip_relief=0.02)),
                                  CylindricalGear(60, 2.0, ToothForm(tip_relief=0.02), ring=True)])  # fmt: skip
def test_relief_takes_off_the_tip_along_the_base_tangent(gear: CylindricalGear):
    plain = gear_profile(replace(gear, form=ToothForm()), FINE)
    relieved = gear_profile(gear, FINE)
    off = (plain.half - relieved.half) * gear.base_radius
    assert off[-1] == pytest.approx(0.02, rel=1e-12)
    start = gear.tip_radius - gear.outward * 0.5 * 2.0
    assert np.abs(off[gear.outward * (plain.level - start) < 0]).max() == 0.0
    assert np.all(np.diff(off) >= 0.0)


def test_rack_has_straight_flanks_and_round_fillets():
    rack = Rack(5, 2.0, ToothForm(20 * DEGREE, thinning=0.1), helix=20 * DEGREE)
    profile = rack_profile(rack, FINE)
    normal = profile.half * math.cos(rack.helix)
    straight = slice(profile.first, None)
    slope = np.diff(normal[straight]) / np.diff(profile.level[straight])
    np.testing.assert_allclose(slope, -math.tan(20 * DEGREE), rtol=1e-9)
    at_line = np.interp(0.0, profile.level[straight], profile.half[straight])
    assert 2 * at_line == pytest.approx(rack.pitch / 2 - 0.1, rel=1e-12)
    fillet = np.c_[math.pi - normal, profile.level][: profile.first + 1]
    centre = fillet[0] + [0.0, 0.76]
    np.testing.assert_allclose(np.hypot(*(fillet - centre).T), 0.76, rtol=1e-12)
    assert profile.level[0] == pytest.approx(-2.5)


@pytest.mark.parametrize(
    ("gear", "said"),
    [
        (CylindricalGear(2, 1.0), "2 teeth are too few: at least 3"),
        (CylindricalGear(20, 1.0, ToothForm(60 * DEGREE)), "pressure angle 60 is not from 5 to 45 degrees"),
        (CylindricalGear(20, 1.0, helix=80 * DEGREE), "helix angle 80 is not between -75 and 75 degrees"),
        (CylindricalGear(20, 1.0, ToothForm(addendum=-1)), "addendum -1 is not a positive number of modules"),
        (CylindricalGear(20, 1.0, ToothForm(fillet=0.6)), r"fillet 0.6 is not above 0 and at most 0.46\d* modules"),
        (CylindricalGear(8, 1.0, shift=1.0), "the teeth are pointed at radius .* the addendum must be less than"),
        (CylindricalGear(4, 1.0, shift=-0.5), "the rack cuts .* there is no undercut"),
        (CylindricalGear(24, 1.0, ring=True), r"within its base circle.* the addendum is at most 0.724"),
        (CylindricalGear(60, 1.0, ToothForm(fillet=0.9), ring=True), "fillet 0.9 is not above 0 and at most"),
        (CylindricalGear(20, 1.0, ToothForm(thinning=2.0)), "leave no tooth"),
        (CylindricalGear(20, 1.0, ToothForm(35 * DEGREE)), "the space between teeth has no width at its root"),
    ],
)
def test_gears_that_cannot_be_are_refused(gear: CylindricalGear, said: str):
    with pytest.raises(GearError, match=said):
        check_gear(gear)
        gear_profile(gear, FINE)
