#!/bin/bash
# SPDX-License-Identifier: MIT
# What was packed in a hurry, packed anew without its models: the bytes of packing them with care.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
models=$src/samples/models

for model in plate_holes.STL rob.obj irb6640_cell12.glb shelf.jsonl; do
  for options in "" "--rays --digests" "--deformable --leaf 4" "--hierarchy obb,wide --fit hull" "--keep-strays --assume-unit mm"; do
    # shellcheck disable=SC2086 # options
    { run pack "$models/$model" -q -o care.bvp $options
      run pack "$models/$model" -q -o small.bvp --small $options
      expect 0 pack "$models/$model" -q -o fast.bvp --fast $options; }
    expect 0 repack fast.bvp -q -o repacked.bvp -j 2
    same care.bvp repacked.bvp
    expect 0 repack fast.bvp -q --small -o repacked.bvp
    same small.bvp repacked.bvp
    expect 0 repack care.bvp -q --fast -o repacked.bvp
    same fast.bvp repacked.bvp
  done
done
# parts in a store
expect 0 pack "$models/shelf.jsonl" -q --fast --store store --thin -o thin.bvp
expect 0 pack "$models/shelf.jsonl" -q -o care.bvp
expect 0 repack thin.bvp -q -o repacked.bvp
same care.bvp repacked.bvp
# the order of what has no numbers is lost, the rest is not
expect 0 pack "$models/rob.obj" -q --fast --no-ids -o fast.bvp
expect 0 repack fast.bvp -q -o repacked.bvp
expect 0 verify repacked.bvp
run info --json repacked.bvp
is provenance.options.hierarchies.0.split default
# onto itself, and to a pipe
expect 0 pack "$models/plate_holes.STL" -q -o care.bvp
expect 0 pack "$models/plate_holes.STL" -q --fast -o fast.bvp
"$bvpack" repack fast.bvp -q -o - | cmp -s - care.bvp || bad "to a pipe"
expect 0 repack fast.bvp -q -o fast.bvp
same care.bvp fast.bvp
# what cannot be
expect 2 repack fast.bvp
has err 'name the new file with -o'
expect 2 repack fast.bvp -o x.bvp --fast --small
expect 2 repack fast.bvp fast.bvp -o x.bvp
expect 0 merge fast.bvp fast.bvp -o merged.bvp
expect 3 repack merged.bvp -o x.bvp
has err 'pack the models again'
expect 0 pack "$models/shelf.jsonl" -q --shard 1/2 -o share.bvp
expect 2 repack share.bvp -o x.bvp
has err 'share 1 of 2'
expect 0 pack "$models/plate_holes.STL" -q --hierarchy aabb -o aabb.bvp
expect 3 repack aabb.bvp -o x.bvp
has err 'no wide hierarchy'
expect 4 repack "$models/plate_holes.STL" -o x.bvp
head -c 20000 care.bvp >cut.bvp
expect 4 repack cut.bvp -o x.bvp
[ ! -e x.bvp ] || bad "an output of what failed"
echo "$checks checks"
exit $fail
