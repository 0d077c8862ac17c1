# SPDX-License-Identifier: MIT
"""Models for the cases and the examples, made in the current folder; and slow twins of queries."""

from __future__ import annotations

import os
import random

import numpy as np

import bvpack

SEED = int(os.environ.get("BVP_SEED") or random.randrange(2**32))
print(f"seed {SEED} (BVP_SEED)")

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
TRIANGLES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def shift(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """Return a placement that moves only."""
    matrix = np.eye(3, 4)
    matrix[:, 3] = x, y, z
    return matrix


def cubes(path: str = "three.bvp") -> bvpack.File:
    """Return three unit cubes along x, 1 apart, each a node with a property."""
    if not os.path.exists(path):
        builder = bvpack.Builder()
        part = builder.add_part(CORNERS, TRIANGLES, name="cube")
        for i in range(3):
            builder.add_node(part, shift(2 * i), name=f"cube {i + 1}", properties={"row": str(i)})
        builder.finish(path)
    return bvpack.open(path)


def ball_mesh(steps: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed unit sphere: vertices (n, 3) and faces (m, 3), outward."""
    ring = 2 * steps
    up = np.pi * np.arange(1, steps) / steps
    around = 2 * np.pi * np.arange(ring) / ring
    grid = np.stack(
        [np.outer(np.sin(up), np.cos(around)), np.outer(np.sin(up), np.sin(around)),
         np.outer(np.cos(up), np.ones(ring))], axis=2,
    )  # fmt: skip
    points = np.concatenate([[[0, 0, 1]], grid.reshape(-1, 3), [[0, 0, -1]]])
    last, faces = len(points) - 1, []
    for j in range(ring):
        k = (j + 1) % ring
        faces.append((0, 1 + j, 1 + k))
        for i in range(steps - 2):
            a, b = 1 + i * ring, 1 + (i + 1) * ring
            faces += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
        low = 1 + (steps - 2) * ring
        faces.append((last, low + k, low + j))
    return points, np.array(faces)


def ball(path: str = "ball.bvp", steps: int = 20) -> bvpack.File:
    """Return a packed unit sphere."""
    if not os.path.exists(path):
        bvpack.pack(ball_mesh(steps), path)
    return bvpack.open(path)


def turns(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return random rotations, (count, 3, 3)."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
         2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
         2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1,
    ).reshape(count, 3, 3)  # fmt: skip


def examples() -> dict:
    """Return the names that examples of docstrings use, and make the files that they open."""
    assembly = cubes()
    with open("three.bvp", "rb") as source, open("cubes.bvp", "wb") as copy:
        copy.write(source.read())
    return {
        "assembly": assembly, "cube": assembly.body(0), "bvpack": bvpack,
        "corners": CORNERS, "triangles": TRIANGLES, "np": np,
    }  # fmt: skip


# ---- slow twins -------------------------------------------------------------------------------


def ray_hits(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return t of each triangle that a ray hits, NaN where it misses: Moeller, Trumbore 1997."""
    a, b, c = (triangles[:, i].astype(float) for i in range(3))
    e, f = b - a, c - a
    p = np.cross(direction, f)
    det = (e * p).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = origin - a
        u = (s * p).sum(1) / det
        q = np.cross(s, e)
        v = (q @ direction) / det
        t = (f * q).sum(1) / det
    good = (det != 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
    return np.where(good, t, np.nan)


def nearest(triangles: np.ndarray, point: np.ndarray) -> float:
    """Return the distance of a point to the nearest triangle: face, or one of three edges."""
    a, b, c = (triangles[:, i].astype(float) for i in range(3))
    best = np.inf
    for p, q in ((a, b), (b, c), (c, a)):
        e = q - p
        s = np.clip(((point - p) * e).sum(1) / np.maximum((e * e).sum(1), 1e-300), 0, 1)
        best = min(best, np.linalg.norm(p + s[:, None] * e - point, axis=1).min())
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]
    height = ((point - a) * n).sum(1)
    foot = point - height[:, None] * n
    inside = np.ones(len(a), bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(q - p, foot - p) * n).sum(1) >= 0
    return min(best, np.abs(height[inside]).min(initial=np.inf))
