#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes README's tables, between its two marks, from a benchmark run: `make bench-readme`.
# Usage: readme.sh DIRECTORY README
set -eu
here=$(cd "$(dirname "$0")" && pwd)
readme=$(realpath "$2")
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"
cd "$1"

# ---- two bodies ----
query_names() {
  case $1 in
    collide) echo collide ;;
    pairs) echo "all pairs" ;;
    distance) echo distance ;;
    *) echo "within $2" ;;
  esac
}
scene() { # TITLE FILE SCENE WITHIN
  local title=$1 query row
  for query in collide pairs distance within; do
    row=$(pair "$2" "$3" $query)
    [ -n "$row" ] || continue
    awk -F'|' -v title="$title" -v query="$(query_names $query "$4")" -v its=$query '
      function us(x) { return x < 20 ? sprintf("%.1f", x) : sprintf("%.0f", x) }
      { printf "| %s | %s | %s | %s | %s | %d |\n", title, query, us($1),
               its == "within" ? "its distance" : us($2), us($3), $4 }' <<<"$row"
    title=
  done
}
means() { # TITLE FILE...
  local title=$1 query row
  shift
  for query in collide pairs distance within; do
    row=$(times A $query "$@")
    [ -n "$row" ] || continue
    echo "| $title | $(query_names $query '5 % of half the size') | | | $row | |"
    title=
  done
}
mating() { # TITLE FILE CLEARANCE
  [ -f "$2" ] || return 0
  awk -F, -v title="$1" '/^G mating/ { printf "| %s | %s | %.1f | %s | %.0f | %d |\n", title,
      $2 == "within" ? "within 5 mm" : $2, $4, $2 == "within" ? "its distance" : sprintf("%.0f", $5), $6, $7
    title = "" }' "$2"
}
pairs_table() {
  local parts=() part
  while read -r part; do parts+=("$part.a.csv"); done < <(cad_parts)
  echo "| scene | query | bvpack | FCL | times faster | answers that differ |"
  echo "|---|---|---|---|---|---|"
  means "two copies of each of ${#parts[@]} CAD parts tumbling, geometric mean" "${parts[@]}"
  scene "of these, a robot link (46 k)" link_3.a.csv A "5 % of half its size"
  scene "two copies of a plant (2 M) tumbling" plant_2M.a.csv A "5 % of half its size"
  scene "a drive (43 k) moving in the plant" plant_2M.b.csv B "5 % of its size"
  scene "a drive moving in a plant of 10 M" plant_10M.b.csv B "5 % of its size"
  scene "a drive moving at a scan (1.1 M)" sphere_1M.b.csv B "5 % of its size"
  mating "parts of the plant in their seats, not touching" plant_2M_tree.g.csv
}

# ---- rays ----
rays_table() {
  local csv
  echo "| rays | | bvpack, one a call | batched | Embree medium | one / medium | batched / medium | one / compact, robust |"
  echo "|---|---|---|---|---|---|---|---|"
  for csv in plant_2M plant_10M; do
    [ -f $csv.r.csv ] || continue
    awk -F, -v name="${csv/_/ of }" 'BEGIN {
        full["P"] = "primary"; full["S"] = "segments"; full["A"] = "any hit"; full["C"] = "closest points" }
      NR > 1 { printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, full[$1], $5, $6, $7, $9, $10, $11
        name = "" }' $csv.r.csv
  done
}

