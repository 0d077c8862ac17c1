# SPDX-License-Identifier: MIT
"""bench_python_tables.py FILE: the tables of a file, read in bulk and row by row.

Medians of five rounds in turn, in processor time of the thread, each on a handle of its own. The
tables are compared.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

import bvpack
from bvpack._file import INSTANCE, NODE
from bvpack._native import ffi, lib


def text(string) -> str:
    """Return a bvp_string."""
    return ffi.unpack(string.data, string.size).decode("utf-8", "replace") if string.size else ""


def row_by_row(file: bvpack.File, kind: str, dtype: np.dtype, count: int) -> np.ndarray:
    """Return a table, by a call of the library for each row."""
    ask, info = getattr(lib, f"bvp_get_{kind}"), ffi.new(f"bvp_{kind}_info *")
    table = np.empty(count, dtype)
    names = [name for name in dtype.names if name != "placement"]
    for i in range(count):
        ask(file._handle(), i, info)
        row = [text(getattr(info, n)) if dtype[n] == object else getattr(info, n) for n in names]
        table[i] = (*row, np.array(ffi.unpack(info.placement, 12)).reshape(3, 4))
    return table


def main(path: str) -> int:
    """Print a row for each table; return 1 when they differ."""
    with bvpack.open(path) as file:
        counts = {"instance": file.instance_count, "node": file.node_count}
    for kind, dtype, name in (("instance", INSTANCE, "instances"), ("node", NODE, "tree")):
        times: list[list[float]] = [[], []]
        for _ in range(5):
            tables = []
            for calls, read in zip(
                times,
                (
                    lambda file: getattr(file, name),  # noqa: B023
                    lambda file: row_by_row(file, kind, dtype, counts[kind]),  # noqa: B023
                ),
            ):
                file, start = bvpack.open(path), time.thread_time()
                tables.append(read(file))
                calls.append((time.thread_time() - start) * 1e3)
        if not (tables[0] == tables[1]).all():
            print(f"FAIL: {name} differ")
            return 1
        bulk, single = map(statistics.median, times)
        print(f"{name}, {counts[kind]} rows: {bulk:.1f} ms in bulk, {single:.1f} row by row: "
              f"{single / bulk:.1f} times as long (worst round in bulk {max(times[0]):.1f})")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
