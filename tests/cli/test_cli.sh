#!/bin/bash
# SPDX-License-Identifier: MIT
# The program as a user meets it: every verb, its answers, its words, its exit codes.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

no_leftovers() {
  checks=$((checks + 1))
  [ -z "$(find . -name '.*.tmp' -o -name '*.tmp')" ] || bad "temporary files left"
}

# ---- models -------------------------------------------------------------------------------------

cube cube 0 1 >cube.obj
cube tool 0 2 >tool.obj
cat >tetra.stl <<'END'
solid tetra
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid tetra
END

# ---- words --------------------------------------------------------------------------------------

verbs=$("$bvpack" --help-verbs)
kinds="collide pairs distance within ray closest overlap instances"
for verb in pack info verify dump query view extract refit compress clash diff; do
  grep -qx $verb <<<"$verbs" || bad "no verb $verb"
done

check_help() { # arguments that print a help text
  expect 0 "$@"
  empty err
  for word in '^Usage: bvpack' '^Options:' '^Examples:' '^Exit codes:' '^  0  ' '--help'; do
    has out "$word"
  done
  awk 'length > 100 { exit 1 }' out || bad "long line: bvpack $*"
  twice=$(grep -oE '^ +(-., )?--[a-z-]+' out | sed 's/.*--/--/' | sort | uniq -d)
  [ -z "$twice" ] || bad "bvpack $*: twice: $twice"
  ! grep -q -- '--timeout' out || has out '^  8  '
}
check_help --help
check_help -h
check_help help
check_help help --help
for verb in $verbs; do
  check_help "$verb" --help
  check_help help "$verb"
done
for kind in $kinds; do
  check_help query "$kind" --help
  check_help help query "$kind"
done
"$bvpack" pack --help | head -1 >out || bad "help into a closed pipe"
expect 0 --version
has out '^bvpack [0-9]+\.[0-9]+\.[0-9]+$'
expect 2
empty out
has err 'Usage:'

expect 2 pakc
has err '^bvpack: .*did you mean "pack"'
expect 2 query colide cube.obj
has err 'did you mean "collide"'
expect 2 help infoo
has err 'did you mean "info"'
expect 2 query
has err 'kinds'
expect 2 pack --leef 3 cube.obj
has err 'did you mean --leaf'
expect 2 info -Z cube.obj
expect 2 info
has err 'expected one FILE'
expect 2 info one two
expect 2 pack
expect 2 pack --leaf 9 cube.obj
has err 'from 1 to 8'
expect 2 pack --up w cube.obj
expect 2 pack --unit furlong cube.obj
expect 2 pack -j
empty out
expect 0 extract --help

# ---- manual pages and completion -----------------------------------------------------------------

for verb in $verbs ''; do
  # shellcheck disable=SC2086 # no verb: the program's own page
  "$bvpack" --help-man $verb >page.1 || bad "manual page $verb"
  head -1 page.1 | grep -q '^\.TH BVPACK' || bad "manual page $verb has no title"
  grep -q "^[[:blank:]]bvpack${verb:+-$verb}\.1" "$src/Makefile.am" || bad "the manual page of $verb is not installed"
  # a request is one at the beginning of a line only; elsewhere the reader sees ".B"
  grep -nE '. \.(B|BR|I|br|PP|TP)( |$)' page.1 >misplaced && bad "manual page $verb: $(head -1 misplaced)"
  if command -v groff >/dev/null; then
    groff -man -ww -z -Tutf8 page.1 >roff 2>&1
    [ ! -s roff ] || { bad "manual page $verb:"; head -3 roff; }
  fi
  if command -v man >/dev/null && man -P cat -l page.1 >shown 2>/dev/null && [ -s shown ]; then
    grep -q 'EXIT STATUS' shown || bad "manual page $verb is not shown"
  fi
done

"$bvpack" --help-bash >completion
bash -n completion || bad "completion"
# complete WORDS...: what the completion offers for the last of them
complete_words() {
  bash -c '. ./completion
    compopt() { :; }
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _bvpack
    printf "%s\n" "${COMPREPLY[@]}"' completion "$@" | sort >out
}
complete_words bvpack ve
has out '^verify$'
complete_words bvpack query d
has out '^distance$'
complete_words bvpack pack --un
has out '^--unit=$'
complete_words bvpack pack --unit = c
has out '^cm$'
complete_words bvpack pack --up ''
has out '^z$'
complete_words bvpack pack cu
has out '^cube.obj$'
touch a.bvp 'b c.bvp' d.txt
complete_words bvpack info ''
has out '^a.bvp$'
has out '^b c.bvp$'
lacks out 'd.txt|cube.obj'
complete_words bvpack query ray --dir
has out '^--direction=$'
rm -f a.bvp 'b c.bvp' d.txt

# ---- pack ----------------------------------------------------------------------------------------

