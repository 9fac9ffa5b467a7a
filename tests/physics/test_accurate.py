"""Steps that are controlled by their error: what they reach, the balance, what they end at, where they are not."""

from __future__ import annotations

import gsolve
import numpy as np
import pytest
from closed_form import AsymmetricTop, Pendulum
from deck_text import DeckText
from gsolve.parser.keywords.contact_laws import PoissonLaw
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine
from linkages import ParallelFourBars
from parallel_cranks import random_cranks
from random_linkages import RandomLinkage
from running import DECKS, Results, read, run
from transformed import transformed

ASYMMETRIC_TOP = DECKS / "asymmetric_top" / "asymmetric_top.rad"
FOUR_BAR = DECKS / "four_bar" / "four_bar.rad"
FREE_GEARBOX = DECKS / "free_gearbox" / "free_gearbox.rad"
PENDULUM = DECKS / "pendulum" / "pendulum.rad"
TOP = AsymmetricTop((1.0, 2.0, 3.0), (0.05, 2.0, 0.05))
TOLERANCES = (1e-4, 1e-6, 1e-8)


def steps_of(results: Results) -> int:
    controlled = results.simulation.controlled_steps
    assert controlled is not None
    return controlled.taken + controlled.rejected


# ---- reached errors ----------------------------------------------------------------------------------------------


def pendulum_error(results: Results) -> float:
    x, y = Pendulum().position(results.times)
    return float(np.max(np.hypot(results.node("X", 2) - x, results.node("Y", 2) - y)))


def test_pendulum_keeps_to_its_tolerance_with_steps_of_fifth_order():
    """A hundred times less error takes the fifth root of a hundred as many steps."""
    runs = [run(PENDULUM, t_end=10.0, every=5.0, accuracy=tolerance) for tolerance in TOLERANCES]
    for results, tolerance in zip(runs, TOLERANCES, strict=True):
        assert pendulum_error(results) <= 20 * tolerance
    growth = steps_of(runs[2]) / steps_of(runs[0])
    assert growth == pytest.approx(1e4 ** (1 / 5), rel=0.3)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_top_turns_as_jacobi_says_and_keeps_its_angular_momentum(tolerance):
    results = run(ASYMMETRIC_TOP, t_end=5.0, every=0.5, accuracy=tolerance)
    assert np.max(np.abs(results.rotation(1) - TOP.rotation(results.times))) <= 20 * tolerance
    angular = results.angular_momentum()
    np.testing.assert_allclose(angular, np.broadcast_to(angular[0], angular.shape), rtol=0, atol=1e-15 * 4.0)
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 20 * tolerance * 4.0


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_four_bars_pass_singular_places_to_their_tolerance(tolerance):
    results = run(FOUR_BAR, t_end=3.0, every=0.1, accuracy=tolerance)
    x, y = ParallelFourBars().pin(results.times)
    assert np.max(np.hypot(results.node("X", 12) - x, results.node("Y", 12) - y)) <= 10 * tolerance
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-13


def test_free_gearbox_keeps_momenta_and_energy():
    """Linear momentum to round-off, the rest to the tolerance, over 200 turns of its gears."""
    results = run(FREE_GEARBOX, t_end=10.0, every=0.5, accuracy=1e-7)
    angular, energy = results.angular_momentum(), results.scalar("energy", "total")
    assert np.max(np.abs(angular - angular[0])) <= 1e-5 * np.linalg.norm(angular[0])
    assert np.ptp(energy) <= 1e-5 * energy[0]
    assert np.max(np.abs(results.momentum())) <= 1e-12 * np.linalg.norm(angular[0])
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-13


