#!/bin/bash
# SPDX-License-Identifier: MIT
# spec/format.ksy compiles with Kaitai's compiler, and the parser that comes out reads from files what `bvpack dump`
# reads. Needs node, and the compiler from $BVP_KAITAI (a folder of node_modules) or by npm.
set -u
source_dir=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 99
skip() { echo "check_ksy: $*"; exit 77; }
fail=0
complain() { echo "check_ksy: $*"; fail=1; }
[ -x "${BVPACK-}" ] || skip "no program in \$BVPACK"
command -v node >/dev/null || skip "no node"
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

NODE_PATH=${BVP_KAITAI-}
if [ -z "$NODE_PATH" ]; then
  command -v npm >/dev/null || skip "no npm, and no compiler in \$BVP_KAITAI"
  npm install --prefix "$scratch" --ignore-scripts --no-audit --no-fund --fetch-retries=0 --fetch-timeout=30000 \
    kaitai-struct-compiler@0.11.0 kaitai-struct@0.11.0 js-yaml@4.1.0 >"$scratch/log" 2>&1 ||
    skip "npm could not fetch Kaitai's compiler: $(grep -m1 error "$scratch/log")"
  NODE_PATH=$scratch/node_modules
fi
export NODE_PATH

# A word for each file, its model, the least number of values to compare, options of pack.
while read -r name model least options; do
  # shellcheck disable=SC2086 # options
  "$BVPACK" pack "$source_dir/$model" -q $options -o "$scratch/$name.bvp" && "$BVPACK" dump "$scratch/$name.bvp" >"$scratch/dump" ||
    { complain "cannot pack and dump $model"; continue; }
  node "$source_dir/tests/house/parse_ksy.js" "$source_dir/spec/format.ksy" "$scratch/$name.bvp" "$scratch/dump" >"$scratch/values" ||
    { complain "$name: the parser and the dump differ"; head -5 "$scratch/values"; continue; }
  count=$(awk 'END { print $1 }' "$scratch/values")
  [ "$count" -ge "$least" ] || complain "$name: only $count values were compared"
done <<'END'
example spec/example.obj 290
kinds samples/models/plate_holes.STL 900 --hierarchy wide,boxtree,aabb,obb,rss
assembly samples/models/shelf.jsonl 2000 --no-ids
END
exit $fail
