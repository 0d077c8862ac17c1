#!/bin/bash
# SPDX-License-Identifier: MIT
# The program's threads under the thread sanitizer: packing with and without a store, clash with all its reports, a
# picture. Each run's output must be that of one thread. Usage: make check-threads, configured --enable-thread-sanitizer
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
make_export=$(realpath "${BVP_BUILDDIR:-.}/tests/make_export")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
unset BVPACK BVPACK_STORE
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 second_deadlock_stack=1"
fail=0
run() { "$bvpack" "$@" 2>err || { echo "check_threads: $*: exit code $?"; head -60 err; fail=1; }; }
same() { cmp "$1" "$2" || fail=1; }

mkdir e && "$make_export" e 40 6 0 || exit 99
run pack e/export.jsonl -q -j 1 -o one.bvp
run pack e/export.jsonl -q -j 4 -o four.bvp
same one.bvp four.bvp
for mode in "" --thin; do
  rm -rf store
  # shellcheck disable=SC2086 # none or one
  run pack e/export.jsonl -q -j 4 --store store $mode -o stored.bvp
  sleep 2.2 # stamps of younger files are not relied on: the thread that looks at them has work then
  # shellcheck disable=SC2086
  run pack e/export.jsonl -q -j 4 --store store $mode -o stored.bvp
  # shellcheck disable=SC2086
  run pack e/export.jsonl -q -j 4 --store store $mode -o again.bvp
  same stored.bvp again.bvp
done
for detail in "" --fast --contacts; do
  for jobs in 1 4; do
    # shellcheck disable=SC2086
    run clash one.bvp -q -j $jobs $detail --clearance 2 --state state --report r$jobs.jsonl --report r$jobs.csv
    # shellcheck disable=SC2086
    run clash again.bvp -q -j $jobs $detail --clearance 2 --report t$jobs.csv
  done
  same r1.csv r4.csv
done
run view one.bvp -q -j 4 -s 64x48 -o v4.png
run view one.bvp -q -j 1 -s 64x48 -o v1.png
same v1.png v4.png
exit $fail
