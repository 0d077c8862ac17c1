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

# what one packing passes through in its own rooms, by the compiler's call graph; sinks and hooks are called by pointer
echo "walk of the verb pack"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
for source in tools/pack/*.c tools/store/*.c; do
  gcc -std=gnu11 -O0 -fcallgraph-info -I tools -I libfmt -I "$build/.." -c "$source" -o "$scratch/$(basename "$source" .c).o"
done
cat "$scratch"/*.ci | awk -F '"' '
  /^node:/ && !/ellipse/ { split($4, part, /\\n|:/); file[$2] = part[2]; sub(/.*\//, "", file[$2]) }
  /^edge:/ { from[++edges] = $2; to[edges] = $4; called[$4] = 1 }
  END {
    for (f in file) if (!(f in called) && file[f] !~ /^(verb_(merge|split)|merge_shards)/) reached[f] = 1
    do {
      grown = 0
      for (e = 1; e <= edges; e++) if (from[e] in reached && to[e] in file && !(to[e] in reached)) { reached[to[e]] = 1; grown = 1 }
    } while (grown)
    for (f in reached) { functions++; files[file[f]] = 1 }
    for (e = 1; e <= edges; e++) if (from[e] in reached && to[e] in reached && file[from[e]] != file[to[e]]) above[file[from[e]], file[to[e]]] = 1
    for (f in files) count++
    do {
      grown = 0
      for (x in files) for (y in files) if ((x, y) in above) for (z in files) if ((y, z) in above && !((x, z) in above)) { above[x, z] = 1; grown = 1 }
    } while (grown)
    for (f in files) if ((f, f) in above) back++
    printf "%5d  functions of tools/pack and tools/store in %d files, of which %d are on a circle of calls\n", functions, count, back
  }'
