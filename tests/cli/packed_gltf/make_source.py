#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the models that the packers' outputs in this folder are made of: ring.glb, a torus of two primitives, placed
twice, and figure.glb, which is skinned and morphed. Numbers are exact at 1/4096, so that the files are the same on
every machine."""
import json
import math
import struct

AROUND, ACROSS = 14, 8


def grid(value):
    return round(value * 4096) / 4096

class Model:
    """A GLB under construction."""

    def __init__(self):
        self.data, self.views, self.accessors = b"", [], []

    def view(self, values, code):
        self.views.append({"buffer": 0, "byteOffset": len(self.data),
                           "byteLength": len(values) * struct.calcsize(code)})
        self.data += struct.pack("<%d%s" % (len(values), code), *values)
        self.data += bytes(-len(self.data) % 4)
        return len(self.views) - 1

    def add(self, values, kind, code, component, width):
        accessor = {"bufferView": self.view(values, code), "componentType": component,
                    "count": len(values) // width, "type": kind}
        if kind == "VEC3":
            accessor["min"] = [min(values[axis::3]) for axis in range(3)]
            accessor["max"] = [max(values[axis::3]) for axis in range(3)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def points(self, values):
        return self.add(values, "VEC3", "f", 5126, 3)

    def indices(self, values):
        return self.add(values, "SCALAR", "H", 5123, 1)

    def write(self, path, members):
        text = json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], **members,
                           "accessors": self.accessors, "bufferViews": self.views,
                           "buffers": [{"byteLength": len(self.data)}]}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as out:
            out.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(self.data), len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(self.data), 0x004E4942) + self.data)


def make_ring(path):
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
    model = Model()
    attributes = {"POSITION": model.points(positions), "NORMAL": model.points(normals)}
    primitives = [{"attributes": attributes, "indices": model.indices(half), "material": number}
                  for number, half in enumerate(halves)]
    model.write(path, {
        "nodes": [{"name": "pump", "translation": [0, 2, 0], "children": [1, 2]},
                  {"name": "ring-1", "mesh": 0},
                  {"name": "ring-2", "mesh": 0, "translation": [4, 0, 0], "rotation": [0.6, 0, 0, 0.8]}],
        "meshes": [{"name": "ring", "primitives": primitives}],
        "materials": [{"name": "steel"}, {"name": "rubber", "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]}}]})


def make_figure(path):
    """A bar of two joints, whose skin says where it stands, and whose node does not; a plate that is morphed by half of
    a target, which is sparse."""
    bar, weights, joints, quads = [], [], [], []
    for level in range(5):
        for x, z in ((0, 0), (1, 0), (1, 1), (0, 1)):
            bar += [x / 4, level / 2, z / 4]
            weights += [1 - level / 4, level / 4, 0, 0]
            joints += [0, 1, 0, 0]
    for level in range(4):
        for k in range(4):
            a, b = 4 * level + k, 4 * level + (k + 1) % 4
            quads += [a, a + 4, b, b, a + 4, b + 4]
    plate = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]
    model = Model()
    skinned = {"POSITION": model.points(bar), "WEIGHTS_0": model.add(weights, "VEC4", "f", 5126, 4),
               "JOINTS_0": model.add(joints, "VEC4", "B", 5121, 4)}
    bar_indices = model.indices(quads)
    # the joints were bound at 1 and 2 above the bar's origin, and stand at 11 and 12 above the world's
    inverse = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]
    bound = model.add(inverse + [-1, 0, 1] + inverse + [-2, 0, 1], "MAT4", "f", 5126, 16)
    base = model.points(plate)
    plate_indices = model.indices([0, 1, 2, 0, 2, 3])
    model.accessors.append({"componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 2],
                            "sparse": {"count": 1,
                                       "indices": {"bufferView": model.view([2], "H"), "componentType": 5123},
                                       "values": {"bufferView": model.view([0, 0, 2], "f")}}})
    model.write(path, {
        "nodes": [{"name": "figure", "children": [1, 2, 4]},
                  {"name": "bar", "mesh": 0, "skin": 0, "translation": [99, 0, 0]},
                  {"name": "hip", "translation": [0, 11, 0], "children": [3]},
                  {"name": "knee", "translation": [0, 1, 0]},
                  {"name": "plate", "mesh": 1, "translation": [3, 0, 0]}],
        "skins": [{"joints": [2, 3], "inverseBindMatrices": bound}],
        "meshes": [{"name": "bar", "primitives": [{"attributes": skinned, "indices": bar_indices}]},
                   {"name": "plate", "weights": [0.5], "primitives": [
                       {"attributes": {"POSITION": base}, "indices": plate_indices,
                        "targets": [{"POSITION": len(model.accessors) - 1}]}]}]})


make_ring("ring.glb")
make_figure("figure.glb")
