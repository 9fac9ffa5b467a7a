"""The numbers that the README of each example deck promises.

Most stand in expected.toml beside the deck, where users find them, and `gsolve compare` judges a run by them.
"""

import gsolve
import numpy as np
import pytest
from running import DECKS, Results, read, run


def housing_ratio(results: Results) -> float:
    housing = results.node("VRZ", 100)[-1]
    return float((results.node("VRZ", 21)[-1] - housing) / (results.node("VRZ", 1)[-1] - housing))


def heavy_top_centre(results: Results) -> float:
    return float((results.node("X", 2)[-1] + results.node("X", 5)[-1]) / 2)


def flip_period(results: Results) -> float:
    """Time in which axis 2 goes over and back, seen along the angular momentum, mean of four."""
    y, t = results.node_vector("", 3) @ np.array([0.05, 4.0, 0.15]), results.times
    k = np.flatnonzero(y[:-1] * y[1:] < 0)
    passages = t[k] + (t[k + 1] - t[k]) * y[k] / (y[k] - y[k + 1])
    return float((passages[8] - passages[0]) / 4)


def turn_about_z(results: Results, node: int) -> float:
    return float(2 * np.arctan2(results.node("Q3", node)[-1], results.node("Q0", node)[-1]))


def speed_down(results: Results, angle: float) -> float:
    """Of node 1, down an incline that falls along x."""
    return float(results.node("VX", 1)[-1] * np.cos(angle) - results.node("VZ", 1)[-1] * np.sin(angle))


def energy_with_losses(results: Results) -> float:
    """All energy at the end, what was dissipated and what contacts lost by error, over the weight's at the start."""
    lost = sum(results.scalar("energy", f"{name}_dissipated")[-1] for name in ("contact", "friction"))
    start = results.scalar("energy", "gravity")[0] + results.scalar("energy", "contact_elastic")[0]
    made = results.scalar("energy", "contact_error")[-1]
    return float(results.scalar("energy", "total")[-1] + lost - made - start)


def angle_in_drum(results: Results) -> float:
    """Mean tangent of the angle of the ball from below, while it slides."""
    sliding = results.times < 1.4
    return float((-results.node("X", 2) / -results.node("Z", 2))[sliding].mean())


def carried_weight(results: Results) -> float:
    """Vertical force of walls and gate from 0.35 s on, in the mean: friction chatters by some percent."""
    force = sum(results.of("th/inter", name, id) for name in ("FNZ", "FTZ") for id in (2, 3))
    return float(np.mean(force[results.times > 0.35]))


def time_to_stop(results: Results) -> float:
    """When the pinion would stand, from its speeds at 0.42 and 0.52 s."""
    speed, times = results.node("VRZ", 2), results.times
    first, second = np.searchsorted(times, [0.4199, 0.5199])
    slope = (speed[second] - speed[first]) / (times[second] - times[first])
    return float(times[first] - speed[first] / slope)


def mean_ratio(results: Results) -> float:
    """Of the wheel over the pinion, over a turn of the pinion."""
    first, last = np.searchsorted(results.times, [0.02499999, 0.08749999])
    turned = [results.node("DRZ", node)[last] - results.node("DRZ", node)[first] for node in (2, 1)]
    return float(turned[0] / turned[1])


def over_teeth(results: Results, span: float, channel: str, node: int) -> float:
    """By how much a channel of a node grows over the last whole teeth, which take that time."""
    values = results.node(channel, node)
    return float(values[-1] - np.interp(results.times[-1] - span, results.times, values))


def ratio_over_teeth(results: Results, span: float, driven: int, driver: int, channel: str = "DRZ") -> float:
    return over_teeth(results, span, channel, driven) / over_teeth(results, span, "DRZ", driver)


def axial_force(results: Results) -> float:
    """In the mean over a tooth."""
    return float(results.of("th/inter", "FNZ", 1)[results.times > results.times[-1] - 2 * np.pi / 16 / 60].mean())


