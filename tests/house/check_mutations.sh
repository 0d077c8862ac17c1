#!/bin/bash
# SPDX-License-Identifier: MIT
# The text that each planted bug of mutations.txt replaces stands once in its file, so that mutate.sh can plant it.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0 bug='' file='' found=0
while IFS= read -r line; do
  case $line in
    'bug: '*) bug=${line#bug: } ;;
    'file: '*) file=${line#file: } ;;
    'find: '*)
      found=$((found + 1))
      count=$(grep -oF -- "${line#find: }" "$file" | wc -l)
      [ "$count" = 1 ] || { echo "check_mutations: $bug: its text stands $count times in $file"; fail=1; }
      ;;
  esac
done <tests/house/mutations.txt
[ "$found" -ge 100 ] || { echo "check_mutations: only $found planted bugs are listed"; fail=1; }
exit $fail
