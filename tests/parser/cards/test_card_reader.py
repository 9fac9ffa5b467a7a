"""One card line: every way a field can be written, and what must not be read silently wrong."""

from pathlib import Path
from typing import Any

import pytest
from gsolve.parser import DeckError
from gsolve.parser.cards import card_reader
from gsolve.parser.cards.block import Block
from gsolve.parser.cards.card_reader import CompiledCard
from gsolve.parser.cards.reading import Reading
from parser_decks import card, deck, errors, messages, read

GEAR = "/GJOINT/GEAR/1\ngear\n{}\n1,0.1,0,0,1\n1,0.1,0,0,1\n"


def gear_card(*cells: object) -> str:
    return card(*zip((10, 20, 20, 20, 10, 10, 10), cells, strict=False))


@pytest.mark.parametrize(
    "line",
    [
        gear_card(1, 2.5, 0, 0, 2, 3, 0),
        gear_card(1, "2.5E0", 0, 0, 2, 3),
        gear_card(1, "25.D-1", None, None, 2, 3),
        gear_card(1, "25-1", None, None, 2, 3),
        "1         2.5" + " " * 57 + "2         3",
        "     1    " + "  2.5".ljust(20) + " " * 40 + "    2     " + "3",
        "1,2.5,,,2,3",
        "1, 2.5 , 0 , 0 , 2 , 3 , 0,",
        gear_card(1, "+2.50000000000000000", 0, 0, 2, 3),
        gear_card("&one", "&ratio", 0, 0, 2, 3),
        gear_card(1, "-&minus", 0, 0, 2, 3),
        gear_card(1, "60/24", 0, 0, "4/2", "&one+2"),
        "5-4*1, 5/2, , , 2, 3",
        gear_card(1, "-&minus*sqrt(4)/2", "0*pi", 0, 2, 3),
        "&one, 2*&ratio+&minus, , , 1+&one, (3)",
    ],
)
def test_the_same_card_in_many_spellings(tmp_path: Path, line: str) -> None:
    parameters = "".join(
        f"/PARAMETER/GLOBAL/{kind}/{k}\n{name}\n{name:10}{value:>20}\n"
        for k, (kind, name, value) in enumerate(
            (("INTEGER", "one", "         1"), ("REAL", "ratio", "2.5"), ("REAL", "minus", "-2.5")), 1
        )
    )
    model = read(tmp_path, deck(parameters.replace(" " * 10 + " " * 9 + "1", " " * 9 + "1"), GEAR.format(line)))
    joint = model.gear_joints[0]
    assert joint.fscale_v == 2.5
    assert model.nodes.ids[joint.nodes[:3]].tolist() == [1, 2, 3]


def test_full_cells_may_touch(tmp_path: Path) -> None:
    nodes = "/NODE\n         1-1.2345678901234E+01-1.2345678901235E+01-1.2345678901236E+01\n"
    model = read(tmp_path, deck(nodes=nodes))
    assert model.nodes.coordinates.tolist() == [[-12.345678901234, -12.345678901235, -12.345678901236]]


def test_ids_of_ten_digits_may_touch(tmp_path: Path) -> None:
    nodes = "/NODE\n1234567890,0,0,0\n1234567891,1,0,0\n       999,2,0,0\n"
    group = "/GRNOD/NODE/1\nids\n       99912345678901234567891\n"
    load = "/BCS/1\nheld\n" + "   111 111" + card((10, 0), (10, 1))
    model = read(tmp_path, deck(group, load, nodes=nodes))
    assert model.nodes.ids[model.boundary_conditions[0].nodes].tolist() == [999, 1234567890, 1234567891]


@pytest.mark.parametrize(
    "line",
    [
        "         12" + " " * 59 + "         2         3"[:20],  # 12 written over the border of node_ID0
        "         1.5" + " " * 58 + "        2         3",
        gear_card(1, "2.5", 0, 0, 2, 3)[:29] + "55" + gear_card(1, "2.5", 0, 0, 2, 3)[31:],
        "         1" + " " * 18 + "2.345678901234567890123" + " " * 19 + "         2         3",
        "         1" + " " * 15 + "1-3  " + " " * 40 + "         2         3",
    ],
)
def test_a_number_across_a_border_is_never_read(tmp_path: Path, line: str) -> None:
    found = errors(tmp_path, deck(GEAR.format(line)))
    if line.find("1-3") > 0:
        assert not found  # inside one cell: the sign-only exponent
    else:
        assert found[0].startswith(("what stands here runs over the border", "FscaleV", "node_ID"))


def test_zeros_in_unused_columns_are_accepted(tmp_path: Path) -> None:
    group = "/GRNOD/NODE/1\nall\n1\n"
    function = "/FUNCT/1\nf\n0,1\n1,1\n"
    load = "/CLOAD/1\nload\n" + card((10, 1), (10, "X"), (10, 0), (10, 0), (10, 1), (10, 0), (20, 1.0), (20, 2.0))
    model = read(tmp_path, deck(group, function, load))
    assert model.loads[0].y_scale == 2.0
    assert not model.warnings


def test_comments_in_a_block_are_passed_over(tmp_path: Path) -> None:
    block = "/GJOINT/GEAR/1\n# title follows\ngear\n# c\n1,2.5,,,2,3\n$ c\n1,0.1\n#c\n1,0.1\n"
    assert read(tmp_path, deck(block)).gear_joints[0].fscale_v == 2.5


def test_zero_means_the_default(tmp_path: Path) -> None:
    assert read(tmp_path, deck(GEAR.format("1,0.0,,,2,3"))).gear_joints[0].fscale_v == 1.0


