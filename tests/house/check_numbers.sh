#!/bin/bash
# SPDX-License-Identifier: MIT
# The kept results of benchmarks have the form that results.sh describes, and README's tables are what readme.sh
# makes of one of them.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
complain() { echo "check_numbers: $*"; fail=1; }

protocols=$(sed -nE 's/^#   ([a-z]+) .*/\1/p' "$src/tests/bench/run_bench.sh" | paste -sd' ')
for csv in "$src"/tests/bench/results/*; do
  awk -F, -v protocols="machine part $protocols" -v file="$csv" '
    function bad(what) { printf "%s:%d: %s: %s\n", file, FNR, what, $0; failed = 1 }
    BEGIN { n = split(protocols, name, " "); for (k = 1; k <= n; k++) known[name[k]] }
    NR == 1 { if ($0 != "protocol,scene,question,who,value") bad("expected the header"); next }
    NR == 2 && $1 != "machine" { bad("expected which machine it is") }
    NF != 5 || $5 == "" { bad("expected five fields and a value") }
    !($1 in known) { bad("a protocol that run_bench.sh does not list") }
    seen[$1, $2, $3, $4]++ { bad("twice") }
    END { exit failed }' "$csv" || complain "${csv##*/} is not as results.sh writes it: make bench-save does"
  cat "$src/README.md" >"$scratch/README.md" # the original may be read-only
  bash "$src/tests/bench/readme.sh" "$csv" "$scratch/README.md" >/dev/null
  ! cmp -s "$src/README.md" "$scratch/README.md" || shown=$csv
done
[ -n "${shown:-}" ] || complain "README's tables are those of no machine: bash tests/bench/readme.sh RESULTS.csv README.md writes them"
exit $fail
