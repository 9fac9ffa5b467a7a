"""Runs as a program starts them: silent, to be watched and stopped, with errors as data, several at once."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gsolve
import numpy as np
import pytest

REPOSITORY = Path(__file__).parents[2]
GEAR_PAIR = REPOSITORY / "decks" / "gear_pair" / "gear_pair.rad"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def edited(*pairs: tuple[str, str]) -> Path:
    """The gear pair with changes, in the folder of the test."""
    text = GEAR_PAIR.read_text()
    for before, after in pairs:
        assert text.count(before) == 1
        text = text.replace(before, after)
    path = Path("edited.rad")
    path.write_text(text)
    return path


def test_nothing_is_imported_before_it_is_used() -> None:
    heavy = ["numpy", "numba", "h5py", "lark", "scipy", "click", "gsolve.parser", "gsolve.solver"]
    program = f"import sys, gsolve; print([name for name in {heavy} if name in sys.modules], dir(gsolve))"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert told.startswith("[] [")
    assert all(f"'{name}'" in told for name in gsolve.__all__)


def test_every_name_of_the_package_is_there() -> None:
    assert [name for name in gsolve.__all__ if not hasattr(gsolve, name)] == []
    assert gsolve.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="module 'gsolve' has no attribute 'nonsense'"):
        _ = gsolve.nonsense


def test_the_package_is_the_command_line_as_well() -> None:
    done = subprocess.run([sys.executable, "-m", "gsolve", "--version"], check=True, capture_output=True, text=True)
    assert done.stdout == f"gsolve {gsolve.__version__}\n"


def test_a_run_says_nothing_and_leaves_no_file(capfd: pytest.CaptureFixture[str]) -> None:
    gsolve.run(GEAR_PAIR)
    gsolve.check(GEAR_PAIR)
    assert capfd.readouterr() == ("", "")
    assert list(Path().iterdir()) == []


def test_a_run_to_files_leaves_those_of_the_shell(capfd: pytest.CaptureFixture[str]) -> None:
    result = gsolve.run(GEAR_PAIR, output="folder/")
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in Path("folder").iterdir()) == ["gear_pair.h5", "gear_pair.out"]
    assert Path("folder/gear_pair.out").read_text().splitlines()[-1].startswith("results ")
    assert result.attributes["command_line"] == f"gsolve.run('{GEAR_PAIR}', output='folder/')"


def test_a_model_runs_again_and_again_to_the_same_bytes() -> None:
    model = gsolve.read(GEAR_PAIR)
    first, second = gsolve.run(model), gsolve.run(model)
    assert first.th.gjoint.VEL1.tobytes() == second.th.gjoint.VEL1.tobytes()
    assert gsolve.run(model, t_end=0.5).time[-1] == pytest.approx(0.5)
    assert gsolve.run(model).time[-1] == 1.0


def test_runs_in_threads_do_not_meet() -> None:
    """With different end times, decks and readings of FscaleV at once; signals stay as they were."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def speed(k: int) -> float:
        alpha = "inverse" if k % 2 else "documented"
        result = gsolve.run(gsolve.read(GEAR_PAIR, gjoint_alpha=alpha), t_end=0.1 + 0.1 * (k % 4))
        return float(result.th.gjoint[1].VEL1[-1] / result.time[-1])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(speed, range(16)))
    # 1 N m on I_1 + alpha^2 I_2, alpha = 0.5 or 2
    np.testing.assert_allclose(found, [1 / 0.04 if k % 2 == 0 else 1 / 0.34 for k in range(16)], rtol=1e-9)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_signals_of_the_main_thread_are_left_alone() -> None:
    during = []
    gsolve.run(GEAR_PAIR, progress=lambda at: during.append(signal.getsignal(signal.SIGINT)))
    assert set(during) == {signal.getsignal(signal.SIGINT)}


def test_progress_is_told_up_to_the_end() -> None:
    told: list[gsolve.RunProgress] = []
    gsolve.run(GEAR_PAIR, progress=told.append)
    assert [at.step for at in told] == sorted({at.step for at in told})
    assert (told[-1].fraction, told[-1].step, told[-1].t_end) == (1.0, 10000, 1.0)


@pytest.mark.parametrize("output", [None, "x"])
@pytest.mark.parametrize(("answer", "reason"), [(True, "the function that was given for this"), ("boredom", "boredom")])
def test_a_stop_keeps_what_was_computed(output: str | None, answer: bool | str, reason: str) -> None:
    whole = gsolve.run(GEAR_PAIR)
    result = gsolve.run(GEAR_PAIR, output=output, stop=lambda at: at.step > 0 and answer)
    assert result.status == "stopped" and result.message.startswith(f"stopped by {reason} at t = ")
    count = len(result.time)
    assert 0 < count < len(whole.time)
    assert result.th.gjoint[1].VEL1.tobytes() == whole.th.gjoint[1].VEL1[:count].tobytes()


