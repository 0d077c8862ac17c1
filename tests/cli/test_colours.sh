#!/bin/bash
# SPDX-License-Identifier: MIT
# The base colours of a source: kept for each node and primitive, through stores, shares, merges and thin
# files, drawn, and no difference to diff.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >/dev/null || { echo "no python3 to look into pictures: skipped"; exit 77; }

# one triangle, (0 0 0) (1 0 0) (0 1 0), in each of two primitives; two meshes of it
gltf() { # COLOUR: of the first material
  cat <<END
{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2]}],
"nodes":[{"name":"two","mesh":0},{"name":"one","mesh":1,"translation":[2,0,0]},{"name":"again","mesh":0,"translation":[4,0,0]}],
"materials":[{"name":"paint","pbrMetallicRoughness":{"baseColorFactor":[$1]}},{"name":"white"}],
"meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0},"material":0},{"attributes":{"POSITION":0},"material":1}]},
{"name":"m","primitives":[{"attributes":{"POSITION":0},"material":0},{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
}
# the colours that a file keeps, node by node
colours() { "$bvpack" info --tree --json "$1" | python3 -c '
import json, sys
for n in json.load(sys.stdin)["nodes"]:
    for p in n["properties"]:
        if p["key"] == "bvpack_colours": print(n["name"], p["value"])'; }
kept() { # FILE TEXT
  checks=$((checks + 1))
  [ "$(colours "$1")" = "$2" ] || { bad "the colours of $1:"; colours "$1"; }
}
gltf 1,0,0,1 >red.gltf
expect 0 pack -q red.gltf -o red.bvp
expect 0 verify red.bvp
# both meshes are one part
"$bvpack" info --json red.bvp >out && is part_count 1
kept red.bvp 'two 0:ff0000ff 1:ffffffff
one 0:ff0000ff 1:-
again 0:ff0000ff 1:ffffffff'
# without numbers nobody can tell which triangle has which colour
expect 0 pack -q --no-ids red.gltf -o none.bvp
kept none.bvp ''
gltf 1,0,0,1 | sed 's/,"material":1}/,"material":0}/' >plain.gltf
expect 0 pack -q --no-ids plain.gltf -o plain.bvp
kept plain.bvp 'two 0:ff0000ff
again 0:ff0000ff'
# a file without colours keeps none, and none is white
sed 's/"baseColorFactor":[^}]*//' red.gltf >grey.gltf
expect 0 pack -q grey.gltf -o grey.bvp
kept grey.bvp ''

# stores, thin files, shares, merges
printf '{"bvpack_manifest": 1}\n{"mesh": "red.gltf", "name": "a"}\n{"mesh": "plain.gltf", "name": "b"}\n' >all.jsonl
expect 0 pack -q all.jsonl -o all.bvp
[ "$(colours all.bvp | wc -l)" = 6 ] || bad "the colours of a manifest's models"
for _ in 1 2; do # the second time the models are not read
  expect 0 pack -q all.jsonl --store store -o stored.bvp
  same all.bvp stored.bvp
done
expect 0 pack -q all.jsonl --store store --thin -o thin.bvp
expect 0 merge thin.bvp -o fat.bvp
kept fat.bvp "$(colours all.bvp)"
for i in 1 2; do expect 0 pack -q all.jsonl --shard $i/2 -o share$i.bvp; done
expect 0 merge share1.bvp share2.bvp -o merged.bvp
same all.bvp merged.bvp

# other colours are no other product
gltf 0,0,1,1 >blue.gltf
expect 0 pack -q blue.gltf -o blue.bvp
expect 0 diff red.bvp blue.bvp
has out 'no difference: 1 part, 3 instances'
expect 0 diff red.bvp grey.bvp
has out 'no difference: 1 part, 3 instances'

# numbers of the asset: in hits when asked for, and no difference either
expect 0 pack -q --asset-numbers red.gltf -o numbered.bvp
expect 0 query ray numbered.bvp --origin 4.2,0.2,5 --direction 0,0,-1
has out 'node 2, mesh 0, primitive [01], triangle 0 of it, material "(paint|white)"'
expect 0 query ray numbered.bvp --origin 2.2,0.2,5 --direction 0,0,-1 --json
is hit.node 1 && is hit.mesh 1 && is hit.primitive_triangle 0
expect 0 query ray red.bvp --origin 4.2,0.2,5 --direction 0,0,-1
lacks out 'node 2'
sed 's/"nodes":\[0,1,2\]/"nodes":[1,2,0]/; s/"nodes":\[{"name":"two","mesh":0},/"nodes":[/; s/\[4,0,0\]}\]/[4,0,0]},{"name":"two","mesh":0}]/; s/"nodes":\[1,2,0\]/"nodes":[2,0,1]/' red.gltf >moved.gltf
expect 0 pack -q --asset-numbers moved.gltf -o moved.bvp
expect 0 query ray moved.bvp --origin 4.2,0.2,5 --direction 0,0,-1
has out 'node 1, mesh 0,'
expect 0 diff numbered.bvp moved.bvp
has out 'no difference'

# written again: as materials, each part's data once; a node in other colours shows another mesh
expect 0 extract -q red.bvp -o again.glb
expect 0 pack -q again.glb -o again.bvp
kept again.bvp "$(colours red.bvp)"
python3 - again.glb <<'END' || bad "the GLB that extract writes"
import json, struct, sys
b = open(sys.argv[1], "rb").read()
g = json.loads(b[20:20 + struct.unpack("<I", b[12:16])[0]])
assert len(g["bufferViews"]) == 2 and len(g["meshes"]) == 2, g
assert [n["mesh"] for n in g["nodes"] if "mesh" in n] == [0, 1, 0], g["nodes"]
assert [[p.get("material") for p in m["primitives"]] for m in g["meshes"]] == [[0, 1], [0, None]], g["meshes"]
assert [m["pbrMetallicRoughness"]["baseColorFactor"] for m in g["materials"]] == [[1, 0, 0, 1], [1, 1, 1, 1]]
assert b"bvpack_colours" not in b, "numbers of another file"
END
gltf 0.2,0.4,0.6,0.5 >glass.gltf
expect 0 pack -q glass.gltf -o glass.bvp
for format in glb obj; do
  expect 0 extract -q glass.bvp -o glass.$format
  expect 0 pack -q glass.$format -o back.bvp
  [ "$(colours back.bvp | grep -o '[0-9a-f]\{8\}' | sort -u)" = "$(colours glass.bvp | grep -o '[0-9a-f]\{8\}' | sort -u)" ] ||
    bad "other colours come back from .$format: $(colours back.bvp)"
done
expect 0 extract -q red.bvp -o again.obj
[ "$(grep -E '^(mtllib|o|usemtl|f)' again.obj | cut -d' ' -f1,2 | tr '\n' ';')" = \
  "mtllib again.mtl;o two;usemtl c_ff0000ff;f 1;usemtl c_ffffffff;f 1;o one;usemtl c_ff0000ff;f 4;usemtl c_00000000;f 4;o again;usemtl c_ff0000ff;f 7;usemtl c_ffffffff;f 7;" ] ||
  { bad "the OBJ that extract writes:"; cat again.obj; }
[ "$(grep -c newmtl again.mtl)" = 3 ] || bad "a material of the MTL is there twice, or missing"
rm again.mtl
expect 0 extract -q red.bvp --format obj -o -
lacks out mtl
expect 0 extract -q none.bvp -o none.obj
[ ! -e none.mtl ] || bad "a model without colours has an MTL"
expect 0 extract -q red.bvp --part '#0' -o part.obj
grep -q 'Kd 1.0* 0.0* 0.0*' part.mtl || bad "a part alone has no colours"
expect 0 extract -q red.bvp -o again.ply
python3 - again.ply <<'END' || bad "the PLY that extract writes"
import sys
b = open(sys.argv[1], "rb").read()
head, data = b.split(b"end_header\n", 1)
assert head.endswith(b"property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"), head
faces = data[-17 * 6:]
assert len(data) in (9 * 12 + 17 * 6, 9 * 24 + 17 * 6), len(data)
found = [faces[17 * i + 13:17 * i + 17].hex() for i in range(6)]
assert found == ["ff0000ff", "ffffffff", "ff0000ff", "c3ccd6ff", "ff0000ff", "ffffffff"], found
END
expect 0 pack -q again.ply -o ply.bvp
expect 0 extract -q none.bvp -o none.ply
grep -aq 'property uchar red' none.ply && bad "a PLY without colours has some"

# as one mesh: a primitive for each colour, whose triangles stand where and in the order in which the PLY has them
cat >flat.py <<'END'
import json, struct, sys
GREY = (0xc3, 0xcc, 0xd6, 0xff)
def glb(name):
    b = open(name, "rb").read()
    size = struct.unpack("<I", b[12:16])[0]
    g, data = json.loads(b[20:20 + size]), b[28 + size:]
    assert len(g["nodes"]) == len(g["meshes"]) == 1 and g["nodes"] == [{"mesh": 0}], g["nodes"]
    assert len(g["bufferViews"]) == 2 and b"bvpack_colours" not in b, g
    def read(accessor, format, width):
        a = g["accessors"][accessor]
        at = g["bufferViews"][a["bufferView"]]["byteOffset"] + a.get("byteOffset", 0)
        words = struct.unpack("<%d%s" % (a["count"] * width, format), data[at:at + 4 * a["count"] * width])
        return [words[i:i + width] for i in range(0, len(words), width)]
    def srgb(linear):
        return round(255 * (12.92 * linear if linear <= .0031308 else 1.055 * linear ** (1 / 2.4) - .055))
    found = {}
    for p in g["meshes"][0]["primitives"]:
        colour = GREY
        if "material" in p:
            m = g["materials"][p["material"]]
            factor = m["pbrMetallicRoughness"]["baseColorFactor"]
            colour = tuple(srgb(c) for c in factor[:3]) + (round(255 * factor[3]),)
            assert (m.get("alphaMode") == "BLEND") == (factor[3] < 1), m
        assert colour not in found, "two primitives of one colour"
        assert p["attributes"] == {"POSITION": 0}, p
        at, corners = read(0, "f", 3), [i for i, in read(p["indices"], "I", 1)]
        assert corners, "a primitive of nothing"
        found[colour] = [tuple(at[i] for i in corners[k:k + 3]) for k in range(0, len(corners), 3)]
    assert len(g.get("materials", [])) == len(found.keys() - {GREY}), g["materials"]
    return found
def ply(name):
    head, data = open(name, "rb").read().split(b"end_header\n", 1)
    count = {w[1]: int(w[2]) for w in (line.split() for line in head.decode().split("\n")) if w[:1] == ["element"]}
    word, size, wide = ("d", 8, 17) if b"property double" in head else ("f", 4, 17)
    at = [struct.unpack_from("<3" + word, data, 3 * size * i) for i in range(count["vertex"])]
    found, data = {}, data[3 * size * len(at):]
    for k in range(count["face"]):
        corner = struct.unpack_from("<3I", data, wide * k + 1)
        found.setdefault(tuple(data[wide * k + 13:wide * k + 17]), []).append(tuple(at[i] for i in corner))
    return found
flat, faces = glb(sys.argv[1]), ply(sys.argv[2])
assert flat.keys() == faces.keys(), (flat.keys(), faces.keys())
for colour in faces: assert flat[colour] == faces[colour], colour
if sys.argv[3:]: assert len(faces) == int(sys.argv[3]), faces.keys()
END
# FILE COLOURS: how many of them, with the grey of what has none
flat() {
  expect 0 extract -q --flat "$1" -o flat.glb
  expect 0 extract -q "$1" -o whole.ply
  python3 flat.py flat.glb whole.ply "$2" || bad "$1 as one mesh"
  for format in ply obj; do # these are flat already
    expect 0 extract -q "$1" -o a.$format
    expect 0 extract -q --flat "$1" -o b.$format
  done
  same a.ply b.ply
  sed -i 's/mtllib a/mtllib b/' a.obj
  same a.obj b.obj
  same a.mtl b.mtl
}
flat red.bvp 3
expect 0 pack -q flat.glb -o back.bvp
kept back.bvp "$(printf '%s 0:- 1:ff0000ff 4:ffffffff' "$("$bvpack" info --tree --json back.bvp | "$json" nodes.0.name)")"
flat all.bvp 3
flat glass.bvp 3
flat plain.bvp 2
# shared parts, whose instances have colours of their own, or none: 40 nodes, 12 meshes of 4 geometries
python3 - >many.gltf <<'END'
import base64, json, random, struct
r, data, accessors, meshes = random.Random(18), b"", [], []
for geometry in range(4):
    pieces = range(len(accessors), len(accessors) + 1 + 2 * geometry)
    for piece in pieces:
        count = r.randint(1, 6)
        for _ in range(count):
            x, y, z = (r.randint(0, 40) for _ in range(3))
            data += struct.pack("<9f", x, y, z, x + r.randint(1, 9), y, z, x, y + r.randint(1, 9), z + r.randint(0, 9))
        size = 36 * count
        accessors.append({"bufferView": 0, "byteOffset": len(data) - size, "componentType": 5126, "count": 3 * count, "type": "VEC3"})
    for _ in range(3):
        meshes.append({"primitives": [{"attributes": {"POSITION": a}, **({"material": m} if m < 6 else {})}
                                      for a in pieces for m in [r.randint(0, 6)]]})
nodes = [{"name": "n%d" % i, "mesh": r.randint(0, 11), "translation": [r.randint(-99, 99) for _ in range(3)]} for i in range(40)]
materials = [{"pbrMetallicRoughness": {"baseColorFactor": [.1 * i, .5, 1 - .1 * i, 1 if i < 5 else .5]},
              "alphaMode": "OPAQUE" if i < 5 else "BLEND"} for i in range(6)]
print(json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(40))}], "nodes": nodes,
  "materials": materials, "meshes": meshes, "accessors": accessors, "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
  "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}))
END
expect 0 pack -q many.gltf -o many.bvp
"$bvpack" info --json many.bvp >out && is part_count 4 && is instance_count 40
flat many.bvp 7
grep -aq '"BLEND"' flat.glb || bad "a colour that lets light through does not as one mesh"
mv flat.glb first.glb
flat many.bvp 7
same first.glb flat.glb
# one part, and what has no colours
expect 0 extract -q --flat --part '#0' red.bvp -o flat.glb
expect 0 extract -q --part '#0' red.bvp -o whole.ply
python3 flat.py flat.glb whole.ply 2 || bad "a part as one mesh"
expect 0 extract -q --flat none.bvp -o flat.glb
grep -aq '"materials"' flat.glb && bad "a model without colours has materials as one mesh"
grep -aq '"meshes":\[{"primitives":\[{"attributes":{"POSITION":0},"indices":1}\]}\]' flat.glb || bad "no mesh of one primitive"

# in a report: of each triangle of a pair
expect 0 clash red.bvp --clearance 1.5 --report red.html
if grep -q bvpackView= red.html; then
  found=$(grep -o 'data-colours="[^"]*"' red.html | sort -u | tr '\n' ';')
  # a part that is shown whole has one mesh, in the colours of the instance that comes first
  [ "$found" = 'data-colours="0:ff0000 1:- ";' ] || bad "the colours of a report's meshes: $found"
  expect 0 clash none.bvp --clearance 1.5 --report none.html
  ! grep -q 'data-colours="' none.html || bad "a model without colours has some in its report"
fi

# pictures: how much of the picture is red
red_in() { # FILE OPTION...
  expect 0 view -q "$1" --size 120x80 --camera front -o p.png "${@:2}"
  python3 - p.png <<'END'
import struct, sys, zlib
b, at, d = open(sys.argv[1], "rb").read(), 8, b""
while at < len(b):
    size, kind = struct.unpack(">I4s", b[at:at + 8])
    if kind == b"IHDR": w, h = struct.unpack(">II", b[at + 8:at + 16])
    if kind == b"IDAT": d += b[at + 8:at + 8 + size]
    at += 12 + size
d, rows, n = zlib.decompress(d), [bytes(3 * w)], 0
def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
for y in range(h):
    f, line, up = d[y * (3 * w + 1)], bytearray(d[y * (3 * w + 1) + 1:(y + 1) * (3 * w + 1)]), rows[-1]
    for i in range(3 * w):
        a, c = (line[i - 3], up[i - 3]) if i >= 3 else (0, 0)
        line[i] = (line[i] + [0, a, up[i], (a + up[i]) // 2, paeth(a, up[i], c)][f]) & 255
    rows.append(bytes(line))
    n += sum(line[i] > 60 and line[i] > 4 * line[i + 1] and line[i] > 4 * line[i + 2] for i in range(0, 3 * w, 3))
print(n)
END
}
# the two primitives lie in one another; what is red is red in all of it
expect 0 pack -q plain.gltf -o plain.bvp
[ "$(red_in plain.bvp)" -gt 200 ] || bad "a red model is drawn in another colour"
[ "$(red_in plain.bvp:#0)" -gt 200 ] || bad "its part is drawn in another colour"
[ "$(red_in plain.bvp --color shade)" = 0 ] || bad "a shaded model is red"
[ "$(red_in blue.bvp)" = 0 ] || bad "a blue model is red"
expect 0 view -q grey.bvp --size 60x40 -o a.png
expect 0 view -q grey.bvp --size 60x40 --color shade -o b.png
same a.png b.png
exit $fail
