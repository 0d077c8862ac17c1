#!/bin/bash
# SPDX-License-Identifier: MIT
# GLBs with a hierarchy attached, or over their vertices, into FOLDER: as they should be, and with an extension or
# heads of chunks that lie about offsets and lengths; and glTF files whose views overlap, leave their buffer, or are
# instances' as well.
# Usage: BVPACK=... glb_seeds.sh FOLDER
set -eu
export LC_ALL=C
folder=$1
src=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
whole=$folder/attached.glb
"$BVPACK" attach "$src/tests/cli/packed_gltf/ring.glb" -q -o "$whole"
"$BVPACK" attach "$src/tests/cli/packed_gltf/gltfpack_c.glb" -q -o "$folder/attached_packed.glb"
"$BVPACK" attach "$src/tests/cli/packed_gltf/ring.glb" --sidecar -q -o "$folder/beside.glb"
rm "$folder/beside.bvp"
"$BVPACK" attach "$src/tests/cli/packed_gltf/ring.glb" --share -q -o "$folder/over_floats.glb"
"$BVPACK" attach "$src/tests/cli/packed_gltf/gltfpack.glb" --share -q -o "$folder/over_integers.glb"

at=$(grep -ao '"BVPACK_hierarchy":{[^}]*}' "$whole" | sed -n 's/.*"byteOffset":\([0-9]*\).*/\1/p')
size=$(stat -c %s "$whole")
[ -n "$at" ] && [ "$at" -lt "$size" ] || { echo "glb_seeds: no offset in $whole"; exit 1; }
# other numbers of as many digits
other() { # NAME DIGITS
  sed "s/\(\"BVPACK_hierarchy\":{[^}]*\"byteOffset\":\)$at/\1$2/" "$whole" >"$folder/$1.glb"
  ! cmp -s "$whole" "$folder/$1.glb" || { echo "glb_seeds: $1 is unchanged"; exit 1; }
}
other offset_of_nothing "${at//[0-9]/9}"
other offset_of_json "${at//[0-9]/0}"
other offset_within "$((at + 64))"
# heads of the chunk, 8 bytes before it: its length, its type
bytes_at() { # NAME OFFSET BYTES
  cp "$whole" "$folder/$1.glb"
  printf "$3" | dd of="$folder/$1.glb" bs=1 seek="$2" conv=notrunc status=none
}
bytes_at chunk_beyond $((at - 8)) '\377\377\377\177'
bytes_at chunk_short $((at - 8)) '\200\005\000\000'
bytes_at chunk_of_nothing $((at - 8)) '\000\000\000\000'
bytes_at chunk_of_another_type $((at - 4)) 'BIN\000'
bytes_at file_in_file "$at" 'glTF\002\000\000\000'
head -c $((at + 100)) "$whole" >"$folder/cut.glb"

# gltf NAME VIEWS EXTENSIONS: 36 bytes of buffer: accessor 0 positions, 1 indices, 2 of instances
gltf() {
  cat >"$folder/$1.gltf" <<END
{"asset":{"version":"2.0"},"nodes":[{"mesh":0$3}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"},
{"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}],"bufferViews":[$2],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAECAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
}
view() { echo "{\"buffer\":0,\"byteOffset\":$1,\"byteLength\":$2}"; }
instances=',"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":2}}}'
gltf overlapping "$(view 0 36),$(view 0 3),$(view 12 24)" ''
gltf overlapping_instances "$(view 0 36),$(view 0 3),$(view 8 24)" "$instances"
gltf one_view_beyond "$(view 0 36),$(view 34 3),$(view 0 24)" "$instances"
gltf instances_beyond "$(view 0 36),$(view 0 3),$(view 16 24)" "$instances"
gltf offset_wraps "$(view 0 36),$(view 18446744073709551615 3),$(view 0 24)" "$instances"
