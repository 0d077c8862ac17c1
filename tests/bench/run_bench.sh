#!/bin/bash
# SPDX-License-Identifier: MIT
# Times bvpack beside the peers that are installed (Debian: libfcl-dev libembree-dev libcgal-dev libbullet-dev
# libode-dev; then configure again). In the build directory: make bench
#
#   BENCH_EFFORT=N      1 takes half an hour on two cores; 0.2 a few, without the plant of 10 M; 5 hours
#   BVP_SHARED=FOLDER   test data: more CAD parts and assemblies, and the plants' generator
#   BENCH_MACHINE=NAME  what this machine is called among the results
#   BENCH_ONLY=clash    clashes of whole plants only, as `make bench-clash`
#
# Results, table.md and goals.md go to bench/ of the build directory, all figures to results.csv there (results.sh
# says what its rows are). `make bench-save` copies that to tests/bench/results/MACHINE.csv, to be committed;
# `make bench-readme` writes README's tables from it.
#
# The protocols, which name the files too (SCENE.PROTOCOL.csv):
#   tumble     two copies of a model, at twelve distances and all rotations
#   approach   the same at the least of these distances, where they are close; in tumble's file
#   mover      a small model at the surface of a large one
#   facing     two bumpy sheets that face one another, 1e-1 to 1e-5 apart
#   mating     pairs of an assembly's instances that are near and apart, bolts in their seats
#   hard       slivers, surfaces side by side, near copies, strays: where there are cliffs
#   warm       a smooth path, asked with and without what the last query proved
#   convex     solid shapes near a model's surface
#   penetration  how deep two boxes, and two parts, are in each other
#   candidates  the triangles near a body's box, with their corners
#   tables     instances, nodes, parts and triangles read in bulk and row by row
#   broad      many moving bodies, one hundredth of them in a pair: the pairs of their boxes, step by step
#   rays       primary rays, segments, any hit, ambient occlusion, shadows: each ray once
#   closest    the point of a model that is closest to one; in the file of rays
#   open       from the path of a file to its first answer
#   memory     what 1 and 16 processes on a file take; in the file of open
#   start      from a model's file to its first answer, beside peers that read STL and build
#   build      welding and packing
#   import     reading models of text, beside strtof and a search for newlines
#   refit      a deformed part refitted and built anew, and queries of both
#   export     a second export by way of a store
#   instances  an assembly against one part with all its triangles
#   clash      clash and clearance of a whole plant
#   size       bytes and counts of the packed file (SCENE.info.json)
#
# "times_slower" is the peer's time over ours: the median of five rounds in which all are asked in turn,
# with the quartiles, and "worst" of the question at which we stand worst. Of two bodies that are hard, who needs
# over a second for a question is stopped: its time is then a bound. parts.txt names the CAD parts over which the goals' means go.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
shared=${BVP_SHARED-$src/../shared}
effort=${BENCH_EFFORT:-1}
out=bench
models=$shared/models/mesh
assemblies=$shared/models/assembly
scaled() { awk -v x="$1" -v effort="$effort" 'BEGIN { printf "%.9g\n", x * effort }'; }
at_least() { awk -v x="$1" -v effort="$effort" 'BEGIN { exit !(effort >= x) }'; }
BENCH_LIMIT=$(scaled 2) # seconds a row
export BENCH_LIMIT
rays=$(printf '%.0f' "$(scaled 400000)")
rm -rf $out
mkdir -p $out
{
  grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//'
  echo "$(nproc) cores"
  "${CC:-cc}" --version | head -1
  echo "effort $effort"
} >$out/machine.txt
bash "$src/tests/bench/machine.sh" >$out/name.txt

