"""Forces of springs and along joints, added up on bodies by the same kernels whatever way a subsystem moves."""

from __future__ import annotations

from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .rows import has
from .status import COMPLETED
from .system import JOINT_FORCES, ON_SUBSYSTEM, SPRINGS, System


@kernel(inline=True)
def start_internal_forces(system: System, s: int) -> int:
    """Those of t_n; what depends on the rate sees the estimate of v_n at hand."""
    subsystem, status = system.subsystems[s], COMPLETED
    if has(subsystem, SPRINGS):
        status = call(system.kernels.start_springs, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, JOINT_FORCES):
        status = call(system.kernels.start_joint_forces, ON_SUBSYSTEM, system, s)
    return status


@kernel(inline=True)
def refine_internal_forces(system: System, s: int) -> int:
    """What depends on the rate, at a new estimate of v_n."""
    subsystem, status = system.subsystems[s], COMPLETED
    if has(subsystem, SPRINGS):
        status = call(system.kernels.refine_springs, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, JOINT_FORCES):
        status = call(system.kernels.refine_joint_forces, ON_SUBSYSTEM, system, s)
    return status
