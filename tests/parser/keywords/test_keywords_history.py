"""/TH blocks."""

from pathlib import Path

import pytest
from gsolve.parser.model import HistoryRequest
from parser_decks import card, deck, errors, messages, read


def history(folder: Path, *blocks: str) -> HistoryRequest:
    return read(folder, deck(*blocks)).history_requests[0]


def test_nodes_with_names_and_skews(tmp_path: Path) -> None:
    skew = "/SKEW/FIX/1\ns\n0,0,0\n0,1,0\n0,0,1\n"
    lines = card((10, 4), (10, 0)) + "tip of the arm\n" + card((10, 2), (10, 1)) + " n2\n" + card((10, 1))
    request = history(tmp_path, skew, f"/TH/NODE/1\nnodes\nDEF\n{lines}\n")
    assert request.family == "NODE"
    assert request.variables == ["DX", "DY", "DZ", "VX", "VY", "VZ"]
    assert request.items.tolist() == [3, 1, 0]
    assert request.names == ["tip of the arm", "n2", ""]
    assert request.skew_ids == [0, 1, 0]


def test_groups_of_variables_over_two_lines(tmp_path: Path) -> None:
    request = history(tmp_path, "/TH/NODE/1\nnodes\nD         VR        \nXYZ       Q         DX\n         1\n")
    assert request.variables == ["DX", "DY", "DZ", "VRX", "VRY", "VRZ", "X", "Y", "Z", "Q0", "Q1", "Q2", "Q3"]


@pytest.mark.parametrize("lines", ["", "         0\n"])
def test_no_ids_mean_all(tmp_path: Path, lines: str) -> None:
    assert history(tmp_path, f"/TH/NODE/1\nnodes\nA\n{lines}").items.tolist() == []


def test_variables_this_solver_lacks_are_warned_about(tmp_path: Path) -> None:
    model = read(tmp_path, deck("/TH/NODE/1\nnodes\nV         TEMP\n         1\n"))
    assert model.history_requests[0].variables == ["VX", "VY", "VZ"]
    assert "the variable TEMP is not available" in messages(model)


def test_other_families(tmp_path: Path) -> None:
    gear = "/GJOINT/GEAR/12\ng\n1,1,,,2,3\n1,1\n1,1\n"
    spring = "/PROP/TYPE4/1\ns\n1.0\n100.0\n0\n1.0\n/PART/1\np\n1\n/SPRING/1\n30,1,2\n"
    sensor = "/SENSOR/TIME/4\ns\n1\n"
    blocks = (
        "/TH/GJOINT/1\njoints\nDEF\n        12\n"
        "/TH/SPRING/2\nsprings\nDEF       LENGTH\n        30          left spring\n"
        "/TH/SENSOR/3\nsensors\nDEF\n         4\n"
    )
    joints, springs, sensors = read(tmp_path, deck(gear, spring, sensor, blocks)).history_requests
    assert (joints.family, joints.items.tolist()) == ("GJOINT", [12])
    assert (springs.items.tolist(), springs.names) == ([30], ["left spring"])
    assert springs.variables[-1] == "LENGTH"
    assert (sensors.items.tolist(), sensors.variables) == ([4], ["STATUS"])


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("/TH/GJOINT/1\nt\nDEF\n         9\n", "gear joint 9 does not exist"),
        ("/TH/RBODY/1\nt\nDEF\n         9         8\n", "rigid bodies 9, 8 do not exist"),
        ("/TH/SPRING/1\nt\nDEF\n         9\n", "spring 9 does not exist"),
    ],
)
def test_objects_must_exist(tmp_path: Path, block: str, message: str) -> None:
    assert errors(tmp_path, deck(block)) == [message]


SPRINGS = "/PROP/TYPE4/1\nlinear\n1.0\n{}\n0\n1.0\n/PART/1\np\n{}\n/SPRING/{}\n30,1,{}\n31,2,3\n"


@pytest.mark.parametrize(
    ("stiffness", "property_id", "part", "end", "message"),
    [
        ("100", "1", "1", "99", "node 99 does not exist"),
        ("100", "1", "1", "1", "both ends of the spring are node 1"),
        ("100", "1", "1", "x", "N2 is not a whole number"),
        ("100", "1", "1", "", "N2 is missing"),
        ("100", "9", "1", "2", "property 9 does not exist"),
        ("100", "1", "9", "2", "part 9 does not exist"),
        ("-100", "1", "1", "2", "K must not be negative"),
    ],
)
def test_springs_with_an_error_of_their_own_are_known(
    tmp_path: Path, stiffness: str, property_id: str, part: str, end: str, message: str
) -> None:
    springs = SPRINGS.format(stiffness, property_id, part, end)
    assert errors(tmp_path, deck(springs, "/TH/SPRING/1\nsprings\nDEF\n30\n31\n")) == [message]
    others = errors(tmp_path, deck(springs, "/TH/SPRING/1\nsprings\nDEF\n30\n32\n"))
    assert others == [message, "spring 32 does not exist"]


def test_history_of_other_objects_is_skipped(tmp_path: Path) -> None:
    text = messages(read(tmp_path, deck("/TH/PART/1\nparts\nDEF\n         1\n")))
    assert "skipped, as without influence on the motion: /TH/PART" in text


def test_joints_drives_and_couplers(tmp_path: Path) -> None:
    blocks = (
        "/FUNCT/3\nf\n0,0\n1,1\n/JOINT/REVOLUTE/11\nj\n1,2\n/DRIVE/DIST/12\nd\n1,3,3\n"
        "/COUPLER/R2R/13\nc\n1,2,3,4\n1\n1,0,0\n1,0,0\n"
        "/TH/JOINT/1\nt\nDEF       F         MX\n        11\n"
        "/TH/DRIVE/1\nt\nDEF\n        12\n/TH/COUPLER/1\nt\nDEF\n"
    )
    joints, drives, couplers = read(tmp_path, deck(blocks)).history_requests
    assert (joints.family, joints.items.tolist()) == ("JOINT", [11])
    assert joints.variables == ["FX", "FY", "FZ", "FR", "FS", "FT", "MX"]
    assert (drives.family, drives.items.tolist()) == ("DRIVE", [12])
    assert (couplers.family, couplers.items.tolist()) == ("COUPLER", [])
    assert errors(tmp_path, deck(blocks.replace("        12\n", "        11\n"))) == ["drive 11 does not exist"]
    # A joint with an error is known to /TH, also one whose type is unknown: one message is enough.
    for good, bad in (("REVOLUTE/11\nj\n1,2", "REVOLUTE/11\nj\n1,1"), ("REVOLUTE", "REVOLUT")):
        assert len(errors(tmp_path, deck(blocks.replace(good, bad)))) == 1
