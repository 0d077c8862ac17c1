#!/bin/bash
# SPDX-License-Identifier: MIT
# samples/nightly.sh, which spec/nightly.md explains: three nights of an export, of which one has a new clash and one
# can't be read.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

# night NAME STATUS: runs the script on export.jsonl
night() {
  checks=$((checks + 1))
  BVPACK=$bvpack NIGHT=$1 bash "$src/samples/nightly.sh" export.jsonl nights >out 2>err
  local status=$?
  [ $status = "$2" ] || { bad "night $1 ended with $status, not $2"; head -3 err; }
}
count() { # NIGHT STATE: pairs of that state
  grep -c "\"state\":\"$2\"" "nights/$1.jsonl"
}
same() { # WHAT FOUND WANTED
  checks=$((checks + 1))
  [ "$2" = "$3" ] || bad "$1: $2, not $3"
}

# twelve blocks in a row, without ids; the first two stand in one another
cube block 0 1 >block.obj
line() { printf '{"part": "block", "name": "block", "placement": [1,0,0,%s,0,1,0,0,0,0,1,0]}\n' "$1"; }
head_of() { printf '{"bvpack_manifest": 1, "unit": "m"}\n{"id": "block", "mesh": "block.obj"}\n'; }
row() { for x in 0 0.5 $(seq 3 2 21); do line "$x"; done; }

{ head_of; row; } >export.jsonl
night one 1 # without a baseline each clash is new
same "pairs of the first night" "$(grep -c '"verdict":"penetrating"' nights/one.jsonl)" 1
same "the next baseline" "$(cat nights/last)" one
for form in bvp jsonl html bcf; do [ -s "nights/one.$form" ] || bad "no nights/one.$form"; done

# another order, and one block more that touches nothing: nothing is new
{ head_of; line 30; row | tac; } >export.jsonl
night two 0
same "new pairs after a new order" "$(count two new)" 0
same "persistent pairs" "$(count two persistent)" 1
same "resolved pairs" "$(count two resolved)" 0
same "ids of the pair" "$(grep -o '"id":"[0-9a-f]*"' nights/two.jsonl)" "$(grep -o '"id":"[0-9a-f]*"' nights/one.jsonl)"
has nights/two.txt 'added'

# what somebody says of an issue is in the next night's reports, and what comes back from a BIM tool is
issue=$(sed -nE 's/.*"issue":"([0-9a-f]*)".*/\1/p' nights/two.jsonl)
expect 0 issues nights/all-issues.jsonl "$issue" --status active --assign anna -q
night said 0
has nights/said.jsonl '"state":"persistent"'
has nights/said.jsonl "\"issue\":\"$issue\".*\"issue_status\":\"active\",\"issue_assignee\":\"anna\""
expect 0 issues nights/all-issues.jsonl --import nights/said.bcf --report nights/said.jsonl
has out 'BCF 3.0, 1 topic: 0 changes'
echo two >nights/last

# an export that is cut off: the last good night stays the baseline, and nothing has its name
head -c 100 export.jsonl >half.jsonl && mv half.jsonl export.jsonl
night three 3
same "the baseline after a failure" "$(cat nights/last)" two
[ ! -e nights/three.bvp ] || bad "a night that failed left a file"

# one block moves into its neighbour, the first pair comes apart
{ head_of; row | sed '2d'; line 3.5; } >export.jsonl
night four 1
same "new pairs" "$(count four new)" 1
same "resolved pairs" "$(count four resolved)" 1
same "persistent pairs" "$(count four persistent)" 0

echo "nightly: $checks checks"
exit $fail
