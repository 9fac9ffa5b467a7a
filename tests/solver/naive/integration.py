"""Twins of integration/: the passes of a step over one body, what a sample says of it, and whole steps of a machine.

A body is a cloud of point masses, so that momenta and energies are the sums that define them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from naive import core as twin
from naive import cross, cross_matrix, dense_inverse_mass, incremental_rotation
from naive import rates as rates_of


def set_cloud(body, masses, places, pivot=None):
    """Make a body of point masses (n,) at places (n, 3) at t = 0; its reference point is its mass centre or a pivot."""
    centre = masses @ places / masses.sum()
    body["centre"] = centre if pivot is None else pivot
    body["mass"], body["inverse_mass"] = masses.sum(), 1.0 / masses.sum() if pivot is None else 0.0
    body["mass_arm"] = centre - body["centre"]
    arms = places - body["centre"]
    body["inertia"] = sum(m * cross_matrix(arm).T @ cross_matrix(arm) for m, arm in zip(masses, arms, strict=True))
    body["inverse_inertia"] = np.linalg.inv(body["inertia"])
    return arms


def kicked(body, kick):
    """Velocity and angular momentum after the forces of t_n have acted for the time `kick`."""
    forces = body["elastic"] + body["external"] + body["dissipative"]
    velocity, momentum = body["velocity"].copy(), body["momentum"].copy()
    if body["inverse_mass"] > 0.0:
        velocity += kick * (forces[:3] * body["inverse_mass"] + body["gravity"])
    if body["turning"]:
        weight = body["mass"] * body["gravity"]
        momentum += kick * (forces[3:] + cross(body["rotation"] @ body["mass_arm"], weight))
    return velocity, momentum


def drifted(body, dt):
    """Displacement, rotation matrix and rotation vector (body axes) of the step, from the trial velocities."""
    displacement = body["displacement"] + body["low_displacement"] + dt * body["trial_velocity"]
    if not body["turning"]:
        return displacement, body["rotation"], np.zeros(3)
    theta = incremental_rotation(body["inertia"], body["rotation"].T @ body["trial_momentum"], dt)
    return displacement, twin.turned(body["rotation"], theta), theta


def sample(body, masses, arms, dt, previous_dt):
    """What a sample says of a body at t_n, between the half steps before and after it."""
    share = previous_dt / (previous_dt + dt)  # t_n lies so far between the two

    def at_n(old, new):
        return (1.0 - share) * old + share * new

    def rate(old, new):
        return (new - old) / (0.5 * (previous_dt + dt))

    old_velocity, velocity = body["velocity"], body["trial_velocity"]
    old_momentum, momentum = body["momentum"], body["trial_momentum"]
    v, l = at_n(old_velocity, velocity), at_n(old_momentum, momentum)
    a, m = rate(old_velocity, velocity), rate(old_momentum, momentum)
    omega = twin.angular_velocity(body, l)
    turned = arms @ body["rotation"].T
    reference = body["centre"] + body["displacement"]
    places, start = reference + turned, body["centre"] + arms
    velocities = v + np.cross(omega, turned)
    return {
        "displacement": body["displacement"],
        "quaternion": body["quaternion"],
        "velocity": v,
        "angular_velocity": omega,
        "acceleration": a,
        "angular_acceleration": twin.angular_velocity(body, m - cross(omega, l)),
        "turned": body["turned"],
        "kinetic_translational": 0.5 * body["mass"] * v @ v,
        "kinetic_rotational": 0.5 * l @ omega,
        "translational_of_half_steps": 0.5 * body["mass"] * (velocity - dt * a) @ velocity,
        "rotational_of_half_steps": 0.5 * (momentum - dt * m) @ twin.angular_velocity(body, momentum),
        "gravity": -sum(mass * body["gravity"] @ moved for mass, moved in zip(masses, places - start, strict=True)),
        "momentum": masses @ velocities,
        "angular_momentum": masses @ np.cross(places, velocities),
    }


def rotation_of(quaternion):
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def reaction_at_node(wrench, arm):
    """Force and moment about a node of a wrench about the reference point of the body that carries it, `arm` away."""
    force, moment = wrench[:3], wrench[3:]
    return np.concatenate([force, moment - cross(arm, force)])


# ---- whole steps -----------------------------------------------------------------------------------------------

MOST_CORRECTIONS = 60
MOST_PASSES = 60
STILL_CHANGES = 1e-15  # of the estimates of v_n
ROUND_OFF = 1e-13  # of residuals
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # central differences of sixth order
DIFFERENCE = 4e-3


class Rows:
    """Coordinates of the trial positions that must have certain values: none, or those of a law of motion.

    measure : bodies, prefix of the fields that say where they are -> values (n,)
    """

    def __init__(self, measure, law=None):
        self.measure, self.law = measure, law
        self.wanted = 0.0
        self.growth = 0.0  # of the value wanted, in the step at hand

    def aim(self, coordinate, rate, t, dt, kick):
        """What is wanted at t + dt, of a coordinate of t and its rate of half a step before."""
        if self.law:
            self.law.take_hold(t, coordinate, rate)
            before, self.wanted = self.law.step(t, dt, kick)
            self.growth = self.wanted - before


class Machine:
    """A machine that takes its steps as docs/numerics.md tells it: forces, kick, drift, rows by dense algebra, work.

    bodies : records of the start, the ground first; rows : list of Rows
    elastic, external, dissipative : functions of the machine that give wrenches (nb, 6) about the reference points;
    the last one sees estimates of v_n and the multipliers at hand, and is found anew until nothing changes
    """

    def __init__(self, bodies, rows=(), elastic=None, external=None, dissipative=None):
        self.bodies, self.rows = bodies.copy(), list(rows)
        self.forces = {"elastic": elastic, "external": external, "dissipative": dissipative}
        self.t = self.previous_dt = 0.0
        self.work = {"external": 0.0, "dissipative": 0.0, "drives": 0.0}
        self.step_before = np.zeros((len(bodies), 6))  # displacements and turns that led to t_n
        self.before = {name: np.zeros((len(bodies), 6)) for name in ("external", "dissipative")}
        self.growths, self.multipliers = None, None

    def step(self, dt):
        """To the converged trial state of t + dt; `commit` makes it the state."""
        bodies, self.dt = self.bodies, dt
        self.kick = 0.5 * (self.previous_dt + dt)
        self.jacobian = self.slopes_of_rows()
        self.estimate(0.0)
        for rows, some in zip(self.rows, self.places_of_rows(), strict=True):
            rates = rates_of(self.jacobian[some], bodies["mean_velocity"], bodies["mean_angular_velocity"])
            rows.aim(rows.measure(bodies, "")[0], rates[0], self.t, dt, self.kick)
        if self.multipliers is None:
            self.multipliers, self.growths = np.zeros((2, len(self.jacobian)))
        self.multipliers_before, self.multipliers = self.multipliers, self.multipliers.copy()
        for name in ("elastic", "external"):
            bodies[name] = self.force(name)
        for _ in range(MOST_PASSES):
            bodies["dissipative"] = self.force("dissipative")
            self.meet_rows()
            before = bodies["mean_velocity"].copy(), bodies["mean_angular_velocity"].copy()
            self.estimate(self.previous_dt / (self.previous_dt + dt))
            after = bodies["mean_velocity"], bodies["mean_angular_velocity"]
            changes = [np.abs(new - old) for new, old in zip(after, before, strict=True)]
            if not self.forces["dissipative"] or np.max(changes) < STILL_CHANGES:
                break
        self.drift_all()
        self.add_work()

    def force(self, name):
        given = self.forces[name]
        return given(self) if given else np.zeros((len(self.bodies), 6))

    def estimate(self, share):
        """v_n lies so far between the velocities of the half steps."""
        for body in self.bodies:
            velocity, momentum = (
                (1.0 - share) * body[name] + share * body["trial_" + name] for name in ("velocity", "momentum")
            )
            body["mean_velocity"], body["mean_angular_velocity"] = velocity, twin.angular_velocity(body, momentum)

    def residuals(self):
        found = [rows.measure(self.bodies, "trial_") - rows.wanted for rows in self.rows]
        return np.concatenate(found) if found else np.zeros(0)

    def places_of_rows(self):
        """Slices of all rows, one for each of Rows."""
        ends = np.cumsum([0, *(len(rows.measure(self.bodies, "")) for rows in self.rows)])
        return [slice(first, end) for first, end in pairwise(ends)]

    def slopes_of_rows(self):
        """G (nr, 6 nb) at t_n, by differences of high order: bodies displaced, and turned about the global axes."""
        bodies, columns = self.bodies, []
        for body in bodies if self.rows else ():
            for component in range(6):
                column = 0.0
                for steps, weight in STENCIL:
                    for sign in (1, -1):
                        for name in ("displacement", "rotation"):
                            bodies["trial_" + name] = bodies[name]
                        by = sign * steps * DIFFERENCE * np.eye(6)[component]
                        body["trial_displacement"] = body["displacement"] + by[:3]
                        body["trial_rotation"] = Rotation.from_rotvec(by[3:]).as_matrix() @ body["rotation"]
                        column = column + sign * weight / DIFFERENCE * self.residuals()
                columns.append(column)
        jacobian = np.reshape(np.transpose(columns), (-1, 6 * len(bodies)))
        jacobian[:, :6] = 0.0  # the ground stays
        return jacobian

    def meet_rows(self):
        """Correct the multipliers of the kick until rounding keeps the residuals from getting smaller."""
        if not self.rows:
            self.kick_all()  # they move once their velocities are final
            return
        inverse_mass, least = dense_inverse_mass(self.bodies), np.inf
        matrix = self.jacobian @ inverse_mass @ self.jacobian.T
        for _ in range(MOST_CORRECTIONS):
            self.kick_all()
            self.drift_all()
            left = self.residuals()
            if not np.abs(left).max() < 0.5 * least:
                break
            least, met = np.abs(left).max(), self.multipliers
            self.multipliers = met - np.linalg.lstsq(matrix, left, rcond=1e-10)[0] / (self.dt * self.kick)
        assert least < ROUND_OFF, "the rows are not met"
        self.multipliers = met
        self.kick_all()

    def kick_all(self):
        """Trial velocities with the multipliers at hand."""
        impulse = self.kick * self.reactions().ravel()
        velocities, impulse = (dense_inverse_mass(self.bodies) @ impulse).reshape(-1, 6)[:, :3], impulse.reshape(-1, 6)
        for k, body in enumerate(self.bodies):
            velocity, momentum = kicked(body, self.kick)
            body["trial_velocity"] = velocity + velocities[k]
            body["trial_momentum"] = momentum + impulse[k, 3:] if body["turning"] else momentum

    def drift_all(self):
        for body in self.bodies:
            body["trial_displacement"], body["trial_rotation"], body["theta"] = drifted(body, self.dt)

    def reactions(self):
        """Wrenches (nb, 6) of all rows at t_n."""
        return (self.jacobian.T @ self.multipliers).reshape(-1, 6)

    def reactions_of(self, k):
        """The same of the k-th Rows alone."""
        some = self.places_of_rows()[k]
        return (self.jacobian[some].T @ self.multipliers[some]).reshape(-1, 6)

    def add_work(self):
        """Of all forces over the step that led to t_n: the mean of both ends times the displacement."""
        for name, before in self.before.items():
            self.work[name] += 0.5 * np.sum((before + self.bodies[name]) * self.step_before)
            self.before[name] = self.bodies[name].copy()
        self.work["drives"] += 0.5 * (self.multipliers_before + self.multipliers) @ self.growths

    def energies(self):
        """Kinetic energies of translation and rotation, of half steps, and that of gravity, at t_n."""
        totals = np.zeros(3)
        for body in self.bodies:
            velocity, momentum = (
                body["trial_" + name] - self.dt * (body["trial_" + name] - body[name]) / self.kick
                for name in ("velocity", "momentum")
            )
            spin = twin.angular_velocity(body, body["trial_momentum"])
            moved = body["displacement"] + body["rotation"] @ body["mass_arm"] - body["mass_arm"]
            totals += (
                0.5 * body["mass"] * velocity @ body["trial_velocity"],
                0.5 * momentum @ spin,
                -body["mass"] * body["gravity"] @ moved,
            )
        return totals

    def commit(self):
        bodies = self.bodies
        self.step_before[:, :3] = self.dt * bodies["trial_velocity"]
        self.step_before[:, 3:] = np.einsum("kij,kj->ki", bodies["rotation"], bodies["theta"])
        for rows, some in zip(self.rows, self.places_of_rows(), strict=True):
            self.growths[some] = rows.growth
        for name in ("displacement", "rotation", "velocity", "momentum"):
            bodies[name] = bodies["trial_" + name]
        self.t, self.previous_dt = self.t + self.dt, self.dt


# ---- trains of rotors ------------------------------------------------------------------------------------------


def leapfrog(shares, inertia, dt, steps, elastic, damping):
    """Angles shares u (n, spins) about fixed axes; momenta at half steps, dampers at the rates of t_n, solved at once.

    Returns times, angles and rates (steps + 1, n).
    """
    masses = shares.T @ np.diag(inertia) @ shares
    inverse, dampers = np.linalg.inv(masses), shares.T @ damping @ shares
    u, momenta, found, last = np.zeros(shares.shape[1]), np.zeros(shares.shape[1]), [], 0.0
    for k in range(steps + 1):
        t, kick, weight = k * dt, 0.5 * (last + dt), last / (last + dt)
        force = shares.T @ elastic(t, shares @ u)
        # p' = p + kick (force - C D^-1 ((1 - w) p + w p'))
        left = np.eye(len(u)) + kick * weight * dampers @ inverse
        new = np.linalg.solve(left, momenta + kick * (force - (1 - weight) * dampers @ inverse @ momenta))
        found.append((t, shares @ u, shares @ inverse @ (momenta + weight * (new - momenta))))
        u, momenta, last = u + dt * inverse @ new, new, dt
    return tuple(np.array(values) for values in zip(*found, strict=True))


def sensor_states(times, met, hold, delay, off_delay=None):
    """Whether a sensor is on at each time, each found by looking back over all of them; off_delay None: on for good."""
    states, begin, since_on = [], 0, None
    for n, t in enumerate(times):
        if since_on is None:
            for i in range(begin, n + 1):
                if met[i] and (i == begin or not met[i - 1]):
                    end = next((k for k in range(i, n + 1) if not met[k]), n)
                    if times[end] - times[i] >= hold:  # long enough without a break, whatever came then
                        since_on = n if t >= times[i] + hold + delay else None
                        break
        if since_on is not None and off_delay is not None and not met[n]:
            first = next(k for k in range(n, -1, -1) if k == since_on or met[k - 1])
            if t - times[first] >= off_delay:
                since_on, begin = None, n + 1
        states.append(since_on is not None)
    return states
