# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Figures out of a CSV of results (results.sh has its form), for goals.sh, readme.sh and table.sh. They set
# $results to its path before; a figure that is not in it is empty.
results=${results:?}

value() { # PROTOCOL SCENE QUESTION WHO
  awk -F, -v protocol="$1" -v scene="$2" -v question="$3" -v who="$4" '
    $1 == protocol && $2 == scene && $3 == question && $4 == who { print $5; exit }' "$results"
}
ours() { value "$1" "$2" "$3" bvpack; } # PROTOCOL SCENE QUESTION
scenes() { # PROTOCOL: in the order of their rows
  awk -F, -v protocol="$1" '$1 == protocol && !seen[$2]++ { print $2 }' "$results"
}
# A protocol's values as rows SCENE,QUESTION,WHO,VALUE... of these measures, "-" for one that is missing. With "who"
# a row for each who asked; with "all" one for each question, and a measure is WHO:MEASURE, a blank in WHO is "_"
wide() { # PROTOCOL who|all MEASURE...
  awk -F, -v protocol="$1" -v by="$2" -v measures="${*:3}" '
    BEGIN { n = split(measures, measure, " "); for (k = 1; k <= n; k++) column[measure[k]] = k }
    $1 == protocol {
      what = $3
      sub(/.* /, "", what)
      row = $2 "," substr($3, 1, length($3) - length(what) - 1) "," (by == "who" ? $4 : "")
      if (by == "all") {
        who = $4
        gsub(/ /, "_", who)
        what = who ":" what
      }
      if (!(what in column)) next
      if (!seen[row]++) order[++rows] = row
      value[row, column[what]] = $5
    }
    END {
      for (r = 1; r <= rows; r++) {
        line = order[r]
        for (k = 1; k <= n; k++) line = line "," ((order[r], k) in value ? value[order[r], k] : "-")
        print line
      }
    }' "$results"
}
machine() { # what the results are of, in a line
  awk -F, '$1 == "machine" && !($3 in is) { is[$3] = $5 }
    END { printf "%s, %s cores, %s, effort %s", is["processor"], is["cores"], is["compiler"], is["effort"] }' "$results"
}
cad_parts() { scenes part; } # which the means go over

# The fastest FCL's figures of a scene and query: ours | FCL | times | poses that differ
pair() { # PROTOCOL SCENE QUERY
  wide "$1" who us times_slower poses_that_differ ours_us | awk -F, -v scene="$2" -v query="$3" '
    $1 != scene || $2 != query { next }
    $3 == "bvpack" { ours = $4 }
    $3 ~ /^FCL/ && (!us || $4 < us) { us = $4; times = $5; differ = $6; if ($7 != "-") ours = $7 }
    END { if (us) printf "%s|%s|%s|%s\n", ours, us, times, differ }'
}
# The geometric mean over scenes of how many times slower the fastest FCL is
times() { # PROTOCOL QUERY SCENE...
  local scene
  for scene in "${@:3}"; do pair "$1" "$scene" "$2"; done |
    awk -F'|' '{ sum += log($3); n++ } END { if (n) printf "%.3g", exp(sum / n) }'
}
# The least of these, over the same scenes
worst() { # PROTOCOL QUERY SCENE...
  local scene
  for scene in "${@:3}"; do pair "$1" "$scene" "$2"; done |
    awk -F'|' '!n++ || $3 < least { least = $3 } END { if (n) printf "%.3g", least }'
}
# Of a protocol's scenes the fastest of a peer's trees, as rows SCENE,QUERY,OURS,ITS,TIMES,WORST QUESTION'S,WHO WAS STOPPED:
# "ours", the peer, "both" (and then the times say nothing) or "-"
fastest() { # PROTOCOL FCL|PQP
  wide "$1" who ours_us us times_slower times_slower_worst stopped ours_stopped | awk -F, -v peer="$2" '
    index($3, peer) != 1 { next }
    !(($1, $2) in times) { order[++n] = $1 SUBSEP $2 }
    !(($1, $2) in times) || $6 < times[$1, $2] {
      times[$1, $2] = $6
      stopped = $8 > 0 ? $9 > 0 ? "both" : peer : $9 > 0 ? "ours" : "-"
      line[$1, $2] = $1 "," $2 "," $4 "," $5 "," $6 "," $7 "," stopped
    }
    END { for (k = 1; k <= n; k++) print line[order[k]] }'
}
# How many scenes that mean is over
count_of() { # PROTOCOL QUERY SCENE...
  local scene
  for scene in "${@:3}"; do pair "$1" "$scene" "$2"; done | wc -l
}
# How many times slower another hierarchy of ours is; the fastest one's, where a name fits several
own() { # PROTOCOL SCENE QUERY NAME
  wide "$1" who times_slower | awk -F, -v scene="$2" -v query="$3" -v name="$4" '
    $1 == scene && $2 == query && $3 ~ name && (!n++ || $4 < least) { least = $4 }
    END { if (n) print least }'
}
# Bytes a triangle, of a member of info, without another
bytes() { # SCENE MEMBER [LESS]
  awk -F, -v scene="$1" -v member="$2" -v less="${3:-}" '
    $1 != "size" || $2 != scene { next }
    $3 == member { size += $5 } $3 == less { size -= $5 } $3 == "unique_triangle_count" { count = $5 }
    END { if (count) printf "%.2f", size / count }' "$results"
}
large_parts() { # the CAD parts of more than 40,000 triangles
  local part
  while read -r part; do
    [ "$(ours size "$part" unique_triangle_count)" -le 40000 ] || echo "$part"
  done < <(cad_parts)
}
largest() { # PROTOCOL SCENE MEASURE
  wide "$1" who "$3" | awk -F, -v scene="$2" '$1 == scene && $4 > most { most = $4 } END { print most }'
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
