#!/bin/bash
# SPDX-License-Identifier: MIT
# What "clash --suggest-rules" proposes for real assemblies, all of it accepted: at least 90 % of what a person calls
# noise is gone, and nothing that a person calls a clash. What is what stands in noise/*.tsv, with reasons. Models are
# looked for in $BVP_NOISE_MODELS, then in the shared folder; one that is not there is skipped.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
source=$(realpath "${BVP_SRCDIR:-$(dirname "$0")/../..}")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
fail=0 done=0
for list in "$source"/tests/cli/noise/*.tsv; do
  read -r _ _ name _ < <(sed 's/[,;]/ /' "$list")
  hash=$(sed -n '1s/.*sha256 \([0-9a-f]*\).*/\1/p' "$list")
  model=
  for folder in ${BVP_NOISE_MODELS:+"$BVP_NOISE_MODELS"} "${BVP_SHARED-$source/../shared}/models/assembly"; do
    [ -n "$model" ] || [ ! -f "$folder/$name" ] || model=$folder/$name
  done
  [ -n "$model" ] || { echo "skip: $name is not here"; continue; }
  [ "$(sha256sum <"$model" | cut -c1-64)" = "$hash" ] || { echo "skip: $model is another version"; continue; }
  cd "$scratch" && rm -f ./*
  "$bvpack" pack -q "$model" -o m.bvp 2>pack.err || { echo "skip: $name can't be packed: $(head -1 pack.err)"; continue; }
  "$bvpack" clash m.bvp -q --suggest-rules rules.json -r before.jsonl && "$bvpack" clash m.bvp -q -R rules.json -r after.jsonl ||
    { echo "FAILED: $name: clash fails"; fail=1; continue; }
  python3 - "$list" "$name" before.jsonl after.jsonl <<'PY' || fail=1
import fnmatch, json, sys
rules = [line.rstrip("\n").split("\t") for line in open(sys.argv[1]) if not line.startswith("#")]
assert all(len(r) == 7 and r[5] in ("noise", "clash") for r in rules), "a row of the list is malformed"
def rows(path):
    return [r for r in map(json.loads, open(path)) if r.get("id")]
def label(row):
    for verdict, a, b, low, high, what, why in rules:
        names = row["part_a"], row["part_b"]
        if row["verdict"] == verdict and float(low) <= row["depth"] <= float(high) and (
                (fnmatch.fnmatchcase(names[0], a) and fnmatch.fnmatchcase(names[1], b)) or
                (fnmatch.fnmatchcase(names[0], b) and fnmatch.fnmatchcase(names[1], a))):
            return what
    return None
left = {r["id"] for r in rows(sys.argv[4])}
count, bad = {"noise": [0, 0], "clash": [0, 0]}, 0
for row in rows(sys.argv[3]):
    what = label(row)
    if not what:
        print("FAILED: the list says nothing of", row["verdict"], row["part_a"], row["part_b"], row["depth"])
        bad = 1
        continue
    count[what][0] += 1
    count[what][1] += row["id"] not in left
    if what == "clash" and row["id"] not in left:
        print("FAILED: lost:", row["verdict"], row["part_a"], row["part_b"], row["depth"])
        bad = 1
noise, clash = count["noise"], count["clash"]
print(f"{sys.argv[2]}: {noise[1]} of {noise[0]} pairs of noise gone, {clash[1]} of {clash[0]} clashes lost")
sys.exit(bad or noise[1] < 0.9 * noise[0])
PY
  done=$((done + 1))
done
[ $done -gt 0 ] || [ $fail -ne 0 ] || { echo "no model: nothing is tested"; exit 77; }
exit $fail
