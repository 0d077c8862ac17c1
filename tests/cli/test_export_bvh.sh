#!/bin/bash
# SPDX-License-Identifier: MIT
# GLBs of `bvpack extract --three-mesh-bvh`, read by a few lines of Python: they have the triangles of an STL of the same
# model, each in one leaf and in the boxes of all nodes above it; leaves are small and no branch is deep, also where all
# triangles lie in one place. check_three_mesh_bvh.sh asks three-mesh-bvh itself.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v python3 >/dev/null || { echo "test_export_bvh: no python3"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/read.py" <<'END'
import json
import struct
import sys

glb, stl = (open(name, "rb").read() for name in sys.argv[1:])
size = struct.unpack_from("<I", glb, 12)[0]
head, data = json.loads(glb[20 : 20 + size]), glb[28 + size :]
views = [data[v.get("byteOffset", 0) :][: v["byteLength"]] for v in head["bufferViews"]]
nodes = views[head["meshes"][0]["extras"]["threeMeshBVH"]["roots"][0]]
triangles = list(struct.iter_unpack("<9f", views[0]))
assert sorted(triangles) == sorted(t[3:12] for t in struct.iter_unpack("<12fH", stl[84:])), "other triangles"

ranges, deepest, stack = [], 0, [(0, ())]
while stack:
    at, above = stack.pop()
    above = (*above, struct.unpack_from("<6f", nodes, 4 * at))
    deepest = max(deepest, len(above))
    link, last = struct.unpack_from("<2I", nodes, 4 * at + 24)
    if last >> 16 != 0xFFFF:
        # three-mesh-bvh visits the first child first where a ray goes up along this axis
        first, second = (struct.unpack_from("<6f", nodes, 4 * child) for child in (at + 8, link))
        assert last < 3 and first[last] <= second[last + 3], (first, second, last)
        stack += [(at + 8, above), (link, above)]
        continue
    ranges.append((link, link + (last & 0xFFFF)))
    for corners in triangles[slice(*ranges[-1])]:
        assert all(box[k % 3] <= corners[k] <= box[k % 3 + 3] for box in above for k in range(9))
ranges.sort()
assert [r[0] for r in ranges] == [0] + [r[1] for r in ranges[:-1]] and ranges[-1][1] == len(triangles)
assert max(b - a for a, b in ranges) <= 8 and len(nodes) == 32 * (2 * len(ranges) - 1)
print(f"{len(triangles)} triangles, {len(ranges)} leaves, {deepest} deep")
assert deepest <= 40 + 30
END

# what is hard for bins: one place, places that shrink by half, and planes
python3 - "$scratch" <<'END'
import sys

def write(name, corners):
    with open(f"{sys.argv[1]}/{name}.obj", "w") as out:
        for k, (x, y, z, s) in enumerate(corners):
            out.write(f"v {x} {y} {z}\nv {x + s} {y} {z}\nv {x} {y + s} {z}\nf {3 * k + 1} {3 * k + 2} {3 * k + 3}\n")

write("place", [(0, 0, 0, 1 + k / 1000) for k in range(100)] + [(0.5 - k, -k, 0, 2 * k) for k in range(1, 100)])
write("shrink", [(2.0**-k, 3.0**-k, 1.1**-k, 2.0 ** (-k - 2)) for k in range(1, 100)])
write("plane", [(k % 40, k // 40, 0, 1) for k in range(1600)])
END
cp "$src/samples/models/plate_holes.STL" "$src/samples/models/env.obj" "$scratch"
fail=0
for model in "$scratch"/{place,shrink,plane,env}.obj "$scratch/plate_holes.STL"; do
  "$BVPACK" "$model" -q -o "$scratch/m.bvp" &&
    "$BVPACK" extract "$scratch/m.bvp" -q --three-mesh-bvh -o "$scratch/m.glb" &&
    "$BVPACK" extract "$scratch/m.bvp" -q -o "$scratch/m.stl" &&
    python3 "$scratch/read.py" "$scratch/m.glb" "$scratch/m.stl" || { echo "test_export_bvh: ${model##*/}"; fail=1; }
done
exit $fail
