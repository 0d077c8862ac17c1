# SPDX-License-Identifier: MIT
"""What a worker of bench_workers.py asks: no other modules, whose memory would count."""

from __future__ import annotations

import numpy as np

import bvpack


def ask(file: bvpack.File, seed: int, tool: str) -> bool:
    """Ask the questions; tell whether all points had an answer."""
    body, rng = file.body(), np.random.default_rng(seed)
    points = rng.uniform(*file.bounds, (100, 3))
    places = np.tile(np.eye(3, 4), (100, 1, 1))
    places[:, :, 3] = points
    found = body.closest_batch(points)["found"].all()
    body.ray_first_batch(bvpack.rays(points, rng.normal(size=(100, 3))))
    body.collide_batch(bvpack.open(tool).body(), places)
    return bool(found)
