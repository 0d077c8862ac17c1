#!/bin/bash
# SPDX-License-Identifier: MIT
# A byte of each section is flipped, in a fat file, a thin one and its store: clash, diff, extract, also of
# one part, view and queries say which block is damaged, or answer as of the whole file; never another answer with
# exit code 0.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
models=$(realpath "$(dirname "$0")/../../samples/models")
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C SOURCE_DATE_EPOCH=0
unset BVPACK BVPACK_STORE
fail=0 checks=0 refused=0 named=0

bad() { echo "FAILED: $*"; fail=1; }

# flip FILE OFFSET: the lowest bit of that byte
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
# places FILE: "NAME OFFSET": the first, the middle and the last byte of the head, of each section that
# has any, and of what follows the last one
places() {
  local size
  size=$(stat -c %s "$1")
  { echo "head 0 1408"
    "$bvpack" dump "$1" | sed -nE 's/.*directory\[[0-9]+\]\.(kind|offset|size) = "?([A-Z0-9]+)"?  .*/\2/p' |
      paste -d ' ' - - -
    echo "trailer $((size - 48)) 48"; } |
    awk '$3 > 0 { print $1, $2; print $1, $2 + int($3 / 2); print $1, $2 + $3 - 1 }'
}
clash() { # FILE: all that a report has, in each detail
  "$bvpack" clash "$1" --clearance 30mm --contacts -j 1 --report r.jsonl --report r.csv --report r.html --pictures 1 >out 2>err &&
    "$bvpack" clash "$1" --clearance 30mm -j 3 --report d.jsonl >>out 2>>err &&
    "$bvpack" clash "$1" --clearance 30mm --fast -j 3 --report v.jsonl >>out 2>>err
}
extract() { "$bvpack" extract "$1" -o r.glb >out 2>err; }
compare() { "$bvpack" diff "$1" sound.bvp >out 2>err && cp out r.txt; }
one() { "$bvpack" extract "$1" --part Plate -o r.stl >out 2>err; }
view() { "$bvpack" view "$1" -o r.png --size 64x48 -q >out 2>err; }
queries() { # FILE: one of each kind, with the names that answers tell
  "$bvpack" query closest "$1" --point 20,20,14 >out 2>err &&
    "$bvpack" query ray "$1" --origin 30,30,200 --direction 0,0,-1 >>out 2>>err &&
    "$bvpack" query pairs "$1" "$1:Plate" --place-b 0,0,3 >>out 2>err &&
    "$bvpack" query distance "$1" "$1" --place-b 0,0,300 >>out 2>>err &&
    "$bvpack" query overlap "$1" --box 0,0,0,90,90,90 >>out 2>err &&
    "$bvpack" query instances "$1" --box 0,0,0,90,90,90 >>out 2>err && cp out r.txt
}

# check VERB FILE WHAT: refuses with 4 and one line, or gives what the whole file gave
check() {
  checks=$((checks + 1))
  rm -f [rdv].* # what the last run left
  "$1" "$2"
  local status=$? f
  if [ $status = 4 ]; then
    refused=$((refused + 1))
    [ "$(wc -l <err)" = 1 ] || bad "$1, $3: not one line: $(head -3 err)"
    grep -qE 'byte [0-9]+: rule [A-Z]+-[0-9]+: .*(expected|found|differs|says|match|verify)|not a bvpack file|damaged in the store' err ||
      bad "$1, $3: does not say where: $(cat err)"
    [ -z "$(ls [rdv].* 2>/dev/null)" ] || bad "$1, $3: an output is left"
    return
  fi
  [ $status = 0 ] || { bad "$1, $3: exit code $status: $(head -2 err)"; return; }
  for f in whole-"$1"/*; do
    cmp -s "$f" "${f##*/}" || bad "$1, $3: exit code 0, and another ${f##*/}"
  done
}
keep() { # VERB FILE: what a verb gives of the whole file
  "$1" "$2" || bad "$1 fails on the whole file: $(cat err)"
  mkdir "whole-$1"
  mv [rdv].* "whole-$1"
}

"$bvpack" pack -q "$models/shelf.jsonl" --hierarchy wide,obb -o file.bvp ||
  { echo "packing failed"; exit 1; }
cp file.bvp sound.bvp
for verb in clash compare extract one view queries; do keep $verb file.bvp; done
[ "$(wc -l <whole-clash/r.jsonl)" -gt 3 ] || bad "the report has no rows: nothing is tested"

seen=""
while read -r name at; do
  cp sound.bvp file.bvp
  flip file.bvp "$at"
  cmp -s sound.bvp file.bvp && bad "nothing flipped at $at"
  for verb in clash compare extract one view queries; do check $verb file.bvp "$name at $at"; done
  seen+=" $name"
