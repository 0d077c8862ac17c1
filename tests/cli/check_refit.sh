#!/bin/bash
# SPDX-License-Identifier: MIT
# The verb refit: a moved model gives the file that packing it would describe; what does not fit is
# refused, and then no output appears.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
[ -x "$bvpack" ] || { echo "check_refit: no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export LC_ALL=C
fail=0
bad() { echo "check_refit: line ${BASH_LINENO[0]}: $*"; fail=1; }

# tube HEIGHT BEND [quads]: an OBJ tube of 24 sides, bent
tube() {
  awk -v n="$1" -v bend="$2" -v quads="${3:-}" 'BEGIN {
    for (i = 0; i <= n; i++)
      for (j = 0; j < 24; j++)
        printf "v %.6g %.6g %.6g\n", cos(j * 0.261799) + bend * i * i, sin(j * 0.261799), 0.25 * i
    for (i = 0; i < n; i++)
      for (j = 1; j <= 24; j++) {
        a = i * 24 + j; b = i * 24 + j % 24 + 1; c = a + 24; d = b + 24
        if (quads) print "f", a, b, d, c
        else print "f", a, b, d "\nf", a, d, c
      }
  }'
}
tube 60 0 >rest.obj
tube 60 0.001 >bent.obj
tube 59 0 >shorter.obj
tube 60 0 quads >quads.obj

# refuses STATUS REGEX ARGUMENTS...: exit code, message, no output
refuses() {
  local wanted=$1 message=$2
  shift 2
  rm -f out.bvp
  "$bvpack" refit "$@" >out 2>err </dev/null
  local status=$?
  [ $status = "$wanted" ] || { bad "exit code $status, not $wanted: refit $*"; cat err; }
  grep -qE -e "$message" err || { bad "no \"$message\": refit $*"; cat err; }
  [ -z "$(ls out.bvp* 2>/dev/null)" ] || bad "a refused refit leaves a file: $*"
}

pack=("$bvpack" pack --hierarchy aabb --deformable -q)
"${pack[@]}" rest.obj -o rest.bvp || bad "pack"
"${pack[@]}" bent.obj -o anew.bvp || bad "pack"
cp rest.bvp before.bvp

# a moved model
"$bvpack" refit rest.bvp bent.obj -o bent.bvp >out || bad "refit"
grep -q '^bent.bvp: 2,880 triangles' out || bad "no summary: $(cat out)"
cmp -s rest.bvp before.bvp || bad "the packed file has changed"
"$bvpack" verify bent.bvp >out || { bad "the output is not sound"; cat out; }
for file in bent anew; do
  "$bvpack" extract $file.bvp -o $file.stl -q || bad "extract $file"
  "$bvpack" info $file.bvp | grep -A2 '^  bounds' >$file.bounds
done
cmp -s bent.stl anew.stl || bad "other triangles than the moved model's"
cmp -s bent.bounds anew.bounds || bad "other bounds than the moved model's"
"$bvpack" refit rest.bvp bent.obj -o again.bvp -q >out || bad "refit"
[ ! -s out ] || bad "not quiet"
cmp -s bent.bvp again.bvp || bad "the same refit gives other bytes"
"$bvpack" refit bent.bvp rest.obj -o back.bvp -q || bad "refit of a refitted file"
"$bvpack" extract back.bvp -o back.stl -q
"$bvpack" extract rest.bvp -o rest.stl -q
cmp -s back.stl rest.stl || bad "back is not where it was"
"$bvpack" info bent.bvp --provenance | grep -q '"refit".*"model":"bent.obj".*"before".*"rest.obj"' ||
  bad "the provenance does not say what was done"

# the same answers, touching and apart
for question in "pairs --count" "collide" "distance"; do
  for place in 1.7,0.3,0.1 9,0,0; do
    for file in bent anew; do
      # shellcheck disable=SC2086
      "$bvpack" query $question $file.bvp rest.bvp --place-b $place 2>/dev/null | head -1 >answer.$file
    done
    [ -s answer.bent ] || bad "no answer: $question"
    cmp -s answer.bent answer.anew || bad "another answer: $question: $(cat answer.bent answer.anew)"
  done
done

# formulas
"$bvpack" refit rest.bvp --stretch 2 --twist 5 --noise 0.01,7 -o formula.bvp -q || bad "formulas"
"$bvpack" verify formula.bvp >/dev/null || bad "a formula's output is not sound"
"$bvpack" refit rest.bvp --noise 0.01,7 -o - 2>/dev/null | cmp -s - formula.bvp && bad "formulas do nothing"
"$bvpack" refit rest.bvp --noise 0.01,7 -o piped.bvp -q
"$bvpack" refit rest.bvp --noise 0.01,7 -o - 2>/dev/null | cmp - piped.bvp || bad "a pipe gives other bytes"

