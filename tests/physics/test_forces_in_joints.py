"""Springs, dampers, stops and friction along the coordinates of joints, against closed forms."""

import numpy as np
import pytest
from deck_text import FORCES, DeckText
from gsolve.solver.run.simulation import Simulation
from running import Results, observed_order, read, run

JOINT = 1
MASS, INERTIA = 1.5, 0.02  # of the body that moves: about or along the axis of the joint
SLANT = (0.6, 0.0, 0.8)


def joint(deck, kind, node_i, node_j, axis, *, pitch=0.0, number=JOINT, **coordinates):
    """/JOINT; coordinates: what acts along each, as dicts of the names of the fields."""
    cards = [f"{node_i:>10}{node_j:>10}{0:>10}", "".join(f"{x:>20.13g}" for x in axis), f"{'':60}{pitch:>20.13g}"]
    for given in coordinates.values():
        assert not set(given) - {name for names in FORCES for name in names}
        cards += ["".join(f"{given.get(name, ''):>20}" for name in names) for names in FORCES]
    deck.block(f"/JOINT/{kind}/{number}", "joint", *cards)


def one_body(kind, rate, given, *, t_end=0.5, dt=1e-3, axis=SLANT, off=0.0, **extra) -> DeckText:
    """A body of MASS, and INERTIA about any axis, with one joint to the ground and a rate along its coordinate.

    off : distance from the axis of the joint to the centre of mass
    """
    deck = DeckText(t_end, dt, t_end / 100)
    across = np.array((-axis[2], 0.0, axis[0]))
    deck.nodes({1: off * across, 2: off * across + (0.1, 0, 0), 3: off * across + (0, 0.1, 0), 4: (0, 0, 0)})
    deck.rigid_body(1, [2, 3, 4], MASS, (INERTIA,) * 3)
    joint(deck, kind, 0, 4, axis, q=given, **extra)
    along = rate * np.array(axis)
    turning = kind == "REVOLUTE"
    spin = along if turning else (0.0, 0.0, 0.0)
    deck.velocity(1, np.cross(spin, off * across) if turning else along, spin)
    return deck


def coordinate(results: Results, kind: str):
    """The coordinate of the joint and its rate."""
    names = ("ANG", "RATE") if kind == "REVOLUTE" else ("U", "V")
    return tuple(results.of("th/joint", name, JOINT) for name in names)


def energy(results: Results, name: str):
    return results.scalar("energy", name)


BOTH = pytest.mark.parametrize(("kind", "inertia"), [("REVOLUTE", INERTIA), ("TRANSLATIONAL", MASS)])


@BOTH
def test_spring_swings_about_its_free_value_and_preload(kind, inertia):
    stiffness, free_value, rate = 900.0 * inertia, 0.2, 3.0
    preload = 0.1 * stiffness
    results = run(one_body(kind, rate, dict(stiffness=stiffness, free_value=free_value, preload=preload)))
    q, velocity = coordinate(results, kind)
    t, w, middle = results.times, 30.0, free_value + preload / stiffness
    phase_error = (w * 1e-3) ** 2 / 24 * w * t[-1]  # of the central differences
    amplitude = np.hypot(middle, rate / w)
    exact = middle - middle * np.cos(w * t) + rate / w * np.sin(w * t)
    np.testing.assert_allclose(q, exact, atol=1.5 * amplitude * phase_error)
    np.testing.assert_allclose(velocity[0], rate, rtol=1e-12)
    assert np.abs(energy(results, "error")).max() < 1e-12 * energy(results, "total").max()
    spring = results.of("th/joint", "MSPRING" if kind == "REVOLUTE" else "FSPRING", JOINT)
    np.testing.assert_allclose(spring, preload - stiffness * (q - free_value), rtol=1e-12)


@BOTH
def test_damped_swing_decays_as_it_should_in_second_order(kind, inertia):
    rate, w, decay = 3.0, 30.0, 4.0
    given = dict(stiffness=(w**2 + decay**2) * inertia, damping=2 * decay * inertia)
    errors = []
    for dt in (1e-3, 5e-4):
        results = run(one_body(kind, rate, given, dt=dt))
        q, _ = coordinate(results, kind)
        exact = rate / w * np.exp(-decay * results.times) * np.sin(w * results.times)
        errors.append(np.abs(q - exact).max())
        lost = energy(results, "damping_dissipated")
        kept = energy(results, "total") + energy(results, "kinetic_correction")
        np.testing.assert_allclose(lost + kept, kept[0], rtol=1e-12)
    assert errors[0] < 1e-3 * rate / w
    assert 3.8 < errors[0] / errors[1] < 4.2


