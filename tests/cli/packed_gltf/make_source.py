#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes ring.glb, the model that the packers' outputs in this folder are made of: a torus of two primitives, placed
twice. Its numbers are exact at 1/4096, so that the file is the same on every machine."""
import json
import math
import struct
import sys

AROUND, ACROSS = 14, 8


def grid(value):
    return round(value * 4096) / 4096


positions, normals, halves = [], [], [[], []]
for i in range(AROUND):
    for j in range(ACROSS):
        u, v = 2 * math.pi * i / AROUND, 2 * math.pi * j / ACROSS
        radius = 1 + 0.35 * math.cos(v)
        positions += [grid(radius * math.cos(u)), grid(0.35 * math.sin(v)), grid(radius * math.sin(u))]
        normals += [grid(math.cos(v) * math.cos(u)), grid(math.sin(v)), grid(math.cos(v) * math.sin(u))]
        near, far = i * ACROSS, (i + 1) % AROUND * ACROSS
        k = (j + 1) % ACROSS
        halves[2 * i >= AROUND] += [near + j, near + k, far + j, far + j, near + k, far + k]

data, views, accessors = b"", [], []


def add(values, kind, code, component, width):
    global data
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(values) * struct.calcsize(code)})
    accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(values) // width, "type": kind}
    if kind == "VEC3":
        accessor["min"] = [min(values[axis::3]) for axis in range(3)]
        accessor["max"] = [max(values[axis::3]) for axis in range(3)]
    accessors.append(accessor)
    data += struct.pack("<%d%s" % (len(values), code), *values)
    data += bytes(-len(data) % 4)
    return len(accessors) - 1


attributes = {"POSITION": add(positions, "VEC3", "f", 5126, 3), "NORMAL": add(normals, "VEC3", "f", 5126, 3)}
primitives = [{"attributes": attributes, "indices": add(half, "SCALAR", "H", 5123, 1), "material": number}
              for number, half in enumerate(halves)]
text = json.dumps({
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "pump", "translation": [0, 2, 0], "children": [1, 2]},
              {"name": "ring-1", "mesh": 0},
              {"name": "ring-2", "mesh": 0, "translation": [4, 0, 0], "rotation": [0.6, 0, 0, 0.8]}],
    "meshes": [{"name": "ring", "primitives": primitives}],
    "materials": [{"name": "steel"}, {"name": "rubber", "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]}}],
    "accessors": accessors,
    "bufferViews": views,
    "buffers": [{"byteLength": len(data)}]}, separators=(",", ":")).encode()
text += b" " * (-len(text) % 4)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text)
    out.write(struct.pack("<II", len(data), 0x004E4942) + data)
