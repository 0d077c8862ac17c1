#!/bin/bash
# SPDX-License-Identifier: MIT
# The verb clash as a user meets it: verdicts in every report, rules, baseline, signals, kills.
# BVP_KILLS: how often a run is killed; BVP_SEED: when.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
json=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/json_check")
without=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/without_nameless")
"$without" true || without="env"
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C
unset BVPACK
RANDOM=${BVP_SEED:-$$}
seed="BVP_SEED=${BVP_SEED:-$$}"
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
has() { # FILE REGEX
  checks=$((checks + 1))
  grep -qE -e "$2" "$1" || { bad "no \"$2\" in $1:"; head -5 "$1"; }
}
lacks() {
  checks=$((checks + 1))
  ! grep -qE -e "$2" "$1" || bad "\"$2\" in $1"
}
# is PATH VALUE: in the JSON text that the last run printed
is() {
  local found
  checks=$((checks + 1))
  found=$("$json" "$1" <out) || bad "no JSON, or nothing at $1"
  [ "$found" = "$2" ] || bad "$1 is $found, not $2"
}
near() { # the same for a number, to 1e-9
  checks=$((checks + 1))
  "$json" "$1" <out | awk -v v="$2" '{ d = $1 - v; ok = d < 1e-9 && d > -1e-9 } END { exit !ok }' ||
    bad "$1 is not $2"
}
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || { bad "$1 and $2 differ"; diff "$1" "$2" | head -4; }
}

# ---- models -------------------------------------------------------------------------------------

# gltf FILE: mesh 0, a closed cube; mesh 1, the same without its top; nodes on standard input: the
# root has all below it that have no parent of their own
gltf() {
  cat >"$1" <<JSON
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"buffers": [{"byteLength": 168, "uri": "data:application/octet-stream;base64,$cube_data"}],
"bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
"accessors": [
{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},
{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
{"bufferView": 1, "componentType": 5123, "count": 30, "type": "SCALAR"}],
"meshes": [
{"name": "cube", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]},
{"name": "box", "primitives": [{"attributes": {"POSITION": 0}, "indices": 2}]}],
"nodes": [
$(cat)
]}
JSON
}
cube_data=AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AACAPwAAAAAAAIA/
cube_data+=AACAPwAAgD8AAIA/AAAAAAAAgD8AAIA/AAACAAEAAAADAAIAAAABAAUAAAAFAAQAAQACAAYAAQAGAAUAAgADAAcAAgAHAAYA
cube_data+=AwAAAAQAAwAEAAcABAAFAAYABAAGAAcA

gltf scene.gltf <<'JSON'
{"name": "plant", "children": [1, 2, 15, 16]},
{"name": "skid", "children": [3, 4, 5, 6, 7, 8], "extras": {"system": "cooling"}},
{"name": "shed", "children": [9, 10, 11, 12, 13, 14]},
{"name": "bolt", "mesh": 0},
{"name": "flange", "mesh": 0, "translation": [0.75, 0.25, 0.25], "extras": {"part_number": "P-7"}},
{"name": "shelf", "mesh": 0, "translation": [10, 0, 0]},
{"name": "book", "mesh": 0, "translation": [11, 0, 0]},
{"name": "pipe", "mesh": 0, "translation": [20, 0, 0]},
{"name": "pipe", "mesh": 0, "translation": [21.25, 0, 0]},
{"name": "tank", "mesh": 0, "translation": [30, 0, 0], "scale": [4, 4, 4]},
{"name": "float/valve", "mesh": 0, "translation": [31, 1, 1]},
{"name": "twin", "mesh": 0, "translation": [40, 0, 0]},
{"name": "twin", "mesh": 0, "translation": [40, 0, 0]},
{"name": "tub", "mesh": 1, "translation": [50, 0, 0], "scale": [4, 4, 4]},
{"name": "duck", "mesh": 0, "translation": [51, 1, 1]},
{"name": "moon", "mesh": 0, "translation": [90, 0, 0]},
{"name": "sun", "mesh": 0, "translation": [99, 0, 0]}
JSON
"$bvpack" pack -q scene.gltf -o scene.bvp || { echo "packing failed"; exit 1; }

