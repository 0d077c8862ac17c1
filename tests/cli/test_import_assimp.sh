#!/bin/bash
# SPDX-License-Identifier: MIT
# What assimp reads, in a process of its own: a COLLADA tree comes back, a damaged one is one error.
set -u
bvpack=${BVPACK:-./bvpack}
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
[ -x "$PWD/bvpack-assimp" ] || { echo "bvpack-assimp is not built: assimp was not found"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
fail=0
complain() { echo "test_import_assimp: $*"; fail=1; }

cat >model.dae <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries>
    <geometry id="g" name="Dach"><mesh>
      <source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
        <technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
        <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
    </mesh></geometry>
  </library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node id="n1" name="Süd"><translate>200 0 0</translate><instance_geometry url="#g"/>
      <node id="n2" name="innen"><translate>0 0 300</translate><instance_geometry url="#g"/></node></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
XML
check() { # packed file
  "$bvpack" info "$1" --tree >info || complain "$1: no packed file"
  grep -q 'triangles  *8, stored 4' info || complain "$1: $(grep triangles info)"
  grep -q 'unit  *m,' info || complain "$1: $(grep unit info)"
  grep -q 'x [12].*\.\. [23]' info && grep -q 'z .*\.\. [34]' info || complain "$1: $(grep -A3 bounds info)"
  grep -q 'Süd' info && grep -q 'innen' info || complain "$1: names are lost: $(sed -n '/^tree/,$p' info)"
}
"$bvpack" pack model.dae -q -o named.bvp && check named.bvp
cp model.dae nameless && "$bvpack" pack nameless -q -o content.bvp && check content.bvp
"$bvpack" pack - <model.dae -q -o pipe.bvp && check pipe.bvp

refused() { # phrase argument...
  local phrase=$1
  shift
  "$bvpack" pack "$@" -o out.bvp >out 2>err && complain "$*: accepted"
  [ "$(wc -l <err)" = 1 ] && grep -q "$phrase" err || complain "$*: $(head -3 err)"
  [ ! -e out.bvp ] || complain "$*: an output is left"
}
head -c 700 model.dae >cut.dae
refused 'assimp can.t read it' cut.dae
printf 'ISO-10303-21;\nHEADER;\nFILE_SCHEMA((%s));\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n' "'IFC4'" >empty.ifc
cp empty.ifc empty.stp
refused 'ifc\|IFC\|no triangles' empty.stp
mkdir none && BVPACK_LIBEXEC=$PWD/none refused 'bvpack-assimp, which was not built' model.dae
exit $fail
