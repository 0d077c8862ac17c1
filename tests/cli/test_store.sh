#!/bin/bash
# SPDX-License-Identifier: MIT
# Every night's export: a store packs what changed and nothing else, to the bytes that packing
# without it gives; it survives being killed; files are split and merged by it.
# BVP_KILLS: how often a run is killed; BVP_SEED: when.
set -u
RANDOM=${BVP_SEED:-$$}
seed="BVP_SEED=${BVP_SEED:-$$}"
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
make_export=$programs/make_export
forge=$programs/../corpus/forge
pack() { "$bvpack" pack "$@" --json >out || bad "pack $*"; }

# ---- a thousand parts, of which ten change
mkdir a
"$make_export" a 1000 2 0 || exit 99
pack a/export.jsonl --store store -o first.bvp
is store.new_part_count 1000
is store.unchanged_file_count 0
is store.copied_part_count 0
pack a/export.jsonl --store store -o again.bvp
is store.copied_part_count 1000
is store.new_part_count 0
is store.unchanged_file_count 1000
is part_count 1000
is instance_count 2000
same first.bvp again.bvp
"$make_export" a 1000 2 1
pack a/export.jsonl --store store -o second.bvp
is store.new_part_count 10
is store.known_part_count 990
is store.unchanged_file_count 990
is store.copied_part_count 990
pack a/export.jsonl -o plain.bvp
same second.bvp plain.bvp
pack a/export.jsonl --store store --no-ids -o other.bvp
is store.new_part_count 1000

# ---- nothing is taken from the last output if it was written to, replaced or removed since
sleep 0.1 # no clock's tick is that long here
printf x | dd of=second.bvp bs=1 seek=$(($(stat -c %s second.bvp) / 2)) conv=notrunc 2>/dev/null
pack a/export.jsonl --store store -o second.bvp
is store.copied_part_count 0
same second.bvp plain.bvp
pack a/export.jsonl --store store -o second.bvp # over itself
is store.copied_part_count 1000
same second.bvp plain.bvp
mv first.bvp kept.bvp
cp kept.bvp second.bvp
pack a/export.jsonl --store store -o third.bvp
is store.copied_part_count 0
same third.bvp plain.bvp
mv kept.bvp first.bvp
rm third.bvp
"$bvpack" pack a/export.jsonl --store store -o - -q >third.bvp || bad "to standard output"
same third.bvp plain.bvp
pack a/export.jsonl --store store -o second.bvp
is store.copied_part_count 0
same second.bvp plain.bvp

# ---- files whose size and times have not changed are not read; those of a moment ago are
sleep 2.1
pack a/export.jsonl --store store -o noted.bvp
pack a/export.jsonl --store store -o unread.bvp
is store.unread_file_count 1000
is store.unchanged_file_count 1000
same unread.bvp plain.bvp
pack a/export.jsonl --store store -o unread.bvp -j1
is store.unread_file_count 1000
same unread.bvp plain.bvp
pack a/export.jsonl --store store --reread -o unread.bvp
is store.unread_file_count 0
is store.unchanged_file_count 1000
cp -p a/part7.stl kept.stl
changed=$(date +%s%N)
printf y | dd of=a/part7.stl bs=1 seek=3 conv=notrunc 2>/dev/null
touch -r kept.stl a/part7.stl # the same size and time, another heading
pack a/export.jsonl --store store -o headed.bvp
is store.unread_file_count 999
is store.unchanged_file_count 999
is store.new_part_count 0
was_soon=$(($(date +%s%N) - changed < 2000000000)) # it may have changed again within the clock's tick
pack a/export.jsonl --store store -o headed.bvp
[ $was_soon = 0 ] || is store.unread_file_count 999
is store.unchanged_file_count 1000
pack a/export.jsonl -o plain_headed.bvp
same headed.bvp plain_headed.bvp
mv kept.stl a/part7.stl
pack a/export.jsonl --store store -o unread.bvp
is store.unread_file_count 999
same unread.bvp plain.bvp

