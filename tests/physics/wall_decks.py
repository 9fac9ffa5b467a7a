"""Decks with rigid walls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contact_decks import ContactDeck
from deck_text import Vector

SLIDING, TIED, FRICTION = 0, 1, 2


class WallDeck(ContactDeck):
    """Masses and bodies of nodes, and walls that hold them; walls are numbered as they come."""

    def __init__(self, t_end: float, dt: float | None, every: float) -> None:
        super().__init__(t_end, dt, every)
        self._nodes = 0
        self._version = 2022

    def __str__(self) -> str:
        return super().__str__().replace(f"{2022:>10}", f"{self._version:>10}", 1)

    def mass(self, place: Vector, mass: float, velocity: Vector = (0.0, 0.0, 0.0)) -> int:
        """A node with mass; returns it."""
        self._nodes += 1
        node = 1000 + self._nodes
        self.nodes({node: place})
        self.masses([node], mass)
        if any(velocity):
            self.velocity(node, velocity, (0.0, 0.0, 0.0))
        return node

    def body(
        self, place: Vector, mass: float, inertia: Vector, nodes: Sequence[Vector],
        velocity: Vector = (0.0, 0.0, 0.0), spin: Vector = (0.0, 0.0, 0.0),
    ) -> tuple[int, list[int]]:  # fmt: skip
        """An /RBODY with nodes that walls hold (Ikrem 1); returns its main node and those."""
        self._nodes += len(nodes) + 1
        main = 1000 + self._nodes
        secondary = list(range(main - len(nodes), main))
        self.nodes({main: place, **dict(zip(secondary, nodes, strict=True))})
        self.rigid_body(main, secondary, mass, inertia, walled=True)
        if any(velocity) or any(spin):
            self.velocity(main, velocity, spin)
        return main, secondary

    def crate(self, place: Vector, mass: float, size: Vector, *motion: Vector) -> tuple[int, list[int]]:
        """A homogeneous box; returns its main node and its corners."""
        x, y, z = (edge**2 for edge in size)
        signs = [(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]
        corners = [[p + s * e for p, s, e in zip(place, sign, size, strict=True)] for sign in signs]
        return self.body(place, mass, [mass / 12 * two for two in (y + z, z + x, x + y)], corners, *motion)

    def wall(
        self, kind: str, nodes: Iterable[int], *points: Vector, mode: int = SLIDING, friction: float = 0.0,
        diameter: float = 0.0, penalty: bool = False, carrier: int = 0, mass: float = 0.0,
        velocity: Vector = (0.0, 0.0, 0.0), filtered: int = 0,
    ) -> int:  # fmt: skip
        """/RWALL through M, M1, M2 (carried: M1, M2); returns its id."""
        number = self._number("wall")
        group = self.group(nodes)
        form = f", {int(penalty)}" if penalty else ""
        if penalty:
            self._version = 2026
        first = [_commas((mass, *velocity))] if carrier else []
        self.block(
            f"/RWALL/{kind}/{number}",
            "wall",
            f"{carrier}, {mode}, {group}, 0{form}",
            f"0, {friction!r}, {diameter!r}, 0.5, {filtered}",
            *first,
            *map(_commas, points),
        )
        return number


def _commas(values: Sequence[float]) -> str:
    return ", ".join(repr(float(value)) for value in values)
