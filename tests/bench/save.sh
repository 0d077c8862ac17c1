#!/bin/bash
# SPDX-License-Identifier: MIT
# Keeps a benchmark run's results among those of all machines, to be committed: `make bench-save`. A whole run
# replaces all that is kept of this machine, a run of clashes only its own rows.
# Usage: save.sh DIRECTORY [RESULTS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
from=$1/results.csv
to=${2:-$here/results}/$(cat "$1/name.txt").csv
mkdir -p "${to%/*}"
if [ -f "$1/parts.txt" ] || [ ! -f "$to" ]; then
  cp "$from" "$to"
else
  awk -F, 'NR == FNR { ours[$1, $2]; next } FNR == 1 || !(($1, $2) in ours)' "$from" "$to" >"$to.new"
  tail -n +2 "$from" >>"$to.new"
  mv "$to.new" "$to"
fi
echo "kept in $to"
