# SPDX-License-Identifier: MIT
"""bench_workers.py FILE [COUNT]: memory of worker processes that ask one file, 16 of them.

Each imports numpy, says so, imports bvpack, opens FILE and asks 300 questions of three kinds, of
which one is collisions of a cube, and waits until all have. PSS (smaps_rollup: a page that k processes share counts 1/k in each) is read
of all at both times; the difference is what bvpack and the file take.

Then the same by forks of this process, which has opened FILE: multiprocessing's default on Linux
before Python 3.14. Python and numpy are shared, so whole processes count, this one too.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import bvpack
import worker_questions

# It says what Python and numpy take before it imports anything else.
WORKER = """
import sys
import numpy as np
np.random.default_rng(1).normal(size=(3, 3)) @ np.eye(3)
print("numpy", flush=True)
sys.stdin.readline()
sys.path.insert(0, sys.argv[4])
import bvpack, worker_questions
file = bvpack.open(sys.argv[1])  # stays open: what it maps counts
found = worker_questions.ask(file, int(sys.argv[2]), sys.argv[3])
print("asked" if found else "FAIL", flush=True)
sys.stdin.readline()
"""


def pss(pid: int) -> int:
    """Return a process's proportional set size, KiB."""
    with open(f"/proc/{pid}/smaps_rollup") as rows:
        return next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))


def forked(path: str, count: int) -> int:
    """Print the row of forks; return 1 when one fails."""
    context = multiprocessing.get_context("fork")
    asked, end = context.Semaphore(0), context.Event()
    file, failed = bvpack.open(path), context.Value("i", 0)

    def work(seed: int) -> None:
        if not worker_questions.ask(file, seed, "tool.bvp"):
            failed.value = 1
        asked.release()
        end.wait()

    workers = [context.Process(target=work, args=(i,)) for i in range(count)]
    for worker in workers:
        worker.start()
    for _ in workers:
        asked.acquire()
    size = sum(pss(pid) for pid in (os.getpid(), *(worker.pid for worker in workers))) / 1024
    end.set()
    for worker in workers:
        worker.join()
    print(f"{count} forked workers: {size:.1f} MiB together, with the process that they come from "
          "(goal 100 MB)")  # fmt: skip
    return failed.value


def main(path: str, count: int = 16) -> int:
    """Print the rows; return 1 when a worker fails."""
    import models  # says its seed, which workers must not

    bvpack.pack((models.CORNERS, models.TRIANGLES), "tool.bvp")
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, path, str(i), "tool.bvp", os.path.dirname(__file__)],
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
    return forked(path, count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
