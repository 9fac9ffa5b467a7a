"""A deck built body by body, in any numbering, order of blocks, units and rounding; it knows what it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from deck_text import Vector
from numpy.typing import NDArray
from random_machines import GROUND, Body
from wall_decks import WallDeck

from .twin import Coupled, Driven, Gears, Joined, Pulled

Floats = NDArray[np.float64]
ZERO = (0.0, 0.0, 0.0)
MASSES = {"kg": 1.0, "Mg": 1e-3, "g": 1e3}
LENGTHS = {"m": 1.0, "mm": 1e3}
TIMES = {"s": 1.0, "ms": 1e3}


@dataclass(frozen=True)
class Form:
    """How a machine is written down, which must not change what it does.

    numbering, order : seeds of random ids and of a random order of blocks, None for those of the generator
    units : of the calculation, and of the results
    """

    numbering: int | None = None
    order: int | None = None
    units: tuple[str, str, str] = ("kg", "m", "s")

    @property
    def length(self) -> float:
        """A metre in the units of the calculation."""
        return LENGTHS[self.units[1]]

    @property
    def time(self) -> float:
        """A second in them."""
        return TIMES[self.units[2]]

    @property
    def mass(self) -> float:
        """A kilogram in them."""
        return MASSES[self.units[0]]


AS_MADE = Form()


class MachineDeck(WallDeck):
    """Bodies, and what joins, drives, loads and stops them.

    bodies : as made, in kg, m, s; mains : their main nodes
    rows : what a twin needs to know of joints, gears, couplers and drives
    digits : after the point that coordinates have, None all
    grounded, loaded : whether anything holds the machine or acts on it from outside
    rough : why forces are not smooth, so that the error of the energy is not of second order; "" if they are
    known_forces : whether the twin knows all forces at t = 0
    elastic : part of the kinetic energy that a collision without loss may be off by, None if it loses some
    kept : part of the energy turned over that elastic forces with loss beside them may make or lose, None: any
    approximate : by how much it may move otherwise as another one of its forms, because forces are approximate
    jumps : whether forces may jump with the places of solids
    bends : times at which steps are cut
    branches : whether it may pass places where it could branch off
    indeterminate : whether nodes tied to a wall share its force in a way that statics leaves open
    """

    def __init__(self, t_end: float, dt: float | None, every: float, form: Form = AS_MADE) -> None:
        dt = None if dt is None else dt * form.time
        super().__init__(t_end * form.time, dt, every * form.time)
        self._form, self._work_units = form, form.units
        self._random_ids = (
            None if form.numbering is None else 1 + np.random.default_rng(form.numbering).permutation(20_000)
        )
        self.bodies: list[Body] = []
        self.mains: list[int] = []
        self._points: list[list[int]] = []
        self._walled: set[int] = set()
        self.rows: list[Joined | Gears | Coupled | Driven] = []
        self.pulls: list[Pulled] = []
        self.acceleration: Floats = np.zeros(3)
        self.digits: int | None = None
        self.grounded = self.loaded = False
        self.rough = ""
        self.known_forces = True
        self.elastic: float | None = None
        self.kept: float | None = None
        self.approximate = 0.0
        self.jumps = False
        self.bends: list[float] = []
        self.branches = self.indeterminate = False

    def __str__(self) -> str:
        """The text; bodies are written with all their nodes."""
        blocks = list(self._blocks)
        for body in range(len(self.bodies)):
            self._write_body(body)
        if self._form.order is not None:
            np.random.default_rng(self._form.order).shuffle(self._blocks)
        text = super().__str__()
        self._blocks = blocks
        return text

    def _number(self, of: str = "block") -> int:
        number = super()._number(of)
        return number if self._random_ids is None else int(self._random_ids[number])

    def new_id(self) -> int:
        """For a block that no method writes."""
        return self._number()

    def rounded(self, place: Vector) -> Floats:
        """A place as the deck has it."""
        return np.asarray(place, dtype=float) if self.digits is None else np.round(place, self.digits)

    def nodes(self, places: Mapping[int, Vector]) -> None:
        """/NODE, rounded."""
        places = {node: self.rounded(place).tolist() for node, place in places.items()}
        super().nodes({node: [float(x) for x in place] for node, place in places.items()})

    @property
    def smooth(self) -> bool:
        """Whether nothing touches."""
        return self.rough not in ("contact", "walls")

    # ---- bodies ------------------------------------------------------------------------------------------------

    def add(self, body: Body, walled: bool = False) -> int:
        """A rigid body, whose nodes rigid walls may hold; returns its index."""
        node = self._number("node")
        body = replace(body, centre=self.rounded(body.centre))
        self.bodies.append(body)
        self.mains.append(node)
        self._points.append([])
        self._walled |= {len(self.bodies) - 1} if walled else set()
        self.nodes({node: body.centre})
        if body.velocity.any() or body.spin.any():
            self.velocity(node, body.velocity.tolist(), body.spin.tolist())
        return len(self.bodies) - 1

    def at(self, body: int, place: Vector) -> int:
        """A node of a body at a place, 0 for the ground."""
        if body == GROUND:
            return 0
        node = self._number("node")
        self.nodes({node: place})
        self._points[body].append(node)
        return node

    def fixed_node(self, place: Vector) -> int:
        """A node that is held, where the ground will not do."""
        node = self._number("node")
        self.nodes({node: place})
        super().hold([node])
        self.grounded = True
        return node

    def _write_body(self, body: int) -> None:
        points = self._points[body] or [self._number("node")]
        if not self._points[body]:  # a body has to have a node beside its main one
            self.nodes({points[0]: self.bodies[body].centre})
        i = self.bodies[body].inertia
        products = (i[0, 1], i[1, 2], i[0, 2])
        self.rigid_body(
            self.mains[body], points, self.bodies[body].mass, np.diag(i).tolist(), products, walled=body in self._walled
        )

    def hold_body(self, body: int) -> None:
        """/BCS of all six."""
        self.hold([self.mains[body]])
        self.grounded = True
        self.rows.append(Joined("FIXED", GROUND, body, self.bodies[body].centre, self.bodies[body].centre, (0, 0, 1)))

    # ---- rows --------------------------------------------------------------------------------------------------

    def join(
        self,
        kind: str,
        first: int,
        second: int,
        place: Floats,
        axis: Vector,
        *,
        place_second: Floats | None = None,
        axis_second: Vector | None = None,
        pitch: float | None = None,
        forces: Sequence[Mapping[str, float]] = (),
    ) -> int:
        """/JOINT between two bodies or a body and the ground; returns its id."""
        place, end = self.rounded(place), self.rounded(place if place_second is None else place_second)
        if GROUND in (first, second):
            self.grounded = True
        nodes = (self.at(first, place), self.at(second, end))
        if kind in ("DISTANCE", "REV_SPH", "REV_CYL", "PLANAR", "FIXED") and first == GROUND:
            nodes = (self.fixed_node(place), nodes[1])
        elif first == GROUND:
            place = end  # the ground's point is where the other node stands
        axes = {
            "axis": list(map(float, axis)),
            "second": None if axis_second is None else list(map(float, axis_second)),
        }
        number = self.pair(kind, *nodes, **axes, pitch=pitch, forces=forces)
        self.rows.append(Joined(kind, first, second, place, end, axis, axis_second, pitch))
        for k, given in enumerate(forces):
            self.pulls.append(Pulled(self.rows[-1], self._measure(kind, k), given))
            if set(given) & {"lower", "upper", "friction_force", "friction_coeff"}:
                self.rough = "stops or friction in joints"
                self.known_forces = False
        return number

    @staticmethod
    def _measure(kind: str, coordinate: int) -> str:
        return "ANG" if kind in ("REVOLUTE", "SCREW") or (kind == "CYLINDRICAL" and coordinate == 0) else "U"

    def gear(self, kind: str, carrier: int, shafts: Sequence[tuple[int, Floats, Vector]], alpha: float) -> int:
        """/GJOINT on the main node of a carrier; shafts are (body, place, axis); returns its id."""
        shafts = [(body, self.rounded(place), axis) for body, place, axis in shafts]
        nodes = [(self.at(body, place), 0.0, 0.0, [float(x) for x in axis]) for body, place, axis in shafts]
        self.rows.append(Gears(kind, carrier, shafts, alpha))
        return self.joint(kind, (self.mains[carrier], 0.0, 0.0), nodes, alpha)

    def couple(
        self, kind: str, side: tuple[int, int, Floats, Vector], other: tuple[int, int, Floats, Vector], ratio: float
    ) -> int:
        """/COUPLER; sides are (body, its support, place, axis); returns its id."""
        self.grounded = self.grounded or GROUND in (side[1], other[1])
        side, other = ((*part[:2], self.rounded(part[2]), part[3]) for part in (side, other))
        nodes = [self.at(body, part[2]) for part in (side, other) for body in part[:2]]
        self.rows.append(Coupled(kind, side, other, ratio))
        axes = [[float(x) for x in part[3]] for part in (side, other)]
        return self.coupler(kind, nodes, ratio, *axes)

    def drive_by(
        self, kind: str, first: int, second: int, place: Floats, place_second: Floats, axis: Vector, *, level: int,
        formulas: Sequence[str], window: tuple[float, float] = (0.0, 1e30),
    ) -> int:  # fmt: skip
        """/DRIVE by a formula of t for the position, the rate or the acceleration; returns its id."""
        self.loaded = True
        self.grounded = self.grounded or GROUND in (first, second)
        place, place_second = self.rounded(place), self.rounded(place_second)
        node = self.fixed_node(place) if first == GROUND else self.at(first, place)
        function = self.expression(formulas[level])
        joined = Joined("DISTANCE" if kind == "DIST" else "STRUT", first, second, place, place_second, axis)
        self.rows.append(Driven(joined, "ANG" if kind == "ROT" else "U", formulas, level))
        axis = [float(x) for x in axis]
        return self.drive(kind, node, self.at(second, place_second), function, axis, level=level, window=window)

    # ---- forces ------------------------------------------------------------------------------------------------

    def gravitate(self, acceleration: Floats) -> None:
        """/GRAV on all bodies."""
        self.acceleration = self.acceleration + acceleration
        self.loaded = True
        for direction, value in zip("XYZ", acceleration.tolist(), strict=True):
            if value:  # a zero on this card stands for 1
                self.gravity(self.mains, direction, value)

    def push(self, body: int, force: Floats, moment: Floats) -> None:
        """/CLOAD, constant, on the mass centre."""
        self.loaded = True
        self.pulls.append(Pulled(None, "LOAD", {"body": body}, force, moment))
        names = ("X", "Y", "Z", "XX", "YY", "ZZ")
        for direction, value in zip(names, [*force.tolist(), *moment.tolist()], strict=True):
            if value:
                self.load(self.mains[body], direction, value)

    def stretch(self, first: int, second: int, place: Floats, end: Floats, stiffness: float, damping: float) -> None:
        """/SPRING of TYPE4 between two bodies."""
        place, end = self.rounded(place), self.rounded(end)
        nodes = (self.at(first, place), self.at(second, end))
        row = Joined("DISTANCE", first, second, place, end, (0, 0, 1))
        self.pulls.append(Pulled(row, "U", {"stiffness": stiffness, "damping": damping}))
        self.spring(*nodes, stiffness, damping)
