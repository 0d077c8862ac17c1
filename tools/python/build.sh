#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh BUILDDIR: the package bvpack for Python, in BUILDDIR/python, against the libraries that lie
# in BUILDDIR. Prints the interpreter, of which PYTHONPATH=BUILDDIR/python is to be set. Exit status
# 77 with one line when something is missing. $PYTHON: which interpreter.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
headers=$(cd "$src/../../libfmt" && pwd)

# the first of these that has what the package needs; numpy may be of another one than PATH's first
for python in ${PYTHON:-python3 /usr/bin/python3 ""}; do
  [ -n "$python" ] && command -v "$python" >/dev/null || continue
  "$python" -c '
import os, sysconfig, cffi, numpy, setuptools
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' 2>/dev/null && break
  python=
done
[ -n "$python" ] || {
  echo "there is no Python with cffi, numpy, setuptools and headers (Debian: python3-cffi python3-numpy python3-setuptools python3-dev): skipped"
  exit 77
}
[ -e "$build/.libs/libbvpack_build.so" ] || { echo "there is no shared library: skipped"; exit 77; }

mkdir -p "$build/python/bvpack"
exec 9>"$build/python.lock"
flock 9
cp "$src"/bvpack/*.py "$src"/bvpack/*.pyi "$src/bvpack/py.typed" "$build/python/bvpack/"
# compiled again when what it is made of has changed
made=$build/python/bvpack/_native.abi3.so
if [ ! -e "$made" ] || [ -n "$(find "$src"/*.py "$src"/*.c "$headers"/bvpack*.h -newer "$made")" ]; then
  (cd "$build" && BVPACK_INCLUDE=$headers BVPACK_LIB=$build/.libs BVPACK_RPATH=1 \
    "$python" -B "$src/bvpack_cffi.py" python) >"$build/python.log" 2>&1 ||
    { tail -20 "$build/python.log" >&2; exit 1; }
fi
echo "$python"
