#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs the sample models and runs every program of samples/ on them; each checks its own answers
# and fails when they contradict one another, the lines here tie them to the models. Then the tour that
# README begins with, on the program built here.
set -u
src=${BVP_SRCDIR:-$(dirname "$0")/../..}
programs=${BVP_BUILDDIR:-.}/samples
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0

for model in irb6640_cell12.glb env.obj rob.obj plate_holes.STL cycloidal.ply; do
  "$BVPACK" "$src/samples/models/$model" -q -o "$scratch/${model%.*}.bvp" || exit 1
done

"$BVPACK" pack "$src/samples/models/plate_holes.STL" --deformable -q \
  -o "$scratch/deformable.bvp" || exit 1

# runs a program of samples/ and looks for a line (extended regular expression)
expect() { # line program arguments...
  local line=$1 program=$2
  shift 2
  if ! (cd "$scratch" && "$programs_dir/$program" "$@") >"$scratch/output" 2>&1; then
    echo "check_samples: $program $* failed:"
    fail=1
  elif ! grep -qE "$line" "$scratch/output"; then
    echo "check_samples: $program $* does not print: $line"
    fail=1
  else
    return
  fi
  tail -5 "$scratch/output"
}
programs_dir=$(cd "$programs" && pwd)

expect '^3 instances of 1 part, [0-9]+ bytes$' build cubes.bvp
expect '^cubes touch: yes; nearest to .*: 0\.25 away at x = 2$' build cubes.bvp
expect '^step  0: collision, distance 0, [1-9][0-9]* pairs' collide env.bvp rob.bvp
expect '^[1-9][0-9]* pairs are not clear, of [1-9][0-9]* whose boxes are near; [1-9][0-9]* are left out' clash irb6640_cell12.bvp 0.1
expect '^touches after [1-9] steps, [0-9]+ vertices moved in each$' deform deformable.bvp
expect '^collides at 0\.[0-9]* of the way; nodes opened: [0-9]*, by plain' path env.bvp rob.bvp
expect '^2160 rays, ' raycast plate_holes.bvp
expect '@@@' raycast cycloidal.bvp
expect '^penetrating, depth 2\.54 to 2\.54, way out 0 0 1; contact 2\.54 deep; ' solids plate_holes.bvp plate_holes.bvp
expect '^at 2/5: inside, signed distance -6\.35$' solids plate_holes.bvp plate_holes.bvp
expect '^step  0: clear, distance 0\.[0-9]* to' subassembly irb6640_cell12.bvp copy_0_0
expect '^300 bodies: [1-9][0-9]* pairs of boxes began to meet, [1-9][0-9]* ended; [1-9]' swarm cycloidal.bvp
expect '^4 threads, 500 closest points each, the same answers$' threads irb6640_cell12.bvp

program=$(cd "$(dirname "$BVPACK")" && pwd)/${BVPACK##*/}
if ! BVPACK=$program BVP_BUILD=$scratch/tour bash "$src/samples/quickstart.sh" >"$scratch/output" 2>&1 ||
  ! grep -q '^== Done' "$scratch/output"; then
  echo "check_samples: quickstart.sh failed:"
  tail -5 "$scratch/output"
  fail=1
fi
exit $fail
