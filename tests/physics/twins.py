"""Two runs of one machine that take different ways of calculation: all their columns agree."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model import Model
from gsolve.solver.integration.substeps import Plan
from gsolve.solver.integration.system import Samples
from gsolve.solver.run.machine import Machine
from gsolve.solver.run.simulation import Simulation
from running import Results

# Largest difference of two paths, by the size of a quantity; accelerations and reactions have the round-off of
# positions over dt^2 on the general path.
SAME, SAME_FORCE = 1e-11, 1e-7
OF_FORCES = ("AX", "AY", "AZ", "AR", "F", "M")


def stem_of(channel: str) -> str:
    return channel.rstrip("XYZxyz0123456789")


def is_of_forces(channel: str) -> bool:
    return channel.startswith(OF_FORCES) or channel in ("T", "POWER", "impact_loss")


def check_columns(found: Results, general: Results, *, same: float = SAME, same_force: float = SAME_FORCE) -> None:
    """All columns of both runs agree, and the rows of the first are met."""
    np.testing.assert_array_equal(found.times, general.times)
    for group, channels in general.values.items():
        for channel, values in channels.items():
            if group == "diag" and channel in ("iterations", "constraint_violation"):
                continue
            alike = (of for name, of in channels.items() if stem_of(name) == stem_of(channel))
            size = max(1.0, *(float(np.nanmax(np.abs(of), initial=0.0)) for of in alike))
            tolerance = (same_force if is_of_forces(channel) else same) * size
            of_both = found.values[group][channel], values
            np.testing.assert_allclose(*of_both, rtol=0, atol=tolerance, err_msg=f"{group}/{channel}")
    assert np.max(found.scalar("diag", "constraint_violation")) <= 1e-13


def check_leaving(model: Model, way: str) -> None:
    """A run that is left to the general path in its middle ends where the run that goes on its own way does."""
    blocks = []
    for leaves in (False, True):
        simulation = Simulation(model, dt=1e-4, t_end=1.0)
        simulation.advance(1)
        machine = simulation._machine
        if leaves:
            on_way = [s for s in range(len(machine.system.subsystems)) if machine.way_of(s) == way]
            assert machine.step < simulation.n_steps_estimate and on_way
            for s in on_way:
                machine.leave_way(s)
            assert not any(machine.way_of(s) for s in on_way)
        while not simulation.finished:
            block = simulation.advance(10**6)
        blocks.append(block)
    for group, channels in blocks[0].values.items():
        for channel, values in channels.items():
            if stem_of(channel) not in ("iterations", "constraint_violation") and not is_of_forces(channel):
                np.testing.assert_allclose(blocks[1].values[group][channel][-1], values[-1], rtol=1e-8, atol=1e-8)


def plan_on_the_general_path_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for parts of steps on the general path alone: other ways are left at the first step that fails."""
    find_plan = Machine.find_plan

    def find_none_on_other_ways(machine: Machine, s: int, failed_step: int, samples: Samples) -> Plan | None:
        return None if machine.way_of(s) else find_plan(machine, s, failed_step, samples)

    monkeypatch.setattr(Machine, "find_plan", find_none_on_other_ways)
