#!/bin/bash
# SPDX-License-Identifier: MIT
# Inputs of fuzz_clash_inputs into FOLDER: a byte that says what follows, then a state (which the target makes), a
# baseline, rules, and zones. Usage: BVPACK=... input_seeds.sh FOLDER
set -eu
folder=$1
cat >"$folder/boxes.jsonl" <<'END'
{"id": "box", "mesh": "box.off"}
{"part": "box", "name": "first"}
{"part": "box", "name": "through it", "placement": {"translate": [0.5, 0.1, 0]}}
{"part": "box", "name": "beside", "placement": {"translate": [2, 0, 0]}}
END
cat >"$folder/box.off" <<'END'
OFF
4 4 0
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 0 3 2
END
"$BVPACK" pack "$folder/boxes.jsonl" -q -o "$folder/boxes.bvp"
"$BVPACK" clash "$folder/boxes.bvp" -q -j 1 --clearance 0.5 --report "$folder/report.jsonl" >/dev/null
printf '\000' >"$folder/state.input"
{ printf '\001' && cat "$folder/report.jsonl"; } >"$folder/baseline.input"
{ printf '\004' && cat "$folder/report.jsonl"; } >"$folder/nights.input"
printf '\002%s' '{"rules": [{"name": "a", "a": "cube*", "b": "x=y", "allow": "1mm"}, {"a": "**", "clearance": 0.2,
  "touch": "1in"}, {"name": "off", "a": "cube1", "exclude": true}, {"a": "#0", "same_assembly": 1}]}' >"$folder/rules.input"
printf '\003%s' '{"zones": [{"name": "door", "shape": "box:0.9,0.2,2.1", "place": [0.5, 0, 0, 0, 0, 30]},
  {"hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1e3]], "clearance": "5mm"}, {"name": "rod", "place": "0,0,1",
  "shape": "capsule:0,3", "clearance": 0.1}, {"name": "point", "shape": "sphere:0", "comment": "x"}]}' >"$folder/zones.input"
id=0123456789abcdef0123456789abcdef
printf '\005%s\n%s\n' "{\"time\":\"2026-01-01T00:00:00Z\",\"issue\":\"$id\",\"author\":\"a\",\"status\":\"approved\"}" \
  "{\"time\":\"2026-01-02T00:00:00Z\",\"issue\":\"$id\",\"author\":\"b\",\"assignee\":\"c\",\"comment\":\"d\"}" >"$folder/said.input"
topic=a52ec948-a12f-83c8-8f5d-5f1f3484fbba # of that id
printf '\006%s' "<Markup><Topic Guid=\"$topic\" TopicType=\"Clash\" TopicStatus=\"Closed\"><Title>t</Title><Labels>new</Labels>
  <ModifiedDate>2026-01-02T03:04:05.6+07:00</ModifiedDate><ModifiedAuthor>a</ModifiedAuthor><AssignedTo>b</AssignedTo>
  <Description>Issue: $id [Open] []</Description></Topic><Comment Guid=\"01234567-0123-0123-0123-0123456789ab\">
  <Date>2026-01-02</Date><Author>a</Author><Comment>c &amp; d</Comment></Comment></Markup>" >"$folder/topic.input"
if "$BVPACK" clash "$folder/boxes.bvp" -q -j 1 --report "$folder/t.bcfzip" --pictures 0 2>/dev/null; then
  { printf '\007' && cat "$folder/t.bcfzip"; } >"$folder/archive.input"
fi
rm -f "$folder/t.bcfzip" "$folder"/boxes.* "$folder/box.off" "$folder/report.jsonl"