# ---- the rest ----
row() { # MATTER VALUE...: left out where a value is empty
  local matter=$1 text=$2
  shift 2
  local value
  for value in "$@"; do
    [ -n "$value" ] || return 0
    text=${text/\%/$value}
  done
  echo "| $matter | $text |"
}
range() { # FILE.. of info: hierarchy, whole without numbers, numbers: least to most
  local json
  for json in "$@"; do bytes "$json" file_size id_size; echo; done |
    awk 'NF { if (!n++ || $1 < lo) lo = $1; if ($1 > hi) hi = $1 } END { if (n) printf "%s to %s", lo, hi }'
}
large_parts() {
  local name count
  while read -r name; do
    count=$(awk -F'[:,]' '/"unique_triangle_count"/ { print $2 }' "$name.info.json")
    [ "$count" -le 40000 ] || echo "$name.info.json"
  done < <(cad_parts)
}
peer_bytes() { # LIBRARY
  [ ! -f plant_2M.start.csv ] || awk -F, -v who="$1" '$1 == who { printf "%.0f", $4 }' plant_2M.start.csv
}
peer_start() { # LIBRARY
  [ ! -f plant_2M.start.csv ] || awk -F, -v who="$1" '$1 == who { printf "%.1f", $6 }' plant_2M.start.csv
}
matters_table() {
  local plant=plant_2M large
  mapfile -t large < <(large_parts)
  echo "| matter | measured |"
  echo "|---|---|"
  row "plant of 2 M triangles as a file, bytes a triangle" "% with the source's triangle numbers, % without; of these % hierarchy" \
    "$(bytes $plant.info.json file_size)" "$(bytes $plant.info.json file_size id_size)" \
    "$(bytes $plant.info.json hierarchy_size)"
  row "the peers' memory for it, bytes a triangle" "FCL %, CGAL %, Embree % medium, % compact and robust" \
    "$(peer_bytes 'FCL OBBRSS')" "$(peer_bytes 'CGAL AABB_tree')" "$(peer_bytes 'Embree medium')" \
    "$(peer_bytes 'Embree compact robust')"
  row "CAD parts over 40,000 triangles, without numbers" "% bytes a triangle" "$(range "${large[@]}")"
  row "packing it" "% million triangles a second, one thread; % times as fast with two" \
    "$(field $plant.build.csv pack 5)" \
    "$(over "$(field $plant.build.csv pack 3)" "$(field $plant.build.csv pack,2 3)")"
  row "from a path to the first answer, in a process that has asked other files" "% us; % us when the file is not in the page cache" \
    "$(field $plant.open.csv used,warm 4)" "$(field $plant.open.csv used,cold 4)"
  row "the same at 10 M triangles" "% us; % us" \
    "$(field plant_10M.open.csv used,warm 4)" "$(field plant_10M.open.csv used,cold 4)"
  row "the same from STL by the peers, 2 M" "FCL % s, CGAL % s, Embree % s" "$(peer_start 'FCL OBBRSS')" \
    "$(peer_start 'CGAL AABB_tree')" "$(peer_start 'Embree medium')"
  row "pages of 4 KiB that a cold query touches" "% collide, % distance" \
    "$(field $plant.open.csv collide 2)" "$(field $plant.open.csv distance 2)"
  row "16 processes on this file" "% KiB together, % of each its own" \
    "$(field $plant.open.csv 16, 2)" "$(field $plant.open.csv 16, 3)"
  for plant in plant_2M plant_10M plant_100M; do
    row "what clashes or is within 5 mm in a plant of ${plant#plant_} triangles" "% s, % with two threads" \
      "$(field $plant.k.csv bvpack,1,verdicts 4)" "$(field $plant.k.csv bvpack,2,verdicts 4)"
    row "the same by FCL's manager" "% s and % s" \
      "$(field $plant.k.csv 'FCL manager,1,clash' 4)" "$(field $plant.k.csv 'FCL manager,1,within' 4)"
  done
  plant=plant_2M
  row "instances against one part with all their triangles" "at most % times its time; at 43,000 instances %" \
    "$(largest $plant.instances.csv 5)" "$(largest plant_10M.instances.csv 5)"
  row "an export of 2,000 parts, packed once more after 1 % of them changed" \
    "thin: % of the first time's processor time, % of its wall time; fat: % and %" \
    "$(field second.export.csv thin,changed 8)" "$(field second.export.csv thin,changed 7)" \
    "$(field second.export.csv fat,changed 8)" "$(field second.export.csv fat,changed 7)"
}

{
  echo "On $(paste -sd, machine.txt | sed 's/,/, /g'), one thread; microseconds a query, million rays a second."
  echo
  pairs_table
  echo
  rays_table
  echo
  matters_table
} >README.numbers
awk -v from=README.numbers '
  /^<!-- numbers/ { print; while ((getline line < from) > 0) print line; skip = 1 }
  /^<!-- end of numbers/ { skip = 0 }
  !skip && !/^<!-- numbers/ { print }' "$readme" >README.new
rm -f README.numbers
cat README.new >"$readme"
rm -f README.new
echo "$readme has the numbers of $1"
