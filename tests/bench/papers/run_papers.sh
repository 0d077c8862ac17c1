#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures what the four papers claim: papers.md, CSV and SVG go to papers/ of the build directory.
# Models: samples/models, and those of the folder of test data ($BVP_SHARED) when it is there.
# PAPERS_EFFORT=0.1 is a quick look; PAPERS_CHAPTERS="boxtree solid" are some of the chapters;
# PAPERS_JOBS of them run at a time. In the build directory: make papers
set -eu
src=$(cd "$(dirname "$0")/../../.." && pwd)
shared=${BVP_SHARED-$src/../shared}
out=papers
chapters=${PAPERS_CHAPTERS-boxtree mebvh solid obbtree best}
rm -rf $out
mkdir -p $out/models

pack() { # MODEL NAME
  if [ -f "$1" ]; then
    "$BVPACK" "$1" -q -o "$out/models/$2.bvp"
  else
    echo "skipped: $2, for there is no $1"
  fi
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
else
  echo "skipped: plant and plant_2M, for there is no $shared/plant/plant.c"
fi
run() { # CHAPTER
  tests/bench/papers/papers $out/models $out "${PAPERS_EFFORT:-1}" "$1" || touch "$out/failed"
}
running=0
for chapter in $chapters; do
  run "$chapter" & running=$((running + 1))
  [ $running -lt "${PAPERS_JOBS:-2}" ] || { wait -n; running=$((running - 1)); }
done
wait
{
  echo "# What the four papers claim, and what we measure"
  echo
  echo "$(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//'), $(nproc) cores, $("${CC:-cc}" --version | head -1)."
  echo "Written by \`make papers\` in $SECONDS s; effort ${PAPERS_EFFORT:-1}, 1 being a full run. Times are of one core."
  echo "Where a paper's digits are lost in the text that we have, the claim says so."
  echo
  echo "| paper | claim | paper's figure | ours | verdict | why not |"
  echo "|---|---|---|---|---|---|"
  for chapter in $chapters; do cat "$out/claims_$chapter.md"; done
  for chapter in $chapters; do cat "$out/$chapter.md"; done
} >$out/papers.md
{
  echo "paper,claim,paper's figure,ours,verdict,why not"
  for chapter in $chapters; do cat "$out/claims_$chapter.csv"; done
} >$out/claims.csv
for chapter in $chapters; do rm "$out/$chapter.md" "$out/claims_$chapter.md" "$out/claims_$chapter.csv"; done
rm -r $out/models
[ ! -e $out/failed ] || { echo "papers: a chapter failed, or answers differ"; exit 1; }
