#!/bin/bash
# SPDX-License-Identifier: MIT
# Each header compiles alone: the public ones in C11 and C++11 without a warning, pedantically, with
# every compiler at hand; the internal ones in C.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

# $1: header as included; the rest: compiler and flags
alone() {
  local header=$1
  shift
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$@" -fsyntax-only -Wall -Wextra -Werror -I libfmt - 2>"$scratch/log" && return
  echo "check_headers: $header does not compile alone with: $*"
  head -5 "$scratch/log"
  fail=1
}

present() { command -v "${1%% *}" >/dev/null; }

ran=0
for cc in "${CC:-cc}" gcc clang; do
  present "$cc" || continue
  ran=1
  for header in bvpack.h bvpack_broad.h bvpack_build.h bvpack_clash.h; do
    # shellcheck disable=SC2086 # CC may bring options
    alone $header $cc -x c -std=c11 -pedantic
  done
done
for cxx in "${CXX:-c++}" g++ clang++; do
  present "$cxx" || continue
  for header in bvpack.h bvpack_broad.h bvpack_build.h bvpack_clash.h; do
    # shellcheck disable=SC2086
    alone $header $cxx -x c++ -std=c++11 -pedantic
  done
done
[ $ran = 1 ] || { echo "check_headers: no compiler"; exit 99; }

# a kernel's header may ask which instruction set it is compiled for
while read -r header; do
  # a template is included with its macros defined, by headers that are checked
  sed -n 2p "$header" | grep -qE ': template( |:)' && continue
  # shellcheck disable=SC2086
  alone "${header#libfmt/}" ${CC:-cc} -x c -std=gnu11 -ffp-contract=off -DBVPI_ISA=base -Wno-unused-function
done < <(find libfmt -mindepth 2 -name '*.h' -not -path 'libfmt/os/windows/*' | sort)
exit $fail
