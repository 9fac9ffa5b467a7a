"""Decks with contacts: solids on bodies, interfaces of every law, friction."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deck_text import DeckText, Vector
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh


class ContactDeck(DeckText):
    """A deck of free bodies, solids and interfaces; nodes, surfaces and interfaces are numbered as they come."""

    def __init__(self, t_end: float, dt: float | None, every: float) -> None:
        super().__init__(t_end, dt, every)
        # of the interfaces to come
        self.zero_crossing = False
        self.master = self.node_mode = self.analytical = 0

    def free_body(
        self,
        place: Vector,
        mass: float,
        inertia: Vector,
        velocity: Vector = (0.0, 0.0, 0.0),
        spin: Vector = (0.0, 0.0, 0.0),
    ) -> int:
        """An /RBODY about its mass centre; returns its main node."""
        node = self._number("body")
        mark = 100_000 + node
        self.nodes({node: place, mark: (place[0] + 1.0, place[1], place[2])})
        self.rigid_body(node, [mark], mass, inertia)
        self.velocity(node, velocity, spin)
        return node

    def ball(self, place: Vector, mass: float, radius: float, *motion: Vector) -> tuple[int, int]:
        """A homogeneous ball; returns its node and its surface."""
        node = self.free_body(place, mass, (0.4 * mass * radius**2,) * 3, *motion)
        return node, self.solid("SPHERE", node, radius)

    def box(self, place: Vector, mass: float, size: Vector, *motion: Vector) -> tuple[int, int]:
        """A homogeneous box along the global axes; returns its node and its surface."""
        x, y, z = (edge**2 for edge in size)
        node = self.free_body(place, mass, tuple(mass / 12 * two for two in (y + z, z + x, x + y)), *motion)
        return node, self.solid("BOX", node, *size)

    def solid(self, kind: str, node: int, *sizes: float, centre: Vector = (0.0, 0.0, 0.0), skew: int = 0) -> int:
        """/SURF of a solid on a node (0: the ground); returns its id."""
        number = self._number("solid")
        lines = [f"{node}, {skew}", _commas(centre), *([_commas(sizes)] if sizes else [])]
        name = {"ELLIPSOID": "ELLIPS", "CYLINDER": "CYL"}.get(kind, kind)
        self.block(f"/SURF/{name}_SOLID/{number}", "solid", *lines)
        return number

    def mesh(self, node: int, triangles: TriangleMesh, *, smooth: bool = True, centre: Vector = (0.0, 0.0, 0.0)) -> int:
        """/SURF/MESH of triangles in a file of their own, on a node (0: the ground); returns its id."""
        number = self._number("solid")
        vertices = [" ".join(map(repr, vertex)) for vertex in triangles.vertices.tolist()]
        faces = [f"3 {a} {b} {c}" for a, b, c in triangles.triangles.tolist()]
        head = ["OFF", f"{len(vertices)} {len(faces)} 0"]
        (self.folder / f"mesh{number}.off").write_text("\n".join([*head, *vertices, *faces, ""]))
        lines = f"{node}, 0, 0, {int(smooth)}", "1.0", _commas(centre), f"mesh{number}.off"
        self.block(f"/SURF/MESH/{number}", "mesh", *lines)
        return number

    def curve(
        self, node: int, points: Sequence[Sequence[float]], *, closed: bool = True, side: int = 0, skew: int = 0,
        corner_angle: float = 0.0, width: float | None = None,
    ) -> int:  # fmt: skip
        """/CURVE/2D on a node (0: the ground), numbered as solids are; returns its id."""
        number = self._number("solid")
        card = (
            f"{node}, {skew}, {int(closed)}, {len(points)}, {side}, {corner_angle!r}, {'' if width is None else width}"
        )
        self.block(f"/CURVE/2D/{number}", "curve", card, *(_commas([float(x) for x in point]) for point in points))
        return number

    def together(self, surfaces: Sequence[int]) -> int:
        """/SURF/SURF; returns its id."""
        number = self._number("solid")
        lines = ["".join(f"{surface:>10}" for surface in surfaces[k : k + 10]) for k in range(0, len(surfaces), 10)]
        self.block(f"/SURF/SURF/{number}", "together", *lines)
        return number

    def _interface(
        self, kind: str, sides: tuple[int, int], law: str, friction: Sequence[float | None], mode: int
    ) -> int:
        number = self._number("interface")
        how = f"{self.master}, {self.node_mode}, {self.analytical}"
        first = f"{sides[0]}, {sides[1]}, {how}, {mode}, 0, {int(self.zero_crossing)}"
        more = [_commas(friction[:4])] if mode and friction else []
        more += [_commas(friction[4:])] if len(friction) > 4 else []
        self.block(f"/INTER/{kind}/{number}", "contact", first, ",", law, *more)
        return number

    def poisson(
        self, sides: tuple[int, int], stiffness: float, restitution: float, transition: float = 1.0,
        friction: Sequence[float | None] = (), mode: int = 0,
    ) -> int:  # fmt: skip
        """/INTER/POISSON, friction mu_s, mu_d, v_s, v_d and k_t, c_t of mode 4; returns its id."""
        return self._interface("POISSON", sides, _commas((stiffness, restitution, transition)), friction, mode)

    def impact(
        self, sides: tuple[int, int], stiffness: float, exponent: float, damping: float = 0.0, depth: float = 1.0,
        friction: Sequence[float | None] = (), mode: int = 0,
    ) -> int:  # fmt: skip
        """/INTER/IMPACT, friction as above; returns its id."""
        return self._interface("IMPACT", sides, _commas((stiffness, exponent, damping, depth)), friction, mode)

    def hunt_crossley(
        self, sides: tuple[int, int], stiffness: float, exponent: float, damping: float,
        friction: Sequence[float | None] = (), mode: int = 0,
    ) -> int:  # fmt: skip
        """/INTER/HUNT_CROSSLEY with a given c, friction as above; returns its id."""
        return self._interface("HUNT_CROSSLEY", sides, _commas((stiffness, exponent, damping)), friction, mode)

    def routine(
        self, sides: tuple[int, int], routine: str, parameters: Sequence[float], friction: Sequence[float | None] = (),
        mode: int = 0,
    ) -> int:  # fmt: skip
        """/INTER/USERCNF by `file function`, friction as above; returns its id."""
        return self._interface("USERCNF", sides, _routine_lines(routine, parameters), friction, mode)

    def rubbed_by_routine(
        self, sides: tuple[int, int], kind: str, law: str, routine: str, parameters: Sequence[float]
    ) -> int:  # fmt: skip
        """/INTER with the cards of its law, and friction by `file function`; returns its id."""
        return self._interface(kind, sides, f"{law}\n{_routine_lines(routine, parameters)}", (), 3)

    def post(self, interface: int, routine: str, parameters: Sequence[float] = ()) -> None:
        """/INTER/POST."""
        self.block(f"/INTER/POST/{interface}", "results", _routine_lines(routine, parameters))

    def volume(
        self, sides: tuple[int, int], modulus: float, depth: float, exponent: float, damping: float,
        friction: Sequence[float | None] = (), mode: int = 0,
    ) -> int:  # fmt: skip
        """/INTER/VOLUME, the same layer on both sides, friction as above; returns its id."""
        law = f"{_commas((modulus, modulus, depth, depth, exponent))}\n{_commas((damping, None))}"
        return self._interface("VOLUME", sides, law, friction, mode)

    def force_curve(
        self, sides: tuple[int, int], loading: Sequence[Vector], *, form: int = 0, unloading: Sequence[Vector] = (),
        stiffness: float = 0.0, gap: float = 0.0, inacti: int = 0, icor: int = 0, sfric: float = 0.0, fric: float = 0.0,
        fric_by_force: int = 0, fric_by_velocity: int = 0, visc: float = 0.0, damping: Sequence[Vector] = (),
        damping_by_force: int = 0, window: Sequence[float | None] = (None, None), scales: Vector = (1.0, 1.0, 1.0, 1.0),
    ) -> int:  # fmt: skip
        """/INTER/TYPE6 of functions given by points; scales Ascalex, Fscaleld, Ascalef, Ascalev; returns its id."""
        number = self._number("interface")
        load, unload, damp = (self.function(points) if points else 0 for points in (loading, unloading, damping))
        x, force, by_force, by_velocity = scales
        self.block(
            f"/INTER/TYPE6/{number}",
            "force curve",
            f"{sides[0]}, {sides[1]}",
            _commas((sfric, fric, gap, *window)),
            f"0, 0, {inacti}, {fric_by_force}, {fric_by_velocity}, {by_force!r}, {by_velocity!r}",
            f"{load}, {form}, {x!r}, {force!r}, {icor}",
            f"{unload}, {stiffness!r}, {force!r}",
            f"{visc!r}, {damp}, {damping_by_force}, 1.0",
        )
        return number


def ball_mass(density: float, radius: float) -> float:
    return 4 / 3 * math.pi * density * radius**3


def _commas(values: Sequence[float | None]) -> str:
    """None is a blank."""
    return ", ".join("" if value is None else repr(value) if isinstance(value, int) else repr(float(value))
                     for value in values)  # fmt: skip


def _routine_lines(routine: str, parameters: Sequence[float]) -> str:
    """The cards that name a routine."""
    return "\n".join([routine, str(len(parameters)), *([_commas(parameters)] if parameters else [])])
