#!/bin/bash
# SPDX-License-Identifier: MIT
# sdist.sh BUILDDIR OUTDIR: a source package, which builds against an installed library.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2" && out=$(cd "$2" && pwd)
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
folder=$scratch/bvpack-$version
mkdir -p "$folder/bvpack"
cp "$src"/{README.md,MANIFEST.in,pyproject.toml,setup.py,bvpack_cffi.py,header_cdef.py,python_calls.c} "$folder"
cp "$src"/../../LICENSE "$folder"
cp "$src"/bvpack/*.py "$src"/bvpack/*.pyi "$src"/bvpack/py.typed "$folder/bvpack"
echo "$version" >"$folder/VERSION"
{
  printf 'Metadata-Version: 2.1\nName: bvpack\nVersion: %s\n' "$version"
  sed -n 's/^description = "\(.*\)"$/Summary: \1/p' "$src/pyproject.toml"
} >"$folder/PKG-INFO"
chmod -R u+w "$folder"
tar -C "$scratch" --sort=name --owner=0 --group=0 --mtime=@1577836800 -czf "$out/bvpack-$version.tar.gz" "bvpack-$version"
echo "$out/bvpack-$version.tar.gz"
