"""Listed triangles of the slave that reach below the master at the pose at hand.

A triangle whose depth is bounded by b < 0, or that is a distance -b beyond what its chart is in charge of, sleeps until
the slave has moved by -b against the master.
"""

from __future__ import annotations

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import set_vector
from .nodes import evaluate_node, place_node, roughly_off
from .pair_records import SLEEP, MeshPairs
from .quadratics import Quadratic, deepest_in, middles_of, quadratic_of, upper_bound
from .records import NONE, MeshSurface


@kernel(inline=True)
def set_carrier(carrier: Record, k: int, listed: Record, nodes: Records, q: Quadratic) -> bool:
    """Fill in the carrier of the k-th listed triangle; False if another chart is in charge wherever it is deep."""
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    beyond = (i.beyond, j.beyond, l.beyond)
    deepest = deepest_in(q, beyond)
    if not deepest.depth > 0.0:
        return False
    carrier.listed, carrier.triangle, carrier.chart, carrier.next = k, listed.triangle, listed.chart, NONE
    carrier.foot = i.foot if deepest.v + deepest.w < 0.5 else j.foot if deepest.v > deepest.w else l.foot
    for c in range(6):
        carrier.quadratic[c] = q[c]
    set_vector(carrier.beyond, beyond)
    carrier.depth, carrier.place[0], carrier.place[1] = deepest.depth, deepest.v, deepest.w
    return True


@kernel(inline=True)
def place_rough(
    nodes: Records, listed: Record, surface: MeshSurface, cell: float, rotation: Floats, offset: Vector, clock: float
) -> bool:
    """Expand anew what is known roughly of the nodes of a triangle that reaches below the master; whether any was."""
    any_rough = False
    for c in range(3):
        node = nodes[listed.nodes[c]]
        if node.rough == 1:
            place_node(node, surface, cell, rotation, offset, surface.vertices[node.vertex].position, clock)
            any_rough = True
    return any_rough


@kernel
def find_carriers(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, carriers: Records
) -> int:
    """Triangles that carry; -1 if there are more than they have capacity for."""
    first = pair.first + pair.turn * pair.capacity
    nodes, lists, clock = pairs.nodes[first : first + pair.nodes], pairs.listed, pair.clock
    vertices, cell = surface.vertices, pair.cell
    stale, awake = 0, 0
    for k in range(first, first + pair.listed):
        listed = lists[k]
        if clock < listed.wakes:
            continue
        pairs.awake[awake] = k
        awake += 1
        for c in range(3):
            node = nodes[listed.nodes[c]]
            if node.clock == clock:
                continue
            position = vertices[node.vertex].position
            if not (
                evaluate_node(node, rotation, offset, position, clock)
                or roughly_off(node, rotation, offset, position, clock)
            ):
                node.clock = clock
                pairs.stale[stale] = listed.nodes[c]
                stale += 1
    for k in range(stale):
        node = nodes[pairs.stale[k]]
        place_node(node, surface, cell, rotation, offset, vertices[node.vertex].position, clock)
    pair.expansions += stale
    n = 0
    for place in range(awake):
        k = pairs.awake[place]
        listed = lists[k]
        corners, middles = middles_of(nodes, listed, pairs.facets[listed.triangle])
        top = upper_bound(corners, middles)
        if top > 0.0 and place_rough(nodes, listed, surface, cell, rotation, offset, clock):
            corners, middles = middles_of(nodes, listed, pairs.facets[listed.triangle])
            top = upper_bound(corners, middles)
            pair.expansions += 1
        if top <= 0.0:
            listed.wakes = clock - SLEEP * top
            continue
        outside = min(nodes[listed.nodes[0]].beyond, nodes[listed.nodes[1]].beyond, nodes[listed.nodes[2]].beyond)
        if outside > 0.0:
            listed.wakes = clock + SLEEP * outside
            continue
        listed.wakes = clock
        if n >= len(carriers):
            return -1
        if set_carrier(carriers[n], k - first, listed, nodes, quadratic_of(corners, middles)):
            n += 1
    return n
