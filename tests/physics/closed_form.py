"""Closed-form motions that the physics tests compare with. SI units, or any consistent ones.

Sources, cited below by name:

Landau   L. D. Landau and E. M. Lifshitz, Mechanics, 3rd ed., 1976, paragraphs 11, 33, 35, 37
Hairer   E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., 2006, section I.5
Bruels   O. Brüls, A. Cardona, M. Arnold, Lie group generalized-alpha time integration of constrained flexible
         multibody systems, Mechanism and Machine Theory 48 (2012) 121-137
Willis   R. Willis, Principles of Mechanism, 1841: speeds of a planetary set seen from its carrier
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipkinc, ellipkm1

Floats = NDArray[np.float64]


# --- drive trains -----------------------------------------------------------------------------------------------------


def constrained_accelerations(inertias: ArrayLike, rows: ArrayLike, efforts: ArrayLike) -> tuple[Floats, Floats]:
    """Accelerations of coordinates joined by constant linear relations, and the multipliers of these relations.

    Solves M a = Q + C^T lambda, C a = 0 for M = diag(inertias) or a full matrix, Q = efforts, C = rows: a gear
    train, differential or rack, as long as its axes stay where they are.
    """
    mass = np.asarray(inertias, dtype=float)
    mass = np.diag(mass) if mass.ndim == 1 else mass
    c = np.atleast_2d(np.asarray(rows, dtype=float))
    free = np.linalg.solve(mass, np.asarray(efforts, dtype=float))
    multipliers = np.linalg.solve(c @ np.linalg.solve(mass, c.T), -c @ free)
    return free + np.linalg.solve(mass, c.T @ multipliers), multipliers


def gear_pair(torque: float, inertia_1: float, inertia_2: float, alpha: float) -> tuple[float, float]:
    """Angular accelerations of two shafts with omega_2 = -alpha omega_1 under a torque on the first.

    The first feels its own inertia and alpha^2 times the other's: T / (I1 + alpha^2 I2).
    """
    first = torque / (inertia_1 + alpha**2 * inertia_2)
    return first, -alpha * first


def willis_row(teeth_sun: float, teeth_ring: float) -> Floats:
    """Row of (sun, ring, carrier): z_s w_s + z_r w_r - (z_s + z_r) w_c = 0 (Willis)."""
    return np.array([teeth_sun, teeth_ring, -(teeth_sun + teeth_ring)])


def impulse(times: ArrayLike, values: ArrayLike, t: ArrayLike) -> Floats:
    """Integral from times[0] = 0 to t of the piecewise linear function through (times, values)."""
    knots, heights = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    until_knot = np.concatenate(([0.0], np.cumsum(np.diff(knots) * (heights[1:] + heights[:-1]) / 2)))
    t = np.asarray(t, dtype=float)
    k = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2)
    return until_knot[k] + (t - knots[k]) * (heights[k] + np.interp(t, knots, heights)) / 2


@dataclass(frozen=True)
class FreeHousingTrain:
    """Gear train with parallel axes in one housing that floats freely, driven by a torque on its first shaft.

    A pure torque leaves the mass centre at rest; what is left are two coordinates, the rotation of the housing and
    that of the first shaft relative to it, and both accelerate uniformly. Shaft k turns at prod(-alpha_j) times the
    first, seen from the housing.

    positions : (n, 2) of the shafts from the housing's mass centre, across the axes
    masses, inertias : (n,) of the shafts; ratios : (n - 1,) alpha of each stage
    """

    positions: Floats
    masses: Floats
    inertias: Floats
    ratios: Floats
    housing_mass: float
    housing_inertia: float

    @property
    def speed_ratios(self) -> Floats:
        """(n,) speed of each shaft over that of the first, seen from the housing."""
        return np.concatenate(([1.0], np.cumprod(-np.asarray(self.ratios))))

    def accelerations(self, torque: float) -> tuple[float, float]:
        """Angular accelerations of the housing, and of the first shaft relative to it."""
        centre = self.masses @ self.positions / (self.masses.sum() + self.housing_mass)
        arms = np.vstack((-centre, self.positions - centre))
        carried = np.concatenate(([self.housing_mass], self.masses)) @ np.sum(arms**2, axis=1)
        rho = self.speed_ratios
        coupling = self.inertias @ rho
        mass = [[self.housing_inertia + carried + self.inertias.sum(), coupling], [coupling, self.inertias @ rho**2]]
        housing, relative = np.linalg.solve(mass, [torque, torque])
        return float(housing), float(relative)


# --- racks, springs, pendulums ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RackOnRotor:
    """Rack that slides on a carrier turning steadily at `spin`, driving a pinion as it goes.

    In the turning frame the rack feels the centrifugal acceleration along its track and moves its own mass and the
    pinion's inertia over alpha^2 (Landau, paragraph 39): (m + I/alpha^2) u'' = m spin^2 (c + b u), where c is the
    component along the track of the rack's first offset from the axis, both taken across the axis, and b the square
    of the track's length across the axis (1 for a track at right angles to the axis).
    """

    rack_mass: float
    pinion_inertia: float
    alpha: float
    spin: float
    offset: float
    across: float = 1.0

    @property
    def rate(self) -> float:
        """Growth rate of the slide, 1/s."""
        moved = self.rack_mass + self.pinion_inertia / self.alpha**2
        return abs(self.spin) * float(np.sqrt(self.rack_mass * self.across / moved))

    def slide(self, t: ArrayLike) -> Floats:
        """u(t) from rest."""
        return self.offset / self.across * (np.cosh(self.rate * np.asarray(t)) - 1.0)

    def slide_rate(self, t: ArrayLike) -> Floats:
        """du/dt."""
        return self.offset / self.across * self.rate * np.sinh(self.rate * np.asarray(t))


@dataclass(frozen=True)
class SpringOscillator:
    """Mass on a spring, pushed off from rest at zero; also as the leapfrog scheme moves it at a given step.

    The scheme swings harmonically as well, at 2/dt asin(omega dt/2) in place of omega, and its mean velocity is
    exact at zero elongation (Hairer; linear, so that the difference equation is solved by a sine).
    """

    mass: float
    stiffness: float
    velocity: float

    @property
    def omega(self) -> float:
        """Angular frequency."""
        return float(np.sqrt(self.stiffness / self.mass))

    def position(self, t: ArrayLike) -> Floats:
        """x(t)."""
        return self.velocity / self.omega * np.sin(self.omega * np.asarray(t))

    def stepped_position(self, t: ArrayLike, step: float) -> Floats:
        """x at the steps of the leapfrog scheme."""
        half = self.omega * step / 2
        frequency = 2 / step * np.arcsin(half)
        return self.velocity / (self.omega * np.sqrt(1 - half**2)) * np.sin(frequency * np.asarray(t))


@dataclass(frozen=True)
class Pendulum:
    """Simple pendulum released from the horizontal, at +x (Landau, paragraph 11, problem 1; benchmark IFToMM A01)."""

    length: float = 1.0
    gravity: float = 9.81

    @property
    def period(self) -> float:
        """Period of the full swing: 4 K(1/2) sqrt(l/g)."""
        return 4.0 * float(ellipkm1(0.5)) * float(np.sqrt(self.length / self.gravity))

    def position(self, t: ArrayLike) -> tuple[Floats, Floats]:
        """x and y of the mass, y upwards from the pivot: sin(theta/2) = sqrt(1/2) sn(K - omega t)."""
        argument = float(ellipkm1(0.5)) - np.sqrt(self.gravity / self.length) * np.asarray(t, dtype=float)
        angle = 2.0 * np.arcsin(np.sqrt(0.5) * ellipj(argument, 0.5)[0])
        return self.length * np.sin(angle), -self.length * np.cos(angle)


# --- rotation of a free body ------------------------------------------------------------------------------------------


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Rotation matrices (..., 3, 3) by `angle` about a unit axis (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=float)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    a = np.asarray(angle, dtype=float)[..., None, None]
    return np.eye(3) + np.sin(a) * skew + (1 - np.cos(a)) * (skew @ skew)


@dataclass(frozen=True)
class AsymmetricTop:
    """Torque-free rotation of a body with inertias I1 < I2 < I3 (Landau, paragraph 37, equations 37.8 to 37.12).

    Angular velocities are in the body's principal axes. `angular_velocity_0` may lie on either side of the separatrix
    L^2 = 2 E I2, not on it.
    """

    inertias: tuple[float, float, float]
    angular_velocity_0: tuple[float, float, float]

    def _parameters(self) -> tuple[list[int], Floats, float, float, float]:
        """Order of the axes (cn, sn, dn), their amplitudes with sign, rate of the argument, m and 1 - m."""
        inertia = np.array(self.inertias, dtype=float)
        omega = np.array(self.angular_velocity_0, dtype=float)
        order = [0, 1, 2] if inertia**2 @ omega**2 > inertia[1] * (inertia @ omega**2) else [2, 1, 0]
        i1, i2, i3 = inertia[order]
        # L^2 - 2 E I_k, as sums of terms of one sign or two, to keep digits near the separatrix
        above_1 = i2 * (i2 - i1) * omega[order[1]] ** 2 + i3 * (i3 - i1) * omega[order[2]] ** 2
        below_3 = i1 * (i3 - i1) * omega[order[0]] ** 2 + i2 * (i3 - i2) * omega[order[1]] ** 2
        about_2 = i3 * (i3 - i2) * omega[order[2]] ** 2 - i1 * (i2 - i1) * omega[order[0]] ** 2
        m = (i2 - i1) * below_3 / ((i3 - i2) * above_1)
        one_less_m = (i3 - i1) * about_2 / ((i3 - i2) * above_1)
        sign = 1.0 if omega[order[2]] >= 0 else -1.0
        amplitudes = np.array([np.sqrt(below_3 / (i1 * (i3 - i1))), sign * np.sqrt(below_3 / (i2 * (i3 - i2))), 0.0])
        amplitudes[2] = sign * np.sqrt(above_1 / (i3 * (i3 - i1)))
        return order, amplitudes, float(np.sqrt((i3 - i2) * above_1 / (i1 * i2 * i3))), float(m), float(one_less_m)

    @property
    def period(self) -> float:
        """Time after which the angular velocity repeats in the body's axes: 4 K / rate (37.11)."""
        _, _, rate, _, one_less_m = self._parameters()
        return 4.0 * float(ellipkm1(one_less_m)) / rate

    def angular_velocity(self, t: ArrayLike) -> Floats:
        """(..., 3) in the body's principal axes (37.10)."""
        order, amplitudes, rate, m, one_less_m = self._parameters()
        start = np.array(self.angular_velocity_0)[order] / amplitudes
        full = 4.0 * float(ellipkm1(one_less_m))
        argument = float(ellipkinc(np.arctan2(start[1], start[0]), m)) + rate * np.asarray(t, dtype=float)
        sn, cn, dn, _ = ellipj(np.remainder(argument, full), m)
        omega = np.empty((*np.shape(argument), 3))
        for axis, amplitude, function in zip(order, amplitudes, (cn, sn, dn), strict=True):
            omega[..., axis] = amplitude * function
        return omega

    def angular_acceleration(self, t: ArrayLike) -> Floats:
        """(..., 3) from Euler's equations (36.5)."""
        w = self.angular_velocity(t)
        i1, i2, i3 = self.inertias
        return np.stack(
            ((i2 - i3) / i1 * w[..., 1] * w[..., 2], (i3 - i1) / i2 * w[..., 2] * w[..., 0],
             (i1 - i2) / i3 * w[..., 0] * w[..., 1]), axis=-1
        )  # fmt: skip

    def rotation(self, t: ArrayLike) -> Floats:
        """(n, 3, 3) body axes to axes fixed in space that agree with them at t = 0; t ascending from 0.

        Two Euler angles follow from L, which is fixed in space; the precession about L is an integral over
        known functions (37.17), here by Gauss-Legendre quadrature.
        """
        t = np.atleast_1d(np.asarray(t, dtype=float))
        order, _, _, _, _ = self._parameters()
        spin_axis, inertia = order[2], np.array(self.inertias)
        momentum = np.linalg.norm(inertia * np.array(self.angular_velocity_0))

        def precession_rate(times: Floats) -> Floats:
            w2 = self.angular_velocity(times) ** 2
            across = [k for k in range(3) if k != spin_axis]
            return momentum * (w2[..., across] @ inertia[across]) / (w2[..., across] @ inertia[across] ** 2)

        nodes, weights = np.polynomial.legendre.leggauss(12)
        pieces = max(1, int(np.ceil(np.max(np.diff(t, prepend=0.0)) / (self.period / 48))))
        edges = np.interp(np.arange(len(t) * pieces + 1) / pieces, np.arange(len(t) + 1), np.concatenate(([0.0], t)))
        half = np.diff(edges) / 2
        points = (edges[:-1] + half)[:, None] + half[:, None] * nodes
        turned = np.cumsum(half * (precession_rate(points) @ weights))[pieces - 1 :: pieces]

        body = self._momentum_axes(np.concatenate(([0.0], t)), spin_axis)
        about_momentum = rotation_about([0.0, 0.0, 1.0], turned)
        return body[0].T @ about_momentum @ body[1:]

    def _momentum_axes(self, t: Floats, spin_axis: int) -> Floats:
        """(n, 3, 3) rows: axes with z along L and x along the line of nodes, in body components."""
        momentum = np.array(self.inertias) * self.angular_velocity(t)
        z = momentum / np.linalg.norm(momentum, axis=1)[:, None]
        x = np.cross(z, np.eye(3)[spin_axis])
        x /= np.linalg.norm(x, axis=1)[:, None]
        return np.stack((x, np.cross(z, x), z), axis=1)


