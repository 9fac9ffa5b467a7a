"""Writes angle.off and tray.off, an L and an open box as meshes, and parts.inc: 100 of the first above the second."""

import random
from itertools import product
from pathlib import Path

CELL = 0.005  # cubes that an L is made of
ROWS, COLUMNS, LAYERS, PITCH = 5, 5, 4, 0.044  # of the parts at t = 0
TRAY, WALL, HEIGHT = (0.22, 0.22), 0.02, 0.06  # inner lengths
HERE = Path(__file__).parent

Cell = tuple[int, int, int]


def write(name: str, cells: set[Cell], lengths: list[list[float]]) -> None:
    """The skin of cells of a grid; lengths : its planes along each axis."""
    numbers: dict[Cell, int] = {}
    faces = []
    for cell, axis, side in product(sorted(cells), range(3), (0, 1)):
        beyond = [cell[i] + (2 * side - 1) * (i == axis) for i in range(3)]
        if tuple(beyond) in cells:
            continue
        u, v = (axis + 1) % 3, (axis + 2) % 3
        corners = []
        for more in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = list(cell)
            corner[axis] += side
            corner[u] += more[0]
            corner[v] += more[1]
            corners.append(numbers.setdefault((corner[0], corner[1], corner[2]), len(numbers)))
        a, b, c, d = corners if side else reversed(corners)
        faces += [(a, b, c), (a, c, d)]
    lines = ["OFF", f"{len(numbers)} {len(faces)} 0"]
    lines += [" ".join(f"{lengths[i][corner[i]]:.9g}" for i in range(3)) for corner in numbers]
    lines += [f"3 {a} {b} {c}" for a, b, c in faces]
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def block(x: range, y: range, z: range) -> set[Cell]:
    return set(product(x, y, z))


angle = block(range(6), range(2), range(2)) | block(range(2), range(6), range(2))
centre = [sum(cell[i] + 0.5 for cell in angle) / len(angle) * CELL for i in range(3)]
write("angle.off", angle, [[k * CELL - centre[i] for k in range(7)] for i in range(3)])

planes = [[-half - WALL, *(half * (k / 4 - 1) for k in range(9)), half + WALL] for half in (TRAY[0] / 2, TRAY[1] / 2)]
inside = block(range(1, 9), range(1, 9), range(1, 4))
write(
    "tray.off",
    block(range(10), range(10), range(4)) - inside,
    [*planes, [-WALL, 0, *(HEIGHT * k / 3 for k in (1, 2, 3))]],
)

random.seed(1)
deck = ["# Nodes and meshes 1 to 100, which parts.py wrote; union 200 and group 1 hold them all."]
places = product(range(LAYERS), range(ROWS), range(COLUMNS))
for node, (layer, row, column) in enumerate(places, start=1):
    place = ((row - (ROWS - 1) / 2) * PITCH, (column - (COLUMNS - 1) / 2) * PITCH, 0.03 + layer * PITCH)
    y, z = ([random.gauss(0, 1) for _ in range(3)] for _ in range(2))
    deck += [f"/NODE\n{node}, {place[0]:.9g}, {place[1]:.9g}, {place[2]:.9g}"]
    deck += [f"/RBODY/{node}\npart\n{node}, 0, 0, 3\n0, 0, 0"]
    deck += [f"/SKEW/FIX/{node}\nany\n0, 0, 0\n" + "\n".join(", ".join(f"{x:.9g}" for x in axis) for axis in (y, z))]
    deck += [f"/SURF/MESH/{node}\npart\n{node}, {node}\n1, 40, 7850\n0, 0, 0\nangle.off"]
numbers = range(1, 101)
rows = ["".join(f"{number:>10}" for number in numbers[k : k + 10]) for k in range(0, 100, 10)]
deck += ["/GRNOD/NODE/1\nall parts", *rows, "/SURF/SURF/200\nall parts", *rows]
(HERE / "parts.inc").write_text("\n".join(deck) + "\n", encoding="utf-8")
