#!/bin/bash
# SPDX-License-Identifier: MIT
# Plants the bugs of mutations.txt, one at a time, in a copy of the sources, and runs the tests that
# should notice. Usage: mutate.sh [--check | --sample N] [NAME]... ; in the build directory: make mutate
#   --check: only looks whether each bug can be planted.
#   --sample N: N of those that unit tests catch, evenly spread over the list; the same ones each time.
#   NAME: these only.
# First the tests run with nothing planted: one that fails or is skipped would tell nothing.
# Prints a line a bug, caught by which test, SURVIVED or argued, then the counts. Ends with 1 if a bug
# survived unargued or could not be planted.
set -u
build=$PWD
src=$(cd "$(dirname "$0")/../.." && pwd)
list=$src/tests/house/mutations.txt
out=$build/mutate
copy=$out/src
jobs=$(nproc 2>/dev/null || echo 2)
sample=0 check=
case ${1:-} in
  --sample) sample=$2; shift 2 ;;
  --check) check=yes; shift ;;
esac
wanted=" $* "
broken=0

field() { sed -n "s/^$2: //p" <<<"$1"; }

# plant BUG FILE: prints FILE with the bug; false if the text it replaces does not stand there once
plant() {
  local find put text rest
  find=$(field "$1" find) put=$(field "$1" put)
  text=$(cat "$2"; printf x) && text=${text%x}
  rest=${text/"$find"/}
  [ "$rest" != "$text" ] && [ "${rest/"$find"/}" = "$rest" ] || return 1
  printf '%s' "${text/"$find"/"$put"}"
}

