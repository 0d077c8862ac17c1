#!/bin/bash
# SPDX-License-Identifier: MIT
# "clash --incremental" night after night: instances are moved, deleted, added, put in another order, given another
# part, name or property. Its reports are byte for byte those of a run that asks everything, and it asks less.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
export SOURCE_DATE_EPOCH=0
seed=${BVP_SEED:-$$}
RANDOM=$seed
echo "BVP_SEED=$seed"
cp "$src"/samples/models/{plate_holes,featuretype}.STL .

cat >rules.json <<'RULES'
{"rules": [
  {"name": "one group", "a": "x*", "same_assembly": "g*", "exclude": true},
  {"name": "one system", "same": "system", "allow": "5%", "a": {"word": "y*"}},
  {"name": "far", "a": "z*", "clearance": 3}
]}
RULES

letters=(x y z w)
# instance NUMBER: a line of the manifest, at random
instance() {
  local letter=${letters[RANDOM % 4]}
  printf '{"id": "i%d", "name": "%s%d", "part": "%s", "parent": "g%d", "properties": {"system": "s%d"}, "placement": {"translate": [%d, %d, %d], "rotate": [%d, %d, %d, %d]}}\n' \
    "$1" "$letter" "$1" "$([ $((RANDOM % 2)) = 0 ] && echo A || echo B)" $((RANDOM % 4)) $((RANDOM % 5)) \
    $((RANDOM % 400)) $((RANDOM % 400)) $((RANDOM % 200)) $((RANDOM % 3)) $((RANDOM % 3)) $((RANDOM % 3)) $((RANDOM % 3 + 1))
}
# pack NAME: of the lines of instances
pack_lines() {
  {
    echo '{"bvpack_manifest": 1, "unit": "mm"}'
    echo '{"id": "A", "mesh": "plate_holes.STL", "name": "A"}'
    echo '{"id": "B", "mesh": "featuretype.STL", "unit": "in", "name": "B"}'
    for i in 0 1 2 3; do echo "{\"id\": \"g$i\", \"name\": \"g$i\"}"; done
    cat lines
  } >"$1.jsonl"
  expect 0 pack -q "$1.jsonl" -o "$1.bvp"
}
# change: what a day brings
change() {
  local i
  for ((i = RANDOM % 4; i > 0; i--)); do sed -i "$((RANDOM % 60 + 1))d" lines; done
  for ((i = RANDOM % 4; i > 0; i--)); do instance $((next++)) >>lines; done
  sed -i "$((RANDOM % 60 + 1))s/\"translate\": \[[0-9]*/\"translate\": [$((RANDOM % 400))/" lines
  sed -i "$((RANDOM % 60 + 1))s/\"part\": \"A\"/\"part\": \"B\"/" lines
  sed -i "$((RANDOM % 60 + 1))s/\"name\": \"[a-z]/\"name\": \"${letters[RANDOM % 4]}/" lines
  sed -i "$((RANDOM % 60 + 1))s/\"system\": \"s[0-9]/\"system\": \"s$((RANDOM % 5))/" lines
  sed -i "$((RANDOM % 60 + 1))s/\"parent\": \"g[0-9]/\"parent\": \"g$((RANDOM % 4))/" lines
  for i in {1..20}; do sed -i "${i}s/\"parent\": \"g[0-9]/\"parent\": \"g$((RANDOM % 4))/" lines; done
  [ $((RANDOM % 3)) != 0 ] || { sort -t: -k7 lines >sorted && mv sorted lines; }
}
# both WHAT OPTION...: a run that takes over and one that asks all. The touch gap is given, for its default depends on
# how large the model is.
both() {
  local what=$1 form
  shift
  local reports=()
  for form in $forms; do reports+=(-r "all.$form"); done
  expect 0 clash "$@" --touch 0.001 --pictures 2 "${reports[@]}"
  grep -v '^report' out >all.out
  expect 0 clash "$@" --touch 0.001 --pictures 2 "${reports[@]/all./some.}" --incremental "$what.journal"
  grep '^incremental' out >took
  grep -v '^report\|^incremental' out >some.out
  sed -i 's/all\.\(jsonl\|csv\|html\|glb\|bcf\)/some.\1/' all.out
  for form in out $forms; do same all.$form some.$form; done
}

forms="jsonl csv"
next=0
for ((k = 0; k < 80; k++)); do instance $((next++)); done >lines
pack_lines fixed
for ((k = 0; k < 80; k++)); do instance $((next++)); done >lines
for night in 1 2 3 4; do
  pack_lines model
  both rules model.bvp -c 2mm -R rules.json
  [ $night = 1 ] || has took '^incremental: [1-9][0-9]* instances as before, [1-9][0-9]* of [0-9]* pairs near taken over$'
  both fast model.bvp -c 2mm --fast -j 1
  both contacts model.bvp --contacts -x 'y*:z*'
  both two model.bvp fixed.bvp -c 1mm -b 10,-5,3,0,0,30
  change
done

# the same again: nothing is asked; all reports
forms="jsonl csv html glb bcf"
pack_lines model
both rules model.bvp -c 2mm -R rules.json
both rules model.bvp -c 2mm -R rules.json
checks=$((checks + 1))
[ "$(sed 's/.*before, \([0-9]*\) of .*/\1/' took)" = "$(sed 's/.* of \([0-9]*\) pairs.*/\1/' took)" ] || bad "not all taken over: $(cat took)"

# other options: all are asked, and the journal is of these from now on
expect 0 clash model.bvp -c 3mm --touch 0.001 -R rules.json --incremental rules.journal
has err 'rules.journal: is of a run with other options; all pairs are asked'
has out '^incremental: 0 instances as before, 0 of '
expect 0 clash model.bvp -c 3mm --touch 0.001 -R rules.json --incremental rules.journal
lacks out 'as before, 0 of '

# what is no journal is refused, and stays
cp rules.journal good
printf 'x' | dd of=rules.journal bs=1 seek=$((RANDOM % 2000 + 100)) conv=notrunc 2>/dev/null
if ! cmp -s good rules.journal; then
  expect 3 clash model.bvp -c 3mm --touch 0.001 -R rules.json --incremental rules.journal -r none.jsonl
  has err 'rules.journal: byte [0-9]+: expected '
fi
head -c 1000 good >rules.journal
expect 3 clash model.bvp -c 3mm --touch 0.001 -R rules.json --incremental rules.journal -r none.jsonl
expect 3 clash model.bvp --incremental model.jsonl -r none.jsonl
has err 'model.jsonl: byte 0: expected the journal of a clash run'
expect 2 clash model.bvp --incremental rules.journal --state s.state
expect 2 clash model.bvp --incremental rules.journal --zone box:1,1,1
checks=$((checks + 1))
[ ! -e none.jsonl ] || bad "a report beside a refused journal"

echo "clash incremental: $checks checks"
exit $fail
