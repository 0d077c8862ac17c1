#!/bin/bash
# SPDX-License-Identifier: MIT
# Zones of the verb clash as a user meets them: shapes, places, every form of report, selectors, clearances, baselines,
# states, and what is wrong in a zone file, with file and place.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
json=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/json_check")
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C
unset BVPACK
fail=0 checks=0

bad() { echo "FAILED: line ${BASH_LINENO[1]}: $*"; fail=1; }
# expect STATUS ARGUMENTS...: runs the verb
expect() {
  local wanted=$1
  shift
  checks=$((checks + 1))
  "$bvpack" clash "$@" >out 2>err </dev/null
  status=$?
  [ $status = "$wanted" ] || { bad "exit code $status, not $wanted: clash $*"; head -3 out err; }
}
has() { # FILE TEXT
  checks=$((checks + 1))
  grep -qF -e "$2" "$1" || { bad "no \"$2\" in $1:"; head -5 "$1"; }
}
lacks() {
  checks=$((checks + 1))
  ! grep -qF -e "$2" "$1" || bad "\"$2\" in $1"
}
is() { # PATH VALUE: in the JSON text that the last run printed
  local found
  checks=$((checks + 1))
  found=$("$json" "$1" <out) || bad "no JSON, or nothing at $1"
  [ "$found" = "$2" ] || bad "$1 is $found, not $2"
}
rows() { # FILE: what is in which verdict with what, in the order of names
  sed -E 's/.*"verdict":"([^"]*)","a":"([^"]*)","b":"([^"]*)".*/\1 \2 \3/' "$1" | sort
}
are() { # FILE, rows on standard input
  checks=$((checks + 1))
  rows "$1" >found
  sort | cmp -s - found || { bad "the rows of $1 are"; cat found; }
}
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || { bad "$1 and $2 differ"; diff "$1" "$2" | head -4; }
}

# ---- the scene: cubes of a metre, in millimetres; one of them 4 m, around another ----------------

cat >cube.off <<'END'
OFF
8 12 0
0 0 0
1000 0 0
1000 1000 0
0 1000 0
0 0 1000
1000 0 1000
1000 1000 1000
0 1000 1000
3 0 2 1
3 0 3 2
3 0 1 5
3 0 5 4
3 1 2 6
3 1 6 5
3 2 3 7
3 2 7 6
3 3 0 4
3 3 4 7
3 4 5 6
3 4 6 7
END
cat >cell.jsonl <<'JSON'
{"id": "cube", "mesh": "cube.off"}
{"part": "cube", "name": "table"}
{"part": "cube", "name": "shelf", "placement": {"translate": [1500, 0, 0]}}
{"part": "cube", "name": "moon", "placement": {"translate": [90000, 0, 0]}}
{"part": "cube", "name": "tank", "placement": {"translate": [0, 10000, 0], "scale": 4}}
JSON
"$bvpack" pack -q cell.jsonl --unit mm -o cell.bvp || { echo "packing failed"; exit 1; }

# ---- shapes and places ---------------------------------------------------------------------------

expect 0 cell.bvp --clearance 100mm -r all.jsonl -r all.csv -r all.glb --zone lid=box:500,500,20@500,500,1010 \
  --zone gap=sphere:200@1250,500,500 --zone rod=capsule:1,3000@500,500,500,0,90,0 --zone cylinder:10,100@0,0,-500 \
  --zone all=box:20000,90000,20000 --zone inside=sphere:100@2000,12000,2000 \
  --zone "wedge=hull:1400,0,0,1600,0,0,1500,1000,0,1500,500,1000"
