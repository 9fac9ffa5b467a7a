"""Decks through the program to result files, with nothing faked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from forked import Programs, programs
from gsolve.solver.run.options import UsageError, require_compilation
from histories import datasets
from numba.core import config
from test_cli import wait_for_samples
from xarray_files import lengths_found_once

DECKS = Path(__file__).parents[3] / "decks"
GEAR_PAIR = str(DECKS / "gear_pair" / "gear_pair.rad")
PENDULUM = str(DECKS / "pendulum" / "pendulum.rad")
RACK = str(DECKS / "rack_and_pinion" / "rack_and_pinion.rad")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)


def gsolve(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = programs().run(*arguments)
    assert "Traceback" not in done.stderr + done.stdout
    return done


# The program, which also says what gsolve has imported of scipy: that would take as long as all the rest.  numba asks
# for it where it compiles.
PROBE = """
import builtins, sys
of_python, asked = builtins.__import__, []
def note(name, of=None, *more, **named):
    if name.split('.')[0] == 'scipy' and (of or {}).get('__name__', '').startswith('gsolve'):
        asked.append((of['__name__'], name))
    return of_python(name, of, *more, **named)
builtins.__import__ = note
from gsolve.solver.cli import main
try: main()
finally: print(asked + ['contact.' + name for name in ('plane_curves', 'mesh_contacts')
                        if 'gsolve.solver.contact.' + name in sys.modules])
"""


def test_gear_pair_runs_to_its_closed_form_and_imports_no_scipy_and_no_kernels_of_curves_and_meshes() -> None:
    """1 N m on I1 + alpha^2 I2 = 0.02 + 0.25 * 0.08 = 0.04 kg m2 for 1 s gives 25 rad/s."""
    done = subprocess.run([sys.executable, "-c", PROBE, GEAR_PAIR], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    with h5py.File("gear_pair.h5") as file:
        assert file.attrs["status"] == "completed"
        assert (file.attrs["n_steps"], file["time"][-1]) == (10_000, 1.0)
        np.testing.assert_allclose(file["th/gjoint/VEL1"][-1, 0], 25.0, rtol=1e-9)
        assert file["deck"].asstr()[()].startswith("#RADIOSS STARTER")
    assert "completed at t = 1 s, 10 000 steps" in Path("gear_pair.out").read_text()
    assert done.stdout.splitlines()[-2:] == ["results       gear_pair.h5, gear_pair.out", "[]"]


def test_a_run_with_a_tolerance_says_and_records_what_it_did() -> None:
    done = gsolve(PENDULUM, "--accuracy", "1e-6", "--t-end", "1", "--json")
    assert done.returncode == 0, done.stderr
    summary, machines = json.loads(done.stdout), "1 body: steps are controlled by their error, tolerance 1e-06"
    with h5py.File("pendulum.h5") as file:
        found = dict(file.attrs)
    assert (found["accuracy"], found["accurate_machines"]) == (1e-6, machines)
    assert found["accurate_steps"] == summary["accurate_steps"] >= 100
    assert 0 < found["accurate_step_longest"] <= 0.01 * (1 + 1e-9)
    assert found["dt_reason"] == "the sampling interval; all machines take steps of their own"
    listing = Path("pendulum.out").read_text()
    assert f"accuracy      {machines}\n" in listing
    assert re.search(
        r"^accuracy +1?\d+ steps controlled by their error, \d+ more rejected; .*the longest", listing, re.M
    )
    checked = gsolve("check", PENDULUM, "--accuracy", "1e-6")
    assert f"accuracy      {machines}\n" in checked.stdout


def test_a_run_of_order_4_says_and_records_what_it_did() -> None:
    done = gsolve(PENDULUM, "--order", "4", "--dt", "0.01", "--t-end", "1", "--json")
    assert done.returncode == 0, done.stderr
    summary, machines = json.loads(done.stdout), "1 body: order 4, steps of 5 stages on the general path"
    with h5py.File("pendulum.h5") as file:
        found = dict(file.attrs)
    assert (found["order"], found["order_machines"]) == (4, machines)
    assert found["order_steps"] == summary["order_steps"] == 101
    assert found["order_steps_divided"] == 0
    listing = Path("pendulum.out").read_text()
    assert f"order         {machines}\n" in listing
    assert "order         101 steps of order 4\n" in listing
    assert f"order         {machines}\n" in gsolve("check", PENDULUM, "--order", "4").stdout
    refused = gsolve(PENDULUM, "--order", "4", "--accuracy", "1e-6")
    assert refused.returncode == 2 and "order: 4 does not go with an accuracy" in refused.stderr


@pytest.fixture(scope="module")
def without_compilation() -> Iterator[Programs]:
    """Programs that begin with a numba that has looked at its settings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        began = Programs("import numba")
    yield began
    began.close()


@pytest.mark.parametrize("command", [(GEAR_PAIR,), ("check", GEAR_PAIR), ("warm-up",)])
def test_switched_off_compilation_is_one_clear_line(without_compilation: Programs, command: tuple[str, ...]) -> None:
    done = without_compilation.run(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gsolve: kernels have to be compiled, and numba's setting DISABLE_JIT (NUMBA_DISABLE_JIT in the environment) "
        "switches compilation off: unset it\n"
    )
    assert list(Path().iterdir()) == []


