#!/bin/bash
# SPDX-License-Identifier: MIT
# The dependency law: what each folder may include, each third-party library in one file or room, every
# source file in a list, no two of one name.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
complain() { echo "check_layers: $*"; fail=1; }

# folder -> the folders that its files may include, besides itself
declare -A library=(
  [publish]=""
  [base]=""
  [format]="base publish"
  [prim]="base"
  [node]="base format prim"
  [kinds/node]="base format node"
  [refit]="base format prim node kinds/node"
  [format/check]="base format prim node kinds/node"
  [query/body]="base format prim node"
  [query/pair]="base prim node query/body"
  [kinds/query]="base prim node kinds/node query/body query/pair"
  [query/near]="base prim node query/body"
  [query/ray]="base prim node query/body"
  [query/solid]="base format node prim query/body query/near query/ray"
  [query/warm]="base format prim query/pair"
  [query]="base format prim query/body query/near query/pair query/ray query/solid query/warm"
  [broad]="base format prim query/body"
  [clash]="base format prim node query/body query/near query/pair query/ray query/solid"
  [pack]="base"
  [pack/mesh]="base format node pack"
  [pack/tree]="base format prim node kinds/node pack pack/mesh"
  [kinds/pack]="base node kinds/node pack/mesh pack/tree"
  [pack/large]="base format node pack pack/mesh pack/tree"
  [pack/file]="base format prim node pack pack/large pack/mesh pack/tree"
)
# what stands for POSIX on Windows, and is included as POSIX is
library[os/windows]="" library[os/windows/include]="" library[os/windows/include/sys]=""
declare -A program=(
  [text]=""
  [process]=""
  [remote]="process"
  [compress]=""
  # publish is a folder of libfmt, which includes nothing and is compiled into both
  [path]=""
  [files]="compress path publish remote text"
  [model]="files path text"
  [cli]="files model path remote text"
  [import]="cli files model path process text"
  [3mf]="files import model text"
  [step]="import"
  [assimp]="import text"
  [ifc]="import"
  [draco]="import"
  [html]=""
  [python]=""
  [wasm]=""
  [meshopt]=""
  [gltf]="files import meshopt model text"
  [glb]="gltf text"
  [structure]="model text"
  [plmxml]="model structure text"
  [ap242]="model structure text"
  [rvm]="files import model text"
  [urdf]="files model path structure text"
  [manifest]="model text"
  [stream]="cli compress files import model text"
  [store]="files model path publish text"
  [pack]="cli compress files import model path store stream text"
  [plan]="cli files model pack text"
  [refit]="cli files model text"
  [hull]="cli files model path text"
  [query]="cli hull text"
  [attach]="cli files text"
  [inspect]="cli files pack text"
  [view]="cli files process remote text"
  [viewer]=""
  [issues]="cli files structure text"
  [report]="cli files glb issues query text view"
  [bcf]="files issues report text"
  [found]="query report text"
  [rules]="cli files model query text"
  [zones]="cli files hull model query rules text"
  [suggest]="cli files found query rules text"
  [match]="files model query text"
  [clash]="cli files found hull issues match model query report rules suggest text zones"
  [diff]="cli files match model query text"
  [export]="cli files glb text"
  [.]="cli text"
)

# file:line:include of every quoted or bracketed include of the given files
includes() { grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "$@" /dev/null |
  sed -E 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*).*/\1 \2/'; }

