#!/bin/bash
# SPDX-License-Identifier: MIT
# The program's threads under the thread sanitizer: packing with and without a store, clash with all its reports, a
# picture. Each run's output must be that of one thread. Usage: make check-threads, configured --enable-thread-sanitizer
# What it can see has been tried with races planted by hand, each of which it or test_threads.c reported: spec/decisions.md.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
models=$(realpath "$(dirname "$0")/../../samples/models")
make_export=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/make_export")
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
# parts of more triangles than one thread takes: with every kind of hierarchy, and of so many that each step of wide ones
# is cut in pieces
awk 'BEGIN {
  for (i = 0; i <= 400; i++)
    for (k = 0; k <= 180; k++)
      printf "v %d %d %.4f\n", i, k, sin(i / 9) * cos(k / 7) * 5
  for (i = 0; i < 400; i++)
    for (k = 1; k <= 180; k++) {
      a = i * 181 + k
      print "f", a, a + 1, a + 182 "\nf", a, a + 182, (i * k) % 500 == 0 ? a : a + 181
    }
}' >wave.obj
pack_alike() { # arguments of pack
  run pack "$@" -q -j 1 -o wave1.bvp
  run pack "$@" -q -j 4 -o wave4.bvp
  same wave1.bvp wave4.bvp
}
pack_alike wave.obj
pack_alike wave.obj --fast
pack_alike wave.obj --hierarchy aabb
pack_alike "$models/cycloidal.ply" --hierarchy wide,boxtree,aabb,obb,rss
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
