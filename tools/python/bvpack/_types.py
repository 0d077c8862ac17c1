# SPDX-License-Identifier: MIT
"""numpy types of the library's structs, read from the compiled declarations."""

from __future__ import annotations

import numpy as np

from ._native import ffi, lib

_SCALARS = {
    "float": "f4", "double": "f8", "char": "i1", "int": "i4", "unsigned int": "u4",
    "int8_t": "i1", "int16_t": "i2", "int32_t": "i4", "int64_t": "i8",
    "uint8_t": "u1", "uint16_t": "u2", "uint32_t": "u4", "uint64_t": "u8",
    "size_t": "u8",
}  # fmt: skip


def _field(name: str, kind):
    if kind.kind == "array":
        shape: tuple[int, ...] = (kind.length,)
        if name == "placement" and kind.length == 12:
            shape = (3, 4)
        elif name == "corners":
            shape = (3, 3)
        return (_field(name, kind.item), shape)
    if kind.kind == "struct":
        return struct_dtype(kind)
    if kind.kind == "enum":
        return np.dtype("u4")
    if kind.kind == "pointer":
        return np.dtype("u8")
    return np.dtype(_SCALARS[kind.cname])


def struct_dtype(kind) -> np.dtype:
    """Return the structured dtype with the fields, offsets and size of a C struct."""
    if isinstance(kind, str):
        kind = ffi.typeof(kind)
    names, formats, offsets = [], [], []
    for name, field in kind.fields:
        names.append(name)
        formats.append(_field(name, field.type))
        offsets.append(field.offset)
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)}
    )


NONE: int = lib.BVP_NONE
ASSEMBLY: int = lib.BVP_ASSEMBLY
NO_TRIANGLE: int = lib.BVP_NO_TRIANGLE

HIT_ID = struct_dtype("bvp_hit_id")
PAIR = struct_dtype("bvp_pair")
RAY = struct_dtype("bvp_ray")
FLOAT_RAY = struct_dtype("bvp_float_ray")
RAY_HIT = struct_dtype("bvp_ray_hit")
FLOAT_HIT = struct_dtype("bvp_float_hit")
RAY_ROW = struct_dtype("bvpy_ray_row")
CLOSEST = struct_dtype("bvp_closest_result")
DISTANCE = struct_dtype("bvp_distance_result")
INSIDE = struct_dtype("bvp_inside_result")
SIGNED = struct_dtype("bvp_signed_result")
BALL_ROW = struct_dtype("bvpy_ball_row")
CLASH = struct_dtype("bvp_clash_pair")
BOX = struct_dtype("bvp_box")
CONTACT = struct_dtype("bvp_contact")
CANDIDATE_ROW = struct_dtype("bvpy_candidate_row")
PART_INFO = struct_dtype("bvp_part_info")
STRING = struct_dtype("bvp_string")
