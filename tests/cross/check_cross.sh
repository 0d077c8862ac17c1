#!/bin/bash
# SPDX-License-Identifier: MIT
# bvpack for AArch64 (run by qemu-user) and for musl: compiled without running a program of theirs, the same bytes as
# from this machine's program, the same answers, and the unit tests. A big-endian machine is refused by configure. Builds
# stay in cross/ of the build directory: half an hour at first. `make check-cross`.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
[ -x "${BVPACK-}" ] || { echo "check_cross: no program in \$BVPACK"; exit 99; }
mkdir -p cross && cd cross || exit 99
here=$PWD
models=$src/samples/models
fail=0 others=()
complain() { echo "check_cross: $*"; fail=1; }

# build HOST CC CONFIGURE-ARGUMENT...: in a folder of that name; false if there is nothing to build with
build() {
  local host=$1 cc=$2
  shift 2
  command -v "$cc" >/dev/null || { echo "skipped: $host: there is no $cc"; return 1; }
  bash "$src/tests/cross/build_libraries.sh" "$host" "libraries-$host" >"$host.libraries" 2>&1
  case $? in
    0) ;;
    77) echo "skipped: $host: $(tail -1 "$host.libraries")"; return 1 ;;
    *) complain "$host: the libraries cannot be built: $(tail -1 "$host.libraries")"; return 1 ;;
  esac
  mkdir -p "$host" && cd "$host" || exit 99
  [ -f Makefile ] || "$src/configure" -q --host="$host" CC="${CCACHE-}$cc" PKG_CONFIG='pkg-config --static' \
    PKG_CONFIG_LIBDIR="$here/libraries-$host/lib/pkgconfig" --disable-shared --enable-static --without-npm \
    --without-sodium --without-curl --without-meshoptimizer --without-draco "$@" >configure.out 2>&1 ||
    { tail -3 configure.out; complain "$host: configure"; }
  ${MAKE:-make} -s all tests/unit/unit_tests tests/unit/test_part >make.out 2>&1 || { tail -5 make.out; complain "$host: make"; }
  cd "$here" || exit 99
}

# A program that cannot be run here has no manual pages, and its build says so.
if build aarch64-linux-gnu aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ CFLAGS=-O2; then
  grep -q 'manual  *no' aarch64-linux-gnu/config.log || complain "AArch64: nothing says that the manual is left out"
  if command -v qemu-aarch64 >/dev/null; then
    for program in bvpack tests/unit/unit_tests tests/unit/test_part; do
      # shellcheck disable=SC2016 # "$@" is the wrapper's
      printf '#!/bin/sh\nexec qemu-aarch64 -L /usr/aarch64-linux-gnu %s "$@"\n' "$here/aarch64-linux-gnu/$program" \
        >"aarch64-${program##*/}" && chmod +x "aarch64-${program##*/}"
    done
    others+=("$here/aarch64-bvpack" "$here/aarch64-unit_tests" "$here/aarch64-test_part")
  else
    echo "skipped: AArch64: built, but there is no qemu-aarch64 to run it"
  fi
fi

# the headers of the kernel, which musl does not bring
mkdir -p kernel && for i in linux asm-generic; do ln -sfn /usr/include/$i kernel/; done
ln -sfn "/usr/include/$(gcc -print-multiarch 2>/dev/null)/asm" kernel/asm
if build x86_64-linux-musl musl-gcc CXX=false CFLAGS="-O2 -idirafter $here/kernel"; then
  others+=("$here/x86_64-linux-musl/bvpack" "$here/x86_64-linux-musl/tests/unit/unit_tests" "$here/x86_64-linux-musl/tests/unit/test_part")
fi

for cc in s390x-linux-gnu-gcc powerpc64-linux-gnu-gcc; do
  command -v $cc >/dev/null || { echo "skipped: there is no $cc"; continue; }
  mkdir -p big-endian
  (cd big-endian && "$src/configure" -q --host="${cc%-gcc}" >configure.out 2>&1) && complain "configure takes ${cc%-gcc}"
  grep -q 'stores the high byte of a number first' big-endian/configure.out || complain "configure does not say what is wrong with ${cc%-gcc}"
done
[ ${#others[@]} -gt 0 ] || { echo "check_cross: nothing could be built"; [ $fail = 1 ] || exit 77; exit 1; }

# suites of libfmt that need no GMP, which is not built for other systems
suites="test_batches test_box_box test_box_point test_box_ray test_checked test_checksum test_cluster test_codec
  test_convex_tri test_corners test_defects test_deform test_exact_product test_fit test_frame test_full_leaves test_grid
  test_hash_table test_header test_hierarchy_order test_hull_points test_ids test_info test_items test_key_sort test_large
  test_linear test_linear_order test_map test_morton test_obb_obb test_obb_tri8 test_oriented test_oriented_kernel
  test_pack test_pair_leaf test_partition test_product test_publish test_record test_refit_volume test_report
  test_rss_dist test_sample test_save test_simd test_split test_status test_thread_stack test_top test_turn test_utf8
  test_vertices test_volumes test_weld test_wide test_wide_build test_write"
programs=()
passes() { # PROGRAM SUITE...
  BVP_SRCDIR=$src CK_FORK=no "$@" >suite.out 2>&1 || { tail -5 suite.out; complain "failed: $*"; }
}
for other in "${others[@]}"; do
  case $other in
    *unit_tests) for suite in $suites; do passes "$other" "$suite"; done ;;
    *test_part) passes "$other" ;;
    *) programs+=("$other") ;;
  esac
done
BVP_SRCDIR=$src BVPACK_OTHERS="${programs[*]}" bash "$src/tests/house/check_determinism.sh" || fail=1

# the same answers
"$BVPACK" pack "$models/irb6640_cell12.glb" -q -o cell.bvp && "$BVPACK" pack "$models/plate_holes.STL" -q -o plate.bvp || exit 99
ask() { # PROGRAM
  "$1" verify cell.bvp && "$1" info cell.bvp && "$1" clash cell.bvp --clearance 5 --report found.csv -q && cat found.csv
  "$1" query collide plate.bvp plate.bvp --place-b 1,2,3,10,20,30
  "$1" query distance plate.bvp plate.bvp --place-b 300,20,10,10,20,30 --json
  "$1" query ray cell.bvp --origin 0,0,-100 --direction .01,.02,1 --all
}
ask "$BVPACK" >expected.txt 2>&1
for program in "${programs[@]}"; do
  ask "$program" >found.txt 2>&1
  cmp -s expected.txt found.txt || { complain "other answers: $program"; diff expected.txt found.txt | head -5; }
done
exit $fail
