#!/bin/bash
# SPDX-License-Identifier: MIT
# make install into an empty place; a program built there by pkg-config alone, in C and in C++;
# make uninstall leaves no file behind.
set -eu
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BVP_BUILDDIR:-.}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
make -s -C "$build" install DESTDIR="$scratch"
prefix=$scratch$(sed -n "s/^prefix = //p" "$build/Makefile")
export PKG_CONFIG_SYSROOT_DIR=$scratch
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

bvpack=$prefix/bin/bvpack
"$bvpack" --version | grep -q "$("$bvpack" --version | awk '{ print $NF; exit }')"
"$bvpack" "$src/samples/models/plate_holes.STL" -q -o "$scratch/plate.bvp"
for page in bvpack bvpack-pack bvpack-query; do
  [ -s "$prefix/share/man/man1/$page.1" ] || { echo "check_install: no manual page $page"; exit 1; }
done
bash -n "$prefix"/share/bash-completion/completions/bvpack

# hardened as far as configure found the flags, and without the path of any library
hardened=$(sed -n 's/^HARDENED = //p' "$build/Makefile")
complain() { echo "check_install: $1 $2"; exit 1; }
for object in "$prefix"/bin/bvpack "$prefix"/libexec/bvpack/* "$prefix"/lib/libbvpack.so "$prefix"/lib/libbvpack_build.so; do
  [ -f "$object" ] || continue # a folder of scripts is none
  name=$(basename "$object")
  readelf -dW "$object" >"$scratch/dynamic"
  readelf -lW "$object" >"$scratch/segments"
  readelf -sW --dyn-syms "$object" >"$scratch/symbols"
  grep -qE 'R(UN)?PATH' "$scratch/dynamic" && complain "$name" "has a RUNPATH"
  case $hardened in *-z,now*)
    grep -q GNU_RELRO "$scratch/segments" && grep -q BIND_NOW "$scratch/dynamic" ||
      complain "$name" "has relocations that can be written to" ;;
  esac
  case $hardened in *noexecstack*)
    grep GNU_STACK "$scratch/segments" | grep -q 'RW ' || complain "$name" "has an executable stack" ;;
  esac
  case $hardened in *stack-protector*)
    grep -q __stack_chk_fail "$scratch/symbols" || complain "$name" "has no stack protector" ;;
  esac
  case $hardened:$name in
    *-pie*:*.so) ;;
    *-pie*) grep -q 'Flags:.*PIE' "$scratch/dynamic" || complain "$name" "is loaded at a fixed address" ;;
  esac
  case $hardened:$name in *FORTIFY*:bvpack | *FORTIFY*:libbvpack_build.so)
    grep -q '_chk@' "$scratch/symbols" || complain "$name" "has no checked copies (_FORTIFY_SOURCE)" ;;
  esac
done

for sample in "$src"/samples/*.c; do
  read -ra flags < <(pkg-config --cflags --libs bvpack-build)
  ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror "$sample" -o "$scratch/sample" "${flags[@]}" -lm -lpthread
done
if command -v "${CXX:-c++}" >/dev/null; then
  read -ra flags < <(pkg-config --cflags --libs bvpack-build)
  for sample in "$src"/samples/*.cc; do
    ${CXX:-c++} -std=c++17 -pedantic -Wall -Wextra -Werror "$sample" -o "$scratch/sample" "${flags[@]}"
  done
fi
cat >"$scratch/version.cc" <<'CPP'
#include <bvpack.h>
#include <bvpack_broad.h>
#include <bvpack_build.h>
#include <bvpack_clash.h>
int main() { return bvp_version()[0] ? 0 : 1; }
CPP
read -ra flags < <(pkg-config --cflags --libs bvpack)
if command -v "${CXX:-c++}" >/dev/null; then
  ${CXX:-c++} -std=c++11 -pedantic -Wall -Wextra -Werror "$scratch/version.cc" -o "$scratch/version" "${flags[@]}"
  "$scratch/version"
fi

# ---- CMake's find_package, and a version that is asked for in vain
collides() { # PROGRAM
  LD_LIBRARY_PATH=$prefix/lib "$1" "$scratch/plate.bvp" "$scratch/plate.bvp" >"$scratch/answer" && [ -s "$scratch/answer" ] ||
    complain "$1" "gives no answer"
}
if command -v cmake >/dev/null; then
  cmake -S "$src/samples/cmake" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="${CC:-cc}" >"$scratch/log" &&
    cmake --build "$scratch/cmake" >>"$scratch/log" || { tail "$scratch/log"; complain "samples/cmake" "does not build"; }
  collides "$scratch/cmake/collide"
  "$scratch/cmake/build" "$scratch/built.bvp" >"$scratch/answer"
  printf 'cmake_minimum_required(VERSION 3.13)\nproject(x C)\nfind_package(bvpack 99.0 REQUIRED)\n' >"$scratch/CMakeLists.txt"
  ! cmake -S "$scratch" -B "$scratch/vain" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 && grep -q '"99.0"' "$scratch/log" ||
    complain "find_package" "is content with any version"
else
  echo "find_package was not tried: there is no cmake"
fi

# ---- all in one program: archives, as --enable-static installs them, are made here of the parts that this build has
parts_of() { # LIBRARY: what libtool puts into its archive
  case $1 in
    libbvpack) ls "$build"/.libs/libread.a "$build"/.libs/libkernel_*.a "$build"/.libs/libcore.a ;;
    libbvpack_build) ls "$build"/.libs/libbuild.a "$build"/.libs/libbuild_kernel_*.a "$build"/.libs/libcore.a ;;
  esac
}
mkdir "$scratch/static"
for lib in libbvpack libbvpack_build; do
  { echo "CREATE $scratch/static/$lib.a"; parts_of $lib | sed 's/^/ADDLIB /'; printf 'SAVE\nEND\n'; } | ar -M
done
sed "s|^libdir=.*|libdir=/static|" "$prefix"/lib/pkgconfig/bvpack.pc >"$scratch/static/bvpack.pc"
sed "s|^libdir=.*|libdir=/static|" "$prefix"/lib/pkgconfig/bvpack-build.pc >"$scratch/static/bvpack-build.pc"
read -ra flags < <(PKG_CONFIG_PATH=$scratch/static pkg-config --static --cflags --libs bvpack-build |
  sed "s|-L$scratch/usr/lib[^ ]*||g") # the system's own folders, which are not under $scratch
if ${CC:-cc} -static "$src/samples/build.c" -o "$scratch/alone" "${flags[@]}" 2>"$scratch/log"; then
  "$scratch/alone" "$scratch/alone.bvp" >"$scratch/answer"
  "$bvpack" verify "$scratch/alone.bvp" >"$scratch/answer"
elif grep -o 'cannot find -l[^:]*' "$scratch/log" | grep -v bvpack; then
  echo "pkg-config --static was not tried: this system has no archive of these"
else
  cat "$scratch/log"
  complain "pkg-config --static bvpack-build" "does not link: ${flags[*]}"
fi

make -s -C "$build" uninstall DESTDIR="$scratch"
left=$(find "$prefix" -type f -o -type l)
[ -z "$left" ] || { echo "check_install: uninstall leaves $left"; exit 1; }
