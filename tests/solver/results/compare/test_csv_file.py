"""Results beside tables: columns with names of histories, and those of OpenRadioss's th_to_csv."""

from __future__ import annotations

from pathlib import Path

import gsolve
import numpy as np
import pytest
from made_results import make_result

TIMES = np.linspace(0.0, 1.0, 11)
# As th_to_csv of OpenRadioss writes it with /TH/TITLE: titles of 40 characters, variables of 10.
TITLES = [
    "time", "INTERNAL ENERGY", "KINETIC ENERGY", "X-MOMENTUM", "Y-MOMENTUM", "Z-MOMENTUM", "MASS", "TIME STEP",
    "ROTATION ENERGY", "EXTERNAL WORK", "SPRING ENERGY", "CONTACT ENERGY", "HOURGLASS ENERGY",
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> gsolve.Result:
    histories = {
        "node/2/VX": 3 * TIMES, "node/12/VX": -TIMES, "node/2/VRZ": TIMES,
    }  # fmt: skip
    units = {"VX": "m/s", "VRZ": "rad/s"}
    histories |= {"node/12/VRZ": 0.0}
    return make_result(tmp_path / "run.h5", TIMES, histories, units=units, names={2: "wheel", 12: "axle 2"})


def table(run: gsolve.Result, text: str) -> Path:
    path = Path(str(run.path)).with_name("table.csv")
    path.write_text(text)
    return path


def rows(*columns: np.ndarray) -> str:
    return "".join(",".join(f"{value:f}" for value in line) + "\n" for line in np.stack(columns, 1))


def test_columns_are_told_by_names_of_histories_and_units(run: gsolve.Result) -> None:
    path = table(
        run, "time [ms], node/wheel/vx [mm/s], remark 1,NODE/12/VX\n" + rows(1e3 * TIMES, 3e3 * TIMES, TIMES, -TIMES)
    )
    for found in (gsolve.compare(run, path, atol=1e-6), gsolve.compare(path, run, atol=1e-3)):
        assert found.equal, found.differing
        assert sorted(row.name for row in found.differences) == ["node/12/VX", "node/2/VX"]
        assert any(note.endswith("1 column stands for no history: 'remark 1'") for note in found.notes)


def test_a_column_that_is_off_is_found(run: gsolve.Result) -> None:
    path = table(run, "time,node/2/VX\n" + rows(TIMES, 3 * TIMES + np.where(TIMES > 0.65, 0.25, 0.0)))
    (row,) = gsolve.compare(run, path, rtol=1e-6).differences
    assert (row.largest, row.first_beyond) == (pytest.approx(0.25, abs=1e-12), pytest.approx(0.7))


def test_a_table_of_openradioss(run: gsolve.Result) -> None:
    columns = [(2, "wheel", "VX"), (12, "axle 2", "VX"), (2, "wheel", "VRZ"), (3, "nut", "VX"), (2, "wheel", "QX")]
    nodes = [f"{'nodes of 2 gears':40} {id} {name:40}  {variable:10} " for id, name, variable in columns]
    header = ",".join(f'"{name}"' for name in [*TITLES, *nodes])
    zero = np.zeros(11)
    path = table(run, header + "\n" + rows(TIMES, *[zero] * 12, 3 * TIMES, -TIMES, TIMES, zero, zero))
    found = gsolve.compare(run, path)
    assert found.equal, found.differing
    assert sorted(row.name for row in found.differences) == ["node/12/VX", "node/2/VRZ", "node/2/VX"]
    assert [row.tolerance - 1e-9 * row.scale for row in found.differences] == pytest.approx([5e-7] * 3, rel=1e-9)
    assert "B: written by th_to_csv with six digits after the point: 5e-7 is added to the tolerance" in found.notes
    (unmapped,) = [note for note in found.notes if "stand for no history" in note]
    assert unmapped.startswith("B: 14 columns stand for no history: 'INTERNAL ENERGY', 'KINETIC ENERGY'")


def test_a_table_of_openradioss_without_names_of_variables(run: gsolve.Result) -> None:
    header = ",".join(f'"{name}"' for name in [*TITLES, "nodes 2 wheel var 13"])
    path = table(run, header + "\n" + rows(TIMES, *[np.zeros(11)] * 13))
    with pytest.raises(gsolve.OutputError) as error:
        gsolve.compare(run, path)
    assert str(error.value).endswith("its columns have no names of variables: /TH/TITLE in the engine deck gives them")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "table.csv holds no samples: a header and at least one row are needed"),
        ("time,node/2/VX\n", "table.csv holds no samples: a header and at least one row are needed"),
        ("t,node/2/VX\n0,1\n", "table.csv, line 1: there is no column 'time'; found t, node/2/VX"),
        ("time;node/2/VX\n0;1\n", "table.csv, line 1: columns are divided by ';', and a comma is needed"),
        ("time,node/2/VX\n0,1\n\n1,x1\n", "table.csv, line 4, node/2/VX: 'x1' is no number"),
        ('time,"node/2/VX\n[m/s]"\n0,1\n1,x1\n', "table.csv, line 4, node/2/VX\n[m/s]: 'x1' is no number"),
        ("time,node/2/VX\n0,1\n1,1_000\n", "table.csv, line 3, node/2/VX: '1_000' is no number"),
        ("time,node/2/VX\n0,1\n1\n", "table.csv, line 3: 1 numbers, the header has 2 names"),
        ("time,node/2/VX\n1,1\n0,1\n", "table.csv: the times do not grow from row to row"),
        ("time,node/wheel/VX,node/2/VX\n0,1,1\n", "table.csv, line 1: more than one column stands for node/2/VX"),
        ("time\n0\n", "there is no column beside the time; columns are named as gjoint/1/VEL1, see docs/compare.md"),
        ("time,VX\n0,1\n", "run.h5 ('VX'); columns are named as gjoint/1/VEL1, see docs/compare.md"),
        ("time,node/2/VX [kg]\n0,1\n", "node/2/VX: 'kg' and 'm/s' are units of different quantities"),
    ],
)
def test_mistakes_of_a_table_are_told(run: gsolve.Result, text: str, told: str) -> None:
    with pytest.raises(gsolve.OutputError) as error:
        gsolve.compare(run, table(run, text))
    assert str(error.value).endswith(told)


def test_an_empty_cell_is_nan(run: gsolve.Result) -> None:
    found = gsolve.compare(run, table(run, "time,node/2/VX\n0,0\n0.1,\n0.2,0.6\n"))
    assert [(row.name, row.first_beyond) for row in found.differing] == [("node/2/VX", pytest.approx(0.1))]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_of_a_spreadsheet_has_tabs(run: gsolve.Result, encoding: str) -> None:
    path = table(run, "")
    path.write_text("time [ms]\tnode/2/VX\r\n0\t0\r\n100\t0.5\r\n", encoding=encoding)
    (row,) = gsolve.compare(run, path).differences
    assert (row.name, row.largest) == ("node/2/VX", pytest.approx(0.2, abs=1e-12))


def test_two_tables_are_not_compared(run: gsolve.Result) -> None:
    path = table(run, "time,node/2/VX\n0,0\n")
    with pytest.raises(gsolve.OutputError, match="are two tables; one of the two has to be a result of gsolve"):
        gsolve.compare(path, path)
