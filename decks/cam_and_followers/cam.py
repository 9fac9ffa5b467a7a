"""Writes cam.inc beside itself: a cam by its support function, and says where both followers stand at the end.

A flat follower stands at h, the distance of the tangent of the cam at right angles to its way.  The points of the cam
are where these tangents touch it,

    (x, y) = h (cos, sin) + h' (-sin, cos),   h = R + a ((1 - cos psi)/2)^2,

and the centre of a roller of radius r is on the curve that has h + r in place of h.
"""

from __future__ import annotations

import math
from pathlib import Path

BASE, LIFT, ROLLER, COUNT = 0.03, 0.008, 0.01, 90
ANGLE = 8 * math.pi * (0.75 + 1 / (2 * math.pi))  # of the cam at the end, t = 0.75 s


def support(psi: float) -> float:
    return BASE + LIFT * ((1 - math.cos(psi)) / 2) ** 2


def slope(psi: float) -> float:
    return LIFT * (1 - math.cos(psi)) / 2 * math.sin(psi)


def point(psi: float, offset: float = 0.0) -> tuple[float, float]:
    """Of the curve that lies outside the cam by an offset."""
    h, along = support(psi) + offset, slope(psi)
    return h * math.cos(psi) - along * math.sin(psi), h * math.sin(psi) + along * math.cos(psi)


def roller_at(direction: float) -> float:
    """Distance of the roller's centre from the axis of the cam, in a direction in the axes of the cam."""
    low, high = direction - 0.5, direction + 0.5
    for _ in range(60):
        middle = (low + high) / 2
        x, y = point(middle, ROLLER)
        if math.sin(math.atan2(y, x) - direction) < 0:
            low = middle
        else:
            high = middle
    return math.hypot(*point(middle, ROLLER))


def main() -> None:
    """Write the file."""
    lines = ["# Written by cam.py", "/CURVE/2D/1", "cam", "# node, skew_ID, closed, n_points", f"1, 0, 1, {COUNT}"]
    lines += ["{:.12g}, {:.12g}".format(*point(2 * math.pi * k / COUNT)) for k in range(COUNT)]
    Path(__file__).with_name("cam.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"flat follower {support(math.pi / 2 - ANGLE):.9f} m, roller {roller_at(-ANGLE):.9f} m")


if __name__ == "__main__":
    main()
