#!/bin/bash
# SPDX-License-Identifier: MIT
# The results of a benchmark run as Markdown. Usage: table.sh RESULTS.csv
set -eu
here=$(cd "$(dirname "$0")" && pwd)
results=$1
# shellcheck source=tests/bench/numbers.sh
. "$here/numbers.sh"

heading() { # COLUMN...
  local column line="|" rule="|"
  for column in "$@"; do line+=" $column |" rule+="---|"; done
  printf '\n%s\n%s\n' "$line" "$rule"
}

# What of a table's rows is usual and what is worst, from lines NAME,RATIO,WHERE: of each name the geometric mean, and
# the least ratio or, of times over ours, the largest
summary() { # least|largest
  awk -F, -v which="$1" -v head="$(heading "of these" rows mean worst "worst is")" '
    !($2 > 0) { next }
    !($1 in n) { order[++names] = $1 }
    !n[$1]++ || (which == "least" ? $2 + 0 < worst[$1] : $2 + 0 > worst[$1]) { worst[$1] = $2 + 0; where[$1] = $3 }
    { sum[$1] += log($2) }
    END {
      if (names) print "\n" head
      for (k = 1; k <= names; k++) {
        name = order[k]
        printf "| %s | %d | %.3g | **%.3g** | %s |\n", name, n[name], exp(sum[name] / n[name]), worst[name], where[name]
      }
    }'
}

echo "$(machine); one thread; microseconds a query, medians of rounds in which all"
echo "are asked in turn; in brackets the quartiles of the ratio."
heading protocol scene query peer poses bvpack peer "times faster" "at the worst pose" "answers that differ" \
  "of these ours wrong"
for protocol in tumble approach mover facing; do
  wide $protocol who poses ours_us us times_slower times_slower_q1 times_slower_q3 times_slower_worst poses_that_differ ours_wrong |
    awk -F, -v protocol=$protocol '$3 != "bvpack" {
      printf "| %s | %s | %s | %s | %d | %.1f | %.1f | **%.1f** (%.1f-%.1f) | %s | %d | %d |\n",
             protocol, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 }'
done
for protocol in tumble approach mover facing; do
  fastest $protocol FCL | awk -F, -v protocol=$protocol '{ print protocol " " $2 "," $5 "," $1 }
    $6 != "-" { print protocol " " $2 " at the worst pose," $6 "," $1 }'
done | summary least
heading "hard case" query bvpack "faster FCL" "times faster" "at the worst question" "stopped after a second" "answers that differ"
while IFS=, read -r scene query us fcl times worst stopped; do
  differ=$(wide hard who poses_that_differ | awk -F, -v scene="$scene" -v query="$query" '
    $1 == scene && $2 == query && $3 ~ /^FCL/ && $4 > most { most = $4 } END { print most + 0 }')
  echo "| $scene | $query | $us | $fcl | **$times** | $worst | $stopped | $differ |"
done < <(fastest hard FCL)
if [ -n "$(fastest hard PQP)" ]; then
  heading "hard case" query bvpack PQP "times faster" "at the worst question" "stopped after a second"
  fastest hard PQP | awk -F, '{ printf "| %s | %s | %s | %s | **%s** | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
  fastest hard PQP | awk -F, '$7 != "both" { print $2 "," $5 "," $1; print $2 " at the worst question," $6 "," $1 }' | summary least
fi
fastest hard FCL | awk -F, '$7 != "both" { print $2 "," $5 "," $1; print $2 " at the worst question," $6 "," $1 }' | summary least
heading assembly "pairs, query" count bvpack "FCL OBBRSS" "times faster" "at the worst pair" "answers that differ"
wide mating all bvpack:{count,us} FCL_OBBRSS:{us,times_slower,times_slower_q1,times_slower_q3,times_slower_worst,pairs_that_differ} |
  awk -F, '{ printf "| %s | %s | %d | %.1f | %.1f | **%.1f** (%.1f-%.1f) | %s | %d |\n", $1, $2, $4, $5, $6, $7, $8, $9, $10, $11 }'
wide mating all FCL_OBBRSS:times_slower | awk -F, '{ print $2 "," $4 "," $1 }' | summary least
heading "clash and 5 mm clearance" instances pairs "bvpack, s" "two threads" "with contacts of what penetrates" \
  "least distances" "and all contacts" "FCL's manager: clash" clearance "times faster" "path to first verdict" MB "pack, s" MB
while read -r plant; do
  line="| $plant | $(ours size "${plant}_tree" instance_count) |"
  for asked in "verdicts pairs" "verdicts seconds" "verdicts seconds/2" "verdicts and contacts seconds" \
    "distances seconds" "contacts seconds" "clash seconds/FCL manager" "within seconds/FCL manager" times \
    "path to first verdict seconds" "clash MB/2" "pack seconds/2" "pack MB/2"; do
    case $asked in
      times)
        got=$(over "$(plus "$(value clash "$plant" 'clash seconds' 'FCL manager')" \
          "$(value clash "$plant" 'within seconds' 'FCL manager')")" "$(ours clash "$plant" 'verdicts seconds')")
        got=${got:+**$got**}
        ;;
      */2) got=$(value clash "$plant" "${asked%/2}" "bvpack on 2 threads") ;;
      */FCL*) got=$(value clash "$plant" "${asked%/*}" "FCL manager") ;;
      *) got=$(ours clash "$plant" "$asked") ;;
    esac
    line+=" ${got:--} |"
  done
  echo "$line"
