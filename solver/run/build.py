"""The simulation of a model, ready to run: settled before, where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.resumable import State
from .observer import Observer
from .options import RunOptions, require_compilation

if TYPE_CHECKING:
    from gsolve.parser.model import Model

    from .simulation import Simulation

COMPILING = (
    "Compiling what this deck needs of the solver (once on this machine, up to 20 s, with meshes a minute or two) ..."
)


def build_simulation(
    model: Model, options: RunOptions, observer: Observer, *, runs: bool = True, state: State | None = None,
    has_checkpoints: bool = False,
) -> Simulation:  # fmt: skip
    """The simulation of a model, ready to run if it `runs`; numba is imported here and not before.

    state : where it stands; without one at t = 0

    Raises
    ------
    DeckError
        the model cannot be assembled
    UsageError
        nothing can be compiled
    """
    require_compilation()
    from ..core.jit.announcement import before_compiling
    from ..core.jit.machine_code import taken_messages
    from ..core.jit.references import kept_references
    from .settle import settle
    from .simulation import Simulation

    before_compiling(observer.before_compiling(COMPILING) if runs else None)
    if options.settle:
        observer.say("Settling the machine ...")
    try:
        settled = settle(model, options, observer) if options.settle else None
    finally:
        observer.clear()
    simulation = Simulation(
        model,
        gjoint_alpha=options.gjoint_alpha,
        t_end=options.t_end,
        dt=options.dt,
        threads=options.threads,
        close_gaps=options.assemble,
        allow_user_code=options.allow_user_code,
        general=options.general,
        accuracy=options.accuracy,
        order=options.order,
        stop_when=options.stop_when,
        settled=settled,
        frames=options.frames,
    )
    with kept_references():  # of the start and of the loop: they have most arrays in common
        simulation.start()
        if has_checkpoints:
            simulation.note_start()
        if state is not None:
            simulation.restore(state)
        if runs:
            simulation.compile()
    for message in taken_messages():
        observer.remarks.append(message)
        observer.say(f"gsolve: {message}")
    return simulation
