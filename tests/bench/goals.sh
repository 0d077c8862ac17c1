#!/bin/bash
# SPDX-License-Identifier: MIT
# What a benchmark run reached of what is aimed at: goal, measured, holds or falls short; matters
# that the run has no figure for are left out. Usage: goals.sh RESULTS.csv [clash]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
results=$1
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"

heading=
title() { heading=$1; } # printed before its first row
head_table() {
  [ -z "$heading" ] || printf '\n**%s**\n\n| matter | goal | measured | |\n|---|---|---|---|\n' "$heading"
  heading=
}
goal() { # MATTER min|max GOAL MEASURED
  [ -n "$4" ] || return 0
  head_table
  awk -v matter="$1" -v way="$2" -v goal="$3" -v got="$4" 'BEGIN {
    holds = way == "min" ? got + 0 >= goal + 0 : got + 0 <= goal + 0
    printf "| %s | %s %s | %s | %s |\n", matter, way == "min" ? ">=" : "<=", goal, got,
           holds ? "holds" : "falls short" }'
}
aside() { # MATTER MEASURED: no goal
  [ -n "$2" ] || return 0
  head_table
  echo "| $1 | none | $2 | for comparison |"
}
# Goals for the means, then for the queries of one scene; none: for comparison; -: not asked
four() { # MATTER PROTOCOL COLLIDE PAIRS DISTANCE WITHIN SCENE...
  local matter=$1 protocol=$2 goals=("$3" "$4" "$5" "$6") query k=0
  shift 6
  for query in collide pairs distance within; do
    case ${goals[k]} in
      -) ;;
      none) aside "$matter: $query" "$(times "$protocol" "$query" "$@")" ;;
      *) goal "$matter: $query" min "${goals[k]}" "$(times "$protocol" "$query" "$@")" ;;
    esac
    k=$((k + 1))
  done
}

echo "$(machine). Times are over the faster of FCL's trees; within over its distance."
title "Clash and 5 mm clearance of a whole plant, one thread"
two="bvpack on 2 threads"
verdicts() { value clash "$1" "verdicts seconds" "${2:-bvpack}"; } # PLANT [WHO]
an_instance() { # PLANT: microseconds of an instance
  over "$(verdicts "$1")" "$(ours size "$1_tree" instance_count)e-6"
}
for goals in "plant_2M 0.06" "plant_10M 0.35" "plant_100M 4"; do
  read -r plant most <<<"$goals"
  goal "$plant: seconds" max "$most" "$(verdicts "$plant")"
  goal "$plant: seconds when no more is asked than of the peer" max "$most" \
    "$(plus "$(ours clash "$plant" 'surfaces meet seconds')" "$(ours clash "$plant" 'nearer than the clearance seconds')")"
  goal "$plant: two threads, times one" min 1.9 "$(over "$(verdicts "$plant")" "$(verdicts "$plant" "$two")")"
  goal "$plant: pairs that FCL's manager reports and we do not" max 0 \
    "$(value clash "$plant" 'clash pairs_only_it_finds' 'FCL manager')"
done
goal "plant_100M: time an instance over that in plant_2M" max 1.25 "$(over "$(an_instance plant_100M)" "$(an_instance plant_2M)")"
goal "plant_100M: all contacts of pairs that penetrate, seconds more than verdicts take" max 5 \
  "$(less "$(ours clash plant_100M 'verdicts and contacts seconds')" "$(verdicts plant_100M)")"
aside "plant_100M: all contacts, of touching pairs too, seconds more than least distances take" \
  "$(less "$(ours clash plant_100M 'contacts seconds')" "$(ours clash plant_100M 'distances seconds')")"
goal "plant_100M: path to the first verdict, seconds" max 0.05 "$(ours clash plant_100M 'path to first verdict seconds')"
goal "plant_100M: bytes of the file that are not parts', an instance" max 100 \
  "$(over "$(ours size plant_100M_tree other_size)" "$(ours size plant_100M_tree instance_count)")"
goal "plant_100M: memory of the clash, MB" max 300 "$(value clash plant_100M 'clash MB' "$two")"
goal "plant_100M: packing from GLB, seconds" max 5 "$(value clash plant_100M 'pack seconds' "$two")"
goal "plant_100M: memory to pack, MB" max 400 "$(value clash plant_100M 'pack MB' "$two")"
[ "${2:-}" != clash ] || exit 0

