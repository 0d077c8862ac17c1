#!/bin/bash
# SPDX-License-Identifier: MIT
# One task of a night, as task.sh runs it, where FOLDER and the outputs are objects in a bucket and no folder at all.
#   bucket_task.sh LIST NUMBER
# BUCKET: a program, called as "BUCKET get NAME FILE", which fails if there is no such object, and "BUCKET put FILE NAME",
# after which all of the object is there, or nothing; for S3 see bucket_s3.sh. The export is read where it lies, from a
# mount or a copy; name it by its whole path, and FOLDER and the outputs by relative names, which are those of objects.
#
# The command runs in an empty folder on the machine's own disk. Shares that it names are fetched first, and what it
# has written is put when it has ended well. So nothing is renamed or locked in the bucket, nor is anything listed.
set -eu
export LC_ALL=C
list=$1 number=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$BUCKET" get "$list" "$scratch/list"
! "$BUCKET" get "$list.done/$number" "$scratch/mark" 2>/dev/null || exit 0
[ -z "${BVPACK-}" ] || PATH=$(dirname "$BVPACK"):$PATH
command=$(sed -n "${number}p" "$scratch/list")
mkdir "$scratch/run"
cd "$scratch/run"
mkdir -p "$(dirname "$list")"
words=()
eval "words=($command)" # as the shell will split it
for ((i = 2; i < ${#words[@]}; i++)); do # after "bvpack VERB"
  name=${words[i]}
  [[ $name != -* && $name != /* && ${words[i - 1]} != -[or] ]] || continue
  mkdir -p "$(dirname "$name")"
  "$BUCKET" get "$name" "$name" 2>/dev/null || [[ $name != *.bvp ]] ||
    { echo "bucket_task.sh: $name is not there" >&2; exit 3; }
done
find . -type f | sort >"$scratch/before"
sh -c "$command"
find . -type f | sort | comm -13 "$scratch/before" - | while IFS= read -r file; do "$BUCKET" put "$file" "${file#./}"; done
: >"$scratch/mark"
"$BUCKET" put "$scratch/mark" "$list.done/$number" # last
