"""Decks of the machines that the benchmarks run, as text.

All in kg, m, s; the machines of this module have no /TH block.  Shafts sit on a regular grid inside a box of 1 m,
whatever their number: gsolve does not ask that gears touch, and so a machine of 10 000 gears is of the same size and
turns as fast as one of ten.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from gsolve.parser.model import Model

Vector = Sequence[float]
Motion = Mapping[int, tuple[Vector, Vector]]  # velocity and angular velocity of nodes

SHAFT = (0.5, 0.01)  # mass and inertia of every shaft
CARRIER = (2.0, 0.5)
SPIN = 20.0  # rad/s of the first shaft on its carrier
TUMBLE = np.array([6.0, 8.0, 10.0])  # rad/s of a machine that flies freely
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
NOTHING = (0.0, 0.0)


class Deck:
    """A deck, written block by block; ids of blocks are numbered as they come."""

    def __init__(self) -> None:
        units = "".join(f"{unit:>20}" for unit in ("kg", "m", "s"))
        self._lines = ["/BEGIN", "machine", f"{2022:>10}{0:>10}", units, units]
        self._blocks = 0
        self._weighed: set[int] = set()
        self.places: dict[int, Vector] = {}
        self.weights: dict[int, tuple[float, float]] = {}  # mass and inertia of nodes other than SHAFT and CARRIER

    def text(self) -> str:
        """The whole deck; it runs to a time that no benchmark reaches."""
        nodes = ["/NODE", *(f"{node}, {commas(place)}" for node, place in self.places.items())]
        return "\n".join([*self._lines, *nodes, "/RUN/machine/1", "1e6", "/END", ""])

    def block(self, keyword: str, *cards: str) -> int:
        """A block with a title; returns its id."""
        self._blocks += 1
        self._lines += [f"/{keyword}/{self._blocks}", "machine", *cards]
        return self._blocks

    def group(self, nodes: Sequence[int]) -> int:
        """/GRNOD/NODE"""
        lines = ("".join(f"{node:>10}" for node in nodes[k : k + 10]) for k in range(0, len(nodes), 10))
        return self.block("GRNOD/NODE", *lines)

    def joint(self, kind: str, carrier: int, shafts: Sequence[int], axes: Sequence[Vector], alpha: float) -> None:
        """/GJOINT; carrier and shafts get their mass and inertia with the first joint that names them."""
        members = [
            f"{commas(self._mass(node, SHAFT))}, {commas(axis)}" for node, axis in zip(shafts, axes, strict=True)
        ]
        members += ["0, 0, 0, 0, 0"] * (3 - len(members))
        nodes = ", ".join(str(node) for node in [*shafts, 0][:3])
        self.block(f"GJOINT/{kind}", f"{carrier}, {alpha!r}, {commas(self._mass(carrier, CARRIER))}, {nodes}", *members)

    def _mass(self, node: int, mass: tuple[float, float]) -> tuple[float, float]:
        if node in self._weighed:
            return NOTHING
        self._weighed.add(node)
        return self.weights.get(node, mass)

    def rigid_body(
        self, main: int, secondary: Sequence[int], mass: float, inertia: Vector, products: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        """/RBODY with Ispher 3 and its centre at the main node (ICoG 3).

        inertia, products : Jxx Jyy Jzz and Jxy Jyz Jxz about the main node
        """
        self._weighed.add(main)
        group = self.group(secondary) if secondary else 0
        card = f"{main:>10}{0:>10}{0:>10}{3:>10}{mass:>20}{group:>10}{0:>10}{3:>10}{0:>10}"
        self.block("RBODY", card, columns(inertia), columns(products))

    def hold(self, nodes: Sequence[int]) -> None:
        """/BCS in all six directions."""
        self.block("BCS", f"   111 111{0:>10}{self.group(nodes):>10}")

    def torque(self, nodes: Sequence[int], value: float) -> None:
        """/CLOAD about z, constant."""
        function = self.block("FUNCT", "0, 1", "1, 1")
        self.block("CLOAD", f"{function:>10}{'ZZ':>10}{0:>10}{0:>10}{self.group(nodes):>10}{'':10}{1:>20}{value:>20}")

    def masses(self, nodes: Sequence[int], mass: float) -> None:
        """/ADMAS/0"""
        self.block("ADMAS/0", f"{mass:>20}{self.group(nodes):>10}")

    def spring(
        self, node_1: int, node_2: int, stiffness: float, damping: float = 0.0, preload: float | None = None
    ) -> None:
        """/SPRING with /PROP/TYPE4, along the line between two nodes.

        preload : force at t = 0, if any; then the law is a function of the elongation
        """
        function = 0
        if preload is not None:
            function = self.block("FUNCT", f"-1, {preload - stiffness!r}", f"1, {preload + stiffness!r}")
            stiffness = 0.0
        law = (f"{stiffness!r}, {damping!r}, 0, 0, 0", f"{function:>10}", "0, 0, 0, 0")
        self._spring_element(self.block("PROP/TYPE4", "1e-9", *law), node_1, node_2)

    def torsion_spring(self, node_1: int, node_2: int, stiffness: float) -> None:
        """/SPRING with /PROP/TYPE8, about z."""
        cards = [f"{0:>20}{0:>20}{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}"]
        for value in (0.0, 0.0, 0.0, 0.0, 0.0, stiffness):
            cards += [f"{value!r}, 0, 0, 0, 0", f"{0:>10}", "0, 0, 0, 0"]
        self._spring_element(self.block("PROP/TYPE8", *cards), node_1, node_2)

    def _spring_element(self, number: int, node_1: int, node_2: int) -> None:
        """/PART and /SPRING of a property."""
        self._lines += [
            f"/PART/{number}",
            "spring",
            f"{number}, 0, 0",
            f"/SPRING/{number}",
            f"{number}, {node_1}, {node_2}",
        ]

    def hinge(self, kind: str, node_i: int, node_j: int, *axes: Vector) -> None:
        """/JOINT of a kind that needs no more than its axes; node 0 is the ground."""
        self.block(f"JOINT/{kind}", f"{node_i:>10}{node_j:>10}", *(columns(axis) for axis in axes))

    def gravity(self, direction: str, value: float) -> None:
        """/GRAV on everything, constant."""
        self.block("GRAV", f"{0:>10}{direction:>10}{'':40}{'':20}{value:>20}")

    def histories(self, nodes: Sequence[int]) -> None:
        """/TH/NODE with all variables."""
        self.block("TH/NODE", "DEF Q", *(f"{node:>10}" for node in nodes))

    def velocities(self, motion: Motion) -> None:
        """/INIVEL/NODE"""
        cards = []
        for node, (velocity, spin) in motion.items():
            cards += [f"{node:>10}{0:>10}{columns(velocity)}", f"{'':20}{columns(spin)}"]
        self.block("INIVEL/NODE", *cards)


def read(text: str) -> Model:
    """The model of a deck text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "machine.rad")
        path.write_text(text)
        return read_deck(path)


