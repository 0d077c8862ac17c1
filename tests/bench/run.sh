#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs the sample models and the models named in $BENCH_MODELS, and times them beside the peers.
# CSV and the machine's name go to bench/ of the build directory. In the build directory: make bench
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
poses=${BENCH_POSES:-25}
mkdir -p bench
{ grep -m1 'model name' /proc/cpuinfo; nproc; cc --version | head -1; } >bench/machine.txt

# models for protocol A
for model in "$src/samples/models/cycloidal.ply" "$src/samples/models/plate_holes.STL" ${BENCH_MODELS-}; do
  name=$(basename "${model%.*}")
  "$BVPACK" "$model" -q -o "bench/$name.bvp"
  echo "== $name"
  tests/bench/bench_open "bench/$name.bvp" | tee "bench/$name.open.tsv"
  tests/bench/bench_pairs a "bench/$name.bvp" "$poses" | tee "bench/$name.a.csv"
done

echo "== twelve robots, a drive among them"
"$BVPACK" "$src/samples/models/irb6640_cell12.glb" -q -o bench/cell.bvp
tests/bench/bench_open bench/cell.bvp | tee bench/cell.open.tsv
"$BVPACK" "$src/samples/models/cycloidal.ply" -q -o bench/mover.bvp
tests/bench/bench_pairs b bench/cell.bvp bench/mover.bvp 0.2 20 "$((poses * 20))" | tee bench/cell.b.csv
