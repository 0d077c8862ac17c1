# SPDX-License-Identifier: MIT
"""The names of python-fcl, a subset, on packed meshes.

    import bvpack.fcl as fcl

BVHModel, Convex, Box, Sphere, Capsule, Cylinder; Transform, CollisionObject; collide and distance
with their requests and results; DynamicAABBTreeCollisionManager with the default callbacks.

A BVHModel is a surface, the others are solids. What differs from FCL:

- contacts of a BVHModel are its triangles that touch, all of them exactly; `normal` is that of the
  first object's triangle. `penetration_depth` is the same in all contacts of two objects: how far a
  move takes them apart, the shortest that `Body.penetration` finds. It is searched for when it is
  first read, which costs some ten to hundred collides. It is 0 where a mesh has open edges, and so
  no inside, and against Sphere, Capsule and Cylinder, which have no mesh.
- `distance` with `enable_signed_distance`: minus the depth, of two Convex or Box, and of closed
  meshes whose surfaces meet; a closed mesh around another, which it does not touch, is apart from
  it, as a surface is.
- Sphere, Capsule and Cylinder are asked against meshes only, and not against one another.
- there is no continuousCollide: bvpack has no continuous query.

Examples
--------
>>> from bvpack import fcl
>>> box = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform(np.array([0.75, 0, 0])))
>>> result = fcl.CollisionResult()
>>> fcl.collide(fcl.CollisionObject(fcl.Box(1, 1, 1)), box, fcl.CollisionRequest(), result)
1
>>> result.is_collision
True
"""

from __future__ import annotations

from math import inf
from typing import Any, Callable, Iterable, Optional

import numpy as np

from . import _pack, _solids
from ._answers import Penetration
from ._body import Body
from ._broad import BroadPhase
from ._hulls import Hull, penetration

# ---- geometry ---------------------------------------------------------------------------------


class CollisionGeometry:
    """What all shapes derive from."""

    _body: Optional[Body] = None  # its surface
    _hull: Optional[Hull] = None  # of convex meshes

    def _solid(self, placement: np.ndarray) -> Optional[_solids.Solid]:
        """Return the shape as a solid at a place, or None where it is a surface."""
        return None


class BVHModel(CollisionGeometry):
    """A mesh, or a part of a packed file.

    Examples
    --------
    >>> from bvpack import fcl
    >>> mesh = fcl.BVHModel()
    >>> mesh.beginModel(len(corners), len(triangles))
    >>> mesh.addSubModel(corners, triangles)
    >>> mesh.endModel()
    >>> mesh.num_tries_()
    12
    >>> fcl.BVHModel.of(assembly.body(0)).num_tries_()
    12
    """

    def __init__(self) -> None:
        self._vertices: list[np.ndarray] = []
        self._faces: list[np.ndarray] = []

    @classmethod
    def of(cls, body: Body) -> "BVHModel":
        """Return the geometry of a body of a packed file, without reading it."""
        model = cls()
        model._body = body
        return model

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> None:  # noqa: N802
        """Begin to add triangles; the numbers are not needed."""
        self._vertices, self._faces, self._body = [], [], None

    def addSubModel(self, verts, triangles) -> None:  # noqa: N802
        """Add vertices (n, 3), and triangles (m, 3) of them."""
        base = sum(map(len, self._vertices))
        self._vertices.append(np.asarray(verts, "f8").reshape(-1, 3))
        self._faces.append(np.asarray(triangles, "i8").reshape(-1, 3) + base)

    def addTriangle(self, v1, v2, v3) -> None:  # noqa: N802
        """Add a triangle."""
        self.addSubModel([v1, v2, v3], [[0, 1, 2]])

    def endModel(self) -> None:  # noqa: N802
        """Pack what was added."""
        self._body = _packed(np.concatenate(self._vertices), np.concatenate(self._faces))

    def num_tries_(self) -> int:
        """How many triangles there are."""
        if self._body is None:
            return sum(map(len, self._faces))
        file, part = self._body.file, self._body.part
        return file.triangle_count if part is None else int(file.parts["triangle_count"][part])