def commas(values: Vector) -> str:
    return ", ".join(repr(float(value)) for value in values)


def columns(values: Vector) -> str:
    return "".join(f"{float(value):>20.12g}" for value in values)


def grid(count: int) -> np.ndarray:
    """`count` points (count, 3) on a regular grid in a box of 1 m about the origin."""
    edge = max(2, int(np.ceil(count ** (1 / 3))))
    k = np.arange(count)
    return np.stack([k % edge, k // edge % edge, k // edge**2], axis=1) / (edge - 1) - 0.5


# ---- machines ------------------------------------------------------------------------------------------------

JOINT_AXES = {
    "GEAR": (Z, (0.6, 0.0, 0.8)),
    "DIFF": (Z, X, (0.0, 0.6, 0.8)),
    "RACK": (Z, (0.8, 0.6, 0.0)),
}
JOINT_PLACES = {1: (0.0, 0.0, 0.0), 2: (0.2, 0.03, -0.05), 3: (-0.1, 0.15, 0.07), 4: (-0.1, -0.15, 0.02)}


def joint_on_held_carrier(kind: str) -> str:
    """One joint on a housing that is bolted to the ground, a constant torque on its first shaft."""
    axes, deck = JOINT_AXES[kind], Deck()
    shafts = range(2, 2 + len(axes))
    deck.places = {node: JOINT_PLACES[node] for node in (1, *shafts)}
    deck.joint(kind, 1, shafts, axes, alpha=0.7)
    deck.hold([1])
    deck.torque([2], 1e-3)
    return deck.text()


def joint_in_free_flight(kind: str, relative_spin: float) -> str:
    """One joint whose carrier, a rigid body of three different principal inertias, tumbles freely.

    The first shaft spins on top of that.  A rack is off the axis of rotation, and a spring keeps it on its track.
    """
    axes, deck = JOINT_AXES[kind], Deck()
    shafts = range(2, 2 + len(axes))
    anchor = tuple(np.subtract(JOINT_PLACES[3], 0.5 * np.array(axes[1])))
    deck.places = {node: JOINT_PLACES[node] for node in (1, *shafts)} | {8: anchor, 9: (0.1, 0.0, 0.0)}
    deck.rigid_body(1, [8, 9], 1.0, (0.02, 0.03, 0.045))
    deck.joint(kind, 1, shafts, axes, alpha=0.7)
    if kind == "RACK":
        deck.spring(8, 3, 600.0)
    motion: dict[int, tuple[Vector, Vector]] = {}
    for node in (1, *shafts):
        velocity, spin = np.cross(TUMBLE, JOINT_PLACES[node]), TUMBLE.copy()
        if node == 2:
            spin = spin + relative_spin * np.array(axes[0])
        elif kind == "RACK" and node == 3:
            velocity = velocity - 0.7 * relative_spin * np.array(axes[1])
        elif node == shafts[-1]:
            spin = spin - 0.7 * relative_spin * np.array(axes[-1])
        motion[node] = velocity, spin
    deck.velocities(motion)
    return deck.text()


def independent_gears(count: int, *, held: bool) -> str:
    """`count` gear pairs that have nothing to do with each other, on held carriers or each tumbling freely."""
    deck, places = Deck(), grid(3 * count)
    motion: dict[int, tuple[Vector, Vector]] = {}
    carriers = range(1, 3 * count + 1, 3)
    for carrier in carriers:
        nodes = (carrier, carrier + 1, carrier + 2)
        deck.joint("GEAR", carrier, nodes[1:], (Z, X), alpha=0.5)
        for node, spin in zip(nodes, ((0.0, 0.0, 0.0), (0.0, 0.0, SPIN), (-0.5 * SPIN, 0.0, 0.0)), strict=True):
            deck.places[node] = places[node - 1]
            motion[node] = np.cross(TUMBLE, places[node - 1] - places[carrier - 1]), TUMBLE + spin
    if held:
        deck.hold(carriers)
        deck.torque(range(2, 3 * count + 1, 3), 1e-3)
    else:
        deck.velocities(motion)
    return deck.text()


def train(count: int, housing: str) -> str:
    """`count` gear joints in one train of count + 1 shafts along z.

    housing : "grounded", all shafts on one held housing; "free", on one that tumbles; "separate", each pair of
    neighbours on a carrier of its own that hangs on nothing but its shafts.
    """
    deck = Deck()
    shafts = range(1, count + 2)
    deck.places = dict(zip(shafts, grid(count + 1), strict=True))
    motion: dict[int, tuple[Vector, Vector]] = {}
    for shaft in shafts:
        tumble = TUMBLE if housing == "free" else np.zeros(3)
        motion[shaft] = np.cross(tumble, deck.places[shaft]), tumble + SPIN * (-1) ** shaft * np.array(Z)
    first_carrier = count + 2
    for joint in range(count):
        carrier = first_carrier + (joint if housing == "separate" else 0)
        if housing == "separate":
            deck.places[carrier] = 0.5 * (np.array(deck.places[joint + 1]) + deck.places[joint + 2])
        deck.joint("GEAR", carrier, (joint + 1, joint + 2), (Z, Z), alpha=1.0)
    if housing != "separate":
        deck.places[first_carrier] = (0.0, 0.0, 0.0)
        motion[first_carrier] = (0.0, 0.0, 0.0), TUMBLE
    if housing == "grounded":
        deck.hold([first_carrier])
        del motion[first_carrier]
    else:
        deck.torque([1], 1.0)
    deck.velocities(motion)
    return deck.text()


def geared_arm(links: int) -> str:
    """A chain of links on hinges under its weight; a motor on each turns the next by two pairs of gears."""
    deck, length, axes = Deck(), 0.3, (Z, (0.0, 1.0, 0.0))
    base = 5000
    deck.places[base] = (0.0, 0.0, 0.0)
    for link in range(1, links + 1):
        hinge, motor, shaft, start = 1000 + link, 3000 + link, 4000 + link, length * (link - 1)
        deck.places[link], deck.places[hinge] = (start + 0.5 * length, 0.0, 0.02), (start, 0.0, 0.0)
        deck.places[motor], deck.places[shaft] = (start - 0.1, 0.05, 0.0), (start - 0.05, 0.03, 0.0)
        deck.weights |= {link: NOTHING, hinge: NOTHING, motor: (0.3, 2e-4), shaft: (0.1, 1e-4)}
        deck.rigid_body(link, [hinge], 2.0, (0.01, 0.02, 0.02))
        carrier = link - 1 or base
        deck.joint("GEAR", carrier, (motor, shaft), (X, X), alpha=0.25)
        deck.joint("GEAR", carrier, (shaft, hinge), (X, axes[link % 2]), alpha=0.25)
    deck.hold([base])
    deck.gravity("Z", -9.81)
    return deck.text()


def tumbling_body() -> str:
    """One /RBODY of three different principal inertias, free of forces."""
    deck = Deck()
    deck.places = {1: (0.0, 0.0, 0.0), 2: (0.1, 0.0, 0.0), 3: (0.0, 0.1, 0.0)}
    deck.rigid_body(1, [2, 3], 1.0, (1.0, 2.0, 3.0))
    deck.velocities({1: ((0.0, 0.0, 0.0), TUMBLE)})
    return deck.text()


def sprung_pair() -> str:
    """Two masses with a spring and a damper between them."""
    deck = Deck()
    deck.places = {1: (0.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0)}
    deck.masses([1, 2], 1.0)
    deck.spring(1, 2, 1e4, 1.0)
    deck.velocities({1: ((-1.0, 0.2, 0.0), (0.0, 0.0, 0.0)), 2: ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))})
    return deck.text()
