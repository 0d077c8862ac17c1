#!/bin/bash
# SPDX-License-Identifier: MIT
# samples/farm on one machine, by xargs: a night whose processes are killed at random has one machine's bytes, and what is
# done is not done again. tests/farm/check_farm.sh does the same on Slurm.
# BVP_KILLS: how many processes are killed, 10.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"
# shellcheck source=tests/farm/farm_test.sh
. "$src/tests/farm/farm_test.sh"
clash_options='--clearance 30'
mkdir plant
"$programs/make_export" plant 60 150 0 || exit 99
one_machine plant/export.jsonl
export MARK=$scratch

# a PATH without GNU parallel
mkdir path
for program in bash cat dirname grep head mkdir mv rm sed sh xargs; do ln -s "$(command -v $program)" path/; done
night() { # FOLDER OPTIONS...
  local folder=$1
  shift
  PATH=$scratch/path BVPACK=$bvpack "$farm/parallel.sh" plant/export.jsonl "$folder" 2 --tasks 12 -o "$folder.bvp" \
    -r "$folder.jsonl" --clash "$clash_options" "$@" >>night.log 2>&1
}

# ---- a night in which nothing happens
night calm || bad "the night fails: $(tail -3 night.log)"
in_order calm calm.bvp calm.jsonl
[ "$(paste -sd' ' calm/stages | cut -c1-16)" = 'pack merge clash' ] || bad "stages: $(cat calm/stages)"
before=$(stat -c %y calm/*.bvp calm.bvp)
night calm || bad "a night that is done fails"
[ "$before" = "$(stat -c %y calm/*.bvp calm.bvp)" ] || bad "what is done is done again"
rm calm/pack.list.done/3 calm/pack-3.bvp
[ "$("$farm/missing.sh" calm/pack.list)" = 3 ] || bad "missing.sh"
night calm || bad "a night with one task left fails"
[ -s calm/pack-3.bvp ] || bad "a task that was missing is not run"

# ---- one whose processes are killed; it is begun again until it is done
kills=${BVP_KILLS:-10} killed=0
for ((tries = 0; tries < 30; tries++)); do
  night wild &
  while kill -0 $! 2>/dev/null; do
    sleep 0.0$((RANDOM % 6))
    [ $killed -lt "$kills" ] || continue
    process=$(processes "MARK=$MARK" | head -1)
    if [ -n "$process" ] && kill -9 "$process" 2>/dev/null; then
      killed=$((killed + 1))
      all_whole wild
    fi
  done
  wait $! && break
done
[ $killed -gt 0 ] || bad "nothing was killed"
in_order wild wild.bvp wild.jsonl

# ---- through a store
night stored --store parts || bad "the night through a store fails: $(tail -3 night.log)"
in_order stored stored.bvp stored.jsonl

# ---- what README says, but for Slurm, and for a mesh larger than memory (test_memory.sh): word by word, on a sample
mkdir readme
cp "$src"/samples/models/shelf.jsonl readme/export.jsonl
cp "$src"/samples/models/{plate_holes.STL,featuretype.STL} readme
ln -s "$src/samples" readme/samples
awk '/^## / { on = /outgrows/ } /^```/ { code = !code; next } on && code && !/slurm|scan/' "$src/README.md" >readme/commands.sh
checks=$((checks + 1))
[ "$(grep -c '' readme/commands.sh)" -ge 8 ] || bad "no commands in README"
(cd readme && PATH=$(dirname "$bvpack"):$PATH BVPACK=$bvpack bash -e commands.sh) >out 2>&1 || bad "README: $(tail -3 out)"
"$bvpack" pack readme/export.jsonl -q -o readme/whole.bvp
"$bvpack" clash readme/whole.bvp -q --clearance 5mm -r readme/whole.jsonl
same readme/plant.bvp readme/whole.bvp
same readme/clash.jsonl readme/whole.jsonl

# ---- a task that can't be done ends the night, and is named
mkdir broken
cp plant/* broken
printf 'solid\n' >broken/part7.stl
BVPACK=$bvpack "$farm/parallel.sh" broken/export.jsonl lost 2 --tasks 12 -o lost.bvp -r lost.jsonl >out 2>err &&
  bad "a part that can't be read is no error"
has err 'stage pack: tasks failed three times: 8$'
[ ! -e lost.bvp ] || bad "an output of a night that failed"

echo "night: $checks checks, $killed processes killed"
exit $fail
