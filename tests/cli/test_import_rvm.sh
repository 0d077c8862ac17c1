#!/bin/bash
# SPDX-License-Identifier: MIT
# RVM through the program: the sample with its attributes, --chord, rules over insulation, files cut off.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

cp "$src"/samples/models/skid.* .
if [ -x "$programs/make_rvm" ]; then
  "$programs/make_rvm" >made.rvm
  same made.rvm skid.rvm
fi
expect 0 pack skid.rvm -o skid.bvp
has out 'tolerance +triangles up to 0.1 mm from the surface'
has out 'warning .*skid.rvm: 1 lines left out'
expect 0 info skid.bvp --json --tree
is instance_count 13
is part_count 13
is up_axis z
is unit_in_metres 0.001
has out '"key": "Description", "value": "a drum"'
has out '"key": "Bore", "value": "100mm"'
has out '"key": "bvpack_colours", "value": "0:102030ff"'
expect 0 verify skid.bvp

# by content alone, and to the same bytes
cp skid.rvm plain
expect 0 pack plain -q -o plain.bvp
expect 0 info plain.bvp --json --tree
lacks out Bore
expect 0 pack skid.rvm -q -o again.bvp -j 1
same skid.bvp again.bvp

# the chord is kept, and makes the mesh
expect 0 pack skid.rvm --chord 2mm --angle 45 -q -o coarse.bvp
expect 0 info coarse.bvp
has out 'within 2 mm|2 mm from|tolerance +.*2 mm'
[ "$(stat -c %s coarse.bvp)" -lt $(($(stat -c %s skid.bvp) / 3)) ] || bad "a coarse chord makes no smaller file"

# insulation and obstruction volumes are closed, and rules select them
expect 0 clash skid.bvp --json
is verdicts.enclosed 2
expect 0 clash skid.bvp --exclude volume=insulation --exclude volume=obstruction --json
is verdicts.enclosed 0
is verdicts.penetrating 0

head -c 3000 skid.rvm >cut.rvm
expect 3 pack cut.rvm
has err 'cut.rvm: byte [0-9]+: .*(cut off|damaged)'
printf 'HEAD\n    1    1\nAVEVA\n' >text.rvm
expect 3 pack text.rvm
has err 'text.rvm: is an RVM file as text; export it again as binary'
echo "$checks checks"
exit $fail
