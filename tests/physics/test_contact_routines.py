"""Contacts by routines of users: published values, built-in laws written as routines, friction, results handed over."""

import itertools
import shutil
import subprocess

import numpy as np
import pytest
from contact_decks import ContactDeck
from gsolve.solver.run.simulation import SimulationError
from running import DECKS, observed_order, run

HEAD_N = "(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag)"
HEAD_F = "(id, time, par, npar, loci, locj, x, xdot, nforce, dflag, iflag)"
HEAD_R = "(id, i_gra_id, j_gra_id, time, par, npar, iflag, endflg)"
G = 9.81

# Routines of several tests, which are compiled once where the text of the file is the same.
ROUTINES = f"""
def HERTZ{HEAD_N}:
    return [par[0] * max(-gap, 0.0) ** 1.5, 0.0, 0.0]


def LINEAR{HEAD_N}:
    return [par[0] * max(-gap, 0.0), 0.0, 0.0]


def DAMPED{HEAD_N}:
    return [par[0] * max(-gap, 0.0) - 100.0 * gapdot, 0.0, 0.0]


def GROWING{HEAD_F}:
    return [-(par[0] + par[1] * xdot[0]) * nforce, 0.0, 0.0]


def BRISTLES{HEAD_F}:
    return [-par[0] * x[0], -par[0] * x[1], 0.0]
"""

# F = K z^1.5 (1 + 1.5 alpha z'), m = 1 kg, K = 1e7 N/m^1.5, v = 1 m/s: alpha, rebound, depth (m) by quadrature of
# the first integral of the motion
HUNT_CROSSLEY = [
    (0.05, 0.952370153, 1699.56402e-6),
    (0.1, 0.909015741, 1668.73936e-6),
    (0.2, 0.832869792, 1613.29537e-6),
    (0.3, 0.767999789, 1564.62574e-6),
]


@pytest.fixture
def place(tmp_path):
    """Runs decks that stand beside a file of routines."""

    class Place:
        def write(self, text, name="routines.py"):
            (tmp_path / name).write_text(text)

        def run(self, deck, **options):
            (tmp_path / "machine.rad").write_text(str(deck))
            return run(tmp_path / "machine.rad", **options)

        path = tmp_path

    return Place()


def hunt_crossley(dt):
    results = run(DECKS / "hunt_crossley" / "hunt_crossley.rad", dt=dt, every=dt)
    return results, [(results.node("VZ", k)[-1], results.of("th/inter", "PEN", k).max()) for k in (1, 2, 3, 4)]


def test_hunt_crossley_as_a_routine_rebounds_as_published():
    results, found = hunt_crossley(2e-6)
    for (_, rebound, depth), (speed, deepest) in zip(HUNT_CROSSLEY, found, strict=True):
        assert speed == pytest.approx(rebound, rel=1e-4)
        assert deepest == pytest.approx(depth, rel=1e-4)
    assert np.max(np.abs(results.scalar("energy", "error"))) < 1e-12 * 2.0


def test_the_rebound_by_a_routine_is_of_second_order():
    steps = [8e-5, 4e-5, 2e-5]
    errors = [
        max(abs(v - e) for (_, e, _), (v, _) in zip(HUNT_CROSSLEY, hunt_crossley(h)[1], strict=True)) for h in steps
    ]
    assert 1.7 < observed_order(errors, steps) < 2.6
    assert errors[-1] < 1e-4


def falling_ball(dt=None, t_end=0.3):
    deck = ContactDeck(t_end, dt, 1e-3)
    _, ball = deck.ball((0.0, 0.0, 0.15), 1.0, 0.1)
    floor = deck.solid("PLANE", 0)
    deck.gravity([1], "Z", -G)
    return deck, (ball, floor)


IMPACT = f"""
def CNFSUB{HEAD_N}:
    from math import sqrt
    result = [0, 0, 0]  # whole numbers, as in many files
    vector, errflg = py_impact(gap, gapdot, 0.0, par[0], par[1], par[2], par[3], 0)
    result[0] = half(vector[0]) * 2
    return result


def half(force):
    return force / 2
"""
AS_PYTHON = IMPACT + "\n\nWORDS = {}\n\n\n" + IMPACT.replace("CNFSUB", "SLOW").replace(
    "    result =", "    WORDS['last'] = str(gap)\n    result ="
).replace("half", "half_slow")  # fmt: skip


