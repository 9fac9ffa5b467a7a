"""Typed model to flat arrays: bodies, points, rows and forces, sorted by subsystem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import DeckError
from numpy.typing import NDArray

from ..constraints.drive_setup import DriveRows
from ..constraints.gear_joints import GearJointSetup
from ..constraints.joint_setup import add_coupler, add_joint
from ..constraints.kkt import build_matrix
from ..constraints.nodal_constraint_setup import ConditionRows, WantedCondition
from ..constraints.row_builder import RowSet
from ..constraints.rows import ROW_WORK
from ..contact.body_pairs import check_body_pairs
from ..contact.force_curve_setup import check_curves
from ..contact.rigid_wall_setup import build_walls
from ..contact.setup import build_contacts, is_damped_contact
from ..contact.step_limits import CONTACT_PASSES
from ..core.bodies import (
    GENERAL,
    GROUND,
    NO_ROTATION,
    SPHERICAL,
    Ints,
    Points,
    Records,
    motion_of,
    new_bodies,
    trial_motion_of,
)
from ..core.functions import build_function_tables
from ..core.skews import build_skews
from ..forces.joint_force_setup import build_joint_forces
from ..forces.loads import build_loads, set_constant_gravity
from ..forces.spring_setup import build_springs, is_damped
from ..forces.springs import no_springs
from ..forces.stability import DAMPING_PASSES
from ..integration.system import KERNELS, STEP, SUBSYSTEM, System, note_matrix
from .assembly import Assembly, Places
from .contact_checks import warn_of_moved_solids, warn_of_walls
from .drive_messages import warn_of_doubles, warn_of_kinks
from .mass_checks import check_held_pairs, check_joint_nodes, check_loaded_nodes
from .nodal_constraint_plan import check_motions, check_ties, wanted_conditions, warn_of_momentum
from .nodal_mass import check_elements
from .node_plan import (
    BodyPlan,
    NodePlan,
    joint_nodes,
    nodes_of_contact,
    nodes_of_coupler,
    nodes_of_gear_joint,
    nodes_of_joint,
    plan_nodes,
)

Item = TypeVar("Item")
# An inertia counts as spherical when its parts differ by less than this fraction.
ROUND_OFF = 1e-15
LED_MASS = 1e-9  # of the machine's mass, for nodes without mass that are led in all directions


def assemble(model: Model, gjoint_alpha: str, t_end: float | None = None) -> Assembly:
    """Make the arrays of a model that runs to t_end (default: that of the deck).

    Raises
    ------
    DeckError
        all that is wrong with the mechanics of the deck
    """
    plan = plan_nodes(model, t_end)
    diagnostics = plan.diagnostics + check_elements(model, plan.group_of_node)
    diagnostics += check_joint_nodes(model, plan) + check_held_pairs(model, plan) + check_loaded_nodes(model, plan)
    diagnostics += check_motions(model) + check_ties(model, plan) + warn_of_doubles(model)
    diagnostics += check_curves(model) + check_body_pairs(model, plan.body_of_node) + warn_of_walls(model, plan)
    diagnostics += warn_of_moved_solids(model, plan) + warn_of_kinks(model, t_end or model.engine.t_end or 0.0)
    diagnostics.sort(key=lambda d: (d.file, d.line, d.column))
    if any(d.severity == "error" for d in diagnostics):
        raise DeckError([*model.warnings, *diagnostics])
    conditions = wanted_conditions(model, plan)
    diagnostics += warn_of_momentum(model, plan, conditions)
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
        places=builder.places,
        spring_place=np.argsort(builder.spring_order),
        row_names=builder.row_set.row_names,
        row_wheres=builder.row_set.row_wheres,
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


def find_subsystems(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> Ints:
    """Subsystem of each planned body, numbered by first body: what nothing couples is solved apart."""
    edges: list[tuple[int, int]] = []

    def join(nodes: Iterable[int]) -> None:
        bodies = [b for b in (int(plan.body_of_node[node]) for node in nodes if node >= 0) if b >= 0]
        edges.extend((bodies[0], other) for other in bodies[1:])

    def skew_nodes(skew_id: int) -> list[int]:
        return [int(node) for node in model.skews[skew_id].nodes] if skew_id else []

    for nodes in joint_nodes(model):
        join(nodes)
    for contact in model.interfaces:
        join(nodes_of_contact(model, contact))
    for wall in model.rigid_walls:
        if wall.node >= 0 and plan.body_of_node[wall.node] >= 0:
            join([wall.node, *wall.nodes.tolist()])
    for spring in model.springs:
        join([spring.node_1, spring.node_2, *skew_nodes(spring.skew_id or spring.property.skew_id)])
    for condition in conditions:
        join(condition.nodes(model))
    for load in model.loads:
        for node in load.nodes:
            join([int(node), *skew_nodes(load.skew_id)])
    for gravity in model.gravities:
        if skew_nodes(gravity.skew_id):
            for node in gravity.nodes:
                join([int(node), *skew_nodes(gravity.skew_id)])
    return connected_sets(len(plan.bodies), edges)


def connected_sets(n: int, edges: list[tuple[int, int]]) -> Ints:
    """(n,) number of the set that each of 0 .. n - 1 belongs to, sets numbered by their lowest member."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if n == 0:
        return np.zeros(0, dtype=np.int64)
    one, other = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    label = connected_components(coo_matrix((np.ones(len(one)), (one, other)), shape=(n, n)), directed=False)[1]
    _, lowest, number = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(lowest))[number].astype(np.int64)


