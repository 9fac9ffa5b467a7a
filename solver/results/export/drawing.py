"""Pictures of a scene: triangles seen from a fixed place, the farther ones painted first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats
from ..machine_tables import MachineTables
from ..scene.colours import MARK, colours_of, opacity_of, rgb
from ..scene.motion import SceneMotion
from ..scene.surfaces import CORNERS

AZIMUTH, ELEVATION = np.radians(-55.0), np.radians(28.0)  # of who looks
LIGHT = np.array([-0.35, 0.55, 0.76])  # to the right, up and towards who looks
DARKEST = 0.45  # of a colour, away from the light
SPARE = 1.06  # of the picture, around the machine
BACK = 0.2  # of its opacity, that a wall between who looks and the machine has


class Camera(NamedTuple):
    """axes : (3, 3) rows to the right, up, and towards who looks; bounds : (2, 2) of the picture"""

    axes: Floats
    bounds: Floats


class Triangles(NamedTuple):
    """corners : (m, 3, 2) in the picture, the farthest first; colours : (m, 4)"""

    corners: Floats
    colours: Floats


def camera_of(bounds: Floats, up: Floats) -> Camera:
    """A camera that has a box (2, 3) in its picture, without perspective; up (3,) of length 1."""
    ahead = np.roll(np.eye(3)[int(np.argmax(np.abs(up)))], 1)  # the axis after the one that is most upwards
    ahead -= (ahead @ up) * up
    ahead /= np.linalg.norm(ahead)
    aside = np.cross(up, ahead)
    level = np.cos(AZIMUTH) * ahead + np.sin(AZIMUTH) * aside
    towards = np.cos(ELEVATION) * level + np.sin(ELEVATION) * up
    right = np.cross(up, level)
    axes = np.stack([right, np.cross(towards, right), towards])
    corners = (0.5 * (bounds[0] + bounds[1]) + CORNERS * (bounds[1] - bounds[0])) @ axes[:2].T
    middle, half = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), 0.5 * SPARE * np.ptp(corners, axis=0)
    half = np.maximum(half, 0.02 * half.max())
    return Camera(axes, np.stack([middle - half, middle + half]))


class Painter:
    """What does not change from frame to frame: camera, and colours of all triangles."""

    def __init__(self, motion: SceneMotion, machine: MachineTables) -> None:
        self._motion = motion
        self.camera = camera_of(motion.scene.bounds, motion.scene.up)
        items, shapes = motion.scene.items, motion.scene.shapes
        colours = np.array([rgb(colour) for colour in colours_of(motion.scene, machine)]).reshape(-1, 3)
        self._colours = colours[motion.item] * np.where(motion.tone, MARK, 1.0)[:, None]
        self._opacity = np.array([opacity_of(item.kind) for item in items])[motion.item]
        self._two_sided = np.array([shapes[item.shape].two_sided for item in items], dtype=bool)[motion.item]

    def triangles(self, frame: int) -> Triangles:
        """What is seen at a frame; walls are behind all else."""
        points = self._motion.points(frame) @ self.camera.axes.T
        corners = points[self._motion.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        shown = (length > 0.0) & (self._two_sided | (normals[:, 2] > 0.0))
        corners, normals = corners[shown], normals[shown] / length[shown, None]
        facing = normals * np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
        shade = DARKEST + (1.0 - DARKEST) * np.clip(facing @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
        opacity = self._opacity[shown] * np.where((self._opacity[shown] < 1.0) & (normals[:, 2] < 0.0), BACK, 1.0)
        order = np.lexsort((corners[:, :, 2].mean(axis=1), opacity == 1.0))
        colours = np.c_[self._colours[shown] * shade[:, None], opacity]
        return Triangles(corners[order, :, :2], colours[order])