mapfile -t lib_files < <(find libfmt -mindepth 2 -name '*.[ch]' | sort)
mapfile -t tool_files < <(find tools -name '*.[ch]' | sort)
mapfile -t sample_files < <(find samples -name '*.c' -o -name '*.cc' -o -name '*.hpp' | sort)
mapfile -t test_files < <(find tests -name '*.[ch]' -o -path 'tests/*.cc' | sort)
[ ${#lib_files[@]} -gt 0 ] || complain "no source file found: is BVP_SRCDIR right?"

folder_of() { # root where: sets $folder, without a process for each of thousands of includes
  folder=${2%%:*}
  folder=${folder%/*}
  folder=${folder#"$1"}
  folder=${folder#/}
  folder=${folder:-.}
}

# the law of one tree, whose includes are written from its root
obeys() { # root where include folders
  local root=$1 where=$2 name=${3#[<\"]} folder target=.
  folder_of "$root" "$where"
  [[ $name != */* ]] || target=${name%/*}
  [ -f "$root/$name" ] || { complain "$where: \"$name\" is not written from the root of $root"; return; }
  [ "$target" = "$folder" ] || case " $4 " in
    *" $target "*) ;;
    *) complain "$where: ${folder/#./$root} includes $target" ;;
  esac
}

while read -r where include; do
  folder_of libfmt "$where"
  name=${include#[<\"]}
  [ -n "${library[$folder]+known}" ] || complain "$where: no law says what $folder may include"
  case $include in
    \<bvpack*) complain "$where: write \"$name\"" ;;
    \<*) ;;
    \"bvpack.h) ;;
    \"bvpack_build.h) [[ $folder == *pack* ]] || complain "$where: only pack and kinds/pack include $name" ;;
    \"bvpack_broad.h) [ "$folder" = broad ] || complain "$where: only broad includes $name" ;;
    \"bvpack_clash.h) [ "$folder" = clash ] || complain "$where: only clash includes $name" ;;
    *) obeys libfmt "$where" "$include" "${library[$folder]-}" ;;
  esac
done < <(includes "${lib_files[@]}")

while read -r where include; do
  folder_of tools "$where"
  [ -n "${program[$folder]+known}" ] || complain "$where: no law says what $folder may include"
  case $include in
    \"bvpack.h | \"bvpack_broad.h | \"bvpack_build.h | \"bvpack_clash.h | \<*) ;;
    \"publish/publish.h) [[ " ${program[$folder]-} " == *" publish "* ]] || complain "$where: $folder includes publish" ;;
    *) obeys tools "$where" "$include" "${program[$folder]-}" ;;
  esac
done < <(includes "${tool_files[@]}")

# the order of the laws is one: no folder includes one that includes it, by whatever way
for law in library program; do
  declare -n folders=$law
  for from in "${!folders[@]}"; do for to in ${folders[$from]}; do echo "$from $to"; done; done |
    tsort >/dev/null 2>"${TMPDIR:-/tmp}/layers.$$" || complain "$law: the law has a circle: $(tr '\n' ' ' <"${TMPDIR:-/tmp}/layers.$$")"
  rm -f "${TMPDIR:-/tmp}/layers.$$"
done

# nowhere two files of one name, and in no folder of the program more than 25
printf '%s\n' "${lib_files[@]}" "${tool_files[@]}" "${sample_files[@]}" "${test_files[@]}" | sed 's|.*/||' | sort | uniq -d |
  while read -r name; do echo "check_layers: more than one file is called $name"; done | grep . && fail=1
for folder in tools tools/*/; do
  count=$(find "$folder" -maxdepth 1 -name '*.[ch]' | wc -l)
  [ "$count" -le 25 ] || complain "$folder has $count files"
done

while read -r where include; do
  case $include in
    \"*) complain "$where: a sample includes what is installed only" ;;
  esac
done < <(includes "${sample_files[@]}")

if [ -f tests/corpus/slow_reader.c ]; then
  while read -r where include; do
    case $include in
      \"slow_*.h | \"slow/slow_*.h) ;;
      \"*) complain "$where: the slow reader shares no code" ;;
    esac
  done < <(includes tests/corpus/slow_reader.c tests/corpus/slow/*.[ch])
fi

# header pattern -> the only product files, or rooms (with a slash), that may include it ("": tests only)
while read -r pattern owners; do
  while read -r where include; do
    file=${where%%:*}
    case " $owners " in
      *" $file "* | *" ${file%/*}/ "*) ;;
      *) complain "$where: ${include#[<\"]} belongs to ${owners:-the tests}" ;;
    esac
  done < <(includes "${lib_files[@]}" "${tool_files[@]}" | grep -E "[<\"]($pattern)")
done <<'OWNERS'
xxh.* libfmt/format/checksum.c tools/compress/
zstd.* libfmt/format/codec.c tools/compress/
sodium.* libfmt/format/digest.c
libqhull.* libfmt/kinds/pack/
jansson.* tools/text/json_tree.c
png.* tools/view/png.c
zip\.h tools/files/archive.c
expat.* tools/structure/xml.c
curl.* tools/remote/bvpack-http.c
check\.h
gmp.*
OWNERS

# other threads would have the stack that the system gives them
while read -r where; do
  complain "$where: threads are started by base/thread.h and cli/start_thread.h"
done < <(grep -nE '\b(pthread|thrd)_create\b' "${lib_files[@]}" "${tool_files[@]}" | cut -d: -f1,2 |
  grep -vE '^(libfmt/base/thread.h|tools/cli/start_thread.c):')

mapfile -t lists < <(echo Makefile.am; find libfmt tools tests -name local.mk | sort)
for list in "${lists[@]:1}"; do
  grep -qx "include $list" Makefile.am || complain "$list: Makefile.am does not include it"
done
declare -A listed=()
while read -r word; do listed[$word]=1; done < <(tr -s '[:space:]' '\n' < <(cat "${lists[@]}") | grep .)
for file in "${lib_files[@]}" "${tool_files[@]}" "${sample_files[@]}" "${test_files[@]}"; do
  [ -n "${listed[$file]-}${listed[${file%.c}]-}" ] || complain "$file is in no list of Makefile.am or a local.mk"
done

exit $fail
