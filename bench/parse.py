"""How long reading takes: a deck of many nodes, and a deck of many gear joints.

    python bench/parse.py [nodes] [joints]

Prints seconds and peak memory for each; every deck is read in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HEAD = "#RADIOSS STARTER\n/BEGIN\nbenchmark\n      2022         0\nkg,m,s\nkg,m,s\n"
TAIL = "/END\n/RUN/benchmark/1\n1.0\n"


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


def read(path: str) -> None:
    """Read one deck and print what it took."""
    start = time.perf_counter()
    from gsolve.parser import read_deck

    imported = time.perf_counter()
    model = read_deck(path)
    seconds = time.perf_counter() - imported
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(model.nodes):9d} nodes {len(model.gear_joints):6d} joints: {seconds:6.2f} s, "
        f"import {imported - start:.2f} s, peak memory {peak:.0f} MB",
        flush=True,
    )


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
        return
    nodes, joints = (int(word) for word in (*sys.argv[1:], "1000000", "20000")[:2])
    with tempfile.TemporaryDirectory() as folder:
        for name, n_nodes, n_joints in (
            ("small.rad", 3, 1),
            ("nodes.rad", nodes, 0),
            ("joints.rad", 3 * joints, joints),
        ):
            path = Path(folder, name)
            with path.open("w") as stream:
                stream.write(HEAD)
                stream.writelines(node_lines(n_nodes))
                stream.writelines(joint_blocks(n_joints))
                stream.write(TAIL)
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)


if __name__ == "__main__":
    main()
