#!/bin/bash
# SPDX-License-Identifier: MIT
# The same bytes whatever the thread count, and from every program in $BVPACK_OTHERS (other
# compilers, other optimisation levels).
set -u
models=${BVP_SRCDIR:-$(dirname "$0")/../..}/samples/models
[ -x "${BVPACK-}" ] || { echo "check_determinism: no program in \$BVPACK"; exit 99; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0

# packs into $scratch/again and compares with the first file
again() { # name program arguments...
  local name=$1
  shift
  rm -f "$scratch/again"
  "$@" -q -o "$scratch/again" || { echo "check_determinism: failed: $*"; fail=1; return; }
  cmp -s "$scratch/$name" "$scratch/again" && return
  echo "check_determinism: other bytes: $*"
  cmp "$scratch/$name" "$scratch/again" | head -1
  fail=1
}

# slivers in one direction, oblique to the axes: a part with a turned grid
awk 'BEGIN {
  for (i = 0; i < 400; i++)
    for (k = 0; k < 4; k++) {
      x = k % 2 * 1000; y = (i + int(k / 2)) / 3; z = i % 2
      printf "v %.9g %.9g %.9g\n", .766 * x - .643 * y, .643 * x + .766 * y, .3 * x + z
    }
  for (i = 0; i < 400; i++)
    printf "f %d %d %d\nf %d %d %d\n", 4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i + 2, 4 * i + 4, 4 * i + 3
}' >"$scratch/slivers.obj"
"$BVPACK" pack "$scratch/slivers.obj" -q -o "$scratch/slivers.bvp"
"$BVPACK" dump "$scratch/slivers.bvp" | grep -Eq 'turn\[.\] = -?[1-9]' || { echo "check_determinism: no turned grid"; fail=1; }

for model in "$models"/*.glb "$models"/*.STL "$models"/*.ply "$models"/*.obj "$scratch/slivers.obj"; do
  name=$(basename "$model").bvp
  "$BVPACK" pack "$model" -j 1 -q -o "$scratch/$name" || { echo "check_determinism: cannot pack $name"; exit 1; }
  again "$name" "$BVPACK" pack "$model" -j 2
  again "$name" "$BVPACK" pack "$model" -j 7
  for other in ${BVPACK_OTHERS-}; do
    [ -x "$other" ] || { echo "check_determinism: $other is missing"; fail=1; continue; }
    again "$name" "$other" pack "$model" -j 2
  done
  for how in --no-ids --fast --small --rays; do
    "$BVPACK" pack "$model" -j 1 -q "$how" -o "$scratch/$name"
    again "$name" "$BVPACK" pack "$model" -j 2 "$how"
    for other in ${BVPACK_OTHERS-}; do
      again "$name" "$other" pack "$model" -j 2 "$how"
    done
  done
done

# all kinds of hierarchies over one model, the last one of more triangles than one thread takes
for model in plate_holes.STL:wide,boxtree,aabb,obb,rss cycloidal.ply:boxtree,aabb; do
  kinds=${model#*:} name=${model%:*}
  model=$models/$name
  "$BVPACK" pack "$model" -j 1 -q --hierarchy "$kinds" -o "$scratch/$name"
  again "$name" "$BVPACK" pack "$model" -j 2 --hierarchy "$kinds"
  for other in ${BVPACK_OTHERS-}; do
    again "$name" "$other" pack "$model" -j 2 --hierarchy "$kinds"
  done
done
exit $fail
