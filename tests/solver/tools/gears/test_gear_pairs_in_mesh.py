"""Pairs: closed forms, published numbers, and gears that really turn against each other."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from gsolve.solver.tools.gears.bevel import BevelGear, bevel_profile, pitch_cones, spherical_involute
from gsolve.solver.tools.gears.data import CylindricalGear, GearError, Rack, Resolution, ToothForm
from gsolve.solver.tools.gears.involute import base_pitch, polar_involute
from gsolve.solver.tools.gears.make import Gear, make_gear, make_pair
from gsolve.solver.tools.gears.pair import Pair, cylindrical_pair, rack_pair, turned, working_pressure_angle, worm_pair
from gsolve.solver.tools.gears.profile import HalfProfile, gear_profile, rack_profile
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.worm import Worm, WormWheel, wheel_space, wheel_width

DEGREE = math.pi / 180.0
STUB = ToothForm(addendum=0.8)  # full teeth of a ring reach below the involutes of most pinions
FINE = Resolution(flank=40, fillet=20, rows=4)


def gear(teeth: int, shift: float = 0.0, **more: object) -> CylindricalGear:
    return CylindricalGear(teeth, 2.0, shift=shift, **more)  # type: ignore[arg-type]


# Closed forms and published numbers


def test_published_pair_of_20_and_40_teeth():
    """Module 2 mm, 20 degrees: base radii, base pitch and contact ratio."""
    first, second = gear(20), gear(40)
    assert first.base_radius == pytest.approx(18.79385241571817, rel=1e-14)
    assert second.base_radius == pytest.approx(37.58770483143634, rel=1e-14)
    assert base_pitch(2.0, 20 * DEGREE) == pytest.approx(5.904262868187098, rel=1e-14)
    pair = cylindrical_pair(first, second, 10.0)
    assert pair.transverse_ratio == pytest.approx(1.6351859635714583, rel=1e-12)
    assert (pair.distance, pair.speed_ratio, pair.backlash) == (pytest.approx(60.0), -0.5, 0.0)
    assert pair.warnings == []


def test_textbook_pair_with_profile_shifts():
    """12 and 24 teeth of module 3 with x = 0.6 and 0.36: working pressure angle 26.0886 degrees, distance 56.4999."""
    first, second = CylindricalGear(12, 3.0, shift=0.6), CylindricalGear(24, 3.0, shift=0.36)
    pair = cylindrical_pair(first, second, 10.0)
    assert pair.pressure_angle / DEGREE == pytest.approx(26.0886, abs=1e-4)
    assert pair.distance == pytest.approx(56.4999, abs=1e-4)


def test_textbook_ring_with_profile_shift():
    """16 teeth in a ring of 24, module 3, x = 0 and 0.5: 31.0937 degrees, distance 13.1683."""
    first, second = CylindricalGear(16, 3.0), CylindricalGear(24, 3.0, shift=0.5, ring=True)
    angle = working_pressure_angle(first, second)
    assert angle / DEGREE == pytest.approx(31.0937, abs=1e-4)
    assert (second.base_radius - first.base_radius) / math.cos(angle) == pytest.approx(13.1683, abs=1e-4)


def test_overlap_ratio_and_transverse_ratio_of_a_helical_pair():
    form = ToothForm(20 * DEGREE)
    first = CylindricalGear(20, 2.0, form, 15 * DEGREE)
    pair = cylindrical_pair(first, CylindricalGear(40, 2.0, form, -15 * DEGREE), 30.0)
    assert pair.overlap_ratio == pytest.approx(30.0 * math.sin(15 * DEGREE) / (math.pi * 2.0))
    assert pair.distance == pytest.approx(60.0 / math.cos(15 * DEGREE))


@pytest.mark.parametrize("extra", [0.0, 0.3, 0.8])
def test_ratio_stays_and_backlash_grows_with_the_centre_distance(extra: float):
    first, second = gear(20, 0.1), gear(33, 0.2)
    near = cylindrical_pair(first, second, 10.0)
    pair = cylindrical_pair(first, second, 10.0, near.distance + extra)
    assert pair.speed_ratio == pytest.approx(-20 / 33)
    bases = first.base_radius + second.base_radius
    # j = 2 a cos(a_w') ... : both base circles unwind by the change of the involute function.
    grown = 2 * bases * (math.tan(pair.pressure_angle) - pair.pressure_angle)
    grown -= 2 * bases * (math.tan(near.pressure_angle) - near.pressure_angle)
    assert pair.backlash * math.cos(pair.pressure_angle) == pytest.approx(grown, abs=1e-9)


def test_backlash_asked_for_is_what_the_pair_has():
    thin = ToothForm(thinning=0.03)
    assert cylindrical_pair(gear(20, form=thin), gear(40, form=thin), 10.0).backlash == pytest.approx(0.06)
    ring = gear(60, form=thin, ring=True)
    assert cylindrical_pair(gear(20, form=thin), ring, 10.0).backlash == pytest.approx(0.06)


@pytest.mark.parametrize("second", [gear(40), gear(25, 0.3), gear(61, ring=True)])
def test_contact_ratio_is_the_mean_number_of_teeth_in_contact(second: CylindricalGear):
    """Counted over a pitch: a tooth is in contact where both its involute and that of its mate are there."""
    first = gear(22, 0.05)
    pair = cylindrical_pair(first, second, 10.0)
    reach = pair.distance * math.sin(pair.pressure_angle)
    pitch = base_pitch(2.0, 20 * DEGREE)
    ranges = []
    for one in (first, second):
        profile = gear_profile(one, FINE)
        ends = np.sqrt(profile.level[[profile.first, -1]] ** 2 - one.base_radius**2)
        ranges.append((ends.min(), ends.max()))
    steps = 20000
    counted = 0
    for turn in (np.arange(steps) + 0.5) / steps:
        rolled = pitch * (turn + np.arange(-20, 20))
        other = rolled + reach if second.ring else reach - rolled
        counted += np.count_nonzero(
            (rolled >= ranges[0][0]) & (rolled <= ranges[0][1]) & (other >= ranges[1][0]) & (other <= ranges[1][1])
        )
    assert pair.transverse_ratio == pytest.approx(counted / steps, abs=2e-4)


def test_specific_sliding_is_that_of_the_surface_speeds():
    first, second = gear(20), gear(40)
    pair = cylindrical_pair(first, second, 10.0)
    assert pair.sliding is not None
    reach = pair.distance * math.sin(pair.pressure_angle)
    start = reach - math.sqrt(second.tip_radius**2 - second.base_radius**2)
    speeds = 1.0 * start, 0.5 * (reach - start)  # along the flanks, turning at 1 and 0.5 rad/s
    assert pair.sliding[0] == pytest.approx((speeds[0] - speeds[1]) / speeds[0], rel=1e-12)


# Gears that turn against each other


def external_points(one: CylindricalGear, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Left flank of the tooth on +x: rolled lengths and polar angles."""
    profile = gear_profile(one, Resolution(flank=count))
    level, half = profile.level[profile.first :], profile.half[profile.first :]
    return np.sqrt(level**2 - one.base_radius**2), half


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (gear(20), gear(40)),
        (gear(17, 0.3), gear(30, 0.2)),
        (gear(10), gear(41)),
        (CylindricalGear(18, 2.0, helix=20 * DEGREE), CylindricalGear(27, 2.0, helix=-20 * DEGREE)),
    ],
)
def test_flanks_touch_on_the_line_of_action_without_gap(first: CylindricalGear, second: CylindricalGear):
    """Without backlash a point of one flank and its mate are the same point, at every angle of the path of contact."""
    pair = cylindrical_pair(first, second, 10.0)
    reach = pair.distance * math.sin(pair.pressure_angle)
    rolled, angle = external_points(first, 200)
    turn_1 = np.arctan(rolled / first.base_radius) - angle  # puts a point on the line that falls to the right
    turn_1 -= pair.pressure_angle
    radius_1 = np.hypot(rolled, first.base_radius)
    x, y = radius_1 * np.cos(angle + turn_1), radius_1 * np.sin(angle + turn_1)
    lowest = math.sqrt(gear_profile(second, FINE).level[gear_profile(second, FINE).first] ** 2 - second.base_radius**2)
    highest = math.sqrt(second.tip_radius**2 - second.base_radius**2)
    used = (reach - rolled >= lowest) & (reach - rolled <= highest)
    assert used.sum() > 80
    # The second gear: placed, then turned by the ratio.
    px, py = x - pair.distance, y
    phase = 0.0 if second.teeth % 2 else math.pi / second.teeth
    seen = np.arctan2(py, px) - phase - pair.speed_ratio * turn_1
    level = np.hypot(px, py)
    from_tooth = (seen + math.pi / second.teeth) % (2 * math.pi / second.teeth) - math.pi / second.teeth
    other = np.sqrt(np.maximum(level**2 - second.base_radius**2, 0.0))
    half = second.solid_half_angle - polar_involute(other / second.base_radius)
    gap = (np.abs(from_tooth) - half) * level
    assert np.abs(gap[used]).max() < 1e-10


