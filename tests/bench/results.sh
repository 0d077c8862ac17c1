#!/bin/bash
# SPDX-License-Identifier: MIT
# A benchmark run's files as one CSV, one value a row: protocol,scene,question,who,value. The question's last word is
# what was measured ("collide us"), as the benchmark's column is called; run_bench.sh says what the protocols are.
# The first rows say which machine it was; the rows with "part" name the CAD parts over which the goals' means go.
# Usage: results.sh DIRECTORY
set -eu
export LC_ALL=C
cd "$1"
echo "protocol,scene,question,who,value"

# a run of clashes alone leaves the machine's other results as they are, so that its own machine has another scene
scene=
[ -f parts.txt ] || scene=clash
awk -v scene="$scene" -v name="$(cat name.txt)" '
  function put(question, value) { gsub(/,/, ";", value); printf "machine,%s,%s,,%s\n", scene, question, value }
  BEGIN { put("name", name) }
  NR == 1 { put("processor", $0) }
  NR == 2 { put("cores", $1) }
  NR == 3 { put("compiler", $0) }
  NR == 4 { put("effort", $2) }' machine.txt
[ ! -f parts.txt ] || awk '{ printf "part,%s,number,,%d\n", $1, NR }' parts.txt

files=()
for kind in tumble mover facing hard mating warm broad convex penetration candidates tables rays open start build import refit export instances clash info; do
  for file in *."$kind".csv *."$kind".json; do
    [ ! -f "$file" ] || files+=("$file")
  done