@pytest.mark.parametrize("role", ["progress", "stop"])
@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_what_a_callback_raises_reaches_the_caller_and_the_file_is_whole(role: str, kind: type[BaseException]) -> None:
    def callback(at: gsolve.RunProgress) -> bool:
        raise kind("on purpose")

    with pytest.raises(kind, match="on purpose"):
        gsolve.run(GEAR_PAIR, output="x", **{role: callback})
    kept = gsolve.load("x.h5")
    assert kept.status == "stopped" and len(kept.time) > 0
    assert kept.message.startswith(f"stopped by {kind.__name__} in a function that was to be called at t = ")


def test_results_that_others_remove_while_the_run_goes_on_are_missed() -> None:
    with pytest.raises(gsolve.OutputError, match=r"^folder/x.h5 and folder/x.out were removed or replaced while"):
        gsolve.run(GEAR_PAIR, output="folder/x", progress=lambda at: shutil.rmtree("folder", ignore_errors=True))


def test_answer_that_is_neither_true_nor_false_stops_as_what_a_callback_raises() -> None:
    with pytest.raises(ValueError, match="truth value"):
        gsolve.run(GEAR_PAIR, output="x", stop=lambda at: np.zeros(2))
    kept = gsolve.load("x.h5")
    assert kept.status == "stopped" and "in a function that was to be called" in kept.message


def test_errors_of_a_deck_come_all_at_once_as_data() -> None:
    path = edited(("  0.5                0.02", " -0.5                0.02"), ("/CLOAD/1\n", "/CLOADS/1\n"))
    for call in (gsolve.read, gsolve.run, gsolve.check):
        with pytest.raises(gsolve.DeckError) as error:
            call(path)
        errors = [found for found in error.value.diagnostics if found.severity == "error"]
        assert {(found.file, found.keyword.split("/")[1]) for found in errors} == {
            ("edited.rad", "GJOINT"), ("edited.rad", "CLOADS")
        }  # fmt: skip
        assert all(found.line > 0 for found in errors)
        assert str(error.value).startswith("2 errors in the deck\nedited.rad:")


def test_a_run_that_fails_raises_with_what_it_came_to() -> None:
    """A /STOP limit of the energy error that a free flight of a coarse step passes cannot be met: see `on_failure`."""
    path = edited(("1.0e-4 1.0e-4", "1.0e-4 1.0e-4\n/STOP\n 1e-12 0 0"))
    with pytest.raises(gsolve.RunError, match="is above the 1e-12 % that /STOP allows") as error:
        gsolve.run(path)
    assert error.value.result.status == "failed" and len(error.value.result.time) > 0
    result = gsolve.run(path, on_failure="return")
    assert (result.status, result.message) == ("failed", error.value.result.message)


def test_warnings_are_data_in_memory_and_in_the_file() -> None:
    path = edited(("D         V         VR\n", "D         V         VR        TEMP\n"))
    for result in (gsolve.run(path), gsolve.run(path, output="x")):
        (doubt,) = result.doubts
        assert (doubt.severity, doubt.file, doubt.keyword, doubt.id) == ("doubt", "edited.rad", "/TH/NODE", 1)
        assert doubt.line > 0 and "TEMP" in str(doubt)
        assert doubt in result.warnings and doubt in result.messages
    assert gsolve.check(path).warnings == result.warnings


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (gsolve.read, "path"),
        (gsolve.check, "deck"),
        (gsolve.run, "deck"),
        (gsolve.resume, "path"),
        (gsolve.load, "path"),
    ],
)
def test_what_is_no_path_is_told(call: Callable[..., object], argument: str) -> None:
    for wrong in (b"x.rad", 3, None):
        with pytest.raises(gsolve.UsageError, match=f"^{argument}: {wrong!r} is no path"):
            call(wrong)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"t_end": -1.0}, "t_end: -1 is not a positive number"),
        ({"dt": float("nan")}, "dt: nan is not a positive number"),
        ({"dt": "1e-3"}, "dt: '1e-3' is not a number"),
        ({"accuracy": 1.0}, "accuracy: 1 is not a tolerance from 1e-08 to 0.1"),
        ({"order": 3}, "order: 3 is none of 2, 4, 6"),
        ({"order": 4, "accuracy": 1e-6}, "order: 4 does not go with an accuracy"),
        ({"threads": 0}, "threads: 0 is not a whole number from 1 on"),
        (
            {"checkpoint_every": None},
            "checkpoint_every: None is not a text: '10min', .* in the deck's unit, or 'never'",
        ),
        ({"checkpoint_every": 0.05}, "checkpoint_every: 0.05 is not a text: .*, '0.05' of simulated time"),
        ({"settle": "no"}, "settle: 'no' is neither True nor False"),
        ({"force": "results"}, "force: 'results' is neither True nor False"),
        ({"on_failure": "ignore"}, "on_failure: 'ignore' is neither 'raise' nor 'return'"),
        ({"progress": 5}, "progress: 5 is no function that can be called"),
        ({"stop": "t > 1"}, "stop: 't > 1' is no function that can be called"),
        ({"parameters": [1]}, r"parameters: \[1\] is no dictionary of values by name, as {'speed': 2.5}"),
        ({"parameters": {"speed": [1]}}, r"parameters: speed = \[1\] is not a number"),
        ({"parameters": {"speed": True}}, "parameters: speed = True is not a number"),
        ({"output": b"x"}, "output: b'x' is no path: a text is needed, or a pathlib.Path"),
    ],
)
def test_wrong_values_of_options_are_told(options: dict[str, object], told: str) -> None:
    with pytest.raises(gsolve.UsageError, match=told):
        gsolve.run(GEAR_PAIR, **options)


