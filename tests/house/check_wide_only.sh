#!/bin/bash
# SPDX-License-Identifier: MIT
# A library that queries wide hierarchies only (configure --with-kinds=wide) answers as others do, and says so
# of a file that it has no kind for; its text is printed. Takes minutes: `make check-wide-only`.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
rm -rf wide-only && mkdir wide-only && cd wide-only || exit 99
"$src/configure" -q CC="${CC:-cc}" --without-npm --with-kinds=wide >configure.out || exit 99
tests=(property/test_pairs property/test_instances property/test_ray property/test_warm)
${MAKE:-make} -s bvpack "${tests[@]/#/tests/}" >make.out || { tail make.out; exit 1; }
export BVP_SRCDIR=$src BVPACK=$PWD/bvpack
fail=0
for test in "${tests[@]}"; do
  "tests/$test" >"${test#*/}.out" || { cat "${test#*/}.out"; fail=1; }
done
part=$src/samples/models/plate_holes.STL
for kind in wide aabb obb; do
  ./bvpack pack "$part" --hierarchy $kind -q -o $kind.bvp && ./bvpack verify $kind.bvp || fail=1
  ./bvpack query collide $kind.bvp $kind.bvp >$kind.out 2>&1
  status=$?
  case $kind in
    obb) [ $status = 6 ] && grep -q 'over limit' obb.out ;;
    *) [ $status = 0 ] && grep -q yes $kind.out ;;
  esac || { echo "check_wide_only: a query of kind $kind ended with $status"; fail=1; }
done
size .libs/libbvpack.so | awk 'NR == 2 { print "libbvpack.so: " $1 " bytes of text" }'
exit $fail
