#!/bin/bash
# SPDX-License-Identifier: MIT
# Files in different units: lengths are converted to the first file's where both say theirs, refused
# where one alone does, and taken as numbers where none does. The numbers below are by hand.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

cube cube 0 1 >cube.obj   # a unit cube: 1 m, 1 in, or 1 of nobody knows what
cube steel 0 40 >steel.obj
for unit in m in mm; do expect 0 pack cube.obj --unit $unit -o $unit.bvp -q; done
expect 0 pack cube.obj -o none.bvp -q
cp none.bvp none2.bvp

# ---- pack: sizes that nobody builds

cube saw 0 375 >saw.obj # millimetres
cube hall 0 40 >hall.obj
cube chip 0 .3 >chip.obj
hint() { expect 0 pack "$@" -o hint.bvp; grep -q '^  hint ' out; }
hint saw.obj --unit m || bad "no hint for a saw of 375 m"
has out 'longer than 650 m: if that is wrong, the numbers are not in m; pack it with --unit'
hint saw.obj --unit mm && bad "a hint for a saw of 375 mm"
hint saw.obj && bad "a hint where nobody knows the unit"
hint hall.obj cube.obj cube.obj --unit m && bad "a hint for a hall with two crates"
hint chip.obj --unit mm || bad "no hint for a chip of .3 mm"
hint chip.obj --unit m && bad "a hint for a box of .3 m"
expect 0 pack saw.obj --unit m -o hint.bvp --json
is unit_hint 'half of its instances are longer than 650 m: if that is wrong, the numbers are not in m; pack it with --unit'
expect 0 pack saw.obj --unit mm -o hint.bvp --json
is unit_hint null

# ---- query: the second file's lengths, and placements, in the first one's unit

# a cube of 1 m at the origin; one of 1 inch, 2 m away: between them 1 m. In inches 38.3700787.
expect 0 query distance m.bvp in.bvp --place-b 2,0,0 --json
near distance 1
near point_b.0 2
[ ! -s err ] || bad "a warning: $(cat err)"
expect 0 query distance in.bvp m.bvp --place-b 40,0,0 --json
near distance 39
expect 0 query distance m.bvp in.bvp --place-b -0.5254,0,0 --json
near distance 0.5
near point_b.0 -0.5
expect 0 query distance m.bvp in.bvp --place-b 2,0,0
has out '^distance 1 m$'
# an instance, a part and a turned placement go the same way: turned by 90 degrees about z the cube
# reaches from -0.0254 to 0 on x
expect 0 query distance m.bvp in.bvp:@0 --place-b 3,0,0,0,0,90 --json
near distance 1.9746
expect 0 query distance m.bvp 'in.bvp:#0' --place-b 3,0,0 --json
near distance 2
expect 0 query collide m.bvp in.bvp --place-b 1.001,0,0
has out '^no$'
expect 0 query collide m.bvp in.bvp --place-b -0.0253,0,0
has out '^yes$'
expect 0 query collide m.bvp in.bvp --place-b -0.0255,0,0
has out '^no$'
expect 0 query within m.bvp mm.bvp --place-b 1.004,0,0 --delta 5mm
has out '^yes$'
expect 0 query within m.bvp mm.bvp --place-b 1.006,0,0 --delta 5mm
has out '^no$'
expect 0 query pairs m.bvp mm.bvp --place-b 1,0.5,0.5 --count
[ "$(cat out)" -gt 0 ] || bad "touching cubes have no pairs"
printf '2,0,0\n0,0,-3\n' >places
expect 0 query distance m.bvp in.bvp --batch places
sed -n 1p out >first && sed -n 2p out >second
cp first out && near distance 1
cp second out && near distance 2.9746
# who converted by hand would convert twice
expect 2 query distance m.bvp in.bvp --place-b 0.0254,0,0,2,0,0.0254,0,0,0,0,0.0254,0
has err 'leave the scale out'
printf '0.0254 0 0 2 0 0.0254 0 0 0 0 0.0254 0\n' >places
expect 3 query distance m.bvp in.bvp --batch places
has err 'leave the scale out'
# another scale is somebody's wish
expect 0 query distance m.bvp in.bvp --place-b 2,0,0,3,0,2,0,0,0,0,2,0 --json
near distance 2

