#!/bin/bash
# SPDX-License-Identifier: MIT
# Formatting sanity: banner, tabs, line length, leftovers; clang-format and shellcheck when at hand.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
complain() { echo "check_style: $*"; fail=1; }

mapfile -t code < <(find libfmt tools tests samples -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' | sort)
mapfile -t scripts < <(find tests samples -name '*.sh' | sort)
[ ! -f .ci/run ] || scripts+=(.ci/run)
mapfile -t texts < <(find . -maxdepth 1 -name '*.md'; find spec samples tests libfmt -name '*.md' | sort)

for file in "${code[@]}"; do
  head -1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || complain "$file: no licence in the first line"
  # the public headers open with promises and caveats
  [[ $file == libfmt/bvpack*.h* ]] || awk 'NR == 1 && !/^\/[*\/]/ { exit 1 } /\*\// { exit NR > 33 } !/^( \*|\/[*\/])/ { exit NR > 33 }' "$file" ||
    complain "$file: banner of more than 32 lines"
done
for file in "${scripts[@]}"; do
  head -2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || complain "$file: no licence in the first two lines"
done

find_in_code() { # what pattern
  while read -r line; do complain "$1: $line"; done < <(grep -nHP "$2" "${code[@]}" "${scripts[@]}" | cut -c1-120)
}
find_in_code "tab" '\t'
find_in_code "trailing blank" '[ \t]+$'
find_in_code "carriage return" '\r$'
find_in_code "left over" '\b(TO''DO|FIX''ME|XX''X)\b'
while read -r line; do complain "over 100 columns: $line"; done < <(
  grep -nHP '^.{101,}$' "${code[@]}" | cut -c1-100)
for file in "${code[@]}" "${scripts[@]}" "${texts[@]}"; do
  [ -z "$(tail -c1 "$file")" ] || complain "$file: no newline at the end"
done

if command -v clang-format >/dev/null && clang-format --version | grep -q 'version 14'; then
  clang-format --dry-run "${code[@]}" 2>&1 | grep -oE '^[^:]+:[0-9]+' | awk -F: '!seen[$1]++' >"${TMPDIR:-/tmp}/style.$$"
  while read -r where; do complain "$where: clang-format would change it"; done <"${TMPDIR:-/tmp}/style.$$"
  rm -f "${TMPDIR:-/tmp}/style.$$"
fi
if command -v shellcheck >/dev/null; then
  shellcheck -S warning "${scripts[@]}" || complain "shellcheck"
fi
exit $fail
