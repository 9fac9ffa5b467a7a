"""Writes geneva.inc beside itself: the wheel of a Geneva drive with four slots, and the locking disc of its crank.

Both are closed curves by points.  Corners are found by their angles, but where a straight side of a slot goes over into
its round end: there two equal points in a row make a corner of no angle, so that the side is exactly straight.
"""

from __future__ import annotations

import math
from pathlib import Path

DISTANCE = 0.06  # of the axes
CRANK = DISTANCE * math.sin(math.pi / 4)  # radius of the pin's way, and of the wheel
PIN, PLAY = 0.004, 2e-5  # radius of the pin; how much wider each side of a slot is
BOTTOM = DISTANCE - CRANK - 0.0003  # centre of the round end of a slot
DISC, LOCK_PLAY, RELIEF = 0.03, 1e-5, 0.045  # radii of the locking disc, and of what is cut out of it

Point = tuple[float, float]


def arc(centre: Point, radius: float, first: float, last: float, segments: int) -> list[Point]:
    angles = [first + (last - first) * k / segments for k in range(segments + 1)]
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def meeting(radius: float, other: float) -> Point:
    """Where a circle about the origin meets one about (DISTANCE, 0), above the x axis."""
    x = (DISTANCE**2 + radius**2 - other**2) / (2 * DISTANCE)
    return x, math.sqrt(radius**2 - x**2)


def quarter_of_wheel() -> list[Point]:
    """From the hollow in which the disc locks the wheel, about the x axis, over a slot to the next hollow."""
    hollow, half = DISC + LOCK_PLAY, PIN + PLAY
    x, y = meeting(CRANK, hollow)
    edge = math.atan2(y, DISTANCE - x)
    lock = arc((DISTANCE, 0.0), hollow, math.pi + edge, math.pi - edge, 16)
    land = arc((0.0, 0.0), CRANK, math.atan2(y, x), math.pi / 4 - math.asin(half / CRANK), 4)
    # the slot, along x, then turned
    mouth = math.sqrt(CRANK**2 - half**2)
    end = arc((BOTTOM, 0.0), half, 1.5 * math.pi, 0.5 * math.pi, 10)
    slot = [(mouth, -half), end[0], end[0], *end[1:-1], end[-1], end[-1], (mouth, half)]
    slot = [turned(point, math.pi / 4) for point in slot]
    second_land = [(v, u) for u, v in reversed(land)]  # mirrored at the slot
    return [*lock, *land[1:-1], *slot, *second_land[1:-1]]


def turned(point: Point, angle: float) -> Point:
    c, s = math.cos(angle), math.sin(angle)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]


def wheel() -> list[Point]:
    points: list[Point] = []
    for k in range(4):
        points += [turned(point, k * math.pi / 2) for point in quarter_of_wheel()]
    return points


def disc() -> list[Point]:
    """The locking disc; the pin is in the direction of x, where it makes way for the wheel."""
    x, y = meeting(DISC, RELIEF)
    edge = math.atan2(y, x)
    lock = arc((0.0, 0.0), DISC, edge, 2 * math.pi - edge, 40)
    half = math.atan2(y, DISTANCE - x)
    relief = arc((DISTANCE, 0.0), RELIEF, math.pi + half, math.pi - half, 12)
    return [*lock, *relief[1:-1]]


def curve(number: int, title: str, skew: int, points: list[Point]) -> list[str]:
    lines = [f"/CURVE/2D/{number}", title, "# node, skew_ID, closed, n_points", f"{number}, {skew}, 1, {len(points)}"]
    return lines + [f"{x:.12g}, {y:.12g}" for x, y in points]


def main() -> None:
    """Write the file."""
    lines = ["# Written by geneva.py", *curve(1, "locking disc", 1, disc()), *curve(2, "wheel", 0, wheel())]
    Path(__file__).with_name("geneva.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
