#!/bin/bash
# SPDX-License-Identifier: MIT
# Nights whose shared folder is less than a disk, with processes killed at random: a mounted object store (late_folder.c:
# no nameless files, links or renames into other folders, replacing leaves a gap, listings are late), and objects that are
# put and got whole, without any folder. Both have one machine's bytes. spec/farm.md says what is relied on.
# `make check-farm`. BVP_KILLS: how many processes are killed in each, 10; BVP_FARM_TRIANGLES: of the plant.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"
# shellcheck source=tests/farm/farm_test.sh
. "$src/tests/farm/farm_test.sh"
plant_export "${BVP_FARM_TRIANGLES:-10000000}" export ||
  { echo "check_farm_store: skipped: no plant.c in BVP_SHARED/plant"; exit 77; }
one_machine export/export.jsonl
export MARK=$scratch
# shellcheck disable=SC2086 # "ccache gcc"
${CC:-cc} -O2 -w -shared -fPIC "$src/tests/farm/late_folder.c" -o late.so -ldl || exit 99

# wild COMMAND...: runs it again and again, with processes killed, until it ends well
wild() {
  local tries process killed=0 kills=${BVP_KILLS:-10}
  for ((tries = 0; tries < 40; tries++)); do
    "$@" >>night.log 2>&1 &
    while kill -0 $! 2>/dev/null; do
      sleep 0.0$((RANDOM % 9))
      [ $killed -lt "$kills" ] || continue
      process=$(processes "MARK=$MARK" | shuf -n 1 --random-source=<(yes $RANDOM))
      [ -n "$process" ] && kill -9 "$process" 2>/dev/null && killed=$((killed + 1))
    done
    wait $! && break
  done
  [ $killed -gt 0 ] || bad "nothing was killed"
  echo "$1: $killed processes killed"
}

# ---- a mounted object store
mounted() {
  BVPACK=$bvpack LD_PRELOAD=$scratch/late.so LATE_FOLDER=$scratch/mount \
    "$farm/parallel.sh" export/export.jsonl mount/night 2 --tasks 16 -o mount/out.bvp -r mount/out.jsonl \
    --clash "$clash_options"
}
mkdir mount
LD_PRELOAD=$scratch/late.so LATE_FOLDER=$scratch/mount "$bvpack" pack export/export.jsonl -q --store mount/store \
  -o mount/none.bvp 2>err && bad "a store moves files from folder to folder, and here that works"
[ ! -e mount/none.bvp ] || bad "an output without its parts"
wild mounted
all_whole mount/night
same mount/out.bvp whole.bvp
same mount/out.jsonl whole.jsonl

# ---- objects
cat >bucket <<'BUCKET'
#!/bin/bash
# an object is there when all of it has been put; what was put last under a name counts
at=$BUCKET_FOLDER
name() { sed 's|/|%|g' <<<"$1"; }
case $1 in
  get) cp "$at/$(name "$2")" "$3" 2>/dev/null ;;
  put) cp "$2" "$at/.upload$$" && mv "$at/.upload$$" "$at/$(name "$3")" ;;
esac
BUCKET
chmod +x bucket
mkdir objects
export BUCKET=$scratch/bucket BUCKET_FOLDER=$scratch/objects
BVPACK=$bvpack "$farm/lists.sh" "$PWD/export/export.jsonl" lists 4 --tasks 16 -o out.bvp -r out.jsonl \
  --clash "$clash_options" || bad "lists"
while read -r stage; do "$BUCKET" put "lists/$stage.list" "lists/$stage.list"; done <lists/stages
objects() {
  local stage
  while read -r stage; do
    seq "$(grep -c '' "lists/$stage.list")" |
      BVPACK=$bvpack xargs -n 1 -P 2 "$farm/bucket_task.sh" "lists/$stage.list" || return 1
  done <lists/stages
}
wild objects
"$BUCKET" get out.bvp got.bvp && "$BUCKET" get out.jsonl got.jsonl || bad "no outputs in the bucket"
in_order lists got.bvp whole.jsonl
same got.jsonl whole.jsonl
echo "check_farm_store: $checks checks"
[ $fail = 0 ] || tail -5 night.log
exit $fail
