"""Stable steps: against the scheme itself run step by step, and against dense eigenvalues."""

import math

import naive.forces as twin
import numpy as np
import pytest
from gsolve.solver.forces.springs import NO_FUNCTION
from gsolve.solver.forces.stability import (
    DAMPING_PASSES,
    is_stable,
    largest_eigenvalue,
    largest_step,
    linearised,
    spring_directions,
    stable_step,
    steepest,
)
from made_functions import tables_of
from spring_rig import Rig, bodies_of, dof, spring

NO_TABLES = tables_of()[0]


def growth_of_the_scheme(h, stiffness, damping):
    """Spectral radius of one step, the step written out as the time loop takes it."""

    def step(x, v):
        w = v
        for _ in range(DAMPING_PASSES):
            w = v + 0.5 * h * (-stiffness * x - damping * w)
        v = v + h * (-stiffness * x - damping * w)
        return x + h * v, v

    matrix = np.transpose([step(1.0, 0.0), step(0.0, 1.0)])
    return np.abs(np.linalg.eigvals(matrix)).max()


@pytest.mark.parametrize("damping", [0.0, 1e-3, 0.1, 1.0, 2.0, 3.0, 10.0, 1e3])
@pytest.mark.parametrize("stiffness", [0.0, 1.0, 50.0])
def test_the_scheme_grows_beyond_the_stable_step_and_not_below(stiffness, damping):
    if stiffness == damping == 0.0:
        return
    h = largest_step(stiffness, damping)
    assert growth_of_the_scheme(0.999 * h, stiffness, damping) <= 1.0 + 1e-12
    assert growth_of_the_scheme(1.001 * h, stiffness, damping) > 1.0


def test_every_step_below_the_stable_one_is_stable():
    for damping in np.geomspace(1e-3, 1e3, 13):
        h = largest_step(1.0, damping)
        assert all(is_stable(f * h, 1.0, damping) for f in np.linspace(0.001, 0.9999, 100))


def test_closed_forms_without_damping_and_without_stiffness():
    assert largest_step(25.0, 0.0) == pytest.approx(2 / 5, rel=1e-11)
    assert largest_step(0.0, 25.0) == pytest.approx(2 / 25, rel=1e-11)


def test_closed_form_of_four_passes():
    for y in (0.1, 0.5, 0.8, 0.95):
        q = 4 * (1 - y**5 / (1 - y * (1 - y + y**2 - y**3)))
        h = 0.3
        assert largest_step(q / h**2, 2 * y / h) == pytest.approx(h, rel=1e-10)


def test_chain_of_point_masses_has_its_textbook_frequency():
    """Two equal masses and the ground: k/m (3 + sqrt 5)/2."""
    k, m = 40.0, 0.5
    springs = [spring("TYPE4", [dof(stiffness=k)], nodes=nodes, number=n) for n, nodes in ((7, (3, 0)), (8, (0, 1)))]
    rig = Rig(*springs, arms=False)
    found = stable_step(spring_directions(rig.springs, rig.tables), bodies_of([0, m, m, m]))
    assert found.value == pytest.approx(2 / math.sqrt(k / m * (3 + math.sqrt(5)) / 2), rel=1e-4)
    assert not found.damped and rig.springs["number"][found.owner] == 1


def test_antisymmetric_modes_are_found():
    springs = [spring("TYPE4", [dof(stiffness=1.0)], nodes=nodes) for nodes in ((0, 1), (1, 2))]
    rig = Rig(*springs, arms=False)
    directions = spring_directions(rig.springs, rig.tables)
    largest, _ = largest_eigenvalue(directions.stiffness, directions, bodies_of([0, 1.0, 1.0, 1.0]))
    assert largest == pytest.approx(3.0, rel=1e-4)


def end_of(rig, s, side):
    """POINT of spring s on its first or second body."""
    return rig.springs["end_2" if side else "end_1"][s]


