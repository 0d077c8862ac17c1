#!/bin/bash
# SPDX-License-Identifier: MIT
# The kept page of the papers is not older than the code: a tenth of its counts, measured again, are the same.
# `make papers && make papers-save` renew it.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../../.." && pwd)}
here=$src/tests/bench/papers
command -v python3 >/dev/null || { echo "check_papers: no python3"; exit 77; }
[ -x tests/bench/papers/papers ] || { echo "check_papers: tests/bench/papers/papers was not built"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/models" "$scratch/new"
"$BVPACK" "$src/samples/models/cycloidal.ply" -q -o "$scratch/models/cycloidal.bvp"
"$BVPACK" "$src/samples/models/featuretype.STL" -q -o "$scratch/models/featuretype.bvp"
for chapter in boxtree mebvh solid obbtree; do
  tests/bench/papers/papers "$scratch/models" "$scratch/new" check $chapter || exit 1
done
python3 "$here/check_papers.py" "$here" "$scratch/new"