POST = f"""
LINES = []


def CONTACTPOST{HEAD_R}:
    if iflag:
        LINES.append("begin")
        return
    n, wrong = py_get_ncontacts(id, i_gra_id, j_gra_id)
    for index in range(1, n + 1):
        depth, wrong = py_get_contact_post(id, i_gra_id, j_gra_id, "PD", 0, index)
        force, wrong = py_get_contact_post(id, i_gra_id, j_gra_id, "TOTAL_FORCE", 0, index)
        LINES.append(repr((time, depth, force[2])))
    if endflg:
        LINES.append(repr(time))
        with open(__file__ + ".txt", "w") as stream:
            stream.write("\\n".join(LINES))
"""


@pytest.mark.parametrize("function", ["CNFSUB", "SLOW"])
def test_impact_as_a_routine_is_the_built_in_law(place, function):
    """Compiled or as Python; the built-in law sees its rate with Newton's method, the routine by a secant."""
    place.write(AS_PYTHON + POST)
    law = (1e5, 1.5, 50.0, 1e-4)
    deck, sides = falling_ball(2e-5)
    deck.routine(sides, f"routines.py {function}", law)
    by_routine = place.run(deck)
    deck, sides = falling_ball(2e-5)
    deck.impact(sides, *law)
    built_in = run(deck)
    assert built_in.node("Z", 1).min() < 0.1
    np.testing.assert_allclose(by_routine.node("Z", 1), built_in.node("Z", 1), rtol=0, atol=1e-8)
    for name in ("EELAS", "EDISS", "PEN", "FNZ", "NPATCH"):
        scale = np.abs(built_in.of("th/inter", name, 1)).max()
        np.testing.assert_allclose(
            by_routine.of("th/inter", name, 1), built_in.of("th/inter", name, 1), rtol=0, atol=1e-5 * scale
        )
    warnings = [w.message for w in by_routine.simulation.warnings]
    slow = [text for text in warnings if "runs as Python, which is slow" in text]
    assert len(slow) == (function == "SLOW")


def test_a_routine_of_a_library_in_c_is_the_built_in_law(place):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    place.write(
        """#include <math.h>
void CNFSUB(int *id, double *time, double *par, int *npar, double *loci, double *ni, double *locj, double *nj,
            double *gap, double *gapdot, double *gapdotdot, int *dflag, int *iflag, double *result)
{
    if (*iflag || *npar != 2 || *id != 1) return;
    result[0] = *gap < 0 ? par[0] * pow(-*gap, par[1]) : 0;
}
void CFFSUB(int *id, double *time, double *par, int *npar, double *loci, double *locj, double *x, double *xdot,
            double *nforce, int *dflag, int *iflag, double *result)
{
    result[0] = -par[0] * *nforce * xdot[0];
}
void CONTACTPOST(int *id, int *i_gra_id, int *j_gra_id, double *time, double *par, int *npar, int *iflag, int *endflg)
{
    par[*iflag ? 0 : *endflg ? 2 : 1] += 1 + *time;
}
""",
        "contact.c",
    )
    library = place.path / "contact.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(place.path / "contact.c"), "-lm"], check=True)
    deck, sides = falling_ball(2e-5, t_end=0.15)
    law = "contact.so CNFSUB\n2\n1e5, 1.5"
    deck.rubbed_by_routine(sides, "USERCNF", law, "contact.so CFFSUB", (0.01,))
    deck.post(1, "contact.so CONTACTPOST", (0.0, 0.0, 0.0))
    by_routine = place.run(deck)
    deck, sides = falling_ball(2e-5, t_end=0.15)
    deck.impact(sides, 1e5, 1.5)
    np.testing.assert_allclose(by_routine.node("Z", 1), run(deck).node("Z", 1), rtol=0, atol=1e-9)
    told = by_routine.model.contacts[0].post.parameters
    times = by_routine.times
    np.testing.assert_allclose(told, [1.0, len(times) - 1 + times[:-1].sum(), 1.0 + times[-1]], rtol=1e-12)


def test_an_automatic_step_resolves_the_bounce_of_a_routine(place):
    """Between 20 steps a bounce, for a linear law, and 26 for that of Hertz."""
    place.write(ROUTINES)
    deck, sides = falling_ball()
    deck.routine(sides, "routines.py HERTZ", (1e7,))
    results = place.run(deck)
    depth = results.of("th/inter", "PEN", 1).max()
    duration = 2.9432751843247047 * (1.25 / 1e7) ** 0.4 * (2 * G * 0.05) ** -0.1
    assert 20.0 <= duration / results.simulation.dt <= 2 * 26.0
    assert depth > 0
    assert any("of the time of a bounce in /INTER/USERCNF/1" in why for why in [results.simulation.dt_reason]) or any(
        "halved" in text for text in results.simulation.messages
    )
    fall = results.node("VZ", 1).min()
    assert results.node("VZ", 1).max() == pytest.approx(-fall, rel=2e-2)


