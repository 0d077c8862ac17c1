#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes the models of this folder anew, with the packers that README.md names, in a folder NPM where
#   npm install gltfpack@1.3.0 @gltf-transform/cli@4.5.1 meshoptimizer@1.3.0 draco3dgltf@1.5.7
# has been run. make_fixtures.sh NPM
set -eu
npm=$(realpath "$1")
cd "$(dirname "$0")"
python3 make_source.py
pack() { # OUTPUT OPTION...
  local out=$1
  shift
  "$npm/node_modules/.bin/gltfpack" -kn -km "$@" -i "${from:-ring.glb}" -o "$out"
}
transform() { # OUTPUT COMMAND OPTION...
  local out=$1 command=$2
  shift 2
  "$npm/node_modules/.bin/gltf-transform" "$command" "${from:-ring.glb}" "$out" "$@" >/dev/null
}
pack gltfpack.glb
pack gltfpack_c.glb -c
pack gltfpack_cc.glb -cc
pack gltfpack_cz.glb -cz
pack gltfpack_c_khr.glb -c -ce khr
pack gltfpack_cc_float.glb -cc -vpf
pack gltfpack_cf.glb -c -cf
transform meshopt_medium.glb meshopt --level medium
transform meshopt_high.glb meshopt --level high
transform draco_edgebreaker.glb draco
transform draco_sequential.glb draco --method sequential
transform quantized.tmp.glb quantize
from=quantized.tmp.glb transform draco_quantized.glb draco
rm quantized.tmp.glb
from=figure.glb pack figure_gltfpack_c.glb -c
from=figure.glb pack figure_gltfpack_cc.glb -cc
from=figure.glb pack figure_gltfpack_cz.glb -cz -vpf
from=figure.glb transform figure_meshopt.glb meshopt
from=figure.glb transform figure_draco.glb draco
cp list_triangles.mjs "$npm"
(cd "$npm" && node list_triangles.mjs "$OLDPWD"/{gltfpack,meshopt,draco,figure_}*.glb) >triangles.tsv
rm "$npm/list_triangles.mjs"