expect 0 cube.obj
has out '^cube.bvp: [0-9,]+ bytes$'
has out 'parts +1$'
has out 'triangles +12, stored 12'
has out 'bytes/triangle'
empty err
expect 0 pack cube.obj -o again.bvp -q
empty out
empty err
cmp cube.bvp again.bvp || bad "the default name changes the bytes"
expect 0 pack cube.obj -o again.bvp -j 2 --json
is part_count 1
is unique_triangle_count 12
is sources.0.name cube.obj
cmp cube.bvp again.bvp || bad "the thread count changes the bytes"
mkdir -p sub && cp cube.obj sub
expect 0 sub/cube.obj
cmp cube.bvp sub/cube.bvp || bad "the folder changes the bytes"
"$bvpack" pack cube.obj -o - >piped 2>err || bad "pack to a pipe"
has err '^standard output: '
cmp cube.bvp piped || bad "standard output gives other bytes"
"$bvpack" pack - --format obj -o stdin.bvp <cube.obj >out 2>err || bad "pack from a pipe"
expect 0 verify stdin.bvp
printf '%s\n' '{"id":"c","mesh":"cube.obj","part_number":"47-11"}' '{"id":"hall"}' \
  '{"part":"c","parent":"hall"}' '{"part":"c","parent":"hall","placement":{"translate":[5,0,0]}}' >list.jsonl
expect 0 pack list.jsonl
expect 0 info list.bvp --json
is instance_count 2
"$bvpack" pack - -o piped.bvp <list.jsonl >out 2>err || bad "pack a manifest from a pipe"
expect 0 query distance piped.bvp piped.bvp --place-b 0,3,0
echo '{"mesh":"../cube.obj"}' >outside.jsonl
expect 3 pack outside.jsonl
has err 'outside.jsonl:1: .*--any-path'
cat >arm.urdf <<'END'
<robot name="arm"><link name="a"><collision><geometry><mesh filename="cube.obj"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
<link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>
END
expect 0 pack arm.urdf --joints j=4
expect 0 info arm.bvp --json
is instance_count 2
is up_axis z
expect 3 pack arm.urdf --joints k=4
has err 'name of a joint, found "k"'
expect 2 pack arm.urdf --urdf both
expect 2 pack cube.obj --joints j=4
has err 'expected a robot .*, found cube.obj'
# a key that is there twice: which of the two is meant?
echo '{"rules": [{"name": "x", "a": "first", "b": "*", "clearance": 0.5, "clearance": 0}]}' >twice.json
expect 3 clash arm.bvp --rules twice.json
has err 'twice.json: line 1: duplicate object key near .*clearance'
printf '{"bvpack_manifest": 1}\n{"id": "a", "mesh": "cube.obj", "id": "b"}\n' >twice.jsonl
expect 3 pack twice.jsonl
has err 'twice.jsonl:2: .*duplicate object key near .*id'
printf '{"asset": {"version": "2.0", "version": "2.0"}}' >twice.gltf
expect 3 pack twice.gltf
has err 'twice.gltf: .*duplicate object key near .*version'
echo '{"id": "00000000000000000000000000000000", "verdict": "clear", "verdict": "touching"}' >twice.jsonl
expect 3 clash arm.bvp --baseline twice.jsonl
has err 'twice.jsonl: line 1: duplicate object key near .*verdict'
mkdir -p below && mv outside.jsonl below
expect 0 pack below/outside.jsonl --any-path
expect 0 pack cube.obj -o noids.bvp --no-ids -q
expect 0 pack cube.obj -o leaf1.bvp --leaf 1 -q
for kind in wide boxtree aabb obb rss; do
  expect 0 pack cube.obj -o kind.bvp --hierarchy $kind --leaf 2 -q
  expect 0 verify -q kind.bvp
  expect 0 info kind.bvp
  has out "^  $kind +[0-9,]+ bytes, .* leaves of up to 2, depth [0-9]+, area cost [0-9.]+(, split (sah|mean))?$"
  expect 0 info --json kind.bvp
  is hierarchies.0.kind $kind
done
for split in sah volume longest lookahead midpoint median mean; do
  expect 0 pack cube.obj -o kind.bvp --hierarchy aabb,boxtree,wide --split $split --leaf 1 -q
  expect 0 verify -q kind.bvp
  expect 0 info --json --parts kind.bvp
  is hierarchies.1.kind boxtree
  is hierarchies.1.split $split
  is parts.0.hierarchies.2.split $split
  is provenance.options.hierarchies.0.kind wide