def flank_function(profile: HalfProfile, exact, limit: float, outward: float = 1.0):
    """Half width of a tooth at any level: the exact involute, below it the fillet between its points."""
    order = np.argsort(profile.level)

    def half(level: np.ndarray) -> np.ndarray:
        between = np.interp(level, profile.level[order], profile.half[order])
        return np.where(outward * (level - limit) >= 0.0, exact(level), between)

    return half


def gaps_to(second: Gear, points: np.ndarray) -> np.ndarray:
    """Distance along the circle (line) between points and the tooth next to them, of a gear as it is meshed."""
    if isinstance(second, Rack):
        profile = rack_profile(second, FINE)
        x, y = points[:, 0] - math.tan(second.helix) * points[:, 2], points[:, 1]
        x = x - 0.5 * (second.teeth - 1) * second.pitch
        from_tooth = (x + second.pitch / 2) % second.pitch - second.pitch / 2
        return np.where(y <= profile.level[-1], np.abs(from_tooth) - np.interp(y, profile.level, profile.half), np.inf)
    radius, angle = np.hypot(points[:, 0], points[:, 1]), np.arctan2(points[:, 1], points[:, 0])
    if isinstance(second, BevelGear):
        profile = bevel_profile(second, Resolution(60, 200))
        level = np.arctan2(radius, points[:, 2])

        def exact(g: np.ndarray) -> np.ndarray:
            roll = np.arccos(np.minimum(np.cos(g) / math.cos(second.base_cone), 1.0))
            return second.solid_half_angle - spherical_involute(roll, second.base_cone)

        outward, tip = 1.0, second.tip_cone
    else:
        assert isinstance(second, CylindricalGear)
        profile = gear_profile(second, Resolution(60, 200))
        level, outward, tip = radius, second.outward, second.tip_radius
        angle = angle - second.twist * points[:, 2]

        def exact(r: np.ndarray) -> np.ndarray:
            roll = np.sqrt(np.maximum((r / second.base_radius) ** 2 - 1.0, 0.0))
            solid = second.solid_half_angle - polar_involute(roll)
            return math.pi / second.teeth - solid if second.ring else solid

    half = flank_function(profile, exact, profile.level[profile.first], outward)
    from_tooth = (angle + profile.pitch / 2) % profile.pitch - profile.pitch / 2
    gap = (np.abs(from_tooth) - half(level)) * radius
    return np.where(outward * (tip - level) >= 0.0, gap, np.inf)


