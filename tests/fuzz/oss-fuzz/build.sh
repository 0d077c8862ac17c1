#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds every fuzz target with the compilers, flags and engine that OSS-Fuzz sets (CC, CXX, CFLAGS, CXXFLAGS,
# LIB_FUZZING_ENGINE) and lays each with its seeds into $OUT. FUZZ_TARGETS: only these.
set -eu
cd "$SRC/bvpack"
autoreconf -fi
mkdir -p "$WORK/build" && cd "$WORK/build"
"$SRC/bvpack/configure" --disable-hardening --disable-shared --enable-static --without-npm --enable-asserts
targets=${FUZZ_TARGETS:-$(make -s fuzz-names)}
# An engine may be C++, so the C++ compiler links.
# shellcheck disable=SC2086 # one word a target
make -j"$(nproc)" CCLD="$CXX" LDFLAGS="$CXXFLAGS" FUZZ_ENGINE="$LIB_FUZZING_ENGINE" bvpack tests/corpus/make_corpus $targets

mkdir -p "$OUT/lib"
for target in $targets; do
  name=$(basename "$target")
  cp "$target" "$OUT/$name"
  # what the machine that fuzzes may lack lies beside the target
  ldd "$OUT/$name" | awk '/=> \/.*(expat|jansson|meshoptimizer|png|qhull|sodium|xxhash|zip|zstd)/ { print $3 }' | xargs -r cp -t "$OUT/lib"
  patchelf --set-rpath "\$ORIGIN/lib" "$OUT/$name"
  BVPACK=./bvpack FUZZ_SECONDS=0 bash "$SRC/bvpack/tests/fuzz/run_fuzz.sh" "$target"
  # no model of that format is committed: it starts from nothing
  [ -z "$(ls "fuzz/$name/seeds")" ] || zip -qj "$OUT/${name}_seed_corpus.zip" "fuzz/$name/seeds"/*
done