# ---- thin files
pack a/export.jsonl --store store --thin -o thin.bvp
is store.new_part_count 0
[ "$(stat -c %s thin.bvp)" -lt $(($(stat -c %s plain.bvp) / 3)) ] || bad "the thin file is not small"
"$bvpack" verify thin.bvp >out || bad "the thin file is not sound"
answer() { "$bvpack" query closest "$1" --point 100,200,3 --json; }
[ "$(answer thin.bvp)" = "$(answer plain.bvp)" ] || bad "the thin file answers differently"
mv store moved
"$bvpack" query closest thin.bvp --point 100,200,3 >out 2>err && bad "a store that has moved answers"
export BVPACK_STORE=$PWD/moved
[ "$(answer thin.bvp)" = "$(answer plain.bvp)" ] || bad "query does not look into \$BVPACK_STORE"
"$bvpack" verify thin.bvp >out || bad "verify does not look into \$BVPACK_STORE"
"$bvpack" merge thin.bvp -o elsewhere.bvp || bad "merge does not look into \$BVPACK_STORE"
same elsewhere.bvp plain.bvp
unset BVPACK_STORE
mv moved store
"$bvpack" dump thin.bvp >out || bad "dump"
grep -q 'PART\[999\].address' out || bad "dump does not show the last part"
grep -q unknown out && bad "dump does not know all of a thin file"
"$bvpack" split plain.bvp --store parts -o split.bvp || bad "split"
[ "$(find parts -name '*.bvp' | wc -l)" = 1000 ] || bad "not every part is in the store"
[ "$(answer split.bvp)" = "$(answer plain.bvp)" ] || bad "the split file answers differently"
for file in $(cd parts && find . -name '*.bvp' | sort | head -20); do same "parts/$file" "store/$file"; done
"$bvpack" split plain.bvp --store store -o split2.bvp || bad "split"
same split2.bvp thin.bvp
"$bvpack" merge thin.bvp -o merged.bvp || bad "merge"
same merged.bvp plain.bvp
"$bvpack" merge plain.bvp first.bvp -o both.bvp || bad "merge"
"$bvpack" verify both.bvp >out || bad "merged files are not sound"
"$bvpack" info both.bvp --json >out
is part_count 1010
is instance_count 4000
rm "store/${file#./}"
"$bvpack" merge thin.bvp -o lost.bvp 2>err && bad "a missing part is not noticed"
grep -q "${file#./}" err || bad "a missing part is not named: $(cat err)"
[ ! -e lost.bvp ] || bad "half-written"
pack a/export.jsonl --store store --thin -o thin.bvp
is store.new_part_count 1

# ---- a damaged part is packed again
file=store/$(cd parts && find -- * -name '*.bvp' | sort | head -1) # one that the export uses
printf x | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null
pack a/export.jsonl --store store -o healed.bvp
pack a/export.jsonl --store store --no-ids -o healed2.bvp
same healed.bvp plain.bvp
same healed2.bvp other.bvp
printf x | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null
pack a/export.jsonl --store store --thin -o healed.bvp
same healed.bvp thin.bvp
"$bvpack" verify "$file" >out 2>&1 || bad "a damaged part is kept: $(cat out)"
rm "$file"
pack a/export.jsonl --store store --thin -o healed.bvp
same healed.bvp thin.bvp
[ -f "$file" ] || bad "a missing part is not noticed"

# ---- nor is a part taken that is another one than its name says
other=store/$(cd parts && find -- * -name '*.bvp' | sort | sed -n 2p)
cp "$file" sound
cp "$other" "$file"
"$bvpack" merge thin.bvp -o swapped.bvp 2>err && bad "merge takes a part under another one's name"
[ -s err ] && [ ! -e swapped.bvp ] || bad "merge says nothing of a swapped part, or leaves a file"
pack a/export.jsonl --store store --thin -o healed.bvp
same healed.bvp thin.bvp
same "$file" sound

# ---- hashes tell nothing of a part that somebody has written on purpose: its rules do
# the kind of its hierarchy, which led out of an array; a count over its blob's; a box that is not its vertices'
for forgery in 'HIER 0 0 4 6' 'HIER 0 0 4 0x10000000' 'HIER 0 32 4 0xffffff' 'PART 0 52 4 0x7149f2ca'; do
  cp "$file" sound
  # shellcheck disable=SC2086 # its words
  "$forge" "$file" $forgery || bad "forge $forgery"
  "$bvpack" merge thin.bvp -o forged.bvp 2>err && bad "merge takes a part with $forgery"
  [ -s err ] && [ ! -e forged.bvp ] || bad "merge says nothing of $forgery, or leaves a file"
  "$bvpack" split plain.bvp --store store -o split2.bvp || bad "split over a part with $forgery"
  same split2.bvp thin.bvp
  same "$file" sound
  # shellcheck disable=SC2086
  "$forge" "$file" $forgery
  pack a/export.jsonl --store store --no-ids -o healed2.bvp
  pack a/export.jsonl --store store --thin -o healed.bvp
  same healed.bvp thin.bvp
  same "$file" sound
