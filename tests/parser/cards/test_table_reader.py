"""Bulk tables give what reading line by line gives, for tidy and untidy tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gsolve.parser.cards import table_reader
from gsolve.parser.cards.block import Block
from gsolve.parser.cards.card_reader import CompiledCard
from gsolve.parser.cards.reading import Reading
from gsolve.parser.model import Nodes
from parser_decks import deck, errors, read

COUNT = 200


def table(*, places: int = 6, cut: bool = False) -> list[str]:
    """Lines of a /NODE table."""
    random = np.random.default_rng(1)
    lines = []
    for k in range(COUNT):
        x, y, z = random.normal(size=3) * 10.0 ** random.integers(-3, 3)
        line = f"{k + 1:10d}{x:20.{places}f}{y:20.{places}f}{z:20.{places}f}"
        lines.append(line.rstrip("0") if cut else line)
    return lines


def nodes_both_ways(folder: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[Nodes, Nodes]:
    text = deck(nodes="/NODE\n" + "\n".join(lines) + "\n")
    quick = read(folder, text).nodes
    monkeypatch.setattr(table_reader, "_FEW_LINES", 10**9)
    return quick, read(folder, text).nodes


def edited(edit: str) -> list[str]:
    lines = table()
    if edit == "short":
        lines = table(cut=True)
    elif edit == "comments":
        lines[3:3] = ["# comment, with a comma", "$ another"]
        lines.append("#end")
    elif edit == "commas":
        lines[7] = "8,1.5,2.5,-3.5"
    elif edit == "blank cells":
        lines[9] = lines[9][:30]
        lines[10] = lines[10][:10] + " " * 20 + lines[10][30:]
    elif edit == "exponents":
        lines[5] = f"{6:10d}{'1.5D-3':>20}{'1.5-3':>20}{'15e2':>20}"
    elif edit == "full cells":
        lines[20] = "        21-1.2345678901234E+01-1.2345678901235E+01-1.2345678901236E+01"
    elif edit == "left in the cell":
        lines[30] = "31        " + "1.5".ljust(20) + " 2.5".ljust(20) + "3.5"
    elif edit == "trailing blanks":
        lines = [line + "    " for line in lines]
    elif edit == "blank lines at the end":
        lines += ["", "   "]
    elif edit == "an umlaut":
        lines[2:2] = ["# Gehäuse"]
    return lines


@pytest.mark.parametrize(
    "edit",
    [
        "none",
        "short",
        "comments",
        "commas",
        "blank cells",
        "exponents",
        "full cells",
        "left in the cell",
        "trailing blanks",
        "blank lines at the end",
        "an umlaut",
    ],
)
def test_table_equals_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str) -> None:
    quick, slow = nodes_both_ways(tmp_path, edited(edit), monkeypatch)
    assert len(quick) == COUNT
    assert np.array_equal(quick.ids, slow.ids)
    assert np.array_equal(quick.coordinates, slow.coordinates)


@pytest.mark.parametrize(
    ("edit", "single"), [("none", 0), ("short", 0), ("comments", 0), ("commas", 1), ("exponents", 1)]
)
def test_only_lines_that_are_not_plain_are_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str, single: int
) -> None:
    """Tidy lines go through NumPy in one piece, which is what makes a million of them a matter of a second."""
    lines_read = []
    read_line = CompiledCard.read

    def read_and_count(card: CompiledCard, reading: Reading, block: Block, *rest: Any) -> bool:
        if block.keyword == "/NODE":
            lines_read.append(rest)
        return read_line(card, reading, block, *rest)

    monkeypatch.setattr(CompiledCard, "read", read_and_count)
    nodes = read(tmp_path, deck(nodes="/NODE\n" + "\n".join(edited(edit)) + "\n")).nodes
    assert (len(nodes), len(lines_read)) == (COUNT, single)


@pytest.mark.parametrize("places", [3, 9, 12])
def test_coordinates_are_the_nearest_numbers(tmp_path: Path, places: int) -> None:
    lines = table(places=places)
    coordinates = read(tmp_path, deck(nodes="/NODE\n" + "\n".join(lines) + "\n")).nodes.coordinates
    expected = [[float(line[a : a + 20]) for a in (10, 30, 50)] for line in lines]
    assert coordinates.tolist() == expected


@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        (50, "        51                 1.O                 2.0                 3.0", "X is not a number"),
        (60, "        61             1.0 2.0                 2.0                 3.0", "X holds more than one value"),
        (
            70,
            "       7 1                 1.0                 2.0                 3.0",
            "node_ID holds more than one value",
        ),
        (
            80,
            "        81                 1.0                 2.0                  3.0",
            "what stands here is partly outside",
        ),
        (
            90,
            "         91                1.0                 2.0                 3.0",
            "what stands here runs over the border",
        ),
        (99, "", "a blank line stands inside a list"),
    ],
)
def test_one_bad_line_among_many_is_found(tmp_path: Path, row: int, line: str, message: str) -> None:
    lines = table()
    lines[row] = line
    text = deck(nodes="/NODE\n" + "\n".join(lines) + "\n")
    (found,) = errors(tmp_path, text)
    assert found.startswith(message)


def test_ten_columns_of_ids(tmp_path: Path) -> None:
    lines = table()
    ids = "".join("".join(f"{10 * row + k + 1:10d}" for k in range(10)) + "\n" for row in range(COUNT // 10))
    blocks = ("/GRNOD/NODENS/1\nall\n" + ids + ids[:50] + "\n" * 1, "/BCS/1\nheld\n" + "   111 000         0         1")
    model = read(tmp_path, deck(*blocks, nodes="/NODE\n" + "\n".join(lines) + "\n"))
    assert model.nodes.ids[model.boundary_conditions[0].nodes].tolist() == list(range(1, COUNT + 1))
