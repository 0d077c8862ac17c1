#!/bin/bash
# SPDX-License-Identifier: MIT
# Two exports of an assembly whose instances have equal names and no ids: what a baseline with its packed file calls new,
# persistent and resolved, held against a truth that the places tell. BVP_SEED: of the edits; BVP_ROUNDS: how many.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
seed=${BVP_SEED:-$$}
echo "BVP_SEED=$seed"

# ---- models -------------------------------------------------------------------------------------
# Three sets, each a plate, six rails and bolts that go through the plate and a rail. Every bolt, rail and plate is one
# cube, stretched; of each kind all have the same name. A slot, set * 180 + row * 30 + column, is where a bolt may be.

one='\0\0\200\77' nil='\0\0\0\0'
for z in $nil $one; do for y in $nil $one; do for x in $nil $one; do printf '%b' "$x$y$z"; done; done; done >cube.bin
for corner in 0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5; do printf '%b' "\\$corner\0"; done >>cube.bin

# plant FILE SEED: packs the slots on standard input, and the order of the instances is the seed's
plant() {
  awk -v seed="$2" '
    function rnd(n) { seed = (seed * 16807) % 2147483647; return seed % n }
    function shuffle(list, n,   i, k, t) { for (i = n; i > 1; i--) { k = rnd(i) + 1; t = list[i]; list[i] = list[k]; list[k] = t } }
    function node(name, x, y, z, a, b, c) {
      text[count] = sprintf("{\"name\": \"%s\", \"mesh\": 0, \"translation\": [%s, %s, %s], \"scale\": [%s, %s, %s]}", name, x, y, z, a, b, c)
      return count++
    }
    { set = int($1 / 180); slots[set, ++filled[set]] = $1 }
    END {
      count = 4
      for (set = 0; set < 3; set++) {
        n = 0
        delete list
        list[++n] = node("plate", -1, -1, 10 * set + 1, 100, 30, 0.5)
        for (row = 0; row < 6; row++) list[++n] = node("rail", -1, 3 * row + 0.1, 10 * set + 0.25, 100, 0.25, 0.25)
        for (i = 1; i <= filled[set]; i++) {
          s = slots[set, i] % 180
          list[++n] = node("bolt", 3 * (s % 30), 3 * int(s / 30), 10 * set, 0.5, 0.5, 2)
        }
        if (seed > 0) shuffle(list, n)
        text[set + 1] = "{\"name\": \"set\", \"children\": ["
        for (i = 1; i <= n; i++) text[set + 1] = text[set + 1] list[i] (i < n ? ", " : "]}")
      }
      for (i = 1; i < 4; i++) order[i] = i
      if (seed > 0) shuffle(order, 3)
      text[0] = sprintf("{\"name\": \"plant\", \"children\": [%d, %d, %d]}", order[1], order[2], order[3])
      print "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],"
      print "\"buffers\": [{\"byteLength\": 168, \"uri\": \"cube.bin\"}],"
      print "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 96}, {\"buffer\": 0, \"byteOffset\": 96, \"byteLength\": 72}],"
      print "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 8, \"type\": \"VEC3\", \"min\": [0,0,0], \"max\": [1,1,1]},"
      print "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 36, \"type\": \"SCALAR\"}],"
      print "\"meshes\": [{\"name\": \"cube\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}], \"nodes\": ["
      for (i = 0; i < count; i++) print text[i] (i + 1 < count ? "," : "]}")
    }' >model.gltf
  "$bvpack" pack -q model.gltf -o "$1" || bad "packing $1"
}

# edit SEED INSERTS DELETES: of the slots on standard input
edit() {
  awk -v seed="$1" -v inserts="$2" -v deletes="$3" '
    function rnd(n) { seed = (seed * 16807) % 2147483647; return seed % n }
    { has[$1] = 1; was[$1] = 1; n++ }
    END {
      while (deletes > 0 && n > 0) { s = rnd(540); if (has[s]) { delete has[s]; deletes--; n-- } }
      for (tries = 0; inserts > 0 && tries < 1e5; tries++) { s = rnd(540); if (!has[s] && !was[s]) { has[s] = 1; inserts-- } }
      for (s = 0; s < 540; s++) if (has[s]) print s
    }'
}