@dataclass(frozen=True)
class SymmetricTop:
    """Torque-free body with equal inertias about axes 1 and 2 (Landau, paragraphs 33 and 35)."""

    transverse: float
    axial: float
    angular_velocity_0: tuple[float, float, float]

    def angular_velocity(self, t: ArrayLike) -> Floats:
        """(..., 3) in body axes: its transverse part turns at (1 - axial/transverse) times the spin, backwards."""
        turned = rotation_about([0, 0, 1], -(1 - self.axial / self.transverse) * self._spin * np.asarray(t))
        return turned @ np.array(self.angular_velocity_0, dtype=float)

    def rotation(self, t: ArrayLike) -> Floats:
        """(..., 3, 3): regular precession about L at |L|/transverse, and a spin about the body's own axis."""
        momentum = np.array([self.transverse, self.transverse, self.axial]) * np.array(self.angular_velocity_0)
        size = float(np.linalg.norm(momentum))
        t = np.asarray(t, dtype=float)
        own = rotation_about([0, 0, 1], (1 - self.axial / self.transverse) * self._spin * t)
        return rotation_about(momentum / size, size / self.transverse * t) @ own

    @property
    def _spin(self) -> float:
        return float(self.angular_velocity_0[2])


# --- tops under gravity -----------------------------------------------------------------------------------------------


