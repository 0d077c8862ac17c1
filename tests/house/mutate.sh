#!/bin/bash
# SPDX-License-Identifier: MIT
# Plants the bugs of mutations.txt, one at a time, in a copy of the sources, and runs the tests that
# should notice. Usage: mutate.sh [--sample N] [NAME]... ; in the build directory: make mutate
#   --sample N: N of them, evenly spread. NAME: these only.
# First the tests run with nothing planted: one that fails or is skipped would tell nothing.
# Prints caught, SURVIVED or argued for each, then the counts; ends with 1 if a bug survived unargued.
set -u
src=$(cd "$(dirname "$0")/../.." && pwd)
list=$src/tests/house/mutations.txt
out=$PWD/mutate
sample=0
if [ "${1:-}" = --sample ]; then sample=$2; shift 2; fi
wanted=" $* "

copy=$out/src
echo "copying the sources and building them in $out"
mkdir -p "$copy"
# what git knows, or what the archive has; equal files stay, so that little is built again
(cd "$src" && { git ls-files -z 2>/dev/null || find . -type f -not -path '*/build/*' -not -path '*/mutate/*' -print0; }) |
  (cd "$src" && while IFS= read -r -d '' file; do
    cmp -s "$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$file" "$copy/$file"; }
  done)
[ -x "$copy/configure" ] || (cd "$copy" && autoreconf -fi) >"$out/log" 2>&1 || { tail "$out/log"; exit 1; }
mkdir -p "$copy/build/gcc" && cd "$copy/build/gcc" || exit 1
[ -f Makefile ] || ../../configure --without-npm >"$out/log" 2>&1 || { tail "$out/log"; exit 1; }
jobs=$(nproc 2>/dev/null || echo 2)

field() { sed -n "s/^$2: //p" <<<"$1"; }

# runs tests; 0: all pass, 1: one fails, 2: something does not compile, 3: one was skipped
run_tests() {
  local targets=() logs=() test
  for test in "$@"; do
    rm -f "$test.log" "$test.trs"
    logs+=("$test.log")
    case $test in
      *.sh) targets+=(all script-helpers) ;;
      *) targets+=("$test") ;;
    esac
  done
  make -j"$jobs" CFLAGS=-O2 "${targets[@]}" >"$out/log" 2>&1 || return 2
  timeout -k 5 600 make -k -j"$jobs" CFLAGS=-O2 "${logs[@]}" >"$out/log" 2>&1
  for test in "$@"; do
    grep -q '^:global-test-result: SKIP' "$test.trs" 2>/dev/null && return 3
  done
  for test in "$@"; do
    grep -q '^:global-test-result: PASS' "$test.trs" 2>/dev/null || { echo "$test" >"$out/failed"; return 1; }
  done
}

mapfile -d $'\x1e' -t all < <(awk 'BEGIN { RS = ""; ORS = "\x1e" } /(^|\n)bug: /' "$list")
[ ${#all[@]} -gt 0 ] || { echo "no bugs in $list"; exit 1; }
bugs=() needed=() number=0
for bug in "${all[@]}"; do
  number=$((number + 1))
  [ "$wanted" = "  " ] || [[ $wanted == *" $(field "$bug" bug) "* ]] || continue
  [ "$sample" = 0 ] || [ $((number * sample / ${#all[@]})) != $(((number - 1) * sample / ${#all[@]})) ] || continue
  bugs+=("$bug")
  read -ra tests <<<"$(field "$bug" tests)"
  needed+=("${tests[@]}")
done
mapfile -t needed < <(printf '%s\n' "${needed[@]}" | sort -u)
run_tests "${needed[@]}"
case $? in
  1) echo "with nothing planted $(cat "$out/failed") fails: repair it first"; exit 1 ;;
  2) echo "with nothing planted it does not compile:"; tail "$out/log"; exit 1 ;;
  3) echo "with nothing planted a test is skipped, and may be skipped below" ;;
esac

caught=0 survived=0 argued=0 broken=0
for bug in "${bugs[@]}"; do
  name=$(field "$bug" bug) file=$(field "$bug" file) find=$(field "$bug" find) put=$(field "$bug" put)
  reason=$(field "$bug" argued)
  read -ra tests <<<"$(field "$bug" tests)"
  text=$(cat "$src/$file"; printf x) && text=${text%x}
  rest=${text/"$find"/}
  if [ "$rest" = "$text" ] || [ "${rest/"$find"/}" != "$rest" ]; then
    echo "BROKEN    $name: what is to be found stands in $file not once"
    broken=$((broken + 1))
    continue
  fi
  printf '%s' "${text/"$find"/"$put"}" >"$copy/$file"
  started=$SECONDS
  run_tests "${tests[@]}"
  status=$?
  cp "$src/$file" "$copy/$file"
  case $status:$reason in
    0:) survived=$((survived + 1)); verdict=SURVIVED ;;
    0:*) argued=$((argued + 1)); verdict=argued ;;
    1:*) caught=$((caught + 1)); verdict=caught ;;
    2:*) broken=$((broken + 1)); verdict=BROKEN; reason="does not compile" ;;
    *) broken=$((broken + 1)); verdict=BROKEN; reason="its test is skipped here" ;;
  esac
  printf '%-9s %s (%s, %d s)%s\n' "$verdict" "$name" "$file" $((SECONDS - started)) "${reason:+: $reason}"
done
echo "$caught caught, $survived survived, $argued argued, $broken broken"
[ $survived = 0 ] && [ $broken = 0 ]
