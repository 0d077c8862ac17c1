#!/bin/bash
# SPDX-License-Identifier: MIT
# Verdicts of whole scenes against brute force over all pairs of instances. In `make check` a share of the
# pairs; BVP_SCENES=all, which is `make check-scenes`, all of them, and larger scenes from the folder of test data.
set -u
src=${BVP_SRCDIR:-$(dirname "$0")/../..}
bvpack=${BVPACK:-./bvpack}
[ -x tests/property/clash_scenes ] || { echo "test_clash_scenes: built without GMP: skipped"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
complain() { echo "test_clash_scenes: $*"; fail=1; }

# The model's verdicts at some clearances in its units. Of one pair of instances in `every`, `samples` points
# of each surface are tried for depth.
scene() { # MODEL SAMPLES EVERY CLEARANCE...
  local model=$1
  [ -f "$model" ] || { echo "skipped: there is no $model"; return; }
  "$bvpack" pack "$model" -q -o "$scratch/scene.bvp" 2>"$scratch/err" ||
    { complain "pack $model: $(cat "$scratch/err")"; return; }
  (cd "$scratch" && "$OLDPWD/tests/property/clash_scenes" scene.bvp "${@:2}") >"$scratch/out" 2>&1 || complain "$model"
  sed "s|^scene.bvp|$(basename "$model")|" "$scratch/out"
}

if [ -x "$PWD/bvpack-step" ] && [ -x tests/cli/step_case ]; then
  tests/cli/step_case step "$scratch/case.step" MM >/dev/null || complain "OpenCASCADE could not write a model"
  scene "$scratch/case.step" 200 0 0 5 100
else
  echo "skipped: a STEP assembly, for OpenCASCADE was not found"
fi
scene "$src/samples/models/shelf.jsonl" 100 0 0 1 30
if [ "${BVP_SCENES:-some}" = all ]; then
  models=${BVP_SHARED:-$src/../shared}/models/assembly
  scene "$src/samples/models/irb6640_cell12.glb" 24 0 0 0.005 0.05
  scene "$models/2CylinderEngine.glb" 100 0 0 1 5
  scene "$models/unitree_h1_2.glb" 24 0 0 0.001 0.005
  scene "$models/plant_2M.glb" 12 0 0.005
else
  scene "$src/samples/models/irb6640_cell12.glb" 4 5 0.005
fi
exit $fail
