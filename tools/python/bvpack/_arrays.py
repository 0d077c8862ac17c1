# SPDX-License-Identifier: MIT
"""Between numpy arrays and the library's arrays, without copies where the layout allows it."""

from __future__ import annotations

from typing import Optional

import numpy as np

from ._native import ffi, lib

F8 = np.dtype("f8")
I4 = np.dtype("i4")
DOUBLES = ffi.typeof("double[]")
_CHARS = ffi.typeof("char[]")
_VOIDS = ffi.typeof("void *")


def address(array: np.ndarray):
    """Return the address of an array's first element; the caller keeps the array."""
    return ffi.cast(_VOIDS, array.ctypes.data)


def placement(matrix) -> np.ndarray:
    """Return a placement as (3, 4) doubles, contiguous; what is so already is not copied.

    Parameters
    ----------
    matrix : array_like
        (3, 4), or (4, 4) with the last row 0, 0, 0, 1.
    """
    given = np.asarray(matrix, F8)
    if given.shape == (4, 4):
        if not np.array_equal(given[3], (0, 0, 0, 1)):
            raise ValueError("a (4, 4) placement ends with the row 0, 0, 0, 1")
        given = given[:3]
    if given.shape != (3, 4):
        raise ValueError(f"a placement is (3, 4) or (4, 4), not {given.shape}")
    return np.require(given, F8, ["C", "A"])


def doubles(array: np.ndarray):
    """Return a contiguous array of doubles as `double *`; keeps the array alive."""
    return ffi.from_buffer(DOUBLES, array)


def vector(value, name: str) -> np.ndarray:
    """Return (3,) doubles."""
    given = np.ascontiguousarray(value, F8)
    if given.shape != (3,):
        raise ValueError(f"{name} is (3,), not {given.shape}")
    return given


def rows(array, inner: tuple, name: str, dtype=F8) -> np.ndarray:
    """Return an array of elements that the library can walk by a stride.

    What is not copied: elements that are contiguous in themselves, whatever their stride.
    """
    given = np.asarray(array, dtype)
    if given.ndim != 1 + len(inner) or given.shape[1:] != inner:
        raise ValueError(f"{name} is {('n', *inner)}, not {given.shape}".replace("'", ""))
    dense, step = dtype.itemsize, True
    for size, stride in zip(given.shape[:0:-1], given.strides[:0:-1]):
        step = step and (stride == dense or size == 1)
        dense *= size
    if not step or given.strides[0] < dense or not given.flags.aligned:
        given = np.ascontiguousarray(given)
    return given


def placements(array) -> np.ndarray:
    """Return (n, 3, 4) or (n, 4, 4) placements for a batch, of which the last rows are not read."""
    given = np.asarray(array, F8)
    if given.ndim == 3 and given.shape[1:] == (4, 4):
        if len(given) and not (given[:, 3] == (0, 0, 0, 1)).all():
            raise ValueError("(4, 4) placements end with the row 0, 0, 0, 1")
        return rows(given, (4, 4), "placements")
    return rows(given, (3, 4), "placements")


def const_array(array: np.ndarray):
    """Return a bvp_const_array over the first axis; the caller keeps the array."""
    stride = array.strides[0] if len(array) > 1 else 0
    return ffi.new("bvp_const_array *", (address(array), stride, len(array)))[0]


def out_array(array: np.ndarray):
    """Return a bvp_array over the first axis; the caller keeps the array."""
    stride = array.strides[0] if len(array) > 1 else 0
    return ffi.new("bvp_array *", (address(array), stride, len(array)))[0]


def output(out: Optional[np.ndarray], count: int, dtype: np.dtype) -> np.ndarray:
    """Return `out` if answers can be written there, or a new array when it is None."""
    if out is None:
        return np.empty(count, dtype)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.ndim != 1:
        raise ValueError(f"out is a one-dimensional array of {dtype}")
    if len(out) < count:
        raise ValueError(f"out has {len(out)} elements, and {count} are needed")
    if not out.flags.writeable or not out.flags.aligned:
        raise ValueError("out is not writeable or not aligned")
    if len(out) > 1 and out.strides[0] < dtype.itemsize:
        raise ValueError("out runs backwards or over itself")
    return out[:count]


def as_bools(answers: np.ndarray) -> np.ndarray:
    """Return 32-bit answers 0 and 1 as bools: a view of the low bytes."""
    if answers.strides[0] != 4:
        return answers != 0
    return answers.view(np.bool_)[::4]


def take(collected, dtype: np.dtype) -> np.ndarray:
    """Return collected rows as an array over their memory, which goes with it."""
    count = collected.count
    if collected.data == ffi.NULL or count == 0:
        lib.bvpy_free(collected.data)
        return np.empty(0, dtype)
    size = count * dtype.itemsize
    data = ffi.gc(collected.data, lib.bvpy_free, size)
    return np.frombuffer(ffi.buffer(data, size), dtype)


def new_rows(dtype: np.dtype, most: Optional[int] = None):
    """Return an empty list of rows for the library's callbacks to fill."""
    return ffi.new("bvpy_rows *", {"size": dtype.itemsize, "most": most or 0})
