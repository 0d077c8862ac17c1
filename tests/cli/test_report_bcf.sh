#!/bin/bash
# SPDX-License-Identifier: MIT
# The BCF form of a clash report: a zip whose bytes depend on nothing but the rows, with cameras, components and
# snapshots, and what people have said. 3.0 is valid against buildingSMART's schemas where these are in
# $BVP_SHARED/bcf, 2.1 where they are in $BVP_SHARED/bcf-2.1 (release_2_1 of their BCF-XML), and against our own.
set -u
src=$(realpath "${BVP_SRCDIR:-$(dirname "$0")/../..}")
shared=$(realpath -m "${BVP_SHARED-$src/../shared}")
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

# ---- what people have said
said=$(grep -rl 'Issue: 00000000000000000000000100000000' out --include=markup.bcf)
[ -n "$said" ] || bad "no topic says which issue it is"
grep -q 'TopicStatus="In &quot;Progress&quot; &lt;1&gt;"' "$said" || bad "the status: $(grep TopicStatus "$said")"
grep -q '^Issue: 0*1000* \[In &quot;Progress&quot; &lt;1&gt;\] \[&lt;/script&gt;.*\]$' "$said" || bad "the mark: $(grep Issue: "$said")"
grep -q '<CreationDate>2025-12-01T00:00:00Z</CreationDate>' "$said" || bad "older comments than the topic"
grep -q '<ModifiedDate>2025-12-04T00:00:00Z</ModifiedDate>' "$said" || bad "when it was changed"
grep -q '<Comment>1 &lt; 2 &amp; 3</Comment>' "$said" || bad "a comment is missing"
[ "$(grep -c '<Comment Guid="' "$said")" = 2 ] || bad "not two comments"
sed -n '/<Comment Guid="0123abcd-/,/<.Comment>$/p' "$said" | grep -q '<Comment>changed<' || bad "the changed comment is the old one"
grep -rq 'TopicStatus="Approved"' out --include=markup.bcf || bad "no approved topic"

# ---- 2.1: the same topics, comments and viewpoints
"$make_report" rig.bvp rig.bcfzip || bad "no report as .bcfzip"
unzip -q rig.bcfzip -d old || bad "the zip is damaged"
[ "$(cd out && find . -type f | grep -v extensions.xml | sort)" = "$(cd old && find . -type f | sort)" ] || bad "2.1 has other files"
for file in out/*/markup.bcf; do
  for word in '<Title>' 'Topic Guid=' '<Comment>' '<Date>' '<AssignedTo>' 'Comment Guid=' '^Issue:' '<Snapshot>'; do
    [ "$(grep -e "$word" "$file")" = "$(grep -e "$word" "old${file#out}")" ] || bad "$file: other $word in 2.1"
  done
done
# both cameras see the contact in the same size
view=$(grep -rl 'rig/pin on' out --include=viewpoint.bcfv)
cat "$view" "old${view#out}" | awk -F'[<>]' '/CameraViewPoint/ { n++; for (i = 0; i < 3; i++) p[n, i] = $(5 + 4 * i) }
  /CameraDirection/ { for (i = 0; i < 3; i++) d[n, i] = $(5 + 4 * i) } /FieldOfView/ { a[n] = $3 * atan2(0, -1) / 360 }
  END {
    at[0] = .045; at[1] = .015; at[2] = .01
    for (n = 1; n < 3; n++) for (i = 0; i < 3; i++) along[n] += (at[i] - p[n, i]) * d[n, i]
    one = along[1] * sin(a[1]) / cos(a[1]); other = along[2] * sin(a[2]) / cos(a[2])
    exit !(a[1] != a[2] && along[1] > along[2] && (one - other) ^ 2 < 1e-18)
  }' || bad "the camera of 2.1 sees something else"

# ---- against the schemas
valid() { # FOLDER SCHEMA FILE...
  xmllint --noout --nonet --schema "$1/$2.xsd" "${@:3}" 2>lint || { bad "$1/$2.xsd"; grep -v validates lint | head -5; }
}
if ! command -v xmllint >which; then
  skipped="there is no xmllint"
else
  xmllint --noout --nonet --relaxng "$src/tests/cli/bcf_2_1.rng" old/bcf.version old/*/*.bcf old/*/*.bcfv 2>lint ||
    { bad "2.1"; grep -v validates lint | head -5; }
  if [ -f "$shared/bcf/markup.xsd" ]; then
    valid "$shared/bcf" version out/bcf.version
    valid "$shared/bcf" extensions out/extensions.xml
    valid "$shared/bcf" markup out/*/markup.bcf
    valid "$shared/bcf" visinfo out/*/viewpoint.bcfv
  else
    skipped="there are no schemas of 3.0 in $shared/bcf"
  fi
  if [ -f "$shared/bcf-2.1/markup.xsd" ]; then
    valid "$shared/bcf-2.1" version old/bcf.version
    valid "$shared/bcf-2.1" markup old/*/markup.bcf
    valid "$shared/bcf-2.1" visinfo old/*/viewpoint.bcfv
  else
    echo "skipped buildingSMART's schemas of 2.1: there are none in $shared/bcf-2.1"
  fi
fi
[ $fail = 0 ] || exit 1
[ -z "$skipped" ] || { echo "all but the schemas: $skipped"; exit 77; }
