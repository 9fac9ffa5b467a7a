"""The scenes of `mesh_compare.py` in gsolve: meshes as they are."""

from __future__ import annotations

import tempfile
import time
from importlib import metadata
from pathlib import Path

import mesh_scenes as scenes
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation
from mesh_contacts import simulation, write_gears, write_mesh

ROLLER = Path(__file__).parents[1] / "decks" / "cylinder_on_box_meshed" / "cylinder_on_box_meshed.rad"


def version() -> str:
    return metadata.version("gsolve")


def _timed(run: Simulation, steps: int) -> float:
    """Microseconds a step."""
    run.compile()
    done, start = run.step, time.process_time()
    while not run.finished:
        run.advance(steps + 1)
    return 1e6 * (time.process_time() - start) / (run.step - done)


def _history(run: Simulation, group: str, name: str, column: int) -> list[float]:
    values = []
    while not run.finished:
        values += run.advance(5000).values[group][name][:, column].tolist()
    return values


def gears(size: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple of the wheel's speed, seconds to read, check and prepare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_gears(folder, size)
        start = time.process_time()
        run = simulation(folder, dt, steps, steps * dt)
        build = time.process_time() - start
        spent = _timed(run, steps)
        speeds = _history(simulation(folder, dt, steps, dt), "th/node", "VRZ", 1)
    return {"us": spent, "ratio": scenes.ratio(speeds), "ripple": scenes.ripple(speeds), "build": build}


def roller(facets: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple of the normal force, seconds to read, check and prepare."""
    rolls = f"/INIVEL/TRA/2\nrolls\n{scenes.ROLLER_SPEED * scenes.ROLLER_RADIUS}, 0, 0, 1\n/INIVEL/ROT/1"
    text = ROLLER.read_text().replace("0, 20, 0, 1", f"0, {scenes.ROLLER_SPEED}, 0, 1")
    text = text.replace("/INIVEL/ROT/1", rolls).replace("0.04998410779", repr(scenes.ROLLER_START))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_mesh(folder / "roller.off", scenes.roller(facets))
        (folder / "roller.rad").write_text(text)

        def made(every: float) -> Simulation:
            model = read_deck(folder / "roller.rad")
            model.engine.sampling_interval = every
            return Simulation(model, dt=dt, t_end=steps * dt)

        start = time.process_time()
        run = made(steps * dt)
        build = time.process_time() - start
        spent = _timed(run, steps)
        force = _history(made(dt), "th/inter", "FNZ", 0)
    return {"us": spent, "ripple": scenes.ripple(force), "jump": scenes.jump(force), "build": build}
