#!/bin/bash
# SPDX-License-Identifier: MIT
# Small packed files into FOLDER: each kind of hierarchy alone, in each of its forms, all in one, and for rays;
# a deformable one; one with digests of two blocks, where this build has them; one whose grid is turned; assemblies, fat and thin, whose parts meet
# in several ways, the thin one's in FOLDER/store; one with instances far away.
# Usage: BVPACK=... seeds.sh FOLDER
set -eu
folder=$1

# tube HEIGHT: an OBJ tube of 8 sides, bent
tube() {
  awk -v n="$1" 'BEGIN {
    for (i = 0; i <= n; i++)
      for (j = 0; j < 8; j++)
        printf "v %.6g %.6g %.6g\n", cos(j * 0.785398) + 0.01 * i * i, sin(j * 0.785398), 0.25 * i
    for (i = 0; i < n; i++)
      for (j = 1; j <= 8; j++) {
        a = i * 8 + j; b = i * 8 + j % 8 + 1
        print "f", a, b, b + 8 "\nf", a, b + 8, a + 8
      }
  }'
}

pack() { # MODEL OUT OPTIONS...
  "$BVPACK" pack "$1" -q -o "$2" "${@:3}"
}

tube 3 >"$folder/low.obj"
tube 20 >"$folder/high.obj"
tube 90 >"$folder/higher.obj"
for kind in wide aabb obb rss; do
  pack "$folder/low.obj" "$folder/$kind.bvp" --hierarchy $kind --leaf 2
done
for bits in 8 16 32; do
  pack "$folder/low.obj" "$folder/boxtree$bits.bvp" --hierarchy boxtree --offset-bits $bits --leaf 1
done
pack "$folder/low.obj" "$folder/kinds.bvp" --hierarchy wide,boxtree,aabb,obb,rss --leaf 4
sh "$(dirname "$0")/../corpus/oblique_strips.sh" 60 >"$folder/oblique.obj"
pack "$folder/oblique.obj" "$folder/turned.bvp"
pack "$folder/high.obj" "$folder/two-clusters.bvp" --hierarchy boxtree,obb,rss,aabb
pack "$folder/low.obj" "$folder/rays.bvp" --rays --leaf 2
pack "$folder/high.obj" "$folder/rays-alone.bvp" --hierarchy aabb --rays
pack "$folder/high.obj" "$folder/deformable.bvp" --hierarchy aabb --deformable --leaf 3
pack "$folder/high.obj" "$folder/deformable-wide.bvp" --deformable
pack "$folder/high.obj" "$folder/deformable-kinds.bvp" --hierarchy wide,boxtree,aabb,obb,rss --deformable --leaf 2
pack "$folder/higher.obj" "$folder/digests.bvp" --digests --hierarchy wide,obb --leaf 1 2>"$folder/err" ||
  grep -q 'without libsodium' "$folder/err" || { cat "$folder/err"; exit 1; }
rm "$folder/err" "$folder/higher.obj" "$folder/oblique.obj"

cat >"$folder/tree.jsonl" <<'END'
{"id": "low", "mesh": "low.obj"}
{"id": "high", "mesh": "high.obj"}
{"part": "low", "name": "first"}
{"part": "low", "name": "beside it", "placement": {"translate": [2.01, 0, 0]}}
{"part": "low", "name": "on its place"}
{"part": "low", "name": "inside", "placement": {"translate": [0, 0, 0.25], "scale": 0.5}}
{"part": "high", "name": "through them", "placement": {"translate": [1, 0, -1], "rotate": [0, 1, 0, 0.4]}}
END
pack "$folder/tree.jsonl" "$folder/assembly.bvp" --hierarchy wide,aabb
pack "$folder/tree.jsonl" "$folder/thin.bvp" --thin --store "$folder/store"
{ # several hierarchies over the instances
  cat "$folder/tree.jsonl"
  for far in 30 33 1e7 1e15; do
    for k in 1 2 3; do echo "{\"part\": \"low\", \"placement\": {\"translate\": [$far, $k, $k]}}"; done
  done
} >"$folder/far.jsonl"
pack "$folder/far.jsonl" "$folder/far.bvp" --hierarchy wide,aabb
rm "$folder/low.obj" "$folder/high.obj" "$folder/tree.jsonl" "$folder/far.jsonl"