def sliding_box(t_end, dt, velocity=1.0):
    deck = ContactDeck(t_end, dt, t_end / 100)
    _, box = deck.box((0.0, 0.0, 0.05 - 4.905e-6), 2.0, (0.2, 0.2, 0.1), (velocity, 0.0, 0.0), (0.0, 0.0, 0.0))
    floor = deck.solid("PLANE", 0)
    deck.gravity([1], "Z", -G)
    return deck, (box, floor)


def test_friction_that_grows_with_the_speed_slows_down_as_it_must(place):
    """mu = mu_0 + b v: v = (v_0 + mu_0/b) exp(-g b t) - mu_0/b.  The box rests on four points."""
    place.write(ROUTINES)
    deck, sides = sliding_box(0.2, 1e-5)
    deck.rubbed_by_routine(sides, "USERCNF", "routines.py DAMPED\n1\n1e6,", "routines.py GROWING", (0.02, 0.1))
    results = place.run(deck)
    expected = (1.0 + 0.2) * np.exp(-G * 0.1 * results.times) - 0.2
    np.testing.assert_allclose(results.node("VX", 1), expected, rtol=0, atol=2e-4)
    lost = results.of("th/inter", "EFRIC", 1)[-1]
    assert lost == pytest.approx(1.0 - expected[-1] ** 2, rel=1e-3)


COULOMB = f"""
def CFFSUB{HEAD_F}:
    sign, errflg = py_step(xdot[0], -par[2], -1, par[2], 1, 0)
    [mu, errflg] = py_step(xdot[0], par[2], par[0], par[3], par[1], 0)
    return [-nforce * sign * mu, 0.0, 0.0]
"""


def test_coulomb_as_a_routine_is_the_built_in_law(place):
    """Static and dynamic friction, from sliding through the peak of the coefficient into creeping."""
    place.write(COULOMB)
    friction = (0.05, 0.01, 0.1, 0.5)
    found = []
    for by_routine in (True, False):
        deck = ContactDeck(0.5, 1e-4, 5e-3)
        _, box = deck.box((0.0, 0.0, 0.1 - 4.905e-6), 2.0, (0.4, 0.4, 0.2), (0.12, 0.0, 0.0), (0.0, 0.0, 0.0))
        sides = box, deck.solid("PLANE", 0)
        deck.gravity([1], "Z", -G)
        if by_routine:
            deck.rubbed_by_routine(sides, "IMPACT", "1e6, 1.0, 100.0, 1e-9", "routines.py", friction)
        else:
            deck.impact(sides, 1e6, 1.0, 100.0, 1e-9, friction, 1)
        found.append(place.run(deck))
    assert found[1].node("VX", 1)[-1] < 0.01
    np.testing.assert_allclose(found[0].node("VX", 1), found[1].node("VX", 1), rtol=0, atol=1e-9)
    for name in ("FTX", "EFRIC"):
        np.testing.assert_allclose(found[0].of("th/inter", name, 1), found[1].of("th/inter", name, 1), atol=1e-7)


def test_stiction_holds_a_box_that_a_routine_carries(place):
    place.write(ROUTINES)
    deck, sides = sliding_box(0.5, 1e-4, velocity=0.0)
    deck.gravity([1], "X", 0.2 * G)
    deck.routine(sides, "routines.py DAMPED", (1e6,), (0.3, 0.25, 1e-3, 1e-2, None, None), 4)
    results = place.run(deck)
    assert abs(results.node("X", 1)[-1]) < 2 * 0.2 * 2.0 * G / (14 / 17 * 4e6)
    assert abs(results.node("VX", 1)[-1]) < 1e-6


def test_bristles_hold_a_box_by_the_slip_that_friction_routines_get(place):
    """Friction -k x at each of four points is a spring of 4 k, which turns the box round after a quarter period."""
    place.write(ROUTINES)
    omega = 5.0
    deck, sides = sliding_box(2 * np.pi / omega, 5e-5)
    law = "routines.py DAMPED\n1\n1e6,"
    deck.rubbed_by_routine(sides, "USERCNF", law, "routines.py BRISTLES", (omega**2 * 2.0 / 4,))
    results = place.run(deck)
    position = results.node("X", 1)
    assert position.max() == pytest.approx(1 / omega, rel=2e-2)
    assert position.min() == pytest.approx(-1 / omega, rel=2e-2)
    assert abs(position[-1]) < 0.02 / omega