class Convex(CollisionGeometry):
    """A convex mesh, as a solid.

    Parameters
    ----------
    verts : (n, 3) array
    num_faces : int
    faces : sequence of int
        For each face how many vertices it has, and which.
    """

    def __init__(self, verts, num_faces: int, faces) -> None:
        corners, given, at = [], np.asarray(faces).ravel(), 0
        for _ in range(num_faces):
            count = int(given[at])
            face = given[at + 1 : at + 1 + count]
            corners += [(face[0], face[i], face[i + 1]) for i in range(1, count - 1)]
            at += 1 + count
        self._set(np.asarray(verts, "f8"), np.array(corners, "i8").reshape(-1, 3))

    def _set(self, vertices: np.ndarray, corners: np.ndarray) -> None:
        self._points = vertices
        self._hull = Hull(vertices, corners)
        self._body = _packed(vertices, corners)

    def _solid(self, placement: np.ndarray) -> _solids.Solid:
        return _solids.hull(self._points, placement)


class Box(Convex):
    """A box around the origin."""

    def __init__(self, x: float, y: float, z: float) -> None:
        self.side = np.array((x, y, z), float)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        corners = [(q[0], q[i], q[i + 1]) for q in quads for i in (1, 2)]
        self._set(signs * self.side / 2, np.array(corners))


class _Round(CollisionGeometry):
    def __init__(self, make: Callable[..., _solids.Solid], *sizes: float) -> None:
        self._make, self._sizes = make, sizes

    def _solid(self, placement: np.ndarray) -> _solids.Solid:
        return self._make(*self._sizes, placement)


class Sphere(_Round):
    """A ball around the origin."""

    def __init__(self, radius: float) -> None:
        super().__init__(_solids.ball, radius)
        self.radius = radius


class Capsule(_Round):
    """A capsule along z."""

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(_solids.capsule, radius, lz)
        self.radius, self.lz = radius, lz


class Cylinder(_Round):
    """A cylinder along z."""

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(_solids.cylinder, radius, lz)
        self.radius, self.lz = radius, lz


def _packed(vertices: np.ndarray, faces: np.ndarray) -> Body:
    builder = _pack.Builder(threads=1)
    builder.add_part(vertices, faces)
    return builder.open().body()


# ---- places -----------------------------------------------------------------------------------


class Transform:
    """A rotation and a translation: (R, t), (quaternion w x y z, t), (R), (quaternion), (t)."""

    def __init__(self, *parts: Any) -> None:
        self._matrix = np.eye(3, 4)
        if len(parts) == 1 and isinstance(parts[0], Transform):
            self._matrix = parts[0]._matrix.copy()
            return
        for part in parts:
            given = np.asarray(part, "f8")
            if given.shape == (3, 3):
                self._matrix[:, :3] = given
            elif given.shape == (4,):
                self._matrix[:, :3] = _turn(given)
            elif given.shape == (3,):
                self._matrix[:, 3] = given
            else:
                raise ValueError(f"a rotation is (3, 3) or (4,), a translation (3,): {given.shape}")

    def getRotation(self) -> np.ndarray:  # noqa: N802
        """Return the rotation, (3, 3)."""
        return self._matrix[:, :3].copy()

    def getTranslation(self) -> np.ndarray:  # noqa: N802
        """Return the translation, (3,)."""
        return self._matrix[:, 3].copy()

    def setRotation(self, R) -> None:  # noqa: N802, N803
        """Set the rotation."""
        self._matrix[:, :3] = R

    def setTranslation(self, T) -> None:  # noqa: N802, N803
        """Set the translation."""
        self._matrix[:, 3] = T


