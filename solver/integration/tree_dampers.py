"""Kernels that put dampers of springs and joints into the matrix of a tree, called by address."""

from __future__ import annotations

from ..constraints.tree_dampers import add_products, set_shares
from ..core.bodies import Record, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import row, vector_of
from ..forces.joint_forces import joint_damping, rate_of
from ..forces.springs import ON, spring_damping
from .status import COMPLETED
from .system import System, Trees


@kernel
def damp_tree_by_springs(system: System, s: int) -> int:
    """Dampers of springs, at the estimate of v_n at hand."""
    step, trees = system.steps[s], system.trees
    tree = trees.trees[s]
    for d in range(tree.first_damper, tree.first_joint_damper):
        damper = trees.dampers[d]
        spring, i = system.springs[damper.force], damper.direction
        if spring.status != ON:
            continue
        damping = impulse_by_step(step) * spring_damping(spring, i, system.tables)
        arms = vector_of(spring.arm_1), vector_of(spring.arm_2)
        add_damper(trees, damper, arms, row(spring.axes, i % 3), i >= 3, damping)
    return COMPLETED


@kernel
def damp_tree_by_joints(system: System, s: int) -> int:
    """Dampers and friction of joints, at the estimate of v_n at hand."""
    step, trees = system.steps[s], system.trees
    tree = trees.trees[s]
    for d in range(tree.first_joint_damper, tree.last_damper):
        damper = trees.dampers[d]
        force = system.joint_forces[damper.force]
        joint = system.joints[force.joint]
        rate = rate_of(force, system.bodies[joint.carrier.body], system.bodies[joint.node.body])
        damping = impulse_by_step(step) * joint_damping(force, rate)
        arms = vector_of(force.at_carrier), vector_of(force.at_node)
        add_damper(trees, damper, arms, vector_of(force.direction), force.rotational == 1, damping)
    return COMPLETED


@kernel(inline=True)
def add_damper(
    trees: Trees, damper: Record, arms: tuple[Vector, Vector], direction: Vector, turns: bool, damping: float
) -> None:
    """All products of a damper to the matrix; arms : of its first end and of its second."""
    for m in range(damper.first_moved, damper.last_moved):
        moved = trees.moved[m]
        set_shares(moved, trees.freedoms, trees.limbs, arms[1] if moved.sign > 0.0 else arms[0], direction, turns)
    add_products(damper, trees.moved, trees.places, trees.values, damping)


@kernel(inline=True)
def impulse_by_step(step: Record) -> float:
    """kick weight / h."""
    return step.kick * step.weight / step.dt  # type: ignore[no-any-return]
