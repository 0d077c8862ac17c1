#!/bin/bash
# SPDX-License-Identifier: MIT
# STEP and IGES, which a process of its own reads: an assembly that OpenCASCADE writes comes back with its
# tree; what goes wrong in the process is one error, and no output is left.
set -u
bvpack=${BVPACK:-./bvpack}
step=$PWD/bvpack-step case=$PWD/tests/cli/step_case
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
[ -x "$step" ] && [ -x "$case" ] || { echo "bvpack-step is not built: OpenCASCADE was not found"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
fail=0
complain() { echo "test_import_step: $*"; fail=1; }

"$case" step mm.step MM >/dev/null && "$case" step inch.step INCH >/dev/null && "$case" iges mm.iges MM >/dev/null ||
  { complain "OpenCASCADE could not write the models"; exit 1; }

# ---- what is in the files comes back ----
pack() { "$bvpack" pack "$@" -q 2>err || complain "pack $*: $(cat err)"; }
pack mm.step -o mm.bvp
"$case" compare step mm.bvp 0.1 1 || complain "mm.step is not what was written"
pack inch.step --chord 0.02in --angle 15 -o inch.bvp
"$case" compare step inch.bvp 0.508 1 || complain "inch.step is not what was written"
pack mm.iges --chord 0.05 -o iges.bvp
"$case" compare iges iges.bvp 0.05 1 || complain "mm.iges is not what was written"
"$bvpack" verify mm.bvp >/dev/null || complain "mm.bvp is not a valid file"
"$bvpack" info mm.bvp | grep -q 'triangles up to 0.1 mm' || complain "info does not show the tolerance"

# colours: of faces, of a shape, and of a component, which paints all that is below it; as the file names them
grep -qE "COLOUR_RGB\('',0\.(2|1999)[0-9]*,0\.(4|3999)[0-9]*,0\.(6|5999)" mm.step || complain "the colour that was written"
"$bvpack" info --tree --json mm.bvp >tree.json
colour_of() { grep "\"name\": \"$1\"" tree.json | grep -o '"bvpack_colours", "value": "[^"]*"' | sed 's/.*: "\(.*\)"/\1/'; }
[ "$(colour_of 'Platte – größer')" = '0:ff3300ff 1:336699ff' ] || complain "the plate's colours are $(colour_of 'Platte – größer')"
[ "$(colour_of 'Kugel oben')" = '0:00cc00ff' ] || complain "the ball's colour is $(colour_of 'Kugel oben')"
[ -z "$(colour_of links)" ] || complain "what has no colour got one"

# every schema in both units: names, occurrences' names, part numbers, places, colours; IGES: names and colours
number=3
for schema in CONFIG_CONTROL_DESIGN AUTOMOTIVE_DESIGN AP242_MANAGED; do
  for unit in MM INCH; do
    "$case" step all.step $unit $number >/dev/null || complain "OpenCASCADE could not write $schema"
    grep -A1 FILE_SCHEMA all.step | grep -q $schema || complain "all.step is not of $schema"
    [ $unit = MM ] || grep -q "CONVERSION_BASED_UNIT('INCH'" all.step || complain "all.step is not in inches"
    pack all.step -o all.bvp
    "$case" compare step all.bvp 0.1 1 || complain "$schema in $unit is not what was written"
    "$bvpack" info --tree --json all.bvp >all.json
    grep '"name": "Platte – größer"' all.json | grep -q '"0:ff3300ff 1:336699ff"' || complain "$schema: colours of faces"
    grep '"name": "Kugel oben"' all.json | grep -q '"0:00cc00ff"' || complain "$schema: the colour of an occurrence"
  done
  number=$((number + 1))
done
for unit in MM INCH; do
  "$case" iges all.iges $unit >/dev/null
  [ $unit = MM ] || grep -q 4HINCH all.iges || complain "all.iges is not in inches"
  pack all.iges -o all.bvp
  "$case" compare iges all.bvp 0.1 1 || complain "IGES in $unit is not what was written"
  "$bvpack" info --tree --json all.bvp >all.json
  grep '"name": "PLATE"' all.json | grep -q '"0:336699ff"' || complain "IGES: the plate's colour: $(cat all.json)"
  grep '"name": "BALL"' all.json | grep -q '"0:00cc00ff"' || complain "IGES: the ball's colour: $(cat all.json)"
done

# the writer numbers the plate's place in the assembly, for it has no name: that is a number of this export, and no id
grep -q "NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','',''" mm.step || complain "the number that the writer invents"
[ "$(grep -c '"source_id": ""' tree.json)" -ge 9 ] && ! grep -q '"source_id": "[^"]' tree.json ||
  complain "a number of the export became an id: $(grep -o '"source_id": "[^"][^"]*"' tree.json | head -1)"

# finer chords, more triangles; the same bytes whatever the threads, and from a pipe
triangles() { "$bvpack" info --json "$1" | sed -n 's/^ *"unique_triangle_count": *\([0-9]*\).*/\1/p'; }
pack mm.step --chord 0.001 --angle 2 -j1 -o fine.bvp
[ "$(triangles fine.bvp)" -gt $((4 * $(triangles mm.bvp))) ] || complain "--chord changes nothing"
pack mm.step --chord 0.001 --angle 2 -j3 -o fine3.bvp
cmp fine.bvp fine3.bvp || complain "the bytes depend on the threads"
pack - <mm.step -o pipe.bvp
[ "$(triangles pipe.bvp)" = "$(triangles mm.bvp)" ] || complain "standard input gives something else"

# ---- faces that can't be meshed: said by name and count, also by clash, which finds nothing there ----
sed "0,/EDGE_LOOP/s/\\(EDGE_LOOP('',(#[0-9]*\\),[^)]*)/\\1)/" mm.step >holed.step
cmp -s mm.step holed.step && complain "no face was damaged"
"$bvpack" pack holed.step -o holed.bvp >out 2>err || complain "holed.step: $(cat err)"
grep -q '1 faces that could not be cut into triangles left out of "Platte – größer"' out || complain "nobody says which face is missing: $(cat out)"
"$bvpack" info --tree --json holed.bvp >tree.json
[ "$(grep -o '"bvpack_missing_faces", "value": "1"' tree.json | wc -l)" = 1 ] || complain "the missing face is not in the file"
"$bvpack" clash holed.bvp >out || complain "holed.bvp: no clash"
grep -q 'warning: Platte – größer, 1 instance: 1 face could not be meshed' out || complain "clash does not say that a face is missing: $(cat out)"
"$bvpack" clash mm.bvp | grep -q 'could not be meshed' && complain "clash says that faces of a whole model are missing"

# ---- what goes wrong ----
refused() { # phrase model...
  local phrase=$1
  shift
  rm -f out.bvp
  timeout 100 "$bvpack" pack "$@" -o out.bvp >out 2>err
  case $? in 0) complain "$*: accepted" ;; 3 | 4 | 6) ;; *) complain "$*: exit code, $(cat err)" ;; esac
  [ "$(wc -l <err)" = 1 ] || complain "$*: not one line: $(head -5 err)"
  grep -q -- "$phrase" err || complain "$*: no \"$phrase\" in: $(cat err)"
  [ -z "$(ls out.bvp .out* 2>/dev/null)" ] || complain "$*: an output is left"
}

