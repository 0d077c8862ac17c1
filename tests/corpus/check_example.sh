#!/bin/bash
# SPDX-License-Identifier: MIT
# The worked example of the spec is what the program writes. Hashes and provenance, which carry
# versions, are left out.
set -u
source_dir=${BVP_SRCDIR:-$(dirname "$0")/../..}
[ -x "${BVPACK-}" ] || { echo "check_example: no program in \$BVPACK"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
lasting() { grep -E '^    [0-9a-f]{8} .*  (DATA|TIDS|PART|HIER|PLAC|LINS|TREE|INST|TOPN|PROP|STRS)'; }
lasting <"$source_dir/spec/example.md" >"$scratch/recorded"
"$source_dir/spec/make_example.sh" "$BVPACK" | lasting >"$scratch/made"
[ -s "$scratch/made" ] || { echo "check_example: nothing was dumped"; exit 1; }
cmp -s "$scratch/recorded" "$scratch/made" && exit 0
echo "check_example: spec/example.md is out of date: run spec/make_example.sh"
diff "$scratch/recorded" "$scratch/made" | head
exit 1
