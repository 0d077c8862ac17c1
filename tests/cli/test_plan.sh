#!/bin/bash
# SPDX-License-Identifier: MIT
# The verb plan: what several machines are to run. Whatever the cut, running it gives one machine's bytes; what the store
# has is in no task; what is missing, and no more, is run again.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
make_export=$programs/make_export
PATH=$(dirname "$bvpack"):$PATH # what a plan calls
stage() { # NAME OPTIONS...: that stage's commands, into the file NAME
  local name=$1
  shift
  expect 0 plan plant/export.jsonl "$@" --stage "$name"
  mv out "$name"
}

mkdir plant
"$make_export" plant 60 40 0 || exit 99
"$bvpack" pack plant/export.jsonl -q -o whole.bvp || exit 99
"$bvpack" clash whole.bvp -q --clearance 30 -r whole.jsonl || exit 99
[ -s whole.jsonl ] || exit 99

# ---- a minute's work at least: sixty small files are one task
expect 0 plan plant/export.jsonl --machines 8
has out '^# plant/export.jsonl for 8 machines: 60 files, 0 of them known to the store, about 153,600 triangles$'
has out '^bvpack pack plant/export.jsonl -o plant/export.bvp -j1 -q$'
lacks out '--shard .* -o plant'
expect 0 plan plant/export.jsonl --machines 8 --json
is format manifest
is files.count 60
is files.triangle_count 153600 # as the headers say
is files.known_count 0
is instance_count 120
is stages.0.name pack
is stages.0.task_count 1
is stages.0.after null
is stages.0.tasks.0.file_count 60
is stages.0.tasks.0.size "$(cat plant/*.stl | wc -c)"

# ---- small tasks, dealt out as the shares are
cut=(-m 3 --tasks 12 -o out.bvp --work shares)
expect 0 plan plant/export.jsonl "${cut[@]}" --json
is stages.0.task_count 12
is stages.1.name merge
is stages.1.after pack
is stages.0.tasks.4.number 5
is stages.0.tasks.4.file_count 5
is stages.0.tasks.4.output shares/pack-5.bvp
expect 0 plan plant/export.jsonl "${cut[@]}" -r found.jsonl --clash '--clearance 30'
has out '^# stage merge after pack: 1 task, '
mv out night.sh
sh -e night.sh || bad "the plan does not run"
same out.bvp whole.bvp
same found.jsonl whole.jsonl

expect 0 plan plant/export.jsonl -m 2 --tasks 1000 --json
is stages.0.task_count 60

# ---- a stage's count by its length: forty files of 1 GB, of which nothing is stored, take 9 s each
mkdir large
for ((i = 0; i < 40; i++)); do
  truncate -s 1000000000 large/$i.stl
  printf '{"mesh": "%d.stl"}\n' $i
done >large/export.jsonl
counts() { # MACHINES TASKS [OPTION]...: whole rounds of the machines, or as many as last long enough
  expect 0 plan large/export.jsonl -m "$1" --json "${@:3}"
  is stages.0.task_count "$2"
}
counts 1 4
counts 2 6
counts 3 6
counts 5 5
counts 100 6
counts 100 36 --task-seconds 10
counts 100 3 --threads 2
expect 0 plan large/export.jsonl -m 5 --json
near stages.0.makespan_seconds 73.65019048
near stages.0.longest_seconds 73.65019048
# a share that reads the export for longer than a ninth of what it packs is none
counts 10 1 --task-seconds 0.001 --threads 1000

# ---- only what is missing
rm out.bvp shares/pack-3.bvp shares/pack-7.bvp
stage pack "${cut[@]}" --missing
[ "$(grep -c '' pack)" = 2 ] || bad "not the two that are missing: $(cat pack)"
xargs -P 2 -d '\n' -n 1 sh -c <pack || bad "pack"
stage pack "${cut[@]}" --missing
empty pack
stage merge "${cut[@]}" --missing
xargs -d '\n' -n 1 sh -c <merge || bad "merge"
same out.bvp whole.bvp

