"""Pairs of meshes by themselves: accuracy of depth and force, work round closed paths, microseconds a pose.

    python bench/mesh_pairs.py            all, two minutes
    python bench/mesh_pairs.py gears      one of: spheres, cylinders, gears

Poses are given; nothing is integrated.  A time is what `find_mesh_patches` takes for a pose with all that belongs to
it, lists and looking for new contacts included, the least of several runs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from gsolve.solver.contact.mesh_contacts import find_mesh_patches
from gsolve.solver.contact.mesh_records import MeshContacts
from gsolve.solver.core.bodies import Floats
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX, SPHERE
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solver"))
from pair_of_meshes import PairOfMeshes, Pose

RUNS = 5
# rows of triangles along a flank and across the width, for about so many triangles of both gears together
GEARS = {10_000: (5, 5), 40_000: (10, 12), 160_000: (20, 28)}


class Pair(PairOfMeshes):
    """Slave and master as a run has them, and how long their patches take."""

    def microseconds(self, poses: Iterable[Pose]) -> float:
        poses = list(poses)
        table = np.array([np.r_[rotation.ravel(), offset] for rotation, offset in poses])
        for pose in poses:  # buffers grow to what they need
            self.patches(*pose)
        least = math.inf
        for _ in range(RUNS):
            self.forget_lists()
            run(self._reference, table[:1])
            start = time.perf_counter()
            done = run(self._reference, table)
            least = min(least, time.perf_counter() - start)
            assert done == len(table)
        return 1e6 * least / len(table)


@kernel
def run(meshes: MeshContacts, poses: Floats) -> int:
    rotation = meshes.pose[0]
    for k in range(len(poses)):
        for i in range(9):
            rotation[i // 3, i % 3] = poses[k, i]
        if find_mesh_patches(meshes, 0, 0, poses[k, 9], poses[k, 10], poses[k, 11]) < 0:
            return k
    return len(poses)


def about(axis: int, angle: float) -> Floats:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[i, i] = rotation[j, j] = math.cos(angle)
    rotation[i, j], rotation[j, i] = -math.sin(angle), math.sin(angle)
    return rotation


def spheres() -> None:
    """On a slab, at random attitudes: root mean square error of the depth, and its order."""
    slab, last, random = tessellate(BOX, (1.0, 1.1, 0.2), 4.0), 0.0, np.random.default_rng(1)
    for edge in (0.012, 0.006, 0.003):
        pair, errors = Pair(tessellate(SPHERE, (0.05, 0.0, 0.0), edge), slab), []
        for _ in range(40):
            rotation = about(2, random.uniform(0, 6)) @ about(0, random.uniform(0, 6)) @ about(2, random.uniform(0, 6))
            patches = pair.patches(rotation, np.array([0.013, 0.021, 0.25 - 1e-4]))
            errors.append(patches["depth"].max() - 1e-4)
        error = float(np.sqrt(np.mean(np.square(errors))))
        count = int(pair.surface.meshes["last_triangle"][0])
        order = f", order {math.log2(last / error):.1f}" if last else ""
        print(f"sphere {count:6d} triangles, depth 1e-4: error {error:.1e} m{order}")
        last = error


def prism(count: int) -> TriangleMesh:
    """A cylinder with so many facets, each two triangles from end to end."""
    around = 2 * math.pi * np.arange(count) / count
    ring = 0.05 * np.c_[np.cos(around), np.sin(around)]
    vertices = np.concatenate([np.c_[ring, np.full(count, z)] for z in (-0.05, 0.05)] + [[[0, 0, -0.05], [0, 0, 0.05]]])
    here, there = np.arange(count), (np.arange(count) + 1) % count
    sides = [np.c_[here, there, there + count], np.c_[here, there + count, here + count]]
    middles = np.full(count, 2 * count), np.full(count, 2 * count + 1)
    ends = [np.c_[middles[0], there, here], np.c_[middles[1], here + count, there + count]]
    return TriangleMesh(vertices, np.concatenate(sides + ends).astype(np.int64))


def cylinders() -> None:
    """Lying on a slab, rolling: ripple and largest jump of the force, between poses 1/50 of a facet apart."""
    slab, down = tessellate(BOX, (1.0, 1.1, 0.2), 4.0), about(0, math.pi / 2)
    for count in (64, 128, 200, 512):
        pair = Pair(prism(count), slab)
        angles = np.linspace(0.0, 8 * math.pi / count, 201)
        poses = [(down @ about(2, a), np.array([0.013 + 0.05 * a, 0.021, 0.25 - 1e-5])) for a in angles]
        force = np.array([pair.force(*pose, 1.0)[2] for pose in poses])
        middle = np.array([pair.patches(*pose)["point"][0, 2] for pose in poses])
        rolling = [(down @ about(2, 1e-3 * k), np.array([0.013 + 5e-5 * k, 0.021, 0.25 - 1e-5])) for k in range(400)]
        print(
            f"cylinder {count:4d} facets: ripple {force.std() / force.mean():.1e}, jump "
            f"{np.abs(np.diff(force)).max() / force.mean():.1e}, point off the middle {np.abs(middle).max():.0e} m, "
            f"{pair.microseconds(rolling):.1f} us"
        )


def gear_poses(distance: float, ratio: float, play: float, angles: Floats, slave_first: bool) -> list[Pose]:
    """Of the slave in axes of the master: the first gear turned by the angles, the second driven, deeper by `play`."""
    poses = []
    for angle in angles:
        one, other = about(2, angle), about(2, -angle * ratio + play)
        away = np.array([distance, 0.0, 2e-4])
        poses.append((other.T @ one, -other.T @ away) if slave_first else (one.T @ other, one.T @ away))
    return poses


def gears() -> None:
    """A spur pair, 20 and 40 teeth of module 2 mm: direction of the force, work round a path, time."""
    form = ToothForm(thinning=25e-6)
    wheels = CylindricalGear(20, 2e-3, form), CylindricalGear(40, 2e-3, form)
    bases = [w.teeth * w.module / 2 * math.cos(form.pressure_angle) for w in wheels]
    start = 50e-6 / (2 * wheels[1].teeth * wheels[1].module / 2)  # until flanks touch
    for size, (flank, rows) in GEARS.items():
        resolution = Resolution(flank=flank, fillet=max(2, flank // 2), land=2, rows=rows)
        one, other, pair_data = make_pair(wheels, (Body(10e-3, 8e-3), Body(10e-3, 8e-3)), resolution)
        distance = float(np.linalg.norm(pair_data.placement.translation[:2]))
        for slave_first in (True, False):
            begun = time.perf_counter()
            pair = Pair(*((one.mesh, other.mesh) if slave_first else (other.mesh, one.mesh)))
            begun = time.perf_counter() - begun
            print(f"{size} ({len(one.mesh.triangles)} + {len(other.mesh.triangles)} triangles), "
                  f"{'pinion' if slave_first else 'wheel'} slave, built in {begun:.1f} s")  # fmt: skip
            arms, plays = [], start + 1e-4
            poses = gear_poses(distance, 0.5, plays, np.linspace(0.0, math.pi / 10, 41), slave_first)
            for pose in poses:
                force, moment = np.split(pair.force(*pose, 1.0), 2)
                of_master = (moment + np.cross(pose[1], force))[2]
                arms.append(abs(of_master) / np.linalg.norm(force) / bases[1 if slave_first else 0])
            print(f"    torque/(r_b F) {np.mean(arms):.6f} +- {np.std(arms):.0e}", end="")
            print(f", work {round_a_path(pair, distance, plays, slave_first):.0e} of what goes through")
            for step in (1e-4, 1e-3):
                angles = 0.02 + step * np.arange(int(0.2 / step))
                before = pair.pairs.pairs[0].copy()
                spent = pair.microseconds(gear_poses(distance, 0.5, plays, angles, slave_first))
                after = pair.pairs.pairs[0]
                times = (RUNS + 1) * len(angles)
                print(
                    f"    {step:.0e} rad a pose: {spent:.1f} us, {after['listed']} triangles listed, new lists every "
                    f"{times / (after['renewals'] - before['renewals']):.0f} poses, "
                    f"{(after['expansions'] - before['expansions']) / times:.1f} expansions"
                )


def round_a_path(pair: Pair, distance: float, play: float, slave_first: bool) -> float:
    """Work on a closed path of angle and play, over the force times the way along the base circles."""
    work, through, last = 0.0, 0.0, None
    for phase in np.linspace(0.0, 2 * math.pi, 1201):
        angle, more = 0.1 + 0.03 * math.cos(phase), 1e-5 * math.sin(phase)
        (pose,) = gear_poses(distance, 0.5, play + more, np.array([angle]), slave_first)
        force, moment = np.split(pair.force(*pose, 1.0), 2)
        if last is not None:
            turn = pose[0] @ last[0].T
            spin = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
            work += 0.5 * (force + last[2]) @ (pose[1] - last[1]) + 0.5 * (moment + last[3]) @ spin
            through += float(np.linalg.norm(force)) * 20e-3 * math.cos(math.radians(20)) * abs(angle - last[4])
        last = (*pose, force, moment, angle)
    return abs(work) / through


def main() -> None:
    parts = {"spheres": spheres, "cylinders": cylinders, "gears": gears}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
