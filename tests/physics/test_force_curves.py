"""/INTER/TYPE6: bodies pushed apart by a function of their deepest penetration."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import Results, read, run
from scipy.integrate import solve_ivp
from transformed import transformed

G = 9.81
STILL = (0.0, 0.0, 0.0)
K = 1e5  # of a ball of 1 kg that arrives at 1 m/s, where a function is a straight line
LINE = [(0.0, 0.0), (1.0, K)]
BENT = [(0.0, 0.0), (2e-3, 200.0), (4e-3, 1000.0)]
FLAT = [(0.0, 1000.0), (1.0, 1000.0)]

# Name, speed, law
BALLS = (
    ("line", 1.0, {"loading": LINE}),
    ("scaled", 1.0, {"loading": [(0, 0), (1, 1)], "scales": (1e-3, 100.0, 1.0, 1.0)}),
    ("bent", 1.0, {"loading": BENT}),
    ("decoupled", 2.0, {"loading": FLAT, "form": 2, "stiffness": 1e6}),
    ("hysteresis", 1.0, {"loading": LINE, "form": 1, "stiffness": 1e6, "unloading": [(0, 0), (1, K / 4)]}),
    ("viscous", 1.0, {"loading": LINE, "visc": 100.0}),
    ("viscous function", 1.0, {"loading": LINE, "damping": [(-1, -200), (1, 200)], "scales": (1.0, 1.0, 1.0, 2.0)}),
    ("gap", 1.0, {"loading": LINE, "gap": 0.005}),
    ("begins deep", 0.0, {"loading": LINE, "inacti": 5}),
    ("too late", 1.0, {"loading": LINE, "window": (0.02, None)}),
)
NUMBER = {name: k for k, (name, *_) in enumerate(BALLS)}
DEEP = 0.002  # how far "begins deep" overlaps at t = 0


@pytest.fixture(scope="module")
def bounces() -> Results:
    """All the balls, each beside the others, just above the floor."""
    deck = ContactDeck(0.03, 1e-5, 1e-5)
    floor = deck.solid("PLANE", 0)
    for k, (name, speed, law) in enumerate(BALLS):
        height = {"gap": 0.005, "begins deep": -DEEP}.get(name, 0.0)
        _, ball = deck.ball((float(k), 0.0, 0.1 + height), 1.0, 0.1, (0.0, 0.0, -speed), STILL)
        deck.force_curve((ball, floor), **law)
    return run(deck)


def of(results: Results, channel: str, name: str):
    return results.of("th/inter", channel, NUMBER[name] + 1)


def rebound(results: Results, name: str) -> float:
    return float(results.node("VZ", NUMBER[name] + 1)[-1])


@pytest.mark.parametrize("name", ["line", "scaled", "gap"])
def test_a_straight_line_is_a_spring(bounces, name):
    """Depth v sqrt(m/k), force v sqrt(k m), duration pi sqrt(m/k), and all the speed comes back."""
    assert of(bounces, "PEN", name).max() == pytest.approx(math.sqrt(1 / K), rel=1e-5)
    assert of(bounces, "FNZ", name).max() == pytest.approx(math.sqrt(K), rel=1e-5)
    touching = np.count_nonzero(of(bounces, "NPATCH", name)) * 1e-5
    assert touching == pytest.approx(math.pi / math.sqrt(K), abs=1.1e-5)
    assert rebound(bounces, name) == pytest.approx(1.0, rel=1e-5)


def test_points_of_a_function_count(bounces):
    """1/2 J fills 0.2 J up to the bend, and 0.3 J of the steeper line beyond."""
    beyond = (-200 + math.sqrt(200**2 + 2 * 4e5 * 0.3)) / 4e5
    assert of(bounces, "PEN", "bent").max() == pytest.approx(2e-3 + beyond, rel=1e-5)
    assert of(bounces, "FNZ", "bent").max() == pytest.approx(200 + 4e5 * beyond, rel=1e-5)
    assert rebound(bounces, "bent") == pytest.approx(1.0, rel=1e-5)


def test_decoupled_unloading_gives_back_what_its_line_holds(bounces):
    """2 J against 1000 N: 1/2 J is stored on the line of 1e6 N/m, 1.5 J are lost at depth 2.5 mm."""
    assert of(bounces, "PEN", "decoupled").max() == pytest.approx(2.5e-3, rel=1e-3)
    assert rebound(bounces, "decoupled") == pytest.approx(1.0, rel=1e-4)
    assert of(bounces, "EDISS", "decoupled")[-1] == pytest.approx(1.5, rel=1e-4)
    assert of(bounces, "EELAS", "decoupled")[-1] == 0.0
    assert np.min(np.diff(of(bounces, "EDISS", "decoupled"))) >= -2e-5  # a kink that a step passes over


def test_unloading_function_closes_a_loop(bounces):
    """Down the unloading line to where it meets the unloading function, then along that."""
    stiffness, soft, depth = 1e6, K / 4, math.sqrt(1 / K)
    force = K * depth
    meeting = (stiffness * depth - force) / (stiffness - soft)
    back = 0.5 * soft * meeting**2 + (force**2 - (soft * meeting) ** 2) / (2 * stiffness)
    assert rebound(bounces, "hysteresis") == pytest.approx(math.sqrt(2 * back), rel=1e-4)
    assert of(bounces, "EDISS", "hysteresis")[-1] == pytest.approx(0.5 - back, rel=1e-4)
    assert np.min(np.diff(of(bounces, "EDISS", "hysteresis"))) >= -2e-5  # a kink that a step passes over


@pytest.mark.parametrize("name", ["viscous", "viscous function"])
def test_damping_by_a_number_and_by_a_function(bounces, name):
    """The same damper both ways, against the motion z'' = -K z - c z' as long as it pushes."""
    solution = solve_ivp(
        lambda _, y: (y[1], -max(0.0, K * y[0] + 100 * y[1])), (0, 0.03), (0.0, 1.0), rtol=1e-10, atol=1e-12,
        max_step=1e-4,
    )  # fmt: skip
    assert rebound(bounces, name) == pytest.approx(-solution.y[1, -1], rel=1e-3)
    assert of(bounces, "EDISS", name)[-1] == pytest.approx(0.5 * (1 - solution.y[1, -1] ** 2), rel=1e-3)


