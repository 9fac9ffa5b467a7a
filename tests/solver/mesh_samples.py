"""Meshes of known shape, and the texts of files that hold them."""

from __future__ import annotations

import numpy as np
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh

CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def mesh_of(vertices: object, faces: object) -> TriangleMesh:
    """Polygons as triangles that share the first corner."""
    triangles = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    return TriangleMesh(np.array(vertices, dtype=float), np.array(triangles, dtype=np.int64))


def box(a: float, b: float, c: float) -> TriangleMesh:
    """A box about the origin."""
    return mesh_of([[x, y, z] for x in (-a / 2, a / 2) for y in (-b / 2, b / 2) for z in (-c / 2, c / 2)], CUBE_FACES)


def tetrahedron() -> TriangleMesh:
    """The corner x, y, z >= 0, x + y + z <= 1."""
    return mesh_of(np.vstack([np.zeros(3), np.eye(3)]), [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])


def sphere(sweeps: int, radius: float = 1.0) -> TriangleMesh:
    """An octahedron whose triangles were cut into four, `sweeps` times, with vertices on a sphere."""
    ends = np.vstack([np.eye(3), -np.eye(3)])
    faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    vertices, triangles = ends, np.array(faces)
    for _ in range(sweeps):
        sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
        edges, at = np.unique(sides, axis=0, return_inverse=True)
        middle = len(vertices) + at.reshape(3, -1)
        vertices = np.vstack([vertices, vertices[edges].mean(axis=1)])
        a, b, c = triangles.T
        ab, bc, ca = middle
        corners = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(three, axis=1) for three in corners])
    vertices = radius * vertices / np.linalg.norm(vertices, axis=1)[:, None]
    return TriangleMesh(vertices, triangles.astype(np.int64))


def torus(major: float, minor: float, around: int, across: int) -> TriangleMesh:
    """A ring about z."""
    u, v = np.meshgrid(np.arange(around) * 2 * np.pi / around, np.arange(across) * 2 * np.pi / across, indexing="ij")
    arm = major + minor * np.cos(v)
    vertices = np.stack([arm * np.cos(u), arm * np.sin(u), minor * np.sin(v)], axis=2).reshape(-1, 3)
    faces = []
    for i in range(around):
        for j in range(across):
            k, n = (i + 1) % around, (j + 1) % across
            faces.append((i * across + j, k * across + j, k * across + n, i * across + n))
    return mesh_of(vertices, faces)


def together(*meshes: TriangleMesh) -> TriangleMesh:
    """Several meshes as one."""
    counts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    triangles = [mesh.triangles + first for mesh, first in zip(meshes, counts, strict=False)]
    return TriangleMesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles))


def shifted(mesh: TriangleMesh, *by: float) -> TriangleMesh:
    return mesh.moved(np.eye(3), by)


def triangle_soup(count: int, seed: int) -> TriangleMesh:
    """Triangles at random, each with corners of its own."""
    random = np.random.default_rng(seed)
    middle = random.uniform(-1, 1, (count, 1, 3))
    corners = middle + random.normal(0, 0.2, (count, 3, 3))
    return TriangleMesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


# Files


def off_text(mesh: TriangleMesh) -> str:
    lines = ["OFF", f"{len(mesh.vertices)} {len(mesh.triangles)} 0"]
    lines += [" ".join(map(repr, vertex)) for vertex in mesh.vertices.tolist()]
    return "\n".join([*lines, *("3 " + " ".join(map(str, t)) for t in mesh.triangles.tolist()), ""])


def obj_text(mesh: TriangleMesh) -> str:
    lines = ["v " + " ".join(map(repr, vertex)) for vertex in mesh.vertices.tolist()]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in t) for t in mesh.triangles.tolist()), ""])


def stl_text(mesh: TriangleMesh) -> str:
    lines = ["solid part"]
    for corners in mesh.corners().tolist():
        lines += ["facet normal 0 0 0", "outer loop", *("vertex " + " ".join(map(repr, p)) for p in corners)]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid part", ""])


def stl_bytes(mesh: TriangleMesh, header: bytes = b"") -> bytes:
    records = np.zeros(len(mesh.triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = mesh.corners()
    return header.ljust(80) + len(records).to_bytes(4, "little") + records.tobytes()


def ply_bytes(mesh: TriangleMesh, *, binary: bool) -> bytes:
    form = "binary_little_endian" if binary else "ascii"
    head = f"ply\nformat {form} 1.0\nelement vertex {len(mesh.vertices)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + f"element face {len(mesh.triangles)}\n"
    head += "property list uchar int vertex_indices\nend_header\n"
    if not binary:
        return (head + off_text(mesh).split("\n", 2)[2]).encode()
    faces = np.zeros(len(mesh.triangles), [("n", "u1"), ("k", "<i4", 3)])
    faces["n"], faces["k"] = 3, mesh.triangles
    return head.encode() + mesh.vertices.astype("<f8").tobytes() + faces.tobytes()


def files_of(mesh: TriangleMesh) -> dict[str, bytes]:
    """One file of every format, by name."""
    return {
        "text.stl": stl_text(mesh).encode(),
        "binary.stl": stl_bytes(mesh),
        "mesh.obj": obj_text(mesh).encode(),
        "text.ply": ply_bytes(mesh, binary=False),
        "binary.ply": ply_bytes(mesh, binary=True),
        "mesh.off": off_text(mesh).encode(),
    }


def as_set(mesh: TriangleMesh) -> set[tuple[tuple[float, ...], ...]]:
    """The triangles of a mesh by their corners, whatever the numbers of vertices and the first corners."""
    found = set()
    for corners in mesh.corners().tolist():
        points = [tuple(point) for point in corners]
        first = points.index(min(points))
        found.add(tuple(points[first:] + points[:first]))
    return found
