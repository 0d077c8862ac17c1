#!/bin/bash
# SPDX-License-Identifier: MIT
# samples/packaging: each file has the library's version, asks for the libraries that configure needs, and asks for no network;
# syntax, where a program for it is there. What is tried beyond that, samples/packaging/README.md says.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
complain() { echo "check_packaging: $*"; fail=1; }
version=$(sed -n 's/^AC_INIT(\[bvpack\], \[\([^]]*\)\].*/\1/p' configure.ac)
folder=samples/packaging
for file in vcpkg/bvpack/vcpkg.json conda/meta.yaml nix/default.nix homebrew/bvpack.rb; do
  grep -qE "version\"?:? *=? *\"?$version\"?(,|;|$)" $folder/$file || complain "$file: not version $version"
  # what configure stops without
  for library in xxhash zstd qhull jansson png expat; do
    grep -qi "$library" $folder/$file || { [[ $file == homebrew/* && $library == expat ]] && continue; complain "$file: no $library"; }
  done
done
for file in vcpkg/bvpack/portfile.cmake conda/build.sh nix/default.nix homebrew/bvpack.rb docker/Dockerfile ../../debian/rules; do
  grep -q -- --without-npm $folder/$file || complain "$file: does not configure --without-npm"
done
# Debian's lists of packages: what tests/packages.sh names for a build, but for the tools of a compiler
# shellcheck source=tests/packages.sh
. tests/packages.sh
for package in $packages_build; do
  grep -qw -- "$package" $folder/docker/Dockerfile || complain "docker/Dockerfile: no $package"
  [[ $package != lib*-dev || $package == libc6-dev ]] || grep -qw -- "$package" debian/control || complain "debian/control: no $package"
done
try() { # PROGRAM ARGUMENTS...: where it is there
  command -v "$1" >/dev/null || return 0
  "$@" >"${TMPDIR:-/tmp}/packaging.$$" 2>&1 || { complain "$*"; head -5 "${TMPDIR:-/tmp}/packaging.$$"; }
}
try python3 -m json.tool $folder/vcpkg/bvpack/vcpkg.json
try ruby -c $folder/homebrew/bvpack.rb
try bash -n $folder/conda/build.sh
try nix-instantiate --parse $folder/nix/default.nix
# a stub of nixpkgs: every name that the file uses is an argument or one of these
try nix-instantiate --eval --strict --option sandbox false -E "
  let stub = { curl = 1; expat = 1; jansson = 1; libpng = 1; libsodium = 1; libzip = 1; meshoptimizer = 1; opencascade-occt = \"/x\"; qhull = 1;
      xxHash = 1; zstd = 1; autoreconfHook = 1; pkg-config = 1; stdenv.mkDerivation = a: a.version; lib.licenses.mit = 1; lib.platforms.linux = 1; };
  in import ./$folder/nix/default.nix { pkgs = stub; }"
rm -f "${TMPDIR:-/tmp}/packaging.$$"
exit $fail
