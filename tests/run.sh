#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests everything, from a Debian 12 with nothing installed. Last line: the counts.
# Builds lie in build/ (or $BVP_BUILD) and are reused by the next run.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
src=$PWD
out=${BVP_BUILD:-$src/build}
jobs=${BVP_JOBS:-$(nproc 2>/dev/null || echo 2)}
unset BVPACK BVP_SRCDIR MAKEFLAGS
passed=0 failed=0 skipped=0
failures=()
started=$SECONDS

finish() {
  printf '\n%d s' $((SECONDS - started))
  [ ${#failures[@]} = 0 ] || printf '; failed: %s' "${failures[*]}"
  printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
  [ $failed = 0 ]
  exit
}

# result NAME STATUS [SECONDS]: counts one result; 77 is a skip. Seconds are told from ten on.
result() {
  local took=
  [ "${3:-0}" -lt 10 ] || took=" ($3 s)"
  case $2 in
    0) passed=$((passed + 1)); printf '  pass  %s%s\n' "$1" "$took" ;;
    77) skipped=$((skipped + 1)); printf '  skip  %s\n' "$1" ;;
    *) failed=$((failed + 1)); failures+=("${1// /_}"); printf '  FAIL  %s%s\n' "$1" "$took" ;;
  esac
}

# A test's seconds: from when its log was begun, where the file system tells, to its result.
seconds_of() { # TRS
  local from to
  from=$(stat -c %W "${1%.trs}.log") to=$(stat -c %Y "$1")
  [ "$from" -gt 0 ] 2>/dev/null && echo $((to - from)) || echo 0
}

log_of() { echo "$out/log/${1//[^A-Za-z0-9]/_}.log"; } # STEP

# tell NAME STATUS SECONDS: the result of a step; its output is shown when it failed.
tell() {
  result "$1" "$2" "$3"
  [ "$2" = 0 ] || [ "$2" = 77 ] || { tail -40 "$(log_of "$1")" | sed 's/^/        /'; return 1; }
}
# step NAME COMMAND...: one result.
step() {
  local from=$SECONDS
  watched "$1" "$(log_of "$1")" "${@:2}"
  tell "$1" $? $((SECONDS - from))
}
# begin NAME COMMAND...: a step beside those that follow, for one that leaves a core waiting; end tells its result.
begin() {
  begun_name=$1 begun_at=$(date +%s)
  "${@:2}" >"$(log_of "$1")" 2>&1 </dev/null &
  begun=$!
  trap 'kill $begun 2>/dev/null' EXIT
}
end() {
  wait $begun
  tell "$begun_name" $? $(($(stat -c %Y "$(log_of "$begun_name")") - begun_at))
}

# suite FLAVOUR: counts each test of a `make check` by its .trs file.
suite() {
  local trs name outcome
  while IFS= read -r trs; do
    name=${trs#"$out/$1/"}
    name="$1: ${name%.trs}"
    outcome=$(sed -n 's/^:global-test-result: //p' "$trs")
    case $outcome in
      PASS) result "$name" 0 "$(seconds_of "$trs")" ;;
      SKIP) result "$name ($(tail -1 "${trs%.trs}.log" | cut -c1-100))" 77 ;;
      *) result "$name" 1; tail -30 "${trs%.trs}.log" | sed 's/^/        /' ;;
    esac
  done < <(find "$out/$1" -name '*.trs' | sort)
}

configure() ( # flavour arguments... : in a subshell, for it changes the folder
  dir=$out/$1
  shift
  mkdir -p "$dir" && cd "$dir" && { [ -f Makefile ] || "$src/configure" "$@"; }
)
build() { # flavour target arguments... : configure and compile, no warning allowed
  local target=$2
  set -- "$1" "${@:3}"
  configure "$@" && make -C "$out/$1" -j"$jobs" CFLAGS="$cflags -Werror" "$target"
}

. tests/packages.sh
. tests/watched.sh
mkdir -p "$out/log"
echo "== packages"
# shellcheck disable=SC2086 # one word a package
if ! packages_need $packages_build $packages_test; then
  result "packages" 1
  finish
fi

echo "== gcc"
step "autoreconf" autoreconf -fi || finish
cflags="-O2" # without -g: compiling takes half of the time
step "gcc: build" build gcc all CC=gcc CXX=g++ --enable-asserts --with-npm=try || finish
find "$out/gcc" -name '*.trs' -delete
# one job more than cores: some tests wait, for a server or a browser
watched "gcc: make check" "$out/log/gcc_check.log" make -C "$out/gcc" -k -j$((jobs + 1)) check CFLAGS="$cflags -Werror"
check=$?
suite gcc
[ $check = 0 ] || [ $failed != 0 ] || { result "gcc: make check" 1; tail -40 "$out/log/gcc_check.log"; }
step "gcc: install, pkg-config, uninstall" env BVP_BUILDDIR="$out/gcc" bash tests/house/check_install.sh

echo "== clang"
step "clang: make dist builds from its archive, with -O0" \
  env CC=clang CXX=clang++ BVP_BUILDDIR="$out/gcc" bash tests/house/check_dist.sh "$out/clang"
step "clang: exports" env NM=nm BVP_BUILDDIR="$out/clang" bash tests/house/check_exports.sh

echo "== sanitizers, and planted bugs beside them"
begin "six are caught" env -C "$out/gcc" "$src/tests/house/mutate.sh" --sample 6
cflags="-O1 -g1"
if step "sanitizers: build" build sanitize bvpack CC=gcc CXX=g++ --enable-sanitizers --without-npm; then
  find "$out/sanitize" -name '*.trs' -delete
  watched "sanitizers: make check-fast" "$out/log/sanitize_check.log" \
    make -C "$out/sanitize" -k -j"$jobs" check-fast CFLAGS="$cflags -Werror"
  check=$?
  before=$failed
  suite sanitize
  [ $check = 0 ] || [ $failed != "$before" ] ||
    { result "sanitizers: make check-fast" 1; tail -40 "$out/log/sanitize_check.log"; }
fi
end

echo "== same bytes from every build"
step "determinism" env BVPACK="$out/gcc/bvpack" \
  BVPACK_OTHERS="$out/clang/bvpack $out/sanitize/bvpack" bash tests/house/check_determinism.sh
finish
