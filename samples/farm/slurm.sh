#!/bin/bash
# SPDX-License-Identifier: MIT
# A night on Slurm: an array of tasks for each stage, and after each array a job that looks what is missing.
#   slurm.sh EXPORT FOLDER MACHINES [OPTION OF bvpack plan]...
# The nodes see these scripts, the export and FOLDER under the same paths. What sbatch is to do besides (partition,
# account, memory) says SBATCH_OPTIONS, in words. FOLDER/done appears at the end, or FOLDER/failed.
#
# A task that Slurm takes back (a node fails, a spot machine goes, scontrol requeue) is queued again by Slurm, --requeue.
# One that fails, or is cancelled, has left no mark: the job after the array submits those again, and waits for them, in
# at most five rounds. So arrays are followed by afterany, not afterok, which would leave the night hanging.
# Run again with the same FOLDER, it goes on where the night was cut off.
set -eu
[ $# -ge 3 ] || { sed -n '3,6s/^# *//p' "$0"; exit 2; }
rounds=5
# shellcheck disable=SC2206 # words
more=(${SBATCH_OPTIONS-})

# submit STAGE ROUND: the tasks of that stage that are missing, and the job that looks after them
submit() {
  local list=$folder/$1.list missing job
  mapfile -t missing < <("$here/missing.sh" "$list")
  if [ ${#missing[@]} -gt 0 ]; then
    job=$(IFS=,; sbatch --parsable --requeue "${more[@]}" --job-name="bvpack-$1" --array="${missing[*]}" \
      --open-mode=append --output="$folder/$1-%a.log" \
      --wrap="exec $(printf '%q ' "$here/task.sh" "$list") \$SLURM_ARRAY_TASK_ID")
    sbatch --parsable --requeue "${more[@]}" --job-name="bvpack-after-$1" --dependency="afterany:$job" \
      --open-mode=append --output="$folder/after.log" \
      --wrap="exec $(printf '%q ' "$here/slurm.sh" --after "$folder" "$1" "$2")" >/dev/null
  else
    after "$1" "$2"
  fi
}

# after STAGE ROUND: the same once more if something is missing, else the next stage
after() {
  local next
  if [ -n "$("$here/missing.sh" "$folder/$1.list")" ]; then
    [ "$2" -lt $rounds ] || { echo "stage $1: tasks failed $rounds times" | tee "$folder/failed"; exit 1; }
    submit "$1" $(($2 + 1))
    return
  fi
  next=$(sed -n "/^$1\$/{n;p}" "$folder/stages")
  if [ -n "$next" ]; then submit "$next" 1; else : >"$folder/done"; fi
}

if [ "$1" = --after ]; then
  here=$(dirname "$0") folder=$2
  after "$3" "$4"
  exit
fi
here=$(cd "$(dirname "$0")" && pwd)
export=$1 folder=$2 machines=$3
shift 3
"$here/lists.sh" "$export" "$folder" "$machines" "$@"
folder=$(cd "$folder" && pwd)
rm -f "$folder/failed"
submit "$(head -1 "$folder/stages")" 1
