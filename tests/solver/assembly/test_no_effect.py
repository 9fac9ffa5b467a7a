"""Nothing that a deck asks for is dropped without a line: one small deck, and blocks that come to nothing in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from gsolve.parser import read_deck
from gsolve.parser.text.diagnostics import DeckError, Diagnostic
from gsolve.solver.run.simulation import Simulation

# Node 1 is held; 2 and 3 have mass; 4 leads a body; 5 has mass and is held; 6 has no mass; 7 is held along X only.
DECK = """#RADIOSS STARTER
/BEGIN
requests
2022, 0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
4, 3, 0, 0
5, 4, 0, 0
6, 5, 0, 0
7, 6, 0, 0
8, 7, 0, 0
9, 7, 1, 0
/ADMAS/0/1
masses
1.0, 11
/GRNOD/NODE/11
with mass
2, 3, 5, 7
/GRNOD/NODE/1
held
1, 5
/GRNOD/NODE/2
one
2
/GRNOD/NODE/4
the body
4
/GRNOD/NODE/5
held, with mass
5
/GRNOD/NODE/6
massless
6
/GRNOD/NODE/7
held along X
7
/GRNOD/NODE/8
secondary
8
/GRNOD/NODE/89
all secondary ones
8, 9
/GRNOD/NODE/99
empty

/BCS/1
held
   111 111         0         1
/BCS/2
along X
   100 000         0         7
