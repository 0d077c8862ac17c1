#!/bin/bash
# SPDX-License-Identifier: MIT
# A library that queries wide hierarchies only (configure --with-kinds=wide) answers as others do, and says so
# of a file that it has no kind for. So does the smallest reader: besides, one copy of the kernels, for size
# (--disable-dispatch), where this machine has the instructions. Prints the text of both. Takes minutes:
# `make check-wide-only`.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
suites=(test_pairs test_instances test_ray test_warm) # property_tests, as in tests/support/run_suite.sh
part=$src/samples/models/plate_holes.STL
export BVP_SRCDIR=$src
fail=0

# check NAME CONFIGURE-ARGUMENT...: in a folder of that name
check() {
  local name=$1 suite kind status
  shift
  rm -rf "$name" && mkdir "$name" && cd "$name" || exit 99
  "$src/configure" -q CC="${CC:-cc}" --without-npm --with-kinds=wide "$@" >configure.out || exit 99
  ${MAKE:-make} -s bvpack tests/property/property_tests >make.out 2>&1 || { tail make.out; exit 1; }
  export BVPACK=$PWD/bvpack
  for suite in "${suites[@]}"; do
    tests/property/property_tests "$suite" >"$suite.out" || { cat "$suite.out"; fail=1; }
  done
  for kind in wide aabb obb; do
    ./bvpack pack "$part" --hierarchy $kind -q -o $kind.bvp && ./bvpack verify $kind.bvp || fail=1
    ./bvpack query collide $kind.bvp $kind.bvp >$kind.out 2>&1
    status=$?
    case $kind in
      obb) [ $status = 6 ] && grep -q 'over limit' obb.out ;;
      *) [ $status = 0 ] && grep -q yes $kind.out ;;
    esac || { echo "check_wide_only: $name: a query of kind $kind ended with $status"; fail=1; }
  done
  size .libs/libbvpack.so | awk -v name="$name" 'NR == 2 { print name ": libbvpack.so: " $1 " bytes of text" }'
  cd ..
}

check wide-only
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
  check smallest --disable-dispatch CFLAGS='-Os -march=x86-64-v3'
fi
exit $fail
