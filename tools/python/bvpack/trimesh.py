# SPDX-License-Identifier: MIT
"""The names of trimesh on packed meshes: CollisionManager, RayMeshIntersector, ProximityQuery.

They take trimesh's meshes, or anything with `vertices` and `faces`. Answers have trimesh's shapes
and conventions; triangles are found in the packed mesh, whose coordinates are floats, and points
are then computed on the mesh's own doubles. trimesh need not be installed.

    mesh.ray = bvpack.trimesh.RayMeshIntersector(mesh)
    mesh.nearest = bvpack.trimesh.ProximityQuery(mesh)
    manager = bvpack.trimesh.CollisionManager()
"""

from __future__ import annotations

from typing import Any, Hashable, Optional

import numpy as np

from . import _pack, fcl, rays
from ._body import Body

MERGE = 1e-8  # trimesh.tol.merge: points that are nearer are one
PER_PAIR_MOST = 100000  # contacts of a pair, as in trimesh


def _identity(mesh: Any) -> int:
    """Return what changes when a mesh does: trimesh's own hash, or that of the arrays."""
    if hasattr(mesh, "is_convex"):
        return hash(mesh)
    return hash((np.asarray(mesh.vertices).tobytes(), np.asarray(mesh.faces).tobytes()))


class _Packed:
    """A mesh, packed when it is first asked, and again when it has changed."""

    def __init__(self, mesh: Any) -> None:
        self.mesh = mesh
        self._key: Optional[int] = None
        self._made: Optional[Body] = None

    @property
    def body(self) -> Body:
        key = _identity(self.mesh)
        if self._made is None or key != self._key:
            builder = _pack.Builder(threads=1)
            vertices, faces = np.asarray(self.mesh.vertices), np.asarray(self.mesh.faces)
            self.corners = np.asarray(vertices, "f8")[faces].reshape(-1, 3, 3)
            normals = np.cross(
                self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0]
            )
            lengths = np.linalg.norm(normals, axis=1)
            self.normals = normals / np.where(lengths > 0, lengths, 1)[:, None]
            builder.add_part(vertices, faces)
            # with every part's own origin: the assembly's world is the mesh's coordinates
            self._made, self._key = builder.open().body(), key
        return self._made


# ---- rays -------------------------------------------------------------------------------------


class RayMeshIntersector:
    """Rays against a mesh.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from bvpack.trimesh import RayMeshIntersector
    >>> ray = RayMeshIntersector(SimpleNamespace(vertices=corners, faces=triangles))
    >>> locations, index_ray, index_tri = ray.intersects_location([[0.2, 0.6, 5]], [[0, 0, -1]])
    >>> locations
    array([[0.2, 0.6, 1. ],
           [0.2, 0.6, 0. ]])
    """

    def __init__(self, mesh: Any, **_others) -> None:
        self.mesh = mesh
        self._packed = _Packed(mesh)

    def intersects_id(
        self,
        ray_origins,
        ray_directions,
        return_locations: bool = False,
        multiple_hits: bool = True,
        **_others,
    ):
        """Return the triangles that rays hit, and the numbers of these rays.

        Parameters
        ----------
        ray_origins, ray_directions : (m, 3) arrays
        return_locations : bool
            Also return where, (h, 3); hits of a ray at one place are then one hit.
        multiple_hits : bool
            False: the first hit of each ray only.
        """
        given = _rays(ray_origins, ray_directions)
        body = self._packed.body
        if multiple_hits:
            found = body.ray_all_batch(given)
            index_ray, hits = found["ray"].astype("i8"), found["hit"]
        else:
            hits = body.ray_first_batch(given)
            index_ray = np.flatnonzero(hits["found"])
            hits = hits[index_ray]
        index_tri = hits["id"]["id"].astype("i8")
        if not return_locations:
            return index_tri, index_ray
        locations = self._on_planes(given[index_ray], index_tri, hits["t"])
        keep = _first_of_each_place(index_ray, locations)
        return index_tri[keep], index_ray[keep], locations[keep]

    def _on_planes(self, given, index_tri, t) -> np.ndarray:
        """Return where rays pass through the planes of the mesh's own triangles."""
        origin, direction = given[:, :3], given[:, 3:6]
        normal = self._packed.normals[index_tri]
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = ((self._packed.corners[index_tri, 0] - origin) * normal).sum(1)
            exact = offset / (direction * normal).sum(1)
        near = np.abs(exact - t) <= 1e-5 * (1 + np.abs(t))  # not of needles, nor of grazing rays
        return origin + direction * np.where(near, exact, t)[:, None]

    def intersects_location(self, ray_origins, ray_directions, **others):
        """Return (locations (h, 3), index_ray (h,), index_tri (h,))."""
        others.pop("return_locations", None)
        index_tri, index_ray, locations = self.intersects_id(
            ray_origins, ray_directions, return_locations=True, **others
        )
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins, ray_directions, **_others) -> np.ndarray:
        """Return the first triangle of each ray, or -1."""
        hits = self._packed.body.ray_first_batch(_rays(ray_origins, ray_directions))
        return np.where(hits["found"] != 0, hits["id"]["id"].astype("i8"), -1)

    def intersects_any(self, ray_origins, ray_directions, **_others) -> np.ndarray:
        """Tell for each ray whether it hits the mesh."""
        return self._packed.body.ray_any_batch(_rays(ray_origins, ray_directions)).copy()

    def contains_points(self, points) -> np.ndarray:
        """Tell for each point whether it is inside the mesh: in an open one, by winding number."""
        found = self._packed.body.inside_batch(_points(points))
        return np.abs(found["winding"]) >= 0.5