def test_words_are_not_case_sensitive(tmp_path: Path) -> None:
    blocks = ("/grnod/node/1\nall\n1\n", "/FUNCT/1\nf\n0,1\n1,1\n", "/cload/1\nload\n1,zz,0,0,1\n")
    load = read(tmp_path, deck(*blocks)).loads[0]
    assert (load.direction, load.rotational) == (2, True)


def test_commas_in_titles_do_not_matter(tmp_path: Path) -> None:
    model = read(tmp_path, deck(GEAR.replace("gear\n", "gear, first of two\n").format("1,2,,,2,3")))
    assert model.gear_joints[0].title == "gear, first of two"


def test_text_past_the_fields_is_warned_about(tmp_path: Path) -> None:
    line = gear_card(1, 2.5, 0, 0, 2, 3, 0) + " 7"
    text = messages(read(tmp_path, deck(GEAR.format(line))))
    assert "warning: text after column 100 is not read" in text


HELD = "/GRNOD/NODE/1\nall\n1,2\n/BCS/1\nheld\n{}\n"


@pytest.mark.parametrize(
    "line", ["101 010, 0, 1", "  101   010 ,,1", "101, 010, 0, 1", "   101 010         0         1"]
)
def test_digits_with_and_without_a_comma_between_them(tmp_path: Path, line: str) -> None:
    (condition,) = read(tmp_path, deck(HELD.format(line))).boundary_conditions
    assert (condition.translations, condition.rotations) == ((True, False, True), (False, True, False))
    assert condition.nodes.tolist() == [0, 1]


def test_digits_behind_another_value_may_do_without_their_comma(tmp_path: Path) -> None:
    tie = "/GRNOD/NODE/1\nriders\n2,3\n/RBE2/1\ntie\n1, 111 111, 0, 1\n"
    assert read(tmp_path, deck(tie)).rigid_ties[0].dependent_nodes.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("11 111, 0, 1", "Tra holds more than one value"),
        ("111 111 0, 1", "Tra holds more than one value"),
        ("111, 111 0, 1", "Rot holds more than one value"),
        ("111 112, 0, 1", "Rot takes one digit each for X, Y and Z"),
        ("11, 111, 0, 1", "Tra takes one digit each for X, Y and Z"),
        ("111 111, 0, 9", "group 9 does not exist"),
        ("111, 111, 0 1", "skew_ID holds more than one value"),
    ],
)
def test_one_error_for_a_card_with_a_comma_too_few(tmp_path: Path, line: str, message: str) -> None:
    """What follows the missing comma stands in the wrong place, which is not complained about as well."""
    assert errors(tmp_path, deck(HELD.format(line))) == [message]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("111, 0,5, 1, 2", "; decimals take a point: 111, 0.5, 1, 2"),
        ("111,0,5,1,2", ""),  # any of these may separate
        ("111, 0, 5, 1, 2", ""),
        ("111, 0,5, 1, 2, 3", ""),  # too many all the same
    ],
)
def test_decimal_commas_are_guessed_where_the_line_fits_without(tmp_path: Path, line: str, hint: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(HELD.format(line)))
    (error,) = caught.value.diagnostics
    assert error.message.startswith("the line holds")
    assert error.hint == "it was read as card 2 of the block" + hint


def test_values_missing_at_the_end_of_a_comma_separated_line_are_named_in_order(tmp_path: Path) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(GEAR.format("1, 2, 3, 0.25")))
    order = "node_ID0, FscaleV, Mass, Inertia, node_ID1, node_ID2, node_ID3"
    hint = f"the line holds 4 values, the card has 7 fields: {order}"
    assert [(d.message, d.hint) for d in caught.value.diagnostics] == [(f"node_ID{k} is missing", hint) for k in (1, 2)]


def test_an_empty_value_between_commas_means_the_default(tmp_path: Path) -> None:
    body = "/GRNOD/NODE/1\nriders\n2,3\n/RBODY/1\nbody\n1,,,,,1\n,0.2\n"
    model = read(tmp_path, deck(body, GEAR.format("1,,,,4, ,").replace("gear\n1,,,,4, ,", "gear\n1,,,,4,5")))
    (rigid_body,) = model.rigid_bodies
    assert (rigid_body.spherical_flag, rigid_body.centre_flag, rigid_body.added_mass) == (2, 1, 0.0)
    assert rigid_body.added_inertia.tolist() == [0, 0.2, 0, 0, 0, 0]
    assert (model.gear_joints[0].fscale_v, model.gear_joints[0].masses[0]) == (1.0, 0.0)


@pytest.mark.parametrize(("second", "careful"), [("2.5", 0), ("25-1", 1), ("&ratio", 1)])
def test_only_odd_lines_are_looked_at_carefully(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, careful: int
) -> None:
    """Plain columns of numbers are read the quick way: large decks have little else."""
    looked_at = []
    reader = card_reader._CarefulReader

    def reader_that_counts(compiled: CompiledCard, reading: Reading, block: Block, *rest: Any) -> Any:
        if block.keyword.startswith("/GJOINT"):
            looked_at.append(rest)
        return reader(compiled, reading, block, *rest)

    monkeypatch.setattr(card_reader, "_CarefulReader", reader_that_counts)
    member = card((20, 1.0), (20, 0.1), (20, 0.0), (20, 0.0), (20, 1.0))
    ratio = "/PARAMETER/GLOBAL/REAL/1\nratio\nratio,2.5\n"
    block = f"/GJOINT/GEAR/1\ngear\n{gear_card(1, second, 0, 0, 2, 3)}\n{member}\n{member}\n"
    assert read(tmp_path, deck(ratio, block)).gear_joints[0].fscale_v == 2.5
    assert len(looked_at) == careful