PAIRS: list[tuple[Gear, Gear]] = [
    (gear(20), gear(40)),
    (gear(17, 0.3), gear(30, 0.2)),
    (gear(9), gear(31)),
    (CylindricalGear(18, 2.0, helix=20 * DEGREE), CylindricalGear(27, 2.0, helix=-20 * DEGREE)),
    (gear(20), gear(61, form=STUB, ring=True)),
    (CylindricalGear(21, 2.0, helix=15 * DEGREE), CylindricalGear(70, 2.0, STUB, 15 * DEGREE, shift=0.2, ring=True)),
    (gear(18, 0.1), Rack(8, 2.0)),
    (CylindricalGear(19, 2.0, helix=-12 * DEGREE), Rack(9, 2.0, helix=-12 * DEGREE)),
    *(
        (BevelGear(z, 3.0, cones[0], shift=x), BevelGear(w, 3.0, cones[1], shift=-x))
        for z, w, x, shaft in ((16, 24, 0.0, 90.0), (12, 35, 0.35, 90.0), (20, 25, 0.1, 65.0))
        for cones in [pitch_cones((z, w), shaft * DEGREE)]
    ),
]  # fmt: skip


def in_frame_of_second(points: np.ndarray, pair: Pair, turn: float) -> np.ndarray:
    """Points of the first gear, turned, as the second one's mesh sees them, which turns (or goes along) with it."""
    moved = points @ turned(turn).T - pair.placement.translation
    if pair.kind == "rack":
        moved = moved - [0.0, pair.speed_ratio * turn, 0.0]
    local = moved @ pair.placement.rotation
    return local if pair.kind == "rack" else local @ turned(-pair.speed_ratio * turn).T


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda one: f"{type(one).__name__}{one.teeth}")
def test_placed_gears_turn_together_touching_and_never_overlap(first: Gear, second: Gear):
    """Points of the first mesh against the exact second gear, at the placement that a user gets, over two pitches."""
    width = 8.0
    part, _, pair = make_pair((first, second), (Body(width), Body(width, rim=5.0)), FINE)
    assert not [text for text in pair.warnings if "interference" in text]
    mesh = part.mesh.vertices
    if isinstance(first, BevelGear):
        distance = np.linalg.norm(mesh, axis=1)
        angle = np.arctan2(np.hypot(mesh[:, 0], mesh[:, 1]), mesh[:, 2])
        teeth = mesh[(angle > first.root_cone + 1e-6) & (np.abs(distance - first.distance) < 1e-9)]
    else:
        radius = np.hypot(mesh[:, 0], mesh[:, 1])
        teeth = mesh[radius > first.root_radius + 1e-6]  # type: ignore[union-attr]
    smallest = []
    for turn in np.linspace(0.0, 4 * math.pi / first.teeth, 21):  # type: ignore[union-attr]
        seen = in_frame_of_second(teeth, pair, turn)
        smallest.append(gaps_to(second, seen).min())
    assert min(smallest) > -1e-9, "they overlap"
    assert max(smallest) < 1e-3, "they do not touch"


