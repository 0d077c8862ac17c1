#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures what the four papers claim: papers.md, CSV and SVG go to papers/ of the build directory.
# Models: samples/models, and those of the folder of test data ($BVP_SHARED) when it is there.
# PAPERS_EFFORT=0.1 is a quick look; PAPERS_CHAPTERS="boxtree solid obbtree mebvh best" are some of
# the chapters. In the build directory: make papers
set -eu
src=$(cd "$(dirname "$0")/../../.." && pwd)
shared=${BVP_SHARED-$src/../shared}
out=papers
rm -rf $out
mkdir -p $out/models

pack() { # MODEL NAME
  [ ! -f "$1" ] || "$BVPACK" "$1" -q -o "$out/models/$2.bvp"
}
pack "$src/samples/models/cycloidal.ply" cycloidal
pack "$src/samples/models/featuretype.STL" featuretype
pack "$src/samples/models/env.obj" env
pack "$src/samples/models/rob.obj" rob
pack "$shared/models/mesh/irb6640_link_3.stl" link_3
pack "$shared/models/mesh/counter.unitsmm.STL" counter
pack "$shared/models/mesh/unitree_r1_flat.stl" unitree_r1
pack "$shared/models/assembly/irb6640.glb" irb6640
if [ -f "$shared/plant/plant.c" ]; then
  "${CC:-cc}" -O2 "$shared/plant/plant.c" -lm -o $out/plant
  $out/plant 200000 1 0.001 $out/plant.stl - >/dev/null
  $out/plant 2000000 1 0.001 $out/plant_2M.stl - >/dev/null
  pack $out/plant.stl plant
  pack $out/plant_2M.stl plant_2M
  rm $out/plant $out/plant.stl $out/plant_2M.stl
fi
# shellcheck disable=SC2086 # chapters are words
tests/bench/papers/papers $out/models $out "${PAPERS_EFFORT:-1}" ${PAPERS_CHAPTERS-}
{
  printf '\n## The machine\n\n'
  grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//'
  echo ", $(nproc) cores; $("${CC:-cc}" --version | head -1)"
} >>$out/papers.md
rm -r $out/models
