"""Reference motions of linkages that the physics tests compare with. SI units.

Nothing here uses gsolve: closed forms where there are any, else tight integrations of the equations of motion in as
few coordinates as the mechanism has freedoms.

Sources, cited below by name:

IFToMM   Library of computational benchmark problems of the IFToMM technical committee for multibody dynamics: A02
         (N-four-bar), A04 (Bricard), A05 (flyball governor), spatial slider-crank
Hairer   E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, section VII.7: Andrews'
         squeezer; its figures at t = 0 and 0.03 as in F. Mazzia, C. Magherini, Test Set for IVP Solvers, 2008
Wittenburg  J. Wittenburg, Kinematics, 2016: universal joint (Hooke), slider-crank, steering gear
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from closed_form import rotation_about
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import OdeSolution, solve_ivp
from scipy.special import ellipj, ellipkm1

Floats = NDArray[np.float64]
TIGHT = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}


def box_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Principal inertias of a homogeneous box."""
    return mass / 12 * (y * y + z * z), mass / 12 * (z * z + x * x), mass / 12 * (x * x + y * y)


# --- kinematics: the motion is given, the rest follows ----------------------------------------------------------------


@dataclass(frozen=True)
class UniversalJoint:
    """Hooke's joint between shafts at an angle `bend` (Wittenburg): a steady input makes an unsteady output.

    The input angle counts from where its fork stands at right angles to the plane of the shafts:
    tan(output) = cos(bend) tan(input).
    """

    bend: float

    def output(self, angle: ArrayLike) -> Floats:
        """Angle of the output shaft, counted on over whole turns."""
        angle = np.asarray(angle, dtype=float)
        lag = np.arctan2((np.cos(self.bend) - 1) * np.tan(angle), 1 + np.cos(self.bend) * np.tan(angle) ** 2)
        return angle + lag

    def ratio(self, angle: ArrayLike) -> Floats:
        """Speed of the output over that of the input."""
        return np.cos(self.bend) / (1 - np.sin(self.bend) ** 2 * np.sin(angle) ** 2)

    def ratio_rate(self, angle: ArrayLike) -> Floats:
        """Derivative of the ratio with respect to the input angle."""
        return self.ratio(angle) ** 2 * np.sin(self.bend) ** 2 * np.sin(2 * np.asarray(angle)) / np.cos(self.bend)


@dataclass(frozen=True)
class EccentricCam:
    """Follower with a roller on a circular cam, in line with the cam's axis; the angle is 0 at the highest point.

    reach : radius of the cam plus that of the roller
    """

    reach: float = 0.06
    eccentricity: float = 0.02

    def lift(self, angle: ArrayLike) -> Floats:
        """Height of the roller over the axis: the triangle of axis, centre of the cam and roller."""
        side = self.eccentricity * np.sin(angle)
        return self.eccentricity * np.cos(angle) + np.sqrt(self.reach**2 - side**2)

    def lift_rates(self, angle: ArrayLike) -> tuple[Floats, Floats]:
        """First and second derivative with respect to the angle."""
        e, s, c = self.eccentricity, np.sin(angle), np.cos(angle)
        root = np.sqrt(self.reach**2 - (e * s) ** 2)
        first = -e * s - e**2 * s * c / root
        second = -e * c - e**2 * (c * c - s * s) / root - (e**2 * s * c) ** 2 / root**3
        return first, second


