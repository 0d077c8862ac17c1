#!/bin/bash
# SPDX-License-Identifier: MIT
# Issues as a user of the verb clash meets them: titles, levels and ids in every report, a topic and a picture each;
# and of a whole plant, which $BVP_SHARED/plant generates, fewer than 500.
set -u
shared=$(realpath -m "${BVP_SHARED-$(dirname "$0")/../../../shared}")
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

# ---- a tank with six pipes through it and a valve inside; twins; a book on a shelf ---------------

cube=AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AACAPwAAAAAAAIA/
cube+=AACAPwAAgD8AAIA/AAAAAAAAgD8AAIA/AAACAAEAAAADAAIAAAABAAUAAAAFAAQAAQACAAYAAQAGAAUAAgADAAcAAgAHAAYA
cube+=AwAAAAQAAwAEAAcABAAFAAYABAAGAAcA
node() { printf '{"name": "%s", "mesh": 0, "translation": [%s], "scale": [%s]}' "$@"; }
# model FILE COUNT REVERSE: with so many pipes; with REVERSE the nodes of a level in the other order
model() {
  local i below=() pipes=()
  below=("$(node tank_1 0,0,0 10,10,10)" "$(node valve_9 5,5,8 0.5,0.5,0.5)")
  for ((i = 1; i <= $2; i++)); do below+=("$(node "pipe_$i" "$i.25,-5,4" 0.5,20,0.5)"); done
  for ((i = 3; i < ${#below[@]} + 3; i++)); do pipes+=("$i"); done
  local others=("$(node twin 40,0,0 1,1,1)" "$(node twin 40,0,0 1,1,1)" "$(node shelf 50,0,0 2,2,2)" "$(node book 52,0,0 1,1,1)")
  local first=$((3 + ${#below[@]})) order
  order=$(printf '%s\n' "${pipes[@]}" | sort -n ${3:+-r} | paste -sd ,)
  {
    echo '{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],'
    echo "\"buffers\": [{\"byteLength\": 168, \"uri\": \"data:application/octet-stream;base64,$cube\"}],"
    echo '"bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],'
    echo '"accessors": ['
    echo '{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},'
    echo '{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],'
    echo '"meshes": [{"name": "cube", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],'
    echo '"nodes": [{"name": "site", "children": [1, 2]},'
    echo "{\"name\": \"Level 1\", \"children\": [$order]},"
    echo "{\"name\": \"second floor\", \"children\": [$first, $((first + 1)), $((first + 2)), $((first + 3))]}"
    printf ',%s\n' "${below[@]}" "${others[@]}"
    echo ']}'
  } >"$1.gltf"
  expect 0 pack -q "$1.gltf" -o "$1.bvp"
}
model six 6

expect 0 clash six.bvp -r six.jsonl -r six.csv -r six.html -r six.glb --json
is issues 4
is rows 9
is worst.0.issue_title 'valve_9 lies inside tank_1'
is worst.2.issue_title 'tank_1 is crossed by 6 pipes'
is worst.2.issue_number 3
is worst.2.issue_pairs 6
is worst.2.where 'Level 1'
is worst.2.verdict penetrating
near worst.2.depth 4.5
# the console has issues, not pairs
expect 0 clash six.bvp --worst 3
has out '^  penetrating tank_1 is crossed by 6 pipes$'
has out '^              4.5 m deep, 6 pairs, Level 1, x[0-9]+ y-?[0-9]+ z-?[0-9]+, [0-9a-f]{32}$'
has out '^  enclosed    valve_9 lies inside tank_1$'
has out '^              surfaces 1.5 m apart, 1 pair, Level 1, '
has out '^  \.\.\.; --report FILE.jsonl writes all$'
lacks out 'book|Level 1/'
expect 0 clash six.bvp --worst 4
has out '^  touching    book touches shelf$'
has out '^              1 pair, second floor, '
lacks out '\.\.\.'
titles() { sed -n 's/.*"issue_number":\([0-9]*\),"issue_title":"\([^"]*\)","issue_pairs":\([0-9]*\),.*"where":"\([^"]*\)".*/\1 \2, \3, \4/p' "$1" | uniq; }
titles six.jsonl >found
cat >wanted <<'TITLES'
1 valve_9 lies inside tank_1, 1, Level 1
2 twin is there twice, 1, second floor
3 tank_1 is crossed by 6 pipes, 6, Level 1
4 book touches shelf, 1, second floor
TITLES
same found wanted
# an issue's id is the smallest of its pairs'
ids() { grep "$2" "$1" | sed 's/.*"id":"\([0-9a-f]*\)",.*/\1/' | sort; }
issues() { grep "$2" "$1" | sed 's/.*"issue":"\([0-9a-f]*\)".*/\1/' | sort -u; }
checks=$((checks + 2))
[ "$(ids six.jsonl '"penetrating"' | head -1)" = "$(issues six.jsonl '"penetrating"')" ] || bad "the issue's id"
[ "$(issues six.jsonl . | wc -l)" = 4 ] || bad "not four issues"
# the pipes have 0.5 x 10 x 0.5 each in common with the tank: no box says so little
grep penetrating six.jsonl | head -1 >out
near issue_volume 15
grep '"touching"' six.jsonl >out
is issue_volume 0
has six.csv ',issue,issue_number,issue_title,issue_pairs,issue_volume,where,rule'
has six.csv ',[0-9a-f]{32},3,tank_1 is crossed by 6 pipes,6,15,Level 1,'
checks=$((checks + 2))
[ "$(grep -o '"begins":' six.html | wc -l)" = 4 ] || bad "not four issues in the page"
[ "$(grep -o '"picture":' six.html | wc -l)" = 4 ] || bad "not a picture an issue in the page"

# neither threads nor the order of the file matter
expect 0 clash six.bvp -j 3 -r again.jsonl -q
same again.jsonl six.jsonl
model turned 6 yes
expect 0 clash turned.bvp -r turned.jsonl -q
titles turned.jsonl >found
same found wanted
issues turned.jsonl . >found
issues six.jsonl . >wanted
same found wanted

# --top counts issues
expect 0 clash six.bvp --top 3 --json -r top.jsonl
is rows 8
is issues 3
is filtered.top 1
head -8 six.jsonl >wanted
same top.jsonl wanted

# the next night there is one pipe more
model seven 7
expect 0 clash seven.bvp --baseline six.jsonl -r seven.jsonl -r seven.html --json
is baseline.new 1
is baseline.persistent 9
has seven.jsonl '"issue_title":"tank_1 is crossed by 7 pipes","issue_pairs":7,'
is worst.2.issue_state grown
is worst.0.issue_state persistent
has seven.html '"title":"tank_1 is crossed by 7 pipes","where":"Level 1","state":"grown","pairs":7,'

# things without names are called by their parts, never "unnamed[2]" alone
sed -e 's/"name": "[^"]*"/"name": "unnamed"/' six.gltf >bare.gltf
expect 0 pack -q bare.gltf -o bare.bvp
expect 0 clash bare.bvp
has out 'unnamed part 1'
lacks out 'unnamed(\[|/|s|$)|unnamed [^p]'
sed -e '/^"meshes"/!s/"name": "[^"]*"/"name": "unnamed"/' six.gltf >named.gltf
expect 0 pack -q named.gltf -o named.bvp
expect 0 clash named.bvp
has out ' cubes? .* cubes?|cube is there'
lacks out 'unnamed'

sed -e '/Level 1\|second/!s/"name": "[^"]*"/"name": "SOLID"/' six.gltf >solids.gltf
expect 0 pack -q solids.gltf -o solids.bvp
expect 0 clash solids.bvp
has out ' Level 1/SOLID\[2\] lies inside Level 1/SOLID$'

# ---- topics -------------------------------------------------------------------------------------

expect_bcf() { # MODEL
  run clash "$1.bvp" -q -r "$1.bcf" "${@:2}"
  if grep -q 'built without libzip' err; then echo "skipped topics: built without libzip"; return 1; fi
  [ $status = 0 ] || bad "exit code $status: $(cat err)"
  command -v unzip >which || { echo "skipped topics: there is no unzip"; return 1; }
  rm -rf topics && unzip -q "$1.bcf" -d topics
}
if expect_bcf six; then
  checks=$((checks + 5))
  [ "$(find topics -name markup.bcf | wc -l)" = 4 ] || bad "not four topics"
  [ "$(find topics -name snapshot.png | wc -l)" = 4 ] || bad "not four pictures"
  star=$(dirname "$(grep -rl '<Title>tank_1 is crossed by 6 pipes (4.5 m deep)</Title>' topics --include=markup.bcf)")
  [ -f "$star/viewpoint.bcfv" ] || { bad "no topic of the tank"; grep -rh '<Title>' topics; }
  view=$(sed -n '/<Selection>/,/<\/Selection>/p' "$star/viewpoint.bcfv" | grep -c '<Component>')
  [ "$view" = 7 ] || bad "$view components are selected, not 7"
  # one colour has the tank, the other one the pipes
  sed -n '/<Color /,/<\/Color>/p' "$star/viewpoint.bcfv" |
    awk '/<Color / { n = 0 } /<Component>/ { n++ } /<\/Color>/ { print n }' | sort -n | paste -sd ' ' >found
  [ "$(cat found)" = "1 6" ] || bad "colours have $(cat found) components"
  [ "$(grep -c '^Also, ' "$star/markup.bcf")" = 5 ] || bad "five more pairs are not listed"
  star=$(basename "$star")
  expect_bcf six --pictures 2
  checks=$((checks + 2))
  [ "$(find topics -name snapshot.png | wc -l)" = 2 ] || bad "not two pictures"
  [ -d "topics/$star" ] && [ ! -f "topics/$star/snapshot.png" ] || bad "the pictures are not of the most severe issues"
fi

# the topic of an issue is the same the next nights, also with another smallest pair, and closed when all its pairs are gone
if expect_bcf six; then
  star=$(dirname "$(grep -rl '<Title>tank_1 is crossed by 6 pipes' topics --include=markup.bcf)")
  star=$(basename "$star")
  lowest=$(issues six.jsonl '"penetrating"')
  gone=$(sed -nE "s/^\{\"id\":\"$lowest\".*pipe_([0-9]).*/\\1/p" six.jsonl)
  sed "s/\"pipe_$gone\", \"mesh\": 0, \"translation\": \[[^]]*\]/\"pipe_$gone\", \"mesh\": 0, \"translation\": [9,90,9]/" six.gltf >five.gltf
  expect 0 pack -q five.gltf -o five.bvp
  expect_bcf five --baseline six.jsonl -r five.jsonl
  checks=$((checks + 4))
  [ "$(issues five.jsonl '"penetrating"')" = "$lowest" ] || bad "the issue has another id"
  grep -q '<Title>tank_1 is crossed by 5 pipes' "topics/$star/markup.bcf" || bad "the issue has another topic"
  grep -q '^Resolved: 1 pair$' "topics/$star/markup.bcf" || bad "the topic does not say that a pair is resolved"
  [ "$(find topics -name markup.bcf | wc -l)" = 4 ] || bad "not four topics"
  has five.jsonl "\"issue\":\"$lowest\",\"issue_title\":\"tank_1 is crossed by 6 pipes\",\"state\":\"resolved\""
  # what an option leaves out is not closed, though another pair of it is resolved
  expect_bcf five --baseline six.jsonl --verdicts enclosed
  checks=$((checks + 1))
  [ "$(find topics -name markup.bcf | wc -l)" = 1 ] || bad "a topic of an issue that is left out"
  model none 0
  expect_bcf none --baseline five.jsonl
  checks=$((checks + 4))
  [ "$(find topics -name markup.bcf | wc -l)" = 4 ] || bad "not four topics"
  grep -q 'TopicStatus="Closed"' "topics/$star/markup.bcf" || bad "the topic is not closed"
  grep -q '<Title>Resolved: tank_1 is crossed by 5 pipes</Title>' "topics/$star/markup.bcf" || bad "the closed topic is called otherwise"
  [ "$(grep -c '^Also: ' "topics/$star/markup.bcf")" = 4 ] || bad "the resolved pairs are not below their issue"
fi

# ---- places from a file: a room around the tank, levels across y, for glTF has y up --------------

cat >places.json <<'PLACES'
{"zones": [{"name": "tank farm", "shape": "box:12,12,12", "place": [5, 5, 5]}],
 "lines": [{"name": "A", "x": 0}, {"name": "B", "x": 51}, {"name": "3", "z": 0}, {"name": "ground", "y": -1}]}
PLACES
expect 0 clash six.bvp --places places.json -r placed.jsonl
titles placed.jsonl >found
cat >wanted <<'TITLES'
1 valve_9 lies inside tank_1, 1, tank farm, ground, A/3
2 twin is there twice, 1, ground, B/3
3 tank_1 is crossed by 6 pipes, 6, tank farm, ground, A/3
4 book touches shelf, 1, ground, B/3
TITLES
same found wanted
echo '{"lines": [{"name": "A"}]}' >places.json
expect 2 clash six.bvp --places places.json -r wrong.jsonl
has err 'places.json: line 1 "A": expected one of "x", "y" and "z"'
checks=$((checks + 1))
[ ! -e wrong.jsonl ] || bad "a report of a run without its places"

# ---- proposed rules: the book that stands on its shelf is no news --------------------------------

expect 0 clash six.bvp --suggest-rules rules.json --json
is suggested.pairs 9
is suggested.taken_away 1
is suggested.left 8
is suggested.sets.contact 1
expect 0 clash six.bvp --rules rules.json --json
is rows 8
is coverage.allowed 1
expect 0 clash six.bvp --suggest-rules -
has out '"sets": \["contact"\]'
has err '^proposed rules would take away 1 of 9 pairs; of the others 8 do more than touch$'
expect 0 clash six.bvp --rules contact --json
is coverage.allowed 1
echo '{"sets": ["contacts"]}' >rules.json
expect 2 clash six.bvp --rules rules.json
has err 'rules.json: sets: no such rule set; the sets are elements, '
expect 3 clash six.bvp --rules fastener
has err 'fastener: no rule set and no file; the sets are elements, '
expect 2 clash six.bvp --suggest-rules - -r -
expect 2 clash six.bvp --zone box:1,1,1 --suggest-rules rules.json

# ---- a plant ------------------------------------------------------------------------------------

if [ ! -f "$shared/plant/plant.c" ] || ! ${CC:-cc} -O1 -o plant "$shared/plant/plant.c" -lm 2>err; then
  echo "skipped the plant: it can't be built from $shared/plant"
else
  ./plant 2000000 1 0.001 - plant.glb 2>err
  expect 0 pack -q plant.glb -o plant.bvp
  expect 0 clash plant.bvp -c 5mm --json -n 0
  rows=$("$json" rows <out) count=$("$json" issues <out)
  echo "plant_2M: $rows pairs, $count issues"
  checks=$((checks + 2))
  [ "$rows" -gt 12000 ] || bad "$rows pairs"
  [ "$count" -gt 0 ] && [ "$count" -lt 500 ] || bad "$count issues"
  # the 50 most severe pairs of a report are of its first issues, and each of these has its picture
  if expect_bcf plant --verdicts enclosed,penetrating --top 5; then
    checks=$((checks + 2))
    [ "$(find topics -name markup.bcf | wc -l)" = 5 ] || bad "not five topics"
    [ "$(find topics -name snapshot.png | wc -l)" = 5 ] || bad "not five pictures"
  fi
fi

echo "clash issues: $checks checks"
exit $fail
