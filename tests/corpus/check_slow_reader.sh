#!/bin/bash
# SPDX-License-Identifier: MIT
# The reader that was written from the spec alone and the library read the same from every good file;
# files that are not good are refused.
set -u
source_dir=${BVP_SRCDIR:-$(dirname "$0")/../..}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
fail=0
complain() { echo "check_slow_reader: $*"; fail=1; }

mkdir "$scratch/corpus"
tests/corpus/make_corpus "$scratch/corpus" >"$scratch/made" || { complain "make_corpus failed"; exit 1; }
if [ -x "${BVPACK-}" ]; then
  for model in "$source_dir"/samples/models/*.{glb,STL,stl,ply,obj}; do
    [ -f "$model" ] || continue
    name=$(basename "$model")
    "$BVPACK" pack "$model" -q -o "$scratch/corpus/good-$name.bvp" || complain "cannot pack $name"
    "$BVPACK" pack "$model" -q --no-ids -o "$scratch/corpus/good-no-ids-$name.bvp"
  done
  # colours: of two primitives, one of which has none
  cat >"$scratch/colours.gltf" <<'END'
{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0.5,0,1]}}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0},{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
  "$BVPACK" pack "$scratch/colours.gltf" -q -o "$scratch/corpus/good-colours.bvp" || complain "cannot pack colours"
  tests/corpus/slow_reader "$scratch/corpus/good-colours.bvp" | grep -qx 'colour 0 255 188 0 255' || complain "no colours"
  # every kind of hierarchy, alone and beside others, in every form
  while read -r name model options; do
    # shellcheck disable=SC2086
    "$BVPACK" pack "$source_dir/samples/models/$model" -q $options \
      -o "$scratch/corpus/good-$name.bvp" || complain "cannot pack $name"
  done <<'END'
all plate_holes.STL --hierarchy wide,boxtree,aabb,obb,rss
all-1 rob.obj --hierarchy wide,boxtree,aabb,obb,rss --leaf 1
binary-2 rob.obj --hierarchy aabb,rss,obb,boxtree --leaf 2
boxtree-1-8 plate_holes.STL --hierarchy boxtree --planes 1 --offset-bits 8 --leaf 1
boxtree-2-16 plate_holes.STL --hierarchy boxtree --planes 2 --offset-bits 16
boxtree-3-32 rob.obj --hierarchy boxtree --planes 3 --offset-bits 32 --leaf 2
boxtree-ordered cycloidal.ply --hierarchy wide,boxtree --leaf 8
aabb-8 plate_holes.STL --hierarchy aabb --leaf 8
aabb-deformable rob.obj --hierarchy aabb --leaf 1 --deformable
obb-8 plate_holes.STL --hierarchy obb --leaf 8
obb-ordered featuretype.STL --hierarchy wide,obb --leaf 1
rss-8 featuretype.STL --hierarchy rss --leaf 8
scene irb6640_cell12.glb --hierarchy wide,boxtree,rss --leaf 8
rays plate_holes.STL --rays
rays-scene irb6640_cell12.glb --hierarchy wide,obb --rays --leaf 4
rays-alone rob.obj --hierarchy aabb --rays
END
  # a grid that is turned
  sh "$source_dir/tests/corpus/oblique_strips.sh" 300 >"$scratch/oblique.obj"
  "$BVPACK" pack "$scratch/oblique.obj" -q -o "$scratch/corpus/good-turned.bvp" || complain "cannot pack strips"
  "$BVPACK" dump "$scratch/corpus/good-turned.bvp" | grep -q 'turn\[0\] = -*[1-9]' ||
    complain "oblique strips are not turned"
  # triangles in the buffers of a GLB, as floats and as integers
  over() { # NAME MODEL OPTION...
    local name=$1 model=$2
    shift 2
    "$BVPACK" pack "$model" -q --share "$@" -o "$scratch/over.bvp" &&
      "$BVPACK" attach "$model" "$scratch/over.bvp" -q -o "$scratch/corpus/good-over-$name.bvp" ||
      complain "cannot attach $name"
  }
  over scene "$source_dir/samples/models/irb6640_cell12.glb" --rays
  over kinds "$source_dir/tests/cli/packed_gltf/ring.glb" --hierarchy wide,boxtree,aabb,obb,rss --leaf 3
  over small "$source_dir/tests/cli/packed_gltf/ring.glb" --small
  over integers "$source_dir/tests/cli/packed_gltf/gltfpack.glb"
  # files that were refitted, of every kind, of a turned grid, and of an assembly
  refitted() { # NAME MODEL OPTION...
    local name=$1 model=$2
    shift 2
    "$BVPACK" pack "$model" -q --deformable "$@" -o "$scratch/soft.bvp" &&
      "$BVPACK" refit "$scratch/soft.bvp" --twist 0.5 --noise 0.01 -q -o "$scratch/corpus/good-refitted-$name.bvp" ||
      complain "cannot refit $name"
  }
  refitted wide "$source_dir/samples/models/rob.obj"
  refitted turned "$scratch/oblique.obj"
  refitted all "$source_dir/samples/models/plate_holes.STL" --hierarchy wide,boxtree,aabb,obb,rss --leaf 3
  refitted boxtree "$source_dir/samples/models/rob.obj" --hierarchy boxtree --planes 1 --offset-bits 32
  refitted rss "$source_dir/samples/models/featuretype.STL" --hierarchy rss,obb,boxtree --leaf 1
  refitted scene "$source_dir/samples/models/irb6640_cell12.glb"
  # parts in a store, beside the file and elsewhere
  mkdir "$scratch/elsewhere"
  for place in "$scratch/corpus" "$scratch/elsewhere"; do
    for model in irb6640_cell12.glb rob.obj; do
      "$BVPACK" pack "$source_dir/samples/models/$model" -q --hierarchy wide,obb --thin --store "$place/store" \
        -o "$scratch/corpus/good-thin-$(basename "$place")-$model.bvp" || complain "cannot pack $model thin"
    done
  done
fi

for file in "$scratch"/corpus/good-*.bvp; do
  name=$(basename "$file")
  tests/corpus/slow_reader "$file" >"$scratch/slow" || { complain "$name: the slow reader refuses it"; continue; }
  if [ -x "${BVPACK-}" ]; then
    "$BVPACK" verify -q "$file" >/dev/null || complain "$name: it breaks a rule"
  fi
  tests/corpus/dump_library "$file" >"$scratch/library" || { complain "$name: the library refuses it"; continue; }
  cmp -s "$scratch/slow" "$scratch/library" || {
    complain "$name: the readers differ"
    diff "$scratch/slow" "$scratch/library" | head -4
  }
done

# the spec lists these files and their hashes
sed -nE 's/^\| `([a-z0-9-]+|bad-rule-[A-Z]+-[0-9]+)\.bvp` \|.*\| ([0-9a-f]{32}) \|$/\1 \2/p' "$source_dir/spec/format.md" |
  sort | cmp -s - <(sort "$scratch/made") || {
  complain "the list of test vectors in spec/format.md is not what make_corpus writes:"
  cat "$scratch/made"
}

if [ -x "${BVPACK-}" ]; then
  "$BVPACK" dump "$scratch/corpus/good-identity.bvp" | sed -n 's/.*PART\[1\].* = //p' | tr -d ' ' >"$scratch/part"
  while read -r hash; do
    grep -q "^$hash" "$scratch/part" || complain "good-identity.bvp: the spec says $hash"
  done < <(sed -n '/^## 26/,$p' "$source_dir/spec/format.md" | grep -v '^|' | grep -oE '`[0-9a-f]{32}`' | tr -d '\`')
fi

for file in "$scratch"/corpus/{bad-block,bad-rule}*.bvp; do
  rule=$(basename "$file" .bvp | grep -oE '[A-Z]+-[0-9]+$' || echo HSH-2)
  [ ! -x "${BVPACK-}" ] || "$BVPACK" verify "$file" 2>&1 | grep -q "rule $rule," || complain "$(basename "$file") does not break $rule"
done

for file in "$scratch"/corpus/{bad,unsupported}-*.bvp; do
  case $file in
    *bad-block* | *bad-rule-*) continue ;; # only verification looks at it
  esac
  ! tests/corpus/dump_library "$file" >/dev/null 2>&1 || complain "$(basename "$file"): the library opens it"
done
exit $fail
