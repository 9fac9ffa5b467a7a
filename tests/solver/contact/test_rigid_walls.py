"""Rigid walls: shapes, responses of the bodies of their nodes, and the forces that hold nodes, against dense solves."""

from __future__ import annotations

import naive.contact as twin
import numpy as np
import pytest
from gsolve.solver.contact import compliance, rigid_walls
from gsolve.solver.contact.rigid_wall_records import (
    CYLINDER,
    FRICTION,
    PARALLELOGRAM,
    PLANE,
    SLIDING,
    SPHERE,
    TIED,
    WALL,
    WALL_NODE,
    WALL_WIDTH,
    Walls,
)
from gsolve.solver.core.bodies import GROUND, NO_ROTATION
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.integration.system import SUBSYSTEM
from hand_models import unit
from naive import dense_inverse_mass, move_trial
from row_rig import Rig

KINDS = {"PLANE": PLANE, "SPHERE": SPHERE, "CYLINDER": CYLINDER, "PARALLELOGRAM": PARALLELOGRAM}
RANDOM = np.random.default_rng(6)

# ---- shapes ----------------------------------------------------------------------------------------------------


def wall_of(kind, axis=(0.0, 0.0, 1.0), radius=0.0, sides=None):
    wall = np.zeros(1, WALL)
    wall["kind"], wall["axis"], wall["radius"] = KINDS[kind], axis, radius
    if sides is not None:
        wall["across"] = np.linalg.pinv(sides).T
    return wall[0]


PLACES = [(0.0, 0.0, 2.0), (0.0, -3.0, 0.0), (0.0, 1e-9, 0.0), (1e9, -1e9, 1e3), *RANDOM.normal(size=(6, 3)).tolist()]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_gaps_and_normals_are_those_of_the_twin(kind, place):
    for axis in (np.array([1.0, 0.0, 0.0]), unit([0.3, -0.5, 0.8])):
        gap, normal = rigid_walls.gap_at(wall_of(kind, axis, 0.7), tuple(place))
        wanted = twin.gap_and_normal(kind, axis, 0.7, np.array(place))
        assert gap == pytest.approx(wanted[0], abs=1e-15 * max(1.0, np.abs(place).max()))
        np.testing.assert_allclose(normal, wanted[1], atol=1e-15)


@pytest.mark.parametrize("kind", ["SPHERE", "CYLINDER"])
@pytest.mark.parametrize("axis", np.eye(3))
def test_on_the_axis_of_a_round_wall_some_direction_leads_out(kind, axis):
    gap, normal = rigid_walls.gap_at(wall_of(kind, axis, 0.7), (0.0, 0.0, 0.0))
    assert gap == -0.7 and np.linalg.norm(normal) == pytest.approx(1.0)
    assert kind == "SPHERE" or axis @ normal == 0.0


def test_places_beside_a_parallelogram_are_those_whose_shares_lie_outside():
    sides = np.array([[2.0, 0.3, 0.0], [0.5, 1.0, 0.4]])
    wall = wall_of("PARALLELOGRAM", unit(np.cross(*sides)), sides=sides)
    found = set()
    for place in RANDOM.uniform(-1.0, 3.0, size=(300, 3)):
        share = twin.shares(sides, place)
        outside = share.min() < 0.0 or share.max() > 1.0
        assert rigid_walls.beside(wall, tuple(place)) == outside
        found.add(outside)
    assert found == {False, True}
    assert not rigid_walls.beside(wall, tuple(sides.sum(axis=0)))
    assert not rigid_walls.beside(wall_of("PLANE"), (9.0, 9.0, 9.0))


# ---- responses -------------------------------------------------------------------------------------------------