# rows FILE: of each row its slot, what the bolt meets there, its id, its state
rows() {
  sed -E 's/^\{"id":"([0-9a-f]*)".*"a":"([^"]*)","b":"([^"]*)".*"place":"x([-0-9]*) y([-0-9]*) z([-0-9]*)".*/\4 \5 \6 \1 \2 \3 &/' "$1" |
    awk '{
      other = /"[ab]":"[^"]*rail/ ? "rail" : "plate"
      state = match($0, /"state":"[a-z]*"/) ? substr($0, RSTART + 9, RLENGTH - 10) : "-"
      print int(($3 * 1.5 + 2) / 10) * 180 + int($2 / 2) * 30 + int($1 / 2) "-" other, $4, state
    }' | sort
}

# Each row's id, its issue's id and number; resolved ones have no number
issues() { sed -nE 's/^\{"id":"([0-9a-f]*)".*"issue":"([0-9a-f]*)","issue_(number":([0-9]*)|title).*/\1 \2 \4/p' "$1" | sort; }
# keeps_issues OLD NEW: what is wrong with the ids of NEW's issues: of two issues that have more of one another than of
# any other one the new one has the old one's id; no id comes twice; a resolved pair is in the issue that it was in
keeps_issues() {
  issues "$1" | awk 'NF == 3' >was.issues
  issues "$2" >is.issues
  awk 'NF == 3 && $2 in of && of[$2] != $3 { print "an id of two issues: " $2 } NF == 3 { of[$2] = $3 }' is.issues
  awk 'NF == 3 && $3 in of && of[$3] != $2 { print "two ids of an issue: " $3 } NF == 3 { of[$3] = $2 }' is.issues
  join was.issues is.issues | awk 'NF == 4 && $2 != $4 { print "resolved elsewhere: " $0 }'
  [ "$(grep -c '"state":"resolved"' "$2")" = "$(awk 'NF == 2' is.issues | wc -l)" ] || echo "resolved pairs without an issue"
  join was.issues is.issues | awk 'NF == 5 { print $2, $4 }' | sort | uniq -c | awk '
    { n++; count[n] = $1; was[n] = $2; is[n] = $3 }
    $1 >= most_was[$2] { tied_was[$2] = $1 == most_was[$2]; most_was[$2] = $1 }
    $1 >= most_is[$3] { tied_is[$3] = $1 == most_is[$3]; most_is[$3] = $1 }
    END {
      for (i = 1; i <= n; i++)
        if (count[i] == most_was[was[i]] && count[i] == most_is[is[i]] && !tied_was[was[i]] && !tied_is[is[i]] && was[i] != is[i])
          print "another id: " was[i] " " is[i]
    }'
}

# ---- one bolt of 328 ----------------------------------------------------------------------------

clash() { expect 0 clash "$@" --cell 1.5 -q; }
edit "$seed" 328 0 </dev/null >slots
plant old.bvp 0 <slots
clash old.bvp -r old.jsonl
[ "$(wc -l <old.jsonl)" = 656 ] || bad "not two pairs for each of 328 bolts: $(wc -l <old.jsonl)"
[ "$(rows old.jsonl | cut -d' ' -f1 | uniq | wc -l)" = 656 ] || bad "the places do not tell the pairs apart"
sed 5d slots >fewer
plant new.bvp 0 <fewer
expect 0 clash new.bvp --baseline old.bvp,old.jsonl --json
is baseline.new 0
is baseline.persistent 654
is baseline.resolved 2
is baseline.left_out 0
# by the paths alone, bolts in another order are others
plant shuffled.bvp 7 <fewer
expect 0 clash shuffled.bvp --baseline old.bvp,old.jsonl --json
is baseline.persistent 654
is baseline.resolved 2
expect 0 clash shuffled.bvp --baseline old.jsonl --json
checks=$((checks + 1))
[ "$("$json" baseline.new <out)" -gt 50 ] || bad "paths do as well: the test shows nothing"

# ---- nights -------------------------------------------------------------------------------------
# Each night inserts, deletes and shuffles; its report is the next night's baseline. A pair is known by its place.

