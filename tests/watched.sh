# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by tests/run.sh and samples/quickstart.sh: long commands that show that they go on.

# watched WHAT LOG COMMAND...: runs it with its output in LOG, and says every half a minute
# ($BVP_TOLD seconds) how long it has run and what it does now: on a terminal in a line that is
# written over, elsewhere in a line of its own. Returns its status.
watched() {
  local what=$1 log=$2 teller status
  shift 2
  : >"$log"
  tell_progress "$what" "$log" &
  teller=$!
  "$@" >"$log" 2>&1 </dev/null
  status=$?
  kill $teller 2>/dev/null
  wait $teller 2>/dev/null
  [ ! -t 1 ] || printf '\r\033[K'
  return $status
}

# the loop of watched; the program that sleeps ends with it
tell_progress() { # WHAT LOG
  local begun=$SECONDS sleeper doing
  trap 'kill $sleeper 2>/dev/null; exit' TERM
  while :; do
    sleep "${BVP_TOLD:-30}" &
    sleeper=$!
    wait $sleeper
    doing="$1: $((SECONDS - begun)) s, $(wc -l <"$2") lines; now: $(tail -1 "$2" | tr -cd '[:print:]' | cut -c1-60)"
    if [ -t 1 ]; then
      printf '\r\033[K  ... %s' "$doing"
    else
      printf '  ...   %s\n' "$doing"
    fi
  done
}