@pytest.mark.parametrize(("starts", "left"), [(1, False), (2, True)])
def test_worm_and_wheel_turn_together_touching_and_never_overlap(starts: int, left: bool):
    """Points of the worm's mesh, placed and turned as the pair says, stay in the spaces of the wheel."""
    worm = Worm(starts, 2.0, left=left)
    wheel = WormWheel(worm, 29, 0.1)
    width = wheel_width(wheel)
    part, _, pair = make_pair((worm, wheel), (Body(20.0), Body(width)), Resolution(flank=20, fillet=6, rows=100))
    mesh = part.mesh.vertices
    threads = mesh[np.hypot(mesh[:, 0], mesh[:, 1]) > worm.radius - 1.25 * 2.0 + 1e-6]
    smallest = []
    for turn in np.linspace(0.0, 2 * math.pi, 6):
        seen = in_frame_of_second(threads, pair, turn) @ turned(-math.pi / wheel.teeth).T  # a space on +x
        radius = np.hypot(seen[:, 0], seen[:, 1])
        tip = wheel.centre_distance - np.sqrt(np.maximum(wheel.throat**2 - seen[:, 2] ** 2, 0.0))
        inside = (np.abs(seen[:, 2]) <= width / 2) & (radius < np.minimum(tip, wheel.outer_radius) - 1e-6)
        seen, radius = seen[inside], radius[inside]
        root = wheel.centre_distance - np.sqrt(wheel.hob_radius**2 - seen[:, 2] ** 2)
        assert np.all(radius > root)
        lower, upper = wheel_space(wheel, radius, seen[:, 2])
        middle, pitch = 0.5 * (lower + upper), 2 * math.pi / wheel.teeth
        from_space = (np.arctan2(seen[:, 1], seen[:, 0]) - middle + pitch / 2) % pitch - pitch / 2
        gaps = (0.5 * (upper - lower) - np.abs(from_space)) * radius
        smallest.append(gaps.min())
    assert min(smallest) > -1e-9, "they overlap"
    assert max(smallest) < 1e-3, "they do not touch"