@dataclass(frozen=True)
class SliderCrank:
    """Plane slider-crank in line, angle 0 where crank and rod are stretched (Wittenburg).

    crank : mass centre in the middle; `crank_inertia` about its bearing; rod_inertia about the rod's own centre, which
    lies in its middle
    """

    crank: float
    rod: float
    crank_inertia: float
    rod_mass: float
    rod_inertia: float
    slider_mass: float

    def slider(self, angle: ArrayLike) -> Floats:
        """Distance of the slider from the crank's bearing."""
        return self.crank * np.cos(angle) + np.sqrt(self.rod**2 - (self.crank * np.sin(angle)) ** 2)

    def reduced_inertia(self, angle: ArrayLike) -> tuple[Floats, Floats]:
        """Inertia seen at the crank, twice the kinetic energy at unit speed, and its derivative with the angle."""
        s, c = np.sin(angle), np.cos(angle)
        sin_rod = self.crank / self.rod * s
        cos_rod = np.sqrt(1 - sin_rod**2)
        turn = self.crank / self.rod * c / cos_rod  # of the rod, per turn of the crank
        turn_rate = (-self.crank / self.rod * s + turn**2 * sin_rod) / cos_rod
        slide = -self.crank * s - self.rod * sin_rod * turn
        slide_rate = -self.crank * c - self.rod * (cos_rod * turn**2 + sin_rod * turn_rate)
        # centre of the rod: (x_slider + crank cos)/2 and crank sin / 2
        along, across = (slide - self.crank * s) / 2, self.crank * c / 2
        along_rate, across_rate = (slide_rate - self.crank * c) / 2, -self.crank * s / 2
        inertia = (
            self.crank_inertia + self.rod_inertia * turn**2 + self.slider_mass * slide**2
            + self.rod_mass * (along**2 + across**2)
        )  # fmt: skip
        rate = 2 * (
            self.rod_inertia * turn * turn_rate + self.slider_mass * slide * slide_rate
            + self.rod_mass * (along * along_rate + across * across_rate)
        )  # fmt: skip
        return inertia, rate

    def torque(self, angle: ArrayLike, speed: ArrayLike, acceleration: ArrayLike) -> Floats:
        """What the crank needs for this motion, without gravity: J a + 1/2 J' w^2 (Lagrange)."""
        inertia, rate = self.reduced_inertia(angle)
        return inertia * np.asarray(acceleration) + rate * np.asarray(speed) ** 2 / 2


def steered_angle(arm: Floats, rod_end: Floats, length: float) -> float:
    """Turn of a steering knuckle whose arm's end is tied to the end of the rack by a track rod of given length.

    arm : (2,) end of the arm from the kingpin, wheels straight; rod_end : (2,) inner end from the kingpin.
    |R(turn) arm - rod_end| = length is A cos(turn) + B sin(turn) = C; the root nearest to straight ahead.
    """
    a, b = 2 * arm @ rod_end, 2 * (arm[0] * rod_end[1] - arm[1] * rod_end[0])
    c = arm @ arm + rod_end @ rod_end - length**2
    middle, half = np.arctan2(b, a), np.arccos(c / np.hypot(a, b))
    return float(min((middle + half, middle - half), key=abs))


