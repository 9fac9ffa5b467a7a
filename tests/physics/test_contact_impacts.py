"""Impacts: closed forms, published tables, what is kept, and how fast errors shrink with the step."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck, ball_mass
from running import DECKS, Results, observed_order, run
from scipy.integrate import solve_ivp
from scipy.special import gamma

HERTZ_TIME = float(0.8 * gamma(0.4) * gamma(0.5) / gamma(0.9))  # t_c v/z_max; 2.9432751843247047
FLOOR_Z = 0.0


def hertz_stiffness(moduli, poisson_ratios, radii):
    """4/3 E* sqrt(R*) of two balls; an infinite modulus or radius for a rigid plane."""
    compliance = sum((1 - nu**2) / e for e, nu in zip(moduli, poisson_ratios, strict=True))
    return 4 / 3 / compliance * math.sqrt(1 / sum(1 / r for r in radii))


def drop(deck: ContactDeck, number: int, mass: float, radius: float, speed: float, gap: float, floor: int, **law):
    """A ball that flies down to the floor, beside the others; returns its node."""
    place = (4 * radius * number, 0.0, FLOOR_Z + radius + gap)
    node, ball = deck.ball(place, mass, radius, (0.0, 0.0, -speed), (0.0, 0.0, 0.0))
    kind = law.pop("kind", deck.impact)
    kind((ball, floor), **law)
    return node


def peak(times, values):
    """Largest value, by the parabola through the three largest samples."""
    k = int(np.argmax(values))
    a, b, c = values[k - 1 : k + 2]
    return b - (c - a) ** 2 / (8 * (a - 2 * b + c))


def time_apart(results: Results, position, rest: float, arrival: float) -> float:
    """Time of contact: from `arrival` until a coordinate, which grows steadily at last, passed `rest`."""
    t = results.times
    rate = (position[-1] - position[-5]) / (t[-1] - t[-5])
    return float(t[-1] - (position[-1] - rest) / rate - arrival)


# ---- Hertz -----------------------------------------------------------------------------------------------------

# Elastic impacts of Y. C. Chung and J. Y. Ooi, Granular Matter 13 (2011) 643-656: E, nu, density, radius, speed
TWO_BALLS = [(48e9, 0.20, 2800.0, 0.010, 10.0), (20e9, 0.25, 2500.0, 0.010, 10.0)]  # test 1: glass, limestone
ON_PLANE = [
    (70e9, 0.30, 2699.0, 0.10, 0.2),  # test 2: aluminium alloy
    (40e9, 0.35, 1800.0, 0.10, 0.2),  # magnesium alloy
    (380e9, 0.23, 4000.0, 0.0025, 3.9),  # tests 3 and 4: aluminium oxide
]
# Depth (m), force (N) and duration (s) by the closed form
CLOSED_FORM = [
    (274.112702e-6, 10696.888984, 40.339456e-6),
    (368.304026e-6, 7108.241280, 54.201005e-6),
    (49.717175e-6, 11369.858311, 731.656641e-6),
    (52.123288e-6, 7232.681026, 767.065905e-6),
    (8.088808e-6, 615.351569, 6.104510e-6),
]


def hertz_impacts() -> tuple[Results, list[int], float]:
    """All five in one run, each by itself; at least 300 steps a contact."""
    deck = ContactDeck(0.8e-3, 2e-8, 1e-7)
    floor = deck.solid("PLANE", 0)
    gap = 1e-6
    nodes = []
    for k, (e, nu, density, radius, speed) in enumerate(TWO_BALLS):
        mass = ball_mass(density, radius)
        places = (0.0, 5.0 + k, radius + gap / 2), (0.0, 5.0 + k, -radius - gap / 2)
        balls = [
            deck.ball(place, mass, radius, (0.0, 0.0, sign * speed), (0.0, 0.0, 0.0))
            for place, sign in zip(places, (-1.0, 1.0), strict=True)
        ]
        deck.poisson((balls[0][1], balls[1][1]), hertz_stiffness((e, e), (nu, nu), (radius, radius)), 1.0)
        nodes.append(balls[0][0])
    for k, (e, nu, density, radius, speed) in enumerate(ON_PLANE):
        stiffness = hertz_stiffness((e, math.inf), (nu, 0.0), (radius, math.inf))
        law = {"stiffness": stiffness, "restitution": 1.0, "kind": deck.poisson}
        nodes.append(drop(deck, 3 * k, ball_mass(density, radius), radius, speed, gap, floor, **law))
    return run(deck), nodes, gap


@pytest.fixture(scope="module")
def hertz():
    return hertz_impacts()


def test_constant_of_the_duration():
    assert pytest.approx(2.9432751843247047, rel=1e-14) == HERTZ_TIME


@pytest.mark.parametrize("k", range(5), ids=["glass", "limestone", "aluminium", "magnesium", "aluminium oxide"])
def test_hertz_impact(hertz, k):
    """Depth, peak force and duration of Chung and Ooi's tests 1, 2 and 3 without damping, to 1e-4."""
    results, nodes, gap = hertz
    _, _, _, radius, speed = (TWO_BALLS + ON_PLANE)[k]
    depth, force, duration = CLOSED_FORM[k]
    t, interface = results.times, k + 1
    inside = t <= (duration + gap / speed) * 1.2  # the table's samples lie 1e-7 s apart
    few = inside.sum() < 100  # of the shortest impact
    tolerance = 1e-3 if few else 1e-4
    assert results.of("th/inter", "PEN", interface).max() == pytest.approx(depth, rel=tolerance)
    assert peak(t, results.of("th/inter", "PEN", interface)) == pytest.approx(depth, rel=1e-4)
    assert peak(t, results.of("th/inter", "FNZ", interface)) == pytest.approx(force, rel=1e-4)
    between_balls = k < len(TWO_BALLS)
    start = gap / 2 if between_balls else gap
    rest = radius  # where ball i just touches: both move alike
    measured = time_apart(results, results.node("Z", nodes[k]), rest, start / speed)
    assert measured == pytest.approx(duration, rel=1e-4)
    assert results.node("VZ", nodes[k])[-1] == pytest.approx(speed, rel=1e-6)


