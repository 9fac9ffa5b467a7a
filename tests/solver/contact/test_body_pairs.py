"""Contact recorded by pairs of bodies: /TH/INTER with PAIRS, family th/inter_pairs."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from gsolve.parser import DeckError, read_deck
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.parser.model import CoulombFriction, HistoryRequest
from gsolve.solver.contact.body_pairs import pairs_of_bodies
from gsolve.solver.results.history import HistoryFile
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, collect
from stub_models import StubWhere
from xarray_files import lengths_found_once

RADIUS, MASS, WEIGHT = 0.1, 2.0, 9.81
LAW = ImpactLaw(1e5, 1.5, 100.0, 1e-3)
FRICTION = CoulombFriction("STATIC_AND_DYNAMIC", 0.4, 0.4, 0.05, 0.05)
INSTANTANEOUS = ("FNX", "FNY", "FNZ", "FTX", "FTY", "FTZ", "AREA", "NPATCH")


def ask_for_pairs(machine, *interfaces):
    """/TH/INTER with PAIRS; without interfaces for all."""
    ids = np.array(interfaces, dtype=np.int64)
    machine.model.history_requests.append(
        HistoryRequest(90, "", StubWhere("/TH/INTER", 90), "INTER", [], ids, [], [], by_pairs=True)
    )


def three_balls(*, one_side):
    """Two balls on the floor, a third that falls between them and drives them apart; some have two solids."""
    machine = Machine([(-0.12, 0.0, 0.099), (0.12, 0.01, 0.0995), (0.0, 0.0, 0.27)], t_end=0.3, every=0.002)
    balls = []
    for node in (1, 2, 3):
        machine.body(node, [], mass=MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3 + (0.0, 0.0, 0.0))
        balls.append(machine.solid("SPHERE", node, RADIUS))
    balls.append(machine.solid("SPHERE", 1, 0.05, offset=(0.08, 0.0, 0.0)))
    floor = machine.solid("PLANE", 0)
    machine.gravity([1, 2, 3], "Z", -WEIGHT)
    if one_side:
        machine.contact([balls[2], floor, *balls[:2], balls[3]], None, LAW, FRICTION)
    else:
        machine.contact(balls, [floor], LAW, FRICTION)
        machine.contact([balls[2]], [*balls[:2], balls[3]], LAW, FRICTION)
    return machine


def test_pairs_of_bodies_add_up_to_their_interface():
    machine = three_balls(one_side=False)
    ask_for_pairs(machine)
    result = collect(machine.simulation(1e-4))
    family = next(f for f in result.simulation.families if f.group == "th/inter_pairs")
    labels = {label.name: label.values for label in family.labels}
    assert labels["interface"].tolist() == [
        c.id for c in machine.model.contacts for _ in range(3 if c.side_j.shapes.size == 1 else 2)
    ]
    pairs, whole = result.values["th/inter_pairs"], result.values["th/inter"]
    for place, contact in enumerate(machine.model.contacts):
        mine = labels["interface"] == contact.id
        for name in INSTANTANEOUS:
            total = pairs[name][:, mine].sum(axis=1)
            assert total == pytest.approx(whole[name][:, place], rel=1e-12, abs=1e-12 * np.abs(whole[name]).max())
        assert pairs["PEN"][:, mine].max(axis=1) == pytest.approx(whole["PEN"][:, place], rel=1e-15)
        assert np.array_equal(np.isnan(pairs["PX"]), pairs["NPATCH"] == 0)
    assert np.all(whole["NPATCH"].max(axis=0) >= 2)


def test_pairs_of_one_side_give_each_body_its_momentum():
    """m a = m g and the forces of its pairs: on the first body as recorded, on the second the opposite."""
    machine = three_balls(one_side=True)
    ask_for_pairs(machine)
    result = collect(machine.simulation(1e-4))
    family = next(f for f in result.simulation.families if f.group == "th/inter_pairs")
    labels = {label.name: label.values for label in family.labels}
    assert sorted(zip(labels["body_i"].tolist(), labels["body_j"].tolist(), strict=True)) == [
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3),
    ]  # fmt: skip
    pairs = result.values["th/inter_pairs"]
    force = np.stack([pairs[f"FN{axis}"] + pairs[f"FT{axis}"] for axis in "XYZ"], axis=2)
    for node in (1, 2, 3):
        on_it = force[:, labels["body_i"] == node].sum(axis=1) - force[:, labels["body_j"] == node].sum(axis=1)
        wanted = MASS * (result.vector("A", node) + np.array([0.0, 0.0, WEIGHT]))
        assert on_it == pytest.approx(wanted, abs=1e-10 * np.abs(force).max())
    assert np.sum(pairs["NPATCH"].max(axis=0) > 0) >= 4


def test_only_interfaces_that_are_asked_for_are_recorded_by_pairs():
    machine = three_balls(one_side=False)
    ask_for_pairs(machine, machine.model.contacts[1].id)
    families = {family.group: family for family in machine.simulation(1e-4).families}
    assert families["th/inter_pairs"].names == ("node 3 - node 1", "node 3 - node 2")
    machine.model.history_requests.clear()
    assert "th/inter_pairs" not in {family.group for family in machine.simulation(1e-4).families}


def test_bodies_on_both_sides_make_one_pair():
    assert pairs_of_bodies(np.array([0, 1, 2]), np.array([1, 2, 3])) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairs_of_bodies(np.array([4]), np.array([4])) == []


def test_more_pairs_than_can_be_recorded_are_an_error():
    machine = Machine(np.arange(138.0).reshape(46, 3))
    for node in range(1, 47):
        machine.mass(node, MASS)
    machine.contact([machine.solid("SPHERE", node, RADIUS) for node in range(1, 47)], None, LAW)
    ask_for_pairs(machine)
    with pytest.raises(DeckError) as caught:
        machine.simulation(1e-4)
    (error,) = caught.value.diagnostics
    assert error.message.endswith("has too many pairs of bodies to record each by itself")
    assert error.found == "46 bodies against 46"


DECK = """#RADIOSS STARTER
/BEGIN
pairs
      2022         0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0.0999
