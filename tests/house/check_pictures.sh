#!/bin/bash
# SPDX-License-Identifier: MIT
# The pictures of spec/ are those that their scripts draw.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
command -v python3 >/dev/null || { echo "check_pictures: no python3"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
for name in format layers; do
  python3 "spec/draw_$name.py" "$scratch/$name.svg" && cmp -s "$scratch/$name.svg" "spec/$name.svg" && continue
  echo "check_pictures: spec/$name.svg is out of date: run python3 spec/draw_$name.py spec/$name.svg"
  fail=1
done
exit $fail
