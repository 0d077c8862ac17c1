#!/bin/bash
# SPDX-License-Identifier: MIT
# The BCF form of a clash report: a zip whose bytes depend on nothing but the rows, valid against the
# schemas of BCF 3.0 where these are in $BVP_SHARED/bcf, with cameras, components and snapshots.
set -u
make_report=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/make_report")
[ -x "$make_report" ] || { echo "no program to test: $make_report"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C
fail=0 skipped=''
bad() { echo "FAILED: $*"; fail=1; }

"$make_report" rig.bvp rig.bcf 2>err
code=$?
if grep -q 'built without libzip' err; then
  [ $code = 2 ] || bad "exit code $code without libzip"
  echo "skipped: built without libzip"
  exit 77
fi
[ $code = 0 ] || bad "exit code $code: $(cat err)"
command -v unzip >which || { echo "skipped: there is no unzip"; exit 77; }
TZ=Pacific/Auckland "$make_report" rig.bvp again.bcf 1 1 || bad "no report"
cmp rig.bcf again.bcf || bad "other bytes in another zone, with one thread"
unzip -q rig.bcf -d out || bad "the zip is damaged"
[ "$(find out -name markup.bcf | wc -l)" = 9 ] || bad "not nine topics"
[ "$(find out -name viewpoint.bcfv | wc -l)" = 8 ] || bad "not eight viewpoints"

# ---- snapshots: PNG files with 1,500 pixels at most
shots=0
while read -r png; do
  shots=$((shots + 1))
  read -r width height <<<"$(od -An -tu1 -j16 -N8 "$png" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')"
  [ "$(od -An -tx1 -N8 "$png" | tr -d ' ')" = 89504e470d0a1a0a ] || bad "$png is no PNG"
  if [ "$width" -gt 1500 ] || [ "$height" -gt 1500 ] || [ "$width" -lt 100 ]; then bad "$png: $width x $height"; fi
done < <(find out -name snapshot.png)
[ $shots = 8 ] || bad "$shots snapshots"

# ---- topics
while read -r markup; do
  folder=$(basename "$(dirname "$markup")")
  grep -q "<Topic Guid=\"$folder\"" "$markup" || bad "$markup: the folder is not named after the topic"
  view=$(sed -n 's/.*<ViewPoint Guid="\([^"]*\)".*/\1/p' "$markup")
  if [ -n "$view" ]; then
    grep -q "<VisualizationInfo Guid=\"$view\"" "$(dirname "$markup")/viewpoint.bcfv" || bad "$markup: another viewpoint"
  else
    grep -q 'TopicStatus="Closed"' "$markup" || bad "$markup: a viewpoint is missing"
  fi
done < <(find out -name markup.bcf)
grep -rq '&lt;/script&gt;' out --include=markup.bcf || bad "the evil name is not there"
! grep -rq '<b>' out --include=*.bcf* || bad "a name became an element"

# the pin stands on the plate at 45, 15, 10 mm: the camera looks at it, from metres
view=$(grep -rl 'rig/pin on' out --include=viewpoint.bcfv)
grep -q '<AuthoringToolId>rig/pin on<' "$view" || bad "no component: $view"
grep -q 'IfcGuid="0123456789abcdefghijkl"' "$view" || bad "no IFC identifier"
awk -F'[<>]' '/CameraViewPoint/ { for (i = 0; i < 3; i++) p[i] = $(5 + 4 * i) }
  /CameraDirection/ { for (i = 0; i < 3; i++) d[i] = $(5 + 4 * i) }
  /CameraUpVector/ { for (i = 0; i < 3; i++) u[i] = $(5 + 4 * i) }
  END {
    at[0] = .045; at[1] = .015; at[2] = .01
    for (i = 0; i < 3; i++) along += (at[i] - p[i]) * d[i]
    for (i = 0; i < 3; i++) { off += (p[i] + along * d[i] - at[i]) ^ 2; upright += u[i] * d[i]; length_ += d[i] ^ 2 }
    exit !(along > .005 && along < 1 && sqrt(off) < 1e-9 && upright ^ 2 < 1e-12 && (length_ - 1) ^ 2 < 1e-12)
  }' "$view" || bad "the camera does not look at the contact: $(grep Camera "$view")"

# the angle that the snapshot is taken with; both components selected, each in its colour, A's orange, B's blue
grep -q '<FieldOfView>32</FieldOfView>' "$view" || bad "another angle than the snapshot's: $(grep FieldOfView "$view")"
parts() { sed -n "/<$1/,/<\/$2>/p" "$view" | sed -n 's/.*<AuthoringToolId>\(.*\)<.*/\1/p' | paste -sd ,; }
[ "$(parts Selection Selection)" = 'rig/plate,rig/pin on' ] || bad "selected: $(parts Selection Selection)"
[ "$(parts 'Color Color="E0643C"' Color)" = rig/plate ] || bad "orange: $(parts 'Color Color="E0643C"' Color)"
[ "$(parts 'Color Color="3F7FC4"' Color)" = 'rig/pin on' ] || bad "blue: $(parts 'Color Color="3F7FC4"' Color)"

# what a topic is called, and how urgent it is
topic() { # TITLE TYPE PRIORITY
  local markup
  markup=$(grep -rlF "<Title>$1</Title>" out --include=markup.bcf) || { bad "no topic: $1"; return; }
  grep -q "TopicType=\"$2\"" "$markup" || bad "$1: not of type $2"
  grep -q "<Priority>$3</Priority>" "$markup" || bad "$1: not of priority $3"
}
topic 'plate and ball (5 mm deep)' Clash High
topic 'ball and inner' Clash High
topic 'ball and block apart' Undecided Normal
topic 'plate and pin on' Contact Low
topic 'plate and near block (2 mm apart)' Clearance Low
topic 'Resolved, was touching: inner and block apart' Contact Low

# ---- against the schemas
schemas=${BVP_SHARED-../shared}/bcf
if ! command -v xmllint >which; then
  skipped="there is no xmllint"
elif [ ! -f "$schemas/markup.xsd" ]; then
  skipped="there are no schemas in $schemas"
else
  valid() { xmllint --noout --nonet --schema "$schemas/$1.xsd" "${@:2}" 2>lint || { bad "$1.xsd"; grep -v validates lint | head -5; }; }
  valid version out/bcf.version
  valid extensions out/extensions.xml
  valid markup out/*/markup.bcf
  valid visinfo out/*/viewpoint.bcfv
fi
[ $fail = 0 ] || exit 1
[ -z "$skipped" ] || { echo "all but the schemas: $skipped"; exit 77; }
