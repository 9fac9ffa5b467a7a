"""A simulation without mechanics: tests of everything around a run choose how it behaves.

As a program it is `gsolve` with this simulation, whose decks are files of JSON: keyword arguments of `FakeSimulation`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
from gsolve.parser.model import Engine, Model, Nodes, Units
from gsolve.parser.text.diagnostics import DeckError, Diagnostic
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.core.jit.announcement import compiling
from gsolve.solver.results.history_layout import NO_PICTURE

ENERGY = ("kinetic_translational", "kinetic_rotational", "spring", "external_work", "total", "error")


class SimulationError(Exception):
    """As the real one."""

    def __init__(self, message: str, step: int, time: float, partial: SampleBlock | None) -> None:
        super().__init__(message)
        self.message, self.step, self.time, self.partial = message, step, time, partial


class FakeSimulation:
    """Steps of 1 ms, a sample each `steps_per_sample` steps; channel values are functions of time.

    steps : of the whole run
    seconds_per_step : wall time that a step takes
    fail_at : step at which the run fails; crash_at : step at which it meets a fault of its own
    error_rate : energy error a unit of time (the kinetic energy is 1)
    compilation : seconds that compiling takes
    message_every : steps between messages
    doubt : a warning about the results
    nodes : objects of th/node
    """

    def __init__(
        self,
        *,
        steps: int = 100,
        steps_per_sample: int = 10,
        seconds_per_step: float = 0.0,
        fail_at: int | None = None,
        crash_at: int | None = None,
        error_rate: float = 0.0,
        compilation: float = 0.0,
        message_every: int | None = None,
        nodes: int = 2,
        doubt: str = "",
        **unused: object,
    ) -> None:
        self.n_steps_estimate, self.steps_per_sample = steps, steps_per_sample
        self.seconds_per_step, self.fail_at, self.crash_at = seconds_per_step, fail_at, crash_at
        self.error_rate, self.compilation, self.message_every = error_rate, compilation, message_every
        self.dt = self.dt_min_used = self.dt_max_used = 1e-3
        self.dt_reason = "a fake"
        self.reason_of_end = ""
        self.t_end = steps * self.dt
        self.sampling_interval = steps_per_sample * self.dt
        self.degrees_of_freedom, self.divided_steps = 1, 0
        self.may_end_early = False
        self.controlled_steps, self.settled_figures = None, {}
        self.facts, self.meshes = [("freedom", "1 degree of freedom")], []
        self.warnings: list[Diagnostic] = [Diagnostic("warning", "a warning", file="fake.rad", line=2)] if doubt else []
        self.new_deck_lines: list[str] = []
        self.redundant_rows: list[str] = []
        self.messages: list[str] = []
        self.new_warnings = [Diagnostic("doubt", doubt, file="fake.rad", line=7)] if doubt else []
        self.step, self.time, self.finished, self.reason_of_end, self.nbytes = 0, 0.0, False, "", 16
        self.picture = NO_PICTURE
        self._next_sample = 0
        joints = ("VEL1", "VEL2", "T1")
        self.families = (
            Family("energy", tuple(Channel(name, "kg m2/s2", f"energy {name}") for name in ENERGY)),
            Family("diag", tuple(Channel(n, "1", n) for n in ("step", "dt", "constraint_violation", "iterations"))),
            Family(
                "th/node",
                (Channel("DX", "m", "displacement x"), Channel("VX", "m/s", "velocity x")),
                np.arange(1, nodes + 1) * 10,
                tuple(f"node {k}" for k in range(nodes)),
            ),
            Family("th/gjoint", tuple(Channel(n, "rad/s", n) for n in joints), np.array([7]), ("grün",)),
            Family("th/spring", (Channel("F", "kg m/s2", "force"),), np.array([], dtype=np.int64), ()),
        )

    def start(self) -> None:
        self.compile()

    def compile(self) -> None:
        if self.compilation:
            compiling()
        time.sleep(self.compilation)
        self.compilation = 0.0

    def note_start(self) -> None:
        """Nothing to know again."""

    def state(self) -> dict[str, object]:
        return {"step": self.step, "next_sample": self._next_sample}

    def conclude(self) -> None:
        """Nothing to say of the whole run."""

    def advance(self, max_steps: int) -> SampleBlock:
        last = min(self.step + max_steps, self.n_steps_estimate)
        time.sleep(self.seconds_per_step * (last - self.step))
        for limit in (self.fail_at, self.crash_at):
            if limit is not None and limit <= last:
                last = limit
        samples = np.arange(self._next_sample, last // self.steps_per_sample + 1)
        self._next_sample += len(samples)
        if self.message_every:
            news = range(self.step // self.message_every + 1, last // self.message_every + 1)
            self.messages += [f"step {k * self.message_every}: halved" for k in news]
        self.step, self.time = last, last * self.dt
        self.finished = last == self.n_steps_estimate
        block = self._block(samples)
        if self.fail_at == last:
            raise SimulationError(f"node 10 is not a number at step {last}", last, self.time, block)
        if self.crash_at == last:
            raise ZeroDivisionError("float division by zero")
        return block

    def finish(self) -> None:
        """Nobody waits for results here."""

    def summary(self) -> dict[str, float | str]:
        return {"mean_iterations": 2.5}

    def _block(self, samples: np.ndarray) -> SampleBlock:
        t = samples * self.sampling_interval
        zero = np.zeros_like(t)
        values = {
            "energy": {
                "kinetic_translational": zero + 1.0,
                "kinetic_rotational": zero,
                "spring": zero,
                "external_work": zero,
                "total": zero + 1.0 + self.error_rate * t,
                "error": self.error_rate * t,
            },
            "diag": {
                "step": samples * float(self.steps_per_sample),
                "dt": zero + self.dt,
                "constraint_violation": np.where(t == 0.0, 0.0, 3e-14),
                "iterations": zero + 2,
            },
            "th/node": {"DX": t[:, None] * self.families[2].ids, "VX": np.ones((len(t), len(self.families[2].ids)))},
            "th/gjoint": {"VEL1": t[:, None], "VEL2": -2 * t[:, None], "T1": np.full((len(t), 1), np.nan)},
            "th/spring": {"F": np.zeros((len(t), 0))},
        }
        return SampleBlock(t, values)


def fake_model(text: str = "{}", **engine: object) -> Model:
    """A model whose deck text is the arguments of its simulation."""
    units = Units("kg", "m", "s", 1.0, 1.0, 1.0)
    nodes = Nodes(np.array([10, 20]), np.zeros((2, 3)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    model = Model("fake", "A fake machine", units, nodes, Engine(**engine), text, digest, ["fake.rad"])
    model.parameters.update(json.loads(text).get("parameters", {}))
    return model


def simulation_of(model: Model, **options: object) -> FakeSimulation:
    """What `Simulation(model, ...)` is here."""
    arguments = json.loads(model.deck_text)
    if "error" in arguments:
        raise DeckError([Diagnostic("error", arguments["error"], file="fake.rad", line=3)])
    return FakeSimulation(**arguments)


def read_fake_deck(path: Path, **options: object) -> Model:
    """What `read_deck` is here."""
    text = Path(path).read_text()
    model = fake_model(text, stop_energy_error=json.loads(text).get("stop"))
    model.files = [str(path)]
    return model


def fake_module() -> ModuleType:
    """Stands in for gsolve.solver.run.simulation."""
    module = ModuleType("gsolve.solver.run.simulation")
    module.Simulation = simulation_of  # type: ignore[attr-defined]
    module.SimulationError = SimulationError  # type: ignore[attr-defined]
    return module


if __name__ == "__main__":
    import gsolve.parser

    gsolve.parser.read_deck = read_fake_deck
    sys.modules["gsolve.solver.run.simulation"] = fake_module()
    from gsolve.solver.cli import main

    main()
