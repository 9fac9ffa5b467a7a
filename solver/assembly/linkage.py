"""The joints of a subsystem whose bodies can be put anywhere, and whose points and axes can be moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..constraints.redundancy import bodies_of, length_of
from ..core.bodies import NO_ROTATION, Floats
from ..core.jit.references import Reference
from ..core.vectors import cross_products
from ..integration.system import System
from . import initial_kernels as start
from .start_messages import is_motion

# Of a joint, in lengths: a shift of its point (3), one of node j alone (3), of which little is made, as the joint would
# not fit then where it was built, and the rotation of its axes (3) times the size of the machine.
PARAMETERS, RELUCTANCE = 9, 1e-3
DIFFERENCE = 1e-4  # in parameters, of the size of the machine, for their derivatives
INDEPENDENT = 1e-4  # singular values, of rows of unit size, above this are of independent rows
CORRECTIONS = 8  # to the places of least squares, at most
SETTLED = 1e-15  # correction of a place, of the size of the machine, that is round-off
COORDINATES = "turns", "angle", "slide"


class Place(NamedTuple):
    """Where the n bodies of a subsystem are, and the coordinates of all joints there.

    displacement : (n, 3); quaternion : (n, 4); coordinates : (3, nj)
    """

    displacement: Floats
    quaternion: Floats
    coordinates: Floats


class Directions(NamedTuple):
    """Singular vectors of the rows at a place, which are of unit size; those of independent rows come first.

    rows : (rows, rows) columns; motions : (6 n, 6 n) rows, rotations times the size of the machine
    """

    rows: Floats
    values: Floats
    motions: Floats
    rank: int

    @property
    def unmet(self) -> Floats:
        """Combinations of rows (rows, rows - rank) that no motion changes."""
        return self.rows[:, self.rank :]

    @property
    def free(self) -> Floats:
        """Motions (6 n - rank, 6 n) that change no row."""
        return self.motions[self.rank :]

    @property
    def least(self) -> float:
        """How far the rows are from depending on each other in more ways."""
        return float(self.values[self.rank - 1]) if self.rank else 0.0


class Linkage:
    """Joints, relations and fixed nodes of subsystem s, in arrays of their own; drives and motions are let go.

    subsystem : its number
    joints : those whose points and axes can be moved, by `parameters` (joints, PARAMETERS); moving : bodies;
    length : size of the machine
    """

    def __init__(self, system: System, s: int) -> None:
        self._as_built = system.joints.copy()
        self._system = own = system._replace(
            bodies=system.bodies.copy(), joints=system.joints.copy(), rows=system.rows.copy(),
            entries=system.entries.copy(), subsystems=system.subsystems.copy(), steps=system.steps.copy(),
            conditions=system.conditions._replace(records=system.conditions.records.copy()),
        )  # fmt: skip
        subsystem = system.subsystems[s]
        inside = np.arange(subsystem["first_row"], subsystem["last_row"])
        joints = np.arange(subsystem["first_joint"], subsystem["last_joint"])
        self.subsystem, self._rows = s, inside[np.logical_not(is_motion(system)[inside])]
        self.joints = joints[own.joints["n_rows"][joints] > 0]
        self.moving = bodies_of(inside, own.rows, own.entries)
        self.length = length_of(inside, own.rows, own.entries)
        start.set_start_addresses(own)
        self._reference = Reference(own)
        self._measure, self._renew = start.MEASURE.entry(), start.RENEW.entry()
        # places of entries in the Jacobian; rates of what moves, rotations as lengths
        counts = own.rows["end"][self._rows] - own.rows["start"][self._rows]
        self._row_of_entry = np.repeat(np.arange(len(self._rows)), counts)
        self._entries = np.concatenate([np.arange(row["start"], row["end"]) for row in own.rows[self._rows]])
        self._body_of_entry = np.searchsorted(self.moving, own.entries["body"][self._entries])
        bodies = own.bodies[self.moving]
        moves = np.column_stack([bodies["inverse_mass"] > 0.0, (bodies["turning"] != NO_ROTATION) / self.length])
        self._units = np.repeat(moves, 3, axis=1)
        of_joint = np.searchsorted(own.joints["row"][self.joints], self._rows, side="right") - 1
        is_of_joint = own.rows["kind"][self._rows] >= 0
        self._rows_of_joint = [np.flatnonzero(is_of_joint & (of_joint == k)) for k in range(len(self.joints))]
        self._sizes = np.ones(len(self._rows))
        size = np.linalg.norm(self.jacobian(), axis=1)
        self._sizes = np.where(size > 0.0, size, 1.0)
        self.parameters = np.zeros((len(self.joints), PARAMETERS))

    # ---- places ----------------------------------------------------------------------------------------------

    def here(self) -> Place:
        """Where the bodies are."""
        bodies, joints = self._system.bodies, self._system.joints
        coordinates = np.array([joints["trial_" + name] for name in COORDINATES])
        return Place(bodies["displacement"][self.moving].copy(), bodies["quaternion"][self.moving].copy(), coordinates)

    def put(self, place: Place) -> None:
        """Bring the bodies to a place."""
        bodies, moving = self._system.bodies, self.moving
        rotation = rotations_of(place.quaternion)
        for prefix in ("", "trial_"):
            bodies[prefix + "displacement"][moving] = place.displacement
            bodies[prefix + "low_displacement"][moving] = 0.0
            bodies[prefix + "quaternion"][moving] = place.quaternion
            bodies[prefix + "rotation"][moving] = rotation
        self._put_coordinates(place)

    def _put_coordinates(self, place: Place) -> None:
        for name, values in zip(COORDINATES, place.coordinates, strict=True):
            self._system.joints[name] = values

    def moved(self, place: Place, motion: Floats) -> Place:
        """A place after a motion (6 n,) of the bodies, rotations times the size of the machine."""
        parts = motion.reshape(-1, 6)
        return place._replace(
            displacement=place.displacement + parts[:, :3],
            quaternion=turned(place.quaternion, parts[:, 3:] / self.length),
        )

    def residual(self) -> Floats:
        """(rows,) of all rows where the bodies are, by their size: lengths."""
        self._measure(self._reference.address, self.subsystem)
        return self._system.rows["residual"][self._rows] / self._sizes

    def directions(self) -> Directions:
        """Motions that change rows, and those that do not, where the bodies are."""
        rows, values, motions = np.linalg.svd(self.jacobian())
        return Directions(rows, values, motions, int(np.count_nonzero(values > INDEPENDENT)))

    def jacobian(self) -> Floats:
        """(rows, 6 n) where the bodies are; rows of unit size at t = 0."""
        self._renew(self._reference.address, self.subsystem)
        result = np.zeros((len(self._rows), len(self.moving), 6))
        result[self._row_of_entry, self._body_of_entry] = self._system.entries["jacobian"][self._entries]
        return (result * self._units).reshape(len(self._rows), -1) / self._sizes[:, None]

    def settle(self, place: Place, most: int | None = None) -> tuple[Place, Floats, Directions]:
        """The place nearby where all rows are met in the sense of least squares, what is left of them, directions.

        most : rank of the rows at most; all that are independent without
        """
        last = np.inf
        for _ in range(CORRECTIONS):
            self.put(place)
            residual, directions = self.residual(), self.directions()
            rank = directions.rank if most is None else min(most, directions.rank)
            parts = directions.rows[:, :rank].T @ residual / directions.values[:rank]
            change = directions.motions[:rank].T @ parts
            size = float(np.abs(change).max()) / self.length
            if not SETTLED < size < 0.5 * last:
                break
            place, last = self.moved(place, -change), size
        return self.here(), residual, directions

    # ---- points and axes -------------------------------------------------------------------------------------

    def set_parameters(self, parameters: Floats) -> None:
        """Move points and axes (joints, PARAMETERS) from where they were built."""
        self.parameters = parameters
        shift, apart, turn = parameters[:, :3], parameters[:, 3:6], parameters[:, 6:]
        built, joints = self._as_built[self.joints], self._system.joints
        rotation = rotations_of(of_unit_length(quaternions_of(turn / self.length)))
        separation = built["centre_offset"] + built["node"]["arm"] - built["carrier"]["arm"]
        turned_separation = np.einsum("kij,kj->ki", rotation, separation)
        joints["node"]["arm"][self.joints] = built["node"]["arm"] + shift + RELUCTANCE * apart
        joints["carrier"]["arm"][self.joints] = built["carrier"]["arm"] + shift + separation - turned_separation
        joints["triad"][self.joints] = np.einsum("kri,kji->krj", built["triad"], rotation)

    def sensitivity(self, place: Place) -> Floats:
        """(rows, joints PARAMETERS) derivatives of the residuals at a place with respect to all parameters."""
        result = np.zeros((len(self._rows), *self.parameters.shape))
        for k, residuals in enumerate(self._differences(place, self.residual)):
            for joint, own in enumerate(self._rows_of_joint):
                result[own, joint, k] = residuals[own]
        return result.reshape(len(self._rows), -1)

    def sensitivity_of_rates(self, place: Place, combinations: Floats, motions: Floats) -> Floats:
        """(c, m, joints PARAMETERS) derivatives of the rates of combinations of rows (rows, c) in motions (m, 6 n)."""
        result = np.zeros((combinations.shape[1], len(motions), *self.parameters.shape))
        for k, rates in enumerate(self._differences(place, lambda: self.jacobian() @ motions.T)):
            for joint, own in enumerate(self._rows_of_joint):
                result[:, :, joint, k] = combinations[own].T @ rates[own]
        return result

    def _differences(self, place: Place, what: Callable[[], Floats]) -> list[Floats]:
        """Derivatives of something about the rows with respect to each parameter of their joints, at a place."""
        parameters, length, found = self.parameters, DIFFERENCE * self.length, []
        self.put(place)
        for step in length * np.eye(PARAMETERS):
            sides = []
            for sign in (1.0, -1.0):  # each row depends on its own joint: all of them at once
                self.set_parameters(parameters + sign * step)
                self._put_coordinates(place)
                sides.append(what())
            found.append((sides[0] - sides[1]) / (2 * length))
        self.set_parameters(parameters)
        return found

    def hand_over(self, system: System) -> None:
        """Let the machine have the points and axes of these joints, and its bodies be where these are."""
        for name in ("displacement", "quaternion", "rotation"):
            for prefix in ("", "trial_"):
                system.bodies[prefix + name][self.moving] = self._system.bodies[name][self.moving]
        joints, own = system.joints, self._system.joints
        joints["node"]["arm"][self.joints] = own["node"]["arm"][self.joints]
        joints["carrier"]["arm"][self.joints] = own["carrier"]["arm"][self.joints]
        joints["triad"][self.joints] = own["triad"][self.joints]


def turned(quaternion: Floats, turn: Floats) -> Floats:
    """Quaternions (n, 4) turned further by rotation vectors (n, 3), global components."""
    further = quaternions_of(turn)
    w, v = further[:, :1], further[:, 1:]
    x, u = quaternion[:, :1], quaternion[:, 1:]
    scalar = w * x - np.sum(v * u, axis=1, keepdims=True)
    return of_unit_length(np.hstack([scalar, w * u + x * v + cross_products(v, u)]))


def quaternions_of(turn: Floats) -> Floats:
    """(n, 4) of rotation vectors (n, 3)."""
    angle = np.linalg.norm(turn, axis=1)
    result = np.empty((len(turn), 4))
    result[:, 0] = np.cos(angle / 2)
    result[:, 1:] = turn * (0.5 * np.sinc(angle / (2 * np.pi)))[:, None]
    return result


def of_unit_length(quaternion: Floats) -> Floats:
    """Quaternions (n, 4) divided by their norms."""
    return quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)


def rotations_of(quaternion: Floats) -> Floats:
    """(n, 3, 3) rotation matrices of quaternions (n, 4)."""
    w, x, y, z = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)
