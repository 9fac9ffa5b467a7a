"""Linkages that their joints hold more than they need to, with exact and with rounded coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from deck_text import DeckText
from gsolve.solver.assembly import dependent_rows, initial_state, known_linkages, meant_geometry
from gsolve.solver.assembly.known_linkages import machine_digest
from gsolve.solver.assembly.linkage import Linkage
from gsolve.solver.constraints.redundancy import find_redundancy
from gsolve.solver.integration.system import System
from gsolve.solver.run.simulation import Simulation
from numpy.typing import NDArray
from parallel_cranks import ParallelCranks, random_cranks
from running import DECKS, Results, read, run

Floats = NDArray[np.float64]
CRANKS = 10, 20, 30


def rates_of(results: Results, cranks: ParallelCranks) -> Floats:
    """(cranks, nt) of the cranks about their axes."""
    count = len(cranks.pivots)
    return np.array([results.node_vector("VR", 10 * (k + 1)) @ cranks.frame[:, 2] for k in range(count)])


def check_that_it_turns(cranks: ParallelCranks, dt: float | None) -> None:
    results = run(cranks.deck(3.0, dt))
    kinetic = results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")
    assert np.ptp(kinetic) <= 2e-4 * kinetic[0]
    np.testing.assert_allclose(rates_of(results, cranks), cranks.rate, rtol=1e-4)


def started(cranks: ParallelCranks) -> Simulation:
    simulation = Simulation(read(cranks.deck(1.0, 1e-3)))
    simulation.start()
    return simulation


@pytest.mark.parametrize(
    ("seed", "spatial", "flat"), [(0, False, False), (1, False, True), (1, True, False), (0, True, True)]
)
def test_exact_parallelograms_keep_their_energy_and_their_branch(seed: int, spatial: bool, flat: bool) -> None:
    check_that_it_turns(random_cranks(np.random.default_rng(seed), 2, spatial=spatial, digits=None, flat=flat), 1e-3)


# Those in space are, with 5 and 8 digits, the machines of the tests below, and mended once for all of them.
@pytest.mark.parametrize(
    ("digits", "flat", "spatial", "dt"),
    [
        (5, False, True, 1e-3), (5, True, True, 1e-3), (8, False, True, 1e-3), (8, True, True, 1e-3),
        (5, False, True, None), (5, True, True, None), (12, True, True, 1e-3), (None, True, True, None),
        (5, True, False, 1e-3), (12, False, False, 1e-3), (None, False, False, 1e-3),
    ],
)  # fmt: skip
def test_bars_on_three_cranks_turn_whatever_their_digits(
    digits: int | None, flat: bool, spatial: bool, dt: float | None
) -> None:
    random = np.random.default_rng(10 * (digits or 0))
    check_that_it_turns(random_cranks(random, 3, spatial=spatial, digits=digits, flat=flat), dt)


@pytest.mark.parametrize(("count", "flat"), [(2, False), (5, True)])
def test_bars_on_any_number_of_cranks_turn_with_six_digits(count: int, flat: bool) -> None:
    check_that_it_turns(random_cranks(np.random.default_rng(count), count, spatial=True, digits=6, flat=flat), 1e-3)


@pytest.mark.parametrize("digits", [5, 8])
@pytest.mark.parametrize("flat", [False, True])
def test_a_rounded_machine_moves_as_the_exact_one_but_for_some_roundings(digits: int, flat: bool) -> None:
    """Some turns of cranks of 0.3 to 1 m; passing a flat position costs up to 2e-8 m with any digits."""
    cranks = random_cranks(np.random.default_rng(10 * digits), 3, spatial=True, digits=digits, flat=flat)
    rounded, exact = run(cranks.deck(3.0, 1e-3)), run(replace(cranks, digits=None).deck(3.0, 1e-3))
    for node in (*CRANKS, 1000):
        apart = np.abs(rounded.node_vector("", node) - exact.node_vector("", node)).max()
        assert apart <= 20 * 10.0**-digits


@pytest.mark.parametrize("part", [0.0, 1e-6, 1e-2, 0.5])
@pytest.mark.parametrize("seed", [1, 2])
def test_flat_positions_are_passed_wherever_in_a_step_they_come(seed: int, part: float) -> None:
    cranks = random_cranks(np.random.default_rng(seed), 3, spatial=False, digits=None)
    rate = abs(cranks.rate)
    cranks = replace(cranks, angle=np.pi - rate * 1e-3 * (100 + part), rate=rate)
    results = run(cranks.deck(0.3, 1e-3))
    np.testing.assert_allclose(rates_of(results, cranks), rate, rtol=1e-4)


@pytest.mark.parametrize("digits", [5, 8])
@pytest.mark.parametrize("flat", [False, True])
def test_points_and_axes_are_moved_by_no_more_than_they_were_rounded(digits: int, flat: bool) -> None:
    simulation = started(random_cranks(np.random.default_rng(10 * digits), 3, spatial=True, digits=digits, flat=flat))
    initial = simulation.initial
    assert initial is not None
    assert 0.0 < initial.rounding < 2 * 10.0**-digits
    assert max(found.distance for found in initial.redundancy.found) < 1e-12
    assert (simulation.degrees_of_freedom, len(simulation.redundant_rows)) == ((2, 8) if flat else (1, 7))
    assert dict(simulation.facts)["rounding"] == (
        f"points and axes of joints moved by up to {initial.rounding:.2g} of the size, so that these rows agree "
        "wherever the machine goes (the deck is rounded)"
    )


@pytest.mark.parametrize("flat", [False, True])
def test_joints_of_exact_machines_stay_where_they_are(flat: bool) -> None:
    cranks = random_cranks(np.random.default_rng(1), 3, spatial=True, digits=None, flat=flat)
    simulation = Simulation(read(cranks.deck(1.0, 1e-3)))
    built = simulation._system.joints.copy()
    simulation.start()
    joints = simulation._system.joints
    for name in ("node", "carrier", "triad"):
        np.testing.assert_array_equal(joints[name], built[name])
    assert "rounding" not in dict(simulation.facts)


def test_a_machine_of_four_digits_is_held_fast_and_it_is_said() -> None:
    simulation = started(random_cranks(np.random.default_rng(1), 3, spatial=False, digits=4))
    assert simulation.degrees_of_freedom == 0
    assert any("more than the rounding of a deck" in warning.message for warning in simulation.warnings)


def test_two_loops_that_are_flat_at_once_are_found_to_be() -> None:
    """The two four-bars of the IFToMM's A02, of which each could branch off where the other could."""
    simulation = Simulation(read(DECKS / "four_bar" / "four_bar.rad"))
    simulation.start()
    assert simulation._assembly.agreeing == {0}
    assert simulation.initial is not None and simulation.initial.rounding == 0.0


