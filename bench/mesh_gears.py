"""Spur pairs by meshes beside exact involutes with the same law: ripple, force, drop-outs, distance, time.

    python bench/mesh_gears.py                the pair of about 25 000 triangles, two minutes
    python bench/mesh_gears.py 80             another one of `mesh_contacts`

The pinion turns steadily, a torque holds the wheel back.  Exact: each pair of teeth pushes with K z + c z' along the
line of action while both flanks are on it, and with the tip of one against the flank of the other beyond; this alone
makes the wheel swing, as the number of pairs changes between one and two.  Ends lie in one plane unless said.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gsolve.parser import read_deck
from gsolve.solver.core.bodies import Floats
from gsolve.solver.run.simulation import Simulation
from mesh_contacts import DECK, write_gears

RADII, TIPS, DISTANCE, ANGLE = (0.02, 0.04), (0.022, 0.042), 0.06, math.radians(20.0)
INERTIA = 3.135e-4
LINE = 1.0123  # stiffness of a line of contact 10 mm long over that of a point, square of the factor of its depth
EXACT_STEP = 1e-6
TIMED_STEPS = 10_000
NEAR = 2e-3  # how far beyond the line of action a tip is looked at


class Case(NamedTuple):
    """speed of the pinion, torque, stiffness, damping, step, duration"""

    name: str
    speed: float
    torque: float
    stiffness: float
    damping: float
    step: float
    duration: float


CASES = (
    Case("light load, 1e-4 rad a step", 10.0, 1.0, 5e7, 6662.0, 1e-5, 0.1),
    Case("light load, 1e-3 rad a step", 10.0, 1.0, 2e6, 1332.0, 1e-4, 0.2),
    Case("20 N m, 1e-4 rad a step", 100.0, 20.0, 1.4e8, 1000.0, 1e-6, 0.02),
)


class Found(NamedTuple):
    ripple: float
    ratio: float
    force: float
    axial: float
    least: float


def simulation(folder: Path, case: Case, every: float, distance: float = DISTANCE, shift: float = 0.0) -> Simulation:
    deck = DECK.format(stiffness=case.stiffness, speed=case.speed, half=-case.speed / 2, torque=case.torque,
                       t_end=case.duration, every=every, dt=case.step, master=0)  # fmt: skip
    deck = deck.replace("1.0, 1000, 1e-6", f"1.0, {case.damping}, 1e-9")
    deck = deck.replace("2, 0.06, 0, 3e-4", f"2, {distance}, 0, {shift}")
    (folder / "machine.rad").write_text(deck)
    return Simulation(read_deck(folder / "machine.rad"), dt=case.step)


def microseconds(folder: Path, case: Case) -> float:
    """Processor time of a step, the least of three runs of at least 10 000 steps without samples, ends 0.3 mm apart."""
    least, case = math.inf, case._replace(duration=max(case.duration, TIMED_STEPS * case.step))
    for _ in range(3):
        run = simulation(folder, case, case.duration, shift=3e-4)
        run.compile()
        start = time.process_time()
        while not run.finished:
            run.advance(20000)
        least = min(least, (time.process_time() - start) * case.step / case.duration)
    return 1e6 * least


def figures(folder: Path, case: Case, distance: float = DISTANCE, shift: float = 0.0, every: float = 0.0) -> Found:
    """Of the last three fifths of a run; mean ratio and force over whole pitches, less 1."""
    run, blocks = simulation(folder, case, every or case.step, distance, shift), []
    while not run.finished:
        blocks.append(run.advance(20000))
    blocks = [block for block in blocks if len(block)]

    def of(group: str, name: str, column: int) -> Floats:
        return np.concatenate([block.values[group][name][:, column] for block in blocks])

    speed = of("th/node", "VRZ", 1) / (-case.speed / 2)
    across, axial = np.hypot(of("th/inter", "FNX", 0), of("th/inter", "FNY", 0)), of("th/inter", "FNZ", 0)
    first = int(0.4 * len(speed))
    pitch = 2 * math.pi / 20 / case.speed / (every or case.step)
    whole = len(speed) - int((len(speed) - first) // pitch * pitch)
    base = RADII[1] * math.cos(ANGLE)
    force = across[whole:].mean() * base / case.torque - 1.0
    return Found(float(speed[first:].std()), float(speed[whole:].mean() - 1.0), float(force),
                 float(np.abs(axial[first:]).max() / across.mean()), float(across[first:].min()))  # fmt: skip


def tip_depth(tip: float, string: float, bases: tuple[float, float], opposite: float) -> tuple[float, float]:
    """Depth of a tip below the flank of the other gear, and the cosine by which that turns the force.

    tip : length of the string at the tip.  string : where the flank with this tip meets the line of action
    bases : radii of the base circles, of this gear first.  opposite : string of the other flank there
    """
    turn = (string - tip) / bases[0]
    x = bases[0] * math.cos(turn) - tip * math.sin(turn)
    y = bases[0] * math.sin(turn) + tip * math.cos(turn)
    x, y = sum(bases) - x, DISTANCE * math.sin(ANGLE) - y
    radius = math.hypot(x, y)
    own = math.sqrt(max(radius * radius - bases[1] * bases[1], 0.0))
    turned = math.atan2(y, x) - math.atan(own / bases[1])
    return opposite - bases[1] * turned - own, math.cos(turned)


def exact_ripple(case: Case) -> tuple[float, float]:
    """Ripple, and mean force over that along the line of action less 1."""
    one, other = (radius * math.cos(ANGLE) for radius in RADII)
    ends = [math.sqrt(tip**2 - base**2) for tip, base in zip(TIPS, (one, other), strict=True)]
    whole, pitch = DISTANCE * math.sin(ANGLE), 2 * math.pi * one / 20
    stiffness, damping = LINE * case.stiffness, math.sqrt(LINE) * case.damping
    mass, load, driven = INERTIA / other**2, case.torque / other, case.speed * one
    steps = round(case.duration / EXACT_STEP)
    speeds, forces = np.zeros(steps), np.zeros(steps)
    x, u = -load / stiffness, driven
    for k in range(steps):
        way = driven * k * EXACT_STEP
        lag, force, push = way - x, 0.0, 0.0
        for tooth in range(-1, 3):
            s = (way + 5e-3) % pitch + (tooth - 1) * pitch
            strings = s, whole - s + lag
            if strings[0] <= ends[0] and strings[1] <= ends[1]:
                depth, turned = lag, 1.0
            elif strings[0] > ends[0] and strings[0] < ends[0] + NEAR:
                depth, _ = tip_depth(ends[0], strings[0], (one, other), strings[1])
                turned = 1.0
            elif strings[1] > ends[1] and strings[1] < ends[1] + NEAR:
                depth, turned = tip_depth(ends[1], strings[1], (other, one), strings[0])
            else:
                continue
            if depth > 0.0:
                part = max(0.0, stiffness * depth + damping * (driven - u))
                force, push = force + part, push + part * turned
        u += EXACT_STEP * (push - load) / mass
        x += EXACT_STEP * u
        speeds[k], forces[k] = u / driven, force
    late = int(0.4 * steps)
    return float(speeds[late:].std()), float(forces[late:].mean() / load - 1.0)


def main() -> None:
    for size in map(int, sys.argv[1:] or ["20"]):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            print(f"{write_gears(folder, size)} triangles")
            for case in CASES:
                found, exact = figures(folder, case), exact_ripple(case)
                print(f"    {case.name}: ripple {found.ripple:.1e} (exact {exact[0]:.1e}), force off by "
                      f"{found.force:.1e} ({exact[1]:.1e}), along the axis {found.axial:.0e}; "
                      f"{microseconds(folder, case):.1f} us", flush=True)  # fmt: skip
            found = figures(folder, CASES[0], shift=3e-4)
            print(f"    ends 0.3 mm apart: ripple {found.ripple:.1e}, along the axis {found.axial:.0e}")
            found = figures(folder, CASES[0], distance=DISTANCE + 4e-4)
            print(f"    0.4 mm too far apart: ratio off by {found.ratio:.0e}, ripple {found.ripple:.1e}", flush=True)
            turns = Case("", 100.0, 20.0, 2e7, 1000.0, 1e-5, 50 * 2 * math.pi / 100.0)
            found = figures(folder, turns, every=1e-4)
            print(f"    50 turns: least force {found.least:.0f} N, ratio off by {found.ratio:.0e}")


if __name__ == "__main__":
    main()
