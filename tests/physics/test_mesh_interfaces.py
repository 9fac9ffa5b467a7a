"""What interfaces of meshes do and write beside those of exact solids, and beside closed forms."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from deck_text import Vector
from gsolve.parser.model import HistoryRequest, Model
from gsolve.solver.contact import mesh_setup
from gsolve.solver.geometry.mesh.pair_records import new_scratch
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, CYLINDER, SPHERE
from gsolve.solver.run.contact_warnings import ContactWarnings
from mesh_parts import collision
from running import run
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from stub_models import StubWhere
from test_hunt_crossley import rebound

STEEL = (4e-3, 4e-3, 4e-3)  # principal moments of inertia of 1 kg
RADIUS = 0.05
# A brick of 2 kg on a rigid wall, by its nodes; on the skin of the brick, a mesh, a slab of 1 kg.
BRICK_ON_WALL = """#RADIOSS STARTER
/BEGIN
brick
2022, 0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0.05
2, 0, 0, 0.15
10, -0.05, -0.05, 0
11, 0.05, -0.05, 0
12, 0.05, 0.05, 0
13, -0.05, 0.05, 0
14, -0.05, -0.05, 0.1
15, 0.05, -0.05, 0.1
16, 0.05, 0.05, 0.1
17, -0.05, 0.05, 0.1
/GRNOD/GENE/5
corners
10, 17
/RBODY/1
brick, whose nodes meet walls: Ikrem 1
1, 0, 0, 3, 2, 5, 1
0.01, 0.01, 0.01
0, 0, 0
/RBODY/2
slab
2, 0, 0, 3, 1
0.01, 0.01, 0.01
0, 0, 0
/PART/1
skin
1, 1
/MAT/VOID/1
void
/PROP/VOID/1
void
/BRICK/1
1, 10, 11, 12, 13, 14, 15, 16, 17
/SURF/PART/EXT/1
skin of the brick
1
/SURF/BOX_SOLID/2
slab
2
0, 0, 0
0.2, 0.2, 0.1
/INTER/IMPACT/1
slab on brick
1, 2
,
1e7, 1, 2000, 1e-7
/RWALL/PLANE/1
floor
0, 0, 5
0, 0, 0
0, 0, 0
0, 0, 1
/GRNOD/NODE/1
both
1, 2
/GRAV/1
down
0, Z, 0, 0, 1, 1, -10
/TH/INTER/1
all
DEF
1
/TH/RWALL/1
all
DEF
1
/RUN/brick/1
0.05
/DTIX
1e-4 1e-4
/TFILE
1e-3
"""
GROUND = 0.3, 0.3, 0.05  # half lengths
ROUTINES = """
SEEN = []


def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    if not iflag:
        SEEN.append([list(loci), list(ni), list(locj), list(nj), gap, gapdot])
    return [-par[0] * gap, 0.0, 0.0]


def CFFSUB(id, time, par, npar, loci, locj, x, xdot, nforce, dflag, iflag):
    return [-par[0] * nforce, 0.0, 0.0]


def CONTACTPOST(id, i_gra_id, j_gra_id, time, par, npar, iflag, endflg):
    if iflag:
        return
    n, wrong = py_get_ncontacts(id, i_gra_id, j_gra_id)
    results = [n]
    for name in ("PD", "POS", "NORMAL_FORCE", "TANGENTIAL_FORCE"):
        results.append(py_get_contact_post(id, i_gra_id, j_gra_id, name, 0, 1)[0])
    if endflg:
        with open(__file__ + ".txt", "w") as stream:
            stream.write(repr([SEEN[0], results]))