def test_penetration_at_the_beginning_can_be_taken_off(bounces):
    assert np.all(of(bounces, "NPATCH", "begins deep") == 0)
    assert rebound(bounces, "begins deep") == 0.0


def test_nothing_acts_outside_the_window(bounces):
    assert np.all(of(bounces, "NPATCH", "too late")[bounces.times < 0.02] == 0)
    deepest = math.hypot(0.02, math.sqrt(1 / K))  # it comes with 1 m/s to where the spring begins, 2 cm deep
    assert of(bounces, "PEN", "too late").max() == pytest.approx(deepest, rel=1e-3)


def test_energies_of_force_curves_close(bounces):
    assert np.max(np.abs(bounces.imbalance())) <= 1e-13 * len(BALLS)


# ---- boxes, friction --------------------------------------------------------------------------------------------

BOXES = ("rests", "slides", "holds", "slips", "faster")
ANGLE = math.radians(20.0)


def boxes() -> ContactDeck:
    """Boxes of 1 kg on four points: at rest, thrown with a constant friction, and on an incline of 20 degrees."""
    deck = ContactDeck(0.5, 5e-5, 5e-3)
    floor = deck.solid("PLANE", 0)
    weight = {name: G * math.cos(ANGLE) if name in ("holds", "slips", "faster") else G for name in BOXES}
    by_force, by_speed = deck.function([(0, 0), (1, 2)]), deck.function([(0, 1), (1, 0.5)])
    rubbing = {
        "rests": {},
        "slides": {"sfric": 2.0},
        "holds": {"fric": math.tan(math.radians(21.0))},
        "slips": {"fric": math.tan(math.radians(19.0))},
        "faster": {"fric": 0.2, "fric_by_force": by_force, "fric_by_velocity": by_speed,
                   "scales": (1.0, 1.0, 2 * weight["faster"], 1.0)},
    }  # fmt: skip
    for k, name in enumerate(BOXES):
        speed = (1.0, 0.0, 0.0) if name == "slides" else STILL
        node, box = deck.box((float(k), 0.0, 0.02 - weight[name] / K), 1.0, (0.3, 0.2, 0.04), speed, STILL)
        deck.force_curve((box, floor), LINE, visc=200.0, **rubbing[name])
        deck.gravity([node], "Z", -weight[name])
        if weight[name] != G:
            deck.gravity([node], "X", G * math.sin(ANGLE))
    return deck


@pytest.fixture(scope="module")
def on_floor() -> Results:
    return run(boxes())


def test_a_box_on_four_points_has_the_force_of_the_function(on_floor):
    """It rests at z = m g/K, not at a quarter of that."""
    assert on_floor.of("th/inter", "NPATCH", 1)[-1] == 4
    assert on_floor.of("th/inter", "PEN", 1)[-1] == pytest.approx(G / K, rel=1e-9)
    assert on_floor.of("th/inter", "FNZ", 1)[-1] == pytest.approx(G, rel=1e-9)
    assert np.ptp(on_floor.of("th/inter", "FNZ", 1)) <= 1e-9 * G


