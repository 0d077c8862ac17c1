# SPDX-License-Identifier: MIT
"""bench_python.py TWIN A B: what Python costs beside C, in turn with TWIN (bench_twin.c).

100,000 collides of B at random places against A, in one batch and one a call; medians of rounds, in
processor time of the thread, which other load on the machine changes little. Hits are compared.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

import models
import numpy as np

import bvpack

COUNT = int(os.environ.get("BVP_COUNT", 100000))
ROUNDS = int(os.environ.get("BVP_ROUNDS", 9))


def overhead(call, count: int = 20000) -> float:
    """Return microseconds of processor time of a call."""
    best = []
    for _ in range(5):
        start = time.thread_time()
        for _ in range(count):
            call()
        best.append((time.thread_time() - start) / count * 1e6)
    return statistics.median(best)


def main(twin: str, path_a: str, path_b: str) -> int:
    """Print the rows; return 1 when an answer differs."""
    rng = np.random.default_rng(models.SEED)
    a, b = bvpack.open(path_a).body(), bvpack.open(path_b).body()
    lo, hi = bvpack.open(path_a).bounds
    places = np.empty((COUNT, 3, 4))
    places[:, :, :3] = models.turns(rng, COUNT)
    places[:, :, 3] = rng.uniform(lo, hi, (COUNT, 3))
    places.tofile("places.f64")
    words = [twin, path_a, path_b, "places.f64", str(COUNT)]
    hits = np.empty(COUNT, "i4")
    rows = []
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        for _ in range(ROUNDS):
            other.stdin.write("\n")
            other.stdin.flush()
            c_batch, c_single, c_hits = map(float, other.stdout.readline().split())
            start = time.thread_time()
            a.collide_batch(b, places, out=hits)
            middle = time.thread_time()
            found = 0
            for place in places:
                found += a.collide(b, place)
            end = time.thread_time()
            if not hits.sum() == found == c_hits:
                print(f"FAIL: hits differ: batch {hits.sum()}, single {found}, C {c_hits:.0f}")
                return 1
            rows.append((c_batch, c_single, (middle - start) / COUNT * 1e9, (end - middle) / COUNT * 1e9))
        other.stdin.close()
    ratios = [python / c for c, _, python, _ in rows]
    extra = [python - c for _, c, _, python in rows]
    c_batch, c_single, batch, single = (statistics.median(column) for column in zip(*rows))
    print(f"a batch of {COUNT} collides, {hits.sum()} hits: C {c_batch:.0f} ns each, Python {batch:.0f} ns: "
          f"{statistics.median(ratios):.4f} times (worst of {ROUNDS} rounds {max(ratios):.4f}; goal 1.03)")  # fmt: skip
    print(f"one a call: C {c_single:.0f} ns, Python {single:.0f} ns: {statistics.median(extra):.0f} ns more, "
          f"with the loop and a placement's row (worst {max(extra):.0f}; goal 2000)")  # fmt: skip
    far = models.shift(1e6)
    ray, point = bvpack.rays([1e6, 1e6, 1e6], [1, 0, 0]), np.array([0.0, 0, 1e6])
    calls = {
        "collide": lambda: a.collide(b, far),
        "within": lambda: a.within(b, 1.0, far),
        "distance": lambda: a.distance(b, far, limit=1.0),
        "ray_first": lambda: a.ray_first(ray),
        "ray_any": lambda: a.ray_any(ray),
        "closest": lambda: a.closest(point, 1.0),
        "nothing": lambda: None,
    }
    times = ", ".join(f"{name} {overhead(call):.2f}" for name, call in calls.items())
    print(f"a call whose answer is far away, us with all of C: {times}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