# every kind, alone and beside others; the answers are those of the moved model packed anew
for kinds in wide boxtree obb rss wide,boxtree,aabb,obb,rss; do
  "$bvpack" pack rest.obj --hierarchy $kinds --deformable -q -o kinds.bvp || bad "pack $kinds"
  "$bvpack" refit kinds.bvp bent.obj -o kinds-bent.bvp -q || bad "refit $kinds"
  "$bvpack" verify kinds-bent.bvp >out || { bad "the output is not sound: $kinds"; cat out; }
  "$bvpack" info kinds-bent.bvp | grep -A2 '^  bounds' | cmp -s - anew.bounds ||
    bad "other bounds than the moved model's: $kinds"
  for kind in ${kinds//,/ }; do
    for question in "pairs --count" "collide" "distance"; do
      ask() { # ANSWER FILE OTHER OPTION...
        # shellcheck disable=SC2086
        "$bvpack" query $question "$2" "$3" --place-b 1.7,0.3,0.1 "${@:4}" 2>/dev/null | head -1 >"$1"
      }
      ask answer.kinds kinds-bent.bvp kinds.bvp --hierarchy "$kind"
      ask answer.anew anew.bvp rest.bvp
      [ -s answer.anew ] || bad "no answer: $question"
      cmp -s answer.kinds answer.anew || bad "another answer: $kind of $kinds: $question"
    done
  done
done

# several parts
"${pack[@]}" rest.obj shorter.obj -o two.bvp || bad "pack two"
"$bvpack" refit two.bvp bent.obj --part rest -o two-bent.bvp -q || bad "one part of two"
"$bvpack" verify two-bent.bvp >/dev/null || bad "one part of two is not sound"
"$bvpack" extract two-bent.bvp --part rest -o part.stl -q
cmp -s part.stl bent.stl || bad "--part moves another part"
refuses 3 '1 meshes, the file 2 parts' two.bvp bent.obj -o out.bvp
refuses 2 'no part' two.bvp bent.obj --part nothing -o out.bvp

# what does not fit
refuses 3 '2832 triangles; part 0 has 2880' rest.bvp shorter.obj -o out.bvp
"${pack[@]}" quads.obj -o quads.bvp || bad "pack quads"
refuses 3 'polygons' quads.bvp quads.obj -o out.bvp
"${pack[@]}" rest.obj --no-ids -o no-ids.bvp || bad "pack without ids"
refuses 3 'no-ids' no-ids.bvp rest.obj -o out.bvp
"$bvpack" pack rest.obj -q -o wide.bvp
refuses 2 'pack it with --deformable' wide.bvp bent.obj -o out.bvp
"$bvpack" pack rest.obj --hierarchy aabb -q -o packed.bvp
refuses 2 'pack it with --deformable' packed.bvp bent.obj -o out.bvp
"$bvpack" pack rest.obj --deformable --rays -q -o rays.bvp
refuses 2 'without --rays' rays.bvp bent.obj -o out.bvp
# a torn model: one corner of one triangle elsewhere
cp bent.stl torn.stl
printf '\0\0\0\101' | dd of=torn.stl bs=1 seek=$((84 + 50 * 100 + 12)) conv=notrunc 2>/dev/null
refuses 3 'torn' rest.bvp torn.stl -o out.bvp
cp rest.bvp damaged.bvp
printf '\377' | dd of=damaged.bvp bs=1 seek=9000 conv=notrunc 2>/dev/null
refuses 4 '.' damaged.bvp bent.obj -o out.bvp

# the command line
refuses 2 'say where to write' rest.bvp bent.obj
refuses 2 'say where the vertices go' rest.bvp -o out.bvp
refuses 2 'AMPLITUDE' rest.bvp --noise much -o out.bvp
refuses 2 'AMPLITUDE' rest.bvp --noise 1,2,3 -o out.bvp
refuses 2 'replace an input' rest.bvp bent.obj -o rest.bvp
refuses 2 'replace an input' rest.bvp bent.obj -o bent.obj
refuses 3 'missing' rest.bvp missing.obj -o out.bvp
refuses 3 'missing' missing.bvp bent.obj -o out.bvp
refuses 7 'missing' rest.bvp bent.obj -o missing/out.bvp
refuses 7 '/dev/full' rest.bvp bent.obj -o /dev/full
cmp -s rest.bvp before.bvp || bad "the packed file has changed"
exit $fail