done < <(scenes clash)
heading "warm starts on a path" query placements plain warm "plain / warm" "answers that differ" "FCL OBBRSS" "FCL / warm"
wide warm all bvpack:{placements,plain_us,warm_us,plain_over_warm,answers_that_differ} FCL_OBBRSS:{us,over_warm} |
  awk -F, '{ printf "| %s | %s | %d | %.2f | %.2f | **%.1f** | %d | %s | %s |\n", $1, $2, $4, $5, $6, $7, $8, $9, $10 }'
wide warm all bvpack:plain_over_warm | awk -F, '{ print $2 ": plain / warm," $4 "," $1 }' | summary least
heading model "solid shape: question" poses who "us" "times ours" "quartiles" "at the worst pose" "answers that differ"
wide convex who poses us times_slower times_slower_q1 times_slower_q3 times_slower_worst poses_that_differ |
  awk -F, '{ printf "| %s | %s | %s | %s | %s | **%s** | %s-%s | %s | %s |\n", $1, $2, $4, $3, $5, $6, $7, $8, $9, $10 }'
heading "parts of" "moving bodies" "" pairs "boxes, us" "pairs, us" "a step, us" "the worst" "times faster" "at the worst step" \
  "steps that differ"
wide broad who pairs move_us pairs_us step_us worst_us times_slower times_slower_q1 times_slower_q3 times_slower_worst steps_that_differ |
  awk -F, '{ printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8,
             $9 == "-" ? "" : "**" $9 "** (" $10 "-" $11 ")", $12, $13 }'
heading scene rays "bvpack, million a second: one a call" batched library "its own" "one / its" "worst block" "batched / its" \
  "worst block" "answers that differ"
for protocol in rays closest; do
  wide $protocol who one_a_call batched one_over_it one_over_it_q1 one_over_it_q3 one_over_it_worst batched_over_it \
    batched_over_it_worst differ | awk -F, '
      $3 == "bvpack" { one[$1, $2] = $4; batched[$1, $2] = $5; next }
      $3 != "" && $6 != "-" {
        printf "| %s | %s | %s | %s | %s | %s | **%s** (%s-%s) | %s | **%s** | %s | %s |\n", $1, $2, one[$1, $2],
               batched[$1, $2], $3, $4 == "-" ? $5 : $4, $6, $7, $8, $9, $10, $11, $12 }'
done
heading scene rays library "with --rays, floats / its" "worst block" "batched / its" "worst block"
wide rays who floats_over_it floats_over_it_worst floats_batched_over_it floats_batched_over_it_worst | awk -F, '
  $4 != "-" { printf "| %s | %s | %s | **%s** | %s | **%s** | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
wide rays who floats_over_it floats_batched_over_it | awk -F, '$4 != "-" && $3 ~ /^Embree (medium|compact robust)/ {
  print $2 ": --rays, floats / " $3 "," $4 "," $1
  print $2 ": --rays, floats, batched / " $3 "," $5 "," $1 }' | summary least
for protocol in rays closest; do
  wide $protocol who one_over_it batched_over_it | awk -F, '$4 != "-" && $3 ~ /^Embree (medium|compact robust)/ {
    print $2 ": one a call / " $3 "," $4 "," $1
    print $2 ": batched / " $3 "," $5 "," $1 }'
done | summary least
heading model library "build, s, one thread" "bytes a triangle" "file to first answer, cold, s" "warm, s" \
  "a process's own, KiB" "shared, KiB" "own of each of 16, KiB"
wide start who triangles build_s bytes_per_triangle cold_s warm_s own_kib shared_kib own_kib_of_16 |
  awk -F, '{ printf "| %s (%d) | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $4, $3, $5, $6, $7, $8, $9, $10, $11 }'
heading file "process, page cache" "opened, us" "and first answer, us" "resident, KiB"
wide open who open_us first_answer_us resident_kib | awk -F, '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $4, $5, $6 }'
heading file "asked in a cold file" pages
wide open who pages | awk -F, '{ printf "| %s | %s | %s |\n", $1, $2, $4 }'
heading file "on it" "all, KiB" "of each its own" resident shared
wide memory who {all_of_them,private,resident,shared}_KiB{,_each} |
  awk -F, '{ printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $4, $7, $9, $11 }'
heading assembly question instances "us of the assembly" "of one part with all triangles" ratio "answers that differ"
wide instances who instances assembly_us flat_us ratio answers_that_differ |
  awk -F, '{ printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $4, $5, $6, $7, $8 }'
wide instances all bvpack:ratio | awk -F, '{ print $2 "," $4 "," $1 }' | summary largest
heading model build who seconds "million triangles a second a thread" "bytes a triangle in memory"
wide build who wall_s mtri_per_processor_s peak_bytes |
  awk -F, '{ printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }'
