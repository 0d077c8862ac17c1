#!/bin/bash
# SPDX-License-Identifier: MIT
# make install into an empty place; a program built there by pkg-config alone, in C and in C++;
# make uninstall leaves no file behind.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
build=${BVP_BUILDDIR:-.}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
make -s -C "$build" install DESTDIR="$scratch"
prefix=$scratch$(sed -n "s/^prefix = //p" "$build/Makefile")
export PKG_CONFIG_SYSROOT_DIR=$scratch
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

bvpack=$prefix/bin/bvpack
"$bvpack" --version | grep -q "$("$bvpack" --version | awk '{ print $NF; exit }')"
"$bvpack" "$src/samples/models/plate_holes.STL" -q -o "$scratch/plate.bvp"
for page in bvpack bvpack-pack bvpack-query; do
  [ -s "$prefix/share/man/man1/$page.1" ] || { echo "check_install: no manual page $page"; exit 1; }
done
bash -n "$prefix"/share/bash-completion/completions/bvpack

for sample in "$src"/samples/*.c; do
  read -ra flags < <(pkg-config --cflags --libs bvpack-build)
  ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror "$sample" -o "$scratch/sample" "${flags[@]}" -lm -lpthread
done
cat >"$scratch/version.cc" <<'CPP'
#include <bvpack.h>
#include <bvpack_build.h>
#include <bvpack_clash.h>
int main() { return bvp_version()[0] ? 0 : 1; }
CPP
read -ra flags < <(pkg-config --cflags --libs bvpack)
if command -v "${CXX:-c++}" >/dev/null; then
  ${CXX:-c++} -std=c++11 -pedantic -Wall -Wextra -Werror "$scratch/version.cc" -o "$scratch/version" "${flags[@]}"
  "$scratch/version"
fi

make -s -C "$build" uninstall DESTDIR="$scratch"
left=$(find "$prefix" -type f -o -type l)
[ -z "$left" ] || { echo "check_install: uninstall leaves $left"; exit 1; }
