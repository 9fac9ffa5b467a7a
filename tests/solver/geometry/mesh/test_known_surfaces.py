"""Surfaces of meshes are built once in a process, and what is read of them is what would be built anew."""

from __future__ import annotations

import gsolve
import numpy as np
import pytest
from gsolve.solver.assembly import mesh_checks
from gsolve.solver.contact import mesh_setup
from gsolve.solver.geometry.mesh import division, known_surfaces, pairs, surface
from gsolve.solver.geometry.mesh.records import MeshSurface
from mesh_samples import sphere
from running import DECKS

DECK = DECKS / "cylinder_on_box_meshed" / "cylinder_on_box_meshed.rad"


def bytes_of(built: MeshSurface) -> list[bytes]:
    return [array.tobytes() for array in built]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many triangles each surface has that is built, beginning with none that is known."""
    counts: list[int] = []
    build_surface = surface.build_surface

    def build(mesh, *settings):  # type: ignore[no-untyped-def]
        counts.append(len(mesh.triangles))
        return build_surface(mesh, *settings)

    for module in (surface, division):
        monkeypatch.setattr(module, "build_surface", build)
    known_surfaces._known.clear()
    return counts


def test_a_surface_is_built_once_for_all_that_it_depends_on(built: list[int]) -> None:
    ball, other = sphere(2), sphere(2, 1.0 + 1e-15)
    settings = [(ball, 0.7, True), (ball, 0.7, False), (ball, 0.8, True), (other, 0.7, True)]
    first = [surface.build_surfaces([mesh], [angle], [smooth])[0] for mesh, angle, smooth in settings]
    again = surface.build_surfaces(*zip(*settings, strict=True))
    assert len(built) == len(settings)
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert bytes_of(again[1]) == bytes_of(surface.build_surface(ball, 0.7, False))


def test_a_surface_that_is_divided_is_kept_beside_the_whole_one(built: list[int]) -> None:
    ball, rod = sphere(1), sphere(3, 0.3)
    angles, smooth, roles = [0.7, 0.7], [True, True], [(0, 1)]

    def divided() -> list[MeshSurface]:
        whole = surface.build_surfaces([ball, rod], angles, smooth)
        return division.with_divided_slaves(whole, [ball, rod], angles, smooth, roles)

    first = divided()
    count = len(built)
    assert count > 2 and len(first[0].triangles) > len(ball.triangles)
    assert all(one is other for one, other in zip(first, divided(), strict=True)) and len(built) == count


def kept() -> list[list[bytes]]:
    """All arrays that are kept of meshes."""
    surfaces = list(known_surfaces._known._results.values())
    ready = [array for known in mesh_setup._known._results.values() for array in mesh_setup.arrays_of(known)]
    checked = [array for known in mesh_checks._known._results.values() for array in known.mesh]
    return [bytes_of(arrays) for arrays in (*surfaces, ready, checked)]


def test_runs_that_find_meshes_known_are_the_same_and_leave_them_as_they_are(
    built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = gsolve.run(DECK, t_end=2e-3)
    count, known = len(built), kept()
    monkeypatch.setattr(mesh_checks, "_check", None)  # all others would be built again by `build_surface`
    again = gsolve.run(DECK, t_end=2e-3)
    assert len(built) == count > 0
    assert kept() == known and all(known)
    for name in ("FNX", "FNY", "FNZ"):
        assert np.any(first.th.inter[name]) or name != "FNZ"
        assert np.asarray(first.th.inter[name]).tobytes() == np.asarray(again.th.inter[name]).tobytes()


def test_what_pairs_read_is_found_once_for_all_that_it_depends_on(built: list[int]) -> None:
    ball, rod = sphere(1), sphere(3, 0.3)

    def ready(angle: float = 0.7, roles: tuple[int, int] = (0, 1), nodes: list[int] | None = None,
              endless: list[int] | None = None) -> pairs.ReadyMeshes:  # fmt: skip
        meshes = [ball, rod], [angle, 0.7], [True, True]
        surfaces = surface.build_surfaces(*meshes)
        return mesh_setup.ready_meshes(surfaces, meshes, [roles], nodes or [], endless or [])

    different = [{}, {"angle": 0.8}, {"roles": (1, 0)}, {"nodes": [1]}, {"endless": [1]}]
    first = [ready(**settings) for settings in different]
    assert len({id(known) for known in first}) == len(first)
    assert all(ready(**settings) is known for settings, known in zip(different, first, strict=True))
    assert np.isinf(first[-1].surface.triangles["depth_cap"][-1]) and not first[-2].facets["tangents"][-1].any()
