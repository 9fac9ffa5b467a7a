"""Result files that begin with a copy of an empty one are as they would be without, and hold nothing of others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from fake_simulation import FakeSimulation, fake_model
from gsolve.solver.core.channels import Channel, Family, Label, SampleBlock
from gsolve.solver.results.file_structure import EMPTY_FILES, Structure, blank
from gsolve.solver.results.history import HistoryFile
from gsolve.solver.results.history_layout import Picture
from h5py import h5a

NAMES = ("first", "second", "third")


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    EMPTY_FILES.clear()


def picture(bodies: int) -> Picture:
    """Of bodies in a row, with frames."""
    names = [f"body {k}" for k in range(bodies)]
    body = {
        "id": np.arange(bodies), "name": names, "rbody": np.zeros(bodies), "fixed": np.zeros(bodies),
        "mass": np.linspace(1.0, 2.0, bodies), "inertia": np.ones((bodies, 6)), "centre": np.zeros((bodies, 3)),
    }  # fmt: skip
    label = Label("kind", ("rigid",) * bodies, "kind of body")
    poses = Family("th/body", (Channel("X", "m", "place"),), np.arange(bodies), tuple(names), labels=(label,))
    return Picture({"body": body}, poses, 4)


def write(path: Path, *, nodes: int = 2, title: str = "a title", bodies: int = 1, scale: float = 1.0) -> Path:
    """A file with all that there is, of some nodes and bodies."""
    simulation = FakeSimulation(nodes=nodes)
    history = HistoryFile(
        path, fake_model(), simulation.families, samples_expected=11, picture=picture(bodies), checkpoint_bytes=1000,
        attributes={"title": title, "gsolve_version": "0", "n_steps": 0, "t_end": scale},
    )  # fmt: skip
    block = simulation.advance(100)
    block.frames = SampleBlock(block.times[:3], {"th/body": {"X": np.full((3, bodies), scale)}})
    history.append(block)
    history.flush({"n_steps": 100})
    history.write_checkpoint(1, title.encode() * 10)
    history.close("completed", "", {"n_steps": 101})
    return path


def contents(path: Path) -> dict[str, Any]:
    """All that a file has, by path: links, datasets with types, places, options and values, and attributes likewise."""
    found: dict[str, Any] = {}

    def attributes(item: h5py.HLObject) -> dict[str, Any]:
        ids = [h5a.open(item.id, index=k) for k in range(h5a.get_num_attrs(item.id))]
        return {
            each.name.decode(): (type_of(each), each.shape, repr(np.asarray(item.attrs[each.name.decode()]).tolist()))
            for each in ids
            if each.name not in (b"created", b"DIMENSION_LIST", b"REFERENCE_LIST")
        }

    def references(file: h5py.File, item: h5py.Dataset) -> list[Any]:
        users = item.attrs.get("REFERENCE_LIST", ())
        return [[[scale.name for scale in dim.values()] for dim in item.dims],
                [(file[user].name, int(dim)) for user, dim in users]]  # fmt: skip

    def look(file: h5py.File, name: str, item: h5py.HLObject) -> None:
        found[name] = attributes(item)
        if isinstance(item, h5py.Dataset):
            options = item.id.get_create_plist()
            value = item[()]
            values = value.tobytes() if not value_has_objects(value) else repr(np.asarray(value).tolist())
            found[name] |= {
                "?": (type_of(item.id), item.shape, item.maxshape, item.chunks, item.fillvalue.tobytes()
                      if hasattr(item.fillvalue, "tobytes") else item.fillvalue, options.get_nfilters(),
                      options.get_obj_track_times(), options.get_fill_time(), options.get_alloc_time()),
                "values": values, "scales": references(file, item),
            }  # fmt: skip

    with h5py.File(path) as file:
        found["/"] = attributes(file)
        file.visititems_links(lambda name, _: look(file, name, file[name]))
    return found


def value_has_objects(value: Any) -> bool:
    return not hasattr(value, "dtype") or value.dtype.hasobject


def type_of(item: Any) -> bytes:
    """As the file has it."""
    return bytes(item.get_type().encode())


def test_second_file_of_a_kind_is_the_first_but_for_what_differs(tmp_path: Path) -> None:
    first, second = (contents(write(tmp_path / f"{name}.h5")) for name in NAMES[:2])
    assert len(EMPTY_FILES) == 1
    assert first == second
    assert {"th/node/DX", "th/body/kind", "model/body", "checkpoint/odd", "deck", "messages"} <= set(first)


def test_values_of_another_run_of_a_kind_are_its_own(tmp_path: Path) -> None:
    alone = contents(write(tmp_path / "alone.h5", title="its own", scale=2.0))
    EMPTY_FILES.clear()
    write(tmp_path / "before.h5", title="a secret")
    path = write(tmp_path / "after.h5", title="its own", scale=2.0)
    with h5py.File(path) as file:
        assert (file.attrs["title"], file.attrs["t_end"], file["deck"][()]) == ("its own", 2.0, b"{}")
        assert file["model/body"]["name"].tolist() == [b"body 0"]
    assert len(EMPTY_FILES) == 1
    assert contents(path) == alone
    assert b"a secret" not in path.read_bytes()


def test_kinds_of_machines_do_not_mix(tmp_path: Path) -> None:
    kinds: list[dict[str, Any]] = [{}, {"nodes": 3}, {"bodies": 2}, {"nodes": 3, "bodies": 2}]
    alone = []
    for kind in kinds:
        EMPTY_FILES.clear()
        alone.append(contents(write(tmp_path / "alone.h5", **kind)))
    EMPTY_FILES.clear()
    for _ in range(2):
        assert [contents(write(tmp_path / "file.h5", **kind)) for kind in kinds] == alone
    assert len(EMPTY_FILES) == len(kinds)


def test_threads_may_write_files_at_the_same_time(tmp_path: Path) -> None:
    kinds: list[dict[str, Any]] = [{"nodes": 1 + k % 3, "title": f"title {k}"} for k in range(12)]
    alone = [contents(write(tmp_path / "alone.h5", **kind)) for kind in kinds]
    EMPTY_FILES.clear()
    with ThreadPoolExecutor(4) as threads:
        paths = threads.map(lambda k: write(tmp_path / f"{k}.h5", **kinds[k]), range(len(kinds)))
    assert [contents(path) for path in paths] == alone


def test_attributes_of_other_types_are_another_file() -> None:
    structure = Structure()
    structure.labels("messages", "[]", str, ())
    files = [structure.empty_file(given) for given in ({"t": 1}, {"t": 1.0}, {"t": "1"}, {"t": 2.0}, {"u": 1})]
    assert len(set(files)) == len(EMPTY_FILES) == 4
    assert files[1] == files[3]


def test_blank_attributes_are_of_the_same_types() -> None:
    given = {"text": "a", "number": 3, "value": 2.5}
    assert blank(given) == {"text": "", "number": 0, "value": 0.0}
    assert list(map(type, blank(given).values())) == [str, int, float]
