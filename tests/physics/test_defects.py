"""Decks that an earlier version got wrong: hubs, contradictions, loops that do not close, light parts, flat places."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.parser import read_deck
from gsolve.solver.cli.program import gsolve
from gsolve.solver.integration import substeps
from gsolve.solver.run.simulation import Simulation, SimulationError
from numpy.typing import NDArray
from random_machines import planar_loop
from running import REPOSITORY, read, run
from scipy.integrate import solve_ivp

Floats = NDArray[np.float64]

DEFECTS = REPOSITORY / "tests" / "data" / "defects"


def variant(tmp_path: Path, name: str, change: str, by: str) -> Path:
    """A deck with one text in place of another."""
    text = (DEFECTS / name).read_text()
    assert change in text
    path = tmp_path / name
    path.write_text(text.replace(change, by))
    return path


# ---- rows that are independent thanks to a hub ---------------------------------------------------------------------


def test_a_bearing_twice_on_a_hub_changes_nothing(tmp_path: Path) -> None:
    whole = run(DEFECTS / "hub_with_redundancy.rad", every=0.005)
    text = (DEFECTS / "hub_with_redundancy.rad").read_text()
    once = tmp_path / "once.rad"
    once.write_text(re.sub(r"/JOINT/REVOLUTE/100\nagain\n.*\n.*\n", "", text))
    single = run(once, every=0.005)
    assert [results.simulation.degrees_of_freedom for results in (whole, single)] == [5, 5]
    assert len(whole.simulation.redundant_rows) == 5
    assert not single.simulation.redundant_rows
    # all turn together about the hinge, 1 m beside the mass of 1000 kg and the line of the shafts, of 2 kg each
    inertia = 1500 + 1000 + 4 * 0.01 + 2 * sum(1 + x**2 for x in (0.1, 0.2, 0.3, 0.4))
    for results in (whole, single):
        np.testing.assert_allclose(results.node("VRZ", 13), 10 / inertia * results.times, rtol=1e-9, atol=1e-15)


# ---- contradictions ------------------------------------------------------------------------------------------------

CONTRADICTIONS = {
    "contra.rad": ("/DRIVE/ROT/8", 28, [("/DRIVE/ROT/6", 23)], 0.0005**2, "rad"),
    "con_against_joint.rad": ("/DRIVE/ROT/7", 37, [("/JOINT/REVOLUTE/4", 26)], 0.0005**2, "rad"),
    "con_two_ratios.rad": ("/DRIVE/ROT/9", 49, [("/COUPLER/R2R/6", 34), ("/COUPLER/R2R/7", 40)], 0.0005**2, "rad"),
    "con_out_of_reach.rad": (
        "/DRIVE/TRA/7", 37, [("/JOINT/DISTANCE/5", 30), ("/JOINT/REVOLUTE/4", 26)],
        0.8 * (3 - 2 * 0.0005 / 0.4) * (0.0005 / 0.4) ** 2, "m",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_end_the_run_at_once_and_all_are_named(name: str) -> None:
    path = DEFECTS / name
    drive, line, others, off, unit = CONTRADICTIONS[name]
    with pytest.raises(SimulationError) as caught:
        run(path)
    message = caught.value.message
    assert message.startswith(f"{drive} ({path}:{line}) asks for a motion that contradicts ")
    for other, its_line in others:
        assert f"{other} ({path}:{its_line})" in message
    found = re.search(
        r": at step 0, t = 0 s it is off by (\S+) (\w+); take one of them away, or let them agree$", message
    )
    assert found
    assert (float(found[1]), found[2]) == (pytest.approx(off, rel=1e-2), unit)


def test_a_contradiction_ends_the_program_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(gsolve, [str(DEFECTS / "contra.rad"), "-q"])
    assert ended.exit_code == 1
    assert "asks for a motion that contradicts /DRIVE/ROT/6" in ended.output


def test_drives_that_part_later_end_the_run_there(tmp_path: Path) -> None:
    later = variant(tmp_path, "contra.rad", "2*t*t", "t*t + step(t, 0.2, 0, 0.4, 0.1)")
    with pytest.raises(SimulationError, match=r"contradicts /DRIVE/ROT/6 .*: at step 400, t = 0\.2 s it is off by"):
        run(later)


def test_drives_that_agree_run(tmp_path: Path) -> None:
    results = run(variant(tmp_path, "contra.rad", "2*t*t", "t^2"))
    np.testing.assert_allclose(results.of("th/joint", "ANG", 4), results.times**2, atol=1e-12)


@pytest.mark.parametrize("dt", [None, 1e-3])
def test_a_drive_that_pulls_a_crank_beyond_its_reach_ends_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dt: float | None
) -> None:
    """The rod reaches from the pin of the crank, at (0.3, 0.4), to the slider at (1, 0): 0.5 + 0.806 m at most."""
    for most in ("MOST_TRIALS", "FEWEST_TRIALS"):
        monkeypatch.setattr(substeps, most, 2**9)
    text = (DEFECTS / "con_out_of_reach.rad").read_text()
    text = text.replace("/NODE\n200, 1, 0, 0\n", "/NODE\n200, 1, 0, 0\n101, 0.3, 0.4, 0\n/GRNOD/NODE/9\ng\n101\n", 1)
    text = text.replace("100, 0, 0, 3, 1.0, 0, 0, 1", "100, 0, 0, 3, 1.0, 9, 0, 3").replace(
        "\n100, 200, 0", "\n101, 200, 0"
    )
    text = text.replace("/FUNCT_EXPR/6", "/JOINT/TRANSLATIONAL/8\nslide\n0, 200, 0\n1, 0, 0\n/FUNCT_EXPR/6")
    path = tmp_path / "reach.rad"
    path.write_text(text)
    with pytest.raises(SimulationError) as caught:
        run(path, dt=dt)
    reach = 0.5 + np.hypot(0.7, 0.4) - 1.0
    times = np.linspace(0.0, 0.4, 100_001)
    u = times / 0.4
    stretched = times[np.argmax(0.8 * u * u * (3 - 2 * u) > reach)]
    assert caught.value.time == pytest.approx(stretched, abs=2e-3)
    for name in ("/DRIVE/TRA/7", "/JOINT/DISTANCE/5", "/JOINT/REVOLUTE/4"):
        assert re.search(rf"{name} \(\S+reach\.rad:\d+\)", caught.value.message)


# ---- loops that do not close ---------------------------------------------------------------------------------------


def warnings_of(simulation: Simulation) -> list[str]:
    return [warning.message for warning in simulation.warnings if "do not close" in warning.message]


@pytest.mark.parametrize("error", [1e-9, 1e-6])
def test_a_loop_of_gears_that_nearly_closes_turns_within_what_is_stated(tmp_path: Path, error: float) -> None:
    results = run(variant(tmp_path, "gear_loop_off.rad", "1.000001", repr(1 + error)), t_end=5.0)
    assert results.simulation.degrees_of_freedom == 1
    (message,) = warnings_of(results.simulation)
    found = re.fullmatch(
        r"the ratios of a loop do not close: /GJOINT/GEAR/3, ratio is off by (\S+) of what it turns, as "
        r"/GJOINT/GEAR/1, ratio, /GJOINT/GEAR/2, ratio turn it; the loop turns as these say, and the run ends where "
        r"that is off by more than (\S+) of the row's size and of what it has turned",
        message,
    )
    assert found
    assert float(found[1]) == pytest.approx(error, rel=1e-2)
    turned = np.abs(results.joint("ANG1", 3))
    size = 2 + error  # of the row: the sum of its coefficients
    violation = results.scalar("diag", "constraint_violation")
    np.testing.assert_allclose(violation, error * turned / size, rtol=1e-3, atol=1e-12)
    assert np.all(violation <= float(found[2]) * (1 + 2 * turned / size))


@pytest.mark.parametrize("error", [1e-4, 1e-3])
def test_a_loop_of_gears_that_does_not_close_locks_and_it_is_said(tmp_path: Path, error: float) -> None:
    results = run(variant(tmp_path, "gear_loop_off.rad", "1.000001", repr(1 + error)), t_end=1.0)
    assert results.simulation.degrees_of_freedom == 0
    (message,) = warnings_of(results.simulation)
    assert message.endswith("; the loop locks, as gears of these ratios would")
    assert np.abs(results.joint("VEL1", 1)).max() < 1e-9


def test_nothing_is_said_of_a_loop_of_gears_that_closes(tmp_path: Path) -> None:
    simulation = Simulation(read(variant(tmp_path, "gear_loop_off.rad", "1.000001", "1.0")))
    simulation.start()
    assert simulation.degrees_of_freedom == 1
    assert not warnings_of(simulation)


# ---- a plane in any attitude ---------------------------------------------------------------------------------------


def test_slider_crank_in_a_tilted_plane_has_three_rows_too_many_and_turns() -> None:
    results = run(DEFECTS / "slider_crank_tilted.rad", every=0.02)
    assert (results.simulation.degrees_of_freedom, len(results.simulation.redundant_rows)) == (1, 3)
    assert np.abs(results.scalar("energy", "error")).max() < 1e-6 * results.scalar("energy", "kinetic_rotational").max()


@pytest.mark.parametrize(
    ("seed", "digits"),
    [(0, (6, 6)), (1, (None, 6)), (0, (None, 9)), (1, (9, 14))],
)
def test_rounded_places_and_axes_are_taken_as_they_are_meant(tmp_path: Path, seed: int, digits: tuple) -> None:
    machine = planar_loop(np.random.default_rng(seed), slider=True)
    results = []
    for places, axes in ((None, None), digits):
        path = tmp_path / "loop.rad"
        path.write_text(machine.deck(0.4, dt=1e-3, digits=(places, axes)))
        results.append(run(path))
    exact, rounded = results
    assert (rounded.simulation.degrees_of_freedom, len(rounded.simulation.redundant_rows)) == (1, 3)
    apart = np.abs(rounded.of("th/joint", "ANG", 1) - exact.of("th/joint", "ANG", 1)).max()
    assert apart < 100 * 10.0 ** -min(d for d in digits if d)


def test_axes_with_too_few_digits_lock_the_machine_and_it_is_said(tmp_path: Path) -> None:
    """One hinge of a four-bar is 1e-4 rad off the others, which is more than rounding to six digits."""
    machine = planar_loop(np.random.default_rng(0), slider=False)
    joints = list(machine.joints)
    across = np.linalg.svd(joints[3].axis[None])[2][1]
    joints[3] = replace(joints[3], axis=joints[3].axis + 1e-4 * across)
    path = tmp_path / "loop.rad"
    path.write_text(replace(machine, joints=joints).deck(0.01))
    simulation = Simulation(read(path))
    simulation.start()
    assert simulation.degrees_of_freedom == 0
    messages = [warning.message for warning in simulation.warnings if "nearly follows" in warning.message]
    assert len(messages) == 1
    assert re.fullmatch(
        r"a row of /JOINT/REVOLUTE/\d nearly follows from (/JOINT/REVOLUTE/\d(, )?){3}: it is \S+e-05 of its size "
        r"apart from what they say, more than the rounding of a deck; it counts as a condition of its own, and takes a "
        r"degree of freedom",
        messages[0],
    )


# ---- accuracy where steps are divided ------------------------------------------------------------------------


def light_cart(mass: float) -> float:
    """Height of the pole of 1 kg and 1 m on a cart after 1 s, let go where it lies level, in minimal coordinates."""

    def rates(_time: float, state: Floats) -> list[float]:
        _, angle, speed, turn = state
        sine, cosine = np.sin(angle), np.cos(angle)
        matrix = np.array([[mass + 1.0, -sine], [-sine, 1.0]])
        acceleration = np.linalg.solve(matrix, [turn**2 * cosine, -9.81 * cosine])
        return [speed, turn, *acceleration]

    solution = solve_ivp(rates, (0.0, 1.0), [0.0] * 4, method="DOP853", rtol=1e-12, atol=1e-13)
    return float(np.sin(solution.y[1, -1]))


@pytest.mark.parametrize("mass", [1e-2, 1e-4, 1e-6])
def test_a_pole_on_a_light_cart_is_where_it_has_to_be(tmp_path: Path, mass: float) -> None:
    results = run(variant(tmp_path, "cart.rad", "1e-06, 1", f"{mass!r}, 1"))
    assert results.node("Y", 2)[-1] == pytest.approx(light_cart(mass), abs=1e-3)
    energy = results.scalar("energy", "error")
    assert np.max(np.abs(energy)) <= 2e-4 * np.max(results.scalar("energy", "kinetic_translational"))
    assert 0 < results.simulation.divided_steps < 30
    assert results.simulation.inaccurate_steps == 0


def test_parts_get_shorter_and_longer_by_two_at_most() -> None:
    simulation = Simulation(read_deck(DEFECTS / "cart.rad"))
    while not simulation.finished:
        simulation.advance(1000)
    plan = simulation._machine._plan
    lengths = np.array([part.dt for step in sorted(plan) for part in plan[step][0]])
    ratios = lengths[1:] / lengths[:-1]
    assert len(lengths) < 1500
    assert np.all((ratios > 0.49) & (ratios < 2.01))
    assert np.sum(lengths) == pytest.approx(1e-3 * len(plan), rel=1e-12)


# ---- flat positions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rounded_b", "rounded_auto"])
def test_a_rounded_bar_on_three_cranks_passes_its_flat_positions(name: str) -> None:
    results = run(DEFECTS / f"{name}.rad")
    kinetic = results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-3 * np.max(kinetic)
    rates = np.array([results.node("VRZ", crank) for crank in (100, 200, 300)])
    assert np.max(np.abs(rates - rates[0])) <= 1e-2 * np.max(np.abs(rates))
    assert np.all(rates < -1.0)


def test_a_parallelogram_goes_on_as_one() -> None:
    results = run(DEFECTS / "parallelogram_full_digits.rad")
    assert results.node("VRZ", 1)[-1] == pytest.approx(-4.0, rel=1e-4)
    assert results.node("VRZ", 2)[-1] == pytest.approx(-4.0, rel=1e-4)
