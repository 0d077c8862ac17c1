#!/bin/bash
# SPDX-License-Identifier: MIT
# Keeps a benchmark run's results among those of all machines, to be committed: `make bench-save`.
# Usage: save.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$here/results/$(cat "$1/name.txt")
mkdir -p "$to"
rm -f "$to"/*
cp "$1"/*.csv "$1"/*.info.json "$1"/parts.txt "$1"/machine.txt "$1"/table.md "$1"/goals.md "$to"
echo "kept in $to"