def tangent_of_action(results: Results) -> float:
    """What pushes a bevel pair apart by what turns it, in the mean over four teeth."""
    late, cone = results.times > results.times[-1] - 4 * 2 * np.pi / 16 / 60, np.arctan(16 / 24)
    x, y, z = (results.of("th/inter", f"FN{axis}", 1)[late].mean() for axis in "XYZ")
    return float((x * np.cos(cone) - z * np.sin(cone)) / y)


def axial_force_of_worm(results: Results) -> float:
    """In the mean over a tooth."""
    return float(results.of("th/inter", "FNZ", 1)[results.times > results.times[-1] - np.pi / 600].mean())


def first_knock(results: Results) -> float:
    """When the wheel with little drag pushes with its other flank."""
    return float(results.times[np.argmax(results.of("th/inter", "FNY", 2) < -1.0)])


def lift(results: Results) -> float:
    """Of the flat follower, and by how much it has sunk in."""
    return float(results.node("Y", 2)[-1] + results.of("th/inter", "PEN", 1)[-1])


def period(results: Results) -> float:
    """Of the bolt that flies along x, from the first to the last passage of the middle."""
    x, t = results.node("DX", 1), results.times
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    passages = t[k] + (t[k + 1] - t[k]) * x[k] / (x[k] - x[k + 1])
    return float((passages[-1] - passages[0]) / (len(passages) - 1))


def weight_in_tray(results: Results) -> float:
    """What the tray bears in the mean, less what the momentum of all grows by; a sample each step."""
    force = results.of("th/inter", "FNZ", 1) + results.of("th/inter", "FTZ", 1)
    gained = results.momentum()[-1, 2] - results.momentum()[0, 2]
    return float((np.trapezoid(force, results.times) - gained) / results.times[-1])


BALL_WEIGHT = 4 / 3 * np.pi * 0.01**3 * 2500 * 9.81
TEN_TEETH = 10 * 2 * np.pi / 20 / 40  # s
HELICAL_RADIUS = 10 * 2e-3 / np.cos(np.pi / 9)  # m, of the wheel