def _rays(origins, directions) -> np.ndarray:
    origins, directions = _points(origins), _points(directions)
    if origins.shape != directions.shape:
        raise ValueError(f"{len(origins)} origins and {len(directions)} directions")
    return rays(origins, directions)


def _points(points) -> np.ndarray:
    given = np.asarray(points, "f8")
    if given.size == 0:
        return np.zeros((0, 3))
    if given.ndim != 2 or given.shape[1] != 3:
        raise ValueError(f"points are (n, 3), not {given.shape}")
    return given


def _first_of_each_place(index_ray: np.ndarray, locations: np.ndarray) -> np.ndarray:
    """Return which hits, sorted by ray and t, are not where the one before them is."""
    keep = np.ones(len(index_ray), bool)
    same = index_ray[1:] == index_ray[:-1]
    keep[1:] = ~(same & (np.abs(np.diff(locations, axis=0)).max(axis=1, initial=0) <= MERGE))
    return np.flatnonzero(keep)


# ---- nearest points ---------------------------------------------------------------------------


class ProximityQuery:
    """Nearest points of a mesh.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from bvpack.trimesh import ProximityQuery
    >>> near = ProximityQuery(SimpleNamespace(vertices=corners, faces=triangles))
    >>> near.signed_distance([[0.5, 0.5, 3], [0.5, 0.5, 0.9]])
    array([-2. ,  0.1])
    """

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh
        self._packed = _Packed(mesh)

    def on_surface(self, points):
        """Return (closest (m, 3), distance (m,), triangle_id (m,)).

        Of triangles that are equally near it is the one that faces the point most.
        """
        given = _points(points)
        body = self._packed.body
        found = body.closest_batch(given)
        reach = np.abs(self._packed.corners).max(initial=0) + np.abs(given).max(initial=0)
        radii = found["distance"] * (1 + 1e-9) + 2 * MERGE + 2e-7 * reach
        rows = body.ball_batch(given, radii)
        number, triangle = rows["number"].astype("i8"), rows["hit"]["id"].astype("i8")
        place = _closest_on(self._packed.corners[triangle], given[number])
        vector = given[number] - place
        square = (vector * vector).sum(1)
        least = np.full(len(given), np.inf)
        np.minimum.at(least, number, square)
        length = np.sqrt(square)
        facing = (vector * self._packed.normals[triangle]).sum(1) / np.where(length > 0, length, 1)
        tied = (square - least[number] < MERGE) & (least[number] > MERGE)
        # by number; those that are tied by how they face the point, the others by distance
        loss = np.where(tied, 0, square - least[number])
        order = np.lexsort((triangle, np.where(tied, -facing, 0), loss, number))
        first = order[np.searchsorted(number[order], np.arange(len(given)))]
        return place[first], length[first], triangle[first]

    def vertex(self, points):
        """Return (distance (m,), index (m,)) of the nearest vertices."""
        given, vertices = _points(points), np.asarray(self._mesh.vertices, "f8")
        if hasattr(self._mesh, "kdtree"):
            return self._mesh.kdtree.query(given)
        distance, index = np.empty(len(given)), np.empty(len(given), "i8")
        for i, point in enumerate(given):
            square = ((vertices - point) ** 2).sum(1)
            index[i] = square.argmin()
            distance[i] = square[index[i]] ** 0.5
        return distance, index

    def signed_distance(self, points) -> np.ndarray:
        """Return distances, positive inside and within 1e-8 of the surface."""
        given = _points(points)
        _, distance, _ = self.on_surface(given)
        inside = np.abs(self._packed.body.inside_batch(given)["winding"]) >= 0.5
        return np.where(inside | (distance <= MERGE), distance, -distance)


def closest_point(mesh: Any, points):
    """Return (closest, distance, triangle_id), as `ProximityQuery.on_surface`."""
    return ProximityQuery(mesh).on_surface(points)


