#!/bin/bash
# SPDX-License-Identifier: MIT
# A clash run in shares: merged, they give byte for byte the reports of one machine, whatever their
# number; shares that are missing, twice, damaged or of another run are named, and nothing is
# written; killed shares and merges leave nothing half-written, and go on.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
export SOURCE_DATE_EPOCH=0
seed=${BVP_SEED:-$$}
RANDOM=$seed
echo "BVP_SEED=$seed"
cp "$src"/samples/models/{plate_holes,featuretype}.STL .

# a hall of instances at random, and a night later: some moved, some gone
lines() { # COUNT
  echo '{"bvpack_manifest": 1, "unit": "mm"}'
  echo '{"id": "A", "mesh": "plate_holes.STL", "name": "A"}'
  echo '{"id": "B", "mesh": "featuretype.STL", "unit": "in", "name": "B"}'
  for g in 0 1 2 3; do echo "{\"id\": \"g$g\", \"name\": \"g$g\"}"; done
  for ((i = 0; i < $1; i++)); do
    printf '{"id": "i%d", "name": "%s%d", "part": "%s", "parent": "g%d", "placement": {"translate": [%d, %d, %d], "rotate": [%d, %d, %d, %d]}}\n' \
      $i "${letters[RANDOM % 4]}" $i "$([ $((RANDOM % 2)) = 0 ] && echo A || echo B)" $((RANDOM % 4)) \
      $((RANDOM % 600)) $((RANDOM % 600)) $((RANDOM % 200)) $((RANDOM % 3)) $((RANDOM % 3)) $((RANDOM % 3)) $((RANDOM % 3 + 1))
  done
}
letters=(x y z w)
lines 70 >hall.jsonl
grep -v '"i1[0-4]"' hall.jsonl | sed 's/\("i3[0-9]".*translate": \[\)/\11/' >before.jsonl
lines 9 >robot.jsonl
for name in hall before robot; do expect 0 pack -q $name.jsonl -o $name.bvp; done
cat >rules.json <<'RULES'
{"clearance": "2mm", "rules": [
  {"name": "one group", "a": "x*", "same_assembly": "g*", "exclude": true},
  {"name": "tight", "a": "y*", "b": "z*", "allow": "5%"},
  {"name": "far", "a": "w*", "clearance": 9},
  {"name": "unused", "a": "i*/nothing", "optional": true, "exclude": true}
]}
RULES
echo '{"zones": [{"name": "north", "shape": "box:300,300,300", "place": "150,150,100"}], "grid": {}}' >places.json
sed -i 's/, "grid": {}//' places.json
expect 0 clash before.bvp --rules rules.json -q -r before.report.jsonl

forms=(jsonl csv xlsx html bcf glb)
# reports FOLDER ARGUMENTS...: all forms, text and JSON
reports() {
  local folder=$1 form
  shift
  local options=()
  for form in "${forms[@]}"; do options+=(-r "r.$form"); done
  rm -rf "$folder" && mkdir "$folder" && rm -f r.*
  "$bvpack" clash "$@" "${options[@]}" --pictures 3 >"$folder/text" 2>"$folder/err" </dev/null ||
    bad "exit code $?: clash $* $(head -3 "$folder/err")"
  mv r.* "$folder"
  "$bvpack" clash "$@" --json </dev/null | grep -v '"seconds"' >"$folder/json"
}
same() { # FOLDER FOLDER
  local file
  checks=$((checks + 1))
  for file in "$1"/*; do cmp -s "$file" "$2/${file##*/}" || bad "$file differs"; done
}
# shares COUNT ARGUMENTS...
shares() {
  local count=$1
  shift
  rm -f s*.clash
  for ((i = count; i >= 1; i--)); do expect 0 clash "$@" --shard $i/$count -o s$i.clash -q; done
}

# ---- the same bytes

whole=(hall.bvp --rules rules.json)
after=(--baseline "before.bvp,before.report.jsonl" --places places.json)
reports one "${whole[@]}" "${after[@]}"
for count in 1 2 3 7; do
  shares $count "${whole[@]}"
  reports merged "${whole[@]}" "${after[@]}" --merge s*.clash
  same one merged
done
# more shares than instances: some are empty
shares 75 "${whole[@]}" -j 1
mapfile -t files < <(ls s*.clash | sort -R --random-source=<(yes $seed))
reports merged "${whole[@]}" "${after[@]}" --merge "${files[@]}"
same one merged

# everything else that a run can be: order of operands, two files, zones, details, filters
while read -r line; do
  read -ra arguments <<<"$line"
  expect 0 clash "${arguments[@]}" -q -r one.jsonl
  shares 3 "${arguments[@]}"
  expect 0 clash "${arguments[@]}" -q -r merged.jsonl --merge s*.clash
  checks=$((checks + 1))
  cmp -s one.jsonl merged.jsonl || bad "$line: reports differ"
