#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of a clash report: that nothing out of a file becomes markup, and, in Chromium by
# WebDriver, that a click on a row shows the pair in 3D, that sorting and filters work.
# $BVP_SHOTS: a folder that gets a picture of the page.
set -u
make_report=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/make_report")
json=$(realpath "${BVP_BUILDDIR:-.}/tests/cli/json_check")
[ -x "$make_report" ] || { echo "no program to test: $make_report"; exit 77; }
scratch=$(mktemp -d) && trap 'stop; rm -rf "$scratch"' EXIT
export LC_ALL=C
fail=0 driver='' session=''
page=$scratch/report.html

stop() {
  [ -z "$session" ] || curl -s -X DELETE "$session" >"$scratch/deleted"
  [ -z "$driver" ] || kill "$driver"
}
bad() { echo "FAILED: $*"; fail=1; }

# ---- the bytes

"$make_report" "$scratch/rig.bvp" "$page" || bad "no report"
"$make_report" "$scratch/rig.bvp" "$scratch/again.html" 1 1 || bad "no report"
cmp "$page" "$scratch/again.html" || bad "another page with one thread"
[ "$(grep -c 'owned' "$page")" -gt 0 ] || bad "the evil name is not there"
! grep -qF '<script>document.title' "$page" || bad "a name became a script"
! grep -qF '<img src=x' "$page" || bad "a part number became an element"
! grep -qE '(src|href)="?(https?:)?//' "$page" || bad "the page asks a network"
tail -1 "$page" | grep -q '</html>' || bad "the page has no end"
# the rows are JSON
sed -n '/id="rows">/,/^\]<\/script>/p' "$page" | sed '1s/.*id="rows">//; $s/<.*//' >"$scratch/rows.json"
[ "$("$json" 0.verdict <"$scratch/rows.json")" = penetrating ] || bad "the rows are no JSON"
[ $fail = 0 ] || exit 1

# ---- the browser

for program in chromium chromedriver curl; do
  command -v $program >"$scratch/which" ||
    { echo "skipped the browser's part: there is no $program"; exit 77; }
done
grep -q bvpackView= "$page" || { echo "skipped the browser's part: built without three.js"; exit 77; }

chromedriver --port=0 >"$scratch/driver" 2>&1 &
driver=$!
for ((i = 0; i < 300; i++)); do
  port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$scratch/driver")
  [ -z "$port" ] || break
  sleep .1
done
[ -n "$port" ] || { echo "skipped the browser's part: chromedriver does not start"; exit 77; }

# call METHOD PATH [JSON]: the answer
call() {
  curl -s -m 120 -X "$1" -H 'Content-Type: application/json' ${3+-d "$3"} "$session$2"
}
session=http://127.0.0.1:$port
answer=$(call POST /session '{"capabilities":{"alwaysMatch":{"browserName":"chrome","goog:chromeOptions":{
  "binary":"'"$(command -v chromium)"'","args":["--headless=new","--no-sandbox","--disable-dev-shm-usage",
  "--use-angle=swiftshader","--enable-unsafe-swiftshader","--window-size=1500,900","--user-data-dir='"$scratch"'/profile"]}}}}')
id=$("$json" value.sessionId <<<"$answer") || { session=''; echo "skipped the browser's part: $answer"; exit 77; }
session=$session/session/$id

# run SCRIPT: what the script in the page returns
run() {
  local body
  body=$(sed 's/\\/\\\\/g; s/"/\\"/g' <<<"$1" | tr '\n' ' ')
  call POST /execute/sync '{"script":"'"$body"'","args":[]}' | "$json" value
}
# element SELECTOR: its WebDriver id
element() {
  call POST /element '{"using":"css selector","value":"'"${1//\"/\\\"}"'"}' | sed -n 's/.*"element-[^"]*":"\([^"]*\)".*/\1/p'
}
click() { call POST "/element/$(element "$1")/click" '{}' >"$scratch/clicked"; }
type_into() { call POST "/element/$(element "$1")/value" '{"text":"'"$2"'"}' >"$scratch/typed"; }
expect() { # WHAT SCRIPT VALUE
  local found
  found=$(run "$2")
  [ "$found" = "$3" ] || bad "$1: $found, not $3"
}
shot() {
  [ -z "${BVP_SHOTS-}" ] || call GET /screenshot | "$json" value | base64 -d >"$BVP_SHOTS/$1.png"
}
# How many pixels of the view are of side A, of side B: by their hues
pixels() {
  run 'const from = document.querySelector("#stage canvas"), to = document.createElement("canvas");
    to.width = 400; to.height = 300;
    const c = to.getContext("2d"); c.drawImage(from, 0, 0, 400, 300);
    const p = c.getImageData(0, 0, 400, 300).data; let a = 0, b = 0;
    for (let i = 0; i < p.length; i += 4) if (p[i + 3] > 50) { if (p[i] > 1.5 * p[i + 2]) a++; if (p[i + 2] > 1.5 * p[i]) b++; }
    return a + " " + b;'
}

