"""Typed model to flat arrays: bodies, points, rows and forces, sorted by subsystem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.diagnostics import DeckError, Diagnostic, Where
from gsolve.parser.model import GearJoint, Model

from .condition_setup import ConditionRows, WantedCondition, check_motions, wanted_conditions
from .functions import build_function_tables
from .gear_joints import PIN, SLIDE, SLIDE_POINT, GearJointBuilder
from .linear import build_matrix
from .loads import build_loads, set_constant_gravity
from .nodal_mass import check_elements
from .nodes import BodyPlan, NodePlan, held_digits, held_triples, plan_nodes
from .rows import RowBuilder
from .skews import build_skews
from .spring_setup import build_springs, is_damped
from .state import (
    GENERAL,
    GROUND,
    NO_ROTATION,
    SPHERICAL,
    Floats,
    Ints,
    Points,
    Records,
    motion_of,
    new_bodies,
    trial_motion_of,
)
from .system import SUBSYSTEM, System, note_matrix

# An inertia counts as spherical when its parts differ by less than this fraction.
ROUND_OFF = 1e-15
LED_MASS = 1e-9  # of the machine's mass, for nodes without mass that are led in all directions


@dataclass(slots=True)
class JointPlace:
    """Where a gear joint went: its links (nodes 1 to 3), its row, and the coefficients of its relation."""

    joint: GearJoint
    links: list[int]
    signs: list[float]  # -1 where a link, made for another joint, has its axis the other way
    row: int
    coefficients: list[float]


@dataclass(slots=True)
class Assembly:
    """The arrays and the way back from them to the model."""

    model: Model
    system: System
    plan: NodePlan
    bodies: list[BodyPlan | None]  # by body index; None = ground
    joints: list[JointPlace]
    joint_column: dict[int, int]  # place of a joint, by id(), in the model
    spring_place: Ints  # (n,) place of each spring of the model in the arrays
    row_names: list[str]  # what each row is, for messages
    main_node_ids: Ints  # (nb,) id of the main node, 0 for the ground
    diagnostics: list[Diagnostic] = field(default_factory=list)


def assemble(model: Model, gjoint_alpha: str, t_end: float | None = None) -> Assembly:
    """Make the arrays of a model that runs to t_end (default: that of the deck).

    Raises
    ------
    DeckError
        all that is wrong with the mechanics of the deck
    """
    plan = plan_nodes(model, t_end)
    diagnostics = plan.diagnostics + check_elements(model, plan.group_of_node)
    diagnostics += check_joint_nodes(model, plan) + check_loaded_nodes(model, plan) + check_motions(model)
    diagnostics.sort(key=lambda d: (d.file, d.line, d.column))
    if any(d.severity == "error" for d in diagnostics):
        raise DeckError([*model.warnings, *diagnostics])
    conditions = wanted_conditions(model, plan)
    subsystem_of_body = find_subsystems(model, plan, conditions)
    order = np.argsort(subsystem_of_body, kind="stable")
    n_subsystems = int(subsystem_of_body.max()) + 1 if len(subsystem_of_body) else 0
    index_of_plan = np.empty(len(order), dtype=np.int64)
    index_of_plan[order] = np.arange(1, len(order) + 1)
    body_of_node = np.where(plan.body_of_node >= 0, np.append(index_of_plan, 0)[plan.body_of_node], GROUND)
    plans: list[BodyPlan | None] = [None, *(plan.bodies[i] for i in order)]
    bodies = body_records(plans)
    arms = np.where(body_of_node[:, None] == GROUND, 0.0, plan.coordinates - bodies["centre"][body_of_node])
    points = Points(body=body_of_node, arm=arms, origin=plan.coordinates)

    subsystem_of_index = np.concatenate([[-1], subsystem_of_body[order]]).astype(np.int64)
    builder = Builder(model, plan, bodies, points, subsystem_of_index, n_subsystems, gjoint_alpha)
    builder.add_rows(conditions)
    system = builder.build()
    main_nodes = np.array([0 if p is None else model.nodes.ids[p.main_node] for p in plans], dtype=np.int64)
    return Assembly(
        model=model,
        system=system,
        plan=plan,
        bodies=plans,
        joints=builder.joints,
        joint_column={id(joint): k for k, joint in enumerate(model.gear_joints)},
        spring_place=np.argsort(builder.spring_order),
        row_names=builder.row_names,
        main_node_ids=main_nodes,
        diagnostics=diagnostics,
    )


def body_records(plans: list[BodyPlan | None]) -> Records:
    """Bodies at t = 0 with their initial velocities; the ground and what is held have no inverse mass or inertia."""
    bodies = new_bodies(len(plans))
    total = sum(plan.mass for plan in plans if plan is not None) or 1.0
    for b, plan in zip(bodies, plans, strict=True):
        if plan is None:
            continue
        b["mass"], b["centre"], b["mass_arm"] = plan.mass, plan.reference, plan.mass_arm
        b["velocity"] = plan.velocity
        if not plan.holds_translation:
            # A node that is led needs no mass of its own; the one it gets is too small to be felt.
            b["inverse_mass"] = 1.0 / (plan.mass if plan.mass > 0.0 else LED_MASS * total)
        if plan.turns:
            diagonal = plan.inertia[0, 0]
            spherical = np.abs(plan.inertia - diagonal * np.eye(3)).max() <= ROUND_OFF * diagonal
            inertia = diagonal * np.eye(3) if spherical else plan.inertia
            inverse = np.linalg.inv(inertia)
            b["turning"] = SPHERICAL if spherical else GENERAL
            b["inertia"], b["inverse_inertia"] = inertia, 0.5 * (inverse + inverse.T)
            b["momentum"] = inertia @ plan.angular_velocity
    return bodies


# ---- subsystems ----------------------------------------------------------------------------------------------


class UnionFind:
    """Disjoint sets of 0 .. n - 1."""

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def root(self, i: int) -> int:
        parent = self._parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def join(self, items: Iterable[int]) -> None:
        roots = {self.root(i) for i in items}
        if roots:
            lowest = min(roots)
            for root in roots:
                self._parent[root] = lowest


def find_subsystems(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> Ints:
    """Subsystem of each planned body, numbered by first body: what nothing couples is solved apart."""
    sets = UnionFind(len(plan.bodies))

    def join(nodes: Iterable[int]) -> None:
        sets.join(b for b in (int(plan.body_of_node[node]) for node in nodes if node >= 0) if b >= 0)

    def skew_nodes(skew_id: int) -> list[int]:
        return [int(node) for node in model.skews[skew_id].nodes] if skew_id else []

    for joint in model.gear_joints:
        join(joint.nodes)
    for spring in model.springs:
        join([spring.node_1, spring.node_2, *skew_nodes(spring.skew_id or spring.property.skew_id)])
    for condition in conditions:
        join([condition.node, condition.other, *skew_nodes(condition.skew_id)])
    for load in model.loads:
        for node in load.nodes:
            join([int(node), *skew_nodes(load.skew_id)])
    for gravity in model.gravities:
        if skew_nodes(gravity.skew_id):
            for node in gravity.nodes:
                join([int(node), *skew_nodes(gravity.skew_id)])
    roots = np.array([sets.root(i) for i in range(len(plan.bodies))], dtype=np.int64)
    return np.unique(roots, return_inverse=True)[1].astype(np.int64) if len(roots) else roots


# ---- checks --------------------------------------------------------------------------------------------------


def check_joint_nodes(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Nodes of gear joints need mass and inertia, unless they are held or ride on a body (rack node 2: mass only)."""
    errors = []
    for joint in model.gear_joints:
        for k, node in enumerate(joint.nodes):
            if node < 0 or plan.held[node]:
                continue
            body = plan.bodies[plan.body_of_node[node]]
            suffix, node_id = str(k) if k else "", int(model.nodes.ids[node])
            if body.mass <= 0.0 and not body.holds_translation and not body.led:
                errors.append(
                    joint.where.diagnose(
                        "error",
                        f"node {node_id} (node_ID{k}) has no mass",
                        field=f"Mass{suffix}",
                        found=f"{body.mass:g}",
                        allowed="a positive mass",
                        hint=f"give it mass here, with /ADMAS or as part of an /RBODY, or fix node {node_id} with /BCS",
                    )
                )
            may_lack_inertia = joint.kind == "RACK" and k == 2
            if not body.turns and not body.holds_rotation and not may_lack_inertia and not body.led:
                errors.append(
                    joint.where.diagnose(
                        "error",
                        f"node {node_id} (node_ID{k}) has no rotary inertia",
                        field=f"Inertia{suffix}",
                        found="0",
                        allowed="a positive inertia",
                        hint=f"give it inertia here or make it part of an /RBODY, or fix node {node_id} with /BCS",
                    )
                )
    return errors


