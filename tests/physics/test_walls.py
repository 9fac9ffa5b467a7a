"""/RWALL: nodes that walls stop, hold, slow down and throw back, alone, on bodies and in mechanisms."""

import math

import numpy as np
import pytest
from running import Results, read, run
from scipy.integrate import solve_ivp
from transformed import transformed
from wall_decks import FRICTION, SLIDING, TIED, WallDeck

G = 9.81
UP = (0.0, 0.0, 1.0)
THROWN = (0.6, 0.0, -2.0)
MU = 0.2

# Name of the wall, where the mass starts, points, further values; every mass of 2 kg is thrown down from above it
WALLS = {
    "plane": ("PLANE", (0.0, 0.0, 0.1), [(0, 0, 0), UP], {}),
    "tied": ("PLANE", (0.0, 1.0, 0.1), [(0, 0, 0), UP], {"mode": TIED}),
    "rough": ("PLANE", (0.0, 2.0, 0.1), [(0, 0, 0), UP], {"mode": FRICTION, "friction": MU}),
    "sticky": ("PLANE", (0.0, 3.0, 0.1), [(0, 0, 0), UP], {"mode": FRICTION, "friction": 5.0}),
    "ball": ("SPHER", (-0.03, 10.0, 1.1), [(0, 10, 0)], {"diameter": 2.0, "mode": TIED}),
    "drum": ("CYL", (-0.03, 20.0, 1.1), [(0, 20, 0), (0, 21, 0)], {"diameter": 2.0, "mode": TIED}),
    "plate": ("PARAL", (0.5, 30.5, 0.1), [(0, 30, 0), (1, 30, 0), (0, 31, 0)], {}),
    "beside": ("PARAL", (1.1, 40.5, 0.1), [(0, 40, 0), (1, 40, 0), (0, 41, 0)], {}),
    "below": ("PARAL", (0.5, 50.5, 0.1), [(0, 50, 0), (0, 51, 0), (1, 50, 0)], {}),  # its front faces down
}
NUMBER = {name: k for k, name in enumerate(WALLS, start=1)}
IMPULSES = 2.0  # kg


def deck_of_thrown_masses(dt: float = 1e-3) -> WallDeck:
    deck = WallDeck(0.2, dt, 0.01)
    for kind, place, points, more in WALLS.values():
        deck.wall(kind, [deck.mass(place, 2.0, THROWN)], *points, **more)
    return deck


@pytest.fixture(scope="module")
def thrown() -> Results:
    return run(deck_of_thrown_masses())


def velocity(results: Results, name: str):
    return results.node_vector("V", 1000 + NUMBER[name])[-1]


def place(results: Results, name: str):
    return results.node_vector("", 1000 + NUMBER[name])[-1]


def test_a_sliding_wall_stops_what_is_normal(thrown):
    """The node ends on the wall, keeps its speed along it, and loses m v_n^2/2."""
    assert velocity(thrown, "plane") == pytest.approx((0.6, 0.0, 0.0), abs=1e-12)
    assert abs(place(thrown, "plane")[2]) <= 1e-13
    assert thrown.of("th/rwall", "EDISS", NUMBER["plane"])[-1] == pytest.approx(4.0, rel=1e-12)
    assert thrown.of("th/rwall", "EFRIC", NUMBER["plane"])[-1] == 0.0


def test_a_tied_wall_stops_all(thrown):
    assert velocity(thrown, "tied") == pytest.approx((0.0, 0.0, 0.0), abs=1e-11)
    both = thrown.of("th/rwall", "EDISS", NUMBER["tied"])[-1] + thrown.of("th/rwall", "EFRIC", NUMBER["tied"])[-1]
    assert both == pytest.approx(0.5 * 2.0 * (0.6**2 + 2.0**2), rel=1e-12)


def test_friction_in_an_impact(thrown):
    """It takes mu times the normal speed, at most all."""
    assert velocity(thrown, "rough") == pytest.approx((0.6 - MU * 2.0, 0.0, 0.0), abs=1e-12)
    assert velocity(thrown, "sticky") == pytest.approx((0.0, 0.0, 0.0), abs=1e-11)


