"""The records of planar subsystems, made from their plans: bodies, links, pattern of the matrix and its order."""

from __future__ import annotations

import heapq
from itertools import combinations_with_replacement

import numpy as np

from ..constraints.joint_builder import CODES_OF_LENGTHS
from ..constraints.plane_links import LINK, ONE_ROW, PIN, PLANE, PLANE_BODY
from ..constraints.plane_matrix import BELOW, COLUMN, PAIR, UPDATE, new_blocks
from ..constraints.rows import TIGHT
from ..core.bodies import GROUND, Record
from ..integration.system import Planes, System, note_families
from .plane_plan import LinkPlan, PlanePlan


class PlaneArrays:
    """Collects the records of all planar subsystems."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.planes = np.zeros(len(system.subsystems), PLANE)
        self.bodies = np.zeros(len(system.bodies), PLANE_BODY)
        self.bodies["cosine"] = self.bodies["trial_cosine"] = 1.0
        self.links = list[np.ndarray]()
        self.columns, self.below = list[tuple[int, ...]](), list[tuple[int, int]]()
        self.updates, self.pairs = list[tuple[int, ...]](), list[tuple[float, ...]]()
        self.touched = list[int]()
        self.blocks = 0

    @property
    def number_of_links(self) -> int:
        return len(self.columns)

    def add(self, s: int, plan: PlanePlan) -> None:
        """The plane of subsystem s."""
        plane = self.planes[s]
        plane["axes"], plane["on_bodies"] = plan.axes, int(bool(plan.touched))
        plane["first_touched"] = len(self.touched)
        self.touched += plan.touched
        plane["last_touched"] = len(self.touched)
        plane["pins"] = int(all(link.kind == PIN for link in plan.links))
        for i in plan.bodies:
            self._add_body(plan, i)
        ends = [self._ends(link) for link in plan.links]
        order, below = least_degree_order(neighbours(ends))
        first = self.number_of_links
        plane["first_block"], plane["first_pair"] = self.blocks, len(self.pairs)
        self._add_pattern(below, first, [plan.links[k].kind in ONE_ROW for k in order])
        self._add_pairs([ends[k] for k in order], first)
        plane["last_block"], plane["last_pair"] = self.blocks, len(self.pairs)
        rows = self._system.rows[["kind", "scale"]][plan.rows_of_subsystem]
        size = float(rows["scale"][np.isin(rows["kind"], list(CODES_OF_LENGTHS))].max())
        self.links.append(np.array([self._link(plan, plan.links[k], size)[()] for k in order], dtype=LINK))

    # ---- bodies and links ------------------------------------------------------------------------------------

    def _add_body(self, plan: PlanePlan, i: int) -> None:
        body, b, normal = self._system.bodies[i], self.bodies[i], plan.normal
        moment = body["inertia"] @ normal
        b["mass"], b["inverse_mass"] = body["mass"], body["inverse_mass"]
        b["inertia"], b["products"] = normal @ moment, plan.in_plane(moment)
        b["inverse_inertia"] = 1.0 / b["inertia"]
        b["gravity"] = plan.in_plane(body["gravity"])
        b["place"], b["low"] = plan.in_plane(body["displacement"]), plan.in_plane(body["low_displacement"])
        b["height"] = normal @ body["displacement"]
        quaternion = body["quaternion"]
        b["angle"] = b["start_angle"] = 2 * np.arctan2(quaternion[1:] @ normal, quaternion[0])
        b["cosine"], b["sine"] = np.cos(b["angle"]), np.sin(b["angle"])
        b["velocity"], b["rate"] = plan.in_plane(body["velocity"]), (normal @ body["momentum"]) / b["inertia"]

    def _ends(self, link: LinkPlan) -> tuple[int, int]:
        joint = self._system.joints[link.joint]
        return int(joint["carrier"]["body"]), int(joint["node"]["body"])

    def _link(self, plan: PlanePlan, link: LinkPlan, size: float) -> Record:
        joint, record = self._system.joints[link.joint], np.zeros((), LINK)
        record["kind"], record["row"], record["drive"] = link.kind, link.row, link.drive
        record["first"], record["second"] = self._ends(link)
        record["offset"] = plan.in_plane(joint["centre_offset"])
        record["arms"] = [plan.in_plane(joint["carrier"]["arm"]), plan.in_plane(joint["node"]["arm"])]
        record["axis"], record["constant"] = link.axis, link.constant
        record["size"], record["inverse_tolerance"] = size, 1.0 / (TIGHT * size)
        record["force"] = record["trial_force"] = np.eye(2) if link.kind == PIN else np.zeros((2, 2))
        return record

    # ---- the matrix ------------------------------------------------------------------------------------------

    def _add_pattern(self, below: list[list[int]], first: int, single: list[bool]) -> None:
        """Blocks of the matrix, and what each column changes of the rest; below : links after each one, in order."""
        block_of = {(k, k): self.blocks + k for k in range(len(below))}
        for k, after in enumerate(below):
            block_of |= {(i, k): self.blocks + len(block_of) + j for j, i in enumerate(after)}
        for k, after in enumerate(below):
            start, first_update = len(self.below), len(self.updates)
            self.below += [(block_of[i, k], first + i) for i in after]
            for b, a in combinations_with_replacement(range(len(after)), 2):
                i, j = after[a], after[b]  # i at or after j
                self.updates.append((block_of[i, j], block_of[i, k], block_of[j, k], start + a, start + b))
            self.columns.append(
                (block_of[k, k], int(single[k]), start, len(self.below), first_update, len(self.updates))
            )
        self._block_of = block_of
        self.blocks += len(block_of)

    def _add_pairs(self, ends: list[tuple[int, int]], first: int) -> None:
        """What bodies add to the blocks, body by body."""
        on_body: dict[int, list[tuple[int, int]]] = {}
        for k, bodies in enumerate(ends):
            for end, body in enumerate(bodies):
                if body != GROUND:
                    on_body.setdefault(body, []).append((k, end))
        for body, places in sorted(on_body.items()):
            for (j, end_j), (i, end_i) in combinations_with_replacement(places, 2):
                sign = 1.0 if end_i == end_j else -1.0
                self.pairs.append((self._block_of[i, j], body, first + i, first + j, end_i, end_j, sign))

    def build(self) -> Planes:
        return Planes(
            planes=self.planes, active=np.ones(len(self.planes), dtype=np.int64), bodies=self.bodies,
            links=np.concatenate(self.links), columns=np.array(self.columns, dtype=COLUMN),
            below=np.array(self.below, dtype=BELOW), updates=np.array(self.updates, dtype=UPDATE),
            pairs=np.array(self.pairs, dtype=PAIR), touched=np.array(self.touched, dtype=np.int64),
            blocks=new_blocks(self.blocks, len(self.below), self.number_of_links),
        )  # fmt: skip


def neighbours(ends: list[tuple[int, int]]) -> list[set[int]]:
    """Links that share a body that moves, of each link."""
    on_body: dict[int, list[int]] = {}
    for k, bodies in enumerate(ends):
        for body in set(bodies) - {GROUND}:
            on_body.setdefault(body, []).append(k)
    found = [set[int]() for _ in ends]
    for links in on_body.values():
        for k in links:
            found[k].update(links)
    return [near - {k} for k, near in enumerate(found)]


def least_degree_order(near: list[set[int]]) -> tuple[list[int], list[list[int]]]:
    """Links in the order of elimination, and which places in that order each one has below its diagonal."""
    left = [set(links) for links in near]
    queue = [(len(links), k) for k, links in enumerate(left)]
    heapq.heapify(queue)
    order, after, done = list[int](), list[set[int]](), set[int]()
    while queue:
        degree, k = heapq.heappop(queue)
        if k in done or degree != len(left[k]):
            continue
        done.add(k)
        order.append(k)
        after.append(left[k])
        for i in left[k]:
            left[i] = (left[i] | left[k]) - {i, k}
            heapq.heappush(queue, (len(left[i]), i))
    place = {k: p for p, k in enumerate(order)}
    return order, [sorted(place[i] for i in links) for links in after]


def with_planes(system: System, plans: dict[int, PlanePlan]) -> System:
    """The system with the records of its planar subsystems."""
    arrays, subsystems = PlaneArrays(system), system.subsystems
    for s in range(len(subsystems)):
        subsystems["first_link"][s] = arrays.number_of_links
        if s in plans:
            arrays.add(s, plans[s])
        subsystems["last_link"][s] = arrays.number_of_links
    note_families(subsystems)
    for plan in plans.values():
        own = system.bodies[list(plan.bodies)]
        for kind in ("elastic", "external", "dissipative"):
            own[kind] = 0.0
        system.bodies[list(plan.bodies)] = own
    return system._replace(planes=arrays.build())


def leave_plane(system: System, s: int) -> System:
    """The system with subsystem s on the general path from t_n on, where its bodies and joints are."""
    planes, subsystem = system.planes, system.subsystems[s]
    axes = planes.planes["axes"][s]
    planes.active[s] = 0
    own = slice(int(subsystem["first_body"]), int(subsystem["last_body"]))
    for name in ("previous_external", "previous_dissipative"):
        force = planes.bodies[name][own]
        system.bodies[name][own, :3] = force[:, :2] @ axes[:2]
        system.bodies[name][own, 3:] = np.outer(force[:, 2], axes[2])
    # multipliers are those of a sample, but for the efforts of drives, of which the next step has half their work
    rows = np.arange(subsystem["first_row"], subsystem["last_row"])
    rows = np.setdiff1d(rows, system.drives["row"][subsystem["first_drive"] : subsystem["last_drive"]])
    system.rows["multiplier"][rows] = system.rows["previous_multiplier"][rows] = 0.0
    subsystem["stale"] = 1
    return system._replace(planes=planes)