/RBODY/1
body
4, 0, 0, 3, 10, 89, 0, 3, 0
1, 1, 1
/FUNCT/1
one
0, 1
10, 1
%s
/RUN/m/1
0.1
/END
"""

LATE = "/SENSOR/TIME/7\nx\n0.06\n"
SPRINGS = "/PROP/TYPE4/7\nx\n,\n100.0\n,\n,\n/PART/7\nx\n7\n"
COMES_TO_NOTHING = [
    # histories
    ("/TH/INTER/1\nx\nDEF\n", "the deck has no interface, so nothing is written"),
    ("/TH/RWALL/1\nx\nDEF\n", "the deck has no rigid wall, so nothing is written"),
    ("/TH/GJOINT/1\nx\nDEF\n", "the deck has no gear joint, so nothing is written"),
    ("/TH/JOINT/1\nx\nDEF\n", "the deck has no joint, so nothing is written"),
    ("/TH/DRIVE/1\nx\nDEF\n", "the deck has no drive, so nothing is written"),
    ("/TH/COUPLER/1\nx\nDEF\n", "the deck has no coupler, so nothing is written"),
    ("/TH/SPRING/1\nx\nDEF\n", "the deck has no spring, so nothing is written"),
    ("/TH/SENSOR/1\nx\nDEF\n", "the deck has no sensor, so nothing is written"),
    ("/TH/NODE/1\nx\n\n2\n", "no variable is asked for, so nothing is written"),
    ("/TH/NODE/1\nx\nTEMP\n2\n", "the variable TEMP is not available"),
    ("/TH/RBODY/1\nx\nFXI\n1\n", "the variable FXI is not available"),
    # what is held
    ("/CLOAD/1\nx\n1, X, 0, 0, 5, 1, 1\n", "node 5 is held by /BCS: the force moves nothing there"),
    ("/CLOAD/1\nx\n1, YY, 0, 0, 1, 1, 1\n", "nodes 1, 5 are held by /BCS: the moment moves nothing there"),
    ("/CLOAD/1\nx\n1, X, 0, 0, 7, 1, 1\n", "node 7 is held by /BCS: the force moves nothing there"),
    ("/GRAV/1\nx\n1, Z, 0, 0, 5, 1, -9.81\n", "no node of the group has mass and may move: gravity moves nothing"),
    ("/INIVEL/TRA/1\nx\n1, 0, 0, 5, 0\n", "node 5 is held by /BCS: the initial velocity is not used there"),
    ("/INIVEL/ROT/1\nx\n1, 0, 0, 5, 0\n", "node 5 is held by /BCS: the initial velocity is not used there"),
    ("/RLINK/1\nx\n   111 000         0         1\n", "all nodes of the link are held, so it does nothing"),
    ("/BCS/3\nx\n   000 000         0         2\n", "no direction is marked, so nothing is fixed"),
    ("/BCS/3\nx\n   100 000         0         8\n", "the boundary condition has no effect there"),
    # what has no mass, or is alone
    ("/GRAV/1\nx\n1, Z, 0, 0, 6, 1, -9.81\n", "no node of the group has mass and may move: gravity moves nothing"),
    ("/GRAV/1\nx\n1, Z, 0, 0, 8, 1, -9.81\n", "is not in the group: no gravity on that body"),
    ("/INIVEL/NODE/1\nx\n2, 0, 0, 0, 0\n1, 0, 0\n", "node 2 is without rotary inertia and cannot spin"),
    ("/RLINK/1\nx\n   111 000         0         2\n", "the group holds one node only, so nothing is linked"),
    ("/RLINK/1\nx\n   111 000         0        48\n/GRNOD/NODE/48\nx\n4, 8\n", "nodes 4, 8 are of one rigid body"),
    ("/RBE2/1\nx\n4, 011, 000, 0, 8\n", "nodes 4, 8 are of one rigid body: nothing is tied between them"),
    (f"/SPRING/7\n9, 4, 8\n{SPRINGS}", "nodes 4, 8 are of one rigid body: the spring has no effect"),
    (f"/SPRING/7\n9, 4, 8\n10, 8, 4\n{SPRINGS}", "springs 9, 10 have no effect, besides their mass: nodes 4, 8 are of"),
    (f"/SPRING/7\n9, 1, 5\n{SPRINGS}", "nodes 1, 5 are held by /BCS: the spring has no effect"),
    (
        "/GJOINT/GEAR/1\nx\n1, 2, 0, 0, 4, 8\n0, 0, 0, 0, 1\n0, 0, 0, 0, 1\n",
        "nodes 4, 8 are of one rigid body: nothing",
    ),
    (
        "/GJOINT/GEAR/1\nx\n8, 2, 0, 0, 4, 9\n0, 0, 0, 0, 1\n0, 0, 0, 0, 1\n",
        "nodes 8, 4, 9 are of one rigid body: the joint has",
    ),
    ("/RBE2/1\nx\n2, 111, 111, 0, 2\n", "the group holds no node besides the main node, so nothing is tied"),
    ("/RWALL/PLANE/1\nx\n0, 0, 0, 0\n0\n0, 0, 0\n0, 0, 1\n", "the wall holds no node"),
    ("/CLOAD/1\nx\n1, X, 0, 7, 2, 1, 1\n/SENSOR/TIME/7\nx\n5\n", "it begins at t = 5 s, and the run ends at t = 0.1 s"),
    ("/DRIVE/TRA/1\nx\n0, 3, 1, 0, 1, 0\n1, 1, 5, 6\n1, 0, 0\n", "it begins at t = 5 s, and the run ends at t = 0.1 s"),
    # the times of drives and motions count from the sensor
    (f"/DRIVE/TRA/1\nx\n0, 3, 1, 7, 1, 0\n1, 1, 0.05, 6\n1, 0, 0\n{LATE}", "it begins at t = 0.11 s, and the run ends"),
    (f"/IMPVEL/1\nx\n1, X, 0, 7, 2\n1, 1, 0.05, 6\n{LATE}", "it begins at t = 0.11 s, and the run ends at t = 0.1 s"),
]

REFUSED = [
    *((f"/{keyword}\nx\n{card}\n", "group 99 holds no node") for keyword, card in [
        ("BCS/3", "   111 111         0        99"), ("CLOAD/1", "1, X, 0, 0, 99, 1, 1"),
        ("GRAV/1", "1, Z, 0, 0, 99, 1, 1"), ("INIVEL/TRA/1", "1, 0, 0, 99, 0"), ("ADMAS/0/2", "1.0, 99"),
        ("IMPVEL/1", "1, X, 0, 0, 99\n1, 1, 0, 0"), ("RLINK/1", "   111 000         0        99"),
        ("RBE2/1", "2, 111, 111, 0, 99"), ("RBODY/2", "6, 0, 0, 3, 0, 99\n"),
    ]),
    ("/CLOAD/1\nx\n1, X, 0, 0, 6, 1, 1\n", "node 6 has no mass, so the force cannot move it"),
    ("/INIVEL/ROT/1\nx\n1, 0, 0, 2, 0\n", "node 2 has no rotary inertia, so it cannot spin"),
    ("/IMPVEL/1\nx\n1, X, 0, 0, 5\n1, 1, 0, 0\n", "node 5 is already fixed in this direction by /BCS"),
    ("/TH/NODE/1\nx\nDEF\n77\n", "node 77 does not exist"),
    ("/TH/RBODY/1\nx\nDEF\n77\n", "rigid body 77 does not exist"),
    ("/TH/INTER/1\nx\nDEF\n77\n", "interface 77 does not exist"),
    ("/CLOAD/1\nx\n1, X, 0, 7, 2, 1, 1\n", "sensor 7 does not exist"),
]  # fmt: skip


def said_of(block: str, tmp_path: Path) -> list[Diagnostic]:
    path = tmp_path / "deck.rad"
    path.write_text(DECK % block)
    try:
        model = read_deck(path)
        simulation = Simulation(model)
        return [*model.warnings, *simulation.warnings]
    except DeckError as error:
        return error.diagnostics


def test_deck_without_more_blocks_has_nothing_to_be_said(tmp_path):
    assert said_of("", tmp_path) == []


@pytest.mark.parametrize(("block", "message"), COMES_TO_NOTHING)
def test_request_that_comes_to_nothing_gets_a_line(block, message, tmp_path):
    (found,) = [d for d in said_of(block, tmp_path) if message in d.message]
    assert found.severity == ("warning" if "begins" in message else "doubt")
    assert (found.file, found.keyword) == (str(tmp_path / "deck.rad"), found.keyword)
    assert found.line >= DECK[: DECK.index("%s")].count("\n") + 1
    assert block.startswith(f"{found.keyword}/")


@pytest.mark.parametrize(("block", "message"), REFUSED)
def test_request_that_cannot_be_met_is_an_error(block, message, tmp_path):
    assert [d.severity for d in said_of(block, tmp_path) if message in d.message] == ["error"]