done <<'RUNS'
hall.bvp robot.bvp -c 5mm --place-b 100,100,0
robot.bvp hall.bvp --fast
hall.bvp --zone door=box:100,100,400@300,300,100 --zone sphere:90 -c 20
hall.bvp --contacts -x x*:y*
hall.bvp --fast --contacts --same-assembly
hall.bvp --touch 0.5 --overlap 1 -R contact
RUNS
expect 0 clash hall.bvp -q --verdicts penetrating --min-depth 1mm --top 5 -r one.jsonl
shares 2 hall.bvp
expect 0 clash hall.bvp --merge s*.clash -q --verdicts penetrating --min-depth 1mm --top 5 -r merged.jsonl
cmp one.jsonl merged.jsonl || bad "filters"
expect 1 clash hall.bvp --merge s1.clash s2.clash --exit-code -q
# the verb merge knows them
expect 0 merge hall.bvp s1.clash s2.clash -q --verdicts penetrating --min-depth 1mm --top 5 -r merged.jsonl
cmp one.jsonl merged.jsonl || bad "bvpack merge"
# a share is the same whatever the threads, and says what it is
expect 0 clash hall.bvp --shard 2/2 -o again.clash -j 1 --json
has out '"shard": {"index": 2, "count": 2}'
cmp s2.clash again.clash || bad "a share depends on threads"
expect 0 clash hall.bvp --shard 1/2 -o - -j 2
cmp s1.clash out || bad "standard output"

# ---- what a queue says

auto() { # SHARE VARIABLE=VALUE...
  local share=$1
  shift
  expect 0 clash hall.bvp --shard "$share" -o want.clash -q
  checks=$((checks + 1))
  env "$@" "$bvpack" clash hall.bvp --shard "${auto:-auto}" -o got.clash -q </dev/null || bad "$*"
  cmp -s want.clash got.clash || bad "not share $share: $*"
}
auto 2/3 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=3
auto 2/3 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3
auto 2/3 SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_STEP=3 SLURM_ARRAY_TASK_COUNT=3
auto 3/3 LSB_JOBINDEX=3 LSB_JOBINDEX_END=3 LSB_JOBINDEX_STEP=1
auto 1/3 JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=3 LSB_JOBINDEX=0
auto=auto/3 auto 3/3 JOB_COMPLETION_INDEX=2
refuses_auto() { # REGEX VARIABLE=VALUE...
  local regex=$1
  shift
  checks=$((checks + 1))
  env "$@" "$bvpack" clash hall.bvp --shard "${auto:-auto}" -o none.clash -q >out 2>err </dev/null
  local status=$?
  { [ $status = 2 ] && grep -qE "$regex" err; } || bad "$*: $status, $(cat err)"
  [ ! -e none.clash ] || bad "half-written"
}
refuses_auto 'SLURM_ARRAY_TASK_ID, LSB_JOBINDEX and JOB_COMPLETION_INDEX' NOTHING=1
refuses_auto 'JOB_COMPLETIONS is not' JOB_COMPLETION_INDEX=0
refuses_auto 'SLURM_ARRAY_TASK_ID: says 9, the number 9 of 3' SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3
refuses_auto 'SLURM_ARRAY_TASK_ID: expected 1' SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3
refuses_auto 'LSB_JOBINDEX_END: expected a number' LSB_JOBINDEX=1 LSB_JOBINDEX_END=x
refuses_auto 'both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX' SLURM_ARRAY_TASK_ID=0 JOB_COMPLETION_INDEX=0
auto=auto/4 refuses_auto 'an array of 4, but SLURM_ARRAY_TASK_COUNT says 1' SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_COUNT=1
auto=auto/0 refuses_auto 'found "auto/0"' SLURM_ARRAY_TASK_ID=0
auto=0/3 refuses_auto 'found "0/3"' NOTHING=1
# pack reads the same, and only when asked
expect 0 pack hall.jsonl --shard 2/3 -o want.bvp -q
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 expect 0 pack hall.jsonl --shard auto -o got.bvp -q
cmp want.bvp got.bvp || bad "pack --shard auto"
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 expect 0 pack hall.jsonl -o got.bvp -q
cmp hall.bvp got.bvp || bad "a plain pack in an array"

# ---- what does not go together

# refused STATUS REGEX ARGUMENTS...: says this, and leaves nothing behind
refused() {
  local wanted=$1 regex=$2
  shift 2
  rm -f none.*
  expect "$wanted" clash "$@"
  has err "$regex"
  [ -z "$(ls none.* 2>/dev/null)" ] || bad "half-written: $*"
}
refused 2 '--report: is for all shares together' hall.bvp --shard 1/2 -o none.clash -r none.jsonl
refused 2 '--baseline: is for all shares' hall.bvp --shard 1/2 -o none.clash --baseline before.report.jsonl
refused 2 'name the share.s file with -o' hall.bvp --shard 1/2
refused 2 '--output: is the file of a share' hall.bvp -o none.clash
refused 2 '--output: is hall.bvp itself' hall.bvp --shard 1/2 -o ./hall.bvp
refused 2 '--incremental: can.t be used with --shard' hall.bvp --shard 1/2 -o none.clash --incremental none.i
refused 2 '--incremental: can.t be used with --merge' hall.bvp --merge s1.clash s2.clash --incremental none.i
refused 2 '--merge: takes shares that are complete' hall.bvp --merge s1.clash s2.clash --state none.s
refused 2 'name the shares behind the model' hall.bvp --merge
refused 2 'expected FILE or FILE FILE' --merge s1.clash s2.clash
refused 7 'does the folder exist' hall.bvp --shard 1/2 -o nowhere/none.clash