@pytest.mark.parametrize("dt", [2e-5, None])
def test_results_are_handed_over_at_each_sample(place, dt):
    place.write(POST)
    deck, sides = falling_ball(dt)
    deck.impact(sides, 1e5, 1.5, 20.0, 1e-4)
    deck.post(1, "routines.py")
    results = place.run(deck)
    first, *lines, last = (place.path / "routines.py.txt").read_text().splitlines()
    assert first == "begin" and float(last) == results.times[-1]
    told = np.array([eval(line) for line in lines])
    touching = results.of("th/inter", "NPATCH", 1) > 0
    assert touching.sum() > 5
    expected = np.stack([
        results.times[touching], results.of("th/inter", "PEN", 1)[touching], results.of("th/inter", "FNZ", 1)[touching],
    ], axis=1)  # fmt: skip
    np.testing.assert_array_equal(told, expected)


def test_results_are_the_same_bytes_for_any_number_of_threads_and_with_results_handed_over(place):
    place.write(AS_PYTHON + POST)
    found = []
    for function, (threads, post) in itertools.product(("CNFSUB", "SLOW"), ((1, False), (3, True))):
        deck = ContactDeck(0.15, None, 1e-3)
        floor = deck.solid("PLANE", 0)
        balls = [deck.ball((k, 0.0, 0.11 + 0.01 * k), 1.0, 0.1) for k in range(4)]
        for _, ball in balls:
            interface = deck.routine((ball, floor), f"routines.py {function}", (1e5, 1.5, 50.0, 1e-4))
            if post:
                deck.post(interface, "routines.py")
        deck.gravity([node for node, _ in balls], "Z", -G)
        results = place.run(deck, threads=threads)
        found.append(results.values["th/node"]["Z"])
    compiled, handed_over, slow, slow_handed_over = found
    assert compiled.tobytes() == handed_over.tobytes() and slow.tobytes() == slow_handed_over.tobytes()
    np.testing.assert_allclose(slow, compiled, rtol=0, atol=1e-12)


def test_first_touch_and_pen_max_work_with_routines(place):
    place.write(ROUTINES)
    deck, sides = falling_ball(1e-3)
    deck.zero_crossing = True
    deck.routine(sides, "routines.py LINEAR", (1e5,))
    results = place.run(deck)
    speed = results.node("VZ", 1)
    assert speed.max() == pytest.approx(-speed.min(), rel=5e-2)
    text = str(deck).replace("\n,\nroutines.py", "\n1e-4, 0.1, 0, 1e30\nroutines.py")
    assert text != str(deck)
    through = place.run(text)
    assert through.node("Z", 1)[-1] < 0.0


ASKED = f"""
ASKED = []


def CNFSUB{HEAD_N}:
    if gap < 0:
        ASKED.append((id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag))
    return [par[0] * max(-gap, 0.0), 0.0, 0.0]


def CFFSUB{HEAD_F}:
    if not iflag:
        ASKED.append((id, time, par, npar, loci, locj, x, xdot, nforce, dflag, iflag))
    return [0.0, 0.0, 0.0]
"""


def test_routines_get_places_and_normals_in_the_axes_of_the_solids(place):
    """A ball, its solid off the node and turned with it, on a floor that is turned about y."""
    place.write(ASKED)
    slope = np.radians(30.0)
    outward = np.array([np.sin(slope), 0.0, np.cos(slope)])
    deck = ContactDeck(1e-3, 1e-3, 1e-3)
    off = np.array([0.0, 0.02, 0.0])
    node = deck.free_body((0.3, 0.0, 0.0), 1.0, (1.0, 1.0, 1.0), tuple(-0.5 * outward + np.array([0.0, 0.25, 0.0])))
    ball = deck.solid("SPHERE", node, 0.1, centre=tuple(off))
    point = np.array([0.3, 0.0, 0.0]) + off - 0.1 * outward
    floor = deck.solid("PLANE", 0, *outward, centre=tuple(point + 1e-4 * outward))
    deck.rubbed_by_routine((ball, floor), "USERCNF", "routines.py\n2\n1e3, 7.0", "routines.py", (3.0,))
    results = place.run(deck)
    asked = results.simulation._user_code._forces[0]._python.__globals__["ASKED"]
    normal = next(call for call in asked if len(call) == 13 and call[9] != 0.0)
    friction = next(call for call in asked if len(call) == 11)
    assert normal[0] == friction[0] == 1 and normal[1] == friction[1] == 0.0
    assert (normal[2:4], friction[2:4]) == (([1e3, 7.0], 2), ([3.0], 1))
    np.testing.assert_allclose(normal[4], -(0.1 - 0.5e-4) * outward, atol=1e-12)  # the point is halfway
    np.testing.assert_allclose(normal[5], -outward, atol=1e-12)
    np.testing.assert_allclose(normal[7], [0.0, 0.0, 1.0], atol=1e-12)  # the floor's own z
    np.testing.assert_allclose(normal[6], [0.0, 0.0, -0.5e-4], atol=1e-12)
    assert normal[8:] == (pytest.approx(-1e-4), pytest.approx(-0.5), 0.0, False, False)
    np.testing.assert_allclose(friction[7], [0.25, 0.0, 0.0], atol=1e-12)
    assert friction[6] == [0.0, 0.0, 0.0] and friction[8:] == (pytest.approx(0.1), False, False)


