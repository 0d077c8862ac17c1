# SPDX-License-Identifier: MIT
"""Answers of single queries. Each holds the library's struct and reads its members on demand."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np

from ._native import ffi, lib

VERDICTS = tuple(
    ffi.string(lib.bvp_verdict_name(i)).decode() for i in range(lib.BVP_VERDICT_COUNT)
)
_NONE = lib.BVP_NONE


class Triangle(NamedTuple):
    """A triangle in an answer.

    `instance` is None when the body is a single part; `part` is None for a convex body's side.
    `triangle` counts in storage order, for `File.triangles`; `id` is its number in the source.
    """

    instance: Optional[int]
    part: Optional[int]
    triangle: int
    id: int


def triangle(c) -> Triangle:
    """Return a bvp_hit_id as a tuple."""
    return Triangle(
        None if c.instance == _NONE else c.instance,
        None if c.part == _NONE else c.part,
        c.triangle,
        c.id,
    )


class _Answer:
    __slots__ = ("_c",)

    def __init__(self, c) -> None:
        self._c = c


class Distance(_Answer):
    """How far two bodies are apart, and where."""

    __slots__ = ()

    @property
    def distance(self) -> float:
        """The minimum distance, or at most 1e-9 of itself more; 0 when they touch."""
        return self._c.distance

    @property
    def lower(self) -> float:
        """A certified lower bound."""
        return self._c.lower

    @property
    def point_a(self) -> np.ndarray:
        """The nearest point of the first body, (3,)."""
        return np.array(tuple(self._c.point_a))

    @property
    def point_b(self) -> np.ndarray:
        """The nearest point of the second body, (3,)."""
        return np.array(tuple(self._c.point_b))

    @property
    def a(self) -> Triangle:
        """The first body's triangle."""
        return triangle(self._c.a)

    @property
    def b(self) -> Triangle:
        """The second body's triangle."""
        return triangle(self._c.b)

    def __repr__(self) -> str:
        return f"<Distance {self.distance:g}>"


class Closest(_Answer):
    """The nearest point of a surface."""

    __slots__ = ()

    @property
    def distance(self) -> float:
        """How far it is."""
        return self._c.distance

    @property
    def point(self) -> np.ndarray:
        """Where it is, (3,)."""
        return np.array(tuple(self._c.point))

    @property
    def id(self) -> Triangle:
        """Its triangle."""
        return triangle(self._c.id)

    def __repr__(self) -> str:
        return f"<Closest {self.distance:g} at {self.point}>"


class RayHit(_Answer):
    """Where a ray hits a triangle."""

    __slots__ = ()

    @property
    def t(self) -> float:
        """The hit is at origin + t * direction."""
        return self._c.t

    @property
    def uv(self) -> tuple:
        """Barycentric coordinates of the triangle's corners 1 and 2."""
        return (self._c.u, self._c.v)

    @property
    def normal(self) -> np.ndarray:
        """The triangle's unit normal by the order of its corners, (3,)."""
        return np.array(tuple(self._c.normal))

    @property
    def id(self) -> Triangle:
        """The triangle."""
        return triangle(self._c.id)

    def __repr__(self) -> str:
        return f"<RayHit t={self.t:g} {self.id}>"


class Penetration(_Answer):
    """How deep two bodies are in each other, and which way out is short.

    Attributes
    ----------
    contacts : numpy.ndarray
        Rows of `bvpack.CONTACT`, the deepest first: `point_a` and `point_b` on the surfaces,
        `normal` from a to b, `depth`, and the triangles `hit_a` and `hit_b`.
    """

    __slots__ = ("contacts",)

    def __init__(self, c, contacts: np.ndarray) -> None:
        super().__init__(c)
        self.contacts = contacts

    @property
    def verdict(self) -> str:
        """The relation: "clear"; "penetrating", when surfaces meet; "enclosed"; or "unknown"."""
        return VERDICTS[self._c.verdict]

    @property
    def depth(self) -> float:
        """No shorter move takes the bodies apart; certain."""
        return self._c.depth

    @property
    def depth_upper(self) -> float:
        """A move of the first body by so much along `direction` takes them apart; certain."""
        return self._c.depth_upper

    @property
    def direction(self) -> np.ndarray:
        """Which way the first body moves out, a unit vector, (3,); zeros when they are clear."""
        return np.array(tuple(self._c.direction))

    def __repr__(self) -> str:
        return f"<Penetration {self.verdict}, {self.depth:g} to {self.depth_upper:g} deep>"
