#!/bin/bash
# SPDX-License-Identifier: MIT
# The archive of `make dist` holds all that a build needs: unpacked elsewhere it configures and
# compiles, and the program packs a sample. `make distcheck` is the long form. With an argument the
# program is kept there.
set -eu
keep=${1-}
build=${BVP_BUILDDIR:-.}
scratch=$(mktemp -d) && trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
make -s -C "$build" dist >/dev/null
tar -xJf "$build"/bvpack-*.tar.xz -C "$scratch"
source=$(echo "$scratch"/bvpack-*)
chmod -R a-w "$source"
mkdir "$scratch/build" && cd "$scratch/build"
"$source/configure" -q --disable-dependency-tracking --disable-shared --enable-static CFLAGS=-O0
make -s -j"$(nproc)" bvpack
./bvpack "$source/samples/models/plate_holes.STL" -q -o plate.bvp
./bvpack verify plate.bvp
[ -z "$keep" ] || cp bvpack "$keep"