# ---- rows and forces -----------------------------------------------------------------------------------------


class Builder:
    """Adds the rows of one subsystem after the other, then makes the system."""

    def __init__(
        self, model: Model, plan: NodePlan, bodies: Records, points: Points, subsystem: Ints, n_subsystems: int,
        gjoint_alpha: str,
    ) -> None:  # fmt: skip
        self._model, self._plan, self._bodies, self._points = model, plan, bodies, points
        self._subsystem, self._n_subsystems = subsystem, n_subsystems
        self.row_set = RowSet(bodies, points, plan.coordinates)
        self._gears = GearJointSetup(self.row_set, gjoint_alpha)
        self._tables, self._function_index = build_function_tables(model)
        self._skews, self._skew_index = build_skews(model, np.arange(len(model.nodes)))
        rows = self.row_set.rows
        self._conditions = ConditionRows(model, rows, points, self._skews, self._skew_index, self._function_index)
        self._drives = DriveRows(model, self.row_set, self._function_index)
        families = ("row", "joint", "relation", "drive", "condition")
        self._starts: dict[str, list[int]] = {name: [0] for name in families}
        self.places = Places()
        self.spring_order: Ints = np.zeros(0, dtype=np.int64)

    def subsystem_of_nodes(self, nodes: Iterable[int]) -> int:
        """Subsystem of the first node that moves, -1 if none does."""
        for node in nodes:
            if node >= 0 and self._points.body[node] != GROUND:
                return int(self._subsystem[self._points.body[node]])
        return -1

    def by_subsystem(self, items: Sequence[Item], nodes_of: Callable[[Item], Iterable[int]]) -> list[list[Item]]:
        """The items of each subsystem; those of which nothing moves are left out."""
        result: list[list[Item]] = [[] for _ in range(self._n_subsystems)]
        for item in items:
            s = self.subsystem_of_nodes(nodes_of(item))
            if s >= 0:
                result[s].append(item)
        return result

    def add_rows(self, conditions: list[WantedCondition]) -> None:
        model, places, row_set = self._model, self.places, self.row_set
        gear_joints = self.by_subsystem(model.gear_joints, nodes_of_gear_joint)
        joints = self.by_subsystem(model.joints, nodes_of_joint)
        couplers = self.by_subsystem(model.couplers, nodes_of_coupler)
        drives = self.by_subsystem(model.drives, nodes_of_joint)
        conditions_of = self.by_subsystem(conditions, lambda condition: condition.places)
        for s in range(self._n_subsystems):
            nodes = [node for item in gear_joints[s] for node in nodes_of_gear_joint(item)]
            nodes += [node for joint in joints[s] for node in nodes_of_joint(joint)]
            nodes += [node for drive in drives[s] for node in nodes_of_joint(drive)]
            nodes += [node for coupler in couplers[s] for node in nodes_of_coupler(coupler)]
            nodes += [node for condition in conditions_of[s] for node in condition.places]
            scale = row_set.size_of(nodes)
            places.gear_joints += self._gears.add(gear_joints[s], scale)
            places.joints += [add_joint(row_set, joint, scale) for joint in joints[s]]
            places.couplers += [add_coupler(row_set, coupler, scale) for coupler in couplers[s]]
            places.drives += [self._drives.add(drive, scale) for drive in drives[s]]
            for condition in conditions_of[s]:
                self._conditions.add(condition, scale)
                row_set.name_rows(condition.name, condition.source.where)
            self._starts["row"].append(len(row_set.rows))
            self._starts["joint"].append(len(row_set.joints))
            self._starts["relation"].append(len(row_set.relations))
            self._starts["drive"].append(len(self._drives))
            self._starts["condition"].append(len(self._conditions))
        in_deck_order(places.gear_joints, model.gear_joints, lambda place: place.gear_joint)
        in_deck_order(places.joints, model.joints, lambda place: place.joint)
        in_deck_order(places.couplers, model.couplers, lambda place: place.coupler)
        in_deck_order(places.drives, model.drives, lambda place: place.drive)

    def build(self) -> System:
        rows, entries = self.row_set.rows.build()
        joints = self.row_set.joints.build()
        relations, terms = self.row_set.relations.build()
        drives, conditions = self._drives.build(), self._conditions.build()
        model, points, n = self._model, self._points, self._n_subsystems
        first = dict(self._starts)
        first["body"] = (1 + np.searchsorted(self._subsystem[1:], np.arange(n + 1))).tolist()
        self.spring_order, first["spring"] = sorted_by_subsystem(
            [self.subsystem_of_nodes([spring.node_1, spring.node_2]) for spring in model.springs], n
        )
        springs = no_springs()
        if model.springs:
            springs = build_springs(
                model, self.spring_order, np.arange(len(model.nodes)), points, self._function_index, self._skew_index,
                self._bodies["turning"] != NO_ROTATION,
            )  # fmt: skip
        main_nodes = {body.main_node for body in self._plan.bodies}
        set_constant_gravity(model, points, main_nodes, self._bodies)
        loads = build_loads(model, points, main_nodes, self._bodies, self._function_index, self._skew_index)
        joint_forces = build_joint_forces(self.places.joints, model.joints, joints, self._bodies)
        first["joint_force"] = np.searchsorted(joint_forces["joint"], first["joint"]).tolist()
        contact_order, first["interface"] = sorted_by_subsystem(
            [self.subsystem_of_nodes(nodes_of_contact(model, contact)) for contact in model.interfaces], n
        )
        contacts = build_contacts(
            model, contact_order[: first["interface"][-1]], points, self._bodies, self._tables, self._function_index
        )
        walls, first["wall"] = build_walls(model, points, self._bodies, self._subsystem, first)
        order, first["load"] = sorted_by_subsystem(self._subsystem[loads["body"]].tolist(), n)
        loads = loads[order]
        parts = np.zeros(n, SUBSYSTEM)
        for family, starts in first.items():
            parts[f"first_{family}"], parts[f"last_{family}"] = starts[:-1], starts[1:]
        if len(springs.number):
            parts["damping_passes"][any_in_part(is_damped(springs), first["spring"])] = DAMPING_PASSES
        parts["damping_passes"][any_in_part(joint_forces["dissipates"] == 1, first["joint_force"])] = DAMPING_PASSES
        if len(contacts.interfaces):
            parts["cut_at_touch"] = any_in_part(contacts.interfaces["zero_crossing"] == 1, first["interface"])
            damped = any_in_part(is_damped_contact(contacts.interfaces), first["interface"])
            parts["damping_passes"][damped & (parts["damping_passes"] == 0)] = CONTACT_PASSES
        held = (parts["last_wall"] > parts["first_wall"]) & (parts["damping_passes"] == 0)
        parts["damping_passes"][held] = CONTACT_PASSES
        row_start, body_start = np.array(first["row"], dtype=np.int64), np.array(first["body"], dtype=np.int64)
        matrix = build_matrix(rows, entries, row_start, body_start)
        note_matrix(parts, rows, matrix)
        return System(
            bodies=self._bodies,
            motion=motion_of(self._bodies),
            trial=trial_motion_of(self._bodies),
            points=points,
            rows=rows,
            entries=entries,
            matrix=matrix,
            joints=joints,
            relations=relations,
            terms=terms,
            drives=drives,
            conditions=conditions,
            springs=springs,
            joint_forces=joint_forces,
            loads=loads,
            contacts=contacts,
            walls=walls,
            tables=self._tables,
            skews=self._skews,
            axes=np.zeros((3, 3)),
            row_work=np.zeros((len(rows), ROW_WORK)),
            body_work=np.zeros((len(self._bodies), 6)),
            parts=parts,
            steps=np.zeros(n, STEP),
            kernels=np.zeros(1, KERNELS)[0],
        )


def in_deck_order(places: list[Item], items: Sequence[object], item_of: Callable[[Item], object]) -> None:
    """Sort places as their items stand in the model."""
    order = {id(item): k for k, item in enumerate(items)}
    places.sort(key=lambda place: order[id(item_of(place))])


def any_in_part(chosen: NDArray[np.bool_], starts: list[int]) -> NDArray[np.bool_]:
    """(ns,) whether any item of a subsystem is chosen (n,); starts (ns + 1,)."""
    count = np.concatenate([[0], np.cumsum(chosen)])
    return np.asarray(np.diff(count[starts]) > 0)


def sorted_by_subsystem(subsystems: list[int], n_subsystems: int) -> tuple[Ints, list[int]]:
    """Order of items by subsystem (-1, nothing moves, comes last) and the first item of each, (ns + 1,)."""
    keys = np.array(subsystems, dtype=np.int64)
    keys[keys < 0] = n_subsystems
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(n_subsystems + 1)).tolist()