def test_closed_forms_are_those_of_hertz():
    """The table above against z_max = (5 m v^2/(4 K))^(2/5), F = K z^1.5, t = C z_max/v."""
    for k, (e, nu, density, radius, speed) in enumerate(TWO_BALLS + ON_PLANE):
        mass = ball_mass(density, radius)
        if k < len(TWO_BALLS):
            mass, closing, stiffness = mass / 2, 2 * speed, hertz_stiffness((e, e), (nu, nu), (radius, radius))
        else:
            closing, stiffness = speed, hertz_stiffness((e, math.inf), (nu, 0.0), (radius, math.inf))
        depth = (1.25 * mass * closing**2 / stiffness) ** 0.4
        expected = (depth, stiffness * depth**1.5, HERTZ_TIME * depth / closing)
        assert CLOSED_FORM[k] == pytest.approx(expected, rel=1e-7)


# ---- IMPACT ----------------------------------------------------------------------------------------------------

# m = 1, K = 1e7, e = 1.5, v = 1, damping 1000: dmax, rebound, depth, peak force, time of separation
IMPACT_TABLE = [
    (1e-4, 0.146430950, 777.716902e-6, 960.2442, 7767.99e-6),
    (1e-3, 0.241777138, 1076.66993e-6, 766.03799, 6992.51e-6),
]


def impacts(dt: float, phases: int = 1, radius: float = 0.1) -> tuple[Results, list[int]]:
    """Both lines of the table; each several times, met at other times within a step."""
    deck = ContactDeck(9e-3, dt, dt if phases == 1 else 9e-3)
    floor = deck.solid("PLANE", 0)
    nodes = []
    for k, (depth, *_) in enumerate(IMPACT_TABLE):
        for phase in range(phases):
            law = {"stiffness": 1e7, "exponent": 1.5, "damping": 1e3, "depth": depth}
            gap = 1e-4 + dt * phase / phases
            nodes.append(drop(deck, k * phases + phase, 1.0, radius, 1.0, gap, floor, **law))
    return run(deck), nodes