def _closest_on(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the point of each triangle that is nearest to each point: on its face or an edge."""
    best = np.empty_like(points)
    least = np.full(len(points), np.inf)

    def offer(place, good):
        square = ((place - points) ** 2).sum(1)
        better = good & (square < least)
        best[better], least[better] = place[better], square[better]

    for i in range(3):
        base, edge = triangles[:, i], triangles[:, (i + 1) % 3] - triangles[:, i]
        size = (edge * edge).sum(1)
        s = ((points - base) * edge).sum(1) / np.where(size > 0, size, 1)
        offer(base + np.clip(s, 0, 1)[:, None] * edge, True)
    a, b, c = (triangles[:, i] for i in range(3))
    normal = np.cross(b - a, c - a)
    size = (normal * normal).sum(1)
    foot = points - (((points - a) * normal).sum(1) / np.where(size > 0, size, 1))[:, None] * normal
    over = size > 0
    for p, q in ((a, b), (b, c), (c, a)):
        over &= (np.cross(q - p, foot - p) * normal).sum(1) >= 0
    offer(foot, over)
    return best


# ---- collisions -------------------------------------------------------------------------------


class ContactData:
    """A contact of two named objects: point, normal, depth, and the triangle of each."""

    def __init__(self, names, contact: fcl.Contact) -> None:
        self.names = set(names)
        self._inds = {names[0]: contact.b1, names[1]: contact.b2}
        self.normal, self.point, self._contact = contact.normal, contact.pos, contact

    @property
    def depth(self) -> float:
        """How far a move takes the two objects apart; found when it is first asked of them."""
        return self._contact.penetration_depth

    def index(self, name: Hashable) -> int:
        """Return the triangle of the object of that name."""
        return self._inds[name]


class DistanceData:
    """The distance of two named objects, and the point and triangle of each."""

    def __init__(self, names, result: fcl.DistanceResult) -> None:
        self.names = set(names)
        self._inds = {names[0]: result.b1, names[1]: result.b2}
        self._points = dict(zip(names, result.nearest_points))
        self.distance = result.min_distance

    def index(self, name: Hashable) -> int:
        """Return the triangle of the object of that name."""
        return self._inds[name]

    def point(self, name: Hashable) -> np.ndarray:
        """Return the nearest point of the object of that name."""
        return self._points[name]


class CollisionManager:
    """Named meshes at places. Convex meshes are solids, others surfaces, as in trimesh.

    Depths are those of `bvpack.fcl`: also of closed meshes whose surfaces meet. They are 0 where a
    mesh has open edges.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from bvpack.trimesh import CollisionManager
    >>> mesh = SimpleNamespace(vertices=corners, faces=triangles)
    >>> manager = CollisionManager()
    >>> _ = manager.add_object("a", mesh), manager.add_object("b", mesh, np.diag([1, 1, 1, 1.0]))
    >>> manager.in_collision_internal(return_names=True)
    (True, {('a', 'b')})
    >>> away = [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> round(manager.min_distance_single(mesh, away), 9)
    2.0
    """

    def __init__(self) -> None:
        self._objects: dict[Hashable, fcl.CollisionObject] = {}
        self._names: dict[fcl.CollisionObject, Hashable] = {}
        self._shapes: dict[Any, fcl.CollisionGeometry] = {}
        self._manager = fcl.DynamicAABBTreeCollisionManager()

    def add_object(self, name: Hashable, mesh: Any, transform=None) -> fcl.CollisionObject:
        """Add a mesh; one of the same name is replaced."""
        added = self._object(mesh, transform)
        if name in self._objects:
            self.remove_object(name)
        self._objects[name], self._names[added] = added, name
        self._manager.registerObject(added)
        return added

    def remove_object(self, name: Hashable) -> None:
        """Take a mesh out."""
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        removed = self._objects.pop(name)
        del self._names[removed]
        self._manager.unregisterObject(removed)

    def set_transform(self, name: Hashable, transform) -> None:
        """Put a mesh somewhere else."""
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        self._objects[name].setTransform(_transform(transform))
        self._manager.update(self._objects[name])

    def _object(self, mesh: Any, transform) -> fcl.CollisionObject:
        if isinstance(mesh, (fcl.CollisionGeometry, Body)):
            return fcl.CollisionObject(_shape(mesh), _transform(transform))
        key = _identity(mesh)
        if key not in self._shapes:
            self._shapes[key] = _shape(mesh)
        return fcl.CollisionObject(self._shapes[key], _transform(transform))

    # ---- collisions ---------------------------------------------------------------------------

    def in_collision_single(self, mesh, transform=None, return_names=False, return_data=False):
        """Tell whether a mesh touches any in the manager; names and contacts, if wanted."""
        outside = self._object(mesh, transform)
        pairs = ((o, outside) for o, _ in self._manager._near_pairs(outside))
        names = {**self._names, outside: "__external"}
        return _collisions(
            pairs, return_names, return_data, lambda a, b: (names[a], names[b]), lambda a: a[0]
        )

    def in_collision_internal(self, return_names=False, return_data=False):
        """Tell whether any two meshes touch; pairs of names, each in order, if wanted."""
        return _collisions(
            self._manager._near_pairs(), return_names, return_data,
            lambda a, b: (self._names[a], self._names[b]), lambda names: tuple(sorted(names)),
        )  # fmt: skip

    def in_collision_other(self, other_manager, return_names=False, return_data=False):
        """Tell whether a mesh touches one of another manager; (mine, the other's)."""
        return _collisions(
            self._manager._near_pairs(other_manager._manager), return_names, return_data,
            lambda a, b: (self._names[a], other_manager._names[b]), lambda names: names,
        )  # fmt: skip

    # ---- distances ----------------------------------------------------------------------------

    def min_distance_single(self, mesh, transform=None, return_name=False, return_data=False):
        """Return how far a mesh is from the nearest in the manager; < 0: how deep inside it."""
        outside = self._object(mesh, transform)
        names = {**self._names, outside: "__external"}
        pairs = self._manager._all_pairs(outside)
        return _distances(pairs, return_name, return_data, names, names, lambda pair: pair[0])

    def min_distance_internal(self, name=None, return_names=False, return_data=False):
        """Return the least distance of two meshes, or of one to the others."""
        pairs = self._manager._all_pairs()
        if name is not None:
            if name not in self._objects:
                raise ValueError(f"{name} not in collision manager!")
            mine = self._objects[name]
            pairs = (row for row in pairs if mine in row[1:])
        names = self._names
        ordered = lambda pair: tuple(sorted(pair))  # noqa: E731
        return _distances(pairs, return_names, return_data, names, names, ordered)

    def min_distance_other(self, other_manager, return_names=False, return_data=False):
        """Return the least distance of a mesh to one of another manager."""
        pairs = self._manager._all_pairs(other_manager._manager)
        return _distances(
            pairs, return_names, return_data, self._names, other_manager._names, lambda pair: pair
        )


def _shape(mesh: Any) -> fcl.CollisionGeometry:
    if isinstance(mesh, (fcl.CollisionGeometry, Body)):
        return fcl.BVHModel.of(mesh) if isinstance(mesh, Body) else mesh
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    if getattr(mesh, "is_convex", False):
        rows = np.column_stack((np.full(len(faces), 3), faces))
        return fcl.Convex(vertices, len(rows), rows)
    model = fcl.BVHModel()
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(vertices, faces)
    model.endModel()
    return model


def _transform(matrix) -> fcl.Transform:
    if matrix is None:
        return fcl.Transform()
    given = np.asarray(matrix, "f8")
    if given.shape != (4, 4):
        raise ValueError("transform must be (4,4)!")
    return fcl.Transform(given[:3, :3], given[:3, 3])


def _collisions(pairs, return_names: bool, return_data: bool, names_of, reported):
    """Return what CollisionManager returns about pairs of objects whose boxes are near."""
    wanted = return_names or return_data
    touching, contacts, names = False, [], set()
    for o1, o2 in pairs:
        request = fcl.CollisionRequest(PER_PAIR_MOST if return_data else 1, return_data)
        result = fcl.CollisionResult()
        fcl.collide(o1, o2, request, result)
        if not result.is_collision:
            continue
        touching = True
        if not wanted:
            break
        pair = names_of(o1, o2)
        names.add(reported(pair))
        contacts += [ContactData(pair, contact) for contact in result.contacts if return_data]
    answer: list[Any] = [touching]
    answer += [names] if return_names else []
    answer += [contacts] if return_data else []
    return tuple(answer) if wanted else touching


def _distances(pairs, return_names: bool, return_data: bool, names_a, names_b, reported):
    """Return what CollisionManager returns about the nearest of pairs (bound, o1, o2)."""
    request = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
    result, pair = fcl.DistanceResult(), None
    for bound, o1, o2 in sorted(pairs, key=lambda row: row[0]):
        if bound > max(result.min_distance, 0.0):
            break
        before = result.min_distance
        fcl.distance(o1, o2, request, result)
        if result.min_distance < before:
            pair = (names_a[o1], names_b[o2])
    answer: list[Any] = [result.min_distance]
    if return_names:
        answer.append(None if pair is None else reported(pair))
    if return_data:
        answer.append(None if pair is None else DistanceData(pair, result))
    return tuple(answer) if len(answer) > 1 else answer[0]
