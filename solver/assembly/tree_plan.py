"""A subsystem as a tree of bodies: which joints make the tree, and which close its loops."""

from __future__ import annotations

import heapq
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..constraints import joints as rows_of
from ..constraints.tree_limbs import (
    AT_END,
    BALL,
    CROSS,
    CYLINDER,
    FREE,
    HINGE,
    IN_ROWS,
    ROWS_CLOSE,
    SLIDER,
    WELD,
)
from ..core.bodies import GROUND, NO_ROTATION, Floats, Record
from ..integration.system import System
from .plane_plan import ACROSS, POINT, TILT, TURN
from .train_checks import NotCondensed, records_of, refuse_families
from .tree_dampers import plan_dampers
from .tree_order import FrontPlan, Node, plan_fronts

# What a body may hang on its parent by, by the rows of the joint.
KINDS = {
    (*POINT, *TURN): WELD,
    (*POINT, *TILT): HINGE,
    (*POINT, rows_of.CROSSED): CROSS,
    (*ACROSS, *TURN): SLIDER,
    (*ACROSS, *TILT): CYLINDER,
    POINT: BALL,
}
FREEDOMS_OF = {WELD: 0, HINGE: 1, CROSS: 2, SLIDER: 1, CYLINDER: 2, BALL: 3, FREE: 6}
NOT_IN_A_TREE = {
    "interface": "contact", "wall": "rigid walls", "condition": "conditions on nodes", "sensor": "sensors on values"
}  # fmt: skip
# Products of numbers a step, for each body: longer chains have fuller matrices, and rows are cheaper.
MOST_PRODUCTS = 800
MOST_LIMBS = 256  # the order of elimination is sought among all of them, again and again
PER_PAIR = 12  # products that make an entry of the matrix


class NotATree(NotCondensed):
    """Joint coordinates would spare nothing: nobody expects a tree."""


class LimbPlan(NamedTuple):
    """One limb; parent : its place among the limbs, -1 the ground or none; sign : see `tree_limbs.LIMB`."""

    kind: int
    body: int
    parent: int
    joint: int
    sign: float


