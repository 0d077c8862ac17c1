#!/bin/bash
# SPDX-License-Identifier: MIT
# What stands in <resources> of a 3MF package and, behind a NUL, in <build>, into FOLDER. Usage: package_seeds.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"

tetra() { # ID ATTRIBUTES
  printf '<object id="%s" type="model" %s><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>' "$1" "$2"
  printf '<vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="2.5"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>'
  printf '<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles></mesh></object>'
}
{ tetra 1 ''; printf '\0<item objectid="1"/>'; } >one
{ tetra 1 'name="Tetra" partnumber="4711"'; printf '\0<item objectid="1" transform="1 0 0 0 1 0 0 0 1 5 6 7"/><item objectid="1" partnumber="a"/>'; } >placed
{ tetra 1 ''
  printf '<object id="2" type="model"><components><component objectid="1"/>'
  printf '<component objectid="1" transform="0 1 0 -1 0 0 0 0 1 1e30 0 0"/></components></object>'
  printf '<object id="3" type="support" name="x"><components><component objectid="2"/><component objectid="2"/></components></object>'
  printf '\0<item objectid="3"/><item objectid="2"/>'; } >nested
{ printf '<object id="1" type="model"><mesh><vertices/><triangles/></mesh></object>\0<item objectid="1"/>'; } >empty
printf '\0' >nothing
