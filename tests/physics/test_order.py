"""Steps of order 4 and 6: orders that are reached, what is kept, jumps, steps in parts, where they are not taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from closed_form import AsymmetricTop, Pendulum
from deck_text import DeckText
from gsolve.parser.keywords.contact_laws import PoissonLaw
from gsolve.parser.model import Model
from hand_models import Machine
from linkages import ParallelFourBars
from random_linkages import RandomLinkage
from running import DECKS, Results, read, run
from test_benchmark_mechanisms import bricard

ASYMMETRIC_TOP = DECKS / "asymmetric_top" / "asymmetric_top.rad"
FOUR_BAR = DECKS / "four_bar" / "four_bar.rad"
FREE_GEARBOX = DECKS / "free_gearbox" / "free_gearbox.rad"
PENDULUM = DECKS / "pendulum" / "pendulum.rad"
TOP = AsymmetricTop((1.0, 2.0, 3.0), (0.05, 2.0, 0.05))
NOT_COMPARED = ("iterations", "constraint_violation", "kinetic_correction", "error", "dt", "step")
SHARE = 0.1  # by which a ratio of errors may differ from that of the order


# ---- orders ------------------------------------------------------------------------------------------------------


def sprung_and_loaded() -> Model:
    """Bodies in a tilted plane with springs, along joints too, preloads, gravity and loads that change with time."""
    linkage = RandomLinkage(5, 7)
    linkage.tree({"stiffness": 3.0, "preload": 0.1, "free_value": 0.2})
    linkage.loops(2)
    linkage.weight()
    linkage.spring(50.0)
    linkage.loads()
    linkage.turning()
    return read(linkage.text())


def driven(level: int, formula: str) -> Model:
    linkage = RandomLinkage(10, 5)
    linkage.tree()
    linkage.loops(1)
    linkage.weight()
    linkage.drive("ROT", formula, level=level)
    linkage.turning()
    return read(linkage.text())


def driven_slider() -> Model:
    linkage = RandomLinkage(10, 5, kinds=("TRANSLATIONAL", "REVOLUTE"))
    linkage.tree()
    linkage.loops(2, ["DISTANCE", "slot"])
    linkage.weight()
    linkage.drive("TRA", "sin(3*t)^2", level=0)
    linkage.turning()
    return read(linkage.text())


def spring_pendulum() -> Model:
    deck = DeckText(t_end=1.0, dt=0.01, every=0.25)
    deck.nodes({1: (0.0, 0.0, 0.0), 2: (1.0, 0.2, 0.1)})
    deck.hold([1])
    deck.masses([2], 1.0)
    deck.spring(1, 2, 40.0)
    deck.gravity([2], "Z", -9.81)
    deck.velocity(2, (0.0, 1.0, 0.5), (0.0, 0.0, 0.0))
    return read(deck)


MACHINES: dict[str, tuple[Callable[[], Model], float, float]] = {  # model, end, step
    "spring pendulum": (spring_pendulum, 1.0, 0.025),
    "free body": (lambda: read(ASYMMETRIC_TOP), 2.0, 0.1),
    "free carrier with gears": (lambda: read(FREE_GEARBOX), 0.2, 0.01),
    "four-bars": (lambda: read(FOUR_BAR), 0.48, 0.02),
    "Bricard's linkage": (lambda: read(bricard(0.05, t_end=1.0)), 1.0, 0.025),
    "springs and loads": (sprung_and_loaded, 0.2, 0.005),
    "driven to places": (lambda: driven(0, "sin(3*t)^2"), 0.2, 0.01),
    "driven at rates": (lambda: driven(1, "2*sin(3*t)+1"), 0.2, 0.01),
    "driven by accelerations": (lambda: driven(2, "2*sin(3*t)"), 0.2, 0.01),
    "driven slider": (driven_slider, 0.2, 0.01),
}


def compared(results: Results) -> dict[str, np.ndarray]:
    """All channels by group, after the start."""
    return {
        f"{group}/{channel}": values[1:]
        for group, channels in results.values.items()
        for channel, values in channels.items()
        if channel not in NOT_COMPARED
    }


def error(results: Results, exact: dict[str, np.ndarray], groups: tuple[str, ...]) -> float:
    """Of all channels of some groups together."""
    own = {name: values for name, values in compared(results).items() if name.startswith(groups)}
    return float(np.sqrt(sum(np.nansum((values - exact[name]) ** 2) for name, values in own.items())))


def run_of(name: str, order: int, dt: float) -> Results:
    make, end, step = MACHINES[name]
    return run(make(), t_end=end, dt=dt, every=2 * step, order=order)


@cache
def exact_of(name: str) -> dict[str, np.ndarray]:
    """By steps of sixth order that are finer than all others."""
    return compared(run_of(name, 6, MACHINES[name][2] / 8))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("order", [4, 6])
def test_errors_fall_with_the_order(name, order):
    """Of places, velocities and accelerations, of reactions and efforts, and the balance with the work of drives."""
    step = MACHINES[name][2]
    steps = [2 * step, step] if order == 6 else [step, step / 2]
    exact, (coarse, fine) = exact_of(name), (run_of(name, order, dt) for dt in steps)
    groups = [("th/node",), ("th/joint", "th/gjoint", "th/drive", "th/spring")]
    for group in groups:
        errors = [error(results, exact, group) for results in (coarse, fine)]
        if errors[0] > 0.0:
            assert errors[0] / errors[1] == pytest.approx(2**order, rel=SHARE)
    balance = [float(np.max(np.abs(results.scalar("energy", "error")))) for results in (coarse, fine)]
    assert balance[0] / balance[1] == pytest.approx(2**order, rel=2 * SHARE)
    assert max(np.max(results.scalar("diag", "constraint_violation")) for results in (coarse, fine)) <= 1e-14
    assert fine.simulation.controlled_steps.rejected == 0
    assert all(f"order {order}" in phrase for phrase in phrases(fine))


def test_pendulum_and_top_are_those_of_the_closed_forms():
    pendulum, top = (
        run(PENDULUM, t_end=5.0, dt=0.01, every=0.5, order=6),
        run(ASYMMETRIC_TOP, t_end=5.0, dt=0.05, every=0.5, order=6),
    )
    x, y = Pendulum().position(pendulum.times)
    assert np.max(np.hypot(pendulum.node("X", 2) - x, pendulum.node("Y", 2) - y)) <= 1e-9
    assert np.max(np.abs(top.rotation(1) - TOP.rotation(top.times))) <= 1e-9


# ---- what is kept ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [4, 6])
def test_free_gearbox_keeps_momenta_to_round_off_and_energy_in_a_band(order):
    """Over 200 turns of its gears, of 50 steps each."""
    results = run(FREE_GEARBOX, t_end=10.0, dt=1e-3, every=0.01, order=order)
    angular, energy = (
        results.angular_momentum(),
        results.scalar("energy", "total") / results.scalar("energy", "total")[0],
    )
    assert np.max(np.abs(angular - angular[0])) <= 1e-12 * np.linalg.norm(angular[0])
    assert np.max(np.abs(results.momentum())) <= 1e-12 * np.linalg.norm(angular[0])
    assert np.ptp(energy) <= (1e-8 if order == 4 else 1e-11)
    tenth = len(energy) // 10
    assert abs(energy[:tenth].mean() - energy[-tenth:].mean()) <= 0.1 * np.ptp(energy) + 1e-12
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-14


def test_four_bars_pass_singular_places_in_parts_of_steps():
    """Steps of 20 ms are too long there for the rows; the energy is kept all the same, and the run says so."""
    results = run(FOUR_BAR, t_end=10.0, dt=0.02, every=0.1, order=4)
    x, y = ParallelFourBars().pin(results.times)
    assert np.max(np.hypot(results.node("X", 12) - x, results.node("Y", 12) - y)) <= 1e-4
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-3
    steps = results.simulation.controlled_steps
    assert 0 < steps.rejected < 50
    assert f"{steps.rejected} steps taken in parts" in steps.text("s")


# ---- times at which something jumps ------------------------------------------------------------------------------

START, STOP, END = 0.33371, 0.72193, 1.0


def free_mass() -> Machine:
    machine = Machine([(0, 0, 0)], t_end=END, every=END)
    machine.mass(1, 2.0)
    return machine


def test_a_load_with_kinks_that_starts_and_stops_is_exact():
    """A force that rises from START on and stays from STOP on, beside one that acts between them."""
    machine = free_mass()
    machine.load(1, "X", 1.0, [(0.0, 0.0), (START, 0.0), (STOP, 4.0), (2.0, 4.0)])
    machine.load(1, "Y", 3.0, sensor=machine.sensor(START, STOP))
    results = machine.run(0.05, order=4)
    rise, rest = STOP - START, END - STOP
    gained = 4.0 * rise / 2 / 2.0
    along_x = 4.0 * rise**2 / 6 / 2.0 + gained * rest + 4.0 * rest**2 / 2 / 2.0
    along_y = 0.75 * rise**2 + 1.5 * rise * rest
    found = results.node("DX", 1)[-1], results.node("DY", 1)[-1], results.node("VY", 1)[-1]
    np.testing.assert_allclose(found, (along_x, along_y, 1.5 * rise), rtol=0, atol=1e-14)


def test_a_drive_that_takes_hold_and_lets_go_pays_for_its_impact():
    """Rate 2 of a rotor that turns at 5: the drive does J (2 - 5) 2, J (2 - 5)^2 / 2 is lost."""
    machine = Machine([(0, 0, 0), (0, 0, 0)], t_end=END, every=END / 10)
    machine.body(1, [2], mass=1.0, inertia=(0.4, 0.4, 0.4, 0, 0, 0))
    machine.pair("REVOLUTE", 0, 2)
    machine.velocity([1], rotational=(0.0, 0.0, 5.0))
    machine.coordinate_drive("ROT", 0, 2, "2", level=1, window=(START, STOP))
    results = machine.run(0.05, order=4)
    assert results.node("VRZ", 1)[-1] == pytest.approx(2.0, rel=1e-13)
    assert results.pair("ANG")[-1] == pytest.approx(5 * START + 2 * (END - START), rel=1e-13)
    assert results.energy("drive_work")[-1] == pytest.approx(0.4 * (2 - 5) * 2, rel=1e-12)
    assert results.energy("impact_loss")[-1] == pytest.approx(0.4 * (2 - 5) ** 2 / 2, rel=1e-12)
    assert np.max(np.abs(results.energy("error"))) <= 1e-13


# ---- samples, blocks, threads, other subsystems ------------------------------------------------------------------


def test_samples_blocks_and_threads_do_not_change_the_motion():
    """Four-bars in parts of steps beside a free gearbox."""
    model = read(FOUR_BAR)
    few, many = (run(model, t_end=2.0, dt=0.02, every=every, order=4) for every in (1.0, 0.02))
    assert many.simulation.controlled_steps.rejected > 0
    for channel, values in few.values["th/node"].items():
        assert values.tobytes() == np.ascontiguousarray(many.values["th/node"][channel][::50]).tobytes()

    def history(block: int, threads: int) -> bytes:
        machine = Machine([(0, 0, 0), (1, 0, 0), (0, 5, 0), (2, 5, 0)], t_end=1.0, every=0.05)
        for node in (2, 4):
            machine.mass(node, 1.0)
        machine.hold([1, 3], "111 111")
        machine.spring(1, 2, 90.0)
        machine.spring(3, 4, 400.0)
        machine.velocity([2, 4], (0.3, 2.0, 0.1))
        machine.load(4, "X", 2.0, [(0.0, 0.0), (0.31, 1.0), (2.0, 0.0)])
        results = machine.run(0.01, threads, block, order=4)
        assert len(results.simulation.accuracy.taken) == 2
        return results.vector("", 2).tobytes() + results.vector("A", 4).tobytes() + results.times.tobytes()

    whole = history(100_000, 1)
    assert history(1, 1) == whole
    assert history(7, 2) == whole


def phrases(results: object) -> list[str]:
    return [text for label, text in results.simulation.facts if label == "order"]  # type: ignore[attr-defined]


def test_what_is_not_smooth_or_dissipates_keeps_the_ordinary_step():
    """A ball that bounces, and a mass on a damper, as without; a pendulum beside them has order 4."""

    def machine() -> Machine:
        made = Machine([(0, 0, 0.15), (5, 0, 0), (6, 0, 0), (0, 5, 0), (1, 5, 0)], t_end=0.3, every=0.01)
        made.mass(1, 1.0)
        ball, ground = made.solid("SPHERE", 1, 0.1), made.solid("PLANE", 0)
        made.contact([ball], [ground], PoissonLaw(1e5, 0.8, 0.01))
        made.mass(3, 1.0)
        made.mass(5, 1.0)
        made.hold([2, 4], "111 111")
        made.spring(2, 3, 90.0)
        made.spring(4, 5, 90.0, 2.0)
        made.velocity([3, 5], (0.0, 1.0, 0.0))
        made.gravity([1], "Z", -9.81)
        return made

    both, ordinary = machine().run(1e-4, order=4), machine().run(1e-4)
    assert sorted(phrases(both)) == [
        "1 body: order 4, steps of 5 stages on the general path",
        "ordinary step: contact",
        "ordinary step: dampers",
    ]
    for node in (1, 5):
        assert both.vector("", node).tobytes() == ordinary.vector("", node).tobytes()
    assert both.vector("", 3).tobytes() != ordinary.vector("", 3).tobytes()
    np.testing.assert_allclose(both.vector("", 3), ordinary.vector("", 3), atol=1e-6)
