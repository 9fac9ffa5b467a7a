"""Writes spheres.inc beside itself: 1000 balls, their mass and shape, in layers that fill the hopper from below."""

from __future__ import annotations

import math
from pathlib import Path

RADIUS, DENSITY, COUNT = 0.01, 2500.0, 1000
DEPTH = 0.12  # of the hopper, along y
OUTLET, SLOPE = 0.04, math.sqrt(3.0)  # half the width of the outlet, and how steep the walls are
GAP = 1.05  # between neighbours, over their diameter


def places() -> list[tuple[float, float, float]]:
    """Layer by layer on a square grid, every second layer shifted by a quarter of the grid both ways."""
    found: list[tuple[float, float, float]] = []
    spacing, layer = 2 * RADIUS * GAP, 0
    across = int(DEPTH / spacing)
    while len(found) < COUNT:
        z = RADIUS + layer * spacing
        # up to where a wall is one radius away, less the shift
        half = OUTLET + z / SLOPE - 2 / SLOPE * RADIUS - 0.25 * spacing
        columns = int(2 * half / spacing) + 1
        shift = 0.25 * spacing * (-1) ** layer
        rest = 0.25 * (DEPTH - across * spacing) * (-1) ** layer
        for row in range(across):
            for column in range(columns):
                x = (column - 0.5 * (columns - 1)) * spacing + shift
                found.append((x, (row - 0.5 * (across - 1)) * spacing + rest, z))
        layer += 1
    return found[:COUNT]


def main() -> None:
    """Write the file."""
    mass = 4 / 3 * math.pi * RADIUS**3 * DENSITY
    inertia = 0.4 * mass * RADIUS**2
    lines = ["# Written by spheres.py", "/NODE"]
    lines += [f"{n}, {x:.6g}, {y:.6g}, {z:.6g}" for n, (x, y, z) in enumerate(places(), 1)]
    for n in range(1, COUNT + 1):
        tensor = ", ".join([f"{inertia:.6g}"] * 3)
        lines += [f"/RBODY/{n}", f"ball {n}", f"{n}, 0, 0, 3, {mass:.6g}, 0, 0, 1, 0", tensor, "0, 0, 0"]
        lines += [f"/SURF/SPHERE_SOLID/{n}", f"ball {n}", f"{n}", "0, 0, 0", f"{RADIUS:g}"]
    ids = ["".join(f"{n:>10}" for n in range(k, k + 10)) for k in range(1, COUNT + 1, 10)]
    lines += ["/SURF/SURF/2000", "all balls", *ids, "/GRNOD/NODE/1", "all balls", *ids]
    Path(__file__).with_name("spheres.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
