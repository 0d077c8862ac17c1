# SPDX-License-Identifier: MIT
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/work.c
noinst_HEADERS += \
	libfmt/pack/work.h
