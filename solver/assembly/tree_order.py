"""The order in which the unknowns of a tree are eliminated, and the fronts that this makes.

Joints with their freedoms and joints that close loops with their rows are nodes of a graph.  They are eliminated by
least degree, those that close loops as soon as enough freedoms that they touch are gone to have a pivot for each row.
A front takes in the one before it where that spares more than it costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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


def plan_fronts(nodes: list[Node]) -> list[FrontPlan]:
    """Fronts in the order of elimination; each hands its rest on to the one that has the first unknown it touches.

    Raises
    ------
    ValueError
        a loop has more rows than freedoms to meet them
    """
    order = _order(nodes)
    place = {unknown: k for k, unknown in enumerate(unknown for front in order for unknown in front.own)}
    for front in order:
        front.touched.sort(key=place.__getitem__)
    return _merged(order)


def _order(nodes: list[Node]) -> list[FrontPlan]:
    """One front a node, by least degree."""
    near = [set(node.near) for node in nodes]
    spare = [0] * len(nodes)  # freedoms less rows of what was eliminated around a node
    group = list(range(len(nodes)))  # nodes that were eliminated and touch each other, by their last
    fronts, left = list[FrontPlan](), set(range(len(nodes)))
    around: list[set[int]] = [set() for _ in nodes]  # groups that were eliminated beside a node
    while left:
        ready = [k for k in left if not nodes[k].closes or _has_pivots(nodes[k], around[k], spare)]
        if not ready:
            raise ValueError("more rows than freedoms around a loop")
        k = min(ready, key=lambda k: (sum(len(nodes[i].unknowns) for i in near[k]), k))
        left.remove(k)
        count = len(nodes[k].unknowns)
        spare[k] = sum(spare[g] for g in around[k]) + (-count if nodes[k].closes else count)
        for i in left:
            if i in near[k] or around[i] & around[k]:
                around[i] = (around[i] - around[k]) | {k}
        for i in near[k]:
            near[i] = (near[i] | near[k]) - {i, k}
        group[k] = k
        touched = [unknown for i in sorted(near[k]) for unknown in nodes[i].unknowns]
        fronts.append(FrontPlan(list(nodes[k].unknowns), touched))
    return fronts


def _has_pivots(node: Node, around: set[int], spare: list[int]) -> bool:
    """Whether enough freedoms were eliminated around the rows that close a loop."""
    return sum(spare[g] for g in around) >= len(node.unknowns)


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