@BOTH
def test_undamped_stops_throw_back_what_hits_them(kind, inertia):
    """Between two stops: each contact takes half a period of the stop's spring."""
    rate, w, lower, upper = 2.0, 100.0, -0.05, 0.1
    given = dict(lower=lower, upper=upper, stop_stiffness=w**2 * inertia)
    errors = []
    for dt in (2e-4, 1e-4):
        results = run(one_body(kind, rate, given, dt=dt, t_end=0.6))
        q, velocity = coordinate(results, kind)
        t = results.times
        free, contact = (upper - lower) / rate, np.pi / w
        phase = np.mod(t - lower / rate, 2 * (free + contact))
        exact = np.interp(phase, (0, free, free + contact, 2 * free + contact), (lower, upper, upper, lower))
        for start, stop, sign in ((free, upper, 1), (2 * free + contact, lower, -1)):
            touching = (phase > start) & (phase < start + contact)
            exact[touching] = stop + sign * rate / w * np.sin(w * (phase[touching] - start))
        errors.append(np.abs(q - exact).max())
        assert np.abs(energy(results, "error")).max() < 5e-4 * energy(results, "total")[0]
        apart = (q > lower + 0.01) & (q < upper - 0.01)
        np.testing.assert_allclose(np.abs(velocity[apart]), rate, rtol=2e-4)
    assert errors[0] < 2e-4
    assert errors[1] < 0.5 * errors[0]


def test_damped_stop_restores_the_published_part_of_the_speed_and_never_pulls():
    """T. Schwager, T. Poeschel, Granular Matter 9 (2007) 465-469: force max(0, K z + C z')."""
    rate, w_0, decay = 2.0, 100.0, 40.0
    given = dict(upper=0.01, stop_stiffness=w_0**2 * MASS, stop_damping=2 * decay * MASS)
    w = np.sqrt(w_0**2 - decay**2)
    restitution = np.exp(-decay / w * (np.pi - np.arctan2(2 * decay * w, w**2 - decay**2)))
    errors = []
    for dt in (1e-4, 1e-5):
        results = run(one_body("TRANSLATIONAL", rate, given, dt=dt, t_end=0.06))
        _, velocity = coordinate(results, "TRANSLATIONAL")
        errors.append(abs(-velocity[-1] / rate - restitution))
        total = results.of("th/joint", "FSPRING", JOINT) + results.of("th/joint", "FDAMP", JOINT)
        assert total.min() < -100.0 and total.max() <= 0.0
        assert np.abs(energy(results, "error")).max() < 0.5 * dt * w_0 * energy(results, "total")[0]
    assert errors[0] < 5e-3
    assert errors[1] < 5e-4


@BOTH
def test_friction_brings_a_flywheel_to_rest_at_the_closed_form_time(kind, inertia):
    """Linear decay down to the slip velocity v, then u' = -(T/(J v)) u (3 - u^2)/2 for u = rate/v."""
    rate, friction, slip = 20.0, 100.0 * inertia, 0.5
    deck = one_body(kind, rate, dict(friction_force=friction, slip_velocity=slip), t_end=0.25, dt=1e-4)
    results = run(deck)
    _, velocity = coordinate(results, kind)
    t, slows = results.times, (rate - slip) * inertia / friction
    y = 0.5 * np.exp(-3 * friction / (inertia * slip) * np.maximum(t - slows, 0.0))
    exact = np.where(t < slows, rate - friction / inertia * t, slip * np.sqrt(3 * y / (1 + y)))
    np.testing.assert_allclose(velocity, exact, atol=1e-4 * slip)
    kept = energy(results, "total") + energy(results, "kinetic_correction")
    np.testing.assert_allclose(energy(results, "friction_dissipated")[-1], kept[0], rtol=1e-10)
    assert np.abs(energy(results, "damping_dissipated")).max() < 1e-13 * energy(results, "total")[0]
    assert np.abs(energy(results, "error")).max() < 1e-12 * energy(results, "total")[0]
    # at rest it holds against a force below its own: it creeps at u (3 - u^2)/2 = 1/2
    if kind == "TRANSLATIONAL":
        deck.load(1, "Z", 0.5 * friction / SLANT[2])
        creeping = coordinate(run(deck, t_end=0.5), kind)[1][-1]
        assert creeping == pytest.approx(slip * 2 * np.sin(np.arcsin(0.5) / 3), rel=1e-9)


