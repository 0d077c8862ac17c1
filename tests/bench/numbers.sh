# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Figures out of the CSV files of a benchmark run, for goals.sh and readme.sh, in the run's folder;
# nothing where there is no file.

# Which CAD parts the means go over
cad_parts() {
  if [ -f parts.txt ]; then cat parts.txt; else ls ./*.a.csv | sed 's|^\./||; s/\.a\.csv$//; /^plant/d'; fi
}
# The fastest FCL's figures of a scene and query: ours | FCL | times | poses that differ
pair() { # FILE SCENE QUERY
  [ -f "$1" ] || return 0
  awk -F, -v scene="$2" -v query="$3" '
    $1 == scene && $3 == query && $4 == "bvpack" { ours = $6 }
    $1 == scene && $3 == query && $4 ~ /^FCL/ && (!us || $6 < us) { us = $6; times = $8; differ = $9
      if ($10 != "") ours = $10 }
    END { if (us) printf "%s|%s|%s|%s\n", ours, us, times, differ }' "$1"
}
# The geometric mean, over NAME.a.csv and the like, of how many times slower the fastest FCL is
times() { # SCENE QUERY FILE...
  local scene=$1 query=$2 csv
  shift 2
  for csv in "$@"; do pair "$csv" "$scene" "$query"; done |
    awk -F'|' '{ sum += log($3); n++ } END { if (n) printf "%.3g", exp(sum / n) }'
}
# How many files that mean is over
count_of() { # SCENE QUERY FILE...
  local scene=$1 query=$2 csv
  shift 2
  for csv in "$@"; do pair "$csv" "$scene" "$query"; done | wc -l
}
# How many times slower another hierarchy of ours is; the fastest one's, where a name fits several
own() { # FILE SCENE QUERY NAME
  [ -f "$1" ] || return 0
  awk -F, -v scene="$2" -v query="$3" -v name="$4" '
    $1 == scene && $3 == query && $4 ~ name && (!n++ || $8 < least) { least = $8 }
    END { if (n) print least }' "$1"
}
# A field of the first line of a file that begins with a word
field() { # FILE WORD NUMBER
  [ -f "$1" ] || return 0
  awk -F, -v word="$2" -v number="$3" 'index($0, word) == 1 { print $number; exit }' "$1"
}
# Bytes a triangle, of a member of info, without another
bytes() { # FILE MEMBER [LESS]
  [ -f "$1" ] || return 0
  awk -F'[:,]' -v member="\"$2\"" -v less="\"${3:-}\"" '
    { gsub(/ /, "", $1) } $1 == member { size += $2 } $1 == less { size -= $2 }
    $1 == "\"unique_triangle_count\"" { count = $2 }
    END { printf "%.2f", size / count }' "$1"
}
# A member of info
member() { # FILE NAME
  [ -f "$1" ] || return 0
  awk -F'[:,]' -v name="\"$2\"" '{ gsub(/ /, "", $1) } $1 == name { print $2 + 0; exit }' "$1"
}
largest() { # FILE COLUMN
  [ -f "$1" ] || return 0
  awk -F, -v column="$2" 'NR > 1 && $column > most { most = $column } END { print most }' "$1"
}
# One number over another
over() { # A B
  [ -n "$1" ] && [ -n "$2" ] || return 0
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a / b }'
}
plus() { # A B
  [ -n "$1" ] && [ -n "$2" ] || return 0
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a + b }'
}
less() { # A B
  [ -n "$1" ] && [ -n "$2" ] || return 0
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a - b }'
}
