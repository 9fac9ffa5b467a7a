"""Bodies in a plane with dense matrices: residuals written from their definitions, Jacobians by differences."""

from __future__ import annotations

import numpy as np
from gsolve.solver.constraints.plane_links import NO_TURN, PIN, RAIL, ROD, SLOT
from scipy.integrate import solve_ivp

STEP = 1e-6
BEND_STEP = 2e-3  # of time, for second derivatives


class Plane:
    """Links (LINK) between bodies (PLANE_BODY); a place is x, y and the angle of each body, body 0 is the ground."""

    def __init__(self, links, bodies):
        self.links = [{name: link[name].copy() for name in links.dtype.names} for link in links]
        inverse = [(b["inverse_mass"], b["inverse_mass"], b["inverse_inertia"]) for b in bodies]
        self.inverse_mass = np.diag(np.ravel(inverse))

    def of_link(self, link, places):
        """Both rows of a link."""
        (xa, angle_a), (xb, angle_b) = ((places[k, :2], places[k, 2]) for k in (link["first"], link["second"]))
        arm_a, arm_b = turn(angle_a) @ link["arms"][0], turn(angle_b) @ link["arms"][1]
        u = link["offset"] + xb + arm_b - xa - arm_a
        angle = (angle_b - angle_a + np.pi) % (2 * np.pi) - np.pi
        along = u @ (turn(angle_a) @ link["axis"])
        rows = {
            PIN: u,
            RAIL: (along, link["size"] * angle),
            SLOT: (along, 0.0),
            ROD: (np.linalg.norm(u) - link["constant"], 0.0),
            NO_TURN: (link["size"] * angle, 0.0),
        }
        return rows[int(link["kind"])]

    def residuals(self, places):
        """(2 n,) rows of all links."""
        return np.ravel([self.of_link(link, places) for link in self.links])

    def jacobian(self, places):
        """(2 n, 3 nb) by differences, columns of x, y and angle of each body."""
        found = np.zeros((2 * len(self.links), *places.shape))
        for row, link in enumerate(self.links):
            for body in {int(link["first"]), int(link["second"])}:
                for k in range(3):
                    moved = np.zeros(places.shape)
                    moved[body, k] = STEP
                    change = np.subtract(self.of_link(link, places + moved), self.of_link(link, places - moved))
                    found[2 * row : 2 * row + 2, body, k] = change / (2 * STEP)
        return found.reshape(len(found), -1)

    def matrix(self, new, old):
        """G(new) M^-1 G(old)^T, 1 on the diagonal of rows that say nothing."""
        product = self.jacobian(new) @ self.inverse_mass @ self.jacobian(old).T
        silent = np.abs(np.diag(product)) == 0.0
        return product + np.diag(silent.astype(float))

    def step(self, places, velocities, previous, h, acceleration):
        """Places and velocities after a step: SHAKE, by Newton's method."""
        kick = 0.5 * (previous + h)
        pushed = velocities + kick * acceleration
        push = self.inverse_mass @ self.jacobian(places).T
        multipliers = np.zeros(2 * len(self.links))
        for _ in range(8):
            moved = pushed + kick * (push @ multipliers).reshape(pushed.shape)
            new = places + h * moved
            multipliers -= np.linalg.solve(self.matrix(new, places), self.residuals(new)) / (h * kick)
        return new, moved

    def accelerations(self, places, velocities, fall):
        """Of bodies whose rows stay met: second derivatives of residuals along the motion by differences."""
        jacobian, along = self.jacobian(places), np.array([-2, -1, 0, 1, 2]) * BEND_STEP
        residuals = np.array([self.residuals(places + s * velocities) for s in along])
        bends = np.array([-1, 16, -30, 16, -1]) @ residuals / (12 * BEND_STEP**2)
        matrix = jacobian @ self.inverse_mass @ jacobian.T
        multipliers = np.linalg.lstsq(matrix, -(jacobian @ fall.ravel() + bends), rcond=1e-10)[0]
        return fall + (self.inverse_mass @ jacobian.T @ multipliers).reshape(fall.shape)

    def fly(self, places, velocities, duration, fall):
        """Places and velocities after a while, as an ordinary differential equation."""
        n = places.size

        def rates(_, state):
            x, v = state[:n].reshape(places.shape), state[n:].reshape(places.shape)
            return np.concatenate([state[n:], self.accelerations(x, v, fall).ravel()])

        start = np.concatenate([places.ravel(), velocities.ravel()])
        end = solve_ivp(rates, (0.0, duration), start, method="DOP853", rtol=1e-10, atol=1e-11).y[:, -1]
        return end[:n].reshape(places.shape), end[n:].reshape(places.shape)


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
