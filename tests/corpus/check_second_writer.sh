#!/bin/bash
# SPDX-License-Identifier: MIT
# The writer that was written from the spec alone: its files keep every rule, both readers read the
# same from them, and they answer as the program's own files of the same models, also when their
# parts lie in a store that both share.
set -u
source_dir=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
[ -x "${BVPACK-}" ] || { echo "check_second_writer: no program in \$BVPACK"; exit 77; }
python3 -c 'import math; math.nextafter' 2>/dev/null || { echo "check_second_writer: no python3 of 3.9 or later"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
complain() { echo "check_second_writer: $*"; fail=1; }

second() { python3 "$source_dir/tests/corpus/second_writer.py" "$@"; }

# An assembly: one part four times, turned, mirrored, stretched; a part in a part's frame.
cp "$source_dir"/samples/models/*.STL "$scratch"
cat >"$scratch/scene.jsonl" <<'END'
{"bvpack_manifest": 1, "unit": "mm"}
{"id": "P", "mesh": "plate_holes.STL", "name": "plate"}
{"id": "F", "mesh": "featuretype.STL", "name": "feature"}
{"id": "group", "name": "group", "placement": [0.8, -0.6, 0, 12.25, 0.6, 0.8, 0, -0.1, 0, 0, 1, 7]}
{"id": "a", "name": "a", "part": "P"}
{"id": "b", "name": "b", "part": "P", "parent": "group", "placement": [0.3, 0, 0.1, 50, 0, 1, 0, 50, -0.1, 0, 0.3, 50]}
{"id": "c", "name": "c", "part": "P", "placement": [-1, 0, 0, 1e3, 0, 1, 0, 0, 0, 0, 1, 0.1]}
{"id": "inner", "name": "inner", "parent": "group", "placement": [1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3]}
{"id": "d", "name": "d", "part": "P", "parent": "inner", "placement": [1, 0, 0, 1, 0, 2, 0, 2, 0, 0, 3, 3]}
{"id": "e", "name": "e", "part": "F", "parent": "inner", "placement": [25.4, 0, 0, 9, 0, 25.4, 0, 8, 0, 0, 25.4, -300]}
END

# What a query of FILE answers but for what depends on the order of storage: the numbers of
# triangles, parts and instances, and which of several nearest points is named.
cat >"$scratch/answer.py" <<'END'
import json, sys
DROP = {"triangle", "part", "part_name", "instance", "lower", "point_a", "point_b"}
def plain(x):
    if isinstance(x, dict):
        kept = {k: plain(v) for k, v in x.items() if k not in DROP}
        nearest = {"a", "b", "hit", "point"} if "distance" in x else set()
        some = {"distance"} if "within" in x else set()
        return {k: v for k, v in kept.items() if k not in nearest | some}
    if isinstance(x, list):
        return sorted((plain(v) for v in x), key=json.dumps) if x and isinstance(x[0], dict) else x
    return float("%.12g" % x) if isinstance(x, float) else x
for line in sys.stdin.read().split("\x1e"):
    if line.strip():
        print(json.dumps(plain(json.loads(line)), sort_keys=True))
END
answers() { # file
  local file=$1 q
  for q in "ray $file --origin 60,50,900 --direction 0.01,0.02,-1" "ray $file --origin -40,61,5 --direction 1,0.03,0.01 --all" \
    "ray $file --origin 100,99,-900 --direction 0.05,-0.01,1" "closest $file --point 31,-20,77" \
    "closest $file --point 500,20,1" "collide $file $file --place-b 3,1,0.5" \
    "collide $file $file --place-b 3e4,1,0.5" "pairs $file $file --place-b 31,17,0.5,10,20,30" \
    "distance $file $file --place-b 5000,77,3,40,50,60" "within $file $file --place-b 2000,0,0 --delta 1900"; do
    # shellcheck disable=SC2086
    "$BVPACK" query $q --json || echo '{"failed": true}'
    printf '\x1e'
  done | python3 "$scratch/answer.py"
}

check() { # name file model: the second writer's file beside the program's
  local name=$1 file=$2 own=$scratch/own.bvp
  "$BVPACK" verify -q "$file" || complain "$name: it breaks a rule"
  tests/corpus/slow_reader "$file" >"$scratch/slow" || complain "$name: the slow reader refuses it"
  tests/corpus/dump_library "$file" >"$scratch/library" || complain "$name: the library refuses it"
  cmp -s "$scratch/slow" "$scratch/library" || complain "$name: the readers differ"
  "$BVPACK" pack "$3" -q -o "$own" || complain "$name: cannot pack it"
  answers "$own" >"$scratch/expected"
  answers "$file" >"$scratch/found"
  if grep -q failed "$scratch/expected" || [ "$(wc -l <"$scratch/expected")" != 10 ]; then complain "$name: questions fail"; fi
  cmp -s "$scratch/expected" "$scratch/found" || {
    complain "$name: the answers differ"
    diff "$scratch/expected" "$scratch/found" | cut -c 1-300 | head -6
  }
  # what is said of a mesh is the same, whoever packs it
  records() { "$BVPACK" dump "$1" | sed -nE 's/.*PART.[0-9]+\.(content_hash|[a-z]*_count) = //p' | grep -v 'PRT-[69]' | sort; }
  [[ $file = *thin* || $(records "$own") = "$(records "$file")" ]] || complain "$name: the parts' records differ"
}

# Degenerate triangles, duplicates in either direction, edges of one and of three triangles, -0.
python3 - "$scratch/odd.STL" <<'END'
import struct, sys
points = [(0, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9), (-0.0, 0, 0), (4.5, 0, 0), (0, -9, 1e-39)]
faces = "012 021 013 103 014 016 015 000 001 110 423 423 243 612 356 000".split()
data = b"".join(bytes(12) + struct.pack("<9f", *(x for c in f for x in points[int(c)])) + bytes(2) for f in faces)
open(sys.argv[1], "wb").write(bytes(80) + struct.pack("<I", len(faces)) + data)
END

for model in plate_holes.STL featuretype.STL odd.STL scene.jsonl; do
  second "$scratch/$model.bvp" "$scratch/$model"
  code=$?
  [ $code != 77 ] || exit 77
  [ $code = 0 ] || complain "$model: the second writer fails"
  check "$model" "$scratch/$model.bvp" "$scratch/$model"
done

# one store for both: each under its own addresses
"$BVPACK" pack "$scratch/scene.jsonl" -q --thin --store "$scratch/store" -o "$scratch/first.bvp" || complain "cannot pack thin"
second "$scratch/thin.bvp" "$scratch/scene.jsonl" store || complain "the second writer fails with a store"
[ "$(find "$scratch/store" -name '*.bvp' | wc -l)" = 4 ] || complain "the store does not hold two parts of each"
for part in "$scratch"/store/*/*.bvp; do
  "$BVPACK" verify -q "$part" || complain "a part in the store breaks a rule"
done
check "thin" "$scratch/thin.bvp" "$scratch/scene.jsonl"
"$BVPACK" merge "$scratch/thin.bvp" -o "$scratch/fat.bvp" && cmp -s <(answers "$scratch/fat.bvp") "$scratch/expected" ||
  complain "a thin file of the second writer does not become fat"

# what the spec says about the program's own addresses finds its parts
cat >"$scratch/find.py" <<'END'
import os, struct, sys
sys.path.insert(0, sys.argv[1])
import second_writer as w
packer = w.hash128(struct.pack("<5I", 0, 7, 1, 0, 1) + struct.pack("<5I", 1, 8, 1, 0, 0) + b"bvpack " + sys.argv[2].encode())
for model in sys.argv[4:]:
    part = w.Part(w.read_stl(model))
    name = w.hash128(part.content_hash + bytes(8) + packer).hex()
    if not os.path.exists(os.path.join(sys.argv[3], name[:2], name[2:] + ".bvp")):
        sys.exit("no %s for %s" % (name, model))
END
version=$("$BVPACK" --version | sed -n '1s/[^ ]* \([^ ]*\).*/\1/p')
python3 "$scratch/find.py" "$source_dir/tests/corpus" "$version" "$scratch/store" "$scratch"/[pf]*.STL ||
  complain "the address is not as the spec says"
exit $fail
