# shellcheck shell=bash disable=SC2034,SC2154 # for those that source it
# SPDX-License-Identifier: MIT
# Sourced by the tests of a farm, after cli/verb_test.sh: an export, what one machine makes of it, and how a night is held
# against that. Random choices are those of BVP_SEED, which is printed.

farm=$src/samples/farm
seed=${BVP_SEED:-$$}
RANDOM=$seed
echo "BVP_SEED=$seed"
clash_options='--clearance 5mm --fast'

# plant_export TRIANGLES FOLDER: the export of a generated plant, its parts as files. False: there is no generator.
plant_export() {
  local generator=${BVP_SHARED:-$src/../shared}/plant/plant.c
  [ -f "$generator" ] || return 1
  # shellcheck disable=SC2086 # "ccache gcc"
  ${CC:-cc} -O2 -w "$generator" -o plant_generator -lm && ./plant_generator "$1" 1 0.001 - plant.glb >/dev/null &&
    python3 "$src/tests/farm/plant_export.py" plant.glb "$2" && rm plant.glb
}

# one_machine EXPORT: whole.bvp and whole.jsonl, to which every night must come
one_machine() {
  "$bvpack" pack "$1" -q -o whole.bvp || exit 99
  # shellcheck disable=SC2086 # words
  "$bvpack" clash whole.bvp $clash_options -q -r whole.jsonl || exit 99
  [ -s whole.jsonl ] || { echo "no clashes to compare"; exit 99; }
}

# in_order FOLDER OUT REPORT: a night has ended with one machine's bytes, and left nothing but what has a name
in_order() {
  same "$2" whole.bvp
  same "$3" whole.jsonl
  checks=$((checks + 1))
  [ -z "$(find "$1" "$(dirname "$2")" -maxdepth 1 -name '.bvpack-*')" ] || bad "temporary files are left"
}

# all_whole FOLDER: whatever has been killed, what has a final name is whole
all_whole() {
  local file
  for file in "$1"/*.bvp; do
    [ -e "$file" ] || continue
    checks=$((checks + 1))
    "$bvpack" verify "$file" >out 2>&1 || bad "$file is not whole: $(head -3 out)"
  done
}

# processes VARIABLE: the ids of bvpack processes with that variable, NAME=VALUE, in their environment
processes() {
  local at name
  for at in /proc/[0-9]*; do
    { read -r name <"$at/comm"; } 2>/dev/null
    [ "$name" != bvpack ] || ! grep -qzxF "$1" "$at/environ" 2>/dev/null || echo "${at#/proc/}"
  done
}
