#!/bin/bash
# SPDX-License-Identifier: MIT
# Keeps a benchmark run's results among those of all machines, to be committed: `make bench-save`. A whole run
# replaces all that is kept of this machine, a run of clashes only its own files.
# Usage: save.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$here/results/$(cat "$1/name.txt")
mkdir -p "$to"
if [ ! -f "$1/parts.txt" ]; then
  cp "$1"/*.k.csv "$1"/*.info.json "$to"
  cp "$1/machine.txt" "$to/clash.machine.txt"
  cp "$1/goals.md" "$to/clash.goals.md"
else
  rm -f "$to"/*
  cp "$1"/*.csv "$1"/*.info.json "$1"/parts.txt "$1"/machine.txt "$1"/table.md "$1"/goals.md "$to"
  [ ! -f "$1/plant_2M.only.tsv" ] || cp "$1/plant_2M.only.tsv" "$to" # the larger plants' are megabytes
fi
echo "kept in $to"