done
expect 0 pack cube.obj -o kind.bvp --hierarchy boxtree,aabb --planes 1 --offset-bits 16 --deformable
has out '^  hierarchies     boxtree [0-9.]+, aabb [0-9.]+ bytes/triangle$'
expect 0 info --json kind.bvp
is hierarchies.0.planes 1
is hierarchies.0.offset_bits 16
is provenance.options.deformable true
expect 2 pack cube.obj -o x.bvp --hierarchy boxes
has err '^bvpack: --hierarchy: .*boxtree'
expect 2 pack cube.obj -o x.bvp --hierarchy aabb,aabb
expect 2 pack cube.obj -o x.bvp --hierarchy ''
expect 2 pack cube.obj -o x.bvp --split median
has err 'name others with --hierarchy'
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --fast
has err 'only the wide hierarchy'
expect 0 pack cube.obj -o fast.bvp --fast -q
expect 0 verify -q fast.bvp
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --small
has err '^bvpack: --small: only the wide hierarchy'
expect 2 pack cube.obj -o x.bvp --fast --small
has err '^bvpack: --small: it takes longer'
expect 0 pack cube.obj -o small.bvp --small -q
expect 0 verify -q small.bvp
expect 0 info --json small.bvp
is provenance.options.hierarchies.0.split full
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --planes 2
has err 'ask for it with --hierarchy boxtree'
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --offset-bits 8
expect 0 pack cube.obj -o kind.bvp --hierarchy wide,boxtree --split restricted --leaf 1 -q
expect 0 verify -q kind.bvp
expect 0 info --json kind.bvp
is hierarchies.1.planes 1
is hierarchies.1.split volume
is provenance.options.hierarchies.1.split restricted
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --split restricted
has err 'only a boxtree of one plane'
expect 2 pack cube.obj -o x.bvp --hierarchy boxtree --split restricted --planes 2
has err 'only a boxtree of one plane'
# a box test that the hierarchy cannot use is refused
expect 0 pack cube.obj -o tests.bvp --hierarchy wide,boxtree,aabb,obb,rss -q
expect 0 pack cube.obj -o tests16.bvp --hierarchy boxtree --offset-bits 16 -q
for how in 'boxtree sat' 'boxtree sat-lite' 'boxtree aligned' 'boxtree lookup' 'boxtree four-sat' \
  'boxtree four-sat-lite' 'boxtree four-aligned' 'boxtree four-lookup' 'aabb sat' 'aabb sat-lite' 'obb sat-lite'; do
  expect 0 query collide tests.bvp tests.bvp --hierarchy ${how% *} --box-test ${how#* }
  has out '^yes$'
done
for how in 'wide sat' 'rss sat' 'rss sat-lite' 'aabb aligned' 'obb lookup' 'aabb four-sat' 'obb four-lookup'; do
  expect 2 query collide tests.bvp tests.bvp --hierarchy ${how% *} --box-test ${how#* }
  has err "^bvpack: --box-test: the hierarchy ${how% *} of part #0 "
done
expect 2 query pairs tests.bvp tests.bvp --box-test sat # walks wide
has err '^bvpack: --box-test: the hierarchy wide '
expect 0 pack cube.obj --hierarchy aabb -q -o other_kind.bvp
expect 2 query distance other_kind.bvp cube.bvp
has err ', and both parts need a hierarchy of one kind'
expect 0 query collide tests16.bvp tests16.bvp --box-test aligned
expect 0 query collide tests16.bvp tests16.bvp --box-test four-aligned
for test in lookup four-lookup; do
  expect 2 query collide tests16.bvp tests16.bvp --box-test $test
  has err 'lookup for boxtree with offsets of 8 bits'
done
for kind in distance 'within --delta 1'; do
  expect 2 query $kind tests.bvp tests.bvp --hierarchy boxtree --box-test sat
  has err 'only collide and pairs'
done
expect 2 query closest tests.bvp --hierarchy boxtree --box-test sat --point 0,0,0
has err 'only collide and pairs'
expect 2 pack cube.obj -o x.bvp --hierarchy boxtree --planes 4
expect 2 pack cube.obj -o x.bvp --hierarchy aabb --fit hull
has err 'with --hierarchy obb or rss'
expect 2 pack cube.obj -o x.bvp --hierarchy obb --fit sphere
expect 0 pack cube.obj -o fit.bvp --hierarchy obb,rss --fit hull -q
expect 0 verify -q fit.bvp
expect 0 info --json fit.bvp
has out '"fit": *"hull"'
expect 2 pack cube.obj -o x.bvp --hierarchy boxtree --offset-bits 24
expect 0 verify noids.bvp leaf1.bvp

expect 2 pack - </dev/null
expect 2 pack cube.obj tool.obj
has err '-o'
expect 2 pack cube.obj -o cube.obj
has err 'would replace'
expect 2 pack cube.obj -o - --json
expect 3 pack missing.stl -o x.bvp
has err '^bvpack: .*missing.stl.*No such file'
expect 3 pack cube.bvp -o x.bvp
has err 'packed file already'
expect 3 pack . -o x.bvp
printf 'v 0 0 0\nv 1 0 nan\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 1 4 3\n' >nan.obj
expect 3 pack nan.obj -o x.bvp
has err 'nan.obj'
has err 'drop-invalid'
expect 0 pack nan.obj -o x.bvp --drop-invalid
has out 'triangles +1, stored 1'
has out 'warning +nan.obj: 1 polygons'
rm -f x.bvp
printf 'v 0 0 0\nf 1 2 9\n' >index.obj
expect 3 pack index.obj -o x.bvp
has err '^bvpack: index.obj:2'
[ ! -e x.bvp ] || bad "a failed pack leaves a file"
expect 7 pack cube.obj -o sub
expect 7 pack cube.obj -o missing/x.bvp
expect 7 pack cube.obj -o /dev/full
expect 0 pack cube.obj -o /dev/null
[ -c /dev/null ] || bad "/dev/null is gone"
no_leftovers

# the files beside a glTF model count as its source
mkdir -p gltf && cat >gltf/tri.gltf <<'END'
{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"uri": "tri.bin", "byteLength": 36}]}
END
zero='\0\0\0\0' one='\0\0\200\077'
# shellcheck disable=SC2059 # the escapes are the data
printf "$zero$zero$zero$one$zero$zero$zero$one$zero" >gltf/tri.bin
expect 0 pack gltf/tri.gltf -o tri.bvp --json
is sources.0.files.0.name tri.bin
is sources.0.files.0.size 36
expect 0 info --json tri.bvp
is provenance.sources.0.files.0.name tri.bin
before=$("$json" source_hash <out)
# shellcheck disable=SC2059
printf "$zero$zero$zero$one$zero$zero$one$one$zero" >gltf/tri.bin
expect 0 pack gltf/tri.gltf -o tri.bvp -q
expect 0 info --json tri.bvp
[ "$("$json" source_hash <out)" != "$before" ] || bad "another buffer, the same source hash"
expect 2 pack cube.obj gltf/tri.gltf -o mixed.bvp
has err '^bvpack: cube.obj: it does not say its unit, and gltf/tri.gltf does.*--assume-unit'
expect 0 pack cube.obj gltf/tri.gltf -o mixed.bvp --unit mm
empty err
rm gltf/tri.bin
expect 3 pack gltf/tri.gltf -o tri.bvp
has err 'tri.bin'

