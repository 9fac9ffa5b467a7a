"""The machines of the comparison: their data, and the motion they must have; those in space are in `spatial.py`.

Each machine says at what time its motion is compared (`t_end`), at which steps it is run, at which of them programs are
compared step by step (`same_step`), how many times as long its motion may go on to be timed, 1 where it gets harder or
easier to follow (`goes_on`), and how far an observed motion is from the reference (`error`).  References: closed forms
for the gears and the four-bars, a published solution for Andrews' mechanism, for the free carriers an integration of
their reduced equation to 1e-12, and for machines in space one by joint coordinates, which share nothing with any of the
programs.  All in kg, m, s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from comparison.spatial import STEPS, Arm, Hexapod, Spatial, Vehicle

GRAVITY = 9.81
Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class GearChain:
    """Equal rotors on ground, each geared 1 : -1 to the next; a torsion spring holds the first; they start in motion.

    The chain swings like one rotor of the inertia of all: angle i is (-1)^i A sin(w t), w^2 = k / (n J).
    observed : (n,) angles; error : largest difference, relative to A
    """

    rotors: int
    same_step: float = 1e-4
    t_end: ClassVar[float] = 1.0
    goes_on: ClassVar[float] = 1000.0
    steps: ClassVar[tuple[float, ...]] = tuple(1.0 / count for count in STEPS)
    mass: ClassVar[float] = 0.5
    inertia: ClassVar[float] = 0.01
    amplitude: ClassVar[float] = 0.5
    frequency: ClassVar[float] = 12.0  # rad/s

    @property
    def name(self) -> str:
        return f"gear chain of {self.rotors} rotors"

    @property
    def stiffness(self) -> float:
        """N m/rad of the spring on the first rotor."""
        return self.rotors * self.inertia * self.frequency**2

    @property
    def rates(self) -> np.ndarray:
        """(n,) rad/s at t = 0."""
        return self.frequency * self.amplitude * (-1.0) ** np.arange(self.rotors)

    def error(self, observed: np.ndarray) -> float:
        exact = self.rates / self.frequency * np.sin(self.frequency * self.t_end)
        return float(np.abs(observed - exact).max()) / self.amplitude


@dataclass(frozen=True)
class Planetary:
    """A planetary gearbox of three stages on one axis, three planets each, rings in the housing; a torsion spring holds
    the output, and it starts in motion.

    Shaft 0 is the first sun, shaft k the carrier of stage k and the sun of the next.  Sun and planets have 20 teeth, a
    ring 60, so that a sun turns 4 times as fast as its carrier, a planet at -2 times its speed.  All swings like one
    rotor: the angle of shaft k is 4^(3 - k) A sin(w t).
    observed : (4,) angles of the shafts; error : largest difference, each relative to its amplitude
    """

    t_end: ClassVar[float] = 1.0
    goes_on: ClassVar[float] = 1000.0
    same_step: ClassVar[float] = 1e-4
    steps: ClassVar[tuple[float, ...]] = tuple(1.0 / count for count in STEPS)
    name: ClassVar[str] = "planetary gearbox, 3 stages"
    stages: ClassVar[int] = 3
    planets: ClassVar[int] = 3
    ring_ratio: ClassVar[float] = 3.0  # teeth of the ring over those of the sun, and over those of a planet
    shafts: ClassVar[tuple[tuple[float, float], ...]] = ((0.5, 1e-4), (2.0, 4e-3), (4.0, 1e-2), (8.0, 3e-2))
    planet: ClassVar[tuple[float, float]] = (0.3, 1e-4)  # mass and inertia
    radius: ClassVar[float] = 0.05  # of the circle of the planets' centres
    amplitude: ClassVar[float] = 0.04  # rad of the output
    frequency: ClassVar[float] = 12.0  # rad/s

    @property
    def ratios(self) -> np.ndarray:
        """(4,) speeds of the shafts over that of the last."""
        return (1.0 + self.ring_ratio) ** np.arange(self.stages, -1, -1)

    @property
    def rates(self) -> np.ndarray:
        """(4,) rad/s of the shafts at t = 0."""
        return self.frequency * self.amplitude * self.ratios

    @property
    def stiffness(self) -> float:
        """N m/rad of the spring on the last shaft."""
        mass, inertia = self.planet
        total = sum(shaft * ratio**2 for (_, shaft), ratio in zip(self.shafts, self.ratios, strict=True))
        orbit = mass * self.radius**2 + inertia * (1.0 - self.ring_ratio) ** 2
        return float(total + self.planets * orbit * (self.ratios[1:] ** 2).sum()) * self.frequency**2

    def planet_places(self) -> np.ndarray:
        """(3, 3) on the carrier."""
        angles = 2 * np.pi * np.arange(self.planets) / self.planets
        return self.radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(self.planets)], axis=1)

    def error(self, observed: np.ndarray) -> float:
        exact = np.sin(self.frequency * self.t_end)
        return float(np.abs(observed / (self.amplitude * self.ratios) - exact).max())


@dataclass(frozen=True)
class FreeCarriers:
    """Carriers of three different principal inertias that tumble freely, each with two geared rotors.

    R is the rotation of the carrier; rotor k is a sphere at places[k], turning about axes[k] at s_k against the
    carrier, alpha s_1 + s_2 = 0.  Angular momentum about the common centre and the momentum conjugate to s_1 are
    constant, so that R alone is integrated.
    observed : (3, 3) rotation of the last carrier; error : angle of the rotation that is missing, rad
    """

    carriers: int
    t_end: float
    same_step: float
    goes_on: ClassVar[float] = 1000.0
    steps: ClassVar[tuple[float, ...]] = tuple(1.0 / count for count in STEPS)
    mass: ClassVar[float] = 1.0
    inertia: ClassVar[tuple[float, ...]] = (0.02, 0.03, 0.045)
    rotor_mass: ClassVar[float] = 0.5
    rotor_inertia: ClassVar[float] = 0.01
    places: ClassVar[tuple[tuple[float, ...], ...]] = ((0.2, 0.03, -0.05), (-0.1, 0.15, 0.07))
    axes: ClassVar[tuple[tuple[float, ...], ...]] = (Z, (0.6, 0.0, 0.8))
    alpha: ClassVar[float] = 0.7
    tumble: ClassVar[np.ndarray] = np.array([6.0, 8.0, 10.0])  # rad/s of the carrier
    spins: ClassVar[tuple[float, float]] = (20.0, -0.7 * 20.0)  # rad/s of the rotors on it

    @property
    def name(self) -> str:
        return "free carrier with two geared rotors" if self.carriers == 1 else f"{self.carriers} free carriers"

    @cached_property
    def exact(self) -> np.ndarray:
        """(3, 3) rotation of the carrier at t_end."""
        j, (r1, r2) = self.rotor_inertia, np.array(self.axes)
        masses = np.array([self.mass, self.rotor_mass, self.rotor_mass])
        places = np.array([(0.0, 0.0, 0.0), *self.places])
        places = places - masses @ places / masses.sum()
        locked = np.diag(self.inertia) + 2 * j * np.eye(3)
        for mass, place in zip(masses, places, strict=True):
            locked += mass * (place @ place * np.eye(3) - np.outer(place, place))
        gear = j * (r1 - self.alpha * r2)  # of the angular momentum, per unit of the first spin
        system = np.block([[locked, gear[:, None]], [gear[None, :], j * (1 + self.alpha**2) * np.ones((1, 1))]])
        momenta = system @ np.append(self.tumble, self.spins[0])
        solve = np.linalg.inv(system)

        def rate(_: float, rotation: np.ndarray) -> np.ndarray:
            turned = rotation.reshape(3, 3)
            x, y, z = (solve @ np.append(turned.T @ momenta[:3], momenta[3]))[:3]
            return (turned @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])).ravel()

        run = solve_ivp(rate, (0.0, self.t_end), np.eye(3).ravel(), "DOP853", rtol=1e-12, atol=1e-12)
        return run.y[:, -1].reshape(3, 3)

    def error(self, observed: np.ndarray) -> float:
        return float(Rotation.from_matrix(observed @ self.exact.T).magnitude())


@dataclass(frozen=True)
class Bar:
    """A plane body: mass, inertia about its centre, centre, angle, velocity of the centre and rate at t = 0."""

    mass: float
    inertia: float
    centre: np.ndarray
    angle: float = 0.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))
    rate: float = 0.0


@dataclass(frozen=True)
class Hinge:
    """Bodies `first` (-1: ground) and `second` turn about the z axis through `place`.

    closes : the bodies hang together without this hinge, which closes a loop
    """

    first: int
    second: int
    place: np.ndarray
    closes: bool = False


@dataclass(frozen=True)
class FourBars:
    """N four-bars in a row (IFToMM A02): N + 1 cranks and N couplers, uniform rods, upright at t = 0.

    Whenever the rods are in line the N + 1 cranks could go different ways.  They stay parallel, and turn like one rod:
    (1/2) M w^2 + G cos(angle) is constant, M = (N + 1)/3 + N, G = ((N + 1)/2 + N) g; time is an elliptic function.
    observed : (2,) place of the tip of the first crank; error : distance
    """

    loops: int
    t_end: float
    same_step: float = 1e-4
    goes_on: ClassVar[float] = 8.0
    steps: ClassVar[tuple[float, ...]] = tuple(1.0 / count for count in STEPS)
    gravity: ClassVar[float] = GRAVITY

    @property
    def name(self) -> str:
        return f"four-bars, N = {self.loops}"

    @cached_property
    def bodies(self) -> list[Bar]:
        """Cranks 0 to N, then couplers; a rod's own x axis points from its lower or left end to the other."""
        cranks = [
            Bar(1.0, 1 / 12, np.array([k, 0.5]), np.pi / 2, np.array([0.5, 0.0]), -1.0) for k in range(self.loops + 1)
        ]
        couplers = [Bar(1.0, 1 / 12, np.array([k + 0.5, 1.0]), 0.0, np.array([1.0, 0.0])) for k in range(self.loops)]
        return cranks + couplers

    @cached_property
    def hinges(self) -> list[Hinge]:
        """Crank on ground, coupler on its left crank, and what closes the loops: coupler on its right crank."""
        n = self.loops
        found = [Hinge(-1, k, np.array([k, 0.0])) for k in range(n + 1)]
        found += [Hinge(k, n + 1 + k, np.array([k, 1.0])) for k in range(n)]
        return found + [Hinge(n + 1 + k, k + 1, np.array([k + 1.0, 1.0]), closes=True) for k in range(n)]

    @cached_property
    def exact(self) -> np.ndarray:
        """(2,) place of the tip of the first crank at t_end."""
        n = self.loops
        stiffness = ((n + 1) / 2 + n) * self.gravity / ((n + 1) / 3 + n)  # G / M
        # From the lowest point: (d/dt half angle)^2 = (w/2)^2 (1 - m sin^2), w the rate there, m < 1 since it revolves.
        lowest = np.sqrt(1.0 + 4 * stiffness)
        m = 4 * stiffness / lowest**2
        sine, cosine, *_ = ellipj(lowest / 2 * self.t_end - ellipk(m), m)  # starts upright, a quarter period away
        return np.array([-2 * sine * cosine, -(1 - 2 * sine**2)])

    def error(self, observed: np.ndarray) -> float:
        return float(np.linalg.norm(observed - self.exact))


