#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what bvpack makes of a packed model against its source and against another decoder.

order STL: the MD5 of its triangles, in order.
same GLB STL SOURCE_STL: the triangles in the world are those of the source to half a step of GLB's positions.
hurt GLB OUT NUMBER: with that Draco stream, from 0, damaged.
hits BVPACK BVP STL: rays from the middle of the ring hit the triangles of the mesh STL that bvpack says, and those of
z > 0, which the source has in its first primitive, have the smaller numbers.
"""
import hashlib
import json
import struct
import subprocess
import sys

BITS = 14  # of positions, as gltf-transform rounds them by default, whatever holds them


def read_stl(path):
    with open(path, "rb") as f:
        data = f.read()
    count = struct.unpack_from("<I", data, 80)[0]
    return [struct.unpack_from("<9f", data, 84 + 50 * i + 12) for i in range(count)]


def order(path):
    print(hashlib.md5(b"".join(struct.pack("<9f", *triangle) for triangle in read_stl(path))).hexdigest())


def step_of(path):
    """The largest step of a position, in the world: rotations there turn it, so of any axis."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack_from("<I", data, 12)[0]
    model = json.loads(data[20:20 + size])
    scale = max(max(node.get("scale", [1])) for node in model["nodes"] if "mesh" in node)
    steps = []
    for mesh in model["meshes"]:
        for primitive in mesh["primitives"]:
            accessor = model["accessors"][primitive["attributes"]["POSITION"]]
            extent = max(high - low for low, high in zip(accessor["min"], accessor["max"]))
            is_float = accessor["componentType"] == 5126
            if is_float and "KHR_draco_mesh_compression" in primitive.get("extensions", {}):
                steps.append(extent / (2 ** BITS - 1))
            elif is_float:  # floats of 15 bits at least, by the filter EXPONENTIAL
                steps.append(2 ** -14)
            elif accessor.get("normalized"):
                steps.append(2 * scale / (2 ** BITS - 1))
            else:
                steps.append(scale)
    return max(steps)


def same(glb, packed, source):
    step = step_of(glb)
    bound = step * 3 ** 0.5 / 2 + 2e-6  # half a diagonal of a cell, and what floats of this size round to
    assert bound < 0.001, "the steps are too large to tell anything: %g" % step
    left = read_stl(source)
    found = read_stl(packed)
    if len(left) != len(found):
        sys.exit("%s: %d triangles, not %d" % (packed, len(found), len(left)))
    for number, triangle in enumerate(found):
        for i, other in enumerate(left):
            turned = [triangle[3 * k:] + triangle[:3 * k] for k in range(3)]
            if any(all(sum((one[3 * c + axis] - other[3 * c + axis]) ** 2 for axis in range(3)) <= bound * bound
                       for c in range(3)) for one in turned):
                del left[i]
                break
        else:
            sys.exit("%s: triangle %d is none of the source's, to %g" % (packed, number, bound))


def hits(bvpack, packed, mesh):
    triangles = read_stl(mesh)
    sides = [[value for t in triangles for value in t[axis::3]] for axis in range(3)]
    middle = [(min(side) + max(side)) / 2 for side in sides]
    size = max(sides[0]) - middle[0]
    for x, z in ((0.3, 1), (-0.9, 0.7), (-0.4, -1), (0.8, -0.5)):
        answer = json.loads(subprocess.run(
            [bvpack, "query", "ray", packed + ":#0", "--json", "--origin", "%r,%r,%r" % tuple(middle),
             "--direction", "%r,0,%r" % (x, z)], check=True, stdout=subprocess.PIPE).stdout)
        number, u, v = answer["hit"]["id"], answer["u"], answer["v"]
        t = triangles[number]
        point = [(1 - u - v) * t[axis] + u * t[3 + axis] + v * t[6 + axis] for axis in range(3)]
        if not answer["found"] or any(abs(a - b) > 1e-6 * size for a, b in zip(point, answer["point"])):
            sys.exit("%s: %r, but that triangle is at %r" % (packed, answer, point))
        if (number < len(triangles) // 2) != (z > 0):
            sys.exit("%s: triangle %d is of the other primitive" % (packed, number))


def hurt(glb, out, number):
    with open(glb, "rb") as f:
        pieces = f.read().split(b"DRACO")
    with open(out, "wb") as f:
        f.write(b"DRACO".join(pieces[:int(number) + 1]) + b"DRACX" + b"DRACO".join(pieces[int(number) + 1:]))


if __name__ == "__main__":
    {"order": order, "same": same, "hits": hits, "hurt": hurt}[sys.argv[1]](*sys.argv[2:])
