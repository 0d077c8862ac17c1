#!/bin/bash
# SPDX-License-Identifier: MIT
# What spec/engines.md says of Godot 3, in its headless server: a model of `bvpack extract` becomes a
# collision shape, which 1,000 rays hit where they hit the packed file; and Godot's editor imports a
# GLB with a collision body. Run by check_adapters.sh.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
command -v godot3-server >/dev/null || { echo "check_godot: no godot3-server"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch # Godot keeps settings there
"$BVPACK" "$src/samples/models/env.obj" -q -o "$scratch/env.bvp" || exit 1
printf 'config_version=4\n' >"$scratch/project.godot"
cp "$src/tests/cpp/check_godot.gd" "$scratch"
"$BVPACK" extract "$scratch/env.bvp" -q -o "$scratch/model.stl" || exit 1

# rays between points of the model's box and around it; seed 1
awk 'BEGIN { srand(1); for (k = 0; k < 1000; k++) {
  for (i = 0; i < 3; i++) { from[i] = 6400 * rand() - 3200; way[i] = 6400 * rand() - 3200 - from[i] }
  print from[0], from[1], from[2], way[0], way[1], way[2], 0, 1 } }' >"$scratch/rays"
"$BVPACK" query ray "$scratch/env.bvp" --batch "$scratch/rays" >"$scratch/hits" || exit 1
sed -E '/"found": ?true/!s/.*/-1/; s/.*"t": ?([-0-9.e+]+).*/\1/' "$scratch/hits" | paste -d' ' "$scratch/rays" - |
  awk '{ print $1, $2, $3, $1 + $4, $2 + $5, $3 + $6, $9 }' >"$scratch/rays.txt"
timeout 60 godot3-server --path "$scratch" -s check_godot.gd >"$scratch/log" 2>&1
status=$?
grep '^godot:' "$scratch/log"
[ $status = 0 ] || { tail -5 "$scratch/log"; exit 1; }