# ---- through a store: what it has is in no task
stored=("${cut[@]}" --store store)
expect 0 plan plant/export.jsonl "${stored[@]}"
lacks out 'shares/pack'
[ ! -e store ] || bad "a plan makes a store"
sleep 2.1 # until the files' stamps say something
sh -e out || bad "the plan does not run through a store"
same out.bvp whole.bvp
expect 0 plan plant/export.jsonl "${stored[@]}" --json
is files.known_count 60
is files.longest null
is stages.0.task_count 1
touch plant/part7.stl
expect 0 plan plant/export.jsonl "${stored[@]}" --json
is files.known_count 59
is files.longest.path plant/part7.stl
touch plant/part8.stl # in the share after that: the other ten have nothing to do
expect 0 plan plant/export.jsonl "${stored[@]}" --json
is files.known_count 58
is stages.0.task_count 2
is stages.0.tasks.1.file_count 1
has out ' --store store --shard 8/12 -j1 -q"'
has out ' --store store --shard 9/12 -j1 -q"'
expect 0 plan plant/export.jsonl "${stored[@]}" --pack --no-ids --json # other parts
is files.known_count 0
rm "$(find store -name '*.bvp' | sort | head -1)"
expect 0 plan plant/export.jsonl "${stored[@]}" --json
[ "$("$json" files.known_count <out)" -lt 60 ] || bad "a part that is gone is known"

# ---- names that a shell reads otherwise
mkdir "it's here"
cp plant/part0.stl "it's here/a b.stl"
printf '%s\n' '{"mesh": "a b.stl"}' >"it's here/-x \$y.jsonl"
expect 0 plan "it's here/-x \$y.jsonl" -m 1 --no-clash -o '-out.bvp'
has out "^mkdir -p 'it'\\\\''s here/-x"
mv out night.sh
sh -e night.sh || bad "names are not quoted"
[ -s ./-out.bvp ] || bad "an output that looks like an option"

# ---- models
expect 0 plan "$src/samples/models/plate_holes.STL" -m 8 --no-clash -o plate.bvp --json
is format stl
is stages.0.task_count 1
is files.count 1
expect 0 plan "$src/samples/models/plate_holes.STL" -m 2 -o plate.bvp --threads 3
has out ' -j3 -q$'

# ---- what is wrong
wrong() { # STATUS TEXT ARGUMENTS...
  local status=$1 text=$2
  shift 2
  expect "$status" plan "$@"
  has err "$text"
  empty out
}
wrong 2 'machines how many' plant/export.jsonl
wrong 2 'one EXPORT' -m 2
wrong 2 "can't come from a pipe" - -m 2
wrong 2 'expected pack, merge, clash or report, found "pick"' plant/export.jsonl -m 2 --stage pick
wrong 2 '--task-seconds: expected' plant/export.jsonl -m 2 --task-seconds 0
wrong 2 'goes with none of' plant/export.jsonl -m 2 --no-clash -r x.jsonl
wrong 2 '--pack: -o is the plan' plant/export.jsonl -m 2 --pack '-o x.bvp'
wrong 2 '--pack: --shard is the plan' plant/export.jsonl -m 2 --pack '--shard 1/2'
wrong 2 '--pack: expected options only, found "y.stl"' plant/export.jsonl -m 2 --pack '--rays y.stl'
wrong 2 'leef' plant/export.jsonl -m 2 --pack '--leef 3'
wrong 2 '--chord: ' plant/export.jsonl -m 2 --pack '--chord x'
wrong 3 'is packed already' whole.bvp -m 2
wrong 3 'none.jsonl' none.jsonl -m 2
printf '%s\n' '{"bvpack_manifest": 1}' '{"mesh": "gone.stl"}' >gone.jsonl
wrong 3 'gone.jsonl:2: "gone.stl" can.t be read: No such file' gone.jsonl -m 2
printf '%s\n' '{"bvpack_manifest": 1}' '{"mesh": 7}' >number.jsonl
wrong 3 'number.jsonl:2: "mesh": expected a text' number.jsonl -m 2
: >empty.jsonl
wrong 3 'found an empty file' empty.jsonl -m 2
head -c 200 /dev/zero >zeros
wrong 3 'name its format with --pack' zeros -m 2
# headers that lie: no more triangles than the file can hold
printf 'ply\nformat binary_little_endian 1.0\nelement vertex 0\nelement face 18446744073709551615\nend_header\n' >lie.ply
printf '%s\n' '{"mesh": "lie.ply"}' >lie.jsonl
expect 0 plan lie.jsonl -m 2 --json
[ "$("$json" files.triangle_count <out)" -lt 100 ] || bad "a header is believed"

echo "plan: $checks checks"
exit $fail