def test_slider_on_an_incline_rubs_with_the_force_of_its_bearing():
    """g (sin a - mu cos a) = 2.356287237 m/s2 down a slope of 30 degrees with mu = 0.3, g = 9.81."""
    downhill = (np.sqrt(0.75), 0.0, -0.5)
    given = dict(friction_coeff=0.3, slip_velocity=0.05)
    deck = one_body("TRANSLATIONAL", 0.1, given, axis=downhill)
    deck.gravity([1], "Z", -9.81)
    results = run(deck)
    _, velocity = coordinate(results, "TRANSLATIONAL")
    acceleration = 9.81 * (0.5 - 0.3 * np.sqrt(0.75))
    np.testing.assert_allclose(velocity, 0.1 + acceleration * results.times, rtol=1e-10)
    np.testing.assert_allclose(results.of("th/joint", "FFRICT", JOINT), -0.3 * MASS * 9.81 * np.sqrt(0.75), rtol=1e-9)


def test_eccentric_flywheel_rubs_with_its_centrifugal_force_in_second_order():
    """J w' = -mu r N, N = m e sqrt(w^4 + w'^2): w = w_0/(1 + c w_0 t), c = k/sqrt(1 - k^2), k = mu r m e/J."""
    rate, off, mu, radius = 20.0, 0.1, 0.5, 0.06
    k = mu * radius * MASS * off / (INERTIA + MASS * off**2)
    slope = k / np.sqrt(1 - k**2)
    errors, steps = [], [2e-3, 1e-3, 5e-4]
    for dt in steps:
        given = dict(friction_coeff=mu, radius=radius, slip_velocity=1.0)
        results = run(one_body("REVOLUTE", rate, given, off=off, dt=dt))
        _, velocity = coordinate(results, "REVOLUTE")
        errors.append(np.abs(velocity - rate / (1 + slope * rate * results.times)).max())
    assert errors[-1] < 1e-4 * rate
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.1)


def test_screw_rubs_with_the_thrust_of_its_thread():
    """J q'' = (l - mu r) N for the nut, m l q'' = F - N: q'' = (l - mu r) F/(J + (l - mu r) m l)."""
    pitch, thrust, mu, radius = 0.3, 40.0, 0.2, 0.05
    lead = pitch / (2 * np.pi)
    given = dict(friction_coeff=mu, radius=radius, slip_velocity=0.5)
    deck = one_body("SCREW", 1.0, given, axis=(0, 0, 1), pitch=pitch)
    deck.velocity(1, (0, 0, lead), (0, 0, 1.0))
    deck.load(1, "Z", thrust)
    results = run(deck)
    gain = lead - mu * radius
    expected = 1.0 + gain * thrust / (INERTIA + gain * MASS * lead) * results.times
    np.testing.assert_allclose(results.of("th/joint", "RATE", JOINT), expected, rtol=1e-9)


def free_pair(t_end: float, dt: float | None) -> DeckText:
    """Two bodies of three different inertias that tumble freely, on a cylindrical joint with all that can act in it."""
    deck = DeckText(t_end, dt, t_end / 100)
    places = {1: (0, 0, 0), 2: (0.1, 0, 0), 3: (0, 0.1, 0), 4: (0.2, 0, 0.3), 5: (0.3, 0, 0.3), 6: (0.2, 0, 0.4)}
    on_axis = np.array((0.1, 0.05, 0.1))
    deck.nodes({**places, 7: on_axis, 8: on_axis + 0.2 * np.array(SLANT)})
    deck.rigid_body(1, [2, 3, 7], 1.0, (0.02, 0.03, 0.045))
    deck.rigid_body(4, [5, 6, 8], 2.0, (0.04, 0.03, 0.02))
    joint(
        deck, "CYLINDRICAL", 7, 8, SLANT,
        rotation=dict(stiffness=5.0, damping=0.01, friction_force=0.1, slip_velocity=0.2),
        translation=dict(
            stiffness=300.0, damping=0.5, preload=3.0, lower=-0.02, upper=0.02, stop_stiffness=2e3, stop_damping=1.0,
            friction_force=0.1, friction_coeff=0.1, slip_velocity=0.05,
        ),
    )  # fmt: skip
    spin, relative = np.array((3.0, 4.0, 5.0)), 6.0 * np.array(SLANT)
    deck.velocity(1, (0, 0, 0), spin)
    deck.velocity(4, np.cross(spin, places[4]) + np.cross(relative, places[4] - on_axis), spin + relative)
    return deck