# ---- what goes wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return [1e4 * gap / 0.0 if gap < 0.0 else 0.0, 0.0, 0.0]", "line 2, in CNFSUB: ZeroDivisionError: "),
        ("return [float('nan') if gap < 0.0 else 0.0, 0.0, 0.0]", "it gave (nan, 0.0, 0.0)"),
        ("return [0.0, 0.0, -1e5 * gap]", "and the two others must be 0"),
        ("return [0.0, 0.0, 0.0, 0.0]", "it returned [0.0, 0.0, 0.0, 0.0] in place of three numbers"),
        ("return -1e5 * gap", "in place of three numbers"),
        ("return [(gap * 1e5) ** 0.5, 0.0, 0.0]", "in place of three numbers"),
        ("if gap < 0.0:\n        raise ValueError('too deep')\n    return [0.0, 0.0, 0.0]", "ValueError: too deep"),
    ],
)
def test_a_routine_that_fails_ends_the_run_with_what_it_did(place, body, message):
    place.write(f"def CNFSUB{HEAD_N}:\n    {body}\n")
    deck, sides = falling_ball(1e-4)
    deck.routine(sides, "routines.py", ())
    with pytest.raises(SimulationError) as failed:
        place.run(deck)
    text = str(failed.value)
    assert message in text
    assert text.startswith("CNFSUB in routines.py, of /INTER/USERCNF/1 'contact', failed at t = 0.10")
    assert failed.value.partial is not None and 0.09 < failed.value.partial.times[-1] < failed.value.time < 0.11


def test_attracting_forces_count_as_none_and_that_is_said_once(place):
    place.write(ROUTINES)
    deck, sides = falling_ball(2e-5, t_end=0.3)
    deck.routine(sides, "routines.py DAMPED", (1e5,))
    results = place.run(deck)
    assert results.of("th/inter", "FNZ", 1).min() >= 0.0
    told = [text for text in results.simulation.messages if "attracting" in text]
    assert len(told) == 1 and "contacts do not pull, they count as 0" in told[0]


def test_results_that_a_routine_cannot_take_end_the_run(place):
    place.write(f"def CONTACTPOST{HEAD_R}:\n    if time > 0.05:\n        open('/nowhere/at/all')\n")
    deck, sides = falling_ball(2e-5)
    deck.impact(sides, 1e5, 1.5)
    deck.post(1, "routines.py")
    with pytest.raises(SimulationError, match=r"failed at t = 0\.051 s: routines\.py, line 3, in CONTACT"):
        place.run(deck)


def test_the_energy_of_an_overlap_by_a_routine_is_there_from_the_start(place):
    """K z^2.5/2.5 of F = K z^1.5, to 1e-5 by quadrature; afterwards it is kinetic energy."""
    stiffness, depth = 1e8, 1e-3
    deck = ContactDeck(0.02, 2e-6, 1e-3)
    _, ball = deck.ball((0.0, 0.0, 0.1 - depth), 1.0, 0.1)
    deck.routine((ball, deck.solid("PLANE", 0)), "routines.py HERTZ", [stiffness])
    place.write(ROUTINES)
    results, energy = place.run(deck), stiffness * depth**2.5 / 2.5
    assert results.of("th/inter", "EELAS", 1)[0] == pytest.approx(energy, rel=1e-5)
    assert results.scalar("energy", "kinetic_translational")[-1] == pytest.approx(energy, rel=1e-3)
