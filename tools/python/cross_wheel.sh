#!/bin/bash
# SPDX-License-Identifier: MIT
# cross_wheel.sh WORKDIR OUTDIR: a wheel for AArch64, on any machine: the libraries and Python's headers come from
# Debian's packages for arm64, unpacked to WORKDIR/sysroot, in which Python and numpy lie, too, for tests under
# qemu. The build stays in WORKDIR/build. Exit status 77 when something is missing. BVP_DEB_SUITE: bookworm.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" "$2"
work=$(cd "$1" && pwd) out=$(cd "$2" && pwd)
host=aarch64-linux-gnu
skip() { echo "$*: skipped"; exit 77; }
for program in $host-gcc $host-g++ mmdebstrap; do
  command -v "$program" >/dev/null || skip "there is no $program (Debian: g++-$host mmdebstrap)"
done

sysroot=$work/sysroot
if [ ! -d "$sysroot" ]; then
  packages=libexpat1-dev,libjansson-dev,libpng-dev,libpython3-dev,libqhull-dev,libsodium-dev,libxxhash-dev,libzip-dev,libzstd-dev
  packages=$packages,python3-cffi-backend,python3-minimal,python3-numpy
  # unpacked only: no program of that architecture is run
  mmdebstrap --architectures=arm64 --variant=extract --include=$packages "${BVP_DEB_SUITE:-bookworm}" \
    "$sysroot.part" >"$work/sysroot.log" 2>&1 || { rm -rf "$sysroot.part"; skip "Debian's packages for arm64 could not be fetched"; }
  mv "$sysroot.part" "$sysroot"
fi

mkdir -p "$work/build" && cd "$work/build"
fail() { tail -20 "$1" >&2; echo "cross_wheel.sh: $2 fails" >&2; exit 1; }
[ -f Makefile ] ||
  PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$host/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot \
    "$src/configure" -q --host=$host CC="${CCACHE-}$host-gcc --sysroot=$sysroot" CXX="$host-g++ --sysroot=$sysroot" CFLAGS=-O2 \
    --without-npm --without-curl --without-meshoptimizer --without-draco >configure.log 2>&1 || fail configure.log configure
"${MAKE:-make}" -s libbvpack.la libbvpack_build.la >make.log 2>&1 || fail make.log make
bash "$src/tools/python/wheel.sh" "$work/build" "$out"