# an earlier file stays when packing fails; an interrupted run leaves nothing
cp cube.bvp keep.bvp
expect 3 pack nan.obj -o keep.bvp
cmp cube.bvp keep.bvp || bad "a failed pack changes an earlier file"
mkfifo fifo
"$bvpack" pack - -o interrupted.bvp <fifo 2>/dev/null &
victim=$!
exec 9>fifo
kill -TERM $victim
wait $victim 2>/dev/null
[ $? = 143 ] || bad "SIGTERM does not end the program"
exec 9>&-
[ ! -e interrupted.bvp ] || bad "an interrupted pack leaves a file"
# nor does one whose mapped file is truncated, which ends in order
"$bvpack" pack - -o interrupted.bvp <fifo 2>err &
victim=$!
exec 9>fifo
for _ in {1..200}; do # until it is the program, and catches SIGBUS
  [[ $(readlink /proc/$victim/exe) == *bvpack ]] && grep -q '^SigCgt:.*[4-7c-f].$' /proc/$victim/status && break
  sleep .02
done
kill -BUS $victim
wait $victim 2>/dev/null
[ $? = 3 ] || bad "SIGBUS does not end the program with 3"
exec 9>&-
has err '^bvpack: a file was truncated.*run the command again$'
[ ! -e interrupted.bvp ] || bad "a truncated input leaves a file"
no_leftovers

# ---- digests ----------------------------------------------------------------------------------------

expect 0 pack -q --unit mm "$src/samples/models/plate_holes.STL" -o plain.bvp
run pack -q --unit mm "$src/samples/models/plate_holes.STL" --digests -o signed.bvp
if [ $status = 0 ]; then
  expect 0 info --digest signed.bvp
  has out '^[0-9a-f]{64}$'
  digest=$(cat out)
  expect 0 info --json signed.bvp
  has out "\"digest\": \"$digest\""
  expect 0 verify --digest "$digest" signed.bvp
  expect 0 verify --digest "${digest^^}" signed.bvp
  expect 1 verify --digest "${digest//[0-7]/8}" signed.bvp
  has out 'rule DGS-3: the root digest begins with [0-9a-f]{8}, expected [0-9a-f]{8}:'
  expect 2 verify --digest "${digest:1}" signed.bvp
  expect 2 verify --digest "$digest" plain.bvp
  expect 0 query ray signed.bvp --origin 30,30,200 --direction 0,0,-1
else
  has err 'built without libsodium'
fi
expect 2 info --digest plain.bvp
has err 'plain.bvp: the file was packed without digests'

# ---- info, verify, dump ----------------------------------------------------------------------------

expect 0 pack cube.obj tool.obj -o pair.bvp --unit mm --up z -q
expect 0 info pair.bvp
has out '^pair.bvp: bvpack format'
has out 'triangles +24, stored 24'
has out 'unit +mm, up axis z'
expect 0 info --json pair.bvp
for key in triangle_count unique_triangle_count part_count instance_count instance_hierarchy_count file_size hierarchy_size \
  geometry_size id_size format_version root_hash source_hash; do
  checks=$((checks + 1))
  "$json" $key <out >/dev/null || bad "info --json has no $key"
done
is triangle_count 24
is part_count 2
is instance_count 2
is file_size "$(stat -c %s pair.bvp)"
is unit_in_metres 0.001
is up_axis z
is provenance.sources.1.name tool.obj
lacks out "$scratch"
hierarchy=$("$json" hierarchy_size <out) geometry=$("$json" geometry_size <out)
ids=$("$json" id_size <out) other=$("$json" other_size <out)
[ $((hierarchy + geometry + ids + other)) = "$(stat -c %s pair.bvp)" ] || bad "sizes do not add up"
expect 0 info --json --parts --tree pair.bvp
is parts 2
is parts.1.name tool
is parts.0.triangle_count 12
is nodes 3
is nodes.2.part 1
expect 0 info --parts --tree --provenance pair.bvp
has out '#0 cube: 12 triangles, 8 vertices'
has out '^    tool  part #1'
has out '"sources"'

# one of a thing: a pyramid with a fin inside, and a triangle
cat >fin.obj <<'OBJ'
o fin
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v .5 .5 1
f 1 3 2
f 1 4 3
f 1 2 5
f 2 3 5
f 3 4 5
f 4 1 5
f 2 3 4
OBJ
printf 'o lone\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >lone.obj
expect 0 pack fin.obj -o fin.bvp
expect 0 info --parts fin.bvp
has out '#0 fin: 7 triangles, 5 vertices, 1 open edge and 2 non-manifold edges$'
expect 0 pack lone.obj -o lone.bvp
expect 0 info --parts lone.bvp
has out ': 1 node, 1 leaf of up to 1, '
has out '#0 lone: 1 triangle, 3 vertices, 3 open edges and 0 non-manifold edges$'
expect 0 query overlap lone.bvp --box 0,0,0,1,1,1
has err '^1 triangle$'
expect 0 query pairs lone.bvp lone.bvp
has err '^1 pair$'
expect 0 extract lone.bvp -o again.obj
has out '^again.obj: 1 triangle$'

