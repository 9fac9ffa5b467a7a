"""Where parts and links of a scene are, frame by frame."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats
from ..machine_tables import GROUND, Frames
from .parts import Link, Part


def part_poses(part: Part, frames: Frames) -> tuple[Floats, Floats]:
    """(nf, 3) places of the origin of the part's shape, and (nf, 4) quaternions of its axes, scalar first."""
    place = frames.places(part.body, part.position[None])[:, 0]
    if part.body == GROUND or not part.turns:
        return place, np.broadcast_to(part.quaternion, (len(place), 4))
    return place, product(frames.quaternion[:, part.body], part.quaternion)


def link_poses(link: Link, frames: Frames) -> tuple[Floats, Floats, Floats]:
    """(nf, 3) places of the beginning, (nf, 4) quaternions whose z' points to the end, (nf,) lengths."""
    start, end = (
        frames.places(int(body), point[None])[:, 0] for body, point in zip(link.bodies, link.points, strict=True)
    )
    along = end - start
    length = np.linalg.norm(along, axis=1)
    return start, turn_to(along), length


def product(a: Floats, b: Floats) -> Floats:
    """Quaternions (..., 4) of the rotation b followed by a."""
    (w, x, y, z), (s, i, j, k) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ],
        axis=-1,
    )


def turned(quaternion: Floats, points: Floats) -> Floats:
    """Points (..., 3) turned by quaternions (..., 4)."""
    w, q = quaternion[..., :1], quaternion[..., 1:]
    half = np.cross(q, points)
    found: Floats = points + 2.0 * (w * half + np.cross(q, half))
    return found


def turn_to(directions: Floats) -> Floats:
    """Quaternions (..., 4) of the shortest turn of z to directions (..., 3) of any length; none of length 0."""
    length = np.linalg.norm(directions, axis=-1, keepdims=True)
    unit = np.where(length > 0.0, directions / np.where(length > 0.0, length, 1.0), [0.0, 0.0, 1.0])
    x, y, z = np.moveaxis(unit, -1, 0)
    across = x * x + y * y
    more = np.where(z < 0.0, across / (1.0 + np.abs(z)), 1.0 + z)  # 1 + z, to all digits also where z points down
    down = (z < 0.0) & (across == 0.0)  # half a turn about any axis across z
    found = np.where(down[..., None], [0.0, 1.0, 0.0, 0.0], np.stack([more, -y, x, np.zeros_like(z)], axis=-1))
    turn: Floats = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return turn


def turn_of_axes(z: Floats, x: Floats) -> Floats:
    """Quaternion (4,) whose z' is along z and whose x' is along x as far as that is across z; any x' if it is not."""
    z = z / np.linalg.norm(z)
    across = x - z * (x @ z)
    size = float(np.linalg.norm(across))
    if size <= 1e-9 * max(1.0, float(np.linalg.norm(x))):
        return turn_to(z)
    first = turn_to(z)
    u = turned(first, np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    angle = np.arctan2(u[1] @ across, u[0] @ across)
    return product(first, np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]))
