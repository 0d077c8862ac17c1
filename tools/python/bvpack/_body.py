# SPDX-License-Identifier: MIT
"""What queries are about: a part or an assembly, placed in the world.

Single queries take a path of few steps: arguments of the right type go to the library as they are,
and what is not goes through the checks of _arrays.py.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Optional

import numpy as np

from . import _arrays, _types
from ._answers import Closest, Distance, Penetration, RayHit
from ._arrays import DOUBLES, F8, I4
from ._interrupt import fail
from ._native import ffi, lib
from ._solids import Solid, region

if TYPE_CHECKING:
    from ._file import File

NULL = ffi.NULL
_RAYS = ffi.typeof("bvp_ray[]")
_DISTANCE = ffi.typeof("bvp_distance_result *")
_CLOSEST = ffi.typeof("bvp_closest_result *")
_INSIDE = ffi.typeof("bvp_inside_result *")
_SIGNED = ffi.typeof("bvp_signed_result *")
_RAY_HIT = ffi.typeof("bvp_ray_hit *")
_collide, _within, _distance = lib.bvpy_collide, lib.bvpy_within, lib.bvpy_distance
_ray_first, _ray_any, _closest = lib.bvp_ray_first, lib.bvpy_ray_any, lib.bvp_closest
_new, _from_buffer = ffi.new, ffi.from_buffer
_BATCH = 65536  # elements between two calls of `progress`


def _pointer(matrix):
    """Return a placement as `double *`, by the short way if it is (3, 4) doubles."""
    if matrix is None:
        return NULL
    try:
        if matrix.dtype is F8 and matrix.shape == (3, 4):
            return _from_buffer(DOUBLES, matrix)
    except (AttributeError, ValueError):
        pass
    return _from_buffer(DOUBLES, _arrays.placement(matrix))


def _point(point):
    try:
        if point.dtype is F8 and point.shape == (3,):
            return _from_buffer(DOUBLES, point)
    except (AttributeError, ValueError):
        pass
    return _from_buffer(DOUBLES, _arrays.vector(point, "a point"))


def _ray(ray):
    try:
        if ray.dtype is F8 and ray.shape == (8,):
            return _from_buffer(_RAYS, ray)
    except (AttributeError, ValueError):
        pass
    given = np.ascontiguousarray(ray, F8)
    if given.shape != (8,):
        raise ValueError(f"a ray is (8,): origin, direction, t_min, t_max; not {given.shape}")
    return _from_buffer(_RAYS, given)


class WarmStart:
    """What is kept between queries about two bodies that move a little from one to the next.

    One for each pair of bodies and each thread. Answers are the same with it and without.

    Parameters
    ----------
    memory : int
        Bytes in which searches for distances record where they stopped, such as 2**20; 0: none.
    """

    __slots__ = ("_c", "_front")

    def __init__(self, memory: int = 0) -> None:
        self._c = ffi.new("bvp_warm_start *")
        self._front = np.zeros((memory + 7) // 8, "u8")
        if memory:
            self._c.front, self._c.front_size = _arrays.address(self._front), self._front.nbytes


class Body:
    """A part or an assembly at a place; made by `File.body`. Any number of threads may use it.

    Batches take arrays and return arrays; nothing is copied whose elements are doubles, contiguous
    in themselves. `out` is where the answers go. `progress` is called with how many are done, and
    what it raises ends the batch.
    """

    __slots__ = ("file", "part", "_c", "_keep", "_arguments")

    def __init__(self, file: "File", part: Optional[int], placement, bits, exclude: bool) -> None:
        self.file = file
        self.part = part
        self._arguments = (part, placement, bits, exclude)
        self._c = ffi.new("bvp_body *")
        handle = file._handle()
        self._c.file = handle
        self._c.part = lib.BVP_ASSEMBLY if part is None else part
        self._keep = [handle]
        if placement is not None:
            matrix = _arrays.placement(placement).copy()
            self._c.placement = _arrays.doubles(matrix)
            self._keep.append(matrix)
        if bits is not None:
            chosen = ffi.new("bvp_filter *")
            chosen.bits = ffi.cast("uint64_t *", bits.ctypes.data)
            chosen.word_count = len(bits)
            chosen.exclude = bool(exclude)
            self._c.filter = chosen
            self._keep += [bits, chosen]

    def __reduce__(self):
        return _open_body, (self.file, *self._arguments)

    def __repr__(self) -> str:
        what = "assembly" if self.part is None else f"part {self.part}"
        return f"<bvpack.Body {what} of {self.file.path}>"

    def at(self, placement) -> "Body":
        """Return the same body somewhere else."""
        part, _, bits, exclude = self._arguments
        return Body(self.file, part, placement, bits, exclude)

    # ---- two bodies ---------------------------------------------------------------------------

    def collide(self, other: Optional["Body"] = None, placement=None, *, warm=None) -> bool:
        """Tell whether two bodies touch.

        Parameters
        ----------
        other : Body, optional
            None: this body's own instances against one another.
        placement : (3, 4) array, optional
            Of `other`, instead of its own.
        warm : WarmStart, optional
            What is kept from one query to the next.

        Examples
        --------
        >>> cube.collide(cube, [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]])
        True
        >>> cube.collide(cube, [[1, 0, 0, 1.5], [0, 1, 0, 0], [0, 0, 1, 0]])
        False
        """
        hit = _collide(
            self._c,
            NULL if other is None else other._c,
            NULL if placement is None else _pointer(placement),
            NULL if warm is None else warm._c,
        )
        if hit < 0:
            fail(-hit, "collide", self)
        return hit == 1

    def distance(
        self, other: Optional["Body"] = None, placement=None, *, limit: float = inf, warm=None
    ) -> Optional[Distance]:
        """Return the minimum distance of two surfaces, or None when it is above `limit`.

        Examples
        --------
        >>> cube.distance(cube, [[1, 0, 0, 1.5], [0, 1, 0, 0], [0, 0, 1, 0]])
        <Distance 0.5>
        """
        out = _new(_DISTANCE)
        distance = _distance(
            self._c,
            NULL if other is None else other._c,
            NULL if placement is None else _pointer(placement),
            limit,
            out,
            NULL if warm is None else warm._c,
        )
        if distance < 0:
            fail(-distance, "distance", self)
        return Distance(out) if out.found else None

    def distance_about(
        self, other: Optional["Body"], tolerance: float, *, limit: float = inf
    ) -> Optional[Distance]:
        """Return the distance to within a tolerance: faster where surfaces run side by side."""
        out = _new(_DISTANCE)
        b = NULL if other is None else other._c
        status = lib.bvp_distance_about(self._c, b, limit, tolerance, out, NULL)
        if status:
            fail(status, "distance_about", self)
        return Distance(out) if out.found else None

    def within(
        self, other: Optional["Body"], delta: float, placement=None, *, warm=None
    ) -> bool:
        """Tell whether two surfaces are at most `delta` apart.

        Examples
        --------
        >>> cube.within(cube, 0.6, [[1, 0, 0, 1.5], [0, 1, 0, 0], [0, 0, 1, 0]])
        True
        """
        answer = _within(
            self._c,
            NULL if other is None else other._c,
            NULL if placement is None else _pointer(placement),
            delta,
            NULL if warm is None else warm._c,
        )
        if answer < 0:
            fail(-answer, "within", self)
        return answer == 1

    def pairs(self, other: Optional["Body"] = None, *, limit: Optional[int] = None) -> np.ndarray:
        """Return all pairs of triangles that touch, as an array of `bvpack.PAIR`.

        Parameters
        ----------
        limit : int, optional
            No more pairs than these.
        """
        rows = _arrays.new_rows(_types.PAIR, limit)
        b = NULL if other is None else other._c
        return self._collect(lib.bvpy_pairs(self._c, b, rows), rows, _types.PAIR, "pairs")

    def penetration(self, other: "Body", placement=None, *, contacts: int = 16) -> Penetration:
        """Return how deep two bodies are in each other, the way out, and where they touch.

        It costs some ten to hundred collides. A part with open edges has no inside: its contacts
        have depth 0.

        Parameters
        ----------
        contacts : int
            At most so many, the deepest ones.

        Examples
        --------
        >>> found = cube.penetration(cube, [[1, 0, 0, 0.75], [0, 1, 0, 0.5], [0, 0, 1, 0.5]])
        >>> found.verdict, round(found.depth_upper, 3), found.direction.round(3) + 0.0
        ('penetrating', 0.25, array([-1.,  0.,  0.]))
        >>> round(found.contacts["depth"][0], 3)
        0.25
        """
        b = other if placement is None else other.at(placement)
        rows, out = np.empty(contacts, _types.CONTACT), ffi.new("bvp_penetration_result *")
        status = lib.bvp_penetration(self._c, b._c, _arrays.out_array(rows), out)
        if status:
            fail(status, "penetration", self)
        return Penetration(out, rows[: out.contact_count])

    def collide_batch(
        self, other: "Body", placements, out=None, *, warm=None, progress=None
    ) -> np.ndarray:
        """Tell for each placement of `other` whether it touches.

        Parameters
        ----------
        placements : (n, 3, 4) or (n, 4, 4) array
            In place of other's own.
        out : (n,) int32 array, optional
            Where 0 or 1 is written.
        warm : WarmStart, optional
            For placements along a path: each begins with what the one before left.

        Returns
        -------
        (n,) bool array
            A view of `out`.

        Examples
        --------
        >>> import numpy as np
        >>> places = np.tile(np.eye(4), (3, 1, 1))
        >>> places[:, 0, 3] = 0.5, 1.5, 2.5
        >>> cube.collide_batch(cube, places)
        array([ True, False, False])
        """
        given, kept = _arrays.placements(placements), NULL if warm is None else warm._c
        answers = _arrays.output(out, len(given), I4)
        self._batch(
            "collide_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_collide_warm_batch(self._c, other._c, i, kept, o, done, NULL),
        )  # fmt: skip
        return _arrays.as_bools(answers)

    def distance_batch(
        self, other: "Body", placements, limit: float = inf, out=None, *, warm=None, progress=None
    ) -> np.ndarray:
        """Return the distances to `other` at many placements, as an array of `bvpack.DISTANCE`."""
        given, kept = _arrays.placements(placements), NULL if warm is None else warm._c
        answers = _arrays.output(out, len(given), _types.DISTANCE)
        self._batch(
            "distance_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_distance_warm_batch(
                self._c, other._c, i, limit, kept, o, done, NULL
            ),
        )  # fmt: skip
        return answers

    def distance_about_batch(
        self, other: "Body", tolerance: float, placements, limit: float = inf, out=None, *,
        progress=None,
    ) -> np.ndarray:  # fmt: skip
        """Return the distances to within a tolerance, as an array of `bvpack.DISTANCE`."""
        given = _arrays.placements(placements)
        answers = _arrays.output(out, len(given), _types.DISTANCE)
        self._batch(
            "distance_about_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_distance_about_batch(
                self._c, other._c, i, limit, tolerance, o, done, NULL
            ),
        )  # fmt: skip
        return answers

    def within_batch(
        self, other: "Body", delta: float, placements, out=None, *, warm=None, progress=None
    ) -> np.ndarray:
        """Tell for each placement of `other` whether it is at most `delta` apart; `out` is int32."""
        given, kept = _arrays.placements(placements), NULL if warm is None else warm._c
        answers = _arrays.output(out, len(given), I4)
        self._batch(
            "within_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_within_warm_batch(
                self._c, other._c, i, delta, kept, o, done, NULL
            ),
        )  # fmt: skip
        return _arrays.as_bools(answers)

    # ---- rays and points ----------------------------------------------------------------------

    def ray_first(self, ray) -> Optional[RayHit]:
        """Return the nearest hit of a ray, or None.

        Parameters
        ----------
        ray : (8,) array
            Origin, direction, t_min, t_max; `bvpack.rays` makes them.

        Examples
        --------
        >>> cube.ray_first([0.25, 0.5, 5, 0, 0, -1, 0, float("inf")]).t
        4.0
        """
        hit = _new(_RAY_HIT)
        status = _ray_first(self._c, _ray(ray), hit, NULL)
        if status:
            fail(status, "ray_first", self)
        return RayHit(hit) if hit.found else None

    def ray_any(self, ray) -> bool:
        """Tell whether a ray hits anything."""
        hit = _ray_any(self._c, _ray(ray))
        if hit < 0:
            fail(-hit, "ray_any", self)
        return hit == 1

    def ray_all(self, ray) -> np.ndarray:
        """Return all hits of a ray by t, as an array of `bvpack.RAY_HIT`."""
        return self.ray_all_batch(np.asarray(ray, F8).reshape(1, 8))["hit"]

    def ray_first_batch(self, rays, out=None, *, progress=None) -> np.ndarray:
        """Return the nearest hits of many rays.

        Parameters
        ----------
        rays : (n, 8) array
            Of doubles as `ray_first` takes them, or `bvpack.FLOAT_RAY` for answers in floats.
        out : array, optional
            Of `bvpack.RAY_HIT`, or `bvpack.FLOAT_HIT`.
        """
        given, single = self._rays(rays)
        kind = _types.FLOAT_HIT if single else _types.RAY_HIT
        ask = lib.bvp_float_ray_first_batch if single else lib.bvp_ray_first_batch
        answers = _arrays.output(out, len(given), kind)
        self._batch(
            "ray_first_batch", given, answers, progress,
            lambda i, o, done: ask(self._c, i, o, done, NULL),
        )  # fmt: skip
        return answers

    def ray_any_batch(self, rays, out=None, *, progress=None) -> np.ndarray:
        """Tell for each ray whether it hits anything; `out` is int32."""
        given, single = self._rays(rays)
        ask = lib.bvp_float_ray_any_batch if single else lib.bvp_ray_any_batch
        answers = _arrays.output(out, len(given), I4)
        self._batch(
            "ray_any_batch", given, answers, progress,
            lambda i, o, done: ask(self._c, i, o, done, NULL),
        )  # fmt: skip
        return _arrays.as_bools(answers)

    def ray_all_batch(self, rays) -> np.ndarray:
        """Return all hits of many rays: fields `ray`, its number, and `hit`, a `bvpack.RAY_HIT`.

        They are in the order of the rays, and of t.
        """
        given = _arrays.rows(rays, (8,), "rays")
        rows = _arrays.new_rows(_types.RAY_ROW)
        done = ffi.new("size_t *")
        status = lib.bvpy_ray_all_batch(self._c, _arrays.const_array(given), rows, done)
        return self._collect(status, rows, _types.RAY_ROW, f"ray_all_batch: ray {done[0]}")

    def closest(self, point, max_distance: float = inf) -> Optional[Closest]:
        """Return the point of the surface that is nearest to `point`, or None.

        Examples
        --------
        >>> round(cube.closest([0.5, 0.5, 3]).distance, 9)
        2.0
        """
        out = _new(_CLOSEST)
        status = _closest(self._c, _point(point), max_distance, out, NULL)
        if status:
            fail(status, "closest", self)
        return Closest(out) if out.found else None

    def closest_batch(
        self, points, max_distance: float = inf, out=None, *, progress=None
    ) -> np.ndarray:
        """Return the nearest points of the surface, as an array of `bvpack.CLOSEST`.

        Parameters
        ----------
        points : (n, 3) array
        """
        given = _arrays.rows(points, (3,), "points")
        answers = _arrays.output(out, len(given), _types.CLOSEST)
        self._batch(
            "closest_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_closest_batch(self._c, i, max_distance, o, done, NULL),
        )  # fmt: skip
        return answers

    def inside_batch(self, points, out=None, *, progress=None) -> np.ndarray:
        """Tell where points (n, 3) are, relative to the solid that the surface bounds.

        Returns
        -------
        array of `bvpack.INSIDE`
            `where`: 0 outside, 1 inside, 2 on the surface, 3 undefined: in the box of an open
            shell; `winding`: the winding number, `instance`: one that says so.

        Examples
        --------
        >>> cube.inside_batch([[0.5, 0.5, 0.5], [2, 0, 0], [1, 0.5, 0.5]])["where"]
        array([1, 0, 2], dtype=uint32)
        """
        given = _arrays.rows(points, (3,), "points")
        answers = _arrays.output(out, len(given), _types.INSIDE)
        self._batch(
            "inside_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_inside_batch(self._c, i, o, done, NULL),
        )  # fmt: skip
        return answers

    def inside(self, point) -> bool:
        """Tell whether a point is inside the solid, or on its surface.

        In an open shell it is inside where the generalised winding number is 0.5 or more.
        """
        out = _new(_INSIDE)
        status = lib.bvp_inside(self._c, _point(point), out, NULL)
        if status:
            fail(status, "inside", self)
        return out.where == lib.BVP_WHERE_SURFACE or abs(out.winding) >= 0.5

    def signed_closest_batch(
        self, points, max_distance: float = inf, out=None, *, progress=None
    ) -> np.ndarray:
        """Return the nearest points with signed distances, as an array of `bvpack.SIGNED`.

        `nearest`: a `bvpack.CLOSEST` with a negative distance inside; `inside`: a
        `bvpack.INSIDE`.
        """
        given = _arrays.rows(points, (3,), "points")
        answers = _arrays.output(out, len(given), _types.SIGNED)
        self._batch(
            "signed_closest_batch", given, answers, progress,
            lambda i, o, done: lib.bvp_signed_closest_batch(
                self._c, i, max_distance, o, done, NULL
            ),
        )  # fmt: skip
        return answers

    def signed_distance(self, point) -> float:
        """Return how far a point is from the surface: negative inside.

        Examples
        --------
        >>> round(cube.signed_distance([0.5, 0.5, 0.75]), 9)
        -0.25
        """
        out = _new(_SIGNED)
        status = lib.bvp_signed_closest(self._c, _point(point), inf, out, NULL)
        if status:
            fail(status, "signed_distance", self)
        return out.nearest.distance if out.nearest.found else inf

    # ---- regions and solids -------------------------------------------------------------------

    def overlap(self, *, box=None, ball=None, planes=None) -> np.ndarray:
        """Return the triangles that touch a closed region, as an array of `bvpack.HIT_ID`.

        Parameters
        ----------
        box : (2, 3) array
            Its lower and its upper corner.
        ball : (centre, radius)
        planes : (n, 4) array
            A convex region, where n . x + d >= 0 for all of them.

        Examples
        --------
        >>> len(cube.overlap(ball=((0.5, 0.5, 1), 0.1)))
        2
        """
        c, _keep = region(box=box, ball=ball, planes=planes)
        rows = _arrays.new_rows(_types.HIT_ID)
        return self._collect(lib.bvpy_overlap(self._c, c, rows), rows, _types.HIT_ID, "overlap")

    def overlap_batch(self, boxes) -> tuple[np.ndarray, np.ndarray]:
        """Return the triangles that touch each of many boxes, as (offsets, hits).

        Those of box i are ``hits[offsets[i]:offsets[i + 1]]``, in the order of `overlap`.

        Parameters
        ----------
        boxes : (n, 2, 3) array
            Their lower and their upper corners.

        Examples
        --------
        >>> offsets, hits = cube.overlap_batch([[[0, 0, 0.9], [1, 1, 2]], [[2, 0, 0], [3, 1, 1]]])
        >>> offsets, hits.dtype == bvpack.HIT_ID
        (array([ 0, 10, 10], dtype=uint64), True)
        """
        given = _arrays.rows(boxes, (2, 3), "boxes")
        offsets, done = np.zeros(len(given) + 1, "u8"), ffi.new("size_t *")

        def ask(room) -> None:
            i, o = _arrays.const_array(given), _arrays.out_array(offsets)
            status = lib.bvp_overlap_batch(self._c, i, o, room, done, NULL)
            if status:
                fail(status, f"overlap_batch: element {done[0]}", self)

        ask((NULL, 0, 0))  # only the offsets
        hits = np.empty(int(offsets[-1]), _types.HIT_ID)
        if len(hits):
            ask(_arrays.out_array(hits))
        return offsets, hits

    def candidates_box(self, box) -> tuple[np.ndarray, np.ndarray]:
        """Return every triangle that touches a box (2, 3), and some near it, as (ids, corners).

        For callers that test triangles themselves: faster than `overlap`, and with the corners.

        Returns
        -------
        ids : (n,) array of `bvpack.HIT_ID`
        corners : (n, 3, 3) array
            In the world.

        Examples
        --------
        >>> ids, corners = cube.candidates_box([[0, 0, 0.9], [1, 1, 2]])
        >>> ids.shape, corners.shape, corners[:, :, 2].max(axis=1).min()
        ((10,), (10, 3, 3), 1.0)
        """
        c, _keep = region(box=box)
        rows = _arrays.new_rows(_types.CANDIDATE_ROW)
        status = lib.bvpy_candidates_box(self._c, c.lo, c.hi, rows)
        found = self._collect(status, rows, _types.CANDIDATE_ROW, "candidates_box")
        return found["hit"], found["corners"]

    def ball_batch(self, centres, radii) -> np.ndarray:
        """Return the triangles that touch each of many balls.

        Parameters
        ----------
        centres : (n, 3) array
        radii : float or (n,) array

        Returns
        -------
        array with the fields `number`, of the ball, and `hit`, a `bvpack.HIT_ID`
        """
        balls = np.empty((len(centres), 4))
        balls[:, :3], balls[:, 3] = centres, radii
        rows = _arrays.new_rows(_types.BALL_ROW)
        done = ffi.new("size_t *")
        status = lib.bvpy_ball_batch(self._c, _arrays.const_array(balls), rows, done)
        return self._collect(status, rows, _types.BALL_ROW, f"ball_batch: ball {done[0]}")

    def solid_collide(self, solid: Solid) -> bool:
        """Tell whether the surface touches a solid, such as `bvpack.ball(2.5)`."""
        hit = ffi.new("int *")
        status = lib.bvp_convex_collide(self._c, solid._c, hit, NULL)
        if status:
            fail(status, "solid_collide", self)
        return hit[0] == 1

    def solid_triangles(self, solid: Solid) -> np.ndarray:
        """Return the triangles that touch a solid, as an array of `bvpack.HIT_ID`."""
        rows = _arrays.new_rows(_types.HIT_ID)
        status = lib.bvpy_convex_each(self._c, solid._c, rows)
        return self._collect(status, rows, _types.HIT_ID, "solid_triangles")

    def solid_distance(self, solid: Solid, limit: float = inf) -> Optional[Distance]:
        """Return how far a solid is from the surface, or None when that is above `limit`."""
        out = _new(_DISTANCE)
        status = lib.bvp_convex_distance(self._c, solid._c, limit, out, NULL)
        if status:
            fail(status, "solid_distance", self)
        return Distance(out) if out.found else None

    def solid_within(self, solid: Solid, delta: float) -> bool:
        """Tell whether a solid is at most `delta` from the surface."""
        answer = ffi.new("int *")
        status = lib.bvp_convex_within(self._c, solid._c, delta, answer, NULL, NULL)
        if status:
            fail(status, "solid_within", self)
        return answer[0] == 1

    # ---- instances ----------------------------------------------------------------------------

    def instances_in(self, box, *, by_triangles: bool = False) -> np.ndarray:
        """Return the instances in a box (2, 3): those whose own box, or a triangle, meets it."""
        c, _keep = region(box=box)
        answers = np.empty(self.file.instance_count, "u4")
        count = ffi.new("uint64_t *")
        array = _arrays.out_array(answers)
        status = lib.bvp_instances_in(self._c, c[0], by_triangles, array, count, NULL)
        if status:
            fail(status, "instances_in", self)
        return answers[: count[0]]

    def nearest_instances(self, point, count: int, max_distance: float = inf) -> np.ndarray:
        """Return the instances nearest to a point, as an array of at most `count` `CLOSEST`."""
        answers = np.empty(count, _types.CLOSEST)
        found = ffi.new("uint64_t *")
        array = _arrays.out_array(answers)
        status = lib.bvp_nearest_instances(
            self._c, _point(point), max_distance, array, found, NULL
        )
        if status:
            fail(status, "nearest_instances", self)
        return answers[: found[0]]

    # ---- shared by these ----------------------------------------------------------------------

    @staticmethod
    def _rays(rays):
        given = np.asarray(rays)
        if given.dtype == _types.FLOAT_RAY:
            return given, True
        if given.dtype == _types.RAY:
            return given, False
        return _arrays.rows(given, (8,), "rays"), False

    def _collect(self, status: int, rows, dtype: np.dtype, what: str) -> np.ndarray:
        answers = _arrays.take(rows, dtype)
        if status:
            fail(status, what, self)
        return answers

    def _batch(self, what: str, given, answers, progress, ask) -> None:
        """Ask for all elements, or for some at a time when the caller wants to know how far it is."""
        total, done = len(given), ffi.new("size_t *")
        step = total if progress is None else _BATCH
        for first in range(0, total, step or 1):
            part, room = given[first : first + step], answers[first : first + step]
            status = ask(_arrays.const_array(part), _arrays.out_array(room), done)
            if status:
                fail(status, f"{what}: element {first + done[0]}", self)
            if progress is not None:
                progress(first + len(part), total)


def _open_body(file: "File", part, placement, bits, exclude) -> Body:
    return Body(file, part, placement, bits, exclude)