expect 0 verify cube.bvp pair.bvp
has out '^cube.bvp: ok$'
has out '^pair.bvp: ok$'
expect 0 verify -q cube.bvp
empty out
expect 0 verify --json cube.bvp
is 0.ok true
cp pair.bvp flipped.bvp
printf '\245' | dd of=flipped.bvp bs=1 seek=2300 conv=notrunc 2>/dev/null
expect 1 verify flipped.bvp
has out '^flipped.bvp: 1\. rule [A-Z]+-[0-9]+, byte [0-9]+: '
[ "$(sed 's/.* rule \([A-Z0-9-]*\).*/\1/' out | sort | uniq -d | wc -l)" = 0 ] || bad "verify says a rule twice"
run pack "$src/samples/models/rob.obj" -q -o many.bvp
for at in 1500 1700 2300 2400; do printf '\245' | dd of=many.bvp bs=1 seek=$at conv=notrunc 2>/dev/null; done
expect 1 verify many.bvp
lines=$(wc -l <out)
has out ' \(and [0-9]+ more\)$'
expect 1 verify --all many.bvp
[ "$(wc -l <out)" -gt "$lines" ] || bad "verify --all is not longer"
expect 1 verify --all --max 1 many.bvp
[ "$(wc -l <out)" = 1 ] || bad "verify --max does not stop"
expect 1 verify --json flipped.bvp cube.bvp
is 0.ok false
is 1.ok true
"$json" 0.findings.0.rule <out | grep -qE '^[A-Z]+-[0-9]+$' || bad "a finding has no rule"
head -c 5000 pair.bvp >cut.bvp
expect 1 verify cut.bvp
expect 4 info cut.bvp
has err '^bvpack: cut.bvp: .*rule'
# a model where a packed file belongs: first what to do
for question in 'info cube.obj' 'dump cube.obj' 'query closest cube.obj --point 0,0,0' 'view cube.obj -o x.png' \
  'clash cube.obj' 'diff cube.obj cube.bvp' 'extract cube.obj -o x.stl' 'repack cube.obj -o x.bvp'; do
  # shellcheck disable=SC2086 # words
  expect 4 $question
  has err '^bvpack: cube.obj: this is not a packed file; pack the model first: bvpack pack cube.obj -o cube.bvp \('
done
expect 3 issues cube.obj
has err 'cube.obj: expected a packed file, or the list of issues .* bvpack pack cube.obj -o cube.bvp$'
expect 1 verify cube.obj
has err 'pack the model first: bvpack pack cube.obj -o cube.bvp$'
cp cube.obj 'two words.obj'
expect 4 info 'two words.obj'
has err 'pack the model first: bvpack pack MODEL -o FILE.bvp$'
cp cube.obj really.bvp
expect 4 info really.bvp
has err 'really.bvp: byte 0: rule HDR-1'
expect 3 info missing.bvp
expect 3 verify missing.bvp
expect 0 dump pair.bvp
has out 'header.magic'
lines=$(wc -l <out)
expect 0 dump pair.bvp --section PART
[ "$(wc -l <out)" -lt "$lines" ] || bad "dump --section is not shorter"
has out 'triangle_count'
expect 0 dump pair.bvp --offset 0 --size 64
[ "$(wc -l <out)" -lt "$lines" ] || bad "dump --size is not shorter"
expect 2 dump pair.bvp --section NOPE
expect 4 dump cube.obj

# ---- query: two unit cubes on the x axis ------------------------------------------------------------

expect 0 query collide cube.bvp cube.bvp --place-b 0.5,0,0
has out '^yes$'
expect 0 query collide cube.bvp cube.bvp --place-b 1,0,0
has out '^yes$'
expect 0 query collide cube.bvp cube.bvp --place-b 1.0000001,0,0
has out '^no$'
expect 0 query collide cube.bvp cube.bvp --place-b=-3,0,0 --json
is collide false
expect 1 query collide cube.bvp cube.bvp --exit-code
expect 0 query collide cube.bvp cube.bvp --place-b 9,9,9 --exit-code
expect 0 query collide cube.bvp cube.bvp --place-a '1 0 0 5 0 1 0 0 0 0 1 0' --place-b '5;0;0;0;0;90'
has out '^yes$'
expect 0 query collide pair.bvp
has out '^yes$'

expect 0 query distance cube.bvp cube.bvp --place-b 3,0,0
has out '^distance 2$'
has out '^a 1 .*part #0 "cube", instance @0 "cube", triangle [0-9]+$'
has out '^b 3 '
expect 0 query distance cube.bvp cube.bvp -b 3,0,0 --json --stats
near distance 2
near point_a.0 1
near point_b.0 3
is a.part_name cube
is found true
"$json" stats.nodes <out >/dev/null || bad "no statistics"
expect 0 query distance cube.bvp cube.bvp -b 3,0,0 --limit 1.5 --json
is found false
expect 0 query distance cube.bvp cube.bvp -b 3,0,0 --limit 1.5
has out 'farther'
expect 0 query distance cube.bvp cube.bvp -b 3,0,0 --tolerance 0.5 --json
near distance 2
near lower 1.5
expect 2 query distance cube.bvp cube.bvp -b 3,0,0 --tolerance -1
expect 0 query distance pair.bvp pair.bvp -b 12,0,0 --limit 1cm
has out '^distance 10 mm$'
expect 0 query distance cube.bvp cube.bvp --stats
has err '^nodes [0-9]'
lacks out 'nodes'