# without_issues REPORT: its rows, whatever others there are
without_issues() { sed -E 's/"issue":"[^"]*","issue_number":[0-9]*,"issue_title":"[^"]*","issue_pairs":[0-9]*,"issue_volume":[^,]*,//' "$1" | sort; }

# ---- verdicts reach every report ----------------------------------------------------------------

expect 0 scene.bvp --clearance 0.5 --report all.jsonl --report all.csv
has out '^  penetrating +1$'
has out ': 14 instances of [0-9]* parts$'
has out '^coverage: 14 instances, 1 of them with open edges; [0-9]* pairs near: '
has out '^report all.csv$'
# row VERDICT A B: one line of the JSON report, which is left in `out`
row() {
  checks=$((checks + 1))
  grep -F "\"verdict\":\"$1\",\"a\":\"$2\",\"b\":\"$3\"" all.jsonl >out ||
    grep -F "\"verdict\":\"$1\",\"a\":\"$3\",\"b\":\"$2\"" all.jsonl >out ||
    bad "no row $1 $2 $3"
  [ "$(wc -l <out)" = 1 ] || bad "not one row $1 $2 $3"
  grep -qE "^[0-9a-f]{32},$1," all.csv || bad "no $1 in the CSV report"
}
row penetrating skid/bolt skid/flange
is distance 0
is group 'P-7 | cube'
near depth 0.25
row touching skid/shelf skid/book
row within skid/pipe 'skid/pipe[2]'
near distance 0.25
is place 'x4 y0 z0'
row enclosed shed/tank 'shed/float\\/valve'
row duplicate shed/twin 'shed/twin[2]'
row unknown shed/tub shed/duck
checks=$((checks + 3))
[ "$("$json" --lines <all.jsonl)" = 6 ] || bad "not 6 rows: $(wc -l <all.jsonl)"
[ "$(wc -l <all.csv)" = 7 ] || bad "not 7 lines of CSV"
[ "$(tr -cd '\r' <all.csv | wc -c)" = 7 ] || bad "lines of CSV that do not end with CR LF"
awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' all.csv || bad "rows of CSV of different length"
[ "$(cut -d'"' -f4 all.jsonl | sort -u | wc -l)" = 6 ] || bad "ids come twice"

# the most severe first, in every report
severe="enclosed duplicate penetrating unknown within touching"
verdicts_of() { sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' "$1" | paste -sd ' '; }
checks=$((checks + 2))
[ "$(verdicts_of all.jsonl)" = "$severe" ] || bad "rows: $(verdicts_of all.jsonl)"
[ "$(sed 1d all.csv | cut -d, -f2 | paste -sd ' ')" = "$severe" ] || bad "rows of the CSV report"

expect 0 scene.bvp -c 0.5 --pictures 2 -q -r two.html
checks=$((checks + 1))
[ "$(grep -c '"picture":' two.html)" = 2 ] || bad "not two pictures"
[ "$(grep '"picture":' two.html | sed 's/.*"verdict":"\([a-z]*\)".*/\1/' | paste -sd ' ')" = "enclosed duplicate" ] ||
  bad "the pictures are not those of the most severe pairs"
empty err
# built without three.js it says what the page lacks
expect 0 scene.bvp -c 0.5 --pictures 0 -r two.html
if grep -q bvpackView= two.html; then
  lacks err '3D'
else
  has err 'two.html: it has no 3D view: .*--with-npm'
fi

expect 0 scene.bvp -c 0.5 --report - -q
same out all.jsonl
expect 0 scene.bvp -c 0.5 --report -
has err '^coverage:'
same out all.jsonl
mkfifo pipe.csv
cat pipe.csv >piped &
expect 0 scene.bvp -c 500mm --report pipe.csv -q
wait
same piped all.csv
for jobs in 1 2 7; do
  expect 0 scene.bvp -c 0.5 -j $jobs -r j.jsonl -r j.csv
  same j.jsonl all.jsonl
  same j.csv all.csv
done
expect 0 scene.bvp -c 0.2 --json
is verdicts.within 0
is coverage.complete true
is worst.0.verdict enclosed
is worst.2.verdict penetrating
is rows 5
expect 0 scene.bvp --contacts --verdicts penetrating --json
is verdicts.penetrating 1
checks=$((checks + 1))
"$json" worst.0.triangle_pairs <out | grep -qx '[1-9][0-9]*' || bad "contacts are not counted"
contacts=$("$json" worst.0.triangle_pairs <out)
expect 0 scene.bvp --contacts --fast --verdicts penetrating --json
is worst.0.triangle_pairs "$contacts"
expect 0 scene.bvp --overlap 0.3 --json
is verdicts.penetrating 0
is verdicts.touching 2
expect 0 scene.bvp --touch 0.3 --json
is verdicts.within 0
is verdicts.touching 3
expect 0 scene.bvp --fast -q
[ ! -s out ] || bad "-q prints"
expect 1 scene.bvp --exit-code -q
expect 0 scene.bvp --exit-code -q -x 'skid/bolt' -x 'shed/**'

# ---- two files ----------------------------------------------------------------------------------

gltf tool.gltf <<'JSON'
{"name": "tool", "mesh": 0}
JSON
"$bvpack" pack -q tool.gltf -o tool.bvp
expect 0 scene.bvp tool.bvp --place-b 89.5,.1,.1 --report two.jsonl
has two.jsonl '"verdict":"penetrating","a":"moon","b":"tool"'
[ "$(wc -l <two.jsonl)" = 1 ] || bad "more than the moon"
expect 0 scene.bvp tool.bvp --place-b 89.5,.1,.1 --exclude 'tool:m*' --json
is rows 0
is coverage.excluded 1
expect 2 scene.bvp --place-b 1,2,3
has err 'second file'
"$bvpack" pack -q --unit mm tool.gltf -o small.bvp
expect 2 scene.bvp small.bvp --place-b .001,0,0,90,0,.001,0,0,0,0,.001,0
has err 'leave the scale out'
expect 0 scene.bvp small.bvp --place-b 90,0,0 --json
is rows 1

# ---- rules --------------------------------------------------------------------------------------

# rules TEXT: runs with them
rules() {
  echo "$1" >rules.json
  expect "${2:-0}" scene.bvp -c 0.5 --rules rules.json --json
}
rules '[{"a": "skid/**", "exclude": true}]'
is rows 3
is rules.0.pairs 3
is rules.0.name 'rule 1'
rules '[{"name": "x", "a": "b*", "b": "[fs]*", "exclude": true}]'
is rows 4
rules '[{"a": {"property": {"system": "cool*"}}, "exclude": true}]'
is coverage.excluded 3
rules '[{"a": {"part": "P-7"}, "exclude": true}]'
is coverage.excluded 1
rules '[{"a": {"name": "tw?n", "path": "skid/**"}, "exclude": true}]' 2
has err '^bvpack: rule 1: selector a \(tw\?n, \.\.\.\) matches no instance'
rules '[{"b": "insulation=ye", "clearance": "50mm"}]' 2
has err 'selector b \(insulation=ye\) matches no instance'
rules '[{"name": "welded", "same_assembly": "skit*", "exclude": true}]' 2
has err '^bvpack: welded: same_assembly \(skit\*\) matches no instance'
rules '[{"a": {"name": "tw?n", "path": "skid/**"}, "exclude": true, "optional": true}]'
is coverage.excluded 0
has out 'matches no instance'
rules '[{"a": ["twin", "tub"], "exclude": true}]'
is coverage.excluded 2
rules '[{"same_assembly": true, "exclude": true}]'
is rows 0
rules '[{"same_assembly": "sk*", "exclude": true}]'
is coverage.excluded 3
rules '[{"a": "bolt", "b": "flange", "allow": "300mm"}]'
is coverage.allowed 1
is verdicts.penetrating 0
rules '[{"a": "bolt", "b": "flange", "allow": "200mm"}]'
is coverage.allowed 0
is verdicts.penetrating 1
rules '[{"a": "shelf", "allow": true}]'
is coverage.allowed 1
rules '[{"a": "pipe", "clearance": 0.1}, {"a": "*", "clearance": "0.2m"}]'
is verdicts.within 0
is rules.0.pairs 1
is rules.1.pairs 5
rules '{"clearance": 0.125, "rules": [{"a": "pipe", "clearance": 0.3}]}'
is verdicts.within 1
is limits.clearance 0.5
echo '{"clearance": 0.125, "rules": [{"a": "pipe", "clearance": 0.3}]}' >rules.json
expect 0 scene.bvp --rules rules.json --json
is verdicts.within 1
is limits.clearance 0.125
rules '[{"name": "first", "a": "bolt", "overlap": 0.3}, {"name": "second", "a": "bolt", "exclude": true}]'
is verdicts.touching 2
is rules.1.pairs 0

# what is wrong is said, with the place, and nothing is taken for "no clash"
refused() { # RULES REGEX
  rules "$1" 2
  has err "^bvpack: rules.json: .*$2"
}
refused '[{"a": "", "exclude": true}]' 'rule 1, a: an empty selector'
refused '[{"a": {}, "exclude": true}]' 'rule 1, a: an empty selector'
refused '[{"a": [], "exclude": true}]' 'rule 1, a: an empty selector'
refused '[{"a": "name=", "exclude": true}]' 'rule 1, a: an empty selector'
refused '[{"a": "[z-a]", "exclude": true}]' 'runs backwards'
refused '[{"a": "[ab", "exclude": true}]' 'without its \]'
refused '[{"a": "x//y", "exclude": true}]' 'empty segment'
refused '[{"a": "/x", "exclude": true}]' 'below the root'
refused '[{"a": "x/", "exclude": true}]' 'ends with a slash'
refused '[{"a": {"nam": "x"}, "exclude": true}]' 'did you mean name'
refused '[{"exclude": true}]' 'whom is it for'
refused '[{"a": "x"}]' 'what does it do'
refused '[{"a": "x", "exclude": true, "clearance": 1}]' 'have no clearance'
refused '[{"a": "x", "exclude": true, "allow": true}]' 'found both'
refused '[{"a": "x", "exclude": false}]' 'expected true'
refused '[{"a": "x", "optional": 1, "exclude": true}]' 'expected true'
refused '[{"a": "x", "exlude": true}]' 'did you mean "exclude"'
refused '[{"a": "x", "clearance": -1}]' 'negative'
refused '[{"name": "here", "a": "x", "clearance": "5 parsecs"}]' 'rule 1 "here", clearance: expected a length'
refused '{"rule": []}' 'did you mean "rules"'
refused '{"rules": 7}' 'array of rules'
rules '[{"a": "x",' 3
has err 'rules.json: line [12]:'
for selector in '' ':' 'x:' ':x' 'name=' '[' '=x'; do
  expect 2 scene.bvp --exclude "$selector"
  has err '^bvpack: --exclude: '
done
expect 2 scene.bvp --exclude nothing:here
has err '^bvpack: --exclude nothing:here: selector a \(nothing\) matches no instance'
expect 0 scene.bvp -c 0.5 --same-assembly --json
is rows 0
expect 0 scene.bvp -c 0.5 -x 'float\/valve' -x pipe:pipe -x part=P-7 -x system=cooling:system=cooling --json
is rules.0.pairs 1
is rules.1.pairs 1
is rules.2.pairs 1
is rules.3.pairs 1

# ---- baseline -----------------------------------------------------------------------------------

# other order, the book gone, the moon and the sun met, the pipes touching
sed -e 's/"translation": \[11, 0, 0\]/"translation": [15, 0, 0]/' \
  -e 's/"translation": \[99, 0, 0\]/"translation": [90.5, 0.1, 0.1]/' \
  -e 's/"translation": \[21.25, 0, 0\]/"translation": [21, 0, 0]/' \
  -e 's/"children": \[1, 2, 15, 16\]/"children": [16, 15, 2, 1]/' scene.gltf >later.gltf
"$bvpack" pack -q later.gltf -o later.bvp
expect 1 later.bvp -c 0.5 --baseline all.jsonl -r later.jsonl -r later.csv --json --exit-code
is baseline.new 1
is baseline.persistent 5
is baseline.resolved 1
has later.jsonl '"verdict":"penetrating","a":"(sun|moon)","b":"(moon|sun)".*"state":"new"'
has later.jsonl '"verdict":"touching","a":"skid/pipe.*"state":"persistent","was":"within"'
tail -1 later.jsonl >last
has last '"verdict":"clear","a":"skid/(shelf|book)".*"distance":null.*"state":"resolved","was":"touching"'
has later.csv '^[0-9a-f]*,clear,resolved,touching,'
expect 0 later.bvp -c 0.5 --baseline later.jsonl --json --exit-code
is baseline.new 0
is baseline.resolved 0
expect 0 later.bvp -c 0.5 --baseline all.jsonl -x shelf -x bolt --json
is baseline.resolved 0
is baseline.left_out 2
expect 0 scene.bvp -c 0.1 --baseline all.jsonl --json # the pipes are .25 apart
is baseline.resolved 0
is baseline.left_out 1

# ---- what reports leave out ---------------------------------------------------------------------

expect 0 scene.bvp -c 0.5 --verdicts penetrating,within -r f.jsonl --json
is rows 2
is filtered.verdicts 4
is filtered.top 0
is verdicts.touching 0
is coverage.touching 1
grep -E '"verdict":"(penetrating|within)"' all.jsonl >some
without_issues some >wanted
without_issues f.jsonl >found
same found wanted
expect 0 scene.bvp -c 0.5 --min-depth 250mm --json
is rows 5
is filtered.min_depth 1
is verdicts.penetrating 1
expect 0 scene.bvp -c 0.5 --min-depth 251mm --json
is rows 4
is filtered.min_depth 2
is verdicts.within 1
expect 0 scene.bvp -c 0.5 --top 3 -r f.jsonl --json
is rows 3
is filtered.top 3
head -3 all.jsonl >wanted
same f.jsonl wanted
expect 0 scene.bvp -c 0.5 --top 3 --verdicts touching,within,unknown --min-depth 1
has out '^  left out by --verdicts: 3 pairs that are not clear$'
has out '^  left out by --min-depth: 1 pair that is not clear$'
lacks out 'left out by --top'
# what is filtered is not resolved, and no finding
expect 0 scene.bvp -c 0.5 --verdicts touching --baseline all.jsonl -r f.jsonl --exit-code --json
is rows 1
is baseline.persistent 1
is baseline.resolved 0
expect 0 scene.bvp -c 0.5 --top 1 --baseline all.jsonl -r f.jsonl --json
is rows 1
is baseline.persistent 6
is baseline.resolved 0
lacks f.jsonl resolved
expect 0 scene.bvp --verdicts touching --exit-code -q
expect 1 scene.bvp --top 1 --exit-code -q
for list in '' ',' 'touching,' touch clear 'touching,,within'; do
  expect 2 scene.bvp --verdicts "$list"
  has err '^bvpack: --verdicts: expected some of enclosed, duplicate, penetrating, unknown, within, touching'
done
expect 2 scene.bvp --min-depth=-1
expect 2 scene.bvp --top 0

echo '{"id": 7}' >broken.jsonl
expect 3 scene.bvp --baseline broken.jsonl
has err 'broken.jsonl: line 1: .*id'
expect 3 scene.bvp --baseline missing.jsonl

# ---- mistakes -----------------------------------------------------------------------------------

expect 2
has err 'expected FILE'
expect 2 scene.bvp -r clash.txt
has err 'ends with .jsonl, .csv.* found "clash.txt"'
expect 2 scene.bvp -r a.csv -r a.csv
expect 7 scene.bvp -r nowhere/a.csv
expect 7 scene.bvp -r good.csv -r nowhere/a.csv --state s
[ ! -e good.csv ] || bad "a report of a run that failed"
expect 2 scene.bvp --clearance=-1
expect 2 scene.bvp --clearance inf
expect 2 scene.bvp --json -r -
expect 2 scene.bvp:#0
expect 4 scene.gltf
expect 3 missing.bvp
expect 2 scene.bvp --cell 0

# ---- signals and kills --------------------------------------------------------------------------

# heaps of turned cubes, so that a run takes a while
awk 'BEGIN {
  srand(7)
  print "{\"name\": \"heap\", \"children\": ["
  for (i = 1; i <= 1500; i++) printf "%s%d", (i > 1 ? "," : ""), i
  print "]}"
  for (i = 1; i <= 1500; i++)
    printf ",{\"name\": \"c%d\", \"mesh\": 0, \"translation\": [%f, %f, %f], \"rotation\": [%f, 0, 0, %f]}\n",
      i, 11 * rand(), 11 * rand(), 11 * rand(), sin(i), cos(i)
}' | gltf heap.gltf
"$bvpack" pack -q heap.gltf -o heap.bvp
SECONDS=0
expect 0 heap.bvp -x 'c*1:c*7' -r heap.jsonl -r heap.csv --json -n 0
"$json" rules.0.pairs <out >uses
"$json" coverage.near_pairs <out >near
rows=$(wc -l <heap.jsonl)

# numbers_of REPORT: the two instances of each row
numbers_of() { sed 's/.*"instance_a":\([0-9]*\),"instance_b":\([0-9]*\),.*/\1 \2/' "$1"; }
# await CONDITION PROCESS: until it holds, or the process has ended
await() { until "$1" || ! kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }
# shellcheck disable=SC2317 # await calls it
has_begun() { [ -s heap.state ]; }

# killed after 20 to 500 ms, and gone on with
kills=${BVP_KILLS:-4} hits=0
# shellcheck disable=SC2120 # options
state_run() { exec "$bvpack" clash heap.bvp -x 'c*1:c*7' --state heap.state -r k.jsonl -r k.csv --json -n 0 "$@" >out 2>err; }
for ((i = 0; i < kills; i++)); do
  rm -f k.jsonl k.csv
  state_run -j $((1 + i % 2)) &
  sleep "$(printf '0.%03d' $((RANDOM % 480 + 20)))"
  # the last one before the run may end hits if none has
  [ $hits != 0 ] || ((i % 4 != 3)) || await has_begun $!
  { kill -9 $!; wait $!; } 2>/dev/null
  if [ -s heap.state ]; then
    hits=$((hits + 1))
    [ ! -e k.jsonl ] || [ "$(wc -l <k.jsonl)" = "$rows" ] || bad "half a report ($seed)"
  fi
  if ((i % 4 == 3)); then
    (state_run) || { bad "going on after a kill: exit code $? ($seed)"; cat err; }
    same k.jsonl heap.jsonl
    same k.csv heap.csv
    is rules.0.pairs "$(cat uses)"
    is coverage.near_pairs "$(cat near)"
    is coverage.complete true
    [ ! -e heap.state ] || bad "the state stays"
  fi
done
echo "$hits of $kills kills hit a run ($seed)"
checks=$((checks + 1))
[ "$hits" != 0 ] || ((kills < 4)) || bad "no kill hit a run ($seed)"

# What a state holds is not judged again: without its first pair it gives reports without that row.
# A run of two marks is killed: the first one is whole then, and the pair stands before it.
has_marks() { [ "$(grep -ao ELT1 heap.state 2>/dev/null | wc -l)" -ge 2 ]; }
number() { od -An -tu4 -j "$1" -N 4 heap.state | tr -d ' '; } # at a byte
long_run() { exec "$bvpack" clash heap.bvp -c 1 --state heap.state -r k.jsonl -q "$@" 2>err; }
expect 0 heap.bvp -c 1 -r long.jsonl -q
for ((i = 0; i < 10; i++)); do
  rm -f heap.state k.jsonl
  long_run -j 1 &
  await has_marks $!
  { kill -9 $!; wait $!; } 2>/dev/null
  [ ! -s heap.state ] || break
done
checks=$((checks + 2))
if has_marks; then
  head=$((24 + $(number 4))) # a record: kind, size, hash, bytes
  [ "$(tail -c +$((head + 1)) heap.state | head -c 4)" = DLT1 ] || bad "the state does not begin with a pair"
  pair=$((24 + $(number $((head + 4)))))
  cp heap.state 1.state
  { head -c $head heap.state; tail -c +$((head + pair + 1)) heap.state; } >2.state
  first=$(numbers_of long.jsonl | sort -n -k1,1 -k2,2 | head -1)
  cp long.jsonl 1.jsonl
  grep -v "\"instance_a\":${first% *},\"instance_b\":${first#* }," long.jsonl >2.jsonl
  for row in 1 2; do # from which on they come
    cp $row.state heap.state
    (long_run) || bad "going on with $row.state: exit code $?"
    lacks err 'begun anew'
    [ ! -e heap.state ] || bad "the state stays"
    without_issues k.jsonl >found
    without_issues $row.jsonl >wanted
    same found wanted
  done
  # a state of another run is begun anew
  cp 1.state heap.state
  expect 0 heap.bvp -x 'c*1:c*7' --state heap.state -r o.jsonl -q
  has err 'begun anew'
  same o.jsonl heap.jsonl
else
  bad "no run was killed between two marks"
fi

# another file is left alone
cp scene.bvp keep.bvp
expect 3 heap.bvp --state keep.bvp -q
has err 'not the state of a clash run'
same scene.bvp keep.bvp

# a signal ends the run in order, with what is complete (with job control: else SIGINT is ignored)
set -m
for signal in INT TERM; do
  # an output that one can see
  "$without" "$bvpack" clash heap.bvp -x 'c*1:c*7' -r i.jsonl --json >out 2>err &
  until [ -n "$(find . -name '.*.tmp')" ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
  sleep 0.05
  kill -$signal $! 2>/dev/null
  wait $!
  status=$?
  checks=$((checks + 1))
  if [ $status = 8 ]; then
    is coverage.complete false
    # the first ones in the order of instances, and no other ones; without the others they are other issues
    numbers_of heap.jsonl | sort -n -k1,1 -k2,2 | head -n "$(wc -l <i.jsonl)" >numbers
    numbers_of heap.jsonl | paste -d' ' - heap.jsonl |
      awk 'NR == FNR { there[$0]; next } ($1 " " $2) in there { sub(/^[0-9]+ [0-9]+ /, ""); print }' numbers - >first
    without_issues i.jsonl >found
    without_issues first >wanted
    same found wanted
    [ "$(wc -l <i.jsonl)" -lt "$rows" ] || bad "interrupted, and complete"
  else
    [ $status = 0 ] || bad "SIG$signal: exit code $status"
    echo "the run was over before SIG$signal came"
  fi
done
set +m
[ -z "$(find . -name '.*.tmp')" ] || bad "temporary files left"

echo "$checks checks"
exit $fail