def _turn(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class CollisionObject:
    """A geometry at a place."""

    def __init__(self, geom: CollisionGeometry, tf: Optional[Transform] = None) -> None:
        self._geometry = geom
        self._place = Transform() if tf is None else Transform(tf)

    def getCollisionGeometry(self) -> CollisionGeometry:  # noqa: N802
        """Return the geometry."""
        return self._geometry

    def getTransform(self) -> Transform:  # noqa: N802
        """Return a copy of the place."""
        return Transform(self._place)

    def setTransform(self, tf: Transform) -> None:  # noqa: N802
        """Put it somewhere else."""
        self._place = Transform(tf)

    def getTranslation(self) -> np.ndarray:  # noqa: N802
        """Return where it is, (3,)."""
        return self._place.getTranslation()

    def setTranslation(self, vec) -> None:  # noqa: N802
        """Move it."""
        self._place.setTranslation(vec)

    def getRotation(self) -> np.ndarray:  # noqa: N802
        """Return how it is turned, (3, 3)."""
        return self._place.getRotation()

    def setRotation(self, mat) -> None:  # noqa: N802
        """Turn it."""
        self._place.setRotation(mat)

    def setQuatRotation(self, q) -> None:  # noqa: N802
        """Turn it as a quaternion w, x, y, z says."""
        self._place.setRotation(_turn(np.asarray(q, "f8")))

    @property
    def _matrix(self) -> np.ndarray:
        return self._place._matrix


# ---- requests and results ---------------------------------------------------------------------


class _Depth:
    """How deep two placed meshes are in each other, found when it is first asked."""

    def __init__(self, a: Body, b: Body) -> None:
        self._bodies = (a, b)
        self._found: Optional[Penetration] = None

    def __float__(self) -> float:
        return self.found().depth_upper if self.closed() else 0.0

    def closed(self) -> bool:
        """Tell whether both are solids."""
        return all(_closed(body) for body in self._bodies)

    def found(self) -> Penetration:
        """Return what the library found."""
        if self._found is None:
            a, b = self._bodies
            self._found = a.penetration(b, contacts=1)
        return self._found


def _closed(body: Body) -> bool:
    edges = body.file.parts["open_edge_count"]
    return not (edges.any() if body.part is None else edges[body.part])


class Contact:
    """Where two geometries touch: o1, o2, the triangles b1, b2, pos, normal, penetration_depth."""

    def __init__(self, o1=None, o2=None, b1=-1, b2=-1, pos=None, normal=None, depth=0.0) -> None:
        self.o1, self.o2, self.b1, self.b2 = o1, o2, b1, b2
        self.pos = np.zeros(3) if pos is None else pos
        self.normal = np.zeros(3) if normal is None else normal
        self._depth = depth

    @property
    def penetration_depth(self) -> float:
        """How far a move takes the two objects apart."""
        return float(self._depth)


class CollisionRequest:
    """At most how many contacts are wanted, and whether they are filled in."""

    def __init__(self, num_max_contacts: int = 1, enable_contact: bool = False, **others) -> None:
        self.num_max_contacts = num_max_contacts
        self.enable_contact = enable_contact


class CollisionResult:
    """What `collide` found; several calls add to it."""

    def __init__(self) -> None:
        self.is_collision = False
        self.contacts: list[Contact] = []
        self.cost_sources: list = []


class DistanceRequest:
    """What `distance` is to fill in."""

    def __init__(
        self, enable_nearest_points: bool = False, enable_signed_distance: bool = False, **others
    ) -> None:
        self.enable_nearest_points = enable_nearest_points
        self.enable_signed_distance = enable_signed_distance


class DistanceResult:
    """What `distance` found: the least of several calls."""

    def __init__(self, min_distance_: float = inf) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list = [None, None]
        self.o1: Optional[CollisionGeometry] = None
        self.o2: Optional[CollisionGeometry] = None
        self.b1 = self.b2 = -1


# ---- collide ----------------------------------------------------------------------------------


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: Optional[CollisionRequest] = None,
    result: Optional[CollisionResult] = None,
) -> int:
    """Return how many contacts two objects have, at most those that the request wants."""
    request, result = request or CollisionRequest(), result or CollisionResult()
    found = _contacts(o1, o2, max(request.num_max_contacts, 1), request.enable_contact)
    if found:
        result.is_collision = True
        result.contacts += found[: request.num_max_contacts]
    return len(found)


def _contacts(o1, o2, most: int, wanted: bool) -> list[Contact]:
    g1, g2 = o1._geometry, o2._geometry
    if g1._hull is not None and g2._hull is not None:
        return _hull_contacts(o1, o2, wanted)
    s1, s2 = g1._solid(o1._matrix), g2._solid(o2._matrix)
    if s1 is not None and s2 is not None and (g1._body is None and g2._body is None):
        raise NotImplementedError(f"{type(g1).__name__} against {type(g2).__name__}: use a mesh")
    if s2 is not None and g1._body is not None:
        return _solid_contacts(o1, o2, g1._body.at(o1._matrix), s2, most, False)
    if s1 is not None:
        return _solid_contacts(o1, o2, g2._body.at(o2._matrix), s1, most, True)
    a, b = g1._body.at(o1._matrix), g2._body.at(o2._matrix)
    if not wanted and most == 1:
        return [Contact(g1, g2)] if a.collide(b) else []
    pairs = a.pairs(b, limit=most)
    if not wanted:
        return [Contact(g1, g2, int(x), int(y)) for x, y in zip(pairs["a"]["id"], pairs["b"]["id"])]
    positions, normals = _places(a, b, pairs)
    depth = _Depth(a, b)
    return [
        Contact(g1, g2, int(pair["a"]["id"]), int(pair["b"]["id"]), position, normal, depth)
        for pair, position, normal in zip(pairs, positions, normals)
    ]


