#!/bin/bash
# SPDX-License-Identifier: MIT
# The adapters of samples/engines and their samples, with the engines that are installed: Bullet,
# FCL, ODE; Jolt where $JOLT names a folder with Jolt/Jolt.h and libJolt.a. Each is compared with
# the engine's own mesh of the same triangles; then Bullet on a plant of 10 M triangles, with the
# goals; Godot and three-mesh-bvh by what extract writes. What is not installed is skipped with a word. Run by `make check-adapters`.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
build=$(cd "${BVP_BUILDDIR:-.}" && pwd)
shared=${BVP_SHARED-$src/../shared}
cxx=${CXX:-c++}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0 ran=0
complain() { echo "check_adapters: $*"; fail=1; }

# name source flags...: into the scratch folder; engines' own headers are not clean under all of these
builds() {
  local name=$1 source=$2
  shift 2
  # shellcheck disable=SC2086 # CXX and the flags may be several words
  $cxx -O2 -Wall -Wextra -I "$src/libfmt" -I "$src/samples/engines" "$src/$source" -o "$scratch/$name" \
    "$@" -std=c++17 ${HOUSE_LDFLAGS-} "$build/.libs/libbvpack.so" -Wl,-rpath,"$build/.libs" && return
  complain "$source does not build"
  return 1
}
packs() { # model name
  "$BVPACK" "$src/samples/models/$1" -q -o "$scratch/$2.bvp" || exit 1
}
BVP_CPP_ALL=1 bash "$src/tests/cpp/check_cpp.sh" || complain "check_cpp.sh fails with every combination"

runs() { # program arguments...
  echo "== $*"
  (cd "$scratch" && "./$1" "${@:2}") || complain "$1 fails"
}
# engine package: true where pkg-config knows it; sets flags
has() {
  if ! pkg-config --exists "$2"; then
    echo "== $1: skipped, no $2"
    return 1
  fi
  read -ra flags < <(pkg-config --cflags --libs "$2" | sed 's/-I/-isystem /g')
  ran=1
}
packs rob.obj rob
packs env.obj env
packs plate_holes.STL plate

if has Bullet bullet; then
  builds bullet_drop samples/engines/bullet_drop.cc "${flags[@]}" && runs bullet_drop plate.bvp
  builds bullet_case tests/cpp/bullet_case.cc "${flags[@]}" && runs bullet_case env.bvp 60 400 .001
fi
if has FCL fcl; then
  builds fcl_near samples/engines/fcl_near.cc "${flags[@]}" && runs fcl_near plate.bvp
  builds fcl_case tests/cpp/fcl_case.cc "${flags[@]}" && runs fcl_case rob.bvp
fi
if has ODE ode; then
  builds ode_drop samples/engines/ode_drop.cc "${flags[@]}" && runs ode_drop plate.bvp
  builds ode_case tests/cpp/ode_case.cc "${flags[@]}" && runs ode_case env.bvp
fi
if [ -f "${JOLT-}/Jolt/Jolt.h" ]; then
  ran=1
  # as Jolt is built for release: without RTTI and asserts
  flags=(-DNDEBUG -fno-rtti -isystem "$JOLT" "$JOLT/libJolt.a" -lpthread)
  builds jolt_drop samples/engines/jolt_drop.cc "${flags[@]}" && runs jolt_drop plate.bvp
  builds jolt_case tests/cpp/jolt_case.cc "${flags[@]}" && runs jolt_case env.bvp && runs jolt_case rob.bvp
else
  echo "== Jolt: skipped, JOLT names no folder with Jolt/Jolt.h and libJolt.a"
fi

# what is no C++: a script of its own each
for other in cpp/check_godot.sh web/check_three_mesh_bvh.sh; do
  echo "== $other"
  BVP_SRCDIR=$src bash "$src/tests/$other"
  status=$?
  [ $status = 77 ] || ran=1
  [ $status = 0 ] || [ $status = 77 ] || complain "$other fails"
done

# the goals: ready in 50 ms, 10 MB, a step of 1.2 times Bullet's
if [ -x "$scratch/bullet_case" ] && [ -f "$shared/plant/plant.c" ]; then
  ${CC:-cc} -O2 "$shared/plant/plant.c" -lm -o "$scratch/plant" &&
    "$scratch/plant" 10000000 1 0.001 - "$scratch/plant.glb" >/dev/null &&
    "$BVPACK" "$scratch/plant.glb" -q -o "$scratch/plant_10M.bvp" || complain "no plant"
  runs bullet_case plant_10M.bvp 200 400 1 | tee "$scratch/rows"
  awk -F, '$1 == "ready ms" { n++; bad += $2 > 50 } $1 ~ /^anonymous/ { n++; bad += $2 > 10 }
    $1 ~ /^step/ { n++; bad += $4 > 1.2 } END { exit n != 4 || bad }' "$scratch/rows" ||
    complain "a goal of Bullet on plant_10M is missed, or the case failed"
else
  echo "== plant_10M: skipped, it needs Bullet and $shared/plant/plant.c"
fi
[ $ran = 1 ] || { echo "check_adapters: no engine is installed"; exit 77; }
exit $fail