# one says its unit, the other does not
for pair in 'm none' 'none m'; do
  # shellcheck disable=SC2086
  set -- $pair
  for kind in collide pairs distance 'within --delta 1'; do
    # shellcheck disable=SC2086
    expect 2 query $kind "$1.bvp" "$2.bvp" --place-b 2,0,0
    has err '^bvpack: none.bvp: it does not say its unit, and m.bvp does.*--assume-unit'
    [ ! -s out ] || bad "an answer: $(cat out)"
  done
done
expect 0 query distance m.bvp none.bvp --place-b 2,0,0 --assume-unit in --json
near distance 1
expect 0 query distance none.bvp m.bvp --place-b 40,0,0 --assume-unit in
has out '^distance 39 in$'
expect 0 query distance none.bvp m.bvp --place-b 40,0,0 --assume-unit 0.0254
has out '^distance 39 in$'
expect 2 query distance m.bvp none.bvp --assume-unit furlong
for length in -1 0; do
  expect 2 query distance m.bvp none.bvp --assume-unit $length
  has err "found \"$length\""
done
# what a file says wins; without any unit numbers are numbers, unless they are given a unit
expect 0 query distance m.bvp in.bvp --place-b 2,0,0 --assume-unit ft --json
near distance 1
expect 0 query distance none.bvp none2.bvp --place-b 3,0,0
has out '^distance 2$'
[ ! -s err ] || bad "a warning: $(cat err)"
expect 0 query within none.bvp none2.bvp --place-b 3,0,0 --delta 1999mm --assume-unit m
has out '^no$'

# ---- clash

expect 0 clash m.bvp in.bvp --place-b 1.004,0,0 --clearance 5mm --json
is rows 1
is worst.0.verdict within
near worst.0.distance 0.004
expect 0 clash m.bvp in.bvp --place-b 1.006,0,0 --clearance 5mm --json
is rows 0
expect 0 clash in.bvp m.bvp --place-b 1.1,0,0 --clearance 0.2 --json
is rows 1
near worst.0.distance 0.1
expect 0 clash m.bvp in.bvp --place-b 0.5,0.5,0.5 --json
is worst.0.verdict enclosed
expect 0 clash m.bvp in.bvp --place-b 1.004,0,0 --clearance 5mm -r x.jsonl -r x.bcf -r x.html -r x.glb -q
near_point=$(sed -n 1p x.jsonl)
printf '%s\n' "$near_point" >out
near point_b.0 1.004
expect 2 clash m.bvp none.bvp
has err 'none.bvp: it does not say its unit'
expect 2 clash none.bvp m.bvp
expect 2 clash m.bvp in.bvp --place-b .0254,0,0,9,0,.0254,0,0,0,0,.0254,0
has err 'leave the scale out'
expect 0 clash m.bvp none.bvp --assume-unit in --place-b 1.004,0,0 --clearance 5mm --json
is rows 1
expect 0 clash none.bvp none2.bvp --place-b 1.5,0,0 --clearance 1 --json
is rows 1
near worst.0.distance 0.5
is unit ''
# the touch gap is of lengths in one unit, too: 8 steps of a float as large as the metre
expect 0 clash m.bvp mm.bvp --place-b 5,0,0 --json
near limits.touch 9.5367431640625e-07
expect 0 clash mm.bvp m.bvp --place-b 5,0,0 --json
near limits.touch 9.5367431640625e-04

# ---- merge: one assembly in the first file's unit