def _hull_contacts(o1, o2, wanted: bool) -> list[Contact]:
    g1, g2 = o1._geometry, o2._geometry
    if not _hulls_touch(o1, o2):
        return []
    if not wanted:
        return [Contact(g1, g2)]
    depth, normal, position = _depth(o1, o2)
    return [Contact(g1, g2, 0, 0, position, normal, max(depth, 0.0))]


def _hulls_touch(o1, o2) -> bool:
    """Tell whether solids touch: their surfaces do, or one is inside the other."""
    g1, g2 = o1._geometry, o2._geometry
    if g1._body.at(o1._matrix).collide(g2._body, o2._matrix):
        return True
    for inner, outer in ((o1, o2), (o2, o1)):
        corner = inner._matrix[:, :3] @ inner._geometry._hull.vertices[0] + inner._matrix[:, 3]
        turn = outer._matrix[:, :3]
        if outer._geometry._hull.holds(np.linalg.solve(turn, corner - outer._matrix[:, 3])):
            return True
    return False


def _depth(o1, o2):
    m1, m2 = o1._matrix, o2._matrix
    return penetration(
        o1._geometry._hull, m1[:, :3], m1[:, 3], o2._geometry._hull, m2[:, :3], m2[:, 3]
    )


def _solid_contacts(o1, o2, body, solid, most: int, mesh_is_second: bool) -> list[Contact]:
    g1, g2 = o1._geometry, o2._geometry
    if most == 1 and not body.solid_collide(solid):
        return []
    found = body.solid_triangles(solid)[:most]
    if not len(found):
        return []
    corners = _corners(body, found)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    contacts = []
    meshes = g1._body is not None and g2._body is not None
    depth = _Depth(g1._body.at(o1._matrix), g2._body.at(o2._matrix)) if meshes else 0.0
    for hit, triangle, normal in zip(found, corners, normals):
        b1, b2 = (0, int(hit["id"])) if mesh_is_second else (int(hit["id"]), 0)
        sign = -1.0 if mesh_is_second else 1.0
        contacts.append(Contact(g1, g2, b1, b2, triangle.mean(axis=0), sign * normal, depth))
    return contacts


def _corners(body: Body, hits: np.ndarray) -> np.ndarray:
    """Return the triangles of hits in the world, (n, 3, 3)."""
    file, out = body.file, np.empty((len(hits), 3, 3))
    matrix = body._arguments[1]
    for part in np.unique(hits["part"]):
        rows = np.flatnonzero(hits["part"] == part)
        out[rows] = file.triangles(int(part))[hits["triangle"][rows]]
    placed = hits["instance"] != 0xFFFFFFFF
    if placed.any():
        own = file.instances["placement"][hits["instance"][placed]]
        out[placed] = np.einsum("nij,nkj->nki", own[:, :, :3], out[placed]) + own[:, None, :, 3]
    return out if matrix is None else out @ matrix[:, :3].T + matrix[:, 3]


