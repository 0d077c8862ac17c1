#!/bin/sh
# SPDX-License-Identifier: MIT
# npm.sh LOCKED FOLDER NPM: packages, as LOCKED/package-lock.json pins them, in
# FOLDER/node_modules. 77: there is no npm, or no registry.
[ -n "$3" ] || { echo "there is no npm"; exit 77; }
mkdir -p "$2" && cp "$1/package.json" "$1/package-lock.json" "$2" && cd "$2" || exit 1
cmp -s package-lock.json node_modules/.made_of && exit 0
"$3" ci --ignore-scripts --no-audit --no-fund --fetch-retries=0 --fetch-timeout=30000 >npm.log 2>&1 ||
  { echo "npm could not fetch its packages, see $2/npm.log"; exit 77; }
cp package-lock.json node_modules/.made_of
