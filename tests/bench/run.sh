#!/bin/bash
# SPDX-License-Identifier: MIT
# Times bvpack beside the peers on the sample models, and on the real part and the plant of 2 M
# triangles when the folder of test data ($BVP_SHARED) is there. CSV and the machine's name go to
# bench/ of the build directory; the table at the end is README's. In the build directory: make bench
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
shared=${BVP_SHARED-$src/../shared}
poses=${BENCH_POSES:-25}
rays=${BENCH_RAYS:-1000000}
out=bench
rm -rf $out
mkdir -p $out
{
  grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//'
  echo "$(nproc) cores"
  "${CC:-cc}" --version | head -1
} >$out/machine.txt

pack() { # MODEL NAME
  "$BVPACK" "$1" -q -o "$out/$2.bvp"
  "$BVPACK" info --json "$out/$2.bvp" >"$out/$2.info.json"
}
open_file() { echo "== $1: open"; tests/bench/bench_open "$out/$1.bvp" 101 | tee "$out/$1.open.csv"; }
two_copies() { echo "== $1: A"; tests/bench/bench_pairs a "$out/$1.bvp" "$2" | tee "$out/$1.a.csv"; }
mover() { # ENVIRONMENT MOVER SIDE K
  echo "== $1: B"
  tests/bench/bench_pairs b "$out/$1.bvp" "$out/$2.bvp" "$3" "$4" $((poses * 20)) | tee "$out/$1.b.csv"
}
close_copies() { echo "== $1: D"; tests/bench/bench_pairs d "$out/$1.bvp" "$2" | tee "$out/$1.d.csv"; }
mating() { echo "== $1: G"; tests/bench/bench_mating "$out/$1.bvp" 0.005 | tee "$out/$1.g.csv"; }
cast_rays() { echo "== $1: R"; tests/bench/bench_rays "$out/$1.bvp" "$rays" | tee "$out/$1.r.csv"; }

pack "$src/samples/models/cycloidal.ply" cycloidal
pack "$src/samples/models/irb6640_cell12.glb" cell
open_file cycloidal
two_copies cycloidal "$poses"
close_copies cycloidal "$poses"
cast_rays cycloidal
open_file cell
mover cell cycloidal 0.2 20
mating cell
echo "== facing sheets: F"
tests/bench/bench_pairs f 100 | tee $out/sheets.f.csv

link=$shared/models/mesh/irb6640_link_3.stl
if [ -f "$link" ]; then
  pack "$link" link_3
  two_copies link_3 "$poses"
  close_copies link_3 "$poses"
  cast_rays link_3
else
  echo "skipped: the real part, for there is no $link"
fi
if [ -f "$shared/plant/plant.c" ]; then
  "${CC:-cc}" -O2 "$shared/plant/plant.c" -lm -o $out/plant
  $out/plant 2000000 1 0.001 $out/plant_2M.stl $out/plant_2M.glb
  pack $out/plant_2M.stl plant_2M
  open_file plant_2M
  two_copies plant_2M $((poses > 5 ? poses / 5 : 1))
  mover plant_2M cycloidal 0.2 20
  pack $out/plant_2M.glb plant_2M_tree
  mating plant_2M_tree
  "$BVPACK" extract $out/plant_2M_tree.bvp -q --format stl -o - |
    "$BVPACK" pack - --format stl -q -o $out/plant_2M_flat.bvp
  echo "== plant_2M: instances"
  tests/bench/bench_instances $out/plant_2M_{tree,flat}.bvp $out/cycloidal.bvp 1 500 |
    tee $out/plant_2M.instances.csv
  cast_rays plant_2M
  echo "== plant_2M: build"
  tests/bench/bench_build $out/plant_2M.stl 1 3 | tee $out/plant_2M.build.csv
  tests/bench/bench_build $out/plant_2M.stl 2 3 5 | tee $out/plant_10M.build.csv
else
  echo "skipped: the plant, for there is no $shared/plant/plant.c"
fi
bash "$src/tests/bench/table.sh" $out | tee $out/table.md
bash "$src/tests/bench/goals.sh" $out | tee $out/goals.md
