#!/bin/bash
# SPDX-License-Identifier: MIT
# A clash run of a plant of 10 M triangles in a tab of Chromium; `make bench-clash-tab`. In the build
# directory, after `make wasm`. Other load makes times longer, so goals are printed and do not fail;
# verdicts that are not the program's do. The plant's generator is test data.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
generator=${BVP_SHARED-$src/../shared}/plant/plant.c
bvpack=${BVPACK:-./bvpack}
skip() { echo "clash in a tab: skipped: $1"; exit 0; }
[ -f "$generator" ] || skip "there is no $generator"
[ -f wasm/bvpack/bvpack.wasm ] || skip "there is no wasm/bvpack (make wasm)"
command -v node >/dev/null || skip "there is no node"
for browser in chromium-headless-shell chromium ""; do command -v "$browser" >/dev/null && break; done
[ -n "$browser" ] || skip "there is no Chromium"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2086 # a compiler may have words
${CC:-cc} -O2 -o "$out/plant" "$generator" -lm
"$out/plant" "${BVP_PLANT:-10000000}" 1 0.001 - "$out/plant.glb" >/dev/null 2>&1
"$bvpack" pack -q "$out/plant.glb" -o "$out/plant.bvp"
"$bvpack" clash -q "$out/plant.bvp" --clearance 5mm --report "$out/plant.jsonl" >/dev/null || [ $? = 1 ]
node "$src/tests/web/clash_tab.mjs" "$browser" wasm/bvpack "$out/plant.bvp" "$out/plant.jsonl" "$@"
