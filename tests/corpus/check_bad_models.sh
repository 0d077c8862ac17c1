#!/bin/bash
# SPDX-License-Identifier: MIT
# The outcome of packing each of the bad models, compared with tests/corpus/bad/expected.tsv. The models do
# not ship: they are looked for in $BVP_MODELS, or in $BVP_SHARED/models.
# Columns: file, options or -, ok or error, triangles or exit code, text of the message or warning.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
models=${BVP_MODELS:-${BVP_SHARED:-$src/../shared}/models}/bad
table=$src/tests/corpus/bad/expected.tsv
bvpack=${BVPACK:-./bvpack}
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
[ -d "$models" ] || { echo "the bad models are not here: no folder $models (set BVP_MODELS)"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0 rows=0
complain() { echo "check_bad_models: $*"; fail=1; }

# One line on standard error that names the file, nothing on standard output, no file left.
check_error() { # file exit-code phrase
  [ "$status" = "$2" ] || complain "$1: exit code $status, not $2: $(head -c 300 "$scratch/err")"
  [ "$(wc -l <"$scratch/err")" = 1 ] || complain "$1: the error is not one line"
  grep -qF -- "$1" "$scratch/err" || complain "$1: the error does not name the file"
  grep -qF -- "$3" "$scratch/err" || complain "$1: no \"$3\" in: $(cat "$scratch/err")"
  [ -z "$(ls -A "$scratch/made")" ] || complain "$1: an output was left: $(ls -A "$scratch/made")"
}

check_ok() { # file triangles phrase
  local found
  [ "$status" = 0 ] || { complain "$1: exit code $status: $(head -c 300 "$scratch/err")"; return; }
  found=$(sed -n 's/^ *"triangle_count": *\([0-9]*\).*/\1/p' "$scratch/out")
  [ "$found" = "$2" ] || complain "$1: $found triangles, not $2"
  [ "$3" = - ] || grep -qF -- "$3" "$scratch/out" || complain "$1: no warning \"$3\""
  [ "$3" != - ] || ! grep -q '"count"' "$scratch/out" || complain "$1: an unexpected warning"
  "$bvpack" verify "$scratch/made/out.bvp" >"$scratch/out" 2>&1 || complain "$1: $(head -3 "$scratch/out")"
}

while IFS=$'\t' read -r file options outcome value phrase; do
  [[ $file != \#* ]] || continue
  rows=$((rows + 1))
  [ -f "$models/$file" ] || { complain "$file is in the table but not in the folder"; continue; }
  rm -rf "$scratch/made" && mkdir "$scratch/made"
  [ "$options" != - ] || options=
  # shellcheck disable=SC2086 # one word an option
  timeout 120 "$bvpack" pack "$models/$file" $options --json -j1 -o "$scratch/made/out.bvp" \
    >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  case $outcome in
    ok) check_ok "$file" "$value" "$phrase" ;;
    error) check_error "$file" "$value" "$phrase" ;;
    *) complain "$file: no such outcome: $outcome" ;;
  esac
done <"$table"

for file in "$models"/*; do
  cut -f1 "$table" | grep -qxF "$(basename "$file")" || complain "$(basename "$file") is not in the table"
done
echo "$rows rows"
exit $fail