@pytest.mark.parametrize("name", ["ball", "drum"])
def test_round_walls_stop_nodes_on_their_surface(thrown, name):
    out = place(thrown, name) - WALLS[name][2][0]
    assert math.hypot(out[0], out[2]) == pytest.approx(1.0, abs=1e-12)
    assert velocity(thrown, name) == pytest.approx((0.0, 0.0, 0.0), abs=1e-11)


def test_a_parallelogram_has_an_end_and_a_back(thrown):
    assert abs(place(thrown, "plate")[2]) <= 1e-13
    for name in ("beside", "below"):
        assert velocity(thrown, name) == pytest.approx(THROWN, abs=1e-14)


def test_energies_at_walls_close(thrown):
    assert np.max(np.abs(thrown.scalar("energy", "error"))) <= 1e-13 * len(WALLS)


def test_forces_on_walls_are_those_that_stop_the_masses():
    """Sum of F dt over the impact: m v_n, down, and the friction along."""
    results = run(deck_of_thrown_masses(), every=1e-3)
    sums = {name: results.values["th/rwall"][name].sum(axis=0) * 1e-3 for name in ("FNZ", "FTX", "NNODE")}
    assert sums["FNZ"][NUMBER["plane"] - 1] == pytest.approx(-IMPULSES * 2.0, rel=1e-12)
    assert sums["FTX"][NUMBER["rough"] - 1] == pytest.approx(IMPULSES * MU * 2.0, rel=1e-12)
    assert 1 <= round(sums["NNODE"][NUMBER["plane"] - 1] / 1e-3) <= 2


# ---- what rests and slides ---------------------------------------------------------------------------------------


def deck_of_crates(t_end: float = 0.6) -> WallDeck:
    """A slider, a crate that tumbles to rest, a mass that hangs on a tied wall, one pulled off, a crate that tips."""
    deck = WallDeck(t_end, 2e-4, 0.01)
    slider = deck.mass((0.0, 0.0, 0.0), 2.0, (1.0, 0.0, 0.0))
    crate, corners = deck.crate((0.0, 5.0, 0.3), 3.0, (0.2, 0.3, 0.1), (0.0, 0.0, -2.0), (3.0, 1.0, 2.0))
    hanging, pulled = (deck.mass((0.05, y, 0.0), 2.0, (-1.0, 0.0, 0.0)) for y in (10.0, 11.0))
    tipping, feet = deck.crate((0.0, 15.0, 0.2), 1.0, (0.1, 0.1, 0.4))
    deck.gravity([slider, crate, hanging, pulled, tipping], "Z", -G)
    deck.load(pulled, "X", 5.0, deck.function([(0, 0), (0.3, 0), (0.3001, 1), (1, 1)]))
    deck.load(tipping, "X", 4.0)
    floor = [(0, 0, 0), UP]
    deck.wall("PLANE", [slider], *floor, mode=FRICTION, friction=0.3)
    deck.wall("PLANE", corners, *floor, mode=FRICTION, friction=0.4)
    deck.wall("PLANE", [hanging, pulled], (0, 0, 0), (1, 0, 0), mode=TIED)
    deck.wall("PLANE", feet, *floor, mode=FRICTION, friction=2.0)
    return deck


SLIDER, CRATE, HANGING, PULLED, TIPPING = 1001, 1010, 1011, 1012, 1021


@pytest.fixture(scope="module")
def crates() -> Results:
    return run(deck_of_crates())


def test_friction_stops_a_slider(crates):
    """Distance v^2/(2 mu g), and it stays."""
    assert crates.node("X", SLIDER)[-1] == pytest.approx(1 / (2 * 0.3 * G), rel=1e-5)
    assert abs(crates.node("VX", SLIDER)[-1]) <= 1e-10
    assert crates.of("th/rwall", "EFRIC", 1)[-1] == pytest.approx(1.0, rel=1e-5)


