#!/bin/bash
# SPDX-License-Identifier: MIT
# What a clash report's pictures show: contacts that are hidden in something, the dimension with its number, what is
# around in its colours; the same bytes for any number of threads.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >which || { echo "skipped: there is no python3"; exit 77; }

corners='0 0 0,1 0 0,1 1 0,0 1 0,0 0 1,1 0 1,1 1 1,0 1 1'
cube() { # COLOUR
  printf 'mtllib c.mtl\nusemtl %s\n' "$1"
  tr , '\n' <<<"$corners" | sed 's/^/v /'
  printf 'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n'
}
printf 'newmtl green\nKd .1 .7 .1\n' >c.mtl
cube green >green.obj
cube none | sed 1,2d >cube.obj
sed '/f 5 6 7 8/d' cube.obj >open.obj
box() { # MESH NAME PLACE SIZE
  printf '{"mesh": "%s", "name": "%s", "placement": [%s, 0, 0, %s, 0, %s, 0, %s, 0, 0, %s, %s]}\n' "$1" "$2" \
    "${4%%,*}" "${3%%,*}" "$(cut -d, -f2 <<<"$4")" "$(cut -d, -f2 <<<"$3")" "${4##*,}" "${3##*,}"
}
model() { # NAME: packs the lines of standard input
  { echo '{"bvpack_manifest": 1, "unit": "mm"}'; cat; } >"$1.jsonl"
  expect 0 pack -q "$1.jsonl" -o "$1.bvp"
}
# shows MODEL ARGUMENTS...: of the first picture of its report; in `out`
shows() {
  expect 0 clash "$1.bvp" -q "${@:2}" -r "$1.html"
  sed -n 's/.*id="picture-0">\([^<]*\)<.*/\1/p' "$1.html" | base64 -d >"$1.png"
  python3 "$src/tests/cli/check_picture.py" "$1.png" "$src/tools/view/picture_text.c" >out 2>err || bad "no picture: $(tail -1 err)"
  [ -z "${BVP_SHOTS-}" ] || cp "$1.png" "$BVP_SHOTS/picture-$1.png"
}
# many KIND MOST: that many pixels at least; few KIND: none but some of a line
many() { local n; checks=$((checks + 1)); n=$(sed -n "s/^$1 //p" out); [ "${n:-0}" -ge "$2" ] || bad "$n pixels are $1, not $2"; }
few() { local n; checks=$((checks + 1)); n=$(sed -n "s/^$1 //p" out); [ "${n:-1}" -le "${2:-60}" ] || bad "$n pixels are $1"; }

# a small box in a large one: hidden, but cut open; both have the plane there
{ box cube.obj tank 0,0,0 100,100,100; box cube.obj valve 40,40,40 20,20,20; } | model hidden
shows hidden
[ "$(sed -n 's/^width //p' out)x$(sed -n 's/^height //p' out)" = 480x360 ] || bad "of another size"
many yellow 4000
many salmon 20000
few green
lacks out '^text'
# an open tank is not solid: it is not hatched, what is inside is
{ box open.obj tank 0,0,0 100,100,100; box cube.obj valve 40,40,40 20,20,20; } | model open
shows open
few yellow
few salmon
many pale_blue 4000

# a bar through a plate, with the depth
{ box cube.obj plate 0,0,0 100,100,10; box cube.obj bar 45,45,-57.7 10,10,60; } | model deep
shows deep
many yellow 60
many salmon 4000
has out '^text 2.3 mm deep$'
# a thin bar far into a box: the plane goes along the bar, not only through the corner that is deepest
{ box cube.obj box 0,0,0 100,100,100; box cube.obj bar -60,48,47 100,3,3; } | model thin
shows thin
many yellow 1000
has out '^text [0-9.]* mm deep$'
# three millimetres apart, cut through both, a green box near by
{ box cube.obj one 0,0,0 40,10,10; box cube.obj other 43.1,0,0 40,10,10; } | model apart
shows apart -c 5mm
has out '^text 3.1 mm apart$'
many salmon 3000
many pale_blue 3000
few yellow
few green
{ cat apart.jsonl | sed 1d; box green.obj third -50,15,-50 180,5,110; box green.obj front -400,-400,-400 900,300,900; } | model around
shows around -c 5mm
has out '^text 3.1 mm apart$'
many green 2000
many salmon 3000
many pale_blue 3000

# many at once; threads change nothing
for ((i = 0; i < 150; i++)); do
  box cube.obj "a$i" $((i * 100)),0,0 40,40,40
  box cube.obj "b$i" "$((i * 100 + 35)).$i,$i,0" 40,40,40
done | model many
expect 0 clash many.bvp -q -j 1 -r one.html -r one.bcf
[ "$(grep -c 'id="picture-' one.html)" = "$(grep -o '"begins":' one.html | wc -l)" ] || bad "not a picture an issue"
for jobs in 2 5; do
  expect 0 clash many.bvp -q -j $jobs -r again.html
  sed '/id="run"/d' one.html >one
  sed '/id="run"/d' again.html >again
  same one again
done
echo "pictures: $checks checks"
exit $fail
