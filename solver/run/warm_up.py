"""`gsolve warm-up`: compile all of the solver, so that no run after it has to."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .console import Console
from .options import UsageError, require_compilation

DECK = Path(__file__).with_name("warm_up.rad")


def pointers() -> Iterator[Any]:
    """Everything that is called by address."""
    from ..assembly.contact_start import overlaps_pointer
    from ..assembly.initial_kernels import POINTERS as AT_START
    from ..contact.dispatch import curve_pointers, mesh_pointers
    from ..contact.dispatch import pointers as of_contacts
    from ..geometry.pair_table import PAIRS, pointer
    from ..integration.kernels import HELP_POINTER, LOOPS, POINTERS

    yield from LOOPS
    yield HELP_POINTER
    yield from POINTERS.values()
    yield from AT_START
    yield overlaps_pointer()
    yield from of_contacts().values()
    yield from curve_pointers().values()
    yield from mesh_pointers().values()
    for family in dict.fromkeys(PAIRS.values()):
        yield pointer(family.points)
        yield pointer(family.gap, of_gap=True)


def warm_up(console: Console) -> dict[str, Any]:
    """Compile what is not on disk yet; returns the figures for a machine to read.

    Raises
    ------
    UsageError
        something is not on disk yet, and cannot be put there
    """
    from ..core.jit.machine_code import folder, taken_messages

    require_compilation()
    started, compiled, status = time.monotonic(), 0, "compiled"
    for pointer in pointers():
        if not pointer.is_kept:
            if not compiled:
                refuse_place(folder())
            compiled += 1
        pointer.address  # noqa: B018  compiled, or read from disk
        if not pointer.is_kept:  # the disk is full: all else would be lost as well
            status = "failed"
            break
    if status == "compiled":
        assemble_a_deck()
        look_at_a_mesh()
    for message in taken_messages():
        console.error(f"gsolve: {message}")
    seconds, place = time.monotonic() - started, folder()
    size = sum(path.stat().st_size for path in place.glob("*") if path.is_file()) if place.is_dir() else 0
    console.say(f"compiled {compiled} parts of the solver in {seconds:.0f} s; {place} holds {size / 1e6:.0f} MB")
    return {"status": status, "compiled": compiled, "folder": str(place), "bytes": size, "seconds": seconds}


def refuse_place(place: Path) -> None:
    """Before minutes of compilation: try to make a file where machine code is kept.

    Raises
    ------
    UsageError
        nothing can be kept there
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".new-"):
            pass
    except OSError as error:
        raise UsageError(
            f"machine code cannot be kept in {place} ({error.strerror}), nothing was compiled: "
            f"GSOLVE_CACHE_DIR names another folder"
        ) from error


def assemble_a_deck() -> None:
    """Assemble a deck in which Python calls by itself what it ever does: that is compiled on the way."""
    from gsolve.parser import read_deck

    from .simulation import Simulation

    Simulation(read_deck(DECK, t_end=1.0), t_end=1.0).start()


def look_at_a_mesh() -> None:
    """Call what checks meshes."""
    from ..geometry.mesh.crossings import find_crossings
    from ..geometry.mesh.thickness import find_thinnest
    from ..geometry.mesh.triangle_mesh import TriangleMesh

    corners = np.vstack([np.zeros(3), np.eye(3)])
    mesh = TriangleMesh(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))
    find_crossings(mesh, 1e-6)
    find_thinnest(mesh)