def test_parameters_belong_to_reading() -> None:
    with pytest.raises(gsolve.UsageError, match=r"parameters are taken when a deck is read"):
        gsolve.run(gsolve.read(GEAR_PAIR), parameters={"speed": 1.0})


def test_parameters_keep_all_their_digits() -> None:
    path = edited(("/NODE\n#", "/PARAMETER/GLOBAL/REAL/1\ntorque\ntorque    1.0\n/NODE\n#"))
    path.write_text(
        re.sub(r"ZZ( +\S+){5}\n", "ZZ, 0, 0, 2, 1, &torque\n", path.read_text()).replace("1        ZZ", "1, ZZ")
    )
    for value in (0.1, 1 / 3, np.float64(2 / 3), 2, np.int64(3), "0.25"):
        result = gsolve.run(path, parameters={"torque": value})
        assert result.parameters == {"torque": float(value)}
        assert result.th.gjoint[1].VEL1[-1] == pytest.approx(25 * float(value), rel=1e-10)


def test_results_are_not_overwritten_unless_forced() -> None:
    gsolve.run(GEAR_PAIR, output="x")
    told = r"^x\.h5 and x\.out already there; force=True overwrites, output=NAME writes elsewhere$"
    with pytest.raises(gsolve.OutputError, match=told):
        gsolve.run(GEAR_PAIR, output="x")
    assert gsolve.run(GEAR_PAIR, output="x", force=True, t_end=0.5).attributes["t_end"] == 0.5


def test_errors_name_arguments_and_not_options_of_the_shell() -> None:
    gsolve.run(GEAR_PAIR, output="x")
    with pytest.raises(gsolve.UsageError, match=r"its end is t = 1: t_end=T goes on to a later time"):
        gsolve.resume("x.h5")
    with pytest.raises(gsolve.DeckError) as caught:
        gsolve.run(GEAR_PAIR, parameters={"torque": 1.0})
    assert caught.value.diagnostics[0].message == "parameters torque=1.0: no parameter is called torque"
    with pytest.raises(gsolve.OutputError) as refused:
        gsolve.export("x.h5")
    asked = "ask for a format (csv, parquet, vtkhdf, gltf) or for animate=FILE.gif"
    assert str(refused.value) == f"nothing to export: {asked}"
    with pytest.raises(gsolve.OutputError, match=r"^variables chooses .*: it goes with the formats csv and parquet$"):
        gsolve.export("x.h5", "gltf", variables=["energy/total"])


def test_warnings_of_a_check_name_arguments_where_the_shell_has_options() -> None:
    late = "/SENSOR/TIME/1\nlate\n5\n/CLOAD/1\n"
    path = edited(("/CLOAD/1\n", late), ("ZZ         0         0         2", "ZZ         0         1         2"))
    check = gsolve.check(path)
    (warning,) = check.warnings
    assert warning.hint == "run longer (/RUN, t_end), or begin earlier" and check["warnings"] == [warning]
    assert "run longer (/RUN, --t-end)" in str(check)


def test_check_gives_what_the_shell_says() -> None:
    check = gsolve.check(GEAR_PAIR)
    shell = subprocess.run(
        [sys.executable, "-m", "gsolve", "check", str(GEAR_PAIR)], check=True, capture_output=True, text=True
    )
    assert str(check) + "\n" == shell.stdout
    assert check["degrees_of_freedom"] == 1 and check["counts"]["gear_joints"] == 1
    assert check["dt"] == 1e-4
