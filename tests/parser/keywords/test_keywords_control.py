"""/BEGIN, /UNIT and headers."""

from pathlib import Path

import pytest
from gsolve.parser import DeckError
from parser_decks import ENGINE, NODES, deck, errors, messages, read


def begin(*lines: str) -> str:
    return "/BEGIN\nrun\n" + "".join(line + "\n" for line in lines) + NODES + ENGINE


def test_units_may_be_given_as_sizes(tmp_path: Path) -> None:
    units = read(tmp_path, begin("2022", "1000,0.001,1", "1,1,1")).units
    assert (units.mass, units.length, units.time) == ("kg", "m", "s")
    assert (units.mass_si, units.length_si, units.time_si) == (1.0, 1.0, 1.0)


def test_input_units_convert_to_work_units(tmp_path: Path) -> None:
    model = read(tmp_path, begin("2022", "Mg,mm,s", "kg,m,ms"))
    assert model.nodes.coordinates[-1].tolist() == [0.002, 0.002, 0.002]
    assert (model.units.mass, model.units.time_si) == ("kg", 1e-3)


@pytest.mark.parametrize("lines", [("2022", "Mg,mm,s"), ("2022", "Mg,,s", ",mm,"), ("2022", "", "Mg,mm,s")])
def test_a_unit_missing_on_one_card_is_taken_from_the_other(tmp_path: Path, lines: tuple[str, ...]) -> None:
    units = read(tmp_path, begin(*lines)).units
    assert (units.mass, units.length, units.time) == ("Mg", "mm", "s")


def test_old_decks_give_units_by_unit_blocks(tmp_path: Path) -> None:
    text = "/BEGIN/0\nrun\n        90\n/UNIT/MASS/1\n/UNIT/LENGTH/0.001\n/UNIT/TIME/1\n" + NODES + ENGINE
    model = read(tmp_path, text)
    assert (model.units.mass, model.units.length, model.units.time) == ("kg", "mm", "s")
    assert model.nodes.coordinates[-1].tolist() == [2, 2, 2]


def test_unit_blocks_leave_what_they_do_not_name(tmp_path: Path) -> None:
    block = "/UNIT/4\nlength only\n0,mm\n/GJOINT/RACK/1/4\nr\n1,5,3,,2,3\n1,1\n1,1\n"
    joint = read(tmp_path, deck(block)).gear_joints[0]
    assert (joint.fscale_v, joint.masses[0]) == (0.005, 3.0)


def test_a_wrong_unit_is_complained_about_once_not_at_its_uses(tmp_path: Path) -> None:
    block = "/UNIT/4\nu\nkg,inch,s\n/GJOINT/RACK/1/4\nr\n1,5,3,,2,3\n1,1\n1,1\n"
    assert errors(tmp_path, deck(block)) == ["inch is not a unit of length"]


def test_version_must_be_one(tmp_path: Path) -> None:
    assert errors(tmp_path, begin("2", "kg,m,s", "kg,m,s"))[0] == "INVERS is not a version"


def test_the_end_of_a_long_header_is_warned_about(tmp_path: Path) -> None:
    text = messages(read(tmp_path, deck("/GRNOD/NODE/1/0/7\ng\n1\n")))
    assert "the end of the header is not read" in text


def test_a_header_without_an_id_means_1(tmp_path: Path) -> None:
    assert list(read(tmp_path, deck("/FUNCT\nf\n0,1\n1,1\n")).functions) == [1]


def test_many_mistakes_of_a_deck_come_in_one_run(tmp_path: Path) -> None:
    blocks = ("/BCS/1\nb\n1x1,111,0,7\n", "/GJOINT/GEAR/1\ng\n1,a,,,8,9\n1,b\n1,1\n", "/IMPVEL/1\nm\n3,Q,,,4\n")
    assert errors(tmp_path, deck(*blocks)) == [
        "Tra takes one digit each for X, Y and Z",
        "group 7 does not exist",
        "FscaleV is not a number",
        "node 8 does not exist",
        "node 9 does not exist",
        "Inertia1 is not a number",
        "function 3 does not exist",
        "Dir cannot be Q",
        "group 4 does not exist",
    ]


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("/GEAR/1", "did you mean /GJOINT/GEAR?"),
        ("/GJIONT/RACK/1", "did you mean /GJOINT/RACK?"),
        ("/NODES", "did you mean /NODE?"),
        ("/CLOADS/1", "did you mean /CLOAD?"),
        ("/ADMASS/0/1", "did you mean /ADMAS?"),
        ("/INIVELO/1", "did you mean /INIVEL?"),
        ("/ANMI/DT", "did you mean /ANIM?"),
        ("/TRANSFROM/1", "gsolve explain lists all keywords"),
        ("/RETRACTR/1", "gsolve explain lists all keywords"),
        ("/INTR/1", "did you mean /INTER?"),
    ],
)
def test_only_keywords_that_can_be_read_are_suggested(tmp_path: Path, written: str, hint: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(f"{written}\nt\n1\n"))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.message, diagnostic.hint) == ("unknown keyword", hint)
