#!/bin/bash
# SPDX-License-Identifier: MIT
# glTF as pipelines ship it: what gltfpack and gltf-transform made of one model (packed_gltf/README.md) has the model's
# triangles to half a step of the packed positions, answers as the model does, and numbers triangles in the order that
# the decoders of the formats' authors give.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >/dev/null || { echo "python3 is missing: nothing holds the triangles against the source's"; exit 77; }
folder=$src/tests/cli/packed_gltf
check=$src/tests/cli/check_packed_gltf.py

for name in ring figure; do
  "$bvpack" pack "$folder/$name.glb" -q -o $name.bvp && "$bvpack" extract $name.bvp -q -o $name.stl || bad "no $name"
done
points='1,5,0.2 -0.3,5,1 4.9,5,0.1 1.1,5,-0.3'
for point in $points; do
  "$bvpack" query ray ring.bvp --origin "$point" --direction 0.01,-1,0.02 --json >"ring $point"
done

expect 0 query ray ring.bvp --origin 1,5,0.2 --direction 0,-1,0
has out 'instance @0 "ring-1", triangle [0-9]+, primitive 0, triangle [0-9]+ of it, material "steel"$'
expect 0 query ray ring.bvp --origin 1,5,-0.2 --direction 0,-1,0
has out 'instance @0 "ring-1", triangle [0-9]+, primitive 1, triangle [0-9]+ of it, material "rubber"$'

# unpacks NAME SOURCE: packs, and is the source
unpacks() {
  local name=$1 wanted
  cp "$folder/$name"* .
  expect 0 pack "$name.glb" -o "$name.bvp"
  expect 0 extract "$name.bvp" -q -o "$name.stl"
  python3 "$check" same "$name.glb" "$name.stl" "$2.stl" >why 2>&1 || bad "$(tail -1 why)"
  expect 0 extract "$name.bvp" -q --part '#0' -o part.stl
  wanted=$(awk -v f="$name.glb" '$1 == f { print $2 }' "$folder/triangles.tsv")
  [ -n "$wanted" ] && [ "$(python3 "$check" order part.stl)" = "$wanted" ] || bad "$name: other triangles, or in another order"
  checks=$((checks + 2))
}
# packed NAME: the same of the ring, which answers as its source does
packed() {
  local name=$1 point t
  unpacks "$name" ring
  for point in $points; do
    expect 0 query ray "$name.bvp" --origin "$point" --direction 0.01,-1,0.02 --json
    is found true
    is hit.primitive "$("$json" hit.primitive <"ring $point")"
    is hit.material "$("$json" hit.material <"ring $point")"
    t=$("$json" t <out)
    awk -v t="$t" -v w="$("$json" t <"ring $point")" 'BEGIN { exit !(t - w < 0.001 && w - t < 0.001) }' ||
      bad "$name: the ray from $point hits at $t, the source's at $("$json" t <"ring $point")"
  done
  python3 "$check" hits "$bvpack" "$name.bvp" part.stl >why 2>&1 || bad "$(tail -1 why)"
  checks=$((checks + 2))
}
# refused NAME STATUS REGEX: does not pack, and says why
refused() {
  cp "$folder/$1"* .
  expect "$2" pack "$1.glb" -o "$1.bvp"
  has err "$3"
  [ ! -e "$1.bvp" ] || bad "$1: an output is left"
}

have() { # LIBRARY: was this bvpack configured with it? The build folder says.
  grep -q "^$1_LIBS = ." "$programs/../../Makefile"
}

# the skin puts the bar 10 above its origin, and half of the target lifts a corner of the plate to 1
expect 0 pack "$folder/figure.glb" -o said.bvp
has out 'skinned nodes taken in their bind pose'
has out "morphed primitives taken at their mesh's weights"
expect 0 info figure.bvp
has out 'x 0 \.\. 4$'
has out 'y 0 \.\. 12$'
has out 'z 0 \.\. 1$'

packed gltfpack
if have MESHOPT; then
  packed gltfpack_c
  packed gltfpack_cc
  packed gltfpack_cc_float
  packed gltfpack_cf
  packed meshopt_medium
  packed meshopt_high
  unpacks figure_gltfpack_c figure
  unpacks figure_gltfpack_cc figure
  unpacks figure_meshopt figure
  packed gltfpack_cz
  packed gltfpack_c_khr
  unpacks figure_gltfpack_cz figure
else
  refused gltfpack_c 3 'bufferViews\[0\]: is packed by meshopt; build bvpack with meshoptimizer'
  # the bytes beside the packed ones, whose triangles may begin at another corner
  cp "$folder"/gltfpack_cf* .
  expect 0 pack gltfpack_cf.glb -o gltfpack_cf.bvp
  expect 0 extract gltfpack_cf.bvp -q -o gltfpack_cf.stl
  python3 "$check" same gltfpack_cf.glb gltfpack_cf.stl ring.stl >why 2>&1 || bad "$(tail -1 why)"
fi

export BVPACK_LIBEXEC=${BVPACK_LIBEXEC:-$programs/../..}
if [ -x "$BVPACK_LIBEXEC/bvpack-draco" ]; then
  packed draco_edgebreaker
  packed draco_sequential
  packed draco_quantized
  unpacks figure_draco figure
  # a stream that is damaged is refused where its primitive is read
  python3 "$check" hurt draco_sequential.glb hurt.glb 1
  expect 3 pack hurt.glb -o hurt.bvp
  has err '^bvpack: hurt.glb: meshes\[0\]: Draco can.t decode it \(.*\); export the model again$'
else
  ! have DRACO || bad 'bvpack-draco is not built'
fi
rm -f draco_edgebreaker.bvp
mkdir none && BVPACK_LIBEXEC=$PWD/none refused draco_edgebreaker 3 'bvpack-draco, which was not built.*Debian: libdraco-dev.*without compression'
echo "$checks checks"
exit $fail