mapfile -t parts < <(cad_parts)
title "Collision"
four "two copies of $(count_of tumble collide "${parts[@]}") CAD parts, mean" tumble 15 12 15 200 "${parts[@]}"
for plant in plant_2M plant_10M; do
  four "a mover in $plant" mover 10 12 35 200 $plant
  four "two copies of $plant" tumble 15 12 15 200 $plant
done
four "close copies of CAD parts, mean" approach 15 12 15 - "${parts[@]}"
four "two copies of scans of 70 k, mean" tumble none none none none sphere_70k torus_70k
four "two copies of scans of 1.1 M, mean" tumble none none none none sphere_1M torus_1M
four "a mover at scans of 1.1 M, mean" mover none none none none sphere_1M torus_1M
for scene in plant_2M_tree plant_10M_tree cell engine; do
  goal "mating parts, $scene: collide" min 15 "$(value mating $scene 'mating collide times_slower' 'FCL OBBRSS')"
  goal "mating parts, $scene: within 5 mm" min 15 "$(value mating $scene 'mating within times_slower' 'FCL OBBRSS')"
done
for gap in 1 2 3 4 5; do
  for query in collide distance; do
    goal "facing sheets 1e-$gap apart: $query, time over the better of our own OBB and RSS trees" max 2 \
      "$(over 1 "$(own facing "sheets 1e-$gap" "$query" '^bvpack (OBB|RSS)')")"
  done
done
for scene in plant_2M link_3 cycloidal; do
  for query in collide within distance; do
    goal "a smooth path, $scene: $query, warm over plain" min 2 "$(ours warm $scene "$query plain_over_warm")"
  done
done

title "Hard cases, times over the faster FCL"
hard() { # GOAL QUERY SCENE
  local row
  row=$(pair hard "$3" "$2" | cut -d'|' -f3)
  goal "$3: $2" min "$1" "$row"
}
for scene in "strips apart" "strips facing" "strips crossing"; do
  for query in collide within distance; do hard 2 $query "$scene"; done
done
for facets in 128 256 512 1024; do hard 1 collide "pipe $facets in its bore"; done
goal "pipe 512 in its bore: collide, time over that of the one parallel to an axis" max 1.2 \
  "$(over "$(pair hard 'pipe 512 in its bore' collide | cut -d'|' -f1)" \
    "$(pair hard 'pipe 512 parallel to an axis' collide | cut -d'|' -f1)")"
for scene in "plates flush" "plates tilted 1e-5" "oblique plates flush" "oblique plates tilted 1e-5"; do
  goal "$scene: distance, us" max 500 "$(pair hard "$scene" distance | cut -d'|' -f1)"
done
goal "copy turned 1e-9: collide, us" max 10 "$(pair hard 'copy turned 1e-9' collide | cut -d'|' -f1)"
goal "scan on itself 1e-4 off: collide, us" max 80 "$(pair hard 'scan on itself 1e-4 off' collide | cut -d'|' -f1)"
goal "boxes apart: collide, us" max 0.15 "$(pair hard 'boxes apart' collide | cut -d'|' -f1)"
for query in collide pairs distance within; do
  goal "any hard case: $query" min 1 "$(fastest hard FCL | awk -F, -v query=$query '
    $2 == query && $7 != "both" && (!n++ || $5 < least) { least = $5 } END { print least }')"
done

title "Many moving bodies: a step over that of the faster of FCL's managers"
least_broad() { # BODIES MOTION
  wide broad who times_slower | awk -F, -v what="$2 $1" '
    $2 == what && $4 != "-" && (!n++ || $4 + 0 < least) { least = $4 + 0 } END { if (n) print least }'
}
for motion in slow fast jumps few; do goal "10000 bodies, $motion" min 5 "$(least_broad 10000 $motion)"; done
for bodies in 1000 100000; do
  for motion in slow fast jumps few; do aside "$bodies bodies, $motion" "$(least_broad $bodies $motion)"; done
done

