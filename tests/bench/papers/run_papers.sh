#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures what the four papers claim: papers.md, CSV and SVG go to papers/ of the build directory.
# Models: samples/models, and those of the folder of test data ($BVP_SHARED) when it is there.
# PAPERS_EFFORT=0.1 is a quick look; PAPERS_CHAPTERS="boxtree solid" are some of the chapters. One measurement at a
# time: chapters run one after the other. In the build directory: make papers; make papers-save keeps the results.
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
  pack $out/plant.stl plant
  rm $out/plant $out/plant.stl
else
  echo "skipped: plant, for there is no $shared/plant/plant.c"
fi
# of which commit the code is, the results that are kept left out
commit() {
  local changed
  git -C "$src" rev-parse HEAD 2>/dev/null || { echo "unknown"; return; }
  changed=$(git -C "$src" status --porcelain -- libfmt tools tests configure.ac Makefile.am |
    grep -cvE 'papers/([a-z0-9_]*\.(csv|svg)|papers\.md)$') || true
  [ "$changed" = 0 ] || echo "with changes in $changed files"
}
code=$(commit | paste -sd' ')
for chapter in $chapters; do
  tests/bench/papers/papers $out/models $out "${PAPERS_EFFORT:-1}" "$chapter" || touch "$out/failed"
done
{
  echo "# What the four papers claim, and what we measure"
  echo
  echo "Code: commit $code."
  echo "$(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//'), $(nproc) cores, $("${CC:-cc}" --version | head -1)."
  echo "Written by \`make papers\` in $SECONDS s; effort ${PAPERS_EFFORT:-1}, 1 being a full run. Times are of one core,"
  echo "one measurement at a time; medians of several rounds, and half of the range of the rounds in percent as their"
  echo "spread. Counts are the same in every run: \`tests/bench/papers/check_papers.sh\` measures a part of them again."
  echo "Models are read in the order of their source. Where a paper's digits are lost in the text that we have, the"
  echo "claim says so. Control: what the same run measured beside it."
  echo
  echo "| paper | claim | paper's figure | ours | verdict | control | evidence |"
  echo "|---|---|---|---|---|---|---|"
  for chapter in $chapters; do cat "$out/claims_$chapter.md"; done
  for chapter in $chapters; do cat "$out/$chapter.md"; done
} >$out/papers.md
{
  echo "paper,claim,paper's figure,ours,verdict,control,evidence"
  for chapter in $chapters; do cat "$out/claims_$chapter.csv"; done
} >$out/claims.csv
for chapter in $chapters; do rm "$out/$chapter.md" "$out/claims_$chapter.md" "$out/claims_$chapter.csv"; done
rm -r $out/models
[ ! -e $out/failed ] || { echo "papers: a chapter failed, or answers differ"; exit 1; }
