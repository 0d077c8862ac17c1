#!/bin/bash
# SPDX-License-Identifier: MIT
# The viewer, as `bvpack view` writes its page, clicked through in Chromium.
set -u
command -v emcc >/dev/null || { echo "there is no emscripten: skipped"; exit 77; }
command -v node >/dev/null || { echo "there is no node: skipped"; exit 77; }
for browser in chromium-headless-shell chromium ""; do command -v "$browser" >/dev/null && break; done
[ -n "$browser" ] || { echo "there is no Chromium: skipped"; exit 77; }
# on all cores: the other test of the package waits for it
(flock 9 && MAKEFLAGS='' make -j"$(nproc 2>/dev/null || echo 2)" wasm viewer) 9>wasm.lock >viewer.log 2>&1 || { tail -5 viewer.log; exit 1; }
[ -f viewer.html ] || { echo "skipped: $(tail -1 viewer.log)"; exit 77; }
build=$PWD package=$PWD/wasm/bvpack
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"

"$bvpack" pack -q "$src/samples/models/irb6640_cell12.glb" -o cell.bvp || exit 99
"$bvpack" clash -q cell.bvp --clearance 5mm --report cell.jsonl --report cell.bcf >/dev/null
mkdir -p site/models
cp cell.bvp "site/models/cell 1.bvp"
cp cell.jsonl site/today.jsonl
printf 'newmtl red\nKd .9 .1 .1\nnewmtl green\nKd .1 .8 .2\n' >two.mtl
{
  printf 'mtllib two.mtl\n'
  for corner in '0 0 0' '1 0 0' '1 1 0' '0 1 0' '0 0 1' '1 0 1' '1 1 1' '0 1 1'; do echo "v $corner"; done
  printf 'usemtl red\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nusemtl green\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n'
} >two.obj
"$bvpack" pack -q two.obj -o site/models/two.bvp || exit 99
BVPACK_LIBEXEC=$build "$bvpack" view "site/models/cell 1.bvp" -o site/plant.html --report site/today.jsonl || bad "view -o plant.html"
grep -q '"given">{"file":"./models/cell%201.bvp","report":"./today.jsonl"}</script>' site/plant.html || bad "the page names other files"
node "$src/tests/web/viewer.mjs" "$browser" site "$package" cell.bcf >said 2>&1 || bad "the viewer"
cat said

# a clash report's page: two cubes that meet, each of two colours
printf '{"bvpack_manifest": 1}\n{"mesh": "two.obj", "name": "a"}\n{"mesh": "two.obj", "name": "b", "placement": {"translate": [0.5, 0.4, 0.3]}}\n' >two.jsonl
"$bvpack" pack -q two.jsonl -o pair.bvp || exit 99
"$bvpack" clash -q pair.bvp --report pair.html >/dev/null
if grep -q bvpackView= pair.html; then
  grep -q 'data-colours="0:[0-9a-f]* ' pair.html || bad "the report has no colours"
  node "$src/tests/web/report.mjs" "$browser" pair.html >said 2>&1 || bad "the report's page"
  cat said
else
  echo "the report's page was not tried: built without three.js"
fi
exit $fail
