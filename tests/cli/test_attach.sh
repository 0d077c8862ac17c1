#!/bin/bash
# SPDX-License-Identifier: MIT
# A GLB with its hierarchy: the asset stays as it is, the packed file in it is opened in place, by the
# program and from a source; what was moved, cut or made of another asset is refused.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >/dev/null || { echo "no python3 to look into GLBs: skipped"; exit 77; }
model=$src/samples/models/irb6640_cell12.glb
[ -f "$model" ] || { echo "no $model: skipped"; exit 77; }

cat >look.py <<'PYTHON'
"""look.py WHAT FILE...: compares, or changes, a GLB's chunks."""
import json, struct, sys
def chunks(name):
    b = open(name, "rb").read()
    assert b[:4] == b"glTF" and struct.unpack("<II", b[4:12]) == (2, len(b)), name
    out, at = [], 12
    while at < len(b):
        n, kind = struct.unpack("<I4s", b[at:at + 8])
        assert n % 4 == 0 and at + 8 + n <= len(b), name
        out.append((kind, at + 8, b[at + 8:at + 8 + n]))
        at += 8 + n
    return out
def write(name, parts):
    body = b"".join(struct.pack("<I4s", len(d), k) + d for k, d in parts)
    open(name, "wb").write(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
what, names = sys.argv[1], sys.argv[2:]
if what == "same":  # ATTACHED ORIGINAL PACKED
    new, old, packed = chunks(names[0]), chunks(names[1]), open(names[2], "rb").read()
    a, b = json.loads(new[0][2]), json.loads(old[0][2])
    e = a["extensions"].pop("BVPACK_hierarchy")
    a["extensionsUsed"].remove("BVPACK_hierarchy")
    for key in ("extensions", "extensionsUsed"):
        if not a[key] and key not in b:
            del a[key]
    assert a == b, "the JSON text has changed"
    assert [c[2] for c in new[1:len(old)]] == [c[2] for c in old[1:]], "a chunk has changed"
    if len(names) == 3 and "uri" not in e:
        kind, at, data = new[-1]
        assert kind == b"BVP\0" and data == packed and at % 4096 == 0
        assert (e["byteOffset"], e["byteLength"]) == (at, len(packed))
    assert e["rootHash"] == packed[48:64].hex(), "rootHash"
elif what == "json":  # ORIGINAL OUT TEXT: the same with another JSON text
    text = names[2].encode()
    write(names[1], [(b"JSON", text + b" " * (-len(text) % 4))] + [(k, d) for k, _, d in chunks(names[0])[1:]])
elif what == "merge":  # ORIGINAL OUT KEY VALUE: a root member added
    c = chunks(names[0])
    root = json.loads(c[0][2])
    root[names[2]] = json.loads(names[3])
    text = json.dumps(root).encode()
    write(names[1], [(b"JSON", text + b" " * (-len(text) % 4))] + [(k, d) for k, _, d in c[1:]])
elif what == "move":  # ATTACHED OUT: the chunk no longer on a page
    c = chunks(names[0])
    write(names[1], [(c[0][0], c[0][2] + b"    ")] + [(k, d) for k, _, d in c[1:]])
PYTHON
look() { python3 look.py "$@" || bad "look.py $*"; }

expect 0 pack -q --asset-numbers "$model" -o plain.bvp
expect 0 attach "$model" -o one.glb
has out 'bytes of hierarchy from byte [0-9]*'
look same one.glb "$model" plain.bvp
expect 0 attach "$model" plain.bvp -q -o two.glb
empty out
same one.glb two.glb
"$bvpack" attach "$model" -o - >three.glb 2>err || bad "to standard output"
same one.glb three.glb
"$bvpack" pack -q "$model" --rays -o rays.bvp && expect 0 attach "$model" rays.bvp -o rays.glb
look same rays.glb "$model" rays.bvp

# ---- opened in place
for ask in "info --json" "query ray --origin 2,5,-3 --direction 0,-1,0.01 --json" "query closest --point 1,2,3 --json"; do
  # shellcheck disable=SC2086 # words
  "$bvpack" $ask plain.bvp >expected && "$bvpack" $ask one.glb >out || bad "$ask"
  sed -i 's/one\.glb/plain.bvp/' out
  same expected out
done
expect 0 verify one.glb
expect 0 dump one.glb --section PART
expect 4 info "$model"
has err 'bvpack attach'

# ---- JSON texts of all shapes
shape() { # KEY VALUE
  look merge "$model" shaped.glb "$1" "$2"
  expect 0 pack -q shaped.glb -o shaped.bvp
  expect 0 attach -q shaped.glb shaped.bvp -o attached.glb
  look same attached.glb shaped.glb shaped.bvp
}
shape extensions '{}'
shape extensions '{"EXT_x": {"a": [1, {"b": "}]\"{"}]}}'
shape extensionsUsed '["EXT_x"]'
shape extras '{"extensions": {"deep": true}, "text": "\\\"extensions\\\": {"}'

# ---- beside it
mkdir d
expect 0 attach "$model" --sidecar -o "d/a b.glb"
look same "d/a b.glb" "$model" "d/a b.bvp"
same "d/a b.bvp" plain.bvp
grep -aq '"uri":"a%20b.bvp"' "d/a b.glb" || bad "the reference to the packed file"

# ---- over the asset's own vertices
ring=$src/tests/cli/packed_gltf/ring.glb
cp "$src/tests/cli/packed_gltf/gltfpack.glb" integers.glb
expect 0 pack -q --leaf 4 "$ring" -o ring.bvp
for from in "$model" "$ring" integers.glb; do
  name=over-$(basename "$from" .glb)
  expect 0 pack -q --asset-numbers "$from" -o "$name.plain.bvp"
  expect 0 pack -q --asset-numbers "$from" --share -o "$name.bvp"
  expect 0 attach "$from" --share -o "$name.glb"
  look same "$name.glb" "$from" "$name.bvp"
  "$bvpack" attach "$from" "$name.bvp" -q -o again.glb && same "$name.glb" again.glb
  expect 0 verify "$name.glb"
  expect 0 compress -q "$name.glb"
  expect 0 verify "$name.glb.zst"
  expect 0 verify "$name.bvp"
  expect 2 query closest "$name.bvp" --point 1,2,3
  has err 'not bound.* --share'
  expect 2 query distance ring.bvp "$name.bvp"
  has err "^bvpack: $name.bvp: not bound"
  expect 0 dump "$name.glb" --section BUFS
  has out 'BUFS\[0\]\.hash'
  for ask in "query ray --origin 2,5,-3 --direction 0,-1,0.01" "query ray --origin 1,5,0.2 --direction 0,-1,0" \
    "query closest --point 1,2,3" "query convex --shape sphere:3 --limit 100" "query distance ring.bvp --place-b 3,4,0" "query distance ring.bvp --place-b 3,4,0.1" \
    "query distance ring.bvp --place-b 9,4,1" "query distance ring.bvp --place-b 1,4,3"; do
    # shellcheck disable=SC2086 # words
    set -- $ask
    "$bvpack" "$1" "$2" "$name.plain.bvp" "${@:3}" --json >expected && "$bvpack" "$1" "$2" "$name.glb" "${@:3}" --json >out || bad "$ask"
    sed -i "s/$name\.glb/$name.plain.bvp/" out
    same expected out
    "$bvpack" "$1" "$2" "$name.glb.zst" "${@:3}" --json >out || bad "$ask of $name.glb.zst"
    sed -i "s/$name\.glb\.zst/$name.plain.bvp/" out
    same expected out
  done
done
# full leaves: fewer bytes, the same answers about the same triangles of the source
expect 0 attach "$model" --share --small -o small.glb
expect 0 verify small.glb
[ $(($(stat -c %s over-irb6640_cell12.glb) - $(stat -c %s small.glb))) -gt 82000 ] || bad "--small is not smaller"
for ask in "ray --origin 2,5,-3 --direction 0,-1,0.01" "ray --origin 1,5,0.2 --direction 0,-1,0" "closest --point 1,2,3"; do
  # shellcheck disable=SC2086 # words
  set -- $ask
  "$bvpack" query "$1" over-irb6640_cell12.plain.bvp "${@:2}" --json >expected && "$bvpack" query "$1" small.glb "${@:2}" --json >out || bad "$ask"
  sed -i 's/small\.glb/over-irb6640_cell12.plain.bvp/; s/"triangle": [0-9]*, //' out expected # by storage, which is another
  same expected out
done
# what the asset has beside them may be changed, but not the vertices
"$bvpack" info over-ring.glb >/dev/null
expect 2 query closest over-ring.bvp --point 1,2,3
cp over-ring.glb changed.glb
at=$(python3 -c 'import json, struct
b = open("over-ring.glb", "rb").read(); n = struct.unpack("<I", b[12:16])[0]; j = json.loads(b[20:20 + n])
a = j["accessors"][j["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]; v = j["bufferViews"][a["bufferView"]]
print(20 + n + 8 + v.get("byteOffset", 0) + a.get("byteOffset", 0) + 1)')
printf '\123' | dd of=changed.glb bs=1 seek="$at" conv=notrunc 2>/dev/null
expect 4 query closest changed.glb --point 1,2,3
has err 'asset has changed'
expect 1 verify changed.glb
has out 'BUF-5'
run merge over-ring.glb -o no.bvp
has err 'without --share'
[ $status -ne 0 ] && [ ! -e no.bvp ] || bad "a file over buffers is merged"
not_shared() { # MODEL REGEX
  expect 3 attach "$src/tests/cli/packed_gltf/$1.glb" --share -o no.glb
  has err "$2"
  [ ! -e no.glb ] || bad "no.glb is left"
}
not_shared figure 'morphed by its mesh'
grep -q '^MESHOPT_LIBS = .' "$programs/../../Makefile" && not_shared gltfpack_cc 'packed by meshopt'
grep -q '^DRACO_LIBS = .' "$programs/../../Makefile" && not_shared draco_sequential 'compressed with Draco'
cube cube 0 1 >cube.obj
expect 3 pack cube.obj --share -o no.bvp
has err 'needs a GLB'
expect 2 pack "$ring" --share --no-ids -o no.bvp
expect 3 attach "$ring" --share --sidecar -o no.glb
has err 'leave out --sidecar'
expect 3 attach "$ring" over-ring.plain.bvp --share -o no.glb
has err 'pack the model with --share'

# ---- what is refused, and leaves nothing
refused() { # STATUS REGEX ARGUMENTS...
  local wanted=$1 regex=$2
  shift 2
  expect "$wanted" attach "$@" -o no.glb
  has err "$regex"
  [ ! -e no.glb ] || { bad "no.glb is left"; rm no.glb; }
}
cube cube 0 1 >cube.obj
refused 3 'has a hierarchy already' one.glb
refused 3 'expected a GLB' cube.obj
"$bvpack" pack -q cube.obj -o cube.bvp
refused 3 'packed from another file' "$model" cube.bvp
refused 4 'not a bvpack file' "$model" cube.obj
head -c 100000 "$model" >cut.glb
refused 3 "not the file's" cut.glb
look json "$model" bad.glb '{"asset": {"version": "2.0"'
refused 3 'byte [0-9]* of its JSON text' bad.glb plain.bvp
look json "$model" array.glb '[1]'
refused 3 'no object' array.glb plain.bvp
expect 2 attach "$model"
expect 2 attach "$model" -o "$model"
expect 2 attach "$model" --sidecar -o -
look move one.glb moved.glb
expect 4 info moved.glb
has err 'no multiple of 4096'
size=$(stat -c %s one.glb)
head -c $((size - 5000)) one.glb >cut.glb
expect 4 info cut.glb
has err 'of which the file has'
for at in 12 13 14 15 16 20; do
  cp one.glb forged.glb
  printf '\377' | dd of=forged.glb bs=1 seek=$at conv=notrunc 2>/dev/null
  run info forged.glb
  [ $status -le 6 ] || bad "byte $at: exit code $status"
done
echo "$checks checks"
exit $fail