@dataclass(frozen=True)
class Andrews:
    """Andrews' squeezer mechanism: seven bodies, three loops, a spring, a constant torque on the first body.

    Data and solution at 0.03 s: F. Mazzia and C. Magherini, Test Set for IVP Solvers, problem "andrews" (computed with
    PSIDE to 1e-14); the equations are in E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, VII.7.
    observed : angle of the first body; error : relative, whole turns aside
    """

    t_end: ClassVar[float] = 0.03
    goes_on: ClassVar[float] = 1.0
    same_step: ClassVar[float] = 1e-5
    steps: ClassVar[tuple[float, ...]] = tuple(0.01 / count for count in STEPS)
    name: ClassVar[str] = "Andrews' mechanism"
    gravity: ClassVar[float] = 0.0
    torque: ClassVar[float] = 0.033
    stiffness: ClassVar[float] = 4530.0
    free_length: ClassVar[float] = 0.07785
    spring_anchor: ClassVar[np.ndarray] = np.array([0.014, 0.072])
    final_beta: ClassVar[float] = 15.81077119629904
    # Angles at t = 0, in radians.
    beta: ClassVar[float] = -0.0617138900142764496358948458001
    gamma: ClassVar[float] = 0.455279819163070380255912382449
    phi: ClassVar[float] = 0.222668390165885884674473185609
    delta: ClassVar[float] = 0.487364979543842550225598953530
    omega: ClassVar[float] = -0.222668390165885884674473185609
    epsilon: ClassVar[float] = 1.23054744454982119249735015568
    # A, B: places of the fixed hinges beside the one of body 1 at the origin.
    fixed_a: ClassVar[np.ndarray] = np.array([-0.06934, -0.00227])
    fixed_b: ClassVar[np.ndarray] = np.array([-0.03635, 0.03273])

    @cached_property
    def points(self) -> dict[str, np.ndarray]:
        """Hinges F (1-2), E (2-3, 2-4, 2-6), H (5-4), G (7-6) and D, where the spring holds body 3."""
        c, s = np.cos, np.sin
        f = 0.007 * np.array([c(self.beta), s(self.beta)])
        b = self.fixed_b
        return {
            "F": f,
            "E": f - 0.028 * np.array([c(self.beta), s(self.beta)]),  # Theta = 0
            "H": self.fixed_a + 0.04 * np.array([c(self.delta), s(self.delta)]),
            "G": self.fixed_a + 0.04 * np.array([s(self.epsilon), -c(self.epsilon)]),
            "D": b + _turned(self.gamma, 0.02, -0.018),
        }

    @cached_property
    def bodies(self) -> list[Bar]:
        """The seven bodies, at rest, each with its own axes parallel to the global ones at t = 0."""
        masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
        inertias = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
        points = self.points
        centres = (
            _turned(self.beta, 0.00092, 0.0),
            points["F"] - _turned(self.beta, 0.0115, 0.0),
            self.fixed_b + _turned(self.gamma, 0.01043, -0.01874),
            points["H"] - _turned(self.phi + self.delta, 0.0, 0.02 - 0.01421),
            self.fixed_a + _turned(self.delta, 0.02308, 0.00916),
            points["G"] + _turned(self.omega + self.epsilon, 0.02 - 0.01421, 0.0),
            self.fixed_a + _turned(self.epsilon, -0.00449, -0.01228),
        )
        return [Bar(*values) for values in zip(masses, inertias, centres, strict=True)]

    @cached_property
    def hinges(self) -> list[Hinge]:
        origin, points = np.zeros(2), self.points
        return [
            Hinge(-1, 0, origin),
            Hinge(0, 1, points["F"]),
            Hinge(-1, 2, self.fixed_b),
            Hinge(-1, 4, self.fixed_a),
            Hinge(-1, 6, self.fixed_a),
            Hinge(4, 3, points["H"]),
            Hinge(6, 5, points["G"]),
            Hinge(1, 2, points["E"], closes=True),
            Hinge(1, 3, points["E"], closes=True),
            Hinge(1, 5, points["E"], closes=True),
        ]

    def error(self, observed: np.ndarray) -> float:
        """Observed is the angle that body 1 has turned by since t = 0, or that angle less whole turns."""
        difference = float(observed) + self.beta - self.final_beta
        return abs(np.remainder(difference + np.pi, 2 * np.pi) - np.pi) / self.final_beta


def _turned(angle: float, x: float, y: float) -> np.ndarray:
    """The vector (x, y) turned by an angle."""
    return np.array([np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y])


Machine = GearChain | Planetary | FreeCarriers | FourBars | Andrews | Spatial


def machines() -> list[Machine]:
    """All machines of the comparison."""
    return [
        GearChain(10),
        GearChain(100),
        GearChain(1000, 1e-3),
        Planetary(),
        FreeCarriers(1, 1.0, 1e-4),
        FreeCarriers(1000, 0.2, 1e-3),
        FourBars(2, 3.0),
        FourBars(40, 1.5, 1e-3),
        Andrews(),
        Arm(),
        Hexapod(),
        Vehicle(),
    ]
