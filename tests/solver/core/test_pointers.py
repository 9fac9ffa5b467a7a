"""Kernels called through pointers and at their entry points."""

from gsolve.solver.core.bodies import BODY, GENERAL, new_bodies
from gsolve.solver.core.jit.pointers import KernelPointer, entry_point
from numba import njit, typeof, types


@njit
def total_mass(bodies, factor):
    total = 0.0
    for body in bodies:
        total += factor * body.mass
    return total


@njit
def doubled(kernel, bodies):
    return kernel(bodies, 2.0)


def three_bodies():
    bodies = new_bodies(3)
    bodies["mass"] = 1.0, 2.0, 4.0
    bodies["turning"] = GENERAL
    return bodies


def test_an_entry_point_does_what_the_kernel_does():
    bodies = three_bodies()
    call = entry_point(total_mass, bodies, 0.5)
    assert call(bodies, 0.5) == total_mass(bodies, 0.5) == 3.5
    assert call(bodies[1:], 1.0) == 6.0  # other arguments of the same types


def test_a_kernel_is_called_through_its_pointer_again_and_again():
    bodies = three_bodies()
    pointer = KernelPointer(total_mass, types.float64, typeof(bodies), types.float64)
    address = pointer.__wrapper_address__()
    assert [doubled(pointer, bodies) for _ in range(3)] == [14.0] * 3
    assert pointer.__wrapper_address__() == address
    assert bodies.dtype == BODY
