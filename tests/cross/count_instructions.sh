#!/bin/bash
# SPDX-License-Identifier: MIT
# How many instructions a ray, an overlap, a distance and the build of a part take on AArch64, beside x86-64 with AVX2
# and with SSE2: a table, in spec/decisions.md, "Other systems". The answers must be the same. `make count-cross`,
# after `make check-cross`. x86-64 is counted by valgrind, AArch64 by a plugin of qemu-user.
# The builder chooses AVX2 by itself: for builds with SSE2 configure --disable-dispatch.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
arm=cross/aarch64-linux-gnu
[ -x "${BVPACK-}" ] || { echo "count_instructions: no program in \$BVPACK"; exit 99; }
for needed in valgrind qemu-aarch64; do
  command -v $needed >/dev/null || { echo "count_instructions: there is no $needed: skipped"; exit 77; }
done
[ -f $arm/Makefile ] || { echo "count_instructions: make check-cross has not built for AArch64: skipped"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
${MAKE:-make} -s -C $arm tests/cross/count_work >"$scratch/make.out" 2>&1 || { tail -5 "$scratch/make.out"; exit 1; }
${CC:-gcc} -O2 -fPIC -shared -fvisibility=hidden "$src/tests/cross/count_plugin.c" -o "$scratch/plugin.so" || exit 1
"$BVPACK" pack "$src/samples/models/irb6640_cell12.glb" -q -o "$scratch/cell.bvp" || exit 1

# count SET WORK TIMES: sets `total`, and adds what the program prints to a file
count() {
  case $1 in
    aarch64) qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$scratch/plugin.so" $arm/tests/cross/count_work \
      "$scratch/cell.bvp" "$2" "$3" 2>"$scratch/log" >>"$scratch/$2.$1"
      total=$(awk '/^instructions/ {print $2}' "$scratch/log") ;;
    *) ./libtool --mode=execute valgrind --tool=callgrind --callgrind-out-file=/dev/null tests/cross/count_work \
      "$scratch/cell.bvp" "$2" "$3" "$1" 2>"$scratch/log" >>"$scratch/$2.$1"
      total=$(awk '/Collected/ {print $4}' "$scratch/log") ;;
  esac
  [ -n "$total" ] || { cat "$scratch/log"; exit 1; }
}

fail=0
printf '%-10s %10s %10s %10s\n' "" AVX2 SSE2 AArch64
while read -r work times; do
  row=()
  for set in avx2 base aarch64; do
    count $set "$work" 0 && none=$total
    count $set "$work" "$times" && row+=($(((total - none) / times)))
    cmp -s "$scratch/$work.avx2" "$scratch/$work.$set" || { echo "count_instructions: other answers: $work, $set"; fail=1; }
  done
  [ "$work" != builds ] || row[1]=-
  printf '%-10s %10s %10s %10s\n' "$work" "${row[@]}"
done <<'END'
rays 2000
overlaps 300
distances 12
builds 2
END
exit $fail
