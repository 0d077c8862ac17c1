#!/bin/bash
# SPDX-License-Identifier: MIT
# A manifest or a model packed in shares: all of them merged are the bytes that one machine packs,
# whatever their number; what is missing, twice or of something else is named.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
make_export=$programs/make_export
step_case=$programs/step_case
# refused STATUS REGEX ARGUMENTS...: says this, and leaves nothing behind
refused() {
  local wanted=$1 regex=$2
  shift 2
  "$bvpack" "$@" >out 2>err </dev/null
  local status=$?
  [ $status = "$wanted" ] || bad "exit code $status, not $wanted: $*"
  grep -qE -e "$regex" err || bad "no \"$regex\" in: $(cat err)"
  [ ! -e none.bvp ] || bad "half-written: $*"
}

# An export of ten turned pieces, of which every one is placed twice, and besides: a model with a
# tree and a file of its own, units, a part of several names, equal parts in two files, files that no
# line places, warnings.
mkdir plant
"$make_export" plant 10 2 0 || exit 99
# three corners of a triangle, floats
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0' >plant/cell.bin
cat >plant/cell.gltf <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"buffers": [{"byteLength": 36, "uri": "cell.bin"}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
"meshes": [{"name": "plate", "primitives": [{"attributes": {"POSITION": 0}}]}],
"nodes": [{"name": "cell", "children": [1, 2]}, {"mesh": 0, "name": "left"},
{"mesh": 0, "name": "right", "translation": [5, 0, 0]}]}
END
cp plant/part3.stl plant/copy.stl
cp plant/part4.stl plant/lonely.stl
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 nan\nf 1 2 3\nf 1 2 4\np 1\n' >plant/odd.obj
cat >>plant/export.jsonl <<'END'
{"id": "hall", "name": "Hall", "properties": {"level": 2}}
{"mesh": "cell.gltf", "parent": "hall", "name": "Cell"}
{"mesh": "cell.gltf", "parent": "hall", "name": "Cell", "placement": {"translate": [9000, 0, 0]}}
{"id": "C", "mesh": "copy.stl", "unit": "in", "part_number": "4711", "properties": {"steel": "A2"}}
{"part": "C", "parent": "hall", "placement": {"scale": 2}}
{"part": "C", "parent": "hall", "name": "another", "properties": {"steel": "A4"}}
{"id": "unused", "mesh": "lonely.stl"}
{"mesh": "odd.obj", "parent": "hall"}
END

# shares COUNT OPTIONS...: packs all of them, the last first
shares() {
  local count=$1
  shift
  rm -f share*.bvp
  for ((i = count; i >= 1; i--)); do
    "$bvpack" pack "$folder/$source" --drop-invalid --shard $i/$count -o share$i.bvp -q "$@" ||
      bad "share $i of $count"
  done
}
# whole COUNT OPTIONS...: the shares, merged, are the whole
whole() {
  shares "$@"
  local count=$1
  shift
  "$bvpack" pack "$folder/$source" --drop-invalid -o whole.bvp -q "$@" || bad "pack $*"
  "$bvpack" merge share*.bvp -o merged.bvp || bad "merge of $count shares"
  same merged.bvp whole.bvp
}
source=export.jsonl
if [ -x "$step_case" ]; then # a CAD model, which has a tolerance
  folder=cad
  mkdir cad
  "$step_case" step cad/gear.step MM >out || bad "step_case"
  printf '%s\n' '{"mesh": "../plant/part1.stl"}' '{"mesh": "gear.step"}' >cad/export.jsonl
  whole 2 --chord 0.5mm --angle 15 --any-path
fi
folder=plant
whole 1
"$bvpack" info share1.bvp --json >out
[ "$("$json" instance_count <out)" = "$("$json" part_count <out)" ] || bad "a part twice in a share"
whole 2 --format manifest
whole 3 --no-ids --leaf 3 --unit mm --up z
whole 7 --hierarchy wide,aabb --split median --deformable
whole 16 --fast