# --- one freedom ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneFreedom:
    """Mechanism whose bodies are placed by one coordinate q: M q'' + M' q'^2 / 2 = -V' (Lagrange).

    place : q -> (centres (n, 3), rotations (n, 3, 3)), written so that a complex q goes through: velocities are
    derivatives by the complex step, exact to round-off
    masses : (n,); inertias : (n, 3) principal, in body axes; gravity : (3,)
    """

    place: Callable[[complex], tuple[NDArray, NDArray]]
    masses: Floats
    inertias: Floats
    gravity: Floats

    def inertia(self, q: float) -> float:
        """M: twice the kinetic energy at unit rate."""
        centres, rotations = self.place(q + 1e-30j)
        velocities, turning = centres.imag / 1e-30, rotations.imag / 1e-30
        spins = np.swapaxes(rotations.real, 1, 2) @ turning
        rates = np.stack((spins[:, 2, 1], spins[:, 0, 2], spins[:, 1, 0]), axis=1)
        return float(self.masses @ np.sum(velocities**2, axis=1) + np.sum(self.inertias * rates**2))

    def acceleration(self, q: float, rate: float) -> float:
        """q''."""
        h = 1e-3
        near = [self.inertia(q + k * h) for k in (-2, -1, 1, 2)]
        slope = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * h)
        centres, _ = self.place(q + 1e-30j)
        pull = self.masses @ (centres.imag / 1e-30 @ self.gravity)
        return float((pull - slope * rate**2 / 2) / self.inertia(q))

    def motion(self, t: ArrayLike, q: float, rate: float) -> tuple[Floats, Floats]:
        """q and q' at times t ascending from 0."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        result = solve_ivp(
            lambda _t, y: (y[1], self.acceleration(y[0], y[1])), (0, t[-1]), (q, rate), t_eval=t, **TIGHT
        )
        return result.y[0], result.y[1]


@dataclass(frozen=True)
class SpatialSliderCrank:
    """Crank about x through A, spherical joint to the rod, universal joint to a slider along x (IFToMM).

    The cross of the universal joint is y of the slider and the axis of the rod that is at right angles to y.
    Gravity along -z; the crank starts at 6 rad/s with its pin above the bearing.
    """

    crank: float = 0.08
    rod: float = 0.3
    bearing: tuple[float, float, float] = (0.0, 0.1, 0.12)
    masses: tuple[float, float, float] = (0.12, 0.5, 2.0)
    crank_inertia: tuple[float, float, float] = (1e-4, 1e-5, 1e-4)
    rod_inertia: tuple[float, float, float] = (4e-4, 4e-3, 4e-3)
    slider_inertia: float = 1e-4
    speed: float = 6.0
    gravity: float = 9.81

    def places(self, q: complex) -> tuple[NDArray, NDArray]:
        """Centres and rotations (rod: x along it) of crank, rod and slider."""
        s, c = np.sin(q), np.cos(q)
        about_x = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        arm = about_x @ np.array([0, 0, self.crank])
        pin = np.array(self.bearing) + arm
        slider = np.array([np.sqrt(self.rod**2 - pin[1] ** 2 - pin[2] ** 2), 0, 0])
        along = (slider - pin) / self.rod
        # the rod's own axis of the cross: at right angles to y and to the rod
        cross = np.array([along[2], 0 * q, -along[0]]) / np.sqrt(along[0] ** 2 + along[2] ** 2)
        rod = np.stack((along, np.cross(cross, along), cross), axis=1)
        middle = (pin + slider) / 2
        # bearing at one end: the crank's centre lies halfway out to the pin
        centre = np.array(self.bearing) + arm / 2
        return np.stack((centre, middle, slider)), np.stack((about_x, rod, np.eye(3) + 0 * q))

    def slider(self, t: ArrayLike) -> Floats:
        """x of the slider at times t ascending from 0."""
        q, _ = self.mechanism.motion(t, 0.0, self.speed)
        return np.array([self.places(angle)[0][2, 0] for angle in q])

    @property
    def mechanism(self) -> OneFreedom:
        """The linkage as a function of the crank angle."""
        inertias = np.array([self.crank_inertia, self.rod_inertia, (self.slider_inertia,) * 3])
        return OneFreedom(self.places, np.array(self.masses), inertias, np.array([0, 0, -self.gravity]))


@dataclass(frozen=True)
class ParallelFourBars:
    """N four-bars in a row, 2N + 1 uniform rods of 1 m and 1 kg, all cranks parallel (IFToMM A02).

    The couplers only translate, so that all is one pendulum that starts upright and goes over:
    ((N + 1)/3 + N) a'' = ((N + 1)/2 + N) g sin(a), solved by Jacobi's amplitude.
    """

    loops: int = 2
    rate: float = 1.0
    gravity: float = 9.81

    def _stiffness(self) -> float:
        n = self.loops
        return ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * self.gravity

    def angle(self, t: ArrayLike) -> Floats:
        """Angle of the cranks from upright, towards +x."""
        fall, start = self._stiffness(), self.rate**2 / 4
        argument = np.sqrt(start + fall) * np.asarray(t, dtype=float) - ellipkm1(start / (start + fall))
        return np.pi + 2 * ellipj(argument, fall / (start + fall))[3]

    def pin(self, t: ArrayLike) -> tuple[Floats, Floats]:
        """x and y of the end of the first crank, from its bearing."""
        angle = self.angle(t)
        return np.sin(angle), np.cos(angle)


@dataclass(frozen=True)
class Bricard:
    """Bricard's linkage of five rods in a cube with six revolutes (IFToMM A04): one freedom against Gruebler's count.

    Rods of 1 m, 1 kg and 0.1 m square, gravity along -y, at rest. Loop closed by the null vector of the six joint
    screws, so that its rank defect is part of the method; state: six joint angles and the speed along the path.
    """

    points: Floats = field(
        default_factory=lambda: np.array(
            [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float
        )
    )
    axes: Floats = field(default_factory=lambda: np.eye(3)[[1, 2, 0, 1, 2, 0]])
    gravity: float = 9.81

    def inertias(self) -> Floats:
        """(5, 3) about the centre of each rod, in global axes at the start."""
        along = np.abs(np.diff(self.points, axis=0))
        slender, thick = box_inertia(1.0, 1.0, 0.1, 0.1)[1], box_inertia(1.0, 1.0, 0.1, 0.1)[0]
        return slender + (thick - slender) * along

    def chain(self, angles: Floats) -> tuple[Floats, Floats]:
        """Rotations (7, 3, 3) and shifts (7, 3) of ground and the links after it, x -> R x + shift."""
        rotations, shifts = [np.eye(3)], [np.zeros(3)]
        for point, axis, angle in zip(self.points, self.axes, angles, strict=True):
            turn = rotation_about(axis, angle)
            shifts.append(rotations[-1] @ (point - turn @ point) + shifts[-1])
            rotations.append(rotations[-1] @ turn)
        return np.array(rotations), np.array(shifts)

    def path_rates(self, angles: Floats, before: Floats) -> tuple[Floats, float, float]:
        """Direction of the path in the joint angles, inertia along it, and pull of gravity along it."""
        rotations, shifts = self.chain(angles)
        axes = np.einsum("kij,kj->ki", rotations[:6], self.axes)
        places = np.einsum("kij,kj->ki", rotations[:6], self.points) + shifts[:6]
        screws = np.concatenate((axes, np.cross(places, axes)), axis=1).T
        direction = np.linalg.svd(screws)[2][-1]
        direction = direction * np.sign(direction @ before)
        spins = np.cumsum(axes * direction[:, None], axis=0)[:5]
        moments = np.cumsum(screws[3:].T * direction[:, None], axis=0)[:5]
        centres = np.einsum("kij,kj->ki", rotations[1:6], (self.points[1:] + self.points[:-1]) / 2) + shifts[1:6]
        velocities = moments + np.cross(spins, centres)
        in_body = np.einsum("kji,kj->ki", rotations[1:6], spins)
        inertia = np.sum(velocities**2) + np.sum(self.inertias() * in_body**2)
        return direction, float(inertia), float(-self.gravity * np.sum(velocities[:, 1]))

    def motion(self, t_end: float) -> OdeSolution:
        """Joint angles (6,) and the speed along the path, of the time."""
        start = self.path_rates(np.zeros(6), np.array([1.0, 0, 0, 0, 0, 0.5]))[0]

        def rates(_time: float, state: Floats) -> Floats:
            # the null vector is unique but for its sign, which the one of the start tells as long as it does not
            # turn by a right angle
            angles, speed, h = state[:6], state[6], 1e-3
            direction, inertia, pull = self.path_rates(angles, start)
            along = [self.path_rates(angles + k * h * direction, direction)[1] for k in (-2, -1, 1, 2)]
            slope = (along[0] - 8 * along[1] + 8 * along[2] - along[3]) / (12 * h)
            return np.append(direction * speed, (pull - slope * speed**2 / 2) / inertia)

        return solve_ivp(rates, (0, t_end), np.zeros(7), "DOP853", dense_output=True, rtol=1e-9, atol=1e-11).sol

    def corner(self, t: ArrayLike) -> Floats:
        """(n, 3) place of the fourth corner, which starts at (1, -1, 1), at times t ascending from 0."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        places = []
        for angles in motion_of_bricard(max(5.0, float(t[-1])))(t)[:6].T:
            rotations, shifts = self.chain(angles)
            places.append(rotations[3] @ self.points[3] + shifts[3])
        return np.array(places)