class WallRig:
    """One subsystem of bodies 1 to 4 with random rows; a plane wall, and nodes on it, fixed to the bodies given.

    carrier : body that carries the wall
    """

    def __init__(self, rows, node_bodies, carrier=GROUND, mode=SLIDING, seed=1, friction=0.0):
        self.rig = rig = Rig([rows], [4], seed=seed)
        self.random, self.bodies = rig.random, rig.bodies
        self.subsystem = np.zeros(1, SUBSYSTEM)
        self.subsystem["first_body"], self.subsystem["last_body"] = 1, 5
        self.subsystem["last_row"], self.subsystem["last_wall"] = len(rows), 1
        walls, nodes = np.zeros(1, WALL), np.zeros(len(node_bodies), WALL_NODE)
        self.normal = unit(self.random.normal(size=3))
        walls["axis"], walls["carrier"]["body"], walls["last_node"] = self.normal, carrier, len(nodes)
        walls["mode"], walls["friction"] = mode, friction
        if carrier != GROUND:
            walls["carrier"]["arm"] = self.random.normal(size=3)
        nodes["point"]["body"], nodes["in_front"] = node_bodies, 1
        nodes["point"]["arm"] = self.random.normal(size=(len(nodes), 3))
        nodes["first_reply"] = 12 * np.arange(len(nodes))
        for node in nodes:  # displacements are zero: where rotation and start put it is on the wall
            node["start"] = self.turned(node["point"]) - (self.normal @ self.turned(node["point"])) * self.normal
            node["start"] -= self.turned(node["point"]) - self.turned(walls["carrier"][0])
        self.walls = Walls(walls, nodes, np.zeros((12 * len(nodes), 6)), np.zeros((5, 6)), np.zeros(1))
        # Kernels get them by references, as in runs: what they call would be compiled for the tuples themselves, too.
        self.of_walls, self.matrix = Reference(self.walls), Reference(rig.factorised())

    def turned(self, point):
        return self.bodies["rotation"][point["body"]] @ point["arm"] - point["arm"]

    def start(self):
        rigid_walls.start_walls(self.of_walls, self.subsystem[0], self.bodies)

    def hold(self, kick, dt, passes=0):
        return rigid_walls.hold_nodes(
            self.of_walls,
            self.subsystem[0],
            0,
            self.bodies,
            self.rig.rows,
            self.rig.entries,
            self.matrix,
            kick,
            dt,
            passes,
        )

    def find_response(self, k):
        wall, node = self.walls.walls[0], self.walls.nodes[k]
        compliance.find_response(
            self.of_walls, self.subsystem[0], 0, wall, node, self.bodies, self.rig.rows, self.rig.entries, self.matrix
        )
        return node

    def book(self, previous_dt, dt):
        rigid_walls.book_walls(self.of_walls, self.subsystem[0], self.bodies, previous_dt, dt)

    def relative(self):
        """(3 nodes, 30) from the velocities of all bodies to those of the nodes against the wall."""
        wall = self.walls.walls[0]
        return np.vstack([twin.relative_velocity(wall, node, 5) for node in self.walls.nodes])

    def inverse_mass(self):
        return twin.answering_inverse_mass(self.bodies, self.rig.jacobian())

    def delassus(self):
        """Velocities of all nodes to unit forces on all nodes (3 nodes, 3 nodes)."""
        relative = self.relative()
        return relative @ self.inverse_mass() @ relative.T

    def move(self, dt, extra=None):
        """A trial motion of all bodies towards the wall; returns the velocities of the nodes against it.

        extra : (30,) velocities that forces add
        """
        motion = np.random.default_rng(12).normal(size=(5, 6))
        motion[1:, :3] -= 4.0 * self.normal
        motion[[GROUND, self.walls.walls["carrier"]["body"][0]]] = 0.0
        motion += 0.0 if extra is None else extra.reshape(5, 6)
        move_trial(self.bodies, motion[:, :3], motion[:, 3:], dt)
        wall = self.walls.walls[0]
        places = [rigid_walls.trial_place(wall, node, self.bodies) for node in self.walls.nodes]
        return (np.array(places) - self.walls.nodes["place"]) / dt

    def settle(self, kick, dt):
        """Passes with the exact positions, as the time loop makes them; returns the velocities that are left."""
        rates = self.move(dt)
        for _ in range(20):
            if self.hold(kick, dt) <= 1.0:
                return rates
            answer = self.inverse_mass() @ self.relative().T @ self.walls.nodes["force"].ravel()
            rates = self.move(dt, kick * answer)
        raise AssertionError("the passes do not settle")


ROWS = {"free": [], "one row": [[1, 2]], "many rows": [[1, 2]] * 3 + [[2, 3, 4]] * 2 + [[4]], "to ground": [[1]] * 2}