class TreePlan:
    """Subsystem s as a tree.

    limbs : parents before those that hang on them
    chains : of each limb the freedoms that move it, from the root on, as places among all freedoms
    closing : joints that close loops
    rows : what is left of the rows: those of such joints, and relations of coordinates, drives among them
    pairs : freedoms one of which moves the limb of the other, as (before, behind)
    touched : of each row of `rows` the freedoms that change it: entry of the row, limb, freedom
    dampers : what dampers of springs and joints may have in the matrix
    fronts : order of elimination; unknowns are the freedoms, then the rows

    Raises
    ------
    NotATree
        it has as many unknowns as rows, or more
    NotCondensed
        it has what trees have not
    """

    def __init__(self, system: System, s: int) -> None:
        self._system, self._subsystem = system, system.subsystems[s]
        self.joints = records_of(system, self._subsystem, "joint")
        self.limbs = self._grown()
        self._place = {limb.body: m for m, limb in enumerate(self.limbs)}
        counts = [FREEDOMS_OF[limb.kind] for limb in self.limbs]
        self.freedoms_before = [0, *np.cumsum(counts).tolist()]
        used = {limb.joint for limb in self.limbs}
        self.closing = [k for k in range(len(self.joints)) if k not in used and self._is_held(k)]
        relations = system.relations[self._subsystem["first_relation"] : self._subsystem["last_relation"]]
        self._ends_of = {row: [self._ends(k)] for k in self.closing for row in self._rows_of(k)}
        self._ends_of |= {int(relation["row"]): self._ends_of_terms(relation) for relation in relations}
        self.rows = list(self._ends_of)
        if (
            not self.n_freedoms
            or self.n_freedoms + len(self.rows) >= self._subsystem["last_row"] - self._subsystem["first_row"]
        ):
            raise NotATree
        self._refuse()
        self._refuse_long_chains()
        self.chains = self._chains()
        self.touched = [self._touched(row) for row in self.rows]
        self.pairs = self._pairs()
        self.dampers = plan_dampers(system, self._subsystem, self._chain_of)
        try:
            self.fronts: list[FrontPlan] = plan_fronts(self._nodes(), self._shares())
        except ValueError as reason:
            raise NotCondensed(str(reason)) from None
        products = sum(front.products for front in self.fronts) + PER_PAIR * len(self.pairs)
        if products > MOST_PRODUCTS * len(self.limbs):
            raise NotCondensed("long chains")

    @property
    def n_freedoms(self) -> int:
        return self.freedoms_before[-1]

    @property
    def first_joint(self) -> int:
        """The first joint of the subsystem among all."""
        return int(self._subsystem["first_joint"])

    @property
    def watched(self) -> dict[int, int]:
        """Joints whose coordinates are asked for in each step, and what for: ROWS_CLOSE, IN_ROWS, AT_END."""
        subsystem, system = self._subsystem, self._system
        first = int(subsystem["first_joint"])
        forced = {int(joint) - first for joint in records_of(system, subsystem, "joint_force")["joint"]}
        measuring = {k for k, joint in enumerate(self.joints) if joint["n_rows"] == 0}
        relations = system.relations[subsystem["first_relation"] : subsystem["last_relation"]]
        related = {int(joint) - first for of in relations for joint in system.terms["joint"][of["start"] : of["end"]]}
        found = dict.fromkeys(sorted(forced | measuring), AT_END) | dict.fromkeys(sorted(related), IN_ROWS)
        return found | dict.fromkeys(self.closing, ROWS_CLOSE)

    # ---- the tree --------------------------------------------------------------------------------------------

    def _ends(self, k: int) -> tuple[int, int]:
        return int(self.joints[k]["carrier"]["body"]), int(self.joints[k]["node"]["body"])

    def _is_held(self, k: int) -> bool:
        """Whether a joint holds two bodies to each other."""
        a, b = self._ends(k)
        return a != b and bool(self.joints[k]["n_rows"] > 0)

    def _rows_of(self, k: int) -> range:
        row = int(self.joints[k]["row"])
        return range(row, row + int(self.joints[k]["n_rows"]))

    def _kind(self, k: int) -> int | None:
        """What a joint is in a tree, None if it is nothing there."""
        rows = self._rows_of(k)
        return KINDS.get(tuple(self._system.rows["kind"][rows.start : rows.stop].tolist())) if rows else None

    def _grown(self) -> list[LimbPlan]:
        """Bodies on the ground first, then each on what stands, by the joint with most rows, the shortest way."""
        first, last = int(self._subsystem["first_body"]), int(self._subsystem["last_body"])
        near: dict[int, list[tuple[int, int]]] = {body: [] for body in (GROUND, *range(first, last))}
        for k in range(len(self.joints)):
            if self._is_held(k) and self._kind(k) is not None:
                for end, body in enumerate(self._ends(k)):
                    near[body].append((k, end))
        limbs, place = list[LimbPlan](), {GROUND: -1}
        depth = {GROUND: 0}
        queue = list[tuple[int, int, int, int]]()

        def reach(body: int) -> None:
            for k, end in near[body]:
                heapq.heappush(queue, (-len(self._rows_of(k)), depth[body], k, end))

        reach(GROUND)
        heaviest = sorted(range(first, last), key=lambda body: -self._system.bodies["mass"][body])
        while len(place) <= last - first:
            while queue:
                _, _, k, end = heapq.heappop(queue)
                parent, body = self._ends(k)[end], self._ends(k)[1 - end]
                if body in place:
                    continue
                kind = self._kind(k)
                assert kind is not None
                limbs.append(LimbPlan(kind, body, place[parent], k, 1.0 if end == 0 else -1.0))
                place[body], depth[body] = len(limbs) - 1, depth[parent] + 1
                reach(body)
            root = next((body for body in heaviest if body not in place), None)
            if root is not None:
                limbs.append(LimbPlan(FREE, root, -1, -1, 1.0))
                place[root], depth[root] = len(limbs) - 1, 1
                reach(root)
        return limbs

    def _chains(self) -> list[list[int]]:
        found = list[list[int]]()
        for k, limb in enumerate(self.limbs):
            before = found[limb.parent] if limb.parent >= 0 else []
            found.append(before + list(range(*self.freedoms_before[k : k + 2])))
        return found

    def _chain_of(self, body: int) -> set[int]:
        """Freedoms that move a body."""
        return set(self.chains[self._place[body]]) if body != GROUND else set()

    # ---- what there is not -----------------------------------------------------------------------------------

    def _refuse(self) -> None:
        subsystem = self._subsystem
        refuse_families(subsystem, NOT_IN_A_TREE)
        if subsystem["left_out"] > 0:
            raise NotCondensed("redundant rows")
        relations = subsystem["last_relation"] - subsystem["first_relation"]
        if subsystem["last_row"] - subsystem["first_row"] != int(self.joints["n_rows"].sum()) + relations:
            raise NotCondensed("rows of other kinds than joints and relations")
        if np.any(records_of(self._system, subsystem, "joint_force")["friction"] > 0.0):
            raise NotCondensed("friction that follows the force of a bearing")
        bodies = self._system.bodies[subsystem["first_body"] : subsystem["last_body"]]
        if np.any(bodies["inverse_mass"] <= 0.0) or np.any(bodies["mass_arm"] != 0.0):
            raise NotCondensed("bodies held at a point")
        if np.any(bodies["turning"] == NO_ROTATION):
            raise NotCondensed("bodies that cannot turn")

    def _refuse_long_chains(self) -> None:
        """Before anything is made of them, as what that is grows with the square of their length."""
        if len(self.limbs) > MOST_LIMBS:
            raise NotCondensed(f"more than {MOST_LIMBS} bodies")
        lengths, pairs = list[int](), 0
        for limb in self.limbs:
            count = FREEDOMS_OF[limb.kind]
            lengths.append(count + (lengths[limb.parent] if limb.parent >= 0 else 0))
            pairs += count * lengths[-1]
        if PER_PAIR * pairs > MOST_PRODUCTS * len(self.limbs):
            raise NotCondensed("long chains")

    # ---- the matrix ------------------------------------------------------------------------------------------

    def _pairs(self) -> list[tuple[int, int]]:
        found = []
        for k, chain in enumerate(self.chains):
            for behind in range(*self.freedoms_before[k : k + 2]):
                found += [(before, behind) for before in chain if before <= behind]
        return found

    def _ends_of_terms(self, relation: Record) -> list[tuple[int, int]]:
        first = int(self._subsystem["first_joint"])
        joints = self._system.terms["joint"][relation["start"] : relation["end"]]
        return [self._ends(int(joint) - first) for joint in joints]

    def _touched(self, row: int) -> list[tuple[int, int, int]]:
        """Freedoms that move one end of a joint of a row and not the other, by each entry that they move."""
        chain, place = self._chain_of, self._place
        moving = set[int]().union(*(chain(a) ^ chain(b) for a, b in self._ends_of[row]))
        record = self._system.rows[row]
        found = []
        for entry in range(record["start"], record["end"]):
            body = int(self._system.entries["body"][entry])
            found += [(entry, place[body], freedom) for freedom in sorted(moving & chain(body))]
        return found

    def _nodes(self) -> list[Node]:
        """Unknowns by joint, and which joints meet in the matrix."""
        nodes, node_of = list[Node](), dict[int, int]()
        for k in range(len(self.limbs)):
            own = list(range(*self.freedoms_before[k : k + 2]))
            if own:
                node_of.update(dict.fromkeys(own, len(nodes)))
                nodes.append(Node(own))
        for before, behind in self.pairs:
            meet(nodes, node_of[before], node_of[behind])
        for damper in self.dampers:
            for one, other in combinations(damper.moved, 2):
                meet(nodes, node_of[one], node_of[other])
        relations = len(self.rows) - sum(len(self._rows_of(k)) for k in self.closing)
        row = 0
        for count in [*(len(self._rows_of(k)) for k in self.closing), *[1] * relations]:
            nodes.append(Node([self.n_freedoms + row + i for i in range(count)], closes=True))
            for _, _, freedom in self.touched[row]:
                meet(nodes, node_of[freedom], len(nodes) - 1)
            row += count
        return nodes

    def _shares(self) -> Floats:
        """What steps of the freedoms change in the rows that close loops, (n_rows, n_freedoms), in no units.

        Rotations count by the size of the machine, and each row as a vector of unit length.
        """
        twists, entries = self._twists(), self._system.entries
        size = float(np.max(self._system.rows["scale"][self.rows], initial=0.0))
        found = np.zeros((len(self.rows), self.n_freedoms))
        for k, touched in enumerate(self.touched):
            for entry, limb, freedom in touched:
                jacobian = entries["jacobian"][entry]
                omega, velocity = twists[freedom]
                at_reference = velocity + np.cross(omega, place_of(self.body_of(limb)))
                power = jacobian[:3] @ at_reference + jacobian[3:] @ omega
                found[k, freedom] += power / size if np.any(omega) else power
            if not found[k].any():  # of a drive that does not act yet
                for n, freedom in enumerate(sorted({freedom for _, _, freedom in touched})):
                    found[k, freedom] = 1.0 / (1 + n)
        sizes = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.where(sizes > 0.0, sizes, 1.0))

    def _twists(self) -> list[tuple[Floats, Floats]]:
        """Of each freedom angular velocity, and velocity of the point that is at the origin."""
        found, zero = list[tuple[Floats, Floats]](), np.zeros(3)
        for k, limb in enumerate(self.limbs):
            body = self.body_of(k)
            pivot, axes = place_of(body), np.eye(3)
            if limb.kind != FREE:
                joint = self.joints[limb.joint]
                arm = joint["node" if limb.sign > 0.0 else "carrier"]["arm"]
                a, b = (self._system.bodies[i] for i in self._ends(limb.joint))
                pivot = pivot + body["rotation"] @ arm
                axes = np.stack([a["rotation"] @ joint["triad"][0], b["rotation"] @ joint["axis_j"]])
                axes = axes if limb.sign > 0.0 or limb.kind != CROSS else axes[::-1]
            slides = axes[:1] if limb.kind in (SLIDER, CYLINDER) else np.eye(3) if limb.kind == FREE else axes[:0]
            turns = {WELD: 0, SLIDER: 0, HINGE: 1, CYLINDER: 1, CROSS: 2}.get(limb.kind, 3)
            found += [(zero, axis) for axis in slides]
            found += [(axis, np.cross(pivot, axis)) for axis in (axes if turns < 3 else np.eye(3))[:turns]]
        return found

    def body_of(self, k: int) -> Record:
        return self._system.bodies[self.limbs[k].body]


def place_of(body: Record) -> Floats:
    """Of the reference point of a body."""
    return np.asarray(body["centre"] + body["displacement"])


def meet(nodes: list[Node], i: int, j: int) -> None:
    """Two nodes meet in the matrix."""
    if i != j:
        nodes[i].near.add(j)
        nodes[j].near.add(i)