expect 0 query within cube.bvp cube.bvp -b 3,0,0 --delta 2
has out '^yes$'
expect 0 query within cube.bvp cube.bvp -b 3,0,0 --delta 1.999
has out '^no$'
expect 1 query within pair.bvp pair.bvp -b 12,0,0 --delta 10.5mm --exit-code --json
is within true
expect 2 query within cube.bvp cube.bvp --delta 5mm
has err 'unit'
expect 2 query within cube.bvp cube.bvp --delta 5parsecs
expect 2 query within cube.bvp cube.bvp --delta -1
expect 2 query within cube.bvp cube.bvp
has err '--delta'

expect 0 query pairs cube.bvp cube.bvp -b 0.5,0.25,0.125 --json
is complete true
count=$("$json" count <out)
is pairs "$count"
[ "$count" -gt 3 ] || bad "only $count pairs"
expect 0 query pairs cube.bvp cube.bvp -b 0.5,0.25,0.125
[ "$(wc -l <out)" = "$count" ] || bad "text and JSON list different pairs"
has out '^@0 #0 [0-9]+  @0 #0 [0-9]+  (cross|touch)$'
has err "^$count pairs$"
expect 0 query pairs cube.bvp cube.bvp -b 0.5,0.25,0.125 --count
has out "^$count$"
expect 0 query pairs cube.bvp cube.bvp -b 0.5,0.25,0.125 --max 2 --json
is count 2
is complete false
expect 0 query pairs cube.bvp cube.bvp -b 0.5,0.25,0.125 --max "$count" --json
is complete true
"$bvpack" query pairs pair.bvp 2>err | head -1 >out
has out '^@[01] #[01] '
lacks err 'rror'

expect 0 query ray cube.bvp --origin 0.3,0.4,5 --direction 0,0,-2
has out '^t 2  point 0.3 0.4 1  normal 0 0 1  part #0 "cube", instance @0 "cube", triangle'
expect 0 query ray cube.bvp --origin 0.3,0.4,5 -d 0,0,-1 --json
near t 4
near point.2 1
expect 0 query ray cube.bvp --origin 0.3,0.4,1 -d 0,0,1
has out '^t 0  point'
for z in 0 1; do # from a face, either way: zero has no sign
  for way in 1 -1; do
    expect 0 query ray cube.bvp --origin "0.3,0.4,$z" -d "0,0,$way" --all
    lacks out '[^0-9.e]-0([^.0-9]|$)'
    expect 0 query ray cube.bvp --origin "0.3,0.4,$z" -d "0,0,$way" --all --json
    lacks out '[^0-9.e]-0([^.0-9]|$)'
  done
done
expect 0 query ray cube.bvp --origin 0.3,0.4,5 -d 0,0,1
has out '^no hit$'
expect 0 query ray cube.bvp --origin 0.3,0.4,5 -d 0,0,-1 --t-max 3 --any
has out '^no$'
expect 1 query ray cube.bvp --origin 0.3,0.4,5 -d 0,0,-1 --any --exit-code
expect 0 query ray cube.bvp --origin 0.3,0.4,5 -d 0,0,-1 --all --json
is count 2
near hits.0.t 4
near hits.1.t 5
expect 2 query ray cube.bvp --origin 0,0,0
expect 2 query ray cube.bvp --origin 0,0,0 -d 0,0,0
expect 2 query ray cube.bvp --origin 0,0 -d 0,0,1
has err 'expected 3 numbers, found 2'
expect 2 query ray cube.bvp --origin 0,0,x -d 0,0,1
expect 2 query ray cube.bvp --origin 0,0,0 -d 0,0,1 --any --all
expect 2 query ray cube.bvp --origin 0,0,0 -d 0,0,1 --t-min 2 --t-max 1

expect 0 query closest cube.bvp --point 0.25,0.5,4
has out '^distance 3$'
has out '^point 0.25 0.5 1  part #0'
expect 0 query closest cube.bvp --point 0.25,0.5,4 --json --place 0,0,1
near distance 2
expect 0 query closest cube.bvp --point 0.25,0.5,4 --limit 2.5 --json
is found false
expect 2 query closest cube.bvp

expect 0 query overlap cube.bvp --box 0.9,0.1,0.1,3,0.2,0.2 --json
"$json" triangles.0.id <out >/dev/null || bad "no triangle in the box"
expect 0 query overlap cube.bvp --box 0,0,0,1,1,1 --count
has out '^12$'
expect 0 query overlap cube.bvp --sphere 0.5,0.5,0.5,0.4
empty out
has err '^0 triangles$'
expect 0 query overlap cube.bvp --sphere 0.5,0.5,0.5,2
[ "$(wc -l <out)" = 12 ] || bad "the sphere does not touch all triangles"
expect 0 query overlap cube.bvp --planes 0,0,1,-1 --json
"$json" count <out >/dev/null || bad "no count"
expect 0 query overlap cube.bvp --planes 0,0,1,-1.5 --count
has out '^0$'
expect 2 query overlap cube.bvp
expect 2 query overlap cube.bvp --box 1,0,0,0,1,1
expect 2 query overlap cube.bvp --sphere 0,0,0,-1
expect 2 query overlap cube.bvp --planes 0,0,1
expect 2 query overlap cube.bvp --box 0,0,0,1,1,1 --sphere 0,0,0,1

