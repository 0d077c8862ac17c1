#!/bin/bash
# SPDX-License-Identifier: MIT
# What a benchmark run reached of what is aimed at: goal, measured, holds or falls short; matters
# that the run has no file for are left out. Usage: goals.sh DIRECTORY
set -eu
cd "$1"

goal() { # MATTER min|max GOAL MEASURED
  [ -n "$4" ] || return 0
  awk -v matter="$1" -v way="$2" -v goal="$3" -v got="$4" 'BEGIN {
    holds = way == "min" ? got + 0 >= goal + 0 : got + 0 <= goal + 0
    printf "| %s | %s %s | %s | %s |\n", matter, way == "min" ? ">=" : "<=", goal, got,
           holds ? "holds" : "falls short" }'
}
# The geometric mean of a peer's time over ours, in some files of pairs
times() { # QUERY FILE...
  local query=$1 && shift
  cat "$@" /dev/null 2>/dev/null | awk -F, -v query="$query" '
    $3 == query && $4 ~ /FCL/ { sum += log($8); n++ } END { if (n) printf "%.3g", exp(sum / n) }'
}
# A field of the first line of a file that begins with a word
field() { # FILE WORD NUMBER
  [ -f "$1" ] || return 0
  awk -F, -v word="$2" -v number="$3" 'index($0, word) == 1 { print $number; exit }' "$1"
}
# Bytes a triangle, of a member of info
bytes() { # FILE MEMBER [LESS]
  [ -f "$1" ] || return 0
  awk -F'[:,]' -v member="\"$2\"" -v less="\"${3:-}\"" '
    { gsub(/ /, "", $1) } $1 == member { size += $2 } $1 == less { size -= $2 }
    $1 == "\"unique_triangle_count\"" { count = $2 }
    END { printf "%.2f", size / count }' "$1"
}
largest() { # FILE COLUMN
  [ -f "$1" ] || return 0
  awk -F, -v column="$2" 'NR > 1 && $column > most { most = $column } END { print most }' "$1"
}

parts=()
for csv in *.a.csv; do
  [ ! -f "$csv" ] || [[ $csv == plant* ]] || parts+=("$csv")
done
echo "| matter | goal | measured | |"
echo "|---|---|---|---|"
goal "two copies of CAD parts, collide, times FCL" min 15 "$(times collide "${parts[@]}")"
goal "all pairs" min 12 "$(times pairs "${parts[@]}")"
goal "distance" min 15 "$(times distance "${parts[@]}")"
goal "a mover in the plant, collide" min 10 "$(times collide plant_2M.b.csv)"
goal "all pairs" min 12 "$(times pairs plant_2M.b.csv)"
goal "distance" min 35 "$(times distance plant_2M.b.csv)"
goal "within, times FCL's distance" min 200 "$(times within plant_2M.b.csv)"
goal "mating parts of the plant, collide" min 15 "$(field plant_2M_tree.g.csv 'G mating,collide' 6)"
goal "within 5 mm, times FCL's distance" min 15 "$(field plant_2M_tree.g.csv 'G mating,within' 6)"
for ray in P S A; do
  goal "rays $ray, one a call, over Embree medium" min "$([ $ray = P ] && echo 1.0 || echo 0.95)" \
    "$(field plant_2M.r.csv $ray, 9)"
  goal "rays $ray, batched" min "$([ $ray = P ] && echo 1.4 || echo 1.25)" \
    "$(field plant_2M.r.csv $ray, 10)"
  goal "rays $ray, one a call, over Embree robust" min 1.2 "$(field plant_2M.r.csv $ray, 11)"
done
goal "closest points, over rtcPointQuery" min 3 "$(field plant_2M.r.csv C, 9)"
for name in plant_2M link_3 cycloidal; do
  goal "$name: hierarchy, bytes a triangle" max 2.0 "$(bytes $name.info.json hierarchy_size)"
  goal "$name: whole file without numbers" max 11.0 "$(bytes $name.info.json file_size id_size)"
  goal "$name: numbers" max 1.5 "$(bytes $name.info.json id_size)"
done
goal "packing, million triangles a second, one thread" min 2 "$(field plant_2M.build.csv pack 5)"
goal "memory of packing, bytes a triangle" max 100 "$(field plant_2M.build.csv pack 6)"
goal "first answer, page cache cold, us" max 1000 "$(field plant_2M.open.csv used,cold 4)"
goal "first answer, warm, us" max 50 "$(field plant_2M.open.csv used,warm 4)"
goal "pages of a cold collide query" max 8 "$(field plant_2M.open.csv collide 2)"
goal "pages of a cold distance query" max 16 "$(field plant_2M.open.csv distance 2)"
goal "16 processes on one file, KiB of each its own" max 1024 "$(field plant_2M.open.csv 16, 3)"
goal "instances, dearest question over one flat part" max 1.5 "$(largest plant_2M.instances.csv 5)"