for round in $(seq "${BVP_ROUNDS:-12}"); do
  inserts=$(((seed * 31 + round * 37) % 101)) deletes=$(((seed * 17 + round * 53) % 101))
  [ $((round % 4)) != 1 ] || inserts=0
  [ $((round % 4)) != 2 ] || deletes=0
  edit $((seed + round)) $inserts $deletes <slots >next
  plant new.bvp $(((seed + 7 * round) % 1000003 + 1)) <next
  clash new.bvp --baseline old.bvp,old.jsonl -r new.jsonl
  rows old.jsonl | grep -v resolved >was
  rows new.jsonl | grep -v resolved >is
  join -j 1 was is >both
  checks=$((checks + 5))
  [ "$(wc -l <is)" = $((2 * $(wc -l <next))) ] || bad "round $round: $(wc -l <is) pairs"
  awk '$5 != "persistent" || $2 != $4 { print; n++ } END { exit n > 0 }' both >wrong ||
    bad "round $round, +$inserts -$deletes: $(wc -l <wrong) pairs are not what they were: $(head -1 wrong)"
  join -v 2 -j 1 was is | awk '$3 != "new" { n++ } END { exit n > 0 }' || bad "round $round: a new bolt is an old one"
  [ "$(grep -c '"state":"resolved"' new.jsonl)" = "$(join -v 1 -j 1 was is | wc -l)" ] ||
    bad "round $round, +$inserts -$deletes: $(grep -c '"state":"resolved"' new.jsonl) resolved"
  [ "$(grep -o '^{"id":"[0-9a-f]*"' new.jsonl | sort -u | wc -l)" = "$(wc -l <new.jsonl)" ] || bad "round $round: an id comes twice"
  keeps_issues old.jsonl new.jsonl >wrong
  checks=$((checks + 1))
  [ ! -s wrong ] || bad "round $round, +$inserts -$deletes: issues: $(head -2 wrong)"
  [ $((inserts + deletes)) -gt 0 ] || [ "$(grep -c persistent new.jsonl)" = "$(wc -l <new.jsonl)" ] || bad "round $round: a change"
  mv next slots
  mv new.bvp old.bvp
  mv new.jsonl old.jsonl
done

# ---- moved bolts --------------------------------------------------------------------------------
# One of several equal ones that is a little away from its old place is that one; far away it is another one.

edit "$seed" 328 0 </dev/null >slots # the nights may have left few
echo 0 | cat - slots | sort -un >first
grep -v '^29$' first >slots # where the moved bolt goes
plant old.bvp 0 <slots
sed -i 's/{"name": "bolt", "mesh": 0, "translation": \[0, 0, 0\]/{"name": "bolt", "mesh": 0, "translation": [SHIFT, 0, 0]/' model.gltf
cp model.gltf template
grep -q SHIFT template || bad "no bolt at slot 0"
clash old.bvp -r old.jsonl
for shift in 0.25 87; do
  sed "s/SHIFT/$shift/" template >model.gltf
  "$bvpack" pack -q model.gltf -o "at$shift.bvp" || bad "packing"
done
expect 0 clash at0.25.bvp --baseline old.bvp,old.jsonl --json
is baseline.new 0
is baseline.resolved 0
expect 0 clash at87.bvp --baseline old.bvp,old.jsonl --json
is baseline.new 2
is baseline.resolved 2

# ---- an issue whose first pair goes --------------------------------------------------------------
# Its id is that pair's; it outlives it, one night after the other. Issues whose pairs are all gone are closed topics.

