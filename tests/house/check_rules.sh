#!/bin/bash
# SPDX-License-Identifier: MIT
# Every rule id of the spec stands at a line that enforces it and in a test, and no other id does.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0

ids='[A-Z]{3}-[0-9]+'
sorted() { sort -t- -k1,1 -k2,2n -u; }
spec=$(grep -oE "^- \*\*$ids\*\*" spec/format.md | grep -oE "$ids" | sorted)
code=$(grep -hoE "\"$ids\"" -r libfmt --include='*.c' | tr -d '"' | sorted)
tests=$(grep -hoE "\"$ids\"" -r tests --include='*.c' | tr -d '"' | grep -v "^UTF-" | sorted)
[ -n "$spec" ] || { echo "check_rules: the spec has no rules"; exit 1; }

compare() { # what-has-it ids other-ids what-lacks-it
  local missing
  missing=$(comm -23 <(sort <<<"$2") <(sort <<<"$3") | sorted | tr '\n' ' ')
  [ -z "${missing// /}" ] || { echo "check_rules: $1, but not $4: $missing"; fail=1; }
}
compare "in the spec" "$spec" "$code" "enforced"
compare "enforced" "$code" "$spec" "in the spec"
compare "in the spec" "$spec" "$tests" "tested"
compare "tested" "$tests" "$spec" "in the spec"

# within a chapter the numbers run from 1 without gaps
while read -r chapter; do
  count=$(grep -c "^$chapter-" <<<"$spec")
  last=$(grep "^$chapter-" <<<"$spec" | tail -1)
  [ "$last" = "$chapter-$count" ] || { echo "check_rules: $chapter has $count rules, the last is $last"; fail=1; }
done < <(cut -d- -f1 <<<"$spec" | sort -u)

exit $fail
