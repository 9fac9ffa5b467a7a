"""What a page carries: reduced histories, frames, forces; packed, and read again."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import gsolve
import h5py
import numpy as np
import pytest
from gsolve.solver.results.history_reader import HistoryReader
from gsolve.solver.results.machine_tables import Frames
from gsolve.solver.results.report import curves as curves_module
from gsolve.solver.results.report.curves import MOST_IN_PLOT, MOST_OBJECTS, pack_curves
from gsolve.solver.results.report.motion import continuous, fastest_turn, held_by, pack_arrows, pack_frames
from gsolve.solver.results.report.packing import Pack
from gsolve.solver.results.report.reduction import Reduction
from machine_files import turning, wheel_and_ball
from made_results import make_result

RANDOM = np.random.default_rng(8)


def unpacked(text: str) -> Any:
    """What a page reads from its block."""
    block = zlib.decompress(base64.b64decode(text))
    length = int.from_bytes(block[:8], "little")

    def array(found: dict[str, Any]) -> Any:
        if "array" not in found:
            return found
        return np.frombuffer(block, f"<{found['array']}", found["n"], 8 + length + found["at"])

    return json.loads(block[8 : 8 + length], object_hook=array)


def test_arrays_and_values_come_back():
    pack = Pack()
    arrays = {kind: RANDOM.integers(0, 100, 5).astype(kind) for kind in ("u1", "i2", "i4", "f4", "f8")}
    values = {"text": "ä </script> ✓", "none": None, **{kind: pack.add(array, kind) for kind, array in arrays.items()}}
    found = unpacked(pack.text(values))
    assert found["text"] == values["text"] and found["none"] is None
    for kind, array in arrays.items():
        assert found[kind].dtype == array.dtype
        np.testing.assert_array_equal(found[kind], array)


def test_a_kind_of_array_that_the_page_does_not_know_is_refused():
    with pytest.raises(ValueError, match="f2: not one of u1, i2, i4, f4, f8"):
        Pack().add(np.zeros(1), "f2")


@pytest.mark.parametrize("count", [1, 2, 3, 100, 101, 102, 5000, 10_007])
def test_reduced_histories_keep_ends_and_extremes(count):
    times, values = np.linspace(0.0, 3.0, count), RANDOM.normal(size=count)
    reduction = Reduction(times, 101)
    found = reduction(values)
    assert len(found) == len(reduction.times) <= 101 + 1
    assert (found[0], found[-1]) == (values[0], values[-1])
    assert (found.min(), found.max()) == (values.min(), values.max())
    assert (np.diff(reduction.times) >= 0.0).all()
    assert (reduction.times[0], reduction.times[-1]) == (times[0], times[-1])
    if count <= 101:
        np.testing.assert_array_equal(found, values)


def test_a_peak_of_one_sample_stays_at_its_time():
    times = np.linspace(0.0, 1.0, 10_000)
    values = np.zeros(10_000)
    values[6789] = -4.0
    reduction = Reduction(times, 200)
    found = reduction(values)
    assert found.min() == -4.0
    assert abs(reduction.times[found.argmin()] - times[6789]) <= reduction.bundle * times[1]


def test_samples_without_a_value_do_not_hide_others():
    values = np.arange(1000.0)
    values[::2] = np.nan
    found = Reduction(np.arange(1000.0), 100)(values)
    assert np.nanmax(found) == 999.0 and not np.isnan(found[1:-1]).any()


# ---- frames --------------------------------------------------------------------------------------------------------


def test_places_are_right_to_a_part_of_the_way_of_each_body():
    ways = np.array([1e-6, 1.0, 0.0])  # one creeps, one goes far, one stays
    position = 5.0 + ways[None, :, None] * RANDOM.random((40, 3, 3))
    quaternion = RANDOM.normal(size=(40, 3, 4))
    quaternion /= np.linalg.norm(quaternion, axis=2, keepdims=True)
    pack = Pack()
    found = unpacked(pack.text(pack_frames(Frames(np.arange(40.0), position, quaternion), pack)))
    level = found["position"].astype(float).reshape(40, 3, 3) + 32768
    error = np.abs(found["least"].reshape(3, 3) + found["step"].reshape(3, 3) * level - position)
    assert (error <= 0.5001 * ways[None, :, None] / 65535 + 1e-15).all()
    turned = found["quaternion"].reshape(40, 3, 4) / 32767
    cosine = np.abs(np.sum(turned * quaternion, axis=2)) / np.linalg.norm(turned, axis=2)
    assert np.arccos(np.minimum(cosine, 1.0)).max() < 1e-4


def test_quaternions_do_not_jump_to_the_same_turn_with_the_other_sign():
    smooth = turning(np.linspace(0.0, 20.0, 300))[:, None]
    signs = RANDOM.choice([-1.0, 1.0], size=(300, 1, 1))
    found = continuous(signs * smooth)
    np.testing.assert_array_equal(np.abs(found), np.abs(smooth))
    assert np.linalg.norm(np.diff(found, axis=0), axis=2).max() < 0.1


def test_frames_are_thinned_evenly_and_keep_both_ends(monkeypatch):
    monkeypatch.setattr("gsolve.solver.results.report.motion.MOST_POSES", 100)
    frames = Frames(np.arange(101.0), np.zeros((101, 5, 3)), np.tile([1.0, 0, 0, 0], (101, 5, 1)))
    pack = Pack()
    found = unpacked(pack.text(pack_frames(frames, pack)))
    assert found["in_file"] == 101
    assert found["time"].tolist() == [*range(0, 101, 6), 100]


def test_the_machine_says_which_histories_belong_to_a_body(tmp_path):
    path = tmp_path / "a.h5"
    make_result(path, [0.0, 1.0], {"energy/total": 1.0})
    wheel_and_ball(path)
    assert held_by(gsolve.load(path).model) == [
        [["rbody", 1], ["node", 1], ["joint", 5], ["spring", 6], ["inter", 7]],
        [["node", 2], ["spring", 6], ["inter", 7]],
    ]


def test_a_turn_between_frames_is_that_of_the_fastest_rate(tmp_path):
    path = tmp_path / "a.h5"
    units = {"RATE": "rad/s", "VRZ": "rad/s", "ARZ": "rad/s2"}
    histories = {"joint/1/RATE": [1.0, -30.0], "node/2/VRZ": [2.0, 2.0], "node/2/ARZ": [900.0, 900.0]}
    make_result(path, [0.0, 1.0], histories, units=units)
    with h5py.File(path) as file:
        assert fastest_turn(file, np.array([0.0, 0.01, 0.03])) == pytest.approx(0.6, rel=1e-12)
        assert fastest_turn(file, np.array([0.0])) == 0.0


def test_arrows_are_the_contact_forces_of_the_file(tmp_path):
    path = tmp_path / "a.h5"
    forces = {"FNX": [0.0, 3.0, 0.0], "FNY": [0.0, 0.0, 0.0], "FNZ": [0.0, 4.0, np.nan], "FTY": [0.0, 12.0, 0.0]}
    places = {"PX": [np.nan, 1.0, np.nan], "PY": [np.nan, 2.0, np.nan], "PZ": [np.nan, 3.0, np.nan]}
    rest = {"FTX": 0.0, "FTZ": 0.0}
    acting = {f"inter/1/{name}": values for name, values in {**forces, **places, **rest}.items()}
    idle = {f"inter/2/{name}": 0.0 for name in {**forces, **places, **rest}}
    make_result(path, [0.0, 1.0, 2.0], {**acting, **idle}, names={1: "touch"})
    pack = Pack()
    with h5py.File(path) as file:
        found = unpacked(pack.text(pack_arrows(file, np.arange(3.0), pack)))
    assert (found["ids"], found["names"], found["largest"]) == ([1], ["touch"], 13.0)
    assert found["force"].reshape(3, 3).tolist() == [[0, 0, 0], [3, 12, 4], [0, 0, 0]]
    assert found["point"].reshape(3, 3).tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0]]


# ---- curves --------------------------------------------------------------------------------------------------------


def curves_of_file(path: Path, times: Any, histories: dict[str, Any], **options: Any) -> Any:
    make_result(path, times, histories, **options)
    pack = Pack()
    with h5py.File(path) as file:
        return unpacked(pack.text(pack_curves(file, np.asarray(times), HistoryReader(path).families, pack)))


def test_curves_have_names_units_and_values(tmp_path):
    times = np.linspace(0.0, 1.0, 11)
    histories = {
        "energy/error": 1e-9 * times, "joint/4/RATE": times**2, "joint/4/U": np.nan, "joint/4/V": 7.5,
        **{f"inter/1/FN{axis}": size * times for axis, size in zip("XYZ", (3.0, 4.0, 12.0), strict=True)},
    }  # fmt: skip
    found = curves_of_file(tmp_path / "a.h5", times, histories, units={"RATE": "rad/s"}, names={4: "hinge"})
    curves = {curve["name"]: curve for curve in found["list"]}
    np.testing.assert_array_equal(curves["joint/4/RATE"]["values"], (times**2).astype("f4"))
    assert (curves["joint/4/RATE"]["title"], curves["joint/4/RATE"]["unit"]) == ("hinge", "rad/s")
    assert curves["joint/4/U"]["constant"] is None
    assert curves["joint/4/V"]["constant"] == 7.5
    np.testing.assert_allclose(curves["inter/1/|FN|"]["values"], 13.0 * times, rtol=1e-7)
    opening = {plot["title"]: [found["list"][k]["name"] for k in plot["curves"]] for plot in found["plots"]}
    assert opening == {
        "Error of the energy balance": ["energy/error"],
        "Rates of joints": ["joint/4/RATE"],
        "Slides of joints": ["joint/4/V"],
        "Contact forces": ["inter/1/|FN|"],
    }


def test_plots_of_many_objects_show_some_and_say_of_how_many(tmp_path):
    histories = {f"joint/{k}/RATE": [0.0, float(k)] for k in range(1, 31)}
    found = curves_of_file(tmp_path / "a.h5", [0.0, 1.0], histories)
    (plot,) = found["plots"]
    names = [found["list"][k]["name"] for k in plot["curves"]]
    assert plot["of"] == 30 and len(names) == MOST_IN_PLOT
    assert names[0] == "joint/1/RATE" and names[-1] == "joint/30/RATE"


def test_families_of_many_objects_have_curves_of_the_first_ones(tmp_path):
    histories = {f"node/{k}/VX": [0.0, 1.0] for k in range(1, MOST_OBJECTS + 11)}
    found = curves_of_file(tmp_path / "a.h5", [0.0, 1.0], histories)
    assert len(found["list"]) == MOST_OBJECTS
    assert found["left"]["objects"] == {"node": MOST_OBJECTS + 10}


def test_curves_without_room_are_counted_and_those_of_the_opening_plots_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(curves_module, "BUDGET", 100)
    monkeypatch.setattr(curves_module, "FINE", 40)
    monkeypatch.setattr(curves_module, "COARSE", 20)
    times = np.linspace(0.0, 1.0, 1000)
    histories = {"energy/error": times, **{f"node/1/{name}": RANDOM.normal(size=1000) for name in "ABCDEFGH"}}
    found = curves_of_file(tmp_path / "a.h5", times, histories)
    assert found["list"][0]["name"] == "energy/error" and len(found["list"][0]["values"]) > 20
    assert found["left"]["curves"] == 9 - len(found["list"]) > 0
    assert sum(len(curve["values"]) for curve in found["list"]) <= 100
    assert all(curve["most"] - curve["values"].max() < 1e-6 for curve in found["list"])


def test_frames_of_a_file_are_those_that_were_written(tmp_path):
    path = tmp_path / "a.h5"
    make_result(path, [0.0, 1.0], {"energy/total": 1.0})
    wheel_and_ball(path, frames=5)
    frames = gsolve.load(path).frames
    assert frames.position[:, 1, 0].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
