#!/bin/bash
# SPDX-License-Identifier: MIT
# The verb compress: zstd makes the packed file of it again, the seek table is as its published
# description says, verbs answer as of the packed file, and damage is told.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v zstd >/dev/null || { echo "test_compress: no zstd (Debian: zstd)"; exit 77; }

expect 0 pack "$src/samples/models/irb6640_cell12.glb" -q -o cell.bvp
size=$(stat -c %s cell.bvp)
[ "$size" -gt 300000 ] || bad "a file of $size bytes has too few frames"

# ---- the file

expect 0 compress cell.bvp
has out '^cell.bvp.zst: [0-9,]+ bytes of [0-9,]+, [0-9.]+ % smaller, in [0-9]+ frames$'
zstd -dcq cell.bvp.zst >back.bvp || bad "zstd -d does not decompress it"
same cell.bvp back.bvp
if command -v python3 >/dev/null; then
  frames=$(python3 "$src/tests/cli/check_seek_table.py" cell.bvp.zst cell.bvp) || bad "the seek table"
  [ "$frames" = $(((size - 1408 + 65535) / 65536)) ] || bad "$frames frames"
fi
expect 0 compress cell.bvp --json -j 1 -o one.zst
is output one.zst
is size "$size"
is compressed_size "$(stat -c %s cell.bvp.zst)"
is frame_size 65536
is level 19
same cell.bvp.zst one.zst
expect 0 compress cell.bvp -q -j 3 -o - # to a file, for out is one
empty err
same out one.zst
"$bvpack" compress - -q -o pipe.zst <cell.bvp || bad "standard input"
same pipe.zst one.zst
expect 0 compress cell.bvp -q --level 1 -o fast.zst
zstd -dcq fast.zst | cmp -s - cell.bvp || bad "level 1"
[ "$(stat -c %s fast.zst)" -gt "$(stat -c %s one.zst)" ] || bad "level 1 is no larger than level 19"

# ---- verbs on it, whatever its name

mkdir packed
cp one.zst packed/cell.bvp
answer_both() { # ARGUMENTS with FILE for the file
  local status_of
  run "${@/#FILE/cell.bvp}"
  status_of=$status
  mv out plain.txt
  (cd packed && "$bvpack" "${@/#FILE/cell.bvp}" >../out 2>../err </dev/null)
  status=$?
  checks=$((checks + 1))
  [ $status = $status_of ] || { bad "exit code $status, not $status_of: $*"; cat err; }
  same out plain.txt
  [ -s out ] || bad "no answer: $*"
}
answer_both info FILE --parts --tree --provenance
answer_both verify FILE
answer_both verify FILE --json
answer_both dump FILE
answer_both query ray FILE --origin 0,9,0 --direction 0,-1,0 --all
answer_both query closest FILE --point 1,2,3 --json
answer_both query instances FILE --point 1,2,3 --nearest 5
answer_both query distance FILE FILE --place-b 0,0,30
answer_both clash FILE -q -j 2 -r -
answer_both extract FILE -q -o - --format stl
answer_both diff FILE FILE
expect 0 view packed/cell.bvp -q -s 64x48 -o packed.png
expect 0 view cell.bvp -q -s 64x48 -o plain.png
same packed.png plain.png
expect 0 diff cell.bvp one.zst
"$bvpack" verify - <one.zst >out || bad "verify of standard input"
expect 3 pack one.zst -o x.bvp
has err 'is a packed file already'

# ---- verbs that take bytes as they lie

for verb in "merge one.zst -o x.bvp" "merge cell.bvp one.zst -o x.bvp" "split one.zst --store parts -o x.bvp" \
  "refit one.zst --twist 1 -o x.bvp"; do
  # shellcheck disable=SC2086 # words
  expect 2 $verb
  has err 'one.zst: is compressed, .*; decompress it first: zstd -d$'
done

# ---- what is not compressed

expect 3 compress one.zst
has err 'is compressed already'
expect 4 compress "$src/samples/models/rob.obj" -o x.zst
expect 2 compress cell.bvp -o cell.bvp
expect 2 compress cell.bvp --level 0 -o x.zst
expect 2 compress cell.bvp --level 23 -o x.zst
expect 2 compress -
expect 3 compress none.bvp
expect 0 split cell.bvp --store store -o thin.bvp
expect 3 compress thin.bvp
has err 'is thin'
cp cell.bvp bad.bvp
printf '\377' | dd of=bad.bvp bs=1 seek=$((size / 2)) conv=notrunc status=none
expect 4 compress bad.bvp
expect 7 compress cell.bvp -o /dev/full
has err "can't write"
for left in x.zst x.bvp bad.bvp.zst thin.bvp.zst cell.bvp.zst.zst one.zst.zst; do
  [ ! -e $left ] || bad "$left is left"
done
zstd -q cell.bvp -o whole.zst
for verb in info verify; do
  expect 2 $verb whole.zst
  has err 'has no seek table'
done

# ---- damage: no wrong answer, and a message

zstd -q -d one.zst -o again.bvp
length=$(stat -c %s one.zst)
for at in 0 100 5000 $((length / 3)) $((length / 2)) $((length - 40)) $((length - 30)) $((length - 20)) $((length - 9)) \
  $((length - 4)); do
  cp one.zst damaged.zst
  byte=$(od -An -tu1 -j "$at" -N1 one.zst)
  printf "\\x$(printf %x $((byte ^ 16)))" | dd of=damaged.zst bs=1 seek="$at" conv=notrunc status=none
  run verify damaged.zst
  checks=$((checks + 1))
  case $status in
    1 | 2 | 4 | 5 | 6) ;;
    *) bad "a damaged byte $at gives exit code $status" ;;
  esac
  [ -s err ] || [ -s out ] || bad "a damaged byte $at is not told"
done
cp one.zst damaged.zst
printf '\0' | dd of=damaged.zst bs=1 seek=$((length / 2)) conv=notrunc status=none
cmp -s one.zst damaged.zst && printf '\1' | dd of=damaged.zst bs=1 seek=$((length / 2)) conv=notrunc status=none
expect 4 verify damaged.zst
has err 'frame [0-9]+, at byte [0-9]+ of the compressed file, cannot be decompressed'
for cut in 1 8 100 $((length / 2)); do
  head -c $((length - cut)) one.zst >cut.zst
  run info cut.zst
  checks=$((checks + 1))
  [ $status != 0 ] && [ -s err ] || bad "a file of which the last $cut bytes are missing is read"
done

[ $fail = 0 ] && echo "$checks checks"
exit $fail
