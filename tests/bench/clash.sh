#!/bin/bash
# SPDX-License-Identifier: MIT
# Clash and 5 mm clearance of generated plants, beside FCL's manager over the same parts; `make bench` runs it,
# `make bench-clash` it alone. With BENCH_EFFORT of 0.5 and more up to 10 M triangles, of 1 and more up to 100 M.
# NAME.clash.csv: seconds and pairs; NAME.only.tsv: each pair that only one of both finds, with its exact gap.
# Usage: BVPACK=... clash.sh DIRECTORY PLANT-GENERATOR
set -eu
out=$1
plant=$2
effort=${BENCH_EFFORT:-1}
at_least() { awk -v x="$1" -v effort="$effort" 'BEGIN { exit !(effort >= x) }'; }
# seconds of the first row that begins with a word
seconds() { awk -F, -v word="$2" 'index($0, word) == 1 { print $4; exit }' "$1"; }

clash() { # TRIANGLES NAME WORD...
  local name=$2
  echo "== $name: clash ($((SECONDS / 60)) min $((SECONDS % 60)) s)"
  "$plant" "$1" 1 0.001 - "$out/$name.glb"
  {
    echo who,threads,what,seconds,pairs
    tests/bench/bench_run pack "$BVPACK" "$out/$name.glb" -q -o "$out/${name}_tree.bvp"
    tests/bench/bench_clash "$out/${name}_tree.bvp" 0.005 "${@:3}" 2>"$out/$name.only.tsv"
  } >"$out/$name.clash.csv" || { echo "$name: the peer finds others"; exit 1; }
  "$BVPACK" info --json "$out/${name}_tree.bvp" >"$out/${name}_tree.info.json"
  cat "$out/$name.clash.csv"
  [ -s "$out/$name.only.tsv" ] || rm "$out/$name.only.tsv"
  rm "$out/$name.glb" "$out/${name}_tree.bvp"
}

# "contacts", while all contacts of the plant before took no longer than that a larger one's take some minutes
contacts_after() { awk -v s="$(seconds "$out/$1.clash.csv" bvpack,1,contacts)" 'BEGIN { if (s != "" && s < 10) print "contacts" }'; }

clash 2000000 plant_2M contacts distances peer
# shellcheck disable=SC2046 # one word or none
if at_least 0.5; then
  clash 10000000 plant_10M $(contacts_after plant_2M) peer
fi
# shellcheck disable=SC2046
if at_least 1; then
  clash 100000000 plant_100M $(contacts_after plant_10M)
fi