# ---- meshes of a model: with a tree, equal ones, more shares than meshes
"$bvpack" extract whole.bvp -o plant/plant.glb || bad "extract"
source=plant.glb
whole 1
whole 2 --no-ids
whole 3 --unit mm --hierarchy aabb
"$bvpack" pack plant/plant.glb --shard 2/3 -o again.bvp --json -j1 >out || bad "pack"
"$bvpack" pack plant/plant.glb --shard 2/3 -o share2.bvp -q || bad "pack"
same again.bvp share2.bvp
meshes=$("$json" shard.mesh_count <out)
[ "$meshes" -ge 10 ] || bad "only $meshes meshes"
[ "$("$json" shard.own_mesh_count <out)" = $(((meshes + 1) / 3)) ] || bad "not its share of the meshes"
[ "$("$json" part_count <out)" -le $(((meshes + 1) / 3)) ] || bad "more parts than in its share"
whole 40
for i in 2 1; do
  "$bvpack" pack plant/plant.glb --drop-invalid --shard $i/2 --store glb --json >out || bad "into the store"
done
[ "$("$json" shard.mesh_count <out)" = "$meshes" ] || bad "not all meshes"
"$bvpack" pack plant/plant.glb --drop-invalid --store glb -o stored.bvp --json >out || bad "pack"
[ "$("$json" store.new_part_count <out)" = 0 ] || bad "not everything is in the store"
same stored.bvp whole.bvp
for source in cell.gltf part1.stl odd.obj; do whole 2; done # with a file of its own; of one mesh; with a warning
if [ -x "$step_case" ]; then
  folder=cad source=gear.step
  whole 3 --chord 0.5mm
fi
folder=plant source=export.jsonl

# ---- shares that are trusted: the same bytes, and what is damaged is found by its hash
shares 3
"$bvpack" merge --trust-shares share*.bvp -o trusted.bvp || bad "merge --trust-shares"
"$bvpack" merge share*.bvp -o merged.bvp || bad "merge"
same trusted.bvp merged.bvp
mkdir large
"$make_export" large 6 200 0 || exit 99
for i in 1 2 3; do "$bvpack" pack large/export.jsonl --shard $i/3 -o share$i.bvp -q || bad "share $i of 3"; done
cp share2.bvp kept.bvp
for at in 1 3 5 7 9; do # of the blocks most hold nothing but parts
  printf '\125\252' | dd of=share2.bvp bs=1 seek=$(($(stat -c %s share2.bvp) * at / 10)) conv=notrunc 2>/dev/null
  refused 4 'share2.bvp' merge --trust-shares share1.bvp share2.bvp share3.bvp -o none.bvp
  cp kept.bvp share2.bvp
done
refused 2 'is for shares' merge --trust-shares whole.bvp -o none.bvp

# ---- a share by itself
shares 3
"$bvpack" verify share2.bvp >out || bad "a share is not sound"
"$bvpack" info share2.bvp >out
grep -q '2 of 3 of export.jsonl' out || bad "info does not tell a share"
"$bvpack" info share2.bvp --json >out
[ "$("$json" shard.index <out)/$("$json" shard.count <out)" = 2/3 ] || bad "nor as JSON"
"$bvpack" query closest share2.bvp --point 0,0,0 >out || bad "a share does not answer"
"$bvpack" pack plant/export.jsonl --drop-invalid --shard 2/3 -o again.bvp --json -j1 >out || bad "pack"
same again.bvp share2.bvp
[ "$("$json" shard.file_count <out)" = 13 ] || bad "not all files"
[ "$("$json" shard.own_file_count <out)" = 4 ] || bad "not its share of the files"
# ---- in a store
for i in 3 1 2; do
  "$bvpack" pack plant/export.jsonl --drop-invalid --shard $i/3 --store store --json >out ||
    bad "share $i into the store"
