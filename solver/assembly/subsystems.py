"""Subsystems: sets of bodies that nothing couples to the others, each solved apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from gsolve.parser.model import Model
from numpy.typing import NDArray

from ..constraints.nodal_constraint_setup import WantedCondition
from ..core.bodies import GROUND, Ints
from ..core.connected_sets import connected_sets
from .body_plan import NodePlan
from .connections import joint_nodes, nodes_of_contact
from .sensor_links import linked_nodes, watching

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Subsystems:
    """The subsystem of each body; bodies are numbered by subsystem.

    of_body : (nb,) -1 for the ground
    body_of_node : (n,)
    """

    count: int
    of_body: Ints
    body_of_node: Ints

    def of_nodes(self, nodes: Iterable[int]) -> int:
        """Subsystem of the first node that moves, -1 if none does."""
        for node in nodes:
            if node >= 0 and self.body_of_node[node] != GROUND:
                return int(self.of_body[self.body_of_node[node]])
        return -1

    def divide(self, items: Sequence[Item], nodes_of: Callable[[Item], Iterable[int]]) -> list[list[Item]]:
        """The items of each subsystem; those of which nothing moves are left out."""
        result: list[list[Item]] = [[] for _ in range(self.count)]
        for item in items:
            s = self.of_nodes(nodes_of(item))
            if s >= 0:
                result[s].append(item)
        return result

    def sort(self, subsystems: list[int]) -> tuple[Ints, list[int]]:
        """Order of items by subsystem (-1, nothing moves, comes last) and the first item of each, (count + 1,)."""
        keys = np.array(subsystems, dtype=np.int64)
        keys[keys < 0] = self.count
        order = np.argsort(keys, kind="stable")
        return order, np.searchsorted(keys[order], np.arange(self.count + 1)).tolist()

    def first_bodies(self) -> list[int]:
        """First body of each subsystem and the number of bodies, (count + 1,)."""
        return (1 + np.searchsorted(self.of_body[1:], np.arange(self.count + 1))).tolist()


def any_in_subsystem(chosen: NDArray[np.bool_], starts: list[int]) -> NDArray[np.bool_]:
    """(ns,) whether any item of a subsystem is chosen (n,); starts (ns + 1,)."""
    count = np.concatenate([[0], np.cumsum(chosen)])
    return np.asarray(np.diff(count[starts]) > 0)


def find_subsystems(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> Ints:
    """Subsystem of each planned body, numbered by first body."""
    edges: list[tuple[int, int]] = []
    for nodes in coupled_nodes(model, plan, conditions):
        bodies = [body for body in (int(plan.body_of_node[node]) for node in nodes if node >= 0) if body >= 0]
        edges.extend((bodies[0], other) for other in bodies[1:])
    return connected_sets(len(plan.bodies), *np.array(edges, dtype=np.int64).reshape(-1, 2).T)


def coupled_nodes(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> Iterable[list[int]]:
    """Nodes (-1: none, or the ground) whose bodies must be solved together, those of moving skews among them."""

    def skew_nodes(skew_id: int) -> list[int]:
        return [int(node) for node in model.skews[skew_id].nodes] if skew_id else []

    yield from joint_nodes(model)
    for contact in model.interfaces:
        yield nodes_of_contact(model, contact)
    for wall in model.rigid_walls:
        if wall.node >= 0 and plan.body_of_node[wall.node] >= 0:
            yield [wall.node, *wall.nodes.tolist()]
    for spring in model.springs:
        yield [spring.node_1, spring.node_2, *skew_nodes(spring.skew_id or spring.property.skew_id)]
    for condition in conditions:
        yield condition.nodes(model)
    for sensor_id in watching(model):
        yield linked_nodes(model, sensor_id)
    on_axes = [(load.skew_id, load.nodes) for load in model.loads]
    on_axes += [(gravity.skew_id, gravity.nodes) for gravity in model.gravities]
    for skew_id, nodes in on_axes:
        axes = skew_nodes(skew_id)
        yield from ([int(node), *axes] for node in nodes if axes)
