#!/bin/bash
# SPDX-License-Identifier: MIT
# Every verb ends when its --timeout is up and when it is interrupted, at any moment: exit code and words, no
# temporary file, no half output, no process left behind. On a file system with files without a name, which go with
# their writer, and on one without.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
without=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/without_nameless")
make_3mf=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/make_3mf")
models=$(realpath "$(dirname "$0")/../../samples/models")
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
# the program itself, not the script around it in a build directory
[ ! -x "${bvpack%/*}/.libs/bvpack" ] || {
  export LD_LIBRARY_PATH=${bvpack%/*}/.libs
  bvpack=${bvpack%/*}/.libs/bvpack
}
scratch=$(mktemp -d) && expected=$(mktemp -d) && trap 'rm -rf "$scratch" "$expected"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C SOURCE_DATE_EPOCH=0
unset BVPACK BVPACK_STORE
seed=${BVP_SEED:-$$}
RANDOM=$seed
fail=0 timed=0 stopped=0 checks=0

bad() { echo "FAILED: $* (BVP_SEED=$seed)"; fail=1; }

cp "$models"/{shelf.jsonl,plate_holes.STL,featuretype.STL} .
"$bvpack" pack -q shelf.jsonl -o f.bvp && "$bvpack" pack -q plate_holes.STL --unit mm --hierarchy aabb --deformable -o d.bvp &&
  "$bvpack" pack -q shelf.jsonl --shard 1/2 -o s1.bvp && "$bvpack" pack -q shelf.jsonl --shard 2/2 -o s2.bvp ||
  { echo "packing failed"; exit 1; }
commands=(
  "pack shelf.jsonl -q -o out.bvp"
  "pack shelf.jsonl -q --store store -o out.bvp"
  "pack shelf.jsonl -q --store store --thin -o out.bvp"
  "info --parts --tree f.bvp"
  "verify f.bvp"
  "dump f.bvp"
  "query distance f.bvp f.bvp --place-b 0,0,300"
  "query pairs f.bvp f.bvp --place-b 1,2,3"
  "query ray f.bvp --origin 30,30,200 --direction 0,0,-1"
  "view f.bvp -q -o out.png --size 64x48"
  "extract f.bvp -q -o out.glb"
  "extract f.bvp -q --format stl -o out.stl"
  "clash f.bvp --clearance 30mm --report out.jsonl --report out.csv --report out.html"
  "diff f.bvp f.bvp"
  "refit d.bvp -q --twist 1 -o out.bvp"
  "merge s1.bvp s2.bvp -o out.bvp"
  "split f.bvp --store store -o out.bvp"
  "repack f.bvp -q -o out.bvp"
  "compress f.bvp -q -o out.zst"
)

# fresh: the folder as before any command
inputs=" $(echo ./* | sed 's|\./||g') "
fresh() { rm -rf out.* store .bvpack-*; }
# left WHAT: nothing but inputs, and outputs and a store under their names
left() {
  local name found
  for name in * .[!.]*; do
    [ -e "$name" ] || continue
    case "$inputs out.err out.txt store " in *" $name "*) continue ;; esac
    case $name in out.bvp | out.png | out.glb | out.stl | out.jsonl | out.csv | out.html | out.zst) continue ;; esac
    bad "$1: left behind: $name"
  done
  found=$(find store -type f ! -name '*.bvp' ! -path 'store/sources/*' 2>/dev/null | head -1)
  [ -z "$found" ] || bad "$1: left in the store: $found"
  found=$(find store -name '*.tmp' 2>/dev/null | head -1)
  [ -z "$found" ] || bad "$1: left in the store: $found"
}
# whole WHAT: an output that has its name is what an undisturbed run writes
whole() {
  local name
  for name in out.bvp out.png out.glb out.stl out.zst; do
    [ ! -e $name ] || cmp -s $name "$expected/$name" || bad "$1: $name is not whole"
  done
}

# undisturbed COMMAND: what it writes
undisturbed() {
  local name
  fresh
  rm -rf "${expected:?}"/*
  # shellcheck disable=SC2086 # words
  "$bvpack" $1 >out.txt 2>out.err </dev/null || bad "$1 fails: $(head -2 out.err)"
  for name in out.bvp out.png out.glb out.stl out.zst; do [ ! -e $name ] || cp $name "$expected"; done
}

# where there are files without a name, and where there are none
ways=(with)
if "$without" true; then ways+=(without); else echo "without the part about systems that have no files without a name"; fi
way=()
for kind in "${ways[@]}"; do
  how=
  [ $kind = with ] || { way=("$without"); how="no O_TMPFILE: "; }
  for command in "${commands[@]}"; do
    undisturbed "$command"
    # the time is up while the program starts, or nearly so
    for seconds in 0.000001 0.00$((RANDOM % 10))$((RANDOM % 9 + 1)); do
      fresh
      checks=$((checks + 1))
      # shellcheck disable=SC2086
      "${way[@]}" "$bvpack" $command --timeout $seconds >out.txt 2>out.err </dev/null
      status=$?
      case $status in
        0) [ $seconds != 0.000001 ] || bad "$how$command --timeout $seconds: goes on" ;;
        8) timed=$((timed + 1))
          grep -q 'timeout\|INTERRUPTED\|time is up' out.err out.txt || bad "$how$command --timeout: says nothing: $(cat out.err)" ;;
        *) bad "$how$command --timeout $seconds: exit code $status: $(head -2 out.err)" ;;
      esac
      left "$how$command --timeout $seconds"
      whole "$how$command --timeout $seconds"
    done

    # interrupted after 1 to 9 ms
    for signal in INT TERM; do
      fresh
      checks=$((checks + 1))
      # shellcheck disable=SC2086
      timeout --preserve-status -s $signal 0.00$((RANDOM % 9 + 1)) "${way[@]}" "$bvpack" $command >out.txt 2>out.err </dev/null
      status=$?
      case $status in
        0) ;;
        8 | 130 | 143) stopped=$((stopped + 1)) ;;
        *) bad "$how$command, SIG$signal: exit code $status: $(head -2 out.err)" ;;
      esac
      left "$how$command, SIG$signal"
      whole "$how$command, SIG$signal"
    done
  done
done

# ---- a signal while an unfinished file has a temporary name ---------------------------------------------

caught=0
for command in "${commands[@]}"; do
  [ $kind = without ] || break
  case $command in *" out."* | *-o\ out*) ;; *) continue ;; esac
  undisturbed "$command"
  for signal in INT TERM ALRM; do # ALRM: what --timeout sends
    fresh
    checks=$((checks + 1))
    timeout=()
    [ $signal != ALRM ] || timeout=(--timeout 100)
    # shellcheck disable=SC2086
    env --default-signal=INT "$without" "$bvpack" $command "${timeout[@]}" >out.txt 2>out.err </dev/null &
    child=$!
    while kill -0 $child 2>/dev/null; do
      for name in .bvpack-*; do
        [ ! -e "$name" ] || { kill -STOP $child; break 2; }
      done
    done
    # it may have been given its name just before the program stopped
    for name in .bvpack-*; do [ ! -e "$name" ] || caught=$((caught + 1)); done
    kill -$signal $child 2>/dev/null
    kill -CONT $child 2>/dev/null
    # again and again, as from a process group or an impatient hand: the last file must still go
    while kill -$signal $child 2>/dev/null; do :; done
    wait $child 2>/dev/null
    left "$how$command, SIG$signal in mid-write"
    whole "$how$command, SIG$signal in mid-write"
  done
done
[ $kind = with ] || [ $caught -gt 0 ] || bad "no unfinished file was seen"
echo "$caught unfinished files when a signal came"

[ $timed -ge $((${#commands[@]} * ${#ways[@]})) ] || bad "only $timed of $checks ended by their time-out"
[ $stopped -gt 0 ] || bad "no run was stopped by a signal"

# ---- a process that imports ends with its parent ------------------------------------------------------

if [ -x "$make_3mf" ] && "$make_3mf" dag >slow.3mf 2>out.err; then
  for ending in INT KILL; do
    fresh
    env --default-signal=INT "$bvpack" pack slow.3mf -q -o out.bvp --import-timeout 60 >out.txt 2>out.err &
    child=$!
    for _ in $(seq 200); do
      importer=$(cat /proc/$child/task/$child/children 2>/dev/null)
      [ -z "$importer" ] || break
      sleep 0.01
    done
    [ -n "$importer" ] || bad "there is no process that imports: nothing is tested: $(cat out.err)"
    kill -$ending $child
    wait $child 2>/dev/null
    for _ in $(seq 200); do
      # shellcheck disable=SC2086 # one number or more
      kill -0 $importer 2>/dev/null || break
      sleep 0.01
    done
    # shellcheck disable=SC2086
    if kill -0 $importer 2>/dev/null; then bad "SIG$ending: the process that imports is still there"; fi
    [ ! -e out.bvp ] || bad "SIG$ending: an output of an import that was ended"
  done
else
  echo "without the part about imports: no 3MF to import"
fi

echo "$checks runs, $timed ended by their time-out, $stopped by a signal"
exit $fail
