#!/bin/bash
# SPDX-License-Identifier: MIT
# The tutorials, word for word: what stands in blocks `sh` is run, block after block, in one shell; C programs are written
# to the file that their first line names; each line of a block `output` is in what the commands before it printed.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
build=$(dirname "$(dirname "$programs")")

# a place where the library is installed, as far as pkg-config and the linker look
mkdir bin pkgconfig
ln -s "$bvpack" bin/bvpack
printf 'Name: bvpack\nDescription: not installed\nVersion: 0\nCflags: -I%s\nLibs: -L%s -lbvpack\n' "$src/libfmt" "$build/.libs" \
  >pkgconfig/bvpack.pc
export PKG_CONFIG_PATH=$scratch/pkgconfig LD_LIBRARY_PATH=$build/.libs PATH=$scratch/bin:$PATH

# script_of MARKDOWN: a script that keeps the output of each block in printed, and holds the next block `output` against it
script_of() {
  awk '
    /^```/ && kind == "" {
      kind = substr($0, 4)
      if (kind == "sh") print "{ :"
      first = 1
      next
    }
    /^```$/ {
      if (kind == "sh") print "} >printed 2>&1 </dev/null || { echo \"block before line " NR " fails\"; tail -3 printed; exit 1; }"
      if (kind == "c") print "END_OF_PROGRAM"
      kind = ""
      next
    }
    kind == "sh" { print }
    kind == "c" {
      if (first) {
        name = $2
        sub(":", "", name)
        print "cat >" name " <<\"END_OF_PROGRAM\""
      }
      print
    }
    kind == "output" {
      gsub(/\047/, "\047\\\047\047")
      print "grep -qF -e \047" $0 "\047 printed || { echo \"line " NR ": not printed: " "\047" $0 "\047\"; cat printed; exit 1; }"
    }
    { first = 0 }' "$1"
}

count=0
for tutorial in "$src"/spec/tutorials/*.md; do
  name=$(basename "$tutorial" .md)
  command -v cc >which || { echo "there is no compiler: skipped"; exit 77; }
  command -v pkg-config >which || { echo "there is no pkg-config: skipped"; exit 77; }
  mkdir "$name" && cp -r "$src/samples/models" "$name/models" && chmod -R u+w "$name"
  script_of "$tutorial" >"$name.sh"
  checks=$((checks + $(grep -c 'grep -qF\|>printed' "$name.sh")))
  (cd "$name" && bash -e "../$name.sh") >"$name.out" 2>&1 ||
    { bad "$name.md"; tail -20 "$name.out"; }
  count=$((count + 1))
done
[ $count -ge 2 ] || bad "$count tutorials"
for made in monday.html tuesday.xlsx tuesday.bvp-issues.jsonl; do
  [ -s "clash_report/$made" ] || bad "clash_report.md makes no $made"
done
echo "tutorials: $checks checks"
exit $fail