@pytest.fixture(scope="module")
def fine_impacts():
    return impacts(1e-6)


@pytest.mark.parametrize("k", [0, 1])
def test_impact_law(fine_impacts, k):
    """Rebound, depth and peak force against an accurate solution of the equation of motion, to 1e-4."""
    results, nodes = fine_impacts
    _, rebound, depth, force, apart = IMPACT_TABLE[k]
    t = results.times
    assert results.node("VZ", nodes[k])[-1] == pytest.approx(rebound, rel=1e-4)
    assert peak(t, results.of("th/inter", "PEN", k + 1)) == pytest.approx(depth, rel=1e-4)
    assert results.of("th/inter", "FNZ", k + 1).max() == pytest.approx(force, rel=1e-4)
    duration = time_apart(results, results.node("Z", nodes[k]), 0.1, 1e-4)
    assert duration == pytest.approx(apart, rel=1e-4)


@pytest.mark.parametrize("k", [0, 1])
def test_impact_table_is_the_solution_of_its_equation(k):
    dmax, rebound, depth, force, apart = IMPACT_TABLE[k]

    def law(z, rate):
        d = min(1.0, z / dmax)
        return max(0.0, 1e7 * max(z, 0.0) ** 1.5 + 1e3 * d * d * (3 - 2 * d) * rate)

    def leaves(_, y):
        return y[0]

    def turns(_, y):
        return y[1]

    leaves.terminal, leaves.direction = True, -1
    solution = solve_ivp(lambda _, y: (y[1], -law(*y)), (0, 1e-2), (1e-300, 1.0), method="DOP853",
                         events=(leaves, turns), rtol=1e-12, atol=1e-15, max_step=2e-6)  # fmt: skip
    assert -solution.y[1, -1] == pytest.approx(rebound, rel=1e-8)
    assert solution.t[-1] == pytest.approx(apart, rel=1e-6)
    assert solution.y_events[1][0][0] == pytest.approx(depth, rel=1e-8)
    assert max(law(*y) for y in solution.y.T) == pytest.approx(force, rel=1e-5)


def test_impact_is_of_second_order():
    """Error of the rebound over sixteen phases of first touch, root mean square, at three steps."""
    steps, phases = [4e-5, 2e-5, 1e-5], 16
    errors = []
    for dt in steps:
        results, nodes = impacts(dt, phases)
        speeds = np.array([results.node("VZ", node)[-1] for node in nodes]).reshape(2, phases)
        errors.append([float(np.sqrt(np.mean((speeds[k] - IMPACT_TABLE[k][1]) ** 2))) for k in (0, 1)])
    for k in (0, 1):
        assert observed_order([e[k] for e in errors], steps) > 1.7, errors
        assert errors[-1][k] <= 2e-4


# ---- restitution -----------------------------------------------------------------------------------------------


def rebounds(restitutions, steps_a_contact: int, transition: float, speed: float = 3.0, phases: int = 1,
            cut: bool = False) -> np.ndarray:  # fmt: skip
    """(n, phases) ratio of the speeds after and before, of balls of 1 kg under the law POISSON."""
    stiffness = 1e8
    duration = HERTZ_TIME * (1.25 * speed**2 / stiffness) ** 0.4 / speed
    dt = duration / steps_a_contact
    deck = ContactDeck(20 * duration, dt, 20 * duration)  # low restitution lets go slowly
    deck.zero_crossing = cut
    floor = deck.solid("PLANE", 0)
    nodes = []
    for k, restitution in enumerate(restitutions):
        for phase in range(phases):
            law = {"stiffness": stiffness, "restitution": restitution, "transition": transition, "kind": deck.poisson}
            gap = dt * speed * (1 + phase / phases)
            nodes.append(drop(deck, k * phases + phase, 1.0, 0.1, speed, gap, floor, **law))
    results = run(deck)
    return np.array([results.node("VZ", node)[-1] / speed for node in nodes]).reshape(-1, phases)


