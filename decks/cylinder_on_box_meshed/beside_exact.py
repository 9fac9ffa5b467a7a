"""The normal force of the meshed roller beside that of the exact one, and the ratio of their times."""

import time
from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation

HERE = Path(__file__).parent
DECKS = {
    "exact": HERE.parent / "cylinder_on_box" / "cylinder_on_box.rad",
    "meshed": HERE / "cylinder_on_box_meshed.rad",
}
WEIGHT, RUNS, STEPS = 19.62, 5, 50_000


def force(deck: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Times, FNZ, and seconds of all steps but the first, for which the loop is made ready."""
    simulation, times, forces = Simulation(read_deck(deck)), [], []
    simulation.compile()
    spent = 0.0
    while not simulation.finished:
        start = time.process_time()
        block = simulation.advance(STEPS)
        spent += time.process_time() - start
        times.append(block.times)
        forces.append(block.values["th/inter"]["FNZ"][:, 0])
    return np.concatenate(times), np.concatenate(forces), spent


def main() -> None:
    found = {name: force(deck) for name, deck in DECKS.items()}
    print("time, s    " + "".join(f"{name:>16}" for name in found) + "    normal force less the weight, N")
    times = found["exact"][0]
    for k in np.searchsorted(times, np.linspace(0.0, 1.0, 21) - 1e-9):
        print(f"{times[k]:<11.2f}" + "".join(f"{forces[k] - WEIGHT:>16.2e}" for _, forces, _ in found.values()))
    least = {name: min(force(deck)[2] for _ in range(RUNS)) for name, deck in DECKS.items()}
    for name, (_, forces, _) in found.items():
        spread = np.ptp(forces) / WEIGHT
        print(
            f"{name}: mean {forces.mean():.8g} N, ripple {forces.std() / WEIGHT:.1e}, from lowest to highest ", end=""
        )
        print(f"{spread:.1e}, {1e6 * least[name] / STEPS:.2f} us a step")
    print(f"the meshed one takes {least['meshed'] / least['exact']:.1f} times as long")


if __name__ == "__main__":
    main()