done
rm -f sound

# ---- one that may not be written serves as long as it has everything; root may always
if [ "$(id -u)" != 0 ]; then
  chmod -R a-w store
  pack a/export.jsonl --store store --reread -o unwritable.bvp
  same unwritable.bvp plain.bvp
  chmod -R u+w store
fi

# ---- a damaged index is as good as none
grep -rl '^bvpack sources 1' store/sources | while read -r record; do
  printf x | dd of="$record" bs=1 seek=100 conv=notrunc 2>/dev/null
done
pack a/export.jsonl --store store -o healed.bvp
is store.unread_file_count 0
is store.unchanged_file_count 1000
same healed.bvp plain.bvp

# ---- a folder's name may be as long as a path to a file in it allows; a longer one is refused, not cut
cube cube 0 1 >cube.obj
deep=$PWD/deep
while [ ${#deep} -lt 3750 ]; do deep=$deep/$(printf 'd%.0s' {1..200}); done
mkdir -p "$deep"
kept=0 refused=0
for length in 3980 4000 4010 4014 4015 4016 4020 4024 4028 4030 4031 4032 4040 4090 4200; do
  name=$deep
  until [ ${#name} = "$length" ]; do # folders of at most 200 bytes, of which the last has two or more
    left=$((length - ${#name} - 1))
    [ $left -gt 200 ] && left=$((left > 202 ? 200 : 100))
    name=$name/$(printf 's%.0s' $(seq $left))
  done
  mkdir -p "$(dirname "$name")" 2>/dev/null
  rm -f thin.bvp
  run pack cube.obj --store "$name" --thin -o thin.bvp
  if [ $status = 0 ]; then
    kept=$((kept + 1))
    expect 0 verify thin.bvp
    ls "$name"/??/*.bvp >/dev/null || bad "no part in a store of $length bytes"
  else
    refused=$((refused + 1))
    [ $status = 2 ] || bad "exit code $status for a store of $length bytes"
    has err 'too long'
  fi
done
[ $kept -gt 2 ] && [ $refused -gt 2 ] || bad "$kept stores kept, $refused refused"
# the way from the output up to the store, too: three bytes for each folder
far=$PWD/far$(printf '/f%.0s' {1..1500})
mkdir -p "$far" beside
expect 2 pack cube.obj --store beside --thin -o "$far/thin.bvp"
has err 'too long'
[ ! -e "$far/thin.bvp" ] || bad "a thin file that does not lead to its store"

# ---- killed at any moment, by itself and beside another
mkdir b killed
"$make_export" b 150 10 0
"$bvpack" pack b/export.jsonl -o whole.bvp -q
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
began=$(milliseconds)
"$bvpack" pack b/export.jsonl --store killed -o killed.bvp -q -j1
took=$(($(milliseconds) - began))
kills=${BVP_KILLS:-4} hits=0
for ((i = 0; i < kills; i++)); do
  rm -rf killed killed.bvp
  mkdir killed
  "$bvpack" pack b/export.jsonl --store killed -o killed.bvp -q -j1 &
  sleep "$(printf '0.%03d' $((RANDOM % (took < 999 ? took + 1 : 999))))"
  { kill -9 $!; wait $!; } 2>/dev/null
  [ -e killed.bvp ] || hits=$((hits + 1))
  [ ! -e killed.bvp ] || same killed.bvp whole.bvp
  find killed -name '*.bvp' | head -50 | while read -r file; do
    "$bvpack" verify "$file" >out 2>&1 || echo "$file" >half
  done
  [ ! -e half ] || bad "half-written: $(cat half) ($seed)"
  "$bvpack" pack b/export.jsonl --store killed -o left.bvp -q &
  pack b/export.jsonl --store killed -o killed.bvp
  wait $!
  same killed.bvp whole.bvp
  same left.bvp whole.bvp
done
echo "$hits of $kills kills hit a run of $took ms ($seed)"

exit $fail
