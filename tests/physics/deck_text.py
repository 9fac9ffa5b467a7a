"""A deck as text, built block by block, for machines that only one test needs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

Vector = Sequence[float]
# Cards of what acts along a coordinate of a joint
FORCES = (
    ("stiffness", "damping", "free_value", "preload"),
    ("lower", "upper", "stop_stiffness", "stop_damping"),
    ("friction_force", "friction_coeff", "radius", "slip_velocity"),
)


class DeckText:
    """Blocks of one deck in kg, m, s; groups and block ids are numbered as they come."""

    def __init__(self, t_end: float, dt: float | None, every: float) -> None:
        self._blocks: list[str] = []
        self._counts: dict[str, int] = {}
        self._work_units = ("kg", "m", "s")
        self._engine = ["/RUN/machine/1", repr(t_end), "/TFILE", repr(every)]
        if dt is not None:
            self._engine += ["/DTIX", f"{dt!r} {dt!r}"]

    def __str__(self) -> str:
        units = ["".join(f"{name:>20}" for name in names) for names in (("kg", "m", "s"), self._work_units)]
        head = ["#RADIOSS STARTER", "/BEGIN", "machine", f"{2022:>10}{0:>10}", *units]
        return "\n".join([*head, *self._blocks, *self._engine, "/END", ""])

    @cached_property
    def folder(self) -> Path:
        """Where the deck is read from, as long as this lives, and files of it."""
        self._folder = tempfile.TemporaryDirectory()
        return Path(self._folder.name)

    def block(self, *lines: str) -> None:
        """Any block, as its lines."""
        self._blocks.append("\n".join(lines))

    def _number(self, of: str = "block") -> int:
        """The next number of blocks, nodes, solids ..."""
        self._counts[of] = self._counts.get(of, 0) + 1
        return self._counts[of]

    def nodes(self, places: Mapping[int, Vector]) -> None:
        """/NODE"""
        self.block("/NODE", *(f"{node}, {_commas(place)}" for node, place in places.items()))

    def group(self, nodes: Iterable[int]) -> int:
        """/GRNOD/NODE; returns its id."""
        number = self._number()
        ids = list(nodes)
        lines = ["".join(f"{node:>10}" for node in ids[k : k + 10]) for k in range(0, len(ids), 10)]
        self.block(f"/GRNOD/NODE/{number}", "group", *lines)
        return number

    def joint(
        self,
        kind: str,
        carrier: tuple[int, float, float],
        shafts: Sequence[tuple[int, float, float, Vector]],
        alpha: float = 1.0,
    ) -> int:
        """/GJOINT: carrier is (node, mass, inertia), each shaft (node, mass, inertia, axis); returns its id."""
        number = self._number()
        nodes = [shaft[0] for shaft in shafts] + [0] * (3 - len(shafts))
        lines = [_commas((shaft[1], shaft[2], *shaft[3])) for shaft in shafts] + ["0, 0, 0, 0, 0"] * (3 - len(shafts))
        first = f"{carrier[0]}, {_commas((alpha, carrier[1], carrier[2]))}, {_commas(nodes)}"
        self.block(f"/GJOINT/{kind}/{number}", "joint", first, *lines)
        return number

    def pair(
        self,
        kind: str,
        node_i: int,
        node_j: int,
        axis: Vector = (0.0, 0.0, 1.0),
        *,
        second: Vector | None = None,
        pitch: float | None = None,
        length: float | None = None,
        forces: Sequence[Mapping[str, float]] = (),
    ) -> int:
        """/JOINT between two nodes (0: the ground); returns its id.

        forces : along each coordinate, what acts there by the names of the fields
        """
        number = self._number()
        lines = [f"{node_i}, {node_j}, 0", _commas(axis)]
        if second is not None or pitch is not None or length is not None or forces:
            blanks = ("", "", "")
            values = [*(blanks if second is None else second), pitch, length]
            lines.append(_blanks_and_commas(values))
        for given in forces:
            lines += [_blanks_and_commas([given.get(name, "") for name in card]) for card in FORCES]
        self.block(f"/JOINT/{kind}/{number}", "pair", *lines)
        return number

    def drive(
        self,
        kind: str,
        node_i: int,
        node_j: int,
        function: int,
        axis: Vector = (0.0, 0.0, 1.0),
        *,
        level: int = 0,
        absolute: bool = False,
        scale: float = 1.0,
        sensor: int = 0,
        window: tuple[float, float] = (0.0, 1e30),
    ) -> int:
        """/DRIVE; returns its id."""
        number = self._number()
        first = f"{node_i}, {node_j}, {function}, {sensor}, {level}, {int(absolute)}"
        times = f"1, {scale!r}, {window[0]!r}, {window[1]!r}"
        direction = [] if kind == "DIST" else [_commas(axis)]
        self.block(f"/DRIVE/{kind}/{number}", "drive", first, times, *direction)
        return number

    def coupler(self, kind: str, nodes: Sequence[int], ratio: float, axis_a: Vector, axis_b: Vector) -> int:
        """/COUPLER: nodes are a, its support, b, its support (0: the ground); returns its id."""
        number = self._number()
        lines = (_commas(nodes), f"{ratio!r}", _commas(axis_a), _commas(axis_b))
        self.block(f"/COUPLER/{kind}/{number}", "coupler", *lines)
        return number

    def masses(self, nodes: Iterable[int], mass: float) -> None:
        """/ADMAS/0: the same mass on each node."""
        group = self.group(nodes)
        self.block(f"/ADMAS/0/{group}", "masses", f"{mass:>20.13g}{group:>10}")

    def rigid_body(
        self,
        main: int,
        secondary: Iterable[int],
        mass: float = 0.0,
        inertia: Vector = (0.0, 0.0, 0.0),
        products: Vector = (0.0, 0.0, 0.0),
        walled: bool = False,
    ) -> int:
        """/RBODY with Ispher 3 and ICoG 1; inertia Jxx Jyy Jzz, products Jxy Jyz Jxz; returns its id.

        walled : rigid walls hold its secondary nodes (Ikrem 1)
        """
        group = self.group(secondary)
        card = f"{main:>10}{0:>10}{0:>10}{3:>10}{mass:>20.13g}{group:>10}{int(walled):>10}{1:>10}{0:>10}"
        self.block(f"/RBODY/{group}", "body", card, _columns(inertia), _columns(products))
        return group

    def rigid_tie(self, main: int, dependent: Iterable[int]) -> None:
        """/RBE2 with all digits on."""
        group = self.group(dependent)
        self.block(f"/RBE2/{group}", "tie", f"{main:>10}{'111 111':>10}{0:>10}{group:>10}")

    def spring(self, node_1: int, node_2: int, stiffness: float, damping: float = 0.0) -> None:
        """/SPRING with /PROP/TYPE4, along the line between two nodes, of next to no mass."""
        number = self._number()
        cards = ("1e-20", f"{stiffness!r}, {damping!r}, 0, 0, 0", f"{0:>10}", "0, 0, 0, 0")
        self.block(f"/PROP/TYPE4/{number}", "spring", *cards)
        self.block(f"/PART/{number}", "spring", f"{number}, 0, 0", f"/SPRING/{number}", f"{number}, {node_1}, {node_2}")

    def hold(self, nodes: Iterable[int], digits: str = "111 111") -> None:
        """/BCS in global axes."""
        group = self.group(nodes)
        self.block(f"/BCS/{group}", "held", f"   {digits}{0:>10}{group:>10}")

    def function(self, points: Sequence[tuple[float, float]]) -> int:
        """/FUNCT; returns its id."""
        number = self._number()
        self.block(f"/FUNCT/{number}", "function", *(_commas(point) for point in points))
        return number

    def expression(self, formula: str) -> int:
        """/FUNCT_EXPR of t; returns its id."""
        number = self._number()
        self.block(f"/FUNCT_EXPR/{number}", "function", formula)
        return number

    def load(self, node: int, direction: str, value: float, function: int | None = None) -> None:
        """/CLOAD along X, Y, Z or about XX, YY, ZZ; constant without a function."""
        function = self.function([(0, 1), (1, 1)]) if function is None else function
        group = self.group([node])
        card = f"{function:>10}{direction:>10}{0:>10}{0:>10}{group:>10}{'':10}{1:>20}{value:>20.13g}"
        self.block(f"/CLOAD/{group}", "load", card)

    def turn_steadily(self, node: int, direction: str, rate: float) -> None:
        """/IMPVEL of one rotation at a constant rate."""
        function, group = self.function([(0, 1), (1, 1)]), self.group([node])
        card = f"{function:>10}{direction:>10}{0:>10}{0:>10}{group:>10}{0:>10}{0:>10}"
        self.block(f"/IMPVEL/{group}", "drive", card, f"{1:>20}{rate:>20.13g}{0:>20}{'1e30':>20}")

    def gravity(self, nodes: Iterable[int], direction: str, value: float) -> None:
        """/GRAV, constant."""
        group = self.group(nodes)
        card = f"{0:>10}{direction:>10}{0:>10}{0:>10}{group:>10}{'':10}{1:>20}{value:>20.13g}"
        self.block(f"/GRAV/{group}", "gravity", card)

    def velocity(self, node: int, translational: Vector, rotational: Vector) -> None:
        """/INIVEL/TRA and /INIVEL/ROT of one node."""
        group = self.group([node])
        for kind, vector in (("TRA", translational), ("ROT", rotational)):
            self.block(f"/INIVEL/{kind}/{self._number()}", "velocity", f"{_commas(vector)}, {group}, 0")


def _blanks_and_commas(values: Sequence[float | str | None]) -> str:
    return ", ".join("" if value is None else str(value) for value in values)


def _commas(values: Iterable[float]) -> str:
    return ", ".join(repr(value.item() if hasattr(value, "item") else value) for value in values)


def _columns(values: Iterable[float]) -> str:
    return "".join(f"{value:>20.13g}" for value in values)
