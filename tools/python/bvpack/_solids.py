# SPDX-License-Identifier: MIT
"""Solid convex bodies without a mesh, and regions of the world."""

from __future__ import annotations

import numpy as np

from . import _arrays
from ._native import ffi, lib


class Solid:
    """A solid box, ball, capsule, cylinder or convex hull; made by the functions of this module."""

    __slots__ = ("_c", "_keep", "_arguments")

    def __init__(self, kind: int, placement=None, **members) -> None:
        self._arguments = (kind, placement, members)
        self._c = ffi.new("bvp_convex *", {"kind": kind})
        self._keep = []
        for name, value in members.items():
            if name == "points":
                points = np.ascontiguousarray(value, "f8")
                if points.ndim != 2 or points.shape[1] != 3:
                    raise ValueError(f"points are (n, 3), not {points.shape}")
                self._keep.append(points)
                self._c.points = _arrays.doubles(points)
                self._c.point_count = len(points)
            else:
                setattr(self._c, name, value)
        if placement is not None:
            matrix = _arrays.placement(placement).copy()
            self._keep.append(matrix)
            self._c.placement = _arrays.doubles(matrix)

    def __reduce__(self):
        return _again, self._arguments


def _again(kind: int, placement, members: dict) -> Solid:
    return Solid(kind, placement, **members)


def box(size, placement=None) -> Solid:
    """Return a solid box around the origin of `placement`, with edges of `size` (3,)."""
    return Solid(lib.BVP_CONVEX_BOX, placement, size=[float(s) for s in size])


def ball(radius: float, placement=None) -> Solid:
    """Return a solid ball."""
    return Solid(lib.BVP_CONVEX_SPHERE, placement, radius=float(radius))


def capsule(radius: float, length: float, placement=None) -> Solid:
    """Return a ball swept along z from -length / 2 to length / 2."""
    return Solid(lib.BVP_CONVEX_CAPSULE, placement, radius=float(radius), length=float(length))


def cylinder(radius: float, length: float, placement=None) -> Solid:
    """Return a solid cylinder about z from -length / 2 to length / 2."""
    return Solid(lib.BVP_CONVEX_CYLINDER, placement, radius=float(radius), length=float(length))


def hull(points, placement=None) -> Solid:
    """Return the convex hull of `points` (n, 3), at most 4096."""
    return Solid(lib.BVP_CONVEX_HULL, placement, points=points)


def region(*, box=None, ball=None, planes=None):
    """Return a bvp_region and what it points to; exactly one argument is given.

    Parameters
    ----------
    box : (2, 3) array_like
        The lower and the upper corner.
    ball : (centre, radius)
        A centre (3,) and a radius.
    planes : (n, 4) array_like
        Where n . x + d >= 0 for all of them.
    """
    if sum(given is not None for given in (box, ball, planes)) != 1:
        raise TypeError("a region is one of box=, ball= and planes=")
    c = ffi.new("bvp_region *")
    if box is not None:
        corners = np.ascontiguousarray(box, "f8")
        if corners.shape != (2, 3):
            raise ValueError(f"box is (2, 3): lower and upper corner, not {corners.shape}")
        c.kind = lib.BVP_REGION_BOX
        c.lo, c.hi = _arrays.doubles(corners[0]), _arrays.doubles(corners[1])
        return c, corners
    if ball is not None:
        centre = _arrays.vector(ball[0], "the ball's centre")
        c.kind, c.centre, c.radius = lib.BVP_REGION_BALL, _arrays.doubles(centre), float(ball[1])
        return c, centre
    given = np.ascontiguousarray(planes, "f8")
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError(f"planes are (n, 4), not {given.shape}")
    c.kind, c.planes, c.plane_count = lib.BVP_REGION_CONVEX, _arrays.doubles(given), len(given)
    return c, given
