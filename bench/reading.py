"""How long reading takes: a million nodes, many gear joints, a mesh of bricks; and the masses of the nodes of the mesh.

    python bench/reading.py [nodes] [joints]

Prints seconds, nodes per second and peak memory for each; every deck is read in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

DEFAULTS = ["1000000", "20000"]
HEAD = "#RADIOSS STARTER\n/BEGIN\nbenchmark\n      2022         0\nkg,m,s\nkg,m,s\n"
TAIL = "/END\n/RUN/benchmark/1\n1.0\n"
PART = "/MAT/LAW1/1\nsteel\n7800\n/PROP/SOLID/1\nsolid\n/PART/1\nblock\n1,1\n"


def node_lines(count: int) -> Iterator[str]:
    """A /NODE block in fixed columns."""
    yield "/NODE\n"
    for i in range(1, count + 1):
        yield f"{i:10d}{0.001 * i:20.6f}{0.002 * i:20.6f}{-0.003 * i:20.6f}\n"


def joint_blocks(count: int) -> Iterator[str]:
    """Gear joints, each on three nodes of its own."""
    member = f"{1.0:20.4f}{0.1:20.4f}{0.0:20.4f}{0.0:20.4f}{1.0:20.4f}\n"
    for i in range(1, count + 1):
        yield f"/GJOINT/GEAR/{i}\ngear pair {i}\n#  node_ID0             FscaleV\n"
        yield f"{3 * i - 2:10d}{2.0:20.4f}{1.0:20.4f}{1.0:20.4f}{3 * i - 1:10d}{3 * i:10d}\n{member}{member}\n"


def mesh_lines(side: int) -> Iterator[str]:
    """A cube of `side` nodes each way, 1 m apart, and the bricks between them."""
    yield "/NODE\n"
    for i in range(side**3):
        yield f"{i + 1:10d}{i // side**2:20d}{i // side % side:20d}{i % side:20d}\n"
    yield f"{PART}/BRICK/1\n"
    corners = (0, side**2, side**2 + side, side, 1, side**2 + 1, side**2 + side + 1, side + 1)
    number = 0
    for i in range(side - 1):
        for j in range(side - 1):
            for first in range((i * side + j) * side + 1, (i * side + j + 1) * side):
                number += 1
                yield f"{number:10d}" + "".join(f"{first + corner:10d}" for corner in corners) + "\n"


def tell(what: str, seconds: float, nodes: int) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:48} {seconds:6.2f} s {nodes / seconds:12.0f} nodes/s, peak memory {peak:4.0f} MB", flush=True)


def read(path: str) -> None:
    """Read one deck, and sum the masses of its nodes if it has elements; print what it took."""
    from gsolve.parser import read_deck

    start = time.perf_counter()
    model = read_deck(path)
    seconds = time.perf_counter() - start
    elements = sum(len(block.ids) for block in model.elements)
    count = len(model.nodes)
    tell(f"read {count} nodes, {len(model.gear_joints)} joints, {elements} bricks", seconds, count)
    if not elements:
        return
    from gsolve.solver.assembly.nodal_mass import nodal_masses

    start = time.perf_counter()
    nodal_masses(model)
    tell("masses of its nodes", time.perf_counter() - start, count)


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
        return
    nodes, joints = (int(word) for word in (sys.argv[1:] + DEFAULTS[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (
            ("nodes", node_lines(nodes)),
            ("joints", chain(node_lines(3 * joints), joint_blocks(joints))),
            ("mesh", mesh_lines(round(nodes ** (1 / 3)))),
        ):
            path = Path(folder, f"{name}.rad")
            with path.open("w") as stream:
                stream.writelines(chain([HEAD], lines, [TAIL]))
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)
            path.unlink()


if __name__ == "__main__":
    main()