def test_the_coefficient_of_restitution_is_what_comes_back():
    """At 300 v_t, within 0.005 at 400 steps a contact."""
    restitutions = np.linspace(0.0, 1.0, 21)
    error = rebounds(restitutions, 400, 3.0 / 300, phases=4) - restitutions[:, None]
    assert np.max(np.abs(error)) <= 0.005


def test_restitution_at_the_automatic_step_is_as_close_as_the_manual_says():
    """20 steps a bounce: at CR 1 to 0.001, at 0.5 to 0.01, at 0.3 to 0.02, at 0.05 to 0.07, at 0 to 0.11."""
    allowed = {1.0: 0.001, 0.5: 0.01, 0.3: 0.02, 0.05: 0.07, 0.0: 0.11}
    restitutions = np.array(list(allowed))
    error = rebounds(restitutions, 20, 3.0 / 300, phases=8) - restitutions[:, None]
    assert np.all(np.max(np.abs(error), axis=1) <= np.array(list(allowed.values())))


@pytest.mark.parametrize("transition", [0.1, 0.03])
def test_without_restitution_the_transition_velocity_comes_back(transition):
    """With CR = 0 the law lets go at v_t, which is seen where the step is short against the time at that speed."""
    ratio = rebounds([0.0], 1000, transition)[0, 0]
    assert ratio == pytest.approx(transition / 3.0, rel=0.01)


def test_elastic_impacts_give_the_energy_back():
    """To 1e-3 at 20 steps a contact, to 1e-6 at 400, whenever within a step the ball arrives; of second order."""
    worst = {n: np.max(np.abs(rebounds([1.0], n, 1.0, phases=16) ** 2 - 1)) for n in (20, 50, 100, 400)}
    assert worst[20] <= 1e-3
    assert worst[400] <= 1e-6
    assert observed_order([worst[20], worst[50], worst[100], worst[400]], [1 / 20, 1 / 50, 1 / 100, 1 / 400]) >= 1.9


def test_impacts_stay_of_second_order_where_the_step_is_cut_at_first_touch():
    """With zero_crossing the worst of sixteen phases shrinks with the square of the step, and is less than without."""
    counts = (20, 40, 80, 160)
    whole, worst = (
        [np.max(np.abs(rebounds([1.0], count, 1.0, phases=16, cut=cut) - 1.0)) for count in counts]
        for cut in (False, True)
    )
    assert np.all(np.array(worst) < whole)
    assert observed_order(worst, [1 / count for count in counts]) >= 1.9


@pytest.mark.parametrize("cut", [False, True], ids=["whole steps", "cut at first touch"])
@pytest.mark.parametrize("count", [20, 25.13, 40.3, 80.7])
def test_linear_impacts_get_all_of_their_force(count, cut):
    """At n steps a bounce, at any phase, the rebound is right to (pi/n)^3/60; an end cut off would cost (pi/n)^2/12."""
    stiffness, speed, phases = 1e6, 1.0, 8
    dt = math.pi / math.sqrt(stiffness) / count
    deck = ContactDeck(60 * dt + 30 * dt * (count / 20), dt, 200 * dt)
    deck.zero_crossing = cut
    floor = deck.solid("PLANE", 0)
    nodes = [
        drop(deck, k, 1.0, 0.1, speed, dt * speed * (20 + (k + 0.5) / phases), floor, stiffness=stiffness, exponent=1.0,
             kind=deck.impact)
        for k in range(phases)
    ]  # fmt: skip
    results = run(deck)
    error = np.array([results.node("VZ", node)[-1] for node in nodes]) - speed
    assert np.max(np.abs(error)) <= (math.pi / count) ** 3 / 60


