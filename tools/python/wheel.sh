#!/bin/bash
# SPDX-License-Identifier: MIT
# wheel.sh BUILDDIR OUTDIR: a wheel of the package for the architecture of BUILDDIR, with the library
# inside: BUILDDIR is a build with shared libraries, whose archives of convenience are linked into
# the module, with static zstd, xxHash and, if the library has it, libsodium; qhull, of which Debian
# has no archive that a shared library can take, lies beside it, as auditwheel would put it. For another
# architecture see cross_wheel.sh; for older systems run it in a container of an older one, such as
# quay.io/pypa's: the C library's version is that of the machine. Exit status 77 when something is missing.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2" && out=$(cd "$2" && pwd)
of_build() { sed -n "s/^$1 = //p" "$build/Makefile"; }
compiler=$(of_build CC)
if [ "$(of_build host_triplet)" != "$(of_build build_triplet)" ]; then
  # setuptools takes these; the headers of this machine's Python include what depends on the architecture from the sysroot
  export BVPACK_CROSS=1 CC="$compiler" LDSHARED="$compiler -shared"
  python=${PYTHON:-python3}
else
  python=$(bash "$src/build.sh" "$build") || { status=$?; echo "$python"; exit $status; }
fi
archives=
for name in build build_kernel_base build_kernel_avx2 read kernel_base kernel_avx2 core; do
  [ ! -e "$build/.libs/lib$name.a" ] || archives="$archives $build/.libs/lib$name.a"
done
libraries=
for name in zstd xxhash sodium; do
  file=$($compiler -print-file-name="lib$name.a")
  # libsodium where the library uses it; without the other ones it does not link
  [ "$file" = "lib$name.a" ] || libraries="$libraries $file"
done
qhull=$(readlink -f "$($compiler -print-file-name=libqhull_r.so)")
[ -f "$qhull" ] || { echo "there is no libqhull_r.so (Debian: libqhull-dev): skipped"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bvpack"
(cd "$scratch" && BVPACK_INCLUDE=$src/../../libfmt BVPACK_LIB=$build/.libs \
  BVPACK_STATIC="-Wl,--start-group $archives -Wl,--end-group $libraries $qhull -lpthread -lm -s -Wl,-rpath,\\\$ORIGIN/../bvpack.libs" \
  "$python" -B "$src/bvpack_cffi.py" "$scratch") >"$out/wheel.log" 2>&1 || { tail -20 "$out/wheel.log"; exit 1; }
version=$(of_build PACKAGE_VERSION)
"$python" -B "$src/make_wheel.py" "$scratch/bvpack/_native.abi3.so" "$version" "$out" "$qhull"
