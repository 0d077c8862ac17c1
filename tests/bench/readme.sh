#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes README's tables, between its two marks, from a benchmark run: `make bench-readme`.
# Usage: readme.sh RESULTS.csv README
set -eu
here=$(cd "$(dirname "$0")" && pwd)
results=$1 readme=$2
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"

# ---- two bodies ----
query_names() {
  case $1 in
    collide) echo collide ;;
    pairs) echo "all pairs" ;;
    distance) echo distance ;;
    *) echo "within $2" ;;
  esac
}
scene() { # TITLE PROTOCOL SCENE WITHIN
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
means() { # TITLE SCENE...
  local title=$1 query row
  shift
  for query in collide pairs distance within; do
    row=$(times tumble $query "$@")
    [ -n "$row" ] || continue
    echo "| $title | $(query_names $query '5 % of half the size') | | | $row, worst $(worst tumble $query "$@") | |"
    title=
  done
}
mating() { # TITLE SCENE
  wide mating all bvpack:us FCL_OBBRSS:us FCL_OBBRSS:times_slower FCL_OBBRSS:pairs_that_differ |
    awk -F, -v title="$1" -v scene="$2" '$1 == scene && sub(/^mating /, "", $2) {
      printf "| %s | %s | %.1f | %s | %.0f | %d |\n", title, $2 == "within" ? "within 5 mm" : $2, $4,
             $2 == "within" ? "its distance" : sprintf("%.0f", $5), $6, $7
      title = "" }'
}
pairs_table() {
  local parts
  mapfile -t parts < <(cad_parts)
  echo "| scene | query | bvpack | FCL | times faster | answers that differ |"
  echo "|---|---|---|---|---|---|"
  means "two copies of each of ${#parts[@]} CAD parts tumbling, geometric mean" "${parts[@]}"
  scene "of these, a robot link (46 k)" tumble link_3 "5 % of half its size"
  scene "two copies of a plant (2 M) tumbling" tumble plant_2M "5 % of half its size"
  scene "a drive (43 k) moving in the plant" mover plant_2M "5 % of its size"
  scene "a drive moving in a plant of 10 M" mover plant_10M "5 % of its size"
  scene "a drive moving at a scan (1.1 M)" mover sphere_1M "5 % of its size"
  mating "parts of the plant in their seats, not touching" plant_2M_tree
}

