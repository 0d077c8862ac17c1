# SPDX-License-Identifier: MIT
"""The names of Open3D's RaycastingScene on packed meshes; answers are numpy arrays.

Coordinates may be doubles; answers then are no less exact. `nthreads`: 0: one for each processor.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, Callable, Optional

import numpy as np

from . import _pack, rays
from ._body import Body

INVALID_ID = 0xFFFFFFFF


class RaycastingScene:
    """Meshes, and rays and points against them.

    Examples
    --------
    >>> from bvpack.raycasting import RaycastingScene
    >>> scene = RaycastingScene()
    >>> scene.add_triangles(corners, triangles)
    0
    >>> scene.cast_rays([[0.2, 0.6, 5, 0, 0, -1], [9, 9, 9, 0, 0, 1]])["t_hit"]
    array([ 4., inf], dtype=float32)
    >>> scene.compute_signed_distance([[0.5, 0.5, 0.75]])
    array([-0.25], dtype=float32)
    """

    INVALID_ID = INVALID_ID

    def __init__(self, nthreads: int = 0) -> None:
        self.nthreads = nthreads
        self._meshes: list = []
        self._made: Optional[Body] = None
        self._names = np.empty(0, "u4")

    @classmethod
    def of(cls, body: Body, nthreads: int = 0) -> "RaycastingScene":
        """Return a scene of a packed assembly; geometry ids are its instances."""
        if body.part is not None:
            raise ValueError("a scene is of an assembly: file.body()")
        scene = cls(nthreads)
        scene._made = body
        scene._names = np.arange(body.file.instance_count, dtype="u4")
        return scene

    def add_triangles(self, vertex_positions, triangle_indices=None) -> int:
        """Add a mesh: vertices (n, 3) and triangles (m, 3), or an object that has both.

        Returns
        -------
        int
            Its geometry id.
        """
        if triangle_indices is None:
            mesh = vertex_positions
            vertex_positions, triangle_indices = mesh.vertices, _faces(mesh)
        if self._made is not None and not self._meshes:
            raise ValueError("the scene of a packed file cannot be added to")
        faces = np.asarray(triangle_indices)
        self._meshes.append((np.asarray(vertex_positions), faces.astype("u4")))
        self._made = None
        return len(self._meshes) - 1

    @property
    def body(self) -> Body:
        """What is asked: all meshes, packed."""
        if self._made is None:
            builder = _pack.Builder(rays=True)
            for i, (vertices, faces) in enumerate(self._meshes):
                builder.add_node(builder.add_part(vertices, faces), name=str(i))
            file = builder.open()
            names = file.tree["name"][file.instances["node"]]
            self._names = np.array([int(name) for name in names], "u4")
            self._made = file.body()
        return self._made

    # ---- rays ---------------------------------------------------------------------------------

    def cast_rays(self, rays, nthreads: int = 0) -> dict[str, np.ndarray]:
        """Return the first hits of rays (..., 6): origin, direction.

        Returns
        -------
        dict
            t_hit (inf: none), geometry_ids, primitive_ids, primitive_uvs, primitive_normals.
        """
        given, shape = _rays(rays)
        hits = self._split(self.body.ray_first_batch, given, nthreads)
        found = hits["found"] != 0
        geometry = self._geometry(hits["id"], found)
        return {
            "t_hit": np.where(found, hits["t"], inf).astype("f4").reshape(shape),
            "geometry_ids": geometry.reshape(shape),
            "primitive_ids": np.where(found, hits["id"]["id"], INVALID_ID).astype("u4").reshape(shape),
            "primitive_uvs": _where(found, _uvs(hits)).reshape(*shape, 2),
            "primitive_normals": _where(found, hits["normal"]).reshape(*shape, 3),
        }

    def test_occlusions(
        self, rays, tnear: float = 0.0, tfar: float = inf, nthreads: int = 0
    ) -> np.ndarray:
        """Tell for each ray whether it hits anything between tnear and tfar."""
        given, shape = _rays(rays, tnear, tfar)
        return self._split(self.body.ray_any_batch, given, nthreads).reshape(shape)

    def count_intersections(self, rays, nthreads: int = 0) -> np.ndarray:
        """Return how many triangles each ray hits."""
        given, shape = _rays(rays)
        found = self.body.ray_all_batch(given)
        counts = np.bincount(found["ray"].astype("i8"), minlength=len(given))
        return counts.astype("i4").reshape(shape)

    def list_intersections(self, rays, nthreads: int = 0) -> dict[str, np.ndarray]:
        """Return all hits of rays, one after the other.

        Returns
        -------
        dict
            ray_splits (where the hits of each ray begin), ray_ids, t_hit, geometry_ids,
            primitive_ids, primitive_uvs.
        """
        given, _ = _rays(rays)
        found = self.body.ray_all_batch(given)
        hits, number = found["hit"], found["ray"].astype("i8")
        counts = np.bincount(number, minlength=len(given))
        return {
            "ray_splits": np.concatenate((np.zeros(1, "i8"), np.cumsum(counts))),
            "ray_ids": number,
            "t_hit": hits["t"].astype("f4"),
            "geometry_ids": self._geometry(hits["id"], np.ones(len(hits), bool)),
            "primitive_ids": hits["id"]["id"].astype("u4"),
            "primitive_uvs": _uvs(hits).astype("f4"),
        }

    # ---- points -------------------------------------------------------------------------------

    def compute_closest_points(self, query_points, nthreads: int = 0) -> dict[str, np.ndarray]:
        """Return the nearest points of points (..., 3).

        Returns
        -------
        dict
            points, geometry_ids, primitive_ids, primitive_uvs, primitive_normals.
        """
        given, shape = _points(query_points)
        found = self._split(self.body.closest_batch, given, nthreads)
        corners = self._corners(found["id"])
        uvs, normals = _on_triangles(corners, found["point"])
        return {
            "points": found["point"].astype("f4").reshape(*shape, 3),
            "geometry_ids": self._geometry(found["id"], found["found"] != 0).reshape(shape),
            "primitive_ids": found["id"]["id"].astype("u4").reshape(shape),
            "primitive_uvs": uvs.astype("f4").reshape(*shape, 2),
            "primitive_normals": normals.astype("f4").reshape(*shape, 3),
        }

    def compute_distance(self, query_points, nthreads: int = 0) -> np.ndarray:
        """Return how far points are from the surface."""
        given, shape = _points(query_points)
        found = self._split(self.body.closest_batch, given, nthreads)
        return found["distance"].astype("f4").reshape(shape)

    def compute_signed_distance(
        self, query_points, nthreads: int = 0, nsamples: int = 1
    ) -> np.ndarray:
        """Return distances, negative inside; `nsamples` is not needed: what is inside is exact."""
        given, shape = _points(query_points)
        found = self._split(self.body.signed_closest_batch, given, nthreads)
        return found["nearest"]["distance"].astype("f4").reshape(shape)

    def compute_occupancy(self, query_points, nthreads: int = 0, nsamples: int = 1) -> np.ndarray:
        """Return 1 for points inside, 0 for others."""
        given, shape = _points(query_points)
        found = self._split(self.body.inside_batch, given, nthreads)
        return (np.abs(found["winding"]) >= 0.5).astype("f4").reshape(shape)

    # ---- shared by these ----------------------------------------------------------------------

    def _split(self, ask: Callable[[np.ndarray], np.ndarray], given, nthreads: int) -> np.ndarray:
        """Ask in several threads: queries let go of the GIL."""
        count = nthreads or self.nthreads or os.cpu_count() or 1
        if count == 1 or len(given) < 4096:
            return ask(given)
        with ThreadPoolExecutor(count) as pool:
            return np.concatenate(list(pool.map(ask, np.array_split(given, 4 * count))))

    def _geometry(self, ids: np.ndarray, found: np.ndarray) -> np.ndarray:
        answer = np.full(len(ids), INVALID_ID, "u4")
        answer[found] = self._names[ids["instance"][found]]
        return answer

    def _corners(self, ids: np.ndarray) -> np.ndarray:
        from .fcl import _corners

        return _corners(self.body, ids)


def _faces(mesh: Any):
    return mesh.faces if hasattr(mesh, "faces") else mesh.triangles


def _rays(given, t_min: float = 0.0, t_max: float = inf):
    array = np.asarray(given, "f8")
    if array.shape[-1:] != (6,):
        raise ValueError(f"rays are (..., 6): origin, direction; not {array.shape}")
    flat = array.reshape(-1, 6)
    return rays(flat[:, :3], flat[:, 3:], t_min, t_max), array.shape[:-1]


def _points(given):
    array = np.asarray(given, "f8")
    if array.shape[-1:] != (3,):
        raise ValueError(f"points are (..., 3), not {array.shape}")
    return array.reshape(-1, 3), array.shape[:-1]


def _uvs(hits: np.ndarray) -> np.ndarray:
    return np.stack([hits["u"], hits["v"]], axis=-1)


def _where(found: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.where(found[:, None], values, 0).astype("f4")


def _on_triangles(corners: np.ndarray, points: np.ndarray):
    """Return barycentric coordinates of corners 1 and 2, and unit normals."""
    e, f, s = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], points - corners[:, 0]
    normal = np.cross(e, f)
    size = (normal * normal).sum(1)
    size = np.where(size > 0, size, 1)
    u = (np.cross(s, f) * normal).sum(1) / size
    v = (np.cross(e, s) * normal).sum(1) / size
    return np.stack([u, v], axis=1), normal / np.sqrt(size)[:, None]
