#!/bin/bash
# SPDX-License-Identifier: MIT
# What cutting a night into shares costs: the processor time of one machine's run, over that of all shares and merges
# together, one after another on this machine. Exports of a plant of 10 M triangles: its parts as files, and sixteen halls
# whose pipes and beams are one mesh each. Prints a table; tests/farm/farm_sim.py is fed with its rates.
#   measure_farm.sh [SHARES]   8 by default
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"
# shellcheck source=tests/farm/farm_test.sh
. "$src/tests/farm/farm_test.sh"
shares=${1:-8} triangles=${BVP_FARM_TRIANGLES:-10000000} halls=16
plant_export "$triangles" parts || { echo "measure_farm: skipped: no plant.c in BVP_SHARED/plant"; exit 77; }
mkdir halls
echo '{"bvpack_manifest": 1, "unit": "m", "up": "z"}' >halls/export.jsonl
for ((i = 1; i <= halls; i++)); do
  ./plant_generator $((triangles / halls)) $i 0.001 halls/hall$i.stl - 2>/dev/null >&2
  printf '{"mesh": "hall%d.stl", "name": "hall %d", "placement": {"translate": [%d, 0, 0]}}\n' $i $i $((1000 * i))
done >>halls/export.jsonl

# cpu COMMAND...: its processor time, in seconds, the least of three
cpu() {
  local least=999999 now i
  for i in 1 2 3; do
    now=$( { TIMEFORMAT='%U %S'; time "$@" >out 2>err </dev/null; } 2>&1 | awk '{ print $1 + $2 }')
    least=$(awk -v a="$least" -v b="$now" 'BEGIN { print (a < b ? a : b) }')
  done
  echo "$least"
}
add() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

echo "| export | stage | one machine, s | $shares shares, s | longest share, s | merge, s | efficiency | with merge |"
echo "|---|---|---|---|---|---|---|---|"
row() { # EXPORT STAGE ONE SUM LONGEST MERGE
  awk -v one="$3" -v sum="$4" -v long="$5" -v merge="$6" -v head="| $1 | $2" \
    'BEGIN { printf "%s | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f |\n", head, one, sum, long, merge, one / sum, one / (sum + merge) }'
}
for export in parts halls; do
  for stage in pack clash; do
    if [ $stage = pack ]; then
      what=(pack "$export/export.jsonl") ending=bvp one=(-o one.bvp) merge=(merge --trust-shares)
    else
      # shellcheck disable=SC2206 # words
      what=(clash one.bvp --clearance 5mm) ending=clash one=(-r one.jsonl) merge=(clash one.bvp --clearance 5mm --merge)
    fi
    [ "$export-$stage" != halls-clash ] || continue # sixteen instances
    whole=$(cpu "$bvpack" "${what[@]}" "${one[@]}" -j1 -q)
    sum=0 longest=0 files=()
    for ((i = 1; i <= shares; i++)); do
      seconds=$(cpu "$bvpack" "${what[@]}" --shard $i/"$shares" -o "share$i.$ending" -j1 -q)
      sum=$(add "$sum" "$seconds")
      longest=$(awk -v a="$longest" -v b="$seconds" 'BEGIN { print (a > b ? a : b) }')
      files+=("share$i.$ending")
    done
    if [ $stage = pack ]; then
      merging=$(cpu "$bvpack" "${merge[@]}" "${files[@]}" -o merged.bvp)
      same one.bvp merged.bvp
    else
      merging=$(cpu "$bvpack" "${merge[@]}" "${files[@]}" -r merged.jsonl -q)
      same one.jsonl merged.jsonl
    fi
    row $export $stage "$whole" "$sum" "$longest" "$merging"
  done
done
exit $fail
