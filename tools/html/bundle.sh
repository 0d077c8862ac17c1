#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh SOURCE OUT NPM [needed]: bundles view.js with three.js into OUT. Without NPM OUT is empty, and reports are
# written without their 3D view; likewise without a network, which is an error where the view is needed.
src=$1 out=$2 npm=$3 need=${4-}
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
if [ "$need" = needed ]; then
  rm -f "../$(basename "$out")"
  echo "bvpack: npm could not bundle three.js, see $folder/log; configure without --with-npm builds without it" >&2
  exit 1
fi
echo "bvpack: npm could not bundle three.js, see $folder/log: HTML reports will have no 3D view" >&2
exit 0
