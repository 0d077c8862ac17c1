#!/bin/bash
# SPDX-License-Identifier: MIT
# The house in numbers: sizes and shapes of the source, counted by its layout (clang-format's), for
# spec/decisions.md. Nothing here passes or fails. Run by `make house` in the build directory.
set -u
build=$PWD/.libs
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
mapfile -t bodies < <(find libfmt tools -name '*.c' | LC_ALL=C sort)
mapfile -t headers < <(find libfmt tools -name '*.h' | LC_ALL=C sort)

echo "source files a folder (.c .h .cc .js .sh)"
find libfmt tools samples tests -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.js' -o -name '*.sh' \) |
  awk '{ sub("/[^/]*$", ""); count[$0]++; all++ }
    END { for (folder in count) printf "%5d  %s\n", count[folder], folder; printf "%5d  ~all\n", all }' |
  LC_ALL=C sort -k2 | sed 's/~all/all of them/'

# comment-only lines, in % of lines that are not blank
comments() { # name files...
  local name=$1
  shift
  cat "$@" | awk -v name="$name" '
    NF == 0 { next }
    { all++ }
    inside { only++; if (/\*\//) { inside = 0; if (!/\*\/[ \t]*$/) only-- } next }
    /^[ \t]*\/\// { only++; next }
    /^[ \t]*\/\*/ { if (!/\*\//) { inside = 1; only++ } else if (/\*\/[ \t]*$/) only++; next }
    /\/\*/ { rest = $0; sub(/.*\/\*/, "", rest); inside = rest !~ /\*\// }
    END { printf "%5.1f  %% of %d lines of %s are comments alone\n", 100 * only / all, all, name }'
}
echo "comments of libfmt and tools"
comments '.c' "${bodies[@]}"
comments '.h' "${headers[@]}"

echo "asserts in .c of libfmt and tools"
cat "${bodies[@]}" | awk '/(^|[^_a-z])assert\(/ { n++ }
  END { printf "%5.1f  for 1,000 of %d lines (%d)\n", 1000 * n / NR, NR, n }'

# a definition begins in the first column and its braces stand there alone
read -r -d '' functions <<'AWK'
function flush(  name, i) {
  for (i = 1; i <= defined; i++) {
    all++
    if (uses[names[i]] - heads[names[i]] == 1) once++
  }
  split("", uses); split("", heads); split("", names)
  defined = 0
}
FNR == 1 { flush(); comment = 0; head = "" }
{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "", line)
  if (comment) { if (!sub(/.*\*\//, "", line)) next; comment = 0 }
  gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
  if (sub(/\/\*.*/, "", line)) comment = 1
  rest = line
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
    uses[substr(rest, RSTART, RLENGTH)]++
    rest = substr(rest, RSTART + RLENGTH)
  }
  if (line ~ /^[A-Za-z_]/ && line !~ /^(typedef|struct|enum|union|extern|case|default)/) { head = line; start = FNR }
  else if (line ~ /^[ \t]/ && head != "") head = head line
  if (line ~ /^\{/) { inside = 1; from = start }
  if (head ~ /^static .*\(/ && head !~ /=/ && line ~ /(^\{|;)/) {
    name = head
    sub(/\(.*/, "", name)
    sub(/.*[^A-Za-z_0-9]/, "", name)
    heads[name]++
    if (line ~ /^\{/) names[++defined] = name
  }
  if (line ~ /^\{/) {
    name = head
    sub(/\(.*/, "", name)
    sub(/.*[^A-Za-z_0-9]/, "", name)
    opened = name
  }
  if (line ~ /;[ \t]*$/ || line ~ /^[{}]/) head = ""
  if (line ~ /^\}/ && inside) {
    total++
    if (FNR - from + 1 > 100) { long++; list = list sprintf("       %s, %s: %d lines\n", FILENAME, opened, FNR - from + 1) }
    inside = 0
  }
}
END {
  flush()
  if (what == "static") {
    printf "%5d  static functions in .c\n", all
    printf "%5.1f  %% of these are named once in their file, besides where they are defined\n", 100 * once / all
  } else {
    printf "%5d  functions, of these over 100 lines: %d\n%s", total, long, list
  }
}
AWK
echo "functions of libfmt and tools"
awk -v what=static "$functions" "${bodies[@]}"
awk -v what=long "$functions" "${bodies[@]}" "${headers[@]}"

echo "text of the shared libraries, bytes"
for lib in libbvpack libbvpack_build; do
  if [ -f "$build/$lib.so" ]; then
    size "$build/$lib.so" | awk -v lib="$lib.so" 'NR == 2 { printf "%8d  %s\n", $1, lib }'
  else
    echo "       -  $lib.so is not built here"
  fi
done

echo "includes that cross rooms"
for root in libfmt tools; do
  find "$root" -mindepth 2 -name '*.[ch]' -exec grep -HE '^#include "[^"]*/' {} + |
    awk -v root="$root" '{
        split($0, half, ":#include \""); from = half[1]; to = half[2]
        sub("^" root "/", "", from); sub("/[^/]*$", "", from); sub("/[^/]*$", "", to)
        if (from == to) next
        lines++
        if (!seen[from, to]++) edges++
      } END { printf "%5d  edges between folders of %s (%d includes)\n", edges, root, lines }'
done

# what one packing passes through: functions that take the job
echo "stations of pack"
types=$(sed -nE 's/^\} ([a-z_]*job)s?;$/\1/p; s/^typedef struct ([a-z_]*job) [a-z_]*job;$/\1/p' tools/pack/*.h | sort -u | paste -sd'|')
find tools -name '*.c' -exec awk -v types="$types" '
  FNR == 1 { head = "" }
  /^[A-Za-z_]/ { head = $0; next }
  /^[ \t]/ && head != "" && head !~ /[;{]/ { head = head $0 }
  /^\{/ { if (head ~ "[(,] *(const )?(" types ") \\*") { count++; files[FILENAME] = 1 } head = "" }
  /^\}/ { head = "" }
  END { for (f in files) n++; printf "%5d  functions take a job (%s), in %d files\n", count, types, n }' {} +
