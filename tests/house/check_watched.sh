#!/bin/bash
# SPDX-License-Identifier: MIT
# A long command shows that it goes on, a short one says nothing; status and log are the command's, and nothing is left
# running behind it. Both scripts that build use it for their builds.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/watched.sh
. "$src/tests/watched.sh"
fail=0
bad() { echo "check_watched: $1"; fail=1; }

export BVP_TOLD=0.2
watched 'a build' "$scratch/log" sh -c 'echo first; echo compiling; exec sleep 1' >"$scratch/said" ||
  bad "a status that is not the command's"
grep -q '^  \.\.\.   a build: [01] s, 2 lines; now: compiling$' "$scratch/said" || bad "no progress: $(cat "$scratch/said")"
[ "$(wc -l <"$scratch/said")" -le 6 ] || bad "more than a line for each interval"
[ "$(cat "$scratch/log")" = "first
compiling" ] || bad "the log is not the command's output"
watched fails "$scratch/log" sh -c 'exit 3'
[ $? = 3 ] || bad "a failure is not passed on"
BVP_TOLD=30
watched short "$scratch/log" true >"$scratch/said"
[ ! -s "$scratch/said" ] || bad "a short command says something"
[ -z "$(jobs -p)" ] || bad "something runs on"

grep -q 'watched "\$1" "\$(log_of' "$src/tests/run.sh" || bad "tests/run.sh builds in silence"
grep -q 'watched "\$1" "\$out/log' "$src/samples/quickstart.sh" || bad "quickstart.sh builds in silence"
exit $fail
