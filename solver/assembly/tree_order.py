"""The order in which the unknowns of a tree are eliminated, and the fronts that this makes.

Joints with their freedoms and joints that close loops with their rows are nodes of a graph.  They are eliminated by
least degree, those that close loops as soon as the freedoms that are gone around them let each row have a pivot.  A
front takes in the one before it where that spares more than it costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.bodies import Floats

# Least singular value, over the largest, of rows by the freedoms that are to meet them: below it others may do better.
WELL_CONDITIONED = 1e-2
OVERHEAD = 30  # products that a front of its own costs beside its arithmetic


@dataclass(slots=True)
class Node:
    """Unknowns that go together.

    unknowns : their numbers; closes : whether they are multipliers
    """

    unknowns: list[int]
    closes: bool = False
    near: set[int] = field(default_factory=set)


@dataclass(slots=True)
class FrontPlan:
    """own : unknowns eliminated here; touched : those of fronts after it, in the order of elimination."""

    own: list[int]
    touched: list[int]

    @property
    def products(self) -> int:
        """What it costs to eliminate and to hand the rest on."""
        size = len(self.own) + len(self.touched)
        return sum((size - k) ** 2 for k in range(1, len(self.own) + 1)) + len(self.touched) ** 2 + OVERHEAD


def plan_fronts(nodes: list[Node], shares: Floats) -> list[FrontPlan]:
    """Fronts in the order of elimination; each hands its rest on to the one that has the first unknown it touches.

    shares : (n_rows, n_freedoms) what a step of each freedom changes in the rows that close loops, rows of unit
        length; unknowns are the freedoms, then the rows

    Raises
    ------
    ValueError
        rows depend on each other
    """
    order = _order(nodes, shares)
    place = {unknown: k for k, unknown in enumerate(unknown for front in order for unknown in front.own)}
    for front in order:
        front.touched.sort(key=place.__getitem__)
    return _merged(order)


def _order(nodes: list[Node], shares: Floats) -> list[FrontPlan]:
    """One front a node, by least degree."""
    near = [set(node.near) for node in nodes]
    # unknowns that were eliminated and touch each other, by their last node; and such groups beside a node
    groups: list[list[int]] = [[] for _ in nodes]
    around: list[set[int]] = [set() for _ in nodes]
    seen = dict[tuple[int, frozenset[int]], bool]()
    fronts, left = list[FrontPlan](), set(range(len(nodes)))

    def is_ready(k: int) -> bool:
        if not nodes[k].closes:
            return True
        key = k, frozenset(around[k])
        if key not in seen:
            seen[key] = _have_pivots([*nodes[k].unknowns, *_gone(around[k], groups)], shares)
        return seen[key]

    while left:
        ready = [k for k in left if is_ready(k)]
        if not ready:
            raise ValueError("rows around a loop that nearly depend on each other")
        k = min(ready, key=lambda k: (sum(len(nodes[i].unknowns) for i in near[k]), k))
        left.remove(k)
        groups[k] = [*nodes[k].unknowns, *_gone(around[k], groups)]
        for i in left:
            if i in near[k] or around[i] & around[k]:
                around[i] = (around[i] - around[k]) | {k}
        for i in near[k]:
            near[i] = (near[i] | near[k]) - {i, k}
        touched = [unknown for i in sorted(near[k]) for unknown in nodes[i].unknowns]
        fronts.append(FrontPlan(list(nodes[k].unknowns), touched))
    return fronts


def _gone(around: set[int], groups: list[list[int]]) -> list[int]:
    """Unknowns that were eliminated around a node."""
    return [unknown for group in sorted(around) for unknown in groups[group]]


def _have_pivots(unknowns: list[int], shares: Floats) -> bool:
    """Whether the freedoms among some unknowns let each of the rows among them have a pivot."""
    n_freedoms = shares.shape[1]
    rows = [unknown - n_freedoms for unknown in unknowns if unknown >= n_freedoms]
    freedoms = [unknown for unknown in unknowns if unknown < n_freedoms]
    if len(freedoms) < len(rows):
        return False
    values = np.linalg.svd(shares[np.ix_(rows, freedoms)], compute_uv=False)
    return bool(values[-1] > WELL_CONDITIONED * values[0])


def _merged(fronts: list[FrontPlan]) -> list[FrontPlan]:
    """Fronts taken into the one that they hand their rest on to, where that is cheaper."""
    owner = {unknown: front for front in fronts for unknown in front.own}
    place = {unknown: k for k, unknown in enumerate(unknown for front in fronts for unknown in front.own)}
    gone = set[int]()
    for front in fronts:
        if not front.touched:
            continue
        after = owner[front.touched[0]]
        own = [*front.own, *after.own]
        touched = sorted({*front.touched, *after.touched} - set(own), key=place.__getitem__)
        both = FrontPlan(own, touched)
        if both.products <= front.products + after.products:
            after.own, after.touched = both.own, both.touched
            gone.add(id(front))
            owner.update(dict.fromkeys(front.own, after))
    return [front for front in fronts if id(front) not in gone]
