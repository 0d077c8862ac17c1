#!/bin/bash
# SPDX-License-Identifier: MIT
# What a second export costs of which one part in a hundred changed, over the first one: with a store, thin and fat.
# "changed": only the changed files were written; "rewritten": all were, most with the bytes that they had. Each
# output must be the bytes of packing it to an empty store. Medians of three rounds, as CSV.
# Usage: export.sh MAKE_EXPORT [PARTS RINGS]; a part has 64 triangles a ring. BVPACK: the program
set -eu
make_export=$(realpath "$1")
parts=${2:-2000} rings=${3:-40} rounds=${BENCH_ROUNDS:-3}
bvpack=$(realpath "$BVPACK")
# the program itself, not the script around it in a build directory: that takes as long as a small export
if [ -x "${bvpack%/*}/.libs/bvpack" ]; then
  export LD_LIBRARY_PATH=${bvpack%/*}/.libs
  bvpack=${bvpack%/*}/.libs/bvpack
fi
scratch=$(mktemp -d -p .) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset BVPACK_STORE
settle() { sync -f . && sleep 2.2; } # stamps of younger files are not relied on
timed() { # RUN OPTION...: adds its line to times.txt
  local TIMEFORMAT="$mode $1 %R %U %S"
  { time "$bvpack" pack e/export.jsonl -q "${@:2}" 2>&1; } 2>>times.txt
}

for mode in thin fat; do
  option=()
  [ $mode = fat ] || option=(--thin)
  for ((round = 1; round <= rounds; round++)); do
    rm -rf e store
    mkdir e
    "$make_export" e "$parts" "$rings" 0
    settle
    timed first --store store "${option[@]}" -o first.bvp
    "$make_export" e "$parts" "$rings" "$round"
    settle
    timed changed --store store "${option[@]}" -o changed.bvp
    find e -name '*.stl' -exec touch -c {} +
    timed rewritten --store store "${option[@]}" -o rewritten.bvp
    if [ "$round" = 1 ]; then
      cmp changed.bvp rewritten.bvp
      mv store old
      "$bvpack" pack e/export.jsonl -q --store store "${option[@]}" -o fresh.bvp
      cmp changed.bvp fresh.bvp
      [ $mode = thin ] || { "$bvpack" pack e/export.jsonl -q -o fresh.bvp && cmp changed.bvp fresh.bvp; }
      rm -rf old
    fi
  done
done

echo "mode,run,parts,triangles_a_part,wall_s,cpu_s,wall_over_first,cpu_over_first"
median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
for mode in thin fat; do
  for run in first changed rewritten; do
    wall=$(awk -v m=$mode -v r=$run '$1 == m && $2 == r { print $3 }' times.txt | median)
    cpu=$(awk -v m=$mode -v r=$run '$1 == m && $2 == r { print $4 + $5 }' times.txt | median)
    [ $run != first ] || { first_wall=$wall first_cpu=$cpu; }
    awk -v w="$wall" -v c="$cpu" -v fw="$first_wall" -v fc="$first_cpu" \
      -v head="$mode,$run,$parts,$((64 * rings))" \
      'BEGIN { printf "%s,%.3f,%.3f,%.4f,%.4f\n", head, w, c, w / fw, c / fc }'
  done
done