expect 0 query convex cube.bvp --shape box:1,1,1 --place-shape 2,0.5,0.5 --limit 0.4 --json
is found false
expect 0 query convex cube.bvp --shape sphere:0.25 --place-shape 0.5,0.5,0.5
has out '^distance 0.25'
expect 1 query convex cube.bvp --shape capsule:0.1,1 --place-shape 0.5,0.5,1.5 --limit 0 --exit-code --json
is distance 0
expect 0 query convex cube.bvp --shape hull:2,0,0,3,0,0,3,1,0
has out '^distance 1'
expect 2 query convex cube.bvp
expect 2 query convex cube.bvp --shape box:1,2
expect 2 query convex cube.bvp --shape sphere:-1
expect 2 query convex cube.bvp --shape cylinder:1,1 --place-shape 2,0,0,0,0,2,0,0,0,0,2,0

expect 0 query instances pair.bvp --point 0.5,0.5,4 --nearest 9 --json
near instances.0.distance 2
is instances.0.hit.part 1
is instances.1.hit.part 0
expect 0 query instances pair.bvp --point 0.5,0.5,4
has out '^2  part #1 "tool", instance @'
[ "$(wc -l <out)" = 1 ] || bad "more than the nearest instance"
expect 1 query instances pair.bvp --point 0.5,0.5,4 --nearest 9 --limit 2.5mm --exit-code
[ "$(wc -l <out)" = 1 ] || bad "an instance beyond the limit"
expect 0 query instances cube.bvp --box 0.4,0.4,0.4,0.6,0.6,0.6
empty out
expect 0 query instances cube.bvp --box 0.4,0.4,0.4,0.6,0.6,0.6 --bounds --json
is instances.0.instance 0
expect 2 query instances pair.bvp
expect 2 query instances pair.bvp --box 0,0,0,1,1,1 --point 0,0,0
expect 2 query instances pair.bvp --box 1,0,0,0,1,1
expect 2 query instances pair.bvp:tool --point 0,0,0
has err 'one part'

# instances by selectors
expect 0 query closest pair.bvp --point 0.5,0.5,-3 --only tool --json
is hit.part 1
expect 0 query closest pair.bvp --point 0.5,0.5,-3 --without 'tool' --json
is hit.part 0
expect 0 query closest pair.bvp --point 0.5,0.5,-3 --only cube --only tool --without cube --json
is hit.part 1
expect 0 query overlap pair.bvp --box -9,-9,-9,9,9,9 --only cube --count
has out '^12$'
expect 0 query ray pair.bvp --origin 0.3,0.4,5 -d 0,0,-2 --without cube --without tool
has out '^no hit$'
expect 0 query distance pair.bvp pair.bvp --only-a cube --without-b cube --json
is a.part 0
is b.part 1
expect 0 query collide pair.bvp pair.bvp --only-a cube --without-b tool --place-a 0.5,0,0
has out '^yes$'
expect 0 query collide pair.bvp --only-a cube
has out '^no$'
expect 2 query closest pair.bvp --point 0,0,0 --only hammer
has err '"hammer" selects no instance'
expect 2 query closest pair.bvp --point 0,0,0 --only cube --without cube
expect 2 query closest pair.bvp:tool --point 0,0,0 --only tool
expect 2 query closest pair.bvp --point 0,0,0 --only =
expect 2 query collide pair.bvp --only-b tool
has err 'only-b needs a second operand'

# operands: parts, instances
expect 0 query closest pair.bvp:tool --point 9,1,1 --json
near distance 7
is hit.part 1
expect 0 query closest 'pair.bvp:#0' --point 9,0.5,0.5
has out '^distance 8 mm$'
has out '^point 1 0.5 0.5  part #0 "cube", triangle [0-9]+$'
expect 0 query closest pair.bvp:@tool --point 9,1,1 --json
is hit.node_name tool
expect 0 query distance pair.bvp:@0 pair.bvp:@1
has out '^distance 0 mm$'
expect 2 query closest pair.bvp:TOOL --point 0,0,0
has err 'did you mean "tool"'
expect 2 query closest 'pair.bvp:#7' --point 0,0,0
expect 2 query closest pair.bvp:@nothing --point 0,0,0
cp pair.bvp 'odd:name.bvp'
expect 0 query closest odd:name.bvp:tool --point 9,1,1
expect 0 query closest odd:name.bvp --point 9,1,1
expect 3 query closest missing.bvp:tool --point 0,0,0
expect 4 query collide cube.obj cube.bvp
expect 2 query collide cube.bvp --place-b 1,0,0
expect 2 query collide cube.bvp:cube
has err 'second operand'
expect 0 query distance cube.bvp
has out 'not two instances'
expect 2 query collide cube.bvp cube.bvp --place-b 1,0
expect 2 query collide cube.bvp cube.bvp --place-b '0 0 0 0 0 0 0 0 0 0 0 0'
expect 2 query collide cube.bvp cube.bvp cube.bvp

