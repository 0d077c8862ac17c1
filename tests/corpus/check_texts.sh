#!/bin/bash
# SPDX-License-Identifier: MIT
# The spec names every member of the provenance that the program writes, and every key of a property
# that belongs to the format.
set -u
source_dir=${BVP_SRCDIR:-$(dirname "$0")/../..}
[ -x "${BVPACK-}" ] || { echo "check_texts: no program in \$BVPACK"; exit 77; }
models=$source_dir/samples/models
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0

chapter() { sed -n "/^## $1 /,/^## /p" "$source_dir/spec/format.md"; }
expect_named() { # chapter what words...
  local chapter=$1 what=$2 word
  shift 2
  [ $# -gt 0 ] || { echo "check_texts: no $what at all"; fail=1; }
  for word in "$@"; do
    chapter "$chapter" | grep -qF "\`$word\`" || { echo "check_texts: chapter $chapter does not name the $what $word"; fail=1; }
  done
}

provenance() { "$BVPACK" info --provenance "$1" | sed -n '/^provenance:/,$p'; }
{
  "$BVPACK" pack "$models/shelf.jsonl" -q -o "$scratch/shelf.bvp" && provenance "$scratch/shelf.bvp"
  "$BVPACK" pack "$models/rob.obj" -q --hierarchy boxtree --planes 2 --offset-bits 16 --keep-strays --assume-unit mm \
    -o "$scratch/rob.bvp" && provenance "$scratch/rob.bvp"
  "$BVPACK" pack "$models/plate_holes.STL" -q --hierarchy aabb --deformable -o "$scratch/plate.bvp" &&
    "$BVPACK" refit "$scratch/plate.bvp" --part '#0' --twist 0.1 -o "$scratch/bent.bvp" && provenance "$scratch/bent.bvp"
} >"$scratch/texts" || { echo "check_texts: a program failed"; fail=1; }
mapfile -t members < <(grep -oE '"[a-z_]+" ?:' "$scratch/texts" | tr -d '": ' | sort -u)
expect_named 16 "member of provenance" "${members[@]}"
mapfile -t keys < <(grep -rhoE '_KEY +"bvpack_[a-z]+"' "$source_dir/tools" | grep -oE 'bvpack_[a-z]+' | sort -u)
expect_named 14 "key" "${keys[@]}"
exit $fail
