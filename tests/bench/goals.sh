#!/bin/bash
# SPDX-License-Identifier: MIT
# What a benchmark run reached of what is aimed at: goal, measured, holds or falls short; matters
# that the run has no file for are left out. Usage: goals.sh DIRECTORY [clash]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"
cd "$1"

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
four() { # MATTER SCENE COLLIDE PAIRS DISTANCE WITHIN FILE...
  local matter=$1 scene=$2 goals=("$3" "$4" "$5" "$6") query k=0
  shift 6
  for query in collide pairs distance within; do
    case ${goals[k]} in
      -) ;;
      none) aside "$matter: $query" "$(times "$scene" $query "$@")" ;;
      *) goal "$matter: $query" min "${goals[k]}" "$(times "$scene" $query "$@")" ;;
    esac
    k=$((k + 1))
  done
}

echo "$(paste -sd, machine.txt | sed 's/,/, /g'). Times are over the faster of FCL's trees; within over its distance."
title "Clash and 5 mm clearance of a whole plant, one thread"
an_instance() { # FILE: microseconds of an instance
  over "$(field "$1.k.csv" bvpack,1,verdicts 4)" "$(member "$1_tree.info.json" instance_count)e-6"
}
for goals in "plant_2M 0.06" "plant_10M 0.35" "plant_100M 4"; do
  read -r plant most <<<"$goals"
  csv=$plant.k.csv
  goal "$plant: seconds" max "$most" "$(field $csv bvpack,1,verdicts 4)"
  goal "$plant: seconds when no more is asked than of the peer" max "$most" \
    "$(plus "$(field $csv 'bvpack,1,surfaces meet' 4)" "$(field $csv 'bvpack,1,nearer than' 4)")"
  goal "$plant: two threads, times one" min 1.9 \
    "$(over "$(field $csv bvpack,1,verdicts 4)" "$(field $csv bvpack,2,verdicts 4)")"
  goal "$plant: pairs that FCL's manager reports and we do not" max 0 \
    "$(sed -n 's/^# only the peer: clash: \([0-9]*\).*/\1/p' $csv 2>/dev/null)"
done
goal "plant_100M: time an instance over that in plant_2M" max 1.25 "$(over "$(an_instance plant_100M)" "$(an_instance plant_2M)")"
goal "plant_100M: all contacts of pairs that penetrate, seconds more than verdicts take" max 5 \
  "$(less "$(field plant_100M.k.csv 'bvpack,1,verdicts and contacts' 4)" "$(field plant_100M.k.csv bvpack,1,verdicts 4)")"
aside "plant_100M: all contacts, of touching pairs too, seconds more than least distances take" \
  "$(less "$(field plant_100M.k.csv bvpack,1,contacts 4)" "$(field plant_100M.k.csv bvpack,1,distances 4)")"
goal "plant_100M: path to the first verdict, seconds" max 0.05 "$(field plant_100M.k.csv 'bvpack,1,path to first' 4)"
goal "plant_100M: bytes of the file that are not parts', an instance" max 100 \
  "$(over "$(member plant_100M_tree.info.json other_size)" "$(member plant_100M_tree.info.json instance_count)")"
goal "plant_100M: memory of the clash, MB" max 300 "$(field plant_100M.k.csv 'bvpack,2,MB to clash' 4)"
goal "plant_100M: packing from GLB, seconds" max 5 "$(field plant_100M.k.csv bvpack,2,pack 4)"
goal "plant_100M: memory to pack, MB" max 400 "$(field plant_100M.k.csv 'bvpack,2,MB to pack' 4)"
[ "${2:-}" != clash ] || exit 0

parts=()
while read -r part; do parts+=("$part.a.csv"); done < <(cad_parts)
title "Collision"
four "two copies of $(count_of A collide "${parts[@]}") CAD parts, mean" A 15 12 15 200 "${parts[@]}"
for plant in plant_2M plant_10M; do
  four "a mover in $plant" B 10 12 35 200 $plant.b.csv
  four "two copies of $plant" A 15 12 15 200 $plant.a.csv
done
four "close copies (D) of CAD parts, mean" D 15 12 15 - "${parts[@]}"
four "two copies of scans of 70 k, mean" A none none none none sphere_70k.a.csv torus_70k.a.csv
four "two copies of scans of 1.1 M, mean" A none none none none sphere_1M.a.csv torus_1M.a.csv
four "a mover at scans of 1.1 M, mean" B none none none none sphere_1M.b.csv torus_1M.b.csv
for scene in plant_2M_tree plant_10M_tree cell engine; do
  goal "mating parts, $scene: collide" min 15 "$(field $scene.g.csv 'G mating,collide' 6)"
  goal "mating parts, $scene: within 5 mm" min 15 "$(field $scene.g.csv 'G mating,within' 6)"