2, 0.19, 0, 0.0999
/RBODY/1
left ball
1, 0, 0, 3, 2, 0, 0, 1, 0
0.008, 0.008, 0.008
0, 0, 0
/RBODY/2
right ball
2, 0, 0, 3, 2, 0, 0, 1, 0
0.008, 0.008, 0.008
0, 0, 0
/SURF/SPHERE_SOLID/1
ball
1
,
0.1
/SURF/SPHERE_SOLID/2
ball
2
,
0.1
/SURF/PLANE_SOLID/9
floor
0
,
/SURF/SURF/10
all
1, 2, 9
/INTER/IMPACT/7
all
10, 0, 0, 0, 0, 1
,
1e5, 1.5, 100, 1e-3
0.4, 0.4, 0.05, 0.05
/TH/INTER/4
by pairs
DEF       PAIRS
/RUN/test/1
0.05
/DTIX
1e-4, 1e-4
/TFILE
1e-3
/END
"""


@pytest.fixture
def file_of_pairs(tmp_path: Path) -> Path:
    """A file as it is while the run goes on, with the samples of the first half."""
    deck, path = tmp_path / "pairs.rad", tmp_path / "pairs.h5"
    deck.write_text(DECK)
    model = read_deck(deck)
    simulation = Simulation(model, t_end=0.02)
    file = HistoryFile(path, model, simulation.families, samples_expected=50, attributes={})
    while not simulation.finished:
        file.append(simulation.advance(50))
    file.flush({})
    return path


def test_pairs_open_in_xarray_by_their_bodies(file_of_pairs: Path):
    with (
        lengths_found_once(),
        xarray.open_dataset(file_of_pairs, group="/th/inter_pairs", engine="h5netcdf") as dataset,
    ):
        assert dataset["name"].values.tolist() == [
            "ground - left ball",
            "ground - right ball",
            "left ball - right ball",
        ]
        assert dataset["interface"].values.tolist() == [7, 7, 7]
        assert {"body_i", "body_j", "name_i", "name_j"} <= set(dataset["FNX"].coords)
        balls = dataset["FNX"].where((dataset.body_i == 1) & (dataset.body_j == 2), drop=True)
        assert balls.shape == (21, 1)
        assert balls.values[0, 0] < 0.0  # it pushes the left ball to the left
        assert dataset["FNX"].attrs["units"] == "N"


def test_a_file_of_a_run_that_goes_on_has_all_pairs(file_of_pairs: Path):
    with h5py.File(file_of_pairs) as file:
        assert file.attrs["status"] == "running"
        assert {
            name: dataset.shape for name, dataset in file["th/inter_pairs"].items() if "units" in dataset.attrs
        } == {
            "time": (21,),
            **dict.fromkeys(
                (
                    "FNX",
                    "FNY",
                    "FNZ",
                    "FTX",
                    "FTY",
                    "FTZ",
                    "PX",
                    "PY",
                    "PZ",
                    "MX",
                    "MY",
                    "MZ",
                    "MN",
                    "PEN",
                    "AREA",
                    "NPATCH",
                ),
                (21, 3),
            ),
        }
