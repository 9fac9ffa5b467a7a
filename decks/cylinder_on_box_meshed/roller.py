"""Writes roller.off: a cylinder of 200 facets about the y axis, each two triangles from end to end."""

import math
from pathlib import Path

FACETS, RADIUS, LENGTH = 200, 0.05, 0.2

around = [2 * math.pi * k / FACETS for k in range(FACETS)]
vertices = [(RADIUS * math.sin(a), y, RADIUS * math.cos(a)) for y in (-LENGTH / 2, LENGTH / 2) for a in around]
vertices += [(0.0, -LENGTH / 2, 0.0), (0.0, LENGTH / 2, 0.0)]
faces = []
for k in range(FACETS):
    here, there = k, (k + 1) % FACETS
    faces += [(here, there, there + FACETS), (here, there + FACETS, here + FACETS)]
    faces += [(2 * FACETS, there, here), (2 * FACETS + 1, here + FACETS, there + FACETS)]
lines = ["OFF", f"{len(vertices)} {len(faces)} 0"]
lines += [f"{x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
lines += [f"3 {a} {b} {c}" for a, b, c in faces]
Path(__file__).with_name("roller.off").write_text("\n".join(lines) + "\n", encoding="utf-8")
