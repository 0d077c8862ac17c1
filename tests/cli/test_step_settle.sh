#!/bin/bash
# SPDX-License-Identifier: MIT
# Fits whose truth is known, in a STEP assembly at the default chord: clearances, contacts and press fits of .01 to
# .15 mm, which the chord alone leaves open, come out right, or the report says that they are not settled.
set -u
bvpack=${BVPACK:-./bvpack}
step=$PWD/bvpack-step fits=$PWD/tests/cli/step_fits
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
[ -x "$step" ] && [ -x "$fits" ] || { echo "bvpack-step is not built: OpenCASCADE was not found"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
fail=0
complain() { echo "test_step_settle: $*"; fail=1; }

"$fits" fits.step | grep -E '^[a-z]+_[0-9.]+_-?[0-9.]+ ' >truth
[ "$(wc -l <truth)" = 108 ] || { complain "OpenCASCADE could not write the fits"; exit 1; }
pack() { "$bvpack" pack "$@" -q 2>err || complain "pack $*: $(cat err)"; }
clash() { "$bvpack" clash "$@" -q || complain "clash $*"; }
pack fits.step -j1 -o fits.bvp
pack fits.step -j3 -o fits3.bvp
cmp fits.bvp fits3.bvp || complain "the bytes depend on the threads"
"$bvpack" verify fits.bvp >/dev/null || complain "fits.bvp is not a valid file"
clash fits.bvp --report fits.csv

# a line for each pair: name, truth, verdict, settled; no row: clear
judge() { # report.csv
  awk -F, 'FNR == NR { split($0, t, " "); truth[t[1]] = t[2]; next }
    FNR == 1 { sub(/\r/, ""); for (i = 1; i <= NF; i++) column[$i] = i; next }
    { sub(/\r$/, ""); name = $column["a"]; sub(/.*\//, "", name); sub(/_[ab](\[.*)?$/, "", name); other = $column["b"]
      sub(/.*\//, "", other); sub(/_[ab](\[.*)?$/, "", other); if (name != other) print name, "with " other, $column["verdict"], "-"
      verdict[name] = $column["verdict"]; settled[name] = $NF } # titles may hold commas
    END { for (n in truth) print n, truth[n], (n in verdict ? verdict[n] : "clear"), (settled[n] == "" ? "-" : settled[n]) }' truth "$1"
}
wrong() { awk '$3 != ($2 > 0 ? "penetrating" : $2 == 0 ? "touching" : "clear")'; }
judge fits.csv >judged
[ "$(wc -l <judged)" = 108 ] || complain "pairs of different fits met: $(grep ' with ' judged | head -3)"

# what is said to be settled is so; hardly anything is not
wrong <judged | grep -v ' no$' >lies && complain "settled, but wrong: $(cat lies)"
[ "$(grep -c ' no$' judged)" -le 24 ] || complain "$(grep -c ' no$' judged) of 108 are not settled"
wrong <judged | grep -E '^(shaft|stub|box|plate)_[0-9.]+_-?0?\.?(0|02|05|1|15) ' &&
  complain "fits from .02 mm on are wrong"
wrong <judged | grep '^box' && complain "boxes have no curved faces"
[ "$(grep -c '^box.* exact$' judged)" -ge 5 ] || complain "flat parts are exact: $(grep '^box' judged)"
[ "$(grep -c 'penetrating finer mesh$' judged)" -ge 35 ] || complain "few press fits: $(grep -c 'penetrating finer mesh$' judged)"
"$bvpack" clash fits.bvp | grep -q 'not settled: [0-9]* pairs that touch;' || complain "the coverage statement does not count them"

# limits that are given are used as they are, and then nothing is said
clash fits.bvp --touch 0.2mm --overlap 0.2mm --report given.csv
judge given.csv >judged
[ "$(grep -c ' touching -$' judged)" -ge 105 ] || complain "--touch and --overlap do not hold"

# the tolerance goes with the part, also in another unit
printf '%s\n' '{"bvpack_manifest":1,"unit":"m"}' '{"mesh":"fits.step","unit":"mm","name":"all"}' >all.jsonl
pack all.jsonl -o metres.bvp
clash metres.bvp --report metres.csv
judge metres.csv | wrong | grep -E '^box|^shaft_[0-9.]+_-?0?\.?(0|05|1|15) ' | grep -v ' no$' && complain "in metres it is something else"
exit $fail
