#!/bin/bash
# SPDX-License-Identifier: MIT
# All rows of a benchmark run as Markdown. Usage: table.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"
cd "$1"
echo "$(paste -sd, machine.txt | sed 's/,/, /g'); one thread; microseconds a query, medians of rounds in which all"
echo "are asked in turn; in brackets the quartiles of the ratio."
echo
echo "| scene | query | peer | poses | bvpack | peer | times faster | answers that differ | of these ours wrong |"
echo "|---|---|---|---|---|---|---|---|---|"
for csv in *.a.csv *.b.csv *.f.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.?.csv}" 'NR > 1 && $4 != "bvpack" {
    printf "| %s, %s | %s | %s | %d | %.1f | %.1f | **%.1f** (%.1f-%.1f) | %d | %d |\n",
           $1, name, $3, $4, $5, $10, $6, $8, $11, $12, $9, $13 }' "$csv"
done
echo
echo "| assembly | pairs | query | count | bvpack | FCL OBBRSS | times faster | answers that differ |"
echo "|---|---|---|---|---|---|---|---|"
for csv in *.g.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.g.csv}" 'NR > 1 {
    printf "| %s | %s | %s | %d | %.1f | %.1f | **%.1f** (%.1f-%.1f) | %d |\n",
           name, $1, $2, $3, $4, $5, $6, $8, $9, $7 }' "$csv"
done
echo
echo "| clash and 5 mm clearance | instances | pairs | bvpack, s | two threads | with contacts of what penetrates | least distances | and all contacts | FCL's manager: clash | clearance | times faster | path to first verdict | MB | pack, s | MB |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for csv in *.k.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.k.csv}" -v instances="$(member "${csv%.k.csv}_tree.info.json" instance_count)" '
    { s[$1 "," $2 "," $3] = $4; n[$1 "," $2 "," $3] = $5 }
    function of(key) { return (key in s) ? s[key] : "-" }
    END { ours = of("bvpack,1,verdicts"); fcl = of("FCL manager,1,clash") + of("FCL manager,1,within")
      times = fcl > 0 ? sprintf("**%.0f**", fcl / ours) : "-"
      printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, instances,
             n["bvpack,1,verdicts"], ours, of("bvpack,2,verdicts"), of("bvpack,1,verdicts and contacts"),
             of("bvpack,1,distances"), of("bvpack,1,contacts"),
             of("FCL manager,1,clash"), of("FCL manager,1,within"), times,
             of("bvpack,1,path to first verdict"), of("bvpack,2,MB to clash"), of("bvpack,2,pack"),
             of("bvpack,2,MB to pack") }' "$csv"
done
echo
echo "| path (M) | query | placements | plain | warm | plain / warm | answers that differ | FCL OBBRSS | FCL / warm |"
echo "|---|---|---|---|---|---|---|---|---|"
for csv in *.m.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.m.csv}" 'NR > 1 {
    printf "| %s | %s | %d | %.2f | %.2f | **%.1f** | %d | %s | %s |\n", name, $1, $7, $2, $3, $4, $5, $8, $9 }' "$csv"
done
echo
echo "| scene | rays | bvpack, million a second: one a call | batched | Embree medium | robust | CGAL | one / medium | batched / medium | one / robust | one / CGAL | answers that differ: medium | robust | CGAL |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for csv in *.r.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.r.csv}" 'NR > 1 {
    printf "| %s | %s | %s | %s | %s | %s | %s | **%s** (%s-%s) | %s | %s | %s | %s | %s | %s |\n",
           name, $1, $5, $6, $7, $8, $16, $9, $14, $15, $10, $11, $17, $12, $13, $18 }' "$csv"
done
echo
echo "| model | library | build, s, one thread | bytes a triangle | file to first answer, cold, s | warm, s | a process's own, KiB | shared, KiB | own of each of 16, KiB |"
echo "|---|---|---|---|---|---|---|---|---|"
for csv in *.start.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.start.csv}" 'NR > 1 {
    printf "| %s (%d) | %s | %s | %s | %s | %s | %s | %s | %s |\n",
           name, $2, $1, $3, $4, $5, $6, $7, $8, $9 == "" ? "-" : $9 }' "$csv"
done
echo
echo "| file | process | page cache | opened, us | and first answer, us | resident, KiB |"
echo "|---|---|---|---|---|---|"
for csv in *.open.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.open.csv}" '/^(fresh|used),/ {
    printf "| %s | %s | %s | %s | %s | %s |\n", name, $1, $2, $3, $4, $6 }' "$csv"
done
echo
echo "| file | pages of a cold ray | collide | distance | processes on it | all, KiB | of each its own | resident | shared |"
echo "|---|---|---|---|---|---|---|---|---|"
for csv in *.open.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.open.csv}" '/^(ray|collide|distance),/ { pages = pages " " $2 " |" }
    /^(1|16),/ { printf "| %s |%s %s | %s | %s | %s | %s |\n", name, pages, $1, $2, $3, $4, $5 }' "$csv"
done
for csv in *.instances.csv; do
  [ -f "$csv" ] || continue
  echo
  echo "| ${csv%.instances.csv} | instances | us of the assembly | of one part with all triangles | ratio | answers that differ |"
  echo "|---|---|---|---|---|---|"
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' "$csv"
done
echo
echo "| model | build | threads | seconds | million triangles a second a thread | bytes a triangle in memory |"
echo "|---|---|---|---|---|---|"
for csv in *.build.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.build.csv}" 'NR > 1 && !/^#/ {
    printf "| %s | %s | %d | %s | %s | %s |\n", name, $1, $2, $3, $5, $7 }' "$csv"
done
