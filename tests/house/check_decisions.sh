#!/bin/bash
# SPDX-License-Identifier: MIT
# What sources and pages quote of spec/decisions.md is a section there; every kernel quotes one.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
complain() { echo "check_decisions: $*"; fail=1; }

sections=$(sed -nE 's/^##+ (.*)/\1/p' spec/decisions.md | sed -E 's/, [0-9]{4}-[0-9]{2}-[0-9]{2}$//')
[ -n "$sections" ] || { complain "spec/decisions.md has no section"; exit 1; }

count=0
while IFS=: read -r file line quoted; do
  section=${quoted#*\"}
  section=${section%\"}
  count=$((count + 1))
  grep -qxF "$section" <<<"$sections" || complain "$file:$line: spec/decisions.md has no section \"$section\""
done < <(grep -rnoE 'decisions\.md, "[^"]+"' libfmt tools spec Makefile.am)
[ $count -gt 0 ] || complain "nothing quotes spec/decisions.md"

while read -r file; do
  grep -q 'decisions\.md, "' "$file" || complain "$file: a kernel that does not say where it was measured"
done < <(find libfmt -name '*_kernel.c')
exit $fail
