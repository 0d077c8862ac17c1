#!/bin/bash
# SPDX-License-Identifier: MIT
# Names, texts and paths that hold escape sequences, marks of text direction and formulas: whatever verb tells
# them, on output or standard error, the terminal gets none of them raw, and a spreadsheet no formula.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
models=$src/samples/models
told=0

# Controls but tab and line feed; U+0080 to U+009F; U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069
raw='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]'
marks=($'\e]0;owned\a' $'\e[2J' $'\xc2\x9b31m' $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\xd8\x9c' $'\x7f' $'\r')
json_marks=('\u001b]0;owned\u0007' '\u001b[2J' '\u009b31m' '\u202e' '\u2066' '\u061c' '\u007f' '\r')

# look WHAT: nothing raw in out and err
look() {
  checks=$((checks + 1))
  if grep -qaP "$raw" out; then bad "$1: raw on output: $(grep -aP "$raw" out | head -1 | cat -v)"; fi
  if grep -qaP "$raw" err; then bad "$1: raw on standard error: $(grep -aP "$raw" err | head -1 | cat -v)"; fi
  if grep -qaE 'vil(\\x|<)|\\u' out err; then told=$((told + 1)); fi
}
# try STATUS ARGUMENTS...: STATUS may be "any"
try() {
  local wanted=$1 status
  shift
  "$bvpack" "$@" >out 2>err </dev/null
  status=$?
  [ "$wanted" = any ] || [ $status = "$wanted" ] ||
    bad "exit code $status, not $wanted: $(printf '%q ' "$@"): $(head -2 err | cat -v)"
  look "$(printf '%q ' "$@" | cut -c1-120)"
}

cp "$models/plate_holes.STL" p.stl
for i in "${!marks[@]}"; do
  mark=${marks[i]} json=${json_marks[i]} evil=vil${marks[i]}x
  rm -rf work && mkdir work && cd work || exit 99
  cp ../p.stl "$evil.stl"
  cat >m.jsonl <<JSON
{"bvpack_manifest": 1, "unit": "mm", "up": "z"}
{"id": "P-$json", "mesh": "vil${json}x.stl", "name": "vil${json}x", "part_number": "vil${json}x", "properties": {"vil${json}key": "vil${json}value"}}
{"id": "a", "part": "P-$json", "name": "vil${json}a"}
{"id": "b", "part": "P-$json", "name": "vil${json}b", "placement": [1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0]}
JSON
  if [ "$mark" = $'\r' ]; then cp ../p.stl $'vil\rx.stl'; fi
  try 0 pack m.jsonl -o f.bvp
  try 0 info --parts --tree --provenance f.bvp
  try 0 info --json --parts --tree f.bvp
  try 0 query ray f.bvp --origin 30,30,200 --direction 0,0,-1
  try 0 query ray f.bvp --origin 30,30,200 --direction 0,0,-1 --json
  try 0 query instances f.bvp --box 0,0,0,50,50,50
  try 0 query pairs f.bvp f.bvp --max 3
  try any query ray "f.bvp:$evil" --origin 30,30,200 --direction 0,0,-1
  try any query ray "f.bvp:none$evil" --origin 30,30,200 --direction 0,0,-1
  try any query ray f.bvp --only "none$evil" --origin 30,30,200 --direction 0,0,-1
  try 0 dump f.bvp
  try 0 clash f.bvp --report r.csv --report r.jsonl --report r.html
  sed 's/\r$//' r.csv | cat - r.jsonl >out # lines of CSV end with both
  look "clash reports"
  try 0 diff f.bvp f.bvp
  try 0 pack -q ../p.stl --unit mm -o other.bvp
  try any diff f.bvp other.bvp
  try 0 extract f.bvp -o x.glb
  try any extract f.bvp --part "none$evil" -o x.stl
  try 0 split f.bvp --store "store$evil" -o thin.bvp
  rm -rf "store$evil"/??
  for verb in "verify" "info --parts" "extract -o y.glb" "repack -o y.bvp" "view -o y.png -q" "clash" "merge -o y.bvp"; do
    # shellcheck disable=SC2086 # options
    try any $verb thin.bvp
  done
  echo "{\"rules\": [{\"name\": \"vil${json}r\", \"a\": \"nothing${json}\", \"exclude\": true}]}" >rules.json
  try 2 clash f.bvp --rules rules.json
  echo "{\"rules\": [{\"vil${json}r\": 1}]}" >rules.json
  try any clash f.bvp --rules rules.json
  echo "{\"vil${json}r\": " >"$evil.json"
  try any clash f.bvp --rules "$evil.json"
  echo "{\"id\": \"vil${json}line\"}" >state
  try any clash f.bvp --state state
  try any clash f.bvp --baseline state
  try any "$evil" f.bvp
  try any pack "--$evil" p.stl
  try any pack "none$evil.stl" -o n.bvp
  printf 'v 0 0 %s\n' "$evil" >"$evil.obj"
  try any pack "$evil.obj" -o n.bvp
  printf 'o %s\nusemtl %s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' "${evil//$'\r'/}" "${evil//$'\r'/}" >o.obj
  try 0 pack o.obj --unit mm -o o.bvp
  try 0 info --parts --tree o.bvp
  printf '{"asset": {"version": "2.0"}, "extensionsRequired": ["vil%sx"], "meshes": [{"name": "vil%sm", "primitives": [{"attributes": {"POSITION": 9}}]}]}' \
    "$json" "$json" >g.gltf
  try any pack g.gltf -o n.bvp
  printf '{"asset": {"version": "2.0"}, "buffers": [{"uri": "vil%sx.bin", "byteLength": 12}], "bufferViews": [{"buffer": 0, "byteLength": 12}]}' "$json" >g.gltf
  try any pack g.gltf -o n.bvp
  try any refit f.bvp --motion "none$evil.json" -o n.bvp
  BVPACK_STORE="none$evil" try any info --parts thin.bvp
  cd ..
done
[ $told -gt 150 ] || bad "only $told of $checks outputs told an escaped name: what is tested?"

# ---- formulas in CSV -------------------------------------------------------------------------------

i=0
for sign in = + - @ '\t' '\r'; do
  i=$((i + 1))
  cat >m.jsonl <<JSON
{"bvpack_manifest": 1, "unit": "mm", "up": "z"}
{"id": "P", "mesh": "p.stl", "name": "part"}
{"id": "a", "part": "P", "name": "${sign}HYPERLINK(1)"}
{"id": "b", "part": "P", "name": "${sign}cmd", "placement": [1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0]}
JSON
  "$bvpack" pack -q m.jsonl -o c$i.bvp && "$bvpack" clash c$i.bvp --report c.csv >out 2>err || bad "a name with $sign: $(cat err)"
  grep -q 'HYPERLINK' c.csv || bad "the name with $sign is not in the report"
  sed -i 's/\r$//' c.csv
  grep -aE "(^|,)\"?[=+@$(printf '\t\r')]" c.csv >found && bad "a formula in a cell, $sign: $(cat -v found | head -1)"
  grep -aE '(^|,)"?-[^0-9]' c.csv >found && bad "a formula in a cell, $sign: $(cat -v found | head -1)"
done

echo "$checks outputs looked at, $told told an escaped name"
exit $fail
