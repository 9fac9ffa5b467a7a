"""Forces that act on bodies of a train: springs, loads beside an axis or along axes that move.  Called by address.

The bodies that are touched by such forces are put where the spins say in each step, and the kernels of the general
path add up the forces on them.  What these do to the train is C^T of their moments about the axes, and on a free
carrier their sum.
"""

from __future__ import annotations

from ..constraints.spins import ON_GROUND, push_spins
from ..core.bodies import Record
from ..core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, add_force, add_moment, clear, forces_on
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import to_body, to_global
from ..core.vectors import cross, dot, plus, vector_of
from ..forces.loads import add_loads
from .rotor_samples import arm_at_n, place_body, set_mean_motion, swing_of_arm, velocity_of_centre
from .rows import has
from .status import COMPLETED
from .system import LOADS, ON_SUBSYSTEM, SPRINGS, System


@kernel
def start_on_bodies(system: System, s: int) -> int:
    """Forces on bodies at t_n, and on spins and carrier by them; dampers see the rates at hand."""
    subsystem, step, trains, status = system.subsystems[s], system.steps[s], system.trains, COMPLETED
    train, bodies = trains.trains[s], system.bodies
    for k in range(train.first_touched, train.last_touched):
        i = trains.touched[k]
        place_body(system, train, i)
        set_mean_motion(system, train, i, vector_of(train.velocity))
        for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
            clear(forces_on(bodies[i], kind))
    if has(subsystem, SPRINGS):
        status = call(system.kernels.start_springs, ON_SUBSYSTEM, system, s)
    if has(subsystem, LOADS):
        add_loads(system.loads, subsystem.first_load, subsystem.last_load, bodies, system.tables, system.skews,
                  system.axes, step.t, step.dt, step.previous_dt)  # fmt: skip
    for j in range(subsystem.first_spin, subsystem.last_spin):
        trains.spins[j].external = 0.0
    clear(train.elastic)
    clear(train.external)
    clear(train.dissipative)
    for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
        collect(system, train, kind)
    return status  # type: ignore[no-any-return]


@kernel
def refine_on_bodies(system: System, s: int) -> int:
    """Dampers at new rates of t_n, which are set."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, velocity = trains.trains[s], velocity_of_centre(trains.trains[s], step)
    for k in range(train.first_touched, train.last_touched):
        i = trains.touched[k]
        set_mean_motion(system, train, i, velocity)
        clear(forces_on(system.bodies[i], DISSIPATIVE))
    for c in range(6):
        train.last_dissipative[c] = train.dissipative[c]
    clear(train.dissipative)
    status = COMPLETED
    if has(subsystem, SPRINGS):
        status = call(system.kernels.refine_springs, ON_SUBSYSTEM, system, s)
    collect(system, train, DISSIPATIVE)
    return status  # type: ignore[no-any-return]


@kernel
def collect(system: System, train: Record, kind: int) -> None:
    """Add what forces of a kind on the touched bodies do to the spins, and to a free carrier."""
    trains, spins, coefficients = system.trains, system.trains.spins, system.trains.coefficients
    for k in range(train.first_touched, train.last_touched):
        i = trains.touched[k]
        rotor, q = trains.rotors[i], forces_on(system.bodies[i], kind)
        moment = to_body(train.rotation, q[3], q[4], q[5])
        push_spins(spins, coefficients, rotor.start, rotor.end, dot(moment, vector_of(rotor.axis)), kind)
        along = dot((q[0], q[1], q[2]), vector_of(rotor.axis))  # slides are on carriers that are held
        push_spins(spins, coefficients, rotor.slide_start, rotor.slide_end, along, kind)
        if rotor.arm_of != ON_GROUND:
            base = trains.rotors[rotor.arm_of]
            about_base = cross(arm_at_n(trains, rotor), to_body(train.rotation, q[0], q[1], q[2]))
            push_spins(spins, coefficients, base.start, base.end, dot(about_base, vector_of(base.axis)), kind)
        if train.carrier != ON_GROUND:
            place = plus(vector_of(rotor.centre), swing_of_arm(trains, rotor))
            total = forces_on(train, kind)
            add_force(total, to_global(train.rotation, place[0], place[1], place[2]), (q[0], q[1], q[2]))
            add_moment(total, (q[3], q[4], q[5]))