done < <(places sound.bvp)
for name in DATA TIDS PART HIER PLAC TREE INST TOPN BINH PROP STRS PROV HASH; do
  [[ $seen == *" $name"* ]] || bad "no byte of $name was flipped"
done
[ $refused -gt 60 ] || bad "only $refused refusals: what is tested?"

# the first block's bytes, of which a clash without a look at hashes notices nothing
cp sound.bvp file.bvp
flip file.bvp 3176
check clash file.bvp "DATA at 3176"
grep -q '^bvpack: file.bvp: byte 1408: rule HSH-2: block 0 is damaged: its hash is [0-9a-f]\{16\}, expected [0-9a-f]\{16\}; ' err ||
  bad "the block is not named: $(cat err)"

# what is not checked answers
"$bvpack" query ray file.bvp --origin 30,30,200 --direction 0,0,-1 >out 2>err
[ $? = 4 ] && grep -q 'byte 1408: rule HSH-2: block 0 is damaged' err || bad "a query of a damaged part: $(cat err)"
"$bvpack" query ray file.bvp --origin 30,30,200 --direction 0,0,-1 --no-verify >out 2>err || bad "--no-verify: $(cat err)"

# a name: it is damaged, not wrong
cp sound.bvp file.bvp
flip file.bvp "$(grep -abo Plate sound.bvp | head -1 | cut -d: -f1)"
check one file.bvp "a part's name"
"$bvpack" info --parts file.bvp | grep -q '#0 Qlate' || bad "the name is not damaged: nothing is tested"

# ---- thin: the file, and the parts in its store -----------------------------------------------

mkdir thin && cd thin || exit 99
mv ../whole-* .
"$bvpack" pack -q "$models/shelf.jsonl" --hierarchy wide,obb --store store --thin -o file.bvp ||
  bad "packing thin failed"
cp file.bvp sound.bvp
check clash file.bvp "a thin file"
while read -r name at; do
  cp sound.bvp file.bvp
  flip file.bvp "$at"
  check clash file.bvp "thin, $name at $at"
done < <(places sound.bvp)
cp sound.bvp file.bvp
"$bvpack" pack -q --unit mm "$models/plate_holes.STL" -o plate.bvp
questions=("closest file.bvp --point 20,20,14" "ray file.bvp --origin 30,30,200 --direction 0,0,-1" "collide file.bvp"
  "distance plate.bvp file.bvp --place-b 0,0,300" "within file.bvp plate.bvp --delta 500" "overlap file.bvp --box 0,0,0,90,90,90"
  "pairs file.bvp file.bvp" "instances file.bvp --box 0,0,0,90,90,90")
# ask QUESTION: as before, or it says which part of which file is missing
ask() {
  # shellcheck disable=SC2086 # words
  "$bvpack" query $1 >out 2>err
  local status=$? before=answer-${1//[^a-z0-9]/_}
  [ -e "$before" ] || cp out "$before"
  [ $status != 0 ] || { cmp -s out "$before" || bad "$1: another answer without a part"; return 0; }
  [ $status = 3 ] && [ "$(wc -l <err)" = 1 ] &&
    grep -q 'file.bvp: .* is missing from the store' err || bad "a missing part, $1: $(cat err)"
  return 1
}
for question in "${questions[@]}"; do ask "$question" || bad "$question"; done
unanswered=0
while read -r part; do
  cp "$part" kept
  while read -r name at; do
    cp kept "$part"
    chmod u+w "$part"
    flip "$part" "$at"
    check clash file.bvp "${part##*/}, $name at $at"
  done < <(places kept)
  rm -f "$part" # clean: what names a missing part is an input that cannot be read
  "$bvpack" clash file.bvp >out 2>err
  [ $? = 3 ] && grep -q 'is missing from the store' err || bad "a missing part: $(cat err)"
  if ! one file.bvp; then
    grep -q 'is missing from the store' err || bad "a missing part, by its name: $(cat err)"
    named=1
  fi
  for question in "${questions[@]}"; do
    ask "$question" || unanswered=$((unanswered + 1))
  done
  for verb in "info --parts" verify; do
    # shellcheck disable=SC2086 # options
    "$bvpack" $verb file.bvp >out 2>err
    [ $? = 3 ] && grep -q 'file.bvp: .* is missing from the store' err || bad "a missing part, $verb: $(cat err)"
  done
  cp kept "$part"
done < <(find store -name '*.bvp')
[ $named = 1 ] || bad "the part with a name was never missing"
[ $unanswered -gt "${#questions[@]}" ] || bad "only $unanswered questions asked for a missing part"

echo "$checks checks, $refused refusals"
exit $fail
