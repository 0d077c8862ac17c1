#!/bin/bash
# SPDX-License-Identifier: MIT
# The package for browsers, in node and, if Chromium is installed, in a page: its answers are the
# library's, bit for bit, from a whole file and from one that is read by ranges; sources and files
# that are bad end in an error that says so.
set -u
command -v emcc >/dev/null || { echo "there is no emscripten: skipped"; exit 77; }
command -v node >/dev/null || { echo "there is no node: skipped"; exit 77; }
# on all cores: the other test of the package waits for it
(flock 9 && MAKEFLAGS='' make -j"$(nproc 2>/dev/null || echo 2)" wasm viewer) 9>wasm.lock >wasm.log 2>&1 || { tail -5 wasm.log; exit 1; }
build=$PWD package=$PWD/wasm/bvpack
answers=$PWD/tests/web/native_answers
[ -x "$answers" ] || answers=${BVP_BUILDDIR:-.}/tests/web/native_answers
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"

# what the module asks of its surroundings: nothing that a page could not give
node -e '
const names = WebAssembly.Module.imports(new WebAssembly.Module(require("fs").readFileSync(process.argv[1])))
  .map(({ module, name }) => `${module}.${name}`);
for (const name of names) if (!/^(bvpack\.(read|hint|pair)|env\.(__syscall_.*|emscripten_notify_memory_growth)|wasi_snapshot_preview1\..*)$/.test(name)) {
  console.log(`imports ${name}`); process.exitCode = 1; }' "$package/bvpack.wasm" || bad "an import that nobody gives"

replays() { # FILE COUNT
  "$answers" "$1" "$2" >answers && node "$src/tests/web/hostile.mjs" "$package" "$1" answers || bad "$1"
}
"$bvpack" pack -q "$src/samples/models/irb6640_cell12.glb" -o cell.bvp || exit 99
"$bvpack" clash -q cell.bvp --clearance 5mm --report cell.jsonl >/dev/null
replays cell.bvp 400
# longer than all addresses of the module: sparse, so it takes little room
"${answers%native_answers}make_vast" cell.bvp 5 | dd conv=sparse bs=64k iflag=fullblock of=vast.bvp status=none || exit 99
"$answers" vast.bvp 40 >answers && node "$src/tests/web/vast.mjs" "$package" vast.bvp answers || bad "a vast file"
rm -f vast.bvp
mkdir a
"$programs/make_export" a 60 20 0 && "$bvpack" pack -q --rays a/export.jsonl -o rays.bvp || exit 99
replays rays.bvp 1000
# many parts and instances: tables of many chunks
mkdir b
"$programs/make_export" b 400 4 0 || exit 99
awk 'BEGIN { for (i = 0; i < 60000; i++) { t = i * 0.7; c = cos(t); s = sin(t)
  printf "{\"mesh\":\"part%d.stl\",\"name\":\"%d\",\"placement\":[%.9g,%.9g,0,%d,%.9g,%.9g,0,%d,0,0,1,%d]}\n",
    int(i * i / 7) % 400, i, c, -s, i * 71 % 3001, s, c, i * 37 % 2003, i % 5 * 60 } }' >b/plant.jsonl
"$bvpack" pack -q b/plant.jsonl -o plant.bvp || exit 99
node "$src/tests/web/hints.mjs" "$package" plant.bvp || bad "hints"
node "$src/tests/web/windows.mjs" "$package" plant.bvp || bad "windows"
node "$src/tests/web/tables.mjs" "$package" cell.bvp || bad "tables of cell.bvp"
node "$src/tests/web/tables.mjs" "$package" rays.bvp || bad "tables of rays.bvp"
for model in "$src/samples/models/irb6640_cell12.glb" "$src/tests/cli/packed_gltf/gltfpack.glb"; do
  "$bvpack" pack -q "$model" -o plain.bvp && "$bvpack" pack -q --share "$model" -o over.bvp &&
    "$bvpack" attach -q "$model" over.bvp -o over.glb || exit 99
  node "$src/tests/web/outside.mjs" "$package" plain.bvp over.bvp over.glb || bad "$model over buffers"
