#!/bin/bash
# SPDX-License-Identifier: MIT
# Convex hulls from files: as shapes of query convex and zones of clash, held to the same points given as text and to
# the mesh of the same hull; lists, flat and tiny ones, units, and files that are none.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

cat >cube.obj <<'END'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
# an octahedron, oblique, with a dent: a hull does not see it; the vertex of no face does not count
cat >tool.obj <<'END'
v 0.5 0 0.1
v -0.5 0.1 0
v 0 0.4 0
v 0.1 -0.4 0
v 0 0 0.6
v 0 0 -0.6
v 0.02 0.02 0.1
v 9 9 9
f 1 3 7
f 3 5 7
f 5 1 7
f 3 2 5
f 2 4 5
f 4 1 5
f 3 1 6
f 2 3 6
f 4 2 6
f 1 4 6
END
close() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { exit !((a - b) ^ 2 <= e ^ 2 * (1 + a * a)) }'; } # coordinates of OBJ are floats
points=0.5,0,0.1,-0.5,0.1,0,0,0.4,0,0.1,-0.4,0,0,0,0.6,0,0,-0.6
# the mesh of the hull: the dent filled
sed -e '/^f 3 5 7/d; /^f 5 1 7/d; s/^f 1 3 7/f 1 3 5/' tool.obj >hull.obj
expect 0 pack -q cube.obj -o cube.bvp
expect 0 pack -q hull.obj -o hull.bvp
for place in 2,0.5,0.5 2,2,2 1.2,1.1,0.3 -1,-1,-1,30,40,50 0.5,0.5,3,10,0,90 1.3,0.5,0.5 0.9,0.5,0.5 0.5,0.5,1.4,0,90,0; do
  expect 0 query convex cube.bvp --shape "hull:$points" --place-shape "$place" --json
  text=$("$json" distance <out)
  expect 0 query convex cube.bvp --shape hull:tool.obj --place-shape "$place" --json
  distance=$("$json" distance <out)
  close "$text" "$distance" 1e-7 || bad "$place: $distance from the file, $text from text"
  expect 0 query distance cube.bvp hull.bvp --place-b "$place" --json
  close "$distance" "$("$json" distance <out)" 1e-9 ||
    bad "$place: $distance from the hull, $("$json" distance <out) from its mesh"
  checks=$((checks + 1))
done

# lists, in any order and with inner points
printf '# a tool\n0 0 -0.6\n0.1, -0.4, 0\r\n\n -0.5 0.1 0 # left\n0.02 0.02 0.1\n0 0.4 0\n.5 0 1e-1\n0\t0 0.6' >tool.txt
expect 0 query convex cube.bvp --shape hull:tool.txt --place-shape 2,2,2 --json
expect 0 query convex cube.bvp --shape "hull:$points" --place-shape 2,2,2 --json
d=$("$json" distance <out)
expect 0 query convex cube.bvp --shape hull:tool.txt --place-shape 2,2,2 --json
near distance "$d"
# one point, two, a flat one
echo 3 0.5 0.5 >one.txt
expect 0 query convex cube.bvp --shape hull:one.txt --json
near distance 2
printf '3 0 0\n4 1 1\n' >two.txt
expect 0 query convex cube.bvp --shape hull:two.txt --json
near distance 2
printf 'v 3 0 0\nv 3 1 0\nv 3 1 1\nf 1 2 3\n' >flat.obj
expect 0 query convex cube.bvp --shape hull:flat.obj --json
near distance 2
# a finely meshed box has eight corners
awk 'BEGIN { n = 40; for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) for (s = 0; s < 2; s++) {
  print 2 + s, i / n, j / n; print 2 + i / n, s, j / n; print 2 + i / n, j / n, s } }' >fine.txt
expect 0 query convex cube.bvp --shape hull:fine.txt --json
near distance 1

# zones: from the zone file's folder, and on the command line
mkdir -p zones
cp tool.obj tool.txt zones
printf '{"zones": [{"name": "tool", "hull": "tool.obj", "place": [1.2, 0.5, 0.5]}, {"name": "list", "shape": "hull:tool.txt", "place": [3, 3, 3]}]}\n' >zones/z.json
expect 0 clash cube.bvp --zones zones/z.json --clearance 0.1 --report a.jsonl
printf '[{"name": "tool", "hull": [[0.5,0,0.1],[-0.5,0.1,0],[0,0.4,0],[0.1,-0.4,0],[0,0,0.6],[0,0,-0.6]], "place": [1.2, 0.5, 0.5]}, {"name": "list", "shape": "sphere:0.1", "place": [3, 3, 3]}]\n' >points.json
expect 0 clash cube.bvp --zones points.json --clearance 0.1 --report b.jsonl
rows() { sed -n 's/.*"verdict":"\([^"]*\)","a":"\([^"]*\)","b":"\([^"]*\)".*/\1 \2 \3/p' "$1"; }
[ -n "$(rows a.jsonl)" ] && [ "$(rows a.jsonl)" = "$(rows b.jsonl)" ] || bad "zones of a file: $(rows a.jsonl), of points: $(rows b.jsonl)"
expect 0 clash cube.bvp --zone tool=hull:tool.obj@1.2,0.5,0.5 --clearance 0.1 --report c.jsonl
[ "$(rows a.jsonl)" = "$(rows c.jsonl)" ] || bad "a zone of the command line: $(rows c.jsonl)"

# units: a glTF is in metres
cat >metre.gltf <<'END'
{"asset":{"version":"2.0"},"nodes":[{"mesh":0,"translation":[0.003,0,0]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
expect 0 pack -q --unit mm cube.obj -o mm.bvp
expect 0 query convex mm.bvp --shape hull:metre.gltf --json
near distance 2
expect 0 query convex cube.bvp --shape hull:metre.gltf --place-shape 2,0,0 --json
near distance 1.003

# what is none
refused() { # STATUS PHRASE SHAPE
  expect "$1" query convex cube.bvp --shape "$3"
  has err "$2"
  [ "$(wc -l <err)" = 1 ] || bad "$3: not one line"
}
refused 3 'none.stl' hull:none.stl
refused 2 'expected box' hull:1,2
refused 2 'expected box' hull:
refused 2 'expected box' hull:1,2,x
printf '1 2\n' >bad.txt
refused 3 'line 1: expected three numbers' hull:bad.txt
printf '1 2 3\n1 2 nan\n' >bad.txt
refused 3 'bad.txt' hull:bad.txt
printf '1 2 3\n1 2 1e31\n' >bad.txt
refused 3 'point 2: expected numbers up to 1e30' hull:bad.txt
printf '1 2 3 4\n' >bad.txt
refused 3 'line 1' hull:bad.txt
printf '# nothing\n' >bad.txt
refused 3 'no point' hull:bad.txt
: >empty.stl
expect 3 query convex cube.bvp --shape hull:empty.stl
printf 'v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n' >nan.obj
expect 3 query convex cube.bvp --shape hull:nan.obj
awk 'BEGIN { for (i = 0; i < 5000; i++) { z = 2 * (i + .5) / 5000 - 1; r = sqrt(1 - z * z); print r * cos(2.4 * i), r * sin(2.4 * i), z } }' >ball.txt
refused 6 'of at most 4096' hull:ball.txt
printf '[{"name": "z", "hull": "nowhere.obj"}]\n' >bad.json
expect 3 clash cube.bvp --zones bad.json
has err nowhere.obj
printf '[{"name": "z", "hull": ""}]\n' >bad.json
expect 2 clash cube.bvp --zones bad.json
has err "expected the name of a file"
echo "$checks checks"
exit $fail
