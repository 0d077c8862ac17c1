# shellcheck shell=bash disable=SC2034 # for those that source it
# SPDX-License-Identifier: MIT
# Sourced by tests of the program: an empty folder to work in, and what to expect of a run of it. A test ends with
# `exit $fail`. BVP_KEEP=1: the folder stays, and its path is printed.

bvpack=$(realpath "${BVPACK:-./bvpack}")
programs=$(realpath "${BVP_BUILDDIR:-.}/tests/cli")
src=$(realpath "${BVP_SRCDIR:-$(dirname "${BASH_SOURCE[0]}")/../..}")
json=$programs/json_check
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'if [ -n "${BVP_KEEP-}" ]; then echo "kept: $scratch"; else rm -rf "$scratch"; fi' EXIT
cd "$scratch" || exit 99
export LC_ALL=C
unset BVPACK BVPACK_STORE
fail=0 checks=0

# bad WORD...: the test fails; says which line of it
bad() { echo "FAILED: line ${BASH_LINENO[${#BASH_LINENO[@]} - 2]}: $*"; fail=1; }

# Runs the program; keeps its output in out, err and status.
run() {
  "$bvpack" "$@" >out 2>err </dev/null
  status=$?
}
# expect STATUS ARGUMENTS...
expect() {
  local wanted=$1
  shift
  checks=$((checks + 1))
  run "$@"
  [ $status = "$wanted" ] || { bad "exit code $status, not $wanted: bvpack $*"; head -3 out err; }
}
# has FILE REGEX / lacks FILE REGEX: in what the last run printed
has() {
  checks=$((checks + 1))
  grep -qE -e "$2" "$1" || { bad "no \"$2\" in $1:"; head -5 "$1"; }
}
lacks() {
  checks=$((checks + 1))
  ! grep -qE -e "$2" "$1" || bad "\"$2\" in $1"
}
empty() {
  checks=$((checks + 1))
  [ ! -s "$1" ] || { bad "$1 is not empty:"; head -3 "$1"; }
}
# same FILE FILE
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || bad "$1 and $2 differ"
}
# is PATH VALUE: in the JSON text that the last run printed
is() {
  local found
  checks=$((checks + 1))
  found=$("$json" "$1" <out) || bad "no JSON, or nothing at $1"
  [ "$found" = "$2" ] || bad "$1 is $found, not $2"
}
# near PATH VALUE: the same for a number, to 1e-9 of itself
near() {
  checks=$((checks + 1))
  "$json" "$1" <out | awk -v v="$2" '{ d = $1 - v; e = (v < 0 ? -v : v) * 1e-9 + 1e-12; ok = d < e && d > -e } END { exit !ok }' ||
    bad "$1 is $("$json" "$1" <out), not $2"
}

# cube NAME LO HI: an OBJ cube
cube() {
  local a=$2 b=$3
  printf 'o %s\n' "$1"
  printf 'v %s %s %s\n' $a $a $a $b $a $a $b $b $a $a $b $a $a $a $b $b $a $b $b $b $b $a $b $b
  printf 'f %s %s %s\n' 1 3 2 1 4 3 5 6 7 5 7 8 1 2 6 1 6 5 2 3 7 2 7 6 3 4 8 3 8 7 4 1 5 4 5 8
}
