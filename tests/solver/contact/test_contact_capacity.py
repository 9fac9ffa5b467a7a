"""A pair of solids with more points than are kept of one pair ends the run, with its name and the time."""

import re

import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.solver.integration import system
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pair_beyond_the_capacity_is_named(monkeypatch, threads):
    """A box that falls flat on a plane, with memory for two points in place of 320."""
    points = system.new_points()
    monkeypatch.setattr(system, "new_points", lambda: points[:2].copy())
    machine = Machine([(0, 0, 1.05)], t_end=0.5)
    machine.body(1, [], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    machine.velocity([1], (0, 0, -1.0))
    box, floor = machine.solid("BOX", 1, 2.0, 2.0, 2.0), machine.solid("PLANE", 0)
    machine.contact([box], [floor], ImpactLaw(1e4, 1.0, 0.0, 1.0))
    simulation = machine.simulation(1e-3, threads=threads)
    with pytest.raises(SimulationError) as failure:
        simulation.advance(1000)
    text = str(failure.value)
    shapes = machine.model.shapes
    name = machine.model.interfaces[0].name
    start = f"the contact of solids {shapes[0].id} (BOX) and {shapes[1].id} (PLANE) in {name} has more to it at step "
    assert text.startswith(start)
    assert re.search(r"t = 0\.05\d* \S+ than is kept of a pair: 320 points", text)
    assert "stiffer law" in text
    assert 45 <= failure.value.step <= 55


@pytest.mark.parametrize(("what", "zero_crossing"), [("points", False), ("gap", True)])
def test_a_kernel_of_a_pair_that_dies_ends_the_run(what, zero_crossing):
    """As one without an address does; a box that falls flat on a plane, and is near it from the start."""
    machine = Machine([(0, 0, 1.002)], t_end=0.5)
    machine.body(1, [], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    machine.velocity([1], (0, 0, -1.0))
    box, floor = machine.solid("BOX", 1, 2.0, 2.0, 2.0), machine.solid("PLANE", 0)
    machine.contact([box], [floor], ImpactLaw(1e4, 1.0, 0.0, 1.0), zero_crossing=zero_crossing)
    simulation = machine.simulation(1e-3)
    simulation.compile()
    simulation._system.contacts.pair_kernels[what] = 0
    with pytest.raises(SimulationError, match=r"^a compiled part of gsolve failed .*\(a fault of gsolve"):
        simulation.advance(1000)
