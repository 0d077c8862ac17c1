#!/bin/bash
# SPDX-License-Identifier: MIT
# The reader that was written from the spec alone and the library read the same from every good file;
# files that are not good are refused.
set -u
source_dir=${BVP_SRCDIR:-$(dirname "$0")/..}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
complain() { echo "check_slow_reader: $*"; fail=1; }

mkdir "$scratch/corpus"
tests/make_corpus "$scratch/corpus" || { complain "make_corpus failed"; exit 1; }
if [ -x "${BVPACK-}" ]; then
  for model in "$source_dir"/samples/models/*.{glb,STL,stl,ply,obj}; do
    [ -f "$model" ] || continue
    name=$(basename "$model")
    "$BVPACK" pack "$model" -q -o "$scratch/corpus/good-$name.bvp" || complain "cannot pack $name"
    "$BVPACK" pack "$model" -q --no-ids -o "$scratch/corpus/good-no-ids-$name.bvp"
  done
fi

for file in "$scratch"/corpus/good-*.bvp; do
  name=$(basename "$file")
  tests/slow_reader "$file" >"$scratch/slow" || { complain "$name: the slow reader refuses it"; continue; }
  tests/dump_library "$file" >"$scratch/library" || { complain "$name: the library refuses it"; continue; }
  cmp -s "$scratch/slow" "$scratch/library" || {
    complain "$name: the readers differ"
    diff "$scratch/slow" "$scratch/library" | head -4
  }
done

for file in "$scratch"/corpus/{bad,unsupported}-*.bvp; do
  case $file in
    *bad-block*) continue ;; # only verification looks at it
  esac
  ! tests/dump_library "$file" >/dev/null 2>&1 || complain "$(basename "$file"): the library opens it"
done
exit $fail
