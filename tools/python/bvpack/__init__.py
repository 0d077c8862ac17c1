# SPDX-License-Identifier: MIT
"""bvpack: collision, distance, ray and closest-point queries on packed models.

A packed file is mapped, not loaded: it opens in tens of microseconds, and processes that ask it
share its memory. Answers are exact; arrays go in and out without copies, and the GIL is released.

>>> plant = bvpack.open("cubes.bvp")
>>> plant.body().closest([0.5, 0.5, 3])
<Closest 2 at [0.5 0.5 1. ]>

`bvpack.trimesh`, `bvpack.fcl` and `bvpack.raycasting` have the names of trimesh, python-fcl and
Open3D.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ._answers import VERDICTS, Closest, Distance, Penetration, RayHit, Triangle
from ._body import Body, WarmStart
from ._broad import BroadPhase
from ._clash import Clashes, clash
from ._errors import (
    ArgumentError,
    CancelledError,
    Error,
    FileError,
    FormatError,
    LimitError,
    MissingFileError,
    OutOfMemoryError,
)
from ._file import File
from ._native import ffi as _ffi
from ._native import lib as _lib
from ._pack import Builder, ProgramError, pack
from ._solids import Solid, ball, box, capsule, cylinder, hull
from ._types import (
    ASSEMBLY,
    BOX,
    CLASH,
    CLOSEST,
    CONTACT,
    DISTANCE,
    FLOAT_HIT,
    FLOAT_RAY,
    HIT_ID,
    INSIDE,
    NO_TRIANGLE,
    NONE,
    PAIR,
    RAY,
    RAY_HIT,
    RAY_ROW,
    SIGNED,
)

__version__: str = _ffi.string(_lib.bvp_version()).decode()


def open(path, **options) -> File:  # noqa: A001: as in tarfile and zipfile
    """Open a packed file, or a GLB to which one is attached.

    Parameters
    ----------
    path : path
    mode : str
        "checked": memory-safe whatever the bytes say. "trusted": the caller vouches for them.
        "isolated": copied and fully verified first.
    verify_lazily : bool
        A part's hashes are checked by the first query that touches it.
    overlay : bool
        `File.refit` may change what this handle shows.
    store : path, optional
        The folder with a thin file's parts.
    offset, size : int
        Where the bvpack file lies in the opened one; 0: all of it.

    Raises
    ------
    FormatError
        It is not a bvpack file, or damaged.
    FileError
        It cannot be read.

    Examples
    --------
    >>> with bvpack.open("cubes.bvp") as plant:
    ...     plant.instance_count
    3
    """
    return File(path, **options)


def rays(origins, directions, t_min=0.0, t_max=inf, *, dtype=np.float64) -> np.ndarray:
    """Return rays for `Body.ray_first_batch` and its like.

    Parameters
    ----------
    origins, directions : (n, 3) or (3,) arrays
        The points origin + t * direction; directions need not have length 1.
    t_min, t_max : float or (n,) array
        The range of t.
    dtype : float64 or float32
        float32: an array of `bvpack.FLOAT_RAY`.

    Returns
    -------
    (n, 8) array, or (8,) of one ray

    Examples
    --------
    >>> bvpack.rays([0, 0, 5], [0, 0, -1])
    array([ 0.,  0.,  5.,  0.,  0., -1.,  0., inf])
    """
    origins, directions = np.broadcast_arrays(np.asarray(origins), np.asarray(directions))
    if origins.shape[-1:] != (3,) or origins.ndim > 2:
        raise ValueError(f"origins and directions are (n, 3) or (3,), not {origins.shape}")
    if np.dtype(dtype) == np.float32:
        given = np.empty(origins.shape[:-1], FLOAT_RAY)
        given["origin"], given["direction"] = origins, directions
        given["t_min"], given["t_max"] = t_min, t_max
        return given
    out = np.empty((*origins.shape[:-1], 8))
    out[..., :3], out[..., 3:6], out[..., 6], out[..., 7] = origins, directions, t_min, t_max
    return out


__all__ = [
    "ASSEMBLY", "ArgumentError", "BOX", "Body", "BroadPhase", "Builder", "CLASH", "CLOSEST",
    "CONTACT", "CancelledError", "Clashes", "Closest", "DISTANCE", "Distance", "Error", "FLOAT_HIT",
    "FLOAT_RAY", "File", "FileError", "FormatError", "HIT_ID", "INSIDE", "LimitError", "MissingFileError",
    "NONE", "NO_TRIANGLE", "OutOfMemoryError", "PAIR", "Penetration", "ProgramError", "RAY", "RAY_HIT", "RAY_ROW",
    "RayHit", "SIGNED", "Solid", "Triangle", "VERDICTS", "WarmStart", "ball", "box", "capsule", "clash",
    "cylinder", "hull", "open", "pack", "rays",
]  # fmt: skip