@pytest.mark.parametrize("carrier", [GROUND, 3])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("seed", range(2))
def test_responses_of_nodes_are_those_of_a_dense_solve(rows, carrier, seed):
    rig = WallRig(rows, [1, 2, 4], carrier, seed=seed)
    rig.bodies["turning"][2], rig.bodies["inverse_inertia"][2] = NO_ROTATION, 0.0
    rig.matrix = rig.rig.factorised()
    rig.start()
    whole = rig.delassus()
    for k in range(3):
        node, expected = rig.find_response(k), whole[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        np.testing.assert_allclose(node["response"], expected, atol=1e-11 * max(1.0, np.abs(expected).max()))
        in_normal = rig.normal @ expected @ rig.normal
        assert node["normal_response"] == pytest.approx(in_normal, abs=1e-11)
        across = np.eye(3) - np.outer(rig.normal, rig.normal)
        largest = np.linalg.eigvalsh(across @ expected @ across).max()
        assert node["tangential_response"] == pytest.approx(largest, abs=1e-11)


@pytest.mark.parametrize("carrier", [GROUND, 3])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_an_impulse_changes_the_velocities_of_all_bodies_as_a_dense_solve_says(rows, carrier):
    rig = WallRig(rows, [1, 4], carrier, seed=3)
    rig.start()
    total = np.zeros(30)
    wall = rig.walls.walls[0]
    for k in (0, 1, 0):
        node, impulse = rig.find_response(k), rig.random.normal(size=3)
        compliance.reply(rig.of_walls, rig.subsystem[0], wall, node, rig.bodies, tuple(impulse))
        total += rig.inverse_mass() @ rig.relative()[3 * k : 3 * k + 3].T @ impulse
    np.testing.assert_allclose(rig.walls.change.ravel(), total, atol=1e-11)
    for k in range(2):
        found = compliance.change_at(rig.of_walls, wall, rig.walls.nodes[k])
        np.testing.assert_allclose(found, rig.relative()[3 * k : 3 * k + 3] @ total, atol=1e-11)
    compliance.clear_change(rig.of_walls, rig.subsystem[0])
    assert not rig.walls.change.any()


def test_a_node_that_rows_hold_has_no_response():
    rig = WallRig([[1]] * 3, [1, 2], seed=5)
    rig.start()
    rig.rig.entries["jacobian"] = rig.relative()[:3, 6:12]  # the three rows hold node 1 in all directions
    node = rig.find_response(0)
    assert node["normal_response"] == node["tangential_response"] == 0.0
    assert rig.find_response(1)["normal_response"] > 0.0


# ---- forces ----------------------------------------------------------------------------------------------------


def forces_on_bodies(rig):
    """What the forces on the nodes are on the bodies (5, 6), the ground left out."""
    wrench = (rig.relative().T @ rig.walls.nodes["force"].ravel()).reshape(5, 6)
    wrench[GROUND] = 0.0
    return wrench


@pytest.mark.parametrize("carrier", [GROUND, 3])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("seed", range(3))
def test_sliding_nodes_are_held_by_the_forces_of_the_complementarity_problem(rows, carrier, seed):
    rig = WallRig(rows, [1, 2, 4, 2], carrier, seed=seed)
    rig.start()
    rates, kick, dt = rig.move(1e-3) @ rig.normal, 1e-3, 1e-3
    rig.hold(kick, dt)
    normals = np.kron(np.eye(4), rig.normal)  # (4, 12)
    matrix = kick * normals @ rig.delassus() @ normals.T
    # a node that leaves is not looked at: it was not touching
    coming = np.flatnonzero(rates < 0.0)
    expected = np.zeros(4)
    expected[coming] = twin.least_pressing_forces(matrix[np.ix_(coming, coming)], rates[coming])
    found = rig.walls.nodes["force"] @ rig.normal
    # forces that a singular matrix does not tell apart do the same to the nodes
    size = np.abs(rates).max()
    np.testing.assert_allclose(matrix @ found, matrix @ expected, atol=1e-8 * size)
    assert found.min() >= 0.0 and np.any(found > 0.0)
    np.testing.assert_allclose(rig.walls.nodes["force"], np.outer(found, rig.normal), atol=1e-9 * found.max())
    np.testing.assert_allclose(rig.bodies["dissipative"], forces_on_bodies(rig), atol=1e-11 * found.max())


@pytest.mark.parametrize("rows", [ROWS["free"], ROWS["one row"]], ids=["free", "one row"])
def test_tied_nodes_that_press_stop_altogether(rows):
    """The first pass nears the solution of the linear system as far as its sweeps go, further ones stop the nodes."""
    rig = WallRig(rows, [1, 2, 4], mode=TIED, seed=2)
    rig.start()
    kick = dt = 1e-3
    rates = rig.move(dt)
    assert np.all(rates @ rig.normal < 0.0)
    rig.hold(kick, dt)
    expected = np.linalg.solve(kick * rig.delassus(), -rates.ravel())
    found = rig.walls.nodes["force"].ravel()
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(rig.settle(kick, dt), 0.0, atol=1e-9 * np.abs(rates).max())
    assert rig.walls.nodes["tied"].all()


@pytest.mark.parametrize("rows", [ROWS["free"], ROWS["many rows"]], ids=["free", "many rows"])
@pytest.mark.parametrize("friction", [0.05, 0.4, 3.0])
def test_friction_stops_a_node_or_works_against_its_slip_with_all_it_may(rows, friction):
    """Coulomb's conditions at the forces found, once the passes have settled."""
    kinds = set()
    for seed in range(6):
        rig = WallRig(rows, [1, 3], mode=FRICTION, seed=seed, friction=friction)
        rig.start()
        kick = dt = 1e-3
        rates = rig.move(dt)
        left = rig.settle(kick, dt)
        forces = rig.walls.nodes["force"]
        for force, rate, at_first in zip(forces, left, rates, strict=True):
            pressing, size = force @ rig.normal, np.linalg.norm(rates)
            if not force.any():
                assert rate @ rig.normal > -1e-7 * size or at_first @ rig.normal >= 0.0
                continue
            along, slip = force - pressing * rig.normal, rate - (rate @ rig.normal) * rig.normal
            assert pressing > 0.0 and abs(rate @ rig.normal) < 1e-7 * size
            assert np.linalg.norm(along) <= friction * pressing * (1 + 1e-9)
            sticks = np.linalg.norm(slip) < 1e-7 * size
            kinds.add(sticks)
            if not sticks:
                assert np.linalg.norm(along) == pytest.approx(friction * pressing, rel=1e-9)
                assert along @ slip / (np.linalg.norm(along) * np.linalg.norm(slip)) == pytest.approx(-1.0, abs=1e-6)
    assert kinds <= {True, False} and kinds


def test_a_node_in_the_air_is_let_alone():
    rig = WallRig([], [1, 2], seed=4)
    rig.walls.nodes["start"] += 5.0 * rig.normal
    rig.start()
    rig.move(1e-3)
    assert rig.hold(1e-3, 1e-3) == 0.0
    assert not rig.walls.nodes["force"].any() and not rig.bodies["dissipative"].any()


@pytest.mark.parametrize("damping_time", [0.0, 0.02, 5.0])
@pytest.mark.parametrize("carrier", [GROUND, 3])
def test_a_penalty_wall_pushes_with_spring_and_damper_and_never_pulls(carrier, damping_time):
    rig = WallRig([], [1, 2, 4, 2], carrier, seed=8)
    rig.walls.walls["penalty"], rig.walls.walls["damping_time"] = 1, damping_time
    depth = np.array([0.3, 1e-6, -0.2, 0.0])
    rig.walls.nodes["start"] -= np.outer(depth, rig.normal)
    rig.walls.nodes["stiffness"] = stiffness = np.array([5.0, 7e6, 3.0, 2.0])
    rig.bodies["mean_velocity"][1:], rig.bodies["mean_angular_velocity"][1:] = rig.random.normal(size=(2, 4, 3))
    rig.start()
    motion = np.concatenate([rig.bodies["mean_velocity"], rig.bodies["mean_angular_velocity"]], axis=1).ravel()
    opening = (rig.relative() @ motion).reshape(-1, 3) @ rig.normal
    elastic = np.where(depth > 1e-12, stiffness * depth, 0.0)
    np.testing.assert_allclose(rig.walls.nodes["elastic"], elastic, rtol=1e-8, atol=1e-14)
    expected = np.maximum(0.0, elastic - damping_time * stiffness * opening)
    found = [rigid_walls.penalty_force(rig.walls.walls[0], node, rig.bodies) for node in rig.walls.nodes]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


# ---- work and results ------------------------------------------------------------------------------------------


def test_work_is_half_of_the_force_over_the_step_before_and_half_over_the_step_after():
    rig = WallRig([], [1, 2, 4], 3, seed=9)
    random, nodes, wall = rig.random, rig.walls.nodes, rig.walls.walls[0]
    inverse_mass = dense_inverse_mass(rig.bodies)
    inverse_mass[:6, :6] = 0.0
    total, coming = np.zeros(3), np.zeros(3)
    for previous_dt, dt in ((0.0, 0.1), (0.1, 0.2), (0.2, 0.05)):
        for name in ("velocity", "momentum"):
            rig.bodies[name][1:] = rig.bodies["trial_" + name][1:]
            rig.bodies["trial_" + name][1:] = random.normal(size=(4, 3))
        nodes["force"], nodes["elastic"] = random.normal(size=(3, 3)), random.normal(size=3)
        rig.start()
        nodes["elastic"] = random.normal(size=3)
        rates = []
        for prefix in ("", "trial_"):
            spins = inverse_mass @ np.hstack([0 * rig.bodies["momentum"], rig.bodies[prefix + "momentum"]]).ravel()
            whole = np.hstack([rig.bodies[prefix + "velocity"], spins.reshape(5, 6)[:, 3:]])
            rates.append((rig.relative() @ whole.ravel()).reshape(-1, 3))
        in_normal = nodes["force"] @ rig.normal

        def works(rate, time, in_normal=in_normal):
            opening = rate @ rig.normal
            parts = opening @ nodes["elastic"], opening @ (in_normal - nodes["elastic"])
            return 0.5 * time * np.array([*parts, np.sum(rate * nodes["force"]) - opening @ in_normal])

        total += coming + works(rates[0], previous_dt)
        coming = works(rates[1], dt)
        rig.bodies["dissipative"] = forces_on_bodies(rig)
        rig.book(previous_dt, dt)
        found = [wall[name] for name in ("elastic_work", "damping_work", "friction_work")]
        np.testing.assert_allclose(found, total, atol=1e-13)
        np.testing.assert_allclose(rig.bodies["dissipative"], 0.0, atol=1e-13)  # taken out of those of the bodies


def test_results_of_a_wall_are_sums_over_its_nodes():
    rig = WallRig([], [1, 2, 4, 3], seed=10)
    rig.start()
    nodes, out = rig.walls.nodes, np.full(WALL_WIDTH, np.nan)
    nodes["force"] = rig.random.normal(size=(4, 3))
    nodes["force"][2] = 0.0
    for name, value in (("elastic_work", 1.0), ("damping_work", -2.0), ("friction_work", -3.0)):
        rig.walls.walls[name] = value
    rigid_walls.record_wall(rig.of_walls, 0, out)
    in_normal = np.outer(nodes["force"] @ rig.normal, rig.normal).sum(axis=0)
    expected = [*-in_normal, *(in_normal - nodes["force"].sum(axis=0)), 3.0, -1.0, 2.0, 3.0]
    np.testing.assert_allclose(out, expected, atol=1e-14)


def test_trial_places_are_start_and_what_both_bodies_have_moved():
    rig = WallRig([], [1, 2], 3, seed=11)
    rig.start()
    rig.move(0.3)
    wall, bodies = rig.walls.walls[0], rig.bodies
    for node in rig.walls.nodes:
        place = node["start"].copy()
        for point, sign in ((node["point"], 1.0), (wall["carrier"], -1.0)):
            body, arm = bodies[point["body"]], point["arm"]
            place += sign * (body["trial_displacement"] + body["trial_rotation"] @ arm - arm)
        np.testing.assert_allclose(rigid_walls.trial_place(wall, node, bodies), place, atol=1e-15)