# Numbers that are more than a value, a mean or an extreme of one history.
HEADLINES = [
    ("gear_train_20/gear_train_20.rad", housing_ratio, 0.8**20, 1e-10),
    ("asymmetric_top/asymmetric_top.rad", flip_period, 16.3722868904764, 1e-4),
    ("heavy_top/heavy_top.rad", heavy_top_centre, 0.6055505614, 1e-4),
    ("hexapod/hexapod.rad", lambda r: turn_about_z(r, 10), np.pi / 9, 1e-9),
    ("rack_steering/rack_steering.rad", lambda r: turn_about_z(r, 20), 0.3676078131872793, 1e-9),
    ("block_on_incline/block_on_incline.rad", lambda r: speed_down(r, np.pi / 9), 1.179404446, 1e-3),
    ("billiard_break/billiard_break.rad", energy_with_losses, 5.44, 1e-9),
    ("bolt_in_hole/bolt_in_hole.rad", period, 1.923355384e-3, 1e-4),
    ("heap_of_parts/heap_of_parts.rad", weight_in_tray, 100 * 7850 * 5e-6 * 9.81, 1e-9),
    ("gear_brake/gear_brake.rad", time_to_stop, 0.54, 1e-4),
    ("rotating_drum/rotating_drum.rad", angle_in_drum, 0.3, 1e-4),
    ("hopper/hopper.rad", carried_weight, 1000 * BALL_WEIGHT, 1e-2),
    ("spur_pair_by_curves/spur_pair_by_curves.rad", mean_ratio, -0.5, 1e-9),
    ("spur_pair_side_by_side/spur_pair_side_by_side.rad", lambda r: ratio_over_teeth(r, TEN_TEETH, 2, 1), -0.5, 1e-6),
    ("toy_planetary/toy_planetary.rad", lambda r: ratio_over_teeth(r, 2 / 15.75, 10, 1), 0.25, 1e-4),
    (
        "rack_and_pinion_meshed/rack_and_pinion_meshed.rad",
        lambda r: ratio_over_teeth(r, 5 * 2 * np.pi / 20 / 60, 2, 1, "DY"),
        0.02,
        1e-5,
    ),
    ("helical_pair/helical_pair.rad", axial_force, 20 / HELICAL_RADIUS * np.tan(np.pi / 9), 1e-2),
    ("bevel_pair_meshed/bevel_pair_meshed.rad", tangent_of_action, np.tan(np.pi / 9), 1e-2),
    ("worm_and_wheel/worm_and_wheel.rad", axial_force_of_worm, 30 / 30e-3, 1e-2),
    ("gear_rattle/gear_rattle.rad", first_knock, 0.03131170632533, 1e-3),
    ("cam_and_followers/cam_and_followers.rad", lift, 0.036172710015, 3e-7),
]
ROLLERS = ("cylinder_on_box/cylinder_on_box.rad", "cylinder_on_box_meshed/cylinder_on_box_meshed.rad")
SHORTENED = {
    # up to where the gate opens, and a sample each fifth step: friction chatters from step to step
    "hopper/hopper.rad": {"t_end": 0.39, "every": 5e-4},
    "toy_planetary/toy_planetary.rad": {"t_end": 0.35},
    "helical_pair/helical_pair.rad": {"t_end": 0.0223},
    "bevel_pair_meshed/bevel_pair_meshed.rad": {"t_end": 0.0314},
    "worm_and_wheel/worm_and_wheel.rad": {"t_end": 0.0075},
    # until two layers have come down; coming to rest takes 14 s
    "heap_of_parts/heap_of_parts.rad": {"t_end": 0.15, "every": 1e-4},
}
TOLD = {
    "worm_and_wheel/worm_and_wheel.rad": (
        "/SURF/MESH/1 'worm' and /SURF/MESH/2 'wheel' may touch where no contact was found: ",
        " times a deepest place was left out as the triangle found below it is far away",
    )
}


EXPECTED = sorted(DECKS.glob("*/expected.toml"))


def deck_beside(expected):
    """The deck to run; of a starter and an engine deck the first."""
    return min(expected.parent.glob("*.rad"))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.parent.name)
def test_expected_numbers(expected):
    judged = gsolve.judge(gsolve.run(deck_beside(expected), allow_user_code=True), expected)
    assert len(judged) >= 2
    assert [str(one) for one in judged if not one.met] == []


@pytest.mark.parametrize(
    ("deck", "headline", "expected", "tolerance"), HEADLINES, ids=[h[0].split("/")[0] for h in HEADLINES]
)
def test_headline_number(deck, headline, expected, tolerance):
    results = run(DECKS / deck, **SHORTENED.get(deck, {}))
    assert headline(results) == pytest.approx(expected, rel=tolerance)
    told = [warning.message for warning in results.simulation.new_warnings]
    assert all(any(words in message for message in told) for words in TOLD.get(deck, ()))


def test_meshed_roller_presses_as_the_exact_one():
    forces = [run(DECKS / deck).of("th/inter", "FNZ", 1) for deck in ROLLERS]
    assert np.ptp(forces[0]) < 1e-11 * 19.62
    assert np.abs(forces[1] - 19.62).max() < 1e-4 * 19.62


def test_every_example_has_a_headline_number_and_a_readme():
    folders = {path.name for path in DECKS.iterdir() if path.is_dir()}
    headlines = [headline[0].split("/")[0] for headline in HEADLINES] + [path.parent.name for path in EXPECTED]
    assert sorted(headlines) == sorted(folders)
    assert all((DECKS / folder / "README.md").exists() for folder in folders)


@pytest.mark.parametrize(
    "deck",
    [headline[0] for headline in HEADLINES] + [deck_beside(path).relative_to(DECKS) for path in EXPECTED],
    ids=str,
)
def test_example_decks_read_without_a_warning(deck):
    assert read(DECKS / deck).warnings == []
