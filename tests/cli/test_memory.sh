#!/bin/bash
# SPDX-License-Identifier: MIT
# test_memory.sh: bvpack pack --memory: the same bytes as without, from files and pipes of every format that it takes;
# what it refuses; a full disk; killed at random and gone on with. MEMORY_KILLS: how often it is killed (4).
set -u
. "${BVP_SRCDIR:-$(dirname "$0")/../..}/tests/cli/verb_test.sh"

# a surface of 1.2 million triangles: more than a build in 64 MiB can hold
python3 - <<'END' || exit 1
import array, math, random
side, out = 780, open("big.stl", "wb")
random.seed(5)
def point(i, j):
    return (i * .5, j * .5, 9 * math.sin(i * .03) + 7 * math.cos(j * .05))
rows = array.array("f")
body = bytearray()
grid = [[point(i, j) for j in range(side + 1)] for i in range(side + 1)]
import struct
pack = struct.Struct("<12fH").pack
for i in range(side):
    for j in range(side):
        a, b, c, d = grid[i][j], grid[i + 1][j], grid[i][j + 1], grid[i + 1][j + 1]
        body += pack(0, 0, 0, *a, *b, *c, 0)
        body += pack(0, 0, 0, *b, *d, *c, 0)
out.write(b" " * 80 + struct.pack("<I", 2 * side * side) + body)
END
pack() { "$bvpack" pack -q "$@"; }
same() { cmp -s "$1" "$2" || bad "$3: other bytes"; }

pack big.stl -o plain.bvp || bad "pack"
pack big.stl --memory 64M -o out.bvp || bad "--memory"
same plain.bvp out.bvp "a file"
pack big.stl --memory 64M -j 1 --tmp . -o one.bvp && same plain.bvp one.bvp "one thread"
pack - -o plain_pipe.bvp <big.stl && cat big.stl | pack - --memory 64M -o pipe.bvp && same plain_pipe.bvp pipe.bvp "a pipe"
pack big.stl --memory 64M -o - >stdout.bvp && same plain.bvp stdout.bvp "standard output"
pack big.stl --small --no-ids --deformable -o a.bvp && pack big.stl --small --no-ids --deformable --memory 64M -o b.bvp &&
  same a.bvp b.bvp "--small --no-ids --deformable"
for format in obj glb; do
  "$bvpack" extract -q plain.bvp -o "big.$format" || bad "extract $format"
  pack "big.$format" -o a.bvp && pack "big.$format" --memory 64M -o b.bvp && same a.bvp b.bvp "$format"
done
[ -z "$(find . -name '.bvpack*')" ] || bad "a temporary file is left"

# what it refuses, before anything is written
refuse() { # CODE WORD COMMAND...
  local code=$1 word=$2
  shift 2
  "$bvpack" "$@" 2>err
  [ $? = "$code" ] || bad "$*: not exit code $code"
  grep -q -- "$word" err || bad "$*: $(cat err)"
  [ ! -e no.bvp ] || bad "$*: an output"
}
refuse 2 '64M or more' pack big.stl --memory 3 -o no.bvp
refuse 2 '64M or more' pack big.stl --memory lots -o no.bvp
refuse 2 'only the wide hierarchy' pack big.stl --memory 1G --rays -o no.bvp
refuse 2 'one mesh into one file' pack big.stl --memory 1G --store s -o no.bvp
refuse 2 'takes one model' pack big.stl big.ply --memory 1G -o no.bvp
refuse 2 'with --memory only' pack big.stl --tmp . -o no.bvp
refuse 2 'with --memory only' pack big.stl --state s -o no.bvp
refuse 7 'no/such' pack big.stl --memory 64M --tmp no/such -o no.bvp
head -c 3000000 big.stl >cut.stl
refuse 3 'cut' pack cut.stl --memory 64M -o no.bvp
printf 'solid x\nendsolid\n' >empty.stl
refuse 3 'empty.stl' pack empty.stl --memory 64M -o no.bvp

# strays get a part of their own in memory only
python3 - <<'END'
data = bytearray(open("big.stl", "rb").read())
import struct
for k in range(3):
    struct.pack_into("<3f", data, 84 + 50 * 1000 + 12 + 12 * k, 1e12 + k * 1e6, 1e12, 1e12 - k * 1e6)
open("stray.stl", "wb").write(data)
END
refuse 6 'keep-strays' pack stray.stl --memory 64M -o no.bvp
refuse 6 'keep-strays' pack stray.stl --memory 64M --state sh --deal
rm -r sh
pack stray.stl --keep-strays -o a.bvp && pack stray.stl --keep-strays --memory 64M -o b.bvp && same a.bvp b.bvp "strays"

# shares, in any order, one of them twice, one not at all
expect 3 pack big.stl --memory 64M --state sh --shard 1/3
has err 'run the same command with --deal before'
rm -r sh
expect 0 pack big.stl --memory 64M --state sh --deal
for share in 3/3 1/3 3/3; do
  expect 0 pack big.stl --memory 64M --state sh --shard $share -j 1
  has out "share $share is built"