mapfile -d $'\x1e' -t all < <(awk 'BEGIN { RS = ""; ORS = "\x1e" } /(^|\n)bug: /' "$list")
bugs=() needed=() quick=()
for bug in "${all[@]}"; do
  [ "$wanted" = "  " ] || [[ $wanted == *" $(field "$bug" bug) "* ]] || continue
  plant "$bug" "$src/$(field "$bug" file)" >/dev/null || {
    echo "$(field "$bug" bug): what is to be found does not stand in $(field "$bug" file) once"
    broken=$((broken + 1))
    continue
  }
  for test in $(field "$bug" tests); do
    [ -f "$src/$test" ] || [ -f "$src/$test.c" ] || {
      echo "$(field "$bug" bug): there is no $test"
      broken=$((broken + 1))
    }
  done
  bugs+=("$bug")
  [[ $(field "$bug" tests) != tests/unit/* ]] || quick+=("$bug")
done
if [ -n "$check" ]; then
  echo "${#bugs[@]} bugs can be planted, $broken cannot"
  [ ${#bugs[@]} -gt 0 ] && [ $broken = 0 ]
  exit
fi
if [ "$sample" != 0 ]; then
  bugs=()
  for ((i = 0; i < sample; i++)); do
    bugs+=("${quick[i * ${#quick[@]} / sample]}")
  done
fi
[ ${#bugs[@]} -gt 0 ] || { echo "no bugs in $list"; exit 1; }
for bug in "${bugs[@]}"; do
  read -ra tests <<<"$(field "$bug" tests)"
  needed+=("${tests[@]}")
done
mapfile -t needed < <(printf '%s\n' "${needed[@]}" | sort -u)

# The sources that git knows, or that the archive has, and what autoreconf made of them. Equal files
# stay, so that little is built again.
copy_sources() (
  cd "$src" || exit 1
  {
    git ls-files -z 2>/dev/null || find . -type f -not -path '*/build/*' -not -path '*/mutate/*' -print0
    find configure Makefile.in aclocal.m4 config.h.in .aux .m4 -type f -print0 2>/dev/null
  } | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || cmp -s "$file" "$copy/$file" || printf '%s\0' "$file"
  done | tar cf - --null -T - | tar xf - -C "$copy"
)

# What is built already need not be built again: the build directory as it would be beside the copy.
# The copy's path begins with the build directory's, which is replaced once, therefore.
copy_build() { # where to
  local paths="s|$src/|$copy/|g; s|$src\$|$copy|"
  [[ $build == "$src"/* ]] || paths="s|$build|$1|g; $paths"
  mkdir -p "$1"
  (cd "$build" && tar cf - --exclude=./mutate --exclude='*.log' --exclude='*.trs' .) | tar xf - -C "$1"
  grep -rlIF "$src" "$1" | while IFS= read -r file; do
    touch -r "$file" "$out/stamp"
    sed -i "$paths" "$file"
    touch -r "$out/stamp" "$file"
  done
}

mkdir -p "$copy"
copy_sources
case $build in
  "$src"/*) there=$copy/${build#"$src"/} ;;
  *) there=$copy/build ;;
esac
if [ ! -f "$there/Makefile" ] && [ -f "$build/Makefile" ] &&
  { [[ $build == "$src"/* ]] || grep -q '^srcdir = /' "$build/Makefile"; }; then
  copy_build "$there"
fi
mkdir -p "$there" && cd "$there" || exit 1
[ -x "$copy/configure" ] || (cd "$copy" && autoreconf -fi) >"$out/log" 2>&1 || { tail "$out/log"; exit 1; }
[ -f Makefile ] || "$copy/configure" --without-npm --enable-asserts >"$out/log" 2>&1 || { tail "$out/log"; exit 1; }

compile() { # TEST...
  local targets=() test
  for test in "$@"; do
    case $test in
      *.sh) targets+=(all script-helpers) ;;
      tests/unit/test_output | tests/unit/test_part | tests/unit/test_hull_fails) targets+=("$test") ;;
      tests/unit/*) targets+=(tests/unit/unit_tests) ;;
      tests/property/*) targets+=(tests/property/property_tests) ;;
      *) targets+=("$test") ;;
    esac
  done
  make -j"$jobs" CFLAGS=-O2 "${targets[@]}" >"$out/log" 2>&1
}

# run TEST...: false if one fails, or does not end; the name of a skipped one goes to $out/skipped
run() {
  local test
  for test in "$@"; do
    rm -f "$test.log" "$test.trs"
  done
  timeout -k 5 600 make -k -j"$jobs" CFLAGS=-O2 "${@/%/.log}" >"$out/log" 2>&1
  for test in "$@"; do
    case $(sed -n 's/^:global-test-result: //p' "$test.trs" 2>/dev/null) in
      PASS) ;;
      SKIP) echo "$test" >>"$out/skipped" ;;
      *) echo "$test" >"$out/failed"; return 1 ;;
    esac
  done
}

: >"$out/skipped"
compile "${needed[@]}" || { echo "with nothing planted it does not compile:"; tail "$out/log"; exit 1; }
run "${needed[@]}" || { echo "with nothing planted $(cat "$out/failed") fails: repair it first"; exit 1; }
skipped=$(tr '\n' ' ' <"$out/skipped")
[ -z "$skipped" ] || echo "skipped here, and no help: $skipped"

# judge BUG TEST...: what came of it, in $verdict
judge() {
  local bug=$1 test reason
  shift
  verdict=SURVIVED
  for test in "$@"; do
    [[ " $skipped" != *" $test "* ]] || continue
    compile "$test" || { verdict="BROKEN: does not compile"; return; }
    run "$test" || { verdict="caught by $test"; return; }
  done
  reason=$(field "$bug" argued)
  [ -z "$reason" ] || verdict="argued: $reason"
}

caught=0 survived=0 argued=0
printf '%-26s %-38s %s\n' bug file verdict
for bug in "${bugs[@]}"; do
  file=$(field "$bug" file)
  read -ra tests <<<"$(field "$bug" tests)"
  plant "$bug" "$src/$file" >"$copy/$file"
  started=$SECONDS
  judge "$bug" "${tests[@]}"
  cp "$src/$file" "$copy/$file"
  case $verdict in
    caught*) caught=$((caught + 1)) ;;
    argued*) argued=$((argued + 1)) ;;
    BROKEN*) broken=$((broken + 1)) ;;
    *) survived=$((survived + 1)) ;;
  esac
  printf '%-26s %-38s %s (%d s)\n' "$(field "$bug" bug)" "$file" "$verdict" $((SECONDS - started))
done
count=${#bugs[@]}
echo "$count planted: $caught caught ($((100 * caught / count)) %), $survived survived, $argued argued, $broken broken"
[ $survived = 0 ] && [ $broken = 0 ]
