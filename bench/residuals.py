"""A million steps of every example deck with joints, drives or couplers: are all rows still met?

    python bench/residuals.py            1e6 steps of the deck's own time step each, about two minutes
    python bench/residuals.py 100000     fewer steps

Prints the largest residual of a row at any sample (every 500 steps), relative to the size of the machine.  Exit
status 1 if one exceeds 1e-10 or a run fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation, SimulationError

LIMIT = 1e-10
DECKS = Path(__file__).resolve().parents[1] / "decks"


def largest_residual(deck: Path, steps: int) -> float | None:
    """Largest residual over so many steps; None for a deck without joints, drives and couplers."""
    model = read_deck(deck)
    dt = model.engine.dt_initial
    if dt is None or not (model.joints or model.drives or model.couplers):
        return None
    model.history_requests = []
    model.engine.sampling_interval = 500 * dt
    simulation = Simulation(model, t_end=steps * dt, dt=dt)
    worst = 0.0
    while not simulation.finished:
        block = simulation.advance(50_000)
        if len(block):
            worst = max(worst, float(block.values["diag"]["constraint_violation"].max()))
    return worst


def main() -> int:
    """Run all decks and print one line each."""
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    failed = False
    for folder in sorted(DECKS.iterdir()):
        deck = folder / f"{folder.name}.rad"
        if not deck.exists():
            continue
        try:
            worst = largest_residual(deck, steps)
        except SimulationError as error:
            print(f"{folder.name:<24} failed: {error.message}", flush=True)
            failed = True
            continue
        if worst is not None:
            print(f"{folder.name:<24} {worst:.1e}", flush=True)
            failed |= worst > LIMIT
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
