"""Steps that are taken in parts: what is divided, and that nothing else notices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import read_deck
from gsolve.parser.keywords.contact_laws import PoissonLaw
from gsolve.parser.model import CoulombFriction
from gsolve.solver.integration.copies import changing_arrays, copied, restore
from gsolve.solver.integration.segments import Segment
from gsolve.solver.integration.status import COMPLETED
from gsolve.solver.integration.substeps import ranges_between
from gsolve.solver.integration.system import new_samples
from gsolve.solver.integration.threads import TimeLoop, new_outcome, samples_of
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, collect

FOUR_BAR = Path(__file__).parents[3] / "decks" / "four_bar" / "four_bar.rad"


@pytest.mark.parametrize(
    ("first", "last", "divided", "ranges"),
    [
        (2, 6, [], [(2, 6)]),
        (2, 6, [2], [(2, 3), (3, 6)]),
        (2, 6, [4, 5], [(2, 4), (4, 5), (5, 6)]),
        (2, 6, [1, 7], [(2, 6)]),
        (3, 4, [3], [(3, 4)]),
    ],
)
def test_divided_subsystems_are_run_apart_and_all_in_order(first, last, divided, ranges):
    assert list(ranges_between(first, last, dict.fromkeys(divided, 2))) == ranges


def long_steps(block: int, threads: int = 1):
    """Four-bars across their first singular position with steps of 20 ms, on the general path."""
    model = read_deck(FOUR_BAR)
    model.engine.sampling_interval = 0.02
    simulation = Simulation(model, t_end=1.0, dt=2e-2, threads=threads, general=True)
    run = collect(simulation, block=block)
    assert simulation.divided_steps > 0
    return run


def test_length_of_the_blocks_does_not_change_a_run_with_divided_steps():
    whole, pieces = long_steps(100_000), long_steps(7)
    np.testing.assert_array_equal(whole.times, pieces.times)
    for group, values in whole.values.items():
        for name, channel in values.items():
            np.testing.assert_array_equal(channel, pieces.values[group][name], err_msg=f"{group} {name}")


def test_what_was_planned_for_steps_that_are_passed_is_dropped_and_still_counted():
    """A long run with divided steps keeps no more than the plans of what it may still take back."""
    model = read_deck(FOUR_BAR)
    simulation = Simulation(model, t_end=4.0, dt=2e-2, general=True)
    machine, planned = simulation._machine, {}
    follow = machine.follow

    def noted(s, plan):
        planned.update({step: max(planned.get(step, 1), len(substeps)) for step, substeps in plan.substeps.items()})
        follow(s, plan)

    machine.follow = noted
    most = 0
    while not simulation.finished:
        simulation.advance(32)
        most = max(most, len(machine._plan))
    assert simulation.divided_steps == sum(parts > 1 for parts in planned.values())
    assert most < 0.5 * len(planned)


# ---- copies of one subsystem -----------------------------------------------------------------------------------


def many_pairs():
    """Pairs of balls, of boxes that rub and of bodies with a force curve, each of which is a subsystem."""
    made = Machine([(3.0 * k, y, 0) for k in range(4) for y in (0.0, 0.19)], t_end=0.1)
    for node in range(1, 9):
        made.body(node, [], 1.0, (0.01, 0.01, 0.01, 0, 0, 0))
    made.velocity(list(range(1, 9)), [(0.1 * (k % 3), 0.5 * (-1) ** k, 0) for k in range(8)])
    rubs = CoulombFriction("STICTION", 0.3, 0.2, 1e-3, 1e-2)
    for k in range(4):
        kind, size = (("BOX", (0.2, 0.2, 0.2)), ("SPHERE", (0.1,)))[k % 2]
        sides = [[made.solid(kind, 2 * k + j, *size)] for j in (1, 2)]
        made.contact(*sides, PoissonLaw(1e5, 0.7, 1.0), rubs if k < 2 else None)
    made.spring(1, 2, 50.0)
    made.coordinate_drive("TRA", 0, 3, "t", level=1, axis=(0.0, 0.0, 1.0))
    return made.simulation(1e-3)


def test_copies_of_all_subsystems_are_together_as_large_as_those_of_the_machine():
    system = many_pairs()._system
    n = len(system.subsystems)
    assert n >= 4
    of_each = [[len(array) for array in copied(changing_arrays(system, s))] for s in range(n)]
    of_ground = [1] + [0] * (len(of_each[0]) - 1)  # a body of no subsystem
    assert np.sum([of_ground, *of_each], axis=0).tolist() == [len(array) for array in copied(changing_arrays(system))]


def differ(now, was, but=()):
    """Whether any field of any array differs, bit by bit; the bytes between fields do not count."""
    for one, other in zip(now, was, strict=True):
        fields = [(one[name], other[name]) for name in one.dtype.names if name not in but] if one.dtype.names else []
        if any(a.tobytes() != b.tobytes() for a, b in fields or [(one, other)]):
            return True
    return False


def test_a_subsystem_changes_what_its_copies_hold_and_is_put_back_by_them():
    """It alone takes some steps."""
    simulation = many_pairs()
    simulation.compile()
    system, loop = simulation._system, TimeLoop(simulation._system, 1)
    loop.prepare(system)
    samples = new_samples(system, np.zeros(0, dtype=np.int64), len(loop.chunks))
    for s in range(len(system.subsystems)):
        others = {k: copied(changing_arrays(system, k)) for k in range(len(system.subsystems)) if k != s}
        before, all_before = copied(changing_arrays(system, s)), copied(changing_arrays(system))
        chunk = next(k for k, (first, last) in enumerate(loop.chunks) if first <= s < last)
        outcome = new_outcome()
        segment = Segment(0, 3, 0, 0.0, 1e-3)
        loop.advance(samples_of(segment, samples), outcome, chunk, (s, s + 1), segment)
        assert outcome["status"] == COMPLETED
        assert differ(copied(changing_arrays(system, s)), before)
        assert not any(differ(copied(changing_arrays(system, k)), copies) for k, copies in others.items())
        restore(system, before, s)
        assert not differ(changing_arrays(system), all_before, but=("stale", "pairs"))  # made anew
