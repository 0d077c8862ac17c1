#!/bin/bash
# SPDX-License-Identifier: MIT
# The dependency law: what each folder may include, each third-party library in one file, every
# source file in a list of Makefile.am.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
complain() { echo "check_layers: $*"; fail=1; }

# folder -> the folders of libfmt that it may include, itself included
declare -A may=(
  [base]="base"
  [format]="base format"
  [prim]="base format prim"
  [node]="base format prim node"
  [query]="base format prim node query"
  [build]="base format prim node build"
  [scene]="base format prim node query build scene"
  [clash]="base format prim node query scene clash"
)

# file:line:include of every quoted or bracketed include of the given files
includes() { grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "$@" /dev/null |
  sed -E 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*).*/\1 \2/'; }

mapfile -t lib_files < <(find libfmt -mindepth 2 -name '*.[ch]' | sort)
mapfile -t tool_files < <(find tools -name '*.[ch]' | sort)
mapfile -t sample_files < <(find samples -name '*.c' | sort)
mapfile -t test_files < <(find tests -name '*.[ch]' -o -path 'tests/*.cc' | sort)
[ ${#lib_files[@]} -gt 0 ] || complain "no source file found: is BVP_SRCDIR right?"

while read -r where include; do
  file=${where%%:*}
  folder=${file#libfmt/}
  folder=${folder%%/*}
  name=${include#[<\"]}
  case $include in
    \<bvpack*) complain "$where: write \"$name\"" ;;
    \<*) ;;
    \"bvpack.h) ;;
    \"bvpack_build.h) [ "$folder" = build ] || complain "$where: only build includes $name" ;;
    \"bvpack_clash.h) [ "$folder" = clash ] || complain "$where: only clash includes $name" ;;
    \"*/*)
      target=${name%%/*}
      [ -f "libfmt/$name" ] || complain "$where: \"$name\" is not written from the root of libfmt"
      case " ${may[$folder]-} " in
        *" $target "*) ;;
        *) complain "$where: $folder includes $target" ;;
      esac ;;
    *) complain "$where: \"$name\" is not written from the root of libfmt" ;;
  esac
done < <(includes "${lib_files[@]}")

while read -r where include; do
  name=${include#[<\"]}
  case $include in
    \"bvpack.h | \"bvpack_build.h | \"bvpack_clash.h | \<*) ;;
    \"format/publish.h) ;; # compiled into both: of libfmt it includes nothing, as is checked below
    *) [ -f "tools/$name" ] || complain "$where: \"$name\": tools include public headers and tools only" ;;
  esac
done < <(includes "${tool_files[@]}")

while read -r where include; do
  case $include in
    \"format/publish.h | \<*) ;;
    *) complain "$where: publish includes nothing of libfmt" ;;
  esac
done < <(includes libfmt/format/publish.[ch])

while read -r where include; do
  case $include in
    \"*) complain "$where: a sample includes what is installed only" ;;
  esac
done < <(includes "${sample_files[@]}")

if [ -f tests/corpus/slow_reader.c ]; then
  while read -r where include; do
    case $include in
      \"*) complain "$where: the slow reader shares no code" ;;
    esac
  done < <(includes tests/corpus/slow_reader.c)
fi

# header pattern -> the only product file that may include it ("": tests only)
while read -r pattern owner; do
  while read -r where include; do
    [ "${where%%:*}" = "$owner" ] || complain "$where: ${include#[<\"]} belongs to ${owner:-the tests}"
  done < <(includes "${lib_files[@]}" "${tool_files[@]}" | grep -E "[<\"]($pattern)")
done <<'OWNERS'
xxh.* libfmt/format/checksum.c
zstd.* libfmt/format/codec.c
sodium.* libfmt/format/digest.c
libqhull.* libfmt/kinds/pack/hull_axes.c
jansson.* tools/text/json_tree.c
png.* tools/view/png.c
zip\.h tools/files/archive.c
expat.* tools/model/xml.c
check\.h
gmp.*
OWNERS

for file in "${lib_files[@]}" "${tool_files[@]}" "${sample_files[@]}" "${test_files[@]}"; do
  stem=${file%.c}
  grep -qE "(^|[[:space:]])(${file//./\\.}|$stem)([[:space:]]|$)" Makefile.am ||
    complain "$file is in no list of Makefile.am"
done

exit $fail
