#!/bin/bash
# SPDX-License-Identifier: MIT
# What the shared libraries export is what the public headers declare, no more and no less; the
# reader has no writable data but the list of files from sources, its queries call no allocator, and
# neither reads the environment.
set -u
src=${BVP_SRCDIR:-$(dirname "$0")/../..}
build=${BVP_BUILDDIR:-.}
nm=${NM:-nm}
fail=0
complain() { echo "check_exports: $*"; fail=1; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

# names that a header declares with BVP_API
declared() {
  tr '\n' ' ' <"$1" | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/: :g' | grep -oE 'BVP_API [^;(]*\(' |
    grep -oE 'bvp_[a-z0-9_]+\(' | tr -d '(' | sort -u
}

compare() { # library headers...
  local so=$build/.libs/$1.so
  [ -f "$so" ] || { echo "check_exports: $so is missing: skipped (no shared libraries)"; exit 77; }
  local lib=$1 header
  shift
  : >"$scratch/all"
  for header; do
    declared "$src/libfmt/$header" >"$scratch/some"
    [ -s "$scratch/some" ] || complain "no declaration found in $header"
    cat "$scratch/some" >>"$scratch/all"
  done
  sort -u "$scratch/all" >"$scratch/declared"
  # sanitizers and fuzzers add symbols of their own
  $nm -D --defined-only "$so" | awk '{ print $NF }' | sed 's/@.*//' |
    grep -vE '^(__asan|__ubsan|__sancov|__start_|__stop_|__odr_asan|_init$|_fini$)' | sort -u >"$scratch/exported"
  while read -r name; do complain "$lib exports $name, which $* does not declare"; done \
    < <(comm -13 "$scratch/declared" "$scratch/exported")
  while read -r name; do complain "$* declares $name, which $lib does not export"; done \
    < <(comm -23 "$scratch/declared" "$scratch/exported")
}
compare libbvpack bvpack.h bvpack_broad.h bvpack_clash.h
compare libbvpack_build bvpack_build.h

# each is called with failing allocations and system calls
for header in bvpack.h bvpack_broad.h bvpack_build.h bvpack_clash.h; do
  while read -r name; do
    grep -qw "$name" "$src"/tests/fault/{functions,function_cases,ask_broad,ask_file}.c ||
      complain "$name is not called by tests/fault/functions"
  done < <(declared "$src/libfmt/$header")
done

if $nm "$build/.libs/libbvpack.so" | grep -qE '__(asan|ubsan|sancov)'; then
  echo "check_exports: sanitized build: data and allocator are not looked at"
  exit $fail
fi
for lib in libcore libread libkernel_base libkernel_avx2; do
  archive=$build/.libs/$lib.a
  [ -f "$archive" ] || continue
  while read -r name; do complain "$lib has writable data: $name"; done < <(
    objdump -t "$archive" | awk '$1 ~ /^[0-9a-f]+$/ && / O / && / \.(data|bss|tdata|tbss)(\.[a-z_0-9]*)*\t/' |
      grep -v '\.data\.rel\.ro' | awk '{ print $NF }' |
      grep -xvE 'bvpi_the_arena|gate|slices') # where files from sources lie: format/arena.c
done
# settings come from the caller, never from the environment
for lib in libbvpack libbvpack_build; do
  while read -r name; do complain "$lib calls $name"; done < <(
    $nm -D -u "$build/.libs/$lib.so" | awk '{ print $NF }' | sed 's/@.*//' | grep -xE '(secure_)?getenv|environ')
done
# verification and annotation may allocate, queries may not
for source in $(cd "$src" && find libfmt/query libfmt/kinds/query -name '*.c'); do
  [ "$source" != libfmt/query/api_open.c ] || continue
  for object in "$build/$(dirname "$source")"/.libs/lib*_la-"$(basename "$source" .c)".o; do
    [ -f "$object" ] || { complain "no object of $source"; continue; }
    while read -r name; do complain "$(basename "$object") calls $name"; done < <(
      $nm -u "$object" | awk '{ print $NF }' |
        grep -xE '(m|c|re)alloc|aligned_alloc|posix_memalign|free|mmap|alloca|qsort|pthread_mutex_lock')
  done
done
exit $fail
