#!/bin/bash
# SPDX-License-Identifier: MIT
# A night on one machine, or on several over ssh: packs an export, clashes it.
#   parallel.sh EXPORT FOLDER JOBS [OPTION OF bvpack plan]...
# JOBS: how many tasks run at a time on each machine. HOSTS: the machines, separated by commas, for GNU parallel over
# ssh; they see these scripts, the export and FOLDER under the same paths. Without HOSTS this machine, by GNU parallel
# or, where there is none, xargs. Tasks that fail are run again, three times at most.
set -eu
[ $# -ge 3 ] || { sed -n '3,7s/^# *//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
export=$1 folder=$2 jobs=$3
shift 3
hosts=${HOSTS-}
commas=${hosts//[^,]/}
"$here/lists.sh" "$export" "$folder" $((jobs * (${#commas} + 1))) "$@"

if parallel --version 2>/dev/null | grep -q GNU; then
  run() { parallel --will-cite --jobs "$jobs" ${hosts:+--sshlogin "$hosts" --workdir "$PWD"} "$here/task.sh" "$1" '{}'; }
elif [ -n "$hosts" ]; then
  echo "parallel.sh: HOSTS needs GNU parallel (Debian: parallel)" >&2
  exit 2
else
  run() { xargs -n 1 -P "$jobs" "$here/task.sh" "$1"; }
fi
while read -r stage; do
  list=$folder/$stage.list
  for round in 1 2 3 4; do
    missing=$("$here/missing.sh" "$list")
    [ -n "$missing" ] || continue 2
    [ "$round" -lt 4 ] || { echo "parallel.sh: stage $stage: tasks failed three times: ${missing//$'\n'/ }" >&2; exit 1; }
    run "$list" <<<"$missing" || echo "parallel.sh: stage $stage: some tasks failed; once more" >&2
  done
done <"$folder/stages"
