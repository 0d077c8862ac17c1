# SPDX-License-Identifier: MIT
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/large_array.c \
	libfmt/pack/work.c
noinst_HEADERS += \
	libfmt/pack/large_array.h \
	libfmt/pack/work.h