size=$(stat -c %s mm.step)
for part in 1 9; do
  head -c $((size * part / 10)) mm.step >cut.step
  refused 'ends too early' cut.step
done
head -c $((size / 2)) mm.iges >cut.iges
head -c 1000 mm.iges >cut2.iges
refused 'ends too early' cut.iges
refused 'ends too early' cut2.iges
(head -c 200 mm.step && echo 'END-ISO-10303-21;') >hollow.step
refused hollow.step hollow.step

# flipped bits: refused in one line, or packed into a file that is whole
flip() { # file offset bit > copy
  head -c "$2" "$1"
  # shellcheck disable=SC2059 # the format is the byte
  printf "\\x$(printf %x $(($(od -An -tu1 -j"$2" -N1 "$1") ^ (1 << $3))))"
  tail -c +$(($2 + 2)) "$1"
}
for i in 2 4 5 7 9 11; do
  flip mm.step $((size * i / 13)) $((i % 7)) >flipped.step
  rm -f out.bvp
  if timeout 100 "$bvpack" pack flipped.step -q -o out.bvp >out 2>err; then
    "$bvpack" verify out.bvp >/dev/null || complain "flip $i: packed into an invalid file"
  else
    [ "$(wc -l <err)" = 1 ] || complain "flip $i: not one line: $(head -5 err)"
    [ ! -e out.bvp ] || complain "flip $i: an output is left"
  fi
done

# the process itself, played by others
mkdir stub && export BVPACK_LIBEXEC=$PWD/stub
refused 'bvpack-step, which was not built' mm.step
play() { printf '#!/bin/sh\n%s\n' "$1" >stub/bvpack-step && chmod +x stub/bvpack-step; }
"$step" step 0.1 20 1 0 0 1000000000 100 mm.step 3>&1 >/dev/null 4<mm.step | cat >answer
answer=$(stat -c %s answer)
# shellcheck disable=SC2016 # the script's own variable
play 'kill -SEGV $$'
refused 'crashed on it' mm.step
# shellcheck disable=SC2016
play 'kill -KILL $$'
refused 'memory is out' mm.step
play 'exit 7'
refused 'exit code 7' mm.step
play 'exit 127'
refused "can't be run" mm.step
play 'exit 0'
refused 'ended too early' mm.step
play 'head -c 100000 /dev/urandom >&3'
refused 'damaged' mm.step
play 'exec 3>&-; exit 0'
refused 'ended too early' mm.step
for part in 1 8; do
  play "head -c $((answer * part / 10)) $PWD/answer >&3"
  refused 'ended too early' mm.step
  flip answer $((answer * part / 10)) 3 >flipped
  play "cat $PWD/flipped >&3"
  refused 'damaged' mm.step
done
play "cat $PWD/answer >&3"
pack mm.step -o played.bvp
cmp mm.bvp played.bvp || complain "the recorded answer gives other bytes"
exit $fail