def test_wheel_has_involutes_in_its_middle():
    """There the worm is a rack with straight flanks, which generates the gear of its own module and pressure angle."""
    worm = Worm(2, 2.0)
    wheel = WormWheel(worm, 40, 0.2)
    same = CylindricalGear(40, 2.0, shift=0.2)
    profile = gear_profile(same, Resolution(flank=15, fillet=15))
    lower, upper = wheel_space(wheel, profile.level[1:], np.zeros(len(profile.level) - 1))
    np.testing.assert_allclose(upper, math.pi / 40 - profile.half[1:], atol=1e-9)
    np.testing.assert_allclose(lower, -upper, atol=1e-12)


# What a pair is warned of


def test_undercut_is_told_with_the_shift_that_avoids_it():
    (text,) = [text for text in cylindrical_pair(gear(10), gear(40), 10.0).warnings if "undercut" in text]
    shift = float(text.split("from a shift of ")[1].split()[0])
    assert not any("undercut" in text for text in cylindrical_pair(gear(10, shift + 1e-3), gear(40), 10.0).warnings)


def test_undercut_cuts_contact_short_but_nothing_collides():
    pair = cylindrical_pair(gear(9), gear(31), 10.0)
    assert any(text.startswith("short contact: the tips of the second gear") for text in pair.warnings)
    assert not any(text.startswith("interference") for text in pair.warnings)


def test_tips_that_reach_below_the_involutes_are_told():
    long = ToothForm(addendum=1.2, dedendum=1.45, fillet=0.2)
    pair = cylindrical_pair(gear(20), gear(60, form=long), 10.0)
    assert any(text.startswith("interference: the tips of the second gear cut") for text in pair.warnings)


def tips_collide(first: CylindricalGear, second: CylindricalGear, pair: Pair) -> bool:
    """The textbook criterion: when the pinion's tip leaves the ring's tip circle, the ring's tooth must be gone."""
    r1, r2, a = first.tip_radius, second.tip_radius, pair.distance
    if r2 >= a + r1:
        return False
    inv = lambda angle: math.tan(angle) - angle  # noqa: E731
    tip_1, tip_2 = math.acos(first.base_radius / r1), math.acos(second.base_radius / r2)
    theta_1 = math.acos((r2**2 - r1**2 - a**2) / (2 * a * r1)) + inv(tip_1) - inv(pair.pressure_angle)
    theta_2 = math.acos((a**2 + r2**2 - r1**2) / (2 * a * r2))
    return theta_1 * first.teeth / second.teeth + inv(pair.pressure_angle) - inv(tip_2) < theta_2


@pytest.mark.parametrize(("pinion", "collide"), [(20, False), (45, False), (52, False), (53, True), (56, True)])
def test_ring_interference_is_told_where_tips_do_collide(pinion: int, collide: bool):
    first, second = gear(pinion), gear(60, form=STUB, ring=True)
    pair = cylindrical_pair(first, second, 10.0)
    assert any(text.startswith("interference") for text in pair.warnings) is collide
    assert tips_collide(first, second, pair) is collide
    points = make_gear(first, Body(10.0), FINE).mesh.vertices
    teeth = points[np.hypot(points[:, 0], points[:, 1]) > first.radius]
    worst = min(gaps_to(second, in_frame_of_second(teeth, pair, turn)).min() for turn in np.linspace(0, 0.3, 21))
    assert (float(worst) < -1e-3) is collide


