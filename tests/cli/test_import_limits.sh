#!/bin/bash
# SPDX-License-Identifier: MIT
# Models that are made to hang, to fill memory or to read what they should not: each ends soon, with one error, and
# opens no file outside its folder.
set -u
bvpack=$(realpath "${BVPACK:-./bvpack}")
build=$PWD
shared=$(realpath -m "${BVP_SHARED:-${BVP_SRCDIR:-$(dirname "$0")/../..}/../shared}")
[ -x "$bvpack" ] || { echo "no program to test: $bvpack"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
fail=0
complain() { echo "test_import_limits: $*"; fail=1; }
is_sanitized=$(grep -c -m1 -- -fsanitize=address "$build/Makefile")
has() { [ -x "$build/$1" ]; }

# within_a_gib COMMAND...: no process of it gets more addresses than that; sanitizers want terabytes
within_a_gib() ( # in a subshell, for the limit stays
  [ "$is_sanitized" != 0 ] || ulimit -v 1048576
  exec "$@"
)
# ends_with EXIT_CODE PHRASE ARGUMENT...: one line on standard error with the phrase, within 10 s and 1 GiB, no output
ends_with() {
  local code=$1 phrase=$2 started=$SECONDS status
  shift 2
  rm -f out.bvp
  within_a_gib timeout -k 1 60 "$bvpack" pack "$@" -q -o out.bvp >out 2>err
  status=$?
  [ $status = "$code" ] || complain "$*: exit code $status, not $code: $(head -2 err)"
  [ $((SECONDS - started)) -le "${most:-10}" ] || complain "$*: took $((SECONDS - started)) s"
  [ "$(wc -l <err)" = 1 ] || complain "$*: not one line: $(head -3 err)"
  grep -q -- "$phrase" err || complain "$*: no \"$phrase\" in: $(cat err)"
  [ -z "$(ls -A out.bvp .out* 2>/dev/null)" ] || complain "$*: an output is left"
}
packs() {
  rm -f out.bvp
  "$bvpack" pack "$@" -q -o out.bvp >out 2>err || complain "$*: $(cat err)"
}

# ---- a program of its own for what lib3mf reads ----
if has bvpack-3mf; then
  for kind in plain zip64 dag chain; do "$build/tests/cli/make_3mf" $kind >$kind.3mf; done
  packs plain.3mf
  cp out.bvp plain.bvp
  packs zip64.3mf
  # the file's name and hash stand in its record
  [ "$("$bvpack" info --json out.bvp | grep triangle)" = "$("$bvpack" info --json plain.bvp | grep triangle)" ] ||
    complain "zip64.3mf is not what plain.3mf is"
  packs - <plain.3mf
  ends_with 6 'ended after .* --import-timeout' dag.3mf
  most=30 ends_with 6 'ended after .* --import-timeout' chain.3mf --import-timeout 3
  ends_with 6 'ended after 0.5 s' dag.3mf --import-timeout 0.5
  ends_with 6 'ended after 0.5 s' - --import-timeout 0.5 <dag.3mf
  printf '{"mesh":"dag.3mf"}\n' >dag.jsonl
  ends_with 6 'dag.jsonl:1: .*ended after 0.5 s' dag.jsonl --import-timeout 0.5
  packs "${BVP_SRCDIR:-$build/../..}/samples/models/plate_holes.STL" --unit mm --hierarchy aabb --deformable
  mv out.bvp still.bvp
  "$bvpack" refit still.bvp dag.3mf --import-timeout 0.5 -q -o out.bvp >out 2>err
  status=$?
  [ $status = 6 ] && grep -q 'ended after 0.5 s' err && [ ! -e out.bvp ] || complain "refit: exit code $status: $(cat err)"
  [ "$is_sanitized" != 0 ] || ends_with 6 'memory' plain.3mf --import-memory 1
  for model in dag chain; do
    [ ! -f "$shared/findings/$model.3mf" ] || ends_with 6 'ended after' "$shared/findings/$model.3mf"
  done
  [ ! -f "$shared/findings/pyramids.3mf" ] || packs "$shared/findings/pyramids.3mf"
fi

# ---- the process itself, played by others ----
mkdir stub
play() { printf '#!/bin/sh\n%s\n' "$1" >stub/bvpack-3mf && chmod +x stub/bvpack-3mf; }
printf 'PK\3\4 and more' >some.3mf
stubbed() { BVPACK_LIBEXEC=$PWD/stub ends_with "$@"; }
stubbed 3 'bvpack-3mf, which was not built' some.3mf
play 'sleep 60'
stubbed 6 'ended after 0.3 s' some.3mf --import-timeout 0.3
play 'exec cat /dev/zero >&3'
stubbed 3 'damaged' some.3mf
# shellcheck disable=SC2016 # the script's own variable
play 'kill -SEGV $$'
stubbed 3 'crashed on it' some.3mf
# shellcheck disable=SC2016
play 'kill -XCPU $$'
stubbed 6 'ended after' some.3mf
play 'exit 7'
stubbed 3 'exit code 7' some.3mf

# ---- which files a model may name ----
mkdir -p in/sub beside
cat >beside/secret.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3
OBJ
cp beside/secret.obj in/sub/part.obj
ln -s sub/part.obj in/near.obj && ln -s ../beside/secret.obj in/far.obj && ln -s ../beside in/door && ln -s sub in/room
ln -s "$PWD/beside/secret.obj" in/absolute.obj
mkfifo in/pipe.obj
manifest() { printf '{"mesh":"%s"}\n' "$1" >in/list.jsonl; }
urdf() {
  printf '<robot name="r"><link name="l"><collision><geometry><mesh filename="%s"/></geometry></collision></link></robot>' \
    "$1" >in/list.urdf
}
for form in jsonl urdf; do
  name() { if [ $form = jsonl ]; then manifest "$1"; else urdf "$1"; fi; }
  for path in sub/part.obj near.obj room/part.obj; do
    name $path && packs in/list.$form
  done
  for path in far.obj absolute.obj door/secret.obj; do
    name $path && ends_with 3 'leads out of the model' in/list.$form
    packs in/list.$form --any-path
  done
  for path in ../beside/secret.obj "$PWD/beside/secret.obj"; do
    name "$path" && ends_with 3 'stays in the model' in/list.$form
    packs in/list.$form --any-path
  done
  name pipe.obj && ends_with 3 'not a file' in/list.$form
done
manifest far.obj
mkdir store && packs in/list.jsonl --store store --any-path
ends_with 3 'leads out of the model' in/list.jsonl --store store

printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0' >in/sub/data.bin
cp in/sub/data.bin beside/data.bin
ln -s sub/data.bin in/near.bin && ln -s ../beside/data.bin in/far.bin
gltf() {
  printf '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"%s"}]}' \
    "$1" >in/model.gltf
}
for path in sub/data.bin near.bin room/data.bin; do gltf $path && packs in/model.gltf; done
for path in far.bin door/data.bin ../beside/data.bin %2e%2e/beside/data.bin "$PWD/beside/data.bin"; do
  gltf "$path" && ends_with 3 'no link that leads out' in/model.gltf
  packs in/model.gltf --any-path
done

# a scene whose objects assimp opens, through us only
if has bvpack-assimp; then
  scene() {
    printf 'LWSC\n5\n\nFirstFrame 1\nLastFrame 1\nLoadObjectLayer 1 10000000 %s\nShowObject 8 -1\nObjectMotion\nNumChannels 0\n' \
      "$1" >in/scene.lws
  }
  for path in sub/part.obj near.obj room/part.obj; do scene $path && packs in/scene.lws --format assimp; done
  "$bvpack" info out.bvp --json | grep -q 'room/part.obj' || complain "a file that assimp read is not in the record"
  for path in "$PWD/beside/secret.obj" ../beside/secret.obj far.obj door/secret.obj absolute.obj; do
    scene "$path" && ends_with 3 "outside the model's folder" in/scene.lws --format assimp
  done
  scene "$PWD/beside/secret.obj" && packs in/scene.lws --format assimp --any-path
  if [ -f "$shared/findings/abs_path_via_assimp.lws" ]; then
    ends_with 3 "outside the model's folder" "$shared/findings/abs_path_via_assimp.lws" --format assimp
  fi
fi

# ---- nothing outside the folder is opened, but for what programs are made of ----
# the programs themselves, not libtool's scripts, which open files of their own
watch() { # ARGUMENT...
  BVPACK_LIBEXEC=$build/.libs LD_LIBRARY_PATH=$build/.libs strace -f -qq -e trace=open,openat,openat2,creat -o trace \
    "$build/.libs/bvpack" pack "$@" -q -o out.bvp >out 2>err
}
strays() { # FILE...: what was opened, one a line, but for these
  sed -n 's/^[0-9]* *open[^"]*"\([^"]*\)".* = [0-9][0-9]*$/\1/p' trace |
    grep -v -x -F -e . -e "$PWD" -e "$PWD/" -e out.bvp -e "$PWD/out.bvp" "${@/#/-e}" |
    grep -v -E -e '^(/lib|/usr/|/etc/ld\.so|/proc/|/sys/|/dev/null|/dev/urandom)' -e "^$build/" -e '\.bvpack-[0-9a-f-]*\.tmp$' -e '^/tmp/bvpack\.'
}
if strace -f -qq -o trace true 2>/dev/null && [ -x "$build/.libs/bvpack" ]; then
  see() { # MODEL "OPTIONS" FILE...
    local model=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # one word an option
    watch "$model" $options
    grep -q "\"$model\"" trace || complain "$model: strace saw nothing"
    strays "$model" "$@" >stray
    [ ! -s stray ] || complain "$model: opened $(tr '\n' ' ' <stray)"
  }
  for path in near.obj far.obj "$PWD/beside/secret.obj"; do
    manifest "$path" && see in/list.jsonl '' in in/ near.obj
    urdf "$path" && see in/list.urdf '' in in/ near.obj
    ! has bvpack-assimp || { scene "$path" && see in/scene.lws '--format assimp' in in/ near.obj; }
  done
  for path in near.bin far.bin "$PWD/beside/data.bin"; do gltf "$path" && see in/model.gltf '' in in/ near.bin; done
  ! has bvpack-3mf || see plain.3mf ''
else
  echo "no strace, or it may not trace: what is opened was not watched"
fi

# ---- endless input ----
ends_with 3 'is a device' /dev/zero
ends_with 3 'is a device' - </dev/zero
ends_with 3 'is empty' /dev/null
packs - < <(cat in/sub/part.obj)
packs <(cat in/sub/part.obj)

# ---- memory for a byte of a model ----
if [ "$is_sanitized" = 0 ]; then
  awk 'BEGIN { print "v 0 0 0\nv 1 0 0\nv 0 1 0"; for (i = 0; i < 30000; i++) print "o a\nf 1 2 3" }' >many.obj
  (ulimit -v 524288 && "$bvpack" pack many.obj -q -o out.bvp) || complain "30,000 objects in 360 kB take over 512 MiB"
fi

# ---- models that were broken for other programs ----
if [ -d "$shared/models/bad" ]; then
  for model in "$shared"/models/bad/*; do
    started=$SECONDS
    within_a_gib timeout -k 1 20 "$bvpack" pack "$model" -q -o out.bvp >out 2>err
    status=$?
    [ $status -lt 100 ] || complain "$model: exit code $status, $(head -1 err)"
    [ $((SECONDS - started)) -lt 10 ] || complain "$model: $((SECONDS - started)) s"
  done
fi
exit $fail
