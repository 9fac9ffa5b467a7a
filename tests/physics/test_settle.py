"""Machines that are settled start in their static equilibrium, by closed forms, and stay there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import gsolve
import numpy as np
import pytest
from contact_decks import ContactDeck
from deck_text import DeckText
from gsolve.solver.results.describe import fact
from gsolve.solver.results.info import info_lines, read_info
from gsolve.solver.run import settle
from wall_decks import WallDeck

G, MASS, STIFFNESS = 9.81, 2.0, 1000.0
PLACE = 1e-8  # of the way moved: accelerations are settled to 1e-9 of gravity


def machine() -> DeckText:
    return DeckText(0.2, None, 0.01)


def model_of(text: DeckText) -> gsolve.Model:
    path = text.folder / "machine.rad"
    path.write_text(str(text))
    return gsolve.read(path)


def settled(text: DeckText, **options: bool | int) -> gsolve.Result:
    return gsolve.run(model_of(text), settle=True, **options)


def chain(masses: int) -> DeckText:
    """Masses that hang from each other on springs."""
    text = machine()
    nodes = range(2, masses + 2)
    text.nodes({n: (0.0, 0.0, 1.0 - n) for n in (1, *nodes)})
    text.hold([1])
    text.masses(nodes, MASS)
    for n in nodes:
        text.spring(n - 1, n, STIFFNESS)
    text.gravity(nodes, "Z", -G)
    return text


def bar(middle: int, ends: tuple[int, int], x: float) -> Callable[[DeckText], None]:
    """A bar of 1 m from x on, of 1 kg."""

    def add(text: DeckText) -> None:
        text.nodes({middle: (x + 0.5, 0, 0), ends[0]: (x, 0, 0), ends[1]: (x + 1.0, 0, 0)})
        text.rigid_body(middle, ends, 1.0, (0.01, 0.1, 0.1))
        text.gravity([middle], "Z", -G)

    return add


def stays(result: gsolve.Result, node: int, component: str, expected: float, within: float = PLACE) -> None:
    """A displacement is what it should be, at all times."""
    np.testing.assert_allclose(result.th.node[node][component], expected, rtol=within)


def test_a_chain_of_springs_sags_by_the_weight_below_each() -> None:
    result = settled(chain(5))
    sags = np.cumsum([MASS * G * (5 - n) / STIFFNESS for n in range(5)])
    for n, sag in enumerate(sags):
        stays(result, n + 2, "DZ", -sag)
    energy = result.energy
    stretched = 0.5 * STIFFNESS * np.sum(np.diff([0.0, *sags]) ** 2)
    assert energy["spring"][0] == pytest.approx(stretched, rel=2 * PLACE)
    assert energy["kinetic_translational"][0] < 1e-15
    assert np.abs(energy["error"]).max() < 1e-12
    assert energy["damping_dissipated"][0] == energy["external_work"][0] == 0.0


def test_a_pendulum_let_go_level_hangs_straight_down() -> None:
    text = machine()
    bar(2, (3, 4), 0.0)(text)
    text.pair("REVOLUTE", 0, 3, (0, 1, 0))
    result = settled(text)
    stays(result, 2, "DX", -0.5)
    stays(result, 2, "DZ", -0.5)


@pytest.mark.parametrize("general", [False, True])
def test_an_arm_on_a_torsion_spring_sags_to_the_balance_of_moments(general: bool) -> None:
    """M g l cos(a) = k a."""
    text = machine()
    bar(2, (3, 4), 0.0)(text)
    joint = text.pair("REVOLUTE", 0, 3, (0, 1, 0), forces=[{"stiffness": 3.0}])
    text.block("/TH/JOINT/1", "angle", "ANG", f"{joint}")
    angle = settled(text, general=general).th.joint[joint]["ANG"]
    assert np.ptp(angle) < 1e-8
    assert G * 0.5 * math.cos(angle[0]) == pytest.approx(3.0 * angle[0], rel=PLACE)


def test_a_chain_of_bars_hangs_as_equal_forces_have_it() -> None:
    """Of a chain of equal bars the slopes grow evenly: tan a_k = (W (k + 1/2) - V) / H, whatever H and V are."""
    text, n = machine(), 6
    for k in range(n):
        bar(100 + 10 * k, (101 + 10 * k, 102 + 10 * k), float(k))(text)
        text.pair("REVOLUTE", 92 + 10 * k if k else 0, 101 + 10 * k, (0, 1, 0))
    text.nodes({900: (n - 1.0, 0, 0)})
    text.hold([900])
    text.spring(92 + 10 * n, 900, 2000.0)
    result = settled(text)
    ends = [result.th.node[101 + 10 * k] for k in range(n)] + [result.th.node[92 + 10 * n]]
    x = np.array([float(k) + end["DX"][0] for k, end in enumerate(ends)])
    z = np.array([end["DZ"][0] for end in ends])
    slopes = np.diff(z) / np.diff(x)
    np.testing.assert_allclose(np.diff(slopes), np.diff(slopes).mean(), rtol=1e-6)
    np.testing.assert_allclose(np.hypot(np.diff(x), np.diff(z)), 1.0, rtol=1e-12)


@pytest.mark.parametrize("height", [0.1, 0.2])
def test_a_ball_comes_to_rest_in_the_floor(height: float) -> None:
    """F = k z^1.5."""
    text = ContactDeck(0.2, None, 0.01)
    ball, surface = text.ball((0, 0, height), MASS, 0.1)
    floor = text.solid("BOX", 0, 4.0, 4.0, 0.2, centre=(0, 0, -0.1))
    text.impact((floor, surface), 1e5, 1.5, 10.0, 1e-3)
    text.gravity([ball], "Z", -G)
    depth = (MASS * G / 1e5) ** (1 / 1.5)
    stays(settled(text), ball, "DZ", -(height - 0.1 + depth))


def test_the_clock_of_loads_and_drives_stands_at_the_start() -> None:
    """A load is taken as it is at t = 0, and one that comes later is not; both act in the run."""
    text = chain(1)
    text.load(2, "Z", -5.0, text.expression("1 + 3 * t"))
    later = text.function([(0, 0), (0.1, 0), (0.2, 1.0)])
    text.load(2, "X", 1.0, later)
    moved = settled(text).th.node[2]["DZ"]
    assert moved[0] == pytest.approx(-(MASS * G + 5.0) / STIFFNESS, rel=PLACE)
    assert moved[-1] < moved[0] - 1e-4


def test_a_drive_holds_its_joint_meanwhile_and_turns_it_afterwards() -> None:
    text = machine()
    for k in range(2):
        bar(100 + 10 * k, (101 + 10 * k, 102 + 10 * k), float(k))(text)
    text.pair("REVOLUTE", 0, 101, (0, 1, 0))
    text.pair("REVOLUTE", 102, 111, (0, 1, 0), forces=[{"stiffness": 20.0}])
    text.drive("ROT", 0, 101, text.function([(0, 1), (1, 1)]), (0, 1, 0), level=1)
    result = settled(text)
    assert abs(result.th.node[102]["DZ"][0]) < 1e-12
    assert result.th.node[102]["DZ"][-1] == pytest.approx(-math.sin(0.2), rel=1e-9)
    angle = math.asin(-(result.th.node[112]["DZ"][0]))
    assert G * 0.5 * math.cos(angle) == pytest.approx(20.0 * angle, rel=PLACE)


def test_threads_and_repetition_change_no_bit() -> None:
    text = chain(1)
    text.nodes({6: (1.0, 0, 0), 7: (1.0, 0, -1.0)})
    text.hold([6])
    text.masses([7], MASS)
    text.spring(6, 7, 4.0 * STIFFNESS)
    text.gravity([7], "Z", -G)
    one, two = settled(text), settled(text, threads=2)
    for node in (2, 7):
        for component in ("DX", "DZ", "VZ"):
            assert np.array_equal(one.th.node[node][component], two.th.node[node][component])


def test_what_falls_has_no_equilibrium() -> None:
    text = chain(1)
    text.nodes({7: (5, 0, 0)})
    text.masses([7], 1.0)
    text.gravity([7], "Z", -G)
    with pytest.raises(gsolve.DeckError, match=r"no static equilibrium .* the body of node 7 gets faster and faster"):
        settled(text)


def test_nothing_is_said_of_what_waits_while_the_clock_stands() -> None:
    """A contact that begins within the run is not said to begin after it, where no equilibrium is found."""
    text = ContactDeck(0.2, 1e-4, 0.01)
    node, ball = text.ball((0, 0, 1.0), 1.0, 0.1)
    text.block("/INTER/IMPACT/7", "from 0.1 s on", f"{ball}, {text.solid('PLANE', 0)}", ", , 0.1", "1e5, 1")
    text.gravity([node], "Z", -G)
    with pytest.raises(gsolve.DeckError, match="no static equilibrium") as refused:
        settled(text)
    assert not [d.message for d in refused.value.diagnostics if "it begins at" in d.message]


def test_what_creeps_on_friction_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Friction that grows with the speed holds nothing at rest."""
    monkeypatch.setattr(settle, "HOPELESS_RESTS", 40)
    text = ContactDeck(0.2, 1e-4, 0.01)
    node, box = text.box((0, 0, 0.02), 1.0, (0.3, 0.2, 0.04), (0, 0, 0), (0, 0, 0))
    text.impact((box, text.solid("PLANE", 0)), 1e5, 1.0, 100.0, 1e-9, friction=(0.5, 0.5, 1e-3, 1e-2), mode=1)
    text.gravity([node], "X", G * math.sin(0.2))
    text.gravity([node], "Z", -G * math.cos(0.2))
    with pytest.raises(gsolve.DeckError) as refused:
        settled(text)
    error = refused.value.diagnostics[-1]
    assert f"the body of node {node} keeps an acceleration of" in error.message
    assert "friction holds what is at rest as stiction alone" in error.hint