@pytest.mark.parametrize(("count", "digits"), [(2, None), (3, None), (3, 6)])
def test_cranks_that_start_in_a_flat_position_turn_on(count, digits):
    """Three are redundant in their plane as well; reactions are those of the rows that are left out elsewhere."""
    cranks = random_cranks(np.random.default_rng(count), count, spatial=False, digits=digits, flat=True)
    model = read(cranks.deck(1.0, 1e-3))
    accurate, ordinary = run(model, every=0.1, accuracy=1e-7), run(model, dt=2e-4, every=0.1)
    rates = [accurate.node_vector("VR", 10 * (k + 1)) @ cranks.frame[:, 2] for k in range(count)]
    np.testing.assert_allclose(rates, cranks.rate, rtol=1e-5)
    assert any("in a plane" in phrase for phrase in phrases(accurate))
    force = np.stack([ordinary.values["th/joint"][f"F{axis}"] for axis in "XYZ"])
    found = np.stack([accurate.values["th/joint"][f"F{axis}"] for axis in "XYZ"])
    np.testing.assert_allclose(found[:, 1:], force[:, 1:], rtol=0, atol=1e-4 * np.abs(force).max())


def test_a_machine_that_stands_elsewhere_takes_the_same_steps():
    linkage = RandomLinkage(1, 4)
    linkage.tree()
    linkage.loops(1)
    linkage.turning()
    model = read(linkage.text())
    turn, shift = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0], np.array([0.3, -2.0, 0.7])
    turn *= np.linalg.det(turn)
    here, there = run(model, accuracy=1e-6), run(transformed(model, turn, shift), accuracy=1e-6)
    assert steps_of(here) == steps_of(there)
    for node in linkage.bodies:
        moved = here.node_vector("", node) @ turn.T + shift
        np.testing.assert_allclose(there.node_vector("", node), moved, rtol=0, atol=1e-10)


# ---- against the general path ------------------------------------------------------------------------------------

DRIVEN = [(0, "sin(3*t)^2"), (1, "2*sin(3*t)+1"), (2, "2*sin(3*t)")]
NOT_COMPARED = ("iterations", "constraint_violation", "kinetic_correction", "error", "dt", "step")
SAME = 2e-6  # of the size of a quantity


def stem_of(channel: str) -> str:
    return channel.rstrip("XYZxyz0123456789")


def check_same(deck: DeckText, *, general: bool = False) -> Results:
    """All columns are those of the general path with steps of 0.2 and 0.1 ms, extrapolated to none.

    The sample at t = 0 has accelerations of first order there.
    """
    model = read(deck)
    coarse, fine = (run(model, dt=dt, general=True) for dt in (2e-4, 1e-4))
    accurate = run(model, dt=2e-4, accuracy=1e-8, general=general)
    assert steps_of(accurate) < 200
    for group, channels in fine.values.items():
        for channel, values in channels.items():
            if channel in NOT_COMPARED:
                continue
            alike = (of for name, of in channels.items() if stem_of(name) == stem_of(channel))
            size = max(1e-3, *(float(np.nanmax(np.abs(of), initial=0.0)) for of in alike))
            expected = (4 * values - coarse.values[group][channel]) / 3
            found = accurate.values[group][channel]
            np.testing.assert_allclose(found[1:], expected[1:], rtol=0, atol=SAME * size, err_msg=f"{group}/{channel}")
    turnover = accurate.scalar("energy", "total").max() + np.abs(accurate.scalar("energy", "drive_work")).max()
    assert np.max(np.abs(accurate.scalar("energy", "error"))) <= 1e-7 * max(1.0, turnover)
    return accurate


@pytest.mark.parametrize("general", [False, True], ids=["in the plane", "all rows"])
def test_springs_dampers_and_loads_are_those_of_the_general_path(general):
    """Places, velocities, accelerations, reactions, forces and energies."""
    linkage = RandomLinkage(5, 7)
    linkage.tree({"stiffness": 3.0, "damping": 0.2, "preload": 0.1, "free_value": 0.2})
    linkage.loops(2)
    linkage.weight()
    linkage.spring(50.0, 0.5)
    linkage.loads()
    linkage.turning()
    check_same(linkage.text(), general=general)