title "Rays, each once, with --rays, asked in floats"
over_embree() { # SCENE RAYS one|batched [LIBRARY]
  local measure=floats_over_it
  [ "$3" = one ] || measure=floats_batched_over_it
  value rays "$1" "$2 $measure" "${4:-Embree medium}"
}
for plant in plant_2M plant_10M; do
  for ray in primary segments "any hit"; do
    batch=1.15
    [ "$ray" != primary ] || batch=1.3
    goal "$plant, $ray: one a call, over Embree medium" min 0.95 "$(over_embree "$plant" "$ray" one)"
    goal "$plant, $ray: batched, over Embree medium, one a call" min $batch "$(over_embree "$plant" "$ray" batched)"
    goal "$plant, $ray: one a call, over Embree compact and robust" min 1.4 \
      "$(over_embree "$plant" "$ray" one 'Embree compact robust')"
  done
  goal "$plant, ambient: one a call, over Embree medium" min 0.8 "$(over_embree "$plant" ambient one)"
  goal "$plant: closest points, over rtcPointQuery" min 3 "$(value closest "$plant" 'points one_over_it' 'Embree medium')"
  goal "$plant: all in, bytes a triangle" max 16 "$(bytes "$plant" file_size)"
done
for scene in cell robot_r1 sphere_70k sphere_1M; do
  for ray in segments "any hit"; do
    goal "$scene, $ray: one a call, over Embree medium" min 1 "$(over_embree "$scene" "$ray" one)"
  done
  goal "$scene, ambient: one a call, over Embree medium" min 0.8 "$(over_embree "$scene" ambient one)"
done
title "Rays, each once, the default file"
for plant in plant_2M plant_10M; do
  for ray in primary segments "any hit"; do
    goal "$plant, $ray: one a call, over Embree medium" min 0.95 \
      "$(value rays "$plant" "$ray one_over_it" 'Embree medium')"
  done
done

title "Bytes a triangle"
for name in $(scenes size | grep -x plant_2M) $(large_parts | LC_ALL=C sort); do
  goal "$name: hierarchy" max 2.0 "$(bytes "$name" hierarchy_size)"
  goal "$name: whole file without numbers" max 11.0 "$(bytes "$name" file_size id_size)"
  goal "$name: numbers" max 1.5 "$(bytes "$name" id_size)"
done

title "Packing"
goal "million triangles a second, one thread" min 2 "$(ours build plant_2M 'pack mtri_per_processor_s')"
goal "two threads over one" min 1.9 \
  "$(over "$(ours build plant_2M 'pack wall_s')" "$(value build plant_2M 'pack wall_s' "$two")")"
goal "fast, million triangles a second, one thread" min 8 "$(ours build plant_2M 'fast mtri_per_processor_s')"
for query in collide pairs distance within; do
  goal "fast, a mover in plant_2M, time over the default's: $query" max 1.3 \
    "$(own mover plant_2M "$query" '^bvpack fast')"
done
goal "memory, bytes a triangle" max 100 "$(ours build plant_2M 'pack peak_bytes')"

for mode in thin fat; do
  goal "a second export with 1 % changed, $mode: processor time over the first one's" max 0.03 \
    "$(ours export second "$mode changed cpu_over_first")"
  goal "the same, wall time" max 0.03 "$(ours export second "$mode changed wall_over_first")"
done

title "Opening"
for plant in plant_2M plant_10M; do
  goal "$plant: first answer of a process that has asked other files, page cache cold, us" max 1000 \
    "$(ours open "$plant" 'used cold first_answer_us')"
  goal "$plant: first answer, warm, us" max 50 "$(ours open "$plant" 'used warm first_answer_us')"
  goal "$plant: 16 processes on one file, KiB of each its own" max 1024 \
    "$(ours memory "$plant" '16 processes private_KiB_each')"
done
goal "plant_2M: pages of a cold collide query" max 8 "$(ours open plant_2M 'collide pages')"
goal "plant_2M: pages of a cold distance query" max 16 "$(ours open plant_2M 'distance pages')"
aside "plant_10M: pages of a cold collide query" "$(ours open plant_10M 'collide pages')"
aside "plant_10M: pages of a cold distance query" "$(ours open plant_10M 'distance pages')"
goal "plant_10M: instances, dearest question over one flat part" max 1.5 "$(largest instances plant_10M ratio)"
aside "plant_2M: instances, dearest question over one flat part" "$(largest instances plant_2M ratio)"

title "Answers"
goal "poses with a wrong answer of ours, by exact arithmetic" max 0 \
  "$(awk -F, '$3 ~ / ours_wrong$/ { sum += $5 } END { print sum + 0 }' "$results")"
