"""glTF 2.0 in one binary file, by pygltflib: bodies as nodes that move, in metres, y upwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats
from ..machine_tables import GROUND, Frames, MachineTables
from ..scene.colours import MARK, colours_of, opacity_of, rgb
from ..scene.parts import Part, Scene, Shape
from ..scene.poses import link_poses, part_poses
from ..scene.shading import with_normals
from .extras import extra
from .outputs import new_file

WXYZ_TO_XYZW = [1, 2, 3, 0]


def write_gltf(
    scene: Scene, machine: MachineTables, frames: Frames, path: Path, *, metres: float, seconds: float
) -> None:
    """Write a scene in motion.

    Parameters
    ----------
    metres : of the unit of length
    seconds : that the animation plays, whatever the run took

    Raises
    ------
    OutputError
        pygltflib is not installed, or the file cannot be written
    """
    builder = _Builder(extra("pygltflib", "--gltf"), frames, seconds)
    colours = colours_of(scene, machine)
    children = builder.add_bodies(scene, machine, colours) + builder.add_links(scene, colours)
    builder.finish(children, metres, _to_y(scene.up), str(path.stem))
    with new_file(path) as part:
        builder.document.save_binary(str(part))


class _Builder:
    """A document as it grows."""

    def __init__(self, library: Any, frames: Frames, seconds: float) -> None:
        self._library, self._frames = library, frames
        self.document = library.GLTF2(asset=library.Asset(version="2.0", generator="gsolve"))
        self._bytes = bytearray()
        self._materials: dict[tuple[str, float, bool], int] = {}
        self._surfaces: dict[int, tuple[int, int, dict[int, int], bool]] = {}
        self._meshes: dict[tuple[int, str, float], int] = {}
        span = float(frames.time[-1] - frames.time[0])
        scaled = (frames.time - frames.time[0]) * (seconds / span if span > 0.0 else 1.0)
        self._moves = span > 0.0
        self._times = self._accessor(scaled.astype(np.float32), "SCALAR", bounds=True)
        self._animation = library.Animation(name="run", channels=[], samplers=[])

    def add_bodies(self, scene: Scene, machine: MachineTables, colours: list[str]) -> list[int]:
        """A node each body, which moves, with its parts below it; parts of the ground and moving walls alone."""
        below: dict[int, list[int]] = {}
        alone = []
        for part, colour in zip(scene.parts, colours, strict=False):
            mesh = self._mesh(scene.shapes[part.shape], part.shape, colour, opacity_of(part.kind))
            if part.body == GROUND or part.turns:
                node = self._node(part.name, part.position, part.quaternion, part.scale, mesh=mesh)
                below.setdefault(part.body, []).append(node)
            else:
                alone.append(self._moving_part(part, mesh))
        alone += below.pop(GROUND, [])
        return alone + [self._body(machine.body.name[body], body, nodes) for body, nodes in sorted(below.items())]

    def add_links(self, scene: Scene, colours: list[str]) -> list[int]:
        """A node each link, which is stretched."""
        nodes = []
        for link, colour in zip(scene.links, colours[len(scene.parts) :], strict=True):
            starts, turns, lengths = link_poses(link, self._frames)
            scales = np.stack([np.full(len(lengths), link.radius)] * 2 + [lengths], axis=1)
            mesh = self._mesh(scene.shapes[link.shape], link.shape, colour, 1.0)
            node = self._node(link.name, starts[0], turns[0], scales[0], mesh=mesh)
            self._animate(node, starts, turns, scales)
            nodes.append(node)
        return nodes

    def finish(self, children: list[int], metres: float, turn: Floats, name: str) -> None:
        """Put all below one node, which turns and scales it, and close the document."""
        library, document = self._library, self.document
        root = self._node(name, np.zeros(3), turn, np.full(3, metres), children=children)
        document.scenes, document.scene = [library.Scene(nodes=[root])], 0
        if self._animation.channels:
            document.animations = [self._animation]
        document.buffers = [library.Buffer(byteLength=len(self._bytes))]
        document.set_binary_blob(bytes(self._bytes))

    def _body(self, name: str, body: int, children: list[int]) -> int:
        places, turns = self._frames.position[:, body], self._frames.quaternion[:, body]
        node = self._node(name, places[0], turns[0], np.ones(3), children=children)
        self._animate(node, places, turns)
        return node

    def _moving_part(self, part: Part, mesh: int) -> int:
        places, turns = part_poses(part, self._frames)
        node = self._node(part.name, places[0], turns[0], part.scale, mesh=mesh)
        self._animate(node, places, turns)
        return node

    def _node(
        self, name: str, place: Floats, turn: Floats, scale: Floats, *, mesh: int | None = None,
        children: list[int] | None = None,
    ) -> int:  # fmt: skip
        node = self._library.Node(
            name=str(name), mesh=mesh, children=children or [], translation=place.tolist(),
            rotation=_normalised(turn)[WXYZ_TO_XYZW].tolist(), scale=np.asarray(scale).tolist(),
        )  # fmt: skip
        self.document.nodes.append(node)
        return len(self.document.nodes) - 1

    def _animate(self, node: int, places: Floats, turns: Floats, scales: Floats | None = None) -> None:
        """Samplers of what changes; each turn on the side of the one before, so that all go the shorter way."""
        if not self._moves:
            return
        flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
        turns = turns * np.concatenate([[1.0], flips])[:, None]
        paths = {"translation": (places, "VEC3"), "rotation": (_normalised(turns)[:, WXYZ_TO_XYZW], "VEC4")}
        if scales is not None:
            paths["scale"] = (scales, "VEC3")
        for name, (values, kind) in paths.items():
            if np.ptp(values, axis=0).max() > 0.0:
                output = self._accessor(np.ascontiguousarray(values, dtype=np.float32), kind)
                sampler = self._library.AnimationSampler(input=self._times, output=output, interpolation="LINEAR")
                self._animation.samplers.append(sampler)
                target = self._library.AnimationChannelTarget(node=node, path=name)
                number = len(self._animation.samplers) - 1
                self._animation.channels.append(self._library.AnimationChannel(sampler=number, target=target))

    def _mesh(self, shape: Shape, number: int, colour: str, opacity: float) -> int:
        key = (number, colour, opacity)
        if key not in self._meshes:
            library = self._library
            points, normals, by_tone, two_sided = self._surface(shape, number)
            primitives = [
                library.Primitive(
                    attributes=library.Attributes(POSITION=points, NORMAL=normals), indices=indices,
                    material=self._material(_marked(colour, tone), opacity, two_sided),
                )
                for tone, indices in by_tone.items()
            ]  # fmt: skip
            self.document.meshes.append(library.Mesh(primitives=primitives))
            self._meshes[key] = len(self.document.meshes) - 1
        return self._meshes[key]

    def _surface(self, shape: Shape, number: int) -> tuple[int, int, dict[int, int], bool]:
        """Accessors of points, normals, and triangles of each tone."""
        if number not in self._surfaces:
            points, normals, triangles = with_normals(shape)
            self._surfaces[number] = (
                self._accessor(points.astype(np.float32), "VEC3", bounds=True, target=self._library.ARRAY_BUFFER),
                self._accessor(normals.astype(np.float32), "VEC3", target=self._library.ARRAY_BUFFER),
                {
                    int(tone): self._accessor(
                        triangles[shape.tone == tone].ravel().astype(np.uint32), "SCALAR",
                        target=self._library.ELEMENT_ARRAY_BUFFER,
                    )
                    for tone in np.unique(shape.tone)
                },
                shape.two_sided,
            )  # fmt: skip
        return self._surfaces[number]

    def _material(self, colour: str, opacity: float, two_sided: bool) -> int:
        key = (colour, opacity, two_sided)
        if key not in self._materials:
            library = self._library
            linear = rgb(colour) ** 2.2  # factors are linear, colours of screens are not
            look = library.PbrMetallicRoughness(
                baseColorFactor=[*linear.tolist(), opacity], metallicFactor=0.1, roughnessFactor=0.6
            )
            mode = "OPAQUE" if opacity == 1.0 else "BLEND"
            self.document.materials.append(
                library.Material(pbrMetallicRoughness=look, alphaMode=mode, alphaCutoff=None, doubleSided=two_sided)
            )
            self._materials[key] = len(self.document.materials) - 1
        return self._materials[key]

    def _accessor(self, values: NDArray[Any], kind: str, *, bounds: bool = False, target: int | None = None) -> int:
        library, document = self._library, self.document
        view = library.BufferView(buffer=0, byteOffset=len(self._bytes), byteLength=values.nbytes, target=target)
        self._bytes += values.tobytes()
        document.bufferViews.append(view)
        component = library.FLOAT if values.dtype == np.float32 else library.UNSIGNED_INT
        rows = values.reshape(len(values), -1)
        accessor = library.Accessor(
            bufferView=len(document.bufferViews) - 1, componentType=component, count=len(values), type=kind
        )
        if bounds:
            accessor.min, accessor.max = (edge.astype(float).tolist() for edge in (rows.min(axis=0), rows.max(axis=0)))
        document.accessors.append(accessor)
        return len(document.accessors) - 1


def _to_y(up: Floats) -> Floats:
    """Quaternion (4,) of the shortest turn of a unit vector to y, which is up in glTF."""
    x, y, z = up
    if y < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    return _normalised(np.array([1.0 + y, -z, 0.0, x]))


def _normalised(turns: Floats) -> Floats:
    unit: Floats = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    return unit


def _marked(colour: str, tone: int) -> str:
    if not tone:
        return colour
    return "#" + "".join(f"{round(255 * MARK * share):02x}" for share in rgb(colour))