done
[ "$("$json" output <out)" = null ] || bad "an output"
"$bvpack" pack plant/export.jsonl --drop-invalid --store store -o stored.bvp --json >out
[ "$("$json" store.new_part_count <out)" = 0 ] || bad "not everything is in the store"
"$bvpack" pack plant/export.jsonl --drop-invalid -q -o whole.bvp
same stored.bvp whole.bvp

# ---- from a pipe
mkdir pipe
cd pipe || exit 99
for i in 1 2; do
  (cd ../plant && "$bvpack" pack - --drop-invalid --shard $i/2 -q -o ../pipe/$i.bvp <export.jsonl) ||
    bad "from a pipe"
done
(cd ../plant && "$bvpack" pack - --drop-invalid -q -o ../pipe/whole.bvp <export.jsonl)
"$bvpack" merge 2.bvp 1.bvp -o merged.bvp || bad "merge"
same merged.bvp whole.bvp
cd .. || exit 99

# ---- what is wrong
refused 3 '2 of 3 shares missing: 1, 3' merge share2.bvp -o none.bvp
refused 2 'share1.bvp: is share 1 of 3, as ' merge share1.bvp share2.bvp share3.bvp ./share1.bvp -o none.bvp
"$bvpack" pack plant/export.jsonl --drop-invalid --shard 1/2 -q -o half.bvp
refused 3 'half.bvp: is a share of 2' merge share2.bvp half.bvp share3.bvp -o none.bvp
"$bvpack" pack plant/export.jsonl --drop-invalid --shard 1/3 --leaf 2 -q -o leaf.bvp
refused 3 'leaf.bvp: was packed with other options' merge share2.bvp leaf.bvp share3.bvp -o none.bvp
echo >>plant/export.jsonl
"$bvpack" pack plant/export.jsonl --drop-invalid --shard 1/3 -q -o newer.bvp
refused 3 'newer.bvp: is a share of another manifest' merge share2.bvp newer.bvp share3.bvp -o none.bvp
refused 2 'share1.bvp: is share 1 of 3; merge all of its shares' merge whole.bvp share1.bvp -o none.bvp
refused 2 'whole.bvp: is no share' merge share1.bvp whole.bvp -o none.bvp
head -c 9000 share3.bvp >cut.bvp
refused 4 'cut.bvp' merge share1.bvp cut.bvp share2.bvp -o none.bvp
refused 2 'expected a share' pack plant/export.jsonl --shard 0/3 -o none.bvp
refused 2 'expected a share' pack plant/export.jsonl --shard 4/3 -o none.bvp
refused 2 'expected a share' pack plant/export.jsonl --shard 3 -o none.bvp
for share in 1/2x ' 1/2' 01/2 1/1000001 1/ /1 -1/2; do
  refused 2 'expected a share' pack plant/export.jsonl --shard "$share" -o none.bvp
done
refused 2 'one manifest or model' pack plant/export.jsonl plant/odd.obj --shard 1/3 -o none.bvp
refused 2 'with -o' pack plant/export.jsonl --shard 1/3
refused 2 'into no file' pack plant/export.jsonl --shard 1/3 --store store -o none.bvp
refused 2 'not thin' pack plant/export.jsonl --shard 1/3 --store store --thin
echo '<robot name="r"><link name="l"><collision><geometry><mesh filename="part1.stl"/></geometry></collision></link></robot>' >plant/robot.urdf
refused 3 'that names mesh files: URDF' pack plant/robot.urdf --shard 1/3 -o none.bvp
printf 'v 0 0 0\np 1\n' >plant/points.obj
refused 3 'no triangles' pack plant/points.obj --shard 1/3 -o none.bvp
# forged FILE RECORD: a file that says that it is all of a share
forged() {
  printf '{"id":"r","name":"m.jsonl","properties":{"bvpack_shard":"1/1","bvpack_record":%s,"bvpack_manifest":"{}"}}\n{"mesh":"part1.stl","parent":"r"}\n' \
    "$2" >plant/forged.jsonl
  "$bvpack" pack plant/forged.jsonl -q -o "$1" || bad "forged"
}
version=$("$bvpack" --version | sed 's/bvpack //')
for record in '"{"' '"[]"' '"{\"files\":7}"' "\"{\\\"version\\\":\\\"$version\\\",\\\"files\\\":[]}\"" \
  "\"{\\\"version\\\":\\\"$version\\\",\\\"settings\\\":{},\\\"files\\\":[{}]}\""; do
  forged forged.bvp "$record"
  refused 4 'its record of a share is damaged' merge forged.bvp -o none.bvp