class HeavyCranks(ParallelCranks):
    def _body(self, deck: DeckText, main: int, nodes: list[int], mass: float, angle: float) -> None:
        super()._body(deck, main, nodes, 7.0 * mass, angle)


def test_a_linkage_is_mended_once_in_a_process_whatever_its_masses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that find it mended are the same to the bit; one whose dimensions differ by a rounding mends it anew."""
    mended = []

    def mend(linkage, way):  # type: ignore[no-untyped-def]
        mended.append(linkage)
        return meant_geometry_mend(linkage, way)

    meant_geometry_mend = meant_geometry.mend
    monkeypatch.setattr(meant_geometry, "mend", mend)
    known_linkages._known.clear()
    cranks = random_cranks(np.random.default_rng(3), 3, spatial=True, digits=6)
    first, again = run(cranks.deck(0.1, 1e-3)), run(cranks.deck(0.1, 1e-3))
    assert len(mended) == 1 and np.any(mended[0].parameters)
    for group, channels in first.values.items():
        for channel, values in channels.items():
            assert again.values[group][channel].tobytes() == values.tobytes(), f"{group}/{channel}"
    started(HeavyCranks(**vars(cranks)))
    assert len(mended) == 1
    started(replace(cranks, digits=7))
    assert len(mended) == 2


def test_redundant_rows_of_a_geometry_are_sought_once_whatever_its_masses(monkeypatch: pytest.MonkeyPatch) -> None:
    sought = []

    def find(*of):  # type: ignore[no-untyped-def]
        sought.append(of)
        return find_redundancy(*of)

    monkeypatch.setattr(dependent_rows, "find_redundancy", find)
    dependent_rows._known.clear()
    cranks = random_cranks(np.random.default_rng(3), 3, spatial=True, digits=None)

    def left_out(machine: ParallelCranks) -> list[int]:
        return np.flatnonzero(started(machine)._system.rows["left_out"]).tolist()

    first, times = left_out(cranks), len(sought)
    assert first and times > 0
    assert left_out(cranks) == left_out(HeavyCranks(**vars(cranks))) == first and len(sought) == times
    left_out(random_cranks(np.random.default_rng(4), 3, spatial=True, digits=None))
    assert len(sought) > times


def with_other_values(system: System, random: np.random.Generator) -> System:
    """A machine of which all is another that the digest leaves out."""
    left_out = {
        "bodies": known_linkages.OF_BODIES,
        "rows": known_linkages.OF_ROWS,
        "entries": known_linkages.OF_ENTRIES,
        "joints": known_linkages.OF_JOINTS,
    }
    changed = system._replace(**{family: getattr(system, family).copy() for family in left_out})
    for family, names in left_out.items():
        for name in names:
            values = getattr(changed, family)[name]
            values[...] = random.uniform(0.5, 2.0, values.shape) * np.where(values > 0.0, values, 1.0)
    changed.bodies["inverse_mass"][system.bodies["inverse_mass"] == 0.0] = 0.0  # which bodies move is in the digest
    return changed


@pytest.mark.parametrize(("flat", "digits"), [(False, 9), (True, 6)])
def test_what_the_digest_leaves_out_changes_nothing_in_mending(
    monkeypatch: pytest.MonkeyPatch, flat: bool, digits: int
) -> None:
    compared = []

    def compare(system, redundancy):  # type: ignore[no-untyped-def]
        changed = with_other_values(system, np.random.default_rng(0))
        assert machine_digest(changed) == machine_digest(system)
        one, other = Linkage(system, 0), Linkage(changed, 0)
        way = meant_geometry.way_of(one, system)
        for first, second in zip(meant_geometry.mend(one, way), meant_geometry.mend(other, way), strict=True):
            assert [part.tobytes() for part in first] == [part.tobytes() for part in second]
        assert np.any(one.parameters) and one.parameters.tobytes() == other.parameters.tobytes()
        compared.append(system)
        return take_as_meant(system, redundancy)

    take_as_meant = initial_state.take_as_meant
    monkeypatch.setattr(initial_state, "take_as_meant", compare)
    started(random_cranks(np.random.default_rng(3), 3, spatial=True, digits=digits, flat=flat))
    assert len(compared) == 1


def test_a_machine_is_digested_once_however_many_linkages_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    digested, mended = [], []

    def digest(system: System) -> bytes:
        digested.append(system)
        return machine_digest(system)

    def mend(linkage, way):  # type: ignore[no-untyped-def]
        mended.append(linkage.subsystem)
        return meant_geometry_mend(linkage, way)

    meant_geometry_mend = meant_geometry.mend
    monkeypatch.setattr(meant_geometry, "machine_digest", digest)
    monkeypatch.setattr(meant_geometry, "mend", mend)
    known_linkages._known.clear()
    deck = DeckText(1.0, 1e-3, 0.02)
    cranks = random_cranks(np.random.default_rng(3), 3, spatial=True, digits=9)
    for first in (0, 2000):
        cranks.add_to(deck, first)
    Simulation(read(deck)).start()
    assert (len(digested), mended) == (1, [0, 1])
