"""All points of a scene at a frame, and the triangles that they have in common through all frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats, Ints
from ..machine_tables import GROUND, Frames
from .parts import UPRIGHT, Scene
from .poses import link_poses, product, turned


class SceneMotion:
    """A scene in motion: parts of one shape stand together, links behind them.

    triangles : (m, 3) rows of points
    item : (m,) place in `scene.parts`, or behind these in `scene.links`, of each triangle
    tone : (m,) of each triangle, as of its shape
    count : of points
    """

    def __init__(self, scene: Scene, frames: Frames) -> None:
        self.scene, self.frames = scene, frames
        of_shape: dict[int, list[int]] = {}
        for k, part in enumerate(scene.parts):
            of_shape.setdefault(part.shape, []).append(k)
        self._groups = [_Group(scene, shape, members) for shape, members in of_shape.items()]
        self._links = [(link, link_poses(link, frames)) for link in scene.links]
        pieces = [(scene.shapes[group.shape], k) for group in self._groups for k in group.members]
        pieces += [(scene.shapes[link.shape], len(scene.parts) + k) for k, link in enumerate(scene.links)]
        starts = np.cumsum([0, *(len(shape.points) for shape, _ in pieces)])
        self.count = int(starts[-1])
        none = [np.zeros((0, 3), dtype=np.int64)]
        triangles = [shape.triangles + start for (shape, _), start in zip(pieces, starts[:-1], strict=True)]
        self.triangles: Ints = np.concatenate(triangles or none)
        self.item: Ints = np.repeat([item for _, item in pieces], [len(shape.triangles) for shape, _ in pieces])
        tones = [shape.tone for shape, _ in pieces]
        self.tone: NDArray[np.uint8] = np.concatenate(tones or [np.zeros(0, np.uint8)])

    def points(self, frame: int) -> Floats:
        """(n, 3) at a frame, global axes."""
        position = np.concatenate([self.frames.position[frame], np.zeros((1, 3))])
        quaternion = np.concatenate([self.frames.quaternion[frame], UPRIGHT[None]])
        found = [group.points(position, quaternion).reshape(-1, 3) for group in self._groups]
        for link, (starts, turns, lengths) in self._links:
            points = self.scene.shapes[link.shape].points * [link.radius, link.radius, lengths[frame]]
            found.append(starts[frame] + turned(turns[frame], points))
        return np.concatenate(found) if found else np.zeros((0, 3))


class _Group:
    """Parts of one shape."""

    def __init__(self, scene: Scene, shape: int, members: list[int]) -> None:
        parts = [scene.parts[k] for k in members]
        self.shape, self.members = shape, members
        self._local = scene.shapes[shape].points
        self._bodies = np.array([part.body for part in parts])
        self._scales = np.stack([part.scale for part in parts])
        self._positions = np.stack([part.position for part in parts])
        self._quaternions = np.stack([part.quaternion for part in parts])
        self._turns = np.array([part.turns or part.body == GROUND for part in parts])

    def points(self, position: Floats, quaternion: Floats) -> Floats:
        """(k, n, 3) with the poses of all bodies, the ground last."""
        body_turn = quaternion[self._bodies]
        places = position[self._bodies] + turned(body_turn, self._positions)
        turns = np.where(self._turns[:, None], product(body_turn, self._quaternions), self._quaternions)
        found: Floats = places[:, None] + turned(turns[:, None], self._scales[:, None] * self._local)
        return found
