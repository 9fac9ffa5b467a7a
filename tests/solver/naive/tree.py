"""Trees of bodies with rotation matrices: where joint coordinates put them, and what momenta that is."""

from __future__ import annotations

import numpy as np
from gsolve.solver.constraints.tree_limbs import BALL, CROSS, CYLINDER, FREE, HINGE, SLIDER
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from naive import mean_rotation

STEP = 1e-6


class Tree:
    """Limbs (LIMB, the first is the ground) on bodies (BODY), moved by steps of their freedoms from t_n."""

    def __init__(self, limbs, bodies, dt):
        self.limbs, self.bodies, self.dt = limbs, bodies, dt

    def placed(self, steps):
        """Places (n, 3) and rotations of all limbs after steps of the freedoms, which may be zero."""
        places, rotations = [np.zeros(3)], [Rotation.identity()]
        for limb in self.limbs[1:]:
            body, parent = self.bodies[limb["body"]], int(limb["parent"])
            kind, own = limb["kind"], list(steps[limb["first_freedom"] :][:6])
            slide = float(limb["slide"].sum()) + (own.pop(0) if kind in (SLIDER, CYLINDER) else 0.0)
            angles = 2 * np.arctan2(limb["half_angles"][:, 1], limb["half_angles"][:, 0])
            angles[: 2 if kind == CROSS else 1] += own[: {CROSS: 2, HINGE: 1, CYLINDER: 1}.get(int(kind), 0)] or [0.0]
            if kind == FREE:
                places.append(body["centre"] + body["displacement"] + own[:3])
                rotations.append(Rotation.from_rotvec(own[3:6]) * Rotation.from_matrix(body["rotation"]))
                continue
            before = rotations[parent]
            if kind == BALL:
                held = Rotation.from_matrix(self.bodies[self.limbs[parent]["body"]]["rotation"])
                turned = before * held.inv() * Rotation.from_rotvec(own[:3]) * Rotation.from_matrix(body["rotation"])
            else:
                w, x, y, z = limb["as_built"]
                turned = before * Rotation.from_rotvec(angles[0] * limb["axis"]) * Rotation.from_quat([x, y, z, w])
                turned = turned * Rotation.from_rotvec(angles[1] * limb["second_axis"])
            joint = places[parent] + before.apply(limb["parent_arm"] + slide * limb["axis"])
            places.append(joint - turned.apply(limb["arm"]))
            rotations.append(turned)
        return np.array(places[1:]), rotations[1:]

    def momenta(self, steps):
        """Momenta (n, 6) of the step: m dx/h, and R l with I theta = h V(theta) l."""
        old_places, old_rotations = self.placed(np.zeros(len(steps)))
        places, rotations = self.placed(steps)
        found = []
        for k, limb in enumerate(self.limbs[1:]):
            body = self.bodies[limb["body"]]
            theta = (old_rotations[k].inv() * rotations[k]).as_rotvec()
            l = np.linalg.solve(mean_rotation(theta), body["inertia"] @ theta) / self.dt
            linear = body["mass"] * (places[k] - old_places[k]) / self.dt
            found.append(np.concatenate([linear, old_rotations[k].apply(l)]))
        return np.array(found)

    def motions(self, count):
        """What each freedom moves at t_n: (count, n, 6) velocities and angular velocities, by differences."""
        found = []
        for k in range(count):
            ahead, back = np.zeros(count), np.zeros(count)
            ahead[k], back[k] = STEP, -STEP
            (x, r), (y, q) = self.placed(ahead), self.placed(back)
            turns = [(a * b.inv()).as_rotvec() for a, b in zip(r, q, strict=True)]
            found.append(np.hstack([x - y, turns]) / (2 * STEP))
        return np.array(found)

    def along_freedoms(self, steps, motions=None):
        """N^T P; the motions N at t_n are found anew unless they are given."""
        motions = self.motions(len(steps)) if motions is None else motions
        return np.einsum("knc,nc->k", motions, self.momenta(steps))

    def step(self, momenta, forces, kick, start):
        """Steps of the freedoms with N^T (P_{n+1/2} - P_{n-1/2} - kick F) = 0, from a guess; (n, 6) each."""
        motions = self.motions(len(start))
        wanted = np.einsum("knc,nc->k", motions, momenta + kick * forces)
        return root(lambda steps: self.along_freedoms(steps, motions) - wanted, start, tol=1e-14).x

    def matrix(self, steps):
        """d(N^T P)/d(steps), by differences."""
        columns, motions = [], self.motions(len(steps))
        for k in range(len(steps)):
            change = np.zeros(len(steps))
            change[k] = STEP
            ahead, back = (self.along_freedoms(steps + by, motions) for by in (change, -change))
            columns.append((ahead - back) / (2 * STEP))
        return np.array(columns).T


def eliminated(matrix, right):
    """The solution of a set of equations by Gauss' elimination with pivots of all rows."""
    m, x = matrix.copy(), right.copy()
    for k in range(len(x)):
        pivot = k + int(np.argmax(np.abs(m[k:, k])))
        m[[k, pivot]], x[[k, pivot]] = m[[pivot, k]], x[[pivot, k]]
        for i in range(k + 1, len(x)):
            share = m[i, k] / m[k, k]
            m[i] -= share * m[k]
            x[i] -= share * x[k]
    for k in reversed(range(len(x))):
        x[k] = (x[k] - m[k, k + 1 :] @ x[k + 1 :]) / m[k, k]
    return x


def moves(limbs, limb: int, other: int) -> bool:
    """Whether a limb carries another one, itself included."""
    while other not in (0, limb):
        other = int(limbs["parent"][other])
    return other == limb


def efforts(limbs, freedoms, wrenches: np.ndarray) -> np.ndarray:
    """What forces and moments (n, 6) on the limbs after the ground do along each freedom at t_n."""
    moments = wrenches[:, 3:] + np.cross(limbs["place"][1:], wrenches[:, :3])
    found = np.zeros(len(freedoms))
    for k, freedom in enumerate(freedoms):
        behind = [i for i in range(1, len(limbs)) if moves(limbs, int(freedom["limb"]), i)]
        for i in behind:
            found[k] += freedom["twist"][:3] @ moments[i - 1] + freedom["twist"][3:] @ wrenches[i - 1, :3]
    return found