# ---- rays, hard cases ----
# A chapter that these results lack is from the first machine's that has it
with() { # PROTOCOL FUNCTION
  local file
  for file in "$results" "$here"/results/*.csv; do
    ! grep -q "^$1," "$file" || break
  done
  [ "$file" = "$results" ] || (results=$file && echo "On $(machine)." && echo)
  (results=$file && "$2")
}
# Of Embree, for batches, the better of its packets and streams counts
rays_of() { # SCENE TITLE
  wide rays who one_a_call batched one_over_it floats_over_it floats_over_it_worst floats_batched_over_it |
    awk -F, -v scene="$1" -v title="$2" '
    $1 != scene { next }
    !($2 in seen) { order[++n] = $2; seen[$2] = 1 }
    $3 == "bvpack" { one[$2] = $4 }
    $3 == "bvpack floats" { floats[$2] = $4 }
    $3 == "bvpack floats batched" { batched[$2] = $4 }
    $3 == "Embree medium" { medium[$2] = $4; ratio[$2] = $6; with[$2] = $7; worst[$2] = $8; many[$2] = $9 }
    $3 ~ /^Embree medium (packets|stream)$/ && (!($2 in both) || $9 < both[$2]) { both[$2] = $9; theirs[$2] = $5 }
    $3 == "Embree compact robust" { robust[$2] = $7 }
    END {
      for (k = 1; k <= n; k++) {
        ray = order[k]
        if (ray in medium)
          printf "| %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", title, ray, one[ray],
                 floats[ray], batched[ray], medium[ray], theirs[ray], ratio[ray], with[ray], worst[ray], many[ray],
                 both[ray], robust[ray]
        title = ""
      }
    }'
}
rays_table() {
  echo "| rays, each once | | bvpack, default file | \`--rays\`, floats | batched | Embree medium | batched | default / medium | \`--rays\` / medium | worst block | batched / medium | batched / batched | \`--rays\` / compact, robust |"
  echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  rays_of plant_2M "plant of 2M"
  rays_of plant_10M "plant of 10M"
  rays_of cell "twelve robots (2.6 M)"
  rays_of robot_r1 "a dense robot (447 k)"
  rays_of link_3 "a robot link (46 k)"
  rays_of sphere_70k "a scan (70 k)"
}
closest_table() {
  echo "| closest points | bvpack, one a call | batched | Embree medium | one / medium | batched / medium | one / compact, robust |"
  echo "|---|---|---|---|---|---|---|"
  wide closest all bvpack:one_a_call bvpack:batched Embree_medium:{one_a_call,one_over_it,batched_over_it} \
    Embree_compact_robust:one_over_it | awk -F, '$1 ~ /^plant/ {
      sub(/_/, " of ", $1)
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $4, $5, $6, $7, $8, $9 }'
}
hard_table() {
  echo "| hard cases | mean of how many times faster than FCL | worst | worst is | at the worst question |"
  echo "|---|---|---|---|---|"
  fastest hard FCL | awk -F, '
    $7 == "both" { next }
    !($2 in n) { order[++names] = $2 }
    !n[$2]++ || $5 + 0 < worst[$2] { worst[$2] = $5 + 0; where[$2] = $1 }
    n[$2] == 1 || $6 + 0 < pose[$2] { pose[$2] = $6 + 0 }
    { sum[$2] += log($5) }
    END {
      for (k = 1; k <= names; k++) {
        name = order[k]
        printf "| %s, %d scenes | %.2g | %.2g | %s | %.2g |\n", name == "pairs" ? "all pairs" : name, n[name],
               exp(sum[name] / n[name]), worst[name], where[name], pose[name]
      }
    }'
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
range() { # SCENE...: whole files without numbers, least to most
  local scene
  for scene in "$@"; do bytes "$scene" file_size id_size; echo; done |
    awk 'NF { if (!n++ || $1 < lo) lo = $1; if ($1 > hi) hi = $1 } END { if (n) printf "%s to %s", lo, hi }'
}
peer() { # FORMAT MEASURE WHO: of starting with the plant
  local got
  got=$(value start plant_2M "$2" "$3")
  # shellcheck disable=SC2059 # a format
  [ -z "$got" ] || printf "$1" "$got"
}
matters_table() {
  local plant=plant_2M large two="bvpack on 2 threads"
  mapfile -t large < <(large_parts)
  echo "| matter | measured |"
  echo "|---|---|"
  row "plant of 2 M triangles as a file, bytes a triangle" "% with the source's triangle numbers, % without; of these % hierarchy" \
    "$(bytes $plant file_size)" "$(bytes $plant file_size id_size)" \
    "$(bytes $plant hierarchy_size)"
  row "the peers' memory for it, bytes a triangle" "FCL %, CGAL %, Embree % medium, % compact and robust" \
    "$(peer %.0f bytes_per_triangle 'FCL OBBRSS')" "$(peer %.0f bytes_per_triangle 'CGAL AABB_tree')" "$(peer %.0f bytes_per_triangle 'Embree medium')" \
    "$(peer %.0f bytes_per_triangle 'Embree compact robust')"
  row "CAD parts over 40,000 triangles, without numbers" "% bytes a triangle" "$(range "${large[@]}")"
  row "packing it" "% million triangles a second, one thread; % times as fast with two" \
    "$(ours build $plant 'pack mtri_per_processor_s')" \
    "$(over "$(ours build $plant 'pack wall_s')" "$(value build $plant 'pack wall_s' "$two")")"
  row "from a path to the first answer, in a process that has asked other files" "% us; % us when the file is not in the page cache" \
    "$(ours open $plant 'used warm first_answer_us')" "$(ours open $plant 'used cold first_answer_us')"
  row "the same at 10 M triangles" "% us; % us" \
    "$(ours open plant_10M 'used warm first_answer_us')" "$(ours open plant_10M 'used cold first_answer_us')"
  row "the same from STL by the peers, 2 M" "FCL % s, CGAL % s, Embree % s" "$(peer %.1f warm_s 'FCL OBBRSS')" \
    "$(peer %.1f warm_s 'CGAL AABB_tree')" "$(peer %.1f warm_s 'Embree medium')"
  row "pages of 4 KiB that a cold query touches" "% collide, % distance" \
    "$(ours open $plant 'collide pages')" "$(ours open $plant 'distance pages')"
  row "16 processes on this file" "% KiB together, % of each its own" \
    "$(ours memory $plant '16 processes all_of_them_KiB')" "$(ours memory $plant '16 processes private_KiB_each')"
  for plant in plant_2M plant_10M plant_100M; do
    row "what clashes or is within 5 mm in a plant of ${plant#plant_} triangles" "% s, % with two threads" \
      "$(ours clash $plant 'verdicts seconds')" "$(value clash $plant 'verdicts seconds' "$two")"
    row "the same by FCL's manager" "% s and % s" \
      "$(value clash $plant 'clash seconds' 'FCL manager')" "$(value clash $plant 'within seconds' 'FCL manager')"
  done
  plant=plant_2M
  row "instances against one part with all their triangles" "at most % times its time; at 43,000 instances %" \
    "$(largest instances $plant ratio)" "$(largest instances plant_10M ratio)"
  row "an export of 2,000 parts, packed once more after 1 % of them changed" \
    "thin: % of the first time's processor time, % of its wall time; fat: % and %" \
    "$(ours export second 'thin changed cpu_over_first')" "$(ours export second 'thin changed wall_over_first')" \
    "$(ours export second 'fat changed cpu_over_first')" "$(ours export second 'fat changed wall_over_first')"
}

{
  echo "On $(machine), one thread; microseconds a query, million rays a second."
  echo
  pairs_table
  echo
  with hard hard_table
  echo
  with rays rays_table
  echo
  closest_table
  echo
  matters_table
} >"$readme.numbers"
awk -v from="$readme.numbers" '
  /^<!-- numbers/ { print; while ((getline line < from) > 0) print line; skip = 1 }
  /^<!-- end of numbers/ { skip = 0 }
  !skip && !/^<!-- numbers/ { print }' "$readme" >"$readme.new"
rm -f "$readme.numbers"
cat "$readme.new" >"$readme"
rm -f "$readme.new"
echo "$readme has the numbers of $results"