@pytest.mark.parametrize(
    ("first", "second", "distance", "said"),
    [
        (gear(20), gear(40), 59.0, "at centre distance 59 the teeth overlap by .*; they fit at 60"),
        (gear(20), gear(40), 50.0, "centre distance 50 is not greater than 56.38"),
        (gear(59), gear(60, ring=True), None, "a ring of 60 teeth is too small for 59: at least 62"),
        (gear(20), CylindricalGear(40, 2.5), None, "modules 2 and 2.5 do not go together: they must be the same"),
        (gear(20, helix=0.2), gear(40, helix=0.2), None, "helix angles 11.4592 and 11.4592 .* they must be opposite"),
        (gear(20, helix=0.2), gear(60, helix=-0.2, ring=True), None, "helix angles 11.4592 and -11.4592 .* the same"),
        (gear(20), gear(40, form=ToothForm(0.3)), None, "pressure angles 20 and 17.18.* must be the same"),
        (gear(20, helix=0.2, double=True), gear(40, helix=-0.2), None, "a double-helical gear goes with"),
        (gear(20, -4.0), gear(40), None, "leave no working pressure angle; make their sum greater"),
    ],
)
def test_pairs_that_cannot_be_are_refused(first, second, distance, said):
    with pytest.raises(GearError, match=said):
        cylindrical_pair(first, second, 10.0, distance)


def test_gears_that_make_no_pair_are_refused():
    for gears in (
        (gear(20), Worm(1, 2.0)),
        (gear(60, ring=True), gear(20)),
        (Worm(1, 2.0), WormWheel(Worm(2, 2.0), 30)),
    ):
        with pytest.raises(GearError, match="these two make no pair"):
            make_pair(gears, (Body(8.0, rim=5.0), Body(8.0)))
    cones = pitch_cones((16, 24), 90 * DEGREE)
    bevels = BevelGear(16, 2.0, cones[0], shift=0.2), BevelGear(24, 2.0, cones[1])
    with pytest.raises(GearError, match=r"cone distances 28.84\d* and 33.9\d* do not go together"):
        make_pair((bevels[0], BevelGear(24, 2.0, 45 * DEGREE)), (Body(8.0), Body(8.0)))
    with pytest.raises(GearError, match="the shifts of bevel gears are opposite"):
        make_pair(bevels, (Body(8.0), Body(8.0)))


def test_rack_and_worm_have_the_contact_ratio_of_a_gear_with_a_very_large_one():
    first = gear(30, 0.1)
    large = cylindrical_pair(first, gear(200_000), 10.0)
    assert rack_pair(first, Rack(10, 2.0), 10.0).transverse_ratio == pytest.approx(large.transverse_ratio, abs=1e-4)
    wheel = WormWheel(Worm(1, 2.0), 30, 0.1)
    assert worm_pair(wheel).transverse_ratio == pytest.approx(large.transverse_ratio, abs=1e-4)


def test_bevel_contact_ratio_tends_to_that_of_the_virtual_spur_gears():
    """Tredgold: with many teeth the sphere is nearly a plane, and the gears are spur gears of z/cos d teeth."""
    cones = pitch_cones((160, 240), 90 * DEGREE)
    bevels = tuple(BevelGear(z, 2.0, cone) for z, cone in zip((160, 240), cones, strict=True))
    _, _, pair = make_pair((bevels[0], bevels[1]), (Body(20.0), Body(20.0)), Resolution(4, 2, rows=2))
    spur = gear(160)
    virtual = [replace(spur, teeth=round(z / math.cos(cone))) for z, cone in zip((160, 240), cones, strict=True)]
    assert pair.transverse_ratio == pytest.approx(cylindrical_pair(*virtual, 10.0).transverse_ratio, rel=2e-3)