# ---- steps ----
say() { echo "== $* ($((SECONDS / 60)) min $((SECONDS % 60)) s)"; }
pack() { # MODEL NAME
  "$BVPACK" "$1" -q -o "$out/$2.bvp"
  "$BVPACK" info --json "$out/$2.bvp" >"$out/$2.info.json"
}
pack_part() { # ASSEMBLY.bvp PART NAME
  "$BVPACK" extract "$1" --part "$2" -q -o "$out/$3.stl"
  pack "$out/$3.stl" "$3"
}
pack_flat() { # TREE.bvp NAME: all instances as one part
  "$BVPACK" extract "$1" -q --format stl -o - | "$BVPACK" pack - --format stl -q -o "$out/$2.bvp"
}
open_file() { say "$1: open"; tests/bench/bench_open "$out/$1.bvp" 51 | tee "$out/$1.open.csv"; }
copies() { # NAME tumble|both: tumble and approach
  say "$1: $2"
  tests/bench/bench_pairs "$2" "$out/$1.bvp" | tee "$out/$1.tumble.csv"
}
mover() { # ENVIRONMENT MOVER SIDE K
  say "$1: mover"
  tests/bench/bench_pairs mover "$out/$1.bvp" "$out/$2.bvp" "$3" "$4" | tee "$out/$1.mover.csv"
}
paths() { # NAME ARGUMENT...
  say "$1: warm"
  tests/bench/bench_warm "${@:2}" | tee "$out/$1.warm.csv"
}
penetration() { # PART...: closed ones
  say penetration
  tests/bench/bench_penetration 1000 "${@/#/$out/}" | tee $out/pairs.penetration.csv
}
candidates() { # NAME SIDE, in metres: a body's box
  say "$1: candidates"
  tests/bench/bench_candidates "$out/$1.bvp" "$2" | tee "$out/$1.candidates.csv"
}
tables() { say "$1: tables"; tests/bench/bench_tables "$out/$1.bvp" | tee "$out/$1.tables.csv"; }
convex() { say "$1: convex"; tests/bench/bench_convex "$out/$1.bvp" | tee "$out/$1.convex.csv"; }
mating() { say "$1: mating"; tests/bench/bench_mating "$out/$1.bvp" "$2" | tee "$out/$1.mating.csv"; }
broad() { # NAME: its parts as bodies
  say "$1: broad"
  {
    tests/bench/bench_broad "$out/$1.bvp" 1000 200
    tests/bench/bench_broad "$out/$1.bvp" 10000 60 | tail -n +2
    # FCL's refitted tree takes minutes a step where so many jump
    tests/bench/bench_broad "$out/$1.bvp" 100000 12 slow few | tail -n +2
  } | tee "$out/$1.broad.csv"
}
cast_rays() { say "$1: rays, closest"; tests/bench/bench_rays "$out/$1.bvp" "$rays" | tee "$out/$1.rays.csv"; }
start() { # NAME STL all|rays
  say "$1: start"
  tests/bench/bench_start "$2" "$out/$1.bvp" "$3" | tee "$out/$1.start.csv"
}
instances() { # NAME: of its tree and of the same as one part
  say "$1: instances"
  # 500 questions stay in the caches when they are asked again, and then the flat part gains most
  tests/bench/bench_instances "$out/$1_tree.bvp" "$out/$1_flat.bvp" $out/cycloidal.bvp 1 2000 |
    tee "$out/$1.instances.csv"
}

clash() {
  if [ -f "$shared/plant/plant.c" ]; then
    "${CC:-cc}" -O2 "$shared/plant/plant.c" -lm -o $out/plant
    bash "$src/tests/bench/clash.sh" $out $out/plant
  else
    echo "skipped: clashes of plants, for there is no $shared/plant/plant.c"
  fi
}
if [ "${BENCH_ONLY:-}" = clash ]; then
  clash
  bash "$src/tests/bench/results.sh" $out >$out/results.csv
  bash "$src/tests/bench/goals.sh" $out/results.csv clash | tee $out/goals.md
  exit
fi

# ---- CAD parts ----
pack "$src/samples/models/cycloidal.ply" cycloidal
pack "$src/samples/models/irb6640_cell12.glb" cell
parts=(cycloidal)
for link in base_link link_1 link_2 link_3; do
  pack_part $out/cell.bvp $link.stl $link
  parts+=("$link")
done
if [ -d "$models" ]; then
  pack "$models/counter.unitsmm.STL" counter
  pack "$models/unitree_r1_flat.stl" robot_r1
  pack "$assemblies/unitree_h1_2.glb" robot_h1
  pack "$assemblies/2CylinderEngine.glb" engine
  pack_part $out/robot_h1.bvp torso_link.STL torso
  pack_part $out/robot_h1.bvp left_shoulder_yaw_link.STL shoulder
  pack_part $out/robot_h1.bvp R_hand_base_link.STL hand
  pack_part $out/robot_h1.bvp left_hip_pitch_link.STL hip
  pack_part $out/engine.bvp body_2 engine_body
  parts+=(counter robot_r1 torso shoulder hand hip engine_body)
else
  echo "skipped: more CAD parts and the engine, for there is no $models"
