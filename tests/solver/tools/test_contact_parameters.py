"""`gsolve contact-parameters`: formulas, tables, cards, and what a person is told."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.parser import read_deck
from gsolve.parser.keywords.contact_laws import ImpactLaw, PoissonLaw, VolumeLaw
from gsolve.parser.model import CoulombFriction, Model
from gsolve.solver.cli.program import gsolve
from gsolve.solver.tools import contact_parameters as tables
from gsolve.solver.tools.contact_parameters import Material

STEEL = Material("steel", 200e9, 0.3)
OWN = ("--young-i", "200", "--poisson-i", "0.3")


def call(*arguments: str) -> str:
    done = CliRunner().invoke(gsolve, ["contact-parameters", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def complaint(*arguments: str) -> str:
    done = CliRunner().invoke(gsolve, ["contact-parameters", *arguments])
    assert done.exit_code == 2
    return done.stderr.split("Error: ")[1].strip()


def values(*arguments: str) -> dict[str, object]:
    return json.loads(call(*arguments, "--json"))


def pasted(folder: Path, cards: str, units: str) -> Model:
    """The deck that one gets by pasting the cards."""
    head = f"/BEGIN\npasted\n2022\n{units}\n{units}\n/NODE\n1,0,0,1\n"
    solids = "/SURF/SPHERE_SOLID/1\nball\n1\n,\n1\n/SURF/PLANE_SOLID/2\nplane\n0\n,\n"
    path = folder / "pasted.rad"
    path.write_text(head + solids + cards + "/END\n/RUN/pasted/1\n1.0\n")
    return read_deck(path)


# Formulas


def test_published_stiffness_of_two_steel_balls():
    """R = 30 mm, E = 200 GPa, nu = 0.3: 1.7945e10 N/m^1.5, which is 5.675e5 N/mm^1.5."""
    assert tables.hertz_stiffness(STEEL, STEEL, tables.effective_radius(0.03, 0.03)) == pytest.approx(
        1.7945e10, rel=3e-5
    )
    found = values("steel", "--radius-i", "30", "--radius-j", "30", *OWN, "--units", "Mg,mm,s")
    assert found["stiffness"] == pytest.approx(5.675e5, rel=1e-4)


def test_published_stiffness_of_layers():
    """M = 292.33 GPa, d = 100 mm: 1.4617e3 N/mm3; d = 10 mm ten times that."""
    for depth, stiffness in ((0.1, 1.4617e12), (0.01, 1.4617e13)):
        one = 292.33e9 / depth
        assert tables.in_series(one, one) == pytest.approx(stiffness, rel=5e-5)


def test_wave_modulus_is_bulk_modulus_and_four_thirds_of_shear_modulus():
    """Steel of K = 160 and G = 79 GPa has M = 265.33 GPa; the same from E and nu."""
    bulk, shear = 160e9, 79e9
    young, poisson = 9 * bulk * shear / (3 * bulk + shear), (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear))
    steel = Material("steel", young, poisson)
    assert (steel.bulk_modulus, steel.shear_modulus) == pytest.approx((bulk, shear), rel=1e-14)
    assert steel.wave_modulus == pytest.approx(265.33e9, rel=2e-5)
    closed_form = young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson))
    assert steel.wave_modulus == pytest.approx(closed_form, rel=1e-14)


def test_hertz_force_is_the_integral_of_its_pressure():
    """p = p_0 sqrt(1 - r^2/a^2) with a^2 = R z and p_0 = 2 E* a/(pi R) carries (4/3) E* sqrt(R) z^1.5."""
    radius, depth = 0.02, 1e-5
    modulus = tables.effective_modulus(STEEL, STEEL)
    patch = math.sqrt(radius * depth)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    r = 0.5 * patch * (nodes + 1.0)
    pressure = 2.0 * modulus * patch / (math.pi * radius) * np.sqrt(1.0 - (r / patch) ** 2)
    force = float(np.sum(0.5 * patch * weights * pressure * 2.0 * math.pi * r))
    assert tables.hertz_stiffness(STEEL, STEEL, radius) * depth**1.5 == pytest.approx(force, rel=1e-6)


def test_line_of_contact_is_that_of_rollers_of_steel():
    """Palmgren for steel, in N and mm: z = 3.84e-5 F^0.9/l^0.8, the usual figure for roller bearings."""
    bearing_steel = Material("bearing steel", 206e9, 0.3)
    force, length = 5000.0, 12.0
    found = tables.line_stiffness(bearing_steel, bearing_steel, length * 1e-3) * 1e-3**tables.LINE_EXPONENT
    assert (force / found) ** 0.9 == pytest.approx(3.84e-5 * force**0.9 / length**0.8, rel=0.01)


def test_a_hollow_is_stiffer_than_a_plane_and_a_plane_than_a_ball():
    assert tables.effective_radius(0.01, math.inf) == 0.01
    assert tables.effective_radius(0.01, -0.02) == pytest.approx(0.02)
    assert tables.effective_radius(0.01, 0.01) == pytest.approx(0.005)


def test_restitution_of_two_materials_lies_between_and_nearer_to_that_of_the_softer():
    rubber = Material("rubber", 5e6, 0.499)
    assert tables.mixed_restitution(STEEL, STEEL, 0.9, 0.9) == pytest.approx(0.9)
    assert tables.mixed_restitution(STEEL, STEEL, 1.0, 0.0) == pytest.approx(math.sqrt(0.5))
    assert tables.mixed_restitution(STEEL, rubber, 0.9, 0.75) == pytest.approx(0.75, abs=1e-4)


# Tables


def test_tables_are_sound():
    assert len(tables.frictions()) == 91 and len(tables.restitutions()) == 12
    for material in tables.materials().values():
        assert 0.0 <= material.poisson < 0.5 and 1e6 < material.young < 1.3e12 and 500 < material.density < 25e3
        assert material.source
    for row in tables.frictions():
        found = [value for oiled in (False, True) for value in row.values(oiled=oiled) if value is not None]
        assert found and all(0.0 < value.least <= value.greatest for value in found)


def test_contradictory_friction_is_marked_as_doubtful():
    for row in tables.frictions():
        for oiled in (False, True):
            static, dynamic = row.values(oiled=oiled)
            if static is not None and dynamic is not None and static.greatest < dynamic.least:
                assert row.doubtful, row.materials


@pytest.mark.parametrize(
    ("pair", "static", "dynamic"),
    [
        (("copper", "cast iron"), "1.05", "0.29"),
        (("copper", "copper"), "1", None),
        (("iron", "iron"), "1", None),
        (("lead", "cast iron"), None, "0.43"),
        (("silver", "silver"), "1.4", None),
        (("steel (mild)", "lead"), "0.95", "0.95"),
        (("tungsten carbide", "copper"), "0.35", None),
        (("tungsten carbide", "iron"), "0.8", None),
    ],
)
def test_names_that_the_document_lost_are_restored_and_said_to_be(
    pair: tuple[str, str], static: str | None, dynamic: str | None
):
    (row,) = tables.find_frictions(*pair)
    assert [value and str(value) for value in row.values(oiled=False)] == [static, dynamic]
    assert "restored" in row.note


def test_a_pair_is_found_in_either_order_and_by_its_kind():
    assert tables.find_frictions("brass", "steel") == tables.find_frictions("steel", "brass")
    assert {row.materials for row in tables.find_frictions("steel", "steel")} == {
        ("steel (mild)", "steel (mild)"),
        ("steel (hard)", "steel (hard)"),
    }
    assert len(tables.find_frictions("steel (hard)", "steel (hard)")) == 1
    assert tables.find_frictions("gold", "cork") == []


# Cards


@pytest.mark.parametrize("units", ["kg,m,s", "kg,mm,ms", "Mg,mm,s"])
def test_cards_can_be_pasted_and_mean_the_same_in_all_units(tmp_path: Path, units: str):
    length, time = {"kg,m,s": (1.0, 1.0), "kg,mm,ms": (1e3, 1e3), "Mg,mm,s": (1e3, 1.0)}[units]
    mass = 1e-3 if units.startswith("Mg") else 1.0
    force = mass * length / time**2  # size of 1 N in these units
    radius = ("--radius-i", f"{0.02 * length:g}")
    (contact,) = pasted(tmp_path, call("steel", "glass", *radius, "--units", units), units).contacts
    law = contact.law
    assert isinstance(law, PoissonLaw) and contact.friction is None
    steel, glass = tables.materials()["steel"], tables.materials()["glass"]
    expected = tables.hertz_stiffness(steel, glass, 0.02) * force / length**1.5
    assert law.stiffness == pytest.approx(expected, rel=1e-5)
    assert law.restitution == pytest.approx(tables.mixed_restitution(steel, glass, 0.9, 0.96), abs=1e-4)
    assert law.transition_velocity == pytest.approx(0.01 * length / time)
    (contact,) = pasted(tmp_path, call("steel", "--law", "volume", "--units", units), units).contacts
    assert isinstance(contact.law, VolumeLaw)
    layer = tables.layer_stiffness(steel, 0.1) * force / length**3
    assert contact.law.stiffness == pytest.approx(0.5 * layer, rel=1e-5)
    assert contact.friction == CoulombFriction(
        "STATIC_AND_DYNAMIC", 0.74, 0.57, pytest.approx(0.005 * length / time), pytest.approx(0.01 * length / time)
    )


def test_a_roller_makes_an_impact_of_ten_ninths(tmp_path: Path):
    (contact,) = pasted(tmp_path, call("steel", "cast iron", "--length", "0.1", "--oiled"), "kg,m,s").contacts
    assert isinstance(contact.law, ImpactLaw) and isinstance(contact.friction, CoulombFriction)
    assert contact.law.exponent == pytest.approx(10 / 9)
    assert (contact.friction.mu_static, contact.friction.mu_dynamic) == (0.21, 0.21)


def test_doubtful_values_are_shown_as_doubtful(tmp_path: Path):
    text = call("aluminum", "--radius-i", "0.01", "--restitution", "0.6")
    assert "DOUBTFUL: the dynamic value is greater than the static one" in text
    assert "mu_d (DOUBTFUL)" in text
    (contact,) = pasted(tmp_path, text, "kg,m,s").contacts
    assert isinstance(contact.friction, CoulombFriction)
    assert (contact.friction.mu_static, contact.friction.mu_dynamic) == (1.2, 1.2)


def test_what_is_not_known_is_left_blank_and_said():
    text = call("gold", "nickel", "--radius-i", "0.01")
    assert "restitution CR = ? (not known of gold and nickel: give --restitution)" in text
    assert "the table does not have this pair" in text
    assert re.search(r"\n[0-9.e+]+, , 0.01\n", text), "a blank field, of which gsolve says that CR is missing"


def test_the_list_has_everything():
    text = call("--list")
    for name in (*tables.materials(), *tables.restitutions()):
        assert f"  {name} " in text
    assert text.count(" static, ") >= 91
    assert text.count("DOUBTFUL") == sum(row.doubtful for row in tables.frictions())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give one or two materials, or --list to see them"),
        (("stel",), "no material is called 'stel'; did you mean steel or teflon? (or give --young-i and --poisson-i)"),
        (("steel", "braas", "--radius-i", "1"), "no material is called 'braas'; did you mean brass? (or give"),
        (("oak", "--radius-i", "1"), "the elastic constants of oak are not in the tables"),
        (("unobtainium", *OWN[:2], "--radius-i", "1"), "no material is called 'unobtainium'"),
        (("steel",), "two planes have no stiffness by Hertz"),
        (("steel", "--radius-i", "0"), "a radius must not be 0"),
        (("steel", "--radius-i", "2", "--radius-j", "-1"), "the ball does not fit into the hollow"),
        (("steel", "--radius-i", "1", "--length", "1"), "--length is for a cylinder on a plane"),
        (("steel", "--length", "1", "--law", "poisson"), "a line of contact has the exponent 10/9"),
        (("steel", "--length", "-1"), "--length -1 is not a positive number"),
        (("steel", "--radius-i", "1", "--layer-j", "0"), "--layer-j 0 is not a positive number"),
        (("steel", "--radius-i", "1", "--restitution", "1.5"), "--restitution 1.5 is not between 0 and 1"),
        (("steel", "--radius-i", "1", "--poisson-i", "0.5"), "--poisson-i 0.5 is not from 0 to less than 0.5"),
        (("steel", "--radius-i", "1", "--young-i", "-2"), "--young-i -2 is not a positive number of GPa"),
        (("steel", "--radius-i", "1", "--units", "kg,m"), "--units 'kg,m' is not mass,length,time"),
        (("steel", "--radius-i", "1", "--units", "kg,inch,s"), "--units: inch is not a unit of length"),
    ],
)
def test_mistakes_are_explained(arguments: tuple[str, ...], said: str):
    assert complaint(*arguments).startswith(said)


def test_it_answers_without_the_solver():
    code = (
        "import sys; from gsolve.solver.cli.program import gsolve; "
        "gsolve(['contact-parameters', 'steel', '--radius-i', '1'], standalone_mode=False); "
        "sys.exit(bool({'numba', 'h5py', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