# batches
printf '# x positions\n0.5 0 0\n\n3,0,0\n1 0 0 3 0 1 0 0 0 0 1 0\n' >path
expect 0 query collide cube.bvp cube.bvp --batch path
[ "$("$json" --lines <out)" = 3 ] || bad "not three lines of JSON"
has out '^\{"line":2,"collide":true\}$'
has out '^\{"line":5,"collide":false\}$'
expect 0 query distance cube.bvp cube.bvp --batch path
[ "$(grep -cE '"distance":2(\.0{9}[0-9]*)?,' out)" = 2 ] || bad "distances of a batch"
expect 1 query within cube.bvp cube.bvp --delta 1 --batch path --exit-code
has out '^\{"line":4,"within":false\}$'
for i in $(seq 1 2500); do echo "0.3 0.4 $i 0 0 -1"; done >rays
"$bvpack" query ray cube.bvp --batch - <rays >out 2>err || bad "a batch of rays"
[ "$("$json" --lines <out)" = 2500 ] || bad "not 2500 lines of JSON"
has out '^\{"line":2500,"found":true,"t":2499,'
expect 0 query ray cube.bvp --batch rays --any
has out '^\{"line":7,"found":true\}$'
printf '0.5 0.5 3\n' >points
expect 0 query closest cube.bvp --batch points
has out '"distance":2(\.0{9}[0-9]*)?,'
printf '0.5 0.5 3\n1 2\n' >points
expect 3 query closest cube.bvp --batch points
has err '^bvpack: points:2: expected a point'
[ "$(wc -l <out)" = 1 ] || bad "the good line before a bad one is not answered"
expect 3 query closest cube.bvp --batch missing
expect 2 query collide cube.bvp cube.bvp --batch path --place-b 0,0,0

# ---- extract ---------------------------------------------------------------------------------------

content() { "$bvpack" info --json --parts "$1" | "$json" parts.0.content_hash; }
expect 0 tetra.stl -q
for format in stl obj ply glb; do
  expect 0 extract tetra.bvp -o back.$format
  has out "^back.$format: 4 triangles$"
  expect 0 pack back.$format -o back.bvp -q
  [ "$(content back.bvp)" = "$(content tetra.bvp)" ] || bad "$format changes the mesh"
done
expect 0 extract pair.bvp -o pair.glb -q
empty out
expect 0 pack pair.glb -o pair2.bvp -q
expect 0 info --json --parts --tree pair2.bvp
is part_count 2
is instance_count 2
expect 0 extract pair.bvp --part tool -o tool.stl
has out '12 triangles'
"$bvpack" extract pair.bvp --part '#1' --format stl -o - 2>err | cmp - tool.stl || bad "extract to a pipe"
expect 2 extract pair.bvp
expect 2 extract pair.bvp -o pair.xyz
has err 'format'
expect 2 extract pair.bvp -o pair.bvp
expect 2 extract pair.bvp -o x.stl --part nothing
expect 7 extract pair.bvp -o missing/x.stl
expect 7 extract pair.bvp --format stl -o /dev/full
expect 4 extract cube.obj -o x.stl
[ ! -e x.stl ] || bad "a failed extract leaves a file"
no_leftovers

# ---- view ------------------------------------------------------------------------------------------

expect 0 view cube.bvp -o cube.png
[ "$(head -c 8 cube.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || bad "not a PNG"
expect 4 view cube.obj -o x.png
for name in cube.jpg cube.jpeg cube.JPG .jpg cube.png.jpg; do
  expect 2 view cube.bvp -o $name
  has err "$name: .*end the name with .png"
  [ ! -e $name ] || bad "a PNG that is called $name"
done
expect 0 view cube.bvp -o plain
cmp -s plain cube.png || bad "a picture without an ending is no PNG"
"$bvpack" view cube.bvp -o - >piped && cmp -s piped cube.png || bad "a picture on standard output is no PNG"
: >empty.bvp
expect 4 info empty.bvp
has err 'the file is empty'
for kind in wide boxtree aabb obb rss; do
  expect 0 pack cube.obj -o kind.bvp --hierarchy $kind --leaf 2 -q
  for colour in shade leaf level; do
    expect 0 view kind.bvp -o $colour.png --size 120x80 --color $colour
  done
  cmp -s shade.png leaf.png && bad "no colours of the leaves of $kind"
  cmp -s leaf.png level.png && bad "the colours of the levels of $kind are those of its leaves"
done
no_leftovers

# ---- names that would command a terminal, and a model that a user has ------------------------------

printf '\033' >esc
{ printf 'o bad%s[31mname\n' "$(cat esc)"; tail -n +2 cube.obj; } >escape.obj
expect 0 escape.obj
expect 0 info --parts --tree escape.bvp
LC_ALL=C grep -q "$(cat esc)" out && bad "an escape sequence reaches the terminal"
has out 'bad.*\[31mname'
expect 0 info --json --parts escape.bvp
"$json" parts.0.name <out >/dev/null || bad "JSON with an escape"

model=$src/samples/models/irb6640_cell12.glb
if [ -f "$model" ]; then
  expect 0 pack "$model" -o cell.bvp
  has out 'instances'
  expect 0 verify cell.bvp
  expect 0 query collide cell.bvp --json
  expect 0 info --tree --json cell.bvp
  "$json" nodes <out >/dev/null || bad "the tree as JSON"
fi

echo "$checks checks"
exit $fail
