"""/INTER of the four laws and of TYPE6, friction, routines and histories."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw, PoissonLaw, VolumeLaw
from gsolve.parser.model import ContactInterface, CoulombFriction, UserRoutine
from parser_decks import deck, errors, read

SHAPES = "".join(f"/SURF/SPHERE_SOLID/{node}\nball\n{node}\n,\n0.1\n" for node in (1, 2, 3))
SHAPES += "/SURF/PLANE_SOLID/9\nfloor\n0\n,\n/SURF/SURF/10\nballs\n1,2,3\n"
ROUTINES = """
def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    raise RuntimeError("reading a deck runs nothing")

def any_number(*arguments):
    pass

CFFSUB = other = any_number

def CONTACTPOST(id, i_gra_id, j_gra_id, time, par, npar, iflag, endflg):
    pass

raise RuntimeError("reading a deck runs nothing")
"""


def inter(law: str, *cards: str, sides: str = "1,9", id: int = 1, limits: str = ",") -> str:
    return "\n".join((f"/INTER/{law}/{id}", "contact", sides, limits, *cards)) + "\n"


def read_contact(folder: Path, *blocks: str, **options: str) -> ContactInterface:
    model = read(folder, deck(SHAPES, *blocks, **options))  # type: ignore[arg-type]
    assert model.warnings == []
    (contact,) = model.contacts
    return contact


def test_defaults(tmp_path: Path) -> None:
    contact = read_contact(tmp_path, inter("POISSON", "1e6,0.5"))
    assert contact.law == PoissonLaw(1e6, 0.5, 1.0)
    assert contact.friction is None and contact.post is None
    assert (contact.master, contact.at_nodes, contact.exact, contact.zero_crossing) == ("AUTO", False, True, False)
    assert (contact.greatest_penetration, contact.curve_stability) == (math.inf, 0.1)
    assert (contact.t_start, contact.t_stop, contact.sensor_id) == (0.0, math.inf, 0)
    assert [contact.side_i.id, contact.side_j and contact.side_j.id] == [1, 9]


def test_columns_and_every_flag(tmp_path: Path) -> None:
    first = "".join(f"{value:10d}" for value in (10, 9, 3, 1, 1, 0, 5, 1))
    second = f"{0.01:20}{0.0:20}{0.5:20}{2.5:20}"
    sensor = "/SENSOR/TIME/5\nswitch\n0.1\n"
    block = f"/INTER/POISSON/4\ncontact\n{first}\n{second}\n{1e6:20}{0.0:20}{0.25:20}\n"
    contact = read_contact(tmp_path, sensor, block)
    assert (contact.master, contact.at_nodes, contact.exact, contact.zero_crossing) == ("I_AND_J", True, True, True)
    assert (contact.greatest_penetration, contact.curve_stability) == (0.01, 0.0)
    assert (contact.t_start, contact.t_stop, contact.sensor_id) == (0.5, 2.5, 5)
    assert contact.law == PoissonLaw(1e6, 0.0, 0.25)
    assert contact.side_i.shapes.tolist() == [0, 1, 2]


def test_all_against_all(tmp_path: Path) -> None:
    assert read_contact(tmp_path, inter("POISSON", "1e6,0.5", sides="10")).side_j is None
    assert errors(tmp_path, deck(SHAPES, inter("POISSON", "1e6,0.5", sides="1"))) == [
        "all solids of the interface are on the body of node 1: nothing can touch"
    ]


# 1 N/m^p is 1e3 kg mm/s2 / (1e3 mm)^p in kg, mm, s.
IN_MM = {"units": "kg,m,s", "work": "kg,mm,s"}


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5, 2.2])
def test_stiffness_is_converted_by_its_exponent(tmp_path: Path, exponent: float) -> None:
    impact = read_contact(tmp_path, inter("IMPACT", f"2e6,{exponent},30,0.001"), **IN_MM).law
    assert isinstance(impact, ImpactLaw)
    assert impact.stiffness == pytest.approx(2e6 * 1e3 / 1e3**exponent, rel=1e-14)
    assert (impact.exponent, impact.damping, impact.full_damping_depth) == (exponent, 30.0, 1.0)
    volume = read_contact(tmp_path, inter("VOLUME", f"2e6,3e6,0.1,0.2,{exponent}", "30"), **IN_MM).law
    assert isinstance(volume, VolumeLaw)
    per_volume = 1e3 / 1e3 ** (2.0 + exponent)
    assert volume.stiffness_i == pytest.approx(2e7 * per_volume, rel=1e-14)
    assert volume.stiffness_j == pytest.approx(1.5e7 * per_volume, rel=1e-14)
    assert volume.stiffness == pytest.approx(3e14 / 3.5e7 * per_volume, rel=1e-14)
    assert volume.damping == 30.0


def test_penalty_of_poisson_is_force_per_length_to_the_power_of_three_halves(tmp_path: Path) -> None:
    law = read_contact(tmp_path, inter("POISSON", "1.7945e10,0.5"), **IN_MM).law
    assert isinstance(law, PoissonLaw)
    assert law.stiffness == pytest.approx(1.7945e10 / math.sqrt(1000.0), rel=1e-14)
    assert law.transition_velocity == pytest.approx(1000.0)  # 1 in the units the deck is written in


def test_published_stiffness_of_layers(tmp_path: Path) -> None:
    """M = 292.33 GPa and layers of 100 mm on both sides: 1.4617e3 N/mm3; layers of 10 mm ten times that."""
    for depth, stiffness in ((100.0, 1.4617e3), (10.0, 1.4617e4)):
        layers = inter("VOLUME", f"292330,292330,{depth},{depth},1")
        law = read_contact(tmp_path, layers, units="Mg,mm,s").law
        assert isinstance(law, VolumeLaw)
        assert law.stiffness == pytest.approx(stiffness, rel=5e-5)


def test_friction(tmp_path: Path) -> None:
    def read_friction(kind: int, *cards: str) -> object:
        return read_contact(tmp_path, inter("POISSON", "1e6,0.5", *cards, sides=f"1,9,0,0,0,{kind}")).friction

    assert read_friction(1, "0.3,0.2,0.01,0.1") == CoulombFriction("STATIC_AND_DYNAMIC", 0.3, 0.2, 0.01, 0.1)
    assert read_friction(1, "0.3,0.3,0.1,0.1") == CoulombFriction("STATIC_AND_DYNAMIC", 0.3, 0.3, 0.1, 0.1)
    assert read_friction(2, ",0.2,,0.1") == CoulombFriction("DYNAMIC", 0.2, 0.2, 0.1, 0.1)
    assert read_friction(4, "0.3,0.2,0.01,0.1") == CoulombFriction("STICTION", 0.3, 0.2, 0.01, 0.1)
    assert read_friction(4, "0.3,0.2,0.01,0.1", "1e5,0") == CoulombFriction("STICTION", 0.3, 0.2, 0.01, 0.1, 1e5, 0.0)


def test_impact_without_damping_needs_no_dmax(tmp_path: Path) -> None:
    law = read_contact(tmp_path, inter("IMPACT", "1e6,1.5")).law
    assert isinstance(law, ImpactLaw)
    assert law.damping == 0.0


@pytest.mark.parametrize(
    ("card", "file", "function"),
    [
        ("routines.py CNFSUB", "routines.py", "CNFSUB"),
        ("routines.py", "routines.py", "CNFSUB"),
        ("routines.py, any_number", "routines.py", "any_number"),
        ("my routines.py   other", "my routines.py", "other"),
        ("sub/routines.py", "sub/routines.py", "CNFSUB"),
        ("library.so force", "library.so", "force"),
    ],
)
def test_routines_are_found_and_not_run(tmp_path: Path, card: str, file: str, function: str) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("routines.py", "my routines.py", "sub/routines.py"):
        (tmp_path / name).write_text(ROUTINES)
    (tmp_path / "library.so").write_bytes(b"\x7fELF")
    law = read_contact(tmp_path, inter("USERCNF", card, "7", "1,2,,4,5", "6,7")).law
    assert isinstance(law, UserRoutine)
    assert (law.file, law.function) == (str(tmp_path / file), function)
    assert law.kind == ("LIBRARY" if file.endswith(".so") else "PYTHON")
    assert law.parameters.tolist() == [1, 2, 0, 4, 5, 6, 7]


def test_routines_for_friction_and_results(tmp_path: Path) -> None:
    (tmp_path / "routines.py").write_text(ROUTINES)
    cards = ("1e6,0.5", "routines.py", "1", "0.25")
    post = "/INTER/POST/1\nresults\nroutines.py\n"
    contact = read_contact(tmp_path, post, inter("POISSON", *cards, sides="1,9,0,0,0,3"))
    assert isinstance(contact.friction, UserRoutine) and contact.post is not None
    assert (contact.friction.function, contact.friction.parameters.tolist()) == ("CFFSUB", [0.25])
    assert (contact.post.function, contact.post.parameters.tolist()) == ("CONTACTPOST", [])


def test_a_routine_stands_beside_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "routines.py").write_text(ROUTINES)
    (tmp_path / "parts" / "contact.inc").write_text(inter("USERCNF", "routines.py"))
    law = read_contact(tmp_path, "#include parts/contact.inc\n").law
    assert isinstance(law, UserRoutine)
    assert Path(law.file) == tmp_path / "parts" / "routines.py"


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def CNFSUB(id\n    return 0\n")
    (message,) = errors(tmp_path, deck(SHAPES, inter("USERCNF", "broken.py")))
    assert message.startswith("broken.py, line 1 is not Python: ")


FORCE = "/FUNCT/1\nforce\n0,0\n1,100\n/FUNCT/2\nunloading\n0,0\n1,10\n"


def test_force_curve_of_a_radioss_deck(tmp_path: Path) -> None:
    rows = (
        f"{1:10d}{9:10d}",
        f"{5.0:20}{0.2:20}{0.01:20}{0.1:20}{2.0:20}",
        f"{'':10}{0:10d}{0:10d}{5:10d}{1:10d}{2:10d}{100.0:20}{2.0:20}",
        f"{1:10d}{1:10d}{0.5:20}{3.0:20}{1:10d}",
        f"{2:10d}{'':10}{1e6:20}{4.0:20}",
        f"{7.0:20}{1:10d}{2:10d}{6.0:20}",
    )
    block = "\n".join(("/INTER/TYPE6/3", "force curve", *rows)) + "\n"
    model = read(tmp_path, deck(SHAPES, FORCE, block))
    (found,) = model.force_curve_contacts
    assert (found.loading_function, found.penetration_scale, found.force_scale) == (1, 0.5, 3.0)
    assert (found.formulation, found.unloading_function) == (1, 2)
    assert (found.unloading_stiffness, found.unloading_scale) == (1e6, 4.0)
    assert (found.viscosity, found.damping_by_velocity, found.damping_by_force, found.damping_scale) == (7, 1, 2, 6)
    assert (found.friction_force, found.friction, found.gap, found.t_start, found.t_stop) == (5, 0.2, 0.01, 0.1, 2)
    assert (found.friction_by_force, found.friction_by_velocity) == (1, 2)
    assert (found.force_abscissa, found.velocity_abscissa) == (100.0, 2.0)
    assert (found.reduce_gap, found.adjust_force) == (True, True)
    assert model.warnings == []


def test_force_curve_of_an_old_deck_has_four_cards(tmp_path: Path) -> None:
    rows = (
        f"{1:10d}{9:10d}",
        f"{'':20}{0.2:20}{0.01:20}{0.0:20}{2.0:20}",
        f"{'':10}{0:10d}{0:10d}",
        f"{1:10d}{'':10}{0.5:20}{3.0:20}",
    )
    begin = "#RADIOSS STARTER\n/BEGIN\nold\n        90         0\n"
    units = "/UNIT/MASS/1\n/UNIT/LENGTH/1\n/UNIT/TIME/1\n"
    text = deck(SHAPES, FORCE, "\n".join(("/INTER/TYPE6/3", "force curve", *rows)) + "\n")
    text = begin + units + text[text.index("/NODE") :]
    (found,) = read(tmp_path, text).force_curve_contacts
    assert (found.loading_function, found.force_scale, found.friction, found.viscosity) == (1, 3.0, 0.2, 0.0)


def test_histories_of_interfaces(tmp_path: Path) -> None:
    block = inter("POISSON", "1e6,0.5")
    model = read(
        tmp_path,
        deck(SHAPES, block, "/TH/INTER/1\nall\nDEF\n", "/TH/INTER/2\npairs\nFN        PEN       PAIRS\n1\n"),
    )
    first, second = model.history_requests
    assert (first.family, first.variables, first.items.tolist(), first.by_pairs) == ("INTER", [], [], False)
    assert (second.variables, second.items.tolist()) == (["FNX", "FNY", "FNZ", "PEN"], [1])
    assert second.by_pairs


@pytest.mark.parametrize(
    ("kind", "cards", "where", "expected"),
    [
        ("PLANE", ("0,0,1", "0,0,2"), (0, 0, 1), [4, 5]),
        ("PLANE", ("0,0,1", "0,0,0"), (0, 0, 1), [1, 2, 3, 4]),
        ("CYL", ("1,0,0", "1,0,1"), (1, 0, 0), [1, 3, 4]),
        ("PARAL", ("-1,-1,-1", "2,-1,-1", "-1,0.5,-1"), (-1, -1, -1), [1, 2]),
    ],
)
def test_walls_hold_the_nodes_in_front_of_them(
    tmp_path: Path, kind: str, cards: tuple[str, ...], where: tuple[float, ...], expected: list[int]
) -> None:
    block = "\n".join((f"/RWALL/{kind}/1", "wall", ",", "1.5,,0.2", *cards)) + "\n"
    model = read(tmp_path, deck(block))
    (wall,) = model.rigid_walls
    assert wall.point.tolist() == list(where)
    assert np.linalg.norm(wall.normal) == pytest.approx(1.0)
    assert model.nodes.ids[wall.nodes].tolist() == expected


def test_a_moving_wall_has_mass_and_velocity_of_its_own(tmp_path: Path) -> None:
    group = "/GRNOD/NODE/1\nsome\n1,3\n/GRNOD/NODE/2\nothers\n4,\n"
    block = "/RWALL/SPHER/6\nball\n2,2,1,2\n1.7,0.3,0.4,0.5,1\n10,0,0,-5\n"
    model = read(tmp_path, deck(group, block))
    (wall,) = model.rigid_walls
    assert (wall.kind, wall.mode, wall.node, wall.radius, wall.friction) == ("SPHER", "FRICTION", 1, 0.2, 0.3)
    assert (wall.filter_factor, wall.filter_kind) == (0.5, 1)
    assert wall.point.tolist() == [1, 0, 0]
    assert model.nodes.ids[wall.nodes].tolist() == [1, 3]
    (mass,), (velocity,) = model.added_masses, model.initial_velocities
    assert (mass.nodes.tolist(), mass.masses.tolist()) == ([1], [10])
    assert velocity.translational is not None
    assert (velocity.nodes.tolist(), velocity.translational.tolist()) == ([1], [[0, 0, -5]])


def test_walls_hold_bodies_that_say_so(tmp_path: Path) -> None:
    group = "/GRNOD/NODE/1\nsecondary\n2,3\n"
    wall = "/RWALL/PLANE/1\nfloor\n,\n5.0\n0,0,-1\n0,0,0\n"
    for flag, expected in ((0, [1, 4, 5]), (1, [1, 2, 3, 4, 5])):
        body = f"/RBODY/1\nbody\n1,0,0,3,1.0,1,{flag}\n1,1,1\n,\n"
        model = read(tmp_path, deck(group, body, wall))
        assert model.nodes.ids[model.rigid_walls[0].nodes].tolist() == expected
        assert len(model.warnings) == (1 if flag == 0 else 0)


@pytest.mark.parametrize("kind, cards", [(1, ["0.5,0.4,1,10", "2,0.1"]), (4, ["0.5,0.4,1,10", ",", "2,0.1"])])
def test_friction_of_spinning_and_rolling(tmp_path: Path, kind: int, cards: list[str]) -> None:
    """Two lengths, on the last card of friction; 0 where that is not there."""
    sides = f"1,9,0,0,0,{kind}"
    friction = read_contact(tmp_path, inter("POISSON", "1e6,0.5", *cards, sides=sides), **IN_MM).friction
    assert isinstance(friction, CoulombFriction)
    assert (friction.patch_radius, friction.rolling_arm) == pytest.approx((2e3, 1e2), rel=1e-14)
    friction = read_contact(tmp_path, inter("POISSON", "1e6,0.5", cards[0], sides=sides)).friction
    assert isinstance(friction, CoulombFriction)
    assert (friction.patch_radius, friction.rolling_arm, friction.tangential_stiffness) == (0.0, 0.0, None)


@pytest.mark.parametrize("card, field", [("-2,0.1", "r_patch"), ("2,-0.1", "arm_roll")])
def test_radius_and_arm_of_friction_are_not_negative(tmp_path: Path, card: str, field: str) -> None:
    block = inter("POISSON", "1e6,0.5", "0.5,0.4,1,10", card, sides="1,9,0,0,0,1")
    (message,) = errors(tmp_path, deck(SHAPES, block))
    assert message == f"{field} must not be negative"
