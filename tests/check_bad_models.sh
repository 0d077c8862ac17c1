#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs each of the 113 broken models and compares what happens with tests/bad/expected.tsv:
# file, ok and the triangles kept and dropped, or the exit code and the error's text.
# `check_bad_models.sh --print` prints the table as it is now.
set -u
models=${BVP_SHARED:-$BVP_SRCDIR/../shared}/models/bad
expected=$BVP_SRCDIR/tests/bad/expected.tsv
if [ ! -d "$models" ]; then
  echo "skipped: the broken models are not at $models"
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# number KEY: of the report.
number() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$work/report" | head -1; }

# outcome FILE: its line of the table.
outcome() {
  local code
  timeout 60 "$BVPACK" pack "$1" -o "$work/out.bvp" -q --json >"$work/report" 2>"$work/error"
  code=$?
  if [ $code = 0 ]; then
    "$BVPACK" verify "$work/out.bvp" >/dev/null || { printf '%s\tdoes not verify\n' "$1"; return; }
    printf '%s\tok\t%s triangles, %s degenerate, %s duplicate\n' "$1" \
      "$(number unique_triangle_count)" "$(number degenerate_count)" "$(number duplicate_count)"
  else
    [ ! -e "$work/out.bvp" ] || { printf '%s\tleft an output behind\n' "$1"; return; }
    printf '%s\terror %d\t%s\n' "$1" $code "$(head -1 "$work/error" | tr '\t' ' ')"
  fi
  rm -f "$work/out.bvp"
}

cd "$models" || exit 1
for file in *; do
  outcome "$file"
done >"$work/table"
[ "${1-}" != --print ] || { cat "$work/table"; exit; }
[ "$(wc -l <"$work/table")" -ge 113 ] || { echo "there are fewer than 113 broken models"; exit 1; }
diff -u "$expected" "$work/table" || { echo "the outcome differs from tests/bad/expected.tsv"; exit 1; }
