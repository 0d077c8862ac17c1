#!/bin/bash
# SPDX-License-Identifier: MIT
# The archive of `make dist` holds all that a build needs: unpacked elsewhere it configures and
# compiles without optimisation, and the program packs a sample. `make distcheck` is the long form.
# With an argument the build folder is kept there. $CC, $CXX: with which compilers.
set -eu
keep=${1-}
build=${BVP_BUILDDIR:-.}
scratch=$(mktemp -d) && trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
make -s -C "$build" dist >/dev/null
tar -xJf "$build"/bvpack-*.tar.xz -C "$scratch"
source=$(echo "$scratch"/bvpack-*)
chmod -R a-w "$source"
[ -z "$keep" ] || rm -rf "$keep"
mkdir -p "${keep:=$scratch/build}" && cd "$keep"
"$source/configure" -q --disable-dependency-tracking --without-npm CFLAGS=-O0
make -s -j"$(nproc)" CFLAGS="-O0 -Werror"
./bvpack "$source/samples/models/plate_holes.STL" -q -o plate.bvp
./bvpack verify plate.bvp