done
for gap in 1 2 3 4 5; do
  for query in collide distance; do
    goal "facing sheets 1e-$gap apart (F): $query, time over the better of our own OBB and RSS trees" max 2 \
      "$(over 1 "$(own sheets.f.csv "F 1e-$gap" $query '^bvpack (OBB|RSS)')")"
  done
done
for scene in plant_2M link_3 cycloidal; do
  for query in collide within distance; do
    goal "a smooth path (M), $scene: $query, warm over plain" min 2 "$(field $scene.m.csv "$query," 4)"
  done
done

title "Rays"
for plant in plant_2M plant_10M; do
  for ray in P S A; do
    one=0.95 batch=1.25
    [ $plant = plant_2M ] || batch=1.4
    [ $ray != P ] || one=1.0 batch=1.4
    goal "$plant, $ray: one a call, over Embree medium" min $one "$(field $plant.r.csv $ray, 9)"
    goal "$plant, $ray: batched, over Embree medium" min $batch "$(field $plant.r.csv $ray, 10)"
    goal "$plant, $ray: one a call, over Embree compact and robust" min 1.2 "$(field $plant.r.csv $ray, 11)"
  done
  goal "$plant: closest points, over rtcPointQuery" min 3 "$(field $plant.r.csv C, 9)"
  goal "$plant: all in, bytes a triangle" max 16 "$(bytes $plant.info.json file_size)"
done

title "Bytes a triangle"
for json in plant_2M.info.json $(grep -l '' ./*.info.json | sed 's|^\./||' | grep -v '^plant\|^cell\|^engine\.\|^robot_h1\|^sphere\|^torus'); do
  [ -f "$json" ] || continue
  count=$(awk -F'[:,]' '/"unique_triangle_count"/ { print $2 }' "$json")
  [ "$count" -gt 40000 ] || continue
  name=${json%.info.json}
  goal "$name: hierarchy" max 2.0 "$(bytes "$json" hierarchy_size)"
  goal "$name: whole file without numbers" max 11.0 "$(bytes "$json" file_size id_size)"
  goal "$name: numbers" max 1.5 "$(bytes "$json" id_size)"
done

title "Packing"
goal "million triangles a second, one thread" min 2 "$(field plant_2M.build.csv pack 5)"
goal "two threads over one" min 1.9 \
  "$(over "$(field plant_2M.build.csv pack 3)" "$(field plant_2M.build.csv pack,2 3)")"
goal "fast, million triangles a second, one thread" min 8 "$(field plant_2M.build.csv fast,1 5)"
for query in collide pairs distance within; do
  goal "fast, a mover in plant_2M, time over the default's: $query" max 1.3 \
    "$(own plant_2M.b.csv B $query '^bvpack fast')"
done
goal "memory, bytes a triangle" max 100 "$(field plant_2M.build.csv pack 7)"

for mode in thin fat; do
  goal "a second export with 1 % changed, $mode: processor time over the first one's" max 0.03 \
    "$(field second.export.csv $mode,changed 8)"
  goal "the same, wall time" max 0.03 "$(field second.export.csv $mode,changed 7)"
done

title "Opening"
for plant in plant_2M plant_10M; do
  goal "$plant: first answer of a process that has asked other files, page cache cold, us" max 1000 "$(field $plant.open.csv used,cold 4)"
  goal "$plant: first answer, warm, us" max 50 "$(field $plant.open.csv used,warm 4)"
  goal "$plant: 16 processes on one file, KiB of each its own" max 1024 "$(field $plant.open.csv 16, 3)"
done
goal "plant_2M: pages of a cold collide query" max 8 "$(field plant_2M.open.csv collide 2)"
goal "plant_2M: pages of a cold distance query" max 16 "$(field plant_2M.open.csv distance 2)"
aside "plant_10M: pages of a cold collide query" "$(field plant_10M.open.csv collide 2)"
aside "plant_10M: pages of a cold distance query" "$(field plant_10M.open.csv distance 2)"
goal "plant_10M: instances, dearest question over one flat part" max 1.5 "$(largest plant_10M.instances.csv 5)"
aside "plant_2M: instances, dearest question over one flat part" "$(largest plant_2M.instances.csv 5)"

title "Answers"
wrong=$(cat ./*.a.csv ./*.b.csv ./*.f.csv 2>/dev/null | awk -F, '$13 ~ /^[0-9]+$/ { sum += $13 } END { print sum + 0 }')
goal "poses with a wrong answer of ours, by exact arithmetic" max 0 "$wrong"
