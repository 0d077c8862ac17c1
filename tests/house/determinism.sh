#!/bin/bash
# SPDX-License-Identifier: MIT
# The same bytes from every compiler at hand, at -O0 to -O3, with AVX2, on one and on several threads.
# Usage: determinism.sh [MODEL.stl ...] (binary STL; by default the samples')
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$src"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(samples/models/*.STL)
sources=()
for source in libfmt/base/*.c libfmt/format/*.c libfmt/format/check/*.c libfmt/publish/*.c libfmt/node/*.c libfmt/kinds/node/*.c libfmt/prim/pose.c libfmt/prim/place_bounds.c libfmt/pack/*.c libfmt/pack/*/*.c libfmt/kinds/pack/*.c; do
  [[ $source = *_kernel.c ]] || sources+=("$source")
done

# compiles the packer as $scratch/NAME
compile() { # name compiler flags...
  local name=$1 cc=$2
  shift 2
  local kernels=() source isa
  for source in libfmt/pack/tree/*_kernel.c libfmt/kinds/pack/*_kernel.c; do
    for isa in base avx2; do
      [ $isa = base ] || [ "$(uname -m)" = x86_64 ] || continue
      kernels+=("$scratch/$name-$isa-$(basename "$source").o")
      local flags=()
      [ $isa = base ] || flags=(-mavx2 -mfma -mbmi -mbmi2)
      "$cc" -std=gnu11 -w -Wno-psabi -ffp-contract=off -fno-tree-slp-vectorize "$@" "${flags[@]}" -DBVPI_ISA=$isa -I libfmt -c "$source" \
        -o "${kernels[-1]}"
    done
  done
  local plain=() objects=()
  for source in tests/cli/make_file.c "${sources[@]}"; do
    objects+=("$scratch/$name-${source//\//-}.o")
    plain+=("$source" -o "${objects[-1]}")
  done
  printf '%s\n' "${plain[@]}" | xargs -P "$(nproc)" -n 3 \
    "$cc" -std=gnu11 -w -Wno-psabi -ffp-contract=off -fno-tree-slp-vectorize "$@" -I libfmt -c
  "$cc" "${objects[@]}" "${kernels[@]}" -o "$scratch/$name" -lqhull_r -lxxhash -lzstd -lpthread -lm
}

hash_of() { # program model threads how
  "$scratch/$1" "$2" "$scratch/out" "$3" "$4" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; return 1; }
  sha256sum <"$scratch/out" | cut -c1-16
}

programs=()
for cc in gcc clang; do
  command -v "$cc" >/dev/null || { echo "determinism: no $cc here"; continue; }
  for level in -O0 -O2 -O3; do
    compile "$cc$level" "$cc" "$level" && programs+=("$cc$level")
  done
  if grep -q avx2 /proc/cpuinfo 2>/dev/null; then
    compile "$cc-avx2" "$cc" -O3 -mavx2 -mfma -mbmi -mbmi2 && programs+=("$cc-avx2")
  fi
done

fail=0
for model in "${models[@]}"; do
  for how in kinds fast small; do
    expected=$(hash_of "${programs[0]}" "$model" 1 "$how")
    for program in "${programs[@]}"; do
      for threads in 1 2 5; do
        found=$(hash_of "$program" "$model" "$threads" "$how")
        [ "$found" = "$expected" ] && continue
        echo "determinism: $model: $program on $threads threads, $how: $found, not $expected"
        fail=1
      done
    done
    echo "$(basename "$model"): $how: $expected from ${#programs[@]} programs"
  done
done
exit $fail
