#!/bin/bash
# SPDX-License-Identifier: MIT
# What every night begins with: the plan, cut into one list of commands for each stage.
#   lists.sh EXPORT FOLDER MACHINES [OPTION OF bvpack plan]...
# Makes FOLDER/stages, which names the stages in their order, and FOLDER/STAGE.list, a task a line. FOLDER is the
# night's, and empty at first: a plan that is there already stays, so that a night can go on where it was cut off.
set -eu
[ $# -ge 3 ] || { sed -n '3,6s/^# *//p' "$0"; exit 2; }
export=$1 folder=$2 machines=$3
shift 3
[ ! -e "$folder/stages" ] || exit 0
mkdir -p "$folder"
"${BVPACK:-bvpack}" plan "$export" --machines "$machines" --work "$folder" "$@" >"$folder/plan.sh"
rm -f "$folder"/*.list "$folder/stages.new"
list=
while IFS= read -r line; do
  case $line in
    '# stage '*)
      stage=${line#'# stage '}
      stage=${stage%%[: ]*}
      list=$folder/$stage.list
      echo "$stage" >>"$folder/stages.new" ;;
    '' | '#'*) ;;
    *) [ -z "$list" ] || printf '%s\n' "$line" >>"$list" ;;
  esac
done <"$folder/plan.sh"
mv "$folder/stages.new" "$folder/stages" # last: the lists are complete