def test_machine_code_that_could_not_be_kept_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "OPT", 0)
    with pytest.raises(UsageError) as refused:
        require_compilation()
    assert str(refused.value) == (
        "kernels have to be compiled, and numba's setting OPT (NUMBA_OPT in the environment) is 0, with which they are "
        "not made so that they can be kept: unset it"
    )


def test_the_closing_lines_say_what_elastic_contacts_did_not_give_back() -> None:
    """At few steps a bounce they make or lose some energy, which is a part of the error of the balance."""
    deck = Path(__file__).parents[2] / "data" / "defects" / "elastic_boxbox.rad"
    done = gsolve(str(deck), "--dt", "3e-4")
    assert done.returncode == 0, done.stderr
    with h5py.File("elastic_boxbox.h5") as file:
        made = np.abs(file["energy/contact_error"][:]).max()
        np.testing.assert_allclose(np.abs(file["energy/error"][:]).max(), made, rtol=1e-9)
        part = made / file.attrs["energy_turned_over"]
    assert 1e-6 < part < 1e-2
    assert f"{part:.2g} of it made or lost by elastic contacts while solids touched" in done.stdout


def test_every_group_of_a_real_run_opens_in_xarray() -> None:
    gsolve(RACK, "-q", "--t-end", "0.1")
    with h5py.File("rack_and_pinion.h5") as file:
        groups = ["/energy", "/diag", *(f"/th/{name}" for name in file["th"])]
    assert {"/th/node", "/th/gjoint", "/th/spring"} <= set(groups)
    for group in groups:
        with lengths_found_once(), xarray.open_dataset("rack_and_pinion.h5", group=group, engine="h5netcdf") as dataset:
            assert float(dataset["time"][-1]) == 0.1
            assert all(
                variable.attrs["units"] and variable.attrs["long_name"] for variable in dataset.data_vars.values()
            )


def test_runs_and_threads_give_the_same_bytes() -> None:
    for name, threads in (("a", "1"), ("b", "1"), ("c", "2")):
        done = gsolve(RACK, "-q", "--t-end", "0.2", "-o", name, "--threads", threads)
        assert done.returncode == 0, done.stderr
    assert datasets(Path("a.h5")) == datasets(Path("b.h5")) == datasets(Path("c.h5"))


def test_diverging_run_names_step_time_and_node() -> None:
    brake = str(Path(__file__).parents[3] / "decks" / "gear_brake" / "gear_brake.rad")
    done = gsolve(brake, "--dt", "0.02", "--t-end", "60", "-o", "brake")
    assert done.returncode == 1
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("gsolve: ")]
    assert "at step " in message and "t = " in message and "node " in message
    with h5py.File("brake.h5") as file:
        assert file.attrs["status"] == "failed"
        assert len(file["time"]) > 1
        assert f"gsolve: {file.attrs['message']}" == message


def test_killed_run_opens_and_holds_what_was_flushed() -> None:
    run = programs().start(GEAR_PAIR, "-q", "--dt", "1e-5", "--t-end", "500", "-o", "long")  # minutes
    with run as process:
        flushed = wait_for_samples(Path("long.h5"), at_least=100)
        process.kill()
    with h5py.File("long.h5") as file:
        assert file.attrs["status"] == "running"
        time_of_samples, rate = file["time"][:], file["th/gjoint/VEL1"][:, 0]
    assert len(time_of_samples) >= flushed
    np.testing.assert_allclose(rate[1:], 25.0 * time_of_samples[1:], rtol=1e-9)
    with xarray.open_dataset("long.h5", group="/th/node", engine="h5netcdf") as dataset:
        assert dataset.sizes["time"] == len(time_of_samples)


def test_check_states_freedom_ratio_and_step() -> None:
    done = gsolve("check", GEAR_PAIR)
    assert done.returncode == 0
    assert "nodes 1 2 3; w2 = -0.5 w1  (inverse: w2 = -2 w1)" in done.stdout
    assert "1 degree" in done.stdout
    assert "time step     0.0001 s" in done.stdout
    assert list(Path().iterdir()) == []


def test_json_summary_of_a_real_run() -> None:
    done = gsolve(GEAR_PAIR, "--json", "--t-end", "0.1", "--gjoint-alpha", "inverse")
    summary = json.loads(done.stdout)
    assert (summary["status"], summary["degrees_of_freedom"], summary["n_steps"]) == ("completed", 1, 1000)
    assert summary["energy_error"] < 1e-9
    with h5py.File("gear_pair.h5") as file:
        assert file.attrs["gjoint_alpha"] == "inverse"
        np.testing.assert_allclose(file["th/gjoint/VEL2"][-1, 0] / file["th/gjoint/VEL1"][-1, 0], -2.0, rtol=1e-9)


def test_sampling_interval_far_below_the_step_is_said_once_and_the_run_goes_on() -> None:
    for interval, step, t_end in ((1e-9, 1e-4, 0.01), (0.01, 1e5, 1e6)):
        text = Path(PENDULUM).read_text()
        assert "/TFILE" in text
        Path("deck.rad").write_text(re.sub(r"(/TFILE.*\n)((#.*\n)*).*\n", rf"\g<1>{interval:>20}\n", text))
        done = gsolve("deck.rad", "--dt", f"{step}", "--t-end", f"{t_end}", "--force")
        assert done.stdout.count("every step is a sample") == 1, done.stdout + done.stderr
        assert "in 100 steps, a sample every step" in done.stdout or step > 1.0
        with h5py.File("deck.h5") as file:
            assert file.attrs["n_steps"] == len(file["time"]) - 1 or file.attrs["status"] == "failed"