def check_loaded_nodes(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Free nodes that springs, loads, imposed motions or an initial spin move need mass or inertia, unless held."""
    errors: list[Diagnostic] = []
    digits, triples = held_digits(model), held_triples(model)
    reported: set[tuple[int, bool]] = set()

    def check(node: int, direction: int, skew_id: int, where: Where, what: str, field: str = "") -> None:
        rotational = direction >= 3
        lacks = not plan.masses.inertia[node].any() if rotational else plan.masses.mass[node] <= 0.0
        held = triples.get(node, (False, False))[rotational] or digits.get((node, skew_id), [False] * 6)[direction]
        led = plan.body_of_node[node] >= 0 and plan.bodies[plan.body_of_node[node]].led and not rotational
        if plan.group_of_node[node] >= 0 or not lacks or held or led or (node, rotational) in reported:
            return
        reported.add((node, rotational))
        quantity = "rotary inertia" if rotational else "mass"
        source = "as Jxx Jyy Jzz of an /RBODY, on a /GJOINT card or by shells" if rotational else "with /ADMAS"
        errors.append(
            where.diagnose(
                "error",
                f"node {int(model.nodes.ids[node])} has no {quantity}, so {what}",
                field=field,
                found="0",
                allowed=f"a positive {quantity}",
                hint=f"give it {quantity} ({source}), make it part of an /RBODY, or fix it with /BCS",
            )
        )

    for spring in model.springs:
        for node in (spring.node_1, spring.node_2):
            check(node, 0, spring.skew_id, spring.where, "the spring cannot move it")
            for i, dof in enumerate(spring.property.dofs[3:], start=3):
                if dof.stiffness or dof.damping or dof.fct_1 or dof.fct_4:
                    check(node, i, spring.skew_id, spring.where, "the spring cannot turn it")
    for load in model.loads:
        what = "the moment cannot turn it" if load.rotational else "the force cannot move it"
        for node in map(int, load.nodes):
            check(node, load.direction + 3 * load.rotational, load.skew_id, load.where, what, "grnod_ID")
    for motion in model.imposed_motions:
        what = "the imposed rotation cannot turn it" if motion.rotational else "the imposed motion cannot move it"
        for node in map(int, motion.nodes):
            check(node, motion.direction + 3 * motion.rotational, motion.skew_id, motion.where, what, "grnod_ID")
    for block in model.initial_velocities:
        if block.kind == "ROT" and block.rotational is not None:
            for node, spin in zip(block.nodes.tolist(), block.rotational, strict=True):
                if spin.any():
                    check(node, 3 + int(np.argmax(np.abs(spin))), 0, block.where, "it cannot spin", "grnod_ID")
    return errors


# ---- rows and forces -----------------------------------------------------------------------------------------


class Builder:
    """Adds the rows of one subsystem after the other, then makes the system."""

    def __init__(
        self, model: Model, plan: NodePlan, bodies: Records, points: Points, subsystem: Ints, n_subsystems: int,
        gjoint_alpha: str,
    ) -> None:  # fmt: skip
        self._model, self._plan, self._bodies, self._points = model, plan, bodies, points
        self._subsystem, self._n_subsystems = subsystem, n_subsystems
        self._alpha = gjoint_alpha
        self._rows = RowBuilder()
        self._gears = GearJointBuilder(self._rows, bodies["centre"])
        self._tables, self._function_index = build_function_tables(model)
        self._skews, self._skew_index = build_skews(model, np.arange(len(model.nodes)))
        self._conditions = ConditionRows(model, self._rows, points, self._skews, self._skew_index, self._function_index)
        self._starts: dict[str, list[int]] = {name: [0] for name in ("row", "link", "relation", "condition")}
        self.joints: list[JointPlace] = []
        self.row_names: list[str] = []
        self.spring_order: Ints = np.zeros(0, dtype=np.int64)

    def subsystem_of_nodes(self, nodes: Iterable[int]) -> int:
        """Subsystem of the first node that moves, -1 if none does."""
        for node in nodes:
            if node >= 0 and self._points.body[node] != GROUND:
                return int(self._subsystem[self._points.body[node]])
        return -1

    def add_rows(self, conditions: list[WantedCondition]) -> None:
        joints_of: list[list[GearJoint]] = [[] for _ in range(self._n_subsystems)]
        for joint in self._model.gear_joints:
            s = self.subsystem_of_nodes(joint.nodes)
            if s >= 0:
                joints_of[s].append(joint)
        conditions_of: list[list[WantedCondition]] = [[] for _ in range(self._n_subsystems)]
        for condition in conditions:
            conditions_of[self.subsystem_of_nodes([condition.node])].append(condition)
        for s in range(self._n_subsystems):
            scale = self.size_of(joints_of[s], conditions_of[s])
            places = [self.add_links(joint, scale) for joint in joints_of[s]]
            for place in places:
                self.add_relation(place, scale)
            for condition in conditions_of[s]:
                first_row = len(self._rows)
                self._conditions.add(condition, scale)
                self.name_rows(first_row, condition.name)
            self._starts["row"].append(len(self._rows))
            self._starts["link"].append(self._gears.n_links)
            self._starts["relation"].append(self._gears.n_relations)
            self._starts["condition"].append(len(self._conditions))
        order = {id(joint): k for k, joint in enumerate(self._model.gear_joints)}
        self.joints.sort(key=lambda place: order[id(place.joint)])

    def size_of(self, joints: list[GearJoint], conditions: list[WantedCondition]) -> float:
        """Size of a subsystem, by which the tolerance of its rows is measured; 1 where all points coincide."""
        nodes = [int(node) for joint in joints for node in joint.nodes if node >= 0] + [c.node for c in conditions]
        if not nodes:
            return 1.0
        positions = self._plan.coordinates[nodes]
        extent = float(np.max(np.ptp(positions, axis=0)))
        extent = max(extent, float(np.abs(self._points.arm[nodes]).max()))
        return extent if extent > 0.0 else 1.0

    def add_links(self, joint: GearJoint, scale: float) -> JointPlace:
        points = self._points
        carrier_node = int(joint.nodes[0])
        carrier = int(points.body[carrier_node])
        links, signs = [], []
        for k in range(1, 4):
            node = int(joint.nodes[k])
            if node < 0:
                continue
            body = int(points.body[node])
            kind = PIN
            if joint.kind == "RACK" and k == 2:
                kind = SLIDE if self._bodies["turning"][body] != NO_ROTATION else SLIDE_POINT
            first_row = len(self._rows)
            link, sign = self._gears.link(
                (carrier_node, node), carrier, body, self.arm_of(node), joint.axes[k - 1], kind, scale
            )
            links.append(link)
            signs.append(sign)
            self.name_rows(first_row, f"/GJOINT/{joint.kind}/{joint.id}, node_ID{k}")
        return JointPlace(joint, links, signs, -1, [])

    def arm_of(self, node: int) -> Floats:
        """From the body's reference point to the node; from the origin for the ground."""
        if self._points.body[node] == GROUND:
            return self._plan.coordinates[node]
        return self._points.arm[node]

    def add_relation(self, place: JointPlace, scale: float) -> None:
        joint = place.joint
        alpha = joint.fscale_v if self._alpha == "documented" else 1.0 / joint.fscale_v
        place.coefficients = [alpha, 1.0, 1.0][: len(place.links)]
        size = max(scale, abs(alpha)) if joint.kind == "RACK" else sum(abs(c) for c in place.coefficients)
        signed = [sign * c for sign, c in zip(place.signs, place.coefficients, strict=True)]
        place.row = self._gears.relation(place.links, signed, size)
        self.name_rows(place.row, f"/GJOINT/{joint.kind}/{joint.id}, ratio")
        self.joints.append(place)

    def name_rows(self, first_row: int, name: str) -> None:
        self.row_names.extend([name] * (len(self._rows) - max(first_row, len(self.row_names))))

    def build(self) -> System:
        rows, entries = self._rows.build()
        links, relations, terms = self._gears.build()
        conditions = self._conditions.build()
        model, points, n = self._model, self._points, self._n_subsystems
        springs = None
        first = dict(self._starts)
        first["body"] = (1 + np.searchsorted(self._subsystem[1:], np.arange(n + 1))).tolist()
        self.spring_order, first["spring"] = sorted_by_subsystem(
            [self.subsystem_of_nodes([spring.node_1, spring.node_2]) for spring in model.springs], n
        )
        if model.springs:
            springs = build_springs(
                model, self.spring_order, np.arange(len(model.nodes)), points, self._function_index, self._skew_index,
                self._bodies["turning"] != NO_ROTATION,
            )  # fmt: skip
        main_nodes = {body.main_node for body in self._plan.bodies}
        set_constant_gravity(model, points, main_nodes, self._bodies)
        loads = build_loads(model, points, main_nodes, self._bodies, self._function_index, self._skew_index)
        order, first["load"] = sorted_by_subsystem(self._subsystem[loads["body"]].tolist(), n)
        loads = loads[order]
        parts = np.zeros(n, SUBSYSTEM)
        for family, starts in first.items():
            parts[f"first_{family}"], parts[f"last_{family}"] = starts[:-1], starts[1:]
        if springs is not None:
            damped = np.flatnonzero(is_damped(springs))
            parts["damped"] = [np.any((damped >= p["first_spring"]) & (damped < p["last_spring"])) for p in parts]
        row_start, body_start = np.array(first["row"], dtype=np.int64), np.array(first["body"], dtype=np.int64)
        matrix = build_matrix(rows, entries, row_start, body_start)
        note_matrix(parts, matrix)
        return System(
            bodies=self._bodies,
            motion=motion_of(self._bodies),
            trial=trial_motion_of(self._bodies),
            points=points,
            rows=rows,
            entries=entries,
            matrix=matrix,
            links=links,
            relations=relations,
            terms=terms,
            conditions=conditions if len(conditions) else None,
            springs=springs,
            loads=loads if len(loads) else None,
            tables=self._tables,
            skews=self._skews,
            axes=np.zeros((3, 3)),
            parts=parts,
        )


def sorted_by_subsystem(subsystems: list[int], n_subsystems: int) -> tuple[Ints, list[int]]:
    """Order of items by subsystem (-1, nothing moves, comes last) and the first item of each, (ns + 1,)."""
    keys = np.array(subsystems, dtype=np.int64)
    keys[keys < 0] = n_subsystems
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(n_subsystems + 1)).tolist()
