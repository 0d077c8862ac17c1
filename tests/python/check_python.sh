#!/bin/bash
# SPDX-License-Identifier: MIT
# `make check-python`, in the build directory: all cases of the package for Python, the types, the
# source package against an installed library, the wheel, and what Python costs beside C. What needs
# a package that is absent is skipped with a word; trimesh's own tests run where BVP_TRIMESH names
# its repository, the rows of a plant where its generator is. Two minutes, and five more when the
# library is first compiled for AArch64, in aarch64/ of the build directory.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
build=$(cd "${BVP_BUILDDIR:-$PWD}" && pwd)
python=$(bash "$src/tools/python/build.sh" "$build") || { status=$?; echo "make check-python: $python"; exit $status; }
BVPACK=$(cd "$(dirname "${BVPACK:-./bvpack}")" && pwd)/bvpack
export BVPACK BVP_SRCDIR="$src" PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
fail=0
bad() { echo "check-python: FAIL: $*"; fail=1; }
with_build() { PYTHONPATH=$build/python "$@"; }

echo "== cases"
with_build "$python" -W error "$src/tests/python/run_cases.py" all || bad "cases"

echo "== sample"
"$BVPACK" pack -q "$src/samples/models/irb6640_cell12.glb" -o cell.bvp || exit 99
with_build "$python" "$src/samples/nearest.py" cell.bvp 1 2 3 | tee said
grep -q '^108 instances of 9 parts$' said && grep -q '^clashes: .* penetrating' said || bad "samples/nearest.py"

echo "== types"
if command -v mypy >/dev/null; then
  (cd "$build/python" && mypy --cache-dir="$scratch/mypy" --python-executable "$python" bvpack) || bad "mypy"
else
  echo "skipped: there is no mypy (Debian: mypy)"
fi

echo "== source package, against an installed library"
make -s -C "$build" install-libLTLIBRARIES install-includeHEADERS install-pkgconfigDATA DESTDIR="$scratch/root" >/dev/null 2>&1 ||
  bad "make install"
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
library=$scratch/root$(sed -n 's/^libdir = //p' "$build/Makefile" | sed "s|\${exec_prefix}|$prefix|")
tarball=$(bash "$src/tools/python/sdist.sh" "$build" "$scratch") || bad "sdist.sh"
tar -xzf "$tarball" && cd "${tarball%.tar.gz}" &&
  PKG_CONFIG_PATH=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$scratch/root \
    "$python" setup.py -q build --build-lib "$scratch/built" >"$scratch/log" 2>&1 || { tail -20 "$scratch/log"; bad "setup.py build"; }
cd "$scratch" || exit 99
ask='import bvpack; f = bvpack.open("cell.bvp"); print(bvpack.__version__, f.instance_count, f.body().closest([9, 9, 9]))'
LD_LIBRARY_PATH=$library PYTHONPATH=$scratch/built "$python" -c "$ask" || bad "the package that setup.py built"

echo "== wheel"
wheel=$(bash "$src/tools/python/wheel.sh" "$build" "$scratch/wheel")
status=$?
echo "$wheel"
if [ $status = 0 ]; then
  "$python" -m zipfile -e "${wheel##*$'\n'}" "$scratch/wheel/site" &&
    env -i PATH=/usr/bin:/bin PYTHONPATH="$scratch/wheel/site" "$python" -c "$ask" || bad "the wheel"
elif [ $status != 77 ]; then
  bad "wheel.sh"
fi

echo "== wheel for AArch64"
wheel=$(bash "$src/tools/python/cross_wheel.sh" "$build/aarch64" "$scratch/aarch64")
status=$?
echo "$wheel"
root=$build/aarch64/sysroot
libraries=$root/usr/lib/aarch64-linux-gnu
emulated() { # WORD...: its Python
  PYTHONPATH=$scratch/aarch64/site qemu-aarch64 -L "$root" -E "LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack" \
    "$(readlink -f "$root/usr/bin/python3")" "$@"
}
if [ $status = 0 ] && command -v qemu-aarch64 >/dev/null; then
  # all cases but those of other processes, which qemu-user cannot start
  "$python" -m zipfile -e "${wheel##*$'\n'}" "$scratch/aarch64/site" &&
    emulated -c 'import sys; sys.path.append(sys.argv[1]); import header_cdef; from bvpack._native import ffi; header_cdef.check_types(ffi)' \
      "$src/tools/python" &&
    emulated -W error "$src/tests/python/run_cases.py" doctest contents errors fcl pack queries raycasting ||
    bad "the wheel for AArch64"
elif [ $status = 0 ]; then
  echo "skipped: not tried, for there is no qemu-aarch64 (Debian: qemu-user)"
elif [ $status != 77 ]; then
  bad "cross_wheel.sh"
fi

echo "== rows"
"$BVPACK" pack -q "$src/samples/models/rob.obj" -o rob.bvp && "$BVPACK" pack -q "$src/samples/models/env.obj" -o env.bvp || exit 99
# shellcheck disable=SC2086 # a compiler may have words
${CC:-cc} -O2 -I "$src/libfmt" "$src/tests/python/bench_twin.c" -o twin -L "$build/.libs" -lbvpack -Wl,-rpath,"$build/.libs" || bad "bench_twin.c"
generator=${BVP_SHARED-$src/../shared}/plant/plant.c

if [ -f "$generator" ]; then
  ${CC:-cc} -O2 -o plant "$generator" -lm 2>/dev/null && ./plant 10000000 1 0.001 plant.stl plant.glb >/dev/null 2>&1 &&
    "$BVPACK" pack -q plant.glb -o plant_10M.bvp && "$BVPACK" pack -q plant.stl -o plant_10M_flat.bvp || bad "plant_10M"
  rm -f plant.stl plant.glb

else
  echo "plant_10M: skipped: there is no $generator"
fi
with_build "$python" "$src/tests/python/bench_python.py" ./twin env.bvp rob.bvp || bad "bench_python.py"
[ ! -f plant_10M.bvp ] || with_build "$python" "$src/tests/python/bench_python_tables.py" plant_10M.bvp || bad "bench_python_tables.py"
# workers with bytecode, as of a package that is installed: to compile it takes memory, too
cp -r "$build/python" installed && "$python" -m compileall -q installed/bvpack || bad "compileall"
for file in plant_10M.bvp plant_10M_flat.bvp; do
  [ ! -f $file ] || { echo "$file, $(stat -c %s $file) bytes:"; PYTHONPATH=$PWD/installed "$python" "$src/tests/python/bench_workers.py" $file || bad "$file"; }
done
exit $fail
