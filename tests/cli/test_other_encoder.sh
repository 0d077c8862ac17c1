#!/bin/bash
# SPDX-License-Identifier: MIT
# A file's identity does not depend on which zstd is installed: every way to write a .bvp, with the library's encoder
# and with one that writes other bytes (other_encoder.c). What is compared is all that carries the format: outputs,
# parts of stores, shares. Not compared are a store's records of its sources, which hold inode numbers and times; and a
# form for transport alone, which a .bvp is packed into and unpacked from, may depend on the encoder by intention: what
# is unpacked may not, and there is none here.
set -u
build=$(realpath "${BVP_BUILDDIR:-.}")
bvpack=$(realpath "${BVPACK:-./bvpack}")
models=$(realpath "$(dirname "$0")/../../samples/models")
stub=$build/tests/cli/.libs/other_encoder.so
[ -x "$bvpack" ] && [ -e "$stub" ] || { echo "no program, or no library to load before it: $bvpack, $stub"; exit 77; }
# the programs themselves, not the scripts around them in a build directory
own() { [ ! -x "${1%/*}/.libs/${1##*/}" ] && echo "$1" || echo "${1%/*}/.libs/${1##*/}"; }
export LD_LIBRARY_PATH=${bvpack%/*}/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
bvpack=$(own "$bvpack") encode=$(own "$build/tests/cli/encode_zstd")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C SOURCE_DATE_EPOCH=0
unset BVPACK BVPACK_STORE
fail=0 compared=0
bad() { echo "FAILED: $*"; fail=1; }

other() { LD_PRELOAD=$stub ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 "$@"; }

# ---- is it another encoder? ---------------------------------------------------------------------

"$encode" >own.txt || bad "libzstd does not decode what it encodes"
other "$encode" >other.txt || bad "libzstd does not decode what the other encoder writes"
[ "$(wc -l <own.txt)" = 5 ] || bad "not every way to encode was tried"
! comm -12 <(sort own.txt) <(sort other.txt) | grep . || bad "the other encoder writes the same bytes: nothing is tested"

# ---- every way to write a .bvp ------------------------------------------------------------------

mkdir in
cp "$models"/{shelf.jsonl,plate_holes.STL,featuretype.STL,rob.obj,irb6640_cell12.glb} in
# a long text of provenance, which compression would shorten: a hundred sources
for i in $(seq 100); do ln in/featuretype.STL "in/part$i.stl"; done

verbs() { # RUN: writes all outputs into the current folder
  local run=$1 i digests=--digests
  "$bvpack" pack ../in/featuretype.STL -q --digests -o digests.bvp 2>/dev/null || digests=
  $run pack ../in/rob.obj -q -o obj.bvp
  $run pack ../in/irb6640_cell12.glb -q -o glb.bvp
  $run pack ../in/part*.stl -q --unit mm --up y -o parts.bvp
  $run pack ../in/plate_holes.STL -q --unit mm --hierarchy wide,boxtree,aabb,obb,rss -o kinds.bvp
  $run pack ../in/plate_holes.STL -q --unit mm --hierarchy aabb --deformable -o soft.bvp
  $run pack ../in/rob.obj -q --fast --no-ids -o fast.bvp
  # shellcheck disable=SC2086 # one word or none
  $run pack ../in/shelf.jsonl -q $digests -o digests.bvp
  $run pack ../in/shelf.jsonl -q -o - >stdout.bvp
  for i in 1 2; do $run pack ../in/shelf.jsonl -q --shard $i/2 -o share$i.bvp; done
  $run pack ../in/shelf.jsonl -q --store store -o stored.bvp
  $run pack ../in/shelf.jsonl -q --store store -o stored.bvp # from the last output
  $run pack ../in/shelf.jsonl -q --store store -o known.bvp  # from the store
  $run pack ../in/shelf.jsonl -q --store store --thin -o thin.bvp
  for i in 1 2; do $run pack ../in/shelf.jsonl -q --store shares --shard $i/2; done
  $run merge thin.bvp -o fat.bvp
  $run merge share1.bvp share2.bvp -o joined.bvp
  $run merge glb.bvp parts.bvp -o works.bvp
  $run split glb.bvp --store store2 -o split.bvp
  $run refit soft.bvp -q --twist 1 -o twisted.bvp
  $run extract soft.bvp -q -o moved.stl
  $run refit soft.bvp moved.stl -q -o moved.bvp
  $run extract glb.bvp -q -o back.glb
  $run pack back.glb -q -o back.bvp
  rm -rf store/sources shares/sources
}
plain() { "$bvpack" "$@" || bad "$*: exit code $?"; }
stubbed() { other "$bvpack" "$@" || bad "$*, with another encoder: exit code $?"; }
for run in plain stubbed; do
  mkdir $run
  cd $run || exit 99
  verbs $run
  cd ..
done

root() { "$bvpack" info --json "$1" | grep -o '"root_hash": *"[0-9a-f]*"'; }
while read -r name; do
  compared=$((compared + 1))
  [ "$(root "plain/$name")" = "$(root "stubbed/$name")" ] || bad "$name: another root hash"
  [ -n "$(root "plain/$name")" ] || bad "$name: no root hash"
  cmp "plain/$name" "stubbed/$name" || bad "$name: other bytes"
done < <(cd plain && find . -name '*.bvp' | sort)
[ $compared -ge 25 ] || bad "only $compared files were written"
diff -rq plain stubbed || bad "not the same files"

echo "$compared files"
exit $fail