@cache
def motion_of_bricard(t_end: float) -> OdeSolution:
    """Solved once for all tests, most of which end before a period of 5 s does."""
    return Bricard().motion(t_end)


# --- several freedoms -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BodyOnTurningLine:
    """Body that slides along and spins about a horizontal line through the z axis, while the line turns about z, free.

    The line is a principal axis of the body, with inertia `axial`; `across` are the other two, of which the second
    starts vertical. `rotor` is the inertia of what turns with the line. The angular momentum about z is kept:
    with I = rotor + m r^2 + I_2 sin^2(spin) + I_3 cos^2(spin), r'' = r turn'^2 and axial spin'' = turn'^2 I'(spin)/2.
    """

    mass: float = 1.0
    axial: float = 1.0
    across: tuple[float, float] = (0.0, 0.0)
    rotor: float = 0.0
    distance: float = 0.0
    speed: float = 0.0
    spin_rate: float = 0.0
    turn_rate: float = 1.0

    def motion(self, t: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Turn, spin and distance from the z axis at times t ascending from 0."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        second, third = self.across
        momentum = (self.rotor + self.mass * self.distance**2 + third) * self.turn_rate

        def rates(_time: float, state: Floats) -> Floats:
            _, spin, distance, spin_rate, speed = state
            s, c = np.sin(spin), np.cos(spin)
            inertia = self.rotor + self.mass * distance**2 + second * s * s + third * c * c
            turn_rate = momentum / inertia
            twist = turn_rate**2 * (second - third) * s * c / self.axial
            return np.array([turn_rate, spin_rate, speed, twist, distance * turn_rate**2])

        start = (0.0, 0.0, self.distance, self.spin_rate, self.speed)
        turn, spin, distance, _, _ = solve_ivp(rates, (0, t[-1]), start, t_eval=t, **TIGHT).y
        return turn, spin, distance

    def rotation(self, t: ArrayLike) -> Floats:
        """(n, 3, 3) of the body, which starts with the line along x."""
        turn, spin, _ = self.motion(t)
        return rotation_about([0, 0, 1], turn) @ rotation_about([1, 0, 0], spin)


@dataclass(frozen=True)
class FlyballGovernor:
    """Stiff flyball governor (IFToMM A05), symmetric: angle of the rods below the horizontal, height of the slider.

    The angular momentum about the shaft is kept, so that the shaft's speed follows from the angle. Rods hang at 0.05 m
    from the shaft, 1 m above its foot; spring-dampers join the slider, 0.05 m off the shaft, with the rods' middles.
    """

    stiffness: float = 8e5
    damping: float = 4e4
    natural_length: float = 0.5
    gravity: float = 9.81
    hinge: float = 0.05
    rod_mass: float = 0.3
    tip_mass: float = 5.0
    slider_mass: float = 3.0
    shaft_speed: float = 2 * np.pi
    start_angle: float = np.pi / 6
    start_height: float = 0.5

    def inertia_about_shaft(self, angle: ArrayLike) -> tuple[Floats, Floats]:
        """Of everything, and its derivative with the angle."""
        s, c = np.sin(angle), np.cos(angle)
        axial, across, _ = box_inertia(self.rod_mass, 1.0, 0.01, 0.01)
        shaft, slider = box_inertia(0.3, 0.01, 0.01, 1.0)[2], box_inertia(3.0, 0.1, 0.1, 0.1)[2]
        middle, tip = self.hinge + c / 2, self.hinge + c
        arms = self.rod_mass * middle**2 + self.tip_mass * tip**2 + axial * s * s + across * c * c
        rate = -self.rod_mass * middle * s - 2 * self.tip_mass * tip * s + 2 * (axial - across) * s * c
        return shaft + slider + 2 * arms, 2 * rate

    def motion(self, t: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Angle, height of the slider and speed of the shaft at times t ascending from 0 (stiff: Radau)."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        momentum = self.inertia_about_shaft(self.start_angle)[0] * self.shaft_speed
        swung = 2 * (self.rod_mass / 4 + box_inertia(self.rod_mass, 1.0, 0.01, 0.01)[1] + self.tip_mass)

        def rates(_time: float, state: Floats) -> Floats:
            angle, height, angle_rate, height_rate = state
            s, c = np.sin(angle), np.cos(angle)
            rise = 1 - s / 2 - height
            length = np.sqrt(c * c / 4 + rise**2)
            with_angle, with_height = (-s * c / 4 - rise * c / 2) / length, -rise / length
            stretching = with_angle * angle_rate + with_height * height_rate
            force = 2 * (self.stiffness * (length - self.natural_length) + self.damping * stretching)
            inertia, inertia_rate = self.inertia_about_shaft(angle)
            weight = self.gravity * (self.rod_mass + 2 * self.tip_mass) * c
            centrifugal = inertia_rate * (momentum / inertia) ** 2 / 2
            return np.array([
                angle_rate, height_rate, (centrifugal + weight - force * with_angle) / swung,
                -self.gravity - force * with_height / self.slider_mass,
            ])  # fmt: skip

        start = (self.start_angle, self.start_height, 0.0, 0.0)
        result = solve_ivp(rates, (0, t[-1]), start, "Radau", t_eval=t, rtol=1e-9, atol=1e-11)
        return result.y[0], result.y[1], momentum / self.inertia_about_shaft(result.y[0])[0]


@dataclass(frozen=True)
class AndrewsSqueezer:
    """Geometry, masses and published figures of Andrews' squeezing mechanism (Hairer): seven bodies in a plane.

    Angles are those of the source: beta, Theta, gamma, Phi, delta, Omega, epsilon.
    """

    masses: tuple[float, ...] = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertias: tuple[float, ...] = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    anchor_a: tuple[float, float] = (-0.06934, -0.00227)
    anchor_b: tuple[float, float] = (-0.03635, 0.03273)
    anchor_c: tuple[float, float] = (0.014, 0.072)
    stiffness: float = 4530.0
    natural_length: float = 0.07785
    torque: float = 0.033
    start: tuple[float, ...] = (
        -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
        0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
    )  # fmt: skip
    start_accelerations: tuple[float, float] = (14222.4439199541138705911625887, -10666.8329399655854029433719415)
    at_003: tuple[float, ...] = (
        15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
        0.5347301163226948, 1.048080741042263,
    )  # fmt: skip
    rates_at_003: tuple[float, ...] = (
        1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
        -19.29337464421385, 0.3231791658026955,
    )  # fmt: skip

    def turns(self, angles: ArrayLike) -> Floats:
        """(7,) rotation of each body in the plane from the angles of the source."""
        beta, theta, gamma, phi, delta, omega, epsilon = np.asarray(angles, dtype=float)
        return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])

    def centres(self, angles: ArrayLike) -> Floats:
        """(7, 2) mass centres."""
        crank, rod, gamma, upper, delta, lower, epsilon = self.turns(angles)
        a, b = np.array(self.anchor_a), np.array(self.anchor_b)
        pin = 0.007 * _along(crank)
        return np.array([
            0.00092 * _along(crank),
            pin - 0.0115 * _along(rod),
            b - 0.01874 * _across(gamma) + 0.01043 * _along(gamma),
            a + 0.04 * _along(delta) - (0.02 - 0.01421) * _across(upper),
            a + 0.02308 * _along(delta) + 0.00916 * _across(delta),
            a - 0.04 * _across(epsilon) + (0.02 - 0.01421) * _along(lower),
            a - 0.01228 * _across(epsilon) - 0.00449 * _along(epsilon),
        ])  # fmt: skip

    def pins(self, angles: ArrayLike) -> dict[str, Floats]:
        """Joint points: "crank" (1-2), "head" (2, 3, 4 and 6), "upper" (4-5), "lower" (6-7), "spring" on body 3."""
        crank, rod, gamma, _, delta, _, epsilon = self.turns(angles)
        a, b = np.array(self.anchor_a), np.array(self.anchor_b)
        pin = 0.007 * _along(crank)
        return {
            "crank": pin,
            "head": pin - 0.028 * _along(rod),
            "upper": a + 0.04 * _along(delta),
            "lower": a - 0.04 * _across(epsilon),
            "spring": b - 0.018 * _across(gamma) + 0.02 * _along(gamma),
        }

    def gaps(self, angles: ArrayLike) -> Floats:
        """(3, 2) by how far bodies 3, 4 and 6 miss the head; zero in any position of the mechanism."""
        turns, pins = self.turns(angles), self.pins(angles)
        ends = (
            np.array(self.anchor_b) - 0.035 * _across(turns[2]),
            pins["upper"] - 0.02 * _across(turns[3]),
            pins["lower"] + 0.02 * _along(turns[5]),
        )
        return np.array(ends) - pins["head"]

    def spring_energy(self, stretched_to: ArrayLike) -> Floats:
        """Energy of the spring at a length."""
        return self.stiffness / 2 * (np.asarray(stretched_to) - self.natural_length) ** 2


def _along(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def _across(angle: float) -> Floats:
    return np.array([-np.sin(angle), np.cos(angle)])
