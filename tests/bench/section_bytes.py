#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Where the bytes of packed files go: a row of a table for each, in bytes a stored triangle. A file may be a GLB with its
# hierarchy attached. Reads heads only. The rows of decisions.md, "Triangles outside", are its output.
import os
import struct
import sys


def start_of(file):
    """Where the packed file begins, and how long it is."""
    size = os.fstat(file.fileno()).st_size
    if file.read(4) != b"glTF":
        return 0, size
    at = 12
    while at < size:
        file.seek(at)
        length, kind = struct.unpack("<I4s", file.read(8))
        if kind == b"BVP\0":
            return at + 8, length
        at += 8 + length
    sys.exit(f"{file.name}: a GLB without a packed file")


def measure(path):
    """Names of columns and their bytes, triangles first."""
    with open(path, "rb") as file:
        start, _ = start_of(file)
        file.seek(start)
        head = file.read(1408)
    size, = struct.unpack_from("<Q", head, 32)
    entries, = struct.unpack_from("<I", head, 80)
    triangles, = struct.unpack_from("<Q", head, 96)
    parts, instances, nodes = struct.unpack_from("<III", head, 104)
    geometry, = struct.unpack_from("<Q", head, 192)
    s = {}
    for i in range(entries):
        kind, _, _, s_size = struct.unpack_from("<4sIQQ", head, 256 + 48 * i)
        s[kind.decode()] = s_size
    columns = {
        "nodes": s["DATA"] - geometry,
        "cluster records": geometry,
        "TIDS": s["TIDS"],
        "PART, HIER, BUFS": s["PART"] + s["HIER"] + s.get("BUFS", 0),
        "INST, LINS, PLAC": s["INST"] + s["LINS"] + s["PLAC"],
        "TOPN": s["TOPN"],
        "TREE": s["TREE"],
        "PROP": s["PROP"],
        "STRS": s["STRS"],
        "BINH": s["BINH"],
    }
    columns["else"] = size - sum(columns.values())
    columns["file"] = size
    return triangles, (parts, instances, nodes), columns


def main():
    rows = [(os.path.basename(path), *measure(path)) for path in sys.argv[1:]]
    if not rows:
        sys.exit("section_bytes.py FILE...")
    print("| file | triangles | parts, instances, nodes |", " | ".join(rows[0][3]), "|")
    print("|" + "---|" * (3 + len(rows[0][3])))
    for name, triangles, counts, columns in rows:
        numbers = " | ".join(f"{value / max(triangles, 1):.3f}" for value in columns.values())
        print(f"| {name} | {triangles:,} | {', '.join(f'{count:,}' for count in counts)} | {numbers} |")


main()
