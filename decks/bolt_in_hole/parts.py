"""Writes bolt.off, a shank with a hexagon head and nut, and plate.off, a square plate with a hole; all about z."""

import math
from collections.abc import Callable
from pathlib import Path

AROUND = 72  # vertices of a ring
ROWS = 8  # of triangles along the shank
SHANK, HOLE = 0.005, 0.0052  # radii
LENGTH, THICKNESS = 0.0104, 0.01  # of the shank between head and nut, of the plate
HEXAGON, HEAD = 0.008, 0.006  # half of the width across flats, height of head and nut
PLATE = 0.015  # half of the width

Ring = list[tuple[float, float, float]]


def ring(z: float, radius: Callable[[float], float]) -> Ring:
    around = [2 * math.pi * k / AROUND for k in range(AROUND)]
    return [(radius(a) * math.cos(a), radius(a) * math.sin(a), z) for a in around]


def circle(radius: float) -> Callable[[float], float]:
    return lambda angle: radius


def polygon(sides: int, half_width: float) -> Callable[[float], float]:
    """Distance from the middle; a flat side faces x."""
    pitch = 2 * math.pi / sides
    return lambda angle: half_width / math.cos((angle + pitch / 2) % pitch - pitch / 2)


def write(name: str, rings: list[Ring], *, closed: bool) -> None:
    """Rings one after the other; closed: and back to the first one, else with a point in the middle of both ends."""
    vertices = [vertex for each in rings for vertex in each]
    faces = []
    for i in range(len(rings) if closed else len(rings) - 1):
        for k in range(AROUND):
            a, b = i * AROUND + k, i * AROUND + (k + 1) % AROUND
            c, d = ((i + 1) % len(rings) * AROUND + j % AROUND for j in (k, k + 1))
            faces += [(a, b, d), (a, d, c)]
    if not closed:
        first, last = len(vertices), len(vertices) - AROUND
        vertices += [(0.0, 0.0, rings[0][0][2]), (0.0, 0.0, rings[-1][0][2])]
        for k in range(AROUND):
            n = (k + 1) % AROUND
            faces += [(first, n, k), (first + 1, last + k, last + n)]
    lines = ["OFF", f"{len(vertices)} {len(faces)} 0"]
    lines += [f"{x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    lines += [f"3 {a} {b} {c}" for a, b, c in faces]
    Path(__file__).with_name(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


inner, outer, hexagon = LENGTH / 2, LENGTH / 2 + HEAD, polygon(6, HEXAGON)
nut = [ring(-outer, hexagon), ring(-inner, hexagon)]
head = [ring(inner, hexagon), ring(outer, hexagon)]
shank = [ring(inner * (2 * k / ROWS - 1), circle(SHANK)) for k in range(ROWS + 1)]
write("bolt.off", [*nut, *shank, *head], closed=False)
square, half = polygon(4, PLATE), THICKNESS / 2
write("plate.off", [ring(-half, square), ring(half, square), ring(half, circle(HOLE)), ring(-half, circle(HOLE))],
      closed=True)  # fmt: skip