def test_routines_of_the_user_are_refused_by_name() -> None:
    text = ContactDeck(0.2, 1e-4, 0.01)
    ball, surface = text.ball((0, 0, 0.1), MASS, 0.1)
    floor = text.solid("BOX", 0, 4.0, 4.0, 0.2, centre=(0, 0, -0.1))
    (text.folder / "law.py").write_text("def push(*arguments):\n    return 0.0\n")
    text.block("/INTER/USERCNF/1", "by a routine", f"{surface}, {floor}", ",", "law.py push", "1", "0.0")
    text.gravity([ball], "Z", -G)
    with pytest.raises(gsolve.DeckError) as refused:
        settled(text, allow_user_code=True)
    error = refused.value.diagnostics[-1]
    assert error.message == "a machine cannot be settled on contacts with a routine of the user, for which time goes on"
    assert (error.keyword, error.hint) == ("/INTER/USERCNF", "run without settle=True")


def test_whoever_asks_can_stop_it(monkeypatch) -> None:
    monkeypatch.setattr(settle, "SAY_SECONDS", 0.0)
    text = chain(1)
    text.nodes({7: (5, 0, 0)})
    text.masses([7], 1.0)
    text.gravity([7], "Z", -G)
    with pytest.raises(gsolve.StoppedError, match=r"^stopped by a test while the machine was settled, before the run"):
        gsolve.run(model_of(text), settle=True, stop=lambda at: "a test")