def test_nodes_with_a_mass_bounce_off_each_other_as_smooth_balls_do():
    """Without friction nothing turns: whether the solids are fixed to bodies that could must make no difference."""
    mass, radius, speed = 1.0, 0.1, 2.0
    found = []
    for turning in (False, True):
        deck = ContactDeck(0.02, 1e-5, 1e-3)
        places = [(0.0, 0.0, 0.0), (0.11, 0.05, 0.17), (0.3, 0.02, 0.1)]
        velocities = [(speed, 0.0, speed), (0.0, 0.0, -speed), (-speed, 0.0, 0.0)]
        balls = []
        for number, (place, velocity) in enumerate(zip(places, velocities, strict=True), 1):
            if turning:
                node, ball = deck.ball(place, mass, radius, velocity)
            else:
                node = 1000 + number
                deck.nodes({node: place})
                deck.masses([node], mass)
                deck.velocity(node, velocity, (0.0, 0.0, 0.0))
                ball = deck.solid("SPHERE", node, radius)
            balls.append((node, ball))
        floor = deck.solid("PLANE", 0, centre=(0.0, 0.0, -0.12))
        everything = deck.together([ball for _, ball in balls] + [floor])
        deck.impact((everything, 0), stiffness=1e6, exponent=1.5, damping=50.0, depth=1e-6)
        results = run(deck)
        found.append(np.array([results.node_vector("V", node) for node, _ in balls]))
    assert abs(found[0][:, -1] - found[0][:, 0]).max(axis=1).min() > 0.1  # all were hit
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-11 * speed)


# ---- cradle ----------------------------------------------------------------------------------------------------

# Speeds over that of the first ball, three equal balls that touch, by exponent of the law: free of other parameters
CRADLE = {1.5: (-0.07095235, 0.07640304, 0.99454931), 1.0: (-0.13026170, 0.15022957, 0.98003213)}