@pytest.mark.parametrize("level, formula", DRIVEN)
def test_drives_are_those_of_the_general_path(level, formula):
    linkage = RandomLinkage(10, 5)
    linkage.tree()
    linkage.loops(1)
    linkage.weight()
    linkage.drive("ROT", formula, level=level)
    linkage.turning()
    check_same(linkage.text())


@pytest.mark.parametrize("general", [False, True], ids=["in the plane", "all rows"])
def test_driven_sliders_are_those_of_the_general_path(general):
    linkage = RandomLinkage(10, 5, kinds=("TRANSLATIONAL", "REVOLUTE"))
    linkage.tree()
    linkage.loops(2, ["DISTANCE", "slot"])
    linkage.weight()
    linkage.drive("TRA", "sin(3*t)^2", level=0)
    linkage.turning()
    check_same(linkage.text(), general=general)


# ---- times at which something jumps ------------------------------------------------------------------------------

START, STOP, END = 0.33371, 0.72193, 1.0


def free_mass() -> Machine:
    machine = Machine([(0, 0, 0)], t_end=END, every=END)
    machine.mass(1, 2.0)
    return machine


def end_of(machine: Machine) -> tuple[float, float]:
    """Displacement and velocity of node 1 along X at the end."""
    results = machine.run(accuracy=1e-8)
    return results.node("DX", 1)[-1], results.node("VX", 1)[-1]


def test_a_load_that_starts_and_stops_with_its_sensor_is_exact():
    machine = free_mass()
    machine.load(1, "X", 3.0, sensor=machine.sensor(START, STOP))
    gained = 1.5 * (STOP - START)
    exact = 0.75 * (STOP - START) ** 2 + gained * (END - STOP), gained
    np.testing.assert_allclose(end_of(machine), exact, rtol=0, atol=1e-14)


def test_a_load_with_kinks_is_exact():
    """A force that rises from START on, stays from STOP on."""
    machine = free_mass()
    machine.load(1, "X", 1.0, [(0.0, 0.0), (START, 0.0), (STOP, 4.0), (2.0, 4.0)])
    rise, rest = STOP - START, END - STOP
    gained = 4.0 * rise / 2 / 2.0
    exact = 4.0 * rise**2 / 6 / 2.0 + gained * rest + 4.0 * rest**2 / 2 / 2.0, gained + 4.0 * rest / 2.0
    np.testing.assert_allclose(end_of(machine), exact, rtol=0, atol=1e-14)


def rotor(inertia: float, spin: float) -> Machine:
    """A rotor on a hinge of the ground, at nodes 1 (main) and 2."""
    machine = Machine([(0, 0, 0), (0, 0, 0)], t_end=END, every=END / 10)
    machine.body(1, [2], mass=1.0, inertia=(inertia, inertia, inertia, 0, 0, 0))
    machine.pair("REVOLUTE", 0, 2)
    machine.velocity([1], rotational=(0.0, 0.0, spin))
    return machine


def test_a_drive_that_takes_hold_and_lets_go_pays_for_its_impact():
    """Rate 2 of a rotor that turns at 5: the drive does J (2 - 5) 2, J (2 - 5)^2 / 2 is lost."""
    machine = rotor(0.4, 5.0)
    machine.coordinate_drive("ROT", 0, 2, "2", level=1, window=(START, STOP))
    results = machine.run(accuracy=1e-6)
    assert results.node("VRZ", 1)[-1] == pytest.approx(2.0, rel=1e-13)
    assert results.pair("ANG")[-1] == pytest.approx(5 * START + 2 * (END - START), rel=1e-13)
    assert results.energy("drive_work")[-1] == pytest.approx(0.4 * (2 - 5) * 2, rel=1e-12)
    assert results.energy("impact_loss")[-1] == pytest.approx(0.4 * (2 - 5) ** 2 / 2, rel=1e-12)
    assert np.max(np.abs(results.energy("error"))) <= 1e-13


