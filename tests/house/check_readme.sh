#!/bin/bash
# SPDX-License-Identifier: MIT
# The README's C program, as it stands there, compiles without a warning against the libraries just
# built and answers; the files that the README links exist.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BVP_BUILDDIR:-$PWD}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$src/README.md" >"$scratch/nearest.c"
[ -s "$scratch/nearest.c" ] || { echo "check_readme: no C program"; exit 1; }
lines=$(wc -l <"$scratch/nearest.c")
[ "$lines" -le 18 ] || { echo "check_readme: the program has $lines lines"; exit 1; }
# shellcheck disable=SC2086 # flags
${CC:-cc} -std=c11 -Wall -Wextra -Werror ${HOUSE_LDFLAGS-} -I "$src/libfmt" "$scratch/nearest.c" \
  -o "$scratch/nearest" -L "$build/.libs" -lbvpack -Wl,-rpath,"$build/.libs" -lm

"$BVPACK" "$src/samples/models/plate_holes.STL" -q -o "$scratch/plate.bvp"
"$scratch/nearest" "$scratch/plate.bvp" | grep -E '^[0-9.e+-]+ from the origin: triangle [0-9]+$'
if "$scratch/nearest" "$scratch/nearest.c" 2>"$scratch/message"; then
  echo "check_readme: a C source opens as a packed file"
  exit 1
fi
[ -s "$scratch/message" ] || { echo "check_readme: a failure without a message"; exit 1; }

fail=0
while read -r link; do
  [ -e "$src/$link" ] || { echo "check_readme: README.md links $link, which is missing"; fail=1; }
done < <(awk '/^```/ { code = !code } !code' "$src/README.md" | grep -oE '\]\([^)#]+\)' | grep -v '://' | tr -d '](' | tr -d ')')
exit $fail