# ---- shares that do not belong together

shares 3 hall.bvp
merge=(hall.bvp -r none.jsonl -r none.html --merge)
refused 3 '2 of 3 shares missing: 1 3$' "${merge[@]}" s2.clash
cp s2.clash copy.clash
refused 2 'is share 2 of 3, as .*name each share once' "${merge[@]}" s1.clash s2.clash copy.clash s3.clash
refused 3 'is a share of a run of other files' before.bvp "${merge[@]:1}" s1.clash s2.clash s3.clash
refused 3 'is a share of a run of other files' hall.bvp robot.bvp "${merge[@]:1}" s1.clash s2.clash s3.clash
refused 3 'with other options' -c 1mm "${merge[@]}" s1.clash s2.clash s3.clash
refused 3 'with other options' -x 'x*' "${merge[@]}" s1.clash s2.clash s3.clash
expect 0 clash hall.bvp --shard 1/2 -o other.clash -q
refused 3 'is a share of 3, but other.clash is one of 2' "${merge[@]}" other.clash s2.clash s3.clash
# ---- cut, damaged

cp s2.clash good.clash
size=$(stat -c %s good.clash)
for ((k = 0; k < 12; k++)); do
  at=$((RANDOM * 32768 + RANDOM))
  at=$((at % size))
  head -c $at good.clash >s2.clash
  if [ $at -ge 43 ]; then refused 4 's2.clash: byte [0-9]+: .*cut off or damaged' "${merge[@]}" s1.clash s2.clash s3.clash
  else refused 2 'found 2 operands|missing|expected FILE' hall.bvp robot.bvp "${merge[@]:1}" s1.clash s2.clash s3.clash; fi
  cp good.clash s2.clash
  byte=$(dd if=good.clash bs=1 skip=$at count=1 2>/dev/null | od -An -tu1)
  printf "\\x$(printf %02x $((byte ^ 16)))" | dd of=s2.clash bs=1 seek=$at conv=notrunc 2>/dev/null
  rm -f none.*
  run "${merge[@]}" s1.clash s2.clash s3.clash # never a report
  run clash "${merge[@]}" s1.clash s2.clash s3.clash
  { [ $status != 0 ] && [ -z "$(ls none.* 2>/dev/null)" ]; } || bad "byte $at changed: exit code $status"
done
{ cat good.clash; echo; } >s2.clash
refused 4 's2.clash: byte' "${merge[@]}" s1.clash s2.clash s3.clash
cp good.clash s2.clash

# ---- killed

expect 0 clash hall.bvp --contacts -q -r one.jsonl
for ((k = 0; k < 6; k++)); do # a share that goes on from its state
  rm -f k2.clash
  "$bvpack" clash hall.bvp --contacts --shard 2/2 -o k2.clash --state st -q -j 1 </dev/null &
  sleep 0.0$((RANDOM % 10))
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  [ ! -e k2.clash ] || { expect 0 clash hall.bvp --contacts --shard 2/2 -o want.clash -q; cmp want.clash k2.clash || bad "half a share"; }
done
expect 0 clash hall.bvp --contacts --shard 2/2 -o k2.clash --state st -q
expect 0 clash hall.bvp --contacts --shard 1/2 -o k1.clash --state st2 -q
[ ! -e st ] && [ ! -e st2 ] || bad "a state is left"
for ((k = 0; k < 6; k++)); do # a merge
  rm -f merged.jsonl
  "$bvpack" clash hall.bvp --contacts --merge k1.clash k2.clash -r merged.jsonl -q </dev/null &
  sleep 0.0$((RANDOM % 10))
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  [ ! -e merged.jsonl ] || cmp one.jsonl merged.jsonl || bad "half a report"
done
expect 0 clash hall.bvp --contacts --merge k1.clash k2.clash -r merged.jsonl -q
cmp one.jsonl merged.jsonl || bad "after kills"
# another share does not go on from this one's state
timeout -s KILL 0.1 "$bvpack" clash hall.bvp --contacts --shard 1/2 -o k1.clash --state st -q -j 1 2>/dev/null
if [ -s st ]; then # it has not been faster than that
  expect 0 clash hall.bvp --contacts --shard 2/2 -o again.clash --state st
  has err 'begun anew'
  cmp k2.clash again.clash || bad "the state of another share"
fi
exit $fail
