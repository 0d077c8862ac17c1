#!/bin/bash
# SPDX-License-Identifier: MIT
# From a bare Debian 12 to answers: installs what is missing (apt, as root or by sudo), builds, packs
# a real assembly and a real part, shows what is in them, asks one question of each kind, draws.
# BVPACK: a program that is built already.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
src=$PWD
out=${BVP_BUILD:-$src/build}/quickstart
models=$src/samples/models

title() { printf '\n== %s\n' "$*"; }
# shows a command as somebody would type it, and runs it
run() { printf '\n$ %s\n' "$*"; "$@"; }

build() {
  . tests/packages.sh
  . tests/watched.sh
  title "Packages"
  # shellcheck disable=SC2086 # one word a package
  packages_need $packages_build
  echo "All there."

  title "Build (in $out)"
  mkdir -p "$out/log"
  echo "Some minutes; what the compiler says is in $out/log/build.log."
  quietly() { # WHAT COMMAND...
    watched "$1" "$out/log/build.log" "${@:2}" || { tail -30 "$out/log/build.log"; exit 1; }
  }
  [ -x configure ] || quietly autoreconf autoreconf -fi
  cd "$out"
  [ -f Makefile ] || quietly configure "$src/configure" CFLAGS=-O2
  quietly make make -j"$(nproc)"
}
mkdir -p "$out"
[ -n "${BVPACK:-}" ] || build
cd "$out"
bvpack() { "${BVPACK:-$out/bvpack}" "$@"; }
bvpack --version

title "A real assembly: twelve robots, nine parts, stored once each"
run bvpack "$models/irb6640_cell12.glb" -o cell.bvp
title "A real part: a cycloidal drive; and a milled part in inches"
run bvpack "$models/cycloidal.ply" --unit in -o drive.bvp
run bvpack "$models/featuretype.STL" --unit in -o milled.bvp

title "What is in them"
run bvpack info cell.bvp
run bvpack info --json milled.bvp
run bvpack verify cell.bvp

title "Questions, answered on the mapped bytes"
run bvpack query collide cell.bvp drive.bvp --place-b 0,1,0
run bvpack query pairs cell.bvp --max 3
run bvpack query distance cell.bvp drive.bvp --place-b 0,6,0
run bvpack query within cell.bvp drive.bvp --place-b 0,6,0 --delta 5m
run bvpack query ray cell.bvp --origin 0,10,0 --direction 0,-1,0
run bvpack query closest cell.bvp --point 0,6,0
run bvpack query overlap cell.bvp --sphere 0,1,0,0.25 --count

title "Pictures"
run bvpack view cell.bvp -o cell.png
run bvpack view drive.bvp -o drive.png

title "Done"
cat <<END
program     $out/bvpack      (bvpack --help, bvpack VERB --help)
libraries   $out/.libs       (make -C $out install, then pkg-config bvpack)
files       $out/cell.bvp, drive.bvp, milled.bvp
pictures    $out/cell.png, drive.png
samples     $src/samples/*.c
took        $SECONDS s
END
