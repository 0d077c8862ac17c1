#!/bin/bash
# SPDX-License-Identifier: MIT
# No recursion and a bounded stack in the reader: gcc's call graph of every source file has no cycle,
# no frame of variable size, and no chain of calls over 256 KiB.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
command -v gcc >/dev/null || { echo "check_stack: no gcc: skipped"; exit 77; }
echo 'int x;' >"$scratch/probe.c"
(cd "$scratch" && gcc -fcallgraph-info=su -c probe.c 2>/dev/null) ||
  { echo "check_stack: gcc without -fcallgraph-info: skipped"; exit 77; }

cores=$(nproc 2>/dev/null || echo 2)
graph() { # source suffix flags... : in the background, a few at a time
  while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
  graph_one "$@" &
}
graph_one() {
  local source=$1 object
  object=$(tr / _ <<<"${source%.c}")$2
  shift 2
  (cd "$scratch" && gcc -std=gnu11 -O2 -Wno-psabi -ffp-contract=off -I "$src/libfmt" "$@" -fcallgraph-info=su \
    -c "$src/$source" -o "$object.o") || echo "check_stack: $source does not compile" >>"$scratch/failed"
}

cd "$src" || exit 99
for source in $(find libfmt/base libfmt/format libfmt/node libfmt/prim libfmt/query libfmt/scene libfmt/clash -name '*.c' | sort); do
  case $source in
    *_kernel.c)
      graph "$source" _base -DBVPI_ISA=base
      [ "$(uname -m)" != x86_64 ] || graph "$source" _avx2 -DBVPI_ISA=avx2 -mavx2 -mfma ;;
    *) graph "$source" "" ;;
  esac
done
wait
[ ! -s "$scratch/failed" ] || { cat "$scratch/failed"; exit 1; }

cat >"$scratch/walk.awk" <<'AWK'
function text(line, key,   rest) {
  rest = substr(line, index(line, key ": \"") + length(key) + 3)
  return substr(rest, 1, index(rest, "\"") - 1)
}
# Functions of one file's static names carry its path: the two kernels must not be mixed.
function unique(name) { return name ~ /:/ ? FILENAME ":" name : name }
/^node:/ {
  name = unique(text($0, "title"))
  if (match($0, /[0-9]+ bytes \([a-z,]*\)/)) {
    found = substr($0, RSTART, RLENGTH)
    frame[name] = found + 0
    if (found ~ /dynamic/ && found !~ /bounded/) print "check_stack: frame of variable size: " name
  }
}
/^edge:/ {
  from = unique(text($0, "sourcename")); to = unique(text($0, "targetname"))
  if (to == "__indirect_call") { indirect[from] = 1; next }
  if (!seen[from, to]++) { calls[from] = calls[from] to "\n"; called[to] = 1 }
}
# The deepest chain of direct calls below a function; -1 marks what is being walked.
function depth(name,   list, count, i, d, most) {
  if (name in deepest) {
    if (deepest[name] < 0) { print "check_stack: recursion: " name; return 0 }
    return deepest[name]
  }
  deepest[name] = -1
  count = split(calls[name], list, "\n")
  most = 0
  for (i = 1; i < count; i++) { d = depth(list[i]); if (d > most) most = d }
  return deepest[name] = most + frame[name]
}
END {
  for (name in frame) depth(name)
  # entered by a pointer: a kernel of the table, and what kernels call back; one of each at a time;
  # and what one public function alone enters so: a clash's work on a block, and the look at one
  # instance, which calls a kernel in a kernel
  owner["clash.c:work_on_block"] = "bvp_clash"
  owner["instances_in_box.c:ask_instance"] = "bvp_instances_in_box"
  owner["nearest_instances.c:ask_instance"] = "bvp_nearest_instances"
  for (name in frame) {
    short = name
    sub(/.*\//, "", short)
    if (short in owner) { deepest[owner[short]] += deepest[name]; called[name] = 1 }
  }
  for (name in frame)
    if (!(name in called) && name ~ /:/) {
      kind = name ~ /_kernel\.c:/ ? "kernel" : "callback"
      if (deepest[name] > pointed[kind]) { pointed[kind] = deepest[name]; which[kind] = name }
    }
  # a kernel in a kernel: the outer one has come as far as where it enters a part
  for (name in frame)
    if (match(name, /(closest|overlap)_kernel\.c:run$/)) {
      part = substr(name, 1, length(name) - 3) "enter_part"
      entry = name ~ /closest/ ? "bvp_nearest_instances" : "bvp_instances_in_box"
      if (deepest[entry] + 2 * deepest[name] - deepest[part] > 262144)
        print "check_stack: over 256 KiB: " entry ", and in it twice " name
    }
  for (name in frame)
    if (name ~ /^bvp_/ && deepest[name] > top) { top = deepest[name]; entry = name }
  bound = top + pointed["kernel"] + pointed["callback"]
  for (kind in which) sub(/.*\//, "", which[kind])
  printf "%s: %d bytes; kernel %s: %d; callback %s: %d; together %d\n", entry, top, \
    which["kernel"], pointed["kernel"], which["callback"], pointed["callback"], bound
  if (bound > 262144) print "check_stack: over 256 KiB"
}
AWK
awk -f "$scratch/walk.awk" "$scratch"/*.ci | tee "$scratch/result"
! grep -q '^check_stack:' "$scratch/result"