def test_the_result_file_has_how_well_it_went(tmp_path) -> None:
    result = gsolve.run(model_of(chain(1)), settle=True, output=tmp_path / "rest")
    assert result.attributes["settled_residual"] <= 1e-9
    lines = info_lines(read_info(tmp_path / "rest.h5"), verbose=False)
    assert fact("settled", result.attributes["settled"]) in lines
    steps = result.attributes["settled_steps"]
    assert re.match(rf"at rest after {steps} steps at t = 0: .* of gravity, moved at most 0\.01962 m$",
                    result.attributes["settled"])  # fmt: skip


def test_what_is_still_needs_no_step() -> None:
    text = machine()
    text.nodes({1: (0, 0, 0)})
    text.masses([1], 1.0)
    stays(settled(text), 1, "DX", 0.0)


def test_initial_velocities_are_left_out_by_name() -> None:
    text = chain(1)
    text.velocity(2, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    result = settled(text)
    told = [w for w in result.warnings if "this initial velocity is left out" in w.message]
    assert [warning.keyword for warning in told] == ["/INIVEL/TRA", "/INIVEL/ROT"]
    stays(result, 2, "DX", 0.0)


def test_kinematic_walls_are_refused_and_penalty_walls_carry() -> None:
    def on_wall(penalty: bool) -> WallDeck:
        text = WallDeck(0.2, None, 0.01)
        node = text.mass((0, 0, 0.1), 1.0)
        text.gravity([node], "Z", -G)
        text.wall("PLANE", [node], (0, 0, 0), (0, 0, 1.0), penalty=penalty)
        return text

    with pytest.raises(gsolve.DeckError, match="cannot be settled on a rigid wall that stops nodes at once"):
        settled(on_wall(False))
    moved = settled(on_wall(True)).th.node[1001]["DZ"]
    assert moved[0] < -0.1
    assert np.ptp(moved) < 1e-10