def cradle(exponent: float) -> tuple[Results, list[float]]:
    """A run of three balls of 2 kg, and their speeds at its end."""
    deck = ContactDeck(0.2, 1e-5, 1e-3)
    first, *others = (
        deck.ball((float(k), 0.0, 0.0), 2.0, 0.5, (1.0 if k == 0 else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for k in range(3)
    )
    balls = [first, *others]
    deck.impact((deck.together([surface for _, surface in balls]), 0), 1e6 if exponent == 1.5 else 3e4, exponent)
    results = run(deck)
    return results, [float(results.node("VX", node)[-1]) for node, _ in balls]


@pytest.mark.parametrize("exponent", sorted(CRADLE))
def test_newtons_cradle(exponent):
    results, speeds = cradle(exponent)
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    assert speeds == pytest.approx(CRADLE[exponent], abs=2e-6)
    assert sum(speeds) == pytest.approx(1.0, rel=1e-12)
    momentum = results.momentum()[:, 0]
    assert np.max(np.abs(momentum - 2.0)) <= 1e-12
    assert np.max(np.abs(results.imbalance())) <= 1e-12


# ---- what is kept ----------------------------------------------------------------------------------------------


def collision(kinds, friction, mode, *, offset=(0.0, 0.0, 0.0), inertias=(0.013,) * 3, dt=1e-4) -> Results:
    """Two spinning bodies that meet off their centres; inertias of a solid that is no ball, for 1 kg."""
    deck = ContactDeck(0.3, dt, 1e-2)
    motions = [((1.0, 0.1, 0.0), (3.0, -2.0, 5.0)), ((-1.0, 0.0, 0.2), (-1.0, 6.0, 2.0))]
    places = [(-0.25, 0.05, 0.02), (0.25, -0.04, 0.0)]
    sides = []
    for kind, place, motion, mass in zip(kinds, places, motions, (1.0, 1.7), strict=True):
        where = tuple(np.add(place, offset))
        if kind == "SPHERE":
            sides.append(deck.ball(where, mass, 0.15, *motion)[1])
            continue
        node = deck.free_body(where, mass, tuple(inertia * mass for inertia in inertias), *motion)
        sizes = {"BOX": (0.3, 0.25, 0.2), "CYLINDER": (0.12, 0.3), "ELLIPSOID": (0.2, 0.15, 0.1),
                 "FRUSTUM": (0.15, 0.05, 0.3)}[kind]  # fmt: skip
        sides.append(deck.solid(kind, node, *sizes))
    deck.poisson(tuple(sides), 3e5, 0.6, 0.05, friction, mode)
    return run(deck)


COULOMB, STICKS = (0.4, 0.3, 0.01, 0.05), (0.4, 0.3, 0.01, 0.05, 2e4, 5.0)


def check_momenta(results: Results, size: float = 1.0) -> None:
    """Momenta to 1e-12 of what the bodies carry, at a distance of `size`; and there was an impact."""
    assert results.of("th/inter", "NPATCH", 1).max() >= 1
    assert results.of("th/inter", "EDISS", 1)[-1] > 1e-3
    linear, angular = results.momentum(), results.angular_momentum()
    assert np.max(np.abs(linear - linear[0])) <= 1e-12 * 3.0
    assert np.max(np.abs(angular - angular[0])) <= 1e-12 * max(1.0, 3.0 * size)


def energy_error(results: Results) -> float:
    """Largest imbalance of all energies, over the energy at the start."""
    return float(np.max(np.abs(results.imbalance())) / results.scalar("energy", "total")[0])


@pytest.mark.parametrize("friction, mode", [((), 0), (COULOMB, 1), (COULOMB, 2), (STICKS, 4)])
def test_balls_that_collide_keep_momenta_and_balance_energy(friction, mode):
    results = collision(("SPHERE", "SPHERE"), friction, mode)
    check_momenta(results)
    assert energy_error(results) <= 1e-12
    if mode:
        assert results.of("th/inter", "EFRIC", 1)[-1] > 1e-3


@pytest.mark.parametrize("kinds", [("BOX", "BOX"), ("CYLINDER", "BOX"), ("ELLIPSOID", "FRUSTUM"), ("SPHERE", "BOX")])
@pytest.mark.parametrize("friction, mode", [(COULOMB, 1), (STICKS, 4)])
def test_solids_that_collide_keep_momenta_and_balance_energy(kinds, friction, mode):
    """Bodies that turn like balls: nothing but the contacts could spoil the balance."""
    results = collision(kinds, friction, mode)
    check_momenta(results)
    assert energy_error(results) <= 1e-12


def test_bodies_of_three_inertias_keep_momenta_and_balance_energy_as_their_free_flight_does():
    """Their free rotation itself has an error of second order in the energy, and none in the momenta."""
    inertias = (0.010, 0.013, 0.016)
    errors = []
    for dt in (2e-4, 1e-4, 5e-5):
        results = collision(("BOX", "CYLINDER"), COULOMB, 1, inertias=inertias, dt=dt)
        check_momenta(results)
        errors.append(energy_error(results))
    assert errors[1] <= 1e-6
    assert observed_order(errors, [2e-4, 1e-4, 5e-5]) >= 1.8


def test_a_collision_far_from_the_origin_is_the_same():
    near, far = (collision(("BOX", "SPHERE"), COULOMB, 1, offset=(offset, 0.0, 0.0)) for offset in (0.0, 1024.0))
    check_momenta(far, 1024.0)
    for channel in ("VX", "VY", "VZ", "VRX", "VRY", "VRZ"):
        np.testing.assert_allclose(far.node(channel, 1), near.node(channel, 1), rtol=0, atol=1e-9)


def test_a_symmetric_break_stays_symmetric():
    """Balls beside the line of the shot are mirror images of each other, though a break magnifies every difference."""
    results = run(DECKS / "billiard_break" / "billiard_break.rad", t_end=0.25)
    assert np.max(np.abs(results.node("Y", 1))) <= 1e-12
    for left, right in ((3, 4), (5, 7), (8, 11), (9, 10), (12, 16), (13, 15)):
        assert np.ptp(results.node("Y", left)) > 1e-3
        np.testing.assert_allclose(results.node("Y", left), -results.node("Y", right), rtol=0, atol=1e-12)
        np.testing.assert_allclose(results.node("X", left), results.node("X", right), rtol=0, atol=1e-12)
