#!/bin/bash
# SPDX-License-Identifier: MIT
# A night on Slurm, four nodes on this machine, of a plant of 10 M triangles; meanwhile tasks are killed at random, in three
# ways: Slurm takes one back (a spot machine that goes), one is cancelled, a process is killed. The packed file and the
# report have one machine's bytes. `make check-farm`; skipped where Slurm or the plant's generator is missing.
# BVP_KILLS: how often, 20; BVP_FARM_TRIANGLES: of the plant.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/../cli/verb_test.sh"
# shellcheck source=tests/farm/farm_test.sh
. "$src/tests/farm/farm_test.sh"
# shellcheck source=tests/farm/slurm_here.sh
. "$src/tests/farm/slurm_here.sh"
lacks=$(slurm_lacks)
[ -z "$lacks" ] || { echo "check_farm: skipped: there is no $lacks"; exit 77; }
plant_export "${BVP_FARM_TRIANGLES:-10000000}" export || { echo "check_farm: skipped: no plant.c in BVP_SHARED/plant"; exit 77; }
one_machine export/export.jsonl

slurm_up "$scratch/slurm" || { echo "check_farm: Slurm does not come up:"; tail -3 slurm/*.log; slurm_down; exit 1; }
trap 'slurm_down; rm -rf "$scratch"' EXIT

# one random task that runs or waits, "JOB_TASK"; nothing if there is none
any_task() {
  squeue -h -r -o %i -n bvpack-pack,bvpack-merge,bvpack-clash,bvpack-report 2>/dev/null |
    shuf -n 1 --random-source=<(yes $RANDOM)
}
kills=${BVP_KILLS:-20} requeued=0 cancelled=0 killed=0
kill_one() {
  local task process
  case $((RANDOM % 3)) in
    0) task=$(any_task); [ -n "$task" ] && scontrol requeue "$task" 2>/dev/null && requeued=$((requeued + 1)) ;;
    1) task=$(any_task); [ -n "$task" ] && scancel "$task" 2>/dev/null && cancelled=$((cancelled + 1)) ;;
    2) process=$(processes "SLURM_CONF=$SLURM_CONF" | head -1)
      [ -n "$process" ] && kill -9 "$process" 2>/dev/null && killed=$((killed + 1)) && all_whole night ;;
  esac
}

BVPACK=$bvpack "$farm/slurm.sh" export/export.jsonl night 4 --tasks 16 -o out.bvp -r out.jsonl --clash "$clash_options" ||
  bad "not submitted"
for ((i = 0; i < 6000; i++)); do
  [ ! -e night/done ] && [ ! -e night/failed ] || break
  if [ $((requeued + cancelled + killed)) -lt "$kills" ]; then kill_one; fi
  sleep 0.05
done
[ -e night/done ] || { bad "the night has not ended: $(cat night/failed 2>/dev/null)"; squeue; tail -n 3 night/*.log; }
all_whole night
in_order night out.bvp out.jsonl
echo "check_farm: $checks checks; $requeued tasks taken back, $cancelled cancelled, $killed processes killed"
[ $((requeued * cancelled * killed)) -gt 0 ] || bad "not every kind of end was tried"
exit $fail
