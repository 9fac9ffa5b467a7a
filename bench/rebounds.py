"""How far the speed of a ball is off after a bounce, whatever the phase of the step in which it touches.

    python bench/rebounds.py    a minute

Balls of 1 kg fly at a half space at 3 m/s without gravity, at 16 phases of the step to their touch; nothing is lost.
Columns: the law, how many steps a bounce takes, and the largest relative error of the speed of rebound without and with
zero_crossing.
"""

from __future__ import annotations

import math

from gsolve.solver.run.simulation import Simulation
from machines import Deck, read

SPEED, STIFFNESS, PHASES = 3.0, 1e8, 16
RADIUS = 0.1
HERTZ_TIME = 2.9432 * (1.25 * SPEED**2 / STIFFNESS) ** 0.4 / SPEED  # 2.9432 z_max/v of F = K z^1.5
# law, its card, time of a bounce
LAWS = (
    ("IMPACT, e = 1", "INTER/IMPACT", f"{STIFFNESS}, 1, 0, 1e-6", math.pi / math.sqrt(STIFFNESS)),
    ("POISSON, CR = 1", "INTER/POISSON", f"{STIFFNESS}, 1, 0.01", HERTZ_TIME),
)
COUNTS = (20.0, 25.1)


def worst_error(keyword: str, law: str, dt: float, bounce: float, cut: bool) -> float:
    """Of the speeds of rebound, relative."""
    deck, balls = Deck(), range(1, PHASES + 1)
    gaps = [dt * SPEED * (2 + (k - 0.5) / PHASES) for k in balls]
    deck.places = {k: (float(k), 0.0, RADIUS + gap) for k, gap in zip(balls, gaps, strict=True)}
    deck.masses(balls, 1.0)
    floor = deck.block("SURF/PLANE_SOLID", "0", "0, 0, 0", "0, 0, 1")
    for k in balls:
        ball = deck.block("SURF/SPHERE_SOLID", f"{k}", "0, 0, 0", repr(RADIUS))
        deck.block(keyword, f"{ball}, {floor}, 0, 0, 0, 0, 0, {int(cut)}", ",", law)
    deck.velocities({k: ((0.0, 0.0, -SPEED), (0.0, 0.0, 0.0)) for k in balls})
    deck.block("TH/NODE", "VZ", *(f"{k:>10}" for k in balls))
    model = read(deck.text())
    model.engine.sampling_interval = t_end = 2 * bounce + 6 * dt
    simulation = Simulation(model, dt=dt, t_end=t_end)
    while not simulation.finished:
        speeds = simulation.advance(simulation.n_steps_estimate + 1).values["th/node"]["VZ"]
    return float(abs(speeds[-1] / SPEED - 1.0).max())


def main() -> None:
    """Print the table."""
    print(f"{'law':<18}{'steps':>8}{'zero_crossing 0':>18}{'1':>10}")
    for name, keyword, law, bounce in LAWS:
        for count in COUNTS:
            errors = [worst_error(keyword, law, bounce / count, bounce, cut) for cut in (False, True)]
            print(f"{name:<18}{count:>8}{errors[0]:>18.1e}{errors[1]:>10.1e}", flush=True)


if __name__ == "__main__":
    main()
