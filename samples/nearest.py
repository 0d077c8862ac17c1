# SPDX-License-Identifier: MIT
"""nearest.py FILE X Y Z: what is in a packed file, what is nearest to a point, what sees it.

The package is in tools/python; after `make check-python`, with PYTHONPATH=python in the build folder.
"""

import sys

import numpy as np

import bvpack

with bvpack.open(sys.argv[1]) as file:
    point = np.array(sys.argv[2:5], float)
    print(f"{file.instance_count} instances of {file.part_count} parts")

    all_ = file.body()
    nearest = all_.closest(point)
    node = file.tree[file.instances["node"][nearest.id.instance]]
    print(f"nearest: {node['name']!r}, {nearest.distance:.6g} away at {nearest.point.round(6)}")

    # 10,000 directions at once; other Python threads run meanwhile
    directions = np.random.default_rng(1).normal(size=(10000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    hits = all_.ray_first_batch(bvpack.rays(point, directions))
    hits = hits[hits["found"] != 0]
    print(f"{len(np.unique(hits['id']['instance']))} instances are seen from there")
    assert (hits["t"] >= nearest.distance * (1 - 1e-9)).all()  # nothing is seen that is nearer

    clashes = bvpack.clash(file, detail="verdicts")
    words, counts = np.unique(clashes.verdicts.astype(str), return_counts=True)
    print("clashes:", ", ".join(f"{count} {word}" for word, count in zip(words, counts)) or "none")
