#!/bin/bash
# SPDX-License-Identifier: MIT
# build_libraries.sh HOST PREFIX: compiles the libraries that bvpack needs for another system, from
# Debian's source packages, as static libraries with pkg-config files in PREFIX.
# HOST: aarch64-linux-gnu, x86_64-linux-musl, x86_64-w64-mingw32. What stands in PREFIX is kept.
# Exit status 77 with one line that says why: the sources cannot be had.
set -eu
[ $# = 2 ] || { echo "usage: build_libraries.sh HOST PREFIX"; exit 99; }
host=$1
mkdir -p "$2/lib/pkgconfig" "$2/include" "$2/licences"
prefix=$(cd "$2" && pwd)
[ ! -e "$prefix/complete" ] || exit 0
case $host in
  x86_64-linux-musl) cc=musl-gcc ar=ar ;;
  x86_64-w64-mingw32) cc=$host-gcc-win32 ar=$host-ar ;;
  *) cc=$host-gcc ar=$host-ar ;;
esac
command -v "$cc" >/dev/null || { echo "there is no $cc"; exit 77; }
case $host in
  *mingw*)
    for i in cmake autoreconf "$host-g++-win32"; do
      command -v "$i" >/dev/null || { echo "there is no $i (Debian: cmake, autoconf, automake, libtool, mingw-w64)"; exit 77; }
    done ;;
esac
command -v apt-get dpkg-source >/dev/null || { echo "there is no apt-get or dpkg-source for the sources of libraries"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

# Lists of packages of its own: the machine's may have no sources.
more=()
case $host in *mingw*) more=(libzip libsodium meshoptimizer gmp) ;; esac
fetch() {
  local apt suite
  # shellcheck disable=SC1091 # the system's
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  mkdir -p "$scratch/lists/partial"
  echo "deb-src http://deb.debian.org/debian ${suite:-bookworm} main" >"$scratch/sources.list"
  apt=(apt-get -qq -o "Dir::Etc::SourceList=$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$scratch/lists" -o APT::Sandbox::User=root)
  cd "$scratch"
  "${apt[@]}" update && "${apt[@]}" source xxhash libzstd qhull jansson expat libpng1.6 zlib check "${more[@]}"
}
fetch >"$scratch/log" 2>&1 </dev/null || { tail -3 "$scratch/log"; echo "Debian's source packages cannot be had"; exit 77; }

# library NAME LIBS FLAGS FILE...: lib NAME .a of C files, in the present folder
library() {
  local name=$1 libs=$2 flags=$3 file objects=()
  shift 3
  for file in "$@"; do
    # shellcheck disable=SC2086 # one word a flag
    $cc -O2 -fPIC -ffp-contract=off -ffunction-sections -fdata-sections -w $flags -I"$prefix/include" -c "$file" -o "$scratch/$name-${file//\//-}.o"
    objects+=("$scratch/$name-${file//\//-}.o")
  done
  $ar rcs "$prefix/lib/lib$name.a" "${objects[@]}"
  echo "$libs" >"$scratch/$name.libs"
}

# package PC NAME VERSION CFLAGS: the pkg-config file of the library NAME
package() {
  cat >"$prefix/lib/pkgconfig/$1.pc" <<END
Name: $1
Description: for $host, static
Version: $3
Libs: -L$prefix/lib -l$2 $(cat "$scratch/$2.libs")
Cflags: -I$prefix/include $4
END
}