def test_constant_friction_slows_steadily(on_floor):
    """v = v0 - S t/m, whatever the weight; the sinking in and tilting of the start aside."""
    moving = (on_floor.times > 0.1) & (on_floor.times < 0.45)
    line = np.polyfit(on_floor.times[moving], on_floor.node("VX", 2)[moving], 1)
    assert line[0] == pytest.approx(-2.0, rel=1e-3)


def test_friction_holds_a_box_on_an_incline(on_floor):
    """Below the angle of friction it stays, beyond it slips with g (sin a - mu cos a)."""
    assert abs(on_floor.node("VX", 3)[-1]) <= 1e-9
    slipping = on_floor.times > 0.1
    line = np.polyfit(on_floor.times[slipping], on_floor.node("VX", 4)[slipping], 1)
    mu = math.tan(math.radians(19.0))
    assert line[0] == pytest.approx(G * (math.sin(ANGLE) - mu * math.cos(ANGLE)), rel=1e-3)


def test_friction_follows_its_functions(on_floor):
    """By force: the factor is 1 at the weight; by speed: 1 - v/2."""
    pull, weight = G * math.sin(ANGLE), G * math.cos(ANGLE)
    rate, end = 0.1 * weight, pull - 0.2 * weight  # v' = end + rate v
    late = on_floor.times > 0.1  # the tangential spring has yielded
    times, speeds = on_floor.times[late], on_floor.node("VX", 5)[late]
    expected = (speeds[0] + end / rate) * np.exp(rate * (times - times[0])) - end / rate
    assert np.max(np.abs(speeds - expected)) <= 1e-3 * expected[-1]


def test_friction_takes_the_elastic_force_without_damping_in_the_middle_of_the_overlap():
    """A damped ball that slides: its friction is mu K z at half of the depth z, whatever the damper adds."""
    deck = ContactDeck(0.008, 1e-5, 1e-3)
    floor = deck.solid("PLANE", 0)
    _, ball = deck.ball((0.0, 0.0, 0.1), 1.0, 0.1, (5.0, 0.0, -1.0), STILL)
    deck.force_curve((ball, floor), loading=LINE, visc=50.0, fric=0.2)
    results = run(deck)
    normal, along, depth, height = (results.of("th/inter", name, 1)[2:] for name in ("FNZ", "FTX", "PEN", "PZ"))
    assert along == pytest.approx(-0.2 * K * depth, rel=1e-9)
    assert np.abs(normal / (K * depth) - 1.0).max() > 0.1
    assert height == pytest.approx(-0.5 * depth, rel=1e-9)


def test_force_curves_do_not_care_where_the_machine_stands(on_floor):
    angle = 0.7
    c, s = math.cos(angle), math.sin(angle)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
    )
    turned = run(transformed(read(boxes()), rotation, np.array([3.0, -2.0, 5.0])))
    for node in range(1, len(BOXES) + 1):
        difference = turned.node_vector("V", node) @ rotation - on_floor.node_vector("V", node)
        assert np.max(np.abs(difference)) <= 1e-8


# ---- two free bodies ----------------------------------------------------------------------------------------------


def test_free_bodies_keep_their_momenta():
    """A spinning ball hits another off its centre, with damping and friction: momenta and energy close."""
    deck = ContactDeck(0.03, None, 1e-3)
    _, first = deck.ball((0.0, 0.0, 0.0), 1.0, 0.1, (1.0, 0.0, 0.2), (3.0, 40.0, -20.0))
    _, second = deck.ball((0.2, 0.05, 0.0), 2.0, 0.1, STILL, (0.0, 10.0, 5.0))
    deck.force_curve((first, second), LINE, visc=20.0, fric=0.3, sfric=1.0, gap=0.01, stiffness=2 * K, form=2)
    results = run(deck)
    assert results.of("th/inter", "EDISS", 1)[-1] > 0.05
    assert results.of("th/inter", "EFRIC", 1)[-1] > 0.005
    assert np.ptp(results.momentum(), axis=0).max() <= 1e-12
    assert np.ptp(results.angular_momentum(), axis=0).max() <= 1e-12
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-12
    effective = 2 / 3
    limit = math.pi * math.sqrt(effective / (2 * K)) / 20
    assert results.simulation.dt <= limit  # 20 steps in the time of a bounce on the steepest slope
