#!/bin/bash
# SPDX-License-Identifier: MIT
# GLBs of `bvpack extract --three-mesh-bvh` in three-mesh-bvh, which npm fetches: 5,000 of 5,000 rays
# hit what they hit with its own hierarchy. A part, and an assembly. Run by make check-adapters.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
command -v npm >/dev/null || { echo "check_three_mesh_bvh: no npm"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts \
  three@0.180.0 three-mesh-bvh@0.9.2 >/dev/null 2>&1) ||
  { echo "check_three_mesh_bvh: npm does not fetch three-mesh-bvh"; exit 77; }
fail=0
for model in plate_holes.STL env.obj irb6640_cell12.glb; do
  "$BVPACK" "$src/samples/models/$model" -q -o "$scratch/model.bvp" &&
    "$BVPACK" extract "$scratch/model.bvp" -q --three-mesh-bvh -o "$scratch/model.glb" &&
    node "$src/tests/web/check_three_mesh_bvh.mjs" "$scratch/node_modules" "$scratch/model.glb" || fail=1
done
"$BVPACK" extract "$scratch/model.bvp" -q --three-mesh-bvh -o "$scratch/model.stl" 2>/dev/null &&
  { echo "check_three_mesh_bvh: an STL with a hierarchy"; fail=1; }
exit $fail
