#!/bin/bash
# SPDX-License-Identifier: MIT
# What can be said of macOS elsewhere. First: a build for this machine without the functions that macOS lacks, in macos/ of
# the build directory, and the unit tests of what uses them. Then all C files of libraries and program against the headers
# of macOS on arm64: clang checks them and makes nothing. Whether they link, and what they do there, nobody has tried.
# `make check-macos BVP_MACOS_SDK=DIR`, DIR/include/sys/stat.h being there: usr of an SDK of Xcode, or a public copy of its
# headers. Headers of other libraries are this machine's.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
sdk=${BVP_MACOS_SDK-}
fail=0
mkdir -p macos && cd macos || exit 99
[ -f Makefile ] || "$src/configure" -q CC="${CCACHE-}gcc" CFLAGS=-O1 --without-npm ac_cv_func_fopencookie=no ac_cv_func_posix_fallocate=no \
  ac_cv_func_syncfs=no ac_cv_have_decl_fdatasync=no >configure.out 2>&1 || { tail -3 configure.out; echo "check_macos: configure"; exit 1; }
${MAKE:-make} -s tests/unit/unit_tests >make.out 2>&1 || { tail -5 make.out; echo "check_macos: make"; exit 1; }
grep -q 'HAVE_FOPENCOOKIE\|HAVE_POSIX_FALLOCATE\|HAVE_SYNCFS' Makefile && { echo "check_macos: they are not left out"; fail=1; }
for suite in json large last_output message report report_forms stamp triangle_stream; do
  BVP_SRCDIR=$src tests/unit/unit_tests test_$suite >suite.out 2>&1 || { tail -5 suite.out; echo "check_macos: test_$suite"; fail=1; }
done
echo "unit tests hold without fopencookie, posix_fallocate, syncfs and fdatasync"
[ -f "$sdk/include/sys/stat.h" ] || {
  echo "skipped: BVP_MACOS_SDK names no folder with include/sys/stat.h of macOS"
  [ $fail = 1 ] || exit 77
  exit 1
}
command -v clang >/dev/null || { echo "skipped: there is no clang"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/libraries"
for i in xxhash.h zstd.h zstd_errors.h jansson.h jansson_config.h expat.h expat_external.h expat_config.h png.h pngconf.h \
  pnglibconf.h zlib.h zconf.h zip.h zipconf.h sodium.h sodium libqhull_r meshoptimizer.h; do
  for folder in /usr/include /usr/include/libpng16 "/usr/include/$(gcc -print-multiarch 2>/dev/null)"; do
    [ ! -e "$folder/$i" ] || ln -sfn "$folder/$i" "$scratch/libraries/"
  done
done
# what no function of macOS stands for is not read there: confined importers of other libraries, Windows, pages
files=$(cd "$src" && find libfmt tools -name '*.c' ! -path 'libfmt/os/*' ! -name '*_windows.c' ! -name '*_none.c' ! -path 'tools/wasm/*' \
  ! -path 'tools/python/*' ! -path 'tools/3mf/*' ! -path 'tools/assimp/*' ! -name bvpack-http.c | sort)
optional=()
[ ! -e "$scratch/libraries/zip.h" ] || optional+=(-DHAVE_LIBZIP=1)
[ ! -e "$scratch/libraries/sodium.h" ] || optional+=(-DHAVE_SODIUM=1)
cd "$src" || exit 99
count=0
for file in $files; do
  clang --target=arm64-apple-macos13 -fsyntax-only -std=gnu11 -nostdlibinc -isystem "$sdk/include" -isystem "$scratch/libraries" \
    -Ilibfmt -Itools -DBVP_BUILDING -DBVPI_ONE_ISA -DBVPI_ISA=base -DBVPACK_LIBEXEC='""' -DBVPACK_DATA='""' "${optional[@]}" \
    -DHAVE_DECL_FDATASYNC=0 -Wno-everything -Werror=implicit-function-declaration -Werror=int-conversion \
    -Werror=incompatible-pointer-types "$file" 2>"$scratch/said" ||
    { grep -m2 'error:' "$scratch/said"; echo "check_macos: $file"; fail=1; }
  count=$((count + 1))
done
[ $count -gt 400 ] || { echo "check_macos: only $count files"; fail=1; }
echo "$count files checked for macOS on arm64"
exit $fail
