#!/bin/bash
# SPDX-License-Identifier: MIT
# A PDM's nightly step: packs an export, tells what changed since the last night, clashes it, and
# ends with 1 when there is a new clash. spec/nightly.md explains it line by line.
#   nightly.sh EXPORT FOLDER [CLASH OPTION]...
# EXPORT: a manifest (.jsonl), a PLM XML document, a STEP assembly. FOLDER keeps all nights.
# BVPACK: the program. NIGHT: what this night is called, the date by default.
set -eu
[ $# -ge 2 ] || { sed -n '3,7s/^# //p' "$0"; exit 2; }
export=$1 folder=$2
shift 2
bvpack=${BVPACK:-bvpack}
night=${NIGHT:-$(date +%F)}
mkdir -p "$folder"
last=$(cat "$folder/last" 2>/dev/null) || last=

"$bvpack" pack "$export" --store "$folder/parts" -o "$folder/$night.bvp" -q
baseline=()
if [ -n "$last" ] && [ "$last" != "$night" ]; then
  "$bvpack" diff "$folder/$last.bvp" "$folder/$night.bvp" >"$folder/$night.txt"
  baseline=(--baseline "$folder/$last.bvp,$folder/$last.jsonl")
fi
said=()
[ ! -f "$folder/all-issues.jsonl" ] || said=(--issues "$folder/all-issues.jsonl")
found=0
"$bvpack" clash "$folder/$night.bvp" ${baseline[@]+"${baseline[@]}"} ${said[@]+"${said[@]}"} "$@" --exit-code -q \
  -r "$folder/$night.jsonl" -r "$folder/$night.html" -r "$folder/$night.bcf" || found=$?
[ $found -le 1 ] || exit $found
# only now: a night that failed is no baseline
echo "$night" >"$folder/last.new"
mv "$folder/last.new" "$folder/last"
exit $found