done
forged forged.bvp '"{\"version\":\"0.0.1\",\"files\":[]}"'
refused 3 'packed by bvpack 0.0.1' merge forged.bvp -o none.bvp

# a genuine record, changed
forged_second() {
  printf '{"id":"r","name":"export.jsonl","properties":{"bvpack_shard":"2/2","bvpack_record":%s}}\n{"mesh":"part1.stl","parent":"r"}\n' \
    "$(sed -e "$1" record)" >plant/forged.jsonl
  "$bvpack" pack plant/forged.jsonl -q -o forged.bvp || bad "forged"
}
shares 2
"$bvpack" info --tree --json share2.bvp | sed -n 's/.*"bvpack_record", "value": \(".*"\)}\].*/\1/p' >record
# the last but one: a sign for a zero in a hash
for change in 's/part1\.stl/part7.stl/' 's/bvpack source/bvpack sauce/' 's/\\"size\\":[0-9]*/\\"size\\":-1/g' \
  's/\(\\"hash\\":\\"\([0-9a-f][0-9a-f]\)*\)0\([0-9a-f]\)/\1+\3/g' \
  's/\\"leaf\\":8/\\"leaf\\":\\"8\\"/'; do
  forged_second "$change"
  cmp -s <(sed -e "$change" record) record && bad "nothing changed by $change"
  [[ $change == *leaf* ]] || refused 4 'forged.bvp: its record of a share is damaged' merge share1.bvp forged.bvp -o none.bvp
done
refused 3 'forged.bvp: was packed with other options' merge share1.bvp forged.bvp -o none.bvp
forged_second ''
refused 3 'part .* is no more where it was packed' merge share1.bvp forged.bvp -o none.bvp

# the record of another model: damaged, with fewer meshes, of a share that has not got its parts
source=plant.glb
shares 2
"$bvpack" info --tree --json share2.bvp | sed -n 's/.*"bvpack_record", "value": \(".*"\)}\].*/\1/p' >record
forged_model() {
  printf '{"id":"r","name":"plant.glb","properties":{"bvpack_shard":"2/2","bvpack_record":%s}}\n{"mesh":"part1.stl","parent":"r"}\n' \
    "$(sed -e "$1" record)" >plant/forged.jsonl
  "$bvpack" pack plant/forged.jsonl -q -o forged.bvp || bad "forged"
}
for change in 's/bvpack source/bvpack sauce/' 's/\\"model\\"/\\"modal\\"/' \
  's/\\"model\\":\\".*\\"}/\\"model\\":\\"bvpack source 5\\\\n3:OBJ 0 0 3 0 0 0 0 \\\\n\\"}/'; do
  forged_model "$change"
  cmp -s <(sed -e "$change" record) record && bad "nothing changed by $change"
  refused 4 'forged.bvp: its record of a share is damaged' merge share1.bvp forged.bvp -o none.bvp
done
forged_model ''
refused 3 'part .* is no more where it was packed' merge share1.bvp forged.bvp -o none.bvp
source=export.jsonl

# a file that is missing is missed by its share alone
rm plant/odd.obj
refused 3 'odd.obj' pack plant/export.jsonl --drop-invalid --shard 1/3 -o none.bvp
"$bvpack" pack plant/export.jsonl --drop-invalid --shard 2/3 -q -o other.bvp || bad "others are read"

exit $fail