def test_a_sample_at_a_jump_is_of_the_time_after_it():
    machine = free_mass()
    machine.model.engine.sampling_interval = 0.25
    machine.load(1, "X", 3.0, sensor=machine.sensor(0.5, 0.75))
    acceleration = machine.run(accuracy=1e-4).node("AX", 1)
    np.testing.assert_allclose(acceleration, [0.0, 0.0, 1.5, 0.0, 0.0], atol=1e-13)


# ---- samples, blocks, threads ------------------------------------------------------------------------------------


def test_steps_end_at_samples():
    few, many = (run(PENDULUM, t_end=2.0, every=every, accuracy=1e-8) for every in (1.0, 0.001))
    np.testing.assert_allclose(many.times, np.arange(2001) / 1000, rtol=0, atol=1e-14)
    np.testing.assert_allclose(many.node("X", 2)[::1000], few.node("X", 2), rtol=0, atol=1e-7)
    assert steps_of(many) == 2000
    assert steps_of(few) < 100


def test_the_last_sample_of_an_imposed_step_is_after_the_end():
    """As without a tolerance: the first step that reaches it."""
    machine = rotor(0.4, 5.0)
    machine.model.engine.sampling_interval = 0.3
    results = machine.run(0.3, accuracy=1e-6)
    np.testing.assert_allclose(results.times, [0.0, 0.3, 0.6, 0.9, 1.2], rtol=1e-14)
    np.testing.assert_allclose(results.pair("ANG"), 5 * results.times, rtol=0, atol=1e-13)


@pytest.mark.parametrize("dt", [None, 0.003], ids=["steps of the samples", "an imposed step"])
def test_length_of_the_blocks_and_threads_do_not_change_a_run(dt):
    def history(block: int, threads: int) -> bytes:
        machine = Machine([(0, 0, 0), (1, 0, 0), (0, 5, 0), (2, 5, 0)], t_end=1.0, every=0.05)
        machine.model.engine.sampling_interval = 0.05
        for node in (2, 4):
            machine.mass(node, 1.0)
        machine.hold([1, 3], "111 111")
        machine.spring(1, 2, 90.0)
        machine.spring(3, 4, 400.0, 0.5)
        machine.velocity([2, 4], (0.3, 2.0, 0.1))
        machine.load(4, "X", 2.0, [(0.0, 0.0), (0.31, 1.0), (2.0, 0.0)])
        results = machine.run(dt, threads, block, accuracy=1e-6)
        assert results.simulation.accuracy is not None and len(results.simulation.accuracy.taken) == 2
        return results.vector("", 2).tobytes() + results.vector("A", 4).tobytes() + results.times.tobytes()

    whole = history(100_000, 1)
    assert history(1, 1) == whole
    assert history(7, 2) == whole


# ---- where it is not taken ---------------------------------------------------------------------------------------


def dropped_ball(machine: Machine, node: int) -> None:
    """A ball of radius 0.1 at a node that falls on the half space z < 0."""
    machine.mass(node, 1.0)
    ball = machine.solid("SPHERE", node, 0.1)
    ground = machine.solid("PLANE", 0)
    machine.contact([ball], [ground], PoissonLaw(1e5, 0.8, 0.01))
    machine.gravity([node], "Z", -9.81)


def phrases(results: object) -> list[str]:
    return [text for label, text in results.simulation.facts if label == "accuracy"]  # type: ignore[attr-defined]