are all.jsonl <<'ROWS'
touching table lid
within table gap
within shelf gap
penetrating table rod
penetrating shelf rod
enclosed table all
enclosed shelf all
enclosed tank all
enclosed tank inside
penetrating shelf wedge
ROWS
lacks all.jsonl moon
lacks all.jsonl '"triangle_b"'
has all.jsonl '"part_b":"lid"'
has all.jsonl '"group":"cube | lid"'
has out 'zones: 7 zones'
has out 'coverage: 4 instances, 0 of them with open edges'
has all.csv ',table,lid,cube,lid,table,lid,'
[ "$(wc -l <all.csv)" = 11 ] || bad "not 10 rows in the CSV report"
head -c 4 all.glb | grep -q glTF || bad "all.glb is no GLB"
expect 0 cell.bvp --zone lid=box:500,500,20@500,500,1010 --json
is a cell.bvp
is b zones
is zones 1
is rows 1
is verdicts.touching 1
is coverage.total 4
is worst.0.b lid
is worst.0.instance_b 0
is groups.0.part_b lid
expect 1 cell.bvp --zone box:9,9,9@500,500,500 --exit-code --overlap 1 -r - -q
has out '"verdict":"enclosed"'
has out '"b":"zone 1"'
expect 1 cell.bvp --zone box:9,9,9@500,500,500 --exit-code
expect 0 cell.bvp --zone box:9,9,9@5000,500,500 --exit-code

# the number of threads changes nothing, nor do details
for jobs in 1 3; do
  expect 0 cell.bvp -c 100 -j $jobs --zone all=box:20000,90000,20000 --zone gap=sphere:200@1250,500,500 -r jobs$jobs.jsonl
done
same jobs1.jsonl jobs3.jsonl
expect 0 cell.bvp -c 100 --zone rod=capsule:1,3000@500,500,500,0,90,0 --contacts -r contacts.jsonl
has contacts.jsonl '"triangle_pairs":'
expect 0 cell.bvp -c 100 --zone rod=capsule:1,3000@500,500,500,0,90,0 --fast -r fast.jsonl
rows contacts.jsonl | are fast.jsonl

# ---- selectors, clearances of their own ----------------------------------------------------------

expect 0 cell.bvp --zone all=box:20000,90000,20000 --zone gap=sphere:200@1250,500,500 -c 100 -x table -x 'shelf:gap' -r few.jsonl
are few.jsonl <<'ROWS'
enclosed shelf all
enclosed tank all
ROWS
expect 2 cell.bvp --zone sphere:1 -x nobody
has err 'matches no instance'
cat >zones.json <<'JSON'
{"comment": "a cell", "zones": [
  {"name": "near", "shape": "sphere:200", "place": [1250, 500, 500], "clearance": "5cm"},
  {"name": "far", "shape": "sphere:200", "place": "1250,500,500", "clearance": 40},
  {"name": "as asked", "shape": "sphere:200", "place": [1250, 500, 500, 0, 0, 45]},
  {"name": "tetra", "hull": [[400, 400, 900], [600, 400, 900], [500, 600, 900], [500, 500, 1200]]}]}
JSON
expect 0 cell.bvp --zones zones.json -r own.jsonl
are own.jsonl <<'ROWS'
within table near
within shelf near
penetrating table tetra
ROWS
expect 0 cell.bvp --zones zones.json -r wide.jsonl -c 10cm
are wide.jsonl <<'ROWS'
within table near
within shelf near
within table as asked
within shelf as asked
penetrating table tetra
ROWS
has out 'zones.json: 4 zones'
echo '[{"a": "table", "b": "near", "clearance": "1mm"}, {"a": "tetra", "allow": true}]' >rules.json
expect 0 cell.bvp --zones zones.json -r ruled.jsonl --rules rules.json
are ruled.jsonl <<'ROWS'
within shelf near
penetrating table tetra
ROWS

# ---- from one run to the next --------------------------------------------------------------------

expect 0 cell.bvp --zones zones.json -r next.jsonl --baseline own.jsonl --exit-code
has next.jsonl '"state":"persistent","was":"penetrating"'
lacks next.jsonl '"state":"new"'
sed 's/1250, 500, 500]/1250, 5000, 500]/' zones.json >moved.json
expect 0 cell.bvp --zones moved.json -r next.jsonl --baseline own.jsonl --exit-code
has next.jsonl '"a":"table","b":"near"'
has next.jsonl '"state":"resolved","was":"within"'
expect 0 cell.bvp --zones zones.json --state run.state -r whole.jsonl
same whole.jsonl own.jsonl
[ ! -e run.state ] || bad "the state is still there"
# the state of a run that could not write its report is not taken for one with other zones
expect 7 cell.bvp --zones zones.json --state run.state -r /nonexistent/x.jsonl
expect 0 cell.bvp --zones moved.json --state run.state -r moved.jsonl
are moved.jsonl <<'ROWS'
penetrating table tetra
ROWS

