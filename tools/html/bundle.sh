#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh SOURCE OUT NPM: bundles view.js with three.js into OUT. Without NPM, or without a network,
# OUT is empty and reports are written without their 3D view.
src=$1 out=$2 npm=$3
folder=$(dirname "$out")/npm
: >"$out"
[ -n "$npm" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder" && cp "$src/package.json" "$src/package-lock.json" "$src/view.js" "$folder" &&
  cd "$folder" &&
  "$npm" ci --ignore-scripts --no-audit --no-fund --fetch-retries=0 --fetch-timeout=30000 >log 2>&1 &&
  node_modules/.bin/esbuild view.js --bundle --minify --format=iife --target=es2020 \
    --legal-comments=eof --charset=utf8 --log-level=error --outfile=view.min.js >>log 2>&1 &&
  mv view.min.js ../view.js && rm -rf node_modules && exit 0
echo "bvpack: three.js could not be bundled, see $folder/log: HTML reports will have no 3D view" >&2
exit 0