"""


def ground(deck: ContactDeck, meshed: bool) -> int:
    """Its top is z = 0."""
    if not meshed:
        return deck.solid("PLANE", 0)
    return deck.mesh(0, tessellate(BOX, GROUND, 0.1), centre=(0.0, 0.0, -GROUND[2]))


def ball(
    deck: ContactDeck, height: float, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0), *, meshed: bool = True
) -> tuple[int, int]:
    """Of 1 kg with its lowest point at a height; node and surface."""
    node = deck.free_body((0.0, 0.0, RADIUS + height), 1.0, STEEL, velocity, spin)
    if not meshed:
        return node, deck.solid("SPHERE", node, RADIUS)
    turned = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix()
    return node, deck.mesh(node, tessellate(SPHERE, (RADIUS, 0.0, 0.0), 0.008).moved(turned, np.zeros(3)))


def first_touch(deck: ContactDeck, dt: float) -> float:
    """Of a step that is cut there: what is left of it, by which the next one is longer, is the second part."""
    stretch = run(deck).simulation._assembly.system.subsystems["stretch"].max()
    return float(dt - dt / stretch)


# ---- first touch -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meshed", [False, True])
def test_a_step_ends_where_a_meshed_ball_touches_first(meshed):
    dt, gap, speed, weight = 1e-3, 1.1e-3, 2.0, 9.81
    deck = ContactDeck(dt, dt, dt)
    deck.zero_crossing = True
    node, surface = ball(deck, gap, (0.3, 0.1, -speed), (20.0, -10.0, 5.0))
    deck.gravity([node], "Z", -weight)
    deck.impact((surface, ground(deck, meshed)), 1e5, 1.0)
    fall = (math.sqrt(speed**2 + 2.0 * weight * gap) - speed) / weight
    assert first_touch(deck, dt) == pytest.approx(fall, abs=1e-6 / speed)  # a micrometre of the ball


@pytest.mark.parametrize("meshed", [False, True])
def test_a_step_ends_where_a_corner_of_a_box_that_turns_touches_first(meshed):
    dt, half, spin, speed, height = 2e-3, np.array([0.05, 0.06, 0.04]), np.array([20.0, 30.0, -10.0]), 1.0, 0.0873
    attitude = Rotation.from_rotvec([0.7, 0.5, 0.2])
    deck = ContactDeck(dt, dt, dt)
    deck.zero_crossing = True
    node = deck.free_body((0.0, 0.0, height), 1.0, STEEL, (0.0, 0.0, -speed), tuple(spin.tolist()))
    box = deck.mesh(node, tessellate(BOX, tuple(half.tolist()), 0.03).moved(attitude.as_matrix(), np.zeros(3)))
    deck.impact((box, ground(deck, meshed)), 1e5, 1.0)
    corners = half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])

    def lowest(t: float) -> float:
        return height - speed * t + (Rotation.from_rotvec(spin * t) * attitude).apply(corners)[:, 2].min()

    assert lowest(0.0) > 0.0 > lowest(dt)
    assert first_touch(deck, dt) == pytest.approx(brentq(lowest, 0.0, dt), abs=1e-6 * dt)


def test_a_step_is_cut_as_ever_where_only_the_poses_ahead_need_longer_buffers(monkeypatch):
    """A load, of which those poses know nothing, keeps the ball off the ground."""
    dt, found = 1e-3, []
    for short in (False, True):
        deck = ContactDeck(dt, dt, dt)
        deck.zero_crossing = True
        node, surface = ball(deck, 1.1e-3, (0.0, 0.0, -2.0))
        deck.load(node, "Z", 1e4)
        deck.impact((surface, ground(deck, meshed=True)), 1e5, 1.0)
        if short:
            monkeypatch.setattr(mesh_setup, "new_scratch", lambda: new_scratch(1, 1))
        found.append(first_touch(deck, dt))
    assert found[0] == found[1] == pytest.approx(1.1e-3 / 2.0, rel=1e-3)


def test_a_meshed_ball_bounces_as_an_exact_one_where_steps_are_cut():
    """A law that damps, whose first kick depends on where in the step the touch is."""
    speeds, steps = {}, (1e-4, 1.031e-4)
    for meshed in (False, True):
        for cut in (False, True):
            for dt in steps:
                deck = ContactDeck(0.012, dt, 0.012)
                deck.zero_crossing = cut
                node, surface = ball(deck, 3e-3, (0.0, 0.0, -2.0), (5.0, 0.0, 0.0), meshed=meshed)
                deck.impact((surface, ground(deck, meshed=False)), 4e5, 1.0, 200.0, 1e-4)
                speeds[meshed, cut, dt] = run(deck).node("VZ", node)[-1]
    for dt in steps:
        assert speeds[True, True, dt] == pytest.approx(speeds[False, True, dt], rel=2e-4)
        assert speeds[True, True, dt] != speeds[True, False, dt]


# ---- laws and friction -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meshed", [False, True])
def test_hunt_crossley_gives_back_of_a_mesh_what_its_integral_says(meshed):
    deck, speed, c = ContactDeck(0.012, 2e-5, 1e-3), 2.0, 0.2
    node, surface = ball(deck, 1e-4, (0.0, 0.0, -speed))
    deck.hunt_crossley((surface, ground(deck, meshed)), 1e7, 1.5, c)
    assert run(deck).node("VZ", node)[-1] / speed == pytest.approx(rebound(1.5 * c * speed), rel=5e-4)


def test_a_meshed_box_on_an_incline_holds_and_creeps_by_nothing():
    """As an exact one of the same stiffness does."""
    for meshed in (False, True):
        deck = ContactDeck(0.3, 1e-4, 0.1)
        node = deck.free_body((0.0, 0.0, 0.02 - 8.77e-6), 1.0, STEEL)
        box = deck.mesh(node, tessellate(BOX, (0.15, 0.1, 0.02), 0.05)) if meshed else None
        box = box or deck.solid("BOX", node, 0.3, 0.2, 0.04)
        deck.load(node, "Z", -8.77)
        deck.load(node, "X", 4.0)
        stiffness, damping = (1e6, 600.0) if meshed else (2.5e5, 150.0)  # one patch, or four points
        deck.impact((box, ground(deck, meshed)), stiffness, 1.0, damping, 1e-6, (0.5, 0.4, 1e-3, 1e-2), 4)
        place = run(deck).node_vector("", node)
        assert np.linalg.norm(place[-1] - place[-2]) < 1e-11
        assert 4e-6 < place[-1, 0] < 3.5e-5  # 4 N over the springs of friction at least


# ---- what is written and handed on -------------------------------------------------------------------------------


def test_a_patch_is_written_as_the_points_of_an_exact_cylinder():
    """Pressed on the ground and turned: force, point, area, depth and moments."""
    found, load, twist = [], 50.0, 0.8
    for meshed in (False, True):
        deck = ContactDeck(0.1, None, 0.1)
        node = deck.free_body((0.02, 0.01, 0.03), 1.0, STEEL)
        solid = deck.mesh(node, tessellate(CYLINDER, (0.06, 0.06, 0.03), 0.01)) if meshed else None
        solid = solid or deck.solid("CYLINDER", node, 0.06, 0.06)
        deck.load(node, "Z", -load)
        deck.load(node, "ZZ", twist)
        friction = (0.5, 0.4, 1e-3, 1e-2)
        stiffness, damping = (4e6, 4e3) if meshed else (1e6, 1e3)
        deck.impact((solid, ground(deck, meshed)), stiffness, 1.0, damping, 1e-9, friction, 4)
        results = run(deck, edit=by_pairs)
        found.append({name: results.of("th/inter", name, 1)[-1] for name in results.values["th/inter"]})
        pairs = results.values["th/inter_pairs"]
        for name in ("FNZ", "PEN", "AREA", "NPATCH", "MZ", "PX"):
            assert pairs[name][-1, 0] == pytest.approx(found[-1][name], rel=1e-12)
    exact, mesh = found
    assert (exact["NPATCH"], mesh["NPATCH"]) == (4, 1)
    for of in found:
        assert of["FNZ"] == pytest.approx(load, rel=1e-6)
        assert (of["MZ"], of["MN"]) == pytest.approx((-twist, -twist), rel=1e-6)
        assert (of["PX"], of["PY"]) == pytest.approx((0.02, 0.01), abs=1e-6)
        assert of["EELAS"] == pytest.approx(exact["EELAS"], rel=0.3)
    assert exact["AREA"] == pytest.approx(math.pi * 0.06**2, rel=1e-3)
    assert mesh["AREA"] == pytest.approx(math.pi * 0.06**2, rel=1e-2)  # of the facets
    assert mesh["PEN"] * 4e6 * mesh["PEN"] == pytest.approx(load * mesh["PEN"], rel=0.5)


def by_pairs(model: Model) -> None:
    """Ask for pairs of bodies."""
    where, ids = StubWhere("/TH/INTER", 90), np.zeros(0, np.int64)
    model.history_requests.append(HistoryRequest(90, "", where, "INTER", [], ids, [], [], by_pairs=True))


@pytest.mark.parametrize("meshed", [False, True])
def test_routines_get_place_normal_and_rate_of_a_patch(meshed):
    """In the axes of the two solids, and all results of it; a mesh has its axes in the middle of its box."""
    depth, speed = 1e-4, 0.2
    deck = ContactDeck(1e-6, 1e-6, 1e-6)
    (deck.folder / "routines.py").write_text(ROUTINES)
    _, surface = ball(deck, -depth, (0.3, 0.0, -speed))
    sides = f"{surface}, {ground(deck, meshed)}, 0, 0, 0, 3"
    law, friction = ("routines.py CNFSUB", "1", "1e6"), ("routines.py CFFSUB", "1", "0.5")
    deck.block("/INTER/USERCNF/1", "contact", sides, ",", *law, *friction)
    deck.post(1, "routines.py CONTACTPOST")
    results = run(deck)
    given, post = ast.literal_eval((deck.folder / "routines.py.txt").read_text())
    on_ball, out_of_ball, on_ground, out_of_ground, gap, rate = given
    low = RADIUS - 0.5 * depth
    assert on_ball == pytest.approx([0.0, 0.0, -low], abs=3e-5)
    assert (out_of_ball, out_of_ground) == (pytest.approx([0, 0, -1], abs=1e-3), pytest.approx([0, 0, 1], abs=1e-3))
    middle = GROUND[2] if meshed else 0.0
    assert on_ground == pytest.approx([0.0, 0.0, middle - 0.5 * depth], abs=3e-5)
    assert gap == pytest.approx(-depth, abs=1e-6)
    assert rate in (0.0, pytest.approx(-speed, rel=1e-3))
    number, penetration, place, normal, tangential = post
    assert number == 1 and penetration == pytest.approx(depth, rel=1e-2)
    assert list(place)[:2] == pytest.approx([0.0, 0.0], abs=3e-5)
    assert list(normal) == pytest.approx([0.0, 0.0, 100.0], rel=1e-2, abs=0.1)
    assert list(tangential) == pytest.approx([-50.0, 0.0, 0.0], rel=1e-2, abs=0.1)
    assert results.of("th/inter", "FTX", 1)[-1] == pytest.approx(-50.0, rel=1e-2)


# ---- broad phase -------------------------------------------------------------------------------------------------


def touching(surfaces: str) -> list[tuple[int, int]]:
    """Pairs of bodies that touch among meshes and solids in a row of one interface, each 1e-4 within the next."""
    deck, parts = ContactDeck(1e-6, 1e-6, 1e-6), []
    for k, kind in enumerate(surfaces):
        node = deck.free_body((k * (2.0 * RADIUS - 1e-4), 0.0, 0.0), 1.0, STEEL)
        if kind == "m":
            parts.append(deck.mesh(node, tessellate(SPHERE, (RADIUS, 0.0, 0.0), 0.008)))
        elif kind == "b":
            parts.append(deck.solid("BOX", node, *(3 * (2.0 * RADIUS,))))
        else:
            parts.append(deck.solid("SPHERE", node, RADIUS))
    deck.impact((deck.together(parts), 0), 1e6, 1.0)
    results = run(deck, edit=by_pairs)
    family = next(f for f in results.simulation.families if f.group == "th/inter_pairs")
    labels = {label.name: np.asarray(label.values).tolist() for label in family.labels}
    pairs = list(zip(labels["body_i"], labels["body_j"], strict=True))
    return [pairs[k] for k in np.flatnonzero(results.values["th/inter_pairs"]["NPATCH"][-1] > 0)]


def test_all_neighbours_in_a_row_of_meshes_and_solids_touch_and_no_others():
    assert sorted(touching("mmsmbbsm")) == [(k, k + 1) for k in range(1, 8)]


# ---- triangles that are too long ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("edge", "node_mode", "told"), [(0.03, 0, True), (0.008, 0, False), (0.008, 1, True)])
def test_a_run_says_where_triangles_are_too_long_for_the_penetration(edge, node_mode, told):
    """And by how much the depth is off, which it is at most."""
    depth = 3e-4
    deck = ContactDeck(1e-5, 1e-5, 1e-5)
    deck.node_mode = node_mode
    node = deck.free_body((0.0, 0.0, RADIUS - depth), 1.0, STEEL)
    turned = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix()
    surface = deck.mesh(node, tessellate(SPHERE, (RADIUS, 0.0, 0.0), edge).moved(turned, np.zeros(3)))
    deck.impact((surface, ground(deck, meshed=False)), 1e6, 1.0)
    results = run(deck)
    warnings = [warning for warning in results.simulation.new_warnings if "are long for" in warning.message]
    assert len(warnings) == told
    for warning in warnings:
        said = float(warning.message.split("may be off by ")[1].split()[0])
        assert abs(results.of("th/inter", "PEN", 1)[0] - depth) < 1.2 * said < 2.0 * depth
        assert "/SURF/MESH/1 'mesh'" in warning.message and "/SURF/PLANE_SOLID/2 'solid'" in warning.message
        assert ("node_mode 0" in warning.hint) == (node_mode == 1)


def test_a_wall_holds_a_meshed_body_by_its_nodes_and_what_lies_on_its_mesh(tmp_path):
    path = tmp_path / "brick.rad"
    path.write_text(BRICK_ON_WALL)
    results = run(path)
    assert results.of("th/rwall", "NNODE", 1)[-1] == 4
    assert results.of("th/rwall", "FNZ", 1)[-1] == pytest.approx(-30.0, rel=1e-6)
    assert abs(results.of("th/inter", "FNZ", 1)[-1]) == pytest.approx(10.0, rel=1e-6)


# ---- what may be missed ------------------------------------------------------------------------------------------


def test_places_that_are_left_out_are_told_of():
    """Once an interface, and not where nothing was."""
    results = run(collision("frustum", "frustum", 4, every=4e-4))
    assert not [w for w in results.simulation.new_warnings if "no contact was found" in w.message]
    system = results.simulation._system
    pair = system.contacts.meshes.pairs.pairs[0]
    pair["exhausted"], pair["astray"], pair["lost"] = 1, 2, 3
    warnings = ContactWarnings(results.model)
    told, again = warnings.at_end(system), warnings.at_end(system)
    one, other = results.model.meshes
    assert [w.message for w in told] == [
        f"{one.name} and {other.name} may touch where no contact was found: 3 times the search for the nearest "
        "triangle ran out of steps, 2 times a deepest place was left out as the triangle found below it is far away, "
        "once one was left out as there was always another edge that cuts it off"
    ]
    assert not again
