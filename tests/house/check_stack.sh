#!/bin/bash
# SPDX-License-Identifier: MIT
# No recursion and a bounded stack in the reader: gcc's call graph of every source file has no cycle,
# no frame of variable size, and no chain of calls over 200,000 bytes: bvpack.h says 256 KiB, and other compilers may
# need more. Without asserts, as what is installed: with them gcc inlines some walks twice.
set -u
export CCACHE_DISABLE=1 # it keeps objects, but no call graphs
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
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
  (cd "$scratch" && gcc -std=gnu11 -O2 -DNDEBUG -Wno-psabi -ffp-contract=off -I "$src/libfmt" "$@" -fcallgraph-info=su \
    -c "$src/$source" -o "$object.o") || echo "check_stack: $source does not compile" >>"$scratch/failed"
}

cd "$src" || exit 99
for source in $(find libfmt/base libfmt/format libfmt/node libfmt/prim libfmt/kinds/node libfmt/refit libfmt/kinds/query libfmt/query libfmt/broad libfmt/clash -name '*.c' | sort); do
  case $source in
    *_kernel.c)
      graph "$source" _base -DBVPI_ISA=base
      [ "$(uname -m)" != x86_64 ] || graph "$source" _avx2 -DBVPI_ISA=avx2 -mavx2 -mfma -mbmi -mbmi2 -DBVPI_MAPPED_ONLY ;;
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
# The deepest chain of calls below a function; -1 marks what is being walked.
function depth(name,   list, count, i, d, most) {
  if (name in deepest) {
    if (deepest[name] < 0) { print "check_stack: recursion: " name; return 0 }
    return deepest[name]
  }
  deepest[name] = -1
  count = split(calls[name], list, "\n")
  most = 0
  for (i = 1; i < count; i++) {
    d = depth(list[i])
    if (d > most) { most = d; deeper[name] = list[i] }
  }
  return deepest[name] = most + frame[name]
}
# What functions call by pointers: kernels, and what library functions give one another to be called
# back. A user's callback has no place here: its stack is the user's.
function through(callers, callees,   from, to) {
  for (from in indirect)
    if (from ~ callers) {
      known[from] = 1
      for (to in frame) if (callees != "" && to ~ callees) { calls[from] = calls[from] to "\n"; called[to] = 1 }
    }
}
function call_pointers(   pair, one_part) {
  indirect["qsort"] = 1
  pair = "(/pair|/last|/front)_kernel\\.c:parts$|^bvpi_[a-z]*_pair_(base|avx2)$"
  through("^bvpi_pair_run$|/pair_body\\.c:run_(each|scenes|tops)$", "/pair_kernel\\.c:scenes$")
  through("/pair_body\\.c:run_parts$", pair)
  # kind_table.h
  through("/((ray|closest|convex|overlap)_kernel\\.c:enter_part|ray_kernel\\.c:enter_hierarchy)$", "^bvpi_(aabb|boxtree|oriented)_(root|grid_box)$")
  through("/(ties|facing_kernel)\\.c:|^bvpi_(ties|facing)_settle(_base|_avx2)?$", ":(measure_tie|tie_comes_first)$")
  through("^bvpi_flush_overlap_(base|avx2)$|/(last|front)_kernel\\.c:parts$", "/contacts\\.c:gather$|/touch_points\\.c:on_pair$|:pair_guarded$")
  through(":pair_guarded$", ":store_pair$")
  through("^bvp_ray_all$|/api_body\\.c:ask_(one|one_ray|ray)(\\.part\\.0)?$|/api_rays\\.c:ask_one$|^bvpi_ray_part_hits$|^bvpi_moving_ray$", "/ray_kernel\\.c:run(_part)?$")
  through("/api_rays\\.c:(ask_row|ask_all(\\.constprop\\.0)?|run)$", "/ray_(packet|turns|meshlet_packet)_kernel\\.c:run$")
  through("/api_float_rays\\.c:ask_floats$|^bvp_float_ray_(first|any)$", "/ray_kernel\\.c:run_floats$")
  through("^bvpi_ray_query_hit$", ":(count_hit|hit_guarded|keep_crossing|keep_next|add_crossing)$")
  through("^bvp_closest(_batch)?$|/api_body\\.c:(closest_batch|ask_closest|ask_near_ones)$|^bvp_nearest_instances$|^bvpi_clash_nearest$|^bvpi_moving_nearest$|/inside\\.c:(holds|ask_point)$", "/closest_kernel\\.c:run(_part)?$")
  through("^bvp_instances_in$|^bvp_overlap(_batch)?$|/api_body\\.c:overlap_one$|^bvp_candidates_box$|^bvpi_moving_in_box$", "/overlap_kernel\\.c:run$")
  through("^bvp_convex_(distance|each|within)$|/api_convex\\.c:ask$|^bvpi_moving_clears$|/zone_verdict\\.c:(ask|list_contacts|judge_meeting)$", "/convex_kernel\\.c:run$")
  through("^bvpi_convex_query_hit$", ":(id_guarded|stop_at_once)$|/zone_verdict\\.c:add_triangle$")
  through("/overlap_kernel\\.c:(hand_over|triangles)$", ":candidate_guarded$|/inner_box\\.c:on_triangle$")
  through("^bvpi_overlap_query_hit$", ":(id_guarded|stop_at_once)$")
  through("/api_inside\\.c:ask_(all|signed)", "/closest_kernel\\.c:run$")
  through("^bvpi_solid_where$", "/overlap_kernel\\.c:run$")
  # of one part
  through("^bvpi_solid_ask$|/solid_point\\.c:is_on_surface", "/overlap_kernel\\.c:enter_part$")
  through("^bvpi_solid_ask$|/solid_point\\.c:sum_rays?", "/ray_kernel\\.c:run_part$")
  through("^bvpi_overlap_query_hit$", ":(id_guarded|stop_at_once|add_hit)$")
  through("^bvpi_pair_batch$", "/api_(pair|warm)\\.c:(collide|distance|within)_one$")
  through("^bvp_broad_(update|in_box|near)$|^bvpi_broad_renew_near$|/broad_(near|ask)\\.c:", "/broad_kernel\\.c:(fill|fit|refit|next|pairs)$")
  through("^bvp_broad_move(_all)?$|/broad_near\\.c:", "/broad_move_kernel\\.c:(move|fatten_all)$")
  # of an instance that a kernel has come to a kernel asks more: about one part
  through("/closest_kernel\\.c:enter_instance$", "/api_nearest_instances\\.c:ask_instance$")
  through("/api_nearest_instances\\.c:ask_instance$", "/closest_kernel\\.c:run_part$")
  through("/overlap_kernel\\.c:enter_(assembly|top)$", "/(api_instances_in|solid_where)\\.c:ask_instance$")
  through("/moving_pair\\.c:list_near(\\.isra\\.0)?$", "/overlap_kernel\\.c:run$")
  through("/overlap_kernel\\.c:enter_(assembly|top)$", "/moving_pair\\.c:add_instance$")
  through("/api_instances_in\\.c:triangles_meet$", "/overlap_kernel\\.c:enter_part$")
  through("^bvpi_part_cache_get$", ":find_(pieces|seams|sweep)$")
  through("/order\\.c:work$", "/(clash_all|zones)\\.c:(work_on_block|worker_new|worker_free)$")
  through("/show_boxes\\.c:(run|show)$", ":box_guarded$")
  through(":box_guarded$", "/show_volumes\\.c:show_box$")
  through(":show_box$|/show_volumes\\.c:(run|show)", ":volume_guarded$")
  through("/order\\.c:give_pairs$", ":(clash_guarded|tell_progress)$")
  through("^bvp_refit$|/refit_part\\.c:fit_(wide|binary|hierarchies)", "^bvpi_refit_(wide|aabb|boxtree|oriented)(_base|_avx2)?$")
  through("^bvpi_refit_top$", "^bvpi_refit_wide(_base|_avx2)?$")
  through("^bvpi_find_attached$", "/(attached|map)\\.c:read_(memory|fd)$")
  # of a source: the caller's
  through("^bvpi_source_close$|^bvpi_ahead_hint$|^bvpi_source_ask$|/source_chunks\\.c:fetch|^bvpi_map_source$|/map\\.c:(begin_source|copy_source|open_source)", "")
  through(":(hit|id|volume|clash|candidate)_guarded$|:tell_progress$", "")
  through("^bvpi_verify_nodes$", "/verify_instances\\.c:verify_instance_leaf$|/verify_parts\\.c:verify_triangle_leaf$")
  through("^bvp_verify_with$|/verify_file\\.c:(bvp_verify_with\\.part\\.0$|verify_bytes)", "^bvpi_verify_(framing|instances|parts|strings|tree)$|/verify_file\\.c:verify_totals$")
  through("^bvpi_write_fd$|/write\\.c:put_(given_sections|section(\\.isra\\.0)?)$", "/write\\.c:put_")
  through("^bvpi_parallel$", "/parallel\\.c:run$")
  through("/parallel\\.c:run$", "/verify_ahead\\.c:try_(blocks|part)$")
  through("^qsort$", "/verify_ahead\\.c:larger_first$|/clash_scene\\.c:compare$|/(seams|shares)\\.c:compare_[a-z]+$")
  through("^bvpi?_annotate|:annotate_strings$|^bvp_volumes$|:show_box$|^bvpi_report_add$", "")
  through("^bvpi_is_cancelled$|^bvpi_clash_apply_rule$|/clash_all\\.c:work_on_block$|/order\\.c:give_pairs$|/write\\.c:flush$|/publish\\.c:make_name$", "")
  for (name in indirect) if (!known[name]) print "check_stack: whom does this call by a pointer? " name
  for (name in frame) if (name ~ /:/ && !called[name]) print "check_stack: who calls this by a pointer? " name
}
END {
  call_pointers()
  for (name in frame) if (name ~ /^bvp_/ && depth(name) > most) { most = depth(name); entry = name }
  printf "%s: at most %d bytes of stack\n", entry, most
  for (name = entry; name != ""; name = deeper[name])
    if (frame[name] >= 4096) { short = name; sub(/.*\//, "", short); printf "  %6d %s\n", frame[name], short }
  if (most > LIMIT) print "check_stack: over " LIMIT " bytes: " entry
}
AWK
awk -v LIMIT=200000 -f "$scratch/walk.awk" "$scratch"/*.ci | tee "$scratch/result"
! grep -q '^check_stack:' "$scratch/result"