done
if sh "$src/tools/viewer/npm.sh" "$src/tools/html" "$package/.." "$(command -v npm)"; then
  node "$src/tests/web/three.mjs" "$package" cell.bvp || bad "bvpack/three"
else
  echo "bvpack/three was not tried"
fi
# a browser whose page says nothing is gone afterwards, with what it started; also if the test is stopped
printf '#!/bin/sh\nsleep 600 &\necho $! >started.tmp && mv started.tmp started\nwait\n' >silent && chmod +x silent
is_gone() { # WHEN
  for _ in $(seq 50); do kill -0 "$(cat started)" 2>/dev/null || return 0; sleep 0.1; done
  kill -KILL "$(cat started)"
  bad "a browser was left behind $1"
}
BVP_WAIT_MS=2000 node "$src/tests/web/page.mjs" ./silent "$package" rays.bvp answers >said 2>&1 && bad "a silent page passes"
grep -q 'the page said nothing in 2 seconds' said || { bad "a silent page:"; cat said; }
is_gone "by a page that fails"
rm -f started
node "$src/tests/web/page.mjs" ./silent "$package" rays.bvp answers >said 2>&1 &
for _ in $(seq 100); do [ -f started ] && break; sleep 0.1; done
kill -TERM $!
wait $!
is_gone "by a test that was stopped"
for browser in chromium-headless-shell chromium ""; do command -v "$browser" >/dev/null && break; done
if [ -n "$browser" ]; then
  node "$src/tests/web/page.mjs" "$browser" "$package" rays.bvp answers >said || { bad "in $browser:"; tail -5 said; }
  cat said
  # a small plant's clash in a tab, as of bench-clash-tab; a report that says otherwise is noticed
  node "$src/tests/web/clash_tab.mjs" "$browser" "$package" cell.bvp cell.jsonl 1 >said 2>&1 || { bad "clash in a tab:"; cat said; }
  sed 1d cell.jsonl >other.jsonl
  node "$src/tests/web/clash_tab.mjs" "$browser" "$package" cell.bvp other.jsonl 1 >said 2>&1 && bad "other verdicts in a tab pass"
  grep -q 'the program says' said || { bad "clash in a tab, another report:"; cat said; }
else
  echo "there is no Chromium: nothing was tried in a page"
fi

# the samples: a script and a page
if [ -d "$build/wasm/node_modules" ]; then
  ln -sfn ../bvpack "$build/wasm/node_modules/bvpack"
  cp "$src/samples/nearest.mjs" "$build/wasm/nearest.mjs"
  node "$build/wasm/nearest.mjs" cell.bvp 1 2 3 >said || bad "samples/nearest.mjs"
  grep -q '108 instances of 9 parts' said && grep -q 'penetrate$' said || { bad "samples/nearest.mjs says:"; cat said; }
  if [ -n "$browser" ]; then
    node "$src/tests/web/sample.mjs" "$browser" "$src/samples/viewer.html" "$build/wasm" cell.bvp || bad "samples/viewer.html"
  fi
fi

# the package: what a page waits for is small, and npm packs all of it
if command -v npm >/dev/null; then
  (cd "$package" && npm pack --dry-run --json 2>/dev/null) >packed.json
  for name in bvpack.wasm index.mjs index.d.ts worker.mjs engine.mjs bytes.mjs module.mjs errors.mjs three.mjs three.d.ts README.md; do
    grep -q "\"path\": \"$name\"" packed.json || bad "npm packs no $name"
  done
  size=$(node -p 'JSON.parse(require("fs").readFileSync("packed.json"))[0].size')
  echo "the package: $size bytes"
  if [ "$(cat "$build/wasm/minifier")" = cp ]; then
    echo "there is no esbuild: the scripts are as they were written"
  elif [ "$size" -gt 250000 ]; then
    bad "a page waits for more than 250,000 bytes"
  fi
fi
exit $fail
