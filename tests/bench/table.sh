#!/bin/bash
# SPDX-License-Identifier: MIT
# The table of README from the CSV files of a benchmark run. Usage: table.sh DIRECTORY
set -eu
cd "$1"
echo "$(paste -sd, machine.txt | sed 's/,/, /g'); one thread; microseconds a query."
echo
echo "| scene | query | bvpack | FCL OBBRSS | ratio | answers that differ |"
echo "|---|---|---|---|---|---|"
for csv in *.a.csv *.b.csv *.d.csv *.f.csv; do
  [ -f "$csv" ] || continue
  name=${csv%.?.csv}
  awk -F, -v name="$name" 'NR > 1 && $4 == "bvpack" { ours = $6 }
    NR > 1 && $4 != "bvpack" {
      printf "| %s, %s | %s | %.1f | %.1f | **%.1f** | %d |\n", $1, name, $3, ours, $6, $8, $9 }' "$csv"
done
echo
echo "| assembly | pairs | query | count | bvpack | FCL OBBRSS | ratio | answers that differ |"
echo "|---|---|---|---|---|---|---|---|"
for csv in *.g.csv; do
  [ -f "$csv" ] || continue
  awk -F, -v name="${csv%.g.csv}" 'NR > 1 {
    printf "| %s | %s | %s | %d | %.1f | %.1f | **%.1f** | %d |\n", name, $1, $2, $3, $4, $5, $6, $7 }' "$csv"
done
echo
echo "| scene | rays | bvpack, million a second: one a call | batched | Embree medium | robust | one / medium | batched / medium | one / robust | answers that differ |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for csv in *.r.csv; do
  awk -F, -v name="${csv%.r.csv}" 'NR > 1 {
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
           name, $1, $5, $6, $7, $8, $9, $10, $11, $12 }' "$csv"
done
echo
echo "| file | process | page cache | opened, us | and first answer, us | resident, KiB |"
echo "|---|---|---|---|---|---|"
for csv in *.open.csv; do
  awk -F, -v name="${csv%.open.csv}" '/^(fresh|used),/ {
    printf "| %s | %s | %s | %s | %s | %s |\n", name, $1, $2, $3, $4, $6 }' "$csv"
done
echo
echo "| file | pages of a cold ray | collide | distance | 16 processes on it, KiB | of each its own |"
echo "|---|---|---|---|---|---|"
for csv in *.open.csv; do
  awk -F, -v name="${csv%.open.csv}" '/^(ray|collide|distance),/ { pages = pages " " $2 " |" }
    /^16,/ { printf "| %s |%s %s | %s |\n", name, pages, $2, $3 }' "$csv"
done
for csv in *.instances.csv; do
  [ -f "$csv" ] || continue
  echo
  echo "| ${csv%.instances.csv} | instances | us of the assembly | of one part with all triangles | ratio | answers that differ |"
  echo "|---|---|---|---|---|---|"
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' "$csv"
done
[ -f plant_2M.build.csv ] || exit 0
echo
echo "| build | triangles | threads | seconds | million triangles a second a thread | bytes a triangle in memory |"
echo "|---|---|---|---|---|---|"
for threads in 1 2; do
  csv=plant_2M.build.csv
  [ $threads = 1 ] || csv=plant_10M.build.csv
  awk -F, -v threads=$threads 'NR > 1 && /^[a-z]/ {
    printf "| %s | %s | %d | %s | %s | %s |\n", $1, $2, threads, $3, $5, $6 }' $csv
done
