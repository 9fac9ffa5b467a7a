"""The records of trees, made from their plans: limbs, freedoms, loops, and the fronts of the matrix."""

from __future__ import annotations

import numpy as np

from ..constraints.joint_builder import CODES_OF_LENGTHS
from ..constraints.tree_dampers import DAMPER, MOVED
from ..constraints.tree_limbs import (
    BALL,
    CROSS,
    CYLINDER,
    FREE,
    FREEDOM,
    HINGE,
    LIMB,
    LOOP,
    NO_DRIVE,
    NO_JOINT,
    SLIDER,
    TREE,
    WATCHED,
)
from ..constraints.tree_matrix import CLOSING, FRONT, PAIR
from ..core.bodies import GROUND, Floats, Record, Records
from ..core.orientation import quaternions_of
from ..integration.system import System, Trees, note_families
from .tree_order import FrontPlan
from .tree_plan import FREEDOMS_OF, TreePlan


class TreeArrays:
    """Collects the records of all trees."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.trees = np.zeros(len(system.subsystems), TREE)
        self.limb_of = np.zeros(len(system.bodies), dtype=np.int64)
        ground = np.zeros(1, LIMB)
        ground["rotation"][:, 0] = 1.0
        self.limbs, self.freedoms, self.loops = [ground], [np.zeros(0, FREEDOM)], [np.zeros(0, LOOP)]
        self.n_limbs, self.n_freedoms, self.n_loops = 1, 0, 0
        self.watched = list[tuple[int, int]]()
        self.pairs, self.closings = list[tuple[int, ...]](), list[tuple[int, ...]]()
        self.dampers, self.moved = list[tuple[int, ...]](), list[tuple[float, ...]]()
        self.places = list[int]()
        self.fronts, self.unknowns, self.targets = list[tuple[int, ...]](), list[int](), list[int]()
        self.n_values = self.n_unknowns = self.largest = 0

    def add(self, s: int, plan: TreePlan) -> None:
        """The tree of subsystem s, whose limbs, freedoms and loops come next."""
        tree, subsystem = self.trees[s], self._system.subsystems[s]
        rows = self._system.rows[subsystem["first_row"] : subsystem["last_row"]]
        tree["size"] = rows["scale"][np.isin(rows["kind"], list(CODES_OF_LENGTHS))].max()
        springs = self._system.springs[subsystem["first_spring"] : subsystem["last_spring"]]
        is_held = np.any(springs["end_1"]["body"] == GROUND) or np.any(springs["end_2"]["body"] == GROUND)
        tree["floats"] = any(limb.kind == FREE for limb in plan.limbs) and not is_held
        tree["row"] = plan.rows[0] if plan.rows else subsystem["first_row"]
        limbs = np.concatenate([self._limb(plan, k) for k in range(len(plan.limbs))])
        freedoms = np.concatenate([self._freedoms(plan, k, limbs[k]) for k in range(len(plan.limbs))])
        loops = np.zeros(len(plan.rows), LOOP)
        loops["row"], loops["drive"] = plan.rows, [self._drive_of(subsystem, row) for row in plan.rows]
        tree["first_watched"] = len(self.watched)
        first_joint = int(subsystem["first_joint"])
        self.watched += [(first_joint + k, purpose) for k, purpose in plan.watched.items()]
        tree["last_watched"] = len(self.watched)
        self._add_matrix(tree, plan)
        self.limbs.append(limbs)
        self.freedoms.append(freedoms)
        self.loops.append(loops)
        self.n_limbs += len(limbs)
        self.n_freedoms += len(freedoms)
        self.n_loops += len(loops)

    def _drive_of(self, subsystem: Record, row: int) -> int:
        drives = self._system.drives["row"][subsystem["first_drive"] : subsystem["last_drive"]]
        found = np.flatnonzero(drives == row)
        return int(subsystem["first_drive"] + found[0]) if len(found) else NO_DRIVE

    # ---- limbs ---------------------------------------------------------------------------------------------

    def _limb(self, plan: TreePlan, k: int) -> np.ndarray:
        """How a limb hangs on its parent, as bodies are now."""
        bodies, of_plan = self._system.bodies, plan.limbs[k]
        found = np.zeros(1, LIMB)
        limb, body = found[0], bodies[of_plan.body]
        parent = bodies[plan.limbs[of_plan.parent].body if of_plan.parent >= 0 else GROUND]
        self.limb_of[of_plan.body] = self.n_limbs + k
        limb["kind"], limb["body"], limb["sign"] = of_plan.kind, of_plan.body, of_plan.sign
        limb["parent"] = self.n_limbs + of_plan.parent if of_plan.parent >= 0 else 0
        limb["first_freedom"] = self.n_freedoms + plan.freedoms_before[k]
        limb["half_angles"] = limb["trial_half_angles"] = [[1.0, 0.0], [1.0, 0.0]]
        limb["as_built"] = quaternions_of(parent["rotation"].T @ body["rotation"])
        limb["joint"] = NO_JOINT
        if of_plan.kind != FREE:
            self._hang(limb, plan.joints[of_plan.joint], parent, body)
            if of_plan.joint not in plan.watched:  # those are measured in each step
                limb["joint"] = plan.first_joint + of_plan.joint
        return found

    def _hang(self, limb: Record, joint: Record, parent: Record, body: Record) -> None:
        """Arms and axes; the arm on the parent is what brings the places together as they are."""
        forward = limb["sign"] > 0.0
        of_a, of_b = (parent, body) if forward else (body, parent)
        first = of_a["rotation"] @ joint["triad"][0]  # global
        second = of_b["rotation"] @ joint["axis_j"]
        limb["arm"] = joint["node"]["arm"] if forward else joint["carrier"]["arm"]
        limb["offset"] = limb["sign"] * joint["centre_offset"]
        axes = (first, second) if forward or limb["kind"] != CROSS else (second, first)
        limb["axis"] = parent["rotation"].T @ axes[0]
        limb["second_axis"] = body["rotation"].T @ axes[1]
        limb["slide"][0] = limb["sign"] * joint["slide"] if limb["kind"] in (SLIDER, CYLINDER) else 0.0
        limb["trial_slide"] = limb["slide"]
        between = limb["offset"] + (body["displacement"] - parent["displacement"])
        between = between + (body["low_displacement"] - parent["low_displacement"])
        arm = parent["rotation"].T @ (between + body["rotation"] @ limb["arm"])
        limb["parent_arm"] = arm - limb["slide"][0] * limb["axis"]
        limb["start"] = 2 * np.pi * joint["turns"] + joint["angle"], joint["slide"]

    def _freedoms(self, plan: TreePlan, k: int, limb: Record) -> Records:
        """Freedoms with the rates that they have."""
        found: Records = np.zeros(FREEDOMS_OF[plan.limbs[k].kind], FREEDOM)
        found["limb"] = self.n_limbs + k
        body, kind = plan.body_of(k), limb["kind"]
        on_parent = plan.limbs[k].parent >= 0
        parent = plan.body_of(plan.limbs[k].parent) if on_parent else self._system.bodies[GROUND]
        spin, spin_before = spin_of(body), spin_of(parent)
        arm = body["rotation"] @ limb["arm"]
        to_joint = parent["rotation"] @ (limb["parent_arm"] + limb["slide"][0] * limb["axis"])
        sliding = body["velocity"] + np.cross(spin, arm) - parent["velocity"] - np.cross(spin_before, to_joint)
        turning = spin - spin_before
        axis = parent["rotation"] @ limb["axis"]
        rates = []
        if kind in (SLIDER, CYLINDER):
            rates.append(axis @ sliding)
        if kind in (HINGE, CYLINDER):
            rates.append(axis @ turning)
        if kind == CROSS:
            second = body["rotation"] @ limb["second_axis"]
            rates += np.linalg.lstsq(np.stack([axis, second], axis=1), turning, rcond=None)[0].tolist()
        if kind == FREE:
            rates += body["velocity"].tolist()
        if kind in (FREE, BALL):
            rates += turning.tolist()
        found["before"][:, 0] = rates
        found["slides"] = 0
        if kind in (SLIDER, CYLINDER):
            found["slides"][0] = 1
        if kind == FREE:
            found["slides"][:3] = 1
        return found

    # ---- the matrix ------------------------------------------------------------------------------------------

    def _add_matrix(self, tree: Record, plan: TreePlan) -> None:
        tree["first_unknown"], tree["first_value"] = self.n_unknowns, self.n_values
        tree["first_front"], tree["first_pair"] = len(self.fronts), len(self.pairs)
        tree["first_closing"] = len(self.closings)
        where = Fronts(plan.fronts, self.n_values)
        for front in plan.fronts:
            size = len(front.own) + len(front.touched)
            first = where.first_value[id(front)]
            self.fronts.append((len(self.unknowns), len(front.own), size, first, len(self.targets)))
            self.unknowns += [self.n_unknowns + unknown for unknown in [*front.own, *front.touched]]
            self.targets += [where.rest_of(front, i, j) for i in front.touched for j in front.touched]
            self.largest = max(self.largest, size)
        for before, behind in plan.pairs:
            places = where.at(before, behind), where.at(behind, before)
            self.pairs.append((self.n_freedoms + before, self.n_freedoms + behind, *places))
        for k, touched in enumerate(plan.touched):
            for entry, limb, freedom in touched:
                unknown = plan.n_freedoms + k
                self.closings.append(
                    (entry, self.n_limbs + limb, self.n_freedoms + freedom,
                     where.at(unknown, freedom), where.at(freedom, unknown))
                )  # fmt: skip
        self._add_dampers(tree, plan, where)
        self.n_unknowns += plan.n_freedoms + len(plan.rows)
        self.n_values = where.end
        tree["last_value"], tree["last_front"] = self.n_values, len(self.fronts)
        tree["last_pair"], tree["last_closing"] = len(self.pairs), len(self.closings)

    def _add_dampers(self, tree: Record, plan: TreePlan, where: Fronts) -> None:
        tree["first_damper"] = len(self.dampers)
        tree["first_joint_damper"] = len(self.dampers) + sum(not damper.of_joint for damper in plan.dampers)
        for damper in plan.dampers:
            first = len(self.moved)
            for freedom, sign in damper.moved.items():
                limb = self.limb_of[damper.ends[sign > 0]]
                self.moved.append((self.n_freedoms + freedom, limb, sign, 0.0, 0.0))
            self.dampers.append((damper.force, damper.direction, first, len(self.moved), len(self.places)))
            self.places += [where.at(i, j) for i in damper.moved for j in damper.moved]
        tree["last_damper"] = len(self.dampers)

    def build(self) -> Trees:
        return Trees(
            trees=self.trees, active=np.ones(len(self.trees), dtype=np.int64), limb_of=self.limb_of,
            limbs=np.concatenate(self.limbs), freedoms=np.concatenate(self.freedoms),
            loops=np.concatenate(self.loops), watched=np.array(self.watched, dtype=WATCHED),
            pairs=np.array(self.pairs, dtype=PAIR), closings=np.array(self.closings, dtype=CLOSING),
            dampers=np.array(self.dampers, dtype=DAMPER), moved=np.array(self.moved, dtype=MOVED),
            places=np.array(self.places, dtype=np.int64),
            fronts=np.array(self.fronts, dtype=FRONT), unknowns=np.array(self.unknowns, dtype=np.int64),
            targets=np.array(self.targets, dtype=np.int64), values=np.zeros(self.n_values),
            magnitudes=np.zeros(self.largest), solution=np.zeros(self.n_unknowns),
        )  # fmt: skip


class Fronts:
    """Where entries of the matrix stand."""

    def __init__(self, fronts: list[FrontPlan], first_value: int) -> None:
        self.first_value = dict[int, int]()
        self._place = list[dict[int, int]]()  # of unknowns, by front
        self._owner = dict[int, int]()
        self._start = list[int]()
        for k, front in enumerate(fronts):
            size = len(front.own) + len(front.touched)
            self.first_value[id(front)] = first_value
            self._place.append({unknown: i for i, unknown in enumerate([*front.own, *front.touched])})
            self._owner.update(dict.fromkeys(front.own, k))
            self._start.append(first_value)
            first_value += size * size
        self.end = first_value

    def at(self, i: int, j: int) -> int:
        """Of an entry, in the front that is eliminated first."""
        return self._within(min(self._owner[i], self._owner[j]), i, j)

    def rest_of(self, front: FrontPlan, i: int, j: int) -> int:
        """Where the rest of a front is added."""
        return self._within(self._owner[front.touched[0]], i, j)

    def _within(self, k: int, i: int, j: int) -> int:
        place = self._place[k]
        return self._start[k] + place[i] * len(place) + place[j]


def spin_of(body: Record) -> Floats:
    """Angular velocity of a body."""
    rotation = body["rotation"]
    return np.asarray(rotation @ (body["inverse_inertia"] @ (rotation.T @ body["momentum"])))


def with_trees(system: System, plans: dict[int, TreePlan]) -> System:
    """The system with the records of its trees."""
    arrays, subsystems = TreeArrays(system), system.subsystems
    for s in range(len(subsystems)):
        first = arrays.n_limbs, arrays.n_freedoms, arrays.n_loops
        if s in plans:
            arrays.add(s, plans[s])
        last = arrays.n_limbs, arrays.n_freedoms, arrays.n_loops
        for family, begin, end in zip(("limb", "freedom", "loop"), first, last, strict=True):
            subsystems[f"first_{family}"][s], subsystems[f"last_{family}"][s] = begin, end
    note_families(subsystems)
    return system._replace(trees=arrays.build())


def leave_tree(system: System, s: int) -> System:
    """The system with subsystem s on the general path from t_n on, where its bodies and joints are."""
    subsystem = system.subsystems[s]
    system.trees.active[s] = 0
    loops = system.trees.loops["row"][subsystem["first_loop"] : subsystem["last_loop"]]
    rows = np.setdiff1d(np.arange(subsystem["first_row"], subsystem["last_row"]), loops)
    system.rows["multiplier"][rows] = system.rows["previous_multiplier"][rows] = 0.0  # they are those of a sample
    subsystem["stale"] = 1
    return system._replace(trees=system.trees)
