"""A plane machine with links of all kinds, built by hand."""

from __future__ import annotations

import numpy as np
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine

NODES = [
    (0.0, 0.0, 0.0), (0.3, 0.4, 0.0),  # crank: 1, 2 and centre 3
    (0.15, 0.2, 0.0),
    (0.3, 0.4, 0.0), (1.2, 0.0, 0.0), (0.75, 0.25, 0.05),  # rod: 4, 5 and centre 6
    (1.2, 0.0, 0.0), (1.25, 0.1, 0.0),  # slider: 7 and centre 8
    (1.25, 0.1, 0.0), (1.6, 0.4, 0.0), (1.4, 0.3, 0.0),  # welded to it: 9, 10 and centre 11
    (0.5, 0.9, 0.0), (0.2, 0.6, 0.0), (0.4, 0.8, 0.0),  # hung on the rod by a rod: 12, 13 and centre 14
    (0.6, 0.3, 0.0), (0.1, 1.0, 0.0), (0.3, 1.1, 0.0),  # in a slot of it: 15 of the rod; 16 and centre 17
]  # fmt: skip


def all_links(*, t_end: float = 0.1) -> Machine:
    """Crank, rod and slider, a body welded to this, one on a hinge and a rod, one in a slot of that."""
    made = Machine(NODES, t_end=t_end, every=t_end / 4)
    inertia = (0.03, 0.02, 0.05, 0.01, 0.004, -0.003)
    for main, secondary in ((3, [1, 2]), (6, [4, 5, 15]), (8, [7]), (11, [9, 10]), (14, [12, 13]), (17, [16])):
        made.body(main, secondary, 1.0 + 0.1 * main, inertia)
    made.pair("REVOLUTE", 0, 1)
    made.pair("REVOLUTE", 2, 4)
    made.pair("REVOLUTE", 5, 7)
    made.pair("TRANSLATIONAL", 0, 7, (1.0, 0.2, 0.0))
    made.pair("FIXED", 8, 9)
    made.pair("REVOLUTE", 0, 13)
    made.pair("DISTANCE", 15, 12)
    made.pair("PLANAR", 0, 16)
    made.pair("STRUT", 12, 16, (0.8, -0.2, 0.0))
    made.gravity([3, 6, 8, 11, 14, 17], "Y", -9.81)
    return made


def started(machine: Machine, dt: float) -> Simulation:
    simulation = Simulation(machine.model, dt=dt, t_end=machine.model.engine.t_end)
    simulation.start()
    return simulation


def dense(links: np.ndarray, bodies: int, moments: str, forces: str) -> np.ndarray:
    """(2 n, 3 nb) Jacobian from the forces and moments of links."""
    rows = np.zeros((2 * len(links), bodies, 3))
    for k, link in enumerate(links):
        for row in range(2):
            for end, body, sign in ((0, link["first"], -1.0), (1, link["second"], 1.0)):
                rows[2 * k + row, body, :2] += sign * link[forces][row]
                rows[2 * k + row, body, 2] += link[moments][end, row]
    return rows.reshape(2 * len(links), -1)
