"""The constraint rows of a machine: gear joints, joints, couplers, drives and conditions, subsystem by subsystem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from gsolve.parser.model import ImposedMotion
from gsolve.parser.text.diagnostics import Where

from ..constraints.drive_setup import DriveRows
from ..constraints.gear_joints import GearJointSetup
from ..constraints.joint_setup import add_coupler, add_joint
from ..constraints.nodal_constraint_setup import ConditionRows, WantedCondition
from ..constraints.nodal_constraints import Conditions
from ..constraints.row_builder import RowSet
from ..core.bodies import Floats, Records
from .assembly import Places
from .connections import nodes_of_coupler, nodes_of_gear_joint, nodes_of_joint
from .foundation import Foundation

Item = TypeVar("Item")


class RowFamilies(NamedTuple):
    """Arrays of all rows and of what they belong to.

    places : where the joints of the model went
    names, wheres : of each row, and the block that asks for it, for messages
    first : of each family the first item of each subsystem and the number of items, (ns + 1,)
    motions : the imposed motion of each condition, None of one that holds
    """

    rows: Records
    entries: Records
    joints: Records
    relations: Records
    terms: Records
    drives: Records
    conditions: Conditions
    places: Places
    names: list[str]
    wheres: list[Where]
    first: dict[str, list[int]]
    motions: list[ImposedMotion | None]


def build_rows(
    foundation: Foundation, coordinates: Floats, conditions: list[WantedCondition], gjoint_alpha: str
) -> RowFamilies:
    """All rows of a machine; coordinates : (n, 3) of the nodes at t = 0."""
    builder = RowFamiliesBuilder(foundation, coordinates, gjoint_alpha)
    builder.add(conditions)
    return builder.build()


class RowFamiliesBuilder:
    """Adds the rows of one subsystem after the other."""

    def __init__(self, foundation: Foundation, coordinates: Floats, gjoint_alpha: str) -> None:
        self._model, self._subsystems = foundation.model, foundation.subsystems
        self._row_set = RowSet(foundation.bodies, foundation.points, coordinates)
        self._gears = GearJointSetup(self._row_set, gjoint_alpha)
        self._drives = DriveRows(self._model, self._row_set, foundation.function_index)
        self._conditions = ConditionRows(
            self._model, self._row_set.rows, foundation.points, foundation.skews, foundation.skew_index,
            foundation.function_index,
        )  # fmt: skip
        self._places = Places()
        self._motions: list[ImposedMotion | None] = []
        self._first: dict[str, list[int]] = {name: [0] for name in self._counts()}

    def add(self, conditions: list[WantedCondition]) -> None:
        """The rows of all subsystems, then the places in the order of the deck."""
        model, places, divide = self._model, self._places, self._subsystems.divide
        gear_joints = divide(model.gear_joints, nodes_of_gear_joint)
        joints, drives = divide(model.joints, nodes_of_joint), divide(model.drives, nodes_of_joint)
        couplers = divide(model.couplers, nodes_of_coupler)
        conditions_of = divide(conditions, lambda condition: condition.places)
        for s in range(self._subsystems.count):
            nodes = [node for gear_joint in gear_joints[s] for node in nodes_of_gear_joint(gear_joint)]
            nodes += [node for joint in joints[s] for node in nodes_of_joint(joint)]
            nodes += [node for drive in drives[s] for node in nodes_of_joint(drive)]
            nodes += [node for coupler in couplers[s] for node in nodes_of_coupler(coupler)]
            nodes += [node for condition in conditions_of[s] for node in condition.places]
            scale = self._row_set.size_of(nodes)
            places.gear_joints += self._gears.add(gear_joints[s], scale)
            places.joints += [add_joint(self._row_set, joint, scale) for joint in joints[s]]
            places.couplers += [add_coupler(self._row_set, coupler, scale) for coupler in couplers[s]]
            places.drives += [self._drives.add(drive, scale) for drive in drives[s]]
            self._add_conditions(conditions_of[s], scale)
            for family, count in self._counts().items():
                self._first[family].append(count)
        in_deck_order(places.gear_joints, model.gear_joints, lambda place: place.gear_joint)
        in_deck_order(places.joints, model.joints, lambda place: place.joint)
        in_deck_order(places.couplers, model.couplers, lambda place: place.coupler)
        in_deck_order(places.drives, model.drives, lambda place: place.drive)

    def _add_conditions(self, conditions: list[WantedCondition], scale: float) -> None:
        for condition in conditions:
            self._conditions.add(condition, scale)
            self._row_set.name_rows(condition.name, condition.source.where)
            self._motions.append(condition.source if isinstance(condition.source, ImposedMotion) else None)

    def _counts(self) -> dict[str, int]:
        """Items of each family so far."""
        row_set = self._row_set
        return {
            "row": len(row_set.rows),
            "joint": len(row_set.joints),
            "relation": len(row_set.relations),
            "drive": len(self._drives),
            "condition": len(self._conditions),
        }

    def build(self) -> RowFamilies:
        """The arrays of what was added."""
        row_set = self._row_set
        rows, entries = row_set.rows.build()
        relations, terms = row_set.relations.build()
        return RowFamilies(
            rows=rows,
            entries=entries,
            joints=row_set.joints.build(),
            relations=relations,
            terms=terms,
            drives=self._drives.build(),
            conditions=self._conditions.build(),
            places=self._places,
            names=row_set.row_names,
            wheres=row_set.row_wheres,
            first=self._first,
            motions=self._motions,
        )


def in_deck_order(places: list[Item], items: Sequence[object], item_of: Callable[[Item], object]) -> None:
    """Sort places as their items stand in the model."""
    order = {id(item): k for k, item in enumerate(items)}
    places.sort(key=lambda place: order[id(item_of(place))])