done
[ -e sh/share.1-3 ] && [ ! -e sh/share.2-3 ] || bad "shares"
(flock 9; expect 3 pack big.stl --memory 64M --state sh --shard 1/3; has err 'another process builds share 1/3'; exit $fail) 9>>sh/lock.1-3 || fail=1
[ -e sh/share.1-3 ] || bad "a share that another process builds lost its record"
pack big.stl --memory 64M --state sh -o shares.bvp && same plain.bvp shares.bvp "shares"
[ ! -e sh ] || bad "shares: the folder is left"
refuse 2 'by --state' pack big.stl --memory 64M --shard 1/3
refuse 2 'by --state' pack big.stl --memory 64M --deal
refuse 2 'in no file' pack big.stl --memory 64M --state sh --shard 1/3 -o no.bvp

# a folder that somebody has changed: an error, or a file, and an end
cat >change.py <<'END'
import os, random, sys
random.seed(int(sys.argv[1]))
kinds = ("tree", "sets", "bytes", "ids", "wide", "records", "batches")
names = ["sh/" + n for n in sorted(os.listdir("sh")) if n.split(".")[0] in kinds]
name = random.choice([n for n in names if os.path.getsize(n) > 0])
with open(name, "r+b") as out:
    for _ in range(random.choice((1, 3, 50))):
        at = random.randrange(os.path.getsize(name) // 4) * 4
        out.seek(min(at % 256, at) if random.random() < .3 else at)
        words = (b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f", random.randbytes(4), b"\1\0\0\0")
        out.write(random.choice(words))
print(name)
END
expect 0 pack big.stl --memory 64M --state sh --deal
expect 0 pack big.stl --memory 64M --state sh --shard 1/2
cp -r sh sh.whole
seed=${BVP_SEED:-20261127}
for k in $(seq "${MEMORY_CHANGES:-6}"); do
  rm -rf sh && cp -r sh.whole sh
  name=$(python3 change.py $((seed + k)))
  if [ $((k % 3)) = 0 ]; then
    run pack big.stl --memory 64M --state sh --shard 2/2
  else
    run pack big.stl --memory 64M --state sh -o changed.bvp
  fi
  case $status in 0 | 3 | 6 | 7) ;; *) bad "seed $((seed + k)): $name changed: exit code $status" ;; esac
done
rm -rf sh sh.whole changed.bvp

# a disk that becomes full
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=12m none full 2>/dev/null; then
  refuse 7 'GiB are free' pack big.stl --memory 64M --tmp full -o no.bvp
  cat big.stl | refuse 7 '--tmp' pack - --format stl --memory 64M --tmp full -o no.bvp
  [ -z "$(ls -A full)" ] || bad "a full disk: something is left"
  umount full
else
  echo "full disk: skipped, only root can mount one"
fi

# killed at random, and gone on with
kills=${MEMORY_KILLS:-4} killed=0 rounds=0
echo "BVP_SEED=$seed"
RANDOM=$((seed % 32768))
while [ $killed -lt "$kills" ] && [ $rounds -lt $((3 * kills)) ]; do
  rounds=$((rounds + 1))
  "$bvpack" pack -q big.stl --memory 64M --state st -o go.bvp &
  id=$!
  sleep "0.$(printf %03d $((RANDOM % 900)))"
  kill -9 $id 2>/dev/null && killed=$((killed + 1))
  wait $id 2>/dev/null
  if [ -e go.bvp ]; then
    same plain.bvp go.bvp "after a kill"
    rm go.bvp
  fi
done
pack big.stl --memory 64M --state st -o go.bvp || bad "--state: does not go on"
same plain.bvp go.bvp "--state"
[ ! -e st ] || bad "--state: the folder is left"
[ $killed -gt 0 ] || bad "nothing was killed"

# a state is of one model, one set of options, and in one process
# begin_state: killed as soon as there is a state
begin_state() {
  rm -rf st go.bvp
  "$bvpack" pack -q big.stl --memory 64M --state st -o go.bvp &
  local id=$!
  for _ in $(seq 2000); do
    [ ! -e st/state ] || break
    sleep .005
  done
  kill -9 $id
  wait $id 2>/dev/null
  [ -e st/state ] || bad "no state"
  [ ! -e go.bvp ] || bad "it was not killed in time"
}
begin_state
refuse 3 'another model or of other options' pack big.stl --memory 65M --state st -o no.bvp
refuse 3 'another model or of other options' pack big.stl --memory 64M --no-ids --state st -o no.bvp
cp big.stl kept.stl
python3 - <<'END'
data = bytearray(open("big.stl", "rb").read())
data[84 + 50 * 77 + 13] ^= 1
open("big.stl", "wb").write(data)
END
refuse 3 'not those that the state' pack big.stl --memory 64M --state st -o no.bvp
mv kept.stl big.stl
(flock 9; refuse 3 'another process works in st' pack big.stl --memory 64M --state st -o no.bvp) 9>>st/lock
cp st/state whole
head -c 100 whole >st/state
refuse 3 'is damaged' pack big.stl --memory 64M --state st -o no.bvp
cp whole st/state
: >st/runs
refuse 3 'state beside it says' pack big.stl --memory 64M --state st -o no.bvp
begin_state
rm st/state # as a kill while the folder is removed leaves it: the rest is nothing
pack big.stl --memory 64M --state st -o go.bvp && same plain.bvp go.bvp "a folder without its record"
[ ! -e st ] || bad "--state: the folder is left"
begin_state
: >st/other
pack big.stl --memory 64M --state st -o go.bvp && same plain.bvp go.bvp "--state"
[ "$(ls -A st)" = other ] || bad "--state: removes what is not its own, or leaves something"
exit $fail
