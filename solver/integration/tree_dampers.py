"""Kernels that put dampers of springs and joints into the matrix of a tree, called by address."""

from __future__ import annotations

from ..constraints.tree_dampers import add_products, set_shares
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.vectors import row, vector_of
from ..forces.joint_forces import joint_damping, rate_of
from ..forces.springs import ON, spring_damping
from .status import COMPLETED
from .system import System


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
        damping = spring_damping(spring, i, system.tables)
        direction = row(spring.axes, i % 3)
        for m in range(damper.first_moved, damper.last_moved):
            moved = trees.moved[m]
            arm = vector_of(spring.arm_2) if moved.sign > 0.0 else vector_of(spring.arm_1)
            set_shares(moved, trees.freedoms, trees.limbs, arm, direction, i >= 3)
        add_products(damper, trees.moved, trees.places, trees.values, damping * impulse_by_step(step))
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
        damping = joint_damping(force, rate)
        direction = vector_of(force.direction)
        for m in range(damper.first_moved, damper.last_moved):
            moved = trees.moved[m]
            arm = vector_of(force.at_node) if moved.sign > 0.0 else vector_of(force.at_carrier)
            set_shares(moved, trees.freedoms, trees.limbs, arm, direction, force.rotational == 1)
        add_products(damper, trees.moved, trees.places, trees.values, damping * impulse_by_step(step))
    return COMPLETED


@kernel(inline=True)
def impulse_by_step(step: Record) -> float:
    """kick weight / h."""
    return step.kick * step.weight / step.dt  # type: ignore[no-any-return]
