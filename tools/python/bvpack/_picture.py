# SPDX-License-Identifier: MIT
"""A picture of an assembly for notebooks: its own rays, shaded by the normals, as a PNG."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._file import File

_BACKGROUND = (255, 255, 255)
_SURFACE = np.array((0.55, 0.65, 0.78))


def png(pixels: np.ndarray) -> bytes:
    """Return (height, width, 3) bytes as a PNG file."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), "u1")  # the first byte of a line: no filter
    lines[:, 1:] = pixels.reshape(height, -1)

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def picture(file: "File", width: int, height: int) -> bytes:
    """Return a PNG of the assembly, seen from above one of its corners, without perspective."""
    pixels = np.empty((height, width, 3), "u1")
    pixels[:] = _BACKGROUND
    lo, hi = file.bounds
    if file.instance_count == 0 or not np.isfinite((lo, hi)).all():
        return png(pixels)
    up = np.eye(3)["xyz".index(file.up or "z")]
    side = np.roll(up, 1)
    gaze = -(0.5 * up + 0.6 * side + 0.8 * np.cross(up, side))
    gaze /= np.linalg.norm(gaze)
    right = np.cross(gaze, up)
    right /= np.linalg.norm(right)
    above = np.cross(right, gaze)
    centre, reach = (lo + hi) / 2, max(float(np.linalg.norm(hi - lo)), 1e-30)
    corners = np.array([[(lo, hi)[(k >> j) & 1][j] for j in range(3)] for k in range(8)]) - centre
    scale = 1.04 * max(
        np.abs(corners @ right).max() / width, np.abs(corners @ above).max() / height, 1e-30
    )
    x = (np.arange(width) * 2 - width + 1) * scale
    y = (height - 1 - np.arange(height) * 2) * scale
    rays = np.empty((height, width, 8))
    rays[..., :3] = centre - gaze * reach + x[None, :, None] * right + y[:, None, None] * above
    rays[..., 3:6] = gaze
    rays[..., 6:] = 0, 3 * reach
    hits = file.body().ray_first_batch(rays.reshape(-1, 8)).reshape(height, width)
    light = np.abs(hits["normal"] @ (gaze * 0.8 - right * 0.3 - above * 0.5))
    found = hits["found"] != 0
    shade = np.clip((0.25 + 0.75 * light[found])[:, None] * _SURFACE, 0, 1)
    pixels[found] = (shade * 255).astype("u1")
    return png(pixels)