call POST /url '{"url":"file://'"$page"'"}' >"$scratch/loaded"
rows='return document.querySelectorAll("#pairs tbody tr[data-id]").length'
first='return document.querySelector("#pairs tbody tr[data-id]").dataset.id'
expect "title" 'return document.title.includes("owned")' false
expect "rows" "$rows" 9
expect "elements out of names" 'return document.querySelectorAll("#pairs b, #pairs i, #facts b, header b, header i").length' 0
expect "pictures" 'return document.querySelectorAll("#pairs img").length' 8
expect "pictures decode" 'return document.querySelector("#pairs img").naturalWidth > 100' true

# the row of the plate and the evil pin: both are there, the plate larger
click 'tr[data-id="00000000000000000000000100000000"] td:nth-child(2)'
expect "selected" 'return document.getElementById("detail").dataset.id' 00000000000000000000000100000000
expect "facts" 'return document.getElementById("facts").textContent.includes("rig/plate")' true
read -r a b <<<"$(pixels)"
if [ "${a:-0}" -lt 5000 ] || [ "${b:-0}" -lt 500 ]; then bad "the 3D view shows $a pixels of A and $b of B"; fi
shot selected

# the larger part is to be seen through; without it
expect "A" 'return document.querySelector("#tools button").textContent' "A: clear"
click '#tools button:nth-child(1)'
expect "A" 'return document.querySelector("#tools button").textContent' "A: hidden"
read -r a b <<<"$(pixels)"
if [ "${a:-1}" -gt 50 ] || [ "${b:-0}" -lt 1000 ]; then bad "A is hidden, yet there are $a pixels of it, and $b of B"; fi
click '#tools button:nth-child(1)'

# another pair, whose larger part comes in a piece near the contact
click 'tr[data-id="00000000000000000000000200000000"] td:nth-child(2)'
expect "selected" 'return document.getElementById("detail").dataset.id' 00000000000000000000000200000000
expect "note" 'return document.getElementById("note").textContent.includes("near the contact")' true
read -r a b <<<"$(pixels)"
if [ "${a:-0}" -lt 5000 ] || [ "${b:-0}" -lt 500 ]; then bad "the 3D view shows $a pixels of A and $b of B"; fi
shot second

# a resolved one has nothing to show
click 'tr[data-id="00000000000000000000000900000000"] td:nth-child(2)'
expect "no view" 'return document.getElementById("stage").hidden' true

# sorting by gap: the deepest first, then the widest; rows without a number last, then first
click '#pairs th:nth-child(3) button'
expect "deepest first" "$first" 00000000000000000000000100000000
expect "sorted" 'return document.querySelector("#pairs th:nth-child(3)").ariaSort' ascending
click '#pairs th:nth-child(3) button'
expect "other end first" 'return [...document.querySelectorAll("#pairs tbody tr[data-id]")].map(r => r.dataset.id.slice(23, 24)).indexOf("7") < 2' true

# filters: a verdict, a group, words
click '.chip[data-verdict="touching"]'
expect "without touching" "$rows" 7
click '.chip[data-verdict="touching"]'
expect "with them again" "$rows" 9
click '#group option:nth-child(2)'
expect "one group" "$rows" 5
click '#group option:nth-child(1)'
type_into '#text' 'near block'
expect "words" "$rows" 1
expect "the row" "$first" 00000000000000000000000400000000
expect "count" 'return document.getElementById("count").textContent' "1 of 9"
click '#coverage summary'
expect "coverage" 'return document.getElementById("coverage").textContent.includes("excluded by rules1")' true
shot filtered
exit $fail