def slid(push: float, dt: float, *, penalty: bool) -> np.ndarray:
    """Where a mass is after 0.4 s that slides along x at 2 m/s, pushed along y, on a wall with friction 0.3."""
    deck = WallDeck(0.4, dt, 0.4)
    mass = deck.mass((0.0, 0.0, 0.0), 1.0, (2.0, 0.0, 0.0))
    deck.gravity([mass], "Z", -G)
    if push:
        deck.load(mass, "Y", push)
    deck.wall("PLANE", [mass], (0, 0, 0), UP, mode=FRICTION, friction=0.3, penalty=penalty)
    return run(deck).node_vector("D", mass)[-1][:2]


def exactly_slid(push: float) -> np.ndarray:
    """The same, by an integration of v' = (0, push/m) - 0.3 g v/|v|."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], np.array([0.0, push]) - 0.3 * G * y[2:] / np.linalg.norm(y[2:])])

    return solve_ivp(rates, (0.0, 0.4), [0.0, 0.0, 2.0, 0.0], rtol=1e-12, atol=1e-13).y[:2, -1]


def test_friction_of_a_kinematic_wall_is_exact_along_a_straight_line():
    assert slid(0.0, 1e-3, penalty=False) == pytest.approx(exactly_slid(0.0), abs=1e-12)


@pytest.mark.parametrize(
    ("push", "penalty", "order"), [(6.0, False, 1), (6.0, True, 1), (0.0, True, 2)], ids=["turns", "on k z", "straight"]
)
def test_friction_of_a_wall_is_of_first_order_where_the_sliding_turns(push, penalty, order):
    """It acts against the motion of the whole step, half a step late in direction; else of second order."""
    coarse, fine = (np.linalg.norm(slid(push, dt, penalty=penalty) - exactly_slid(push)) for dt in (5e-4, 2.5e-4))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.2)


def test_a_crate_comes_to_rest_on_four_nodes(crates):
    assert crates.of("th/rwall", "NNODE", 2)[-1] == 4
    assert crates.of("th/rwall", "FNZ", 2)[-1] == pytest.approx(-3.0 * G, rel=1e-9)
    assert crates.node("Z", CRATE)[-1] == pytest.approx(0.05, abs=1e-9)
    assert np.max(np.abs(crates.node_vector("V", CRATE)[-1])) <= 1e-9
    assert np.max(np.abs(crates.node_vector("VR", CRATE)[-1])) <= 1e-8


def test_no_corner_of_a_tumbling_crate_passes(crates):
    low = min(crates.node("Z", node).min() for node in range(1002, 1010))
    assert low >= -1e-11


def test_a_tied_wall_holds_what_hangs_on_it_until_it_is_pulled_off(crates):
    """Gravity acts along the wall; 5 N pull the second one off at 0.3 s."""
    assert crates.node("X", HANGING)[-1] == pytest.approx(0.0, abs=1e-12)
    late = crates.times > 0.1
    assert np.ptp(crates.node("Z", HANGING)[late]) <= 1e-12
    assert crates.of("th/rwall", "FTZ", 3)[20] == pytest.approx(-2 * 2.0 * G, rel=1e-9)
    assert crates.node("X", PULLED)[-1] == pytest.approx(0.5 * 2.5 * 0.3**2, rel=1e-3)


def test_a_crate_tips_about_its_edge(crates):
    """4 N at its middle, 0.2 m high, against a weight of 9.81 N on 0.05 m: the edge sticks, the angle grows."""
    first = crates.times < 0.15
    inertia = 1.0 / 12 * (0.1**2 + 0.4**2) + 0.05**2 + 0.2**2
    rate = (4.0 * 0.2 - G * 0.05) / inertia
    turned = crates.node("VRY", TIPPING)
    # d(rate)/d(angle) = (F 0.05 + m g 0.2)/I: the further it leans the faster it falls
    growth = math.sqrt((4.0 * 0.05 + G * 0.2) / inertia)
    assert turned[first] == pytest.approx(rate / growth * np.sinh(growth * crates.times[first]), abs=5e-2)
    edge = crates.node("X", 1017)  # a foot on that edge
    assert np.ptp(edge[first]) <= 1e-10


def test_energies_of_crates_close(crates):
    """But for the second order of a tumbling crate, and of the step that a kink of the load cuts in two."""
    error = np.abs(crates.scalar("energy", "error"))
    assert np.max(error[crates.times < 0.3]) <= 1e-7
    assert np.max(error) <= 2e-6


def test_walls_do_not_care_where_they_stand(crates):
    c, s = math.cos(0.7), math.sin(0.7)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
    )
    turned = run(transformed(read(deck_of_crates()), rotation, np.array([3.0, -2.0, 5.0])))
    soon = crates.times < 0.15  # afterwards a tumbling crate forgets where it came from
    for node in (SLIDER, CRATE, HANGING, PULLED, TIPPING):
        difference = turned.node_vector("V", node) @ rotation - crates.node_vector("V", node)
        assert np.max(np.abs(difference[soon])) <= 1e-8


# ---- walls that move ---------------------------------------------------------------------------------------------


def test_a_moving_wall_takes_the_momentum():
    """m1 = 3 kg at 5 m/s meets a wall of 2 kg: common speed 3 m/s, m1 m2/(m1 + m2) v^2/2 lost; a slider off-centre."""
    deck = WallDeck(0.5, 1e-3, 0.01)
    hammer = deck.mass((0.0, 0.0, 1.0), 3.0, (0.0, 0.0, -5.0))
    anvil = deck.mass((0.0, 0.0, 0.0), 0.5)
    deck.wall("PLANE", [hammer], UP, carrier=anvil, mass=1.5)
    glancing = deck.mass((0.1, 9.0, 1.0), 1.0, (0.3, 0.5, -4.0))
    ball = deck.mass((0.0, 9.0, 0.0), 1.0)
    deck.wall("SPHER", [glancing], carrier=ball, mass=3.0, velocity=(0.0, 0.0, 1.0), diameter=1.0, mode=SLIDING)
    results = run(deck)
    assert results.node("VZ", hammer)[-1] == pytest.approx(-3.0, abs=1e-12)
    assert results.node("VZ", anvil)[-1] == pytest.approx(-3.0, abs=1e-12)
    assert results.of("th/rwall", "EDISS", 1)[-1] == pytest.approx(3 * 2 / 5 * 25 / 2, rel=1e-12)
    momentum = results.momentum()
    assert np.max(np.abs(momentum - momentum[0])) <= 1e-12 * np.max(np.abs(momentum))
    assert results.of("th/rwall", "EDISS", 2)[-1] > 1.0
    apart = results.node_vector("", glancing) - results.node_vector("", ball)
    assert np.linalg.norm(apart, axis=1).min() >= 0.5 - 1e-12
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-12


# ---- mechanisms ----------------------------------------------------------------------------------------------------


def rod(deck: WallDeck, top: tuple[float, float, float], speed: float, spin: float) -> tuple[int, int, int]:
    """A slender rod of 1 kg and 1 m that hangs from `top`, turning about -y; its main node, top and tip."""
    x, y, z = top
    inertia = (1 / 12, 1 / 12, 1e-4)
    main, (upper, lower) = deck.body((x, y, z - 0.5), 1.0, inertia, [top, (x, y, z - 1.0)], (speed, 0.0, 0.0),
                                     (0.0, -spin, 0.0))  # fmt: skip
    return main, upper, lower


def deck_of_mechanisms() -> tuple[WallDeck, list[int]]:
    """A light bumper welded to a heavy carriage; a rod and a chain of two that swing against a wall with their tips."""
    deck = WallDeck(0.5, 5e-4, 5e-4)
    carriage, _ = deck.body((0.0, 0.0, 0.0), 100.0, (1.0, 1.0, 1.0), [(0.5, 0.0, 0.0)], (2.0, 0.0, 0.0))
    bumper, corners = deck.crate((1.0, 0.0, 0.0), 0.1, (0.1, 0.1, 0.1), (2.0, 0.0, 0.0))
    deck.pair("TRANSLATIONAL", 0, carriage, (1.0, 0.0, 0.0))
    deck.pair("FIXED", carriage, bumper)
    deck.wall("PLANE", corners, (1.5, 0, 0), (0, 0, 0))
    pendulum, top, tip = rod(deck, (0.0, 5.0, 0.0), 1.0, 2.0)
    deck.pair("REVOLUTE", 0, top, (0.0, 1.0, 0.0))
    deck.wall("PLANE", [tip], (0.5, 0, 0), (0, 0, 0), mode=FRICTION, friction=0.5)
    upper, top, end = rod(deck, (0.0, 10.0, 0.0), 0.5, 1.0)
    lower, knee, tip = rod(deck, (0.0, 10.0, -1.0), 1.5, 1.0)
    deck.pair("REVOLUTE", 0, top, (0.0, 1.0, 0.0))
    deck.pair("REVOLUTE", end, knee, (0.0, 1.0, 0.0))
    deck.wall("PLANE", [tip], (0.002, 0, 0), (-1, 0, 0))
    return deck, [carriage, bumper, pendulum, upper, lower]


@pytest.fixture(scope="module")
def mechanisms() -> tuple[Results, list[int]]:
    deck, nodes = deck_of_mechanisms()
    return run(deck), nodes


def test_a_wall_stops_a_carriage_by_its_bumper(mechanisms):
    """It stops at once with all that is welded to it, and loses (M + m) v^2/2."""
    results, (carriage, bumper, *_) = mechanisms
    assert results.node("VX", carriage)[-1] == pytest.approx(0.0, abs=1e-10)
    assert results.node("X", bumper)[-1] == pytest.approx(1.45, abs=1e-11)
    assert results.of("th/rwall", "EDISS", 1)[-1] == pytest.approx(0.5 * 100.1 * 4, rel=1e-9)
    assert -results.of("th/rwall", "FNX", 1).sum() * 5e-4 == pytest.approx(-100.1 * 2, rel=1e-9)


def test_a_wall_stops_a_pendulum_at_its_tip(mechanisms):
    """At 30 degrees, with all of I omega^2/2 lost: 1/2 1/3 4 J."""
    results, (_, _, pendulum, *_) = mechanisms
    assert results.node("VRY", pendulum)[-1] == pytest.approx(0.0, abs=1e-9)
    assert results.node("X", pendulum)[-1] == pytest.approx(0.25, abs=1e-11)
    lost = results.of("th/rwall", "EDISS", 2)[-1] + results.of("th/rwall", "EFRIC", 2)[-1]
    assert lost == pytest.approx(2 / 3, rel=1e-4)


def test_the_tip_of_a_chain_is_stopped_and_the_knee_goes_on(mechanisms):
    """Rates after the impact by the impulse of the wall on the two rods; J the speed of the tip."""
    results, (*_, upper, lower) = mechanisms
    mass, jump = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]]), np.ones(2)
    before = np.ones(2)
    answer = np.linalg.solve(mass, jump)
    after = before - answer * (jump @ before) / (jump @ answer)
    assert after @ jump == pytest.approx(0.0, abs=1e-14)
    for node, rate in zip((upper, lower), after, strict=True):
        assert -results.node("VRY", node)[4] == pytest.approx(rate, abs=1e-2)
    assert results.of("th/rwall", "EDISS", 3)[4] == pytest.approx(
        0.5 * before @ mass @ before - 0.5 * after @ mass @ after, rel=1e-2
    )


def test_rows_hold_while_walls_stop_mechanisms(mechanisms):
    results, _ = mechanisms
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-5  # rows in an impact: by the step


# ---- penalty -----------------------------------------------------------------------------------------------------


def test_a_penalty_wall_throws_back():
    """Half a period of 20 steps, 5 % of critical damping; a crate lies on such a wall, a moving one takes part."""
    deck = WallDeck(1.0, 1e-3, 1e-3)
    ball = deck.mass((0.0, 0.0, 0.01), 2.0, (0.0, 0.0, -1.0))
    deck.wall("PLANE", [ball], (0, 0, 0), UP, penalty=True)
    crate, corners = deck.crate((0.0, 5.0, 0.05), 3.0, (0.2, 0.3, 0.1))
    deck.gravity([crate], "Z", -G)
    deck.wall("PLANE", corners, (0, 0, 0), UP, penalty=True, mode=FRICTION, friction=0.3)
    hammer = deck.mass((0.0, 10.0, 1.0), 3.0, (0.3, 0.0, -5.0))
    anvil = deck.mass((0.0, 10.0, 0.0), 2.0)
    deck.wall("PLANE", [hammer], (0, 10, 1), carrier=anvil, penalty=True, mode=TIED)
    results = run(deck)
    rebound = results.node("VZ", ball)[-1]
    assert 0.84 <= rebound <= 0.88  # exp(-pi zeta/sqrt(1 - zeta^2)) = 0.855, a little more as nothing pulls
    assert np.count_nonzero(results.of("th/rwall", "NNODE", 1)) == pytest.approx(20, abs=2)
    late = results.times > 0.5
    assert results.of("th/rwall", "FNZ", 2)[late].mean() == pytest.approx(-3.0 * G, rel=1e-2)
    momentum = results.momentum() - np.array([0.0, 0.0, 1.0]) * 3.0 * results.node("VZ", crate)[:, None]
    assert np.max(np.abs(momentum[:, 0] - momentum[0, 0])) <= 1e-12
    closing = results.node("VZ", hammer) - results.node("VZ", anvil)
    assert 4.0 <= closing[-1] <= 4.5
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-10


# ---- the number of threads ------------------------------------------------------------------------------------------


def test_walls_give_the_same_bytes_with_any_number_of_threads():
    model = read(deck_of_crates(0.2))
    runs = [run(model, threads=threads) for threads in (1, 3)]
    for channel, values in runs[0].values["th/rwall"].items():
        assert values.tobytes() == runs[1].values["th/rwall"][channel].tobytes()
    for channel, values in runs[0].values["th/node"].items():
        assert values.tobytes() == runs[1].values["th/node"][channel].tobytes()


@pytest.mark.parametrize("corners", [1, 2, 3])
def test_bodies_that_tumble_onto_a_tied_wall_are_stopped_by_their_corners(corners: int):
    """In any attitude, also where a corner could be kept from sliding only by a force that pulls."""
    random = np.random.default_rng(4)
    deck = WallDeck(0.3, 1e-3, 1e-3)
    bodies = []
    for k in range(12):
        places = (np.array([k, 0.0, 0.2]) + random.uniform(-0.08, 0.08, (corners, 3))).tolist()
        inertia = 1e-3 * random.uniform(2.0, 3.0, 3)
        main, nodes = deck.body(
            (k, 0.0, 0.2), 1.0, inertia.tolist(), places, (0.3, -0.4, -1.0), (2.0 * random.normal(size=3)).tolist()
        )
        bodies.append((main, nodes))
        deck.wall("PLANE", nodes, (0, 0, 0), UP, mode=TIED)
    deck.gravity([main for main, _ in bodies], "Z", -G)
    results = run(deck)
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-4 * 12 * G * 0.2
    for wall, (_, nodes) in enumerate(bodies, start=1):
        held = results.of("th/rwall", "NNODE", wall)
        assert held.max() >= 1
        assert np.all(results.of("th/rwall", "FNZ", wall)[held > 0] <= 1e-9)
        for node in nodes:
            assert results.node("Z", node).min() >= -1e-9
        if corners == 1:  # it stays or slides freely
            along = np.hypot(results.of("th/rwall", "FTX", wall), results.of("th/rwall", "FTY", wall))
            stays = (along[2:] > 0) & (along[1:-1] > 0) & (along[:-2] > 0)
            moved = np.linalg.norm(np.diff(results.node_vector("", nodes[0]), axis=0), axis=1)[1:]
            assert np.max(moved[stays], initial=0.0) <= 1e-11