# what a folder's name says: libzstd-1.5.4+dfsg2
version() { local of; of=$(basename "$PWD"); of=${of#*-}; echo "${of%%[+]*}"; }

in_source() { cd "$scratch"/"$1"-[0-9]*/; }

in_source xxhash
library xxhash "" "" xxhash.c
cp xxhash.h "$prefix/include/"
cp LICENSE "$prefix/licences/xxhash.txt"
package libxxhash xxhash "$(version)" ""

in_source libzstd
library zstd "" "-DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_" lib/common/*.c lib/compress/*.c lib/decompress/*.c
cp lib/zstd.h lib/zstd_errors.h "$prefix/include/"
cp LICENSE "$prefix/licences/zstd.txt"
package libzstd zstd "$(version)" ""

in_source qhull
library qhull_r -lm "-Isrc" src/libqhull_r/*.c
mkdir -p "$prefix/include/libqhull_r"
cp src/libqhull_r/*.h "$prefix/include/libqhull_r/"
cp COPYING.txt "$prefix/licences/qhull.txt"
package qhull_r qhull_r 8.0.2 ""

in_source jansson
sed -e 's/@json_inline@/inline/' -e 's/@json_have_[a-z_]*@/1/' src/jansson_config.h.in >"$prefix/include/jansson_config.h"
: >src/jansson_private_config.h
library jansson "" "-DHAVE_STDINT_H -DHAVE_LOCALE_H -DHAVE_SETLOCALE -DHAVE_LOCALECONV -DHAVE_SYS_TYPES_H -DHAVE_UNISTD_H -DINITIAL_HASHTABLE_ORDER=3 -Isrc" src/*.c
cp src/jansson.h "$prefix/include/"
cp LICENSE "$prefix/licences/jansson.txt"
package jansson jansson "$(version)" ""

in_source expat
entropy=-DXML_DEV_URANDOM
case $host in *mingw*) entropy=-D_WIN32 ;; esac
(cd expat/lib && : >expat_config.h &&
  library expat "" "-DXML_STATIC -DXML_NS -DXML_DTD -DXML_GE=1 -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234 -DHAVE_MEMMOVE -DHAVE_UNISTD_H $entropy -I." xmlparse.c xmltok.c xmlrole.c)
cp expat/lib/expat.h expat/lib/expat_external.h "$prefix/include/"
cp COPYING "$prefix/licences/expat.txt"
package expat expat "$(version)" -DXML_STATIC

in_source zlib
library z "" "-DHAVE_UNISTD_H" ./*.c
cp zlib.h zconf.h "$prefix/include/"
cp README "$prefix/licences/zlib.txt"

in_source libpng1.6
cp scripts/pnglibconf.h.prebuilt "$prefix/include/pnglibconf.h"
library png "-lz -lm" "-DPNG_ARM_NEON_OPT=0 -DPNG_INTEL_SSE_OPT=0" png.c pngerror.c pngget.c pngmem.c pngpread.c pngread.c pngrio.c \
  pngrtran.c pngrutil.c pngset.c pngtrans.c pngwio.c pngwrite.c pngwtran.c pngwutil.c
cp png.h pngconf.h "$prefix/include/"
cp LICENSE "$prefix/licences/libpng.txt"
package libpng png "$(version)" ""

# configured by themselves: installs in PREFIX, too
configured() { ./configure -q --host="$host" --prefix="$prefix" --disable-shared --enable-static CC="$cc" "$@" >/dev/null 2>&1; }

case $host in *mingw*)
  in_source libzip
  cmake -S . -B built -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER="$cc" -DCMAKE_RC_COMPILER="$host-windres" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-w -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_COMMONCRYPTO=OFF \
    -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF \
    -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include" >/dev/null 2>&1
  make -s -C built install >/dev/null 2>&1
  cp LICENSE "$prefix/licences/libzip.txt"

  in_source libsodium
  autoreconf -fi >/dev/null 2>&1
  configured --disable-pie
  make -s -C src install >/dev/null 2>&1 && make -s install-pkgconfigDATA >/dev/null 2>&1
  cp LICENSE "$prefix/licences/libsodium.txt"

  # what decodes only: encoders want a C++ library
  in_source meshoptimizer
  (cd src && cc=$host-g++-win32 && library meshoptimizer "" "-fno-exceptions -fno-rtti" allocator.cpp indexcodec.cpp vertexcodec.cpp vertexfilter.cpp)
  cp src/meshoptimizer.h "$prefix/include/"
  cp LICENSE.md "$prefix/licences/meshoptimizer.txt"

  # for the unit tests; Debian leaves out its manual
  in_source gmp
  mkdir -p doc && printf 'all install:\n' >doc/Makefile.in
  configured
  make -s >/dev/null 2>&1 && make -s install >/dev/null 2>&1 ;;
esac

# for the unit tests
in_source check
case $host in
  *mingw*) configured --disable-subunit --disable-fork LIBS=-l:libwinpthread.a; echo -lm >"$scratch/check.libs" ;;
  *) configured --disable-subunit; echo "-lm -lrt -pthread" >"$scratch/check.libs" ;;
esac
make -s -C lib >/dev/null 2>&1 && make -s -C src install >/dev/null 2>&1
cp check_stdint.h "$prefix/include/"
package check check "$(version)" ""
: >"$prefix/complete"
