#!/bin/bash
# SPDX-License-Identifier: MIT
# The form .xlsx of a clash report: what the .csv has, read by Python from the archive's XML; the same bytes whatever
# the number of threads and the time zone.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >which || { echo "skipped: there is no python3"; exit 77; }

{
  for corner in '0 0 0' '1 0 0' '1 1 0' '0 1 0' '0 0 1' '1 0 1' '1 1 1' '0 1 1'; do echo "v $corner"; done
  printf 'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n'
} >cube.obj
{
  echo '{"bvpack_manifest": 1, "unit": "mm"}'
  for name in '=1+1' '=cmd|calc' '+49 1' '-pipe' '@SUM(A1)' '_x0041_ tag' '<b>&quot;' "'quoted" 'tab\tin' 'b\u001bc' 'line\nbreak' \
    '\u00e4\u4e2d\ud83d\ude00' 'a\u202eb' ' blank ' '=2' '_x00' 'plain'; do
    echo "$name"
  done | awk '{ printf "{\"mesh\": \"cube.obj\", \"name\": \"%s\", \"part_number\": \"%s\", \"placement\": {\"translate\": [%g, 0, 0]}}\n", $0, $0, NR * .75 }'
} >m.jsonl
export SOURCE_DATE_EPOCH=1600000000
expect 0 pack -q m.jsonl -o m.bvp
run clash m.bvp -c 0.6 -q -r m.csv -r m.xlsx
if grep -q 'built without libzip' err; then
  [ $status = 2 ] || bad "exit code $status without libzip"
  echo "skipped: built without libzip"
  exit 77
fi
[ $status = 0 ] || bad "exit code $status: $(cat err)"
for jobs in 1 3; do
  TZ=Pacific/Auckland expect 0 clash m.bvp -c 0.6 -q -j $jobs -r again.xlsx
  same again.xlsx m.xlsx
done
check() { # XLSX CSV
  checks=$((checks + 1))
  python3 "$src/tests/cli/check_xlsx.py" "$1" "$2" >said 2>&1 || bad "$1: $(tail -3 said)"
  cat said
}
check m.xlsx m.csv
grep -qE ' [1-9][0-9]+ texts like formulas' said || bad "no texts like formulas"
python3 -c 'import sys, zipfile; print(zipfile.ZipFile("m.xlsx").read("docProps/core.xml").decode())' >out
has out '>2020-09-13T12:26:40Z</dcterms:created>'

# resolved pairs are in no issue; nothing at all; a whole robot cell
expect 0 clash m.bvp -c 0.6 -q -r m.jsonl
sed -E '1s/"id":"[0-9a-f]{8}/"id":"01234567/; 1s/"instance_a":[0-9]+/"instance_a":null/; 1s/"a":"[^"]*"/"a":"=gone"/' m.jsonl >old.jsonl
expect 0 clash m.bvp -c 0.6 -q --baseline old.jsonl -r new.csv -r new.xlsx
has new.csv ',resolved,'
check new.xlsx new.csv
expect 0 clash m.bvp -q --verdicts duplicate -r empty.csv -r empty.xlsx
check empty.xlsx empty.csv
expect 0 pack -q "$src/samples/models/irb6640_cell12.glb" -o cell.bvp
expect 0 clash cell.bvp -c 5mm -q -r cell.csv -r cell.xlsx
check cell.xlsx cell.csv
echo "xlsx: $checks checks"
exit $fail