def steady_precession(transverse: float, axial: float, spin: float, moment: float, inclination: float) -> float:
    """Slow rate of regular precession of a heavy top; spin is its whole angular velocity about its own axis.

    Root of transverse W^2 cos(theta) - axial spin W + moment = 0 (Landau, paragraph 35, problem 3), moment = m g l.
    """
    a, b = transverse * np.cos(inclination), axial * spin
    return 2 * moment / (b + float(np.sqrt(b * b - 4 * a * moment)))


@dataclass(frozen=True)
class HeavyTop:
    """The heavy top of Bruels, section 6.1: no closed form in use, so a tight integration of Euler's equations.

    Body axes start along the global ones; the mass centre lies at (0, 1, 0) from the fixed point.
    """

    mass: float = 15.0
    inertia: tuple[float, float, float] = (0.234375, 0.46875, 0.234375)
    arm: float = 1.0
    gravity: float = 9.81
    angular_velocity_0: tuple[float, float, float] = (0.0, 150.0, -4.61538)

    def rotation(self, t: ArrayLike) -> Floats:
        """(n, 3, 3) at times t ascending (DOP853, relative tolerance 1e-13)."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        about_point = np.array(self.inertia) + self.mass * self.arm**2 * np.array([1.0, 0.0, 1.0])

        def rates(_time: float, state: Floats) -> Floats:
            r, w = state[:9].reshape(3, 3), state[9:]
            weight = r.T @ np.array([0.0, 0.0, -self.mass * self.gravity])
            torque = np.cross([0.0, self.arm, 0.0], weight)
            return np.concatenate((np.cross(r, w).ravel(), (torque - np.cross(w, about_point * w)) / about_point))

        start = np.concatenate((np.eye(3).ravel(), self.angular_velocity_0))
        result = solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t_eval=t, rtol=1e-13, atol=1e-13)
        return result.y[:9].T.reshape(-1, 3, 3)

    def centre(self, t: ArrayLike) -> Floats:
        """(n, 3) position of the mass centre."""
        return self.rotation(t) @ np.array([0.0, self.arm, 0.0])