issues old.jsonl | sort -k2,2 -k1,1 | awk '$2 != last { id = $1; n = 0 } { last = $2 } ++n == 9 { print $2; exit }' >issue
[ -s issue ] || bad "no issue of nine pairs"
cp slots left
plant before.bvp 0 <left
clash before.bvp -r before.jsonl
for night in 1 2 3; do
  # the bolt of its smallest pair goes
  gone=$(rows before.jsonl | awk '{ print $2, $1 }' | sort | join - <(issues before.jsonl | awk -v i="$(cat issue)" '$2 == i && NF == 3' | sort) |
    awk '{ sub(/-.*/, "", $2); print $2; exit }')
  grep -vx "$gone" left >fewer
  plant night.bvp 0 <fewer
  clash night.bvp --baseline before.bvp,before.jsonl -r night.jsonl
  checks=$((checks + 2))
  count=$(issues night.jsonl | awk -v i="$(cat issue)" '$2 == i && NF == 3' | wc -l)
  [ "$count" -gt 5 ] || bad "night $night: the issue has $count pairs"
  keeps_issues before.jsonl night.jsonl >wrong
  [ ! -s wrong ] || bad "night $night: $(head -2 wrong)"
  mv fewer left
  mv night.bvp before.bvp
  mv night.jsonl before.jsonl
done
first=$(issues before.jsonl | awk -v i="$(cat issue)" '$2 == i && NF == 3 { print $1; exit }')
[ "$first" != "$(cat issue)" ] || bad "the smallest pair is still there"

# ---- rules, names of files, what does not fit ----------------------------------------------------

# the pairs of the bolt that is gone are resolved, whatever a rule says of one that has its path now
sed 1d slots >fewer
plant new.bvp 0 <fewer
first=$(rows old.jsonl | grep -c "^$(head -1 slots)-")
[ "$first" = 2 ] || bad "$first pairs of the first bolt"
expect 0 clash new.bvp --baseline old.bvp,old.jsonl --exclude 'rail:bolt' -r new.jsonl --cell 1.5 --json
is baseline.resolved 2
[ "$(rows new.jsonl | grep resolved | cut -d' ' -f1 | tr '\n' ' ')" = "$(head -1 slots)-plate $(head -1 slots)-rail " ] ||
  bad "resolved: $(rows new.jsonl | grep resolved)"
is baseline.left_out $(($(wc -l <slots) - 1))
is baseline.persistent $(($(wc -l <slots) - 1))
mkdir a,b
cp old.bvp 'a,b/o,ld.bvp'
cp old.jsonl 'a,b/o,ld.jsonl'
expect 0 clash old.bvp --baseline 'a,b/o,ld.bvp,a,b/o,ld.jsonl' --json
is baseline.persistent "$(wc -l <old.jsonl)"
expect 0 clash old.bvp --baseline 'a,b/o,ld.jsonl' --json
is baseline.persistent "$(wc -l <old.jsonl)"
expect 3 clash old.bvp --baseline old.bvp,missing.jsonl
has err 'missing.jsonl'
expect 3 clash new.bvp --baseline new.bvp,old.jsonl
has err '^bvpack: old.jsonl: line [0-9]+: "a", "b" and their instances. numbers are not of the file in front'
expect 2 clash new.bvp --baseline old.bvp,old.bvp,old.jsonl
has err 'expected one packed file, as this run has'
expect 2 clash new.bvp new.bvp --baseline old.bvp,old.jsonl
has err 'expected two packed files, as this run has'

# two files, and zones: a zone is known by its name
expect 0 clash new.bvp old.bvp --place-b 0,0,1 --fast -r two.jsonl -q
[ "$(wc -l <two.jsonl)" -gt 1000 ] || bad "the two files do not clash"
plant new2.bvp 11 <fewer
plant old2.bvp 12 <slots
expect 0 clash new2.bvp old2.bvp --place-b 0,0,1 --fast --baseline new.bvp,old.bvp,two.jsonl --json
is baseline.new 0
is baseline.persistent "$(wc -l <two.jsonl)"
is baseline.resolved 0
expect 3 clash new2.bvp old2.bvp --place-b 0,0,1 --fast --baseline old.bvp,new.bvp,two.jsonl
zone=--zone=post=box:400,400,3@50,50,0
expect 0 clash old.bvp "$zone" -r zoned.jsonl -q
expect 0 clash new.bvp "$zone" --baseline old.bvp,zoned.jsonl --json
is baseline.new 0
is baseline.resolved 1
expect 0 clash new.bvp --zone=pole=box:400,400,3@50,50,0 --baseline old.bvp,zoned.jsonl --json
is baseline.persistent 0
is baseline.resolved "$(wc -l <zoned.jsonl)"

exit $fail
