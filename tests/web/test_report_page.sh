#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of a clash report in Chromium: keys, filters that the address keeps, many pairs.
# $BVP_SHOTS: a folder that gets pictures of the page.
set -u
command -v node >/dev/null || { echo "there is no node: skipped"; exit 77; }
for browser in chromium-headless-shell chromium ""; do command -v "$browser" >/dev/null && break; done
[ -n "$browser" ] || { echo "there is no Chromium: skipped"; exit 77; }
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"

{
  for corner in '0 0 0' '1 0 0' '1 1 0' '0 1 0' '0 0 1' '1 0 1' '1 1 1' '0 1 1'; do echo "v $corner"; done
  printf 'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n'
} >cube.obj
# boxes X...: rows of cubes on two levels, where X say where; cubes in one another, touching, near one another
boxes() {
  local level x i
  echo '{"bvpack_manifest": 1, "unit": "m"}'
  for level in 1 2; do
    printf '{"id": "L%d", "name": "%s"}\n' $level "$([ $level = 1 ] && echo 'Level 1' || echo 'upper level')"
    i=0
    for x in "$@"; do
      printf '{"mesh": "cube.obj", "parent": "L%d", "name": "%s_%d", "placement": {"translate": [%s, 0, %d]}}\n' \
        $level "$([ $((i % 2)) = 0 ] && echo pipe || echo duct)" $((i++)) "$x" $((level * 9))
    done
  done
}
boxes 0 0.5 1.5 2.5 3.501 4.4 7 8 9.3 10.301 >m.jsonl
expect 0 pack -q m.jsonl -o m.bvp
expect 0 clash m.bvp -q -c 5mm -r m.jsonl -r m.html
boxes 0 0.5 1.5 2.5 3.501 4.4 7 8 9.3 10.301 11.2 >n.jsonl
expect 0 pack -q n.jsonl -o n.bvp
expect 0 clash n.bvp -q -c 5mm --baseline m.jsonl -r n.html
expect 0 clash m.bvp -q -c 5mm --pictures 0 -r plain.html
# a floor of cubes, each of which touches eight others
awk 'BEGIN { print "{\"bvpack_manifest\": 1, \"unit\": \"m\"}"
  for (i = 0; i < 3600; i++)
    printf "{\"mesh\": \"cube.obj\", \"name\": \"pipe_%d\", \"placement\": {\"translate\": [%d, %d, 0]}}\n", i, i % 60, int(i / 60) }' >floor.jsonl
expect 0 pack -q floor.jsonl -o floor.bvp
expect 0 clash floor.bvp -q --pictures 0 -r floor.html
[ $fail = 0 ] || exit 1
node "$src/tests/web/report_page.mjs" "$browser" m.html n.html plain.html floor.html >said 2>&1 || bad "the report's page"
cat said
exit $fail
