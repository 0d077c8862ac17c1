#!/bin/bash
# SPDX-License-Identifier: MIT
# The verb diff as a user meets it: two exports of a small plant, what it says of them, exit codes.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
# expect STATUS ARGUMENTS...: runs the verb
expect() {
  local wanted=$1
  shift
  "$bvpack" diff "$@" >out 2>err </dev/null
  status=$?
  [ $status = "$wanted" ] || { bad "exit code $status, not $wanted: diff $*"; head -3 out err; }
}
has() { grep -qxE -e "$2" "$1" || { bad "no line \"$2\" in $1:"; cat "$1"; }; }
lines() { [ "$(wc -l <out)" = "$1" ] || { bad "not $1 lines:"; cat out; }; }
pack() { "$bvpack" pack -q "$@" || bad "pack $*"; }

# tetra NAME SIZE
tetra() {
  printf 'o %s\nv 0 0 0\nv %s 0 0\nv 0 %s 0\nv 0 0 %s\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' \
    "$1" "$2" "$2" "$2" >"$1.obj"
}
tetra bolt 1
tetra flange 3
tetra pump 5
tetra seal 2
cat >monday.jsonl <<'END'
{"bvpack_manifest": 1, "unit": "mm"}
{"id": "skid", "name": "Skid", "placement": {"translate": [10, 0, 0]}}
{"mesh": "pump.obj", "parent": "skid", "name": "Pump"}
{"mesh": "bolt.obj", "parent": "skid", "name": "Bolt", "placement": {"translate": [0, 0, 7]}}
{"mesh": "bolt.obj", "parent": "skid", "name": "Bolt", "placement": {"translate": [2, 0, 7]}}
{"mesh": "bolt.obj", "parent": "skid", "name": "Bolt", "placement": {"translate": [4, 0, 7]}}
{"mesh": "flange.obj", "name": "Flange", "part_number": "F-1", "revision": "C"}
{"mesh": "seal.obj", "name": "Lid"}
{"id": "old", "name": "Old"}
{"mesh": "seal.obj", "parent": "old", "name": "Seal 1"}
{"mesh": "seal.obj", "parent": "old", "name": "Seal 2", "placement": {"translate": [4, 0, 7]}}
END
# the skid stands elsewhere, one of its bolts is gone, another part is the lid
sed -e 's/\[10, 0, 0\]/[10, 3, 0]/' -e '/\[2, 0, 7\]/d' -e 's/"C"/"D"/' -e 's/"Old"/"New"/' \
  -e '/Lid/s/seal/flange/' monday.jsonl >tuesday.jsonl
echo '{"mesh": "seal.obj", "name": "Extra", "placement": {"translate": [4, 9, 7]}}' >>tuesday.jsonl
pack monday.jsonl -o monday.bvp
pack tuesday.jsonl -o tuesday.bvp

# ---- for people
expect 0 monday.bvp tuesday.bvp
has out 'parts      4 the same'
has out 'instances  1 removed, 1 added, 1 changed, 3 moved, 2 renamed, 1 with other properties, 0 the same'
has out '  removed     Skid/Bolt\[2\]'
has out '  added       Extra'
has out '  changed     Lid: seal -> flange'
has out '  moved       Skid: 3 mm \(0, 3, 0\), 3 instances'
has out '  renamed     Old -> New, 2 instances'
has out '  properties  Flange: revision C -> D'
lines 8
expect 0 monday.bvp tuesday.bvp --all
has out '  moved       Skid/Bolt\[3\]: 3 mm \(0, 3, 0\)'
has out '  renamed     Old/Seal 1 -> New/Seal 1'
lines 11
expect 0 monday.bvp tuesday.bvp --all -n 1
has out '  \.\.\. and 2 more moved; --rows shows more of them'
lines 10
expect 0 monday.bvp monday.bvp
has out 'no difference: 4 parts, 8 instances'

# ---- for programs
expect 1 monday.bvp tuesday.bvp --json --exit-code
is differ true
is a.instance_count 8
is parts.same 4
is instances.rows 6
is instances.moved 3
is instances.rows.0.a.path 'Skid/Bolt[2]'
is instances.rows.1.b.path Extra
is instances.rows.2.b.part_number flange
is instances.rows.3.distance 3
is instances.rows.3.instances 3
is instances.rows.4.b.path New
is instances.rows.5.properties.0.is D
cp out first
expect 0 monday.bvp tuesday.bvp --json
cmp -s out first || bad "two runs differ"
expect 1 monday.bvp tuesday.bvp -q --exit-code
[ ! -s out ] || bad "-q prints"
expect 0 monday.bvp monday.bvp --json --exit-code
is differ false

# ---- tolerance
sed 's/\[10, 0, 0\]/[10.2, 0, 0]/' monday.jsonl >near.jsonl
pack near.jsonl -o near.bvp
expect 1 monday.bvp near.bvp -q --exit-code
expect 1 monday.bvp near.bvp -q --exit-code --tolerance 0.19mm
expect 0 monday.bvp near.bvp -q --exit-code --tolerance 0.21
expect 2 monday.bvp near.bvp --tolerance -1
expect 2 monday.bvp near.bvp --tolerance wide

# ---- a part with another mesh, another name, another unit, another way of packing
tetra bolt 1.5
pack monday.jsonl -o longer.bvp
expect 0 monday.bvp longer.bvp
has out 'parts      1 changed, 3 the same'
has out '  changed   bolt: 4 triangles, 3 instances'
has out 'instances  3 changed, 5 the same'
has out '  changed     3 with their parts'
tetra bolt 1
sed 's/"mm"/"cm"/' monday.jsonl >cm.jsonl
pack cm.jsonl -o cm.bvp
expect 1 monday.bvp cm.bvp --exit-code
has out 'unit       mm -> cm'
pack monday.jsonl --leaf 4 -o leaf.bvp
expect 0 monday.bvp leaf.bvp --exit-code
has out 'parts      4 the same; 4 packed in another way'

# ---- thin files, single meshes
pack monday.jsonl --store store --thin -o thin.bvp
expect 0 thin.bvp monday.bvp --exit-code
has out 'no difference: .*'
pack bolt.obj -o one.bvp
pack seal.obj -o other.bvp
expect 0 one.bvp one.bvp --exit-code
expect 1 one.bvp other.bvp --exit-code
has out 'parts      1 removed, 1 added, 0 the same'
expect 2 monday.bvp one.bvp --json
has err '.*one.bvp: it does not say its unit.*'
expect 0 monday.bvp one.bvp --assume-unit mm --json
is parts.removed 3

# ---- no part of a store is opened
pack tuesday.jsonl --store store --thin -o thin2.bvp
expect 1 monday.bvp tuesday.bvp --exit-code --all
tail -n +2 out >wanted
expect 1 thin.bvp thin2.bvp --exit-code --all
tail -n +2 out >with
cmp wanted with || bad "thin files differ differently"
rm -r store
expect 1 thin.bvp thin2.bvp --exit-code --all
tail -n +2 out >without
cmp wanted without || bad "without their store thin files differ differently"
expect 0 thin.bvp monday.bvp --exit-code
has out 'no difference: .*'

# ---- what is wrong
expect 2 monday.bvp
expect 2 monday.bvp tuesday.bvp one.bvp
expect 3 monday.bvp missing.bvp
expect 4 monday.bvp monday.jsonl

exit $fail