fi
printf '%s\n' "${parts[@]}" >$out/parts.txt
for part in "${parts[@]}"; do
  case $part in
    cycloidal | link_3 | counter) copies "$part" both ;;
    *) copies "$part" tumble ;;
  esac
done
open_file cycloidal
open_file cell
mating cell 0.005
[ ! -f $out/engine.bvp ] || mating engine 5
cast_rays cycloidal
convex cycloidal
convex link_3
pack "$src/samples/models/plate_holes.STL" plate_holes
closed=(plate_holes cycloidal)
if [ -d "$models" ]; then
  pack "$models/1002_tray_bottom.STL" tray
  pack "$models/ADIS16480.STL" housing
  closed+=(tray housing)
fi
penetration "${closed[@]/%/.bvp}"
candidates cell 0.3
tables cell
cast_rays link_3
cast_rays cell
[ ! -f $out/robot_r1.bvp ] || cast_rays robot_r1
paths cycloidal copies $out/cycloidal.bvp
paths link_3 copies $out/link_3.bvp
start link_3 $out/link_3.stl all
broad cell

say "a second export"
bash "$src/tests/bench/export.sh" tests/cli/make_export | tee $out/second.export.csv

# ---- scans, made here ----
for scan in "sphere 76 70k" "torus 132 70k" "sphere 304 1M" "torus 528 1M"; do
  read -r shape cells size <<<"$scan"
  name=${shape}_$size
  tests/bench/bench_scan "$shape" "$cells" "$out/$name.stl"
  pack "$out/$name.stl" "$name"
  copies "$name" tumble
  [ "$size" != 1M ] || mover "$name" cycloidal 1 2.5
  [ "$shape" != sphere ] || cast_rays "$name"
done
say "sheets: facing"
tests/bench/bench_pairs facing 100 | tee $out/sheets.facing.csv

# ---- hard cases, made here ----
say "hard cases"
if at_least 0.5; then quick=; else quick=--quick; fi
BENCH_LIMIT=$(scaled 1) tests/bench/bench_hard $quick | tee $out/cases.hard.csv

# ---- a deformed part, made here ----
say "torus: refit"
tests/bench/bench_refit "$(printf '%.0f' "$(scaled 1000000)")" | tee $out/torus.refit.csv

# ---- plants ----
make_plant() { # TRIANGLES NAME
  say "$2: make and pack"
  $out/plant "$1" 1 0.001 "$out/$2.stl" "$out/$2.glb"
  pack "$out/$2.stl" "$2"
  pack "$out/$2.glb" "$2_tree"
  pack_flat "$out/$2_tree.bvp" "$2_flat"
}
if [ -f "$shared/plant/plant.c" ]; then
  "${CC:-cc}" -O2 "$shared/plant/plant.c" -lm -o $out/plant
  make_plant 2000000 plant_2M
  open_file plant_2M
  copies plant_2M both
  mover plant_2M cycloidal 0.2 20
  paths plant_2M through $out/plant_2M.bvp $out/cycloidal.bvp 0.2
  mating plant_2M_tree 0.005
  instances plant_2M
  cast_rays plant_2M
  start plant_2M $out/plant_2M.stl all
  say "plant_2M: build"
  tests/bench/bench_build $out/plant_2M.stl 3 | tee $out/plant_2M.build.csv
else
  echo "skipped: the plants, for there is no $shared/plant/plant.c"
fi
if [ -f $out/plant ] && at_least 0.5; then
  make_plant 10000000 plant_10M
  open_file plant_10M
  copies plant_10M both
  mover plant_10M cycloidal 0.2 20
  mating plant_10M_tree 0.005
  instances plant_10M
  cast_rays plant_10M
  start plant_10M $out/plant_10M.stl rays
  say "plant_10M: build"
  tests/bench/bench_build $out/plant_10M.stl 1 | tee $out/plant_10M.build.csv
  say "plant_10M: import"
  ./bvpack extract $out/plant_10M.bvp -q -o $out/plant_10M.obj
  tests/bench/bench_import 3 $out/plant_10M.obj | tee $out/plant_10M.import.csv
  rm $out/plant_10M.obj
fi
rm -f $out/*.stl $out/*.glb
clash
say "done"
bash "$src/tests/bench/results.sh" $out >$out/results.csv
bash "$src/tests/bench/table.sh" $out/results.csv | tee $out/table.md
bash "$src/tests/bench/goals.sh" $out/results.csv | tee $out/goals.md