# ---- what is wrong -------------------------------------------------------------------------------

# wrong STATUS TEXT MESSAGE: of a zone file
wrong() {
  printf '%s' "$2" >bad.json
  expect "$1" cell.bvp --zones bad.json
  has err "$3"
  has err bad.json
}
wrong 3 '{"zones": [' 'line 1: '
wrong 3 '3' "'[' or '{' expected"
wrong 2 '{}' 'there is no zone in it'
wrong 2 '[]' 'there is no zone in it'
wrong 2 '{"zone": []}' 'zone: no such key; did you mean "zones"?'
wrong 2 '{"zones": {}}' 'zones: expected an array of zones'
wrong 2 '[4]' 'zone 1: expected an object'
wrong 2 '[{"name": "a"}]' 'zone 1 "a": expected one of "shape" and "hull"'
wrong 2 '[{"shape": "sphere:1", "hull": [[0,0,0]]}]' 'zone 1: expected one of'
wrong 2 '[{"shape": "sphere:1"}, {"name": "b", "shape": "sphere:1,2"}]' 'zone 2 "b", shape: expected box:X,Y,Z'
wrong 2 '[{"shape": 5}]' 'zone 1, shape: expected a string'
wrong 2 '[{"shape": "sphere:1e31"}]' 'expected numbers up to 1e30'
wrong 2 '[{"name": "a", "shape": "sphere:-1"}]' 'zone "a": expected sizes of 0 or more'
wrong 2 '[{"name": "a", "shape": "sphere:1", "place": [2,0,0,0, 0,2,0,0, 0,0,2,0]}]' 'zone "a": expected sizes'
wrong 2 '[{"name": "", "shape": "sphere:1"}]' 'zone 1 "", name: expected a string that is not empty'
wrong 2 '[{"name": "a", "shape": "sphere:1"}, {"name": "a", "shape": "sphere:2"}]' 'two zones are called "a"'
wrong 2 '[{"hull": []}]' 'hull: expected the name of a file, or an array of 1 to 4096 points'
wrong 2 '[{"hull": [[0,0,0],[1,2]]}]' 'hull: point 2: expected three numbers'
wrong 2 '[{"shape": "sphere:1", "place": [1,2]}]' 'place: expected 3, 6 or 12 numbers'
wrong 2 '[{"shape": "sphere:1", "place": "1,2"}]' 'zone 1, place: expected x,y,z'
wrong 2 '[{"shape": "sphere:1", "clearance": -1}]' 'clearance: expected a length that is finite'
wrong 2 '[{"shape": "sphere:1", "clearance": []}]' 'clearance: expected a length'
wrong 2 '[{"shape": "sphere:1", "clearence": 1}]' 'did you mean "clearance"?'
wrong 3 '[{"shape": "sphere:1", "shape": "sphere:2"}]' 'shape'
expect 3 cell.bvp --zones absent.json
expect 2 cell.bvp --zone ball:3
has err 'expected box:X,Y,Z'
expect 2 cell.bvp --zone =sphere:3
has err 'an empty NAME'
expect 2 cell.bvp --zone sphere:3@1
has err '--zone: expected x,y,z'
expect 2 cell.bvp cell.bvp --zone sphere:3
has err 'zones take one file'
expect 2 cell.bvp --zone sphere:3 --place-b 1,2,3

# a single mesh is one instance, as without zones
"$bvpack" pack -q cube.off -o cube.bvp
expect 0 cube.bvp --zone sphere:1 -r one.jsonl -q
[ "$(wc -l <one.jsonl)" = 1 ] || bad "not one row for one mesh"

echo "$checks checks"
exit $fail
