# SPDX-License-Identifier: MIT
"""bench_workers.py FILE [COUNT]: memory of worker processes that ask one file, 16 of them.

Each imports numpy, says so, imports bvpack, opens FILE and asks 300 questions of three kinds, of which one is collisions of a cube, and
waits until all have. PSS (smaps_rollup: a page that k processes share counts 1/k in each) is read
of all at both times; the difference is what bvpack and the file take.
"""

from __future__ import annotations

import subprocess
import sys

import models

import bvpack

WORKER = """
import sys
import numpy as np
np.random.default_rng(1).normal(size=(3, 3)) @ np.eye(3)
print("numpy", flush=True)
sys.stdin.readline()
import bvpack
file = bvpack.open(sys.argv[1])
body, rng = file.body(), np.random.default_rng(int(sys.argv[2]))
points = rng.uniform(*file.bounds, (100, 3))
places = np.tile(np.eye(3, 4), (100, 1, 1))
places[:, :, 3] = points
found = body.closest_batch(points)["found"].all()
body.ray_first_batch(bvpack.rays(points, rng.normal(size=(100, 3))))
body.collide_batch(bvpack.open(sys.argv[3]).body(), places)
print("asked" if found else "FAIL", flush=True)
sys.stdin.readline()
"""


def pss(pid: int) -> int:
    """Return a process's proportional set size, KiB."""
    with open(f"/proc/{pid}/smaps_rollup") as rows:
        return next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))


def main(path: str, count: int = 16) -> int:
    """Print the row; return 1 when a worker fails."""
    bvpack.pack((models.CORNERS, models.TRIANGLES), "tool.bvp")
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, path, str(i), "tool.bvp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for i in range(count)
    ]  # fmt: skip
    sizes = []
    try:
        for word in ("numpy", "asked"):
            for worker in workers:
                if worker.stdout.readline().strip() != word:
                    print("FAIL: a worker did not answer")
                    return 1
            sizes.append(sum(pss(worker.pid) for worker in workers))
            for worker in workers:
                worker.stdin.write("\n")
                worker.stdin.flush()
    finally:
        for worker in workers:
            worker.stdin.close()
            worker.wait()
            worker.stdout.close()
    before, after = (size / 1024 for size in sizes)
    print(f"{count} workers: {after:.1f} MiB together, of these Python with numpy {before:.1f}, "
          f"bvpack and the file {after - before:.1f} (goal 100 MB)")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
