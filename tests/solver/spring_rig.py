"""Three bodies and the ground, with springs between them: what the tests of springs share."""

from types import SimpleNamespace

import numpy as np
from body_rig import records_of, set_motion
from gsolve.parser.model import SpringDof, SpringProperty
from gsolve.solver.core.bodies import new_bodies
from gsolve.solver.core.functions import build_function_tables
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.core.skews import build_skews
from gsolve.solver.forces.spring_setup import build_springs
from gsolve.solver.forces.springs import add_spring_dampers, measure_springs, spring_energy
from naive.core import Motion, Points
from scipy.spatial.transform import Rotation


def curve(kind, x, y):
    return SimpleNamespace(kind=kind, x=np.array(x), y=np.array(y), program=None)


CURVE = curve("TABLE", [-2.0, 0.0, 1.0, 4.0], [-3.0, 0.0, 5.0, 6.0])
RATE_CURVE = curve("TABLE", [-1.0, 0.0, 1.0], [-2.0, 0.1, 1.0])
DAMPING_CURVE = curve("SMOOTH", [-3.0, 3.0], [-4.0, 4.0])


def dof(**given):
    values = dict(
        stiffness=0.0, damping=0.0, a=1.0, b=0.0, d=1.0, fct_1=0, fct_2=0, fct_4=0, e=0.0, f=1.0, abscissa_scale=1.0,
        damping_scale=1.0, min_elongation=-1e30, max_elongation=1e30,
    )  # fmt: skip
    return SpringDof(**{**values, **given})


def where(**kept):
    def diagnose(severity, message, **more):
        return SimpleNamespace(severity=severity, message=message, **more)

    return SimpleNamespace(diagnose=diagnose, **kept)


def spring(kind, dofs, nodes=(0, 1), skew_id=0, sensor=(0, 0), per_length=False, equilibrium=False, number=1):
    spring_property = SpringProperty(
        3, "coil", where(), kind, 1.0, 1.0, 0, sensor[0], sensor[1], per_length, dofs, equilibrium
    )
    return SimpleNamespace(
        id=number, title="", where=where(), part_id=1, node_1=nodes[0], node_2=nodes[1], skew_id=skew_id,
        property=spring_property,
    )  # fmt: skip


class Rig:
    """A ground (body 0) and moving bodies 1, 2, 3; node k is fixed to body k + 1, node 3 is on the ground."""

    def __init__(self, *springs, seed=1, places=None, skews=None, sensors=None, arms=True, can_turn=None):
        random = np.random.default_rng(seed)
        origins = random.normal(size=(4, 3)) if places is None else np.array(places, dtype=float)
        arm = random.normal(size=(4, 3)) if arms else np.zeros((4, 3))
        arm[3] = origins[3]
        self.points = Points(np.array([1, 2, 3, 0]), arm, origins)
        self.model = SimpleNamespace(
            springs=list(springs), skews=skews or {}, sensors=sensors or {},
            functions={1: CURVE, 2: RATE_CURVE, 4: DAMPING_CURVE}, nodes=SimpleNamespace(coordinates=origins),
        )  # fmt: skip
        self.tables, function_index = build_function_tables(self.model)
        self.functions = Reference(self.tables)
        records, self.bodies = records_of(self.points), new_bodies(4)
        self.skews, skew_index = build_skews(self.model, records)
        can_turn = np.ones(4, dtype=bool) if can_turn is None else np.array(can_turn)
        order = range(len(springs))
        self.springs = build_springs(self.model, order, records, function_index, skew_index, can_turn)
        self.rest = Motion(np.zeros((4, 3)), np.tile(np.eye(3), (4, 1, 1)), np.zeros((4, 3)), np.zeros((4, 3)))

    def moved(self, seed=2, size=1.0):
        random = np.random.default_rng(seed)
        values = size * random.normal(size=(4, 4, 3))
        values[:, 0] = 0.0
        rotation = Rotation.from_rotvec(values[1]).as_matrix()
        return Motion(values[0], rotation, values[2], values[3])

    def measure(self, motion, t=0.0, step_rotation=None, among=None):
        """Springs in a motion at t, after a step that turned the bodies; among : range of them, all by default."""
        set_motion(self.bodies, motion)
        self.bodies["step_rotation"] = 0.0 if step_rotation is None else step_rotation
        self.bodies["elastic"] = 0.0
        first, last = among or (0, len(self.springs))
        measure_springs(self.springs, first, last, self.bodies, self.functions, self.skews, t, 1e-9, 1e-9)
        return self

    def elastic(self):
        """Elastic wrenches as last measured."""
        return self.bodies["elastic"].copy()

    def dissipative(self):
        """Dissipative wrenches in the motion that was last measured."""
        self.bodies["dissipative"] = 0.0
        add_spring_dampers(self.springs, 0, len(self.springs), self.bodies, self.functions, self.skews)
        return self.bodies["dissipative"].copy()

    def energy(self):
        return sum(spring_energy(record, self.functions) for record in self.springs)

    def positions(self, motion):
        arms = np.einsum("kij,kj->ki", motion.rotation[self.points.body], self.points.arm)
        return self.points.origin + motion.displacement[self.points.body] + arms - self.points.arm, arms

    def velocities(self, motion):
        _, arms = self.positions(motion)
        body = self.points.body
        return motion.velocity[body] + np.cross(motion.angular_velocity[body], arms)

    def centres(self, motion):
        """Mass centres of the four bodies, in the order of the bodies."""
        centres = np.zeros((4, 3))
        centres[self.points.body] = self.points.origin - self.points.arm + motion.displacement[self.points.body]
        return centres

    def total(self, wrench, motion):
        """Resultant force and moment about the origin on all bodies, ground included."""
        moment = wrench[:, 3:] + np.cross(self.centres(motion), wrench[:, :3])
        return np.concatenate((wrench[:, :3].sum(axis=0), moment.sum(axis=0)))


def bodies_of(masses, inertias=None, seed=5):
    """BODY records; principal inertias in random axes, none for point masses."""
    bodies = new_bodies(len(masses))
    bodies["mass"] = masses
    bodies["inverse_mass"] = [1 / m if m else 0.0 for m in masses]
    if inertias is not None:
        random = np.random.default_rng(seed)
        for b in range(1, len(masses)):
            axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
            bodies["inverse_inertia"][b] = axes @ np.diag(1 / np.asarray(inertias[b])) @ axes.T
    return bodies
