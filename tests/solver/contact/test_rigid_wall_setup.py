"""Nodes of rigid walls by the subsystems they move in."""

import numpy as np
import pytest
from gsolve.solver.contact.rigid_wall_setup import nodes_by_subsystem


@pytest.mark.parametrize(
    ("subsystem", "groups"),
    [
        ([2, 0, 2, 0], {0: [11, 13], 2: [10, 12]}),
        ([-1, 1, -1, 0], {0: [13], 1: [11]}),
        ([-1, -1, -1, -1], {}),  # none moves, as with secondary nodes that Ikrem 0 takes away from walls
        ([], {}),
    ],
)
def test_nodes_that_move_are_grouped_in_their_order(subsystem, groups):
    nodes = np.arange(10, 10 + len(subsystem))
    found = nodes_by_subsystem(nodes, np.array(subsystem, dtype=np.int64))
    assert {s: nodes.tolist() for s, nodes in found} == groups
