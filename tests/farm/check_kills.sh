#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of a night, killed (SIGKILL) at random moments of its run: its output is absent or whole, never half; run
# again it ends with the same bytes, and nothing is left beside it. `make check-farm`.
# BVP_KILLS: of each command, 10; BVP_FARM_TRIANGLES: of the plant, 10 M.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"
# shellcheck source=tests/farm/farm_test.sh
. "$src/tests/farm/farm_test.sh"
kills=${BVP_KILLS:-10} triangles=${BVP_FARM_TRIANGLES:-10000000}
plant_export "$triangles" export || { echo "check_kills: skipped: no plant.c in BVP_SHARED/plant"; exit 77; }
./plant_generator $((triangles / 10)) 1 0.001 flat.stl - >/dev/null 2>&1
"$bvpack" pack export/export.jsonl -q -o whole.bvp || exit 99
for i in 1 2 3 4; do
  "$bvpack" pack export/export.jsonl --shard $i/4 -o share$i.bvp -q || exit 99
  "$bvpack" clash whole.bvp --clearance 5mm --fast --shard $i/4 -o share$i.clash -q || exit 99
done

quiet=(-q)
# killed OUTPUT COMMAND...: the command, which ends with the name of its output
killed() {
  local output=$1 began seconds moment count=0 done_first=0
  shift
  rm -f "$output"
  began=$(date +%s%N)
  "$bvpack" "$@" "$output" ${quiet[@]+"${quiet[@]}"} >out 2>err </dev/null || { bad "$*: $(cat err)"; return; }
  seconds=$(($(date +%s%N) - began))
  mv "$output" good
  for ((count = 0; count < kills; count++)); do
    moment=$((RANDOM * (seconds / 1000) / 32768)) # in microseconds
    moment=$((moment / 1000000)).$(printf %06d $((moment % 1000000)))
    { timeout -s KILL "$moment" "$bvpack" "$@" "$output" ${quiet[@]+"${quiet[@]}"} >out 2>err </dev/null; } 2>/dev/null
    checks=$((checks + 1))
    [ -e "$output" ] || continue
    done_first=$((done_first + 1))
    cmp -s "$output" good || bad "half-written: $*"
    rm -f "$output"
  done
  "$bvpack" "$@" "$output" ${quiet[@]+"${quiet[@]}"} >out 2>err </dev/null || bad "again: $*: $(cat err)"
  same "$output" good
  [ -z "$(find . -maxdepth 1 -name '.bvpack-*')" ] || bad "left behind: $*"
  echo "killed $((count - done_first)) times within $((seconds / 1000000)) ms, before it was done: bvpack ${*:1:4} ..."
  rm -f "$output" good
}
killed out.bvp pack export/export.jsonl --shard 2/4 -j1 -o
killed out.bvp pack flat.stl -j1 -o
! "$bvpack" pack --help | grep -q -- --memory || killed out.bvp pack flat.stl --memory 64M -j1 -o
killed out.bvp pack export/export.jsonl --store store -j1 -o
killed out.clash clash whole.bvp --clearance 5mm --fast --shard 2/4 -j1 -o
killed out.jsonl clash whole.bvp --clearance 5mm --fast --merge share1.clash share2.clash share3.clash share4.clash -r
killed out.jsonl clash whole.bvp --clearance 5mm --fast -j1 -r
quiet=() # which merge does not know
killed out.bvp merge --trust-shares share1.bvp share2.bvp share3.bvp share4.bvp -o
killed out.bvp merge share1.bvp share2.bvp share3.bvp share4.bvp -o
echo "check_kills: $checks checks"
exit $fail
