#!/bin/bash
# SPDX-License-Identifier: MIT
# bvpack.hpp: it calls every function of the C headers; it compiles without a warning as C++17 and
# C++20, with every compiler at hand, with and without exceptions; header_case.cc passes; the
# sample in C++ runs. Each pair of these is tried here, every combination with BVP_CPP_ALL set (make check-adapters).
set -u
src=${BVP_SRCDIR:-$(dirname "$0")/../..}
build=${BVP_BUILDDIR:-.}
cxx=${CXX:-c++}
fail=0
complain() { echo "check_cpp: $*"; fail=1; }
command -v "${cxx%% *}" >/dev/null || { echo "check_cpp: no C++ compiler"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

# the functions that a header declares, as check_exports.sh finds them
declared() {
  cat "$src"/libfmt/bvpack{,_broad,_build,_clash}.h | tr '\n' ' ' |
    sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/: :g' | grep -oE 'BVP_API [^;(]*\(' |
    grep -oE 'bvp_[a-z0-9_]+\(' | sort -u
}
sed 's://.*::' "$src/libfmt/bvpack.hpp" >"$scratch/code"
count=0
while read -r name; do
  count=$((count + 1))
  grep -qF "$name" "$scratch/code" || complain "bvpack.hpp does not forward ${name%(}"
done < <(declared)
[ $count -gt 100 ] || complain "only $count functions found in the C headers"

# compiler, flags...: a program that uses all of the header, without a warning
compiles() {
  "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I "$src/libfmt" \
    "$src/tests/cpp/header_case.cc" 2>"$scratch/log" && return
  complain "not clean with: $*"
  head -5 "$scratch/log"
}
for other in g++ clang++; do
  command -v $other >/dev/null || continue
  with=c++17 without=c++20
  [ $other = g++ ] || { with=c++20 without=c++17; }
  compiles $other -std=$with
  compiles $other -std=$without -fno-exceptions
  [ -n "${BVP_CPP_ALL-}" ] || continue
  compiles $other -std=$without
  compiles $other -std=$with -fno-exceptions
done

so=$build/.libs
[ -f "$so/libbvpack.so" ] || { echo "check_cpp: no shared libraries to link with"; exit $((fail ? 1 : 77)); }
# name source flags...
builds() {
  local name=$1 source=$2
  shift 2
  # shellcheck disable=SC2086 # CXX and the flags may be several words
  $cxx "$@" -O1 -I "$src/libfmt" "$src/$source" -o "$scratch/$name" ${HOUSE_LDFLAGS-} \
    "$so/libbvpack_build.so" "$so/libbvpack.so" -Wl,-rpath,"$(cd "$so" && pwd)" && return
  complain "$source does not build with: $*"
  return 1
}
# flags...
passes() {
  mkdir -p "$scratch/files"
  builds header_case tests/cpp/header_case.cc "$@" || return
  "$scratch/header_case" "$scratch/files" || complain "header_case.cc fails, built with: $*"
}
passes -std=c++17
passes -std=c++20 -fno-exceptions
[ -z "${BVP_CPP_ALL-}" ] || passes -std=c++17 -DBVP_EXPECTED

builds clashes samples/clashes.cc -std=c++17 &&
  "$BVPACK" "$src/samples/models/irb6640_cell12.glb" -q -o "$scratch/cell.bvp" &&
  "$scratch/clashes" "$scratch/cell.bvp" >"$scratch/output" &&
  grep -qE '^[1-9][0-9]* of [1-9][0-9]* pairs whose boxes are near are not clear$' "$scratch/output" ||
  complain "samples/clashes.cc fails"
exit $fail
