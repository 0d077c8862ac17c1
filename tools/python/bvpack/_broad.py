# SPDX-License-Identifier: MIT
"""A broad phase: which of many moving bodies are near one another."""

from __future__ import annotations

from typing import Optional

import numpy as np

from . import _arrays
from ._body import Body
from ._errors import raise_error
from ._native import ffi, lib

PAIR_IDS = np.dtype([("a", "u8"), ("b", "u8")])


class BroadPhase:
    """Bodies that move, and the pairs of them whose boxes meet.

    Parameters
    ----------
    margin : float
        Bodies at most so far apart are a pair.

    Examples
    --------
    >>> near = bvpack.BroadPhase(margin=1.2)
    >>> names = [near.add(cube, [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]]) for x in (0, 2, 9)]
    >>> begun, ended = near.update()
    >>> [(names.index(a), names.index(b)) for a, b in begun.tolist()]
    [(0, 1)]
    """

    def __init__(self, margin: float = 0.0) -> None:
        options, out = ffi.new("bvp_broad_options *", {"margin": margin}), ffi.new("bvp_broad **")
        self._check(lib.bvp_broad_new(options, out), "BroadPhase")
        self._broad = ffi.gc(out[0], lib.bvp_broad_free)
        self._bodies: dict[int, Body] = {}

    @staticmethod
    def _check(status: int, what: str) -> None:
        if status:
            raise_error(status, None, what)

    def __len__(self) -> int:
        return len(self._bodies)

    def add(self, body: Body, placement=None, *, layers: int = 0, ignores: int = 0) -> int:
        """Add a body, and return its number. Two bodies are no pair where one ignores a layer of
        the other."""
        added, number = ffi.new("bvp_broad_body *"), ffi.new("bvp_broad_id *")
        added.body = body._c[0]
        matrix = None if placement is None else _arrays.placement(placement)
        if matrix is not None:
            added.body.placement = _arrays.doubles(matrix)
        added.layers, added.ignores = layers, ignores
        self._check(lib.bvp_broad_add(self._broad, added, number), "add")
        self._bodies[number[0]] = body
        return number[0]

    def move(self, number: int, placement) -> None:
        """Put a body somewhere else."""
        pointer = _arrays.doubles(_arrays.placement(placement))
        self._check(lib.bvp_broad_move(self._broad, number, pointer), "move")

    def move_all(self, numbers, placements) -> None:
        """Put many bodies somewhere else: (n,) numbers, (n, 3, 4) placements."""
        given = np.ascontiguousarray(_arrays.placements(placements)[:, :3])
        ids = np.ascontiguousarray(numbers, "u8")
        if len(ids) != len(given):
            raise ValueError(f"{len(ids)} numbers and {len(given)} placements")
        moved = ffi.new("uint64_t *")
        status = lib.bvp_broad_move_all(
            self._broad,
            ffi.cast("bvp_broad_id *", ids.ctypes.data),
            ffi.cast("double (*)[12]", given.ctypes.data),
            len(ids),
            moved,
        )
        self._check(status, f"move_all: number {moved[0]}")

    def remove(self, number: int) -> None:
        """Take a body out."""
        self._check(lib.bvp_broad_remove(self._broad, number), "remove")
        del self._bodies[number]

    def body(self, number: int) -> Body:
        """Return a body as it was added."""
        return self._bodies[number]

    def update(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs that have begun and those that have ended since the last update."""
        changes = ffi.new("bvp_broad_changes *")
        self._check(lib.bvp_broad_update(self._broad, changes), "update")
        return (
            _pairs(changes.begun, changes.begun_count),
            _pairs(changes.ended, changes.ended_count),
        )

    def pairs(self) -> np.ndarray:
        """Return all pairs of the last update, in ascending order."""
        pairs, count = ffi.new("bvp_broad_pair **"), ffi.new("uint64_t *")
        self._check(lib.bvp_broad_pairs(self._broad, pairs, count), "pairs")
        return _pairs(pairs[0], count[0])

    def near(self, body: Body) -> np.ndarray:
        """Return the numbers of the bodies whose boxes meet that of `body`."""
        found, count = np.empty(len(self._bodies), "u8"), ffi.new("uint64_t *")
        room = ffi.cast("bvp_broad_id *", found.ctypes.data)
        status = lib.bvp_broad_near(self._broad, body._c, room, len(found), count)
        self._check(status, "near")
        return found[: count[0]]

    def box(self, number: int) -> Optional[np.ndarray]:
        """Return a body's box in the world, (2, 3)."""
        box = np.empty((2, 3))
        status = lib.bvp_broad_box(
            self._broad, number, _arrays.doubles(box[0]), _arrays.doubles(box[1])
        )
        self._check(status, "box")
        return box


def _pairs(pairs, count: int) -> np.ndarray:
    if not count:
        return np.empty(0, PAIR_IDS)
    size = count * PAIR_IDS.itemsize
    return np.frombuffer(ffi.buffer(pairs, size), PAIR_IDS).copy()