done
awk -F, '
  function put(protocol, question, who, measure, value) {
    if (value == "") return
    question = (question == "" ? "" : question " ") measure
    if (seen[protocol, scene, question, who]++) {
      printf "results.sh: %s has %s, %s, %s twice\n", FILENAME, protocol, question, who >"/dev/stderr"
      exit 1
    }
    printf "%s,%s,%s,%s,%s\n", protocol, scene, question, who, value
  }
  # The columns from the first on; those that say what a peer did are its own
  function columns(protocol, question, who, first,   k, name) {
    for (k = first; k <= NF; k++) {
      name = head[k]
      if ((kind, name) in peer) put(protocol, question, peer[kind, name], its[kind, name], $k)
      else put(protocol, question, who, name, $k)
    }
  }
  function threads(n) { return n == 1 ? "" : " on " n " threads" }
  BEGIN { # protocol, column, whose it is, what it is called there
    n = split("mating peer_us FCL_OBBRSS us|mating times_slower FCL_OBBRSS times_slower|" \
              "mating times_slower_q1 FCL_OBBRSS times_slower_q1|mating times_slower_q3 FCL_OBBRSS times_slower_q3|" \
              "mating times_slower_worst FCL_OBBRSS times_slower_worst|" \
              "mating pairs_that_differ FCL_OBBRSS pairs_that_differ|" \
              "warm peer_us FCL_OBBRSS us|warm peer_over_warm FCL_OBBRSS over_warm|" \
              "warm peer_answers_that_differ FCL_OBBRSS answers_that_differ", list, "|")
    for (k = 1; k <= n; k++) {
      split(list[k], name, " ")
      gsub(/_/, " ", name[3])
      peer[name[1], name[2]] = name[3]
      its[name[1], name[2]] = name[4]
    }
  }
  FNR == 1 {
    n = split(FILENAME, name, ".")
    scene = name[1]
    kind = name[n - 1]
  }
  FNR == 1 || kind == "open" && /^(process|question|processes),/ {
    for (k = 1; k <= NF; k++) head[k] = $k
    if (kind != "info") next
  }
  kind == "info" && /^  "[a-z_]*_(size|count)": [0-9]+,$/ {
    gsub(/[ ":]/, " ", $1)
    split($1, name, " ")
    put("size", "", "bvpack", name[1], name[2])
  }
  kind == "info" { next }
  kind == "clash" && /^# only / { # "# only WHO: QUESTION: NUMBER[, gaps LEAST to LARGEST]"
    split(substr($0, 3), name, ": ")
    who = name[1] == "only ours" ? "bvpack" : "FCL manager"
    put(kind, name[2], who, "pairs_only_it_finds", name[3] + 0)
    if (NF > 1) {
      split($2, name2, " ")
      put(kind, name[2], who, "least_gap_of_those", name2[2])
      put(kind, name[2], who, "largest_gap_of_those", name2[4])
    }
    next
  }
  kind == "clash" && /^# .*: (yes|no)$/ { # what has to hold
    n = split(substr($0, 3), name, ": ")
    gsub(/,/, "", name[1])
    put(kind, name[1], "", "holds", name[2])
    next
  }
  kind == "clash" && /^# / { # "# QUESTION: NUMBER pairs of boxes, NUMBER clear, ..."
    split(substr($1, 3), name, ": ")
    $1 = name[2]
    for (k = 1; k <= NF; k++) {
      number = text = $k
      sub(/^ *[0-9]+ /, "", text)
      gsub(/ /, "_", text)
      put(kind, name[1], "bvpack", text, number + 0)
    }
    next
  }
  /^#/ { next } # what follows from the rows above it
  kind == "tumble" || kind == "mover" || kind == "facing" || kind == "hard" {
    protocol = $1 # approach beside tumble in a file; facing with the gap; hard by name
    if (kind == "facing") {
      protocol = kind
      scene = "sheets " substr($1, 8)
    }
    if (kind == "hard") {
      protocol = kind
      scene = $1
    }
    if (!seen[protocol, scene, "triangles", ""]) put(protocol, "", "", "triangles", $2)
    columns(protocol, $3, $4, 5)
  }
  kind == "mating" { columns(kind, $1 " " $2, "bvpack", 3) }
  kind == "penetration" {
    scene = $1
    columns(kind, "", $2, 3)
  }
  kind == "candidates" { columns(kind, $1, $2, 3) }
  kind == "tables" { columns(kind, $1, "bvpack", 2) }
  kind == "convex" { columns(kind, $1 " " $3, $4, 5) }
  kind == "broad" { columns(kind, $1 " " $2, $3, 4) }
  kind == "refit" { columns(kind, $1 " " $3, "bvpack", 4) }
  kind == "warm" || kind == "instances" { columns(kind, $1, "bvpack", 2) }
  kind == "rays" { # a row for each who was asked; our two ways are both our own
    protocol = $1 == "closest" ? $1 : kind
    question = $1 == "closest" ? "points" : $1
    if ($5 == "bvpack batched") put(protocol, question, "bvpack", "batched", $6)
    else {
      if ($5 == "bvpack") for (k = 2; k <= 4; k++) put(protocol, question, "", head[k], $k)
      put(protocol, question, $5, $5 ~ / (packets|stream)$/ ? "batched" : "one_a_call", $6)
      columns(protocol, question, $5, 7)
    }
  }
  kind == "open" && head[1] == "process" { columns(kind, $1 " " $2, "bvpack", 3) }
  kind == "open" && head[1] == "question" { columns(kind, $1, "bvpack", 2) }
  kind == "open" && head[1] == "processes" {
    for (k = 2; k <= NF; k++) {
      measure = head[k]
      gsub(/ /, "_", measure)
      put("memory", $1 " processes", "bvpack", measure, $k)
    }
  }
  kind == "start" { columns(kind, "", $1, 2) }
  kind == "build" && /^Embree/ { columns(kind, "build", $1 threads($2), 3) }
  kind == "build" && !/^Embree/ { columns(kind, $1, "bvpack" threads($2), 3) }
  kind == "import" { columns(kind, $1, $2, 3) }
  kind == "export" { columns(kind, $1 " " $2, "bvpack", 3) }
  kind == "clash" {
    if ($3 ~ /^MB to /) put(kind, substr($3, 7), $1 threads($2), "MB", $4)
    else {
      put(kind, $3, $1 threads($2), "seconds", $4)
      put(kind, $3, $1 threads($2), "pairs", $5)
    }
  }' "${files[@]}"