def test_rigid_bodies_with_arms_agree_with_dense_eigenvalues():
    springs = [
        spring("TYPE4", [dof(stiffness=30.0)]),
        spring("TYPE8", [dof(stiffness=k) for k in (5.0, 9.0, 1.0, 2.0, 0.0, 7.0)], nodes=(1, 2)),
        spring("TYPE4", [dof(stiffness=11.0)], nodes=(2, 3)),
    ]
    rig = Rig(*springs)
    bodies = bodies_of([0, 2.0, 3.0, 1.0], [None, (1, 2, 3), (0.5, 0.5, 0.8), (2, 1, 0.3)])
    stiffness = np.zeros((24, 24))
    for s, (push, twist) in enumerate(((30.0, 0.0), (9.0, 7.0), (11.0, 0.0))):
        for k in range(3):
            e, row, turn = np.eye(3)[k], np.zeros(24), np.zeros(24)
            for side, sign in ((0, 1.0), (1, -1.0)):
                start = 6 * end_of(rig, s, side)["body"]
                row[start : start + 6] += sign * np.concatenate((e, np.cross(end_of(rig, s, side)["arm"], e)))
                turn[start + 3 : start + 6] += sign * e
            stiffness += push * np.outer(row, row) + twist * np.outer(turn, turn)
    inverse = np.zeros((24, 24))
    for b in range(1, 4):
        inverse[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = np.eye(3) * bodies["inverse_mass"][b]
        inverse[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = bodies["inverse_inertia"][b]
    exact = np.linalg.eigvals(inverse @ stiffness).real.max()
    directions = spring_directions(rig.springs, rig.tables)
    largest, _ = largest_eigenvalue(directions.stiffness, directions, bodies)
    assert largest == pytest.approx(exact, rel=1e-4)


def test_dampers_limit_the_step_too():
    rig = Rig(spring("TYPE4", [dof(stiffness=1.0, damping=100.0)], nodes=(0, 3)), arms=False)
    found = stable_step(spring_directions(rig.springs, rig.tables), bodies_of([0, 0.5, 1.0, 1.0]))
    assert found.damped
    assert found.value == pytest.approx(2 * 0.5 / 100.0, rel=1e-3)


def test_a_massless_machine_or_no_stiffness_has_no_limit():
    rig = Rig(spring("TYPE4", [dof()]))
    assert stable_step(spring_directions(rig.springs, rig.tables), bodies_of([0, 1.0, 1.0, 1.0])) is None


def test_functions_count_with_their_steepest_slope():
    rig = Rig(
        spring("TYPE4", [dof(stiffness=1.0, fct_1=1, fct_4=4, a=2.0, abscissa_scale=0.5, damping_scale=3.0, f=0.25)])
    )
    stiffness, damping = linearised(rig.springs, rig.tables)
    assert stiffness[0, 0] == pytest.approx(2.0 * 5.0 / 0.5)  # f1 rises by 5 from 0 to 1
    assert damping[0, 0] == pytest.approx(3.0 * (15 / 8) * (8 / 6) / 0.25)


def test_steepest_slopes_of_each_kind_of_function():
    tables, _ = tables_of(("TABLE", [0.0, 1.0, 3.0], [0.0, -4.0, 1.0]), ("SMOOTH", [0.0, 2.0], [0.0, 2.0]), "5*t + t^3")
    assert steepest(tables, -1) == (0.0, 1.0)
    assert steepest(tables, 0) == (4.0, 4.0)
    assert steepest(tables, 1) == pytest.approx((15 / 8, 2.0))
    assert steepest(tables, 2) == pytest.approx((5.0, 0.0))
    assert steepest(tables, 2, (-1.0, 2.0)) == pytest.approx((17.0, 18.0))


def test_properties_per_unit_length_count_with_the_length():
    places = [[0.0, 0, 0], [4.0, 0, 0], [9.0, 9, 9], [1.0, 1, 1]]
    rig = Rig(spring("TYPE4", [dof(stiffness=8.0, damping=2.0)], per_length=True), places=places, arms=False)
    stiffness, damping = linearised(rig.springs, rig.tables)
    assert (stiffness[0, 0], damping[0, 0]) == (2.0, 0.5)
    assert (rig.springs["curves"] == NO_FUNCTION).all()


# ---- against a dense one-step map ------------------------------------------------------------------------------


def net_of_springs(factors):
    """Three rigid bodies, springs that are as stiff in all directions at their ends; dense M, K and C.

    factors : damping over stiffness of each spring
    """
    nodes, stiffness = [(0, 1), (1, 2), (2, 3), (0, 3)], [5.0, 9.0, 2.0, 30.0]
    springs = [
        spring(
            "TYPE8", [dof(stiffness=k, damping=c * k)] * 3 + [dof(stiffness=0.2 * k, damping=0.2 * c * k)] * 3, nodes=n
        )
        for n, k, c in zip(nodes, stiffness, factors, strict=True)
    ]
    rig = Rig(*springs)
    bodies = bodies_of([0, 2.0, 3.0, 1.0], [None, (1, 2, 3), (0.5, 0.5, 0.8), (2, 1, 3)])
    dense = np.zeros((2, 24, 24))
    for s in range(len(nodes)):
        k, c = stiffness[rig.springs["number"][s]], factors[rig.springs["number"][s]]
        for e in np.eye(3):
            for size, turns in ((k, False), (0.2 * k, True)):
                row = np.zeros((4, 6))
                for side, sign in ((0, 1.0), (1, -1.0)):
                    end = end_of(rig, s, side)
                    wrench = [*np.zeros(3), *e] if turns else [*e, *np.cross(end["arm"], e)]
                    row[end["body"]] += sign * np.array(wrench)
                dense += np.outer(row.ravel(), row.ravel()) * np.array([size, c * size])[:, None, None]
    mass = np.zeros((18, 18))
    for b in range(3):
        mass[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = np.eye(3) * bodies["mass"][b + 1]
        mass[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = np.linalg.inv(bodies["inverse_inertia"][b + 1])
    return rig, bodies, mass, *(matrix[6:, 6:] for matrix in dense)


@pytest.mark.parametrize("factor", [0.0, 0.01, 0.1, 1.0])
def test_stable_step_of_a_net_with_proportional_damping_is_that_of_the_dense_map(factor):
    rig, bodies, mass, stiffness, damping = net_of_springs([factor] * 4)
    found = stable_step(spring_directions(rig.springs, rig.tables), bodies)
    assert found.value == pytest.approx(twin.largest_step(mass, stiffness, damping, DAMPING_PASSES), rel=1e-4)


@pytest.mark.parametrize("factors", [(0.0, 0.0, 0.3, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.01, 0.5, 0.02)])
def test_stable_step_is_never_longer_than_that_of_the_dense_map(factors):
    """With damping in some springs only, what is found joins the stiffest mode with the most damped one."""
    rig, bodies, mass, stiffness, damping = net_of_springs(factors)
    found = stable_step(spring_directions(rig.springs, rig.tables), bodies).value
    exact = twin.largest_step(mass, stiffness, damping, DAMPING_PASSES)
    assert 0.3 * exact < found <= (1 + 1e-4) * exact


@pytest.mark.parametrize(("stiffness", "damping"), [(0.0, 3.0), (1e-8, 0.0), (1e10, 1.0), (2.0, 1.5), (1.0, 1e5)])
def test_step_of_a_single_mode_is_that_of_its_two_by_two_map(stiffness, damping):
    exact = twin.largest_step(np.eye(1), np.array([[stiffness]]), np.array([[damping]]), DAMPING_PASSES)
    assert largest_step(stiffness, damping) == pytest.approx(exact, rel=1e-3)
