#!/bin/bash
# SPDX-License-Identifier: MIT
# what conda runs in an environment of its own
set -eux
autoreconf -fi
mkdir -p build
cd build
../configure --prefix="$PREFIX" --without-npm --enable-rpath OCCT_CPPFLAGS="-isystem $PREFIX/include/opencascade"
make -j"${CPU_COUNT:-2}"
make install
