#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nights on N machines, simulated: how long they take, and where more machines stop helping.

    farm_sim.py PARTS.tsv [--seed S] [--store GB/S] [--task SECONDS]

PARTS.tsv is plant.c's list of a plant's parts (its last argument), whose counts are scaled up. Rates are those that
measure_farm.sh prints. The model: a queue that starts 3 tasks a second; a task reads its bytes from the store, works,
and writes its bytes; all that read or write at a time share the store's bandwidth evenly. One machine in twenty is half
as fast, each task takes 0.8 to 1.25 times what was estimated, and 1 in 100 fails somewhere on its way, and is queued
again 10 s later. "of N" is the time of one machine, which has no shares, over N times the time of N machines; "of used"
the same over the time during which machines are occupied, as a queue counts it: those that have no task are free for
others. The same seed gives the same table."""
import argparse
import csv
import heapq
import random

PACK = 0.31e-6  # seconds a triangle
MERGE = 6e-9  # likewise, of a share's parts: hashed and copied
LINE = 4.7e-6  # a line of the export, in every task that reads it
CLASH = 75e-6  # an instance
SETUP = 0.42e-6  # an instance of the whole file, in every share
GATHER = 8e-6  # an instance: its pairs read from the shares and put in order
REPORT = 23e-6  # an instance: its rows written
START = 0.05  # a task
PACKED = 9  # bytes a triangle
PLACED = 105  # bytes an instance, of the packed file's tables
ROWS = 1500  # bytes an instance, of the reports
STARTS = 3  # tasks a second
FAILS, AGAIN = 0.01, 10
MEAN = 1.025  # of what a task takes, over its estimate


def stage(tasks, machines, bandwidth, draw, used):
    """Seconds until all tasks, of (bytes read, seconds, bytes written), are done on these machines; adds those during
    which they are occupied to used[0]."""
    if len(tasks) == 1:  # one machine's, and merges: what they take in the mean
        draw = None
    speeds = [0.5 if i % 20 == 19 else 1.0 for i in range(machines)]
    free = list(range(machines - 1, -1, -1))
    since = {}
    waiting = [(0.0, i) for i in range(len(tasks))]
    heapq.heapify(waiting)
    events = []  # (time, number, what, task, machine)
    flows = []  # (virtual end, number, what, task, machine): what has to come through the store
    now = virtual = started = 0.0
    number = done = 0

    def flow(size, what, task, machine):
        nonlocal number
        number += 1
        heapq.heappush(flows, (virtual + size, number, what, task, machine))

    while done < len(tasks):
        while free and waiting and waiting[0][0] <= now and started <= now:
            task = heapq.heappop(waiting)[1]
            started = max(started, now) + 1.0 / STARTS
            machine = free.pop()
            since[machine] = now
            flow(tasks[task][0], "read", task, machine)
        rate = bandwidth / max(len(flows), 1)
        next_flow = now + (flows[0][0] - virtual) / rate if flows else float("inf")
        next_event = events[0][0] if events else float("inf")
        next_start = max(waiting[0][0], started) if free and waiting else float("inf")
        at = min(next_flow, next_event, next_start)
        virtual += (at - now) * rate if flows else 0
        now = at
        if at == next_flow:
            _, _, what, task, machine = heapq.heappop(flows)
            if what == "read":
                seconds = (START + tasks[task][1] * (draw.uniform(0.8, 1.25) if draw else MEAN)) / speeds[machine]
                fails = draw and draw.random() < FAILS
                number += 1
                heapq.heappush(
                    events,
                    (now + seconds * (draw.random() if fails else 1), number, "fail" if fails else "work", task, machine),
                )
            else:
                done += 1
                used[0] += now - since[machine]
                free.append(machine)
        elif at == next_event:
            _, _, what, task, machine = heapq.heappop(events)
            if what == "fail":
                heapq.heappush(waiting, (now + AGAIN, task))
                used[0] += now - since[machine]
                free.append(machine)
            else:
                flow(tasks[task][2], "write", task, machine)
    return now


def count_of(seconds, machines, overhead, most, task):
    """As bvpack plan cuts a stage, but for its trial of several counts."""
    least = max(task, 9 * overhead)
    if seconds < 2 * least:
        return 1
    if seconds / least < machines:
        return min(int(seconds / least), most)
    return min(machines * max(1, min(4, int(seconds / least / machines))), most)


def pack(sizes, lines, input_size, machines, run, task):
    """Of meshes with so many triangles; lines: of the export; input_size: bytes a triangle."""
    triangles, reading = sum(sizes), LINE * lines
    packed = PACKED * triangles + PLACED * lines
    count = count_of(PACK * triangles, machines, reading, len(sizes), task)
    if count == 1 or machines == 1:
        return [run([(input_size * triangles, PACK * triangles + 2 * reading, packed)], machines)]
    shares = [sum(sizes[i::count]) for i in range(count)]
    return [
        run([(input_size * s, PACK * s + reading, PACKED * s) for s in shares], machines),
        run([(PACKED * triangles, MERGE * triangles + 2 * reading, packed)], machines),
    ]


def clash(instances, packed, is_whole, machines, run, task):
    """packed: bytes of the file; is_whole: a share reads and prepares all of it, as shares do."""
    count = count_of(CLASH * instances, machines, SETUP * instances if is_whole else 0, 10**6, task)
    rows = ROWS * instances
    if count == 1 or machines == 1:
        return [run([(packed, (SETUP + CLASH + REPORT) * instances, rows)], machines)]
    share = packed if is_whole else packed / count
    setup = SETUP * instances if is_whole else SETUP * instances / count
    found = 200 * instances
    return [
        run([(share, setup + CLASH * instances / count, found / count)] * count, machines),
        run([(packed + found, (GATHER + REPORT) * instances, rows)], machines),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", type=float, default=1, help="GB/s of all machines together")
    parser.add_argument("--task", type=float, default=60, help="seconds that a task takes at least")
    options = parser.parse_args()
    with open(options.parts, encoding="utf-8") as file:
        rows = [(int(r["tris"]), int(r["instances"])) for r in csv.DictReader(file, delimiter="\t") if r["instances"]]
    whole = sum(t * n for t, n in rows)
    print("parts of %d triangles, seed %d, store %g GB/s, tasks of %g s" % (whole, options.seed, options.store, options.task))
    print("| triangles | what | N | shares, s | merge, s | together, s | of N | of used |")
    print("|---|---|---|---|---|---|---|---|")
    for total in [1e9, 1e10]:
        copies = round(total / whole)
        instances = copies * sum(n for _, n in rows)
        parts = [t for t, _ in rows] * copies
        flat = [t * n for t, n in rows] * copies
        pieces = [s / round(s / 1e6 + 0.5) for s in flat for _ in range(round(s / 1e6 + 0.5))]
        one_large = [0.1 * total] + [0.9 * s for s in pieces]
        packed = PACKED * sum(parts) + PLACED * instances
        cases = [
            ("pack, each part once", lambda *a: pack(parts, instances, 50, *a)),
            ("pack, flat, STL", lambda *a: pack(pieces, len(pieces), 50, *a)),
            ("pack, flat, binary PLY or GLB", lambda *a: pack(pieces, len(pieces), 18, *a)),
            ("the same, a tenth is one mesh", lambda *a: pack(one_large, len(pieces), 18, *a)),
            ("clash and report", lambda *a: clash(instances, packed, True, *a)),
            ("if a share read only what it needs", lambda *a: clash(instances, packed, False, *a)),
        ]
        for name, night in cases:
            one = None
            for machines in [1, 8, 30, 100, 300, 1000]:
                draw = random.Random(options.seed) if machines > 1 else None
                used = [0.0]
                times = night(machines, lambda t, m: stage(t, m, options.store * 1e9, draw, used), options.task)
                one = one or sum(times)
                print(
                    "| %.0e | %s | %d | %.0f | %.0f | %.0f | %.3f | %.3f |"
                    % (
                        total,
                        name,
                        machines,
                        times[0],
                        sum(times[1:]),
                        sum(times),
                        one / machines / sum(times),
                        one / used[0],
                    )
                )


if __name__ == "__main__":
    main()