def _places(a: Body, b: Body, pairs: np.ndarray):
    """Return a position of each pair of triangles that touch, and the first one's normal.

    The position is the middle of where the edges of one pass through the other; of coplanar
    triangles the middle of both.
    """
    first, second = _corners(a, pairs["a"]), _corners(b, pairs["b"])
    total, count = np.zeros((len(pairs), 3)), np.zeros(len(pairs))
    for one, other in ((first, second), (second, first)):
        base, e, f = other[:, 0], other[:, 1] - other[:, 0], other[:, 2] - other[:, 0]
        for i in range(3):
            p, d = one[:, i], one[:, (i + 1) % 3] - one[:, i]
            h = np.cross(d, f)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                inverse = 1 / (e * h).sum(1)
                s = p - base
                q = np.cross(s, e)
                u, v = (s * h).sum(1) * inverse, (d * q).sum(1) * inverse
                t = (f * q).sum(1) * inverse
                hit = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t >= 0) & (t <= 1)
            total[hit] += p[hit] + t[hit, None] * d[hit]
            count += hit
    flat = count == 0
    total[flat] = (first[flat].mean(axis=1) + second[flat].mean(axis=1)) / 2
    normals = np.cross(first[:, 1] - first[:, 0], first[:, 2] - first[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    return total / np.maximum(count, 1)[:, None], normals


# ---- distance ---------------------------------------------------------------------------------


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: Optional[DistanceRequest] = None,
    result: Optional[DistanceResult] = None,
) -> float:
    """Return the distance of two objects; in the result stays the least of all calls."""
    request, result = request or DistanceRequest(), result or DistanceResult()
    far, points, triangles = _distance(o1, o2, request)
    if far < result.min_distance:
        result.min_distance = far
        result.o1, result.o2 = o1._geometry, o2._geometry
        result.b1, result.b2 = triangles
        if request.enable_nearest_points:
            result.nearest_points = list(points)
    return far


def _distance(o1, o2, request):
    g1, g2 = o1._geometry, o2._geometry
    if g1._hull is not None and g2._hull is not None and _hulls_touch(o1, o2):
        depth, normal, position = _depth(o1, o2)
        half = normal * max(depth, 0.0) / 2
        far = -max(depth, 0.0) if request.enable_signed_distance else 0.0
        return far, (position + half, position - half), (0, 0)
    if g1._body is not None and g2._body is not None:
        solid = next((o for o in (o1, o2) if o._geometry._hull is not None), None)
        if solid is None or (g1._hull is not None and g2._hull is not None):
            found = _answer(g1._body.at(o1._matrix).distance(g2._body, o2._matrix), False)
            return _signed(o1, o2, found) if request.enable_signed_distance else found
    for mesh, other, swapped in ((o1, o2, False), (o2, o1, True)):
        solid = other._geometry._solid(other._matrix)
        if mesh._geometry._body is not None and mesh._geometry._hull is None and solid is not None:
            found = _answer(mesh._geometry._body.at(mesh._matrix).solid_distance(solid), swapped)
            meshes = request.enable_signed_distance and other._geometry._body is not None
            return _signed(o1, o2, found) if meshes else found
    for mesh, other, swapped in ((o1, o2, False), (o2, o1, True)):
        solid = other._geometry._solid(other._matrix)
        if mesh._geometry._body is not None and solid is not None:
            return _answer(mesh._geometry._body.at(mesh._matrix).solid_distance(solid), swapped)
    raise NotImplementedError(f"{type(g1).__name__} against {type(g2).__name__}: use a mesh")


def _signed(o1, o2, found):
    """Return what `_distance` found of two meshes, or minus the depth where they meet."""
    if found[0] > 0:
        return found
    depth = _Depth(o1._geometry._body.at(o1._matrix), o2._geometry._body.at(o2._matrix))
    if not depth.closed() or not len(depth.found().contacts):
        return found
    deepest = depth.found().contacts[0]
    triangles = int(deepest["hit_a"]["id"]), int(deepest["hit_b"]["id"])
    return -float(depth), (deepest["point_a"].copy(), deepest["point_b"].copy()), triangles


def _answer(found, swapped: bool):
    points, ids = (found.point_a, found.point_b), (found.a.id, found.b.id)
    if swapped:
        points, ids = points[::-1], ids[::-1]
    return found.distance, points, ids


# ---- managers ---------------------------------------------------------------------------------


class CollisionData:
    """What `defaultCollisionCallback` uses."""

    def __init__(self, request: Optional[CollisionRequest] = None, result=None) -> None:
        self.request = request or CollisionRequest()
        self.result = result or CollisionResult()
        self.done = False


class DistanceData:
    """What `defaultDistanceCallback` uses."""

    def __init__(self, request: Optional[DistanceRequest] = None, result=None) -> None:
        self.request = request or DistanceRequest()
        self.result = result or DistanceResult()
        self.done = False


def defaultCollisionCallback(o1, o2, cdata: CollisionData) -> bool:  # noqa: N802
    """Collide a pair, and stop when there are as many contacts as are wanted."""
    if not cdata.done:
        collide(o1, o2, cdata.request, cdata.result)
        found = cdata.result
        cdata.done = found.is_collision and len(found.contacts) >= cdata.request.num_max_contacts
    return cdata.done


def defaultDistanceCallback(o1, o2, cdata: DistanceData):  # noqa: N802
    """Measure a pair; return (stop, the least distance)."""
    if not cdata.done:
        distance(o1, o2, cdata.request, cdata.result)
    return cdata.done, cdata.result.min_distance


class DynamicAABBTreeCollisionManager:
    """Objects, and callbacks for the pairs of them whose boxes meet.

    Sphere, Capsule and Cylinder have no mesh, and are held against all objects.
    """

    def __init__(self) -> None:
        self._broad = BroadPhase()
        self._ids: dict[CollisionObject, Optional[int]] = {}
        self._objects: dict[int, CollisionObject] = {}

    def registerObject(self, obj: CollisionObject) -> None:  # noqa: N802
        """Add an object."""
        number = None
        if obj._geometry._body is not None:
            number = self._broad.add(obj._geometry._body, obj._matrix)
            self._objects[number] = obj
        self._ids[obj] = number

    def registerObjects(self, objs: Iterable[CollisionObject]) -> None:  # noqa: N802
        """Add objects."""
        for obj in objs:
            self.registerObject(obj)

    def unregisterObject(self, obj: CollisionObject) -> None:  # noqa: N802
        """Take an object out."""
        number = self._ids.pop(obj, None)
        if number is not None:
            self._broad.remove(number)
            del self._objects[number]

    def setup(self) -> None:
        """Nothing to do: the tree follows what moves."""

    def update(self, arg=None) -> None:
        """Look where objects are now: one, several, or all."""
        objs = self._ids if arg is None else [arg] if isinstance(arg, CollisionObject) else arg
        for obj in objs:
            number = self._ids.get(obj)
            if number is not None:
                self._broad.move(number, obj._matrix)

    def clear(self) -> None:
        """Take all objects out."""
        for obj in list(self._ids):
            self.unregisterObject(obj)

    def getObjects(self) -> list[CollisionObject]:  # noqa: N802
        """Return the objects."""
        return list(self._ids)

    def empty(self) -> bool:
        """Tell whether there are none."""
        return not self._ids

    def size(self) -> int:
        """How many there are."""
        return len(self._ids)

    def collide(self, *arguments) -> None:
        """(data, callback), (object, data, callback) or (manager, data, callback).

        The callback gets two objects and the data; True stops.
        """
        *other, data, callback = arguments
        for o1, o2 in self._near_pairs(*other):
            if callback(o1, o2, data):
                return

    def _near_pairs(self, other=None):
        self._broad.update()
        if other is None:
            for a, b in self._broad.pairs().tolist():
                yield self._objects[a], self._objects[b]
            loose = [o for o, number in self._ids.items() if number is None]
            for i, o1 in enumerate(loose):
                yield from ((o1, o2) for o2 in [*self._objects.values(), *loose[i + 1 :]])
            return
        for obj in [other] if isinstance(other, CollisionObject) else list(other._ids):
            yield from ((mine, obj) for mine in self._near(obj))

    def _near(self, obj: CollisionObject):
        if obj._geometry._body is None:
            return list(self._ids)
        found = self._broad.near(obj._geometry._body.at(obj._matrix)).tolist()
        return [self._objects[i] for i in sorted(found)] + [
            o for o, number in self._ids.items() if number is None
        ]

    def distance(self, *arguments) -> None:
        """As `collide`; the callback returns (stop, the least distance so far)."""
        *other, data, callback = arguments
        least = inf
        for bound, o1, o2 in sorted(self._all_pairs(*other), key=lambda row: row[0]):
            if bound > max(least, 0.0):
                return
            stop, least = callback(o1, o2, data)
            if stop:
                return

    def _all_pairs(self, other=None):
        """Return (a lower bound of the distance, o1, o2) of all pairs."""
        mine = [(self._box(o), o) for o in self._ids]
        if other is None:
            pairs = ((x, y) for i, x in enumerate(mine) for y in mine[i + 1 :])
        else:
            objs = [other] if isinstance(other, CollisionObject) else list(other._ids)
            theirs = [(self._box(o), o) for o in objs]
            pairs = ((x, y) for x in mine for y in theirs)
        for (box1, o1), (box2, o2) in pairs:
            gap = np.maximum(np.maximum(box1[0] - box2[1], box2[0] - box1[1]), 0)
            # less what rounding may have added
            yield float(np.linalg.norm(gap)) * (1 - 1e-9), o1, o2

    @staticmethod
    def _box(obj: CollisionObject) -> np.ndarray:
        body = obj._geometry._body
        if body is None:
            return np.array([[-inf] * 3, [inf] * 3])
        lo, hi = body.file.bounds
        matrix = obj._matrix
        own = body._arguments[1]
        if own is not None or body.part is not None:
            return np.array([[-inf] * 3, [inf] * 3])
        middle = matrix[:, :3] @ ((lo + hi) / 2) + matrix[:, 3]
        half = np.abs(matrix[:, :3]) @ ((hi - lo) / 2)
        slack = 1e-9 * (np.abs(middle) + half)
        return np.array([middle - half - slack, middle + half + slack])
