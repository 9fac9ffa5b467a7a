"""Frames of two runs beside each other: where each body is, and how it is turned."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints
from ..machine_tables import Frames
from ..result import Result
from .grid import SAME_TIME

PLACE, ATTITUDE = "place", "attitude"


def common_frames(a: Floats, b: Floats) -> tuple[Ints, Ints]:
    """Frames of a and of b, by their times in one unit, that are at the same time; none is interpolated."""
    if not len(a) or not len(b):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    nearest = np.abs(a[:, None] - b[None, :]).argmin(axis=1)
    slack = SAME_TIME * max(a[-1] - a[0], b[-1] - b[0]) / max(len(a), len(b))
    of_a = np.flatnonzero(np.abs(b[nearest] - a) <= slack)
    return of_a, nearest[of_a]


def poses_apart(a: Result, b: Result, length: float, time: float) -> tuple[Floats, dict[str, Floats]]:
    """Times (k,) of the frames that two runs have in common, and (k,) how far each body is apart in them, by name.

    `body/ID/place` is the distance of the mass centres in the unit of A, `body/ID/attitude` the angle between the
    quaternions [rad], whose signs do not count.  Nothing where a run has no frames.

    length, time : what numbers of B are multiplied by
    """
    if a.source.frames is None or b.source.frames is None:
        return np.zeros(0), {}
    frames_a, frames_b = a.frames, b.frames
    of_a, of_b = common_frames(frames_a.time, frames_b.time * time)
    rows = {int(id): row for row, id in enumerate(b.model.body.id)}
    found: dict[str, Floats] = {}
    for row, id in enumerate(a.model.body.id.tolist()):
        if id not in rows or not len(of_a):
            continue
        apart = frames_a.position[of_a, row] - length * frames_b.position[of_b, rows[id]]
        found[f"body/{id}/{PLACE}"] = np.linalg.norm(apart, axis=1)
        found[f"body/{id}/{ATTITUDE}"] = angle_between(frames_a, of_a, row, frames_b, of_b, rows[id])
    return frames_a.time[of_a], found


def bodies_apart(a: Result, b: Result) -> tuple[list[str], list[str]]:
    """Bodies that only A, only B has frames of; none where a run has no frames."""
    if a.source.frames is None or b.source.frames is None:
        return [], []
    ids_a, ids_b = a.model.body.id.tolist(), b.model.body.id.tolist()
    known_a, known_b = set(ids_a), set(ids_b)
    return [f"body/{id}" for id in ids_a if id not in known_b], [f"body/{id}" for id in ids_b if id not in known_a]


def angle_between(a: Frames, of_a: Ints, row_a: int, b: Frames, of_b: Ints, row_b: int) -> Floats:
    """(k,) angle from one attitude to the other, exact also where it is small."""
    one, other = a.quaternion[of_a, row_a], b.quaternion[of_b, row_b]
    other = np.where((one * other).sum(axis=1, keepdims=True) < 0.0, -other, other)
    apart: Floats = 4.0 * np.arctan2(np.linalg.norm(one - other, axis=1), np.linalg.norm(one + other, axis=1))
    return apart
