#!/bin/bash
# SPDX-License-Identifier: MIT
# Time and memory of the viewer, of plants of 2, 10 and 100 M triangles; `make bench-viewer`, and at
# the end of `make check-web`. In the build directory. Other load makes times longer, so goals are
# printed and do not fail; a picture that does not come does. The plants' generator is test data.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
generator=${BVP_SHARED-$src/../shared}/plant/plant.c
skip() { echo "rows of the viewer: skipped: $1"; exit 0; }
[ -f "$generator" ] || skip "there is no $generator"
[ -f viewer.html ] || skip "there is no viewer.html (make viewer)"
for browser in chromium-headless-shell chromium ""; do command -v "$browser" >/dev/null && break; done
[ -n "$browser" ] || skip "there is no Chromium"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2086 # a compiler may have words
${CC:-cc} -O2 -o "$out/plant" "$generator" -lm
for millions in 2 10 100; do
  "$out/plant" "${millions}000000" 1 0.001 - "$out/plant.glb" >/dev/null 2>&1
  "${BVPACK:-./bvpack}" pack -q "$out/plant.glb" -o "$out/plant_${millions}M.bvp"
  rm "$out/plant.glb"
done
node "$src/tests/web/viewer_rows.mjs" "$browser" viewer.html "$out"/plant_{2,10,100}M.bvp