def test_forces_in_a_joint_keep_momentum_and_book_what_is_lost():
    results = run(free_pair(1.0, 1e-4))
    angular, linear = results.angular_momentum(), results.momentum()
    assert np.abs(angular - angular[0]).max() < 1e-12 * np.linalg.norm(angular[0])
    assert np.abs(linear - linear[0]).max() < 1e-12
    lost = energy(results, "damping_dissipated") + energy(results, "friction_dissipated")
    assert energy(results, "friction_dissipated")[-1] > 0.02 * energy(results, "total")[0]
    np.testing.assert_allclose(energy(results, "error"), 0.0, atol=1e-4 * lost[-1])
    q = results.of("th/joint", "U", JOINT)
    assert q.max() > 0.02, "the stop is met"


@pytest.mark.parametrize(
    ("given", "step", "cause"),
    [
        (dict(stiffness=4e6 * MASS), 0.9e-3, "the springs and stops"),
        (dict(upper=1.0, stop_stiffness=4e6 * MASS), 0.9e-3, "the springs and stops"),
        (dict(damping=2e3 * MASS), 0.9e-3, "damping and friction"),
        (dict(friction_force=20.0 * MASS, slip_velocity=0.015), 0.9e-3, "damping and friction"),
    ],
)
def test_automatic_step_sees_what_acts_in_joints(given, step, cause):
    simulation = Simulation(read(one_body("TRANSLATIONAL", 0.0, given, dt=None, t_end=10.0)))
    assert simulation.dt == pytest.approx(step, rel=0.1) and simulation.dt <= step
    assert simulation.dt_reason == f"0.9 of the stable step 0.001 of {cause} in /JOINT/TRANSLATIONAL/1 'joint'"


def test_automatic_step_is_halved_where_the_force_of_a_bearing_makes_friction_steep():
    deck = one_body("TRANSLATIONAL", 1.0, dict(friction_coeff=0.5, slip_velocity=0.005), dt=None, axis=(1, 0, 0))
    deck.gravity([1], "Z", -9.81)
    results = run(deck, t_end=2.0)
    stable = 2 / (1.5 * 0.5 * 9.81 / 0.005)
    (message,) = results.simulation.messages
    assert message.endswith(
        f"longer than 0.9 of the stable step {stable / 1.1:.4g} of damping and friction in "
        "/JOINT/TRANSLATIONAL/1 'joint'"
    )
    assert 0.4 * stable < results.simulation.dt <= 0.9 * stable
    # at rest without chatter
    assert np.abs(coordinate(results, "TRANSLATIONAL")[1][-10:]).max() < 1e-12


def test_sliders_that_rub_on_one_light_body_share_its_step():
    """Two heavy sliders on a light one: together they are twice as steep as each."""
    deck = DeckText(2.0, None, 0.02)
    deck.nodes({1: (0, 0, 0), 2: (-1, 0, 0), 3: (1, 0, 0)})
    given = dict(friction_coeff=0.5, slip_velocity=0.01)
    for node, mass in ((1, 1.0), (2, 1e6), (3, 1e6)):
        deck.masses([node], mass)
        deck.hold([node], "000 111")
    for number, node in ((1, 2), (2, 3)):
        joint(deck, "STRUT", node, 1, (1, 0, 0), number=number, q=given)
    deck.load(1, "Z", 40.0)
    deck.velocity(1, (1.0, 0, 0), (0, 0, 0))
    results = run(deck)
    slope = 1.5 * 0.5 * 20.0 / 0.01
    assert results.simulation.dt <= 0.9 * 2 / (2 * slope)


def test_imposed_step_too_long_for_friction_is_told_once():
    deck = one_body("TRANSLATIONAL", 1.0, dict(friction_coeff=0.5, slip_velocity=0.005), axis=(1, 0, 0))
    deck.gravity([1], "Z", -9.81)
    (warning,) = run(deck, dt=2e-3).simulation.new_warnings
    assert warning.message == (
        "the imposed time step 0.002 is longer than the stable step 0.001236 of damping and friction in "
        "/JOINT/TRANSLATIONAL/1 'joint': the run may diverge, or friction chatter"
    )
