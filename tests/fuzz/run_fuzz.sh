#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets one after the other, FUZZ_SECONDS each, from seeds made of the sample models,
# the bad ones and small files (0 seconds: makes the seeds only); a finding stops with its input under fuzz/<target>/. In the build directory: make fuzz
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${FUZZ_SECONDS:-600}

seeds() { # target directory: small recorded inputs
  local target=$1 dir=$2 ending
  ending=${target#fuzz_}
  case $target in
    fuzz_build | fuzz_clash | fuzz_open | fuzz_refit | fuzz_store | fuzz_verbs)
      bash "$src/tests/fuzz/seeds.sh" "$dir"
      mkdir -p fuzz && rm -rf fuzz/store && mv "$dir/store" fuzz/store
      "$BVPACK" "$src/samples/models/rob.obj" -q -o "$dir/rob.bvp"
      tests/corpus/make_corpus "$dir"
      if [ "$target" = fuzz_open ]; then bash "$src/tests/fuzz/glb_seeds.sh" "$dir"; rm "$dir"/*.gltf; fi
      return
      ;;
    fuzz_seekable)
      "$BVPACK" "$src/samples/models/rob.obj" -q -o - | "$BVPACK" compress - -q -o "$dir/rob.zst"
      "$BVPACK" "$src/samples/models/featuretype.STL" -q -o - | "$BVPACK" compress - -q --level 1 -o "$dir/part.zst"
      return
      ;;
    fuzz_stream)
      bash "$src/tests/fuzz/stream_seeds.sh" "$dir"
      return
      ;;
    fuzz_3mf)
      bash "$src/tests/fuzz/package_seeds.sh" "$dir"
      return
      ;;
    fuzz_clash_inputs)
      bash "$src/tests/fuzz/input_seeds.sh" "$dir"
      return
      ;;
    fuzz_ap242 | fuzz_manifest | fuzz_plmxml | fuzz_urdf)
      bash "$src/tests/fuzz/naming_seeds.sh" "$PWD/fuzz/naming"
      [ "$ending" != manifest ] || ending=jsonl
      [ "$ending" != ap242 ] || ending=stpx
      cp "$PWD/fuzz/naming/"*."$ending" "$dir"
      return
      ;;
  esac
  if [ "$ending" = gltf ]; then
    ending='gl[tb]*'
    bash "$src/tests/fuzz/glb_seeds.sh" "$dir"
  fi
  for from in "$src/samples/models" "$src/tests/cli/packed_gltf" "${BVP_SHARED:-$src/../shared}/models/bad"; do
    [ -d "$from" ] || { echo "$target: no seeds from $from: there is no such folder"; continue; }
    find "$from" -size -64k -iname "*.$ending" -exec cp -t "$dir" {} +
  done
}

export BVPACK_LIBEXEC=$PWD BVP_FUZZ_DIR=$PWD/fuzz/naming BVPACK_STORE=$PWD/fuzz/store # where mutated thin files find their parts
for program in "$@"; do
  target=$(basename "$program")
  mkdir -p "fuzz/$target/seeds" "fuzz/$target/found"
  seeds "$target" "fuzz/$target/seeds"
  [ "$seconds" != 0 ] || continue
  limit=20
  [ "$target" != fuzz_verbs ] || limit=120 # a clash run with a forged file asks many queries
  echo "== $target, $seconds s"
  "./$program" -max_total_time="$seconds" -timeout="$limit" -rss_limit_mb=2048 -max_len=98304 \
    -print_final_stats=1 -close_fd_mask=3 -artifact_prefix="$PWD/fuzz/$target/" "$PWD/fuzz/$target/found" "$PWD/fuzz/$target/seeds" 2>"fuzz/$target/log" || {
    tail -30 "fuzz/$target/log"
    echo "$target: finding"
    exit 1
  }
  grep -E 'number_of_executed_units|peak_rss' "fuzz/$target/log"
done
