#!/bin/bash
# SPDX-License-Identifier: MIT
# Every fuzz target on recorded inputs and on seeded mutations of them (BVP_MUTATIONS each).
set -u
src=${BVP_SRCDIR:-$(dirname "$0")/../..}
[ -x tests/fuzz/replay ] || { echo "check_fuzz: built without check: skipped"; exit 77; }
export BVP_MUTATIONS=${BVP_MUTATIONS:-30}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0

replay() { # target files...
  local target=$1
  shift
  [ $# -gt 0 ] || { echo "check_fuzz: no input for $target"; fail=1; return; }
  tests/fuzz/replay "$target" "$@" >"$scratch/log" 2>&1 && return
  echo "check_fuzz: $target failed on the last of these:"
  tail -30 "$scratch/log"
  fail=1
}

for format in gltf obj off ply rvm stl; do
  mapfile -t inputs < <(find "$src/samples/models" -size -200k -iname "*.$format" -o \
    -size -200k -name "*.gl[tb]*" -path "*$format*" | sort)
  [ ${#inputs[@]} -gt 0 ] || mapfile -t inputs < <(find "$src/samples/models" -name '*.STL')
  replay $format "${inputs[@]}"
done
bash "$src/tests/fuzz/glb_seeds.sh" "$scratch/glb" || exit 1
replay gltf "$scratch"/glb/*
replay open "$scratch"/glb/*.glb
replay gltf "$src"/tests/cli/packed_gltf/{ring,gltfpack,meshopt,figure_[gm]}*.glb

"$BVPACK" "$src/samples/models/rob.obj" -q -o "$scratch/rob.bvp" || exit 1
bash "$src/tests/fuzz/seeds.sh" "$scratch" || exit 1
bash "$src/tests/fuzz/naming_seeds.sh" "$scratch/naming" || exit 1
bash "$src/tests/fuzz/stream_seeds.sh" "$scratch" || exit 1
export BVP_FUZZ_DIR=$scratch/naming BVPACK_STORE=$scratch/store
replay manifest "$scratch"/naming/*.jsonl
replay ap242 "$scratch"/naming/*.stpx
replay plmxml "$scratch"/naming/*.plmxml
replay urdf "$scratch"/naming/*.urdf

# each input is a process: few of them
bash "$src/tests/fuzz/package_seeds.sh" "$scratch/package" || exit 1
BVPACK_LIBEXEC=$PWD BVP_MUTATIONS=$((BVP_MUTATIONS / 3)) replay 3mf "$scratch"/package/*
BVPACK_LIBEXEC=$PWD BVP_MUTATIONS=$((BVP_MUTATIONS / 3)) replay gltf "$src"/tests/cli/packed_gltf/*draco*.glb

replay stream "$scratch"/*.stream

"$BVPACK" compress "$scratch/rob.bvp" -q -o "$scratch/rob.zst" || exit 1
"$BVPACK" compress "$scratch/kinds.bvp" -q --level 1 -o "$scratch/kinds.zst" || exit 1
BVP_MUTATIONS=$((20 * BVP_MUTATIONS)) replay seekable "$scratch"/*.zst

replay build "$scratch"/*.bvp
replay verbs "$scratch"/*.bvp
replay store "$scratch"/{wide,kinds,thin}.bvp
bash "$src/tests/fuzz/input_seeds.sh" "$scratch" || exit 1
BVP_MUTATIONS=$((4 * BVP_MUTATIONS)) replay clash_inputs "$scratch"/*.input
replay clash "$scratch"/*.bvp
replay open "$scratch"/*.bvp
replay refit "$scratch"/{deformable,deformable-wide,deformable-kinds,aabb,kinds}.bvp
exit $fail
