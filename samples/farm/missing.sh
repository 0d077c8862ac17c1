#!/bin/bash
# SPDX-License-Identifier: MIT
# Which tasks of a list are not done: their numbers, one a line.
#   missing.sh LIST
# It asks for each mark by its name: a listing of the folder may be late.
set -eu
count=$(grep -c '' "$1")
for ((i = 1; i <= count; i++)); do
  [ -e "$1.done/$i" ] || echo "$i"
done