expect 0 merge m.bvp in.bvp -o both.bvp
expect 0 verify both.bvp
expect 0 info both.bvp --json
near unit_in_metres 1
expect 0 query distance m.bvp both.bvp --only-b 'in/**' --place-b 0,0,-2 --json
near distance 1.9746
expect 0 query distance both.bvp both.bvp --only-a 'm/**' --only-b 'in/**' --place-b 2,0,0 --json
near distance 1
expect 0 merge in.bvp m.bvp -o both.bvp
expect 0 info both.bvp --json
near unit_in_metres 0.0254
near hi.0 39.37007874015748
expect 2 merge m.bvp none.bvp -o bad.bvp
has err 'none.bvp: it does not say its unit, and m.bvp does'
[ ! -e bad.bvp ] || bad "an output of what was refused"
expect 2 merge none.bvp m.bvp in.bvp -o bad.bvp
expect 0 merge m.bvp none.bvp --assume-unit mm -o both.bvp
expect 0 query distance both.bvp both.bvp --only-a 'm/**' --only-b 'none/**' --place-b -2,0,0 --json
near distance 1.999
expect 0 merge none.bvp none2.bvp -o both.bvp
expect 0 info both.bvp
has out 'unit +unknown'
expect 2 merge m.bvp --assume-unit mm -o both.bvp

# ---- diff: moves in the first file's unit

cat >monday.jsonl <<'END'
{"bvpack_manifest": 1, "unit": "m"}
{"id": "s", "mesh": "metre.obj", "name": "Bar"}
{"part": "s", "name": "one", "placement": [1,0,0,2, 0,1,0,0, 0,0,1,0]}
{"part": "s", "name": "two", "placement": [1,0,0,7, 0,1,0,0, 0,0,1,0]}
END
sed 's/"m"/"mm"/; s/metre/milli/; s/,2,/,2000,/; s/,7,/,7250,/' monday.jsonl >tuesday.jsonl
cube bar 0 1 >metre.obj
cube bar 0 1000 >milli.obj
expect 0 pack monday.jsonl -o monday.bvp -q
expect 0 pack tuesday.jsonl -o tuesday.bvp -q
expect 0 diff monday.bvp tuesday.bvp
has out '^unit +m -> mm$'
has out '^parts +1 changed'
has out '^  moved +two: 0\.25 m \(0\.25, 0, 0\)$'
has out '^instances  .*1 moved'
expect 0 diff tuesday.bvp monday.bvp
has out '^  moved +two: 250 mm \(-250, 0, 0\)$'
expect 0 diff monday.bvp tuesday.bvp --tolerance 300mm
has out '^unit +m -> mm$'
if grep -q '1 moved' out; then bad "a move below the tolerance"; fi
# the same numbers in another unit are another size
expect 0 diff m.bvp mm.bvp
has out '^parts +1 changed'
expect 2 diff m.bvp none.bvp
has err 'none.bvp: it does not say its unit'
expect 0 diff m.bvp none.bvp --assume-unit m
has out 'no difference'
expect 0 diff none.bvp none2.bvp
has out 'no difference'

# ---- pack: several models

cat >tri.gltf <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
printf '{"bvpack_manifest": 1, "unit": "mm"}\n{"mesh": "steel.obj"}\n' >steel.jsonl
expect 0 pack tri.gltf steel.jsonl -o both.bvp -q
expect 0 info both.bvp --json
near unit_in_metres 1
near hi.2 0.04
expect 2 pack tri.gltf cube.obj -o bad.bvp -q
has err 'cube.obj: it does not say its unit, and tri.gltf does'
[ ! -e bad.bvp ] || bad "an output of what was refused"
expect 2 pack cube.obj tri.gltf -o bad.bvp -q
expect 0 pack tri.gltf cube.obj -o in_both.bvp -q --assume-unit in
expect 0 info in_both.bvp --json
near hi.2 0.0254
expect 0 pack tri.gltf cube.obj -o ft_both.bvp -q --assume-unit ft
[ "$("$bvpack" info --json ft_both.bvp | "$json" source_hash)" != "$("$bvpack" info --json in_both.bvp | "$json" source_hash)" ] ||
  bad "the identity of the build does not tell what was assumed"
expect 0 pack tri.gltf cube.obj -o both.bvp -q --unit mm
expect 0 pack cube.obj steel.obj -o both.bvp -q

echo "units: $checks checks"
exit $fail
