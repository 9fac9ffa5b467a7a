"""/SENSOR: what the cards say becomes an entry of the model, in working units."""

import math

import pytest
from gsolve.parser.model import LogicSensor, ValueSensor
from parser_decks import deck, errors, read

INFINITY = math.inf


def sensors(folder, *blocks, **options):
    return read(folder, deck(*blocks, **options)).sensors


@pytest.mark.parametrize("kind", ["DIST", "TYPE2"])
def test_distances_in_the_columns_of_radioss(tmp_path, kind):
    card = f"{1:>10}{2:>10}{0:>20}{50:>20}{3:>20}{1:>10}"
    found = sensors(tmp_path, f"/SENSOR/{kind}/4\nfar\n{2:>20}\n{card}\n", units="kg,mm,ms", work="kg,m,s")[4]
    assert isinstance(found, ValueSensor)
    assert (found.quantity, found.nodes, found.switches_off) == ("DIST", (0, 1), True)
    assert (found.lower, found.upper) == (-INFINITY, pytest.approx(0.05))  # a 0 is no limit
    assert (found.hold, found.delay) == (pytest.approx(3e-3), pytest.approx(2e-3))


def test_a_node_has_no_distance_from_itself(tmp_path):
    block = "/SENSOR/DIST/4\nfar\n,\n2, 2, , 50\n"
    assert errors(tmp_path, deck(block)) == ["the two nodes are one, whose distance from itself is always 0"]


def test_limits_of_a_drive_are_in_the_unit_of_its_value(tmp_path):
    """50 kg mm2/ms2 = 50 N m, 5 rad/ms = 5000 rad/s."""
    function = "/FUNCT/1\none\n0, 1\n"
    drive = "/DRIVE/ROT/7\nmotor\n0, 2, 1\n,\n0, 0, 1\n"
    blocks = [f"/SENSOR/DRIVE/{k}\nlimit\n,\n7, {name}, {low}, {high}\n" for k, (name, low, high) in
              enumerate((("T", "", 50), ("RATE", -5, ""), ("ANG", 0, 2)), 1)]  # fmt: skip
    found = sensors(tmp_path, function, drive, *blocks, units="kg,mm,ms", work="kg,m,s")
    limits = [(found[k].lower, found[k].upper) for k in (1, 2, 3)]
    assert limits == [(-INFINITY, pytest.approx(50.0)), (pytest.approx(-5000.0), INFINITY), (0.0, 2.0)]


def test_sensors_of_sensors_may_stand_before_those(tmp_path):
    found = sensors(tmp_path, "/SENSOR/SENS/1\nwhile\n0.5\n2\n", "/SENSOR/OR/2\neither\n,\n3, 4\n",
                    "/SENSOR/TIME/3\na\n1\n", "/SENSOR/VEL/4\nb\n,\n1, 2.5\n")  # fmt: skip
    assert isinstance(found[1], LogicSensor) and isinstance(found[2], LogicSensor)
    assert (found[1].kind, found[1].inputs, found[1].delay) == ("SENS", (2,), 0.5)
    assert (found[2].kind, found[2].inputs) == ("OR", (3, 4))
    assert found[4].upper == 2.5


@pytest.mark.parametrize("lines", ["3 4\n", "3, 4\n0 1 0 0 0 0 0\n", "3\n4\n1 0\n"])
def test_sensors_that_end_a_run(tmp_path, lines):
    """The flags of output on a last line of their own are no ids."""
    blocks = "/SENSOR/TIME/3\na\n1\n", "/SENSOR/TIME/4\nb\n2\n", f"/STOP/LSENSOR\n{lines}"
    assert read(tmp_path, deck(*blocks)).engine.stop_sensors == [3, 4]
