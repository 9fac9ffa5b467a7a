"""Names of histories as users write them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gsolve
import numpy as np
import pytest
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.results.variables import UnknownNameError, all_variables, find_variable, find_variables
from histories import write_history

FAMILIES = (
    Family("energy", (Channel("total", "kg m2/s2", "all energy"), Channel("error", "kg m2/s2", "of the balance"))),
    Family("diag", (Channel("momentum_x", "kg m/s", "linear momentum, x"),)),
    Family(
        "th/node",
        (Channel("VX", "m/s", "velocity x"), Channel("VRZ", "rad/s", "angular velocity z")),
        np.array([12, 7, 30]),
        ("wheel", "7up", "wheel"),
    ),
    Family("th/inter", (Channel("FNX", "kg m/s2", "normal force x"),), np.array([2]), ("tyre 1/2 - road",)),
)
AXES = ("X", "Y", "Z")
VECTORS = (
    Family("diag", tuple(Channel(f"momentum_{axis.lower()}", "kg m/s", axis) for axis in AXES)),
    Family("th/gjoint", tuple(Channel(f"F{axis}2", "kg m/s2", axis) for axis in AXES), np.array([1]), ("",)),
    Family("th/node", tuple(Channel(f"V{axis}", "m/s", axis) for axis in AXES), np.array([3, 4]), ("", "")),
)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("energy/total", ["energy/total"]),
        ("ENERGY/Total", ["energy/total"]),
        ("/diag/momentum_X", ["diag/momentum_x"]),
        ("node/12/VX", ["node/12/VX"]),
        ("th/node/12/vrz", ["node/12/VRZ"]),
        ("node/7UP/VX", ["node/7/VX"]),
        ("node/*/VX", ["node/12/VX", "node/7/VX", "node/30/VX"]),
        ("node/wh*/VX", ["node/12/VX", "node/30/VX"]),
        ("node/7/*", ["node/7/VX", "node/7/VRZ"]),
        ("inter/tyre 1/2 - road/FNX", ["inter/2/FNX"]),
        ("*/*/F*", ["inter/2/FNX"]),
        ("*/*", ["energy/total", "energy/error", "diag/momentum_x"]),
    ],
)
def test_names_and_patterns(pattern: str, names: list[str]) -> None:
    assert [variable.name for variable in find_variables(FAMILIES, pattern)] == names


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("nod/12/VX", "nod/12/VX: this run has no histories of 'nod'; did you mean node? There are energy, diag, node, "
                      "inter"),
        ("gears/1/VX", "gears/1/VX: this run has no histories of 'gears'; there are energy, diag, node, inter"),
        ("node/13/VX", "node/13/VX: th/node has no object '13'; there are 12, 7, 30, wheel, 7up"),
        ("node/wheels/VX", "node/wheels/VX: th/node has no object 'wheels'; did you mean wheel? There are 12, 7, 30, "
                           "wheel, 7up"),
        ("node/12/VY", "node/12/VY: th/node has no variable 'VY'; there are VX, VRZ"),
        ("node/12/VRY", "node/12/VRY: th/node has no variable 'VRY'; did you mean VRZ? There are VX, VRZ"),
        ("node/wheel/VX", "node/wheel/VX: 2 objects of th/node are named 'wheel'; their ids: 12, 30"),
        ("node/VX", "node/VX: the object is missing: node/ID/VARIABLE, as node/12/VX, or node/*/VX for all"),
        ("energy/1/total", "energy/1/total: energy belongs to the whole machine and has no objects: energy/VARIABLE, "
                           "as energy/total"),
        ("*/*/Q*", "*/*/Q*: no history has such a name"),
        ("VX", "'VX' is no name of a history: it takes FAMILY/OBJECT/VARIABLE, as gjoint/1/VEL1, or energy/VARIABLE, "
               "diag/VARIABLE"),
        ("node//VX", "'node//VX' is no name of a history: "),
    ],
)  # fmt: skip
def test_what_is_unknown_is_told_with_what_there_is(pattern: str, told: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        find_variables(FAMILIES, pattern)
    assert str(error.value) == told or (told.endswith(": ") and str(error.value).startswith(told))


def test_one_history_where_one_is_needed() -> None:
    assert find_variable(FAMILIES, "node/7/VX").unit == "m/s"
    with pytest.raises(UnknownNameError) as error:
        find_variable(FAMILIES, "node/*/VX")
    assert str(error.value) == (
        "node/*/VX: stands for 3 histories, where one is needed: node/12/VX, node/7/VX, node/30/VX"
    )


def test_every_variable_is_found_by_its_full_name() -> None:
    variables = all_variables(FAMILIES)
    assert len(variables) == 3 + 3 * 2 + 1
    assert [find_variable(FAMILIES, variable.name) for variable in variables] == variables


def test_values_of_a_block_and_of_a_result_are_those_of_the_object(tmp_path: Path) -> None:
    block = SampleBlock(np.arange(2.0), {"energy": {"total": np.array([1.0, 2.0])},
                                         "th/node": {"VX": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])}})  # fmt: skip
    assert find_variable(FAMILIES, "energy/total").values(block).tolist() == [1.0, 2.0]
    assert find_variable(FAMILIES, "node/30/VX").values(block).tolist() == [3.0, 6.0]
    write_history(tmp_path / "fake.h5")
    result = gsolve.load(tmp_path / "fake.h5")
    np.testing.assert_array_equal(result["node/20/DX"], result.th.node[20].DX)
    np.testing.assert_array_equal(result["energy/total"], result.energy.total)
    assert result["gjoint/grün/VEL1"].units == "rad/s"
    assert list(result.select("node/*/DX")) == ["node/10/DX", "node/20/DX"]


def test_names_need_no_numba() -> None:
    code = "import sys, gsolve.solver.results.variables as v; sys.exit('numba' in sys.modules or 'h5py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("node/*/v", ["node/3/V", "node/4/V"]),
        ("gjoint/1/F2", ["gjoint/1/F2"]),
        ("diag/momentum", ["diag/momentum"]),
    ],
)
def test_a_vector_without_its_axis_is_its_magnitude(pattern: str, names: list[str]) -> None:
    found = find_variables(VECTORS, pattern)
    assert [variable.name for variable in found] == names
    group = found[0].group
    parts = {channel.name: np.array([float(k)]) for k, channel in enumerate(found_family(group).channels, start=2)}
    values = {name: part if found[0].place is None else np.stack([part, -part], 1) for name, part in parts.items()}
    for variable in found:
        np.testing.assert_allclose(variable.values(SampleBlock(np.zeros(1), {group: values})), [np.sqrt(29.0)])
    assert found[0].description == f"magnitude of {', '.join(parts)}" and found[0].unit.startswith(("m", "kg m"))


def found_family(group: str) -> Family:
    return next(family for family in VECTORS if family.group == group)


def test_two_components_are_no_vector() -> None:
    family = Family("th/node", VECTORS[2].channels[:2], np.array([3]), ("",))
    with pytest.raises(UnknownNameError, match=r"th/node has no variable 'V'; did you mean V. or V."):
        find_variables([family], "node/3/V")