def test_a_ball_bounces_with_its_ordinary_step_beside_a_pendulum_with_a_tolerance():
    def machine() -> Machine:
        made = Machine([(0, 0, 0.15), (5, 0, 0), (6, 0, 0)], t_end=0.3, every=0.01)
        dropped_ball(made, 1)
        made.mass(3, 1.0)
        made.hold([2], "111 111")
        made.spring(2, 3, 40.0)
        made.velocity([3], (0.0, 1.0, 0.0))
        return made

    both, ordinary = machine().run(1e-5, accuracy=1e-8), machine().run(1e-5)
    assert phrases(both) == [
        "1 body: steps are controlled by their error, tolerance 1e-08",
        "ordinary step: contact",
    ]
    np.testing.assert_array_equal(both.times, ordinary.times)
    np.testing.assert_array_equal(both.vector("", 1), ordinary.vector("", 1))
    np.testing.assert_allclose(both.vector("", 3), ordinary.vector("", 3), rtol=0, atol=1e-8)
    assert np.ptp(both.node("Z", 1)) > 0.04
    error = both.energy("error") - both.energy("contact_error")
    assert np.max(np.abs(error)) <= np.max(np.abs(ordinary.energy("error"))) + 1e-7


@pytest.mark.parametrize(
    "forces, reason",
    [
        ({"friction_force": 0.3, "slip_velocity": 0.5}, "friction in"),
        ({"lower": -0.1, "stop_stiffness": 9.0}, "stops of"),
    ],
)
def test_friction_and_stops_keep_the_ordinary_step(forces, reason):
    linkage = RandomLinkage(1, 1, kinds=["REVOLUTE"])
    linkage.tree(forces)
    results = run(linkage.text(), dt=1e-2, accuracy=1e-6)
    joint = results.model.joints[0].name
    assert phrases(results) == [f"ordinary step: {reason} {joint}"]
    assert steps_of(results) == 0


def test_springs_that_switch_and_motions_of_nodes_keep_the_ordinary_step():
    machine = Machine([(0, 0, 0), (1, 0, 0), (9, 0, 0)], t_end=0.1, every=0.1)
    for node in (2, 3):
        machine.mass(node, 1.0)
    machine.hold([1], "111 111")
    machine.spring(1, 2, 90.0, sensor=machine.sensor(0.05))
    machine.drive("VEL", 3, "X", "1")
    number = machine.model.springs[0].id
    assert phrases(machine.run(1e-2, accuracy=1e-6)) == [
        f"ordinary step: spring {number} is switched on or off",
        "ordinary step: imposed motions of nodes",
    ]


def test_a_place_that_follows_a_table_keeps_the_ordinary_step():
    machine = rotor(0.4, 1.0)
    machine.coordinate_drive("ROT", 0, 2, [(0.0, 0.0), (0.5, 0.5), (1.0, 2.0)])
    (phrase,) = phrases(machine.run(1e-2, accuracy=1e-6))
    assert phrase.startswith("ordinary step: the rate of /DRIVE/ROT/")
    assert "jumps at points of" in phrase


def test_a_jump_that_nobody_knows_of_ends_the_run_with_its_reason():
    """The rate of |t - 0.52| jumps at t = 0.52."""
    machine = rotor(0.4, 0.0)
    machine.coordinate_drive("ROT", 0, 2, "abs(t-0.52)-0.52")
    with pytest.raises(SimulationError, match="keep to the tolerance of --accuracy became too short") as failure:
        machine.run(accuracy=1e-6)
    assert failure.value.time == pytest.approx(0.5)
    assert failure.value.partial is not None and len(failure.value.partial) == 5


def test_a_run_of_python_that_fails_names_the_argument(tmp_path):
    machine = rotor(0.4, 0.0)
    machine.coordinate_drive("ROT", 0, 2, "abs(t-0.52)-0.52")
    told = "keep to the tolerance of accuracy became too short"
    for output in (None, tmp_path / "jump"):
        with pytest.raises(gsolve.RunError, match=told):
            gsolve.run(machine.model, accuracy=1e-6, output=output)
    assert told in gsolve.load(tmp_path / "jump.h5").message


def test_steps_are_only_as_long_as_the_samples_where_everything_has_a_tolerance():
    results = run(PENDULUM, t_end=1.0, every=0.5, accuracy=1e-4)
    assert results.simulation.dt == 0.5
    assert "machines take steps of their own" in results.simulation.dt_reason
